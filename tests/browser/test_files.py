"""Files on the page: dropped or chosen, sent, refused, put to use, forgotten, brought again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaModel

from tests.browser.conftest import drawn, link_written, settled
from tests.browser.test_accessibility import violations
from tests.browser.test_language import untranslated
from tests.browser.uploading import bring, computed, digest, drop, forget, npy, on_show

TABLE = "token,a,b,c\nthe,0.1,0.2,-1\ncat,1,0,2.5\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Two labelled tokens of width 3, with a header."""
    path = tmp_path / "tokens.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def states(tmp_path: Path) -> Path:
    """Hidden states too many for a grid: [1, 101, 36]."""
    numbers = np.random.default_rng(3).normal(size=(1, 101, 36)).astype("float32")
    return npy(tmp_path / "states.npy", numbers)


CELLS = "[...document.querySelectorAll(`[data-grid='x']`)].map((cell) => cell.value)"


def shows(page: Page, cells: list[str]) -> None:
    """The grid begins with these cells, once it is drawn."""
    page.wait_for_function(
        f"(cells) => JSON.stringify({CELLS}.slice(0, cells.length)) === JSON.stringify(cells)",
        arg=cells,
    )


def weights(page: Page) -> np.ndarray:
    return np.array(drawn(page, "weights-figure"), dtype=float)


def test_a_table_dropped_anywhere_fills_the_grid(page: Page, table: Path) -> None:
    assert drop(page, table, on="#weights-frame")
    expect(page.locator("#input-file")).to_be_checked()
    page.wait_for_selector(".file-card .readings")
    assert page.is_hidden("#drop-veil")
    page.check("#input-vectors")
    shows(page, ["the", "0.1", "0.2", "-1", "cat", "1", "0", "2.5"])
    settled(page)
    spec = {"x": [[0.1, 0.2, -1], [1, 0, 2.5]], "num_heads": 1}
    np.testing.assert_allclose(weights(page), computed(page, spec, "weights")[0, 0], rtol=1e-6)
    page.click("#undo")
    expect(page.locator("#input-heads")).to_be_checked()
    settled(page)
    np.testing.assert_allclose(weights(page)[2], [0.24826, 0.24826, 0.50349], atol=5e-6)


def test_dragged_text_is_left_alone(page: Page) -> None:
    assert page.evaluate(
        """() => {
          const transfer = new DataTransfer();
          transfer.setData("text/plain", "0.5");
          const event = new DragEvent("drop", { dataTransfer: transfer, bubbles: true,
            cancelable: true });
          document.body.dispatchEvent(event);
          return !event.defaultPrevented;
        }"""
    )


