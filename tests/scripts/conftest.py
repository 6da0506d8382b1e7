"""The count of emitted scripts that really ran and gave the run's numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Tensors

from .grid import GRID

PROPERTY = "emitted script"
Expected = Callable[[str, str], Tensors]


@pytest.fixture(scope="session")
def expected(tensors: Callable[..., Tensors]) -> Expected:
    """What the API answers for a specification of the grid, asked once for each dtype."""
    known: dict[tuple[str, str], Tensors] = {}

    def ask(name: str, dtype: str) -> Tensors:
        if (name, dtype) not in known:
            spec: Any = {**GRID[name], "dtype": dtype}
            known[name, dtype] = tensors(spec, include="scores,weights,output")
        return known[name, dtype]

    return ask


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many scripts of each style were run and compared in tests that passed."""
    reports = terminalreporter.stats.get("passed", [])
    pairs = [pair for report in reports for pair in getattr(report, "user_properties", [])]
    counts = Counter(str(style) for name, style in pairs if name == PROPERTY)
    if counts:
        said = ", ".join(f"{style} {count}" for style, count in sorted(counts.items()))
        terminalreporter.write_line(f"emitted scripts run: {counts.total()} ({said})")
