"""The pictures inside another page's frame."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Frame, Page

from tests.browser.conftest import drawn, link_written, settled

Load = Callable[[str], None]
Embed = Callable[[str], Frame]


class Outside(BaseHTTPRequestHandler):
    """Another site's page, whose body is set for each test."""

    html = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.html.encode())

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def outside() -> Iterator[str]:
    """The address of a site of another origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Outside)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()


@pytest.fixture
def embedded(context: BrowserContext, base_url: str, outside: str) -> Callable[[str], Frame]:
    """The frame with /embed on a page of another origin, for a link's fragment."""

    def show(fragment: str) -> Frame:
        Outside.html = (
            f'<!doctype html><iframe src="{base_url}/embed{fragment}" width="900" height="700">'
        )
        page = context.new_page()
        page.goto(outside)
        frame = page.frames[1]
        frame.wait_for_function("document.documentElement.dataset.state === 'ready'")
        return frame

    return show


def fragment_of(page: Page) -> str:
    """The page's fragment, once it holds the newest state."""
    page.click("#share > summary")
    page.wait_for_function("location.hash.length > 4")
    link_written(page)
    return str(page.evaluate("location.hash"))


def numbers(page: Page | Frame, figure: str) -> list[list[float | None]]:
    found: list[list[float | None]] = drawn(page, figure)  # type: ignore[arg-type]
    return found


def test_a_frame_shows_the_state_of_the_link(page: Page, load: Load, embedded: Embed) -> None:
    load("gqa_8_2")
    page.click("#head-buttons >> text=H5")
    page.click("label:has([name='theme'][value='dark'])")
    settled(page)
    frame = embedded(fragment_of(page))
    np.testing.assert_array_equal(
        np.array(numbers(frame, "weights-figure"), float),
        np.array(numbers(page, "weights-figure"), float),
    )
    assert frame.evaluate("document.documentElement.dataset.theme") == "dark"
    assert frame.locator("#legend").is_visible()
    assert frame.locator("#heads-figure .hm image").count() >= 1


def test_a_frame_speaks_the_links_language(page: Page, embedded: Embed) -> None:
    page.select_option("#language", "zh")
    frame = embedded(fragment_of(page))
    assert frame.evaluate("document.documentElement.lang").startswith("zh")
    assert "可视化" in frame.inner_text("#open-whole")


def test_a_frame_without_a_state_shows_the_first_example(embedded: Embed) -> None:
    frame = embedded("")
    np.testing.assert_allclose(
        np.array(numbers(frame, "weights-figure"), float)[2],
        [0.24826, 0.24826, 0.50349],
        atol=5e-6,
    )


def test_the_link_out_of_a_frame_opens_the_same_state(
    page: Page, load: Load, context: BrowserContext, embedded: Embed
) -> None:
    load("cross_3x5")
    frame = embedded(fragment_of(page))
    with context.expect_page() as opened:
        frame.click("#open-whole")
    whole = opened.value
    settled(whole)
    assert numbers(whole, "scores-figure") == numbers(page, "scores-figure")
    assert whole.locator("#setup").is_visible()


def test_an_embedded_page_keeps_nothing(context: BrowserContext) -> None:
    page = context.new_page()
    page.goto("/embed")
    settled(page)
    page.wait_for_timeout(500)
    assert page.evaluate("localStorage.length") == 0
    assert page.evaluate("location.hash") == ""


@pytest.mark.parametrize("width", [1024, 390])
def test_an_embedded_page_never_scrolls_sideways(context: BrowserContext, width: int) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 700})
    page.goto("/embed")
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
