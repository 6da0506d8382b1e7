"""Two ways of saying the same attention give the same numbers."""

from typing import Any

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import attend
from tests.properties.specifications import Shape, generators, masks, shapes, specifications

EXACT = {"rtol": 0, "atol": 1e-12, "equal_nan": True}


def drawn_heads(shape: Shape, rng: np.random.Generator) -> dict[str, Any]:
    S = shape.sizes.S
    return {
        "q": rng.normal(size=(shape.B, shape.H, shape.T, shape.D)),
        "k": rng.normal(size=(shape.B, shape.K, S, shape.D)),
        "v": rng.normal(size=(shape.B, shape.K, S, shape.Dv)),
        "dtype": "float64",
    }


def assert_same(a: Any, b: Any) -> None:
    for name in ("scores", "masked_scores", "weights", "heads", "output", "logsumexp"):
        torch.testing.assert_close(getattr(a, name), getattr(b, name), **EXACT)


@settings(max_examples=60, deadline=None)
@given(shape=shapes(), rng=generators(), data=st.data())
def test_grouped_queries_equal_heads_whose_keys_and_values_are_repeated(
    shape: Shape, rng: np.random.Generator, data: st.DataObject
) -> None:
    grouped = drawn_heads(shape, rng)
    mask = data.draw(masks(shape._replace(P=0, N=shape.sizes.S), rng))
    repeated = {
        **grouped,
        "k": np.repeat(grouped["k"], shape.H // shape.K, axis=1),
        "v": np.repeat(grouped["v"], shape.H // shape.K, axis=1),
    }
    ours = attend(**grouped, masks=[mask])
    assert_same(ours, attend(**repeated, masks=[mask]))
    assert ours.k.shape[1] == ours.v.shape[1] == shape.K


@settings(max_examples=40, deadline=None)
@given(shape=shapes(), rng=generators())
def test_multi_query_equals_grouped_queries_with_one_kv_head(
    shape: Shape, rng: np.random.Generator
) -> None:
    x = rng.normal(size=(shape.B, shape.T, 3))
    given_weights = {
        "kind": "given",
        "w_q": rng.normal(size=(shape.H * shape.D, 3)),
        "w_k": rng.normal(size=(shape.D, 3)),
        "w_v": rng.normal(size=(shape.Dv, 3)),
    }
    common = {"num_heads": shape.H, "head_dim": shape.D, "value_dim": shape.Dv}
    one = attend(x, num_kv_heads=1, projection=given_weights, dtype="float64", **common)
    stacked = {
        **given_weights,
        "w_k": np.tile(given_weights["w_k"], (shape.H, 1)),
        "w_v": np.tile(given_weights["w_v"], (shape.H, 1)),
    }
    assert_same(one, attend(x, projection=stacked, dtype="float64", **common))
    assert one.layout.kind == ("mha" if shape.H == 1 else "mqa")


@settings(max_examples=60, deadline=None)
@given(shape=shapes(), rng=generators(), offset=st.integers(-3, 7))
def test_causal_equals_a_window_with_an_open_left_side(
    shape: Shape, rng: np.random.Generator, offset: int
) -> None:
    heads = drawn_heads(shape, rng)
    causal = {"kind": "causal", "offset": offset}
    window = {"kind": "window", "left": None, "right": 0, "offset": offset}
    prefix = {"kind": "prefix", "length": 0, "offset": offset}
    ours = attend(**heads, masks=[causal])
    assert_same(ours, attend(**heads, masks=[window]))
    assert_same(ours, attend(**heads, masks=[prefix]))


@settings(max_examples=60, deadline=None)
@given(shape=shapes(), rng=generators(), data=st.data())
def test_a_cache_and_the_last_queries_equal_the_last_rows_of_the_full_pass(
    shape: Shape, rng: np.random.Generator, data: st.DataObject
) -> None:
    """Also with rotary positions and ALiBi, which count on from the cache's length."""
    N = shape.sizes.S + 1
    P = data.draw(st.integers(1, N - 1))
    shape = shape._replace(T=N, N=N, P=0)
    full = drawn_heads(shape, rng)
    fields: dict[str, Any] = {"masks": [{"kind": "causal"}, {"kind": "window", "left": 2}]}
    fields["biases"] = [{"kind": "alibi"}]
    rope = {"style": data.draw(st.sampled_from(["half", "interleaved"])), "base": 100.0}
    if shape.D % 2 == 0:
        fields["rope"] = rope
    whole = attend(**full, **fields)
    cached = attend(
        q=full["q"][:, :, P:],
        k=full["k"][:, :, P:],
        v=full["v"][:, :, P:],
        past_k=whole.k[:, :, :P],
        past_v=whole.v[:, :, :P],
        dtype="float64",
        **fields,
    )
    torch.testing.assert_close(cached.k, whole.k, **EXACT)
    for name in ("scores", "weights", "heads"):
        torch.testing.assert_close(getattr(cached, name), getattr(whole, name)[:, :, P:], **EXACT)
    torch.testing.assert_close(cached.output, whole.output[:, P:], **EXACT)


@settings(max_examples=40, deadline=None)
@given(spec=specifications())
def test_naming_every_default_changes_nothing(spec: dict[str, Any]) -> None:
    defaults = {
        "biases": [],
        "masks": [],
        "fill": "-Infinity",
        "mask_order": "before_softmax",
        "fully_masked": "zero",
    }
    assert_same(attend(**spec), attend(**{**defaults, **spec}))


@settings(max_examples=40, deadline=None)
@given(shape=shapes(), rng=generators(), data=st.data())
def test_the_order_of_masks_does_not_matter(
    shape: Shape, rng: np.random.Generator, data: st.DataObject
) -> None:
    shape = shape._replace(P=0, N=shape.sizes.S)
    chosen = data.draw(st.lists(masks(shape, rng), min_size=2, max_size=3))
    heads = drawn_heads(shape, rng)
    forwards, backwards = attend(**heads, masks=chosen), attend(**heads, masks=chosen[::-1])
    assert (
        forwards.allowed.expand_as(forwards.weights)
        == backwards.allowed.expand_as(backwards.weights)
    ).all()
    torch.testing.assert_close(forwards.weights, backwards.weights, **EXACT)


@settings(max_examples=40, deadline=None)
@given(shape=shapes(), rng=generators(), data=st.data())
def test_several_masks_allow_what_each_of_them_allows(
    shape: Shape, rng: np.random.Generator, data: st.DataObject
) -> None:
    shape = shape._replace(P=0, N=shape.sizes.S)
    chosen = data.draw(st.lists(masks(shape, rng), min_size=1, max_size=3))
    heads = drawn_heads(shape, rng)
    together = attend(**heads, masks=chosen)
    alone = [attend(**heads, masks=[mask]).allowed.bool() for mask in chosen]
    full = together.weights.shape
    every = torch.stack([allowed.expand(full) for allowed in alone]).all(0)
    assert (together.allowed.bool().expand(full) == every).all()
    bits = together.blocked_by.expand(full)
    for index, allowed in enumerate(alone):
        assert (((bits >> index) & 1).bool() == ~allowed.expand(full)).all()
