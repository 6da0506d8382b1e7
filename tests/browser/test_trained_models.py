"""Trained models on the page, through the server that really runs them: nothing is scripted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect

from app.settings import Settings
from attention import Calls, TextModel
from tests.browser.conftest import drawn, link_written, running, settled
from tests.browser.test_accessibility import violations
from tests.browser.test_captured_runs import shown
from tests.browser.uploading import bring, forget_upload, on_show
from tests.texts.test_trained_models import HEAD, LAYER, REACTION, eager, reaction_tokenizer
from tests.texts.trained import MINILM, RXNMAPPER, SMOLLM2

CAT = "The cat sat on the mat because it was tired."
# Loading a model of 135 million numbers from its .gguf file takes its time on a busy machine.
LOADING = 180_000
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def base_url(upload_folder: Path) -> Iterator[str]:
    """A server whose operator allows two trained models."""
    models = {"minilm": str(MINILM), "smollm2": str(SMOLLM2)}
    with running(Settings(models=models, upload_dir=upload_folder)) as url:
        yield url


def run_text(page: Page, model: str, text: str) -> None:
    page.check("#input-text")
    page.select_option("#texts-model", model)
    page.fill("#texts-text", text)
    page.click("#texts-run")
    opened(page)


def opened(page: Page) -> None:
    expect(page.locator("#texts-progress")).to_be_hidden(timeout=LOADING)
    assert page.is_hidden("#texts-error"), page.inner_text("#texts-error")
    expect(page.locator("#captured")).to_be_visible()
    settled(page)


def layer(page: Page, number: int) -> None:
    page.select_option("#captured-call", str(number))
    settled(page)


def ticks(page: Page, axis: str) -> list[str]:
    found: list[str] = page.eval_on_selector(
        "#weights-figure", f"(figure) => figure.layout.{axis}axis.ticktext"
    )
    return found


def test_minilm_reads_two_texts_and_shows_its_own_eager_weights(page: Page) -> None:
    texts = [CAT, "A short text"]
    run_text(page, "minilm", "\n".join(texts))
    expected = eager(TextModel.load(MINILM), texts)
    assert page.locator("#captured-call option").count() == len(expected) == 6
    layer(page, 4)
    page.locator(".head-button").nth(7).click()
    page.click("#batch-picker button:nth-of-type(2)")
    settled(page)
    np.testing.assert_allclose(shown(page), expected[4][1, 7], rtol=0, atol=TOLERANCE)
    assert ticks(page, "y")[:5] == ["[CLS]", "a", "short", "text", "[SEP]"]
    assert (shown(page)[:, 5:] == 0).all(), "padding is read by nobody"


def test_smollm2_from_its_gguf_file_shows_which_word_a_pronoun_reads(page: Page) -> None:
    """9 query heads on 3 KV heads, causal, and the layer and head that the README speaks of."""
    run_text(page, "smollm2", CAT)
    assert page.locator("#captured-call option").count() == 30
    assert "H 9 · K 3" in page.inner_text("#captured-says")
    layer(page, 13)
    page.locator(".head-button").nth(8).click()
    settled(page)
    weights, labels = shown(page), [label.strip() for label in ticks(page, "x")]
    row = weights[labels.index("it")]
    assert labels[int(row.argmax())] == "cat"
    assert row[labels.index("cat")] == pytest.approx(0.804, abs=5e-4)
    assert (weights[~np.tri(len(labels), dtype=bool)] == 0).all(), "causal"


def test_a_text_that_the_model_cannot_take_is_said_beside_it(page: Page) -> None:
    page.check("#input-text")
    page.select_option("#texts-model", "minilm")
    page.fill("#texts-text", "some text")
    page.fill("#texts-layers", "0, 6")
    page.click("#texts-run")
    expect(page.locator("#texts-error")).to_contain_text("expected 0 to 5, got 6", timeout=LOADING)
    assert page.is_enabled("#texts-run") and page.input_value("#texts-text") == "some text"


def test_a_run_that_the_server_forgot_is_run_again_at_the_layer_on_show(
    page: Page, upload_folder: Path
) -> None:
    run_text(page, "minilm", CAT)
    layer(page, 3)
    before = shown(page)
    link_written(page)
    forget_upload(upload_folder, on_show(page)["q"]["upload"])
    page.reload()
    notice = page.locator("#file-notice")
    expect(notice).to_contain_text(f"a run of minilm on “{CAT}”")
    page.select_option("#language", "zh")
    expect(notice).to_contain_text("minilm 对")
    assert violations(page) == []
    page.get_by_role("button", name="重新运行该文本").click()
    expect(notice).to_be_hidden(timeout=LOADING)
    opened(page)
    assert page.input_value("#captured-call") == "3"
    np.testing.assert_allclose(shown(page), before, rtol=0, atol=TOLERANCE)


def test_rxnmappers_head_maps_a_products_atoms_on_the_page(page: Page, tmp_path: Path) -> None:
    """Its folder has no tokenizer that can be read, so the run comes from Python, as a file."""
    model = TextModel.load(RXNMAPPER, tokenizer=reaction_tokenizer())
    path = tmp_path / "reaction.safetensors"
    model.run(REACTION).save(path)
    bring(page, path)
    layer(page, LAYER)
    page.locator(".head-button").nth(HEAD).click()
    settled(page)
    labels = list(Calls.load(path)[LAYER].tokens or [])
    assert on_show(page)["tokens"] == labels
    weights = np.array(drawn(page, "weights-figure"), dtype=float)
    arrow = labels.index(">>")
    atoms = [i for i, label in enumerate(labels) if re.fullmatch("[A-Za-z]+", label)]
    product, reactants = ([i for i in atoms if i > arrow], [i for i in atoms if i < arrow])
    mapped = weights[np.ix_(product, reactants)].argmax(1)
    # The chlorine, atom 3, leaves; the others keep their order.
    assert mapped.tolist() == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]
    expected = eager(model, REACTION)[LAYER][0, HEAD]
    torch.testing.assert_close(torch.tensor(weights).float(), expected, rtol=0, atol=TOLERANCE)
