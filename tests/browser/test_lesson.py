"""The lesson: every step in both languages, its numbers, its state changed, shared, restored."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import drawn, link_written, settled
from tests.browser.tabs import answered, served
from tests.browser.test_accessibility import violations
from tests.browser.test_language import in_chinese, untranslated
from tests.browser.test_widths import WIDER
from tests.wire import array

SIZES = [(1440, 900), (1024, 768), (390, 844)]
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
LABELS = {
    *("river", "bank", "money", "the", "cat", "sat", "on", "mat", "one", "two", "three", "query"),
    *("we", "ran", "home", "saw", "red", "fox", "[pad]", "<pad>", "first", "second", "third"),
    *("le", "chat", "dort", "is", "asleep", "ln 0.2", "ln 0.3", "ln 0.5"),
}


@pytest.fixture
def steps(page: Page) -> list[dict[str, Any]]:
    """The lesson's steps, with the tab open."""
    found: list[dict[str, Any]] = page.request.get("/api/lesson").json()["steps"]
    page.click("#tab-lesson")
    page.wait_for_function(f"document.querySelectorAll('#lesson-steps li').length === {len(found)}")
    return found


def go(page: Page, name: str) -> None:
    """Choose a step from the contents, and wait for its numbers."""
    page.evaluate("document.querySelector('.lesson-contents').open = true")
    page.click(f"#lesson-steps [data-step='{name}']")
    settled(page)
    answered(page, "lesson")


def said(page: Page) -> dict[str, str]:
    """The numbers that the first sentence of a step tells."""
    found: dict[str, str] = page.evaluate(
        "({...document.querySelector('#lesson-evidence .tool-verdict').dataset})"
    )
    return found


def values(page: Page, table: int = 0) -> list[list[float]]:
    """The numbers of a table, row by row, as whole as they were served."""
    found: list[list[float]] = page.evaluate(
        """(index) => {
             const [body] = document.querySelectorAll("#lesson-evidence table")[index].tBodies;
             const cells = (row) => [...row.querySelectorAll("[data-value]")];
             return [...body.rows].map((row) => cells(row).map(({ dataset }) => +dataset.value));
           }""",
        table,
    )
    return found


def weights_drawn(page: Page) -> Any:
    return np.array(drawn(page, "weights-figure"), dtype=float)


