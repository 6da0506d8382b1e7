"""A captured run on the page: its calls are chosen above the pictures, all else stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, Route, expect
from transformers import LlamaConfig, LlamaModel

from attention import capture
from tests.browser.conftest import drawn, link_written, settled
from tests.browser.test_accessibility import violations
from tests.browser.uploading import bring, computed, digest, forget


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three layers, 6 query heads on 2 KV heads, two sequences of 5 tokens, one padded left."""
    torch.manual_seed(11)
    config = LlamaConfig(
        hidden_size=30, num_attention_heads=6, num_key_value_heads=2, head_dim=10,
        num_hidden_layers=3, intermediate_size=13, vocab_size=17, initializer_range=0.5,
    )  # fmt: skip
    model = LlamaModel(config).eval()
    with capture(model) as calls, torch.no_grad():
        model(
            input_ids=torch.randint(0, 17, (2, 5)),
            attention_mask=torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]),
        )
    path = tmp_path_factory.mktemp("run") / "run.safetensors"
    calls.save(path)
    return path


def weights_of(page: Page, path: Path, call: int) -> Any:
    """[B, H, T, S] of one call, as the API computes it from its own specification."""
    answer = page.request.get(f"/api/uploads/{digest(path)}").json()
    return computed(page, answer["calls"][call]["spec"], "weights")


def shown(page: Page) -> Any:
    return np.array(drawn(page, "weights-figure"), dtype=float)


def test_a_run_opens_at_its_first_call(page: Page, run: Path) -> None:
    bring(page, run)
    bar = page.locator("#captured")
    expect(bar).to_be_visible()
    options = page.eval_on_selector_all(
        "#captured-call option", "(all) => all.map((each) => each.textContent)"
    )
    assert options == [f"{layer} · layers.{layer}.self_attn · 5 × 5" for layer in range(3)]
    assert "Call 1 of 3 · B 2 · H 6 · K 2" in bar.inner_text()
    np.testing.assert_allclose(shown(page), weights_of(page, run, 0)[0, 0], rtol=1e-6)
    assert page.locator("#num-heads").is_disabled() and page.input_value("#num-heads") == "6"


def test_another_layer_keeps_head_sequence_stage_and_cell(page: Page, run: Path) -> None:
    bring(page, run)
    page.click("#batch-picker button:nth-of-type(2)")
    page.locator(".head-button").nth(4).click()
    page.focus("#weights-frame")
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.select_option("#captured-call", "2")
    settled(page)
    page.wait_for_timeout(300)
    np.testing.assert_allclose(shown(page), weights_of(page, run, 2)[1, 4], rtol=1e-6)
    assert "Call 3 of 3" in page.inner_text("#captured-says")
    assert page.locator(".head-button").nth(4).get_attribute("aria-pressed") == "true"
    assert page.is_visible("#inspector-body")


def test_layers_are_stepped_through_by_the_keyboard(page: Page, run: Path) -> None:
    bring(page, run)
    page.focus("#captured-next")
    for call in (1, 2, 2):
        page.keyboard.press("Enter")
        settled(page)
        assert page.input_value("#captured-call") == str(call)
        np.testing.assert_allclose(shown(page), weights_of(page, run, call)[0, 0], rtol=1e-6)
    assert page.get_attribute("#captured-next", "aria-disabled") == "true"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    settled(page)
    assert page.input_value("#captured-call") == "1"


def test_the_masks_are_those_that_were_recorded(page: Page, run: Path) -> None:
    bring(page, run)
    weights = shown(page)
    blind = [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 3, 4], [0, 1, 4], [0, 1]]
    for query, keys in enumerate(blind):
        assert (weights[query, keys] == 0).all()
    assert "queries 0, 1 see no key" in page.inner_text("#warnings")


def test_a_link_opens_the_same_layer_and_undo_the_one_before(page: Page, run: Path) -> None:
    bring(page, run)
    page.click("#captured-next")
    settled(page)
    link_written(page)
    link = page.evaluate("location.href")
    page.click("#undo")
    expect(page.locator("#captured-call")).to_have_value("0")
    link_written(page)
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#captured-call")).to_have_value("1")
    settled(page)
    np.testing.assert_allclose(shown(page), weights_of(page, run, 1)[0, 0], rtol=1e-6)


def test_a_run_opens_by_its_address(page: Page, run: Path) -> None:
    bring(page, run)
    page.goto("about:blank")
    page.evaluate("() => 0")
    page.goto(f"/?open={digest(run)}")
    expect(page.locator("#captured")).to_be_visible()
    assert page.input_value("#captured-call") == "0"


def test_a_forgotten_run_comes_back_with_its_file(
    page: Page, run: Path, upload_folder: Path
) -> None:
    bring(page, run)
    page.click("#captured-next")
    settled(page)
    link_written(page)
    forget(upload_folder, run)
    page.reload()
    expect(page.locator("#file-notice")).to_contain_text("run.safetensors")
    page.set_input_files("[data-wanted]", str(run))
    expect(page.locator("#file-notice")).to_be_hidden()
    expect(page.locator("#captured-call")).to_have_value("1")
    settled(page)
    np.testing.assert_allclose(shown(page), weights_of(page, run, 1)[0, 0], rtol=1e-6)


def test_a_file_that_is_back_before_its_absence_was_answered_is_computed(
    page: Page, run: Path, upload_folder: Path
) -> None:
    bring(page, run)
    settled(page)
    link_written(page)
    forget(upload_folder, run)
    held: list[Route] = []
    page.route("**/api/attention*", lambda route: route.continue_() if held else held.append(route))
    page.reload()
    page.set_input_files("[data-wanted]", str(run))
    expect(page.locator("#file-notice")).to_be_hidden()
    gone = {"type": "about:blank", "title": "Unprocessable", "status": 422, "errors": []}
    held[0].fulfill(status=422, content_type="application/problem+json", body=json.dumps(gone))
    settled(page)
    np.testing.assert_allclose(shown(page), weights_of(page, run, 0)[0, 0], rtol=1e-6)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_run_is_without_violations(page: Page, run: Path, theme: str, language: str) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.select_option("#language", language)
    bring(page, run)
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert violations(page) == []
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
