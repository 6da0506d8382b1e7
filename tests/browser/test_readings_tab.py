"""One mask in every reading, below the pictures: counts, lines and pictures are the server's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Page

from tests.browser.conftest import drawn, link_written, settled
from tests.browser.tabs import answered, example, opened, served

Load = Callable[[str], None]
SUBJECTS = ["array", "causal", "window"]


def readings(page: Page, name: str, subject: str, **body: Any) -> list[dict[str, Any]]:
    asked = {"spec": example(page, name), "subject": subject, **body}
    found: list[dict[str, Any]] = served(page, "readings", asked)["readings"]
    return found


def choose(page: Page, subject: str) -> None:
    page.check(f"[name='readings-subject'][value='{subject}']", force=True)
    answered(page, "readings")


def card(page: Page, name: str, part: str = "") -> str:
    return page.inner_text(f"[data-reading='{name}'] {part}".strip())


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("name", ["readings", "gqa_8_2", "left_padding_causal", "stability"])
def test_each_reading_shows_its_line_and_what_flips(
    page: Page, load: Load, name: str, subject: str
) -> None:
    load(name)
    opened(page, "readings")
    choose(page, subject)
    found = readings(page, name, subject)
    shown = page.eval_on_selector_all("[data-reading]", "e => e.map((c) => c.dataset.reading)")
    assert shown == [reading["name"] for reading in found]
    for reading in found:
        own = reading["name"]
        assert card(page, own, ".reading-line") == reading["line"]
        users = page.locator(f"[data-reading='{own}'] .reading-users li").all_inner_texts()
        assert users == reading["used_by"]
        change = card(page, own, ".reading-change")
        if reading["same"]:
            assert change.startswith("This is how it is set.")
        elif reading["shown_cells"] or reading["hidden_cells"]:
            counts = f"{reading['shown_cells']} cells come into sight, {reading['hidden_cells']} go"
            assert counts in change
        empty = reading["empty_rows"]
        assert (f"Rows that see no key: {empty}." in change) == (empty > 0)


def test_what_flips_is_pictured_as_it_is_served(page: Page, load: Load) -> None:
    load("readings")
    opened(page, "readings")
    page.click("[data-act='show blocked']")
    answered(page, "readings")
    page.wait_for_timeout(300)
    body = {"spec": example(page, "readings"), "subject": "array", "show": "blocked"}
    shown = page.request.post("/api/readings", data=body).json()["shown"]
    for stage in ("allowed", "weights"):
        page.select_option("#readings-stage", stage)
        answered(page, "readings")
        page.wait_for_timeout(300)
        expected = np.array(shown["stages"][stage]["difference"], dtype=float)[0, 0]
        found = np.array(drawn(page, "readings-difference-figure"), dtype=float)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_a_reading_that_differs_is_shown_first(page: Page, load: Load) -> None:
    """The example is aligned bottom right, so that top left is the one to look at."""
    load("readings")
    opened(page, "readings")
    choose(page, "causal")
    assert page.get_attribute("[data-act='show top_left']", "aria-pressed") == "true"
    page.click("[data-act='show bottom_right']")
    answered(page, "readings")
    assert page.get_attribute("[data-act='show bottom_right']", "aria-pressed") == "true"


@pytest.mark.parametrize(
    ("subject", "name"), [("array", "blocked"), ("causal", "top_left"), ("window", "both_sides")]
)
def test_a_reading_is_set_on_the_page_and_taken_back(
    page: Page, load: Load, subject: str, name: str
) -> None:
    load("readings")
    opened(page, "readings")
    choose(page, subject)
    assert not card(page, name, ".reading-change").startswith("This is how it is set.")
    page.click(f"[data-act='use {name}']")
    settled(page)
    answered(page, "readings")
    page.wait_for_function(
        "(name) => document.querySelector(`[data-reading='${name}'] .reading-change`)"
        ".textContent.startsWith('This is how it is set.')",
        arg=name,
    )
    page.click("#undo")
    settled(page)
    answered(page, "readings")
    assert not card(page, name, ".reading-change").startswith("This is how it is set.")


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_copied_line_runs_and_gives_the_readings_heads(
    page: Page, load: Load, subject: str
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    load("readings")
    opened(page, "readings")
    choose(page, subject)
    spec = example(page, "readings")
    for reading in readings(page, "readings", subject):
        page.click(f"[data-act='copy {reading['name']}']")
        text = page.evaluate("navigator.clipboard.readText()")
        names: dict[str, Any] = {n: torch.tensor(spec[n])[None, None] for n in "qkv"}
        exec(text, names)
        if reading["whole"]:
            tensors = served(page, "attention", {**spec, **reading["fields"]})["tensors"]
            heads = torch.tensor(tensors["heads"])
            torch.testing.assert_close(names["heads"], heads, rtol=1e-5, atol=1e-6)


def test_the_window_and_the_mask_are_chosen(page: Page, load: Load) -> None:
    load("left_padding_causal")
    opened(page, "readings")
    page.select_option("#readings-mask", "1")
    answered(page, "readings")
    found = readings(page, "left_padding_causal", "array", mask=1)
    counts = f"{found[1]['shown_cells']} cells come into sight"
    assert counts in card(page, "blocked", ".reading-change")
    choose(page, "window")
    page.fill("#readings-window", "4")
    answered(page, "readings")
    assert "triu(-3)" in card(page, "counts_itself", ".reading-line")
    page.fill("#readings-window", "0")
    answered(page, "readings", "error")
    assert "1 or more" in page.inner_text("#readings-error")
    page.fill("#readings-window", "")
    answered(page, "readings")
    assert not page.is_visible("#readings-error")


def test_the_ready_example_shows_it_at_once(page: Page) -> None:
    opened(page, "readings")
    page.click("#readings-example")
    settled(page)
    answered(page, "readings")
    assert page.input_value("#example") == "readings"
    assert "cells come into sight" in card(page, "blocked", ".reading-change")


def test_readings_are_shown_by_keyboard(page: Page, load: Load) -> None:
    load("readings")
    opened(page, "readings")
    page.focus("[data-act='show additive']")
    page.keyboard.press("Enter")
    answered(page, "readings")
    page.wait_for_function("document.activeElement.dataset.act === 'show additive'")
    assert page.get_attribute("[data-act='show additive']", "aria-pressed") == "true"
    page.focus("#readings-difference-frame")
    page.keyboard.press("ArrowDown")
    page.wait_for_function(
        "/reading .*as set/.test(document.getElementById('readings-readout').textContent)"
    )


def test_the_choice_stands_in_the_link(page: Page, load: Load) -> None:
    load("readings")
    opened(page, "readings")
    choose(page, "window")
    page.fill("#readings-window", "3")
    answered(page, "readings")
    link_written(page)
    link = page.evaluate("location.href")
    other = page.context.new_page()
    other.add_init_script("localStorage.clear()")
    other.goto(link)
    answered(other, "readings")
    assert other.input_value("#readings-window") == "3"
    assert other.is_checked("[name='readings-subject'][value='window']")
