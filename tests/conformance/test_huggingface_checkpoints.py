"""10 attention layers of transformers models: weights file and config.json as they were saved in,
hidden states in, attention weights and output out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fastapi.testclient import TestClient

from .exchange import ENCODINGS, Answer, Specification, post, uploaded
from .mapping import huggingface
from .mapping.layout import merge_heads
from .vectors import HERE, Vector
from .vectors import huggingface as vectors

FILES = ("weights", "model")
Masks = Callable[[Vector], Specification]

every_layer = pytest.mark.parametrize("case", vectors(), ids=str)
both_files = pytest.mark.parametrize("file", FILES)
both_mask_forms = pytest.mark.parametrize(
    "masks", [huggingface.added, huggingface.named], ids=lambda masks: masks.__name__
)


def stored(case: Vector, name: str) -> bytes:
    return (HERE / "hf" / case.name / name).read_bytes()


def checkpoint_specification(case: Vector, client: TestClient, file: str) -> Specification:
    """Nothing but what the checkpoint cannot know: its input, cache and position bias."""
    tensors = uploaded(client, "tensors.safetensors", stored(case, "tensors.safetensors"))["id"]
    config = stored(case, "config.json")
    weights = uploaded(client, "model.safetensors", stored(case, f"{file}.safetensors"), config)
    module = case.facts["attention_module"]
    said: Specification = {
        "x": {"upload": tensors, "name": "hidden_states"},
        "projection": {"kind": "checkpoint", "upload": weights["id"], "module": module},
    }
    if case.facts["cross"]:
        said["memory"] = {"upload": tensors, "name": "key_value_states"}
    if case.facts["past_len"]:
        said |= {f"past_{k}": {"upload": tensors, "name": f"past_{w}"} for k, w in CACHED}
    if "position_bias" in case.inputs:
        values = {"upload": tensors, "name": "position_bias"}
        said["biases"] = [{"kind": "matrix", "values": values}]
    return said


CACHED = (("k", "key"), ("v", "value"))


def without_window(said: Specification) -> Specification:
    """The config's window takes the place of the one that the mapping names."""
    return said | {"masks": [mask for mask in said["masks"] if mask["kind"] != "window"]}


@pytest.fixture(params=ENCODINGS)
def answer(
    case: Vector, file: str, masks: Masks, client: TestClient, request: pytest.FixtureRequest
) -> Answer:
    said = checkpoint_specification(case, client, file)
    return post(client, said | without_window(masks(case)), request.param)


@every_layer
@both_files
@both_mask_forms
def test_heads_enter_the_dot_product_as_in_the_layer(case: Vector, answer: Answer) -> None:
    for ours, theirs in (("q", "query"), ("k", "key"), ("v", "value")):
        case.tolerance.check(answer.tensor(ours), case.outputs[theirs], theirs)


@every_layer
@both_files
@both_mask_forms
def test_weights_are_the_layers(case: Vector, answer: Answer) -> None:
    case.tolerance.check(answer.tensor("weights"), case.outputs["attn_weights"], "weights")


@every_layer
@both_files
@both_mask_forms
def test_output_is_the_layers(case: Vector, answer: Answer) -> None:
    case.tolerance.check(merge_heads(answer.tensor("heads")), case.outputs["context"], "context")
    case.tolerance.check(answer.tensor("output"), case.outputs["attention_output"], "output")


@every_layer
@both_files
def test_the_layer_is_listed_with_its_heads(case: Vector, file: str, client: TestClient) -> None:
    answer = uploaded(
        client,
        "model.safetensors",
        stored(case, f"{file}.safetensors"),
        stored(case, "config.json"),
    )
    listed = {module["module"]: module for module in answer["modules"]}
    found = listed[case.facts["attention_module"]]
    expected = [case.facts[name] for name in ("q_heads", "kv_heads", "head_dim", "model_type")]
    assert [found[n] for n in ("num_heads", "num_kv_heads", "head_dim", "family")] == expected


@every_layer
def test_what_the_specification_says_is_not_applied_twice(case: Vector, client: TestClient) -> None:
    """Everything that the config would fill is said as well, window and rotation included."""
    said = checkpoint_specification(case, client, "weights") | huggingface.named(case)
    whole = huggingface.module_specification(case, huggingface.named(case))
    said = whole | said | {"biases": whole["biases"]}
    answer = post(client, said, "base64")
    case.tolerance.check(answer.tensor("weights"), case.outputs["attn_weights"], "weights")
    case.tolerance.check(answer.tensor("output"), case.outputs["attention_output"], "output")
    filled = set(answer.body["checkpoint"]["filled"])
    rotates = "cos" in case.inputs
    assert filled <= ({"scale", "softcap"} if rotates else {"scale", "softcap", "rope"})


@pytest.mark.parametrize("case", [c for c in vectors() if "position_bias" in c.inputs], ids=str)
def test_position_bias_is_never_taken_silently(case: Vector, client: TestClient) -> None:
    said = checkpoint_specification(case, client, "weights") | huggingface.named(case)
    del said["biases"]
    answer = post(client, said, "list")
    (warning,) = answer.warnings("checkpoint")
    assert "relative_attention_bias" in warning["message"]
    far = np.abs(answer.tensor("weights") - case.outputs["attn_weights"]).max()
    assert far > 0.01
