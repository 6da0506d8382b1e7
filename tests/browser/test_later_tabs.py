"""Tabs whose scripts come when they are needed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import link_written, settled
from tests.browser.tabs import answered

Load = Callable[[str], None]
TABS = ("decode", "check", "costs", "code", "stability", "readings", "lesson")


@pytest.fixture
def scripts(page: Page) -> list[str]:
    """The scripts that are asked for from now on, by their names below static/js."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/js/")[2]))
    return asked


def test_a_visit_fetches_no_closed_tab(page: Page, scripts: list[str]) -> None:
    page.reload()
    settled(page)
    assert "main.js" in scripts
    assert [tab for tab in TABS if f"panels/{tab}.js" in scripts] == []


def test_pointing_at_a_tab_fetches_it_before_the_press(page: Page, scripts: list[str]) -> None:
    with page.expect_response("**/panels/costs.js"):
        page.hover("#tab-costs")
    page.click("#tab-costs")
    answered(page, "costs")
    assert scripts.count("panels/costs.js") == 1
    assert "panels/decode.js" not in scripts


def test_a_tab_that_cannot_be_fetched_says_so_and_is_fetched_at_the_next_press(page: Page) -> None:
    page.route("**/panels/decode.js", lambda route: route.abort())
    page.click("#tab-decode")
    expect(page.locator("#decode-error")).to_contain_text("could not be fetched")
    page.unroute("**/panels/decode.js")
    page.click("#tab-decode")
    answered(page, "decode")
    expect(page.locator("#decode-error")).to_be_hidden()


def test_a_link_into_a_tab_opens_it(page: Page, load: Load) -> None:
    load("causal_4")
    page.click("#tab-stability")
    answered(page, "stability")
    link_written(page)
    page.reload()
    answered(page, "stability")
    assert page.get_attribute("#tab-stability", "aria-selected") == "true"
