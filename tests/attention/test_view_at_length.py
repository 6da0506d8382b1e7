"""Windows of long runs against the plain formula in float64: pooled whole matrices, and rows."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
import pytest
import torch

from attention import Specification, Task, Window, prepare, view

N, WIDTH = 1021, 5
LONGER = 2039
LONG = 65_536


@cache
def masks(N: int) -> dict[str, tuple[list[dict[str, Any]], Any]]:
    """Masks of N tokens, and which pairs each lets through."""
    query, key = np.arange(N)[:, None], np.arange(N)[None, :]
    ids, keep = np.arange(N) // 350, np.arange(N) % 3 > 0
    blocked = (query * 7 + key * 11) % 5 == 0
    return {
        "none": ([], np.ones((N, N), bool)),
        "causal": ([{"kind": "causal"}], key <= query),
        "rows that see nothing": ([{"kind": "causal", "offset": -300}], key <= query - 300),
        "window": (
            [{"kind": "window", "left": 150, "right": 20}],
            (key >= query - 150) & (key <= query + 20),
        ),
        "prefix": ([{"kind": "prefix", "length": 111}], (key < 111) | (key <= query)),
        "padding": ([{"kind": "padding", "lengths": [601]}], np.broadcast_to(key < 601, (N, N))),
        "filling between": ([{"kind": "padding", "keep": keep}], np.broadcast_to(keep, (N, N))),
        "documents": ([{"kind": "documents", "ids": ids}], ids[:, None] == ids[None, :]),
        "matrix": ([{"kind": "matrix", "values": blocked, "convention": "blocked"}], ~blocked),
        "two at once": (
            [{"kind": "causal"}, {"kind": "window", "left": 90, "right": None}],
            (key <= query) & (key >= query - 90),
        ),
    }


MASKS = list(masks(N))
LAYOUTS = {"one head": (1, 1), "MHA": (3, 3), "GQA": (6, 2), "MQA": (3, 1)}
TOLERANCES = {"float64": 1e-13, "float32": 3e-6, "float16": 2e-3, "bfloat16": 2e-2}
"""Absolute, of weights from 0 to 1: rounding of the dtype, of scores up to about 8."""


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Many small products: threads would wait for each other longer than they work."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=["as they come", "in tiles"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of this length stay whole, unless they are made to be cut."""
    if request.param == "in tiles":
        for name, size in (("WHOLE_KEYS", 0), ("ROWS", 201), ("KEYS", 253)):
            monkeypatch.setattr(f"attention.tiles.{name}", size)


@cache
def heads(N: int, H: int, K: int) -> tuple[Any, ...]:
    """q [H, N, D], k and v [K, N, D], of numbers that 16 bits hold exactly."""
    random = np.random.default_rng(5)
    return tuple(
        random.integers(-8, 9, (count, N, WIDTH)).astype(np.float64) / 8 for count in (H, K, K)
    )


def task(N: int, name: str, layout: str, dtype: str) -> Task:
    q, k, v = heads(N, *LAYOUTS[layout])
    return prepare(Specification.of(q=q, k=k, v=v, masks=masks(N)[name][0], dtype=dtype))


