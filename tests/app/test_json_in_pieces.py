"""A long text read in pieces is what the standard library reads in one, and so are its faults."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app import json_in_pieces
from app.json_in_pieces import PIECE, Decoder

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=40,
)
ROWS = st.lists(st.lists(st.floats(allow_nan=False) | st.integers(), max_size=5), max_size=31)


def nothing() -> None:
    """No other thread waits."""


def in_pieces(text: str) -> Any:
    return Decoder(nothing).decode(text)


def fault(read: Any, text: str) -> tuple[str, int] | None:
    """What is wrong and where; None where nothing is."""
    try:
        read(text)
    except json.JSONDecodeError as error:
        return error.msg, error.pos
    return None


@pytest.fixture(params=[2, 13, 61])
def short(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces that end within what is read."""
    monkeypatch.setattr(json_in_pieces, "PIECE", request.param)


@pytest.mark.usefixtures("short")
class TestShortPieces:
    @given(VALUES | ROWS | st.lists(ROWS), st.sampled_from([None, 0, 2, "\t"]))
    def test_the_same_value(self, value: Any, indent: int | str | None) -> None:
        text = json.dumps(value, indent=indent, ensure_ascii=indent is None)
        assert in_pieces(text) == json.loads(text)

    @given(VALUES | ROWS | st.lists(ROWS), st.data())
    @example([[1, 2], [3]], None)
    def test_the_same_fault_at_the_same_place(self, value: Any, data: st.DataObject | None) -> None:
        whole = json.dumps(value)
        if data is None:
            spoiled = [
                "[[1, 2], [3,]]",
                "[[1, 2],, [3]]",
                "[1, 2, ]",
                "[1 2]",
                "[1, -]",
                "[,]",
                "[ ,1]",
                "[",
            ]
        else:
            at = data.draw(st.integers(0, len(whole)))
            sign = data.draw(
                st.sampled_from(["", ",", "[", "]", "{", "}", '"', " ", "e", "-", ":"])
            )
            gone = data.draw(st.integers(0, 2))
            spoiled = [whole[:at] + sign + whole[at + gone :]]
        for text in spoiled:
            assert fault(in_pieces, text) == fault(json.loads, text), text


@pytest.mark.parametrize(
    "value",
    [[0.125] * 100_003, [[0.5] * 7] * 20_011, [[[1, 2]] * 5003] * 11, [[]] * 50_021],
    ids=["numbers", "rows", "heads", "empty rows"],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_turn_for_others_at_each_piece(value: Any, indent: int | None) -> None:
    text, turns = json.dumps({"x": value}, indent=indent), []
    assert Decoder(lambda: turns.append(None)).decode(text) == {"x": value}
    assert len(turns) >= len(text) // PIECE


def test_work_that_nobody_waits_for_ends_between_two_pieces() -> None:
    def left() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        Decoder(left).decode("[1, 2]")


def test_cycles_are_looked_for_again_when_the_last_text_is_read() -> None:
    seen: list[bool] = []

    def other_text() -> None:
        if not seen:
            seen.append(gc.isenabled())
            Decoder(nothing).decode("[[1, 2], [3]]")
            seen.append(gc.isenabled())

    assert gc.isenabled()
    Decoder(other_text).decode("[1, 2]")
    assert seen == [False, False]
    assert gc.isenabled()
    with pytest.raises(json.JSONDecodeError):
        Decoder(nothing).decode("[1, 2")
    assert gc.isenabled()
