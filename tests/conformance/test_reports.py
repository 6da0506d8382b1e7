"""33 small cases, each after a public bug report: the right answer, or a refusal that says why."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from . import comparisons
from .exchange import ENCODINGS, post, send
from .mapping import reports
from .vectors import Vector, report
from .vectors import reports as vectors

VECTORS = [case for case in vectors() if case.facts["kind"] != "file-input"]
REFUSED = [case for case in VECTORS if "must_name" in case.facts["expected"]]
ACCEPTED = [case for case in VECTORS if case not in REFUSED]

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
    named = numbers_told(response.json())
    assert named >= set(case.facts["expected"]["must_name"])


def numbers_told(problem: Any) -> set[str]:
    """Every whole number that a person reads in a refusal."""
    told = [problem["detail"], *(error["message"] for error in problem["errors"])]
    return set(re.findall(r"\d+", " ".join(told)))


def test_head_counts_that_do_fit_are_offered(client: TestClient) -> None:
    case = report("d-model-6-with-4-heads-rejected")
    fits = case.facts["expected"]["helpful_extra"].split(":")[1]
    problem = send(client, reports.specification(case), "list").json()
    offered = [str(error["expected"]) for error in problem["errors"]]
    assert set(re.findall(r"\d+", fits)) <= set(re.findall(r"\d+", " ".join(offered)))
