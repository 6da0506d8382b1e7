"""The pipeline's strip: what joins where, at every width, in letters large enough to read."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settled

EVERYTHING: dict[str, Any] = {
    "x": np.random.default_rng(7).normal(size=(2, 6, 8)).round(3).tolist(),
    "num_heads": 4,
    "num_kv_heads": 2,
    "rope": {"base": 10000, "style": "half"},
    "softcap": 20,
    "biases": [{"kind": "alibi", "slopes": None}],
    "masks": [{"kind": "causal"}, {"kind": "padding", "lengths": [6, 4]}],
    "dropout": {"p": 0.1, "seed": 0},
}


@pytest.fixture
def everything(page: Page) -> Page:
    """A run with every stage that there is."""
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps(EVERYTHING))
    page.click("#spec-apply")
    page.wait_for_selector(".step[data-stage='dropped_weights'] .katex")
    settled(page)
    return page


def box(page: Page, selector: str) -> Any:
    return page.evaluate(
        "(one) => document.querySelector(one).getBoundingClientRect().toJSON()", selector
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_pipeline_fits_a_desk_with_formulas_of_13_pixels(
    everything: Page, language: str
) -> None:
    page = everything
    page.select_option("#language", language)
    settled(page)
    wide, seen = page.evaluate("[steps.scrollWidth, steps.clientWidth]")
    assert wide <= seen
    sizes = page.eval_on_selector_all(
        ".step .katex", "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert len(sizes) == 10 and min(sizes) >= 13


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_nothing_runs_out_of_its_card(page: Page, load: Callable[[str], None], width: int) -> None:
    load("gqa_8_2")
    page.set_viewport_size({"width": width, "height": 800})
    outside = page.eval_on_selector_all(
        ".step",
        """all => all.flatMap((card) => [...card.children]
             .filter((one) => one.scrollWidth > one.clientWidth + parseFloat(getComputedStyle(card).paddingRight) || one.getBoundingClientRect().right > card.getBoundingClientRect().right)
             .map((one) => `${card.dataset.stage}: ${one.textContent}`))""",  # noqa: E501
    )
    assert outside == []


def test_q_and_k_lead_to_the_scores_and_v_joins_where_the_weights_mix_it(everything: Page) -> None:
    page = everything
    lane = box(page, ".flow.is-values")
    v, heads, scores = (
        box(page, f".step[data-stage='{name}']") for name in ("v", "heads", "scores")
    )
    assert v["top"] < lane["top"] < v["bottom"] and heads["top"] < lane["top"] < heads["bottom"]
    assert 0 <= lane["left"] - v["right"] <= 4 and 0 <= heads["left"] - lane["right"] <= 4
    for name in ("scores", "allowed", "logsumexp", "dropped_weights"):
        assert box(page, f".step[data-stage='{name}']")["bottom"] < lane["top"], name
    arrow = page.evaluate(
        """(left) => [...document.querySelectorAll(".flow:not(.is-values)")]
             .map((one) => one.getBoundingClientRect().toJSON())
             .find((one) => one.right <= left && left - one.right <= 4)""",
        scores["left"],
    )
    q, k = (box(page, f".step[data-stage='{name}']") for name in ("q", "k"))
    assert q["top"] < arrow["top"] < k["bottom"] < v["top"]


def test_an_edge_with_more_beyond_it_fades_and_arrow_keys_bring_it_in_sight(
    everything: Page,
) -> None:
    page = everything
    page.set_viewport_size({"width": 390, "height": 844})
    page.focus(".step[aria-checked='true']")
    page.keyboard.press("Home")
    expect(page.locator("#steps.has-after")).to_be_attached()
    expect(page.locator("#steps.has-before")).not_to_be_attached()
    page.keyboard.press("End")
    expect(page.locator("#steps.has-before")).to_be_attached()
    expect(page.locator("#steps.has-after")).not_to_be_attached()
    output = box(page, ".step[data-stage='output']")
    assert output["left"] >= 0 and output["right"] <= 390
