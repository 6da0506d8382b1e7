"""The count of outside vectors that really went through the API."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import pytest

from .vectors import ORIGINS, Vector, files

PROPERTY = "outside vector"


@pytest.fixture(autouse=True)
def note_vector(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> None:
    """Leave the vector's name in the test's report."""
    parameters = getattr(request.node, "callspec", None)
    case = parameters.params.get("case") if parameters else None
    if isinstance(case, Vector):
        record_property(PROPERTY, f"{case.origin}/{case.name}")


def vectors_of(terminal: pytest.TerminalReporter, outcome: str) -> set[str]:
    reports = terminal.stats.get(outcome, [])
    properties = [pair for report in reports for pair in getattr(report, "user_properties", [])]
    return {str(value) for name, value in properties if name == PROPERTY}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many vectors ran and passed in every test that uses them."""
    passed = vectors_of(terminalreporter, "passed")
    passed -= vectors_of(terminalreporter, "failed") | vectors_of(terminalreporter, "error")
    counts: dict[str, int] = defaultdict(int)
    for vector in passed:
        counts[vector.split("/")[0]] += 1
    if passed:
        said = ", ".join(f"{origin} {counts[origin]} of {len(files(origin))}" for origin in ORIGINS)
        terminalreporter.write_line(f"outside vectors: {said}")
