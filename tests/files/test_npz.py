"""NumPy's .npz: arrays by name, and archives that would hurt."""

import io
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention import FileError, LimitError, UnreadableFileError, open_tensors

Write = Callable[[bytes], Path]
Q = np.arange(6.0).reshape(2, 3)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def at(data: bytes) -> Path:
        path = tmp_path / "run.npz"
        path.write_bytes(data)
        return path

    return at


def member(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def archive(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(file, "w", method) as opened:
            for name, data in members:
                opened.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_have_the_names_they_were_saved_under(write: Write, save: Any) -> None:
    file = io.BytesIO()
    save(file, q=Q, mask=np.array([True, False]), k=np.asfortranarray(Q.astype(">f4")))
    found = open_tensors(write(file.getvalue()))
    assert {name: (e.dtype, e.shape) for name, e in found.entries.items()} == {
        "q": ("float64", (2, 3)),
        "mask": ("bool", (2,)),
        "k": ("float32", (2, 3)),
    }
    np.testing.assert_array_equal(np.asarray(found.read("q")), Q)
    np.testing.assert_array_equal(np.asarray(found.read("k")), Q)
    np.testing.assert_array_equal(np.asarray(found.read("mask")), [True, False])


@pytest.mark.parametrize(
    "name", ["../q.npy", "a/../../q.npy", "/etc/q.npy", "C:\\q.npy", "..\\q.npy", "\\\\host\\q.npy"]
)
def test_name_that_climbs_out_is_refused_and_named(write: Write, name: str) -> None:
    with pytest.raises(FileError, match="climbs out of the folder") as refusal:
        open_tensors(write(archive((name, member(Q)))))
    assert repr(name) in refusal.value.message


def test_name_in_a_folder_of_the_archive_is_only_a_name(write: Write) -> None:
    assert list(open_tensors(write(archive(("layer/q.npy", member(Q))))).entries) == ["layer/q"]


def test_bomb_is_refused_by_its_stated_sizes_before_it_is_unpacked(write: Write) -> None:
    bomb = member(np.zeros(2**20))
    data = archive(("a.npy", bomb), ("b.npy", bomb))
    assert len(data) < 2**15
    with pytest.raises(LimitError, match="max_unpacked_bytes") as refusal:
        open_tensors(write(data), max_bytes=2**23 + 2**10)
    assert "'b.npy'" in refusal.value.message
    assert refusal.value.limit == "max_unpacked_bytes"
    open_tensors(write(data), max_bytes=2**25)


def with_stated_size(data: bytes, size: int) -> bytes:
    """The one member's unpacked size, changed in both of its headers."""
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    changed = bytearray(data)
    changed[local + 22 : local + 26] = struct.pack("<I", size)
    changed[central + 24 : central + 28] = struct.pack("<I", size)
    return bytes(changed)


@pytest.mark.parametrize("stated", [100, 2**21])
def test_member_whose_real_size_is_another_is_refused(write: Write, stated: int) -> None:
    data = archive(("a.npy", member(np.zeros(2**17))))
    with pytest.raises(UnreadableFileError, match=r"run\.npz"):
        open_tensors(write(with_stated_size(data, stated)))


def test_array_longer_or_shorter_than_its_header_is_refused(write: Write) -> None:
    for data in (member(Q) + b"\0", member(Q)[:-8]):
        with pytest.raises(UnreadableFileError, match=r"'a\.npy'"):
            open_tensors(write(archive(("a.npy", data))))


def test_damaged_numbers_are_noticed_by_their_checksum(write: Write) -> None:
    data = bytearray(archive(("a.npy", member(Q)), method=zipfile.ZIP_STORED))
    data[200] ^= 1
    with pytest.raises(UnreadableFileError, match="CRC"):
        open_tensors(write(bytes(data)))


def test_objects_text_and_other_members_are_refused_by_name(write: Write) -> None:
    objects = member(np.array([None, 1], dtype=object))
    for name, data, said in (
        ("a.npy", objects, "Python objects"),
        ("a.npy", member(np.array(["x"])), "plain numbers"),
        ("notes.txt", b"hello", "no .npy array"),
    ):
        with pytest.raises(FileError, match=said) as refusal:
            open_tensors(write(archive(("q.npy", member(Q)), (name, data))))
        assert name in refusal.value.message


def test_encrypted_repeated_and_strangely_packed_members_are_refused(write: Write) -> None:
    plain = archive(("a.npy", member(Q)))
    encrypted = bytearray(plain)
    encrypted[plain.index(b"PK\x03\x04") + 6] |= 1
    encrypted[plain.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(FileError, match="encrypted"):
        open_tensors(write(bytes(encrypted)))
    with pytest.raises(FileError, match="stands twice"):
        open_tensors(write(archive(("a.npy", member(Q)), ("a.npy", member(Q)))))
    with pytest.raises(FileError, match="packed in an unknown way"):
        open_tensors(write(archive(("a.npy", member(Q)), method=zipfile.ZIP_BZIP2)))


def test_too_many_members_are_refused(write: Write) -> None:
    small = member(np.zeros(1))
    with pytest.raises(FileError, match="too many members"):
        open_tensors(write(archive(*((f"{i}.npy", small) for i in range(4097)))))


@pytest.mark.parametrize(
    "data", [b"", b"PK\x05\x06", b"no zip", archive(("a.npy", member(Q)))[:-30]]
)
def test_what_is_no_whole_archive_is_refused(write: Write, data: bytes) -> None:
    with pytest.raises(UnreadableFileError, match=r"run\.npz is not a whole \.npz archive"):
        open_tensors(write(data))
