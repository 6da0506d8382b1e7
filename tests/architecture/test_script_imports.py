"""The page's modules: each import exists, none turns in a circle, pictures are pure."""

import re

from tests.architecture.imports import SCRIPTS, cycle_in, script_graph


def folder(name: str) -> str:
    return name.split("/")[0] if "/" in name else ""


def test_there_are_modules_to_walk() -> None:
    assert any(script_graph().values())


def test_every_import_names_a_file_of_ours() -> None:
    graph = script_graph()
    for name, targets in graph.items():
        assert targets <= set(graph), f"{name} imports {targets - set(graph)}"


def test_no_script_imports_itself_by_a_detour() -> None:
    assert cycle_in(script_graph()) == []


def test_figures_know_neither_panels_nor_page_nor_network() -> None:
    forbidden = {"store.js", "plot.js", "dom.js", "main.js", "compute.js", "api/client.js"}
    for name, targets in script_graph().items():
        if folder(name) == "figures":
            assert not targets & forbidden, f"{name} imports {targets & forbidden}"
            assert "panels" not in {folder(target) for target in targets}, name


def test_only_panels_and_the_entry_import_panels() -> None:
    for name, targets in script_graph().items():
        if folder(name) not in ("panels", "") and name != "main.js":
            assert "panels" not in {folder(target) for target in targets}, name


def test_one_file_touches_the_plotting_library() -> None:
    """By its global: window.Plotly, globalThis.Plotly or Plotly.something."""
    touching = re.compile(r"\bPlotly\.[a-z]\w*\(|(?:window|globalThis)\.Plotly\b")
    found = [
        path.name
        for path in sorted(SCRIPTS.rglob("*.js"))
        if touching.search(path.read_text("utf-8"))
    ]
    assert found == ["plot.js"]
