"""Behind a proxy that shows the server below a path, and takes the path away."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Page, expect

from app.settings import Settings
from tests.browser.conftest import drawn, running, settled
from tests.browser.tabs import opened

PREFIX = "/tools/attention"


@pytest.fixture(scope="module")
def base_url(upload_folder: Path) -> Iterator[str]:
    """The address of the proxy; whoever forgets the path finds nothing."""
    with running(Settings(upload_dir=upload_folder)) as behind:
        client = httpx2.Client(base_url=behind)

        class Proxy(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self) -> None:
                if not self.path.startswith(f"{PREFIX}/"):
                    self.send_error(404)
                    return
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                kept = {k: v for k, v in self.headers.items() if k.lower() != "accept-encoding"}
                answer = client.request(
                    self.command, self.path.removeprefix(PREFIX), content=body, headers=kept
                )
                self.send_response(answer.status_code)
                for name, value in answer.headers.items():
                    if name not in ("content-length", "transfer-encoding", "content-encoding"):
                        self.send_header(name, value)
                self.send_header("content-length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)

            do_GET = do_POST = forward  # noqa: N815

            def log_message(self, format: str, *values: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        client.close()


@pytest.fixture
def below(context: Any) -> Iterator[Page]:
    """The page below the path; whatever of ours is not found fails the test."""
    page: Page = context.new_page()
    missing: list[str] = []
    page.on("response", lambda got: missing.append(got.url) if got.status == 404 else None)
    page.goto(f"{PREFIX}/")
    settled(page)
    yield page
    assert missing == []


def test_the_page_computes_and_opens_its_tabs(below: Page) -> None:
    assert drawn(below, "weights-figure")[2] == pytest.approx([0.24826, 0.24826, 0.50349], abs=1e-5)
    opened(below, "costs")
    opened(below, "lesson")


def test_what_is_copied_names_the_path(below: Page, base_url: str) -> None:
    below.context.grant_permissions(["clipboard-read", "clipboard-write"])
    below.click("#export > summary")
    below.click("#copy-curl")
    expect(below.locator("#export")).to_contain_text("Copied")
    copied = below.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"curl -s {base_url}{PREFIX}/api/attention ")


def test_a_file_is_brought_and_a_frame_leads_back(below: Page, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n3,5\n")
    below.set_input_files("#file-input", str(table))
    below.wait_for_selector(".file-card .readings")
    below.goto(f"{PREFIX}/embed")
    settled(below)
    with below.context.expect_page() as whole:
        below.click("#open-whole")
    settled(whole.value)
    assert whole.value.url.split("#")[0].endswith(f"{PREFIX}/")


def test_the_api_s_page_asks_below_the_path(below: Page) -> None:
    below.goto(f"{PREFIX}/docs")
    below.locator(".opblock-summary", has_text="/api/examples").click()
    below.locator(".try-out button").click()
    with below.expect_response(f"**{PREFIX}/api/examples") as answer:
        below.locator(".opblock .execute").click()
    assert answer.value.status == 200
