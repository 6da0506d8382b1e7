"""The part of a script from scores to output: mask, softmax, dropout, times v, merge."""

from __future__ import annotations

import math

from attention.arrays import say
from attention.dropout import Dropout
from attention.scripts.draft import Draft
from attention.scripts.projections import has, output_axis, uses_linear
from attention.scripts.scoring import folded
from attention.scripts.visibility import added_names

SOFTMAX = '''
def softmax(rows):
    """Over the keys; the row's maximum is subtracted so that exp cannot overflow."""
    parts = np.exp(rows - rows.max(-1, keepdims=True))
    return parts / parts.sum(-1, keepdims=True)
'''
SOFTMAX_16 = '''
def softmax(rows):
    """Over the keys, in float32 and rounded once; without its maximum exp could overflow."""
    rows = rows.astype(np.float32)
    parts = np.exp(rows - rows.max(-1, keepdims=True))
    return (parts / parts.sum(-1, keepdims=True)).astype(dtype)
'''
MIXED = '''
def mixed(state):
    """The finaliser of splitmix64, on unsigned 64-bit numbers that wrap around."""
    state = (state ^ (state >> 30)) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> 27)) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> 31)
'''
STEP = 0x9E3779B97F4A7C15


def masked(draft: Draft) -> None:
    """Blocked scores set to the fill, where masks come before the softmax."""
    spec = draft.spec
    added = added_names(draft)
    before = spec.mask_order == "before_softmax" and bool(spec.masks)
    if not added and not before:
        return
    draft.section("Masked scores: a blocked score is set, not added to" if before
                  else "What the additive mask adds")  # fmt: skip
    found = " + ".join(["scores", *added])
    if before:
        found = f"{draft.dialect.module}.where(allowed, {found}, {fill(draft)})"
    draft.put(f"masked_scores = {found}", "B H T S")


def fill(draft: Draft) -> str:
    """The number that blocked scores are set to."""
    asked = draft.spec.fill
    if not math.isinf(draft.result.task.fill):
        return repr(float(asked))
    if asked not in ("-Infinity", -math.inf):
        draft.say(f"{say(asked)} is outside {draft.spec.dtype} and becomes infinite")
    sign = "-" if draft.result.task.fill < 0 else ""
    return f"{sign}{draft.dialect.infinity}"


def weights(draft: Draft) -> None:
    """The softmax over the keys, and rows that see none."""
    spec, dialect = draft.spec, draft.dialect
    source = "masked_scores" if _is_masked(draft) else "scores"
    draft.section("Weights: the softmax over the keys")
    if dialect.module == "np":
        draft.define("softmax", SOFTMAX_16 if spec.dtype == "float16" else SOFTMAX)
    if spec.sinks is None:
        draft.put(f"weights = {dialect.softmax(source)}", "B H T S")
    else:
        _with_sinks(draft, source)
    if spec.mask_order == "after_softmax" and spec.masks:
        draft.say("The mistake to look at: masked after the softmax, rows no longer sum to 1")
        draft.put("weights = weights * allowed", "B H T S")
    settle(draft)


def _is_masked(draft: Draft) -> bool:
    before = draft.spec.mask_order == "before_softmax" and bool(draft.spec.masks)
    return before or bool(added_names(draft))


def _with_sinks(draft: Draft, source: str) -> None:
    dialect = draft.dialect
    draft.say("A sink is one more logit in each row's sum, which belongs to no key")
    draft.put(f"sinks = {draft.floats(draft.spec.sinks, ('sinks',))}", "H")
    draft.put(f"sink = {dialect.spread('sinks.reshape(1, H, 1, 1)', 'B, H, T, 1')}", "B H T 1")
    joined = dialect.concatenated(f"{source}, sink", -1)
    draft.put(f"weights = {dialect.softmax(joined)}[..., :-1]", "B H T S")


def settle(draft: Draft) -> None:
    """Rows of this run that see no key get what the specification says."""
    if not bool(draft.result.empty_rows.any()):
        return
    value = {"zero": "0.0", "nan": draft.dialect.infinity.replace("inf", "nan"), "uniform": "1 / S"}
    policy = draft.spec.fully_masked
    draft.say(f"Rows that see no key: {policy}")
    sees = draft.dialect.any_key("allowed")
    draft.put(
        f"weights = {draft.dialect.module}.where({sees}, weights, {value[policy]})", "B H T S"
    )


def mixed(draft: Draft) -> None:
    """Weights times values, after dropout if there is any."""
    name = "weights"
    if draft.spec.dropout is not None:
        _dropout(draft, draft.spec.dropout)
        name = "dropped_weights"
    draft.section("Heads: the weights mix the values")
    draft.put(f"heads = {folded(draft, name, 'S', 'v', 'Dv')}", "B H T Dv")


def _dropout(draft: Draft, dropout: Dropout) -> None:
    draft.imports.add("import numpy as np")
    draft.section("Dropout: a cell's hash decides, so that it is the same everywhere")
    draft.define("mixed", MIXED)
    draft.put(f"step = np.uint64(0x{STEP:X})")
    start = f"0x{int(dropout.seed) * STEP % 2**64:X}"
    draft.put(
        f"state = np.full((1, 1, 1, 1), {start}, np.uint64)  # seed {dropout.seed} times step"
    )
    for axis, length in enumerate("BHTS"):
        shape = ", ".join("-1" if i == axis else "1" for i in range(4))
        index = f"np.arange(1, {length} + 1, dtype=np.uint64).reshape({shape})"
        draft.put(f"state = mixed(state + step * {index})")
    kept = f"(state >> 11) / 2**53 >= {float(dropout.p)!r}"
    draft.put(f"kept = {draft.dialect.from_numpy(kept)}", "B H T S")
    draft.put(f"dropped_weights = weights * kept / (1 - {float(dropout.p)!r})", "B H T S")


def output(draft: Draft) -> None:
    """Heads side by side, then the output projection if there is one."""
    projected = has(draft, "w_o")
    draft.section("Output: heads side by side" + (", then projected" if projected else ""))
    merged = f"{draft.dialect.swapped('heads', 1, 2)}.reshape(B, T, H * Dv)"
    if not projected:
        draft.put(f"output = {merged}", "B T H·Dv")
        return
    draft.put(f"merged = {merged}", "B T H·Dv")
    uses_linear(draft)
    bias = "b_o" if has(draft, "b_o") else None
    found = draft.dialect.linear("merged", "w_o", bias)
    if found.startswith("("):
        found = found[1:-1]
    draft.put(f"output = {found}", f"B T {output_axis(draft)}")
