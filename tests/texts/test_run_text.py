"""Text into small random models: the numbers are the model's own, the labels its tokens."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import DebertaConfig, DebertaModel

from attention import Calls, SpecificationError, TextModel, run_text
from tests.capturing.test_transformers import eager_weights
from tests.texts.conftest import Saved, bytes_tokenizer

TEXTS = ["the cat sat on the mat", "the cat"]


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama"])
def test_the_weights_are_the_models_own_in_every_layer(kind: str, saved: Saved) -> None:
    model = TextModel.load(saved(kind))
    encoded = model.encode(TEXTS)
    calls = model.run(TEXTS)
    inputs = {"input_ids": encoded.ids, "attention_mask": encoded.mask}
    with torch.no_grad():
        expected = eager_weights(model.model, inputs)
    real = encoded.mask.bool()[:, None, :, None].expand_as(expected[0])
    for call, weights in zip(calls, expected, strict=True):
        torch.testing.assert_close(call.attend().weights[real], weights[real], rtol=0, atol=1e-5)


def test_shorter_texts_are_padded_on_the_tokenizers_side(saved: Saved) -> None:
    words, pads = ["the", "cat"], ["[PAD]"] * 4
    assert run_text(saved("bert"), TEXTS)[0].tokens == [TEXTS[0].split(), words + pads]
    assert run_text(saved("llama"), TEXTS)[0].tokens == [TEXTS[0].split(), pads + words]


def test_the_hidden_states_are_what_the_projections_read(saved: Saved) -> None:
    model = TextModel.load(saved("bert"))
    for i, call in enumerate(model.run(TEXTS[0])):
        hidden = call.tensor("hidden_states")
        own = model.model.encoder.layer[i].attention.self.query
        with torch.no_grad():
            q = own(hidden).view(1, 6, 4, 8).transpose(1, 2)
        torch.testing.assert_close(call.tensor("q"), q)


def test_a_run_keeps_its_labels_and_hidden_states_on_disk(saved: Saved, tmp_path: Path) -> None:
    calls = run_text(saved("llama"), TEXTS[0], layers=[0, 2])
    calls.save(tmp_path / "run.safetensors")
    again = Calls.load(tmp_path / "run.safetensors")
    assert [call.module for call in again] == ["layers.0.self_attn", "layers.2.self_attn"]
    assert [call.tokens for call in again] == [TEXTS[0].split()] * 2
    for a, b in zip(calls, again, strict=True):
        assert torch.equal(a.tensor("hidden_states"), b.tensor("hidden_states"))


def test_token_ids_are_taken_as_they_are(saved: Saved) -> None:
    folder = saved("llama")
    from_ids, from_text = run_text(folder, [2, 3, 4]), run_text(folder, "the cat sat")
    assert from_ids[0].tokens == ["the", "cat", "sat"]
    assert torch.equal(from_ids[2].tensor("q"), from_text[2].tensor("q"))
    assert run_text(folder, [[2, 3], [4]])[0].tokens == [["the", "cat"], ["[PAD]", "sat"]]


def test_a_model_without_a_tokenizer_runs_on_token_ids_and_says_so_of_texts(saved: Saved) -> None:
    folder = saved("llama")
    for file in folder.glob("tokenizer*"):
        file.unlink()
    model = TextModel.load(folder)
    assert model.run([2, 3])[0].tokens == ["2", "3"]
    with pytest.raises(SpecificationError, match=r"without a tokenizer.*token ids"):
        model.run("the cat")


def test_tokens_of_bytes_are_labelled_with_their_text(saved: Saved) -> None:
    model = TextModel.load(saved("llama"), tokenizer=bytes_tokenizer())
    model.model.resize_token_embeddings(300)
    tokens = model.run("a cat\n\té猫")[0].tokens
    bytes_ = ["<0xC3>", "<0xA9>", "<0xE7>", "<0x8C>", "<0xAB>"]
    assert tokens == ["a", " cat", "\\n", "\\t", *bytes_]


def test_progress_is_told_after_each_layer(saved: Saved) -> None:
    told: list[tuple[int, int]] = []
    run_text(saved("gpt2"), "the cat", layers=[1], progress=lambda *said: told.append(said))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_what_progress_raises_stops_the_run_between_layers(saved: Saved) -> None:
    model = TextModel.load(saved("gpt2"))
    told: list[int] = []

    def stop(done: int, of: int) -> None:
        told.append(done)
        if done == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        model.run("the cat", progress=stop)
    assert told == [1, 2]
    assert len(model.run("the cat")) == 3


@pytest.mark.parametrize(
    ("said", "place", "words"),
    [
        ({"text": []}, "text", "there must be a text"),
        ({"text": ""}, "text", "at least one token"),
        ({"text": ["the", " "]}, "text[1]", "at least one token"),
        ({"text": [1.5]}, "text[0]", "a text or token ids"),
        ({"text": [49, 50]}, "text", "0 to 49, got 49 to 50"),
        ({"text": [-1]}, "text", "0 to 49"),
        ({"text": "cat " * 600}, "text", "at most 512 tokens, got 600"),
        ({"layers": [3]}, "layers[0]", "0 to 2, got 3"),
        ({"layers": [0, -1]}, "layers[1]", "0 to 2, got -1"),
        ({"layers": []}, "layers", "at least one"),
    ],
)
def test_what_cannot_be_run_is_refused_at_its_place(
    said: dict[str, Any], place: str, words: str, saved: Saved
) -> None:
    with pytest.raises(SpecificationError) as refusal:
        run_text(saved("bert"), **{"text": "the cat", **said})
    assert str(refusal.value).startswith(f"{place}: ")
    assert words in str(refusal.value)


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match=r"model: .* cannot be loaded"):
        run_text(tmp_path, "the cat")


def test_code_that_comes_with_a_model_is_never_run(saved: Saved) -> None:
    folder = saved("llama")
    (folder / "config.json").write_text(
        '{"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Own"}}'
    )
    (folder / "own.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(SpecificationError, match="cannot be loaded"):
        run_text(folder, "the cat")


def test_several_gguf_files_need_a_choice(tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).touch()
    with pytest.raises(SpecificationError, match=r"name one: got a\.gguf, b\.gguf"):
        run_text(tmp_path, "the cat")


def test_a_models_eager_attention_gives_the_same_weights(saved: Saved) -> None:
    model = TextModel.load(saved("bert"))
    fused = model.run("the cat")
    model.model.set_attn_implementation("eager")
    for one, other in zip(fused, model.run("the cat"), strict=True):
        assert other.function == "eager_attention_forward"
        assert other.tokens == one.tokens
        torch.testing.assert_close(other.attend().weights, one.attend().weights)
        entered = [call.tensor("hidden_states") for call in (one, other)]
        torch.testing.assert_close(*entered)


def test_a_model_that_computes_attention_its_own_way_is_named_as_such(saved: Saved) -> None:
    """DeBERTa adds products of content and position, in code of its own."""
    config = DebertaConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8,
    )  # fmt: skip
    with pytest.raises(SpecificationError, match="a way that is not recorded: got DebertaModel"):
        TextModel(DebertaModel(config).eval()).run([3, 4, 5])


def test_without_the_library_the_error_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['transformers'] = None\n"
        "from attention import run_text\n"
        "try: run_text('model', 'text')\n"
        "except ValueError as error: print(error)\n"
    )
    command = [sys.executable, "-c", script]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "pip install 'attention-visualiser[models]'" in said


def test_the_command_records_a_text(saved: Saved, tmp_path: Path) -> None:
    run = str(tmp_path / "run.safetensors")
    command = [sys.executable, "-m", "attention", "text", "--layer", "1", run]
    done = subprocess.run([*command, str(saved("bert")), *TEXTS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "1 attention call(s)" in done.stdout
    assert Calls.load(run)[0].module == "encoder.layer.1.attention.self"
    refused = subprocess.run([*command, str(tmp_path), "text"], capture_output=True, text=True)
    assert refused.returncode == 1
    assert "cannot be loaded" in refused.stderr and "Traceback" not in refused.stderr
