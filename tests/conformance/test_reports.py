"""34 small cases, each after a public bug report: the right answer, or a refusal that says why."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from . import comparisons
from .exchange import ENCODINGS, post, send
from .mapping import reports
from .vectors import Vector
from .vectors import reports as vectors

REFUSED = [case for case in vectors() if "must_name" in case.facts["expected"]]
ACCEPTED = [case for case in vectors() if case not in REFUSED]

both_encodings = pytest.mark.parametrize("encoding", ENCODINGS)


@both_encodings
@pytest.mark.parametrize("case", ACCEPTED, ids=str)
def test_answer_is_the_right_one(case: Vector, client: TestClient, encoding: str) -> None:
    for reading in reports.readings(case):
        answer = post(client, reading.specification, encoding, include=comparisons.INCLUDE)
        comparisons.check(reading, answer, case.tolerance)


@both_encodings
@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_refusal_names_every_number_that_does_not_fit(
    case: Vector, client: TestClient, encoding: str
) -> None:
    response = send(client, reports.specification(case), encoding)
    assert response.status_code == 422
    assert response.headers["content-type"].startswith("application/problem+json")
    problem = response.json()
    told = " ".join([problem["detail"], *(error["message"] for error in problem["errors"])])
    for number in case.facts["expected"]["must_name"]:
        assert number in told.replace(",", " ").replace(".", " ").split() or f"({number})" in told
