/** A row wider than the page: it scrolls, an edge with more beyond it fades, and what is chosen is in sight. */

/** As wide as the stylesheet fades an edge beyond which there is more. */
const FADE_PX = 40;

/** @param {HTMLElement} root of the class "strip" */
export function watchEdges(root) {
  root.addEventListener("scroll", () => hintAtMore(root), { passive: true });
  new ResizeObserver(() => hintAtMore(root)).observe(root);
}

/** @param {HTMLElement} root */
export function hintAtMore(root) {
  const { scrollLeft, scrollWidth, clientWidth } = root;
  root.classList.toggle("has-before", scrollLeft > 1);
  root.classList.toggle("has-after", scrollLeft + clientWidth < scrollWidth - 1);
}

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} chosen within it
 */
export function reveal(root, chosen) {
  if (root.scrollWidth <= root.clientWidth) return;
  const [outer, inner] = [root.getBoundingClientRect(), chosen.getBoundingClientRect()];
  if (inner.left < outer.left + FADE_PX || inner.right > outer.right - FADE_PX) root.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}
