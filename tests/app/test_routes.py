"""The routes beside the computing one: health, examples, documentation, the page, and none."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.wire import array

NAMES = [
    "hand_worked",
    "causal_4",
    "padded_batch",
    "left_padding_causal",
    "gqa_8_2",
    "mqa",
    "cross_3x5",
    "saturation",
    "stability",
    "readings",
]
LONG = ["long_causal", "long_window"]


def example(client: TestClient, name: str) -> dict[str, Any]:
    examples = client.get("/api/examples").json()["examples"]
    return next(entry["spec"] for entry in examples if entry["name"] == name)


def answer_of(client: TestClient, name: str) -> Any:
    answer = client.post("/api/attention", json=example(client, name))
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_routes_answer(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200


def test_the_examples_stand_in_the_order_of_the_menu(client: TestClient) -> None:
    examples = client.get("/api/examples").json()["examples"]
    assert [entry["name"] for entry in examples] == NAMES + LONG
    for entry in examples:
        assert set(entry) == {"name", "title", "description", "spec", "view"}
        assert entry["title"]
        assert entry["description"]


@pytest.mark.parametrize("name", NAMES)
def test_every_example_computes_finite_numbers(client: TestClient, name: str) -> None:
    tensors = answer_of(client, name)["tensors"]
    for tensor in ("weights", "heads", "output"):
        assert np.isfinite(array(tensors[tensor])).all()


@pytest.mark.parametrize("name", LONG)
def test_a_long_example_is_described_and_its_first_rows_are_computed(
    client: TestClient, name: str
) -> None:
    spec = example(client, name)
    plan = client.post("/api/describe", json={"spec": spec}).json()
    assert plan["layout"]["num_heads"] * len(plan["tokens"]["queries"][0]) ** 2 > 2**23
    fields = {"stage": "weights", "rows": [0, 5], "cols": [0, 7]}
    answer = client.post("/api/view", json={"spec": spec, **fields})
    assert answer.status_code == 200, answer.text
    z = array(answer.json()["z"])
    assert (z[np.triu_indices(5, 1, 7)] == 0).all() and (z[np.tril_indices(5)] > 0).all()


def test_the_causal_example_has_four_tokens_that_see_no_later_one(client: TestClient) -> None:
    allowed = array(answer_of(client, "causal_4")["tensors"]["allowed"])
    np.testing.assert_array_equal(allowed[0, 0], np.tril(np.ones((4, 4))))


def test_the_padded_batch_hides_keys_and_leaves_no_row_blind(client: TestClient) -> None:
    body = answer_of(client, "padded_batch")
    allowed = array(body["tensors"]["allowed"])
    assert allowed.shape[0] >= 2
    hidden = (allowed == 0).all(axis=(1, 2)).sum(axis=1)
    assert len(set(hidden.tolist())) > 1, "sequences of different lengths"
    assert "fully_masked_rows" not in [warning["code"] for warning in body["warnings"]]


def test_the_left_padded_example_opens_where_its_blind_rows_are(client: TestClient) -> None:
    examples = client.get("/api/examples").json()["examples"]
    (view,) = [entry["view"] for entry in examples if entry["name"] == "left_padding_causal"]
    blind = answer_of(client, "left_padding_causal")["warnings"][0]["rows"]
    assert {row[0] for row in blind} == {view["batch"]}


def test_the_left_padded_example_has_rows_that_see_nothing(client: TestClient) -> None:
    warnings = answer_of(client, "left_padding_causal")["warnings"]
    assert "fully_masked_rows" in [warning["code"] for warning in warnings]


def test_the_grouped_example_is_eight_heads_on_two_for_five_tokens_of_width_512(
    client: TestClient,
) -> None:
    body = answer_of(client, "gqa_8_2")
    assert np.array(example(client, "gqa_8_2")["x"]).shape[-2:] == (5, 512)
    assert body["layout"]["kv_head_of"] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert body["layout"]["head_dim"] == 64


def test_the_multi_query_example_has_one_kv_head(client: TestClient) -> None:
    layout = answer_of(client, "mqa")["layout"]
    assert layout["kind"] == "mqa"
    assert layout["num_heads"] > 1


def test_the_cross_example_has_three_queries_and_five_keys(client: TestClient) -> None:
    body = answer_of(client, "cross_3x5")
    assert array(body["tensors"]["weights"]).shape[-2:] == (3, 5)
    assert body["layout"]["cross"] is True


def test_the_saturated_example_puts_nearly_all_weight_on_one_key(client: TestClient) -> None:
    weights = array(answer_of(client, "saturation")["tensors"]["weights"])
    assert weights.max() > 0.95


def test_the_page_is_html_from_this_server(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "<html" in answer.text
    assert 'src="static/' in answer.text
    for elsewhere in ('src="http', 'href="http', "src='http", 'src="/', 'href="/'):
        assert elsewhere not in answer.text


def test_the_documentation_loads_nothing_from_another_host(client: TestClient) -> None:
    answer = client.get("/docs")
    assert answer.status_code == 200
    for elsewhere in ('src="http', 'src="//', 'stylesheet" href="http'):
        assert elsewhere not in answer.text


def routes(client: TestClient) -> list[tuple[str, str, dict[str, Any]]]:
    paths = client.get("/openapi.json").json()["paths"]
    return [(path, method, route) for path, item in paths.items() for method, route in item.items()]


def test_every_route_with_a_body_documents_bodies_that_really_answer(client: TestClient) -> None:
    tried = 0
    for path, method, route in routes(client):
        content = route.get("requestBody", {}).get("content", {}).get("application/json")
        # This one needs a model that is allowed: tests/texts/test_models_route.py tries it.
        if content is None or path == "/api/models/run":
            continue
        examples = [entry["value"] for entry in content.get("examples", {}).values()]
        examples += [content["example"]] if "example" in content else []
        assert examples, f"{method} {path} has no example body"
        for body in examples:
            answer = client.request(method, path, json=body)
            assert answer.status_code == 200, f"{method} {path}: {answer.text}"
            tried += 1
    assert tried >= 1
    assert "/api/attention" in {path for path, _, _ in routes(client)}


def test_unknown_query_parameters_are_refused_by_every_computing_route(client: TestClient) -> None:
    tried = 0
    for path, method, route in routes(client):
        content = route.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            continue
        body = next(iter(content["examples"].values()))["value"]
        answer = client.request(method, path, json=body, params={"encodng": "base64"})
        assert answer.status_code == 422, path
        (error,) = answer.json()["errors"]
        known = [parameter["name"] for parameter in route.get("parameters", [])]
        assert error["loc"] == ["encodng"]
        assert error["expected"] == (f"one of {', '.join(known)}" if known else "none")
        tried += 1
    assert tried >= 9


def test_every_route_is_documented_with_a_summary(client: TestClient) -> None:
    paths = {path for path, _, _ in routes(client)}
    assert {"/api/attention", "/api/examples", "/healthz", "/readyz"} <= paths
    assert all(route.get("summary") for _, _, route in routes(client))


def test_the_schema_names_every_field_of_the_specification(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    schemas = document["components"]["schemas"].values()
    fields = next(
        set(s["properties"]) for s in schemas if "fully_masked" in s.get("properties", {})
    )
    assert fields >= {
        *("x", "memory", "q", "k", "v", "past_k", "past_v", "tokens", "memory_tokens"),
        *("num_heads", "num_kv_heads", "head_dim", "value_dim", "projection", "qk_norm", "rope"),
        *("scale", "softcap", "biases", "masks", "sinks", "fill", "mask_order", "fully_masked"),
        *("dropout", "dtype"),
    }


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("POST", "/api/nowhere", 404),
        ("GET", "/static/nowhere.js", 404),
        ("GET", "/static/../pyproject.toml", 404),
        ("GET", "/static/%2e%2e/pyproject.toml", 404),
        ("GET", "/api/attention", 405),
        ("DELETE", "/api/examples", 405),
        ("PUT", "/healthz", 405),
        ("PATCH", "/", 405),
    ],
)
def test_unknown_routes_and_methods_are_problem_bodies(
    client: TestClient, method: str, path: str, status: int
) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert set(problem) >= {"type", "title", "status", "detail", "errors"}
    assert problem["status"] == status
    assert isinstance(problem["errors"], list)
    if status == 405:
        assert answer.headers["allow"]


def test_a_refusal_is_a_problem_body_whose_errors_have_four_parts(client: TestClient) -> None:
    answer = client.post("/api/attention", json={"x": [[1, 2], [3]]})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert set(problem) >= {"type", "title", "status", "detail", "errors"}
    assert problem["status"] == 422
    assert problem["title"]
    (error,) = problem["errors"]
    assert set(error) == {"loc", "message", "expected", "got"}
    assert error["loc"] == ["x", 1]
    for number in ("2", "1"):
        assert number in error["message"]
