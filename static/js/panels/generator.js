/** Numbers from a seed in place of typed ones: how many, of which kind, and as what. */

import { byId } from "../dom.js";
import { BOUNDS, withGenerated, wrongIn } from "../state/generator.js";
import { t } from "../strings.js";
import { wholeText } from "../units.js";

/** @typedef {import("../store.js").Store} Store */

/** @param {Store} store */
export function mountGenerator(store) {
  const error = byId("generator-error");
  const use = () => {
    const { generator } = store.get().view;
    const wrong = wrongIn(generator);
    say(wrong);
    if (wrong) return byId(`generator-${wrong}`).focus();
    store.view({ window: null, batch: 0 });
    store.edit((document) => withGenerated(document, generator));
  };
  /** @param {import("../state/generator.js").Count | null} wrong */
  const say = (wrong) => {
    for (const name of Object.keys(BOUNDS)) byId(`generator-${name}`).setAttribute("aria-invalid", String(name === wrong));
    error.hidden = wrong === null;
    if (!wrong) return;
    const [least, most] = BOUNDS[wrong].map(wholeText);
    error.textContent = t("generator.wrong", { name: t(`generator.${wrong}`), least, most });
  };
  const render = () => {
    const { source, generator } = store.get().view;
    byId("generator").hidden = source !== "random";
    byId("generator-heads-field").hidden = generator.into !== "heads";
    const tokens = Number(generator.tokens);
    byId("generator-says").textContent = t("generator.says", { pairs: Number.isInteger(tokens) ? wholeText(tokens * tokens) : "?" });
  };
  byId("generator-use").addEventListener("click", use);
  byId("generator").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) use();
  });
  store.subscribe((state, previous) => {
    if (state.view !== previous.view) render();
    if (state.view.language !== previous.view.language) say(null);
  });
  render();
}
