"""Hugging Face's .safetensors: types, and headers that lie."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save

from attention import FileError, UnreadableFileError, open_tensors

Write = Callable[[bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def at(data: bytes) -> Path:
        path = tmp_path / "model.safetensors"
        path.write_bytes(data)
        return path

    return at


def raw(header: Any, numbers: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def stated(dtype: str, shape: list[Any], start: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


@pytest.mark.parametrize(
    "dtype",
    [
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
    ],
    ids=str,
)
def test_numbers_arrive_in_their_type(write: Write, dtype: torch.dtype) -> None:
    tensor = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(dtype)
    file = open_tensors(write(save({"w": tensor})))
    assert file.entries["w"].dtype == str(dtype).removeprefix("torch.")
    found = file.read("w")
    assert isinstance(found, torch.Tensor)
    assert found.dtype == dtype
    assert torch.equal(found, tensor)


def test_bfloat16_keeps_what_float16_could_not(write: Write) -> None:
    tensor = torch.tensor([1e30, -3.0]).bfloat16()
    assert torch.equal(torch.as_tensor(open_tensors(write(save({"w": tensor}))).read("w")), tensor)


def test_float8_is_listed_and_refused_when_it_is_read(write: Write) -> None:
    tensors = {"w": torch.ones(3).to(torch.float8_e4m3fn), "b": torch.ones(2)}
    file = open_tensors(write(save(tensors)))
    assert file.entries["w"].dtype == "float8_e4m3"
    with pytest.raises(FileError, match="w is stored in a type that is not read") as refusal:
        file.read("w")
    assert "float8_e4m3" in refusal.value.message
    assert torch.equal(torch.as_tensor(file.read("b")), torch.ones(2))


def test_metadata_is_told(write: Write) -> None:
    file = open_tensors(write(save({"w": torch.ones(1)}, {"format": "pt"})))
    assert file.detected["metadata"] == {"format": "pt"}


@pytest.mark.parametrize("kept", [0, 4, 8, 20])
def test_file_cut_short_in_its_header_is_refused(write: Write, kept: int) -> None:
    with pytest.raises(UnreadableFileError, match="cut short in its header"):
        open_tensors(write(save({"w": torch.ones(2)})[:kept]))


def test_file_cut_short_in_its_numbers_names_the_tensor(write: Write) -> None:
    data = save({"first": torch.ones(2), "second": torch.ones(3)})
    with pytest.raises(UnreadableFileError, match="'second' does not fit in") as refusal:
        open_tensors(write(data[:-1]))
    assert "20 bytes" in refusal.value.message
    assert "19 bytes" in refusal.value.message


def test_header_that_lies_about_a_shape_names_the_tensor(write: Write) -> None:
    header = {"w": stated("F32", [2, 3], 0, 8)}
    with pytest.raises(UnreadableFileError, match="the header lies about 'w'") as refusal:
        open_tensors(write(raw(header, bytes(8))))
    assert "24 bytes for float32 of shape [2][3]" in refusal.value.message


@pytest.mark.parametrize(
    "data",
    [
        raw(b"{"),
        raw(b"[]"),
        raw(b'{"w": 1}'),
        raw(b'{"w": {"dtype": "F32"}}'),
        raw(b'{"a": {}, "a": {}}'),
        raw({"w": stated("F32", [-2], 0, 8)}, bytes(8)),
        raw({"w": stated("F32", [1.5], 0, 8)}, bytes(8)),
        raw({"w": stated("F32", [True], 0, 4)}, bytes(4)),
        raw({"w": stated("F32", [1] * 40, 0, 4)}, bytes(4)),
        raw({"a": stated("F32", [2], 0, 8), "b": stated("F32", [2], 4, 12)}, bytes(12)),
        raw({"a": stated("F32", [1], 4, 8)}, bytes(8)),
        raw({"a": stated("F32", [1], 0, 4)}, bytes(8)),
        raw({"a": stated("X99", [1], 0, 4)}, bytes(4)),
        raw(b'{"\xff": 1}'),
        raw(b'{"\\ud800": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}', bytes(4)),
        struct.pack("<Q", 2**63) + b"{}",
        raw(b"[" * 100_000),
    ],
    ids=range(17),
)
def test_headers_that_make_no_sense_are_refused(write: Write, data: bytes) -> None:
    with pytest.raises(UnreadableFileError, match=r"^model\.safetensors"):
        open_tensors(write(data))
