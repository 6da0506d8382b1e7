"""Windows against the whole result: every stage, pooled by plain loops over the full matrices."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from attention import (
    Result,
    SpecificationError,
    Window,
    attend,
    stage_size,
    view,
    window_work,
)

T, E, H, K = 37, 12, 6, 2
MASKS: dict[str, dict[str, Any]] = {
    "none": {},
    "causal": {"masks": [{"kind": "causal"}]},
    "everything": {
        "masks": [
            {"kind": "window", "left": 5, "right": 2},
            {"kind": "padding", "lengths": [T - 3, T - 9]},
            {"kind": "matrix", "convention": "additive",
             "values": np.where(np.arange(T) % 7 == 3, -np.inf, 0.25)},
        ],
        "biases": [{"kind": "alibi"}],
        "sinks": [0.1, -0.5, 2.0, 0.0, 1.0, 0.3],
        "dropout": {"p": 0.3, "seed": 5},
        "fully_masked": "uniform",
        "softcap": 1.5,
    },
    "left padding": {
        "masks": [
            {"kind": "padding", "keep": np.arange(T)[None] >= np.array([[0], [11]])},
            {"kind": "causal"},
        ],
    },
    "prefix": {
        "masks": [
            {"kind": "prefix", "length": [4, 9], "offset": [-2, -6]},
            {"kind": "window", "left": 6, "right": None},
        ],
    },
    "blind rows are NaN": {"masks": [{"kind": "causal", "offset": -5}], "fully_masked": "nan"},
    "late": {"masks": [{"kind": "causal"}], "mask_order": "after_softmax"},
    "finite fill": {"masks": [{"kind": "causal"}], "fill": -2.0},
}  # fmt: skip
STAGES = [
    "q", "k", "v", "scores", "masked_scores", "weights", "heads", "output", "allowed", "logsumexp",
]  # fmt: skip


@pytest.fixture(params=["whole rows", "tiles"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows worked on whole, and in tiles that fit no length here."""
    if request.param == "tiles":
        for name, size in (("WHOLE_KEYS", 0), ("ROWS", 7), ("KEYS", 11)):
            monkeypatch.setattr(f"attention.tiles.{name}", size)


@cache
def result_of(name: str) -> Result:
    x = torch.from_numpy(np.random.default_rng(11).standard_normal((2, T, E)))
    return attend(x, num_heads=H, num_kv_heads=K, dtype="float64", **MASKS[name])


def matrix_of(result: Result, stage: str, batch: int, head: int) -> tuple[Any, Any]:
    """One head's full picture and which pairs are masked, from the whole result."""
    full = getattr(result, stage)
    shared = stage == "output"
    plain = full[batch] if shared else full[batch, min(head, full.shape[1] - 1)]
    plain = plain.double().numpy()
    plain = plain[:, None] if plain.ndim == 1 else plain
    hidden = np.zeros(plain.shape, bool)
    if plain.shape == (T, T) and stage not in ("q", "k", "v", "heads"):
        hidden = ~result.allowed[batch, 0].numpy()
    return plain, hidden


def pooled(stage: str, cell: Any, hidden: Any, how: str) -> float:
    if stage == "scores":
        cell = cell[~hidden]
        if not cell.size:
            return -np.inf
    return float(cell.max() if how == "max" else cell.mean())


@pytest.mark.parametrize("name", list(MASKS))
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.usefixtures("sizes")
def test_an_unpooled_window_is_a_cut_of_the_whole(name: str, stage: str) -> None:
    result = result_of(name)
    head = 1 if stage in ("k", "v") else 4
    plain, hidden = matrix_of(result, stage, 1, head)
    if stage == "scores":
        plain = np.where(hidden, -np.inf, plain)
    found = view(result.task, Window(stage, 1, head, rows=(5, 31), max_rows=26))
    np.testing.assert_allclose(found.z, plain[5:31], atol=1e-12)
    np.testing.assert_array_equal(found.masked, hidden[5:31])
    assert (found.rows_total, found.cols_total) == plain.shape == stage_size(result.task, stage)


@pytest.mark.parametrize("name", list(MASKS))
@pytest.mark.parametrize("stage", ["scores", "masked_scores", "weights", "dropped_weights"])
@pytest.mark.parametrize("cols", [(0, 3), (9, 30), (34, 37)])
@pytest.mark.usefixtures("sizes")
def test_a_window_beside_what_is_visible_is_exact_too(
    name: str, stage: str, cols: tuple[int, int]
) -> None:
    result = result_of(name)
    if stage == "dropped_weights" and result.dropped_weights is None:
        stage = "weights"
    plain, hidden = matrix_of(result, stage, 1, 5)
    if stage == "scores":
        plain = np.where(hidden, -np.inf, plain)
    found = view(result.task, Window(stage, 1, 5, rows=(1, 33), cols=cols))
    here = (slice(1, 33), slice(*cols))
    np.testing.assert_allclose(found.z, plain[here], atol=1e-12)
    np.testing.assert_array_equal(found.masked, hidden[here])


