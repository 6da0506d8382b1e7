"""The part of a script that makes q, k and v: lengths, inputs, projections, norms, cache."""

from __future__ import annotations

from collections.abc import Sequence

from attention.arrays import as_tensor
from attention.normalisation import QkNorm
from attention.scripts.draft import Draft
from attention.scripts.projections import has, uses_linear, weights
from attention.scripts.rotary import rotation

RMS_NORM = '''
def rms_norm(x, eps):
    """x / sqrt(mean(x²) + eps) over the last axis."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
'''
RMS_NORM_16 = '''
def rms_norm(x, eps):
    """x / sqrt(mean(x²) + eps) over the last axis, in float32 and rounded once."""
    x = x.astype(np.float32)
    return (x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)).astype(dtype)
'''


def lengths(draft: Draft) -> None:
    """The axis letters, bound to this run's numbers."""
    dims = draft.dims
    draft.put(f"B, T, S = {dims.B}, {dims.T}, {dims.S}  # sequences, queries, keys")
    if dims.P:
        draft.put(f"P, N = {dims.P}, {dims.new_keys}  # keys of the cache, new keys behind them")
    draft.put(f"H, K = {dims.H}, {dims.K}  # query heads, key/value heads")
    if dims.G > 1:
        draft.put("G = H // K  # query heads that share a key/value head")
    draft.put(f"D, Dv = {dims.D}, {dims.Dv}  # width of a query or key, of a value")
    if draft.spec.x is not None:
        draft.put(f"E = {dims.E}  # width of x")
    if dims.cross:
        draft.put(f"M = {dims.E_mem}  # width of the memory")
    draft.put(f"dtype = {draft.dialect.kind(draft.spec.dtype)}")


def inputs(draft: Draft) -> None:
    """x and memory, or the heads as given, and the cache."""
    draft.section("Input")
    spec, dims = draft.spec, draft.dims
    N = draft.new_keys
    arrays = {
        "x": ((dims.B, dims.T, dims.E), "B T E"),
        "memory": ((dims.B, dims.new_keys, dims.E_mem), f"B {N} M"),
        "q": ((dims.B, dims.H, dims.T, dims.D), "B H T D"),
        "k": ((dims.B, dims.K, dims.new_keys, dims.D), f"B K {N} D"),
        "v": ((dims.B, dims.K, dims.new_keys, dims.Dv), f"B K {N} Dv"),
        "past_k": ((dims.B, dims.K, dims.P, dims.D), "B K P D"),
        "past_v": ((dims.B, dims.K, dims.P, dims.Dv), "B K P Dv"),
    }
    for name, (shape, axes) in arrays.items():
        value = getattr(spec, name)
        if value is not None and 0 not in shape:
            known = [length or 0 for length in shape]
            draft.put(f"{name} = {draft.floats(value, (name,), known)}", axes)


def projected(draft: Draft) -> None:
    """x W_q, x W_k, x W_v with the heads apart."""
    if draft.spec.x is None:
        return
    weights(draft)
    draft.section("Queries, keys and values: project, then take the heads apart")
    split(draft)


def split(draft: Draft, letters: Sequence[str] = "qkv") -> None:
    """q, k and v from the vectors."""
    source, N = ("memory" if draft.dims.cross else "x"), draft.new_keys
    uses_linear(draft)
    for letter, origin, rows, heads, width in (
        ("q", "x", "T", "H", "D"),
        ("k", source, N, "K", "D"),
        ("v", source, N, "K", "Dv"),
    ):
        if letter not in letters:
            continue
        bias = f"b_{letter}" if has(draft, f"b_{letter}") else None
        flat = draft.dialect.linear(origin, f"w_{letter}", bias)
        apart = draft.dialect.swapped(f"{flat}.reshape(B, {rows}, {heads}, {width})", 1, 2)
        draft.put(f"{letter} = {apart}", f"B {heads} {rows} {width}")


def positioned(draft: Draft) -> None:
    """Norms, rotary positions and the cache."""
    if draft.spec.qk_norm is not None:
        _normalised(draft, draft.spec.qk_norm)
    if draft.spec.rope is not None:
        rotation(draft, draft.spec.rope)
    if draft.dims.P:
        draft.section("The cache stands in front of the new keys and values")
        for letter, width in (("k", "D"), ("v", "Dv")):
            joined = draft.dialect.concatenated(f"past_{letter}, {letter}", 2)
            draft.put(f"{letter} = {joined}", f"B K S {width}")


def _normalised(draft: Draft, norm: QkNorm) -> None:
    draft.section("RMS norm of queries and keys")
    if draft.dialect.module == "np":
        draft.define("rms_norm", RMS_NORM_16 if draft.spec.dtype == "float16" else RMS_NORM)
    else:
        draft.functional.add("rms_norm")
    for letter, heads, rows in (("q", "H", "T"), ("k", "K", draft.new_keys)):
        weight = getattr(norm, f"{letter}_weight")
        name = None if weight is None else f"{letter}_weight"
        if name:
            draft.put(f"{name} = {draft.floats(weight, ('qk_norm', name))}")
        if name and len(as_tensor(weight, ())) != draft.dims.D:
            _normalised_whole(draft, (letter, heads, rows), name, repr(float(norm.eps)))
            continue
        normed = draft.dialect.rms_norm(letter, "D", name, repr(float(norm.eps)))
        draft.put(f"{letter} = {normed}", f"B {heads} {rows} D")


def _normalised_whole(draft: Draft, what: tuple[str, str, str], name: str, eps: str) -> None:
    letter, heads, rows = what
    draft.say("over the full width, as it is before the heads are taken apart")
    flat, whole = f"{heads} * D", f"B {rows} {heads}·D"
    joined = draft.dialect.swapped(letter, 1, 2)
    draft.put(f"full = {joined}.reshape(B, {rows}, {flat})", whole)
    draft.put(f"full = {draft.dialect.rms_norm('full', flat, name, eps)}", whole)
    apart = draft.dialect.swapped(f"full.reshape(B, {rows}, {heads}, D)", 1, 2)
    draft.put(f"{letter} = {apart}", f"B {heads} {rows} D")
