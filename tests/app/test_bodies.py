"""Bodies that cannot be read: 400 and 415, never a guess and never a 5xx."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

JSON = {"content-type": "application/json"}


def post(client: TestClient, body: bytes, headers: dict[str, str] = JSON) -> Any:
    answer = client.post("/api/attention", content=body, headers=headers)
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == answer.status_code
    return problem


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_a_bare_word_in_a_number_s_place_is_not_json(client: TestClient, word: str) -> None:
    problem = post(client, f'{{"x": [[1, {word}]]}}'.encode())
    assert problem["status"] == 400
    assert f'"{word}"' in problem["detail"], "the string that may stand there is named"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"{",
        b'{"x": [[1,]]}',
        b"{'x': [[1]]}",
        b'{"x": [[1]]} extra',
        b'{"x": [[01]]}',
        b'{"x": [[1]], }',
        b"x=1&y=2",
        b"\x00",
    ],
)
def test_what_is_not_json_is_unreadable(client: TestClient, body: bytes) -> None:
    assert post(client, body)["status"] == 400


@pytest.mark.parametrize(
    "body",
    [
        b'{"x": [[1]], "tokens": ["\xff"]}',
        b'{"x": [[1]], "tokens": ["caf\xe9"]}',
        '{"x": [[1]]}'.encode("utf-16"),
        b'{"x": [[1]], "tokens": ["\xed\xa0\x80"]}',
    ],
)
def test_what_is_not_utf_8_is_unreadable(client: TestClient, body: bytes) -> None:
    problem = post(client, body)
    assert problem["status"] == 400
    assert "UTF-8" in problem["detail"]


def test_half_of_a_surrogate_pair_never_breaks_the_answer(client: TestClient) -> None:
    assert post(client, rb'{"x": [[1]], "tokens": ["\ud800"]}')["status"] in (400, 422)


@pytest.mark.parametrize("depth", [60, 1_000, 100_000])
@pytest.mark.parametrize("field", ["x", "masks", "tokens", "projection"])
def test_deep_nesting_is_refused_and_not_followed(
    client: TestClient, depth: int, field: str
) -> None:
    body = b'{"%s": %s%s}' % (field.encode(), b"[" * depth, b"]" * depth)
    assert post(client, body)["status"] in (400, 422)


def test_deeply_nested_objects_are_refused_too(client: TestClient) -> None:
    body = b'{"x":' * 50_000 + b"1" + b"}" * 50_000
    assert post(client, body)["status"] in (400, 422)


@pytest.mark.parametrize("digits", [20, 400, 5_000, 200_000])
@pytest.mark.parametrize(
    "template",
    [
        '{"x": [[%s]], "dtype": "float16"}',
        '{"x": [[1]], "num_heads": %s}',
        '{"x": [[1]], "head_dim": %s}',
        '{"x": [[1]], "scale": %s}',
        '{"x": [[1]], "fill": -%s}',
        '{"x": [[1]], "softcap": %s}',
        '{"x": [[1]], "masks": [{"kind": "causal", "offset": %s}]}',
        '{"x": [[1]], "masks": [{"kind": "causal", "offset": [%s]}]}',
        '{"x": [[1]], "masks": [{"kind": "window", "left": %s}]}',
        '{"x": [[1]], "masks": [{"kind": "prefix", "length": %s}]}',
        '{"x": [[1]], "masks": [{"kind": "padding", "lengths": [%s]}]}',
        '{"x": [[1]], "masks": [{"kind": "documents", "ids": [%s]}]}',
        '{"x": [[1]], "projection": {"kind": "random", "seed": %s}}',
        '{"x": [[1]], "dropout": {"p": 0.5, "seed": %s}}',
        '{"x": [[1, 2]], "rope": {"style": "half", "dim": %s}}',
        '{"x": [[1, 2]], "rope": {"style": "half", "base": %s}}',
        '{"x": [[1, 2]], "rope": {"style": "half", "positions": [%s]}}',
        '{"x": {"dtype": "f4", "bdata": "", "shape": "%s,1"}}',
        '{"x": {"dtype": "f4", "bdata": "", "shape": [%s, 1]}}',
    ],
)
def test_integers_of_any_size_are_answered(client: TestClient, template: str, digits: int) -> None:
    answer = client.post(
        "/api/attention", content=(template % ("9" * digits)).encode(), headers=JSON
    )
    assert answer.status_code in (200, 400, 413, 422), answer.text
    if answer.status_code == 200:
        assert digits == 20, "twenty digits still fit a float"


@pytest.mark.parametrize(
    "body",
    [
        b'{"x": [[1]], "x": [[2]]}',
        b'{"x": [[1]], "masks": [{"kind": "causal", "kind": "window"}]}',
        b'{"x": [[1]], "masks": [{"kind": "causal", "offset": 1, "\\u006fffset": 2}]}',
    ],
)
def test_a_key_that_stands_twice_is_refused_by_name(client: TestClient, body: bytes) -> None:
    problem = post(client, body)
    assert problem["status"] in (400, 422)
    name = "x" if b"masks" not in body else "kind" if b"window" in body else "offset"
    assert f"'{name}'" in problem["detail"]


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        (b'{"x": [[1]], "x": [[2]]}', ["x"]),
        (b'{"x": [[1]], "masks": [{"kind": "causal", "kind": "window"}]}', ["masks", 0, "kind"]),
        (b'{"x": [[1]], "x": {"a": 1, "a": 2}}', ["x", "a"]),
        (b'{"x": {"a": 1, "a": 2}, "x": [[1]]}', ["x"]),
    ],
)
def test_a_key_that_stands_twice_is_refused_at_its_full_place(
    client: TestClient, body: bytes, loc: list[Any]
) -> None:
    (error,) = post(client, body)["errors"]
    assert error["loc"] == loc
    assert (error["expected"], error["got"]) == ("once", "twice")


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1E+0999", "9" * 300 + "e10", "2e308"])
def test_a_number_that_no_float_holds_is_refused_at_its_place(
    client: TestClient, number: str
) -> None:
    problem = post(client, f'{{"x": [[1, 2], [3, {number}]]}}'.encode())
    assert problem["status"] == 422
    (error,) = problem["errors"]
    assert error["loc"] == ["x", 1, 1]
    assert "1.7976931348623157e+308" in error["expected"] and number[:9] in error["got"]


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ('{"x": [[0.5, 1], [1e400, 2]]}', ["x", 1, 0]),
        ('{"x": [[[0.5], [-1e400]]]}', ["x", 0, 1, 0]),
        ('{"x": [[0.5]], "scale": 1e400}', ["scale"]),
        ('{"x": [[0.5]], "masks": [{"kind": "window", "left": 1e400}]}', ["masks", 0, "left"]),
        ('{"x": [[0.5]], "rope": {"base": 1e400, "style": "half"}}', ["rope", "base"]),
        ('{"x": ["NaN", 0.5, 1e400]}', ["x", 2]),
    ],
)
def test_a_number_that_no_float_holds_is_found_anywhere(
    client: TestClient, body: str, loc: list[Any]
) -> None:
    (error,) = post(client, body.encode())["errors"]
    assert error["loc"] == loc and error["message"].startswith("numbers must fit float64")


def test_the_largest_float_and_what_rounds_to_zero_are_taken(client: TestClient) -> None:
    body = b'{"x": [[1.7976931348623157e308, 1e-400]], "dtype": "float64"}'
    assert client.post("/api/attention", content=body, headers=JSON).status_code == 200


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/octet-stream",
        "nonsense",
    ],
)
def test_a_body_of_another_kind_is_refused(client: TestClient, kind: str) -> None:
    problem = post(client, b'{"x": [[1]]}', {"content-type": kind})
    assert problem["status"] == 415
    assert "application/json" in problem["detail"]


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8"])
def test_json_is_read_with_or_without_its_charset(client: TestClient, kind: str) -> None:
    answer = client.post("/api/attention", content=b'{"x": [[1]]}', headers={"content-type": kind})
    assert answer.status_code == 200


def test_labels_of_any_language_come_back_as_they_were(client: TestClient) -> None:
    labels = ["naïve", "注意", "🙂", "<b>", "\u2028", ""]
    body = json.dumps({"x": [[1]] * 6, "tokens": labels}, ensure_ascii=False).encode()
    answer = client.post("/api/attention", content=body, headers=JSON)
    assert answer.json()["tokens"]["queries"] == [labels]
