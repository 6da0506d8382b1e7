"""The built wheel carries the page, the command and the library, and works on its own."""

import configparser
import email
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from app import __version__

ROOT = Path(__file__).resolve().parent.parent

ASK_FOR_EACH_PATH = """
import sys
from fastapi.testclient import TestClient
import app, attention
from app.main import create_app
print(app.__file__, attention.__file__, sep="\\n")
client = TestClient(create_app(), raise_server_exceptions=False)
for path in sys.stdin.read().split():
    print(client.get(path).status_code, path)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """The project's wheel, built by its own build system."""
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = directory.glob("*.whl")
    with zipfile.ZipFile(path) as opened:
        yield opened


def metadata(wheel: zipfile.ZipFile, name: str) -> str:
    (path,) = (entry for entry in wheel.namelist() if entry.endswith(f".dist-info/{name}"))
    return wheel.read(path).decode()


def page_files() -> list[str]:
    files = (path for part in ("templates", "static") for path in (ROOT / part).rglob("*"))
    return sorted(str(path.relative_to(ROOT)) for path in files if path.is_file())


def test_the_wheel_holds_every_file_of_the_page(wheel: zipfile.ZipFile) -> None:
    prefix = "app/_page/"
    held = {name.removeprefix(prefix) for name in wheel.namelist() if name.startswith(prefix)}
    assert held == set(page_files())
    for name in held:
        assert wheel.read(prefix + name) == (ROOT / name).read_bytes()


def test_the_wheel_holds_the_two_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"app", "attention"}
    assert {"app/py.typed", "attention/py.typed"} <= set(wheel.namelist())


def test_the_wheel_names_its_version_licence_and_command(wheel: zipfile.ZipFile) -> None:
    about = email.message_from_string(metadata(wheel, "METADATA"))
    assert about["Version"] == __version__
    assert about["License-Expression"] == "Apache-2.0"
    assert metadata(wheel, "licenses/LICENSE") == (ROOT / "LICENSE").read_text()
    scripts = configparser.ConfigParser()
    scripts.read_string(metadata(wheel, "entry_points.txt"))
    point = importlib.metadata.EntryPoint(
        "attention-visualiser",
        scripts["console_scripts"]["attention-visualiser"],
        "console_scripts",
    )
    assert callable(point.load())


def test_an_installed_wheel_serves_the_page_and_its_files(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    wheel.extractall(tmp_path)
    paths = ["/", "/healthz", *("/" + name for name in page_files() if name.startswith("static/"))]
    told = subprocess.run(
        [sys.executable, "-c", ASK_FOR_EACH_PATH],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        input="\n".join(paths),
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    places, answers = told.stdout.splitlines()[:2], told.stdout.splitlines()[2:]
    assert places == [str(tmp_path / name / "__init__.py") for name in ("app", "attention")]
    assert answers == [f"200 {path}" for path in paths]


def locked() -> dict[str, str]:
    """The version of each locked package."""
    text = (ROOT / "app" / "deploy" / "locked.txt").read_text()
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))


def test_the_lock_holds_what_the_project_needs_in_versions_that_it_allows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {r.name: r.specifier for r in map(Requirement, project["dependencies"])}
    assert needed.keys() - locked().keys() == {"torch"}
    wrong = {n: v for n, v in locked().items() if n in needed and v not in needed[n]}
    assert wrong == {}


def test_the_lock_names_hashes_and_neither_hosts_nor_options() -> None:
    text = (ROOT / "app" / "deploy" / "locked.txt").read_text()
    for line in filter(None, (line.strip() for line in text.splitlines())):
        assert re.fullmatch(r"#.*|[\w.-]+==\S+ \\|--hash=sha256:[0-9a-f]{64}( \\)?", line), line
    assert "://" not in text
    blocks = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(locked()) and all("--hash=" in block for block in blocks)
