"""Every field's own mistakes: status 422, the place, the rule and the numbers."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.app.mistakes import AT, CASES, GIVEN, X, masked, matrix


@pytest.mark.parametrize(
    ("spec", "loc", "named"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_mistake_is_refused_at_its_place_with_its_numbers(
    client: TestClient, spec: dict[str, Any], loc: list[Any], named: list[str]
) -> None:
    answer = client.post("/api/attention", json=spec)
    assert answer.status_code == 422, answer.text
    problem = answer.json()
    at_place = [e for e in problem["errors"] if e["loc"][: len(loc)] == loc]
    assert at_place, problem["errors"]
    assert "Input should" not in answer.text
    text = " ".join(str(at_place[0][part]) for part in ("loc", "message", "expected", "got"))
    for word in named:
        assert word in text, text


PLAIN = [
    ({"num_heads": "two"}, ["num_heads"], "num_heads must be a whole number: got 'two'"),
    ({"num_heads": 1.5}, ["num_heads"], "num_heads must be a whole number: got 1.5"),
    ({"num_heads": 0}, ["num_heads"], "within its bounds: expected 1 or more, got 0"),
    ({"softcap": 0}, ["softcap"], "within its bounds: expected more than 0, got 0"),
    ({"scale": "one"}, ["scale"], "scale must be a number: got 'one'"),
    ({"dtype": "f32"}, ["dtype"], "expected one of float32, float64, float16, bfloat16, got 'f32'"),
    ({"fill": "low"}, ["fill"], "expected -Infinity or a number, got 'low'"),
    ({"tokens": 3}, ["tokens"], "a list must stand here: got 3"),
    ({"masks": [3]}, ["masks", 0], "an object must stand here: got 3"),
    (
        {"projection": {"kind": "random", "bias": 1}},
        ["projection", "bias"],
        "bias must be true or false: got 1",
    ),
    (
        {"dropout": {"p": 1}},
        ["dropout", "p"],
        "p must be within its bounds: expected less than 1, got 1",
    ),
]


@pytest.mark.parametrize(("fields", "loc", "said"), PLAIN, ids=[row[2] for row in PLAIN])
def test_types_and_ranges_are_refused_in_the_form_of_all_others(
    client: TestClient, fields: dict[str, Any], loc: list[Any], said: str
) -> None:
    answer = client.post("/api/attention", json={"x": X, **fields})
    (error,) = answer.json()["errors"]
    assert error["loc"] == loc
    assert error["message"].endswith(said)
    assert error["expected"] and error["expected"] in said.replace("must be", "")
    assert said.endswith(f"got {error['got']}")


UNKNOWN = [
    ("num_head", {"x": X, "num_head": 2}, ["num_head"], "num_heads"),
    ("Mask", {"x": X, "mask": []}, ["mask"], "masks"),
    ("fully_mask", {"x": X, "fully_mask": "zero"}, ["fully_mask"], "fully_masked"),
    ("rope.bases", {"x": X, "rope": {"style": "half", "bases": 9}}, ["rope", "bases"], "base"),
    ("norm.epsi", {"x": X, "qk_norm": {"epsi": 9}}, ["qk_norm", "epsi"], "eps"),
    ("mask.offsets", masked({"kind": "causal", "offsets": 1}), [*AT, "offsets"], "offset"),
    ("mask.conventions", matrix([[1, 0]]) | {"dtypes": 1}, ["dtypes"], "dtype"),
    ("given.wq", {"x": X, "projection": {**GIVEN, "w_qq": 1}}, ["projection", "w_qq"], "w_q"),
    ("dropout.seeds", {"x": X, "dropout": {"p": 0.1, "seeds": 1}}, ["dropout", "seeds"], "seed"),
    (
        "bias.slope",
        {"x": X, "biases": [{"kind": "alibi", "slope": 1}]},
        ["biases", 0, "slope"],
        "slopes",
    ),
]


@pytest.mark.parametrize(
    ("spec", "loc", "nearest"), [row[1:] for row in UNKNOWN], ids=[row[0] for row in UNKNOWN]
)
def test_an_unknown_field_is_refused_with_the_nearest_known_name(
    client: TestClient, spec: dict[str, Any], loc: list[Any], nearest: str
) -> None:
    answer = client.post("/api/attention", json=spec)
    assert answer.status_code == 422
    (error,) = [e for e in answer.json()["errors"] if e["loc"] == loc]
    assert nearest in f"{error['message']} {error['expected']}"
    assert str(loc[-1]) in error["message"]


def test_several_mistakes_are_told_together(client: TestClient) -> None:
    spec = {"x": X, "num_heads": "two", "dtype": "f32", "softcap": -1}
    errors = client.post("/api/attention", json=spec).json()["errors"]
    assert {error["loc"][0] for error in errors} == {"num_heads", "dtype", "softcap"}


@pytest.mark.parametrize("body", ["[]", '"x"', "7", "null", "true"])
def test_a_body_that_is_no_object_is_refused(client: TestClient, body: str) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post("/api/attention", content=body, headers=headers)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
