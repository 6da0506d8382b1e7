"""What a server writes down: who asked for what, and nothing of what they brought."""

import json
import logging
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from app.operations.logs import Json, Text
from tests.app.serving import served

SECRET = "Schwanengesang"
TOKEN = "a-token-for-the-test"
HEADERS = {"authorization": f"Bearer {TOKEN}"}


def test_each_request_is_a_line_with_its_id_and_nothing_of_its_content(tmp_path: Path) -> None:
    body = {"x": [[1, 2], [3, 4]], "tokens": [SECRET, SECRET]}
    with served(tmp_path, log_format="json", token=TOKEN) as found:
        with httpx2.Client(base_url=found.url, headers=HEADERS) as client:
            own = {"x-request-id": "mine-1729"}
            answer = client.post("/api/attention?include=weights", json=body, headers=own)
            assert answer.headers["x-request-id"] == "mine-1729"
            client.post("/api/attention", json=body | {SECRET: 1}, params={SECRET: SECRET})
            client.get(f"/{SECRET}")
            client.get(f"/api/uploads/{SECRET}")
            client.get("/healthz")
        text = found.log.read_text()
    assert SECRET not in text and TOKEN not in text and "127.0.0.1:" not in text.split("\n", 5)[-1]
    lines = [json.loads(line) for line in text.splitlines()]
    requests = [line for line in lines if line["logger"] == "app.requests"]
    told = [(line["method"], line["route"], line["status"]) for line in requests]
    assert told == [
        ("POST", "/api/attention", 200),
        ("POST", "/api/attention", 422),
        ("GET", "other", 404),
        ("GET", "/api/uploads/{identity}", 404),
    ]
    assert requests[0]["request_id"] == "mine-1729"
    assert requests[0]["bytes"] == len(answer.content) and requests[0]["milliseconds"] > 0
    assert len({line["request_id"] for line in requests}) == 4
    assert all({"time", "level", "message"} <= set(line) for line in lines)


@pytest.mark.parametrize("said", ["", "a" * 65, "a b", "ä", "<script>", 'a"b'])
def test_an_id_that_could_do_harm_is_replaced(client: TestClient, said: str) -> None:
    answer = client.get("/healthz", headers={b"x-request-id": said.encode()})
    assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["x-request-id"])


@pytest.mark.parametrize("form", [Text(), Json()])
def test_an_error_of_ours_is_written_without_its_message(form: logging.Formatter) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        info: Any = (type(error), error, error.__traceback__)
    record = logging.LogRecord("app", logging.ERROR, __file__, 1, "unexpected error", (), info)
    text = form.format(record)
    assert "test_logs.py" in text and "ValueError" in text
    assert SECRET not in text.replace("raise ValueError(SECRET)", "")


def test_a_wrong_setting_is_named_and_its_value_is_not(tmp_path: Path) -> None:
    from app.cli import main

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTENTION_TOKEN", "short")
        patch.setenv("ATTENTION_ALLOWED_HOSTS", "localhost")
        assert main(["--port", "0"]) == 2
