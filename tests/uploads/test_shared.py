"""Uploads in a store beside the folder: on disk, in memory and behind S3's own protocol."""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
import fsspec
import numpy as np
import pytest
from fastapi.testclient import TestClient
from moto.server import ThreadedMotoServer
from safetensors.numpy import save

from app.main import create_app
from app.settings import Settings

Replica = Callable[..., TestClient]


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The endpoint of an S3 of its own on this machine."""
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["file", "memory", "s3"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The URL of an empty store of each kind."""
    if request.param == "file":
        yield f"file://{tmp_path}/store/uploads"
    elif request.param == "memory":
        yield f"memory://{tmp_path.name}/uploads"
        fsspec.filesystem("memory").store.clear()
    else:
        endpoint = request.getfixturevalue("s3")
        for name, value in {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": endpoint,
        }.items():
            monkeypatch.setenv(name, value)
        fsspec.filesystem("s3").clear_instance_cache()
        bucket = f"uploads-{uuid4().hex}"
        boto3.client("s3").create_bucket(Bucket=bucket)
        yield f"s3://{bucket}/below"


@pytest.fixture
def replica(store: str, tmp_path: Path) -> Replica:
    """A machine: a folder of its own by its name, and the store of all."""

    def start(name: str, **settings: Any) -> TestClient:
        kept = Settings(upload_dir=tmp_path / name, upload_store=store, **settings)
        return TestClient(create_app(kept), raise_server_exceptions=False)

    return start


def upload(client: TestClient, data: bytes, name: str = "x.csv", **fields: str) -> Any:
    answer = client.post("/api/uploads", files={"file": (name, data)}, data=fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def attended(client: TestClient, identity: str) -> Any:
    return client.post("/api/attention", json={"x": {"upload": identity}})


TABLE = b"1,2\n3,4\n5,7\n"


def test_what_one_replica_keeps_another_reads(replica: Replica, tmp_path: Path) -> None:
    one, other = replica("one"), replica("other")
    kept = upload(one, TABLE)
    assert not (tmp_path / "other").exists()
    assert other.get(f"/api/uploads/{kept['id']}").json() == kept
    assert attended(other, kept["id"]).content == attended(one, kept["id"]).content
    names = {path.name for path in (tmp_path / "other").iterdir()}
    assert names == {f"{kept['id']}.json", f"{kept['id']}.safetensors", "lock"}


def test_a_file_read_anew_on_one_replica_is_read_so_on_the_other(replica: Replica) -> None:
    """The last upload of a file decides how it is read, wherever it came in."""
    one, other = replica("one"), replica("other")
    text = b"1;2\n3;4\n"
    first = upload(one, text, header="false")
    assert attended(other, first["id"]).json()["tensors"]["q"] is not None
    second = upload(one, text, header="true")
    assert second["id"] == first["id"]
    assert [shown["shape"] for shown in first["tensors"]] == [[2, 2]]
    assert [shown["shape"] for shown in second["tensors"]] == [[1, 2]]
    assert other.get(f"/api/uploads/{first['id']}").json() == second
    q = attended(other, first["id"]).json()["tensors"]["q"]
    assert np.asarray(q).shape[2] == 1, "one token is left under the header"


def test_a_replica_that_has_lost_its_folder_fetches_again(replica: Replica, tmp_path: Path) -> None:
    client = replica("one")
    kept = upload(client, TABLE)
    for path in (tmp_path / "one").iterdir():
        path.unlink()
    assert attended(client, kept["id"]).status_code == 200


def test_the_quota_bounds_the_folder_and_the_store_keeps_the_rest(
    replica: Replica, tmp_path: Path
) -> None:
    client = replica("one", upload_quota_bytes=6_000)
    files = [save({"w": np.full((10, 23), i, np.float64)}) for i in range(5)]
    kept = [upload(client, data, "w.safetensors")["id"] for data in files]
    assert kept == [hashlib.sha256(data).hexdigest() for data in files]
    for identity in kept:
        assert attended(client, identity).status_code == 200
        assert sum(path.stat().st_size for path in (tmp_path / "one").iterdir()) <= 6_000


def test_an_upload_over_the_quota_reaches_no_store(replica: Replica) -> None:
    client, data = replica("one", upload_quota_bytes=900), save({"w": np.ones((10, 23))})
    answer = client.post("/api/uploads", files={"file": ("w.safetensors", data)})
    assert answer.status_code == 413
    identity = hashlib.sha256(data).hexdigest()
    assert replica("other").get(f"/api/uploads/{identity}").status_code == 404


def test_an_upload_that_never_came_is_404(replica: Replica) -> None:
    assert replica("one").get(f"/api/uploads/{'0' * 64}").status_code == 404


def test_a_record_without_its_data_is_404_and_can_be_brought_again(
    replica: Replica, store: str
) -> None:
    one, other = replica("one"), replica("other")
    kept = upload(one, TABLE)
    files, root = fsspec.core.url_to_fs(store)
    files.invalidate_cache()
    (data,) = (path for path in files.ls(root, detail=False) if path.endswith(".safetensors"))
    files.rm(data)
    assert attended(other, kept["id"]).status_code == 404
    upload(other, TABLE)
    assert attended(other, kept["id"]).status_code == 200


def test_nothing_is_left_half_written(tmp_path: Path) -> None:
    """On a disk, where readers could see it."""
    settings = Settings(upload_dir=tmp_path / "one", upload_store=f"file://{tmp_path}/store")
    client = TestClient(create_app(settings))
    kept = upload(client, TABLE)
    names = sorted(path.name for path in (tmp_path / "store").iterdir())
    assert len(names) == 2
    assert names[1] == f"{kept['id']}.json"
    assert names[0].startswith(f"{kept['id']}.") and names[0].endswith(".safetensors")


@pytest.mark.parametrize(
    "url", ["s3://shared/uploads", "no-such-kind://shared", "file:///proc/no/such/place"]
)
def test_a_store_that_cannot_be_reached_is_503_and_says_the_setting(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")  # where nobody listens
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    fsspec.filesystem("s3").clear_instance_cache()
    settings = Settings(upload_dir=tmp_path, upload_store=url)
    client = TestClient(create_app(settings), raise_server_exceptions=False)
    answer = client.post("/api/uploads", files={"file": ("x.csv", TABLE)})
    assert answer.status_code == 503
    assert "ATTENTION_UPLOAD_STORE" in answer.json()["detail"]
    assert [name for name in os.listdir(tmp_path) if name.endswith(".part")] == []
