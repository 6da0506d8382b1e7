"""English and 简体中文: switchable, remembered, and nothing left untranslated."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page

from attention.scripts.refusals import REFUSALS
from tests.browser.conftest import link_written, settled
from tests.browser.tabs import example, opened
from tests.refusals import refusals

Load = Callable[[str], None]

# What textbooks of both languages write alike, and what is a name rather than a word.
TERMS = re.compile(
    r"\b(?:softmax|exp|log|logsumexp|max|min|tanh|sqrt|concat|API|JSON|PNG|SVG|CSV|NPZ|HTML|KB|NaN"
    r"|MHA|GQA|MQA|RoPE|RMS|RMSNorm|ALiBi|Dropout|SDPA|ONNX|PyTorch|JAX|Hugging Face|Python|Softcap"
    r"|FlashAttention|safetensors|float(?:16|32|64)|bfloat16|English|KV\d*|Ctrl|Shift|Esc|Enter|logit|head_dim"
    r"|Helvetica|Arial|Times|dpi|dropout|nat|curl|iframe|Llama|NeoX|GPT-J|scores|masked_scores|inf|sink"
    r"|memory|E_mem|allowed|FlashAttention|elu|eager|transformers|true|false|null|FLOPs|torch|NumPy|sdpa|scaled_dot_product_attention|nn|MultiheadAttention|dtype|KiB|MiB|GiB|[A-Za-z]{1,2}\d*|W_[qkvo]|cividis|viridis)\b"
)


def in_chinese(page: Page) -> None:
    page.select_option("#language", "zh")
    settled(page)


def texts(page: Page) -> list[str]:
    """Every text a person reads or hears, but what is typed, token labels and code."""
    found: list[str] = page.evaluate(
        """() => {
          const skip = "script, style, pre, .katex, .katex-mathml, code, textarea, noscript";
          const own = ".label-cell, .token-chip, .id-field, .numbers-table th";
          const formula = / = [^\\u4e00-\\u9fff]*$/;
          const texts = [];
          const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          for (let node = walk.nextNode(); node; node = walk.nextNode()) {
            const element = node.parentElement;
            if (element.closest(skip) || element.closest(own)) continue;
            if (element.closest("[lang='en'], #heads-figure, #export-tensor")) continue;
            const seen = element.checkVisibility() || element.closest("option");
            if (seen) texts.push(node.textContent);
          }
          const named = ["aria-label", "title", "placeholder"];
          for (const name of named) {
            for (const element of document.querySelectorAll(`body [${name}]`)) {
              const seen = element.checkVisibility() && !element.closest(own);
              if (seen) texts.push(element.getAttribute(name).replace(formula, ""));
            }
          }
          return texts.map((text) => text.trim()).filter(Boolean);
        }"""
    )
    return found


def untranslated(page: Page, labels: set[str]) -> list[str]:
    """Texts that hold a word of English which is no term and no token."""
    left = []
    for text in texts(page):
        rest = TERMS.sub("", text)
        for label in sorted(labels, key=len, reverse=True):
            rest = rest.replace(label, "")
        if re.search(r"[A-Za-z]{3,}", rest):
            left.append(text)
    return left


@pytest.mark.parametrize("name", ["hand_worked", "left_padding_causal", "gqa_8_2", "cross_3x5"])
def test_no_text_of_the_page_is_left_in_english(page: Page, load: Load, name: str) -> None:
    load(name)
    in_chinese(page)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    for switch in ("window", "prefix", "documents", "drawn", "rope", "sinks", "dropout"):
        if name != "cross_3x5" or switch not in ("documents", "rope"):
            page.check(f"#{switch}")
    page.click("[data-compare='mask_off']")
    page.focus("#weights-frame")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_timeout(800)
    examples = page.request.get("/api/examples").json()["examples"]
    spec = next(e["spec"] for e in examples if e["name"] == name)
    tokens = [*spec.get("tokens", []), *spec.get("memory_tokens", []), "[pad]", "<pad>"]
    labels = {label for row in tokens for label in (row if isinstance(row, list) else [row])}
    assert untranslated(page, labels) == []


@pytest.mark.parametrize("name", ["causal_4", "gqa_8_2", "cross_3x5"])
def test_no_text_of_the_tabs_is_left_in_english(page: Page, load: Load, name: str) -> None:
    load(name)
    in_chinese(page)
    spec = example(page, name)
    labels = {str(label) for label in [*spec.get("tokens", []), *spec.get("memory_tokens", [])]}
    for tab in ("decode", "costs", "code", "stability", "readings"):
        refused = tab == "decode" and name == "cross_3x5"
        opened(page, tab, "error" if refused else "ready")
        page.evaluate(
            "document.querySelectorAll('.tab-panel details').forEach((d) => d.open = true)"
        )
        assert untranslated(page, labels) == [], tab


def test_every_reason_why_a_style_cannot_is_translated(page: Page) -> None:
    reasons = sorted({refusal.reason for style in REFUSALS.values() for refusal in style})
    left = page.evaluate(
        """async (reasons) => {
          const { inChinese } = await import("/static/js/strings/server.js");
          return reasons.filter((reason) => inChinese(reason) === reason);
        }""",
        reasons,
    )
    assert left == []


def test_the_pictures_axes_speak_the_language(page: Page) -> None:
    in_chinese(page)
    page.wait_for_function(
        "document.getElementById('weights-figure').layout.xaxis.title.text === '键'"
    )
    assert page.eval_on_selector("#weights-figure", "g => g.layout.yaxis.title.text") == "查询"
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    page.select_option("#language", "en")
    page.wait_for_function(
        "document.getElementById('weights-figure').layout.xaxis.title.text === 'key'"
    )


def test_the_language_follows_the_browser_and_a_choice_is_remembered(
    browser: Browser, base_url: str
) -> None:
    context = browser.new_context(base_url=base_url, locale="zh-CN")
    page = context.new_page()
    page.goto("/")
    settled(page)
    assert page.input_value("#language") == "zh"
    assert "注意力" in page.title()
    page.select_option("#language", "en")
    link_written(page)
    page.goto("/")
    settled(page)
    assert page.input_value("#language") == "en"
    assert page.inner_text("#masks-title") == "Masks"
    context.close()


def test_switching_loses_nothing_typed_and_is_no_step_back(page: Page, load: Load) -> None:
    load("causal_4")
    cell = "[data-grid='x'][data-row='1'][data-col='0']"
    page.fill(cell, "4.75")
    in_chinese(page)
    assert page.input_value(cell) == "4.75"
    page.click("#undo")
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    assert page.input_value(cell) != "4.75"


def test_an_error_stands_in_chinese_at_its_field(page: Page, load: Load) -> None:
    load("causal_4")
    in_chinese(page)
    page.fill("[data-grid='x'][data-row='0'][data-col='1']", "abc")
    page.wait_for_function("document.documentElement.dataset.state === 'error'")
    said = page.inner_text("#error-input-x")
    assert "这里必须是一个数" in said and "abc" in said and "expected" not in said


def test_every_refusal_of_the_code_has_a_translation(page: Page) -> None:
    """Rule, and what was expected and given where these are words and not what was sent."""
    said = {refusal.sentence: refusal.place for refusal in refusals()}
    assert len(said) > 200
    left = page.evaluate(
        """async (sentences) => {
          const { inChinese } = await import("/static/js/strings/server.js");
          return sentences.filter((sentence) => inChinese(sentence) === sentence);
        }""",
        list(said),
    )
    assert [f"{said[sentence]}: {sentence}" for sentence in left] == []
