"""Whatever a client sends, the answer is a result or a problem body, never a 5xx."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from tests.properties.specifications import specifications
from tests.wire import listed, strict_json, with_typed_tensors

STRANGE = st.one_of(
    st.sampled_from(
        [
            *(
                None,
                True,
                False,
                0,
                -1,
                0.5,
                1e308,
                -1e308,
                1e-320,
                2**31,
                2**63 - 1,
                2**64,
                -(2**63),
            ),
            *("", "NaN", "Infinity", "-Infinity", "causal", "random", "\u0000", "0" * 50),
            *([], {}, [[]], [[[]]], [None], [[True]], [["NaN"]], [[1e308]], [[[[[1]]]]]),
            {"kind": "causal"},
            {"kind": None},
            {"kind": []},
            {"dtype": "f4", "bdata": "AACAPw==", "shape": "1"},
            {"dtype": "u8", "bdata": "//////////8=", "shape": "1"},
            {"dtype": "i8", "bdata": "/////////38=", "shape": "1"},
            {"dtype": "f8", "bdata": "", "shape": "0"},
            {"dtype": "f2", "bdata": "AHw=", "shape": "1,1"},
            {"upload": "0" * 64, "name": "x"},
        ]
    ),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.lists(st.lists(st.integers(-2, 2), max_size=3), max_size=3),
)
NAMES = st.sampled_from(
    [
        *("x", "memory", "q", "k", "v", "past_k", "past_v", "tokens", "memory_tokens", "masks"),
        *("num_heads", "num_kv_heads", "head_dim", "value_dim", "projection", "qk_norm", "rope"),
        *("scale", "softcap", "biases", "sinks", "fill", "mask_order", "fully_masked", "dropout"),
        *("dtype", "kind", "values", "offset", "length", "lengths", "keep", "ids", "p", "seed"),
        *("unknown", "", "__class__", "\ud83d"),
    ]
)
HEADERS = {"content-type": "application/json"}


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a JSON tree, its root left out."""
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, item in entries:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A valid specification with one to three places spoiled."""
    write = draw(st.sampled_from([listed, with_typed_tensors]))
    return draw(spoiled(write(draw(specifications()))))


@st.composite
def spoiled(draw: st.DrawFn, valid: Any) -> Any:
    spec = deepcopy(valid)
    for _ in range(draw(st.integers(1, 3))):
        found = list(places(spec))
        if not found:
            break
        *way, last = draw(st.sampled_from(found))
        holder = spec
        for key in way:
            holder = holder[key]
        spoil(draw, holder, last)
    return spec


def spoil(draw: st.DrawFn, holder: Any, key: Any) -> None:
    how = draw(st.sampled_from(["replace", "remove", "repeat", "add"]))
    if how == "remove":
        del holder[key]
    elif how == "repeat" and isinstance(holder, list):
        holder.append(holder[key])
    elif how == "add" and isinstance(holder, dict):
        holder[draw(NAMES)] = deepcopy(draw(STRANGE))
    else:
        holder[key] = deepcopy(draw(STRANGE))


def check(client: TestClient, body: bytes) -> None:
    parsed = result_or_problem(client, "/api/attention", body)
    if parsed is not None:
        assert {"layout", "steps", "tensors", "row_sums", "warnings"} <= set(parsed)


def result_or_problem(client: TestClient, path: str, body: bytes) -> Any:
    """The parsed result where it is JSON; a problem must be a problem body."""
    answer = client.post(path, content=body, headers=HEADERS)
    assert answer.status_code in (200, 400, 404, 413, 422), answer.text
    if answer.status_code == 200:
        is_json = answer.headers["content-type"].startswith("application/json")
        return strict_json(answer.content) if is_json else None
    parsed = strict_json(answer.content)
    assert answer.headers["content-type"] == "application/problem+json"
    assert parsed["status"] == answer.status_code
    assert parsed["detail"]
    return None


@pytest.fixture(scope="module")
def documented(client: TestClient) -> list[tuple[str, Any]]:
    """(path, body) of each small example body in the OpenAPI document."""
    found = []
    for path, item in client.get("/openapi.json").json()["paths"].items():
        content = item.get("post", {}).get("requestBody", {}).get("content", {})
        json_body = content.get("application/json", {})
        bodies = [entry["value"] for entry in json_body.get("examples", {}).values()]
        bodies += [json_body["example"]] if "example" in json_body else []
        found += [(path, body) for body in bodies if len(json.dumps(body)) < 2_000]
    return found


@settings(
    max_examples=examples(400),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(spec=mutated())
def test_a_spoiled_specification_is_a_result_or_a_problem(client: TestClient, spec: Any) -> None:
    check(client, json.dumps(spec).encode())


@settings(max_examples=examples(100), deadline=None)
@given(data=st.data())
def test_a_spoiled_text_is_a_result_or_a_problem(client: TestClient, data: st.DataObject) -> None:
    text = json.dumps(
        {
            "x": [[1.5, -2], [0, "NaN"]],
            "tokens": ["a", "é"],
            "masks": [{"kind": "padding", "lengths": [1]}],
            "dtype": "float64",
        },
        ensure_ascii=False,
    ).encode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 9)))
    check(client, text[:start] + data.draw(st.binary(max_size=6)) + text[end:])


@settings(max_examples=examples(100), deadline=None)
@given(name=NAMES, value=STRANGE)
def test_a_strange_value_in_any_field_is_a_result_or_a_problem(
    client: TestClient, name: str, value: Any
) -> None:
    check(client, json.dumps({"x": [[1, 2], [3, 4]], name: value}).encode())


@settings(max_examples=examples(200))
@given(data=st.data())
def test_a_spoiled_example_of_any_route_is_a_result_or_a_problem(
    client: TestClient, documented: list[tuple[str, Any]], data: st.DataObject
) -> None:
    path, body = data.draw(st.sampled_from(documented))
    result_or_problem(client, path, json.dumps(data.draw(spoiled(body))).encode())
