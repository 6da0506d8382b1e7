"""The state in the address bar, in files and in steps back and forward."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import drawn, link_written, settled

Load = Callable[[str], None]
CELL = "[data-grid='x'][data-row='1'][data-col='0']"


def link(page: Page, before: str = "") -> str:
    """The address once it holds another state than before."""
    page.wait_for_function("(old) => location.hash !== old", arg=before)
    link_written(page)
    found: str = page.evaluate("location.hash")
    return found


def visit(browser: Browser, base_url: str, fragment: str) -> Page:
    """A fresh visitor who opens a link."""
    page = browser.new_context(base_url=base_url, locale="en-US").new_page()
    page.goto("/" + fragment)
    settled(page)
    return page


def seen(page: Page) -> dict[str, Any]:
    """What a person would compare: the numbers, the controls and what is selected."""
    values = page.eval_on_selector_all(
        "input[id], input[name], [data-grid], select",
        """all => all.filter((e) => e.id || e.checkVisibility())
              .map((e) => [e.id || e.name || e.ariaLabel, e.value, e.checked])""",
    )
    return {
        "values": values,
        "weights": drawn(page, "weights-figure"),
        "scores": drawn(page, "scores-figure"),
        "title": page.inner_text("#selected-title"),
        "theme": page.evaluate("document.documentElement.dataset.theme"),
        "lang": page.evaluate("document.documentElement.lang"),
        "card": page.inner_text("#cell-card"),
    }


def edit_everything(page: Page) -> None:
    page.fill(CELL, "3.25")
    page.click("#kind-mqa")
    page.evaluate("document.getElementById('advanced').open = true")
    page.select_option("#dtype", "float64")
    page.check("#window")
    page.check("[name='theme'][value='dark']")
    page.select_option("#language", "zh")
    settled(page)
    page.click("#head-buttons >> nth=0 >> [data-head='1']")
    settled(page)
    page.focus("#weights-frame")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")


def test_a_link_restores_the_page_exactly_for_somebody_else(
    page: Page, load: Load, browser: Browser, base_url: str
) -> None:
    load("causal_4")
    edit_everything(page)
    fragment = link(page)
    other = visit(browser, base_url, fragment)
    other.wait_for_function("!document.getElementById('cell-card').hidden")
    assert seen(other) == seen(page)
    other.context.close()


def test_the_link_follows_every_change_and_stays_short(page: Page, load: Load) -> None:
    load("causal_4")
    first = link(page)
    page.uncheck("#causal")
    second = link(page, first)
    page.check("#causal")
    assert link(page, second) == first or page.input_value("#example") == ""
    assert len(first) < 700


def test_another_link_opened_in_the_same_tab_takes_over(page: Page, load: Load) -> None:
    load("causal_4")
    fragment = link(page)
    load("cross_3x5")
    link(page, fragment)
    page.evaluate("(fragment) => { location.hash = fragment }", fragment)
    page.wait_for_function("document.getElementById('example').value === 'causal_4'")
    settled(page)
    assert len(drawn(page, "weights-figure")) == 4


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda text: text[:-30], "was cut off"),
        (lambda text: text[:-50] + ("A" if text[-50] != "A" else "B") + text[-49:], "link was"),
        (lambda text: text.replace("#v1=", "#v9="), "another version"),
        (lambda text: "#v1=%%%", "Nothing of this link"),
    ],
)
def test_a_bad_link_says_so_and_the_page_works(
    page: Page, load: Load, browser: Browser, base_url: str, spoil: Any, says: str
) -> None:
    load("causal_4")
    fragment = link(page)
    other = visit(browser, base_url, spoil(fragment))
    assert says in other.inner_text("#link-notice")
    assert drawn(other, "weights-figure")
    other.click("#link-notice button")
    assert not other.is_visible("#link-notice")
    other.context.close()


def test_a_link_with_one_unreadable_part_keeps_the_rest(page: Page) -> None:
    page.evaluate(
        """async () => {
          const { toFragment } = await import("/static/js/state/link.js");
          const lines = ['["document.masks.causal.on",true]', '["view.theme","pink"]'];
          location.hash = await toFragment(lines.join("\\n"));
        }"""
    )
    page.wait_for_selector("#link-notice:not([hidden])")
    settled(page)
    assert page.inner_text("#link-notice p").endswith("default: Theme.")
    assert page.is_checked("#causal")


def test_an_address_that_is_no_link_of_the_page_says_so_and_changes_nothing(
    page: Page, browser: Browser, base_url: str
) -> None:
    other = visit(browser, base_url, "#garbage")
    assert "#garbage" in other.inner_text("#link-notice")
    assert other.input_value("#example") == "hand_worked"
    other.context.close()
    page.evaluate("location.hash = '#pictures'")
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => resolve()))")
    assert not page.is_visible("#link-notice"), "a place on the page is no bad link"


def test_what_a_cut_link_lost_is_named_in_the_language_on_show(page: Page, load: Load) -> None:
    load("causal_4")
    page.select_option("#language", "zh")
    fragment = link(page)
    page.evaluate("(fragment) => { location.hash = fragment }", fragment[:-30])
    page.wait_for_selector("#link-notice:not([hidden])")
    said = page.inner_text("#link-notice")
    assert "document." not in said and "词元向量" in said


def test_what_is_folded_open_goes_with_the_link(
    page: Page, load: Load, browser: Browser, base_url: str
) -> None:
    load("causal_4")
    before = link(page)
    page.click("#advanced > summary")
    page.click("#specification > summary")
    page.click("#table-details > summary")
    other = visit(browser, base_url, link(page, before))
    for fold in ("advanced", "specification", "table-details"):
        assert other.evaluate("(id) => document.getElementById(id).open", fold), fold
    assert json.loads(other.input_value("#spec-text"))["num_heads"] == 2
    assert other.locator("#table-details td").count() > 0
    other.context.close()


def test_the_padding_switch_is_on_only_where_it_hides_something_or_was_set(
    page: Page, load: Load
) -> None:
    load("causal_4")
    assert not page.is_checked("#padding") and not page.is_visible("#padding-editor")
    page.check("#padding")
    settled(page)
    assert page.is_checked("#padding") and page.is_visible("#padding-editor")
    load("padded_batch")
    assert page.is_checked("#padding")


def test_a_key_that_stands_twice_is_refused_in_the_specification(page: Page, load: Load) -> None:
    load("causal_4")
    page.click("#specification > summary")
    page.fill("#spec-text", '{"x": [[1, 2]], "masks": [{"kind": "causal", "kind": "window"}]}')
    page.click("#spec-apply")
    assert "masks[0].kind stands twice" in page.inner_text("#spec-error")
    assert len(drawn(page, "weights-figure")) == 4, "what was there stays"


def test_a_state_too_large_for_a_link_offers_a_file_and_survives_a_reload(
    page: Page, load: Load, tmp_path: Path, browser: Browser, base_url: str
) -> None:
    load("causal_4")
    page.evaluate(
        """() => {
          const rows = Array.from({length: 64}, () => Array.from({length: 64},
            () => Math.random().toFixed(9)).join("\\t"));
          const data = new DataTransfer();
          data.setData("text/plain", rows.join("\\n"));
          const cell = document.querySelector("[data-grid='x'][data-row='0'][data-col='0']");
          cell.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
        }"""
    )
    settled(page)
    page.wait_for_function("location.hash === ''")
    page.click("#share summary")
    page.wait_for_function("document.getElementById('link-note').textContent.includes('file')")
    assert page.is_disabled("#copy-link")
    before = drawn(page, "weights-figure")
    with page.expect_download() as download:
        page.click("#save-state")
    file = tmp_path / "state.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["attention-visualiser"] == 1
    page.reload()
    settled(page)
    assert drawn(page, "weights-figure") == before
    other = visit(browser, base_url, "")
    other.set_input_files("#state-file", file)
    other.wait_for_function("document.getElementById('example').value === ''")
    settled(other)
    assert drawn(other, "weights-figure") == before
    other.context.close()


def test_a_file_with_a_bare_specification_opens_and_any_other_is_refused(
    page: Page, tmp_path: Path
) -> None:
    file = tmp_path / "spec.json"
    file.write_text('{"x": [[1, 0], [0, 1]], "num_heads": 2, "projection": {"kind": "identity"}}')
    page.set_input_files("#state-file", file)
    page.wait_for_function("document.getElementById('num-heads').value === '2'")
    settled(page)
    assert len(drawn(page, "weights-figure")) == 2
    file.write_text("[1, 2")
    page.set_input_files("#state-file", file)
    page.wait_for_selector("#link-notice:not([hidden])")
    assert page.input_value("#num-heads") == "2"


def test_undo_and_redo_go_by_bursts(page: Page, load: Load) -> None:
    load("causal_4")
    start = page.input_value(CELL)
    page.click(CELL)
    page.keyboard.press("Control+A")
    page.keyboard.type("123.5", delay=20)
    page.uncheck("#causal")
    page.focus("#causal")
    page.keyboard.press("Control+z")
    assert page.is_checked("#causal") and page.input_value(CELL) == "123.5"
    page.keyboard.press("Control+z")
    assert page.input_value(CELL) == start
    assert page.input_value("#example") == "causal_4"
    page.keyboard.press("Control+Shift+z")
    assert page.input_value(CELL) == "123.5"
    page.click("#redo")
    assert not page.is_checked("#causal")
    assert page.get_attribute("#redo", "aria-disabled") == "true"
    settled(page)


def test_a_whole_example_is_one_step(page: Page, load: Load) -> None:
    load("cross_3x5")
    page.click("#undo")
    settled(page)
    assert page.input_value("#example") == "hand_worked"
    assert page.get_attribute("#undo", "aria-disabled") == "true"


def test_text_fields_undo_their_own_letters(page: Page, load: Load) -> None:
    load("causal_4")
    page.uncheck("#causal")
    page.click(CELL)
    page.keyboard.press("Control+A")
    page.keyboard.type("7")
    page.keyboard.press("Control+z")
    assert not page.is_checked("#causal")


def test_the_link_is_copied(browser: Browser, base_url: str) -> None:
    context = browser.new_context(
        base_url=base_url, permissions=["clipboard-read", "clipboard-write"]
    )
    page = context.new_page()
    page.goto("/")
    settled(page)
    page.click("#share summary")
    page.click("#copy-link")
    page.wait_for_function("document.getElementById('link-note').textContent.startsWith('Copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url and "#v1=" in copied
    context.close()


def test_what_a_link_took_the_place_of_comes_back_by_undo(page: Page, load: Load) -> None:
    load("cross_3x5")
    fragment = link(page)
    load("causal_4")
    page.fill(CELL, "6.5")
    settled(page)
    link_written(page)
    page.goto("about:blank")
    page.goto("/" + fragment)
    settled(page)
    assert page.input_value("#example") == "cross_3x5"
    page.click("#undo")
    settled(page)
    assert page.input_value(CELL) == "6.5"


def test_a_paste_is_undone_from_its_cell_and_letters_by_the_cell_itself(
    page: Page, load: Load
) -> None:
    load("causal_4")
    cell = page.locator("[data-grid='x'][data-row='0'][data-col='0']")
    before = cell.input_value()
    cell.click()
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.setData("text/plain", "tensor([[7., 8.],\\n        [9., 6.]], device='cuda:0')");
          document.activeElement.dispatchEvent(
            new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
        }"""
    )
    assert cell.input_value() == "7."
    page.keyboard.press("Control+z")
    assert cell.input_value() == before
    page.keyboard.press("Control+y")
    assert cell.input_value() == "7."
    page.keyboard.type("123")
    page.keyboard.press("Control+z")
    assert cell.input_value() != "123"


