"""The page's modules: each import exists, none turns in a circle, pictures are pure."""

import re

from tests.architecture.imports import SCRIPTS, Graph, cycle_in, script_graph

LAYERS = ("state", "api", "figures", "panels")


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


def layer(name: str) -> int:
    """0 for a plain helper, then 1, 2 … for state, api, figures and panels."""
    return LAYERS.index(folder(name)) + 1 if folder(name) in LAYERS else 0


def reached_from(name: str, graph: Graph) -> set[str]:
    """Every module that one imports, and that these import."""
    found = {name}
    while more := {target for module in found for target in graph[module]} - found:
        found |= more
    return found - {name}


def test_each_layer_imports_only_from_those_before_it() -> None:
    graph = script_graph()
    for name in graph:
        if layer(name):
            later = {target for target in reached_from(name, graph) if layer(target) > layer(name)}
            assert not later, f"{name} reaches {later}"


def test_state_api_and_figures_know_neither_page_nor_store() -> None:
    page = {"dom.js", "plot.js", "store.js", "compute.js", "address.js", "storage.js", "main.js"}
    graph = script_graph()
    for name in graph:
        if folder(name) in ("state", "api", "figures"):
            assert not reached_from(name, graph) & page, name


def test_the_network_is_spoken_to_in_one_layer() -> None:
    found = [path for path in SCRIPTS.rglob("*.js") if "fetch(" in path.read_text("utf-8")]
    assert {path.parent.name for path in found} == {"api"}


def test_figures_are_drawn_without_the_network() -> None:
    graph = script_graph()
    for name in graph:
        if folder(name) == "figures":
            assert "api/client.js" not in reached_from(name, graph), name


def test_only_the_entries_import_panels() -> None:
    for name, targets in script_graph().items():
        if folder(name) != "panels" and name not in ("main.js", "embed.js"):
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
