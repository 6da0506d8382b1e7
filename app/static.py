"""The page's own files: compressed once, and the modules that a page will ask for."""

from __future__ import annotations

import gzip
import posixpath
import re
from functools import lru_cache
from os import PathLike, stat

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app.paths import STATIC_DIRECTORY

COMPRESSIBLE = (".js", ".css", ".svg", ".json", ".html")
LEVEL = 6
MOST_FILES = 512
KEPT_HEADERS = ("content-type", "etag", "last-modified")
IMPORT = re.compile(r"""^\s*(?:import|export)\b[^"';]*?from\s*["'](\.[^"']+)["']""", re.MULTILINE)


class CompressedFiles(StaticFiles):
    """Static files whose compressed form is kept, since compressing takes longer than sending."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if not isinstance(response, FileResponse) or not _may_compress(scope, path):
            return response
        content = await run_in_threadpool(_compressed, response.path)
        headers = {name: response.headers[name] for name in KEPT_HEADERS}
        headers |= {"content-encoding": "gzip", "vary": "Accept-Encoding"}
        return Response(content, headers=headers)


def _may_compress(scope: Scope, path: str) -> bool:
    headers = Headers(scope=scope)
    accepted = "gzip" in headers.get("accept-encoding", "")
    return (
        scope["method"] == "GET"
        and accepted
        and "range" not in headers
        and path.endswith(COMPRESSIBLE)
    )


def _compressed(path: str | PathLike[str]) -> bytes:
    found = stat(path)
    return _compressed_version(str(path), found.st_mtime_ns, found.st_size)


@lru_cache(MOST_FILES)
def _compressed_version(path: str, changed: int, size: int) -> bytes:
    with open(path, "rb") as file:
        return gzip.compress(file.read(), LEVEL, mtime=0)


@lru_cache
def modules(entry: str) -> tuple[str, ...]:
    """Every module that an entry of static/js imports, near or far, nearest first.

    Named in the page, they are all asked for at once; else the browser finds them level by level.
    """
    found = [entry]
    for name in found:
        source = (STATIC_DIRECTORY / "js" / name).read_text(encoding="utf-8")
        for target in IMPORT.findall(source):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if module not in found:
                found.append(module)
    return tuple(found)
