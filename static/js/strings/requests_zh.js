/** 服务器关于请求本身、引用和视图的句子，写法见 server_zh.js。 */

/** @typedef {import("./server_zh.js").Patterns} Patterns */

/** @type {Patterns} */
export const REQUEST_RULES = [
  [/^make names a mistake that changes these numbers$/, "make 是能改变这些数的一种错误"],
  [/^reduce says how a cell is pooled$/, "reduce 说明一个单元格如何汇总"],
  [/^stage is a tensor of the answer$/, "stage 是结果中的一个张量"],
  [/^show names a (.+) of the answer$/, "show 必须是结果中有的一项（$1）"],
  [/^config is the id of an uploaded config\.json$/, "config 是已上传的 config.json 的标识"],
  [/^a tensor of an upload has upload and name$/, "上传文件中的张量写作 upload 和 name"],
  [/^uploads cannot be referred to here$/, "这里不能引用上传的文件"],
  [/^(\S+) cannot be shared among (.+)$/, "$1 不能平均分给 $2"],
];

/** @type {Patterns} */
export const REQUEST_EXPECTATIONS = [
  [/^such as (.+)$/, "例如 $1"],
  [/^whole numbers from 1, such as (.+)$/, "从 1 起的整数，例如 $1"],
  [/^at most (\S+) in size, or the string "Infinity"$/, "绝对值最多 $1，或字符串 \"Infinity\""],
  [/^max or mean$/, "max 或 mean"],
  [/^(.+) \(dropped_weights with dropout\)$/, "$1（有 dropout 时才有 dropped_weights）"],
  [/^an upload that is one, or came with one$/, "本身是它、或带有它的上传"],
  [/^nothing: none changes them$/, "没有：没有一种能改变它们"],
  [/^a folder with config\.json and weights, a \.gguf file, or a model of the hub$/, "带有 config.json 和权重的文件夹、.gguf 文件，或 hub 上的模型"],
];

/** @type {Patterns} */
export const REQUEST_GIVEN = [
  [/^an upload without a config\.json$/, "没有 config.json 的上传"],
  [/^a larger number$/, "更大的数"],
  [/^an empty list$/, "空列表"],
  [/^(.+) missing or unknown$/, "$1 缺失或未知"],
  [/^(.+) unknown$/, "未知的 $1"],
];

/** @type {Patterns} */
export const REQUEST_SENTENCES = [
  [/^(\S+) is a position bias that the model adds to the scores; it is not taken by itself: give it as a matrix in biases$/, "$1 是模型加到分数上的位置偏置；它不会自动采用：请在 biases 中以矩阵给出"],
  [/^(\S+) of the model's first layer is a position bias that the model adds to the scores; it is not taken by itself: give it as a matrix in biases$/, "模型第一层的 $1 是加到分数上的位置偏置；它不会自动采用：请在 biases 中以矩阵给出"],
  [/^the model adds ALiBi to the scores; it is not taken by itself: add it to biases$/, "模型在分数上加 ALiBi；它不会自动采用：请加入 biases"],
  [/^no config\.json came with the weights, so q and k are not rotated; say rope if the model does$/, "权重没有附带 config.json，因此 q 和 k 未旋转；如果模型会旋转，请给出 rope"],
  [/^how the model rotates q and k is not known from its file: say rope$/, "从文件中看不出模型如何旋转 q 和 k：请给出 rope"],
  [/^the model does what no specification says: (.+)$/, "模型做了规格无法表达的事：$1"],
  [/^no config\.json came with the weights: the q- and k-norm weights are taken as they are, with eps 1e-6, though some models \(Gemma 3\) store them less 1$/, "权重没有附带 config.json：q 和 k 归一化的权重按原样采用，eps 为 1e-6；但有些模型（Gemma 3）存放的是减 1 之后的值"],
  [/^tensors of the module that were not read: (.+)$/, "该模块中没有读取的张量：$1"],
  [/^JSON has no bare (\S+): expected the string (".+") in its place, got \S+$/, "JSON 中不能直接写 $1：应写成字符串 $2"],
  [/^the body is JSON: expected application\/json, got (.*)$/, "请求的内容应为 JSON：期望 application/json，实际 $1"],
  [/^a body is sent as it is: expected no content-encoding, got (.*)$/, "请求的内容不应压缩：期望没有 content-encoding，实际 $1"],
  [/^the body ended before its announced length$/, "请求的内容在声明的长度之前就结束了"],
  [/^the body is not UTF-8: byte (\d+) cannot be read$/, "请求的内容不是 UTF-8：第 $1 字节无法读取"],
  [/^the body is nested too deeply to be read$/, "请求的内容嵌套过深，无法读取"],
  [/^the body holds an integer of too many digits to read$/, "请求的内容中有位数过多的整数，无法读取"],
  [/^the body holds half of a surrogate pair, which is no text$/, "请求的内容中有半个代理对，不是文本"],
  [/^an error of ours; it has been logged$/, "服务器内部错误；已记入日志"],
  [/^the form cannot be read: (.+)$/, "表单无法读取：$1"],
  [/^the store of uploads cannot be reached \((.+)\); the setting ATTENTION_UPLOAD_STORE says where it is$/, "无法访问共享的上传存储（$1）；设置 ATTENTION_UPLOAD_STORE 指定其位置"],
  [/^uploads cannot be stored: (.+); the setting ATTENTION_UPLOAD_DIR says where they go$/, "上传的文件无法保存：$1；设置 ATTENTION_UPLOAD_DIR 指定保存位置"],
  [/^(.+), '(.+)': rows of this type are made of blocks: expected a width that (\d+) divides(?:, got .+)?$/, "$1，'$2'：这种类型的行由若干块组成：期望 能被 $3 整除的维度"],
];
