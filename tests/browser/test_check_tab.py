"""Check my model on the page: own numbers, the verdict, and the mistake that explains them."""

import io
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import drawn, link_written, settled
from tests.browser.test_accessibility import violations
from tests.browser.test_language import untranslated

Load = Callable[[str], None]
MORE = {
    "masks": [{"kind": "window", "left": 2}, {"kind": "padding", "lengths": [3, 5]}],
    "rope": {"style": "half"},
    "softcap": 3.0,
    "biases": [{"kind": "alibi"}],
    "num_heads": 6,
    "num_kv_heads": 3,
    "qk_norm": {"eps": 1e-6},
    "x": np.random.default_rng(3).standard_normal((2, 5, 24)).tolist(),
}
"""A run in which most mistakes change something."""


def example(page: Page, name: str) -> dict[str, Any]:
    examples = page.request.get("/api/examples").json()["examples"]
    found: dict[str, Any] = next(e["spec"] for e in examples if e["name"] == name)
    return found


def served(page: Page, route: str, body: Any) -> dict[str, Any]:
    answer = page.request.post(f"/api/{route}", data=body)
    assert answer.ok, answer.text()
    found: dict[str, Any] = answer.json()
    return found


def checked(page: Page, state: str = "ready") -> None:
    """Wait until the check on show belongs to what is given."""
    page.wait_for_timeout(250)
    page.wait_for_function(
        "(state) => document.getElementById('panel-check').dataset.check === state",
        arg=state,
        timeout=15_000,
    )


def make(page: Page, mistake: str) -> None:
    """Fill in the numbers of a mistake from the list."""
    page.wait_for_selector(f"#check-example option[value='{mistake}']", state="attached")
    page.select_option("#check-example", mistake)
    checked(page)


def give(page: Page, name: str, numbers: Any) -> None:
    page.fill(f"#check-{name}", numbers if isinstance(numbers, str) else json.dumps(numbers))


@pytest.fixture(autouse=True)
def opened(page: Page) -> None:
    page.click("#tab-check")
    page.wait_for_selector("#panel-check:not(.is-waiting)")


def test_a_mistake_from_the_list_fails_and_is_named_with_what_remains(
    page: Page, load: Load
) -> None:
    load("gqa_8_2")
    make(page, "kv_heads_tiled")
    assert "✗" in page.inner_text("#check-verdict")
    first = page.inner_text("#check-causes-list > li:first-child")
    assert "kv_heads_tiled" in first
    assert "repeat_interleave" in first
    spec = example(page, "gqa_8_2")
    wrong = served(page, "mistakes", {"spec": spec, "make": "kv_heads_tiled"})["tensors"]
    ours = served(page, "attention", spec)["tensors"]
    page.click("[data-checked='weights']")
    page.click("#head-buttons >> [data-head='5']")
    checked(page)
    expected = {"a": np.array(ours["weights"])[0, 5], "b": np.array(wrong["weights"])[0, 5]}
    expected["difference"] = expected["a"] - expected["b"]
    for side, numbers in expected.items():
        page.wait_for_function("document.getElementById('check-a-figure').data")
        shown = np.array(drawn(page, f"check-{side}-figure"), dtype=float)
        np.testing.assert_allclose(shown, numbers, rtol=1e-5, atol=1e-6)


def test_the_table_says_worst_and_first_bad_cell_and_leads_there(page: Page, load: Load) -> None:
    load("causal_4")
    weights = np.array(served(page, "attention", example(page, "causal_4"))["tensors"]["weights"])
    wrong = weights.copy()
    wrong[0, 0, 3, 1] += 0.01
    wrong[0, 1, 2, 0] += 0.25
    give(page, "weights", wrong.tolist())
    checked(page)
    row = page.inner_text("#check-tensors tr")
    assert "2 of 32" in row
    assert "0.25" in row
    page.click("[data-checked='weights worst']")
    checked(page)
    assert "head 1" in page.inner_text("#check-title")
    readout = page.inner_text("#check-readout")
    assert f"ours {weights[0, 1, 2, 0]:.5f}"[:12] in readout
    page.click("[data-checked='weights firstBad']")
    checked(page)
    assert "head 0" in page.inner_text("#check-title")
    assert page.locator("#check-a-frame .cursor").is_visible()
    assert page.locator("#weights-frame .cursor").is_visible()


def test_what_explains_it_can_be_tried_and_taken_back(page: Page, load: Load) -> None:
    load("causal_4")
    make(page, "scale_missing")
    assert page.input_value("#scale") == "default"
    page.click("[data-mistake='scale_missing'] button")
    settled(page)
    checked(page)
    assert "✓" in page.inner_text("#check-verdict")
    assert page.input_value("#scale") == "one"
    assert page.locator("#check-causes").is_hidden()
    page.click("#undo")
    settled(page)
    checked(page)
    assert page.input_value("#scale") == "default"
    assert "✗" in page.inner_text("#check-verdict")
    page.click("#undo")
    assert page.input_value("#check-weights") == ""


