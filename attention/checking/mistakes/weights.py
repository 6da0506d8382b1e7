"""Projections read in another layout than they are stored in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention.checking.attempt import Attempt, Slip
from attention.checking.mistakes.mistake import mistake
from attention.checking.workbench import Workbench
from attention.dimensions import Dimensions
from attention.projection import NAMES, GivenProjection

Order = list[int]


def transposed(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Each square weight alone, then several together."""
    projection = attempt.spec.projection
    if not isinstance(projection, GivenProjection):
        return
    found = {name: getattr(projection, name) for name in NAMES}
    square = [n for n, w in found.items() if w is not None and w.shape[0] == w.shape[1] > 1]
    together = [tuple(square), tuple(n for n in square if n != "w_o")]
    for names in dict.fromkeys([*((n,) for n in square), *together]):
        if names:
            turned = replace(projection, **{name: found[name].T for name in names})
            yield Slip(", ".join(names), {"projection": turned})


def reordered(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Fused rows stored in one order of heads and read in another."""
    for detail, stored, read in orders(bench.dims):
        if stored != read:
            changes = permuted(attempt, bench.dims, stored, read)
            yield Slip(detail, changes)


def orders(dims: Dimensions) -> Iterator[tuple[str, Order, Order]]:
    """What may be confused: (in words, heads as stored, heads as read).

    Heads are numbered q 0 … H−1, then k, then v.
    """
    if dims.Dv != dims.D:
        return
    q, k, v = head_numbers(dims)
    blocks, swapped = q + k + v, q + v + k
    pairs = q + [n for pair in zip(k, v, strict=True) for n in pair]
    yield "k and v are swapped", blocks, swapped
    yield "k and v lie head by head, and were read as blocks", pairs, blocks
    yield "k and v are blocks, and were read head by head", blocks, pairs
    if dims.cross or dims.new_keys != dims.T:
        return
    G = dims.G
    groups = [n for i in range(dims.K) for n in (*q[i * G : (i + 1) * G], k[i], v[i])]
    yield "q, k and v lie group by group, and were read as blocks", groups, blocks
    yield "q, k and v are blocks, and were read group by group", blocks, groups
    if dims.K == dims.H:
        yield "q and k are swapped", blocks, k + q + v
    if dims.K == dims.H and dims.H % 4 == 0:
        part = dims.H // 4
        cuts = [slice(i * part, (i + 1) * part) for i in range(4)]
        codegen = [n for cut in cuts for n in (*q[cut], *v[cut], *k[cut])]
        yield "the rows are CodeGen's four blocks of q, v, k, read as blocks", codegen, blocks
        yield "the rows are CodeGen's four blocks of q, v, k, read per head", codegen, groups


def head_numbers(dims: Dimensions) -> tuple[Order, Order, Order]:
    """Numbers of the heads of q, k and v in one list."""
    q, k = list(range(dims.H)), list(range(dims.H, dims.H + dims.K))
    return q, k, [n + dims.K for n in k]


def permuted(attempt: Attempt, dims: Dimensions, stored: Order, read: Order) -> dict[str, Any]:
    """The fields with the stored head i standing where the reader expects head i of theirs."""
    source = list(range(len(stored)))
    for there, taken in zip(read, stored, strict=True):
        source[there] = taken
    spec = attempt.spec
    projection = spec.projection
    if not isinstance(projection, GivenProjection):
        assert isinstance(spec.q, Tensor)
        assert isinstance(spec.k, Tensor)
        assert isinstance(spec.v, Tensor)
        heads = [x for t in (spec.q, spec.k, spec.v) for x in t.unbind(1)]
        return dict(zip(("q", "k", "v"), _gathered(heads, source, dims, 1), strict=True))
    return {"projection": replace(projection, **_permuted_rows(projection, source, dims))}


def _permuted_rows(
    projection: GivenProjection, source: Order, dims: Dimensions
) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    for kind in ("w", "b"):
        parts = [getattr(projection, f"{kind}_{name}") for name in "qkv"]
        if all(part is None for part in parts):
            continue
        counts = (dims.H, dims.K, dims.K)
        rows = [
            row
            for part, count in zip(parts, counts, strict=True)
            for row in (
                torch.zeros(count, dims.D, dtype=projection.w_q.dtype)
                if part is None
                else part.unflatten(0, (count, dims.D))
            )
        ]
        for name, heads in zip("qkv", _gathered(rows, source, dims, 0), strict=True):
            found[f"{kind}_{name}"] = heads.flatten(0, 1)
    return found


def _gathered(
    heads: Sequence[Tensor], source: Order, dims: Dimensions, axis: int
) -> tuple[Tensor, Tensor, Tensor]:
    moved = [heads[i] for i in source]
    H, K = dims.H, dims.K
    return (
        torch.stack(moved[:H], axis),
        torch.stack(moved[H : H + K], axis),
        torch.stack(moved[H + K :], axis),
    )


WEIGHTS = [
    mistake(
        "weight_transposed",
        "projection",
        transposed,
        "A projection's weight is used transposed. torch.nn.Linear keeps [out][in] and computes"
        " x @ W.T; GPT-2's Conv1D, JAX and Keras keep [in][out] and compute x @ W, and a square"
        " weight fits both. Give the weight's .T where it comes from the other kind.",
    ),
    mistake(
        "fused_order",
        "projection q k v",
        reordered,
        "The rows of q, k and v are read in another order than they are stored in. A fused"
        " weight is q, k, v as blocks in nn.MultiheadAttention and GPT-2, q k v head by head in"
        " GPT-NeoX and BLOOM, and group by group in Falcon. Split it as the model does:"
        " w.chunk(3) for blocks, w.view(H, 3, D, E).unbind(1) per head.",
    ),
]
