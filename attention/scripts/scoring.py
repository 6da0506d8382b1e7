"""The part of a script from q and k to the scores: product, scale, softcap, biases."""

from __future__ import annotations

import math

from attention.arrays import as_tensor
from attention.biases import Alibi, MatrixBias
from attention.scripts.draft import SIXTEEN_BITS, Draft
from attention.scripts.visibility import axes_said, flat_shape, key, query


def scores(draft: Draft) -> None:
    """The scores before any mask."""
    spec = draft.spec
    draft.section("Scores: every query with every key")
    dot_products(draft)
    if spec.softcap is not None:
        c = repr(float(spec.softcap))
        draft.put(f"scores = {draft.dialect.module}.tanh(scores / {c}) * {c}", "B H T S")
    for name in biases(draft):
        draft.put(f"scores = scores + {name}", "B H T S")


def dot_products(draft: Draft, added: str = "") -> None:
    """q·k of every head, scaled, and what is added."""
    if draft.dims.G > 1:
        draft.say("Query head h reads KV head h // G. The heads of a group follow one another, so")
        draft.say("they fold into the rows of one product: keys and values are never repeated")
    product = folded(draft, "q", "D", draft.dialect.swapped("k", -2, -1), "S")
    draft.put(f"scores = {product}{scale(draft)}{added}", "B H T S")


def folded(draft: Draft, left: str, inner: str, right: str, outer: str) -> str:
    """A product of [B H T inner] with [B K inner outer], the groups folded into rows."""
    if draft.dims.G == 1:
        return f"{left} @ {right}"
    draft.put(f"grouped = {left}.reshape(B, K, G * T, {inner})", f"B K G·T {inner}")
    return f"(grouped @ {right}).reshape(B, H, T, {outer})"


def scale(draft: Draft) -> str:
    """`` * scale``, or nothing where the scale is 1."""
    value = draft.spec.scale
    if value is None:
        return " * D**-0.5"
    return "" if value == 1 else f" * {float(value)!r}"


def biases(draft: Draft) -> list[str]:
    """Write the biases' numbers down; their names."""
    names = bias_names(draft)
    for i, (bias, name) in enumerate(zip(draft.spec.biases, names, strict=True)):
        if isinstance(bias, Alibi):
            _alibi(draft, bias, name)
        else:
            assert isinstance(bias, MatrixBias)
            loc = ("biases", i, "values")
            values = as_tensor(bias.values, loc)
            shape = flat_shape(values)
            draft.put(f"{name} = {draft.floats(values, loc, shape)}", axes_said(draft, shape))
    return names


def bias_names(draft: Draft) -> list[str]:
    """A name for each bias: its kind, numbered where there are several."""
    kinds = ["alibi" if isinstance(bias, Alibi) else "bias" for bias in draft.spec.biases]
    return kinds if len(kinds) == 1 else [f"{kind}_{i}" for i, kind in enumerate(kinds, 1)]


def _alibi(draft: Draft, bias: Alibi, name: str) -> None:
    dialect = draft.dialect
    draft.say("ALiBi: each head's slope times the distance, subtracted")
    slopes = f"{name}_slopes"
    if bias.slopes is not None:
        draft.put(f"{slopes} = {draft.floats(bias.slopes, ())}", "H")
    else:
        draft.put(f"{slopes} = {dialect.made(_published(draft), 'dtype')}", "H")
    place = f"{query(draft)} + P" if draft.dims.P else query(draft)
    distance = f"{dialect.module}.abs({place} - {key(draft)})"
    if draft.spec.dtype not in SIXTEEN_BITS:
        draft.once("distance", dialect.cast(distance), "T S")
        draft.put(f"{name} = -{slopes}[:, None, None] * distance", "H T S")
        return
    wide = dialect.kind("float32")
    draft.once("distance", dialect.cast(distance, wide), "T S")
    draft.say("16 bits would round the distance as well: multiply wider, round once")
    product = f"-{dialect.cast(slopes, wide)}[:, None, None] * distance"
    draft.put(f"{name} = {dialect.cast(f'({product})')}", "H T S")


def _published(draft: Draft) -> str:
    """The paper's slopes as a formula, the heads beyond a power of two between them."""
    H = draft.dims.H
    power = 2 ** math.floor(math.log2(H))
    slopes = f"[2 ** (-8 * (i + 1) / {power}) for i in range({power})]"
    if power == H:
        return slopes
    draft.put(f"first = {slopes}")
    draft.say(f"heads beyond {power} take their slopes from between")
    draft.put(f"between = [2 ** (-4 * (2 * i + 1) / {power}) for i in range({H - power})]")
    return "first + between"
