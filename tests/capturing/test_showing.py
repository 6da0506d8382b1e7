"""The page on a run, served by a process of its own."""

import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
import torch
from torch import nn

from app import opening
from attention import AttentionError, Calls, capture


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Calls:
    monkeypatch.setenv("ATTENTION_UPLOAD_DIR", str(tmp_path / "uploads"))
    module = nn.MultiheadAttention(12, 3, batch_first=True).eval()
    with torch.no_grad(), capture(module) as found:
        module(*(torch.randn(1, 5, 12),) * 3)
    return found


def test_show_serves_the_page_on_the_run_until_it_is_closed(
    calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = calls.show(browser=False)
    try:
        parts = urlsplit(shown.url)
        base = f"{parts.scheme}://{parts.netloc}"
        (identity,) = parse_qs(parts.query)["open"]
        assert parts.hostname == "127.0.0.1"
        assert capsys.readouterr().out == f"{shown.url}\n"
        assert "</html>" in httpx2.get(shown.url).text
        (call,) = httpx2.get(f"{base}/api/uploads/{identity}").json()["calls"]
        answer = httpx2.post(f"{base}/api/attention", json=call["spec"]).json()
        weights = torch.tensor(answer["tensors"]["weights"])
        torch.testing.assert_close(weights, calls[0].attend().weights, rtol=0, atol=1e-6)
        assert f'<iframe src="{shown.url}"' in shown._repr_html_()
    finally:
        shown.close()
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(base)


def test_the_page_goes_when_python_ends() -> None:
    script = (
        "import torch; from attention import capture; import torch.nn.functional as F\n"
        "q = torch.randn(1, 2, 3, 4)\n"
        "with capture() as calls: F.scaled_dot_product_attention(q, q, q)\n"
        "calls.show(browser=False)\n"
    )
    command = [sys.executable, "-c", script]
    address = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(address)


def test_a_browser_is_sent_to_the_printed_address(
    calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    opened: list[str] = []

    def run(server: Any, sockets: Any) -> None:
        """In place of serving."""

    class Now:
        """A thread that runs at once."""

        def __init__(self, target: Any, args: Any, daemon: bool) -> None:
            self.start = lambda: target(*args)

    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(opening, "Thread", Now)
    monkeypatch.setattr("uvicorn.Server.run", run)
    calls.save(tmp_path / "run.safetensors")
    opening.serve_open(tmp_path / "run.safetensors")
    assert capsys.readouterr().out.split() == opened
    assert (tmp_path / "run.safetensors").exists()


def test_without_the_server_the_error_says_what_to_install(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attention.capturing.showing.find_spec", lambda name: None)
    with pytest.raises(AttentionError, match="pip install attention-visualiser"):
        calls.show()


def test_a_server_that_does_not_start_is_said(
    calls: Calls, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ATTENTION_UPLOAD_DIR", str(tmp_path / "file"))
    with pytest.raises(AttentionError, match="could not be served: got exit status 1"):
        calls.show(browser=False)
