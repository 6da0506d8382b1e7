"""Cells painted anew in a picture that stands, against Plotly's own drawing of the same numbers."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page

from tests.browser.conftest import settled

FIGURES = ("scores-figure", "weights-figure", "heads-figure")
ROUNDED = 2  # of 255: one of 1,024 steps of a scale stands for the colours beside it
PIXELS = """async (id) => Promise.all(
  [...document.querySelectorAll(`#${id} .heatmaplayer .hm image`)].map(async (image) => {
    const picture = new Image();
    picture.src = image.getAttribute("href") ?? image.getAttribute("xlink:href");
    await picture.decode();
    const canvas = Object.assign(document.createElement("canvas"),
      { width: picture.naturalWidth, height: picture.naturalHeight });
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    return { width, height, data: [...data] };
  }))"""
HATCHING = """(id) => [...document.querySelectorAll(`#${id} .shapelayer path`)]
  .map((path) => path.getAttribute("d"))"""
LIST_DRAWINGS = """() => {
  window.drawings = [];
  const { react } = Plotly;
  Plotly.react = (element, ...given) => {
    window.drawings.push(element.id);
    return react(element, ...given);
  };
}"""


def pictures(page: Page, figure: str) -> list[NDArray[np.int64]]:
    found = page.evaluate(PIXELS, figure)
    return [np.array(one["data"]).reshape(one["height"], one["width"], 4) for one in found]


def numbers(page: Page, figure: str) -> list[list[float]]:
    """Those of each path, its commands left out."""
    paths = page.evaluate(HATCHING, figure)
    return [[float(found) for found in re.findall(r"-?[\d.]+", path)] for path in paths]


def apply(page: Page, spec: dict[str, Any]) -> None:
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps(spec))
    page.click("#spec-apply")
    page.evaluate("document.getElementById('specification').open = false")
    settled(page)
    page.wait_for_function(
        f"document.getElementById('weights-figure').data[0].z.length === {len(spec['x'])}"
    )


@pytest.mark.parametrize("tokens", [31, 71])
def test_a_switched_mask_is_painted_as_plotly_would(page: Page, tokens: int) -> None:
    """31 tokens have gaps between the cells and hatching; 71 have neither."""
    x = np.random.default_rng(5).standard_normal((tokens, 6)).round(3).tolist()
    apply(page, {"x": x, "num_heads": 3, "tokens": [str(i) for i in range(tokens)]})
    for causal in (True, False, True):
        page.set_checked("#causal", causal)
        settled(page)
        if causal:
            page.evaluate(LIST_DRAWINGS)
    # The colour bar of the scores says another range without the mask.
    assert set(page.evaluate("window.drawings")) <= {"scores-figure"}
    painted = {name: (pictures(page, name), numbers(page, name)) for name in FIGURES}
    for name in FIGURES:
        page.evaluate("(id) => Plotly.redraw(id)", name)
        (ours, lines), (theirs, drawn) = painted[name], (pictures(page, name), numbers(page, name))
        assert len(ours) == len(theirs) == 2
        for one, other in zip(ours, theirs, strict=True):
            assert one.shape == other.shape
            assert np.abs(one - other).max() <= ROUNDED, name
        assert len(lines) == len(drawn)
        for one, other in zip(lines, drawn, strict=True):
            np.testing.assert_allclose(one, other, atol=0.01)
    hatched = numbers(page, "weights-figure")
    assert (len(hatched) == 1 and len(hatched[0]) > 31 * 30) if tokens == 31 else not hatched
