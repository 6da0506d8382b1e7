"""Forms that arrive in pieces, are broken, or do not stop."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.uploads.conftest import Serve

BOUNDARY = "xyz"
KIND = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}


def part(name: str, data: bytes, filename: str | None = None) -> bytes:
    named = f'; filename="{filename}"' if filename is not None else ""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'
    return head.encode() + data + b"\r\n"


END = f"--{BOUNDARY}--\r\n".encode()
WHOLE = part("file", b"1,2\n3,4\n", "x.csv") + END


def post(client: TestClient, content: Any, **headers: str) -> Any:
    return client.post("/api/uploads", content=content, headers=KIND | headers)


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_form_may_arrive_in_pieces_of_any_size(client: TestClient, size: int) -> None:
    pieces = (WHOLE[i : i + size] for i in range(0, len(WHOLE), size))
    answer = post(client, pieces)
    assert answer.status_code == 201
    assert answer.json()["tensors"][0]["shape"] == [2, 2]


def test_upload_that_does_not_stop_is_cut_off_at_the_limit(serve: Serve, folder: Path) -> None:
    """No length is declared; what is sent after the limit is never asked for."""
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield part("file", b"", "x.csv").removesuffix(b"\r\n")
        while sent < 2**26:
            sent += 2**16
            yield b"1," * 2**15

    answer = post(serve(max_upload_bytes=2**20), endless())
    assert answer.status_code == 413
    assert "ATTENTION_MAX_UPLOAD_BYTES" in answer.json()["detail"]
    assert list(folder.iterdir()) == []


def test_declared_length_over_the_limit_is_refused_unread(serve: Serve, folder: Path) -> None:
    client = serve(max_upload_bytes=2**10)
    answer = post(client, WHOLE, **{"content-length": str(2**30)})
    assert answer.status_code == 413
    assert str(2**30) in answer.json()["detail"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no form at all",
        WHOLE[:-10],
        WHOLE[: len(WHOLE) // 2],
        WHOLE.replace(b"\r\n", b"\n"),
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"".encode()
        + b"\xff.csv\"\r\n\r\n1\r\n" + END,
        f"--{BOUNDARY}\r\n".encode() + b"X: " + b"y" * 10_000 + b"\r\n\r\n1\r\n" + END,
        part("delimiter", b"\xff") + WHOLE,
        b"".join(part("header", b"true") for _ in range(80)) + WHOLE,
    ],
    ids=range(9),
)  # fmt: skip
def test_broken_form_is_unreadable_and_leaves_nothing(
    client: TestClient, folder: Path, content: bytes
) -> None:
    answer = post(client, content)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (END, "file"),
        (part("header", b"true") + END, "file"),
        (part("file", b"1,2") + END, "file"),
        (part("file", b"1,2", "") + END, "file"),
        (part("file", b"1", "a.csv") + part("file", b"2", "b.csv") + END, "file"),
        (part("files", b"1", "a.csv") + END, "files"),
        (part("delimiter", b"x" * 5000) + WHOLE, "delimiter"),
    ],
    ids=range(7),
)
def test_form_without_its_one_file_is_refused_at_the_field(
    client: TestClient, folder: Path, content: bytes, place: str
) -> None:
    answer = post(client, content)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == [place]
    assert list(folder.iterdir()) == []


def test_other_bodies_are_415_and_name_the_form(client: TestClient) -> None:
    for kind in ("application/json", "text/csv", "multipart/mixed; boundary=x", ""):
        answer = post(client, WHOLE, **{"content-type": kind})
        assert answer.status_code == 415
        assert "multipart/form-data" in answer.json()["detail"]


def test_form_without_a_boundary_is_unreadable(client: TestClient) -> None:
    answer = post(client, WHOLE, **{"content-type": "multipart/form-data"})
    assert answer.status_code == 400
    assert "boundary" in answer.json()["detail"]


def test_config_over_a_mebibyte_is_413(client: TestClient, folder: Path) -> None:
    big = b'{"model_type": "' + b"x" * 2**20 + b'"}'
    answer = post(client, part("config", big, "config.json") + WHOLE)
    assert answer.status_code == 413
    assert list(folder.iterdir()) == []


def test_file_without_bytes_between_pieces_is_whole_on_disk(
    client: TestClient, folder: Path
) -> None:
    """Several buffers' worth: what was written is what was sent."""
    rows = b"".join(b"%d,%d\n" % (i, -i) for i in range(300_000))
    assert len(rows) > 2**22
    answer = post(client, iter([part("file", rows, "x.csv"), END]))
    assert answer.json()["tensors"][0]["shape"] == [300_000, 2]
    assert answer.json()["size"] == len(rows)
