"""Files of every kind, and what may be done to them."""

from __future__ import annotations

import io
import json
import struct
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from hypothesis import strategies as st
from safetensors.numpy import save

from tests.app.test_fuzz import STRANGE, spoiled
from tests.files.test_damaged import GOOD

Form = list[tuple[str, bytes]]
"""The files of one form, each with its name."""
SHARD = "model-00001-of-00001.safetensors"
INDEX = {"weight_map": {"a.q_proj.weight": SHARD}, "metadata": {"total_size": 24}}
HEADER = {
    "__metadata__": {"format": "pt"},
    "x": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
    "y": {"dtype": "I64", "shape": [1], "data_offsets": [24, 32]},
}


def written_gguf() -> bytes:
    """A layer of attention, as llama.cpp's own package writes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.gguf"
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_head_count(2)
        writer.add_head_count_kv(1)
        writer.add_embedding_length(4)
        writer.add_token_list(["a", "ü"])
        for name, rows in {"q": 4, "k": 2, "v": 2, "output": 4}.items():
            writer.add_tensor(f"blk.0.attn_{name}.weight", np.ones((rows, 4), np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path.read_bytes()


WHOLE = {
    **GOOD,
    ".tsv": b"token\tx\ty\nthe\t1,5\t2\ncat\t-2e3\t0\n",
    ".gguf": written_gguf(),
}
"""By kind. The index of shards is below: its form has two files."""


def with_header(header: Any, data: bytes) -> bytes:
    """A .safetensors file with this header, whatever it says."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def with_npy_header(text: str, data: bytes) -> bytes:
    """A .npy file of version 1.0 with this header."""
    said = text.encode("latin-1", errors="replace")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(said)) + said + data


def zipped(members: list[tuple[str, bytes]]) -> bytes:
    """An archive with these members; two may have one name."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore", UserWarning)  # of one name twice, which is meant
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


@st.composite
def npy_headers(draw: st.DrawFn) -> str:
    """``descr`` may be what would call for pickles, ``shape`` what no memory holds."""
    descr = draw(
        st.sampled_from(
            ["'<f4'", "'|O'", "'<f16'", "'V8'", "'<U9'", "[('a','<f4')]", "'<M8[ns]'", "''", "7"]
        )
    )
    shape = draw(
        st.sampled_from(
            ["(2,3)", "()", "(-1,)", "(10**12,)", "(2**63,)", "(999999999999,9999)", "3", "(0,)"]
        )
        | st.text(max_size=6)
    )
    order = draw(st.sampled_from(["False", "True", "None", "[]", "(" * 300]))
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


@st.composite
def crafted(draw: st.DrawFn) -> Form:
    """Well-formed outside, anything inside: what no change of single bytes arrives at."""
    kind = draw(st.sampled_from(["safetensors", "npy", "npz", "json", "index", "config"]))
    data = draw(st.binary(max_size=40))
    if kind == "safetensors":
        header = draw(spoiled(HEADER) | STRANGE | st.binary(max_size=30))
        return [("a.safetensors", with_header(header, data))]
    if kind == "npy":
        return [("a.npy", with_npy_header(draw(npy_headers()), data))]
    if kind == "npz":
        names = st.sampled_from(["x.npy", "../x.npy", "/x.npy", "x", "é.npy", "x.npy/"])
        inner = with_npy_header(draw(npy_headers()), data)
        return [("a.npz", zipped([(draw(names), inner), (draw(names), GOOD[".npy"])]))]
    if kind == "json":
        tree = draw(spoiled({"tensors": {"x": [[1, 2], [3, "NaN"]]}, "tokens": ["a", "b"]}))
        return [("a.json", json.dumps(tree).encode())]
    if kind == "index":
        return sharded(json.dumps(draw(spoiled(INDEX))).encode())
    config = {"model_type": "llama", "num_attention_heads": 2, "hidden_size": 4, "rope_theta": 1e4}
    weights = save({f"a.{n}_proj.weight": np.ones((4, 4), np.float32) for n in "qkvo"})
    return [
        ("a.safetensors", weights),
        ("config.json", json.dumps(draw(spoiled(config))).encode()),
    ]


def sharded(index: bytes) -> Form:
    """An index, and the one shard that it speaks of."""
    shard = save({"a.q_proj.weight": np.ones((2, 3), np.float32)})
    return [("model.safetensors.index.json", index), (SHARD, shard)]
