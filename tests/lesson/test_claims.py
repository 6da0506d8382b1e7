"""What the lesson says of its states, each statement against numbers from elsewhere.

By hand, from the formulas written out in NumPy here, from torch's own functions and from
transformers; the numbers of scores' variance, the softmax's derivative, tiles and linear attention
have files of their own beside this one.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from transformers.models.llama.modeling_llama import eager_attention_forward

from tests.conftest import Tensors
from tests.lesson.conftest import State

Run = Callable[..., Tensors]
Array = NDArray[Any]


def softmax(scores: Array) -> Array:
    shares: Array = np.exp(scores - scores.max(-1, keepdims=True))
    weights: Array = shares / shares.sum(-1, keepdims=True)
    return weights


def plain(spec: dict[str, Any]) -> tuple[Array, Array]:
    """Weights and mixed values of q, k and v given as lists, straight from the formula."""
    q, k, v = (np.array(spec[name], dtype=float) for name in "qkv")
    weights = softmax(q @ k.T * spec.get("scale", q.shape[-1] ** -0.5))
    return weights, weights @ v


def test_other_values_leave_the_weights_as_they_are_and_other_keys_do_not(
    run: Run, state: State
) -> None:
    given, values, keys = (run("match_and_mix", t) for t in ("", "other_values", "other_keys"))
    np.testing.assert_array_equal(values["weights"], given["weights"])
    assert np.abs(values["heads"] - given["heads"]).max() > 1
    assert np.abs(keys["weights"] - given["weights"]).max() > 0.5
    for tried, found in (("", given), ("other_values", values), ("other_keys", keys)):
        weights, mixed = plain(state("match_and_mix", tried))
        np.testing.assert_allclose(found["weights"][0, 0], weights, atol=1e-6)
        np.testing.assert_allclose(found["heads"][0, 0], mixed, atol=1e-5)


def test_every_stage_has_the_shape_that_its_axes_say(client: TestClient, state: State) -> None:
    T, E = 5, 6
    for tried, H, K, D, Dv in (
        ("", 3, 3, 2, 2),
        ("one_head", 1, 1, 6, 6),
        ("wide_heads", 3, 3, 7, 4),
        ("kv_shared", 3, 1, 2, 2),
    ):
        answer = client.post("/api/attention?include=q", json=state("shapes", tried)).json()
        shapes = {step["name"]: step["shape"] for step in answer["steps"]}
        expected = {
            "q": [1, H, T, D], "k": [1, K, T, D], "v": [1, K, T, Dv], "scores": [1, H, T, T],
            "weights": [1, H, T, T], "heads": [1, H, T, Dv], "output": [1, T, E],
        }  # fmt: skip
        assert {name: shapes[name] for name in expected} == expected


def test_the_case_by_hand_is_what_paper_gives(run: Run) -> None:
    found = run("by_hand", include="dot_products,scores,weights,output")
    products = [[1, 0, 1], [0, 1, 1], [1, 1, 2]]
    np.testing.assert_array_equal(found["dot_products"][0, 0], products)
    np.testing.assert_allclose(found["scores"][0, 0], np.array(products) / math.sqrt(2), rtol=1e-6)
    near, own = math.exp(1 / math.sqrt(2)), math.exp(2 / math.sqrt(2))
    total = 2 * near + own
    np.testing.assert_allclose(
        found["weights"][0, 0, 2], [near / total, near / total, own / total], rtol=1e-6
    )
    assert np.round(found["weights"][0, 0, 2], 3).tolist() == pytest.approx([0.248, 0.248, 0.503])
    assert np.round(found["output"][0, 2], 3).tolist() == pytest.approx([0.752, 1.000])
    assert pytest.approx(0.751) == 0.248 + 0.503 and pytest.approx(0.999) == 2 * 0.248 + 0.503


def test_dividing_softens_the_rows_of_wide_heads(run: Run) -> None:
    largest = {
        tried: float(run("scale", tried)["weights"].max(-1).mean())
        for tried in ("", "unscaled", "wide", "narrow")
    }
    assert largest["unscaled"] > 0.85 and largest["wide"] > 0.85
    assert largest[""] < 0.5 and largest["narrow"] < largest["unscaled"]
    assert float(run("scale")["scores"].var(ddof=1)) == pytest.approx(1, abs=0.5)
    assert float(run("scale", "unscaled")["scores"].var(ddof=1)) == pytest.approx(64, rel=0.5)
    assert float(run("scale", "wide")["scores"].var(ddof=1)) == pytest.approx(512, rel=0.5)


def test_the_rows_that_saturate_are_the_textbooks(run: Run) -> None:
    found = run("saturation")
    scores = np.array([[0.2, 0.5, 0.8], [2, 5, 8], [20, 50, 80]])
    np.testing.assert_allclose(found["scores"][0, 0], scores, rtol=1e-6)
    np.testing.assert_allclose(found["weights"][0, 0], softmax(scores), rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(
        run("saturation", "divided")["weights"][0, 0, 1], softmax(scores[0]), rtol=1e-5
    )


def test_rows_sum_to_one_columns_do_not_and_nothing_is_symmetric_but_the_scores(run: Run) -> None:
    found = run("rows")
    scores, weights = found["scores"][0, 0], found["weights"][0, 0]
    np.testing.assert_array_equal(scores, scores.T)
    assert np.abs(weights - weights.T).max() > 0.4
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)
    assert np.abs(weights.sum(0) - 1).max() > 0.5
    assert weights.sum(0).sum() == pytest.approx(4, abs=1e-5)


def test_masked_after_the_softmax_two_tenths_and_three_sum_to_a_half(run: Run) -> None:
    before, after, bare = (run("mask_order", tried) for tried in ("", "after", "no_mask"))
    np.testing.assert_allclose(bare["weights"][0, 0, 0], [0.2, 0.3, 0.5], atol=1e-6)
    np.testing.assert_allclose(before["weights"][0, 0, 0], [0.4, 0.6, 0], atol=1e-6)
    np.testing.assert_allclose(after["weights"][0, 0, 0], [0.2, 0.3, 0], atol=1e-6)
    assert after["row_sums"].item() == pytest.approx(0.5, abs=1e-6)


def test_a_hidden_score_leaks_when_masked_after_the_softmax_and_not_before(
    run: Run, state: State
) -> None:
    """The hidden key made three times as strong: 0.2 and 0.3 of 2 instead of 1."""
    k = [*state("mask_order")["k"][:2], [math.log(1.5)]]
    np.testing.assert_allclose(
        run("mask_order", k=k)["weights"][0, 0, 0, :2], [0.4, 0.6], atol=1e-6
    )
    leaked = run("mask_order", "after", k=k)["weights"][0, 0, 0, :2]
    np.testing.assert_allclose(leaked, [0.1, 0.15], atol=1e-6)


def test_causal_or_padding_blocks_what_either_blocks(run: Run) -> None:
    allowed = run("combine", include="allowed,weights")["allowed"][:, 0].astype(bool)
    query, key = np.indices((5, 5))
    for item, length in enumerate((5, 3)):
        blocked = (key > query) | (key >= length)
        np.testing.assert_array_equal(allowed[item], ~blocked)
    assert allowed[1].sum() == 12
    bits = run("combine", include="blocked_by,weights")["blocked_by"][1, 0]
    assert ((bits == 3).sum(), (bits == 1).sum(), (bits == 2).sum()) == (7, 3, 3)


def blind_run() -> tuple[Array, dict[str, Array]]:
    """A left-padded causal row in torch: what sees what, and what its functions return."""
    torch.manual_seed(3)
    x = torch.randn(1, 1, 5, 4)
    query, key = np.indices((5, 5))
    allowed = (key <= query) & (key >= 2)
    mask = torch.from_numpy(allowed)[None, None]
    fused = scaled_dot_product_attention(x, x, x, attn_mask=mask)
    layer = nn.MultiheadAttention(4, 1, batch_first=True)
    with torch.no_grad():
        _, module = layer(x[0], x[0], x[0], attn_mask=~mask[0, 0], need_weights=True)
    fill = torch.zeros(1, 1, 5, 5).masked_fill(~mask, torch.finfo(torch.float32).min)
    holder = nn.Module()
    holder.num_key_value_groups = 1  # type: ignore[assignment]
    _, eager = eager_attention_forward(holder, x, x, x, fill, scaling=0.5)  # type: ignore[no-untyped-call]
    formula = torch.softmax((x @ x.mT * 0.5).masked_fill(~mask, float("-inf")), -1)
    found = {"fused": fused, "module": module[None], "eager": eager, "formula": formula}
    return allowed, {name: tensor.numpy()[0, 0] for name, tensor in found.items()}


def test_rows_that_see_nothing_are_what_each_framework_really_returns(run: Run) -> None:
    """ONNX and JAX: tests/conformance runs their vectors, blind rows among them."""
    allowed, returned = blind_run()
    assert not allowed[:2].any() and allowed[2:].any(-1).all()
    assert (returned["fused"][:2] == 0).all()
    assert np.isnan(returned["module"][:2]).all()
    assert np.isnan(returned["formula"][:2]).all()
    np.testing.assert_allclose(returned["eager"][:2], 0.2, rtol=1e-6)
    for tried, expected in (("", 0.0), ("nan", np.nan), ("uniform", 0.2)):
        found = run("blind", tried)
        np.testing.assert_allclose(found["weights"][1, :, :2], expected, rtol=1e-6)
        assert np.isfinite(found["weights"][1, :, 2:]).all()


def test_one_boolean_array_is_read_both_ways_by_pytorch(run: Run, state: State) -> None:
    spec = state("conventions")
    array = torch.tensor(spec["masks"][0]["values"], dtype=torch.bool)
    q, k, v = (torch.tensor(spec[name], dtype=torch.float32)[None, None] for name in "qkv")
    fused = scaled_dot_product_attention(q, k, v, attn_mask=array)
    np.testing.assert_allclose(run("conventions")["heads"], fused.numpy(), atol=1e-6)
    layer = nn.MultiheadAttention(2, 1, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(2).repeat(3, 1))
        _, module = layer(q[0], k[0], v[0], attn_mask=array)
    found = run("conventions", "blocked")["weights"][0, 0]
    np.testing.assert_allclose(found[:3], module.numpy()[0, :3], atol=1e-6)
    assert np.isnan(module.numpy()[0, 3]).all() and (found[3] == 0).all()
    np.testing.assert_array_equal(found[:3] > 0, np.triu(np.ones((4, 4)), 1)[:3] > 0)


def test_other_weights_can_give_the_same_output(run: Run, state: State) -> None:
    spec = state("mixing")
    swapped = [spec["k"][1], spec["k"][0], spec["k"][2]]
    given, other = run("mixing"), run("mixing", k=swapped)
    assert np.abs(given["weights"] - other["weights"]).max() > 0.8
    np.testing.assert_array_equal(given["heads"], other["heads"])
    told = run("mixing", "other_values"), run("mixing", "other_values", k=swapped)
    assert np.abs(told[0]["heads"] - told[1]["heads"]).max() > 1


def test_heads_are_columns_of_one_projection(run: Run) -> None:
    split, wide = run("heads", include="q,weights"), run("heads", "one_head", include="q,weights")
    for h in range(4):
        np.testing.assert_array_equal(split["q"][0, h], wide["q"][0, 0, :, 3 * h : 3 * h + 3])
    assert np.abs(split["weights"][0, 0] - split["weights"][0, 1]).max() > 0.1


def test_as_many_parameters_stand_in_one_head_as_in_four(client: TestClient, state: State) -> None:
    """W_q, W_k, W_v and W_o are 12 × 12 however they are cut."""
    for tried in ("", "one_head", "twelve_heads"):
        costs = client.post("/api/costs", json={"spec": state("heads", tried)}).json()
        assert costs["siblings"]["mha"]["parameters"] == 4 * 12 * 12


def test_untrained_heads_have_patterns_too(run: Run) -> None:
    """No row of a uniform causal head gives its largest key so much: that would be 1/(t + 1)."""
    uniform = np.mean([1 / (t + 1) for t in range(6)])
    for tried in ("", "other_seed", "third_seed"):
        largest = run("patterns", tried)["weights"].max(-1).mean(-1)[0]
        assert largest.max() > uniform + 0.15, tried
        assert largest.max() - largest.min() > 0.05, tried


def test_query_heads_read_their_groups_kv_head(client: TestClient, run: Run, state: State) -> None:
    layout = client.post("/api/attention?include=q", json=state("sharing")).json()["layout"]
    assert layout["kv_head_of"] == [0, 0, 0, 0, 1, 1, 1, 1]
    found = run("sharing", include="q,k,scores")
    for h in range(8):
        expected = found["q"][0, h] @ found["k"][0, h // 4].T / math.sqrt(2)
        np.testing.assert_allclose(found["scores"][0, h], expected, rtol=1e-5, atol=1e-6)


def test_the_cache_of_a_model_shrinks_by_the_kv_heads(client: TestClient, state: State) -> None:
    cache = {"layers": 32, "batch": 1, "length": 4096, "dtype": "float16"}
    body = {"spec": state("sharing"), "cache": cache}
    found = client.post("/api/costs", json=body).json()["model_cache"]["bytes"]
    one_head = 32 * 4096 * (2 + 2) * 2
    assert found == {"mha": 8 * one_head, "gqa": 2 * one_head, "mqa": one_head}


def test_the_order_of_the_memory_changes_columns_and_no_output(run: Run) -> None:
    given, turned = run("cross"), run("cross", "reordered")
    np.testing.assert_allclose(turned["weights"], given["weights"][..., ::-1], atol=1e-6)
    np.testing.assert_allclose(turned["output"], given["output"], atol=1e-6)
    np.testing.assert_array_equal(turned["q"], given["q"])
    assert given["weights"].shape[-2:] == (3, 5)


@pytest.mark.parametrize(("tried", "K"), [("mha", 4), ("", 2), ("mqa", 1)])
def test_decoding_gives_the_rows_of_the_one_pass(
    client: TestClient, run: Run, state: State, tried: str, K: int
) -> None:
    """The page's difference again, from both answers, with rotated positions."""
    spec = state("decoding", tried)
    assert spec["rope"] and spec["num_kv_heads"] == K
    whole = run("decoding", tried)
    steps = client.post("/api/decode", json={"spec": spec, "prefill": 1}).json()["steps"]
    for step in steps:
        t = step["position"]
        np.testing.assert_allclose(
            np.array(step["weights"])[0, :, 0], whole["weights"][0, :, t, : t + 1], atol=1e-5
        )
        np.testing.assert_allclose(np.array(step["output"])[0, 0], whole["output"][0, t], atol=1e-5)
        assert step["max_abs_difference_from_full"] < 1e-5
        assert step["cache"]["shape"] == [1, K, t + 1, 4]
        assert step["cache"]["bytes"] == K * (t + 1) * (4 + 4) * 4


def test_tiles_give_the_same_and_linear_attention_does_not(
    client: TestClient, state: State
) -> None:
    for step in ("flash", "linear"):
        spec = state(step)
        tiles = client.post("/api/lesson/tiles", json={"spec": spec, "tile": 8}).json()
        linear = client.post("/api/lesson/linear", json={"spec": spec}).json()
        assert tiles["max_abs_difference"] < 2e-6
        assert linear["max_abs_difference"]["heads"] > 0.5
        assert linear["max_abs_difference"]["reordered"] < 2e-6


def test_a_window_has_no_running_sum(client: TestClient, state: State) -> None:
    body = {"spec": state("linear", "window")}
    assert client.post("/api/lesson/linear", json=body).json()["reordered"] is None


def test_a_sink_takes_what_the_rows_of_the_checklist_lack(run: Run, state: State) -> None:
    spec = state("checklist")
    found = run("checklist", include="masked_scores,weights,logsumexp")
    scores = found["masked_scores"].astype(float)
    rest = np.exp(0.5) / (np.exp(0.5) + np.exp(scores).sum(-1))
    np.testing.assert_allclose(found["row_sums"], 1 - rest, atol=1e-5)
    assert len(spec["sinks"]) == 8 and (found["row_sums"] < 1).all()