def test_a_file_is_brought_by_the_keyboard_alone(page: Page, table: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.focus("#input-vectors")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#input-file")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        expect(page.locator("#choose-files")).to_be_focused()
        page.keyboard.press("Enter")
    chooser.value.set_files(str(table))
    page.wait_for_selector(".file-card .readings")


def test_what_was_detected_is_said_and_can_be_overridden(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "ids.csv"
    path.write_text("7,1,2\n9,3,4\n")
    bring(page, path)
    labels = page.locator("[data-reading='labels']")
    assert labels.input_value() == "auto" and "detected" in labels.inner_text()
    labels.select_option("true")
    expect(page.locator(".file-card")).to_contain_text("2 rows and 2 columns")
    page.check("#input-vectors")
    shows(page, ["7", "1", "2", "9", "3", "4"])
    settled(page)
    link_written(page)
    assert on_show(page)["x"] == [[1, 2], [3, 4]]


def test_an_override_that_cannot_be_is_refused_and_loses_nothing(
    page: Page, table: Path, tmp_path: Path
) -> None:
    bring(page, table)
    page.select_option("[data-reading='decimal']", ",")
    error = page.locator("#files-error")
    expect(error).to_be_visible()
    assert "row 2" in error.inner_text()
    assert page.input_value("[data-reading='decimal']") == "auto"
    page.check("#input-vectors")
    shows(page, ["the", "0.1", "0.2", "-1"])


def test_progress_is_shown_in_bytes_and_percent_and_can_be_cancelled(
    page: Page, tmp_path: Path
) -> None:
    path = npy(tmp_path / "large.npy", np.zeros((1024, 1024), "float32"))
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 400_000},
    )
    page.check("#input-file")
    link_written(page)
    before = page.evaluate("location.hash")
    page.set_input_files("#file-input", str(path))
    page.wait_for_function(
        "/[1-9]\\d? %/.test(document.getElementById('transfer-says').textContent)", timeout=20_000
    )
    assert "of 4 MB" in page.inner_text("#transfer-says")
    share = page.eval_on_selector("#transfer-bar", "(bar) => bar.value")
    assert 0 < share < 1
    page.click("#transfer-cancel")
    expect(page.locator("#transfer")).to_be_hidden()
    assert page.locator(".file-card").count() == 0 and page.is_hidden("#files-error")
    assert page.evaluate("location.hash") == before
    assert page.request.get(f"/api/uploads/{digest(path)}").status == 404


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_refusal_stands_beside_the_zone(page: Page, tmp_path: Path, language: str) -> None:
    page.select_option("#language", language)
    settled(page)
    said = {
        "notes.txt": (b"hello", "notes.txt is of a kind that is not read"),
        "bad.csv": (b"1,2\n3,abc\n", "row 2, column 2 is not a number"),
        "bad.npy": (b"\x93NUMPY", "bad.npy"),
        "ragged.json": (b"[[1, 2], [3]]", "rows of one array must be equally long"),
    }
    page.check("#input-file")
    link_written(page)
    typed = page.evaluate("location.hash")
    for name, (content, message) in said.items():
        (tmp_path / name).write_bytes(content)
        page.set_input_files("#file-input", str(tmp_path / name))
        error = page.locator("#files-error")
        expect(error).to_be_visible()
        text = error.inner_text()
        if language == "en":
            assert message in text
        else:
            assert "expected" not in text and "not a number" not in text, text
        assert page.locator(".file-card").count() == 0
    assert page.evaluate("location.hash") == typed


def test_a_file_over_the_limit_is_refused_before_it_is_sent(page: Page, states: Path) -> None:
    page.route(
        "**/",
        lambda route: route.fulfill(
            response=(answer := route.fetch()),
            body=answer.text().replace('data-most="67108864"', 'data-most="1000"'),
        ),
    )
    page.goto("/?again")
    page.goto("/")
    settled(page)
    page.check("#input-file")
    page.set_input_files("#file-input", str(states))
    expect(page.locator("#files-error")).to_contain_text("ATTENTION_MAX_UPLOAD_BYTES")
    assert "takes at most 1000 B" in page.inner_text("#files-error")


