"""Decoding below the pictures: every step against the API, the player, and the one cursor."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.conftest import drawn, link_written, settled
from tests.browser.tabs import answered, example, opened, served

Load = Callable[[str], None]


def numbers(page: Page, figure: str) -> Any:
    """What a picture holds; nothing where a cell is empty."""
    page.wait_for_function(f"document.getElementById('{figure}').data")
    return np.array(drawn(page, figure), dtype=float)


def at(page: Page, frame: int) -> None:
    """Wait until a frame is on show, counted from 0."""
    page.wait_for_function(
        "(frame) => document.getElementById('decode-frame').value === String(frame)", arg=frame
    )
    page.wait_for_timeout(150)


def frames(page: Page, name: str, **body: Any) -> list[dict[str, Any]]:
    found = served(page, "decode", {"spec": example(page, name), **body})
    return [*([found["prefilled"]] if found["prefilled"] else []), *found["steps"]]


def row(step: dict[str, Any], name: str, head: int, keys: int) -> Any:
    """One head's rows of a step over all keys that there will be."""
    found = np.array(step[name], dtype=float)[0, head]
    wide = np.full((found.shape[0], keys), np.nan)
    wide[:, : found.shape[1]] = found
    return wide


def test_each_step_shows_its_rows_as_served(page: Page, load: Load) -> None:
    load("gqa_8_2")
    page.click("#head-buttons >> [data-head='5']")
    settled(page)
    opened(page, "decode")
    page.fill("#decode-prefill", "2")
    answered(page, "decode")
    found = frames(page, "gqa_8_2", prefill=2)
    for frame, step in enumerate(found):
        if frame:
            page.click("#decode-next")
        at(page, frame)
        seen = np.vstack([row(each, "weights", 5, 5) for each in found[: frame + 1]])
        triangle = numbers(page, "decode-triangle")
        np.testing.assert_allclose(triangle[: len(seen)], seen, rtol=1e-6, atol=1e-7)
        assert np.isnan(triangle[len(seen) :]).all()
        for name in ("scores", "weights"):
            strip = numbers(page, f"decode-{name}-figure")
            np.testing.assert_allclose(strip, row(step, name, 5, 5), rtol=1e-6, atol=1e-7)
        q = np.array(step["q"])[0, 5]
        np.testing.assert_allclose(numbers(page, "decode-q-figure"), q, rtol=1e-6)
        output = np.array(step["output"])[0]
        np.testing.assert_allclose(numbers(page, "decode-output-figure"), output, rtol=1e-6)
        shape = ", ".join(map(str, step["cache"]["shape"]))
        assert f"[{shape}]" in page.inner_text("#decode-shape")
        for kind, expected in step["cache"]["siblings"].items():
            title = page.get_attribute(f"#decode-bytes [data-kind='{kind}']", "title")
            assert title == f"{expected:,} bytes"


def test_the_difference_from_the_full_pass_is_shown(page: Page, load: Load) -> None:
    load("gqa_8_2")
    opened(page, "decode")
    page.click("#decode-next")
    at(page, 1)
    difference = frames(page, "gqa_8_2", prefill=1)[1]["max_abs_difference_from_full"]
    assert difference < 1e-5
    title = (page.get_attribute("#decode-difference", "title") or "").replace("−", "-")
    assert float(title) == difference


def test_a_chunk_and_what_top_left_would_show(page: Page, load: Load) -> None:
    load("causal_4")
    opened(page, "decode")
    page.fill("#decode-chunk", "2")
    page.check("#decode-top-left")
    answered(page, "decode")
    page.click("#decode-next")
    at(page, 1)
    step = frames(page, "causal_4", prefill=1, chunk=2)[1]
    assert "2 new queries on 3 keys" in page.inner_text("#decode-says")
    wrong = numbers(page, "decode-topLeft-figure")
    np.testing.assert_allclose(wrong, row(step["top_left"], "weights", 0, 4), rtol=1e-6, atol=1e-7)
    assert wrong[0].tolist()[:3] == [1, 0, 0]
    right = numbers(page, "decode-weights-figure")
    assert (right[0][:2] > 0).all()
    page.uncheck("#decode-top-left")
    page.wait_for_selector("#decode-topLeft-matrix", state="hidden")