@pytest.mark.parametrize("how", ["max", "mean"])
@pytest.mark.parametrize("name", list(MASKS))
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.usefixtures("sizes")
def test_pooled_cells_equal_loops_over_the_whole(name: str, stage: str, how: str) -> None:
    result = result_of(name)
    head = 1 if stage in ("k", "v") else 3
    plain, hidden = matrix_of(result, stage, 0, head)
    if stage == "masked_scores" and how == "mean" and np.isinf(plain).any():
        plain = np.where(np.isinf(plain), -np.inf, plain)
    window = Window(stage, 0, head, rows=(2, T), max_rows=8, max_cols=5, reduce=how)
    found = view(result.task, window)
    assert found.rows.edges[0] == 2 and found.rows.edges[-1] == T
    assert len(found.rows.edges) <= 9 and len(found.cols.edges) <= 6
    for i, (a, b) in enumerate(zip(found.rows.edges, found.rows.edges[1:], strict=False)):
        for j, (c, d) in enumerate(zip(found.cols.edges, found.cols.edges[1:], strict=False)):
            expected = pooled(stage, plain[a:b, c:d], hidden[a:b, c:d], how)
            assert found.z[i, j].item() == pytest.approx(expected, abs=1e-12, nan_ok=True), (
                stage,
                i,
                j,
            )
            assert found.masked[i, j].item() == pytest.approx(hidden[a:b, c:d].mean())


def test_tiles_shorter_than_a_cell_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("causal")
    window = Window("weights", 1, 2, max_rows=3, max_cols=4)
    whole = view(result.task, window)
    for size in ("WHOLE_KEYS", "ROWS", "KEYS"):
        monkeypatch.setattr(f"attention.tiles.{size}", 0 if size == "WHOLE_KEYS" else 5)
    for how in ("max", "mean"):
        window = Window("weights", 1, 2, max_rows=3, max_cols=4, reduce=how)
        by_strips = view(result.task, window)
        if how == "max":
            torch.testing.assert_close(by_strips.z, whole.z, rtol=1e-14, atol=1e-15)
        assert torch.equal(by_strips.masked, whole.masked)
        plain, _ = matrix_of(result, "weights", 1, 2)
        edges = by_strips.rows.edges
        first = plain[edges[0] : edges[1], : by_strips.cols.edges[1]]
        expected = first.max() if how == "max" else first.mean()
        assert by_strips.z[0, 0].item() == pytest.approx(expected)


ODD: dict[str, Any] = {
    "a score is NaN": ("nan", {"masks": [{"kind": "causal"}]}),
    "a score is infinite": ("inf", {"masks": [{"kind": "causal"}]}),
    "a row's scores are all -Infinity": ("-inf", {"masks": [{"kind": "causal"}]}),
    "the sink is infinite": ("0", {"sinks": [float("inf")]}),
    "the sink outweighs everything": ("0", {"sinks": [900.0]}),
}


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("name", list(ODD))
@pytest.mark.parametrize("policy", ["zero", "nan", "uniform"])
@pytest.mark.parametrize("stage", ["weights", "heads", "logsumexp"])
def test_what_is_not_finite_is_so_in_every_window(name: str, policy: str, stage: str) -> None:
    number, fields = ODD[name]
    x = torch.from_numpy(np.random.default_rng(3).standard_normal((T, 5)))
    bias = torch.zeros(T, T, dtype=torch.float64)
    bias[20, :] = float(number) if number == "-inf" else 0.0
    bias[20, 13] = float(number)
    result = attend(
        q=x, k=x, v=x, dtype="float64", fully_masked=policy,
        biases=[{"kind": "matrix", "values": bias}], **fields,
    )  # fmt: skip
    plain, _ = matrix_of(result, stage, 0, 0)
    found = view(result.task, Window(stage, max_rows=T, max_cols=T))
    np.testing.assert_allclose(found.z, plain, atol=1e-12)


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", ["none", "causal", "everything", "finite fill"])
def test_narrow_numbers_round_as_in_the_whole(name: str, dtype: str) -> None:
    x = torch.from_numpy(np.random.default_rng(11).standard_normal((2, T, E)))
    result = attend(x, num_heads=H, num_kv_heads=K, dtype=dtype, **MASKS[name])
    digits = torch.finfo(result.weights.dtype).eps
    for stage in ("weights", "heads"):
        plain, _ = matrix_of(result, stage, 1, 3)
        found = view(result.task, Window(stage, 1, 3, max_rows=T, max_cols=T))
        np.testing.assert_allclose(found.z, plain, rtol=8 * digits, atol=8 * digits)


def test_nan_reaches_the_cells_that_hold_it() -> None:
    x = torch.eye(4, dtype=torch.float64)
    v = x.clone()
    v[1, 2] = float("nan")
    result = attend(q=x, k=x, v=v, dtype="float64")
    found = view(result.task, Window("v", max_rows=2, max_cols=2))
    assert found.z.isnan().tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize(
    ("window", "name"),
    [
        (Window("wieghts"), "stage"),
        (Window("dropped_weights"), "stage"),
        (Window("weights", head=6), "head"),
        (Window("k", head=2), "head"),
        (Window("weights", batch=2), "batch"),
        (Window("weights", rows=(3, 3)), "rows"),
        (Window("weights", cols=(0, T + 1)), "cols"),
        (Window("weights", rows=(-1, 3)), "rows"),
    ],
)
def test_a_window_that_is_not_there_is_refused(window: Window, name: str) -> None:
    result = result_of("none")
    with pytest.raises(SpecificationError) as refusal:
        view(result.task, window)
    assert refusal.value.loc == (name,)


def test_the_work_of_a_window_is_what_it_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attention.tiles.WHOLE_KEYS", 0)
    x = torch.randn(1, 1, 23, 4, generator=torch.Generator().manual_seed(2))
    task = attend(q=x, k=x, v=x).task
    small = Window("weights", rows=(2, 7), cols=(1, 4))
    assert window_work(task, small) == (15, 5 * 23 * 4)
    assert window_work(task, Window("scores", rows=(2, 7), cols=(1, 4))) == (15, 5 * 3 * 4)
    view(task, Window("weights", rows=(0, 9)))
    assert window_work(task, small) == (15, 5 * 3 * 4)
    assert window_work(task, Window("weights", rows=(8, 10)))[1] == 2 * 23 * 4
