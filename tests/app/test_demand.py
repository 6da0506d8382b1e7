"""Time and memory that are counted before the work, beside what the work really takes."""

import json
import subprocess
import sys

import pytest

from app.demand import bytes_of_random, seconds_of

LARGE = 100 * 2**20
MOST_TIMES = 8
"""What is counted may be this many times what is taken: no more would be of use."""


def test_requests_take_no_more_memory_than_was_counted_for_them() -> None:
    command = [sys.executable, "-m", "tests.app.peaks"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = [json.loads(line) for line in output.splitlines()]
    assert len(found) > 15
    statuses = {name: status for name, status, *_ in found}
    assert statuses["attention, everything"] == statuses["export, html"] == 200
    assert [case for case in found if case[2] > case[3]] == []
    large = [case for case in found if case[2] > LARGE]
    assert len(large) > 5
    assert [case for case in large if case[3] > MOST_TIMES * case[2]] == []


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        ({"x": {"random": {"shape": [3, 5], "seed": 1}}}, 15),
        ({"spec": {"q": {"random": {"shape": [7]}}, "k": {"random": {"shape": [2, 2]}}}}, 11),
        ({"a": {"x": {"random": {"shape": [3]}}}, "b": {"x": {"random": {"shape": [5]}}}}, 8),
        ({"x": {"random": {"shape": [-1, 10**9]}}}, 0),
        ({"x": {"random": {"shape": "many"}}}, 0),
        ({"x": {"random": 3}, "spec": [1]}, 0),
        ([1], 0),
    ],
)
def test_random_tensors_are_counted_before_they_are_made(body: object, numbers: int) -> None:
    assert bytes_of_random(body) == 24 * numbers


def test_time_grows_with_the_work_and_with_the_answer() -> None:
    assert seconds_of(0, 2 * 10**10) == pytest.approx(1)
    assert seconds_of(4 * 10**6, 0) == pytest.approx(2)
