"""axe-core finds nothing against WCAG 2.1 A and AA on any state of the page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import settled
from tests.browser.tabs import answered, opened

Load = Callable[[str], None]
AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
EXAMPLES = [
    "hand_worked", "causal_4", "padded_batch", "left_padding_causal", "gqa_8_2", "mqa",
    "cross_3x5", "saturation", "stability", "readings",
]  # fmt: skip
SIZES = {"desk": (1440, 900), "phone": (390, 844)}


def violations(page: Page, *within: str) -> list[str]:
    """What axe finds on the page or within some parts of it, as one line each.

    Colours are looked at once they stand still.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    page.wait_for_function("document.getAnimations().every((a) => a.playState !== 'running')")
    found: dict[str, Any] = page.evaluate(
        """([parts, tags]) => axe.run(
             parts.length ? { include: parts } : document,
             { runOnly: tags, resultTypes: ["violations"] })""",
        [within, RULES],
    )
    return [
        f"{rule['id']}: {' '.join(map(str, node['target']))}: {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest, page: Page) -> str:
    """The page in one of its themes."""
    page.emulate_media(color_scheme=request.param, reduced_motion="reduce")
    settled(page)
    name: str = request.param
    return name


def test_every_example_is_without_violations(page: Page, theme: str, load: Load) -> None:
    for name in EXAMPLES:
        load(name)
        assert violations(page) == [], name


def test_the_page_is_without_violations_on_a_phone_in_both_languages(
    page: Page, theme: str, load: Load
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    load("gqa_8_2")
    for language in ("en", "zh"):
        page.select_option("#language", language)
        settled(page)
        assert violations(page) == [], language


def test_everything_unfolded_is_without_violations(page: Page, theme: str, load: Load) -> None:
    load("left_padding_causal")
    page.evaluate(
        "document.querySelectorAll('details:not(.menu)').forEach((d) => { d.open = true; })"
    )
    for box in page.locator("#setup input[type=checkbox][data-bind$='.on']").all():
        if box.is_visible() and not box.is_checked():
            box.check()
    page.wait_for_timeout(300)
    assert violations(page) == []


def test_each_menu_is_without_violations(page: Page, theme: str, load: Load) -> None:
    load("gqa_8_2")
    for language in ("en", "zh"):
        page.select_option("#language", language)
        settled(page)
        for menu in page.locator("details.menu").all():
            if not menu.is_visible():
                continue
            menu.locator("summary").click()
            page.wait_for_timeout(400)
            assert violations(page) == [], menu.get_attribute("id")
            page.keyboard.press("Escape")


def test_an_error_is_without_violations(page: Page, theme: str, load: Load) -> None:
    load("causal_4")
    page.fill("[data-grid='x'][data-row='0'][data-col='1']", "abc")
    page.wait_for_function("document.documentElement.dataset.state === 'error'")
    assert violations(page) == []


def test_a_pinned_cell_is_without_violations(page: Page, theme: str, load: Load) -> None:
    load("padded_batch")
    page.focus("#weights-frame")
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.wait_for_timeout(500)
    assert violations(page) == []


def test_every_stage_is_without_violations(page: Page, theme: str, load: Load) -> None:
    load("gqa_8_2")
    for step in page.locator("#steps [role='radio']").all():
        step.click()
        settled(page)
        assert violations(page) == [], step.get_attribute("data-stage")


def test_a_comparison_is_without_violations(page: Page, theme: str, load: Load) -> None:
    load("gqa_8_2")
    page.click("[data-compare='mask_off']")
    page.wait_for_selector("#compare-results:not([hidden]) .hm image", state="attached")
    assert violations(page) == []
    page.click("#compare-own")
    page.wait_for_timeout(500)
    for language in ("zh", "en"):
        page.select_option("#language", language)
        settled(page)
        assert violations(page) == [], language


def test_vectors_given_as_heads_are_without_violations(page: Page, theme: str) -> None:
    page.locator("#input-heads").check()
    settled(page)
    assert violations(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_the_embedded_pictures_are_without_violations(page: Page, theme: str, size: str) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/embed")
    settled(page)
    assert violations(page) == []


def test_the_tabs_are_without_violations(page: Page, theme: str, load: Load) -> None:
    load("gqa_8_2")
    opened(page, "decode")
    page.fill("#decode-chunk", "2")
    page.check("#decode-top-left")
    answered(page, "decode")
    page.click("#decode-next")
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    for tab in ("decode", "costs", "stability", "readings", "code"):
        opened(page, tab)
        page.evaluate(
            "document.querySelectorAll('.tab-panel details').forEach((d) => d.open = true)"
        )
        assert violations(page) == [], tab
    page.check("[name='code-style'][value='multihead_attention']", force=True)
    answered(page, "code")
    assert violations(page) == []
