"""Warnings stand beside the pictures and lead to what they are about."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.conftest import settled

Load = Callable[[str], None]
FOCUSED = "document.activeElement.id"


def opened(page: Page, load: Load) -> None:
    load("left_padding_causal")
    page.wait_for_selector("#warnings [data-code='fully_masked_rows']")


def test_the_example_of_blind_rows_opens_on_the_sequence_that_has_them(
    page: Page, load: Load
) -> None:
    opened(page, load)
    assert page.inner_text("#sequence-tabs [aria-pressed='true']") == "Sequence 1"
    assert "Sequence 1" in page.inner_text("#warnings .way >> nth=0")


def test_blind_rows_lead_to_their_sequence_in_the_picture_of_the_mask(
    page: Page, load: Load
) -> None:
    opened(page, load)
    page.click("#sequence-tabs >> text=Sequence 0")
    settled(page)
    page.click("#warnings .way >> nth=0")
    settled(page)
    assert page.inner_text("#sequence-tabs [aria-pressed='true']") == "Sequence 1"
    assert "mask" in page.inner_text("#overview-title")


def test_blind_rows_lead_to_what_such_rows_get(page: Page, load: Load) -> None:
    opened(page, load)
    assert not page.is_visible("#fully-masked")
    page.click("#warnings .ways .way")
    assert page.evaluate(FOCUSED) == "fully-masked"
    assert page.is_visible("#fully-masked")


def test_a_way_opens_the_set_up_where_it_is_folded_away(page: Page, load: Load) -> None:
    opened(page, load)
    page.click("#setup-toggle")
    assert not page.is_visible("#setup")
    page.click("#warnings .ways .way")
    assert page.evaluate(FOCUSED) == "fully-masked" and page.is_visible("#setup")


def test_rows_that_do_not_sum_to_one_lead_to_the_order_of_the_mask(page: Page, load: Load) -> None:
    load("causal_4")
    page.evaluate("document.getElementById('advanced').open = true")
    page.select_option("#mask-order", "after_softmax")
    settled(page)
    page.evaluate("document.getElementById('advanced').open = false")
    page.click("[data-code='rows_do_not_sum_to_one'] .way >> nth=-1")
    assert page.evaluate(FOCUSED) == "mask-order"


def test_a_number_that_is_not_finite_is_one_press_away(page: Page, load: Load) -> None:
    load("causal_4")
    page.fill("[data-grid='x'][data-row='2'][data-col='1']", "NaN")
    settled(page)
    page.focus("#num-heads")
    page.click("[data-code='non_finite_input'] .way")
    place = page.evaluate("({ ...document.activeElement.dataset })")
    assert (place["grid"], place["row"], place["col"]) == ("x", "2", "1")


def test_an_overflow_leads_to_the_number_type(page: Page, load: Load) -> None:
    load("causal_4")
    page.evaluate("document.getElementById('advanced').open = true")
    page.select_option("#dtype", "float16")
    page.fill("[data-grid='x'][data-row='2'][data-col='1']", "1e9")
    settled(page)
    page.click("[data-code='overflow'] .way >> nth=0")
    assert page.evaluate(FOCUSED) == "dtype"
