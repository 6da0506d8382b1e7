"""Tensors in JSON: nested lists, exports, answers, and a model's config.json."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention import ArrayFile, FileError, UnreadableFileError, attend, open_tensors
from tests.wire import listed, typed


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    def read(text: str | bytes) -> ArrayFile:
        path = tmp_path / "run.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return open_tensors(path)

    return read


def test_nested_lists_are_one_array(opened: Any) -> None:
    file = opened("[[1, 2.5], [-3, 1e2]]")
    assert list(file.entries) == ["array"]
    np.testing.assert_array_equal(file.read("array"), [[1, 2.5], [-3, 100]])


def test_export_and_answer_give_their_tensors_by_name(opened: Any) -> None:
    weights = attend(q=np.eye(2), k=np.eye(2), v=np.eye(2)).weights.numpy()
    for form in (listed(weights), typed(weights, "f4")):
        file = opened(json.dumps({"tensors": {"weights": form}, "row_sums": [[[1, 1]]]}))
        assert file.entries["weights"].shape == (1, 1, 2, 2)
        np.testing.assert_allclose(file.read("weights"), weights, rtol=1e-7)


def test_object_of_arrays_names_them_and_tokens_are_labels(opened: Any) -> None:
    file = opened('{"x": [[1, 2], [3, 4]], "keep": [true, false], "tokens": ["a", "b"]}')
    assert {name: entry.dtype for name, entry in file.entries.items()} == {
        "x": "float64",
        "keep": "bool",
    }
    assert file.detected["row_labels"] == ["a", "b"]


def test_values_that_are_not_finite_are_their_three_words(opened: Any) -> None:
    numbers = opened('[["NaN", "Infinity", "-Infinity"]]').read("array")
    np.testing.assert_array_equal(numbers, [[np.nan, np.inf, -np.inf]])


def test_config_of_a_model_is_known_as_one(opened: Any) -> None:
    file = opened('{"model_type": "llama", "num_attention_heads": 4}')
    assert file.config == {"model_type": "llama", "num_attention_heads": 4}
    assert file.entries == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[1, 2], [3]]", "rows of one array must be equally long"),
        ('{"x": [[1, "two"]]}', r"x\[0\]\[1\]: a number must stand here"),
        ("[[1, null]]", "a number must stand here"),
        ('{"tensors": {}}', "holds no tensors"),
        ('{"x": 5}', "an array must stand here"),
        ("{}", "holds no tensors"),
        ("5", "holds no tensors"),
        ('"text"', "holds no tensors"),
        ('{"x": [1], "x": [2]}', "'x' stands twice"),
        ('{"x": {"dtype": "f4", "bdata": "AAAA", "shape": "1"}}', "bytes and shape"),
        ("[[[[[1]]]]]", "at most 4 axes"),
        ("[[1, 2], [3, -1e400]]", r"\[1\]\[1\]: numbers must fit float64"),
        ('{"x": [1e400], "num_heads": 2}', r"x\[0\]: numbers must fit float64"),
    ],
)
def test_what_is_no_array_is_refused_with_its_place(opened: Any, text: str, said: str) -> None:
    with pytest.raises(FileError, match=said) as refusal:
        opened(text)
    assert "run.json" in refusal.value.message
    assert not isinstance(refusal.value, UnreadableFileError)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[1, NaN]]", "bare NaN"),
        ("[[1, 2]", "line 1, column"),
        ("", "is not JSON"),
        (b"[\xff]", "not UTF-8"),
        ('{"tokens": ["\\ud800"], "x": [1]}', "surrogate"),
        ("[" * 100_000, "nested too deeply"),
        ("[" + "9" * 5000 + "]", "too many digits"),
    ],
    ids=range(7),
)
def test_what_is_no_json_is_unreadable(opened: Any, text: str | bytes, said: str) -> None:
    with pytest.raises(UnreadableFileError, match=said):
        opened(text)
