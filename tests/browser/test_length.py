"""Long runs on the page: what is shown of them against NumPy, window by window.

The inputs come from the server's generator, which draws `normal` from NumPy's frozen RandomState:
the same numbers are drawn here, and the weights are computed from the formula in float64.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, expect

from app.routes import view as view_route
from tests.browser.conftest import link_written, settled
from tests.browser.test_accessibility import violations
from tests.browser.test_language import in_chinese, untranslated
from tests.browser.test_state import link, visit

N, D, H = 1031, 3, 2
LONG = 65_536
WINDOW = 2047  # keys to the left that a query of the longest run sees
PATIENCE_MS = 480_000  # a shared machine takes much longer than the seconds that it should
RTOL = 2e-5  # float32 sums over a thousand keys


def random(*shape: int, seed: int) -> dict[str, Any]:
    return {"random": {"shape": list(shape), "seed": seed}}


def normal(*shape: int, seed: int) -> NDArray[np.float64]:
    """What the generator draws, at the float32 that the server computes with."""
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32).astype(float)


SPEC: dict[str, Any] = {
    "q": random(H, N, D, seed=3), "k": random(N, D, seed=4), "v": random(N, D, seed=5),
    "masks": [{"kind": "causal"}],
}  # fmt: skip


def weights_of(q: NDArray[np.float64], k: NDArray[np.float64], first: int = 0) -> Any:
    """softmax(q kᵀ / √D) of some rows, keys after each query's own place left out."""
    scores = q @ k.T / np.sqrt(q.shape[-1])
    query = first + np.arange(len(q))[:, None]
    scores[np.arange(len(k))[None, :] > query] = -np.inf
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def weights(head: int) -> NDArray[np.float64]:
    found: NDArray[np.float64] = weights_of(normal(H, N, D, seed=3)[head], normal(N, D, seed=4))
    return found


def pooled(values: NDArray[np.float64], width: int, how: Callable[..., Any]) -> Any:
    """Squares of ``width`` × ``width`` by ``how``, those at the ends smaller."""
    starts = range(0, len(values), width)
    return np.array([[how(values[i : i + width, j : j + width]) for j in starts] for i in starts])


def apply(page: Page, spec: dict[str, Any], tokens: int) -> None:
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps(spec))
    page.click("#spec-apply")
    page.evaluate("document.getElementById('specification').open = false")
    expect(page.locator("#length-says")).to_contain_text(f"keys 0–{tokens - 1:,}")
    settled(page)


def numbers(page: Page) -> NDArray[np.float64]:
    """The table behind the picture, at full precision; its first 64 rows and columns."""
    page.evaluate("document.getElementById('length-table').open = true")
    page.wait_for_timeout(200)
    rows = page.eval_on_selector_all(
        "#length-numbers tbody tr",
        "rows => rows.map((row) => [...row.querySelectorAll('td')].map((td) => td.textContent))",
    )
    plain = [[cell.replace("−", "-").replace("∞", "inf") for cell in row] for row in rows]
    return np.array(plain, dtype=float)


def to_single_pairs(page: Page, most: int = 16) -> None:
    says = page.locator("#length-says")
    for _ in range(most):
        if "every cell is one pair" in says.inner_text():
            return
        page.click("#length-in")
        settled(page)
    raise AssertionError(says.inner_text())


def shown(page: Page) -> tuple[tuple[int, int], tuple[int, int]]:
    """The half-open ranges of queries and keys that the page says it shows."""
    found = re.findall(r"([\d,]+)–([\d,]+)", page.inner_text("#length-says"))
    (a, b), (c, d) = (tuple(int(n.replace(",", "")) for n in pair) for pair in found[:2])
    return (a, b + 1), (c, d + 1)


@pytest.fixture
def long_page(page: Page) -> Page:
    apply(page, SPEC, N)
    expect(page.locator(".length-tile[data-state='ready']")).to_have_count(H)
    return page