@lru_cache(maxsize=50)
def weights(N: int, name: str, layout: str, head: int) -> Any:
    """softmax(q kᵀ / √D) over the visible keys, 0 where there are none."""
    H, K = LAYOUTS[layout]
    q, k, _ = heads(N, H, K)
    scores = q[head] @ k[head * K // H].T / np.sqrt(WIDTH)
    powers = np.exp(scores) * masks(N)[name][1]
    totals = powers.sum(-1, keepdims=True)
    return powers / np.where(totals > 0, totals, 1)


def pooled(matrix: Any, rows: list[int], cols: list[int], how: str) -> Any:
    """Max or mean of the cells between edges."""
    reduce = np.maximum if how == "max" else np.add
    part = matrix[rows[0] : rows[-1], cols[0] : cols[-1]]
    part = reduce.reduceat(part, np.array(rows[:-1]) - rows[0], axis=0)
    part = reduce.reduceat(part, np.array(cols[:-1]) - cols[0], axis=1)
    return part if how == "max" else part / (np.diff(rows)[:, None] * np.diff(cols)[None, :])


def compare(window: Window, name: str, layout: str, dtype: str, N: int = N) -> None:
    found = view(task(N, name, layout, dtype), window)
    rows, cols = found.rows.edges, found.cols.edges
    expected = pooled(weights(N, name, layout, window.head), rows, cols, window.reduce)
    np.testing.assert_allclose(found.z, expected, rtol=0, atol=TOLERANCES[dtype])
    hidden = pooled(1.0 - masks(N)[name][1], rows, cols, "mean")
    np.testing.assert_allclose(found.masked, hidden, rtol=0, atol=1e-6)


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("how", ["max", "mean"])
@pytest.mark.parametrize("name", MASKS)
def test_the_picture_of_all_pairs_is_exact_under_every_mask(name: str, how: str) -> None:
    compare(Window("weights", max_rows=60, max_cols=50, reduce=how), name, "one head", "float64")


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("dtype", list(TOLERANCES))
@pytest.mark.parametrize("layout", ["MHA", "GQA", "MQA"])
def test_it_is_exact_in_every_layout_and_dtype(layout: str, dtype: str) -> None:
    head = LAYOUTS[layout][0] - 1
    compare(Window("weights", head=head, max_rows=33, max_cols=512), "causal", layout, dtype)


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("dtype", list(TOLERANCES))
@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("name", MASKS)
def test_2039_tokens_in_uneven_cells_under_every_mask(name: str, layout: str, dtype: str) -> None:
    """All layouts and dtypes; 2,039 in 60 and 50 cells leave a remainder both ways."""
    head = LAYOUTS[layout][0] // 2
    how: Literal["max", "mean"] = "mean" if dtype in ("float64", "bfloat16") else "max"
    window = Window("weights", head=head, max_rows=60, max_cols=50, reduce=how)
    compare(window, name, layout, dtype, LONGER)


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("name", ["causal", "window", "rows that see nothing", "matrix"])
@pytest.mark.parametrize(
    "spans", [((3, 211), (0, 97)), ((290, 340), (1, N)), ((1000, N), (900, 1001))]
)
def test_a_zoomed_part_is_exact(name: str, spans: tuple[tuple[int, int], ...]) -> None:
    rows, cols = spans
    for size in (512, 13):
        window = Window("weights", rows=rows, cols=cols, max_rows=size, max_cols=size)
        compare(window, name, "one head", "float64")


@cache
def long_heads() -> tuple[Any, ...]:
    random = np.random.default_rng(9)
    return tuple(random.standard_normal((LONG, WIDTH)).astype(np.float32) for _ in range(3))


def long_row(row: int, left: int | None) -> Any:
    """The weights of one causal query, in float64."""
    q, k, _ = long_heads()
    scores = (k.astype(np.float64) @ q[row].astype(np.float64)) / np.sqrt(WIDTH)
    keys = np.arange(LONG)
    seen = keys <= row if left is None else (keys <= row) & (keys >= row - left)
    powers = np.exp(scores - scores[seen].max()) * seen
    return powers / powers.sum()


@pytest.mark.parametrize("left", [None, 4000])
@pytest.mark.parametrize("row", [0, 1, 8191, 40_001, LONG - 1])
def test_rows_of_65536_keys_are_exact_one_by_one(row: int, left: int | None) -> None:
    """Float32 weights, their relative rounding grown by a score's: 1e-5."""
    q, k, v = long_heads()
    masks = [{"kind": "causal"}] if left is None else [{"kind": "window", "left": left, "right": 0}]
    long = prepare(Specification.of(q=q, k=k, v=v, masks=masks))
    expected = long_row(row, left)[None]
    for cols in ((0, LONG), (max(0, row - 255), row + 1)):
        found = view(long, Window("weights", rows=(row, row + 1), cols=cols))
        cells = np.maximum.reduceat(expected[0, : cols[1]], found.cols.edges[:-1])
        np.testing.assert_allclose(found.z[0], cells, rtol=1e-5, atol=1e-12)


def test_a_pooled_strip_of_65536_keys_is_exact() -> None:
    q, k, v = long_heads()
    long = prepare(Specification.of(q=q, k=k, v=v, masks=[{"kind": "causal"}]))
    rows = slice(50_000, 50_037)
    matrix = np.stack([long_row(row, None) for row in range(rows.start, rows.stop)])
    for how in ("max", "mean"):
        window = Window("weights", rows=(rows.start, rows.stop), max_rows=5, reduce=how)
        found = view(long, window)
        local = [edge - rows.start for edge in found.rows.edges]
        expected = pooled(matrix, local, found.cols.edges, how)
        np.testing.assert_allclose(found.z, expected, rtol=1e-5, atol=1e-12)
