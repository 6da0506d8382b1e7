/** What a stage's numbers are, in a few words: only what this run does, as its formulas tell. */

import { t } from "../strings.js";

/** @typedef {import("../strings.js").Key} Key */

/** What a formula of the scores holds, and what is said of it then. */
const SCALED = /k\^T (?:\/ sqrt|\*)/;
const SCORES = /** @type {[RegExp, Key][]} */ ([
  [/tanh/, "says.softcapped"],
  [/\+ bias/, "says.biased"],
]);

/**
 * @param {import("../api/answer.js").Step[]} steps of the run
 * @param {string} stage
 * @returns {string}
 */
export function stageSays(steps, stage) {
  const formulas = Object.fromEntries(steps.map(({ name, formula }) => [name, formula]));
  const formula = formulas[stage] ?? "";
  if (stage === "scores") return scoresSay(formula, formulas.allowed ?? "no mask");
  if (stage in CASES) return t(CASES[stage].find(([pattern]) => pattern.test(formula))?.[1] ?? /** @type {Key} */ (`stage.${stage}.says`));
  const says = t(/** @type {Key} */ (`stage.${stage}.says`));
  return ["q", "k", "v"].includes(stage) ? entering(says, formula) : says;
}

/** Stages whose sentence is another in some runs. */
const CASES = /** @type {Record<string, [RegExp, Key][]>} */ ({
  allowed: [[/^no mask$/, "says.noMask"]],
  weights: [[/\* allowed/, "says.maskedAfter"]],
  logsumexp: [[/sink/, "says.withSink"]],
  heads: [[/^dropped_weights/, "says.dropped"]],
  output: [[/^concat\(heads\)$/, "says.joined"]],
});

/**
 * @param {string} formula
 * @param {string} masks
 */
function scoresSay(formula, masks) {
  const more = SCORES.filter(([pattern]) => pattern.test(formula)).map(([, key]) => key);
  const keys = /** @type {Key[]} */ ([SCALED.test(formula) ? "says.dotScaled" : "says.dot", ...more, ...(masks === "no mask" ? [] : ["says.unmasked"])]);
  return keys.map((key) => t(key)).join(t("list.comma"));
}

/**
 * q, k and v: what was done to them before they enter.
 * @param {string} says
 * @param {string} formula
 */
function entering(says, formula) {
  const [normed, rotated] = [formula.includes("RMSNorm("), formula.includes("RoPE(")];
  const done = normed && rotated ? "says.normedRotated" : normed ? "says.normed" : "says.rotated";
  const whole = normed || rotated ? t(done, { says }) : says;
  return formula.startsWith("concat(past_") ? t("says.cached", { says: whole }) : whole;
}
