"""Tables of numbers as text: comma, tab or semicolon separated, as spreadsheets write them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from itertools import chain
from math import isinf
from typing import Any

import numpy as np

from attention.arrays import say
from attention.errors import FileError, UnreadableFileError
from attention.files.dialect import Dialect, Row, detect, rows_of
from attention.files.entry import ArrayFile, Entry, Source

ONLY_NAME = "table"
MAX_NAMED_PLACES = 20
# What Python's float() takes and a table of numbers should not: a sign between digits, and numbers
# beyond float64, which it makes infinite.
LOOSE = re.compile(r"_|e\+?\d{3}|\d{300}", re.IGNORECASE)


class TextFile(ArrayFile):
    """One table [rows][columns], with the labels of its rows and columns apart."""

    def __init__(self, source: Source) -> None:
        text, bom = _text(source)
        dialect = detect(text, source.options, source.name)
        table = _Table(text, dialect, source.name)
        self._numbers = table.numbers
        self.entries = {ONLY_NAME: Entry(ONLY_NAME, "float64", table.numbers.shape)}
        self.detected: dict[str, Any] = {
            "delimiter": dialect.delimiter,
            "decimal": dialect.decimal,
            "header": dialect.header,
            "labels": dialect.labels,
            "column_names": table.column_names,
            "row_labels": table.row_labels,
            "byte_order_mark": bom,
            "rows": table.numbers.shape[0],
            "columns": table.numbers.shape[1],
        }

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """The table as float64."""
        return self._numbers


def _text(source: Source) -> tuple[str, bool]:
    data = source.path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableFileError(
            f"{source.name} is not UTF-8 text", expected="UTF-8", got="UTF-16; save it as UTF-8"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise UnreadableFileError(
            f"{source.name} is not UTF-8 text",
            expected="UTF-8",
            got=f"byte 0x{data[error.start]:02x} in row {row}",
        ) from None
    return text, data.startswith(b"\xef\xbb\xbf")


class _Table:
    """Rows read one after the other; every bad cell is kept for one refusal, up to a bound."""

    def __init__(self, text: str, dialect: Dialect, name: str) -> None:
        self.dialect, self.name = dialect, name
        self.row_labels: list[str] | None = [] if dialect.labels else None
        self.column_names: list[str] | None = None
        self._bad: list[str] = []
        self._strict = bool(LOOSE.search(text)) or dialect.decimal == "," or not text.isascii()
        self._width: int | None = None
        self._first = 0
        values = array("d")
        rows = 0
        for place, cells in self._body(rows_of(text, dialect.delimiter, name)):
            values.extend(self._numbers(place, cells))
            rows += 1
        self._refuse(rows)
        self.numbers = np.frombuffer(values, np.float64).reshape(rows, -1)

    def _body(self, rows: Iterator[Row]) -> Iterator[tuple[int, Row]]:
        """Rows of numbers with their places, counted from 1; blank lines at the end are none."""
        blank: list[int] = []
        header = self.dialect.header
        for place, cells in enumerate(rows, 1):
            if not any(cell.strip() for cell in cells) and len(cells) < 2:
                blank.append(place)
                continue
            if self._width is None:
                blank.clear()
                self._width, self._first = len(cells), place
            for gap in blank:
                self._note(f"row {gap} is empty")
            blank.clear()
            if len(cells) != self._width:
                self._note(
                    f"row {place} has {len(cells)} cells, expected {self._width} as in row"
                    f" {self._first}"
                )
            elif header:
                self.column_names = [cell.strip() for cell in self._without_label(cells)]
            else:
                yield place, cells
            header = False

    def _without_label(self, cells: Row) -> Row:
        return cells[1:] if self.dialect.labels else cells

    def _numbers(self, place: int, cells: Row) -> list[float]:
        if self.row_labels is not None:
            self.row_labels.append(cells[0].strip())
        numbers = self._without_label(cells)
        if not self._strict:
            try:
                return [self.dialect.number(cell) for cell in numbers]
            except ValueError:
                pass
        shift = len(cells) - len(numbers) + 1
        return list(
            chain.from_iterable(self._cell(place, i + shift, c) for i, c in enumerate(numbers))
        )

    def _cell(self, row: int, column: int, cell: str) -> list[float]:
        if self.dialect.is_number(cell):
            number = self.dialect.number(cell.strip())
            if not isinf(number) or "inf" in cell.lower():
                return [number]
            self._note(f"row {row}, column {column} does not fit float64 ({say(cell.strip())})")
            return []
        what = f"is not a number ({say(cell.strip())})" if cell.strip() else "is empty"
        self._note(f"row {row}, column {column} {what}")
        return []

    def _note(self, place: str) -> None:
        self._bad.append(place)

    def _refuse(self, rows: int) -> None:
        named = self._bad[:MAX_NAMED_PLACES]
        if named:
            more = len(self._bad) - len(named)
            said = "; ".join(named) + (f"; and {more} more" if more else "")
            raise FileError(f"{self.name}: {said}", parts=named, expected="a number in every cell")
        columns = (self._width or 0) - self.dialect.labels
        if not rows or columns < 1:
            raise FileError(
                f"{self.name} holds no numbers",
                expected="at least one row and one column of numbers",
                got=f"{rows} rows, {max(columns, 0)} columns beside header and labels",
            )
