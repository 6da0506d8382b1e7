"""A .gguf file: its attention is unpacked once and kept, with its metadata as the config."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.files.test_gguf import D, H, K, X, write
from tests.uploads.conftest import Serve


@pytest.fixture
def data(tmp_path: Path) -> bytes:
    return write(tmp_path / "m.gguf").read_bytes()


def test_attention_of_a_gguf_file_is_kept_and_computes(client: TestClient, data: bytes) -> None:
    response = client.post("/api/uploads", files={"file": ("m.gguf", data)})
    assert response.status_code == 201, response.text
    answer = response.json()
    names = {f"blk.0.attn_{n}.weight" for n in ("q", "k", "v", "output")}
    assert {tensor["name"] for tensor in answer["tensors"]} == names
    assert answer["modules"][0]["num_kv_heads"] == K
    projection = {"kind": "checkpoint", "upload": answer["id"], "module": "blk.0"}
    found = client.post("/api/attention", json={"x": X.tolist(), "projection": projection}).json()
    assert (found["layout"]["num_heads"], found["layout"]["head_dim"]) == (H, D)
    assert found["checkpoint"]["family"] == "gguf llama"
    assert "rope" in found["checkpoint"]["filled"]


def test_attention_that_unpacks_over_the_limit_is_413(serve: Serve, data: bytes) -> None:
    client = serve(max_unpacked_bytes=10_000)
    response = client.post("/api/uploads", files={"file": ("m.gguf", data)})
    assert response.status_code == 413
    assert "ATTENTION_MAX_UNPACKED_BYTES" in response.json()["detail"]
