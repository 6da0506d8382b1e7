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

/** @param {"system" | "light" | "dark"} theme */
export function showTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
