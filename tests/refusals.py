"""Every refusal that the code can say, read from the code: its sentence, a sample in each hole."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ERRORS = {
    "SpecificationError",
    "ShapeError",
    "FileError",
    "UnreadableFileError",
    "UnknownUploadError",
}
# Not said to the page: for the shell, for Python alone, or made of a caller's own words.
ELSEWHERE = (
    "app/cli.py",
    "app/opening.py",
    "attention/capturing/calls.py",
    "attention/figure.py",
    "attention/scripts",
)
# What stands in a hole where not any word will do, everywhere or in one file.
SAMPLES = {
    "what": "number of heads",
    "place": "a.npz, member 'x.npy'",
    "list(place)": "[1]",
    "attention/checkpoints/checkpoint.py what": "query rows",
    "attention/checkpoints/checkpoint.py of": "query heads",
    "attention/capturing/header.py what": "its header is not JSON",
    "attention/files/gguf.py place": "a.gguf, 'blk.0.attn_q.weight'",
    "attention/files/sharded.py source.name": "model.safetensors.index.json",
}


@dataclass(frozen=True)
class Refusal:
    """Where it is raised, and the sentence: rule, expectation and given where they are fixed."""

    place: str
    rule: str
    sentence: str


def refusals() -> Iterator[Refusal]:
    """All of `attention` and `app`."""
    for folder in ("attention", "app"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = str(path.relative_to(ROOT))
            if not place.startswith(ELSEWHERE):
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                    yield from _refusal(node, place)


def _refusal(node: ast.AST, place: str) -> Iterator[Refusal]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
        return
    said = {word.arg: _text(word.value, place) for word in node.keywords if word.arg}
    where = f"{place}:{node.lineno}"
    if node.func.id in ERRORS:
        rule = _text(node.args[0], place)
    elif node.func.id == "LimitError":
        what = _text(node.args[0], place)
        rule = what and f"{what}: over the limit {said['limit'] or 'max_heads'}"
    elif node.func.id == "ProblemError" and len(node.args) > 1:
        rule = _text(node.args[1], place)
    else:
        return
    if rule:
        parts = [f"{n} {text}" for n in ("expected", "got") if (text := said.get(n))]
        yield Refusal(where, rule, rule + (": " + ", ".join(parts) if parts else ""))


def _text(node: ast.expr, place: str) -> str | None:
    """A sentence that is written out; None for one that only puts others together."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.JoinedStr):
        return None
    constants = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
    if not any(re.search("[a-z]{2}", text) for text in constants):
        return None
    return "".join(_filled(part, place) for part in node.values)


def _filled(part: ast.expr, place: str) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    assert isinstance(part, ast.FormattedValue)
    name = ast.unparse(part.value)
    return SAMPLES.get(f"{place} {name}", SAMPLES.get(name, "7"))
