/** 服务器关于数值稳定性和掩码读法的句子，写法见 server_zh.js。 */

/** @typedef {import("./server_zh.js").Patterns} Patterns */

/** @type {Patterns} */
export const LENS_RULES = [
  [/^show names a trial of the answer$/, "show 必须是结果中某次试算的名称"],
  [/^show names a reading of the answer$/, "show 必须是结果中某种读法的名称"],
  [/^a window counts keys$/, "窗口数的是键"],
];
