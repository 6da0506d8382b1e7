"""Files of every kind, damaged or made to harm, through the upload of a real server."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.serving import Served
from tests.files.test_damaged import changes, damaged
from tests.fuzzing import examples
from tests.hostile.files import INDEX, WHOLE, Form, crafted, sharded

REFUSED = (400, 413, 415, 422)
Steps = list[tuple[int, int, str]]


@pytest.fixture(scope="module")
def client(server: Served) -> Any:
    with httpx2.Client(base_url=server.url, timeout=60) as client:
        yield client


def send(client: httpx2.Client, files: Form) -> None:
    """Upload, and use whatever was taken: a refusal may come at any step, a fault at none."""
    fields = ["config" if name == "config.json" else "file" for name, _ in files]
    answer = client.post("/api/uploads", files=list(zip(fields, files, strict=True)))
    if answer.status_code != 201:
        assert answer.status_code in REFUSED, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        return
    upload = json.loads(answer.content)
    kept = client.get(f"/api/uploads/{upload['id']}")
    assert kept.status_code == 200
    assert kept.content == answer.content
    for tensor in upload["tensors"][:2]:
        spec = {"x": {"upload": upload["id"], "name": tensor["name"]}}
        used = client.post("/api/attention", json=spec)
        assert used.status_code in (200, *REFUSED), used.text
    for module in upload["modules"][:1]:
        checkpoint = {
            "kind": "checkpoint",
            "upload": upload["id"],
            "module": module["module"],
        }
        spec = {"x": [[1, 2, 3, 4]], "projection": checkpoint}
        used = client.post("/api/attention", json=spec)
        assert used.status_code in (200, *REFUSED), used.text


@pytest.mark.parametrize("kind", WHOLE)
def test_the_files_are_good_before_they_are_damaged(client: httpx2.Client, kind: str) -> None:
    answer = client.post("/api/uploads", files={"file": (f"a{kind}", WHOLE[kind])})
    assert answer.status_code == 201, answer.text
    assert answer.json()["tensors"]


def test_the_shards_are_good_before_they_are_damaged(client: httpx2.Client) -> None:
    files = [("file", file) for file in sharded(json.dumps(INDEX).encode())]
    assert client.post("/api/uploads", files=files).status_code == 201


@pytest.mark.parametrize("kind", WHOLE)
@settings(max_examples=examples(15))
@given(steps=changes, kept=st.integers(0, 4000))
def test_a_damaged_file_is_taken_or_refused(
    client: httpx2.Client, kind: str, steps: Steps, kept: int
) -> None:
    send(client, [(f"a{kind}", damaged(WHOLE[kind], steps, kept))])


@settings(max_examples=examples(150))
@given(files=crafted())
def test_a_file_made_to_harm_is_taken_or_refused(client: httpx2.Client, files: Form) -> None:
    send(client, files)


@settings(max_examples=examples(40))
@given(
    data=st.sampled_from(list(WHOLE.values())) | st.binary(max_size=60),
    kind=st.sampled_from([*WHOLE, ".safetensors.index.json", ".txt", ".bin", ".pt", ""]),
)
def test_a_file_under_another_kind_s_name_is_taken_or_refused(
    client: httpx2.Client, data: bytes, kind: str
) -> None:
    send(client, [(f"a{kind}", data)])


@settings(max_examples=examples(40))
@given(name=st.text(min_size=1, max_size=40))
def test_any_file_name_is_taken_or_refused(client: httpx2.Client, name: str) -> None:
    send(client, [(name + ".csv", b"1,2\n3,4\n")])
