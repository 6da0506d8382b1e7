/** The tensors of a file, each with what it is to be used as. */

import { h } from "../dom.js";
import { faultOf, fieldsOf, forGrids, rolesFor } from "../state/roles.js";
import { t } from "../strings.js";
import { shapeText } from "./file_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../transfers.js").Transfers} Transfers */
/** @typedef {import("../api/uploads.js").UploadAnswer} UploadAnswer */
/** @typedef {import("../strings.js").Key} Key */

/** More are named in the specification. */
const MOST_LISTED = 100;

/**
 * @param {Store} store
 * @param {Transfers} transfers
 * @param {UploadAnswer} answer
 */
export function createTensorList(store, transfers, answer) {
  const roles = () => store.get().files.choices[answer.id]?.roles ?? {};
  const rows = answer.tensors.slice(0, MOST_LISTED).map((tensor) => tensorRow(store, answer, tensor));
  const fault = h("p", { class: "error", role: "status", hidden: true });
  const use = h("button", { type: "button", class: "button primary", text: t("files.use"), title: t("files.use.tip"), on: { click: apply } });
  const more = answer.tensors.length - rows.length;
  const list = h("ul", { class: "tensor-list" }, rows.map(({ root }) => root));
  const goes = h("p", { class: "says" });
  const parts = [list, ...(more > 0 ? [h("p", { class: "says", text: t("files.more", { count: more }) })] : []), goes, fault, h("div", { class: "row" }, [use])];
  const root = answer.modules.length
    ? h("details", { class: "file-part" }, [h("summary", { text: t("files.tensors", { count: answer.tensors.length }) }), ...parts])
    : h("div", { class: "file-part" }, parts);
  return { root, update };

  function apply() {
    const found = faultOf(roles());
    if (found) showFault(found);
    else transfers.use(answer, roles());
  }

  /** @param {NonNullable<ReturnType<typeof faultOf>>} found */
  function showFault(found) {
    fault.hidden = false;
    fault.textContent = t(`files.fault.${found.fault}`, { roles: found.roles.join(", ") });
  }

  function update() {
    for (const row of rows) row.update(roles());
    const found = faultOf(roles());
    if (!found) fault.hidden = true;
    if (found?.fault === "mask") showFault(found);
    goes.textContent = !found && forGrids(fieldsOf(answer.id, roles()), answer.tensors).length ? t("files.intoGrid") : "";
    goes.hidden = goes.textContent === "";
  }
}

/**
 * @param {Store} store
 * @param {UploadAnswer} answer
 * @param {import("../api/uploads.js").ListedTensor} tensor
 */
function tensorRow(store, answer, { name, dtype, shape }) {
  const choices = rolesFor(shape);
  const select = h("select", { "aria-label": t("files.role", { name }), title: t("files.role.tip"), data: { tensor: name }, on: { change: () => choose(store, answer, name, select.value) } }, [
    h("option", { value: "", text: t("files.role.none") }),
    ...choices.map((role) => h("option", { value: role, text: roleText(role) })),
  ]);
  const unsaid = h("option", { value: "mask", text: t("files.role.mask"), hidden: true });
  if (choices.includes("mask:allowed")) select.append(unsaid);
  const root = h("li", {}, [h("span", { class: "tensor-name" }, [h("code", { text: name, title: name }), h("span", { class: "says", text: `${dtype} ${shapeText(shape)}` })]), select]);
  return {
    root,
    /** @param {import("../state/roles.js").Roles} roles */
    update(roles) {
      const role = roles[name] ?? "";
      if (select.value !== role) select.value = role;
    },
  };
}

/** @param {string} role a name of the specification, or a mask with its convention */
function roleText(role) {
  return role.startsWith("mask:") ? t(/** @type {Key} */ (`files.role.${role.replace(":", ".")}`)) : role;
}

/**
 * @param {Store} store
 * @param {UploadAnswer} answer
 * @param {string} tensor
 * @param {string} role
 */
function choose(store, { id }, tensor, role) {
  const { files } = store.get();
  const before = files.choices[id] ?? { roles: {}, module: "", layout: "auto" };
  store.set({ files: { ...files, choices: { ...files.choices, [id]: { ...before, roles: { ...before.roles, [tensor]: role } } } } });
}
