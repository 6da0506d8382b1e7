"""Trials of other arithmetic below the pictures: shown as they are served, and to be set."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.conftest import drawn, link_written, settled
from tests.browser.tabs import answered, example, opened, served

Load = Callable[[str], None]


def trials(page: Page, name: str, **body: Any) -> dict[str, dict[str, Any]]:
    found = served(page, "stability", {"spec": example(page, name), **body})
    return {trial["name"]: trial for trial in found["trials"]}


def choose(page: Page, trial: str) -> None:
    page.click(f"[data-trial='{trial}']")
    answered(page, "stability")


def line(page: Page, trial: str) -> list[str]:
    return page.locator(f"tr:has([data-trial='{trial}']) td").all_inner_texts()


def picture(page: Page, side: str) -> Any:
    """What a picture holds; NaN where it marks a cell."""
    page.wait_for_function(f"document.getElementById('stability-{side}-figure').data")
    return np.array(drawn(page, f"stability-{side}-figure"), dtype=float)


def numbers(cells: Any) -> Any:
    """The served cells of the one head, NaN for what is not finite."""
    found = np.array(cells, dtype=float)[0, 0]
    return np.where(np.isfinite(found), found, np.nan)


def test_every_trial_has_its_line(page: Page, load: Load) -> None:
    load("stability")
    opened(page, "stability")
    found = trials(page, "stability")
    shown = page.eval_on_selector_all("[data-trial]", "e => e.map((chip) => chip.dataset.trial)")
    assert shown == list(found)
    for name, trial in found.items():
        texts = line(page, name)
        assert ("NaN" in texts[0]) == (trial["stages"]["weights"]["max_abs"] == "NaN"), name
        mean = float(texts[1].replace("−", "-"))
        assert mean == pytest.approx(trial["finite_weights"]["mean_abs"], rel=0.1), name
        assert (texts[2] == "nothing") == (trial["events"] == []), name
        hidden = trial["hidden_weight"]
        assert texts[3] == ("–" if hidden is None else f"{hidden['largest']:g}"), name
        words = {None: "–", "nan": "NaN", "zero": "0", "uniform": "1/S for each key"}
        assert texts[4] == words.get(trial["empty_rows"], "by their own scores"), name


@pytest.mark.parametrize("trial", ["float16", "plain float32", "set -1e4", "added min"])
def test_the_chosen_trial_is_pictured_beside_float64(page: Page, load: Load, trial: str) -> None:
    load("stability")
    opened(page, "stability")
    choose(page, trial)
    page.wait_for_timeout(300)
    body = {"spec": example(page, "stability"), "show": trial}
    shown = page.request.post("/api/stability?include=weights", data=body).json()["shown"]
    expected = numbers(shown["stages"]["weights"]["difference"])
    np.testing.assert_allclose(picture(page, "difference"), expected, rtol=1e-6, atol=0)
    for side in ("a", "b"):
        found = picture(page, side)
        seen = np.isfinite(found)
        assert seen.any()
        np.testing.assert_allclose(found[seen], numbers(shown[side]["weights"])[seen], rtol=1e-6)


def test_the_way_out_of_the_numbers_is_told_step_by_step(page: Page, load: Load) -> None:
    """60,000 + 30,000 is beyond float16's 65,504."""
    load("stability")
    opened(page, "stability")
    steps = page.locator("#stability-events li").all_inner_texts()
    assert steps[0].startswith(
        "dot products: 2 beyond the largest float16, 65504. The first should be 90000."
    )
    assert len(steps) == len(trials(page, "stability")["float16"]["events"])
    page.click("[data-event='dot_products']")
    answered(page, "stability")
    assert page.input_value("#stability-stage") == "scores"
    page.wait_for_function(
        "document.getElementById('stability-readout').textContent.includes('90000')"
    )
    assert "+∞" in page.inner_text("#stability-readout")


def test_a_trial_is_set_on_the_page_and_taken_back(page: Page, load: Load) -> None:
    load("stability")
    opened(page, "stability")
    page.select_option("#stability-dtype", "float32")
    answered(page, "stability")
    choose(page, "set -1e4")
    page.click("#stability-use")
    answered(page, "stability")
    settled(page)
    assert page.input_value("#fill") == "-1e4"
    page.wait_for_function("document.getElementById('weights-figure').data[0].z[4][2] === 1")
    page.click("#undo")
    settled(page)
    assert page.input_value("#fill") == "-Infinity"


def test_no_specification_says_a_softmax_without_its_maximum(page: Page, load: Load) -> None:
    load("stability")
    opened(page, "stability")
    choose(page, "plain float16")
    assert page.locator("#stability-use").count() == 0
    assert "always subtracts the maximum" in page.inner_text("#stability-set")


def test_a_run_that_masks_nothing_has_no_fills(page: Page, load: Load) -> None:
    load("stability")
    opened(page, "stability")
    choose(page, "added min")
    load("hand_worked")
    answered(page, "stability")
    assert page.is_visible("#stability-no-fills")
    assert page.locator("[data-trial]").count() == 7
    assert page.get_attribute("[data-trial='float16']", "aria-pressed") == "true"


def test_the_ready_example_shows_it_at_once(page: Page) -> None:
    opened(page, "stability")
    page.click("#stability-example")
    settled(page)
    answered(page, "stability")
    assert page.input_value("#example") == "stability"
    assert "dot products" in page.inner_text("#stability-events")


def test_trials_are_chosen_by_keyboard(page: Page, load: Load) -> None:
    load("stability")
    opened(page, "stability")
    page.focus("[data-trial='bfloat16']")
    page.keyboard.press("Enter")
    answered(page, "stability")
    page.wait_for_function("document.activeElement.dataset.trial === 'bfloat16'")
    assert page.inner_text("#stability-title") == "bfloat16 against float64"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.trial") == "plain float64"


def test_the_choice_stands_in_the_link(page: Page, load: Load) -> None:
    load("stability")
    opened(page, "stability")
    page.select_option("#stability-dtype", "bfloat16")
    answered(page, "stability")
    choose(page, "added -1e4")
    link_written(page)
    link = page.evaluate("location.href")
    other = page.context.new_page()
    other.add_init_script("localStorage.clear()")
    other.goto(link)
    answered(other, "stability")
    assert other.input_value("#stability-dtype") == "bfloat16"
    assert other.get_attribute("[data-trial='added -1e4']", "aria-pressed") == "true"