def test_stepping_marks_the_query_in_the_big_pictures(page: Page, load: Load) -> None:
    load("causal_4")
    opened(page, "decode")
    for frame in (1, 2):
        page.click("#decode-next")
        at(page, frame)
        top = page.eval_on_selector(
            "#weights-frame .band-cell",
            """(cell) => { const frame = document.getElementById("weights-figure")._fullLayout;
                 return Math.round(frame.yaxis.p2d(cell.offsetTop - frame._size.t + 2)); }""",
        )
        assert top == frame
    page.hover("#decode-frame-triangle", position={"x": 120, "y": 90})
    assert "→" in page.inner_text("#decode-readout")


def test_space_plays_and_pauses_and_arrows_step(page: Page, load: Load) -> None:
    load("causal_4")
    opened(page, "decode")
    page.focus("#decode-frame-triangle")
    page.keyboard.press("ArrowRight")
    at(page, 1)
    page.keyboard.press("ArrowLeft")
    at(page, 0)
    page.keyboard.press("Space")
    assert page.get_attribute("#decode-play", "aria-label") == "Pause"
    at(page, 1)
    page.keyboard.press("Space")
    assert page.get_attribute("#decode-play", "aria-label") == "Play"
    page.click("#decode-play")
    at(page, 3)
    page.wait_for_function(
        "document.getElementById('decode-play').getAttribute('aria-label') === 'Play'"
    )
    page.click("#decode-play")
    assert page.input_value("#decode-frame") == "0", "from the end it begins again"
    page.click("#tab-costs")
    page.wait_for_timeout(1000)
    opened(page, "decode")
    assert page.get_attribute("#decode-play", "aria-label") == "Play", "a closed tab stops"


def test_a_run_that_is_not_causal_says_so_and_offers_the_switch(page: Page, load: Load) -> None:
    load("hand_worked")
    opened(page, "decode")
    assert page.is_visible("#decode-causal")
    page.click("#decode-switch")
    settled(page)
    answered(page, "decode")
    assert page.is_checked("#causal")
    assert not page.is_visible("#decode-causal")


def test_what_cannot_be_decoded_stands_in_the_tab(page: Page, load: Load) -> None:
    load("cross_3x5")
    opened(page, "decode", "error")
    assert "memory" in page.inner_text("#decode-error")
    assert not page.is_visible("#decode-results")
    load("causal_4")
    answered(page, "decode")
    page.fill("#decode-prefill", "9")
    answered(page, "decode", "error")
    assert "prefill" in page.inner_text("#decode-error")
    assert page.is_visible("#decode-results"), "the last steps stay"


def test_the_step_stands_in_the_link(page: Page, load: Load) -> None:
    load("gqa_8_2")
    opened(page, "decode")
    page.fill("#decode-prefill", "2")
    answered(page, "decode")
    page.click("#decode-next")
    page.click("#decode-next")
    at(page, 2)
    link_written(page)
    other = page.context.new_page()
    other.add_init_script("localStorage.clear()")
    other.goto(page.evaluate("location.href"))
    answered(other, "decode")
    at(other, 2)
    assert other.input_value("#decode-prefill") == "2"


@pytest.mark.parametrize("prefill", [0, 4])
def test_nothing_or_everything_may_be_prefilled(page: Page, load: Load, prefill: int) -> None:
    load("causal_4")
    opened(page, "decode")
    page.fill("#decode-prefill", str(prefill))
    answered(page, "decode")
    assert page.get_attribute("#decode-frame", "max") == ("3" if prefill == 0 else "0")
