"""The pipeline in Chromium: stages, the inspector, the one cursor, heads and scales: as served."""

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import drawn, settled
from tests.browser.test_main_job import example, matrix, served

Load = Callable[[str], None]
KV = ("k", "v")


def choose(page: Page, stage: str) -> None:
    page.click(f".step[data-stage='{stage}']")
    settled(page)


def number(text: str) -> float:
    named = {"NaN": "nan", "+∞": "inf", "−∞": "-inf"}
    return float(named.get(text, text.replace("−", "-")))


def test_the_pipeline_shows_every_stage_with_its_formula_in_type_and_its_shape(
    page: Page, load: Load
) -> None:
    load("gqa_8_2")
    stages = page.eval_on_selector_all(".step", "all => all.map((one) => one.dataset.stage)")
    order = ["q", "k", "v", "scores", "allowed", "masked_scores", "logsumexp", "weights"]
    assert stages == [*order, "heads", "output"]
    expect(page.locator(".step[data-stage='scores'] .katex-mathml")).to_have_count(1)
    shape = page.inner_text(".step[data-stage='k'] .step-shape")
    assert re.findall(r"\d+", shape) == ["1", "2", "5", "64"]
    names = page.get_attribute(".step[data-stage='k']", "aria-label") or ""
    assert "KV head 2 × key 5 × dimension 64" in names
    page.evaluate("document.getElementById('advanced').open = true")
    page.fill("#softcap", "7")
    settled(page)
    expect(page.locator(".step[data-stage='scores'] .katex-mathml")).to_contain_text("tanh")


