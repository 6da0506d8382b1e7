"""What report cases state in words beside their numbers, and what needs a look of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from fastapi.testclient import TestClient

from .exchange import Array, Specification, post, send
from .mapping import reports
from .mapping.reports_inputs import same_weight_thrice
from .vectors import Tolerance, report

FLOAT16 = Tolerance(rtol=2e-3, atol=1e-3)
FLOAT32 = Tolerance(rtol=1e-5, atol=1e-6)
EXACT = Tolerance(rtol=1e-9, atol=1e-12)


def said(name: str, **changes: Any) -> Specification:
    return reports.specification(report(name)) | changes


def expected(name: str) -> Any:
    return report(name).facts["expected"]


def part(specification: Specification, tokens: slice) -> Specification:
    """The same heads with only some of their tokens."""
    heads = {name: specification[name][:, :, tokens] for name in ("q", "k", "v")}
    return specification | heads


def test_left_padded_tokens_get_what_the_same_tokens_get_alone(client: TestClient) -> None:
    case = report("left-padding-causal")
    alone = part(said(case.name), slice(2, 4)) | {"masks": [{"kind": "causal"}]}
    answer = post(client, alone, "list")
    rule = expected(case.name)["same_tokens_alone"]
    EXACT.check(answer.tensor("weights"), rule["weights"], "weights")
    EXACT.check(answer.tensor("heads"), rule["output"], "output")


def test_query_after_a_cache_gets_the_last_row_of_the_whole_sequence(client: TestClient) -> None:
    name = "kv-cache-decode-one-query"
    whole = said(name, q=np.asarray(expected(name)["full_sequence_q"]), masks=[{"kind": "causal"}])
    rows = post(client, whole, "list").tensor("heads")
    EXACT.check(rows, expected(name)["full_sequence_output"], "whole sequence")

    step = said(name, masks=[{"kind": "causal"}])
    cache = {f"past_{kind}": step[kind][:, :, :-1] for kind in "kv"}
    newest = {kind: step[kind][:, :, -1:] for kind in "kv"}
    answer = post(client, step | cache | newest, "base64")
    EXACT.check(answer.tensor("heads"), expected(name)["output"], "the step")
    EXACT.check(answer.tensor("heads")[:, :, 0], rows[:, :, -1], "last row")


def test_dimensions_reordered_turn_interleaved_pairs_into_halves(client: TestClient) -> None:
    name = "rope-interleaved-vs-half"
    order = [0, 2, 1, 3]
    reordered = {kind: said(name)[kind][..., order] for kind in "qk"}
    half = said(name, **reordered)
    half["rope"] = half["rope"] | {"style": "half"}
    answer = post(client, half, "base64")
    EXACT.check(answer.tensor("scores"), expected(name)["interleaved"]["scores"], "scores")


def test_largest_scores_keep_the_smallest_weight_in_float64(client: TestClient) -> None:
    """An absolute tolerance cannot see 4e-66."""
    name = "large-logits-naive-exp"
    weights = post(client, said(name), "list").tensor("weights")
    np.testing.assert_allclose(weights[0, 0, 1], expected(name)["weights"][0][0][1], rtol=1e-9)
    assert weights[0, 0, 0, 2] == 0.0


def test_largest_scores_overflow_nothing_in_float32(client: TestClient) -> None:
    name = "large-logits-naive-exp"
    answer = post(client, said(name, dtype="float32"), "base64")
    # One float32 step at 800 is 6e-5, and the weight follows the score's error.
    Tolerance(rtol=1e-4, atol=1e-6).check(
        answer.tensor("weights"), expected(name)["weights"], "weights"
    )
    assert not answer.warnings("non_finite_result")


def test_fill_that_float16_cannot_hold_blocks_and_is_told(client: TestClient) -> None:
    name = "float16-mask-fill-1e9"
    answer = post(client, said(name, dtype="float16", fill=-1e9), "list")
    FLOAT16.check(answer.tensor("weights"), expected(name)["weights"], "weights")
    FLOAT16.check(answer.tensor("heads"), expected(name)["output"], "output")
    assert np.isneginf(answer.tensor("masked_scores")[..., 1]).all()
    assert answer.warnings("overflow")


def test_same_fill_is_an_ordinary_number_in_wider_types(client: TestClient) -> None:
    name = "float16-mask-fill-1e9"
    for dtype, tolerance in (("float32", FLOAT32), ("float64", EXACT)):
        answer = post(client, said(name, dtype=dtype, fill=-1e9), "list")
        tolerance.check(answer.tensor("weights"), expected(name)["weights"], dtype)
        assert (answer.tensor("masked_scores")[..., 1] == -1e9).all()
        assert not answer.warnings("overflow")


def test_bfloat16_rounds_the_fill_to_its_nearest_number(client: TestClient) -> None:
    case = report("float16-mask-fill-1e9")
    rounded = case.facts["wrong"]["torch_2_13"]["bfloat16 masked_fill(-1e9)"][0]
    answer = post(client, said(case.name, dtype="bfloat16", fill=-1e9), "base64")
    assert (answer.tensor("masked_scores")[..., 1] == rounded).all()
    assert not answer.warnings("overflow")


def test_products_beyond_float16_show_as_infinite(client: TestClient) -> None:
    """The product is taken before the scale, so 90000 is beyond 65504 though 45000 is not."""
    case = report("float16-scores-overflow")
    wrong = case.facts["wrong"]
    answer = post(client, said(case.name, dtype="float16"), "list", "dot_products,weights")
    products = answer.tensor("dot_products")[0, 0]
    assert np.array_equal(products, np.asarray(wrong["float16_scores_before_scaling"], float))
    assert np.isnan(answer.tensor("weights")).all()
    assert answer.warnings("overflow") or answer.warnings("non_finite_result")


def test_float16_vectors_give_the_right_answer_in_wider_types(client: TestClient) -> None:
    """All numbers of the case are exact in float16, so they are sent as that."""
    name = "float16-scores-overflow"
    vectors = {kind: said(name)[kind].astype(np.float16) for kind in "qkv"}
    answer = post(client, said(name, **vectors), "base64")
    EXACT.check(answer.tensor("weights"), expected(name)["weights"], "weights")


def test_dropout_leaves_the_weights_alone_and_shows_what_multiplied_v(client: TestClient) -> None:
    """The report's own pattern of kept entries cannot be asked for: ours comes from a seed."""
    case = report("dropout-weights-do-not-sum-to-1")
    p = case.facts["input"]["dropout_p"]
    answer = post(client, said(case.name, dropout={"p": p, "seed": 3}), "list")
    EXACT.check(answer.tensor("weights"), expected(case.name)["weights"], "weights")
    assert all_kept_or_dropped(answer.tensor("dropped_weights"), answer.tensor("weights"), p)
    mixed = answer.tensor("dropped_weights") @ said(case.name)["v"]
    EXACT.check(answer.tensor("heads"), mixed, "dropped weights times v")


def all_kept_or_dropped(dropped: Array, weights: Array, p: float) -> bool:
    kept = np.isclose(dropped, weights / (1 - p), rtol=1e-9, atol=0)
    return bool((kept | (dropped == 0)).all())


def test_wide_conv1d_weight_as_a_linear_one_is_refused_with_its_shape(client: TestClient) -> None:
    case = report("gpt2-conv1d-weight-is-transposed")
    shape = expected(case.name)["non_square_example"]["weight_shape"]
    weight = same_weight_thrice(np.ones(shape))
    response = send(client, said(case.name) | weight, "list")
    assert response.status_code == 422
    assert all(str(size) in response.text for size in shape)


def test_head_counts_that_do_not_divide_are_refused_when_said_in_words(client: TestClient) -> None:
    """The same numbers with ``x``, where they are fields and not shapes."""
    case = report("gqa-3-query-2-kv-heads-rejected")
    counts = {name: case.facts["input"][name] for name in ("num_heads", "num_kv_heads")}
    response = send(client, {"x": np.ones((2, 6)), **counts}, "list")
    assert response.status_code == 422
    assert all(number in response.json()["detail"] for number in expected(case.name)["must_name"])
