"""Rows worked on in strips, each against the keys that it sees, against the plain formula."""

from typing import Any

import numpy as np
import pytest
import torch

from attention import attend

B, H, K, T, S, D = 2, 6, 3, 41, 47, 5
MASKS: dict[str, list[dict[str, Any]]] = {
    "causal": [{"kind": "causal"}],
    "causal from the end": [{"kind": "causal", "alignment": "bottom_right"}],
    "rows that see nothing": [{"kind": "causal", "offset": -11}],
    "a window": [{"kind": "window", "left": 3, "right": 2}],
    "a window beyond the keys": [{"kind": "window", "left": 4, "right": 1, "offset": 29}],
    "batch items that differ": [{"kind": "causal"}, {"kind": "padding", "lengths": [9, 31]}],
    "offsets that differ": [{"kind": "window", "left": 5, "right": 0, "offset": [0, 13]}],
    "nothing for anyone": [{"kind": "padding", "lengths": [0, 0]}],
}


def visible(name: str) -> np.ndarray[Any, Any]:
    """Who sees whom [B, T, S], from the wording of the masks."""
    query, key = np.arange(T)[:, None], np.arange(S)[None, :]
    lengths, offsets = np.array([9, 31])[:, None, None], np.array([0, 13])[:, None, None]
    one = {
        "causal": key <= query,
        "causal from the end": key <= query + S - T,
        "rows that see nothing": key <= query - 11,
        "a window": (key >= query - 3) & (key <= query + 2),
        "a window beyond the keys": (key >= query + 25) & (key <= query + 30),
        "batch items that differ": (key <= query) & (key < lengths),
        "offsets that differ": (key >= query + offsets - 5) & (key <= query + offsets),
        "nothing for anyone": np.zeros((T, S), bool),
    }[name]
    return np.broadcast_to(one, (B, T, S))


@pytest.fixture(autouse=True)
def every_run_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attention.strips.LEAST_CELLS", 0)


def drawn(dtype: str = "float64") -> tuple[np.ndarray[Any, Any], ...]:
    random = np.random.default_rng(23)
    shapes = (B, H, T, D), (B, K, S, D), (B, K, S, D)
    return tuple(random.standard_normal(shape).astype(dtype) for shape in shapes)


@pytest.mark.parametrize("policy", ["zero", "nan", "uniform"])
@pytest.mark.parametrize("sinks", [None, [0.1, -0.5, 2.0, 0.0, 1.0, 0.3]])
@pytest.mark.parametrize("name", list(MASKS))
def test_strips_give_what_the_plain_formula_gives(
    name: str, sinks: list[float] | None, policy: str
) -> None:
    q, k, v = drawn()
    keys, values = (np.repeat(part, H // K, axis=1) for part in (k, v))
    scores = np.einsum("bhtd,bhsd->bhts", q, keys) / np.sqrt(D)
    seen = visible(name)[:, None]
    powers = np.exp(scores) * seen
    total = powers.sum(-1, keepdims=True)
    if sinks is not None:
        total = total + np.exp(np.array(sinks))[None, :, None, None]
    empty = ~seen.any(-1, keepdims=True)
    settled = {"zero": 0.0, "nan": np.nan, "uniform": 1 / S}[policy]
    weights = np.where(empty, settled, powers / np.where(empty, 1, total))

    run = attend(
        q=q, k=k, v=v, masks=MASKS[name], sinks=sinks, fully_masked=policy, dtype="float64"
    )
    np.testing.assert_allclose(run.scores, scores, atol=1e-12)
    np.testing.assert_allclose(run.weights, weights, atol=1e-12)
    np.testing.assert_allclose(run.row_sums, weights.sum(-1), atol=1e-12)
    np.testing.assert_allclose(run.heads, weights @ values, atol=1e-12)
    np.testing.assert_array_equal(run.empty_rows, empty[..., 0])
    np.testing.assert_array_equal(run.allowed, np.broadcast_to(seen, run.allowed.shape))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_narrow_numbers_round_as_without_strips(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    q, k, v = drawn("float32")
    fields: dict[str, Any] = {"q": q, "k": k, "v": v, "masks": MASKS["causal"], "dtype": dtype}
    cut = attend(**fields)
    monkeypatch.setattr("attention.strips.LEAST_CELLS", 2**40)
    whole = attend(**fields)
    digits = torch.finfo(whole.weights.dtype).eps
    for name in ("weights", "heads"):
        torch.testing.assert_close(
            getattr(cut, name), getattr(whole, name), rtol=4 * digits, atol=4 * digits
        )


@pytest.mark.parametrize("place", ["q", "k", "v", "sinks"])
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_reaches_hidden_keys_as_without_strips(
    place: str, number: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    q, k, v = drawn()
    fields = {"q": q, "k": k, "v": v, "sinks": np.zeros(H), "masks": MASKS["causal"]}
    fields[place][(0,) * fields[place].ndim] = number
    cut = attend(**fields, dtype="float64")
    monkeypatch.setattr("attention.strips.LEAST_CELLS", 2**40)
    whole = attend(**fields, dtype="float64")
    for name in ("scores", "weights", "heads", "row_sums"):
        np.testing.assert_allclose(getattr(cut, name), getattr(whole, name), atol=1e-12)
    assert [w.code for w in cut.warnings] == [w.code for w in whole.warnings]


def test_large_numbers_are_looked_at_for_scores_that_overflow() -> None:
    """A bound on q·k that finite numbers exceed does not mean that a score does."""
    q = torch.full((1, 1, 3, 2), 1e20)
    run = attend(q=q, k=q, v=torch.ones(1, 1, 3, 2), masks=MASKS["causal"])
    assert [w.concerns for w in run.warnings if w.code == "overflow"] == ["scores"]
    apart = torch.tensor([[1e30, 0.0]] * 3)
    run = attend(q=apart, k=apart.flip(-1), v=torch.ones(3, 2), masks=MASKS["causal"])
    assert not run.warnings
