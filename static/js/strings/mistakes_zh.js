/** 典型的错误：名称，以及给犯错者的说明。代码、名称和数值原样保留。 */

/** @type {Record<string, {title: string, explanation: string}>} */
export const MISTAKES_ZH = {
  batch_axis_swapped: {
    title: "批次轴与词元轴对调",
    explanation: "批次轴被当成了词元轴：每个词元关注的是其他序列中同一位置的词元。nn.MultiheadAttention 和 nn.Transformer 读取 [T][B][E]，除非以 batch_first=True 创建。",
  },
  weight_transposed: {
    title: "权重矩阵转置",
    explanation: "某个投影的权重矩阵被转置使用。torch.nn.Linear 保存 [out][in]，计算 x @ W.T；GPT-2 的 Conv1D、JAX 和 Keras 保存 [in][out]，计算 x @ W；方阵两种都能用。若权重来自另一种，请给出它的 .T。",
  },
  fused_order: {
    title: "合并权重的次序不对",
    explanation: "q、k、v 的各行按另一种次序读取，与保存时不同。合并的权重在 nn.MultiheadAttention 和 GPT-2 中是 q、k、v 三块，在 GPT-NeoX 和 BLOOM 中按头排列 q k v，在 Falcon 中按组排列。请照模型的方式拆分：三块用 w.chunk(3)，按头用 w.view(H, 3, D, E).unbind(1)。",
  },
  heads_split_without_transpose: {
    title: "拆分头时没有转置",
    explanation: "各头由 x.view(B, H, T, D) 切出，这会把词元和头混在一起：同一词元的数是相邻存放的。应先拆最后一个轴：x.view(B, T, H, D).transpose(1, 2)。",
  },
  kv_heads_tiled: {
    title: "键值头平铺",
    explanation: "查询头 h 读取了键值头 h % K；应读取 h // (H // K)，使同组的查询头相邻。请用 k.repeat_interleave(H // K, dim=1)，而不是 k.repeat(...)，或在 scaled_dot_product_attention 中用 enable_gqa=True。",
  },
  rope_style: {
    title: "旋转的配对方式不对",
    explanation: "旋转把每个头中另外的分量配成了对。GPT-J 和 Meta 的 Llama 权重配对相邻分量（interleaved）；GPT-NeoX 和 Hugging Face 的 Llama 把分量 i 与 i + D/2 配对（half），并在转换时重排 q 和 k 的权重。",
  },
  rope_offset: {
    title: "旋转的起始位置不对",
    explanation: "旋转从错误的位置开始计数。有 KV 缓存时，新词元从缓存长度接着数：传入 position_ids = past_len + arange(T)；左侧填充时，只数真实的词元。",
  },
  rope_missing: {
    title: "没有旋转",
    explanation: "q 和 k 根本没有旋转。请在投影之后、点积之前对两者应用旋转位置编码。",
  },
  qk_norm_missing: {
    title: "没有对 q 和 k 归一化",
    explanation: "漏掉了 q 和 k 的 RMS 归一化。应在投影之后、旋转之前应用。",
  },
  scale_missing: {
    title: "没有缩放",
    explanation: "分数没有用该层的缩放。请把 q·k 除以 sqrt(head_dim)，或把该层自己的缩放传给 scaled_dot_product_attention(scale=…)，否则它取 1/sqrt(D)；T5 没有缩放。",
  },
  scale_model_width: {
    title: "按模型维度缩放",
    explanation: "分数除以了模型维度的平方根。缩放应为 1/sqrt(head_dim)：一个头的维度，即拆分之后的 q.shape[-1]。",
  },
  scale_value_width: {
    title: "按值的维度缩放",
    explanation: "分数除以了值的维度的平方根。缩放取决于 q 和 k 的维度：q.shape[-1]，而不是 v.shape[-1]。",
  },
  scale_twice: {
    title: "缩放了两次",
    explanation: "分数缩放了两次。scaled_dot_product_attention 自己会缩放；已经缩放过的 q 需要 scale=1.0。",
  },
  softcap_order: {
    title: "软上限的次序不对",
    explanation: "软上限用在了别处。Gemma 2 先对缩放后的分数用软上限，再加偏置和掩码：先算 c * tanh(q @ k.mT * scale / c)；对掩盖后的分数用软上限会把 −Infinity 变成 −c，使其重新可见。",
  },
  softcap_missing: {
    title: "没有软上限",
    explanation: "漏掉了软上限。scaled_dot_product_attention 没有软上限：请使用会限制分数的 eager 或 flex attention。",
  },
  bias_missing: {
    title: "缺少偏置",
    explanation: "漏掉了分数上的偏置。请把它作为浮点的 attn_mask 传给 scaled_dot_product_attention，被掩盖处为 −Infinity。",
  },
  bias_scaled: {
    title: "偏置与缩放的次序不对",
    explanation: "偏置与缩放的先后次序不同。Falcon 把 q·k 和 ALiBi 偏置一起缩放；BLOOM 和论文在缩放之后才加偏置。",
  },
  causal_alignment: {
    title: "因果掩码对齐不对",
    explanation: "因果掩码错位了。查询少于键时，is_causal=True 对齐左上角，因此第一个查询只看得到键 0；带缓存解码需要对齐右下角：torch.ones(T, S).tril(S - T)，或 causal_lower_right(T, S)。torch.triu(ones, diagonal=1) 是要掩盖的部分：用 diagonal=0 会把查询自身也掩盖掉。",
  },
  window_off_by_one: {
    title: "窗口差一",
    explanation: "滑动窗口多了或少了一个键。W 个键的窗口包括查询自身，所以向左延伸 W − 1 个；flash-attention 的 window_size 数的是查询旁边的键。",
  },
  mask_missing: {
    title: "缺少掩码",
    explanation: "有掩码没有起作用。请把它传给每一层；有些调用在给出 attn_mask 时会丢掉 is_causal，而 eager 的代码不会自己建立因果掩码。",
  },
  mask_wrong_axis: {
    title: "掩码的轴不对",
    explanation: "掩码放在了错误的轴上。填充隐藏的是键，即分数的最后一个轴：keep[:, None, None, :]，而不是 keep[:, None, :, None]；矩阵是 [查询][键]；批次中每项一个的掩码需要为头留一个轴：mask[:, None]。",
  },
  mask_inverted: {
    title: "掩码反了",
    explanation: "布尔掩码被反过来理解。True 在 scaled_dot_product_attention 中表示可读，在 nn.MultiheadAttention（attn_mask 和 key_padding_mask）中表示不可读；分词器的 attention_mask 以 1 表示真实词元。请传入 ~mask。",
  },
  mask_added_as_01: {
    title: "把 0/1 掩码加到分数上",
    explanation: "由 0 和 1 组成的掩码被加到分数上，什么也挡不住。浮点掩码是相加的：需要 0 和 −Infinity。请传入 mask.bool()，或 torch.where(mask, 0.0, -inf)。",
  },
  fill_too_small: {
    title: "掩码填充值不够低",
    explanation: "被掩盖的分数不够低：仍然得到权重，或者看不到任何键的行变成均匀分布。请用 masked_fill(~mask, float('-inf')) 或 torch.finfo(dtype).min；−1e-9 是 −1e9 的笔误。",
  },
  mask_after_softmax: {
    title: "softmax 之后才做掩码",
    explanation: "权重在 softmax 之后才乘以掩码，因此各行之和不再是 1。应掩盖分数：scores.masked_fill(~mask, float('-inf')).softmax(-1)。",
  },
  fully_masked_rows: {
    title: "看不到任何键的行",
    explanation: "只有看不到任何键的行不同。scaled_dot_product_attention 和 ONNX 给出 0，普通公式和 nn.MultiheadAttention 给出 NaN，有限的填充值（JAX、Hugging Face）给出所有键的平均。请用 fully_masked 说明是哪一种，或自行把这些行清零。",
  },
  sinks_missing: {
    title: "缺少注意力汇",
    explanation: "漏掉了注意力汇，因此每行之和为 1。每个头学到的 logit 是 softmax 中多出的一列，之后丢弃；重新归一化会失去它。",
  },
  softmax_wrong_axis: {
    title: "softmax 的轴不对",
    explanation: "softmax 沿另一个轴计算：每个头的各行（对键）之和才应为 1。请用 softmax(dim=-1)。",
  },
  dropout_on: {
    title: "没有关闭 dropout",
    explanation: "dropout 仍然开启：有些权重为 0，其余的放大到 1/(1 − p) 倍。请调用 model.eval()；scaled_dot_product_attention 没有自己的 eval，请传入 dropout_p=self.p if self.training else 0.0。",
  },
  dropout_missing: {
    title: "没有 dropout",
    explanation: "规格中有 dropout，但没有作用于权重。",
  },
  heads_averaged: {
    title: "对头取了平均",
    explanation: "权重是各头的平均。nn.MultiheadAttention 默认返回平均值，除非调用时用 average_attn_weights=False；任何一个头都不必与它相像。",
  },
  heads_merged_without_transpose: {
    title: "合并头时没有转置",
    explanation: "各头的结果 [B][H][T][D] 照存放次序直接展平，每一行里就混入了其他词元的数。应先把头放到维度旁边：out.transpose(1, 2).reshape(B, T, H*D)。",
  },
};

