"""One mistake a line for every field: its name, the body, the place and what must be named."""

from typing import Any

X = [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]]
HEADS = {"q": [[1, 2]], "k": [[1, 2], [3, 4], [5, 6]], "v": [[1], [2], [3]]}
GIVEN = {"kind": "given", "w_q": [[1, 0]], "w_k": [[1, 0]], "w_v": [[1, 0]]}
TYPED = {"dtype": "f4", "bdata": "AACAPwAAAEA=", "shape": "1,2"}


def masked(mask: Any) -> dict[str, Any]:
    return {"x": X, "masks": [{"kind": "causal"}, mask]}


def matrix(values: Any, convention: Any = "allowed") -> dict[str, Any]:
    return masked({"kind": "matrix", "values": values, "convention": convention})


Case = tuple[str, dict[str, Any], list[Any], list[str]]
SOURCES: list[Case] = [
    ("nothing at all", {}, ["x"], ["x", "q"]),
    ("x and q", {"x": X, **HEADS}, ["q"], ["x", "q"]),
    ("q without k and v", {"q": [[1]]}, ["k"], ["k"]),
    ("q and k without v", {"q": [[1]], "k": [[1]]}, ["v"], ["v"]),
    ("memory beside heads", {**HEADS, "memory": [[1]]}, ["memory"], []),
    (
        "a projection beside heads",
        {**HEADS, "projection": {"kind": "identity"}},
        ["projection"],
        [],
    ),
    ("memory of another batch", {"x": X, "memory": [[[1]], [[2]]]}, ["memory"], ["1", "2"]),
    ("past_k alone", {**HEADS, "past_k": [[1, 2]]}, ["past_v"], []),
    ("past_v alone", {**HEADS, "past_v": [[1]]}, ["past_k"], []),
    (
        "a cache of other widths",
        {**HEADS, "past_k": [[1, 2, 3]], "past_v": [[1]]},
        ["past_k"],
        ["2", "3"],
    ),
    (
        "a cache of two lengths",
        {**HEADS, "past_k": [[1, 2], [3, 4]], "past_v": [[1]]},
        ["past_v"],
        ["2", "1"],
    ),
]
TENSORS: list[Case] = [
    ("ragged rows", {"x": [[1, 2, 3], [1, 2]]}, ["x", 1], ["3", "2"]),
    ("ragged items", {"x": [[[1], [2]], [[1]]]}, ["x", 1], ["2", "1"]),
    ("a number among rows", {"x": [[1, 2], 3]}, ["x"], []),
    ("text", {"x": [[1, 2], [3, "4"]]}, ["x", 1, 1], ["'4'"]),
    ("a boolean", {"x": [[1, True]]}, ["x", 0, 1], ["true"]),
    ("null", {"x": [[1, None]]}, ["x", 0, 1], ["null"]),
    ("an object", {"x": [[1, {}]]}, ["x", 0, 1], []),
    ("a nan of another spelling", {"x": [[1, "nan"]]}, ["x", 0, 1], ["nan"]),
    ("not an array", {"x": "1 2 3"}, ["x"], []),
    ("a bare number", {"x": 7}, ["x"], []),
    ("no tokens", {"x": []}, ["x"], ["empty"]),
    ("no batch items", {"q": [[[]]], "k": [[1]], "v": [[1]]}, ["q"], ["empty"]),
    ("no width", {"x": [[], []]}, ["x"], ["empty"]),
    ("one axis", {"x": [1, 2]}, ["x"], ["[T][E]"]),
    ("four axes", {"x": [[[[1]]]]}, ["x"], ["[T][E]"]),
    ("five axes of heads", {**HEADS, "q": [[[[[1, 2]]]]]}, ["q"], []),
    ("an integer no float holds", {"x": [[10**400]]}, ["x", 0, 0], []),
    ("bytes that do not fill the shape", {"x": {**TYPED, "shape": "2,2"}}, ["x"], ["16", "8"]),
    ("no base64", {"x": {**TYPED, "bdata": "*"}}, ["x", "bdata"], ["base64"]),
    ("a dtype nobody knows", {"x": {**TYPED, "dtype": "f3"}}, ["x", "dtype"], ["f3", "f4"]),
    ("a shape of words", {"x": {**TYPED, "shape": "one,two"}}, ["x", "shape"], []),
    ("a negative length", {"x": {**TYPED, "shape": "-1,2"}}, ["x", "shape"], []),
    ("a typed array without a shape", {"x": {"dtype": "f4", "bdata": ""}}, ["x"], ["shape"]),
    ("a typed array with more", {"x": {**TYPED, "order": "C"}}, ["x"], ["order"]),
]
HEAD_COUNTS: list[Case] = [
    (
        "heads that do not divide the width",
        {"x": X, "num_heads": 4},
        ["num_heads"],
        ["6", "4", "1, 2, 3, 6"],
    ),
    (
        "query heads that are no multiple",
        {"x": X, "num_heads": 6, "num_kv_heads": 4},
        ["num_kv_heads"],
        ["6", "4", "1, 2, 3, 6"],
    ),
    (
        "more kv heads than query heads",
        {"x": X, "num_heads": 2, "num_kv_heads": 3},
        ["num_kv_heads"],
        ["2", "3"],
    ),
    (
        "three query heads on two",
        {"q": [[[1]]] * 3, "k": [[[1]]] * 2, "v": [[[1]]] * 2},
        ["num_kv_heads"],
        ["3", "2"],
    ),
    ("a count that is not the heads", {**HEADS, "num_heads": 2}, ["num_heads"], ["1", "2"]),
    ("a width that is not the heads'", {**HEADS, "head_dim": 3}, ["head_dim"], ["2", "3"]),
    ("no heads", {"x": X, "num_heads": 0}, ["num_heads"], ["0"]),
    ("minus one head", {"x": X, "num_kv_heads": -1}, ["num_kv_heads"], ["-1"]),
    ("half a head", {"x": X, "num_heads": 1.5}, ["num_heads"], ["1.5"]),
    ("heads in words", {"x": X, "num_heads": "2"}, ["num_heads"], ["2"]),
    ("heads that are true", {"x": X, "num_heads": True}, ["num_heads"], ["true"]),
    ("a head of no width", {"x": X, "head_dim": 0}, ["head_dim"], ["0"]),
    ("a value of no width", {"x": X, "value_dim": 0}, ["value_dim"], ["0"]),
    ("k of another width", {**HEADS, "k": [[1]] * 3}, ["k"], ["2", "1"]),
    ("v of another length", {**HEADS, "v": [[1]] * 2}, ["v"], ["3", "2"]),
    ("k of another batch", {**HEADS, "k": [[[[1, 2]] * 3]] * 2}, ["k"], ["1", "2"]),
]
PARTS: list[Case] = [
    ("an unknown projection", {"x": X, "projection": {"kind": "rnd"}}, ["projection", "kind"], []),
    ("a projection that is text", {"x": X, "projection": "random"}, ["projection"], []),
    (
        "a seed that is text",
        {"x": X, "projection": {"kind": "random", "seed": "a"}},
        ["projection", "seed"],
        [],
    ),
    (
        "a negative seed",
        {"x": X, "projection": {"kind": "random", "seed": -1}},
        ["projection", "seed"],
        [],
    ),
    (
        "weights of another width",
        {"x": X, "projection": GIVEN},
        ["projection", "w_q"],
        ["[6][6]", "[1][2]"],
    ),
    (
        "weights left out",
        {"x": X, "projection": {"kind": "given", "w_q": X}},
        ["projection"],
        ["w_k"],
    ),
    (
        "a bias of another length",
        {"x": [[1, 2]], "head_dim": 1, "projection": {**GIVEN, "b_q": [1, 2, 3]}},
        ["projection", "b_q"],
        ["1", "3"],
    ),
    ("a negative eps", {"x": X, "qk_norm": {"eps": -1}}, ["qk_norm", "eps"], []),
    (
        "a norm weight of no width",
        {"x": X, "num_heads": 2, "qk_norm": {"q_weight": [1, 1]}},
        ["qk_norm", "q_weight"],
        ["3", "6", "2"],
    ),
    (
        "an odd rotary width",
        {"x": X, "num_heads": 2, "rope": {"style": "half"}},
        ["rope"],
        ["3", "even"],
    ),
    (
        "an odd rotary dim",
        {"x": X, "rope": {"style": "half", "dim": 3}},
        ["rope", "dim"],
        ["3", "even"],
    ),
    (
        "a rotary dim beyond the head",
        {"x": X, "rope": {"style": "half", "dim": 8}},
        ["rope", "dim"],
        ["6", "8"],
    ),
    ("no rotary style", {"x": X, "rope": {}}, ["rope", "style"], ["style"]),
    (
        "an unknown rotary style",
        {"x": X, "rope": {"style": "neox"}},
        ["rope", "style"],
        ["half", "interleaved"],
    ),
    ("a base of zero", {"x": X, "rope": {"style": "half", "base": 0}}, ["rope", "base"], ["0"]),
    (
        "too few positions",
        {"x": X, "rope": {"style": "half", "positions": [0]}},
        ["rope", "positions"],
        ["2", "1"],
    ),
    (
        "positions between tokens",
        {"x": X, "rope": {"style": "half", "positions": [0, 0.5]}},
        ["rope", "positions", 1],
        ["0.5"],
    ),
    (
        "cos without sin",
        {"x": X, "rope": {"style": "half", "cos": [[1, 1]] * 2}},
        ["rope", "sin"],
        [],
    ),
    (
        "tables of other lengths",
        {"x": X, "rope": {"style": "half", "cos": [[1, 1]], "sin": [[1, 1]]}},
        ["rope", "cos"],
        ["2", "1"],
    ),
    ("an infinite scale", {"x": X, "scale": "Infinity"}, ["scale"], []),
    ("a scale in words", {"x": X, "scale": "0.5"}, ["scale"], []),
    ("a softcap of zero", {"x": X, "softcap": 0}, ["softcap"], ["0"]),
    ("a negative softcap", {"x": X, "softcap": -2}, ["softcap"], ["-2"]),
    ("biases that are no list", {"x": X, "biases": {"kind": "alibi"}}, ["biases"], []),
    ("a bias of no kind", {"x": X, "biases": [{"values": [[1]]}]}, ["biases", 0], ["kind"]),
    (
        "a bias that does not broadcast",
        {"x": X, "biases": [{"kind": "matrix", "values": [[1, 2, 3]]}]},
        ["biases", 0, "values"],
        ["2", "3"],
    ),
    (
        "too many slopes",
        {"x": X, "biases": [{"kind": "alibi", "slopes": [1, 2]}]},
        ["biases", 0, "slopes"],
        ["1", "2"],
    ),
    ("too many sinks", {"x": X, "sinks": [1, 2]}, ["sinks"], ["1", "2"]),
    ("a fill of infinity", {"x": X, "fill": "Infinity"}, ["fill"], []),
    ("a fill in words", {"x": X, "fill": "-1e9"}, ["fill"], []),
    ("a fill of nan", {"x": X, "fill": "NaN"}, ["fill"], []),
    ("an unknown order", {"x": X, "mask_order": "after"}, ["mask_order"], ["after_softmax"]),
    ("an unknown policy", {"x": X, "fully_masked": "mean"}, ["fully_masked"], ["uniform"]),
    ("dropping everything", {"x": X, "dropout": {"p": 1}}, ["dropout", "p"], ["1"]),
    ("a negative probability", {"x": X, "dropout": {"p": -0.1}}, ["dropout", "p"], ["-0.1"]),
    ("dropout without p", {"x": X, "dropout": {}}, ["dropout", "p"], ["p"]),
    ("an unknown dtype", {"x": X, "dtype": "float8"}, ["dtype"], ["float8", "bfloat16"]),
]
TOKENS: list[Case] = [
    ("too many labels", {"x": X, "tokens": ["a", "b", "c"]}, ["tokens"], ["2", "3"]),
    ("too few labels of keys", {**HEADS, "memory_tokens": ["a"]}, ["memory_tokens"], ["3", "1"]),
    (
        "one item's labels too few",
        {"x": [X, X], "tokens": [["a", "b"], ["c"]]},
        ["tokens", 1],
        ["2", "1"],
    ),
    (
        "labels of another batch",
        {"x": X, "tokens": [["a", "b"], ["c", "d"]]},
        ["tokens"],
        ["1", "2"],
    ),
    ("a label that is a number", {"x": X, "tokens": ["a", 7]}, ["tokens", 1], ["7"]),
    ("labels that are text", {"x": X, "tokens": "ab"}, ["tokens"], []),
]
AT = ["masks", 1]
MASKS: list[Case] = [
    ("a mask that is text", masked("causal"), AT, []),
    ("masks that are no list", {"x": X, "masks": {"kind": "causal"}}, ["masks"], []),
    ("a mask of no kind", masked({}), AT, ["kind"]),
    ("a mask of unknown kind", masked({"kind": "casual"}), [*AT, "kind"], ["causal", "casual"]),
    (
        "an alignment and an offset",
        masked({"kind": "causal", "alignment": "top_left", "offset": 0}),
        AT,
        ["alignment", "offset"],
    ),
    (
        "an unknown alignment",
        masked({"kind": "causal", "alignment": "left"}),
        [*AT, "alignment"],
        ["bottom_right"],
    ),
    ("half an offset", masked({"kind": "causal", "offset": 0.5}), [*AT, "offset"], []),
    (
        "offsets for another batch",
        masked({"kind": "causal", "offset": [0, 1]}),
        [*AT, "offset"],
        ["1", "2"],
    ),
    (
        "lengths and keep",
        masked({"kind": "padding", "lengths": [1], "keep": [[1, 0]]}),
        AT,
        ["lengths", "keep"],
    ),
    ("neither lengths nor keep", masked({"kind": "padding"}), AT, ["lengths", "keep"]),
    (
        "lengths for another batch",
        masked({"kind": "padding", "lengths": [1, 2]}),
        [*AT, "lengths"],
        ["1", "2"],
    ),
    (
        "a length beyond the keys",
        masked({"kind": "padding", "lengths": [3]}),
        [*AT, "lengths"],
        ["2", "3"],
    ),
    ("a negative length", masked({"kind": "padding", "lengths": [-1]}), [*AT, "lengths"], ["-1"]),
    ("half a length", masked({"kind": "padding", "lengths": [1.5]}), [*AT, "lengths"], ["1.5"]),
    (
        "keep for other keys",
        masked({"kind": "padding", "keep": [[1, 0, 1]]}),
        [*AT, "keep"],
        ["2", "3"],
    ),
    ("keep that is no truth", masked({"kind": "padding", "keep": [[1, 2]]}), [*AT, "keep"], ["2"]),
    ("a negative window", masked({"kind": "window", "left": -1}), [*AT, "left"], ["-1"]),
    ("a window in words", masked({"kind": "window", "right": "all"}), [*AT, "right"], []),
    ("a prefix of no length", masked({"kind": "prefix"}), AT, ["length"]),
    ("documents without ids", masked({"kind": "documents"}), AT, ["ids"]),
    (
        "ids for other tokens",
        masked({"kind": "documents", "ids": [0, 1, 2]}),
        [*AT, "ids"],
        ["2", "3"],
    ),
    ("a matrix of another shape", matrix([[1, 0, 1]]), [*AT, "values"], ["2", "3"]),
    ("a matrix of five axes", matrix([[[[[1, 0]]]]]), [*AT, "values"], []),
    ("a ragged matrix", matrix([[1, 0], [1]]), [*AT, "values", 1], ["2", "1"]),
    ("a matrix of halves", matrix([[1, 0.5]]), [*AT, "values"], ["0.5"]),
    ("a boolean matrix to add", matrix([[True, False]], "additive"), [*AT, "values"], []),
    (
        "a matrix without convention",
        masked({"kind": "matrix", "values": [[1, 0]]}),
        AT,
        ["convention"],
    ),
    (
        "an unknown convention",
        matrix([[1, 0]], "keep"),
        [*AT, "convention"],
        ["allowed", "blocked"],
    ),
]
CASES = SOURCES + TENSORS + HEAD_COUNTS + PARTS + TOKENS + MASKS
