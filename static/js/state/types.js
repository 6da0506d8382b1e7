/**
 * What the page remembers. Everything typed is kept as text, exactly as typed:
 * an unfinished number is state too, and must survive a toggle or a reload.
 *
 * @typedef {{label: string, cells: string[]}} Row one token: its label ("" for the default) and its numbers
 * @typedef {Row[]} Block
 * @typedef {{tokens: Block, memory: Block}} Sequence
 * @typedef {string[][][]} HeadCells [head][token][dimension]
 * @typedef {{queries: string[], keys: string[], q: HeadCells, k: HeadCells, v: HeadCells}} GivenItem
 *
 * @typedef {object} Input
 * @property {"vectors" | "heads"} kind token vectors to project, or q, k and v themselves
 * @property {boolean} cross
 * @property {Sequence[]} sequences
 * @property {"right" | "left"} pad_side where shorter sequences are filled up
 * @property {string} pad_label
 * @property {GivenItem[]} given
 *
 * @typedef {object} Heads
 * @property {string} num_heads
 * @property {string} num_kv_heads
 * @property {string} head_dim "" for E / H
 * @property {string} value_dim "" for head_dim
 *
 * @typedef {object} Masks
 * @property {{on: boolean, alignment: "default" | "top_left" | "bottom_right" | "offset", offset: string}} causal
 * @property {{on: boolean, mode: "auto" | "lengths" | "keep", lengths: string[], keep: boolean[][]}} padding
 * @property {{on: boolean, left: string, right: string, offset: string}} window
 * @property {{on: boolean, length: string, offset: string}} prefix
 * @property {{on: boolean, ids: string[][]}} documents
 * @property {{on: boolean, allowed: boolean[][]}} drawn
 *
 * @typedef {object} Settings
 * @property {{mode: "default" | "one" | "number", value: string}} scale
 * @property {string} softcap
 * @property {{mode: "-Infinity" | "-1e9" | "-1e4" | "custom", value: string}} fill
 * @property {"before_softmax" | "after_softmax"} mask_order
 * @property {"zero" | "nan" | "uniform"} fully_masked
 * @property {{kind: "random" | "identity", seed: string, bias: boolean}} projection
 * @property {{on: boolean, style: "half" | "interleaved", base: string}} rope
 * @property {{on: boolean, eps: string}} qk_norm
 * @property {{on: boolean}} alibi
 * @property {{on: boolean, values: string}} sinks
 * @property {{on: boolean, p: string, seed: string}} dropout
 * @property {"float32" | "float64" | "float16" | "bfloat16"} dtype
 *
 * @typedef {Record<string, any>} Specification the JSON body of the API
 *
 * @typedef {object} Document
 * @property {Input} input
 * @property {Heads} heads
 * @property {Masks} masks
 * @property {Settings} settings
 * @property {Specification} also fields the page has no control for, passed on as they came
 * @property {Upload[]} uploads files on the server that were brought to this page
 *
 * @typedef {object} Upload what is kept of a file, so that it can be asked for again
 * @property {string} id the SHA-256 of its content
 * @property {string} name
 * @property {number} size in bytes
 * @property {string[]} beside names of the files that came with it: config.json, or the shards of an index
 * @property {Record<string, string>} options how a text table is read, where it was said
 * @property {Record<string, number[]>} shapes of the tensors that are used
 * @property {Run} [run] what it came from, where no file was brought
 *
 * @typedef {object} Run text that goes through a model of the server
 * @property {string} model
 * @property {string[]} text
 * @property {any[] | null} layers as typed, their numbers; null for all
 *
 * @typedef {object} View
 * @property {number} batch
 * @property {number} head
 * @property {string} stage the stage on show: a tensor's name
 * @property {"fixed" | "row" | "log"} weightScale
 * @property {typeof import("./palettes.js").PALETTES[number]} palette
 * @property {"head" | "entropy" | "mean_distance" | "first_key_weight" | "largest_weight"} sortHeads
 * @property {boolean} descending
 * @property {string} from least value of the statistic that a head needs to be shown; "" for any
 * @property {string} to largest one
 * @property {boolean} average whether the average of the heads is a tile of its own
 * @property {boolean} showMasked
 * @property {"system" | "light" | "dark"} theme
 * @property {"" | "en" | "zh"} language "" follows the browser
 * @property {string} example the example on show, "" once it was changed
 * @property {boolean} setup whether the controls are on show
 * @property {"" | "file" | "text" | "random"} source what the input is brought by, "" for typing
 * @property {string} model the server's model that text goes into, "" for the first
 * @property {string} text one a line
 * @property {string} layers numbers of those that are kept, "" for all
 * @property {number} gridHead
 * @property {string} tab the tab below the pictures
 * @property {string} checked the tensor whose check is pictured
 * @property {string[]} folds ids of the parts that are folded open
 * @property {import("./length.js").Window | null} window of a long run that is on show; null for everything
 * @property {"max" | "mean"} reduce how cells of a long run's pictures are pooled
 * @property {"log" | "row" | "fixed"} lengthScale of a long run's weights
 * @property {Generator} generator
 * @property {boolean} whole whether every cell is shown at once where the server answers so many
 * @property {boolean} help whether every control says its convention
 *
 * @typedef {object} Generator numbers from a seed that are wished for, as typed
 * @property {string} tokens
 * @property {string} width
 * @property {string} heads
 * @property {"normal" | "waves"} kind
 * @property {string} seed
 * @property {"x" | "heads"} into token vectors, or q, k and v
 *
 * @typedef {object} Compare what the page's run is compared with
 * @property {"" | "mask_off" | "mask_after_softmax" | "scale_off" | "other_alignment" | "kv_heads" | "own_b" | "pinned_a"} mode
 * @property {string} num_kv_heads of the merged heads
 * @property {string} text the specification of B ("own_b") or of A ("pinned_a")
 * @property {string} stage
 *
 * @typedef {object} OwnNumbers what the page's run is checked against, all as typed
 * @property {{q: string, k: string, v: string, scores: string, weights: string, heads: string, output: string}} given numbers by tensor, "" for none
 * @property {string} rtol "" for the server's default
 * @property {string} atol
 *
 * @typedef {object} Tools settings of the tabs that look at the run and change nothing
 * @property {{prefill: string, chunk: string, frame: number, top_left: boolean}} decode frame: how many of its steps were taken
 * @property {{longest: string, layers: string, batch: string, length: string, dtype: "run" | "float32" | "float16" | "bfloat16"}} costs
 * @property {{style: "explicit" | "sdpa" | "multihead_attention" | "numpy"}} code
 * @property {{step: string}} lesson "" while no step of it is on show
 * @property {{dtype: "float32" | "float64" | "float16" | "bfloat16", show: string, stage: string}} stability show: the trial that is pictured
 * @property {{subject: "array" | "causal" | "window", mask: string, window: string, show: string, stage: string}} readings mask: "" or the number of one; window: "" for the run's own
 *
 * @typedef {object} LinkNotice what could not be read of a link or a file
 * @property {"" | "foreign" | "version" | "lost" | "cut" | "damaged" | "file"} fault
 * @property {string} [fragment] what a foreign address ends in
 * @property {string[]} unread dotted paths
 *
 * @typedef {{query: number, key: number, dim?: number}} Cell where the one cursor stands; a picture moves the axes it has
 * @typedef {{loc: (string | number)[], message: string, expected?: unknown, got?: unknown}} FieldError
 * @typedef {{title: string, detail: string, status: number, errors: FieldError[]}} Problem
 * @typedef {{name: string, title: string, description: string, spec: Specification, view: {batch: number}}} Example
 */
export {};
