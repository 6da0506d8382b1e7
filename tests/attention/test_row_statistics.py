"""Rows described in one pass over tiles, against loops over the whole weights."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from attention import SpecificationError, attend, row_statistics

T, E, H, K = 31, 12, 6, 2
RUNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"masks": [{"kind": "causal"}]},
    "padding": {"masks": [{"kind": "padding", "lengths": [T - 4, T - 11]}, {"kind": "causal"}]},
    "blind rows": {"masks": [{"kind": "causal", "offset": -6}], "fully_masked": "uniform"},
    "sinks": {"sinks": [0.1, -0.5, 2.0, 0.0, 1.0, 0.3], "biases": [{"kind": "alibi"}]},
    "late": {"masks": [{"kind": "window", "left": 4, "right": 1}], "mask_order": "after_softmax"},
    "cached": {
        "past_k": np.random.default_rng(1).standard_normal((2, K, 5, 2)),
        "past_v": np.random.default_rng(2).standard_normal((2, K, 5, 2)),
        "masks": [{"kind": "causal"}],
    },
}


@pytest.fixture(params=["whole rows", "tiles"], autouse=True)
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "tiles":
        for name, size in (("WHOLE_KEYS", 0), ("ROWS", 7), ("KEYS", 5)):
            monkeypatch.setattr(f"attention.tiles.{name}", size)


def described(row: list[float], query: int, P: int) -> tuple[float, float, float, float]:
    return (
        -sum(w * math.log(w) for w in row if w > 0),
        sum(w * abs(query + P - key) for key, w in enumerate(row)),
        row[0],
        max(row),
    )


@pytest.mark.parametrize("name", list(RUNS))
def test_every_row_is_described_as_loops_over_its_weights_do(name: str) -> None:
    x = torch.from_numpy(np.random.default_rng(5).standard_normal((2, T, E)))
    run = attend(x, num_heads=H, num_kv_heads=K, dtype="float64", **RUNS[name])
    found = row_statistics(run.task, batch=1, rows=(3, T), max_rows=T)
    names = ("entropy", "mean_distance", "first_key_weight", "largest_weight")
    assert tuple(found.of) == names
    lengths = {"padding": T - 11}.get(name, T)
    for head in range(H):
        for i, query in enumerate(range(3, T)):
            row = run.weights[1, head, query].tolist()
            counts = bool(run.allowed[1, 0, query].any()) and query < lengths
            assert int(found.counted[head, i]) == counts
            expected = described(row, query, run.layout.P) if counts else (math.nan,) * 4
            got = [float(found.of[statistic][head, i]) for statistic in names]
            assert got == pytest.approx(expected, abs=1e-11, nan_ok=True), (head, query)


@pytest.mark.parametrize("name", list(RUNS))
def test_the_means_are_those_of_the_whole_result(name: str) -> None:
    x = torch.from_numpy(np.random.default_rng(6).standard_normal((2, T, E)))
    run = attend(x, num_heads=H, num_kv_heads=K, dtype="float64", **RUNS[name])
    found = row_statistics(run.task, max_rows=4)
    assert found.rows.edges == [0, 8, 16, 24, T]
    for statistic, means in found.means.items():
        torch.testing.assert_close(means, getattr(run, statistic)[0], rtol=1e-11, atol=1e-11)
        of = found.of[statistic].nan_to_num()
        total = (of * found.counted).sum(-1) / found.counted.sum(-1)
        torch.testing.assert_close(total, means, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_fewer_digits_are_kept_as_they_are(dtype: str) -> None:
    x = torch.from_numpy(np.random.default_rng(7).standard_normal((1, T, E)))
    run = attend(x, num_heads=H, dtype=dtype, masks=[{"kind": "causal"}])
    found = row_statistics(run.task)
    for statistic, means in found.means.items():
        torch.testing.assert_close(means, getattr(run, statistic)[0], rtol=2e-5, atol=2e-5)


def test_heads_can_be_chosen() -> None:
    run = attend(np.ones((3, 4)), num_heads=4, projection={"kind": "random", "seed": 1})
    found = row_statistics(run.task, heads=[2, 0])
    assert found.heads == (2, 0)
    expected = run.entropy[0, [2, 0]]
    torch.testing.assert_close(found.means["entropy"], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("fields", "name"),
    [({"batch": 1}, "batch"), ({"heads": [0, 4]}, "heads"), ({"rows": (2, 2)}, "rows")],
)
def test_what_is_not_there_is_refused(fields: dict[str, Any], name: str) -> None:
    run = attend(np.ones((3, 4)), num_heads=4)
    with pytest.raises(SpecificationError) as refusal:
        row_statistics(run.task, **fields)
    assert refusal.value.loc == (name,)
