"""The page's main job in Chromium: what Plotly holds against what the API answers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, Route

from tests.browser.conftest import drawn, settled

Load = Callable[[str], None]


def served(page: Page, spec: dict[str, Any], name: str) -> Any:
    """A tensor of the API for a specification, asked from the same server."""
    answer = page.request.post("/api/attention", data=spec)
    assert answer.ok, answer.text()
    return np.array(answer.json()["tensors"][name], dtype=object)


def example(page: Page, name: str) -> dict[str, Any]:
    examples = page.request.get("/api/examples").json()["examples"]
    found: dict[str, Any] = next(e["spec"] for e in examples if e["name"] == name)
    return found


def matrix(values: Any) -> Any:
    return np.array([[np.nan if x is None else float(x) for x in row] for row in values])


def test_the_first_visit_shows_the_hand_worked_numbers(page: Page) -> None:
    weights = matrix(drawn(page, "weights-figure"))
    np.testing.assert_allclose(weights[2], [0.24826, 0.24826, 0.50349], atol=5e-6)
    scores = matrix(drawn(page, "scores-figure"))
    np.testing.assert_allclose(scores[2], [0.70711, 0.70711, 1.41421], atol=5e-6)


def test_toggling_causal_masks_the_upper_triangle(page: Page, load: Load) -> None:
    load("mqa")
    page.uncheck("#causal")
    settled(page)
    before = matrix(drawn(page, "weights-figure"))
    assert (before > 0).all()
    page.check("#causal")
    settled(page)
    weights = matrix(drawn(page, "weights-figure"))
    marks = matrix(drawn(page, "weights-figure", 1))
    upper = np.triu(np.ones_like(weights, dtype=bool), 1)
    assert (weights[upper] == 0).all()
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-6)
    assert (marks[upper] == 1).all() and np.isnan(marks[~upper]).all()


@pytest.mark.parametrize("name", ["causal_4", "gqa_8_2", "cross_3x5", "left_padding_causal"])
def test_what_is_drawn_is_what_the_api_answers(page: Page, load: Load, name: str) -> None:
    load(name)
    spec = example(page, name)
    opens_on = 1 if name == "left_padding_causal" else 0
    for figure, tensor in (("weights-figure", "weights"), ("scores-figure", "scores")):
        np.testing.assert_allclose(
            matrix(drawn(page, figure)),
            served(page, spec, tensor)[opens_on, 0].astype(float),
            rtol=1e-6,
        )


def test_heads_of_a_group_share_their_keys(page: Page, load: Load) -> None:
    load("causal_4")
    assert groups(page) == [0, 1]
    page.click("#kind-mqa")
    settled(page)
    assert groups(page) == [0, 0]
    page.click("#kind-mha")
    settled(page)
    page.fill("#num-heads", "4")
    settled(page)
    assert groups(page) == [0, 1, 2, 3]
    page.click("#kind-gqa")
    settled(page)
    assert groups(page) == [0, 0, 1, 1]


def groups(page: Page) -> list[int]:
    """The KV head that the page says each query head reads."""
    titles = page.eval_on_selector("#heads-figure", "g => g.layout.annotations.map((a) => a.text)")
    return [int(title.split("KV")[1]) for title in titles]


def test_a_changed_number_changes_the_weights_that_the_api_gives(page: Page, load: Load) -> None:
    load("causal_4")
    before = matrix(drawn(page, "weights-figure"))
    page.fill("[data-grid='x'][data-row='1'][data-col='0']", "3.5")
    settled(page)
    spec = example(page, "causal_4")
    spec["x"][1][0] = 3.5
    after = matrix(drawn(page, "weights-figure"))
    assert np.abs(after - before).max() > 0.01
    np.testing.assert_allclose(after, served(page, spec, "weights")[0, 0].astype(float), rtol=1e-6)


def test_an_error_stands_at_its_field_and_the_picture_stays(page: Page, load: Load) -> None:
    load("causal_4")
    before = drawn(page, "weights-figure")
    page.fill("[data-grid='x'][data-row='0'][data-col='1']", "abc")
    page.wait_for_function("document.documentElement.dataset.state === 'error'")
    cell = page.locator("[data-grid='x'][data-row='0'][data-col='1']")
    assert cell.get_attribute("aria-invalid") == "true"
    assert cell.input_value() == "abc"
    assert drawn(page, "weights-figure") == before
    page.fill("[data-grid='x'][data-row='0'][data-col='1']", "1")
    settled(page)
    assert cell.get_attribute("aria-invalid") in (None, "false")


def test_repeated_tokens_keep_their_own_columns(page: Page, load: Load) -> None:
    load("mqa")
    axis = page.eval_on_selector("#weights-figure", "g => g.layout.xaxis")
    assert axis["ticktext"].count("the") == 2
    assert axis["tickvals"] == list(range(6))
    assert len(drawn(page, "weights-figure")[0]) == 6


def test_rows_that_see_nothing_are_said_and_the_policy_changes_them(page: Page, load: Load) -> None:
    load("left_padding_causal")
    assert "see no key" in page.inner_text("#warnings")
    page.click("#batch-picker >> nth=0 >> button >> nth=1")
    settled(page)
    assert np.nansum(matrix(drawn(page, "weights-figure"))[0]) == 0
    page.evaluate("document.getElementById('advanced').open = true")
    page.select_option("#fully-masked", "uniform")
    settled(page)
    np.testing.assert_allclose(matrix(drawn(page, "weights-figure"))[0], 0.2, atol=1e-7)


def test_the_page_asks_nobody_else(page: Page) -> None:
    hosts = page.evaluate(
        "performance.getEntriesByType('resource').map((entry) => new URL(entry.name).host)"
    )
    assert set(hosts) == {page.evaluate("location.host")}


def test_nothing_typed_is_lost_by_a_reload(page: Page, load: Load) -> None:
    load("causal_4")
    page.fill("[data-grid='x'][data-row='2'][data-col='3']", "-7.25")
    settled(page)
    before = drawn(page, "weights-figure")
    page.reload()
    settled(page)
    assert page.input_value("[data-grid='x'][data-row='2'][data-col='3']") == "-7.25"
    assert drawn(page, "weights-figure") == before


def test_a_busy_server_is_asked_again_and_the_page_says_so(page: Page) -> None:
    refused: list[str] = []

    def refuse_twice(route: Route) -> None:
        if len(refused) == 2:
            return route.continue_()
        refused.append(route.request.url)
        route.fulfill(status=503, headers={"retry-after": "1"}, json={"title": "", "detail": ""})

    page.route("**/api/attention**", refuse_twice)
    page.click("#causal")
    page.wait_for_function(
        "document.getElementById('status-text').textContent.includes('the server is busy')"
    )
    settled(page)
    assert len(refused) == 2
    assert page.is_hidden("#problem")
