"""Answers compressed where the client asks for it and is elsewhere."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings

SPEC = {"x": np.random.default_rng(3).standard_normal((31, 6)).tolist(), "num_heads": 2}
ELSEWHERE, HERE = ("203.0.113.7", 5000), ("127.0.0.1", 5000)


def sent(
    accept: str, path: str = "/api/attention", client: tuple[str, int] = ELSEWHERE, **more: Any
) -> tuple[bytes, Any]:
    """The bytes on the wire, and the headers."""
    app = create_app(Settings())
    headers = {"accept-encoding": accept, **more.pop("headers", {})}
    body = {"json": more.pop("body", SPEC)} if path.startswith("/api/") else {}
    method = "POST" if body else "GET"
    with (
        TestClient(app, client=client) as caller,
        caller.stream(method, path, headers=headers, **body) as answer,
    ):
        return b"".join(answer.iter_raw()), answer.headers


@pytest.mark.parametrize("accept", ["gzip", "br, gzip;q=0.5", "*", "GZIP"])
def test_lists_are_compressed_for_who_asks(accept: str) -> None:
    plain, before = sent("identity")
    packed, headers = sent(accept)
    assert "content-encoding" not in before
    assert headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in headers["vary"]
    assert int(headers["content-length"]) == len(packed) < 0.5 * len(plain)
    assert gzip.decompress(packed) == plain


@pytest.mark.parametrize("accept", ["", "identity", "br", "gzip;q=0", "gzip; q=0.0"])
def test_not_for_who_does_not(accept: str) -> None:
    body, headers = sent(accept)
    assert "content-encoding" not in headers
    assert body.startswith(b"{") and int(headers["content-length"]) == len(body)


def test_programs_of_one_machine_are_spared_it() -> None:
    assert "content-encoding" not in sent("gzip", client=HERE)[1]


def test_numbers_that_hardly_shrink_are_sent_as_they_are() -> None:
    assert "content-encoding" not in sent("gzip", "/api/attention?encoding=base64")[1]
    raw = {"accept": "application/octet-stream"}
    assert "content-encoding" not in sent("gzip", headers=raw)[1]


def test_a_part_of_a_file_stays_that_part() -> None:
    content, headers = sent(
        "gzip", "/static/vendor/katex/katex.min.css", headers={"range": "bytes=0-5000"}
    )
    assert headers["content-range"].startswith("bytes 0-5000/")
    assert "content-encoding" not in headers and len(content) == 5001


def test_events_come_as_they_are_ready() -> None:
    events = {"accept": "text/event-stream"}
    body = {"spec": SPEC, "stage": "weights"}
    content, headers = sent("gzip", "/api/view", headers=events, body=body)
    assert "content-encoding" not in headers
    assert content.startswith(b"event: start")


def test_problems_and_short_answers_are_not_worth_it() -> None:
    assert "content-encoding" not in sent("gzip", body={"x": [[1], [1, 2]]})[1]
    assert "content-encoding" not in sent("gzip", body={"x": [[1]]})[1]


@pytest.mark.parametrize(("path", "start"), [("/openapi.json", b'{"openapi"'), ("/", b"<!doctype")])
def test_pages_and_documents_too(path: str, start: bytes) -> None:
    content, headers = sent("gzip", path)
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(content).lower().lstrip().startswith(start)
