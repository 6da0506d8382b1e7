/** Parts of the page that fold away: which are open is a part of the view. */

/** @typedef {import("../store.js").Store} Store */

/** @param {Store} store */
export function mountFolds(store) {
  const folds = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("details[id]:not(.menu)")]);
  for (const fold of folds) fold.addEventListener("toggle", () => keep(store, folds));
  const render = () => {
    for (const fold of folds) fold.open = store.get().view.folds.includes(fold.id);
  };
  store.subscribe((state, previous) => {
    if (state.view.folds !== previous.view.folds) render();
  });
  render();
}

/**
 * @param {Store} store
 * @param {HTMLDetailsElement[]} folds
 */
function keep(store, folds) {
  const open = folds.filter((fold) => fold.open).map((fold) => fold.id);
  if (String(open) !== String(store.get().view.folds)) store.view({ folds: open });
}
