"""multipart/form-data, read as it arrives."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from anyio import to_thread
from fastapi import Request
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from app.body import refuse_packed
from app.problems import ProblemError
from app.settings import Settings
from app.uploads.incoming import Incoming, Parts, too_large
from app.uploads.reading import shown
from attention import FILE_KINDS, TABLE_OPTIONS, kind_of, say

MAX_CONFIG_BYTES = 2**20
MAX_FIELD_BYTES = 2**12
MAX_PARTS = 64
# Boundaries, headers and short fields beside the file itself.
OVERHEAD = MAX_CONFIG_BYTES + MAX_PARTS * 2**13
FILES = ("file", "config")


class FormReader:
    """Sends each part of one request to where it belongs."""

    def __init__(self, request: Request, settings: Settings, folder: Path, parts: Parts) -> None:
        self.request, self.settings, self.folder, self.parts = request, settings, folder, parts
        self._file: Incoming | None = None
        self._field: tuple[str, bytearray] | None = None

    async def read(self) -> None:
        """Fill ``parts``; a form that is broken or too large is refused."""
        refuse_packed(self.request)
        self._refuse_declared_size()
        parser = PushMultipartParser(self._boundary(), max_segment_count=MAX_PARTS)
        try:
            async for chunk in self.request.stream():
                for event in parser.parse(chunk) if chunk else ():
                    await self._take(event)
            parser.close()
        except (MultipartError, UnicodeDecodeError) as error:
            raise ProblemError(400, f"the form cannot be read: {error}") from None
        except ClientDisconnect:
            raise ProblemError(400, "the form stopped before its end") from None

    def _boundary(self) -> str:
        said = self.request.headers.get("content-type", "")
        kind, options = parse_options_header(said)
        if kind != "multipart/form-data":
            raise ProblemError(
                415,
                "an upload is a form: expected multipart/form-data with the field file, got"
                f" {say(kind)}",
            )
        if not options.get("boundary"):
            raise ProblemError(400, "the form cannot be read: its content-type has no boundary")
        return str(options["boundary"])

    def _refuse_declared_size(self) -> None:
        said = self.request.headers.get("content-length", "")
        limit = self.settings.max_upload_bytes
        if said.isdigit() and int(said) > limit + OVERHEAD:
            raise too_large("the file", limit, "max_upload_bytes", f"{said} bytes of form")

    async def _take(self, event: MultipartSegment | bytes | bytearray | None) -> None:
        if isinstance(event, MultipartSegment):
            await self._begin(event)
        elif event is None:
            await self._end()
        elif self._file is not None:
            await self._file.write(event)
        elif self._field is not None:
            self._field[1].extend(event)
            if len(self._field[1]) > MAX_FIELD_BYTES:
                raise refused(self._field[0], "the field is too long", f"{MAX_FIELD_BYTES} bytes")

    async def _begin(self, segment: MultipartSegment) -> None:
        name = segment.name or ""
        if name not in FILES + TABLE_OPTIONS:
            near = get_close_matches(name, FILES + TABLE_OPTIONS, n=1)
            hint = repr(near[0]) if near else ", ".join(FILES + TABLE_OPTIONS)
            raise refused(name, f"{name!r} is not a known field of this form", hint)
        if name in TABLE_OPTIONS:
            self._field = (name, bytearray())
            return
        if not segment.filename:
            raise refused(name, f"{name} is sent as a file, with its name", "a file's name")
        is_config = name == "config" or shown(segment.filename) == "config.json"
        if kind_of(segment.filename) is None:
            rule = f"{shown(segment.filename)} is of a kind that is not read"
            raise refused(name, rule, ", ".join(FILE_KINDS), status=415)
        limit = MAX_CONFIG_BYTES if is_config else self.settings.max_upload_bytes
        setting = None if is_config else "max_upload_bytes"
        self._file = await to_thread.run_sync(
            Incoming, self.folder, segment.filename, limit, setting
        )
        (self.parts.configs if is_config else self.parts.files).append(self._file)

    async def _end(self) -> None:
        if self._file is not None:
            await self._file.finish()
        elif self._field is not None:
            name, value = self._field
            self.parts.fields[name] = value.decode("utf-8")
        self._file = self._field = None


def refused(field: str, rule: str, expected: str, status: int = 422) -> ProblemError:
    """A refusal at one field of the form."""
    message = f"{rule}: expected {expected}"
    item = {"loc": [field], "message": message, "expected": expected, "got": None}
    return ProblemError(status, message, [item])
