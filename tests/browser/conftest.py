"""A real server on a free port and a real browser, shared by all tests of this folder."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from app.connection import send_at_once
from app.main import create_app
from app.settings import Settings

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
         "--disable-component-update", "--no-first-run", "--disable-quic",
         "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup")  # fmt: skip
# A request to anywhere else finds no such host.
NOWHERE_ELSE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"


def browser_path() -> str:
    """The browser named by CHROMIUM, or the first one found."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, f"no browser found: set CHROMIUM, or install one of {', '.join(NAMES)}"
    return found


@pytest.fixture(scope="session")
def upload_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps what the tests bring."""
    return tmp_path_factory.mktemp("uploads")


@pytest.fixture(scope="session")
def base_url(upload_folder: Path) -> Iterator[str]:
    """The address of a running server."""
    with running(Settings(upload_dir=upload_folder)) as url:
        yield url


@contextmanager
def running(settings: Settings) -> Iterator[str]:
    """A server of these settings on a free port of this machine; its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        send_at_once(listener)
        server = uvicorn.Server(uvicorn.Config(create_app(settings), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


# A page that was closed may still write what it keeps after the profile was emptied.
FIRST_VISIT = """
if (window === top && location.protocol !== "about:" && !sessionStorage.getItem("visited")) {
  localStorage.clear();
  sessionStorage.setItem("visited", "yes");
}
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless browser.

    Playwright's own waiting evaluates text in the page, which our policy forbids scripts; what the
    policy does to the page itself is the matter of test_safety.py.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path(), args=[*QUIET, NOWHERE_ELSE]
        )
        browser.new_context = partial(browser.new_context, bypass_csp=True)  # type: ignore[method-assign]
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def cached(browser: Browser, base_url: str) -> Iterator[BrowserContext]:
    """One browser profile for a module, so that the page's scripts are fetched once."""
    context = browser.new_context(base_url=base_url, viewport={"width": 1440, "height": 900})
    yield context
    context.close()


@pytest.fixture
def context(cached: BrowserContext, base_url: str) -> Iterator[BrowserContext]:
    """A visitor of their own: nothing kept of those before but the page's files."""
    yield cached
    cached.unroute_all()
    cached.clear_permissions()
    cached.set_offline(False)
    last = cached.new_page()
    for page in cached.pages:
        if page is not last:
            page.goto("about:blank")  # it keeps what it has as one leaves it
            page.close()
    kept = {"origin": base_url, "storageTypes": "cookies,local_storage,indexeddb"}
    cached.new_cdp_session(last).send("Storage.clearDataForOrigin", kept)
    last.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """The page as a first visit shows it; errors of its scripts fail the test."""
    page = context.new_page()
    page.add_init_script(FIRST_VISIT)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("/")
    settled(page)
    yield page
    assert errors == []


def settled(page: Page) -> None:
    """Wait until what is drawn belongs to what is set."""
    page.wait_for_function("document.documentElement.dataset.state === 'ready'", timeout=15_000)


def link_written(page: Page) -> None:
    """Wait until the address holds what is set."""
    page.wait_for_function("document.documentElement.dataset.link !== 'behind'")


@pytest.fixture
def load(page: Page) -> Callable[[str], None]:
    """Choose an example by its name."""

    def choose(name: str) -> None:
        page.select_option("#example", name)
        settled(page)

    return choose


def drawn(page: Page, figure: str, trace: int = 0) -> Any:
    """The matrix that Plotly holds for a figure; NaN and blank are None."""
    return page.evaluate(
        """([id, trace]) => Array.from(document.getElementById(id).data[trace].z, (row) =>
             Array.from(row, (x) => Number.isFinite(x) ? x : null))""",
        [figure, trace],
    )
