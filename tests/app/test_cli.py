"""The console command's options, their environment variables and what it starts."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from app import __version__
from app.cli import METRICS, THREADS, main
from app.settings import Settings

HUGE_PAGES, HOSTS = "THP_MEM_ALLOC_ENABLE", "ATTENTION_ALLOWED_HOSTS"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What uvicorn was asked to serve, with HOST and PORT unset to begin with."""
    calls: list[dict[str, Any]] = []
    monkeypatch.setattr(
        uvicorn, "run", lambda app, **options: calls.append({"app": app, **options})
    )
    monkeypatch.delenv("HOST", raising=False)
    monkeypatch.delenv("PORT", raising=False)
    for name in (HUGE_PAGES, HOSTS, THREADS, METRICS):
        monkeypatch.setenv(name, "")  # so that it is put back, whatever the command sets
        monkeypatch.delenv(name)
    return calls


@pytest.mark.parametrize("given", [None, "0"])
def test_torch_is_told_to_ask_for_huge_pages_unless_the_environment_says_otherwise(
    served: list[dict[str, Any]], given: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if given is not None:
        monkeypatch.setenv(HUGE_PAGES, given)
    main([])
    assert os.environ[HUGE_PAGES] == (given or "1")


def test_the_command_leaves_torch_to_the_application() -> None:
    code = "import sys, app.cli; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_it_serves_the_application_factory_on_loopback_port_8000(
    served: list[dict[str, Any]],
) -> None:
    assert main([]) == 0
    (asked,) = served
    expected = {"app": "app.main:create_app", "factory": True, "host": "127.0.0.1", "port": 8000}
    assert {name: asked[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("host", "names"),
    [("127.0.0.1", "localhost,127.0.0.1,[::1]"), ("localhost", "localhost,127.0.0.1,[::1]"),
     ("0.0.0.0", None)],
)  # fmt: skip
def test_on_a_loopback_address_it_answers_to_local_names_alone(
    served: list[dict[str, Any]], host: str, names: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["--host", host])
    assert os.environ.get(HOSTS) == names
    monkeypatch.setenv(HOSTS, "a.example")
    main(["--host", host])
    assert os.environ[HOSTS] == "a.example"


def test_nobody_s_word_about_a_client_s_address_is_taken_unless_trusted(
    served: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    main([])
    assert (served[0]["proxy_headers"], served[0]["forwarded_allow_ips"]) == (False, "")
    monkeypatch.setenv("ATTENTION_TRUSTED_PROXIES", "10.0.0.0/8")
    main([])
    assert (served[1]["proxy_headers"], served[1]["forwarded_allow_ips"]) == (True, "10.0.0.0/8")


def test_host_and_port_come_from_the_environment(
    served: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST", "0.0.0.0")
    monkeypatch.setenv("PORT", "9001")
    main([])
    assert (served[0]["host"], served[0]["port"]) == ("0.0.0.0", 9001)


def test_the_number_of_processes_comes_from_the_option_or_the_environment(
    served: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEB_CONCURRENCY", raising=False)
    main([])
    main(["--workers", "3"])
    main(["serve", "--workers", "2"])
    monkeypatch.setenv("WEB_CONCURRENCY", "5")
    main([])
    assert [asked["workers"] for asked in served] == [1, 3, 2, 5]


@pytest.mark.parametrize("count", ["0", "-1", "257", "two", "1.5"])
def test_a_number_of_processes_that_makes_no_sense_is_refused(
    served: list[dict[str, Any]], count: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--workers", count])
    assert "workers are 1 to 256 processes" in capsys.readouterr().err
    assert served == []


def test_an_empty_environment_variable_is_an_unset_one(
    served: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST", "")
    monkeypatch.setenv("PORT", "")
    main([])
    assert (served[0]["host"], served[0]["port"]) == ("127.0.0.1", 8000)


def test_options_win_over_the_environment(
    served: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST", "0.0.0.0")
    monkeypatch.setenv("PORT", "not a port, and not read")
    main(["--host", "::1", "--port", "0"])
    assert (served[0]["host"], served[0]["port"]) == ("::1", 0)


@pytest.mark.parametrize("port", ["65536", "-1", "eight thousand", "80.5"])
def test_a_port_that_is_none_is_refused_with_its_range(
    port: str, served: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([f"--port={port}"])
    assert stop.value.code == 2
    assert f"a whole number from 0 to 65535, got {port!r}" in capsys.readouterr().err
    assert served == []


def test_a_bad_port_in_the_environment_is_refused_like_the_option(
    served: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PORT", "http")
    with pytest.raises(SystemExit):
        main([])
    assert "got 'http'" in capsys.readouterr().err
    assert served == []


def test_it_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"attention-visualiser {__version__}\n"


def test_serve_is_what_it_does_anyway(served: list[dict[str, Any]]) -> None:
    main(["serve", "--port", "9001"])
    main(["--port", "9002", "serve"])
    assert [call["port"] for call in served] == [9001, 9002]
    assert {call["host"] for call in served} == {"127.0.0.1"}


def test_models_are_allowed_beside_those_of_the_environment(
    served: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTENTION_MODELS", "small=/models/small")
    main(["serve", "--model", "large=/models/large", "--model", "org/other"])
    assert Settings().models == {
        "small": "/models/small",
        "large": "/models/large",
        "other": "org/other",
    }


def test_a_model_without_a_path_is_refused(
    served: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--model", "name="])
    assert "a model is NAME=PATH" in capsys.readouterr().err
    assert served == []


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("gone.safetensors", None, "there is no such file"),
        ("run.safetensors", b"short", "no .safetensors file"),
        ("run.txt", b"1 2", "of a kind that is not read"),
    ],
)
def test_what_cannot_be_opened_says_why(
    name: str, content: bytes | None, says: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("ATTENTION_UPLOAD_DIR", str(tmp_path / "uploads"))
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main(["open", str(tmp_path / name)]) == 1
    told = capsys.readouterr()
    assert says in told.err and told.out == ""
    assert list((tmp_path / "uploads").glob("*.part")) == []


def test_a_port_that_is_taken_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTENTION_UPLOAD_DIR", str(tmp_path / "uploads"))
    (tmp_path / "x.csv").write_text("1,2\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["open", str(tmp_path / "x.csv"), "--port", str(port)]) == 1
    assert f"port {port} cannot be had" in capsys.readouterr().err
