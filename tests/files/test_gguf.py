"""llama.cpp's .gguf, as its own package writes it, and damaged."""

import struct
import sys
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from gguf import quants
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import AttentionError, Checkpoint, FileError, UnreadableFileError, attend
from attention import open_tensors as opened
from tests.checkpoints.weights import drawn
from tests.fuzzing import examples

E, H, K, D = 32, 4, 2, 8
X = drawn(1, 2, 5, E)
Q8 = gguf.GGMLQuantizationType.Q8_0


def weights() -> dict[str, Any]:
    rows = {"q": H * D, "k": K * D, "v": K * D, "output": E}
    return {n: drawn(i, r, E).astype(np.float32) for i, (n, r) in enumerate(rows.items(), 2)}


def write(path: Path, architecture: str = "llama", **tensors: Any) -> Path:
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_head_count(H)
    writer.add_head_count_kv(K)
    writer.add_embedding_length(E)
    writer.add_rope_freq_base(100.0)
    writer.add_rope_dimension_count(D)
    writer.add_layer_norm_rms_eps(1e-3)
    writer.add_token_list(["a", "b", "ü"])
    writer.add_token_scores([0.5, 1.5, 2.5])
    for name, weight in weights().items():
        if name == "k":
            packed = quants.quantize(weight, Q8)
            writer.add_tensor("blk.0.attn_k.weight", packed, raw_dtype=Q8)
        else:
            stored = weight.astype(np.float16) if name == "v" else weight
            writer.add_tensor(f"blk.0.attn_{name}.weight", stored)
    for name, tensor in tensors.items():
        writer.add_tensor(name.replace("__", "."), tensor)
    writer.add_tensor("blk.0.ffn_up.weight", np.ones((3, E), np.float32))
    writer.add_tensor("blk.0.attn_norm.weight", np.ones(E, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def stored() -> dict[str, Any]:
    """The weights as the types of the file keep them."""
    found = weights()
    found["v"] = found["v"].astype(np.float16)
    found["k"] = quants.dequantize(quants.quantize(found["k"], Q8), Q8)
    return found


def test_tensors_arrive_in_full_and_unpacked(tmp_path: Path) -> None:
    file = opened(write(tmp_path / "m.gguf"))
    assert file.entries["blk.0.attn_k.weight"].shape == (K * D, E)
    types = [file.entries[f"blk.0.attn_{n}.weight"].dtype for n in "qkv"]
    assert types == ["float32", "q8_0", "float16"]
    for name, weight in stored().items():
        found = torch.as_tensor(np.asarray(file.read(f"blk.0.attn_{name}.weight")))
        np.testing.assert_array_equal(found.numpy(), weight)


def test_layer_computes_with_its_metadata(tmp_path: Path) -> None:
    """Rows of Llama models are stored so that neighbours rotate together."""
    upload = Checkpoint.open(write(tmp_path / "m.gguf"))
    (listed,) = upload.listing()
    assert (listed["module"], listed["layer"], listed["layout"]) == ("blk.0", 0, "separate")
    assert (listed["num_heads"], listed["num_kv_heads"], listed["head_dim"]) == (H, K, D)
    found = attend(X, projection={"kind": "checkpoint", "upload": upload, "module": "blk.0"})
    names = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "output"}
    given = {"kind": "given", **{ours: stored()[n] for ours, n in names.items()}}
    rope = {"style": "interleaved", "base": 100.0}
    expected = attend(X, num_heads=H, num_kv_heads=K, projection=given, rope=rope)
    torch.testing.assert_close(found.output, expected.output)
    assert found.warnings == []


@pytest.mark.parametrize(
    ("architecture", "style"), [("qwen2", "half"), ("llama", "interleaved"), ("new", None)]
)
def test_rotation_depends_on_the_architecture_and_is_never_guessed(
    tmp_path: Path, architecture: str, style: str | None
) -> None:
    upload = Checkpoint.open(write(tmp_path / "m.gguf", architecture))
    found = attend(X, projection={"kind": "checkpoint", "upload": upload, "module": "blk.0"})
    rope = found.task.spec.rope
    assert (rope and rope.style) == style
    said = " ".join(notice.message for notice in found.warnings)
    assert ("say rope" in said) is (style is None)


def test_scaled_frequencies_in_a_tensor_are_said_to_be_left_out(tmp_path: Path) -> None:
    factors = {"rope_freqs__weight": np.ones(D // 2, np.float32)}
    upload = Checkpoint.open(write(tmp_path / "m.gguf", **factors))
    found = attend(X, projection={"kind": "checkpoint", "upload": upload, "module": "blk.0"})
    assert found.task.spec.rope is None
    assert "say rope" in found.warnings[0].message


def test_quantised_tensor_without_the_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "m.gguf")
    monkeypatch.setitem(sys.modules, "gguf", None)
    file = opened(path)
    assert file.entries["blk.0.attn_k.weight"].dtype == "ggml type 8"
    assert np.asarray(file.read("blk.0.attn_v.weight")).shape == (K * D, E)
    with pytest.raises(FileError, match="attention-visualiser\\[gguf\\]"):
        file.read("blk.0.attn_k.weight")


def test_cut_short_file_names_the_tensor(tmp_path: Path) -> None:
    path = write(tmp_path / "m.gguf")
    path.write_bytes(path.read_bytes()[: -4 * E])
    with pytest.raises(UnreadableFileError, match="cut short"):
        opened(path)


def header(*parts: bytes, tensors: int = 0, values: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, values) + b"".join(parts)


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GGUF",
        header(version=1),
        b"GGML" + header()[4:],
        header(tensors=2**40),
        header(values=2**62),
        header(text(b"a") + struct.pack("<I", 99), values=1),
        header(struct.pack("<Q", 2**60), values=1),
        header(text(b"a") + struct.pack("<IIQ", 9, 0, 2**60), values=1),
        header(text(b"a") + struct.pack("<IIQ", 9, 9, 1), values=1),
        header(text(b"general.alignment") + struct.pack("<II", 4, 0), values=1),
        header(text(b"w") + struct.pack("<I", 9), tensors=1),
        header(text(b"w") + struct.pack("<IQIQ", 1, 2**60, 0, 0), tensors=1),
        header(text(b"w") + struct.pack("<IQIQ", 1, 33, 8, 0), bytes(99), tensors=1),
        header(text(b"w") + struct.pack("<IQIQ", 1, 4, 0, 2**50), tensors=1),
    ],
    ids=range(15),
)
def test_headers_that_lie_or_make_no_sense_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    with pytest.raises(UnreadableFileError, match=r"^m\.gguf"):
        opened(path)


