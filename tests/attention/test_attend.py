"""`from attention import attend`: the same names as the API, arrays of any kind."""

from typing import Any

import numpy as np
import pytest
import torch

from attention import attend

B, T, S, E, H, K = 2, 3, 5, 12, 6, 3
NAMES = ("q", "k", "v", "scores", "masked_scores", "weights", "heads", "output", "logsumexp")
ORDER = ("q", "k", "v", "scores", "masked_scores", "weights", "heads", "output")


@pytest.fixture
def x(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    return rng.normal(size=(B, T, E))


def as_lists(array: np.ndarray[Any, Any]) -> Any:
    return array.tolist()


@pytest.mark.parametrize("form", [torch.from_numpy, as_lists, np.asfortranarray, torch.tensor])
def test_tensors_arrays_and_lists_give_the_same_numbers(x: np.ndarray[Any, Any], form: Any) -> None:
    fields = {"num_heads": H, "num_kv_heads": K, "masks": [{"kind": "causal"}], "dtype": "float64"}
    plain, other = attend(x, **fields), attend(x=form(x), **fields)
    for name in NAMES:
        assert torch.equal(getattr(plain, name), getattr(other, name)), name


def test_a_strided_view_is_read_as_the_numbers_it_shows(x: np.ndarray[Any, Any]) -> None:
    wide = np.repeat(x, 2, axis=2)
    view = attend(wide[:, :, ::2], num_heads=H, dtype="float64")
    assert torch.equal(view.weights, attend(x, num_heads=H, dtype="float64").weights)
    turned = torch.from_numpy(x).transpose(0, 1)
    again = attend(turned, num_heads=H, dtype="float64")
    copy = attend(turned.contiguous(), num_heads=H, dtype="float64")
    torch.testing.assert_close(again.weights, copy.weights, rtol=0, atol=1e-12)


def test_every_result_has_a_batch_axis(x: np.ndarray[Any, Any]) -> None:
    single = attend(x[0], num_heads=H, num_kv_heads=K, value_dim=7, head_dim=5)
    shapes = {name: tuple(getattr(single, name).shape) for name in NAMES}
    assert shapes == {
        "q": (1, H, T, 5),
        "k": (1, K, T, 5),
        "v": (1, K, T, 7),
        "scores": (1, H, T, T),
        "masked_scores": (1, H, T, T),
        "weights": (1, H, T, T),
        "heads": (1, H, T, 7),
        "output": (1, T, E),
        "logsumexp": (1, H, T),
    }
    assert tuple(single.row_sums.shape) == (1, H, T)


def test_the_inputs_are_left_as_they_were(rng: np.random.Generator) -> None:
    q, k, v = (torch.from_numpy(rng.normal(size=(B, H, T, 4))).float() for _ in "qkv")
    before = [tensor.clone() for tensor in (q, k, v)]
    blocked = torch.eye(T, dtype=torch.bool)
    mask = {"kind": "matrix", "values": blocked, "convention": "blocked"}
    attend(q=q, k=k, v=v, masks=[mask], rope={"style": "half"}, qk_norm={})
    assert all(torch.equal(a, b) for a, b in zip(before, (q, k, v), strict=True))
    assert torch.equal(blocked, torch.eye(T, dtype=torch.bool))


def test_a_parameter_that_requires_a_gradient_is_accepted(x: np.ndarray[Any, Any]) -> None:
    linear = torch.nn.Linear(E, E, dtype=torch.float64)
    projection = {
        "kind": "given",
        "w_q": linear.weight,
        "w_k": linear.weight,
        "w_v": linear.weight,
        "b_q": linear.bias,
    }
    result = attend(x, num_heads=H, projection=projection, dtype="float64")
    expected = linear(torch.from_numpy(x)).detach()
    merged = result.q.detach().transpose(1, 2).reshape(B, T, E)
    torch.testing.assert_close(merged, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_dtype_asked_for_is_the_dtype_computed_in(x: np.ndarray[Any, Any], dtype: str) -> None:
    result = attend(x, num_heads=H, dtype=dtype)
    for name in ("q", "k", "v", "scores", "masked_scores", "weights", "heads", "output"):
        assert getattr(result, name).dtype == getattr(torch, dtype), name


def test_float32_is_the_default_whatever_comes_in(x: np.ndarray[Any, Any]) -> None:
    assert attend(x).weights.dtype == torch.float32
    assert attend(x.astype(np.int64)).weights.dtype == torch.float32
    assert attend(torch.from_numpy(x).half()).weights.dtype == torch.float32


def test_the_steps_stand_in_the_order_of_the_computation(x: np.ndarray[Any, Any]) -> None:
    result = attend(x, num_heads=H, masks=[{"kind": "causal"}])
    names = [step.name for step in result.steps]
    places = [names.index(name) for name in ORDER]
    assert places == sorted(places)
    for step in result.steps:
        tensor = getattr(result, step.name)
        assert tuple(step.shape) == tuple(tensor.shape)
        assert len(step.axes) == tensor.ndim
        assert step.formula


@pytest.mark.parametrize(
    ("heads", "kv_heads", "kind"), [(6, 6, "mha"), (6, 3, "gqa"), (6, 1, "mqa"), (1, 1, "mha")]
)
def test_the_layout_is_named_by_its_head_counts(
    x: np.ndarray[Any, Any], heads: int, kv_heads: int, kind: str
) -> None:
    assert attend(x, num_heads=heads, num_kv_heads=kv_heads).layout.kind == kind


def test_an_output_projection_of_another_width_sets_the_output_s_width(
    rng: np.random.Generator,
) -> None:
    projection = {
        "kind": "given",
        "w_q": rng.normal(size=(6, 2)),
        "w_k": rng.normal(size=(6, 2)),
        "w_v": rng.normal(size=(6, 2)),
        "w_o": rng.normal(size=(7, 6)),
        "b_o": np.arange(7),
    }
    result = attend(
        rng.normal(size=(T, 2)), num_heads=3, head_dim=2, projection=projection, dtype="float64"
    )
    merged = result.heads[0].permute(1, 0, 2).reshape(T, 6).numpy()
    expected = merged @ projection["w_o"].T + np.arange(7)
    np.testing.assert_allclose(result.output[0].numpy(), expected, rtol=0, atol=1e-12)
