"""A sharded checkpoint in one form: the index, its shards and the config."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save

from tests.uploads.conftest import Serve

ONE, TWO = "m-00001-of-00002.safetensors", "m-00002-of-00002.safetensors"
SHARDS = {
    ONE: save({f"attn.{n}_proj.weight": np.eye(4) * i for i, n in enumerate("qk", 1)}),
    TWO: save({f"attn.{n}_proj.weight": np.eye(4) * i for i, n in enumerate("vo", 3)}),
}
PLACES = {f"attn.{n}_proj.weight": ONE if n in "qk" else TWO for n in "qkvo"}
INDEX = json.dumps({"weight_map": PLACES}).encode()
CONFIG = json.dumps({"model_type": "opt", "num_attention_heads": 2}).encode()
Form = list[tuple[str, tuple[str, bytes]]]


def form(*names: str) -> Form:
    return [("file", (name, SHARDS[name])) for name in names]


INDEX_PART: Form = [("file", ("m.safetensors.index.json", INDEX))]
CONFIG_PART: Form = [("file", ("config.json", CONFIG))]


@pytest.mark.parametrize("first", [True, False])
def test_shards_are_kept_as_one_upload_under_the_indexs_hash(
    client: TestClient, folder: Path, first: bool
) -> None:
    parts = [*INDEX_PART, *form(ONE, TWO)] if first else [*form(TWO, ONE), *INDEX_PART]
    response = client.post("/api/uploads", files=parts + CONFIG_PART)
    assert response.status_code == 201, response.text
    answer = response.json()
    assert answer["id"] == hashlib.sha256(INDEX).hexdigest()
    assert [tensor["name"] for tensor in answer["tensors"]] == list(PLACES)
    assert {path.stem for path in folder.iterdir()} == {answer["id"], "lock"}
    projection = {"kind": "checkpoint", "upload": answer["id"], "module": "attn"}
    spec: dict[str, Any] = {"x": np.eye(4).tolist(), "projection": projection}
    found = client.post("/api/attention", json=spec).json()
    assert found["layout"]["num_heads"] == 2
    assert np.array(found["tensors"]["v"])[0, 0, 0, 0] == 3


def test_shard_that_did_not_come_is_named(client: TestClient, folder: Path) -> None:
    answer = client.post("/api/uploads", files=INDEX_PART + form(ONE))
    assert answer.status_code == 422
    assert TWO in answer.json()["detail"]
    assert list(folder.iterdir()) == []


def test_shards_without_an_index_are_refused(client: TestClient) -> None:
    answer = client.post("/api/uploads", files=form(ONE, TWO))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["file"]


def test_all_shards_together_have_a_limit(serve: Serve) -> None:
    client = serve(max_unpacked_bytes=len(SHARDS[ONE]) + 10)
    answer = client.post("/api/uploads", files=INDEX_PART + form(ONE, TWO))
    assert answer.status_code == 413
    assert "ATTENTION_MAX_UNPACKED_BYTES" in answer.json()["detail"]
