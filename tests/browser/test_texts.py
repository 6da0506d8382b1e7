"""Text into a model from the page: what is asked, its progress, what opens, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import drawn, link_written, settled
from tests.browser.test_accessibility import violations
from tests.browser.test_captured_runs import run, weights_of
from tests.browser.uploading import digest

__all__ = ["run"]
MODELS = [{"name": "small", "available": True}, {"name": "gone", "available": False,
          "reason": "no such folder"}]  # fmt: skip
# The server's stream of events, sent one by one when the test says so.
STREAM = """
const real = window.fetch;
window.fetch = (url, options) => {
  if (!String(url).endsWith("api/models/run")) return real(url, options);
  window.asked = JSON.parse(options.body);
  const text = new TextEncoder();
  return Promise.resolve(new Response(new ReadableStream({ start(stream) {
    window.say = (event, data) =>
      stream.enqueue(text.encode(`event: ${event}\\r\\ndata: ${JSON.stringify(data)}\\r\\n\\r\\n`));
    options.signal.addEventListener("abort", () => { window.stopped = true;
      stream.error(options.signal.reason); });
  } }), { headers: { "content-type": "text/event-stream" } }));
};
"""


@pytest.fixture
def offer(page: Page) -> Callable[[list[dict[str, Any]]], None]:
    """The server offers these models, and the text tab is open."""

    def open_tab(models: list[dict[str, Any]]) -> None:
        page.route("**/api/models", lambda route: route.fulfill(json={"models": models}))
        page.add_init_script(STREAM)
        page.reload()
        settled(page)
        page.check("#input-text")

    return open_tab


def say(page: Page, event: str, data: Any) -> None:
    page.evaluate("([event, data]) => say(event, data)", [event, data])


Offer = Callable[[list[dict[str, Any]]], None]


def test_without_models_the_tab_says_how_to_allow_them(page: Page, offer: Offer) -> None:
    offer([])
    expect(page.locator("#texts-none")).to_contain_text("ATTENTION_MODELS")
    assert page.is_hidden("#texts-form")
    page.select_option("#language", "zh")
    expect(page.locator("#texts-none")).to_contain_text("没有提供模型")


def test_a_run_shows_its_progress_and_opens_as_a_captured_run(
    page: Page, offer: Offer, run: Path
) -> None:
    answer = page.request.post("/api/uploads", multipart={"file": {
        "name": run.name, "mimeType": "application/octet-stream", "buffer": run.read_bytes()
    }}).json()  # fmt: skip
    for call in answer["calls"]:
        call["spec"]["tokens"] = [["▁a", "b", "c", "b", "▁a"], ["k", "l", "m", "n", "o"]]
    offer(MODELS)
    page.fill("#texts-text", "one text\n\nanother")
    page.fill("#texts-layers", "0, 2")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#texts-says")).to_have_text("loading the model…")
    asked = page.evaluate("asked")
    assert asked == {"model": "small", "text": ["one text", "another"], "layers": [0, 2]}
    say(page, "progress", {"done": 1, "of": 2})
    expect(page.locator("#texts-says")).to_have_text("1 of 2 layers")
    assert page.eval_on_selector("#texts-bar", "(bar) => [bar.value, bar.max]") == [1, 2]
    assert page.is_disabled("#texts-run")
    say(page, "done", answer)
    expect(page.locator("#captured")).to_be_visible()
    assert page.is_hidden("#texts-progress") and page.is_enabled("#texts-run")
    settled(page)
    weights = np.array(drawn(page, "weights-figure"), dtype=float)
    np.testing.assert_allclose(weights, weights_of(page, run, 0)[0, 0], rtol=1e-6)
    ticks = page.eval_on_selector("#weights-figure", "(figure) => figure.layout.yaxis.ticktext")
    assert ticks == ["▁a", "b", "c", "b", "▁a"]
    assert digest(run) == answer["id"]


def test_a_run_can_be_cancelled_and_keeps_the_text(page: Page, offer: Offer) -> None:
    offer(MODELS)
    page.fill("#texts-text", "some text")
    page.click("#texts-run")
    say(page, "progress", {"done": 0, "of": 3})
    page.click("#texts-cancel")
    expect(page.locator("#texts-progress")).to_be_hidden()
    assert page.evaluate("stopped") and page.is_hidden("#texts-error")
    link_written(page)
    page.reload()
    assert page.input_value("#texts-text") == "some text"


def test_a_refusal_stands_beside_the_text(page: Page, offer: Offer) -> None:
    offer(MODELS)
    page.click("#texts-run")
    expect(page.locator("#texts-error")).to_contain_text("Type a text first")
    page.fill("#texts-text", "some text")
    page.click("#texts-run")
    errors = [{"loc": ["layers"], "message": "layers: expected 0 to 2, got 7"}]
    problem = {"title": "Unprocessable", "status": 422, "detail": "", "errors": errors}
    say(page, "problem", problem)
    expect(page.locator("#texts-error")).to_contain_text("expected 0 to 2, got 7")
    assert page.input_value("#texts-text") == "some text"


def test_a_model_that_is_not_there_says_why(page: Page, offer: Offer) -> None:
    offer(MODELS)
    page.select_option("#texts-model", "gone")
    expect(page.locator("#texts-reason")).to_have_text("no such folder")
    assert page.is_disabled("#texts-run")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_text_tab_is_without_violations(page: Page, offer: Offer, theme: str) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    offer(MODELS)
    page.fill("#texts-text", "some text")
    page.click("#texts-run")
    say(page, "progress", {"done": 1, "of": 3})
    assert violations(page) == []
    for language in ("zh", "en"):
        page.select_option("#language", language)
        assert violations(page) == [], language
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
