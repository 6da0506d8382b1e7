/** Files that are brought to the page: sent one form after the other, known by their hash, put to use. */

import { ProblemError } from "./api/client.js";
import { fetchNumbers, fetchUpload, formsOf, sendFiles } from "./api/uploads.js";
import { noteOf, withCall, withWeights } from "./state/brought.js";
import { withUpload, withoutUpload } from "./state/references.js";
import { faultOf, fieldsOf, forGrids, guessRoles, withFields } from "./state/roles.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./store.js").Files} Files */
/** @typedef {import("./api/uploads.js").UploadAnswer} UploadAnswer */
/** @typedef {import("./state/types.js").Document} Document */
/** @typedef {import("./state/types.js").Upload} Upload */
/** @typedef {ReturnType<typeof startTransfers>} Transfers */

/**
 * @param {Store} store
 * @param {number} most bytes of one file that the server takes
 */
export function startTransfers(store, most) {
  /** @type {Map<string, File[]>} what this visit brought, to be read another way */
  const originals = new Map();
  /** @type {Set<string>} */
  const asked = new Set();
  let controller = new AbortController();

  /** @param {Partial<Files>} change */
  const set = (change) => store.set({ files: { ...store.get().files, ...change } });

  /**
   * @param {File[]} files
   * @param {{options?: Record<string, string>, wanted?: Upload}} [how] wanted: the one file that is asked for
   */
  async function bring(files, { options = {}, wanted } = {}) {
    if (store.get().files.transfer || files.length === 0) return;
    store.view({ source: "file", setup: true });
    controller = new AbortController();
    set({ problem: null });
    for (const form of formsOf(files)) {
      const answer = await sent(form, options);
      if (!answer) break;
      const missed = wanted ?? forgotten(answer);
      if (missed && missed.id !== answer.id) {
        set({ problem: { key: "files.another", values: { name: answer.name, wanted: missed.name, got: answer.id.slice(0, 8), expected: missed.id.slice(0, 8) } } });
        break;
      }
      originals.set(answer.id, form);
      await take(answer, { beside: form.map(({ name }) => name).filter((name) => name !== answer.name), options });
    }
  }

  /**
   * @param {File[]} form
   * @param {Record<string, string>} options
   * @returns {Promise<UploadAnswer | null>} null where it was refused or cancelled
   */
  async function sent(form, options) {
    const { signal } = controller;
    const name = form.map((file) => file.name).join(", ");
    const size = form.reduce((sum, file) => sum + file.size, 0);
    const large = form.find((file) => file.size > most);
    if (large) {
      set({ problem: { key: "files.tooLarge", values: { name: large.name, size: large.size, most } } });
      return null;
    }
    set({ transfer: { name, loaded: 0, total: size } });
    try {
      return await sendFiles(form, options, (loaded, total) => set({ transfer: { name, loaded, total } }), signal);
    } catch (error) {
      if (!signal.aborted) set({ problem: faultFrom(error) });
      return null;
    } finally {
      set({ transfer: null });
    }
  }

  /**
   * A file of the page that the server has no longer, of this name.
   * @param {UploadAnswer} answer
   */
  function forgotten({ id, name }) {
    const { document: content, files } = store.get();
    const missing = content.uploads.filter((upload) => files.known[upload.id] === null);
    return missing.find((upload) => upload.id === id) ?? missing.find((upload) => upload.name === name);
  }

  /**
   * A file of the page is back, or a new one is put to use as far as its names tell.
   * @param {UploadAnswer} answer
   * @param {{beside?: string[], options?: Record<string, string>, run?: import("./state/types.js").Run}} came
   * @param {Upload} [wanted] the upload whose place it takes, should it not be the very same
   */
  async function take(answer, came, wanted) {
    const { document: content, files } = store.get();
    const returned = files.known[answer.id] === null && content.uploads.some(({ id }) => id === answer.id);
    const roles = guessRoles(answer);
    learn(answer, roles);
    if (returned) return;
    const note = noteOf(answer, came);
    const input = Object.values(roles).some((role) => role === "x" || role === "q");
    if (answer.calls.length) openCall(answer, sameCall(answer, wanted), note, wanted);
    else if (input && faultOf(roles) === null) await use(answer, roles, note);
    else change((content) => withUpload(content, note));
  }

  /**
   * @param {UploadAnswer} answer
   * @param {import("./state/roles.js").Roles} roles
   */
  function learn(answer, roles) {
    const { known, choices } = store.get().files;
    const { module = answer.modules[0]?.module ?? "", layout = "auto" } = choices[answer.id] ?? {};
    asked.add(answer.id);
    set({ known: { ...known, [answer.id]: answer }, choices: { ...choices, [answer.id]: { roles, module, layout } } });
  }

  /** @param {UploadAnswer} answer */
  function noteFrom(answer) {
    return store.get().document.uploads.find(({ id }) => id === answer.id) ?? noteOf(answer, {});
  }

  /**
   * @param {UploadAnswer} answer
   * @param {import("./state/roles.js").Roles} roles
   * @param {Upload} [note]
   */
  async function use(answer, roles, note = noteFrom(answer)) {
    const fields = fieldsOf(answer.id, roles);
    const numbers = await numbersOf(answer, fields).catch(() => ({}));
    change((content) => withFields(content, noteOf(answer, note, fields), fields, { ...labelsOf(answer, fields), ...numbers }));
  }

  /**
   * @param {UploadAnswer} answer
   * @param {number} index
   * @param {Upload} [note]
   * @param {Upload} [wanted] the upload that is no longer there
   */
  function openCall(answer, index, note = noteFrom(answer), wanted) {
    const { spec } = answer.calls[index];
    change((content) => withCall(wanted ? withoutUpload(content, wanted.id) : content, noteOf(answer, note, spec), spec));
  }

  /**
   * @param {UploadAnswer} answer
   * @param {Upload} [wanted]
   * @returns {number} the call that stands for the one on show, else the first
   */
  function sameCall({ calls }, wanted) {
    const { q } = store.get().document.also;
    if (!wanted || q?.upload !== wanted.id) return 0;
    return Math.max(0, calls.findIndex(({ spec }) => spec.q.name === q.name));
  }

  /**
   * @param {UploadAnswer} answer
   * @param {string} name of the module
   * @param {string} layout
   */
  function useWeights(answer, name, layout) {
    const module = answer.modules.find((item) => item.module === name);
    if (!module) return;
    change((content) => withWeights(content, noteFrom(answer), module, layout));
  }

  /** @param {(document: Document) => Document} edit */
  function change(edit) {
    const { document: content, view } = store.get();
    store.set({ document: edit(content), view: { ...view, example: "" } });
  }

  /** Ask the server for each file that a link or an earlier visit brought. */
  async function ask() {
    for (const { id } of store.get().document.uploads) {
      if (asked.has(id)) continue;
      asked.add(id);
      const answer = await fetchUpload(id).catch(() => undefined);
      if (answer) learn(answer, guessRoles(answer));
      else if (answer === null) set({ known: { ...store.get().files.known, [id]: null } });
      else asked.delete(id);
    }
  }

  /** The upload that `?open=` names. */
  async function openAddressed() {
    const id = new URLSearchParams(location.search).get("open");
    if (!id) return;
    history.replaceState(history.state, "", location.pathname + location.hash);
    const answer = await fetchUpload(id).catch(() => null);
    store.view({ source: "file", setup: true });
    if (answer) await take(answer, {});
    else set({ problem: { key: "files.unknown", values: { id: id.slice(0, 8) } } });
  }

  store.subscribe((state, previous) => {
    if (state.document.uploads !== previous.document.uploads) ask();
  });
  ask();
  return {
    bring,
    use,
    useWeights,
    openCall,
    openAddressed,
    take,
    cancel: () => controller.abort(),
    /** @param {string} id */
    canReread: (id) => originals.has(id),
    /** @param {string} id @param {Record<string, string>} options */
    reread: (id, options) => bring(originals.get(id) ?? [], { options }),
  };
}

