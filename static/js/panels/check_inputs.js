/** Where own numbers are given: a text for each tensor, or a tensor of a file; and the tolerance. */

import { ProblemError } from "../api/client.js";
import { sendFiles } from "../api/uploads.js";
import { byId, h, required } from "../dom.js";
import { CHECKED } from "../state/stages.js";
import { t } from "../strings.js";
import { problemText } from "../strings/server.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {typeof CHECKED[number]} Checked */

/** A table has two axes: read as text, it gets those of one sequence and one head as typed lists do. */
const TABLES = /\.(csv|tsv|txt)$/i;
const TOLERANCES = /** @type {const} */ (["rtol", "atol"]);

/** @param {Store} store */
export function mountCheckInputs(store) {
  for (const name of CHECKED) mountGiven(store, name);
  for (const name of TOLERANCES) {
    const input = field(`check-${name}`);
    input.addEventListener("input", () => store.set({ own: { ...store.get().own, [name]: input.value } }));
  }
  const render = () => show(store);
  store.subscribe((state, previous) => {
    if (state.own !== previous.own || state.answer !== previous.answer || state.view.language !== previous.view.language) render();
  });
  const { given } = store.get().own;
  /** @type {HTMLDetailsElement} */ (byId("check-more")).open = CHECKED.some((name) => given[name] !== "" && byId("check-more").contains(byId(`check-${name}`)));
  render();
}

/**
 * @param {Store} store
 * @param {Checked} name
 * @param {string} text
 */
export function give(store, name, text) {
  const { own } = store.get();
  store.set({ own: { ...own, given: { ...own.given, [name]: text } } });
}

/**
 * @param {Store} store
 * @param {Checked} name
 */
function mountGiven(store, name) {
  const text = field(`check-${name}`);
  const file = field(`check-${name}-file`);
  const pick = /** @type {HTMLSelectElement} */ (byId(`check-${name}-pick`));
  const clear = byId(`check-${name}-clear`);
  text.addEventListener("input", () => give(store, name, text.value));
  clear.addEventListener("click", () => {
    give(store, name, "");
    text.focus();
  });
  byId(`check-${name}-choose`).addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    const [chosen] = file.files ?? [];
    file.value = "";
    if (chosen) await read(store, name, chosen);
  });
  pick.addEventListener("change", () => give(store, name, pick.value));
}

/**
 * @param {Store} store
 * @param {Checked} name
 * @param {File} file
 */
async function read(store, name, file) {
  const pick = byId(`check-${name}-picking`);
  pick.hidden = true;
  if (TABLES.test(file.name)) return give(store, name, await file.text());
  say(name, t("check.sending", { file: file.name }));
  try {
    const sent = await sendFiles([file], {}, () => {}, new AbortController().signal);
    say(name, "");
    offer(store, name, sent);
    return undefined;
  } catch (error) {
    say(name, "");
    return showInputError(name, error instanceof ProblemError ? problemText(error.problem) : String(error));
  }
}

/**
 * The likeliest tensor at once, and all of them to choose from.
 * @param {Store} store
 * @param {Checked} name
 * @param {import("../api/uploads.js").UploadAnswer} sent
 */
function offer(store, name, { id, tensors }) {
  const pick = /** @type {HTMLSelectElement} */ (byId(`check-${name}-pick`));
  const wanted = String(shapeOf(store, name));
  const reference = (/** @type {string} */ tensor) => JSON.stringify({ upload: id, name: tensor });
  pick.replaceChildren(...tensors.map((tensor) => h("option", { value: reference(tensor.name), text: `${tensor.name} ${brackets(tensor.shape)}` })));
  const likely = tensors.find((tensor) => tensor.name === name) ?? tensors.find((tensor) => String(tensor.shape) === wanted) ?? tensors[0];
  byId(`check-${name}-picking`).hidden = tensors.length < 2;
  if (!likely) return;
  pick.value = reference(likely.name);
  give(store, name, pick.value);
}

/**
 * @param {Store} store
 * @param {string} name
 */
function shapeOf(store, name) {
  return store.get().answer?.steps.find((step) => step.name === name)?.shape ?? null;
}

/** @param {number[]} shape */
function brackets(shape) {
  return shape.map((size) => `[${size}]`).join("");
}

/** @param {Store} store */
function show(store) {
  const { own } = store.get();
  for (const name of CHECKED) {
    const text = field(`check-${name}`);
    if (text.value !== own.given[name]) text.value = own.given[name];
    byId(`check-${name}-clear`).hidden = own.given[name] === "";
    if (own.given[name] === "") byId(`check-${name}-picking`).hidden = true;
    const shape = shapeOf(store, name);
    byId(`check-${name}-shape`).textContent = shape ? t("check.shape", { shape: brackets(shape) }) : "";
  }
  for (const name of TOLERANCES) {
    const input = field(`check-${name}`);
    if (input.value !== own[name]) input.value = own[name];
  }
}

/**
 * @param {string} id
 * @returns {HTMLInputElement}
 */
function field(id) {
  return /** @type {HTMLInputElement} */ (required(byId(id), id));
}

/**
 * @param {Checked} name
 * @param {string} text
 */
function say(name, text) {
  byId(`check-${name}-says`).textContent = text;
}

/**
 * @param {string | null} name of the tensor or tolerance; null for all of them
 * @param {string} message "" to take it back
 * @returns {boolean} whether there is such an input
 */
export function showInputError(name, message) {
  const names = [...CHECKED, ...TOLERANCES];
  if (name === null) {
    for (const each of names) showInputError(each, message);
    return true;
  }
  if (!names.some((each) => each === name)) return false;
  const error = byId(`check-${name}-error`);
  error.textContent = message;
  error.hidden = message === "";
  if (message) byId(`check-${name}`).setAttribute("aria-invalid", "true");
  else byId(`check-${name}`).removeAttribute("aria-invalid");
  return true;
}