def test_everything_is_shown_at_once_in_cells_of_four_by_four_that_hold_the_largest_weight(
    long_page: Page,
) -> None:
    expect(long_page.locator("#length-says")).to_contain_text("max over 4 × 4 cells")
    found, expected = numbers(long_page), pooled(weights(0), 4, np.max)[:64, :64]
    np.testing.assert_allclose(found, expected, rtol=RTOL)


def test_the_mean_counts_masked_pairs_as_zero_and_says_that_it_is_one(long_page: Page) -> None:
    long_page.check("[name='length-reduce'][value='mean']")
    expect(long_page.locator("#length-says")).to_contain_text("mean over 4 × 4 cells")
    settled(long_page)
    expected = pooled(weights(0), 4, np.mean)[:64, :64]
    np.testing.assert_allclose(numbers(long_page), expected, rtol=RTOL)


def test_scores_are_a_press_away_and_their_masked_cells_are_no_numbers(long_page: Page) -> None:
    long_page.check("[name='length-stage'][value='scores']")
    expect(long_page.locator("#length-title")).to_contain_text("scores")
    settled(long_page)
    scores = normal(H, N, D, seed=3)[0] @ normal(N, D, seed=4).T / np.sqrt(D)
    scores[np.triu_indices(N, 1)] = -np.inf
    expected = pooled(scores, 4, np.max)[:64, :64]
    np.testing.assert_allclose(numbers(long_page), expected, rtol=RTOL, atol=1e-6)


def test_nearer_and_nearer_until_every_cell_is_one_pair_with_its_exact_weight(
    long_page: Page,
) -> None:
    for _ in range(7):
        long_page.click("#length-in")
    settled(long_page)
    to_single_pairs(long_page)
    (a, b), (c, d) = shown(long_page)
    assert 8 <= b - a <= 16 and 8 <= d - c <= 16
    np.testing.assert_allclose(numbers(long_page), weights(0)[a:b, c:d], rtol=RTOL)
    written = long_page.evaluate("document.getElementById('length-figure').data[0].text")
    visible = weights(0)[a:b, c:d]
    expected = [f"{x:.1e}" for x in visible[visible > 0]]
    assert [f"{float(text):.1e}" for text in written] == expected


def test_the_wheel_and_a_drag_move_the_axes_and_the_numbers_follow(long_page: Page) -> None:
    frame = long_page.locator("#length-frame")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box
    x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
    long_page.mouse.move(x, y)
    for _ in range(8):
        long_page.mouse.wheel(0, -400)
        long_page.wait_for_timeout(40)
    says = long_page.locator("#length-says")
    expect(says).not_to_contain_text("keys 0–")
    settled(long_page)
    before = shown(long_page)
    long_page.mouse.down()
    long_page.mouse.move(x + 60, y + 60, steps=5)
    long_page.mouse.up()
    expect(says).not_to_contain_text(f"keys {before[1][0]}–")
    settled(long_page)
    (a, b), (c, d) = shown(long_page)
    assert (a, c) < (before[0][0], before[1][0]), "dragging to the right shows earlier keys"
    assert b - a == before[0][1] - before[0][0] and d - c == before[1][1] - before[1][0]
    width = 2 if "2 × 2" in says.inner_text() else 1
    first = np.array([a, c]) // width * width
    part = weights(0)[first[0] : first[0] + 64 * width, first[1] : first[1] + 64 * width]
    np.testing.assert_allclose(numbers(long_page), pooled(part, width, np.max), rtol=RTOL)


def test_masked_cells_are_painted_as_such_and_hatched(long_page: Page) -> None:
    """The upper right corner has no visible pair; the lower left has nothing but."""
    colours = long_page.evaluate(
        """() => {
          const canvas = document.getElementById("length-canvas");
          const paper = canvas.getContext("2d");
          const at = (x, y) => {
            const square = paper.getImageData(x * canvas.width, y * canvas.height, 20, 20).data;
            const colours = new Set();
            for (let i = 0; i < square.length; i += 4) colours.add(square.slice(i, i + 3).join());
            return [...colours];
          };
          return { masked: at(0.8, 0.1), visible: at(0.1, 0.8) };
        }"""
    )
    assert "227,228,231" in colours["masked"], "the masked grey of the legend, #e3e4e7"
    assert len(colours["masked"]) > 1, "lines lie over it"
    assert "227,228,231" not in colours["visible"]


