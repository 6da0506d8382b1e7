"""`attention` stands alone, `app` stands on its public names, and nothing turns in a circle."""

import subprocess
import sys

import attention
from tests.architecture.imports import ROOT, cycle_in, imports_of, python_graph, python_modules

LIBRARY = {"attention", "torch", "numpy", "safetensors"}
STANDARD = set(sys.stdlib_module_names)
# Loaded on call alone: figures for notebooks, unpacking quantised weights, language models.
OPTIONAL = {
    "attention.files.gguf": {"gguf"},
    "attention.figure": {"plotly"},
    "attention.texts.encoding": {"transformers"},
    "attention.texts.loading": {"huggingface_hub", "transformers"},
}


def printed_by(script: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return run.stdout.strip()


def test_the_walk_finds_a_cycle_and_names_it() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}
    assert cycle_in(graph) == ["b", "c", "b"]
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_the_walk_sees_the_imports_we_know_of() -> None:
    graph = python_graph(("attention", "app"))
    assert "attention.forward" in graph["attention"]
    assert "attention" in graph["app.compute"]


def test_attention_imports_torch_numpy_safetensors_and_the_standard_library_alone() -> None:
    for name, path in python_modules("attention").items():
        roots = {module.split(".")[0] for module, _ in imports_of(path)}
        others = roots - LIBRARY - STANDARD - OPTIONAL.get(name, set())
        assert not others, f"{name} imports {others}"


def test_app_imports_only_the_public_names_of_attention() -> None:
    for name, path in python_modules("app").items():
        for module, names in imports_of(path):
            if module.split(".")[0] != "attention":
                continue
            assert module == "attention", f"{name} reaches into {module}"
            assert set(names) <= set(attention.__all__), f"{name} imports {names}"


def test_no_module_imports_itself_by_a_detour() -> None:
    assert cycle_in(python_graph(("attention", "app"))) == []


def test_importing_attention_loads_neither_web_framework_nor_plotting_library() -> None:
    script = (
        "import attention, sys;"
        "print(sorted({'fastapi', 'pydantic', 'plotly', 'transformers', 'app'} & set(sys.modules)))"
    )
    assert printed_by(script) == "[]"


def test_importing_the_application_builds_none() -> None:
    script = (
        "import app.main as main; from fastapi import FastAPI; from app.settings import Settings;"
        "print([n for n, v in vars(main).items() if isinstance(v, FastAPI | Settings)])"
    )
    assert printed_by(script) == "[]"
