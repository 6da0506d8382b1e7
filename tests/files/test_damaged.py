"""Whatever is done to a good file, it is read or refused; nothing else comes out."""

import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from attention import AttentionError, open_tensors
from tests.fuzzing import examples


def npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.arange(6, dtype=">f4").reshape(2, 3))
    return file.getvalue()


def npz() -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, q=np.arange(6.0), k=np.ones((2, 3)))
    return file.getvalue()


GOOD = {
    ".npy": npy(),
    ".npz": npz(),
    ".safetensors": save({"a.q_proj.weight": np.ones((2, 3)), "b": np.arange(3)}),
    ".csv": b'token,x\n"the",1.5\n"c,t",-2e3\n',
    ".json": b'{"tensors": {"x": [[1, 2], [3, "NaN"]]}, "n": 1}',
}

changes = st.lists(
    st.tuples(st.integers(0, 2000), st.integers(0, 255), st.sampled_from(["set", "drop", "add"])),
    max_size=6,
)


def damaged(data: bytes, steps: list[tuple[int, int, str]], kept: int) -> bytes:
    changed = bytearray(data)
    for place, value, step in steps:
        at = place % (len(changed) or 1)
        if step == "add" or not changed:
            changed.insert(at, value)
        elif step == "set":
            changed[at] = value
        else:
            del changed[at]
    return bytes(changed[:kept])


@pytest.mark.parametrize("kind", GOOD)
@settings(max_examples=examples(300), deadline=None)
@given(steps=changes, kept=st.integers(0, 3000))
def test_damaged_file_is_read_or_refused(
    kind: str, steps: list[tuple[int, int, str]], kept: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{kind}"
        path.write_bytes(damaged(GOOD[kind], steps, kept))
        try:
            file = open_tensors(path, max_bytes=2**20)
            for name in file.entries:
                file.read(name)
        except AttentionError as refusal:
            assert refusal.message


@settings(max_examples=examples(300), deadline=None)
@given(text=st.text(max_size=60), kind=st.sampled_from([".csv", ".json"]))
def test_any_text_is_read_or_refused(text: str, kind: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{kind}"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        try:
            open_tensors(path)
        except AttentionError as refusal:
            assert refusal.message