/**
 * @param {UploadAnswer} answer
 * @param {Record<string, any>} fields
 */
async function numbersOf(answer, fields) {
  const names = forGrids(fields, answer.tensors);
  const tensors = names.map((name) => answer.tensors.find((tensor) => tensor.name === fields[name].name));
  const numbers = await Promise.all(tensors.map((tensor) => tensor && fetchNumbers(answer.id, tensor)));
  return Object.fromEntries(names.map((name, index) => [name, numbers[index]]));
}

/**
 * The labels that came with the rows, where the rows are tokens.
 * @param {UploadAnswer} answer
 * @param {Record<string, any>} fields
 */
function labelsOf({ detected, tensors }, fields) {
  const labels = detected.row_labels;
  const name = fields.x?.name ?? fields.q?.name ?? fields.memory?.name;
  const rows = tensors.find((tensor) => tensor.name === name)?.shape.at(-2);
  if (!Array.isArray(labels) || labels.length !== rows) return {};
  return { [fields.x || fields.q ? "tokens" : "memory_tokens"]: labels };
}

/**
 * @param {unknown} error
 * @returns {import("./store.js").FilesFault}
 */
function faultFrom(error) {
  return { problem: error instanceof ProblemError ? error.problem : { title: "", detail: String(error), status: 0, errors: [] } };
}
