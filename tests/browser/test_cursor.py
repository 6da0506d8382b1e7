"""The cursor's card: beside what it speaks of, never on it."""

import json
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import settled

SIZES = [(1440, 900), (1024, 768), (390, 844)]
CELLS = [(0, 0), (1, 4), (3, 2), (6, 6)]
LABELS = """(frame) => {
  const box = (e) => { const { left, right, top, bottom } = e.getBoundingClientRect(); return [left, top, right, bottom]; };
  const figure = document.querySelector(`#${frame}-frame`);
  return {
    card: box(document.getElementById("cell-card")),
    row: box(figure.querySelector(".band-row")),
    cell: box(figure.querySelector(".band-cell")),
    columns: [...figure.querySelectorAll(".xtick text")].map(box),
    rows: [...figure.querySelectorAll(".ytick text")].map(box),
  };
}"""  # noqa: E501

BOXES = """["#cell-card", "#scores-frame", "#weights-frame"].map((one) => {
  const { left, right, top, bottom } = document.querySelector(one).getBoundingClientRect();
  return [left, top, right, bottom];
})"""


def meet(one: list[float], other: list[float]) -> bool:
    """Whether two boxes (left, top, right, bottom) overlap by more than a pixel."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width > 1 and height > 1


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_card_covers_neither_its_row_nor_its_labels_and_once_pinned_no_picture(
    page: Page, width: int, height: int
) -> None:
    spec: dict[str, Any] = {
        "x": np.random.default_rng(3).normal(size=(7, 4)).round(2).tolist(),
        "tokens": ["the", "cat", "sat", "on", "the", "mat", "."],
        "masks": [{"kind": "causal"}],
    }
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps(spec))
    page.click("#spec-apply")
    settled(page)
    for frame in ("scores", "weights"):
        for row, column in CELLS:
            page.keyboard.press("Escape")
            page.focus(f"#{frame}-frame")
            for key in ["ArrowDown"] * (1 + row) + ["ArrowRight"] * column:
                page.keyboard.press(key)
            page.wait_for_selector("#cell-card:not(.is-pinned, [hidden])")
            found = page.evaluate(LABELS, frame)
            where = f"{frame} {row} {column}"
            assert not meet(found["card"], found["cell"]), where
            assert not meet(found["card"], found["row"]), where
            assert not meet(found["card"], found["rows"][row]), where
            assert not any(meet(found["card"], label) for label in found["columns"]), where
            page.keyboard.press("Enter")
            page.wait_for_selector("#cell-card.is-pinned:not([hidden])")
            card, *pictures = page.evaluate(BOXES)
            assert not any(meet(card, picture) for picture in pictures), where


def test_what_a_finger_presses_around_the_pictures_is_44_pixels(
    browser: Browser, base_url: str
) -> None:
    context = browser.new_context(
        base_url=base_url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto("/")
    settled(page)
    page.select_option("#example", "gqa_8_2")
    settled(page)
    page.tap("#weights-frame", position={"x": 120, "y": 120})
    page.wait_for_selector("#inspector-body:not([hidden])")
    small = page.evaluate(
        """() => [...document.querySelectorAll(`#steps button, #overview-options > summary,
             #head-buttons button, #show-masked-switch, #cell-card button, #table-details > summary,
             #inspector button, #kind-mha, #num-heads-fits button`)]
           .filter((one) => one.checkVisibility())
           .map((one) => [one.id || one.className, one.getBoundingClientRect()])
           .filter(([, box]) => box.width < 44 || box.height < 44)
           .map(([name, box]) => `${name} ${box.width} ${box.height}`)"""
    )
    assert small == []
    context.close()
