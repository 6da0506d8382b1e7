"""The folder of uploads: quota, several workers, and what stopped processes leave."""

import hashlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save

from app.errors import UnknownUploadError
from app.main import create_app
from app.settings import Settings
from app.uploads import Store
from app.uploads.store import STALE_SECONDS, default_folder
from tests.uploads.conftest import Serve


def weights(number: int, size: int = 1000) -> bytes:
    return save({"w": np.full(size // 8, number, np.float64)})


def upload(client: TestClient, data: bytes, name: str = "w.safetensors") -> Any:
    return client.post("/api/uploads", files={"file": (name, data)})


def held(client: TestClient, data: bytes) -> bool:
    identity = hashlib.sha256(data).hexdigest()
    return client.get(f"/api/uploads/{identity}").status_code == 200


def age(folder: Path, data: bytes, seconds: float) -> None:
    """As if it had been used that long ago."""
    then = time.time() - seconds
    for path in folder.glob(f"{hashlib.sha256(data).hexdigest()}.*"):
        os.utime(path, (then, then))


def test_least_recently_used_upload_goes_first(serve: Serve, folder: Path) -> None:
    client = serve(upload_quota_bytes=6000)
    first, second, third = (weights(i) for i in range(3))
    for i, data in enumerate((first, second, third)):
        assert upload(client, data).status_code == 201
        age(folder, data, 300 - i)
    assert held(client, first)  # and by that the second is the oldest
    assert upload(client, weights(9, 2000)).status_code == 201
    assert [held(client, data) for data in (first, second, third)] == [True, False, True]
    total = sum(path.stat().st_size for path in folder.iterdir())
    assert total <= 6000


def test_reading_a_tensor_counts_as_use(serve: Serve, folder: Path) -> None:
    client = serve(upload_quota_bytes=4000)
    first, second = (save({"x": np.full((10, 10), i, np.float64)}) for i in range(2))
    for data in (first, second):
        upload(client, data)
    age(folder, first, 200)
    age(folder, second, 100)
    spec = {"x": {"upload": hashlib.sha256(first).hexdigest()}}
    assert client.post("/api/attention", json=spec).status_code == 200
    upload(client, weights(5, 2000))
    assert held(client, first)
    assert not held(client, second)


def test_upload_larger_than_the_quota_is_413_and_evicts_nobody(serve: Serve) -> None:
    client = serve(upload_quota_bytes=3000)
    small = weights(1)
    upload(client, small)
    answer = upload(client, weights(2, 4000))
    assert answer.status_code == 413
    assert "ATTENTION_UPLOAD_QUOTA_BYTES" in answer.json()["detail"]
    assert held(client, small)


def test_same_file_twice_is_kept_once(client: TestClient, folder: Path) -> None:
    answers = [upload(client, weights(1)).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(list(folder.glob("*.safetensors"))) == 1


def test_forgotten_upload_is_404_and_can_be_brought_again(serve: Serve, folder: Path) -> None:
    client = serve()
    data = weights(3)
    identity = upload(client, data).json()["id"]
    (folder / f"{identity}.safetensors").unlink()
    assert not held(client, data)
    assert upload(client, data).status_code == 201
    assert held(client, data)


def test_two_workers_share_the_folder(serve: Serve) -> None:
    one, other = serve(), serve()
    identity = upload(one, b"1,0\n0,1\n", "x.csv").json()["id"]
    assert other.get(f"/api/uploads/{identity}").status_code == 200
    assert other.post("/api/attention", json={"x": {"upload": identity}}).status_code == 200


READ_ELSEWHERE = """
import sys
from pathlib import Path
from app.settings import Settings
from app.uploads import Store
upload = Store(Settings(upload_dir=Path(sys.argv[1]))).load(sys.argv[2])
print(upload.tensor(None).sum())
"""


def test_another_process_reads_what_this_one_kept(serve: Serve, folder: Path) -> None:
    identity = upload(serve(), b"1,2\n3,4\n", "x.csv").json()["id"]
    command = [sys.executable, "-c", READ_ELSEWHERE, str(folder), identity]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "10" in run.stdout


def test_workers_that_evict_at_once_leave_a_folder_that_makes_sense(
    serve: Serve, folder: Path
) -> None:
    """Each answer is a file taken; each record has its numbers; the quota holds in the end."""
    statuses: list[int] = []

    def work(worker: int) -> None:
        client = serve(upload_quota_bytes=12_000)
        for i in range(12):
            statuses.append(upload(client, weights(10 * (i % 4) + worker % 2)).status_code)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [201] * 48
    names = {path.name for path in folder.iterdir()}
    records = {name.removesuffix(".json") for name in names if name.endswith(".json")}
    assert {f"{n}.safetensors" for n in records} | {f"{n}.json" for n in records} | {
        "lock"
    } == names
    sizes = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    assert sizes <= 12_000


def test_parts_that_a_stopped_process_left_are_cleared_after_a_while(
    client: TestClient, folder: Path
) -> None:
    upload(client, weights(1))
    old, new = folder / "old.part", folder / "new.part"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, time.time() - STALE_SECONDS - 60))
    upload(client, weights(2))
    assert not old.exists()
    assert new.exists()


def test_mapped_numbers_outlive_their_file(serve: Serve, folder: Path) -> None:
    """A request in the middle of its work is not hurt by one that makes room."""
    identity = upload(serve(), weights(7)).json()["id"]
    tensor = Store(Settings(upload_dir=folder)).load(identity).tensor("w")
    (folder / f"{identity}.safetensors").unlink()
    assert (np.asarray(tensor) == 7).all()


def test_upload_that_vanishes_while_it_is_looked_up_is_unknown(serve: Serve, folder: Path) -> None:
    identity = upload(serve(), weights(7)).json()["id"]
    found = Store(Settings(upload_dir=folder)).load(identity)
    (folder / f"{identity}.safetensors").unlink()
    with pytest.raises(UnknownUploadError):
        found.tensor("w")


def test_folder_that_cannot_be_written_is_503_and_names_the_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    app = create_app(Settings(upload_dir=tmp_path / "file" / "uploads"))
    client = TestClient(app, raise_server_exceptions=False)
    answer = upload(client, weights(1))
    assert answer.status_code == 503
    assert "ATTENTION_UPLOAD_DIR" in answer.json()["detail"]
    assert client.post("/api/attention", json={"x": {"upload": "0" * 64}}).status_code == 404


def test_default_folder_is_the_users_own_below_the_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("ATTENTION_UPLOAD_DIR", raising=False)
    folder = default_folder()
    assert folder.is_relative_to(tmp_path)
    client = TestClient(create_app(Settings()), raise_server_exceptions=False)
    assert upload(client, weights(1)).status_code == 201
    assert folder.stat().st_mode & 0o077 == 0
    assert len(list(folder.glob("*.safetensors"))) == 1