/** 犯错的具体方式，一处一处替换。 @type {[RegExp, string][]} */
export const DETAILS = [
  [/^all masks$/, "所有掩码"],
  [/^all masks but masks\[(\d+)\] \((\S+)\)$/, "除 masks[$1]（$2）外的所有掩码"],
  [/^each mask$/, "每个掩码"],
  [/^the masks together$/, "合在一起的掩码"],
  [/^all$/, "全部"],
  [/, queries and keys are swapped$/, "，查询和键对调"],
  [/, batch items and heads are swapped$/, "，批次和头对调"],
  [/\((causal|padding|window|prefix|documents|matrix)\)/, "（$1）"],
  [/^masked scores are set to (\S+)$/, "被掩盖的分数设成了 $1"],
  [/^−10000 is added to masked scores$/, "被掩盖的分数加上了 −10000"],
  [/^query head 1 reads KV head 1, and must read (\d+)$/, "查询头 1 读取了键值头 1，应读取 $1"],
  [/, the tables as they are$/, "，表保持原样"],
  [/, and the tables with it$/, "，表也随之改变"],
  [/^the first new token is at position (\d+), and was taken for 0$/, "第一个新词元在位置 $1，却被当成 0"],
  [/^the given positions are not used$/, "没有使用给出的位置"],
  [/^(\S+) instead of ([^,，]+)/, "用了 $1，应为 $2"],
  [/^(\S+) is missing$/, "缺少 $1"],
  [/^(1\/sqrt\(\d+\)), for (\S+)$/, "用了 $1，应为 $2"],
  [/^before the scale$/, "在缩放之前"],
  [/^after the biases$/, "在偏置之后"],
  [/^after the masks$/, "在掩码之后"],
  [/^added before the scale$/, "在缩放之前相加"],
  [/^divided by it$/, "除以了缩放"],
  [/^over the queries, dim=-2$/, "沿查询计算，dim=-2"],
  [/^over the heads, dim=1$/, "沿头计算，dim=1"],
  [/^query 0 stands at key (-?\d+)$/, "查询 0 对应键 $1"],
  [/^the query's own key is masked$/, "查询自身的键被掩盖"],
  [/^the next key is visible$/, "下一个键可见"],
  [/^(left|right) = (\d+), for (\d+)$/, "$1 = $2，应为 $3"],
  [/^k and v are swapped$/, "k 和 v 对调"],
  [/^q and k are swapped$/, "q 和 k 对调"],
  [/^k and v lie head by head, and were read as blocks$/, "k 和 v 按头排列，却按块读取"],
  [/^k and v are blocks, and were read head by head$/, "k 和 v 是块，却按头读取"],
  [/^q, k and v lie group by group, and were read as blocks$/, "q、k、v 按组排列，却按块读取"],
  [/^q, k and v are blocks, and were read group by group$/, "q、k、v 是块，却按组读取"],
  [/^the rows are CodeGen's four blocks of q, v, k, read as blocks$/, "各行是 CodeGen 的四块 q、v、k，却按块读取"],
  [/^the rows are CodeGen's four blocks of q, v, k, read per head$/, "各行是 CodeGen 的四块 q、v、k，却按头读取"],
];
