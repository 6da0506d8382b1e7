/** 服务器的句子：$1、$2…… 是其中的数值和名称，原样保留。 */

/** @type {[RegExp, string][]} */
export const SERVER_ZH = [
  [/^causal: key <= query( \+ .+)?$/, "因果掩码：键 ≤ 查询$1"],
];
