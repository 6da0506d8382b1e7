"""Uploads on disk, shared by every worker process: content under its hash, and a quota."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from app.errors import concerning
from app.problems import ProblemError
from app.settings import Settings
from app.uploads.incoming import Part, Parts, Present, too_large
from app.uploads.reading import config_of, described, kept, opened
from app.uploads.shared import Shared, object_name
from app.uploads.upload import Upload, unknown
from attention import Calls, kind_of

try:
    import fcntl
except ImportError:  # not a POSIX system: two workers may then evict at once
    fcntl = None  # type: ignore[assignment]

IDENTITY = re.compile(r"[0-9a-f]{64}")
STALE_SECONDS = 3600


class Store:
    """``<hash>.json`` says what an upload is, ``<hash>.npy`` or ``.safetensors`` holds it.

    Nothing is remembered in the process. The record's time is when it was last used; the least
    recently used uploads go first when the quota is full. With a store that several machines
    share, the folder is its cache, and an upload is kept once it is there.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.used: list[bytes] = []
        """The records of what was loaded, in order."""

    @cached_property
    def _folder(self) -> Path:
        """Asked for only where an upload is: a machine without a temporary folder can compute."""
        with storing():
            return self.settings.upload_dir or default_folder()

    @cached_property
    def _shared(self) -> Shared | None:
        url = self.settings.upload_store
        return None if url is None else Shared(url)

    def folder(self) -> Path:
        """Where uploads lie, made at the first use."""
        with storing():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.settings.upload_dir is None:
                _refuse_foreign(self._folder)
            with tempfile.TemporaryFile(dir=self._folder):
                return self._folder

    def keep(self, parts: Parts) -> Upload:
        """Check and keep the one file of a form, with the config that came along."""
        part, *shards = parts.in_order()
        with concerning("file"):
            self._refuse_sizes(shards)
            file = opened(part, self.settings.max_unpacked_bytes, parts.fields, shards)
        with concerning("config"):
            config = config_of(parts.configs[0]) if parts.configs else file.config
            answer = described(part, file, config)
        config = dict(config) if config is not None else None
        with storing():
            path = kept(part, file, self.settings.max_unpacked_bytes)
        kind = ".npy" if kind_of(part.name) == ".npy" else ".safetensors"
        data, record = self._paths(part.digest, kind)
        try:
            # Not orjson: a config may hold integers of any size.
            found = {"answer": answer, "config": config, "kind": kind}
            if self._shared is None:
                said = json.dumps(found).encode()
            else:
                name = object_name(part.digest, path, kind)
                said = json.dumps(found | {"object": name}).encode()
                self._refuse_over_quota(path.stat().st_size + len(said))
                self._shared.put(name, path, part.digest, said)
            self._place(path, data, record, said)
        finally:
            path.unlink(missing_ok=True)
        return Upload(answer, config, data)

    def _place(self, path: Path, data: Path, record: Path, said: bytes) -> None:
        """Move a file to its place in the folder, with its record."""
        with storing(), self._locked():
            self._make_room(path.stat().st_size + len(said), record.stem)
            os.replace(path, data)
            _write(record, said)

    def keep_run(self, calls: Calls, name: str) -> Upload:
        """Keep recorded calls as the upload of a file with this name."""

        def write(path: Path) -> None:
            calls.save(path)
            size, limit = path.stat().st_size, self.settings.max_unpacked_bytes
            if size > limit:
                raise too_large("the run", limit, "max_unpacked_bytes", f"{size} bytes")

        return self._keep_written(f"{name}.safetensors", write)

    def keep_copy(self, path: Path) -> Upload:
        """Keep a copy of a file of this machine."""
        return self._keep_written(path.name, partial(shutil.copyfile, path))

    def _keep_written(self, name: str, write: Callable[[Path], object]) -> Upload:
        """Keep what ``write`` writes."""
        with self._part() as path:
            with storing():
                write(path)
            with Parts() as parts:
                parts.files.append(Present(path, name))
                return self.keep(parts)

    @contextmanager
    def _part(self) -> Iterator[Path]:
        """A file that is on its way in; it goes, unless it was moved to its place."""
        with storing():
            handle, text = tempfile.mkstemp(dir=self.folder(), suffix=".part")
            os.close(handle)
        path = Path(text)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def load(self, identity: Any) -> Upload:
        """A kept upload; `UnknownUploadError` for one that never came, or went for room."""
        if not isinstance(identity, str) or not IDENTITY.fullmatch(identity):
            raise unknown(identity)
        if self._shared is not None:
            self._bring(self._shared, identity)
        record = self._folder / f"{identity}.json"
        try:
            said = record.read_bytes()
            found = json.loads(said)
            data, _ = self._paths(identity, found["kind"])
            os.utime(record)
            data.stat()
        except OSError:
            raise unknown(identity) from None
        self.used.append(said)
        return Upload(found["answer"], found["config"], data)

    def _bring(self, shared: Shared, identity: str) -> None:
        """Have in the folder what the store has, which another machine may have kept."""
        said = shared.record(identity)
        if said is None:
            raise unknown(identity)
        found = json.loads(said)
        data, record = self._paths(identity, found["kind"])
        if data.exists() and record.exists() and record.read_bytes() == said:
            return
        with self._part() as path:
            if not shared.fetch(found["object"], path):
                raise unknown(identity)
            self._place(path, data, record, said)

    def stored_bytes(self) -> int:
        """Of all uploads together; 0 where there is no folder yet."""
        if not self._folder.is_dir():
            return 0
        return sum(size for _, size in self._sizes().values())

    def _refuse_sizes(self, shards: list[Part]) -> None:
        """Shards are put together in memory, so all of them have one limit."""
        total, limit = sum(shard.size for shard in shards), self.settings.max_unpacked_bytes
        if total > limit:
            raise too_large("all shards together", limit, "max_unpacked_bytes", total)

    def _paths(self, digest: str, kind: str) -> tuple[Path, Path]:
        return self._folder / f"{digest}{kind}", self._folder / f"{digest}.json"

    def _refuse_over_quota(self, size: int) -> None:
        quota = self.settings.upload_quota_bytes
        if size > quota:
            raise ProblemError(
                413,
                f"the upload is over the limit upload_quota_bytes: expected at most {quota} bytes"
                f" (raised by the setting ATTENTION_UPLOAD_QUOTA_BYTES), got {size}",
            )

    def _make_room(self, size: int, digest: str) -> None:
        """Remove what was used longest ago until the newcomer fits the quota."""
        quota = self.settings.upload_quota_bytes
        self._refuse_over_quota(size)
        self._remove_stale()
        sizes = self._sizes()
        others = sorted((used, name) for name, (used, _) in sizes.items() if name != digest)
        total = sum(bytes_ for name, (_, bytes_) in sizes.items() if name != digest)
        for _, name in others:
            if total + size <= quota:
                return
            total -= sizes[name][1]
            for path in self._folder.glob(f"{name}.*"):
                path.unlink(missing_ok=True)

    def _sizes(self) -> dict[str, tuple[float, int]]:
        """Of each upload: when it was last used, and its bytes."""
        found: dict[str, tuple[float, int]] = {}
        for path in self._folder.iterdir():
            if not IDENTITY.fullmatch(path.stem):
                continue
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            used, size = found.get(path.stem, (0.0, 0))
            found[path.stem] = (max(used, status.st_mtime), size + status.st_size)
        return found

    def _remove_stale(self) -> None:
        """Parts that a stopped process left behind."""
        for pattern in ("*.part", "*.converted"):
            for path in self._folder.glob(pattern):
                try:
                    if time.time() - path.stat().st_mtime > STALE_SECONDS:
                        path.unlink()
                except FileNotFoundError:
                    continue

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One worker at a time makes room and puts a file in its place."""
        with (self._folder / "lock").open("w") as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
            yield


@contextmanager
def storing() -> Iterator[None]:
    """A full or missing disk is the operator's matter: 503, with the setting."""
    try:
        yield
    except (OSError, SafetensorError) as error:
        raise ProblemError(
            503,
            f"uploads cannot be stored: {getattr(error, 'strerror', error)}; the setting"
            " ATTENTION_UPLOAD_DIR says where they go",
        ) from None


def default_folder() -> Path:
    """Below the system's folder for things that may go; one for each user."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"attention-visualiser-{user}" / "uploads"


def _refuse_foreign(folder: Path) -> None:
    """Someone else may have put a folder of this name into the shared place before us."""
    owner = folder.parent.lstat()
    if hasattr(os, "getuid") and owner.st_uid != os.getuid():
        raise PermissionError(1, f"{folder.parent.name} belongs to another user")


def _write(path: Path, data: bytes) -> None:
    """All or nothing: readers see the old record or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(name, path)
