/** Menus that drop down: Escape, a press elsewhere, or moving on with Tab closes them. */

/** @param {ParentNode} [root] */
export function mountMenus(root = document) {
  for (const menu of /** @type {NodeListOf<HTMLDetailsElement>} */ (root.querySelectorAll("details.menu"))) mountMenu(menu);
}

/** @param {HTMLDetailsElement} menu */
function mountMenu(menu) {
  const closeOutside = (/** @type {Event} */ { target }) => {
    if (menu.open && target instanceof Node && !menu.contains(target)) menu.open = false;
  };
  document.addEventListener("pointerdown", closeOutside);
  document.addEventListener("focusin", closeOutside);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}
