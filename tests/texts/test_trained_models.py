"""Models that were trained, not made up: what is shown of them is their own eager attention.

MiniLM (BERT, 6 layers × 12 heads, both directions, padding), SmolLM2-135M (GGUF, 30 layers, 9 query
heads on 3 KV heads, RoPE, causal) and RXNMapper's ALBERT (12 layers × 8 heads that share weights).
float32; the implementations differ by the order of their sums alone.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from fastapi.testclient import TestClient
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from app.main import create_app
from app.settings import Settings
from attention import Call, TextModel
from tests.app.test_waiting import events_of
from tests.texts.trained import MINILM, RXNMAPPER, SMOLLM2
from tests.wire import array

TOLERANCE = 1e-5
SENTENCES = ["The cat sat on the mat because it was tired.", "Short text"]
# Acetyl chloride and benzylamine give N-benzylacetamide: the chlorine, atom 3, leaves, and each
# atom of the product stands in the order of the reactants.
REACTION = "CC(=O)Cl.NCc1ccccc1>>CC(=O)NCc1ccccc1"
ATOMS_KEPT = [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]
# The layer and head that RXNMapper itself reads the map from.
LAYER, HEAD = 10, 5


@pytest.fixture(scope="module")
def minilm() -> TextModel:
    return TextModel.load(MINILM)


@pytest.fixture(scope="module")
def smollm2() -> TextModel:
    return TextModel.load(SMOLLM2)


@pytest.fixture(scope="module")
def rxnmapper() -> TextModel:
    return TextModel.load(RXNMAPPER, tokenizer=reaction_tokenizer())


def reaction_tokenizer() -> PreTrainedTokenizerFast:
    """One token an atom, bond or bracket, from the model's own list of them."""
    lines = (RXNMAPPER / "vocab.txt").read_text().splitlines()
    vocabulary = {token: i for i, token in enumerate(lines)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\[[^\]]+\]|Br|Cl|>>|."), "isolated")
    ends = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=ends
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]",
    )  # fmt: skip


def eager(model: TextModel, text: Any) -> tuple[Tensor, ...]:
    """The model's own weights of every layer, [B, H, T, T]."""
    encoded = model.encode(text)
    model.model.set_attn_implementation("eager")
    with torch.inference_mode():
        found: tuple[Tensor, ...] = model.model(
            input_ids=encoded.ids, attention_mask=encoded.mask, output_attentions=True
        ).attentions
    model.model.set_attn_implementation("sdpa")
    return found


def agrees(call: Call, expected: Tensor) -> None:
    torch.testing.assert_close(call.attend().weights, expected, rtol=0, atol=TOLERANCE)


def test_every_layer_of_minilm_on_padded_texts(minilm: TextModel) -> None:
    calls, expected = minilm.run(SENTENCES), eager(minilm, SENTENCES)
    assert len(calls) == len(expected) == 6
    for call, weights in zip(calls, expected, strict=True):
        assert call.num_heads == 12
        agrees(call, weights)
    assert calls[0].tokens[1] == ["[CLS]", "short", "text", "[SEP]", *["[PAD]"] * 9]
    assert not calls[0].attend().weights[1, ..., 4:].any(), "padding is read by nobody"


def test_minilm_over_the_api(tmp_path: Path, minilm: TextModel) -> None:
    app = create_app(Settings(models={"minilm": str(MINILM)}, upload_dir=tmp_path))
    with TestClient(app) as client:
        body = {"model": "minilm", "text": SENTENCES}
        answer = dict(events_of(client.post("/api/models/run", json=body).text))["done"]
        for call, weights in zip(answer["calls"], eager(minilm, SENTENCES), strict=True):
            got = client.post("/api/attention?include=weights", json=call["spec"]).json()
            found = torch.tensor(array(got["tensors"]["weights"]), dtype=torch.float32)
            torch.testing.assert_close(found, weights, rtol=0, atol=TOLERANCE)


def test_smollm2_from_its_gguf_file_in_its_first_middle_and_last_layer(smollm2: TextModel) -> None:
    text = ["The cat's naïve owner sat\non the mat", "Once upon a time"]
    layers = [0, 14, 29]
    calls, expected = smollm2.run(text, layers=layers), eager(smollm2, text)
    assert len(expected) == 30
    real = smollm2.encode(text).mask.bool()
    for call, layer in zip(calls, layers, strict=True):
        assert call.module == f"layers.{layer}.self_attn"
        assert (call.num_heads, call.num_kv_heads) == (9, 3)
        agrees(call, expected[layer])
        weights = call.attend().weights
        assert not weights.triu(1).any(), "causal"
        assert (weights[1, :, real[1]].sum(-1) - 1).abs().max() < TOLERANCE
    assert calls[0].tokens[0][:5] == ["The", " cat", "'s", " na", "ïve"]
    assert "\\n" in calls[0].tokens[0]


def test_every_layer_of_albert_though_they_share_one_module(rxnmapper: TextModel) -> None:
    calls, expected = rxnmapper.run(REACTION), eager(rxnmapper, REACTION)
    assert len(calls) == len(expected) == 12
    assert len({call.module for call in calls}) == 1
    for call, weights in zip(calls, expected, strict=True):
        assert call.num_heads == 8
        agrees(call, weights)


def test_one_head_maps_each_atom_of_a_product_to_its_atom_among_the_reactants(
    rxnmapper: TextModel,
) -> None:
    (call,) = rxnmapper.run(REACTION, layers=[LAYER])
    tokens = list(call.tokens)
    arrow = tokens.index(">>")
    atoms = [i for i, token in enumerate(tokens) if re.fullmatch("[A-Za-z]+", token)]
    reactants = [i for i in atoms if i < arrow]
    product = [i for i in atoms if i > arrow]
    weights = call.attend().weights[0, HEAD]
    assert weights[product][:, reactants].argmax(-1).tolist() == ATOMS_KEPT


def test_a_folder_without_a_tokenizer_of_its_model_asks_for_one() -> None:
    model = TextModel.load(RXNMAPPER)
    assert model.tokenizer is None
    assert len(model.run([12, 16, 13])) == 12