def test_the_cell_under_the_cursor_says_its_pairs_its_number_and_its_masked_share(
    long_page: Page,
) -> None:
    long_page.focus("#length-frame")
    card = long_page.locator("#length-card")
    long_page.keyboard.press("ArrowDown")
    expect(card).to_contain_text("queries 0–3")
    expect(card).to_contain_text("keys 0–3")
    expect(card).to_contain_text("37.5%")  # 6 of 16 pairs lie above the diagonal
    for _ in range(2):
        long_page.keyboard.press("ArrowDown")
    long_page.keyboard.press("ArrowRight")
    expect(card).to_contain_text("queries 8–11")
    expect(card).to_contain_text("keys 4–7")
    text = card.inner_text().replace("\n", " ")
    value = re.search(r"weights, largest (\S+)", text)
    assert value
    np.testing.assert_allclose(float(value[1]), weights(0)[8:12, 4:8].max(), rtol=RTOL)
    assert "queries 8–11, keys 4–7" in long_page.inner_text("#length-spoken")


def test_a_press_finds_the_largest_pair_of_a_cell_and_the_inspector_its_arithmetic(
    long_page: Page,
) -> None:
    long_page.focus("#length-frame")
    for key in ["ArrowDown"] * 3 + ["ArrowRight", "Enter"]:
        long_page.keyboard.press(key)
    part = weights(0)[8:12, 4:8]
    query, key = (int(n) for n in np.unravel_index(part.argmax(), part.shape))
    who = long_page.locator("#inspector-who")
    expect(who).to_contain_text(f"query {8 + query} t{8 + query} → key {4 + key} t{4 + key}")
    chain = long_page.locator("#inspector-chain .is-result").last.locator("dd")
    told = float(str(chain.get_attribute("title")))
    np.testing.assert_allclose(told, part.max(), rtol=RTOL)
    expect(long_page.locator("#inspector-row")).to_contain_text("Keys 0–63 of 1,031")
    expect(long_page.locator("#inspector-profile-says")).to_contain_text("max over 1 × 5 cells")
    profile = long_page.evaluate("document.getElementById('inspector-profile').data[0].y")
    row = weights(0)[8 + query]
    expected = [row[i : i + 5].max() for i in range(0, N, 5)]
    np.testing.assert_allclose(profile[::2], expected, rtol=RTOL)


def test_keys_move_zoom_and_show_all_and_undo_goes_back(long_page: Page) -> None:
    says = long_page.locator("#length-says")
    long_page.focus("#length-map")
    long_page.keyboard.press("+")
    expect(says).to_contain_text("queries 258–773")
    long_page.wait_for_timeout(1100)  # a burst is one step back
    long_page.keyboard.press("ArrowDown")
    expect(says).to_contain_text("queries 387–902 × keys 258–773")
    long_page.keyboard.press("Control+z")
    expect(says).to_contain_text("queries 258–773 × keys 258–773")
    long_page.keyboard.press("Control+Shift+z")
    expect(says).to_contain_text("queries 387–902")
    long_page.focus("#length-frame")
    long_page.keyboard.press("0")
    expect(says).to_contain_text("queries 0–1,030 × keys 0–1,030")
    settled(long_page)


def test_the_map_shows_the_window_and_a_press_on_it_moves_it(long_page: Page) -> None:
    page_map = long_page.locator("#length-map")
    page_map.scroll_into_view_if_needed()
    box = page_map.bounding_box()
    assert box
    long_page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
    expect(long_page.locator("#length-says")).not_to_contain_text("keys 0–")
    settled(long_page)
    (a, b), (c, d) = shown(long_page)
    assert abs((a + b) / 2 - 0.5 * N) < 8 and abs((c + d) / 2 - 0.75 * N) < 8
    mark = long_page.locator("#length-map-window").bounding_box()
    assert mark
    np.testing.assert_allclose(mark["width"] / box["width"], (d - c) / N, atol=0.02)
    middle = mark["x"] + mark["width"] / 2 - box["x"]
    np.testing.assert_allclose(middle / box["width"], 0.75, atol=0.02)


