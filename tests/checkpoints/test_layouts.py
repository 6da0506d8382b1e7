"""Fused rows, told apart by hand: each row of the weight is a label of what it must become."""

import pytest
import torch

from attention import ShapeError
from attention.checkpoints.layouts import LAYOUTS, Heads, fitting, refined, split

GROUPED = Heads(H=4, K=2, D=1, Dv=1)
EVEN = Heads(H=4, K=4, D=1, Dv=1)
ONE = Heads(H=3, K=1, D=2, Dv=2)


def rows(names: str) -> torch.Tensor:
    """One row for each label; a label is a letter and a digit."""
    return torch.tensor([[number(name)] for name in names.split()], dtype=torch.float64)


def number(name: str) -> float:
    return "qkv".index(name[0]) * 100 + int(name[1:])


def names(piece: torch.Tensor) -> str:
    return " ".join(f"{'qkv'[int(n) // 100]}{int(n) % 100}" for n in piece[:, 0].tolist())


@pytest.mark.parametrize(
    ("layout", "heads", "stored"),
    [
        ("blocks", GROUPED, "q0 q1 q2 q3 k0 k1 v0 v1"),
        ("per_kv_group", GROUPED, "q0 q1 k0 v0 q2 q3 k1 v1"),
        ("per_head", EVEN, "q0 k0 v0 q1 k1 v1 q2 k2 v2 q3 k3 v3"),
        ("per_kv_group", EVEN, "q0 k0 v0 q1 k1 v1 q2 k2 v2 q3 k3 v3"),
        ("multi_query", ONE, "q0 q1 q2 q3 q4 q5 k0 k1 v0 v1"),
        ("per_kv_group", ONE, "q0 q1 q2 q3 q4 q5 k0 k1 v0 v1"),
        ("blocks", EVEN, "q0 q1 q2 q3 k0 k1 k2 k3 v0 v1 v2 v3"),
        ("codegen", EVEN, "q0 v0 k0 q1 v1 k1 q2 v2 k2 q3 v3 k3"),
        (
            "codegen",
            Heads(H=8, K=8, D=1, Dv=1),
            "q0 q1 v0 v1 k0 k1 q2 q3 v2 v3 k2 k3 q4 q5 v4 v5 k4 k5 q6 q7 v6 v7 k6 k7",
        ),
        ("per_head", Heads(H=2, K=2, D=2, Dv=2), "q0 q1 k0 k1 v0 v1 q2 q3 k2 k3 v2 v3"),
    ],
)
def test_rows_go_to_their_heads_in_order(layout: str, heads: Heads, stored: str) -> None:
    q, k, v = split(rows(stored), layout, heads)
    assert names(q) == " ".join(f"q{i}" for i in range(heads.H * heads.D))
    assert names(k) == " ".join(f"k{i}" for i in range(heads.K * heads.D))
    assert names(v) == " ".join(f"v{i}" for i in range(heads.K * heads.D))


def test_biases_are_split_like_the_weights() -> None:
    q, k, v = split(torch.arange(8.0), "per_kv_group", GROUPED)
    assert (q.tolist(), k.tolist(), v.tolist()) == ([0, 1, 4, 5], [2, 6], [3, 7])


def test_rows_that_do_not_fit_are_refused_with_the_layouts_that_do() -> None:
    with pytest.raises(ShapeError, match="expected 8 rows, got 9 rows"):
        split(torch.zeros(9, 3), "blocks", GROUPED)
    with pytest.raises(ShapeError, match="one of blocks, per_kv_group"):
        split(torch.zeros(8, 3), "per_head", GROUPED)


@pytest.mark.parametrize(
    ("count", "columns", "heads", "fits"),
    [
        (12, 4, None, ["blocks", "per_head", "codegen"]),
        (8, 4, None, ["blocks", "per_kv_group", "multi_query"]),
        (8, 4, GROUPED, ["blocks", "per_kv_group"]),
        (12, 4, EVEN, ["blocks", "per_head", "per_kv_group", "codegen"]),
        (10, 6, ONE, ["blocks", "per_kv_group", "multi_query"]),
        (9, 3, Heads(3, 3, 1, 1), ["blocks", "per_head", "per_kv_group"]),
        (11, 6, ONE, []),
        (7, 3, Heads(3, 2, 1, 1), []),
    ],
)
def test_shapes_say_which_layouts_are_possible(
    count: int, columns: int, heads: Heads | None, fits: list[str]
) -> None:
    assert fitting(count, columns, heads) == fits
    assert set(fits) <= set(LAYOUTS)


def test_grouped_rows_are_called_by_their_plainest_name() -> None:
    assert refined("per_kv_group", GROUPED) == "per_kv_group"
    assert refined("per_kv_group", EVEN) == "per_head"
    assert refined("per_kv_group", ONE) == "multi_query"
    assert refined("blocks", ONE) == "blocks"
