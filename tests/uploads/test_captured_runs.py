"""A captured run as an upload: each call is a specification that gives the model's own numbers."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from fastapi.testclient import TestClient
from safetensors.torch import save

from attention import capture
from tests.capturing.test_transformers import IDS, LEFT, bert, eager_weights, gpt2, llama
from tests.uploads.test_uploads import send, taken
from tests.wire import array

OPTIONS = {"causal": False, "scale": None}
CALL = {"index": 0, "module": "m", "function": "f", "options": OPTIONS, "conventions": []}
TENSORS = {f"call.0.{name}": torch.ones(1, 2, 3, 5) for name in "qkv"}


def captured(model: Any, inputs: dict[str, Any], folder: Path) -> bytes:
    with torch.no_grad(), capture(model) as calls:
        model(**inputs)
    calls.save(folder / "run.safetensors")
    return (folder / "run.safetensors").read_bytes()


def run_file(said: Any, tensors: dict[str, torch.Tensor] = TENSORS) -> bytes:
    return save(tensors, {"attention_calls": said if isinstance(said, str) else json.dumps(said)})


@pytest.mark.parametrize(("build", "K"), [(llama, 2), (bert, 4), (gpt2, 4)])
def test_each_calls_specification_gives_the_models_own_weights(
    build: Any, K: int, client: TestClient, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    model = build().eval()
    inputs = {"input_ids": IDS, "attention_mask": LEFT}
    answer = taken(client, "run.safetensors", captured(model, inputs, tmp_path))
    with torch.no_grad():
        expected = eager_weights(model, inputs)
    # What a padding token itself reads is nobody's: the model's implementations differ there.
    real = LEFT.bool()[:, None, :, None].expand(2, 4, 7, 7)
    assert [call["index"] for call in answer["calls"]] == [0, 1, 2]
    for call, weights in zip(answer["calls"], expected, strict=True):
        said = {name: call[name] for name in ("num_heads", "num_kv_heads", "batch")}
        assert said == {"num_heads": 4, "num_kv_heads": K, "batch": 2}
        assert (call["queries"], call["keys"]) == (7, 7)
        response = client.post("/api/attention", json=call["spec"])
        assert response.status_code == 200, response.text
        got = torch.tensor(array(response.json()["tensors"]["weights"]), dtype=torch.float32)
        torch.testing.assert_close(got[real], weights[real], rtol=0, atol=1e-5)


def test_the_calls_are_told_again_and_not_repeated_in_what_was_detected(
    client: TestClient, tmp_path: Path
) -> None:
    answer = taken(client, "run.safetensors", captured(gpt2().eval(), {"input_ids": IDS}, tmp_path))
    assert client.get(f"/api/uploads/{answer['id']}").json() == answer
    assert answer["detected"] == {"kind": "safetensors"}
    (first, *_) = answer["calls"]
    assert first["spec"]["q"] == {"upload": answer["id"], "name": "call.0.q"}
    assert first["spec"]["masks"] == [{"kind": "causal", "alignment": "top_left"}]


def test_labels_that_a_run_knows_come_with_its_specification(client: TestClient) -> None:
    said = [CALL | {"tokens": ["the", "cat", "the"]}]
    (call,) = taken(client, "run.safetensors", run_file(said))["calls"]
    labels = client.post("/api/attention", json=call["spec"]).json()["tokens"]
    assert labels["queries"] == [["the", "cat", "the"]]


def test_other_files_have_no_calls(client: TestClient) -> None:
    assert taken(client, "x.csv", b"1,2\n")["calls"] == []
    assert taken(client, "x.safetensors", save(TENSORS, {"format": "pt"}))["calls"] == []


@pytest.mark.parametrize(
    "said",
    [
        "not JSON",
        "[" * 5_000,
        {"calls": []},
        [1],
        [CALL | {"index": 1}],
        [CALL | {"module": 3}],
        [CALL | {"unheard": 1}],
        [{"index": 0}],
        [CALL | {"options": {}}],
        [CALL | {"options": {"causal": 1, "scale": None}}],
        [CALL | {"options": {"causal": True, "scale": "big"}}],
        [CALL | {"conventions": ["allowed"]}],
        [CALL | {"conventions": [{}]}],
        [CALL | {"conventions": ["guessed"]}],
        [CALL | {"has_hidden_states": True}],
        [CALL | {"tokens": "the cat"}],
        [CALL, CALL | {"index": 1}],
    ],
    ids=range(17),
)
def test_a_header_that_does_not_fit_its_tensors_is_refused(client: TestClient, said: Any) -> None:
    response = send(client, "run.safetensors", run_file(said))
    assert response.status_code == 422, response.text
    (error,) = response.json()["errors"]
    assert error["loc"] == ["file"]
    assert "attention_calls" in error["message"]


@pytest.mark.parametrize("odd", [torch.ones(2, 3, 5), torch.ones(1, 2, 3, 5, dtype=torch.int64)])
def test_a_call_whose_tensors_are_no_heads_is_refused(
    client: TestClient, odd: torch.Tensor
) -> None:
    response = send(client, "run.safetensors", run_file([CALL], TENSORS | {"call.0.q": odd}))
    assert response.status_code == 422
    assert "call.0.q holds no heads" in response.json()["detail"]
