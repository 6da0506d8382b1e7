"""One visit from first sight to a shared link, recorded as a trace and as stills.

The record is in ``test-results/walk``: a PNG of each station, and ``trace.zip``, which
``playwright show-trace`` plays step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import drawn, link_written, settled
from tests.browser.test_compare import compared
from tests.browser.test_main_job import example, matrix, served
from tests.browser.test_state import seen

RECORD = Path("test-results/walk")
PHONE = {"width": 390, "height": 844}
CAUSAL: dict[str, Any] = {"kind": "causal"}


@pytest.fixture
def recorded(context: BrowserContext, page: Page) -> Iterator[Callable[[str], None]]:
    """Takes a still of each station; the whole walk is kept as a trace."""
    stations: list[str] = []
    context.tracing.start(screenshots=True, snapshots=True)

    def station(name: str) -> None:
        stations.append(name)
        page.screenshot(path=RECORD / f"{len(stations):02}-{name}.png")

    yield station
    context.tracing.stop(path=RECORD / "trace.zip")


def weights_of(page: Page, spec: dict[str, Any], head: int) -> Any:
    return served(page, spec, "weights")[0, head].astype(float)


def same(page: Page, figure: str, expected: Any) -> None:
    np.testing.assert_allclose(matrix(drawn(page, figure)), expected, rtol=1e-6)


def test_a_whole_visit(
    page: Page, browser: Browser, base_url: str, recorded: Callable[[str], None]
) -> None:
    np.testing.assert_allclose(
        matrix(drawn(page, "weights-figure"))[2], [0.24826, 0.24826, 0.50349], atol=5e-6
    )
    recorded("first-sight")

    page.select_option("#example", "gqa_8_2")
    settled(page)
    spec = example(page, "gqa_8_2")
    page.click("#head-buttons [data-head='5']")
    settled(page)
    same(page, "weights-figure", weights_of(page, spec, 5))
    recorded("grouped-queries")

    page.uncheck("#causal")
    settled(page)
    bare = spec | {"masks": []}
    same(page, "weights-figure", weights_of(page, bare, 5))
    page.check("#causal")
    settled(page)
    masked = spec | {"masks": [CAUSAL]}
    same(page, "weights-figure", weights_of(page, masked, 5))
    recorded("causal")

    page.click(".step[data-stage='v']")
    settled(page)
    same(page, "stage-figure", served(page, masked, "v")[0, 1].astype(float))
    recorded("values-of-the-group")
    page.click(".step[data-stage='weights']")
    settled(page)

    page.focus("#weights-frame")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    weight = np.float32(weights_of(page, masked, 5)[1, 1])
    expect(page.locator("#cell-card")).to_contain_text(str(weight))
    recorded("pinned-cell")

    page.click("[data-compare='mask_off']")
    compared(page)
    same(page, "compare-b-figure", weights_of(page, bare, 5))
    page.locator("#panel-compare").scroll_into_view_if_needed()
    recorded("compared-with-the-mask-off")

    page.evaluate("scrollTo(0, 0)")
    page.check("[name='theme'][value='dark']")
    page.select_option("#language", "zh")
    settled(page)
    assert page.evaluate("document.documentElement.lang").startswith("zh")
    recorded("dark-and-chinese")

    before = seen(page)
    link_written(page)
    phone = browser.new_context(base_url=base_url, viewport=PHONE, has_touch=True, is_mobile=True)
    other = phone.new_page()
    other.goto("/" + page.evaluate("location.hash"))
    settled(other)
    other.wait_for_function("!document.getElementById('cell-card').hidden")
    assert seen(other) == before
    other.screenshot(path=RECORD / "08-the-link-on-a-phone.png")
    phone.close()
