"""What a request will take, known from its lengths before it starts: time and memory.

The numbers are bounds of what was measured; tests/app/test_demand.py measures again.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

from attention import Dimensions

PRODUCTS_A_SECOND = 2e10
"""Multiply-adds of one core: a fifth of what matmul alone reaches, for there is more to do."""
CELLS_A_SECOND = 2e6
"""Cells of one answer: computed, encoded and copied."""
ROOM = 2**26
"""Bytes of tiles, strips and whatever else does not grow with the answer."""
RUN = 4
"""Matrices of one run beside those that are answered: scores, weights and what one step takes."""
BYTES_A_VECTOR_NUMBER = 100
"""Of a number of q, k, v, heads or the output: computed, and answered as text."""
BYTES_A_WEIGHT = 16
BYTES_A_RANDOM_NUMBER = 24
MATRICES = ("scores", "masked_scores", "weights", "dropped_weights", "dot_products")
MARKS = ("allowed", "blocked_by")
BYTES_A_CELL = {
    "/api/code": 40,
    "/api/compare": 260,
    "/api/decode": 240,
    "/api/inspect": 40,
    "/api/rows": 80,
    "/api/view": 80,
}
"""Of one cell of float32 and its part of the answer, by route: what was measured, and a quarter."""
USUAL = 300
EXPORTED = {"npz": 20, "safetensors": 20, "json": 60, "csv": 130, "html": 450}
"""Bytes a cell of each tensor of a file; of ``html`` those of all pictures."""
MAPPED = (".npy", ".safetensors")
TEXTS = (".csv", ".tsv", ".txt", ".json", ".safetensors.index.json")
SIGNS = (b",", b";", b"\t", b" ", b"\n", b"[", b"{")
"""A value of a text begins after one of these."""
BLOCK = 2**20


def seconds_of(cells: int, products: int) -> float:
    """What a computation is expected to take on one core."""
    return products / PRODUCTS_A_SECOND + cells / CELLS_A_SECOND


def bytes_of_work(path: str, cells: int, itemsize: int, answered: int | None) -> int:
    """What a result takes while it is computed and answered; ``answered`` bytes a cell if known."""
    each = BYTES_A_CELL.get(path, USUAL) if answered is None else answered + RUN * max(4, itemsize)
    wider = max(4, itemsize) // 4 if answered is None else 1
    return ROOM + cells * each * wider


def bytes_answered(names: Iterable[str], encoding: str, itemsize: int) -> int:
    """Bytes a cell of the tensors that are answered: the numbers, their text, the text joined."""
    size = max(4, itemsize)
    text = 4 * size if encoding == "base64" else 10 * size
    matrices = sum(size + text for name in names if name in MATRICES)
    return matrices + sum(size + text // 2 for name in names if name in MARKS)


def bytes_exported(names: Iterable[str], form: str) -> int:
    """Bytes a cell of a file while it is written."""
    return EXPORTED[form] * (1 if form == "html" else max(1, len(list(names))))


def bytes_of_inputs(dims: Dimensions) -> int:
    """What the vectors and the projections take."""
    width = dims.H * (dims.D + dims.Dv) + (dims.E or 0)
    weights = sum(map(prod, dims.weight_shapes().values())) if dims.E is not None else 0
    vectors = dims.B * (dims.T + dims.S) * width
    return vectors * BYTES_A_VECTOR_NUMBER + weights * BYTES_A_WEIGHT


def bytes_of_random(spec: Any) -> int:
    """What the random tensors of a parsed body take; a shape that is none is refused later."""
    if not isinstance(spec, dict):
        return 0
    found = [part["random"] for part in spec.values() if _is_random(part)]
    shapes = [one.get("shape") for one in found if isinstance(one, dict)]
    counts = [_count(shape) for shape in shapes]
    inner = [bytes_of_random(spec.get(name)) for name in ("spec", "a", "b")]
    return BYTES_A_RANDOM_NUMBER * sum(counts) + sum(inner)


def bytes_of_file(path: Path, kind: str | None, max_unpacked: int) -> int:
    """What reading an upload takes: a text by its values, an archive unpacked, written anew."""
    if kind in MAPPED:
        return ROOM
    if kind not in TEXTS:
        return ROOM + 2 * max_unpacked
    with path.open("rb") as file:
        blocks = iter(partial(file.read, BLOCK), b"")
        return ROOM + sum(len(block) + 72 * sum(map(block.count, SIGNS)) for block in blocks)


def _is_random(part: Any) -> bool:
    return isinstance(part, dict) and set(part) == {"random"}


def _count(shape: Any) -> int:
    whole = isinstance(shape, list) and all(type(n) is int and n > 0 for n in shape)
    return prod(shape) if whole and len(shape) < 8 else 0
