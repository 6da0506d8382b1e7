"""The page's own files: compressed once, and the modules that a page will ask for."""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from os import PathLike, stat
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app.compression import VARY, accepts_gzip
from app.paths import STATIC_DIRECTORY

COMPRESSIBLE = (".js", ".css", ".svg", ".json", ".html")
LEVEL = 6
KEPT_HEADERS = ("content-type", "etag", "last-modified")
VERSIONED = re.compile(r"(v[0-9a-f]{12})/(.+)", re.DOTALL)
LASTING, ASKED_AGAIN = "public, max-age=31536000, immutable", "no-cache"
IMPORT = re.compile(r"""^\s*(?:import|export)\b[^"';]*?from\s*["'](\.[^"']+)["']""", re.MULTILINE)


class CompressedFiles(StaticFiles):
    """Static files whose compressed form is kept, since compressing takes longer than sending.

    ``/<version>/js/main.js`` is ``/js/main.js`` as it was when a page named it: a browser need not
    ask for it again. Without its version, or with an old one, it must.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._kept: dict[str, tuple[int, bytes]] = {}
        self._version = ""
        self.named_version()

    def named_version(self) -> str:
        """A name for all files as they are now: another one as soon as one of them changes."""
        paths = sorted(path for path in Path(str(self.directory)).rglob("*") if path.is_file())
        states = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
        self._version = "v" + hashlib.sha256(repr(states).encode()).hexdigest()[:12]
        return self._version

    async def get_response(self, path: str, scope: Scope) -> Response:
        named = VERSIONED.fullmatch(path)
        response = await self._file(named[2] if named else path, scope)
        lasting = named is not None and named[1] == self._version
        response.headers["cache-control"] = LASTING if lasting else ASKED_AGAIN
        return response

    async def _file(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if not isinstance(response, FileResponse) or not _may_compress(scope, path):
            return response
        content = await run_in_threadpool(self._compressed, response.path)
        headers = {name: response.headers[name] for name in KEPT_HEADERS}
        headers |= {"content-encoding": "gzip", "vary": VARY}
        return Response(content, headers=headers)

    def _compressed(self, path: str | PathLike[str]) -> bytes:
        changed = stat(path).st_mtime_ns
        version, content = self._kept.get(str(path), (None, b""))
        if version != changed:
            with open(path, "rb") as file:
                content = gzip.compress(file.read(), LEVEL, mtime=0)
            self._kept[str(path)] = changed, content
        return content


def _may_compress(scope: Scope, path: str) -> bool:
    headers = Headers(scope=scope)
    return (
        scope["method"] == "GET"
        and accepts_gzip(headers)
        and "range" not in headers
        and path.endswith(COMPRESSIBLE)
    )


def modules(entry: str) -> tuple[str, ...]:
    """Every module that an entry of static/js imports, near or far, nearest first.

    Named in the page, they are all asked for at once; else the browser finds them level by level.
    """
    found = [entry]
    for name in found:
        path = STATIC_DIRECTORY / "js" / name
        for target in IMPORT.findall(path.read_text(encoding="utf-8") if path.is_file() else ""):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if module not in found:
                found.append(module)
    return tuple(found)
