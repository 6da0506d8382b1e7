"""Three widths: nothing wider than the screen, and the pictures in sight."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import settled
from tests.browser.tabs import opened

Load = Callable[[str], None]
SIZES = [(1440, 900), (1024, 768), (390, 844)]
WIDER = """() => [...document.querySelectorAll("body *")].filter((e) => {
  const box = e.getBoundingClientRect();
  if (box.right <= innerWidth + 1 || box.width === 0 || !e.checkVisibility()) return false;
  for (let up = e.parentElement; up; up = up.parentElement) {
    if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(up).overflowX)) return false;
  }
  return getComputedStyle(e).position !== "fixed" && !e.closest(".unseen, svg");
}).map((e) => e.id || e.className || e.tagName)"""


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_never_scrolls_sideways(
    page: Page, load: Load, width: int, height: int, language: str
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.select_option("#language", language)
    for name in ("gqa_8_2", "cross_3x5", "left_padding_causal"):
        load(name)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert page.evaluate(WIDER) == [], name


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_no_tab_scrolls_the_page_sideways(page: Page, load: Load, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    for name in ("stability", "readings"):
        load(name)
        for tab in ("stability", "readings"):
            opened(page, tab)
            for language in ("en", "zh"):
                page.select_option("#language", language)
                settled(page)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, tab)
                assert page.evaluate(WIDER) == [], (name, tab)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_menu_stays_on_the_screen(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    settled(page)
    for menu in ("share", "export"):
        page.click(f"#{menu} > summary")
        box = page.locator(f"#{menu} .menu-panel").bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, menu
        page.keyboard.press("Escape")


def test_the_pictures_come_first_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    pictures = page.locator("#pictures").bounding_box()
    setup = page.locator("#setup").bounding_box()
    assert pictures is not None and setup is not None
    assert pictures["y"] < setup["y"]


def test_the_set_up_button_leads_to_the_set_up_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    for _ in range(2):
        page.evaluate("scrollTo(0, 0)")
        page.click("#setup-toggle")
        page.wait_for_function("document.activeElement.id === 'setup'")
        setup = page.locator("#setup").bounding_box()
        assert setup is not None and -1 <= setup["y"] < 200
