/** The pipeline: every stage a choice, with its formula and its live shape. */

import { wholeAnswer } from "../api/needed.js";
import { byId, h, setAttributes } from "../dom.js";
import { texOf } from "../figures/formula.js";
import { rangeOf } from "../figures/scales.js";
import { stageOf } from "../figures/stages.js";
import { brief } from "../numbers.js";
import { dimensions, width } from "../state/dimensions.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { formulaText, formulaWords } from "../strings/server.js";
import { sayPlainly, typeset } from "../typeset.js";
import { axisName, stageName } from "./names.js";
import { hintAtMore, reveal, watchEdges } from "./strip.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/answer.js").Step} Step */

/** Axis letters as the architecture names them; the full name stands in the title. */
const LETTERS = /** @type {Record<string, string>} */ ({
  batch: "B",
  "query head": "H",
  "kv head": "K",
  query: "T",
  key: "S",
  dim: "D",
  "value dim": "Dv",
  "model dim": "E",
});

/** What is computed side by side stands in one column, the first of them in the order of the computation. */
const COLUMNS = [["q", "k", "v"], ["scores"], ["allowed"], ["masked_scores", "logsumexp"], ["weights", "dropped_weights"], ["heads"], ["output"]];
/** Columns as high as the lane of v below the others: where v comes from, and where it goes. */
const WHOLE = ["x", "q", "heads", "output"];
const MOVES = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });

/** @param {Store} store */
export function mountSteps(store) {
  const root = byId("steps");
  let drawn = "";
  root.addEventListener("keydown", (event) => onKey(store, event));
  watchEdges(root);
  store.subscribe((state, previous) => {
    const { view } = state;
    const answer = runOf(state);
    if (!answer || (answer === runOf(previous) && view === previous.view && state.details === previous.details)) return;
    const stage = stageOf(answer, view.stage);
    const content = JSON.stringify([view.language, answer.steps.map(({ name, formula, shape }) => [name, formula, shape])]);
    if (content !== drawn) renew(root, pipeline(store));
    drawn = content;
    requestAnimationFrame(() => hintAtMore(root));
    choose(root, stage);
    showLine(answer.steps.find(({ name }) => name === stage));
    showRange(state, stage);
  });
}

/**
 * What is known of the run on show: its numbers too, or only what it is.
 * @param {import("../store.js").AppState} state
 */
function runOf({ answer, plan }) {
  return answer ?? plan;
}

/** A card stays as long as it says the same, for setting formulas takes time. @type {Map<string, HTMLElement>} */
const cards = new Map();

/**
 * @param {Store} store
 * @param {Step} step
 */
function cardOf(store, step) {
  const key = JSON.stringify([step.name, step.formula, step.shape, stageName(step.name), axisName("query")]);
  const made = cards.get(key) ?? card(store, step);
  for (const [other] of cards) if (other.startsWith(`["${step.name}"`)) cards.delete(other);
  cards.set(key, made);
  return made;
}

/**
 * @param {Store} store
 * @returns {Part[]}
 */
function pipeline(store) {
  const { answered, document: content } = store.get();
  const steps = new Map((runOf(store.get())?.steps ?? []).map((step) => [step.name, step]));
  const names = COLUMNS.map((column) => column.filter((name) => steps.has(name))).filter((column) => column.length > 0);
  const stages = names.map((column) => ({ first: column[0], nodes: column.map((name) => cardOf(store, /** @type {Step} */ (steps.get(name)))) }));
  /** @type {{first: string, title?: string, nodes: HTMLElement[]}[]} */
  const columns = [...source(answered ?? content), ...stages];
  const whole = columns.map(({ first }) => WHOLE.includes(first));
  return [
    ...columns.map(({ nodes, title }, index) => ({ class: `step-column${whole[index] ? " is-whole" : ""}`, column: `${index + 1}`, nodes, title })),
    ...columns.slice(1).map((_, index) => ({ class: `flow${whole[index] && whole[index + 1] ? " is-whole" : ""}`, column: `${index + 2}`, nodes: [] })),
    laneOfValues(columns.map(({ first }) => first)),
  ];
}

/** @typedef {{class: string, column: string, title?: string, nodes: HTMLElement[]}} Part of the strip, in a column of its grid */

/**
 * The line from v past the scores and the softmax to where the weights mix it.
 * @param {string[]} columns by their first stage
 * @returns {Part}
 */
function laneOfValues(columns) {
  const column = `${columns.indexOf("q") + 2} / ${columns.indexOf("heads") + 1}`;
  return { class: "flow is-values", column, nodes: [h("span", { class: "says", text: t("steps.values") })] };
}

/**
 * Columns that say the same stay where they are: formulas in type are slow to lay out.
 * @param {HTMLElement} root
 * @param {Part[]} parts
 */
