"""The fused weights of the reports, uploaded as checkpoints under the names that models use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save

from . import comparisons
from .exchange import ENCODINGS, Specification, bring, post, send, uploaded
from .mapping.reports import Reading, specification
from .vectors import Vector, report

BLOCKS = report("fused-qkv-blocks-in-proj-weight")
GROUPS = report("fused-qkv-falcon-groups")
MULTI_QUERY = report("fused-qkv-falcon-multi-query")
CONV1D = report("gpt2-conv1d-weight-is-transposed")

FUSED = [
    (BLOCKS, "encoder.layers.0.self_attn", "in_proj_weight", "blocks"),
    (BLOCKS, "blocks.0.attn", "qkv.weight", "blocks"),
    (GROUPS, "transformer.h.0.self_attention", "query_key_value.weight", "per_kv_group"),
    (MULTI_QUERY, "transformer.h.0.self_attention", "query_key_value.weight", "multi_query"),
]
NAMED = [pytest.param(*row, id=f"{row[0]}, {row[2]}") for row in FUSED]


def checkpoint(client: TestClient, **weights: Any) -> str:
    # The package writes an array's memory as it lies, so it has to lie in C order.
    tensors = {n: np.asarray(weight, np.float64, order="C") for n, weight in weights.items()}
    return str(uploaded(client, "model.safetensors", save(tensors))["id"])


def said(case: Vector, upload: str, module: str, layout: str) -> Specification:
    """The case without the split that its mapping makes by hand, and without what shapes tell."""
    given = specification(case)
    given.pop("num_kv_heads")
    given.pop("head_dim")
    projection = {"kind": "checkpoint", "upload": upload, "module": module, "layout": layout}
    return given | {"projection": projection}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("case", "module", "name", "layout"), NAMED)
def test_fused_weight_is_split_as_its_model_keeps_it(
    case: Vector, module: str, name: str, layout: str, client: TestClient, encoding: str
) -> None:
    upload = checkpoint(client, **{f"{module}.{name}": case.facts["input"]["fused_weight"]})
    reading = Reading(specification(case), case.facts["expected"])
    for asked in ("auto", layout):
        answer = post(client, said(case, upload, module, asked), encoding, comparisons.INCLUDE)
        assert answer.body["checkpoint"]["layout"] == layout
        comparisons.check(reading, answer, case.tolerance)


@pytest.mark.parametrize(
    ("case", "layout", "wrong"),
    [(BLOCKS, "per_head", "read_as_per_head"), (GROUPS, "blocks", "read_as_blocks")],
    ids=str,
)
def test_layout_that_was_said_is_the_one_that_is_read(
    case: Vector, layout: str, wrong: str, client: TestClient
) -> None:
    """Even where it gives the report's wrong answer: that is how a mistake is found."""
    upload = checkpoint(client, **{"attn.qkv.weight": case.facts["input"]["fused_weight"]})
    found = case.facts["wrong"][wrong]
    reading = Reading(specification(case), {name: found[name] for name in ("weights", "output")})
    answer = post(client, said(case, upload, "attn", layout), "list", comparisons.INCLUDE)
    comparisons.check(reading, answer, case.tolerance)


@pytest.mark.parametrize("case", [GROUPS], ids=str)
def test_fused_weight_under_an_unknown_name_is_asked_about(
    case: Vector, client: TestClient
) -> None:
    upload = checkpoint(client, **{"mixer.my_qkv.weight": case.facts["input"]["fused_weight"]})
    response = send(client, said(case, upload, "mixer.my_qkv", "auto"), "list")
    assert response.status_code == 422
    (error,) = response.json()["errors"]
    assert error["loc"] == ["projection", "layout"]
    assert error["expected"] == "blocks, per_kv_group"

    reading = Reading(specification(case), case.facts["expected"])
    chosen = said(case, upload, "mixer.my_qkv", "per_kv_group")
    comparisons.check(reading, post(client, chosen, "list", comparisons.INCLUDE), case.tolerance)


@pytest.mark.parametrize("case", [CONV1D], ids=str)
def test_conv1d_weight_is_read_as_in_out(case: Vector, client: TestClient) -> None:
    """Three times the report's square weight side by side, as GPT-2 fuses q, k and v."""
    weight = np.asarray(case.facts["input"]["weight"])
    upload = checkpoint(client, **{"h.0.attn.c_attn.weight": np.concatenate([weight] * 3, axis=1)})
    answer = post(client, conv1d_said(case, upload, "h.0.attn"), "list", comparisons.INCLUDE)
    reading = Reading(specification(case), {"y": case.facts["expected"]["y"]})
    comparisons.check(reading, answer, case.tolerance)


@pytest.mark.parametrize("case", [CONV1D], ids=str)
def test_linear_weight_of_the_same_name_is_not_turned(case: Vector, client: TestClient) -> None:
    """nanoGPT keeps [out][in] under GPT-2's names: the wide side tells which it is."""
    weight = np.asarray(case.facts["input"]["weight"]).T
    upload = checkpoint(client, **{"h.0.attn.c_attn.weight": np.concatenate([weight] * 3)})
    answer = post(client, conv1d_said(case, upload, "h.0.attn"), "list", comparisons.INCLUDE)
    reading = Reading(specification(case), {"y": case.facts["expected"]["y"]})
    comparisons.check(reading, answer, case.tolerance)


def conv1d_said(case: Vector, upload: str, module: str) -> Specification:
    projection = {"kind": "checkpoint", "upload": upload, "module": module}
    return specification(case) | {"projection": projection}


def test_cut_short_checkpoint_is_unreadable(client: TestClient) -> None:
    data = save({"attn.in_proj_weight": np.ones((6, 2))})
    response = bring(client, "model.safetensors", data[:-8])
    assert response.status_code == 400
    assert "'attn.in_proj_weight'" in response.json()["detail"]