def test_the_link_restores_the_window_the_pooling_and_the_scale(
    browser: Browser, base_url: str, long_page: Page
) -> None:
    before = long_page.evaluate("location.hash")
    long_page.check("[name='length-reduce'][value='mean']")
    long_page.select_option("#length-scale", "row")
    for _ in range(3):
        long_page.click("#length-in")
    settled(long_page)
    other = visit(browser, base_url, link(long_page, before))
    for page in (
        long_page,
        other,
    ):  # the legend speaks of the map too, which comes after the window
        expect(page.locator(".length-tile[data-state='ready']")).to_have_count(H)
    for name in ("#length-says", "#length-title", "#length-legend"):
        assert other.inner_text(name) == long_page.inner_text(name)
    assert other.input_value("#length-scale") == "row"
    np.testing.assert_array_equal(numbers(other), numbers(long_page))
    other.context.close()


def test_every_head_is_drawn_in_small_and_one_is_chosen_by_a_press(long_page: Page) -> None:
    tiles = long_page.locator(".length-tile")
    expect(tiles).to_have_count(H)
    expect(tiles.nth(1)).to_have_attribute("title", re.compile("max over 4 × 4"))
    tiles.nth(1).click()
    expect(long_page.locator("#length-title")).to_contain_text("head 1")
    settled(long_page)
    expected = pooled(weights(1), 4, np.max)[:64, :64]
    np.testing.assert_allclose(numbers(long_page), expected, rtol=RTOL)


def test_a_run_that_the_server_answers_whole_can_be_shown_so_and_back(long_page: Page) -> None:
    long_page.click("#length-whole")
    expect(long_page.locator("#selected-panel")).to_be_visible()
    settled(long_page)
    cells = long_page.evaluate("document.getElementById('weights-figure').data[0].z.length")
    assert cells == N
    long_page.click("#at-length-again")
    expect(long_page.locator("#length")).to_be_visible()
    settled(long_page)
    expect(long_page.locator("#selected-panel")).to_be_hidden()


def test_the_pipeline_says_its_shapes_and_each_stage_has_a_picture(long_page: Page) -> None:
    for stage, says in {
        "q": "queries 0–1,030", "k": "keys 0–1,030", "masked_scores": "× keys", "allowed": "share",
        "logsumexp": "queries", "heads": "queries", "output": "queries",
    }.items():  # fmt: skip
        long_page.click(f".step[data-stage='{stage}']")
        expect(long_page.locator("#length-says")).to_contain_text(says)
        settled(long_page)
        assert long_page.locator("#length-error").is_hidden()
    assert "1031" in long_page.inner_text(".step[data-stage='weights']")


