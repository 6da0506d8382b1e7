"""10 attention layers of transformers models: hidden states and weights in, output out."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from .exchange import ENCODINGS, Answer, post
from .mapping import huggingface
from .mapping.huggingface_weights import projection
from .mapping.layout import merge_heads
from .vectors import Vector
from .vectors import huggingface as vectors

MODULES = vectors()

every_module = pytest.mark.parametrize("case", MODULES, ids=str)


@pytest.fixture(params=ENCODINGS)
def answer(case: Vector, client: TestClient, request: pytest.FixtureRequest) -> Answer:
    said = huggingface.module_specification(case, huggingface.named(case))
    return post(client, said | projection(case), request.param)


@every_module
def test_heads_enter_the_dot_product_as_in_the_layer(case: Vector, answer: Answer) -> None:
    for ours, theirs in (("q", "query"), ("k", "key"), ("v", "value")):
        case.tolerance.check(answer.tensor(ours), case.outputs[theirs], theirs)


@every_module
def test_weights_are_the_layers(case: Vector, answer: Answer) -> None:
    case.tolerance.check(answer.tensor("weights"), case.outputs["attn_weights"], "weights")


@every_module
def test_output_is_the_layers(case: Vector, answer: Answer) -> None:
    case.tolerance.check(merge_heads(answer.tensor("heads")), case.outputs["context"], "context")
    case.tolerance.check(answer.tensor("output"), case.outputs["attention_output"], "output")


@every_module
def test_head_counts_make_the_layout(case: Vector, answer: Answer) -> None:
    heads, kv_heads = case.facts["q_heads"], case.facts["kv_heads"]
    layout = answer.body["layout"]
    assert layout["kind"] == ("mha" if heads == kv_heads else "mqa" if kv_heads == 1 else "gqa")
    assert (layout["num_heads"], layout["num_kv_heads"]) == (heads, kv_heads)
    assert layout["kv_head_of"] == [head // (heads // kv_heads) for head in range(heads)]
    assert layout["cross"] is case.facts["cross"]
