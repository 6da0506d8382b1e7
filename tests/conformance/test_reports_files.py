"""8 files after public bug reports, uploaded as they are: their numbers, or the refusal."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from . import comparisons
from .exchange import ENCODINGS, bring, post, uploaded
from .mapping import reports
from .vectors import Vector, report
from .vectors import reports as vectors

FILES = [case for case in vectors() if case.facts["kind"] == "file-input"]
REFUSED = [case for case in FILES if "error" in case.facts["expected"]]
TABLES = [case for case in FILES if "tokens" in case.facts["expected"]]
WITH_WEIGHTS = report("file-npy-float16-with-float64-weights")


def content(case: Vector) -> tuple[str, bytes]:
    file = case.facts["input"]["file"]
    data = file["text"].encode() if "text" in file else base64.b64decode(file["base64"])
    return file["name"], data


def upload_of(case: Vector, client: TestClient) -> Any:
    return uploaded(client, *content(case))


def test_every_file_has_its_test() -> None:
    assert len(REFUSED) + len(TABLES) + 1 == len(FILES) == 8
    assert WITH_WEIGHTS in FILES


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("case", TABLES, ids=str)
def test_numbers_of_the_file_are_the_token_vectors(
    case: Vector, client: TestClient, encoding: str
) -> None:
    x = {"upload": upload_of(case, client)["id"]}
    said = {"x": x, "projection": {"kind": "identity"}, "dtype": "float64"}
    q = post(client, said, encoding).tensor("q")
    # Every number of these files is exact in binary: nothing may be lost on the way.
    np.testing.assert_array_equal(q[0, 0], np.asarray(case.facts["expected"]["tokens"]))


@pytest.mark.parametrize("case", TABLES, ids=str)
def test_what_was_found_in_the_file_is_said(case: Vector, client: TestClient) -> None:
    answer, expected = upload_of(case, client), case.facts["expected"]
    (listed,) = answer["tensors"]
    assert listed["shape"] == expected["shape"]
    for name, value in expected.get("detected", {}).items():
        assert answer["detected"][name] == value
    if "column_names" in expected:
        assert answer["detected"]["column_names"] == expected["column_names"]


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_refusal_names_the_place(case: Vector, client: TestClient) -> None:
    response = bring(client, *content(case))
    assert response.status_code == 422
    problem = response.json()
    told = " ".join([problem["detail"], *(error["message"] for error in problem["errors"])])
    for named in case.facts["expected"].get("must_name", ["Python objects (dtype object)"]):
        assert named in told


@pytest.mark.parametrize("case", [WITH_WEIGHTS], ids=str)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_float16_file_meets_float64_weights(
    case: Vector, client: TestClient, encoding: str
) -> None:
    """Once decoded here, by NumPy, and once by the API from the upload."""
    for reading in reports.readings(case):
        for x in (reading.specification["x"], {"upload": upload_of(case, client)["id"]}):
            said = reading.specification | {"x": x}
            answer = post(client, said, encoding, include=comparisons.INCLUDE)
            comparisons.check(reading, answer, case.tolerance)
