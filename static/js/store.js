/** One place for everything the page knows; panels read it, change it through it, and hear of changes. */

import { defaults, stateOf } from "./state/kept.js";

/** @typedef {import("./state/types.js").Document} Document */
/** @typedef {import("./state/types.js").View} View */
/** @typedef {import("./state/types.js").Cell} Cell */

/**
 * @typedef {object} AppState
 * @property {Document} document
 * @property {View} view
 * @property {import("./state/types.js").Compare} compare
 * @property {import("./state/types.js").OwnNumbers} own
 * @property {import("./state/types.js").Tools} tools
 * @property {import("./api/answer.js").Answer | null} answer the last good one
 * @property {import("./api/answer.js").Plan | null} plan of a run that is shown at length; null where the answer holds it whole
 * @property {import("./api/answer.js").Answer["tensors"]} details tensors that came after the answer
 * @property {Document | null} answered the document the answer belongs to
 * @property {import("./state/types.js").Problem | null} problem
 * @property {"computing" | "ready" | "error"} status
 * @property {Cell | null} cursor
 * @property {"scores" | "weights" | "stage" | "heads"} cursorStage the picture the cursor was moved in
 * @property {boolean} pinned
 * @property {{characters: number, fits: boolean}} link the address that holds the state
 * @property {import("./state/types.js").LinkNotice | null} notice
 * @property {import("./state/types.js").Example[]} examples
 * @property {Files} files
 * @property {Texts} texts
 * @property {import("./state/lesson.js").LessonStep[] | null} lesson null until it is asked for
 */

/** @typedef {{problem: import("./state/types.js").Problem} | {key: "files.another" | "files.tooLarge" | "files.unknown", values: Record<string, string | number>}} FilesFault */

/**
 * @typedef {object} Texts text that is run through a model of the server
 * @property {import("./api/texts.js").Model[] | null} models null until the server has said which it offers
 * @property {{done: number, of: number} | null} running layers; of is 0 until it is known
 * @property {import("./state/types.js").Problem | null} problem
 */

/**
 * @typedef {object} Files what is known of files that were brought, beside what the document keeps of them
 * @property {Record<string, import("./api/uploads.js").UploadAnswer | null>} known by id; null where the server has it no longer
 * @property {{name: string, loaded: number, total: number} | null} transfer bytes of the form on its way
 * @property {FilesFault | null} problem
 * @property {Record<string, {roles: import("./state/roles.js").Roles, module: string, layout: string}>} choices by id, not in use yet
 */

/** @typedef {(state: AppState, previous: AppState) => void} Listener */

/** @typedef {ReturnType<typeof createStore>} Store */

/**
 * What a page knows before anything was restored or answered.
 * @returns {AppState}
 */
export function startingState() {
  return {
    ...stateOf(defaults()),
    answer: null,
    plan: null,
    answered: null,
    details: {},
    problem: null,
    status: "computing",
    cursorStage: "weights",
    examples: [],
    lesson: null,
    link: { characters: 0, fits: true },
    notice: null,
    texts: { models: null, running: null, problem: null },
    files: { known: {}, transfer: null, problem: null, choices: {} },
  };
}

/** @param {AppState} initial */
export function createStore(initial) {
  let state = initial;
  /** @type {Set<Listener>} */
  const listeners = new Set();

  /** @param {Partial<AppState>} change */
  function set(change) {
    const previous = state;
    state = { ...state, ...change };
    for (const listener of listeners) listener(state, previous);
  }

  return {
    get: () => state,
    set,
    /** @param {Partial<View>} change */
    view: (change) => set({ view: { ...state.view, ...change } }),
    /**
     * @template {keyof AppState["tools"]} Name
     * @param {Name} name of a tab
     * @param {Partial<AppState["tools"][Name]>} change
     */
    tool: (name, change) => set({ tools: { ...state.tools, [name]: { ...state.tools[name], ...change } } }),
    /** @param {(document: Document) => Document} change */
    edit(change) {
      const document = change(state.document);
      if (document === state.document) return;
      set(state.view.example ? { document, view: { ...state.view, example: "" } } : { document });
    },
    /** @param {Listener} listener */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
