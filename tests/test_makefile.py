"""What the Makefile decides by itself: which torch it looks for, and what it cannot run."""

import os
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def make(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run make as a shell would, whatever make this run itself came from."""
    inherited = {
        "CI",
        "CHROMIUM",
        "NODE",
        "NPM",
        "MAKEFLAGS",
        "MFLAGS",
        "MAKELEVEL",
        "MAKEOVERRIDES",
    }
    kept = {name: value for name, value in os.environ.items() if name not in inherited}
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=ROOT,
        env={**kept, **environment},
        capture_output=True,
        text=True,
    )


def test_the_cpu_build_looked_for_is_the_torch_that_the_project_requires() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (required,) = (line for line in project["dependencies"] if line.startswith("torch"))
    printed = make("--eval=asked: ; @echo '$(TORCH)'", "asked")
    assert printed.stdout.strip() == required


def test_a_missing_tool_is_said_and_is_no_failure_on_a_persons_machine() -> None:
    told = make("missing", "NODE=", "CHROMIUM=")
    assert told.returncode == 0
    assert [line.split(":")[:2] for line in told.stdout.splitlines()] == [
        ["NOT RUN", " JavaScript types and tests, and axe in the browser"],
        ["NOT RUN", " browser tests"],
    ]


def test_a_missing_tool_fails_in_ci() -> None:
    assert (
        make("missing", "NODE=/bin/true", "NPM=/bin/true", "CHROMIUM=", CI="true").returncode != 0
    )
    assert make("missing", "NPM=", "CHROMIUM=/bin/true", CI="true").returncode != 0


def test_nothing_is_said_where_every_tool_is_there() -> None:
    told = make("missing", "NODE=/bin/true", "NPM=/bin/true", "CHROMIUM=/bin/true", CI="true")
    assert (told.returncode, told.stdout) == (0, "")


def test_an_interpreter_that_is_not_there_is_named_as_the_reason() -> None:
    told = make("--always-make", "PYTHON=", "VENV=no-such-environment", "no-such-environment/.made")
    assert told.returncode != 0
    assert "Python 3.11 or newer" in told.stderr
