/** 服务器自带的示例。 */

/** @type {Record<string, {title: string, description: string}>} */
export const EXAMPLES_ZH = {
  hand_worked: {
    title: "手算：3 个词元，一个头，维度为 2",
    description: "小到可以用纸笔验算。第 3 行的分数是 0.70711、0.70711、1.41421，权重是 0.24826、0.24826、0.50349，所以输出是 0.75174、1.00000；先把权重舍入的教科书会印成 0.751 和 0.999。",
  },
  causal_4: {
    title: "因果：4 个词元，2 个头",
    description: "没有词元能看到后面的词元：在 softmax 之前，上三角被掩盖。",
  },
  padded_batch: {
    title: "带填充的批次：长度 5 和 3",
    description: "一个批次中有两个序列；较短的在右侧填充，填充掩码使填充部分对所有查询不可见。",
  },
  left_padding_causal: {
    title: "左填充 + 因果：什么也看不到的行",
    description: "填充在左侧时，短序列最前面的查询看不到任何键。它们的权重在这里为 0，按公式直接计算为 NaN，在 JAX 和 Hugging Face 中为均匀分布：可在“看不到任何键的行”中选择。",
  },
  gqa_8_2: {
    title: "GQA：8 个查询头共用 2 个键值头，维度 512",
    description: "每四个查询头读取一个键值头：头 0 到 3 共用一组键和值，头 4 到 7 共用另一组。缓存只需 8 个键值头时的四分之一。",
  },
  mqa: {
    title: "MQA：4 个查询头共用一个键值头",
    description: "每个查询头都以自己的方式查询同一组键和值。",
  },
  cross_3x5: {
    title: "交叉注意力：3 个查询，5 个键",
    description: "查询来自 x，键和值来自 memory：矩阵为 3 × 5，每行之和仍为 1。",
  },
  saturation: {
    title: "softmax 饱和：方向相同，长度可达 20 倍",
    description: "长度为两倍、五倍和二十倍的查询所问相同，但分数的差距拉大：权重越来越集中到一个键上。这里的缩放为 1，分数就是点积本身；除以 sqrt(D) 可以避免维度带来同样的效果。",
  },
};
