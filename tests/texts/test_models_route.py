"""``/api/models``: what is listed, what a run answers, what is refused, and who stops it."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from attention import TextModel
from tests.app.test_waiting import client_of, events_of
from tests.capturing.test_transformers import eager_weights
from tests.texts.conftest import Saved
from tests.wire import array

TEXTS = ["the cat sat on the mat", "the cat"]


@pytest.fixture(scope="module")
def folder(saved: Saved) -> Path:
    return saved("llama")


def app_with(tmp_path: Path, folder: Path, **more: Any) -> Any:
    return create_app(Settings(models={"small": str(folder)}, upload_dir=tmp_path, **more))


@pytest.fixture
def client(tmp_path: Path, folder: Path) -> TestClient:
    return TestClient(app_with(tmp_path, folder), raise_server_exceptions=False)


def run(client: TestClient, **body: Any) -> list[tuple[str, Any]]:
    response = client.post("/api/models/run", json={"model": "small", "text": TEXTS, **body})
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    return list(events_of(response.text))


def test_without_the_setting_the_list_is_empty_and_says_how_to_allow_models() -> None:
    answer = TestClient(create_app(Settings())).get("/api/models").json()
    assert answer["models"] == []
    assert "ATTENTION_MODELS" in answer["how"] and "--model NAME=PATH" in answer["how"]


def test_models_are_listed_by_name_with_the_reason_why_not(folder: Path, tmp_path: Path) -> None:
    sources = {
        "small": str(folder),
        "gone": "/no/such/place",
        "empty": str(tmp_path),
        "hub": "someone/never-fetched",
    }
    listed = TestClient(create_app(Settings(models=sources))).get("/api/models").json()["models"]
    assert listed == [
        {"name": "small", "available": True, "reason": None},
        {"name": "gone", "available": False, "reason": "there is no such folder or file"},
        {
            "name": "empty",
            "available": False,
            "reason": "its folder holds neither config.json nor a .gguf file",
        },
        {
            "name": "hub",
            "available": False,
            "reason": "there is no such folder, and no model of this hub id on this machine",
        },
    ]


def test_a_run_tells_each_layer_and_then_its_upload(client: TestClient, folder: Path) -> None:
    events = run(client)
    assert events[:-1] == [("progress", {"done": n, "of": 3}) for n in range(4)]
    name, answer = events[-1]
    assert name == "done"
    assert client.get(f"/api/uploads/{answer['id']}").json() == answer
    assert answer["name"] == "small.safetensors"

    model = TextModel.load(folder)
    encoded = model.encode(TEXTS)
    inputs = {"input_ids": encoded.ids, "attention_mask": encoded.mask}
    with torch.no_grad():
        expected = eager_weights(model.model, inputs)
    real = encoded.mask.bool()[:, None, :, None].expand_as(expected[0])
    for call, weights in zip(answer["calls"], expected, strict=True):
        assert (call["num_heads"], call["num_kv_heads"], call["batch"]) == (4, 2, 2)
        got = client.post("/api/attention", json=call["spec"]).json()
        assert got["tokens"]["queries"] == [TEXTS[0].split(), ["[PAD]"] * 4 + ["the", "cat"]]
        found = torch.tensor(array(got["tensors"]["weights"]), dtype=torch.float32)
        torch.testing.assert_close(found[real], weights[real], rtol=0, atol=1e-5)


def test_hidden_states_and_chosen_layers_are_kept(client: TestClient) -> None:
    answer = run(client, layers=[2])[-1][1]
    (call,) = answer["calls"]
    assert call["module"] == "layers.2.self_attn"
    shapes = {tensor["name"]: tensor["shape"] for tensor in answer["tensors"]}
    assert shapes[call["hidden_states"]] == [2, 6, 32]


def test_the_documented_body_really_answers(client: TestClient) -> None:
    route = client.get("/openapi.json").json()["paths"]["/api/models/run"]["post"]
    (example,) = route["requestBody"]["content"]["application/json"]["examples"].values()
    assert run(client, **example["value"])[-1][0] == "done"
    assert "text/event-stream" in route["responses"]["200"]["content"]


def test_another_worker_answers_for_the_run(
    client: TestClient, folder: Path, tmp_path: Path
) -> None:
    answer = run(client)[-1][1]
    other = TestClient(app_with(tmp_path, folder))
    assert other.post("/api/attention", json=answer["calls"][0]["spec"]).status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "loc", "words"),
    [
        ({"model": "other"}, 422, ["model"], "'small', got 'other'"),
        ({"model": "../small"}, 422, ["model"], "'small'"),
        ({"model": 3}, 422, ["model"], "got 3"),
        ({"text": []}, 422, ["text"], "at least 1"),
        ({"text": "the cat"}, 422, ["text"], "list"),
        ({"text": [[2, 3]]}, 422, ["text", 0], "got [2, 3]"),
        ({"layers": []}, 422, ["layers"], "at least 1"),
        ({"layers": ["0"]}, 422, ["layers", 0], "whole number"),
        ({"online": True}, 422, ["online"], "not a known field"),
        ({"text": ["the"] * 4}, 413, ["text"], "ATTENTION_MAX_RUN_TEXTS"),
        ({"text": ["the cat " * 40]}, 413, ["text"], "ATTENTION_MAX_RUN_CHARACTERS"),
    ],
)
def test_a_refusal_comes_before_the_stream(
    body: dict[str, Any], status: int, loc: list[Any], words: str, folder: Path, tmp_path: Path
) -> None:
    limited = app_with(tmp_path, folder, max_run_texts=3, max_run_characters=200)
    answer = TestClient(limited).post(
        "/api/models/run", json={"model": "small", "text": ["the cat"], **body}
    )
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    (error,) = answer.json()["errors"]
    assert error["loc"] == loc
    assert words in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "status", "loc", "words"),
    [
        ({"text": ["the"], "layers": [0, 3]}, 422, ["layers", 1], "0 to 2"),
        ({"text": ["the", ""]}, 422, ["text", 1], "at least one token"),
        ({"text": ["the cat " * 6]}, 413, ["text"], "ATTENTION_MAX_RUN_TOKENS"),
    ],
)
def test_what_only_the_model_can_refuse_is_a_problem_of_the_stream(
    body: dict[str, Any], status: int, loc: list[Any], words: str, folder: Path, tmp_path: Path
) -> None:
    name, problem = run(TestClient(app_with(tmp_path, folder, max_run_tokens=11)), **body)[-1]
    assert name == "problem"
    assert problem["status"] == status
    assert problem["errors"][0]["loc"] == loc
    assert words in problem["detail"]


def test_a_model_that_is_not_there_is_refused_with_the_reason(tmp_path: Path) -> None:
    client = TestClient(app_with(tmp_path, Path("/no/such/place")))
    answer = client.post("/api/models/run", json={"model": "small", "text": ["the"]})
    assert answer.status_code == 422
    detail = "model: the model small cannot be run: got there is no such folder or file"
    assert answer.json()["detail"] == detail


def test_a_run_holds_up_no_other_computation(folder: Path, tmp_path: Path) -> None:
    async def ask() -> int:
        app = app_with(tmp_path, folder, workers=1)
        over = threading.Event()
        runs = asyncio.create_task(app.state.models.pool.run(over.wait))
        try:
            return await app.state.pool.run(lambda: 7)
        finally:
            over.set()
            await runs

    assert asyncio.run(ask()) == 7


@pytest.mark.parametrize("setting", ["max_unpacked_bytes", "upload_quota_bytes"])
def test_a_run_too_large_to_be_kept_leaves_nothing(
    setting: str, folder: Path, tmp_path: Path
) -> None:
    client = TestClient(app_with(tmp_path, folder, **{setting: 1000}))
    name, problem = run(client)[-1]
    assert (name, problem["status"]) == ("problem", 413)
    assert f"ATTENTION_{setting.upper()}" in problem["detail"]
    assert [path.name for path in tmp_path.iterdir() if path.name != "lock"] == []


def test_files_that_do_not_load_are_said_without_where_they_lie(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text("{}")
    name, problem = run(TestClient(app_with(tmp_path, broken)))[-1]
    assert (name, problem["status"]) == ("problem", 422)
    assert problem["errors"][0]["loc"] == ["model"]
    assert str(tmp_path) not in json.dumps(problem)


def test_a_run_stops_between_layers_when_its_client_leaves(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    plain = TextModel.run

    async def leaving() -> list[Any]:
        leave, loop = asyncio.Event(), asyncio.get_running_loop()

        async def settle() -> None:
            """Let the loop see that the client has left."""
            for _ in range(50):
                await asyncio.sleep(0)

        def slow(self: TextModel, *args: Any, progress: Any, **named: Any) -> Any:
            def after_layer(done: int, of: int) -> None:
                told.append(done)
                if done == 1:
                    loop.call_soon_threadsafe(leave.set)
                    asyncio.run_coroutine_threadsafe(settle(), loop).result()
                progress(done, of)

            return plain(self, *args, progress=after_layer, **named)

        monkeypatch.setattr(TextModel, "run", slow)
        app = app_with(tmp_path, folder)
        ask, sent = client_of(app, "/api/models/run", {"model": "small", "text": TEXTS}, {})
        await ask(leave)
        await app.state.models.pool.run(int)
        return sent

    sent = asyncio.run(leaving())
    assert told == [1]
    assert b"event: done" not in b"".join(m.get("body", b"") for m in sent)
    assert list(tmp_path.glob("*.safetensors")) == []


def test_the_setting_names_models_by_themselves_or_by_their_last_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ATTENTION_MODELS", "small=/models/a, org/large,/models/b.gguf,")
    assert Settings().models == {
        "small": "/models/a",
        "large": "org/large",
        "b.gguf": "/models/b.gguf",
    }


@pytest.mark.parametrize("text", ["=x", "a=", "a=/x,a=/y", "org/a,other/a"])
def test_a_setting_that_names_no_model_or_one_twice_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="model"):
        Settings(models=text)
