"""What the README shows: links lead somewhere, Python runs, limits are the settings'."""

import re
import sys
from pathlib import Path

import pytest

from app.settings import Settings
from tests.texts import trained

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_relative_links_and_pictures_are_there() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)]+)\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


# Blocks for a notebook need one to run in.
BLOCKS = [b for b in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if "IPython" not in b]


@pytest.mark.parametrize("block", BLOCKS)
def test_python_runs_as_printed(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(trained.FOLDER)])
    exec(compile(block, "README.md", "exec"), {})


def test_every_limit_is_listed_with_its_default() -> None:
    listed = dict(re.findall(r"^\| `ATTENTION_(MAX_\w+)` \| ([\d,^]+)", TEXT, re.MULTILINE))
    defaults = {
        name.upper(): field.default
        for name, field in Settings.model_fields.items()
        if name.startswith("max_")
    }
    numbers = {name: eval_power(text.replace(",", "")) for name, text in listed.items()}
    assert numbers == defaults


def eval_power(text: str) -> int:
    base, _, power = text.partition("^")
    return int(base) ** int(power or 1)


def test_every_file_named_in_the_reading_order_is_there() -> None:
    table = TEXT.split("in the order of the numbers' way:")[1].split("\n\n")[1]
    names = set(re.findall(r"`(\w+\.py|masks/)`", table))
    assert "stages.py" in names
    assert [name for name in sorted(names) if not (ROOT / "attention" / name).exists()] == []