class Strips:
    """Counts the runs of rows that the server computes, each slowed down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, pause: float) -> None:
        self.count, self._lock = 0, threading.Lock()
        real = view_route._next

        def counted(*strips: Any) -> Any:
            with self._lock:
                self.count += 1
            time.sleep(pause)
            return real(*strips)

        monkeypatch.setattr(view_route, "_next", counted)

    def rest(self) -> int:
        """The count once it has stood still for a second."""
        before = -1
        while before != self.count:
            before = self.count
            time.sleep(1)
        return before


def test_progress_is_the_servers_own_stopping_stops_it_and_going_on_finishes(
    long_page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    strips = Strips(monkeypatch, 0.4)
    tokens = 16_411
    spec = {
        "q": random(tokens, 1, seed=1), "k": random(tokens, 1, seed=2),
        "v": random(tokens, 1, seed=3), "masks": [{"kind": "causal"}],
    }  # fmt: skip
    long_page.evaluate("document.getElementById('specification').open = true")
    long_page.fill("#spec-text", json.dumps(spec))
    long_page.click("#spec-apply")
    says = long_page.locator("#length-strips")
    expect(says).to_have_text(re.compile(r"^strips [1-9]\d* of \d\d+$"), timeout=20_000)
    done, of = (int(n) for n in re.findall(r"\d+", says.inner_text()))
    assert of > 8 and abs(strips.count - done) <= 2, "what is said is what was computed"
    painted = long_page.evaluate(
        """() => { const canvas = document.getElementById("length-canvas");
             const paper = canvas.getContext("2d");
             const alpha = (y) =>
               paper.getImageData(canvas.width / 2, y * canvas.height, 1, 1).data[3];
             return [alpha(0.01), alpha(0.98)]; }"""
    )
    assert painted == [255, 0], "the first strip is painted, the last is still to come"
    long_page.click("#length-cancel")
    expect(long_page.locator("#length-stopped")).to_contain_text(f"of {of} strips")
    assert strips.rest() < of, "the server gave up"
    monkeypatch.undo()
    long_page.click("#length-go-on")
    expect(long_page.locator("#length-stopped")).to_be_hidden()
    settled(long_page)


def test_a_window_that_another_took_the_place_of_is_given_up_by_the_server(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = 4099
    spec = {name: random(tokens, 1, seed=seed) for seed, name in enumerate("qkv")}
    apply(page, spec, tokens)
    dropped: list[str] = []
    page.on("requestfailed", lambda request: dropped.append(request.url))
    strips = Strips(monkeypatch, 0.5)
    page.click("#length-in")
    expect(page.locator("#length-strips")).to_have_text(re.compile(r"^strips \d of [3-9]$"))
    with page.expect_event("requestfailed"):
        page.click("#length-full")  # which needs no request, for it was seen before
    settled(page)
    of = int(page.inner_text("#length-strips").split()[-1])
    assert [url.rsplit("/", 1)[1] for url in dropped if "/api/" in url] == ["view"]
    assert strips.rest() < of, "the server gave up before its last run of rows"


def test_a_problem_after_a_picture_has_begun_is_said_at_the_picture(page: Page) -> None:
    apply(page, {name: random(4099, 1, seed=seed) for seed, name in enumerate("qkv")}, 4099)
    detail = "this took longer than the 60 seconds of the setting ATTENTION_DEADLINE_SECONDS"
    problem = {"title": "Service Unavailable", "status": 503, "detail": detail, "errors": []}
    start = {"row_edges": [0, 1], "col_edges": [0, 1], "reduced": {"rows": 1, "cols": 1}}
    events = {"start": start, "problem": problem}
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events.items())
    page.route(
        "**/api/view", lambda route: route.fulfill(content_type="text/event-stream", body=body)
    )
    page.click("#length-in")
    expect(page.locator("#length-error")).to_contain_text("longer than the 60 seconds")
    expect(page.locator("#length-progress")).to_be_hidden()
    page.unroute("**/api/view")
    page.click("#length-out")
    settled(page)
    expect(page.locator("#length-error")).to_be_hidden()


def test_65536_tokens_down_to_single_pairs(page: Page) -> None:
    """Four billion pairs, most of them hidden by a window, which the server does not compute."""
    spec = {
        "q": random(LONG, 2, seed=6), "k": random(LONG, 2, seed=7), "v": random(LONG, 2, seed=8),
        "masks": [{"kind": "causal"}, {"kind": "window", "left": WINDOW, "right": 0}],
    }  # fmt: skip
    page.set_default_timeout(PATIENCE_MS)
    page.evaluate("document.getElementById('specification').open = true")
    page.fill("#spec-text", json.dumps(spec))
    page.click("#spec-apply")
    says = page.locator("#length-says")
    expect(says).to_contain_text("queries 0–65,535 × keys 0–65,535 · max over 128 × 128 cells")
    page.wait_for_function(
        "document.documentElement.dataset.state === 'ready'", timeout=PATIENCE_MS
    )
    for _ in range(10):
        page.click("#length-in")
    settled(page)
    to_single_pairs(page)
    (a, b), (c, d) = shown(page)
    q, k = normal(LONG, 2, seed=6), normal(LONG, 2, seed=7)
    first = a - WINDOW
    rows = weights_of(q[a:b], k[first:b], a - first)
    for i, query in enumerate(range(a, b)):  # what lies farther back than the window
        seen = rows[i].copy()
        seen[: query - WINDOW - first] = 0
        rows[i] = seen / seen.sum()
    expected = np.zeros((b - a, d - c))
    expected[:, : min(d, b) - c] = rows[:, c - first : min(d, b) - first]
    np.testing.assert_allclose(numbers(page), expected[:64, :64], rtol=1e-4)


def test_the_generator_draws_an_input_and_undo_brings_the_old_one_back(page: Page) -> None:
    page.click("label:has(#input-random)")
    page.fill("#generator-tokens", "0")
    page.click("#generator-use")
    expect(page.locator("#generator-error")).to_contain_text("from 1 to 131,072")
    page.fill("#generator-tokens", "1031")
    page.select_option("#generator-into", "heads")
    page.select_option("#generator-kind", "normal")
    page.fill("#generator-width", "3")
    page.fill("#generator-heads", "1")
    page.fill("#generator-seed", "9")
    page.click("#generator-use")
    expect(page.locator("#length-says")).to_contain_text("keys 0–1,030")
    settled(page)
    drawn = normal(N, 3, seed=9)  # of q, and of k too
    exponentials = np.exp(drawn @ drawn.T / np.sqrt(3))
    expected = pooled(exponentials / exponentials.sum(-1, keepdims=True), 4, np.max)
    np.testing.assert_allclose(numbers(page), expected[:64, :64], rtol=RTOL)
    page.click("#undo")
    expect(page.locator("#selected-panel")).to_be_visible()
    settled(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_at_length_is_without_violations(long_page: Page, theme: Any) -> None:
    long_page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    for width in (1440, 390):
        long_page.set_viewport_size({"width": width, "height": 844})
        settled(long_page)
        long_page.wait_for_timeout(300)
        assert violations(long_page) == []
        assert long_page.evaluate("document.documentElement.scrollWidth") <= width


def test_no_text_at_length_is_left_in_english(long_page: Page) -> None:
    long_page.click("label:has(#input-random)")
    in_chinese(long_page)
    long_page.focus("#length-frame")
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        long_page.keyboard.press(key)
    expect(long_page.locator("#inspector-body")).to_be_visible()
    long_page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    link_written(long_page)
    assert untranslated(long_page, set()) == []


def test_the_statistics_of_each_head_are_those_of_all_its_rows(long_page: Page) -> None:
    """Computed unasked for a run of this size, for all heads in one pass."""
    for head in range(H):
        long_page.locator(".length-tile").nth(head).click()
        expect(long_page.locator("#length-title")).to_contain_text(f"head {head}")
        values = long_page.locator("#length-statistics dd")
        expect(values).to_have_count(4)
        found = weights(head)
        logs = np.log(np.where(found > 0, found, 1))
        distance = np.abs(np.arange(N)[:, None] - np.arange(N)[None, :])
        expected = [
            -(found * logs).sum(1).mean(),
            (found * distance).sum(1).mean(),
            found[:, 0].mean(),
            found.max(1).mean(),
        ]
        shown = [float(text) for text in values.evaluate_all("all => all.map((dd) => dd.title)")]
        np.testing.assert_allclose(shown, expected, rtol=1e-4)
    long_page.click(".step[data-stage='scores']")
    settled(long_page)
    expect(long_page.locator("#length-statistics dd")).to_have_count(0)
    expect(long_page.locator("#length-statistics-compute")).to_be_hidden()


def test_statistics_of_the_longest_runs_wait_until_they_are_asked_for(page: Page) -> None:
    tokens = 40_009
    drawn = {name: random(tokens, D, seed=seed) for seed, name in enumerate("qkv", 3)}
    apply(page, {**drawn, "masks": [{"kind": "window", "left": 5, "right": 0}]}, tokens)
    page.wait_for_function("document.documentElement.dataset.state === 'ready'", timeout=60_000)
    button = page.locator("#length-statistics-compute")
    expect(button).to_be_visible(timeout=60_000)
    expect(page.locator("#length-statistics dd")).to_have_count(0)
    button.click()
    expect(page.locator("#length-statistics dd")).to_have_count(4, timeout=60_000)
    expect(button).to_be_hidden()
