"""What POST /api/attention answers: names, shapes, both encodings and `include`."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.wire import array, strict_json, typed

B, T, S, H, K, D, Dv = 2, 3, 5, 6, 3, 7, 11
DEFAULT = {
    "q": (B, H, T, D),
    "k": (B, K, S, D),
    "v": (B, K, S, Dv),
    "scores": (B, H, T, S),
    "masked_scores": (B, H, T, S),
    "weights": (B, H, T, S),
    "heads": (B, H, T, Dv),
    "output": (B, T, 13),
    "allowed": (B, 1, T, S),
    "logsumexp": (B, H, T),
}


@pytest.fixture
def spec(rng: np.random.Generator) -> dict[str, Any]:
    """Cross-attention over a batch whose first query of item 1 sees nothing."""
    return {
        "x": rng.normal(size=(B, T, 13)).tolist(),
        "memory": rng.normal(size=(B, S, 2)).tolist(),
        "num_heads": H,
        "num_kv_heads": K,
        "head_dim": D,
        "value_dim": Dv,
        "masks": [{"kind": "causal", "offset": [0, -1]}],
    }


def post(client: TestClient, spec: Any, **query: str) -> Any:
    answer = client.post("/api/attention", json=spec, params=query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].split(";")[0] == "application/json"
    return strict_json(answer.content)


def test_the_answer_has_every_tensor_in_its_shape(client: TestClient, spec: dict[str, Any]) -> None:
    body = post(client, spec)
    assert {name: array(value).shape for name, value in body["tensors"].items()} == DEFAULT
    assert array(body["row_sums"]).shape == (B, H, T)
    assert set(body) >= {"layout", "steps", "tensors", "row_sums", "warnings", "tokens", "masks"}


def test_the_smallest_specification_of_the_contract_is_enough(client: TestClient) -> None:
    body = post(client, {"x": [[1, 0], [0, 1]], "num_heads": 1})
    assert array(body["tensors"]["weights"]).shape == (1, 1, 2, 2)
    assert array(body["tensors"]["output"]).shape == (1, 2, 2)


def test_the_layout_says_which_kv_head_each_query_head_reads(
    client: TestClient, spec: dict[str, Any]
) -> None:
    assert post(client, spec)["layout"] == {
        "kind": "gqa",
        "num_heads": 6,
        "num_kv_heads": 3,
        "kv_head_of": [0, 0, 1, 1, 2, 2],
        "head_dim": D,
        "value_dim": Dv,
        "cross": True,
    }


@pytest.mark.parametrize(
    ("kv_heads", "kind", "reads"), [(6, "mha", [0, 1, 2, 3, 4, 5]), (1, "mqa", [0] * 6)]
)
def test_the_layout_follows_the_kv_heads(
    client: TestClient, spec: dict[str, Any], kv_heads: int, kind: str, reads: list[int]
) -> None:
    spec["num_kv_heads"] = kv_heads
    spec["memory"] = None
    layout = post(client, spec)["layout"]
    assert (layout["kind"], layout["kv_head_of"], layout["cross"]) == (kind, reads, False)


def test_lists_write_infinities_as_strings(client: TestClient, spec: dict[str, Any]) -> None:
    tensors = post(client, spec, encoding="list")["tensors"]
    assert tensors["masked_scores"][0][0][0][1:] == ["-Infinity"] * 4
    assert tensors["logsumexp"][1][0][0] == "-Infinity"
    assert tensors["allowed"][0][0] == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]


def test_lists_write_nan_as_a_string(client: TestClient, spec: dict[str, Any]) -> None:
    body = post(client, {**spec, "fully_masked": "nan"})
    assert body["tensors"]["weights"][1][0][0] == ["NaN"] * 5
    assert body["row_sums"][1][0][0] == "NaN"
    assert body["tensors"]["output"][1][0] == ["NaN"] * 13


def test_lists_write_each_non_finite_number_under_its_own_name(client: TestClient) -> None:
    q = [["Infinity"], ["-Infinity"], ["NaN"], [2]]
    spec = {"q": q, "k": [[3]], "v": [[1]], "scale": 1}
    tensors = post(client, spec)["tensors"]
    assert tensors["q"] == [[[["Infinity"], ["-Infinity"], ["NaN"], [2.0]]]]
    assert tensors["scores"] == [[[["Infinity"], ["-Infinity"], ["NaN"], [6.0]]]]


@pytest.mark.parametrize(
    ("dtype", "written"),
    [("float32", "f4"), ("float64", "f8"), ("float16", "f4"), ("bfloat16", "f4")],
)
def test_typed_arrays_hold_the_very_numbers_of_the_lists(
    client: TestClient, spec: dict[str, Any], dtype: str, written: str
) -> None:
    spec["dtype"] = dtype
    names = ",".join([*DEFAULT, "dot_products", "blocked_by"])
    lists = post(client, spec, encoding="list", include=names)
    base64 = post(client, spec, encoding="base64", include=names)
    for name, tensor in base64["tensors"].items():
        kinds = {"allowed": "u1", "blocked_by": "i4"}
        assert tensor["dtype"] == kinds.get(name, written) or name == "logsumexp", name
        assert tensor["shape"] == ",".join(str(n) for n in array(tensor).shape)
        listed = array(lists["tensors"][name]).astype(array(tensor).dtype)
        np.testing.assert_array_equal(listed, array(tensor), err_msg=name)
    np.testing.assert_allclose(array(lists["row_sums"]), array(base64["row_sums"]), rtol=1e-6)
    rest = {name for name in lists if name not in ("tensors", "row_sums")}
    assert {name: lists[name] for name in rest} == {name: base64[name] for name in rest}


def test_list_is_the_default_encoding(client: TestClient, spec: dict[str, Any]) -> None:
    assert post(client, spec) == post(client, spec, encoding="list")


def test_include_selects_tensors(client: TestClient, spec: dict[str, Any]) -> None:
    whole = post(client, spec)
    some = post(client, spec, include="weights,scores")
    assert set(some["tensors"]) == {"weights", "scores"}
    assert some["tensors"]["weights"] == whole["tensors"]["weights"]
    assert some["steps"] == whole["steps"]


def test_dot_products_and_blocked_by_come_on_request(
    client: TestClient, spec: dict[str, Any]
) -> None:
    spec["scale"] = 0.25
    tensors = post(client, spec, include="dot_products,scores,blocked_by,allowed")["tensors"]
    np.testing.assert_allclose(
        array(tensors["dot_products"]) / 4, array(tensors["scores"]), rtol=1e-6
    )
    assert ((array(tensors["blocked_by"]) == 0) == array(tensors["allowed"])).all()


@pytest.mark.parametrize("query", [{"include": "weights,wieghts"}, {"encoding": "xml"}])
def test_an_unknown_query_value_is_refused_with_the_known_ones(
    client: TestClient, spec: dict[str, Any], query: dict[str, str]
) -> None:
    answer = client.post("/api/attention", json=spec, params=query)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert ("weights" if "include" in query else "base64") in answer.text


def test_dropout_adds_the_weights_that_were_used(client: TestClient, spec: dict[str, Any]) -> None:
    plain = post(client, spec)["tensors"]
    dropped = post(client, {**spec, "dropout": {"p": 0.5, "seed": 1}})["tensors"]
    assert set(dropped) - set(plain) == {"dropped_weights"}
    assert dropped["weights"] == plain["weights"]
    used, before = array(dropped["dropped_weights"]), array(dropped["weights"])
    np.testing.assert_allclose(used[used > 0], 2 * before[used > 0], rtol=1e-6)
    assert (used == 0).sum() > (before == 0).sum()


def test_steps_follow_the_computation_with_formula_axes_shape_and_range(
    client: TestClient, spec: dict[str, Any]
) -> None:
    body = post(client, spec)
    names = [step["name"] for step in body["steps"]]
    order = ["q", "k", "v", "scores", "masked_scores", "weights", "heads", "output"]
    assert [name for name in names if name in order] == order
    for step in body["steps"]:
        assert set(step) == {"name", "formula", "axes", "shape", "min", "max"}
        tensor = array(body["tensors"][step["name"]])
        assert tuple(step["shape"]) == tensor.shape
        assert len(step["axes"]) == tensor.ndim
        finite = tensor[np.isfinite(tensor)]
        np.testing.assert_allclose([step["min"], step["max"]], [finite.min(), finite.max()], 1e-6)


def test_tokens_are_labels_of_queries_and_keys(client: TestClient, spec: dict[str, Any]) -> None:
    labels = ["the", "cat", "the"]
    keys = [["a", "b", "c", "d", "e"], ["v", "w", "x", "y", "z"]]
    body = post(client, {**spec, "tokens": labels, "memory_tokens": keys})
    assert body["tokens"] == {"queries": [labels, labels], "keys": keys}


def test_self_attention_labels_keys_as_queries_and_counts_where_no_label_is_given(
    client: TestClient,
) -> None:
    x = [[1, 0], [0, 1], [1, 1]]
    unnamed = post(client, {"x": x})["tokens"]
    assert unnamed == {"queries": [["t0", "t1", "t2"]], "keys": [["t0", "t1", "t2"]]}
    named = post(client, {"x": x, "tokens": ["a", "b", "a"]})["tokens"]
    assert named == {"queries": [["a", "b", "a"]], "keys": [["a", "b", "a"]]}


def test_masks_are_listed_with_index_and_kind(client: TestClient) -> None:
    masks = [{"kind": "window", "left": 1}, {"kind": "padding", "lengths": [2]}]
    listed = post(client, {"x": [[1], [2], [3]], "masks": masks})["masks"]
    assert [(mask["index"], mask["kind"]) for mask in listed] == [(0, "window"), (1, "padding")]
    assert all(mask["description"] for mask in listed)


def test_blind_rows_are_warned_of_for_every_head(client: TestClient, spec: dict[str, Any]) -> None:
    warnings = post(client, spec)["warnings"]
    (blind,) = [warning for warning in warnings if warning["code"] == "fully_masked_rows"]
    assert sorted(blind["rows"]) == [[1, h, 0] for h in range(H)]
    assert blind["message"]


def test_non_finite_inputs_are_accepted_and_reported(client: TestClient) -> None:
    body = post(client, {"x": [[1, "NaN"], ["Infinity", "-Infinity"]]})
    assert "non_finite_input" in [warning["code"] for warning in body["warnings"]]
    assert body["tensors"]["output"][0][0] == ["NaN", "NaN"]


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4", "i8", "u1"])
def test_a_tensor_may_be_typed_in_any_number_type(client: TestClient, dtype: str) -> None:
    x = np.array([[1, 2], [3, 4], [5, 6]])
    plain = post(client, {"x": x.tolist()})
    assert post(client, {"x": typed(x, dtype)}) == plain


def test_booleans_may_be_words_numbers_or_bytes(client: TestClient) -> None:
    values = np.array([[True, False, True]])
    forms = [values.tolist(), values.astype(int).tolist(), typed(values, "u1")]
    answers = [
        post(
            client,
            {
                "x": [[1], [2], [3]],
                "masks": [
                    {"kind": "matrix", "values": form, "convention": "allowed"},
                    {"kind": "padding", "keep": form},
                ],
            },
        )
        for form in forms
    ]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0]["tensors"]["allowed"] == [[[[1, 0, 1]] * 3]]


def test_a_null_field_is_an_absent_field(client: TestClient) -> None:
    bare = {"x": [[1, 2], [3, 4]]}
    nulls = dict.fromkeys(
        ("memory", "q", "rope", "qk_norm", "scale", "softcap", "dropout", "sinks")
    )
    assert post(client, {**bare, **nulls}) == post(client, bare)


def test_the_same_request_gets_the_same_bytes(client: TestClient, spec: dict[str, Any]) -> None:
    first, second = (client.post("/api/attention", json=spec).content for _ in range(2))
    assert first == second


def test_one_number_a_head_and_the_average_of_heads_come_when_asked(
    client: TestClient, spec: dict[str, Any]
) -> None:
    body = post(client, spec, include="weights,entropy,first_key_weight,average_weights")
    weights = array(body["tensors"]["weights"])
    np.testing.assert_allclose(body["tensors"]["average_weights"], weights.mean(1), atol=1e-6)
    assert array(body["tensors"]["entropy"]).shape == weights.shape[:2]
    assert set(body["tensors"]) == {"weights", "entropy", "first_key_weight", "average_weights"}
