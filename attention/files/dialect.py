"""How a text table is written: separator, decimal sign, header row and label column."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from attention.arrays import say
from attention.errors import FileError, UnreadableFileError

Row = list[str]
# In the order of preference where two fit equally well; a comma may also be a decimal sign.
DELIMITERS = ("\t", ";", ",", " ")
NAMES = {"tab": "\t", "\\t": "\t", "semicolon": ";", "comma": ",", "space": " "}
OPTIONS = ("delimiter", "decimal", "header", "labels")
SAMPLE_ROWS = 50
POINT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
COMMA = re.compile(r"[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?", re.ASCII)
NON_FINITE = re.compile(r"nan|[+-]?inf(inity)?", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """What was detected, or said."""

    delimiter: str | None
    decimal: str
    header: bool
    labels: bool

    def is_number(self, cell: str) -> bool:
        """Whether a cell is one number under this decimal sign."""
        return is_number(cell, self.decimal)

    def number(self, cell: str) -> float:
        """The number in a cell that is one."""
        return float(cell.replace(",", ".") if self.decimal == "," else cell)


def is_number(cell: str, decimal: str) -> bool:
    """Digits with at most one decimal sign and an exponent; or nan or inf by name."""
    cell = cell.strip()
    pattern = COMMA if decimal == "," else POINT
    return bool(pattern.fullmatch(cell) or NON_FINITE.fullmatch(cell))


def rows_of(text: str, delimiter: str | None, name: str) -> Iterator[Row]:
    """The rows as the csv module reads them; an empty line is an empty row."""
    if delimiter == " ":
        text = "\n".join(line.strip(" \r") for line in text.split("\n"))
    # Where nothing separates cells, nothing is found to separate them: any sign will do.
    sign = delimiter or "\t"
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=sign, skipinitialspace=True, strict=True
    )
    row = 1
    try:
        for cells in reader:
            yield cells
            row += 1
    except csv.Error as error:
        raise UnreadableFileError(f"{name}: row {row} cannot be read", got=str(error)) from None


def detect(text: str, options: Mapping[str, str], name: str) -> Dialect:
    """Read the first rows in every way and keep the one that gives most numbers."""
    said = _said(options)
    delimiter = said.get("delimiter") or _delimiter(text, said.get("decimal"), name)
    sample = [row for row in islice(rows_of(text, delimiter, name), SAMPLE_ROWS) if row]
    decimal = said.get("decimal") or _decimal(sample, delimiter)
    header = said.get("header")
    labels = said.get("labels")
    has_header = _has_header(sample, decimal) if header is None else header == "true"
    body = sample[1:] if has_header else sample
    if labels is None:
        has_labels = _has_labels(body, decimal) or (has_header and _has_corner(sample[0]))
    else:
        has_labels = labels == "true"
    return Dialect(delimiter, decimal, has_header, has_labels)


def _said(options: Mapping[str, str]) -> dict[str, str]:
    """The options that override, checked; empty ones and "auto" are none."""
    found = {name: value for name, value in options.items() if value not in ("", "auto")}
    if "delimiter" in found:
        found["delimiter"] = NAMES.get(found["delimiter"], found["delimiter"])
    choices = {
        "delimiter": DELIMITERS,
        "decimal": (".", ","),
        "header": ("true", "false"),
        "labels": ("true", "false"),
    }
    for name, value in found.items():
        if value not in choices[name]:
            allowed = ", ".join("tab" if c == "\t" else repr(c) for c in choices[name])
            raise FileError(
                f"{name} must be a known choice", loc=(name,), expected=allowed, got=say(value)
            )
    if found.get("delimiter") == "," and found.get("decimal") == ",":
        raise FileError(
            "a comma cannot both separate and be the decimal sign",
            loc=("decimal",),
            expected="another delimiter, or decimal .",
            got="both",
        )
    return found


def _delimiter(text: str, decimal: str | None, name: str) -> str | None:
    best, chosen = 0.0, None
    for delimiter in DELIMITERS:
        if delimiter == "," and decimal == ",":
            continue
        share = _share_of_numbers(text, delimiter, decimal)
        if share > best:
            best, chosen = share, delimiter
    return chosen


def _share_of_numbers(text: str, delimiter: str, decimal: str | None) -> float:
    """How much of the sample reads as numbers: 0 where the delimiter never stands."""
    try:
        sample = [r for r in islice(rows_of(text, delimiter, ""), SAMPLE_ROWS) if r]
    except UnreadableFileError:
        return 0.0
    if not sample or max(map(len, sample)) < 2:
        return 0.0
    decimal = decimal or _decimal(sample, delimiter)
    # A header row and a column of labels say nothing against a delimiter.
    inner = [row[1:] for row in (sample[1:] or sample)]
    cells = [cell for row in inner for cell in row or [""]]
    # Never 0: a table of nothing but bad cells is still separated by something.
    return (1 + sum(is_number(cell, decimal) for cell in cells)) / (1 + len(cells))


def _decimal(sample: list[Row], delimiter: str | None) -> str:
    """A comma where some number needs it and none has a point."""
    if delimiter == ",":
        return "."
    cells = [cell for row in sample for cell in row]
    with_point = any("." in cell and is_number(cell, ".") for cell in cells)
    with_comma = any("," in cell and is_number(cell, ",") for cell in cells)
    return "," if with_comma and not with_point else "."


def _has_header(sample: list[Row], decimal: str) -> bool:
    """The first of several rows holds no number, and names at least one column."""
    if len(sample) < 2:
        return False
    named = [cell for cell in sample[0] if cell.strip()]
    # An empty first cell is the corner above a column of labels; other empty cells are mistakes.
    return len(named) >= max(1, len(sample[0]) - 1) and not any(
        is_number(cell, decimal) for cell in named
    )


def _has_corner(header: Row) -> bool:
    """Only its first cell is empty: the column below is an index, as pandas writes one."""
    return len(header) > 1 and not header[0].strip() and all(cell.strip() for cell in header[1:])


def _has_labels(body: list[Row], decimal: str) -> bool:
    """No row begins with a number, and numbers follow."""
    if not body or max(map(len, body)) < 2:
        return False
    starts = [row[0].strip() for row in body]
    return all(start and not is_number(start, decimal) for start in starts)