function renew(root, parts) {
  while (root.children.length > parts.length) root.lastElementChild?.remove();
  parts.forEach(({ class: className, column: place, title = "", nodes }, index) => {
    const column = /** @type {HTMLElement} */ (root.children[index] ?? root.appendChild(h("div", { role: "presentation" })));
    column.className = className;
    column.style.gridColumn = place;
    setAttributes(column, { title: title || null });
    const same = column.children.length === nodes.length && nodes.every((node, place) => node === column.children[place] || node.isEqualNode(column.children[place]));
    if (!same) column.replaceChildren(...nodes);
  });
}

/**
 * Where it all comes from: the vectors, which are no stage of the answer.
 * @param {import("../state/types.js").Document} content
 * @returns {{first: string, title?: string, nodes: HTMLElement[]}[]}
 */
function source(content) {
  if (content.input.kind === "heads") return [];
  const { B, T, S, P } = dimensions(content);
  const one = (/** @type {string} */ letter, /** @type {"tokens" | "memory"} */ part, /** @type {number[]} */ sizes, /** @type {string[]} */ axes) =>
    h("div", { class: "step-source" }, [h("span", { class: "step-name", text: letter }), shapeOf([...sizes, width(content, part)], axes)]);
  const x = one("X", "tokens", [B, T], ["batch", "query", "model dim"]);
  const memory = content.input.cross ? [one("M", "memory", [B, S - P], ["batch", "key", "model dim"])] : [];
  return [{ first: "x", title: t("steps.source"), nodes: [h("div", { class: "step-sources" }, [x, ...memory])] }];
}

/**
 * @param {Store} store
 * @param {Step} step
 */
function card(store, { name, formula, axes, shape }) {
  const words = name === "allowed";
  const set = h("span", { class: words ? "step-formula is-words" : "step-formula", text: formulaText(formula) });
  if (!words) typeset(set, formulaWords(texOf(name, formula)), formula);
  return h(
    "button",
    {
      type: "button",
      class: "step",
      role: "radio",
      title: `${stageName(name)} = ${formulaText(formula)}`,
      "aria-label": t("steps.choice", { stage: stageName(name), shape: spelled(axes, shape) }),
      data: { stage: name },
      on: { click: () => store.view({ stage: name }) },
    },
    [h("span", { class: "step-name", text: stageName(name) }), set, shapeOf(shape, axes)],
  );
}

/**
 * @param {number[]} shape
 * @param {string[]} axes
 */
function shapeOf(shape, axes) {
  const sizes = shape.map((size, axis) =>
    h("span", { class: "axis", title: axisName(axes[axis]) }, [h("span", { class: "axis-letter", text: LETTERS[axes[axis]] ?? axes[axis] }), `${size}`]),
  );
  return h("span", { class: "step-shape" }, sizes);
}

/**
 * @param {string[]} axes
 * @param {number[]} shape
 */
function spelled(axes, shape) {
  return shape.map((size, axis) => `${axisName(axes[axis])} ${size}`).join(" × ");
}

/**
 * @param {HTMLElement} root
 * @param {string} stage
 */
function choose(root, stage) {
  const focused = root.contains(document.activeElement);
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[role='radio']"))) {
    const chosen = button.dataset.stage === stage;
    if (chosen && button.getAttribute("aria-checked") !== "true") requestAnimationFrame(() => reveal(root, button));
    button.setAttribute("aria-checked", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
    if (chosen && focused) button.focus({ preventScroll: true });
  }
}

/**
 * The chosen stage in full: formula, named axes, range.
 * @param {Step | undefined} step
 */
function showLine(step) {
  const line = byId("stage-line");
  line.hidden = !step;
  if (!step) return;
  const { name, formula, axes, shape } = step;
  if (name === "allowed") sayPlainly(byId("stage-formula"), formulaText(formula));
  else typeset(byId("stage-formula"), formulaWords(texOf(name, formula)), formula);
  byId("stage-axes").textContent = spelled(axes, shape);
}

/**
 * The numbers that the pictures below show, which is what their colours reach over.
 * @param {import("../store.js").AppState} state
 * @param {string} stage
 */
function showRange(state, stage) {
  const answer = wholeAnswer(state);
  const { batch, showMasked } = state.view;
  const range = answer && STAGES[stage].kind !== "masks" ? rangeOf(answer, stage, Math.min(batch, answer.tensors.allowed.shape[0] - 1), showMasked) : null;
  const line = byId("stage-range");
  line.textContent = range && range.min <= range.max ? t("steps.range", { min: brief(range.min), max: brief(range.max) }) : "";
  line.title = t("steps.range.tip");
}

/**
 * @param {Store} store
 * @param {KeyboardEvent} event
 */
function onKey(store, event) {
  const stages = /** @type {HTMLElement[]} */ ([...byId("steps").querySelectorAll("[role='radio']")]);
  const at = stages.findIndex((button) => button.getAttribute("aria-checked") === "true");
  const targets = /** @type {Record<string, number>} */ ({ Home: 0, End: stages.length - 1 });
  const to = event.key in MOVES ? (at + MOVES[event.key] + stages.length) % stages.length : targets[event.key];
  if (to === undefined || !stages[to]) return;
  event.preventDefault();
  store.view({ stage: stages[to].dataset.stage ?? "weights" });
}
