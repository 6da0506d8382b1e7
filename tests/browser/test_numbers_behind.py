"""Behind every picture its numbers, as a table that names them as the picture does."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.conftest import drawn, settled
from tests.browser.tabs import answered

TABLES = """(details) => [...details.querySelectorAll("table")].map((table) => ({
  name: table.caption.textContent,
  columns: [...table.tHead.querySelectorAll("th")].map((th) => th.textContent),
  rows: [...table.tBodies[0].rows].map((row) => row.cells[0].textContent),
  values: [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1).map((td) => td.textContent)),
}))"""  # noqa: E501


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def unfolded(page: Page, fold: str) -> Any:
    """The tables of a fold, opened; browsers tell of the opening a moment later."""
    page.click(f"{fold} > summary")
    page.wait_for_selector(f"{fold} table")
    return page.eval_on_selector(fold, TABLES)


@pytest.mark.parametrize(
    ("tab", "opener", "figures"),
    [
        ("compare", "[data-compare=scale_off]", ["a", "b", "difference"]),
        ("check", "#check-example", ["a", "b", "difference"]),
        ("stability", "[data-trial='bfloat16']", ["a", "b", "difference"]),
        ("readings", "[data-act='show blocked']", ["a", "b", "difference"]),
    ],
)
def test_three_pictures_side_by_side_have_three_tables(
    page: Page, tab: str, opener: str, figures: list[str]
) -> None:
    page.select_option("#example", "causal_4")
    settled(page)
    page.click(f"#tab-{tab}")
    if tab == "check":
        page.wait_for_selector("#check-example option[value='scale_missing']", state="attached")
        page.select_option(opener, "scale_missing")
    else:
        page.click(opener)
    if tab in ("stability", "readings"):
        answered(page, tab)
    page.wait_for_selector(f"#{tab}-difference-figure .heatmaplayer image")
    tables = unfolded(page, f"#panel-{tab} [data-behind]")
    assert [table["name"] for table in tables] == [
        page.inner_text(f"#{tab}-{side}-matrix h4") for side in figures
    ]
    for side, table in zip(figures, tables, strict=True):
        assert table["columns"] == table["rows"] == ["the", "cat", "sat", "down"]
        shown = np.array(drawn(page, f"{tab}-{side}-figure"), dtype=float)
        told = np.array([[number(text) for text in row] for row in table["values"]])
        visible = np.isfinite(shown)
        np.testing.assert_allclose(told[visible], shown[visible], rtol=1e-7)


def test_the_tables_follow_the_pictures(page: Page) -> None:
    page.select_option("#example", "causal_4")
    settled(page)
    first = unfolded(page, "#table-details")
    assert [table["name"] for table in first] == ["Scores", "Weights"]
    page.uncheck("#causal")
    settled(page)
    page.click(".step[data-stage='v']")
    settled(page)
    page.wait_for_function("document.querySelector('#table-details caption').textContent === 'v'")
    told, weights = page.eval_on_selector("#table-details", TABLES)
    assert weights["name"] == "Weights" and "0" not in weights["values"][0]
    values = np.array([[number(text) for text in row] for row in told["values"]])
    np.testing.assert_allclose(
        values, np.array(drawn(page, "stage-figure"), dtype=float), rtol=1e-7
    )


def test_a_step_of_decoding_has_its_numbers_in_tables(page: Page) -> None:
    page.select_option("#example", "causal_4")
    settled(page)
    page.click("#tab-decode")
    page.wait_for_selector("#decode-output-figure .heatmaplayer image")
    tables = unfolded(page, "#panel-decode [data-behind]")
    assert len(tables) == 5
    last = np.array([[number(text) for text in row] for row in tables[-1]["values"]])
    np.testing.assert_allclose(
        last, np.array(drawn(page, "decode-output-figure"), dtype=float), rtol=1e-7
    )
