"""A checkpoint in several files."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from attention import Checkpoint, FileError, UnreadableFileError, open_tensors

INDEX = "model.safetensors.index.json"
ONE, TWO = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_file({"a.q_proj.weight": torch.eye(4), "a.k_proj.weight": torch.eye(4)}, tmp_path / ONE)
    save_file({"a.v_proj.weight": 3 * torch.eye(4)}, tmp_path / TWO)
    write(tmp_path, {f"a.{n}_proj.weight": TWO if n == "v" else ONE for n in "qkv"})
    return tmp_path


def write(folder: Path, weight_map: Any) -> None:
    (folder / INDEX).write_text(json.dumps({"weight_map": weight_map, "metadata": {}}))


def test_tensors_come_from_the_files_that_hold_them(folder: Path) -> None:
    file = open_tensors(folder / INDEX)
    assert list(file.entries) == ["a.q_proj.weight", "a.k_proj.weight", "a.v_proj.weight"]
    assert torch.equal(torch.as_tensor(file.read("a.v_proj.weight")), 3 * torch.eye(4))
    assert file.detected["shards"] == [ONE, TWO]


def test_modules_may_lie_across_files(folder: Path) -> None:
    (module,) = Checkpoint.open(folder / INDEX, {"num_attention_heads": 2}).listing()
    assert (module["module"], module["num_heads"], module["num_kv_heads"]) == ("a", 2, 2)


def test_missing_file_is_named(folder: Path) -> None:
    (folder / TWO).unlink()
    with pytest.raises(FileError, match=TWO):
        open_tensors(folder / INDEX)


def test_tensor_that_is_not_where_the_index_says_is_named(folder: Path) -> None:
    write(folder, {"a.v_proj.weight": ONE})
    with pytest.raises(UnreadableFileError, match=r"'a\.v_proj\.weight' is not where"):
        open_tensors(folder / INDEX)


@pytest.mark.parametrize("name", ["../x.safetensors", "/etc/passwd", "a/b", "..\\x", "", 5, None])
def test_file_name_that_climbs_out_is_refused(folder: Path, name: Any) -> None:
    write(folder, {"a.q_proj.weight": name})
    with pytest.raises(FileError, match="climbs out of the folder"):
        open_tensors(folder / INDEX)


@pytest.mark.parametrize("text", ["[]", "{}", '{"weight_map": []}', '{"weight_map": {}}'])
def test_what_is_no_index_is_refused(folder: Path, text: str) -> None:
    (folder / INDEX).write_text(text)
    with pytest.raises(FileError, match="no index of a checkpoint"):
        open_tensors(folder / INDEX)