@pytest.mark.parametrize("kind", [256, 2**32 - 1, 36])
@pytest.mark.parametrize("shape", [(3, 32), (0, 32), (0, 0)])
def test_a_type_that_nobody_knows_is_listed_and_not_read(
    tmp_path: Path, kind: int, shape: tuple[int, int]
) -> None:
    path = tmp_path / "m.gguf"
    axes = struct.pack("<I", 2) + b"".join(struct.pack("<Q", n) for n in reversed(shape))
    tensor = text(b"w") + axes + struct.pack("<IQ", kind, 0)
    path.write_bytes(header(tensor, tensors=1) + bytes(4096))
    file = opened(path)
    assert file.entries["w"].shape == shape
    with pytest.raises(FileError, match=r"^w is stored in a type that is not unpacked"):
        file.read("w")


@pytest.mark.parametrize("kind", [0, 1, 28, 30], ids=["F32", "F16", "F64", "BF16"])
@pytest.mark.parametrize("shape", [(0, 32), (3, 0), (0, 0)])
def test_a_tensor_of_nothing_is_read(tmp_path: Path, kind: int, shape: tuple[int, int]) -> None:
    path = tmp_path / "m.gguf"
    axes = struct.pack("<I", 2) + b"".join(struct.pack("<Q", n) for n in reversed(shape))
    path.write_bytes(header(text(b"w") + axes + struct.pack("<IQ", kind, 0), tensors=1) + bytes(64))
    assert tuple(opened(path).read("w").shape) == shape


@settings(max_examples=examples(200), deadline=None)
@given(
    changes=st.lists(st.tuples(st.integers(0, 1200), st.integers(0, 255)), max_size=5),
    kept=st.integers(0, 30_000),
)
def test_damaged_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]], kept: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    path = folder / "good.gguf"
    data = bytearray((path if path.exists() else write(path)).read_bytes())
    for place, value in changes:
        data[place] = value
    changed = folder / "changed.gguf"
    changed.write_bytes(data[:kept])
    try:
        file = opened(changed)
        for name in file.entries:
            file.read(name)
        Checkpoint(file).listing()
    except AttentionError as refusal:
        assert refusal.message