def test_formulas_are_set_with_fonts_of_our_own(page: Page, base_url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_selector(".step .katex")
    page.wait_for_function("document.fonts.check('12px KaTeX_Math')")
    fonts = [url for url in asked if "KaTeX" in url]
    assert fonts and all("/vendor/katex/fonts/" in url for url in fonts)
    assert all(url.startswith(base_url) for url in fonts)


@pytest.mark.parametrize("stage", ["q", "k", "v", "heads", "masked_scores", "weights", "scores"])
def test_a_chosen_stage_is_drawn_as_the_api_answers_it(page: Page, load: Load, stage: str) -> None:
    load("gqa_8_2")
    page.click("#head-buttons [data-head='5']")
    choose(page, stage)
    place = stage if stage in ("scores", "weights") else "stage"
    expected = served(page, example(page, "gqa_8_2"), stage)[0][1 if stage in KV else 5]
    numbers = np.array([[np.nan if x == "-Infinity" else float(x) for x in r] for r in expected])
    np.testing.assert_allclose(matrix(drawn(page, f"{place}-figure")), numbers, rtol=1e-6)


def test_the_output_and_the_logsumexp_have_pictures_too(page: Page, load: Load) -> None:
    load("causal_4")
    spec = example(page, "causal_4")
    choose(page, "output")
    np.testing.assert_allclose(
        matrix(drawn(page, "stage-figure")), served(page, spec, "output")[0].astype(float), 1e-6
    )
    choose(page, "logsumexp")
    found = matrix(drawn(page, "stage-figure"))
    expected = served(page, spec, "logsumexp")[0, 0].astype(float)
    np.testing.assert_allclose(found, expected[None], rtol=1e-6)
    axis = page.eval_on_selector("#stage-figure", "g => g.layout.xaxis.ticktext")
    assert axis == spec["tokens"]
    cell = page.eval_on_selector("#stage-figure", "g => g._fullLayout._size.h")
    assert cell >= 28


def test_keys_and_values_have_one_tile_a_kv_head(page: Page, load: Load) -> None:
    load("gqa_8_2")
    choose(page, "v")
    titles = page.eval_on_selector("#heads-figure", "g => g.layout.annotations.map((a) => a.text)")
    assert titles == ["KV0 · H0–H3", "KV1 · H4–H7"]


def test_the_mask_stage_says_which_mask_blocks_a_cell(page: Page, load: Load) -> None:
    load("left_padding_causal")
    page.click("#batch-picker >> nth=0 >> button >> nth=1")
    choose(page, "allowed")
    found = matrix(drawn(page, "stage-figure"))
    answer = page.request.post(
        "/api/attention?include=blocked_by", data=example(page, "left_padding_causal")
    )
    bits = np.array(answer.json()["tensors"]["blocked_by"])[1, 0]
    names = {0: 0, 1: 1, 2: 2, 3: 3}
    np.testing.assert_array_equal(found, np.vectorize(names.get)(bits))
    legend = page.inner_text("#legend")
    for mask in ("visible", "causal", "padding", "several"):
        assert mask in legend


def test_arrow_keys_choose_stages_like_radio_buttons(page: Page) -> None:
    page.focus(".step[data-stage='weights']")
    page.keyboard.press("ArrowRight")
    settled(page)
    assert page.get_attribute(".step[data-stage='heads']", "aria-checked") == "true"
    assert page.evaluate("document.activeElement.dataset.stage") == "heads"
    page.keyboard.press("Home")
    settled(page)
    assert page.get_attribute(".step[data-stage='q']", "aria-checked") == "true"
    assert page.locator(".step[tabindex='0']").count() == 1


def pin(page: Page, query: int, key: int) -> None:
    """By keyboard: to the first cell, then down and across, then Enter."""
    page.keyboard.press("Escape")
    page.focus("#weights-frame")
    for name, count in (("ArrowDown", 1 + query), ("ArrowRight", key)):
        for _ in range(count):
            page.keyboard.press(name)
    page.keyboard.press("Enter")
    page.wait_for_selector("#inspector[aria-busy='false'] #inspector-body:not([hidden])")


def test_the_inspector_shows_the_numbers_of_the_api(page: Page, load: Load) -> None:
    load("gqa_8_2")
    pin(page, 3, 1)
    place = {"batch": 0, "head": 0, "query": 3, "key": 1}
    spec = example(page, "gqa_8_2")
    expected = page.request.post("/api/inspect", data={"spec": spec, **place}).json()
    page.click("#inspector-products .add")
    cells = page.eval_on_selector_all(
        "#inspector-products tbody tr:has(td.number)",
        "rows => rows.map((row) => [...row.querySelectorAll('.number')].map((cell) => cell.title))",
    )
    found = np.array([[number(cell) for cell in row] for row in cells])
    assert found.shape == (64, 3)
    columns = np.array([expected["q"], expected["k"], expected["products"]]).T
    np.testing.assert_allclose(found, columns, rtol=2e-7)
    chain = page.eval_on_selector_all(
        "#inspector-chain dd.number", "all => all.map((one) => one.title)"
    )
    names = ("dot_product", "scaled", "score", "masked_score")
    served_numbers = [*(expected[name] for name in names), expected["exponentials"][1]]
    np.testing.assert_allclose(
        [number(text) for text in chain], [*served_numbers, expected["weight"]], rtol=2e-7
    )
    stack = matrix(drawn(page, "inspector-figure"))
    np.testing.assert_allclose(stack[:5], expected["contributions"], rtol=1e-6)
    np.testing.assert_allclose(stack[6], expected["total"], rtol=1e-6)
    assert page.locator("#inspector-row .row-bar").count() == 5


def test_a_bar_of_the_row_leads_to_its_key_and_the_copy_is_exact(page: Page, load: Load) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    load("hand_worked")
    pin(page, 2, 0)
    page.click("#inspector-row .row-bar >> nth=2")
    expect(page.locator("#inspector-who")).to_contain_text("key 2")
    page.click("#inspector-copy")
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('weight'))")
    copied = page.evaluate("navigator.clipboard.readText().then(JSON.parse)")
    spec = example(page, "hand_worked")
    data = {"spec": spec, "batch": 0, "head": 0, "query": 2, "key": 2}
    assert copied["weight"] == page.request.post("/api/inspect", data=data).json()["weight"]


def test_the_inspector_reads_well_where_a_query_sees_nothing(page: Page, load: Load) -> None:
    load("left_padding_causal")
    page.click("#batch-picker >> nth=0 >> button >> nth=1")
    settled(page)
    pin(page, 0, 3)
    text = page.inner_text("#inspector")
    assert "sees no key" in text
    assert "blocked" in text and "−∞" in text


