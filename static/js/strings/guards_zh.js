/** 服务器拒绝访问或忙碌时的句子，写法见 server_zh.js。 */

/** @typedef {import("./server_zh.js").Patterns} Patterns */

/** @type {Patterns} */
export const GUARD_SENTENCES = [
  [/^this server asks for its token: .*$/, "此服务器需要令牌：请以 Authorization: Bearer 发送，或作为任意用户的密码输入"],
  [/^another site's page may not send this: .*$/, "其他网站的页面不能发送此请求（见设置 ATTENTION_ALLOWED_ORIGINS）"],
  [/^this server does not answer to that host: .*, got (.*)$/, "此服务器不以该主机名提供服务：$1（见设置 ATTENTION_ALLOWED_HOSTS）"],
];
