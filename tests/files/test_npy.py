"""NumPy's .npy: every plain type, order and byte order; nothing else, and nothing unpickled."""

import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention import FileError, UnreadableFileError, open_tensors

Write = Callable[[bytes], Path]
TABLE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def at(data: bytes) -> Path:
        path = tmp_path / "tokens.npy"
        path.write_bytes(data)
        return path

    return at


def saved(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def with_header(text: str, numbers: bytes = b"", version: int = 1) -> bytes:
    header = text.encode() + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + numbers


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8"])
@pytest.mark.parametrize("fortran", [False, True])
def test_numbers_arrive_whatever_their_type_and_order(
    write: Write, order: str, kind: str, fortran: bool
) -> None:
    array = np.floor(TABLE).astype(order + kind)
    file = open_tensors(write(saved(np.asfortranarray(array) if fortran else array)))
    np.testing.assert_array_equal(np.asarray(file.read("array")), np.floor(TABLE))
    assert file.entries["array"].shape == (2, 3)
    assert file.detected["order"] == ("fortran" if fortran else "c")
    assert file.detected["byte_order"] == ("little" if order == "<" else "big")


@pytest.mark.parametrize("kind", ["i1", "u1", "?"])
def test_one_byte_types_have_no_order(write: Write, kind: str) -> None:
    file = open_tensors(write(saved(np.array([[0, 1], [1, 1]], kind))))
    np.testing.assert_array_equal(np.asarray(file.read("array")), [[0, 1], [1, 1]])


def test_newer_header_version_is_read(write: Write) -> None:
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
    for version in (2, 3):
        file = open_tensors(write(with_header(text, struct.pack("<2f", 1.5, -2), version)))
        np.testing.assert_array_equal(np.asarray(file.read("array")), [1.5, -2])


def test_header_of_python_2_is_read_without_a_word(write: Write) -> None:
    """Its integers end in L; pytest makes an error of NumPy's warning."""
    data = saved(TABLE).replace(b"(2, 3), }  ", b"(2L, 3L), }")
    assert b"2L" in data and len(data) == len(saved(TABLE))
    np.testing.assert_array_equal(open_tensors(write(data)).read("array"), TABLE)


def test_empty_array_and_single_number_keep_their_shape(write: Write) -> None:
    assert np.asarray(open_tensors(write(saved(np.zeros((0, 3))))).read("array")).shape == (0, 3)
    assert np.asarray(open_tensors(write(saved(np.float64(2.5)))).read("array")) == 2.5


def test_numbers_are_mapped_not_copied(write: Write) -> None:
    numbers = open_tensors(write(saved(TABLE))).read("array")
    assert isinstance(numbers, np.memmap)


class Bomb:
    """Unpickling this would leave a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (open, (str(self.path), "w"))


def test_objects_are_refused_by_name_and_never_unpickled(write: Write, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    array = np.array([Bomb(trace), 1], dtype=object)
    with pytest.raises(FileError, match=r"tokens\.npy holds Python objects \(dtype object\)"):
        open_tensors(write(saved(array, allow_pickle=True)))
    assert not trace.exists()


@pytest.mark.parametrize(
    ("array", "named"),
    [
        (np.array([1 + 2j]), "complex128"),
        (np.array(["a"]), "<U1"),
        (np.array([b"a"]), "S1"),
        (np.array(["2024-05-05"], "M8[D]"), "datetime64"),
        (np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]), "'a'"),
        (np.zeros(2, "V2"), "bfloat16"),
    ],
    ids=["complex", "text", "bytes", "dates", "records", "raw"],
)
def test_other_types_are_refused_by_name(write: Write, array: Any, named: str) -> None:
    with pytest.raises(FileError, match="does not hold plain numbers") as refusal:
        open_tensors(write(saved(array)))
    assert named in refusal.value.message


def test_file_that_is_cut_short_says_both_sizes(write: Write) -> None:
    data = saved(TABLE)
    with pytest.raises(UnreadableFileError, match="cut short") as refusal:
        open_tensors(write(data[:-8]))
    assert f"{len(data)} bytes" in refusal.value.message
    assert f"{len(data) - 8} bytes" in refusal.value.message


def test_file_that_is_longer_than_it_says_is_refused(write: Write) -> None:
    with pytest.raises(UnreadableFileError, match="longer than its header says"):
        open_tensors(write(saved(TABLE) + b"\0"))


HUGE = "9" * 5000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x93NUM",
        b"\x93NUMPY\x09\x00",
        b"\x93NUMPY\x01\x00\xff\xff{",
        with_header("not a header"),
        with_header("{'descr': '<f4', 'shape': (2,)}"),
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -8)}", bytes(32)),
        with_header(f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({HUGE},)}}"),
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2" + ",0" * 40 + ")}"),
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}"),
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': " + "(" * 200 + "}"),
        with_header("{'descr': 'what', 'fortran_order': False, 'shape': (2,)}"),
    ],
    ids=range(12),
)
def test_headers_that_lie_or_make_no_sense_are_refused(write: Write, data: bytes) -> None:
    with pytest.raises(UnreadableFileError, match=r"^tokens\.npy"):
        open_tensors(write(data))
