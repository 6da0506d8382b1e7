"""Reading who imports whom, from the source text alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
Graph = dict[str, set[str]]


def python_modules(package: str) -> dict[str, Path]:
    """Every module of a package by its dotted name."""
    modules = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def imports_of(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(module, names) of each import that really runs; those for type checkers alone do not."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from _imports_in(tree)


def _imports_in(node: ast.AST) -> Iterator[tuple[str, tuple[str, ...]]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield alias.name, ()
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            yield str(child.module), tuple(alias.name for alias in child.names)
        else:
            yield from _imports_in(child)


def python_graph(packages: tuple[str, ...]) -> Graph:
    """Edges between the modules of our own packages."""
    modules: dict[str, Path] = {}
    for package in packages:
        modules |= python_modules(package)
    graph: Graph = {}
    for name, path in modules.items():
        graph[name] = set()
        for module, names in imports_of(path):
            inner = {f"{module}.{part}" for part in names} & set(modules)
            whole = module in modules and (not names or len(inner) < len(names))
            graph[name] |= inner | ({module} if whole else set())
    return graph


SCRIPTS = ROOT / "static" / "js"
AT_ONCE = (
    r"""^\s*(?:import|export)\b[^"';]*?from\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']"""
)
LATER = r"""\bimport\(\s*["']([^"']+)["']\s*\)"""
COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)


def script_graph(*, later: bool = True) -> Graph:
    """Edges between the modules of static/js; the types named in comments are no imports.

    Args:
        later: whether a module that is fetched when it is needed counts as well.
    """
    statement = re.compile(f"{AT_ONCE}|{LATER}" if later else AT_ONCE, re.MULTILINE)
    graph: Graph = {}
    for path in sorted(SCRIPTS.rglob("*.js")):
        source = COMMENT.sub("", path.read_text(encoding="utf-8"))
        targets = ["".join(found) for found in statement.findall(source)]
        graph[script_name(path)] = {script_name((path.parent / t).resolve()) for t in targets}
    return graph


def script_name(path: Path) -> str:
    return path.relative_to(SCRIPTS).as_posix() if path.is_relative_to(SCRIPTS) else str(path)


def cycle_in(graph: Graph) -> list[str]:
    """One cycle as the modules along it, or nothing."""
    done: set[str] = set()

    def walk(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        for target in sorted(graph.get(name, ())):
            found = walk(target, [*way, name])
            if found:
                return found
        done.add(name)
        return []

    return next((found for name in sorted(graph) if (found := walk(name, []))), [])
