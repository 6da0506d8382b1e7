"""JSON read in pieces: between two of them other threads have their turn.

The standard library reads a text in one call, during which nothing else runs. A long text is read
here by the same scanner, some tens of thousands of characters at a time: lists of numbers and of
lists of numbers are cut between two of their items.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from json import JSONDecodeError, JSONDecoder, scanner
from threading import Lock
from typing import Any, TypeAlias

Scan: TypeAlias = Callable[[str, int], tuple[Any, int]]

in_c: Callable[[JSONDecoder], Scan] = vars(scanner)["make_scanner"]
in_python: Callable[[JSONDecoder], Scan] = vars(scanner)["py_make_scanner"]
"""This one calls ``parse_array``; the one in C reads lists itself."""
PIECE = 2**16
"""Characters that are read at once."""
SPACE = re.compile(r"[ \t\n\r]*")
NUMBERS = re.compile(r'(?:[^\[\]{}",]*,)+')
"""Items without parts of their own, each with its comma."""
LISTS = re.compile(r'(?:\[[^\[\]{}"]*\][ \t\n\r]*,[ \t\n\r]*)+')
"""Lists of such items, each with its comma."""


class Reading:
    """Texts that are being read: meanwhile nobody looks for cycles, which JSON has none of.

    Python would go through all lists that were read so far again and again, in one go each time.
    """

    def __init__(self) -> None:
        self._count, self._lock = 0, Lock()

    @contextmanager
    def one(self) -> Iterator[None]:
        """One more text for as long as this lasts."""
        with self._lock:
            self._count += 1
            gc.disable()
        try:
            yield
        finally:
            with self._lock:
                self._count -= 1
                if self._count == 0:
                    # What was read counts as old, and is not gone through at once after all.
                    gc.freeze()
                    gc.unfreeze()
                    gc.enable()


READING = Reading()


class Decoder(JSONDecoder):
    """As `json.JSONDecoder`, for long texts. ``turn`` is called before each piece."""

    def __init__(self, turn: Callable[[], None], **named: Any) -> None:
        super().__init__(**named)
        self._turn = turn
        self._scan: Scan = in_c(self)
        self.parse_array = self._list
        self.scan_once = in_python(self)

    def decode(self, s: str, *args: Any) -> Any:
        """The value of a whole text."""
        with READING.one():
            return super().decode(s, *args)

    def _list(self, text_and_start: tuple[str, int], scan_once: Scan) -> tuple[list[Any], int]:
        """The items after a bracket, and where its text ends."""
        text, here = text_and_start
        values: list[Any] = []
        here = _after_space(text, here)
        if text[here : here + 1] == "]":
            return values, here + 1
        while True:
            self._turn()
            piece = LISTS.match(text, here, here + PIECE) or NUMBERS.match(text, here, here + PIECE)
            if piece is not None:
                values += self._items(text, *piece.span())
                here = _after_space(text, piece.end())
            value, here = _scanned(scan_once, text, here)
            values.append(value)
            here = _after_space(text, here)
            sign = text[here : here + 1]
            if sign == "]":
                return values, here + 1
            if sign != ",":
                raise JSONDecodeError("Expecting ',' delimiter", text, here)
            here = _after_space(text, here + 1)

    def _items(self, text: str, start: int, stop: int) -> list[Any]:
        """Those of a piece that ends after a comma."""
        comma = text.rindex(",", start, stop)
        try:
            items: list[Any] = self._scan(f"[{text[start:comma]}]", 0)[0]
        except JSONDecodeError as error:
            raise JSONDecodeError(error.msg, text, start + error.pos - 1) from None
        except StopIteration as stopped:
            raise JSONDecodeError("Expecting value", text, start + stopped.value - 1) from None
        if not items:
            raise JSONDecodeError("Expecting value", text, _after_space(text, start))
        return items


def _scanned(scan_once: Scan, text: str, here: int) -> tuple[Any, int]:
    try:
        return scan_once(text, here)
    except StopIteration as stopped:
        raise JSONDecodeError("Expecting value", text, stopped.value) from None


def _after_space(text: str, here: int) -> int:
    found = SPACE.match(text, here)
    return here if found is None else found.end()