def test_numbers_as_python_prints_them_pass_without_the_axes_of_one(page: Page, load: Load) -> None:
    load("hand_worked")
    weights = np.array(
        served(page, "attention", example(page, "hand_worked"))["tensors"]["weights"]
    )
    rows = ",\n".join(f"[{', '.join(f'{x:.6f}' for x in row)}]" for row in weights[0, 0])
    give(page, "weights", f"tensor([{rows}], dtype=torch.float64)")
    page.fill("#check-atol", "1e-5")
    checked(page)
    assert "✓" in page.inner_text("#check-verdict")
    assert "pass" in page.inner_text("#check-tensors")
    assert "atol 0.00001" in page.inner_text("#check-used")


def test_numbers_that_no_mistake_gives_are_said_to_be_none_with_what_was_tried(
    page: Page, load: Load
) -> None:
    load("causal_4")
    give(page, "output", np.random.default_rng(5).standard_normal((1, 4, 4)).tolist())
    checked(page)
    assert "None of the classic mistakes" in page.inner_text("#check-causes-title")
    says = page.inner_text("#check-causes-says")
    assert "scale missing" in says
    assert int(says.split()[0]) > 100
    assert page.locator("#check-causes-list > li").count() == 0


def test_another_shape_is_explained(page: Page, load: Load) -> None:
    load("causal_4")
    give(page, "weights", [[[[1, 0], [0, 1]]]])
    checked(page)
    assert "computed [1][2][4][4], given [1][1][2][2]" in page.inner_text("#check-tensors")
    assert page.locator("#check-pictured").is_hidden()


def test_two_mistakes_together_are_found(page: Page, load: Load) -> None:
    load("causal_4")
    spec = {**example(page, "causal_4"), "scale": 1.0, "masks": []}
    give(page, "weights", served(page, "attention", spec)["tensors"]["weights"])
    checked(page)
    first = page.get_attribute("#check-causes-list > li:first-child", "data-mistake")
    assert set(str(first).split("+")) == {"scale_missing", "mask_missing"}
    page.click("#check-causes-list > li:first-child button")
    settled(page)
    checked(page)
    assert "✓" in page.inner_text("#check-verdict")


@pytest.mark.parametrize(
    ("text", "words"), [("[[1, 2, ..., 3]]", ".tolist()"), ("what?", "not numbers")]
)
def test_a_text_that_holds_no_numbers_is_said_beside_it(page: Page, text: str, words: str) -> None:
    give(page, "output", text)
    checked(page, "error")
    assert words in page.inner_text("#check-output-error")
    assert page.get_attribute("#check-output", "aria-invalid") == "true"
    give(page, "output", "")
    checked(page, "")
    assert page.locator("#check-output-error").is_hidden()


def test_what_the_server_refuses_is_said_at_its_place(page: Page) -> None:
    give(page, "weights", [[1, "x"]])
    checked(page, "error")
    assert "number" in page.inner_text("#check-weights-error")
    give(page, "weights", [[1, 0]])
    page.fill("#check-rtol", "-1")
    checked(page, "error")
    assert page.inner_text("#check-rtol-error") != ""
    assert page.inner_text("#check-weights-error") == ""


def test_a_tensor_of_a_file_is_picked_by_its_name(page: Page, load: Load) -> None:
    load("causal_4")
    tensors = served(page, "attention", example(page, "causal_4"))["tensors"]
    archive = io.BytesIO()
    weights = np.array(tensors["weights"], dtype=np.float32)
    np.savez(archive, layer_0=weights, layer_1=weights + 1)
    data = {"name": "run.npz", "mimeType": "application/zip", "buffer": archive.getvalue()}
    page.set_input_files("#check-weights-file", data)  # type: ignore[arg-type]
    checked(page)
    assert "✓" in page.inner_text("#check-verdict")
    options = page.locator("#check-weights-pick option")
    assert options.all_inner_texts() == ["layer_0 [1][2][4][4]", "layer_1 [1][2][4][4]"]
    page.select_option("#check-weights-pick", index=1)
    checked(page)
    assert "✗" in page.inner_text("#check-verdict")


def test_a_table_is_read_into_the_text_and_a_file_of_another_kind_is_refused(page: Page) -> None:
    table = {"name": "w.csv", "mimeType": "text/csv", "buffer": b"0.4,0.2,0.4\n0.2,0.4,0.4\n"}
    page.set_input_files("#check-weights-file", table)  # type: ignore[arg-type]
    checked(page)
    assert page.input_value("#check-weights").startswith("0.4,0.2,0.4")
    assert "given [1][1][2][3]" in page.inner_text("#check-tensors")
    broken = {"name": "w.npy", "mimeType": "application/octet-stream", "buffer": b"no array"}
    page.set_input_files("#check-output-file", broken)  # type: ignore[arg-type]
    page.wait_for_selector("#check-output-error:not([hidden])")
    assert "w.npy" in page.inner_text("#check-output-error")


