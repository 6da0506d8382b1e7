/** 服务器拒绝访问或忙碌时的句子，写法见 server_zh.js。 */

/** @typedef {import("./server_zh.js").Patterns} Patterns */

/** @type {Patterns} */
export const GUARD_SENTENCES = [
  [/^this server asks for its token: .*$/, "此服务器需要令牌：请以 Authorization: Bearer 发送，或作为任意用户的密码输入"],
  [/^the request's (?:head|body) came too slowly: expected all of it within (\S+) seconds \(raised by the setting (\S+)\)$/, "请求传得太慢：应在 $1 秒内传完（由设置 $2 提高）"],
  [/^the head of the request is too long: expected at most (\d+) bytes, got (\d+)$/, "请求头太长：最多 $1 字节，实际 $2"],
  [/^another site's page may not send this: .*$/, "其他网站的页面不能发送此请求（见设置 ATTENTION_ALLOWED_ORIGINS）"],
  [/^this server does not answer to that host: .*, got (.*)$/, "此服务器不以该主机名提供服务：$1（见设置 ATTENTION_ALLOWED_HOSTS）"],
  [/^all places are taken: (\d+) requests are computed at once and (\d+) wait .*$/, "服务器繁忙：同时计算 $1 个请求，另有 $2 个在等待（见设置 ATTENTION_QUEUE_LENGTH）"],
  [/^this address has (\d+) requests under way, as many as one may .*$/, "此地址已有 $1 个请求在处理，已达上限（见设置 ATTENTION_CLIENT_REQUESTS）"],
  [/^this took longer than the (\S+) seconds of the setting \S+, waiting included$/, "包括等待在内，已超过 $1 秒的时限（见设置 ATTENTION_DEADLINE_SECONDS）"],
  [/^the memory for bodies is full$/, "用于读取请求的内存已满"],
  [/^the memory for computing is full$/, "用于计算的内存已满"],
  [/^the server is stopping$/, "服务器正在停止"],
];

/** @type {Patterns} */
export const GUARD_RULES = [
  [/^seconds that this is expected to take: over the limit (\S+)$/, "预计所需秒数超过上限 $1"],
  [/^bytes of the body once it is read: over the limit (\S+)$/, "请求正文读取后的字节数超过上限 $1"],
  [/^bytes of the computation: over the limit (\S+)$/, "计算所需字节数超过上限 $1"],
];