def test_heads_and_a_mask_whose_convention_is_asked_for(page: Page, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    q, k, v = (rng.normal(size=size) for size in ((2, 6, 5, 7), (2, 3, 5, 7), (2, 3, 5, 2)))
    mask = np.triu(np.ones((5, 5), bool), 1)
    path = tmp_path / "heads.npz"
    np.savez(path, q=q, k=k, v=v, attention_mask=mask)
    bring(page, path)
    assert page.input_value("[data-tensor='attention_mask']") == "mask"
    assert "convention is never guessed" in page.inner_text(".file-card .error")
    page.select_option("[data-tensor='attention_mask']", "mask:blocked")
    page.click("text=Use as chosen")
    page.wait_for_function("document.querySelectorAll('.head-button').length === 6")
    settled(page)
    spec = {
        "q": q.tolist(), "k": k.tolist(), "v": v.tolist(),
        "masks": [{"kind": "matrix", "values": mask.tolist(), "convention": "blocked"}],
    }  # fmt: skip
    np.testing.assert_allclose(weights(page), computed(page, spec, "weights")[0, 0], rtol=1e-5)


def test_roles_that_do_not_go_together_are_told_at_the_list(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "two.npz"
    np.savez(path, one=np.ones((3, 2)), two=np.ones((3, 2)))
    bring(page, path)
    page.select_option("[data-tensor='one']", "q")
    page.click("text=Use as chosen")
    assert "choose a tensor for k, v" in page.inner_text(".file-card .error")


def test_a_large_table_stays_in_its_file_and_its_card_says_so(page: Page, states: Path) -> None:
    bring(page, states)
    page.check("#input-vectors")
    card = page.locator(".reference-card:visible")
    assert "states.npy" in card.inner_text() and "[1, 101, 36]" in card.inner_text()
    page.check("#causal")
    settled(page)
    link_written(page)
    spec = on_show(page)
    assert spec["x"] == {"upload": digest(states), "name": "array"}
    np.testing.assert_allclose(
        weights(page)[:50], computed(page, spec, "weights")[0, 0][:50], rtol=1e-5
    )
    page.click("text=Type numbers instead")
    settled(page)
    expect(page.locator("[data-grid='x']").first).to_be_visible()


@pytest.fixture(scope="session")
def llama() -> LlamaModel:
    """Three layers, 6 query heads on 2 KV heads of width 10, never trained."""
    torch.manual_seed(7)
    config = LlamaConfig(
        hidden_size=36, num_attention_heads=6, num_key_value_heads=2, head_dim=10,
        num_hidden_layers=3, intermediate_size=13, vocab_size=11, initializer_range=0.5,
        attn_implementation="eager",
    )  # fmt: skip
    return LlamaModel(config).eval()


def test_a_checkpoints_layer_gives_the_models_own_weights(
    page: Page, llama: LlamaModel, states: Path, tmp_path: Path
) -> None:
    llama.save_pretrained(tmp_path)
    hidden = torch.from_numpy(np.load(states))
    layer = llama.layers[2].self_attn
    with torch.no_grad():
        places = llama.rotary_emb(hidden, torch.arange(101)[None])
        causal = torch.full((101, 101), -torch.inf).triu(1)[None, None]
        _, expected = layer(hidden, position_embeddings=places, attention_mask=causal)
    bring(page, tmp_path / "model.safetensors", tmp_path / "config.json")
    page.select_option("[data-choice='module']", "layers.2.self_attn")
    told = page.inner_text("[data-part='modules']")
    assert "llama · H 6 · K 2 · D 10" in told and "random hidden states" in told
    page.click("text=Use these weights")
    page.wait_for_function("document.querySelectorAll('.head-button').length === 6")
    bring(page, states)
    page.check("#causal")
    link_written(page)
    settled(page)
    assert on_show(page)["projection"]["module"] == "layers.2.self_attn"
    assert len(weights(page)) == 101
    np.testing.assert_allclose(weights(page), expected[0, 0].numpy(), atol=1e-5)


def test_hidden_states_that_no_file_gave_are_labelled_random(
    page: Page, llama: LlamaModel, tmp_path: Path
) -> None:
    llama.save_pretrained(tmp_path)
    bring(page, tmp_path / "model.safetensors", tmp_path / "config.json")
    page.click("text=Use these weights")
    page.wait_for_selector(".file-card >> text=Random hidden states, not a model's")
    settled(page)
    page.check("#input-vectors")
    assert "Random hidden states" in page.inner_text(".reference-card:visible")
    assert "[3, 36]" in page.inner_text(".reference-card:visible")
    assert "seed 0" in page.inner_text(".reference-card:visible")


def test_a_layout_that_no_name_tells_is_asked_for(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "odd.safetensors"
    save_file({"block.0.all_qkv.weight": torch.eye(3).repeat(3, 1)}, path)
    bring(page, path)
    layout = page.locator("[data-choice='layout']")
    assert layout.input_value() == ""
    offered = page.eval_on_selector_all(
        "[data-choice='layout'] option", "(all) => all.map((each) => each.value)"
    )
    assert offered == ["", "blocks", "per_head", "codegen"]
    page.click("text=Use these weights")
    assert "Say how the weight holds" in page.inner_text("[data-part='modules'] .error")
    layout.select_option("per_head")
    page.click("text=Use these weights")
    settled(page)
    link_written(page)
    assert on_show(page)["projection"]["layout"] == "per_head"


def test_a_link_to_a_forgotten_upload_asks_for_the_very_file(
    page: Page, states: Path, tmp_path: Path, upload_folder: Path
) -> None:
    bring(page, states)
    link_written(page)
    before, link = weights(page), page.evaluate("location.href")
    forget(upload_folder, states)
    page.goto("about:blank")
    page.goto(link)
    notice = page.locator("#file-notice")
    expect(notice).to_be_visible()
    assert "states.npy" in notice.inner_text() and digest(states)[:8] in notice.inner_text()
    other = npy(tmp_path / "other.npy", np.ones((101, 36)))
    page.set_input_files("[data-wanted]", str(other))
    expect(page.locator("#files-error")).to_contain_text("other.npy is another file")
    expect(notice).to_be_visible()
    drop(page, states)
    expect(notice).to_be_hidden()
    settled(page)
    np.testing.assert_array_equal(weights(page), before)


def test_removing_a_file_removes_what_is_read_from_it(page: Page, states: Path) -> None:
    bring(page, states)
    page.click("[aria-label='Remove states.npy and what is read from it']")
    settled(page)
    assert page.locator(".file-card").count() == 0
    assert len(weights(page)) == 3
    page.click("#undo")
    page.wait_for_selector(".file-card")


def test_an_upload_opens_by_its_address(page: Page, table: Path) -> None:
    with table.open("rb") as file:
        answer = page.request.post("/api/uploads", multipart={
            "file": {"name": table.name, "mimeType": "text/csv", "buffer": file.read()}
        }).json()  # fmt: skip
    page.goto(f"/?open={answer['id']}")
    page.wait_for_selector(".file-card .readings")
    assert "?open" not in page.url
    assert page.locator("[data-reading='decimal']").is_disabled()


def test_an_address_that_names_no_upload_says_so(page: Page) -> None:
    page.goto(f"/?open={'0' * 64}")
    expect(page.locator("#files-error")).to_contain_text("has no upload 00000000")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_files_are_without_violations(
    page: Page, llama: LlamaModel, table: Path, tmp_path: Path, theme: str, language: str
) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.select_option("#language", language)
    page.check("#input-file")
    assert violations(page) == []
    llama.save_pretrained(tmp_path)
    bring(page, table)
    bring(page, tmp_path / "model.safetensors", tmp_path / "config.json")
    (tmp_path / "notes.txt").write_text("no tensors")
    page.set_input_files("#file-input", str(tmp_path / "notes.txt"))
    expect(page.locator("#files-error")).to_be_visible()
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert violations(page) == []
    page.wait_for_function("document.documentElement.scrollWidth <= 390")


def test_no_word_about_files_is_left_in_english(
    page: Page, llama: LlamaModel, table: Path, tmp_path: Path
) -> None:
    page.select_option("#language", "zh")
    llama.save_pretrained(tmp_path)
    bring(page, table)
    bring(page, tmp_path / "model.safetensors", tmp_path / "config.json")
    page.click(".file-card details summary")
    page.evaluate("document.getElementById('pictures').hidden = true")
    tensors = page.eval_on_selector_all(
        "[data-tensor]", "(all) => all.map((e) => e.dataset.tensor)"
    )
    modules = [f"layers.{layer}.self_attn" for layer in range(3)]
    names = {"tokens.csv", "model", "config.json", "llama", "softcap", "the", "cat",
             "past_k", "past_v", "ATTENTION_MODELS", "transformers", "SHA", "gguf", "csv", "tsv",
             "json", "npz", "npy", digest(table), digest(table)[:8],
             digest(tmp_path / "model.safetensors")}  # fmt: skip
    assert untranslated(page, names | set(tensors) | set(modules)) == []
