/** The numbers of each step, by its name. */

import { BLIND } from "./blind.js";
import { CHECKLIST } from "./checklist.js";
import { COMBINE, MASK_ORDER } from "./masking.js";
import { CONVENTIONS } from "./conventions.js";
import { CROSS } from "./cross.js";
import { DECODING } from "./decoding.js";
import { FLASH } from "./flash.js";
import { HEADS } from "./heads.js";
import { LINEAR } from "./linear.js";
import { MATCH_AND_MIX, MIXING } from "./matching.js";
import { PATTERNS } from "./patterns.js";
import { BY_HAND } from "./products.js";
import { ROWS } from "./rows.js";
import { SATURATION } from "./saturation.js";
import { SCALE } from "./scale.js";
import { SHAPES } from "./shapes.js";
import { SHARING } from "./sharing.js";

/** @type {Record<string, import("./context.js").Evidence<any>>} */
export const EVIDENCE = {
  match_and_mix: MATCH_AND_MIX,
  shapes: SHAPES,
  by_hand: BY_HAND,
  scale: SCALE,
  saturation: SATURATION,
  rows: ROWS,
  mask_order: MASK_ORDER,
  combine: COMBINE,
  blind: BLIND,
  conventions: CONVENTIONS,
  mixing: MIXING,
  heads: HEADS,
  patterns: PATTERNS,
  sharing: SHARING,
  cross: CROSS,
  decoding: DECODING,
  flash: FLASH,
  linear: LINEAR,
  checklist: CHECKLIST,
};
