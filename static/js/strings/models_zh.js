/** 服务器关于语言模型、让文本通过模型和捕获的运行的句子，写法见 server_zh.js。 */

/** @typedef {import("./server_zh.js").Patterns} Patterns */

/**
 * 模型不能运行的原因。
 * @type {Patterns}
 */
const REASONS = [
  [/^(.+) not installed: (pip install .+)$/, "没有安装 $1：$2"],
  [/^its folder holds neither config\.json nor a \.gguf file$/, "它的文件夹中既没有 config.json，也没有 .gguf 文件"],
  [/^there is no such folder or file$/, "没有这个文件夹或文件"],
  [/^there is no such folder, and no model of this hub id on this machine$/, "没有这个文件夹，本机也没有这个编号的模型"],
];

/** @type {Patterns} */
export const MODEL_RULES = [
  ...REASONS,
  [/^a layer is counted from 0$/, "层从 0 开始计数"],
  [/^a text has at least one token$/, "文本至少要有一个词元"],
  [/^a text or token ids must stand here$/, "这里必须是文本或词元编号"],
  [/^a token id is one of the model's$/, "词元编号必须是模型词表中的"],
  [/^layers names at least one$/, "layers 至少要指定一层"],
  [/^no attention was seen: the model computes it in a way that is not recorded$/, "没有观察到注意力：该模型的计算方式无法记录"],
  [/^nested tensors are not recorded$/, "不记录嵌套张量（nested tensor）"],
  [/^(\S+) holds several \.gguf files: name one$/, "$1 中有多个 .gguf 文件：请指明一个"],
  [/^running text through a model needs the transformers library$/, "让文本通过模型需要 transformers 库"],
  [/^the model (\S+) cannot be loaded$/, "无法载入模型 $1"],
  [/^the text is longer than the model reads$/, "文本超过了模型能读取的长度"],
  [/^there must be a text$/, "必须给出文本"],
  [/^this model came without a tokenizer$/, "该模型没有附带分词器"],
  [/^model is one that the server allows$/, "model 必须是服务器允许的模型"],
  [/^the model (.+) cannot be run$/, "无法运行模型 $1"],
  [/^the model (.+) cannot be loaded; the server's log says why$/, "无法载入模型 $1；原因见服务器日志"],
  [/^texts: over the limit (\S+)$/, "文本数超过上限 $1"],
  [/^characters of all texts: over the limit (\S+)$/, "所有文本的字符总数超过上限 $1"],
  [/^tokens of all texts, padded: over the limit (\S+)$/, "所有文本填充后的词元总数超过上限 $1"],
  [/^the run is over the limit (\S+)$/, "这次运行超过上限 $1"],
  [/^a captured run's (\S+) says which calls its tensors are, but its header is not JSON$/, "捕获的运行在 $1 中说明各次调用，但这里不是 JSON"],
  [/^a captured run's (\S+) says which calls its tensors are, but its header is no list of calls$/, "捕获的运行在 $1 中说明各次调用，但这里不是调用的列表"],
  [/^a captured run's (\S+) says which calls its tensors are, but call (\d+) is not described$/, "捕获的运行在 $1 中说明各次调用，但没有说明第 $2 次调用"],
  [/^a captured run's (\S+) says which calls its tensors are, but call (\d+) has (\S+) of another type$/, "捕获的运行在 $1 中说明各次调用，但第 $2 次调用的 $3 类型不对"],
  [/^a captured run's (\S+) says which calls its tensors are, but call (\d+) has a mask of no known convention$/, "捕获的运行在 $1 中说明各次调用，但第 $2 次调用的掩码约定未知"],
  [/^a captured run's (\S+) says which calls its tensors are, but call (\d+) lacks tensors$/, "捕获的运行在 $1 中说明各次调用，但缺少第 $2 次调用的张量"],
  [/^a captured run's (\S+) says which calls its tensors are, but (\S+) holds no heads$/, "捕获的运行在 $1 中说明各次调用，但 $2 中不是各个头"],
];

/** @type {Patterns} */
export const MODEL_EXPECTATIONS = [
  [/^none is allowed\..*$/, "管理员没有允许任何模型（见设置 ATTENTION_MODELS）"],
  [/^at most (\d+) tokens$/, "最多 $1 个词元"],
  [/^token ids, or a tokenizer$/, "词元编号，或一个分词器"],
  [/^padded q, k and v with a mask$/, "填充过的 q、k、v 和掩码"],
  [/^four axes of (.+)$/, "四个轴，类型为 $1"],
];

/** @type {Patterns} */
export const MODEL_GIVEN = [...REASONS, [/^(\d+) axes of (\S+)$/, "$1 个轴，类型为 $2"], [/^(-?\d+) to (-?\d+)$/, "$1 到 $2"], [/^none$/, "一层也没有"]];