def test_every_step_sets_the_page_as_the_server_says(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    for place, step in enumerate(steps):
        go(page, step["name"])
        view = step["view"]
        states = {"given": step["spec"], **{each["name"]: each["spec"] for each in step["tries"]}}
        for name, spec in states.items():
            page.click(f"#lesson-tries [data-state='{name}']")
            settled(page)
            answered(page, "lesson")
            expected = served(page, "attention?include=weights", spec)["tensors"]["weights"]
            wanted = array(expected)[view["batch"], view["head"]].astype(float)
            np.testing.assert_allclose(weights_drawn(page), wanted, rtol=1e-5, atol=1e-7)
            pressed = page.locator("#lesson-tries [aria-pressed='true']")
            assert pressed.get_attribute("data-state") == name, step["name"]
            assert page.is_hidden("#lesson-changed")
        assert page.get_attribute(f"#lesson-steps [data-step='{step['name']}']", "aria-current")
        assert f"{place + 1} of {len(steps)}" in page.inner_text("#lesson-count")
        assert (
            page.locator(f"#steps [data-stage='{view['stage']}']").get_attribute("aria-checked")
            == "true"
        ), step["name"]


def test_the_sentences_tell_the_numbers_that_hold(page: Page, steps: list[dict[str, Any]]) -> None:
    """By hand where they can be worked by hand; tests/lesson holds the same against others."""
    exact: dict[str, dict[str, float]] = {
        "match_and_mix": {"weights": 0},
        "rows": {"scores": 0},
        "mask_order": {"before": 1, "after": 0.5},
        "combine": {"visible": 12, "several": 7},
        "blind": {"blind": 2},
        "conventions": {"allowed": 0, "blocked": 1, "weights": 1},
        "mixing": {"heads": 0},
        "heads": {"difference": 0},
        "sharing": {"own": 2 * 2**20, "mha": 8 * 2**20, "mqa": 2**20},
        "cross": {"q": 0, "output": 0},
        "decoding": {"difference": 0},
        "flash": {"difference": 0},
        "linear": {"tiles": 0},
    }
    for name, expected in exact.items():
        go(page, name)
        found = said(page)
        for key, value in expected.items():
            assert float(found[key]) == pytest.approx(value, rel=1e-6, abs=1e-5), (name, key)


def test_the_sentences_tell_the_numbers_that_do_not_vanish(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    least = {
        "match_and_mix": ("heads", 1.0),
        "rows": ("weights", 0.4),
        "mixing": ("weights", 0.8),
        "cross": ("k", 1.0),
        "linear": ("heads", 0.5),
    }
    for name, (key, value) in least.items():
        go(page, name)
        assert float(said(page)[key]) > value, name


def test_the_table_of_the_scale_holds_the_variance_of_each_width(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    go(page, "scale")
    rows = values(page)
    for width, (_, variance, scaled, plain, divided) in zip(
        [4, 8, 16, 32, 64, 128, 256, 512], rows, strict=True
    ):
        assert variance == pytest.approx(width, rel=0.15)
        assert scaled == pytest.approx(1, rel=0.15)
        assert divided < 0.3 and plain > divided
    curves = page.eval_on_selector(
        "#lesson-evidence .figure", "g => g.data.map(({x, y}) => [Array.from(x), Array.from(y)])"
    )
    assert curves[0][1] == [row[1] for row in rows]
    assert curves[1][1] == [row[2] for row in rows]


def test_the_rows_of_the_softmax_stand_with_their_derivatives(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    """w(1 − w) of the key that takes most: softmax of 0.2, 0.5, 0.8 by hand."""
    go(page, "saturation")
    entropies, largest, norms = zip(*values(page), strict=True)
    share = 1 / (1 + np.exp(-0.3) + np.exp(-0.6))
    assert largest[0] == pytest.approx(share * (1 - share), rel=1e-6)
    assert largest[2] == pytest.approx(np.exp(-30), rel=1e-3)
    assert list(entropies) == sorted(entropies, reverse=True)
    assert all(norm > most for norm, most in zip(norms, largest, strict=True))


def test_every_product_of_the_case_by_hand_is_written_out(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    go(page, "by_hand")
    assert [row[0] for row in values(page)] == [1, 0, 1, 0, 1, 1, 1, 1, 2]
    weights = [row[3] for row in values(page)]
    near, own = np.exp(2**-0.5), np.exp(2**0.5)
    assert weights[-3:] == pytest.approx(np.array([near, near, own]) / (2 * near + own), abs=1e-6)
    products = page.locator("#lesson-evidence table").nth(1).locator("tbody tr").all_inner_texts()
    assert "0.248×1 + 0.248×0 + 0.503×1" in products[4]
    assert values(page, 1)[4:] == [pytest.approx([0.751745, 1], abs=1e-5), pytest.approx([1, 1])]


def test_the_answers_of_the_checklist_follow_the_page(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    go(page, "checklist")
    answers = page.locator("#lesson-evidence td")
    expect(answers.nth(1)).to_contain_text("H = 8, K = 2: GQA")
    expect(answers.nth(5)).to_contain_text("±30")
    page.click("#lesson-tries [data-state='plain']")
    settled(page)
    answered(page, "lesson")
    expect(answers.nth(1)).to_contain_text("H = 8, each with keys and values of its own: MHA")
    expect(answers.nth(6)).to_have_text("no mask: every key is visible")
    page.check("#causal")
    settled(page)
    answered(page, "lesson")
    expect(answers.nth(6)).to_contain_text("key <= query")
    assert answers.count() == 14


def test_no_text_of_any_step_is_left_in_english(page: Page, steps: list[dict[str, Any]]) -> None:
    in_chinese(page)
    assert untranslated(page, LABELS) == []
    for step in steps:
        go(page, step["name"])
        assert untranslated(page, LABELS) == [], step["name"]
        for state in step["tries"]:
            page.click(f"#lesson-tries [data-state='{state['name']}']")
            settled(page)
            answered(page, "lesson")
            assert untranslated(page, LABELS) == [], (step["name"], state["name"])


def test_the_whole_lesson_can_be_walked_by_its_buttons(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    page.click("#lesson-next")
    for step in steps[:-1]:
        settled(page)
        answered(page, "lesson")
        assert page.get_attribute("#lesson-steps [aria-current]", "data-step") == step["name"]
        assert page.evaluate("document.activeElement.id") == "lesson-title"
        page.click("#lesson-next")
    assert page.is_hidden("#lesson-next")
    page.click("#lesson-back")
    assert page.get_attribute("#lesson-steps [aria-current]", "data-step") == steps[-2]["name"]


def test_the_note_above_the_pictures_leads_on_back_and_out(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    assert page.is_hidden("#lesson-note")
    go(page, "scale")
    page.click("#tab-costs")
    page.click("#lesson-note-next")
    settled(page)
    assert page.get_attribute("#tab-lesson", "aria-selected") == "true"
    expect(page.locator("#lesson-note-title")).to_have_text(page.inner_text("#lesson-title"))
    page.click("#lesson-note-tries [data-state='divided']")
    settled(page)
    answered(page, "lesson")
    assert weights_drawn(page)[1] == pytest.approx([0.239694, 0.323554, 0.436752], abs=1e-5)
    page.click("#lesson-note-read")
    assert page.evaluate("document.activeElement.id") == "lesson-title"
    before = weights_drawn(page)
    page.click("#lesson-note-leave")
    assert page.is_hidden("#lesson-note")
    np.testing.assert_array_equal(weights_drawn(page), before)


def test_a_changed_state_is_shared_with_its_step_and_can_be_taken_back(
    page: Page, steps: list[dict[str, Any]], browser: Browser, base_url: str
) -> None:
    go(page, "by_hand")
    page.check("#causal")
    page.fill("[data-grid='q'][data-row='2'][data-col='0']", "3")
    settled(page)
    answered(page, "lesson")
    assert page.is_visible("#lesson-changed")
    assert page.locator("#lesson-tries [aria-pressed='true']").count() == 0
    changed = weights_drawn(page)
    table = values(page)
    link_written(page)
    fresh = browser.new_context(base_url=base_url, viewport={"width": 1440, "height": 900})
    other = fresh.new_page()
    other.goto("/" + page.evaluate("location.hash"))
    settled(other)
    answered(other, "lesson")
    assert other.inner_text("#lesson-title") == page.inner_text("#lesson-title")
    assert other.is_visible("#lesson-changed")
    np.testing.assert_array_equal(weights_drawn(other), changed)
    assert values(other) == table
    other.click("#lesson-tries [data-state='given']")
    settled(other)
    answered(other, "lesson")
    assert other.is_hidden("#lesson-changed")
    expected = [0.248255, 0.248255, 0.503490]
    assert weights_drawn(other)[2] == pytest.approx(expected, abs=1e-5)
    fresh.close()


def test_undo_brings_back_what_was_set_up_before_the_lesson(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    page.fill("[data-grid='q'][data-row='0'][data-col='0']", "7")
    settled(page)
    before = weights_drawn(page)
    go(page, "rows")
    page.click("#undo")
    settled(page)
    np.testing.assert_array_equal(weights_drawn(page), before)


def test_a_step_says_so_where_its_numbers_cannot_be_had(
    page: Page, steps: list[dict[str, Any]]
) -> None:
    go(page, "decoding")
    page.locator("#cross").check()
    answered(page, "lesson", "error")
    assert page.inner_text("#lesson-error") != ""
    page.click("#lesson-tries [data-state='given']")
    settled(page)
    answered(page, "lesson")
    assert page.is_hidden("#lesson-error")
    page.fill("[data-grid='x'][data-row='0'][data-col='0']", "abc")
    answered(page, "lesson", "error")
    expect(page.locator("#lesson-error")).to_contain_text("cannot be computed")


def test_the_lesson_is_asked_for_only_when_it_is_looked_at(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.check("#causal")
    settled(page)
    page.wait_for_timeout(300)
    assert [url for url in asked if "lesson" in url] == []
    page.click("#tab-lesson")
    page.wait_for_selector("#lesson-steps li", state="attached")
    assert [url.endswith("/api/lesson") for url in asked].count(True) == 1


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest, page: Page) -> Iterator[str]:
    page.emulate_media(color_scheme=request.param, reduced_motion="reduce")
    yield request.param


def test_every_step_is_without_violations(
    page: Page, theme: str, steps: list[dict[str, Any]]
) -> None:
    width, height = (390, 844) if theme == "dark" else (1440, 900)
    page.set_viewport_size({"width": width, "height": height})
    assert violations(page) == [], "before the first step"
    for step in steps:
        go(page, step["name"])
        assert violations(page, "#panel-lesson", "#lesson-note") == [], step["name"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_step_is_wider_than_the_screen(
    page: Page, steps: list[dict[str, Any]], language: str
) -> None:
    page.select_option("#language", language)
    for step in steps:
        go(page, step["name"])
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(TWO_FRAMES)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, step["name"]
            assert page.evaluate(WIDER) == [], (step["name"], width)
