"""Scripts are for others' machines: they need torch or NumPy, and nothing else."""

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from .conftest import PROPERTY, Expected
from .grid import GRID, lacking
from .running import NAMES, STYLES, assert_same, written

# What a reader needs to read the shapes; a short run may not compute with each of them.
LETTERS = {*"BTSHKDEMNPGR", "Dv", "dtype"}
Scripts = dict[str, dict[str, str]]
HOSTILE = [
    '"""\nimport os\n"""',
    "'); raise SystemExit(",
    "\\",
    "# -*- coding: utf-7 -*-",
    "\u2028",
]


@pytest.fixture(scope="module")
def scripts(client: TestClient) -> dict[str, dict[str, str]]:
    """By style and name: one script of each specification that the style can say."""
    return {
        style: {
            name: written(client, {**spec, "dtype": "float32"}, style)
            for name, spec in GRID.items()
            if not lacking(name, style, "float32")
        }
        for style in STYLES
    }


@pytest.mark.parametrize("style", STYLES)
def test_scripts_import_torch_numpy_and_two_standard_modules_alone(
    scripts: Scripts, style: str
) -> None:
    allowed = {"numpy", "base64", "math"} | (set() if style == "numpy" else {"torch"})
    for name, text in scripts[style].items():
        for node in ast.walk(ast.parse(text)):
            roots = [alias.name for alias in getattr(node, "names", []) if hasattr(alias, "name")]
            if isinstance(node, ast.ImportFrom):
                roots = [str(node.module)]
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert {root.split(".")[0] for root in roots} <= allowed, name


@pytest.mark.parametrize("style", STYLES)
def test_scripts_hold_nothing_that_is_not_used(scripts: Scripts, style: str) -> None:
    for name, text in scripts[style].items():
        nodes = list(ast.walk(ast.parse(text)))
        names = [node for node in nodes if isinstance(node, ast.Name)]
        made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        made |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                made |= {alias.asname or alias.name for alias in node.names}
        used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        assert made - used <= LETTERS | set(NAMES), name


@pytest.mark.parametrize("style", STYLES)
def test_lines_are_short_and_arrows_bear_their_shapes(scripts: Scripts, style: str) -> None:
    for name, text in scripts[style].items():
        assert max(map(len, text.splitlines())) <= 100, name
        for tensor in ("scores", "weights"):
            if style != "multihead_attention" or tensor == "scores":
                assert f"\n{tensor} = " in text and "# [B H T S]" in text, name


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("everything at once", "explicit"),
        ("bytes of every kind", "numpy"),
        ("blind zero", "numpy"),
        ("alibi with a cache and a bias", "sdpa"),
        ("two paddings of memory", "multihead_attention"),
    ],
)
def test_a_fresh_interpreter_runs_a_script_without_a_word(
    client: TestClient,
    expected: Expected,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    name: str,
    style: str,
) -> None:
    text = written(client, {**GRID[name], "dtype": "float64"}, style)
    keep = "import numpy as np\nnp.savez('left.npz', scores=scores, weights=weights, output=output)"
    (tmp_path / "emitted.py").write_text(f"{text}\n{keep}\n", "utf-8")
    command = [sys.executable, "-W", "error", "-I", "emitted.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    with np.load(tmp_path / "left.npz") as left:
        assert_same(dict(left), expected(name, "float64"), "float64", style)
    record_property(PROPERTY, style)


@pytest.mark.parametrize("style", STYLES)
def test_labels_do_not_reach_the_script(client: TestClient, style: str) -> None:
    plain: dict[str, Any] = GRID["vectors"]
    text = written(client, {**plain, "tokens": HOSTILE, "memory_tokens": HOSTILE}, style)
    assert text == written(client, plain, style)
