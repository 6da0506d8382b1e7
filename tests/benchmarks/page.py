"""How fast the page is to the hand: from a click, and from a first visit, to the painted picture.

``make bench`` prints the table. Each time is taken inside the page, from the browser's own
timestamp of the click (or of the navigation) to the frame after the pictures were drawn.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import QUIET, browser_path

CLICKS, LOADS = 24, 5
LONG, PANNED = 16_384, 4  # tokens, and how many times a window is halved before it is moved
VIEWPORT = {"width": 1440, "height": 900}
CASES = (
    ("8 heads x 128 tokens", 8, 128, 64, 60.0),
    ("32 heads x 32 tokens", 32, 32, 64, 40.0),
    ("1 head x 512 tokens", 1, 512, 16, 100.0),
)
GOAL_LOAD_MS, GOAL_LONG_MS, GOAL_WINDOW_MS = 2000.0, 60.0, 40.0

PAINTED = """() => new Promise((resolve) => {
  const look = () => {
    if (document.documentElement.dataset.state !== "ready") return requestAnimationFrame(look);
    scheduler.postTask(() => resolve(performance.now()), { priority: "user-blocking" });
  };
  requestAnimationFrame(look);
})"""
"""Resolves with the time when the frame after the last drawing is on its way to the screen."""

ARM = (
    """(kind) => {
  window.clicked = new Promise((resolve) => document.addEventListener(kind, (event) => {
    const start = event.timeStamp;
    ("""
    + PAINTED
    + """)().then((end) => resolve(end - start));
  }, { capture: true, once: true }));
}"""
)


def main() -> None:
    with server() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=QUIET)
        print(f"{os.cpu_count()} cores, {platform.machine()}, Chromium {browser.version}\n")
        print(f"{'':<40}{'median':>8}{'p95':>8}{'n':>5}  goal")
        report("first load, nothing cached", loads(browser, url), GOAL_LOAD_MS)
        for name, heads, tokens, width, goal in CASES:
            report(f"causal on/off, {name}", clicks(browser, url, heads, tokens, width), goal)
        report("causal on/off, 1 head x 1,024 tokens", long_clicks(browser, url), GOAL_LONG_MS)
        report("window moved, 512 x 512 pooled cells", moves(browser, url), GOAL_WINDOW_MS)
        browser.close()


def report(name: str, times: list[float], goal: float) -> None:
    """One line of the table, in milliseconds."""
    median, late = statistics.median(times), float(np.percentile(times, 95))
    verdict = f"under {goal:.0f} ms: {'yes' if median < goal else 'NO'}"
    print(f"{name:<40}{median:>8.0f}{late:>8.0f}{len(times):>5}  {verdict}")


def loads(browser: Browser, url: str) -> list[float]:
    """From navigation to the painted first example, each time as a new visitor."""
    times = []
    for _ in range(LOADS):
        context = browser.new_context(viewport=VIEWPORT, bypass_csp=True)
        page = context.new_page()
        page.goto(url, wait_until="domcontentloaded")
        times.append(float(page.evaluate(PAINTED)))
        context.close()
    return times


def clicks(browser: Browser, url: str, heads: int, tokens: int, width: int) -> list[float]:
    """From the click on the causal switch to the painted heatmaps."""
    context = browser.new_context(viewport=VIEWPORT, bypass_csp=True)
    page = context.new_page()
    page.goto(url)
    page.evaluate(PAINTED)
    apply(page, specification(heads, tokens, width))
    times = [one_click(page, tokens) for _ in range(CLICKS + 2)]
    context.close()
    return times[2:]


def one_click(page: Page, tokens: int) -> float:
    page.evaluate(ARM, "click")
    page.locator("#causal").click()
    elapsed = float(page.evaluate("window.clicked"))
    masked = tokens * (tokens - 1) // 2 if page.is_checked("#causal") else 0
    assert page.evaluate(MASKED_CELLS) == masked, "the picture shown is not the one asked for"
    return elapsed


def long_clicks(browser: Browser, url: str) -> list[float]:
    """From the click on the causal switch to the painted picture of a run at length."""
    page = long_page(browser, url, 1024)
    times = []
    for _ in range(CLICKS + 2):
        page.evaluate(ARM, "click")
        page.locator("#causal").click()
        times.append(float(page.evaluate("window.clicked")))
        shown = page.locator("#length-legend").inner_text()
        assert ("masked" in shown) == page.is_checked("#causal"), shown
    page.context.close()
    return times[2:]


def moves(browser: Browser, url: str) -> list[float]:
    """From the key that moves a window, whose rows were seen before, to its painted cells."""
    page = long_page(browser, url, LONG)
    for _ in range(PANNED):
        page.click("#length-in")
    page.evaluate(PAINTED)
    page.focus("#length-map")
    keys = ["ArrowDown", "ArrowRight"] * (CLICKS // 2 + 1)
    times = []
    for key in keys:
        before = page.inner_text("#length-says")
        page.evaluate(ARM, "keydown")
        page.keyboard.press(key)
        times.append(float(page.evaluate("window.clicked")))
        assert page.inner_text("#length-says") != before, "the window did not move"
        assert "2 × 2" in page.inner_text("#length-says"), "the cells are not pooled"
    page.context.close()
    return times[2:]


def long_page(browser: Browser, url: str, tokens: int) -> Page:
    """A run of one head that is shown window by window, its overview painted."""
    page = browser.new_context(viewport=VIEWPORT, bypass_csp=True).new_page()
    page.goto(url)
    page.evaluate(PAINTED)
    drawn = [{"random": {"shape": [tokens, 16], "seed": seed}} for seed in (1, 2, 3)]
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps(dict(zip("qkv", drawn, strict=True))))
    page.click("#spec-apply")
    page.evaluate("document.getElementById('specification').open = false")
    page.wait_for_function(
        f"document.getElementById('length-says').textContent.includes('{tokens - 1:,}')"
    )
    page.evaluate(PAINTED)
    return page


MASKED_CELLS = """() => document.getElementById("weights-figure").data[1].z.reduce(
  (sum, row) => sum + row.reduce((count, mark) => count + (mark === 1), 0), 0)"""


def specification(heads: int, tokens: int, width: int) -> dict[str, Any]:
    x = np.random.RandomState(7).standard_normal((tokens, width)).round(3)
    return {"x": x.tolist(), "num_heads": heads}


def apply(page: Page, spec: dict[str, Any]) -> None:
    """Put a specification into the page as a person would."""
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps(spec))
    page.click("#spec-apply")
    page.evaluate("document.getElementById('specification').open = false")
    page.evaluate(PAINTED)
    page.wait_for_function(
        f"document.getElementById('weights-figure').data[0].z.length === {len(spec['x'])}"
    )


@contextmanager
def server() -> Iterator[str]:
    """The application in a process of its own, as `make serve` runs it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "app", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(f"{url}/healthz")
        yield url
    finally:
        process.terminate()
        process.wait(10)


def wait_for(url: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(url, timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(url)


if __name__ == "__main__":
    main()
