"""Every control has a name, says its convention, and the first visit shows a working example."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import drawn, settled

# Cells of grids, tokens and rows name themselves; what they mean stands at their grid.
PLAIN = ".token-grid, .token-chips, .drawn-grid, .id-field, .padding-row, .pager, .adders, .tab"
CONTROLS = "button, input:not([type=file]), select, textarea, summary, a[href], [role=application]"
UNNAMED = """([controls]) => [...document.querySelectorAll(controls)]
  .filter((e) => e.checkVisibility())
  .filter((e) => !(e.ariaLabel || e.getAttribute("aria-labelledby") || e.textContent.trim()
    || [...(e.labels ?? [])].some((label) => label.textContent.trim()) || e.title))
  .map((e) => e.outerHTML.slice(0, 120))"""
UNTOLD = """([controls, plain]) => [...document.querySelectorAll(controls)]
  .filter((e) => e.closest(".header, .setup, .panel-head, .tools-section"))
  .filter((e) => e.checkVisibility() && !e.closest(plain))
  .filter((e) => !(e.closest("[title]") || e.getAttribute("aria-describedby")))
  .filter((e) => !["H2", "H3"].includes(e.firstElementChild?.tagName))
  .map((e) => e.outerHTML.slice(0, 120))"""


IN_SIGHT = """() => {
  const { top, bottom } = document.getElementById("help-strip").getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""


@pytest.fixture(params=["en", "zh"])
def language(page: Page, request: pytest.FixtureRequest) -> str:
    page.select_option("#language", request.param)
    page.evaluate("document.getElementById('advanced').open = true")
    for switch in ("causal", "window", "prefix", "rope", "qk-norm", "sinks", "dropout"):
        page.check(f"#{switch}")
    page.click("[data-compare='mask_off']")
    settled(page)
    return str(request.param)


def test_every_control_has_a_name(page: Page, language: str) -> None:
    assert page.evaluate(UNNAMED, [CONTROLS]) == []


def test_every_control_of_the_setup_says_its_convention(page: Page, language: str) -> None:
    controls = "input, select, button:not(.chip, .head-button, .tab-button, .tool)"
    assert page.evaluate(UNTOLD, [controls, PLAIN]) == []


def test_help_stands_at_the_controls_when_it_is_asked_for(page: Page) -> None:
    tip = page.locator("#num-kv-heads-tip")
    assert not tip.is_visible()
    page.click("#help")
    assert tip.is_visible() and "K divides H" in tip.inner_text()
    below = page.evaluate("document.getElementById('help-strip').getBoundingClientRect().bottom")
    assert 0 < below < 200, "what the page is for stands where the button is"
    page.mouse.wheel(0, 600)
    assert page.evaluate(IN_SIGHT), "and stays in sight"
    page.click("#help")
    assert not tip.is_visible()


def test_a_first_visit_shows_a_working_example(page: Page) -> None:
    assert page.input_value("#example") == "hand_worked"
    assert page.is_visible("#example-says")
    assert len(drawn(page, "weights-figure")) == 3
    assert page.is_hidden("#problem") and page.is_hidden("#link-notice")