def test_nested_without_end_is_refused_at_the_specification(page: Page) -> None:
    page.evaluate("document.getElementById('spec-text').closest('details').open = true")
    page.evaluate(
        """() => {
          document.getElementById("spec-text").value =
            `{"x": ${"[".repeat(20000)}${"]".repeat(20000)}}`;
          document.getElementById("spec-apply").click();
        }"""
    )
    assert "deep" in str(page.text_content("#spec-error"))


def test_a_broken_connection_is_said_in_words_and_mended_when_it_is_back(page: Page) -> None:
    page.context.set_offline(True)
    page.check("#causal")
    page.wait_for_selector("#problem:not([hidden])")
    assert "cannot be reached" in page.inner_text("#problem")
    assert "TypeError" not in page.inner_text("#problem")
    page.select_option("#language", "zh")
    assert "无法连接服务器" in page.inner_text("#problem")
    assert "cannot" not in page.inner_text("#problem")
    page.context.set_offline(False)
    settled(page)
    assert page.is_hidden("#problem")


def test_numbers_that_are_too_large_are_named_as_typed(page: Page, load: Load) -> None:
    load("causal_4")
    page.fill("[data-grid='x'][data-row='0'][data-col='0']", "1e400")
    page.wait_for_selector("#error-input-x:not([hidden])")
    assert "1e400" in page.inner_text("#error-input-x")


def test_head_counts_beyond_reason_and_uneven_sharing_leave_the_page_alive(
    page: Page, load: Load
) -> None:
    load("causal_4")
    page.fill("#num-heads", "9007199254740991")
    page.wait_for_function("document.documentElement.dataset.state === 'error'")
    page.fill("#num-heads", "8")
    page.fill("#num-kv-heads", "3")
    assert "share" not in page.inner_text("#kind-says")
    assert page.locator("#head-map svg").count() == 0
    page.fill("#num-kv-heads", "2")
    assert "4 query heads share" in page.inner_text("#kind-says")
