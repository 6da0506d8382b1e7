"""The built wheel carries the page, the command and the library, and works on its own."""

import configparser
import email
import importlib.metadata
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

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