def test_one_cursor_marks_the_same_query_and_key_everywhere(page: Page, load: Load) -> None:
    load("gqa_8_2")
    choose(page, "v")
    page.focus("#weights-frame")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    tops = {
        name: page.eval_on_selector(f"#{name}-frame .band-row", "band => band.style.top")
        for name in ("stage", "weights")
    }
    centre = """([id, row]) => { const g = document.getElementById(id).querySelector(".figure");
      return g._fullLayout._size.t + g._fullLayout.yaxis.d2p(row - 0.5); }"""
    assert tops["weights"] == f"{page.evaluate(centre, ['weights-frame', 2])}px"
    assert tops["stage"] == f"{page.evaluate(centre, ['stage-frame', 1])}px"
    marked = page.get_attribute("#heads-cursor .is-cursor", "d") or ""
    assert marked.count("M") == 2
    assert "be" in page.inner_text("#cell-spoken")


def test_the_token_lists_mark_the_cursor_and_move_it(page: Page, load: Load) -> None:
    load("cross_3x5")
    page.focus("#weights-frame")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    marked = """([grid, name]) => [...document.querySelectorAll(`tr.${name} [data-grid='${grid}']`)]
      .filter((input) => input.dataset.col === "-1").map((input) => Number(input.dataset.row))"""
    assert page.evaluate(marked, ["x", "is-query"]) == [1]
    assert page.evaluate(marked, ["memory", "is-key"]) == [3]
    assert page.evaluate(marked, ["x", "is-key"]) == []
    page.hover("[data-grid='memory'][data-row='4'][data-col='-1']")
    assert page.evaluate(marked, ["memory", "is-key"]) == [4]
    assert page.evaluate(marked, ["x", "is-query"]) == [1]