def test_a_link_brings_the_numbers_the_tolerance_and_the_tab(
    page: Page, load: Load, browser: Browser, base_url: str
) -> None:
    load("causal_4")
    make(page, "mask_missing")
    page.fill("#check-rtol", "1e-3")
    page.click("[data-checked='output']")
    checked(page)
    link_written(page)
    context = browser.new_context(base_url=base_url)
    other = context.new_page()
    other.goto(page.url)
    settled(other)
    checked(other)
    for field in ("weights", "output", "rtol"):
        assert other.input_value(f"#check-{field}") == page.input_value(f"#check-{field}")
    assert other.get_attribute("#tab-check", "aria-selected") == "true"
    assert other.inner_text("#check-title") == page.inner_text("#check-title")
    assert "mask_missing" in other.inner_text("#check-causes-list")
    context.close()


def test_the_keyboard_alone_makes_a_check_and_walks_its_pictures(page: Page, load: Load) -> None:
    load("causal_4")
    page.click("#tab-compare")
    tabs = page.locator("[data-tab]").evaluate_all("(all) => all.map((tab) => tab.dataset.tab)")
    for _ in range(tabs.index("check") - tabs.index("compare")):
        page.keyboard.press("ArrowRight")
    assert page.get_attribute("#tab-check", "aria-selected") == "true"
    page.wait_for_selector("#check-example option[value='scale_missing']", state="attached")
    page.focus("#check-example")
    page.keyboard.type("scale missing")
    checked(page)
    page.focus("#check-difference-frame")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#check-readout")).to_have_text(re.compile("^cat → cat: ours "))
    assert page.locator("#check-b-frame .cursor").is_visible()


def test_the_copied_python_names_the_mistake(page: Page, load: Load) -> None:
    load("causal_4")
    make(page, "scale_missing")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#check-python")
    page.wait_for_function("document.getElementById('check-take-says').textContent !== ''")
    script = page.evaluate("navigator.clipboard.readText()")
    names: dict[str, Any] = {}
    exec(script, names)
    assert not names["found"].passed
    assert names["found"].causes[0].mistake == "scale_missing"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_a_failed_check_is_without_violations(
    page: Page, load: Load, scheme: Any, size: tuple[int, int]
) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    load("causal_4")
    make(page, "mask_after_softmax")
    page.click("#check-more summary")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]


def test_a_check_is_said_in_chinese_whole(page: Page, load: Load) -> None:
    load("causal_4")
    make(page, "mask_after_softmax")
    page.select_option("#language", "zh")
    checked(page)
    page.wait_for_timeout(300)
    code = "document.querySelectorAll('#check-causes-list code, #check-causes-list p')"
    page.evaluate(f"{code}.forEach((each) => each.setAttribute('lang', 'en'))")
    assert untranslated(page, NAMES) == []
    assert "权重在 softmax 之后才乘以掩码" in page.inner_text("#check-causes-list")


def test_every_mistake_and_the_way_it_is_made_has_chinese_words(page: Page) -> None:
    cached = {"q": [[1, 0.5]], "k": [[0, 2]], "v": [[1, 3]], "past_k": [[1, 1]], "past_v": [[2, 1]],
              "masks": [{"kind": "causal"}], "rope": {"style": "interleaved"}}  # fmt: skip
    names = ("hand_worked", "causal_4", "left_padding_causal", "gqa_8_2")
    specs = [example(page, name) for name in names] + [MORE, cached]
    causes = []
    for spec in specs:
        for listed in served(page, "mistakes", {"spec": spec})["mistakes"]:
            causes.append(listed)
    told = page.evaluate(
        """async (causes) => {
          const { setLanguage } = await import("/static/js/strings.js");
          const { mistakeText, mistakeTitle } = await import("/static/js/strings/mistakes.js");
          setLanguage("zh");
          const how = ({ mistake, details }) => {
            const plain = mistakeText({ mistake, explanation: "", details: [""] });
            return mistakeText({ mistake, explanation: "", details }).slice(plain.length);
          };
          return causes.map((cause) => [mistakeTitle(cause.mistake), how(cause)]);
        }""",
        causes,
    )
    assert len({cause["mistake"] for cause in causes}) > 20
    for cause, (title, how) in zip(causes, told, strict=True):
        assert title != cause["mistake"].replace("_", " "), cause["mistake"]
        words = set("".join(c if c.isalpha() and c.isascii() else " " for c in how).split())
        assert words <= KNOWN, (cause, how)


NAMES = {
    *("the", "cat", "sat", "down", "rtol", "atol", "tensor", "array", "POST /api/check"),
    *(".npy", ".npz", ".csv", ".tsv", ".json"),
}
"""Tokens, names of code and endings of files, alike in every language."""
KNOWN = {
    *("masks", "causal", "padding", "window", "matrix", "biases", "dim", "sqrt", "left", "right"),
    *("half", "interleaved", "w", "q", "k", "v", "o", "zero", "nan", "uniform", "e"),
}
