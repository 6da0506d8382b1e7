"""Every emitted script is run, and leaves the numbers of the API."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from .conftest import PROPERTY, Expected
from .grid import GRID, lacking
from .running import STYLES, TOLERANCE, asked, assert_same, left_by


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", GRID)
def test_a_script_gives_the_numbers_of_its_run_or_says_why_not(
    client: TestClient,
    expected: Expected,
    record_property: Callable[[str, object], None],
    name: str,
    style: str,
) -> None:
    for dtype in TOLERANCE:
        answer = asked(client, {**GRID[name], "dtype": dtype}, style)
        phrases = lacking(name, style, dtype)
        if phrases:
            assert answer.status_code == 422, dtype
            detail = answer.json()["detail"]
            assert all(phrase in detail for phrase in phrases), (detail, phrases)
            reasons = detail.partition("specification: ")[2].partition(": expected one that can")[0]
            assert len(reasons.split("; ")) == len(phrases), detail
        else:
            assert answer.status_code == 200, answer.text
            assert_same(left_by(answer.json()["script"]), expected(name, dtype), dtype, style)
            record_property(PROPERTY, style)
