"""The scripts below the pictures: what is shown is what is served, and what is taken away runs."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.conftest import link_written
from tests.browser.tabs import answered, example, opened, served

Load = Callable[[str], None]
STYLES = ["explicit", "sdpa", "multihead_attention", "numpy"]


def choose(page: Page, style: str) -> None:
    page.check(f"[name='code-style'][value='{style}']", force=True)
    answered(page, "code")


def shown(page: Page) -> str:
    """The text without the lines that say what is folded."""
    text: str = page.eval_on_selector(
        "#code-script",
        """(block) => { const copy = block.cloneNode(true);
             copy.querySelectorAll("summary").forEach((line) => line.remove());
             return copy.textContent; }""",
    )
    return text


@pytest.mark.parametrize("style", STYLES)
def test_each_style_shows_the_script_that_is_served(page: Page, load: Load, style: str) -> None:
    load("causal_4")
    opened(page, "code")
    choose(page, style)
    body = {"spec": example(page, "causal_4"), "style": style}
    assert shown(page) == served(page, "code", body)["script"]


@pytest.mark.parametrize(("name", "style"), [("gqa_8_2", "sdpa"), ("padded_batch", "numpy")])
def test_the_downloaded_script_gives_the_runs_weights(
    page: Page, load: Load, tmp_path: Path, name: str, style: str
) -> None:
    load(name)
    opened(page, "code")
    choose(page, style)
    with page.expect_download() as found:
        page.click("#code-download")
    assert found.value.suggested_filename == f"attention_{style}.py"
    script = tmp_path / "run.py"
    ending = "\nimport json\nprint(json.dumps([weights.tolist(), output.tolist()]))\n"
    script.write_text(Path(found.value.path()).read_text("utf-8") + ending, "utf-8")
    printed = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    expected = served(page, "attention", example(page, name))["tensors"]
    for ours, theirs in zip(("weights", "output"), json.loads(printed), strict=True):
        np.testing.assert_allclose(theirs, expected[ours], rtol=1e-5, atol=1e-6)


def test_a_style_that_cannot_say_the_run_says_why(page: Page, load: Load) -> None:
    load("gqa_8_2")
    opened(page, "code")
    choose(page, "multihead_attention")
    assert "no GQA" in page.inner_text("#code-script")
    assert page.is_disabled("#code-copy")
    assert page.is_disabled("#code-download")
    page.select_option("#language", "zh")
    page.wait_for_function(
        "document.getElementById('code-script').textContent.includes('没有 GQA')"
    )
    choose(page, "sdpa")
    assert not page.is_disabled("#code-copy")


def test_long_numbers_are_folded_and_copied_whole(page: Page, load: Load) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    load("gqa_8_2")
    opened(page, "code")
    script = shown(page)
    assert page.locator("#code-script details").count() == 1
    assert len(page.inner_text("#code-script")) < len(script) / 2
    page.click("#code-copy")
    page.wait_for_function("document.getElementById('code-copy').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == script


def test_the_style_stands_in_the_link_and_an_error_in_the_tab(page: Page, load: Load) -> None:
    load("causal_4")
    opened(page, "code")
    choose(page, "numpy")
    link_written(page)
    page.reload()
    answered(page, "code")
    assert page.is_checked("[name='code-style'][value='numpy']")
    page.fill("[data-grid='x'][data-row='0'][data-col='1']", "abc")
    answered(page, "code", "error")
    assert "number" in page.inner_text("#code-error")
    assert "numpy" in shown(page), "the last script stays"
    page.fill("[data-grid='x'][data-row='0'][data-col='1']", "2")
    answered(page, "code")
    assert not page.is_visible("#code-error")
