"""Uploads in a store that several machines share: the local folder is then a cache of it.

The store is whatever fsspec has a file system for. ``<hash>.json`` is an upload's record as in the
folder; it names the object with its tensors, which never changes, so a record is never at odds
with its data. Records are written last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from app.problems import ProblemError


class Shared:
    """One store, at a URL such as ``s3://bucket/uploads`` or ``file:///mnt/uploads``.

    Its credentials and endpoint are fsspec's own configuration (``FSSPEC_S3_ENDPOINT_URL`` and
    the like) and those of the store's library.
    """

    def __init__(self, url: str) -> None:
        with reaching():
            from fsspec.core import url_to_fs  # slow, and needed by no other store

            found: tuple[Any, str] = url_to_fs(url)
        self._files, self._root = found

    def record(self, identity: str) -> bytes | None:
        """What an upload is, as it was last written; None for one that is not there."""
        with reaching():
            try:
                said: bytes = self._files.cat_file(self._path(f"{identity}.json"))
            except FileNotFoundError:
                return None
            return said

    def fetch(self, name: str, path: Path) -> bool:
        """Copy an object into a file; False where it is not there."""
        with reaching():
            try:
                self._files.get_file(self._path(name), str(path))
            except FileNotFoundError:
                return False
            return True

    def put(self, name: str, path: Path, identity: str, record: bytes) -> None:
        """Keep a file, then the record that names it; both are there when this returns."""
        with reaching():
            self._files.makedirs(self._root, exist_ok=True)
            with self._whole(name) as target:
                self._files.put_file(str(path), target)
            with self._whole(f"{identity}.json") as target:
                self._files.pipe_file(target, record)

    @contextmanager
    def _whole(self, name: str) -> Iterator[str]:
        """Where to write so that readers see nothing or all; an object store does so by itself."""
        path = self._path(name)
        if not getattr(self._files, "local_file", False):
            yield path
            return
        part = f"{path}.{uuid4().hex}.part"
        yield part
        self._files.mv(part, path)

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"


def object_name(identity: str, path: Path, kind: str) -> str:
    """The name of an upload's tensors: read otherwise, they are another object."""
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{identity}.{content[:32]}{kind}"


@contextmanager
def reaching() -> Iterator[None]:
    """Whatever a store's library raises, the store is the operator's matter: 503."""
    try:
        yield
    except Exception as error:
        raise ProblemError(
            503,
            f"the store of uploads cannot be reached ({type(error).__name__}); the setting"
            " ATTENTION_UPLOAD_STORE says where it is",
        ) from error
