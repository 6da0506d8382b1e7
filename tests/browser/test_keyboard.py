"""The page by keyboard alone: everything reached in order, no trap, the focus always seen."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import drawn, settled

Load = Callable[[str], None]
MOST_STOPS = 400

FOCUS = """() => {
  const e = document.activeElement;
  if (e === document.body || e === document.documentElement) return null;
  const style = getComputedStyle(e);
  const around = e.closest("label");
  const ring = (x) => {
    const { outlineStyle, outlineWidth } = x ? getComputedStyle(x) : {};
    return x !== null && outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  };
  const box = e.getBoundingClientRect();
  return {
    id: e.id, tag: e.tagName, seen: ring(e) || ring(around) || ring(e.closest(".segments")),
    top: box.top + scrollY, left: box.left, width: box.width, height: box.height,
    inside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    visible: style.visibility !== "hidden", name: e.className,
  };
}"""


def walk(page: Page) -> list[dict[str, Any]]:
    """What has the focus after each press of Tab, until it leaves the page."""
    stops: list[dict[str, Any]] = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUS)
        if stop is None:
            return stops
        stops.append(stop)
    raise AssertionError(f"no way out after {MOST_STOPS} presses: {stops[-3:]}")


def test_tab_goes_through_the_page_and_out_again(page: Page, load: Load) -> None:
    load("causal_4")
    ids = [stop["id"] for stop in walk(page)]
    order = ["setup-toggle", "example", "undo", "input-vectors", "num-heads", "causal"]
    order += ["heads-frame", "scores-frame", "weights-frame"]
    assert [name for name in ids if name in order] == order
    assert len(set(ids) - {""}) == len([name for name in ids if name]), "each is visited once"


def test_whatever_has_the_focus_shows_it(page: Page) -> None:
    for stop in walk(page):
        assert stop["seen"], f"no outline at {stop}"
        assert stop["inside"], f"out of sight: {stop}"
        assert stop["width"] > 0 and stop["height"] > 0, stop


def test_the_way_back_is_the_way_there(page: Page) -> None:
    there = walk(page)
    for _ in there:
        page.keyboard.press("Tab")
    back = []
    for _ in there[:-1]:
        page.keyboard.press("Shift+Tab")
        back.append(page.evaluate(FOCUS))
    assert [stop["id"] for stop in back] == [stop["id"] for stop in there[-2::-1]]


def test_the_first_stop_skips_to_the_pictures(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#pictures') !== null")


def test_arrows_walk_the_cells_of_a_heatmap(page: Page, load: Load) -> None:
    load("cross_3x5")
    page.focus("#weights-frame")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    weights = drawn(page, "weights-figure")
    spoken = page.inner_text("#cell-spoken")
    row, column = place(page)
    assert f"{weights[row][column]:.4f}"[:5] in spoken
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    assert place(page)[1] == 4, "the cursor stays inside"
    page.keyboard.press("Enter")
    assert page.locator("#cell-card.is-pinned").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#cell-card").is_hidden()


def place(page: Page) -> tuple[int, int]:
    """Query and key that the page says the cursor is at."""
    words = page.inner_text("#cell-spoken").replace(",", " ").split()
    return int(words[words.index("query") + 1]), int(words[words.index("key") + 1])


def test_arrows_choose_a_head_in_the_toolbar(page: Page, load: Load) -> None:
    load("gqa_8_2")
    page.focus("#head-buttons [tabindex='0']")
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        page.keyboard.press(key)
        settled(page)
    assert page.evaluate("document.activeElement.textContent") == "H6"
    assert page.inner_text("#selected-title").startswith("Head 6")
    stops = page.locator("#head-buttons [tabindex='0']").count()
    assert stops == 1, "the toolbar is one stop of the Tab key"


def test_arrows_walk_the_number_grid(page: Page, load: Load) -> None:
    load("causal_4")
    page.focus("[data-grid='x'][data-row='0'][data-col='0']")
    page.keyboard.press("ArrowDown")
    focused = "document.activeElement.dataset"
    assert page.evaluate(f"{focused}.row") == "1"
    page.keyboard.press("Enter")
    assert page.evaluate(f"{focused}.row") == "2"


@pytest.mark.parametrize("menu", ["share", "export"])
def test_a_menu_opens_and_closes_from_the_keyboard(page: Page, menu: str) -> None:
    page.focus(f"#{menu} > summary")
    page.keyboard.press("Enter")
    assert page.locator(f"#{menu}").get_attribute("open") is not None
    page.keyboard.press("Tab")
    assert page.evaluate(f"document.activeElement.closest('#{menu}') !== null")
    page.keyboard.press("Escape")
    assert page.locator(f"#{menu}").get_attribute("open") is None
    assert page.evaluate(f"document.activeElement.parentElement.id === '{menu}'")


def test_a_switch_is_switched_by_the_space_bar(page: Page, load: Load) -> None:
    load("mqa")
    before = page.is_checked("#causal")
    page.focus("#causal")
    page.keyboard.press("Space")
    settled(page)
    assert page.is_checked("#causal") != before


def test_nothing_moves_for_those_who_asked_for_less_motion(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    slow = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((e) => {
          const style = getComputedStyle(e);
          const seconds = (list) => Math.max(...list.split(",").map(parseFloat));
          return seconds(style.transitionDuration) + seconds(style.animationDuration) > 0.02;
        }).map((e) => e.className || e.tagName)"""
    )
    assert slow == []


def test_the_grid_is_left_by_tab_after_one_row_and_its_token_is_moved_by_keys(
    page: Page, load: Load
) -> None:
    load("causal_4")
    grid = page.locator(".grid-frame:visible").first
    labels = grid.locator(".label-cell")
    before = labels.evaluate_all("(cells) => cells.map((cell) => cell.value)")
    labels.nth(1).focus()
    row = grid.locator("tr[data-token-row='1'] input")
    for _ in range(row.count()):
        page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.token-grid')")
    up = grid.get_by_role("button", name="Move token 1 up")
    up.focus()
    page.keyboard.press("Enter")
    settled(page)
    after = labels.evaluate_all("(cells) => cells.map((cell) => cell.value)")
    assert after == [before[1], before[0], *before[2:]]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Move token 0 up"
    assert page.evaluate("document.activeElement.getAttribute('aria-disabled')") == "true"
    page.keyboard.press("Enter")
    assert labels.evaluate_all("(cells) => cells.map((cell) => cell.value)") == after