def test_a_tap_pins_and_a_scroll_by_touch_does_not(browser: Browser, base_url: str) -> None:
    context = browser.new_context(
        base_url=base_url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto("/")
    settled(page)
    page.tap("#weights-frame", position={"x": 120, "y": 120})
    expect(page.locator("#inspector-body")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.tap("#inspector-close")
    expect(page.locator("#inspector-body")).to_be_hidden()
    context.close()


def test_the_selected_head_shows_its_statistics_as_served(page: Page, load: Load) -> None:
    load("gqa_8_2")
    page.click("#head-buttons [data-head='6']")
    names = ("entropy", "mean_distance", "first_key_weight", "largest_weight")
    path = f"/api/attention?include={','.join(names)}"
    tensors = page.request.post(path, data=example(page, "gqa_8_2")).json()["tensors"]
    page.wait_for_function("document.querySelectorAll('#head-statistics dd').length === 4")
    shown = page.eval_on_selector_all("#head-statistics dd", "all => all.map((one) => one.title)")
    expected = [tensors[name][0][6] for name in names]
    np.testing.assert_allclose([number(text) for text in shown], expected, rtol=2e-7)


def test_the_cursor_is_in_the_head_that_the_pointer_is_over(page: Page, load: Load) -> None:
    load("gqa_8_2")
    tile = page.eval_on_selector("#heads-figure", "g => g.layout.annotations[6].x")
    top = page.eval_on_selector("#heads-figure", "g => g.layout.annotations[6].y")
    page.hover("#heads-figure", position={"x": tile + 4, "y": top + 6}, force=True)
    expected = served(page, example(page, "gqa_8_2"), "weights")[0][6][0][0]
    text = page.inner_text("#overview-readout")
    assert "6" in text and number(text.rsplit(" ", 1)[1]) == pytest.approx(expected)
    assert (page.get_attribute("#heads-cursor .is-cursor", "d") or "").count("M") == 8


def titles(page: Page) -> list[str]:
    found: list[str] = page.eval_on_selector(
        "#heads-figure", "g => g.layout.annotations.map((a) => a.text)"
    )
    return found


def test_heads_are_sorted_and_filtered_by_their_entropy(page: Page, load: Load) -> None:
    load("gqa_8_2")
    answer = page.request.post("/api/attention?include=entropy", data=example(page, "gqa_8_2"))
    entropy = np.array(answer.json()["tensors"]["entropy"])[0]
    page.click("#overview-options > summary")
    page.select_option("#sort-heads", "entropy")
    page.check("#descending")
    settled(page)
    order = [int(title.split(" ")[0][1:]) for title in titles(page)]
    assert order == list(np.argsort(-entropy))
    assert all(f"KV{head // 4}" in title for head, title in zip(order, titles(page), strict=True))
    page.fill("#heads-from", f"{np.sort(entropy)[5] - 1e-4:.6f}")
    settled(page)
    page.wait_for_function("document.getElementById('heads-figure').layout.annotations.length < 8")
    assert [int(title.split(" ")[0][1:]) for title in titles(page)] == order[:3]


def test_the_average_is_an_extra_tile_and_says_what_it_is(page: Page, load: Load) -> None:
    load("gqa_8_2")
    page.click("#overview-options > summary")
    page.check("#average")
    page.wait_for_function(
        "document.getElementById('heads-figure').layout.annotations.length === 9"
    )
    assert titles(page)[8] == "average of heads"
    assert "not what any head does" in page.inner_text("#average-note")
    weights = served(page, example(page, "gqa_8_2"), "weights")[0].astype(float).mean(0)
    tiles = matrix(drawn(page, "heads-figure"))
    finite = tiles[np.isfinite(tiles)]
    assert np.isclose(finite[:, None], weights[4][None], rtol=1e-5).any(0).all()


def test_per_row_and_log_scales_are_told_from_the_fixed_one(page: Page, load: Load) -> None:
    load("causal_4")
    weights = served(page, example(page, "causal_4"), "weights")[0, 0].astype(float)
    page.click("#overview-options > summary")
    page.select_option("#weight-scale", "row")
    settled(page)
    shares = weights / weights.max(1, keepdims=True)
    np.testing.assert_allclose(matrix(drawn(page, "weights-figure")), shares, rtol=1e-6)
    page.select_option("#weight-scale", "log")
    settled(page)
    shown = matrix(drawn(page, "weights-figure"))
    seen = weights > 0
    np.testing.assert_allclose(shown[seen], np.log10(weights[seen]), rtol=1e-5)
    assert "1e-6" in page.inner_text("#legend").replace("−", "-")


def test_masked_infinite_nan_and_clipped_cells_each_have_a_mark(page: Page) -> None:
    spec: dict[str, Any] = {
        "q": [[1, 0], [0, 1], [1, 1]],
        "k": [["Infinity", 0], [1, "NaN"], [-40, 0]],
        "v": [[1], [2], [3]],
        "masks": [
            {"kind": "matrix", "values": [[1, 1, 1], [1, 1, 1], [0, 1, 1]], "convention": "allowed"}
        ],
    }
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps(spec))
    page.click("#spec-apply")
    settled(page)
    legend = page.inner_text("#legend")
    for word in ("masked", "+∞", "NaN"):
        assert word in legend, word
    marks = drawn(page, "scores-figure", 1)
    assert marks[0][0] == 3 and marks[2][0] == 1 and marks[0][1] == 4


@pytest.mark.parametrize(("T", "hatched"), [(7, True), (67, False)])
def test_the_legends_masked_swatch_looks_like_the_cells(page: Page, T: int, hatched: bool) -> None:
    x = [[(7 * t + e) % 5 for e in range(2)] for t in range(T)]
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps({"x": x, "masks": [{"kind": "causal"}]}))
    page.click("#spec-apply")
    page.wait_for_function(f"document.getElementById('weights-figure').data[0].z.length === {T}")
    settled(page)
    swatch = page.locator("#legend .legend-item", has_text="masked").locator(".swatch")
    image = swatch.evaluate("one => getComputedStyle(one).backgroundImage")
    lines = page.eval_on_selector("#weights-figure", "g => g.layout.shapes.length")
    assert (image != "none", lines > 0) == (hatched, hatched)


def test_a_stage_that_cannot_be_fetched_is_said_and_comes_with_the_next_change(
    page: Page, load: Load
) -> None:
    load("causal_4")
    page.route("**/api/attention*", lambda route: route.abort())
    page.click(".step[data-stage='heads']")
    page.wait_for_function("document.documentElement.dataset.state === 'error'")
    assert page.locator(".banner").is_visible()
    page.unroute("**/api/attention*")
    page.uncheck("#causal")
    settled(page)
    page.wait_for_selector("#stage-figure .heatmaplayer image, #stage-figure .hm")
    assert page.locator(".banner").is_hidden()
