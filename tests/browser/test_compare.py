"""The comparison below the pictures, against the API's own numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import drawn, link_written, settled

Load = Callable[[str], None]


def compared(page: Page, state: str = "ready") -> None:
    """Wait until the comparison on show belongs to what is set."""
    page.wait_for_timeout(100)
    page.wait_for_function(
        "(state) => document.getElementById('panel-compare').dataset.comparison === state",
        arg=state,
        timeout=15_000,
    )


def served(page: Page, body: dict[str, Any], include: str = "weights") -> dict[str, Any]:
    answer = page.request.post(f"/api/compare?include={include}", data=body)
    assert answer.ok, answer.text()
    found: dict[str, Any] = answer.json()
    return found


def example(page: Page, name: str) -> dict[str, Any]:
    examples = page.request.get("/api/examples").json()["examples"]
    found: dict[str, Any] = next(e["spec"] for e in examples if e["name"] == name)
    return found


def shown(page: Page, side: str) -> Any:
    return np.array(drawn(page, f"compare-{side}-figure"), dtype=float)


@pytest.mark.parametrize("variant", ["mask_off", "mask_after_softmax", "scale_off"])
def test_a_shortcut_shows_both_runs_and_their_difference(
    page: Page, load: Load, variant: str
) -> None:
    load("causal_4")
    page.click(f"[data-compare='{variant}']")
    compared(page)
    found = served(page, {"a": example(page, "causal_4"), "variant": variant})
    for side in ("a", "b"):
        np.testing.assert_allclose(
            shown(page, side), np.array(found[side]["weights"])[0, 0], rtol=1e-6, atol=1e-7
        )
    difference = np.array(found["stages"]["weights"]["difference"])[0, 0]
    np.testing.assert_allclose(shown(page, "difference"), difference, rtol=1e-5, atol=1e-7)
    scale = page.eval_on_selector(
        "#compare-difference-figure", "g => [g.data[0].zmin, g.data[0].zmax]"
    )
    largest = np.abs(np.array(found["stages"]["weights"]["difference"])).max()
    np.testing.assert_allclose(scale, [-largest, largest], rtol=1e-6)


def test_the_other_alignment_differs_where_queries_are_fewer(page: Page, load: Load) -> None:
    load("cross_3x5")
    page.check("#causal")
    settled(page)
    page.click("[data-compare='other_alignment']")
    compared(page)
    a, b = shown(page, "a"), shown(page, "b")
    assert (a[0] > 0).sum() == 1
    assert (b[0] > 0).sum() == 3


def test_the_first_differing_cell_is_named_and_a_press_goes_there(page: Page, load: Load) -> None:
    load("gqa_8_2")
    page.click("#head-buttons >> [data-head='5']")
    settled(page)
    page.click("[data-compare='mask_off']")
    compared(page)
    assert "mask" in page.inner_text("#compare-verdict")
    page.click("[data-jump='weights first']")
    compared(page)
    settled(page)
    found = served(page, {"a": example(page, "gqa_8_2"), "variant": "mask_off"})
    _, head, query, key = found["stages"]["weights"]["first"]
    assert page.get_attribute(f"[data-head='{head}'] >> nth=0", "aria-pressed") == "true"
    labels = example(page, "gqa_8_2")["tokens"]
    readout = page.inner_text("#compare-readout")
    assert readout.startswith(f"{labels[query]} → {labels[key]}")
    a = float(found["a"]["weights"][0][head][query][key])
    assert f"A {a:g}" in readout
    assert page.is_visible("#compare-a-frame .band-cell")


def test_merging_heads_says_why_keys_cannot_be_compared(page: Page, load: Load) -> None:
    load("gqa_8_2")
    page.click("[data-compare='kv_heads']")
    compared(page)
    row = page.inner_text("#compare-stages tr:has-text('shapes differ') >> nth=0")
    assert "[1][2][5][64]" in row and "[1][1][5][64]" in row
    page.click("#compare-stages [data-jump='k']")
    compared(page)
    assert shown(page, "a").shape == shown(page, "b").shape == (5, 64)
    assert not page.is_visible("#compare-difference-matrix")


def test_merging_is_offered_only_where_heads_can_be_merged(page: Page, load: Load) -> None:
    load("mqa")
    assert page.get_attribute("[data-compare='kv_heads']", "aria-disabled") == "true"
    page.click("[data-compare='kv_heads']", force=True)
    assert page.is_hidden("#compare-results")


def test_a_kept_run_stays_b_while_a_is_edited_and_b_can_be_edited_as_json(
    page: Page, load: Load
) -> None:
    load("causal_4")
    page.click("#compare-own")
    compared(page)
    assert "agree in every number" in page.inner_text("#compare-verdict")
    kept = shown(page, "b")
    page.uncheck("#causal")
    settled(page)
    compared(page)
    assert (shown(page, "a") > 0).all()
    np.testing.assert_array_equal(shown(page, "b"), kept)
    page.click("#compare-text-title")
    text = page.input_value("#compare-text")
    page.fill("#compare-text", text.replace('"num_heads": 2', '"num_heads": 3'))
    compared(page, "error")
    assert "B" in page.inner_text("#compare-error")
    assert "num_heads (3)" in page.inner_text("#compare-error")
    page.fill("#compare-text", text[:-3])
    compared(page, "error")
    assert "not JSON" in page.inner_text("#compare-error")
    page.fill("#compare-text", text)
    compared(page)
    assert page.is_hidden("#compare-error")


def test_a_pinned_run_stays_a_while_the_page_becomes_b(page: Page, load: Load) -> None:
    load("causal_4")
    page.click("#compare-pin")
    compared(page)
    pinned = shown(page, "a")
    page.uncheck("#causal")
    settled(page)
    compared(page)
    np.testing.assert_array_equal(shown(page, "a"), pinned)
    assert (shown(page, "b") > 0).all()
    page.click("#compare-stop")
    page.wait_for_selector("#compare-results", state="hidden")


def test_a_comparison_travels_in_the_link(
    page: Page, load: Load, browser: Browser, base_url: str
) -> None:
    load("causal_4")
    page.click("#compare-own")
    page.uncheck("#causal")
    compared(page)
    page.click("#compare-stages [data-jump='scores']")
    compared(page)
    link_written(page)
    context = browser.new_context(base_url=base_url)
    other = context.new_page()
    other.goto("/" + page.evaluate("location.hash"))
    settled(other)
    compared(other)
    for side in ("a", "b", "difference"):
        np.testing.assert_array_equal(shown(other, side), shown(page, side))
    assert other.inner_text("#compare-stages") == page.inner_text("#compare-stages")
    context.close()


def test_one_cursor_stands_in_the_comparison_and_in_the_pictures(page: Page, load: Load) -> None:
    load("causal_4")
    page.click("[data-compare='mask_off']")
    compared(page)
    page.focus("#compare-b-frame")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.inner_text("#compare-readout").startswith("cat → cat")
    for frame in ("compare-a", "compare-difference", "weights"):
        assert page.is_visible(f"#{frame}-frame .band-cell")


def test_shortcuts_with_nothing_to_compare_say_why(page: Page, load: Load) -> None:
    load("mqa")
    page.uncheck("#causal")
    settled(page)
    off = page.eval_on_selector_all(
        "[data-compare][aria-disabled='true']", "all => all.map((chip) => chip.dataset.compare)"
    )
    assert off == ["mask_off", "mask_after_softmax", "other_alignment", "kv_heads"]
    said = page.inner_text("#compare-nothing")
    for reason in ("no mask is set", "no causal mask", "one KV head"):
        assert reason in said
    assert "no mask is set" in str(page.get_attribute("[data-compare='mask_off']", "title"))
    page.click("[data-compare='mask_off']", force=True)
    assert page.get_attribute("[data-compare='mask_off']", "aria-pressed") == "false"
    page.check("#causal")
    settled(page)
    assert page.get_attribute("[data-compare='mask_off']", "aria-disabled") == "false"


def test_the_mask_has_pictures_of_its_own(page: Page, load: Load) -> None:
    load("causal_4")
    page.click("[data-compare='mask_off']")
    compared(page)
    page.click("[data-jump='allowed']")
    compared(page)
    lower = np.tril(np.ones((4, 4)))
    np.testing.assert_array_equal(shown(page, "a"), lower)
    np.testing.assert_array_equal(shown(page, "b"), np.ones((4, 4)))
    np.testing.assert_array_equal(shown(page, "difference"), lower - 1)


def test_dropped_weights_have_pictures_where_both_runs_drop(page: Page, load: Load) -> None:
    load("causal_4")
    page.evaluate("document.getElementById('advanced').open = true")
    page.check("#dropout")
    settled(page)
    page.click("[data-compare='scale_off']")
    compared(page)
    page.click("[data-jump='dropped_weights']")
    compared(page)
    spec = {**example(page, "causal_4"), "dropout": {"p": 0.1, "seed": 0}}
    found = served(page, {"a": spec, "variant": "scale_off"}, include="dropped_weights")
    for side in ("a", "b"):
        expected = np.array(found[side]["dropped_weights"])[0, 0]
        np.testing.assert_allclose(shown(page, side), expected, rtol=1e-6, atol=1e-7)
