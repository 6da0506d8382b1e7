/** Whether the page is dark now, by the system or by choice. */

const system = matchMedia("(prefers-color-scheme: dark)");

/** @param {"system" | "light" | "dark"} theme */
export function isDark(theme) {
  return theme === "system" ? system.matches : theme === "dark";
}

/** @param {() => void} listener */
export function onSystemTheme(listener) {
  system.addEventListener("change", listener);
}
