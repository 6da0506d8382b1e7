"""Tensors in JSON: nested lists, or the object that an export or an answer holds."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import numpy as np

from attention.arrays import array_from_lists
from attention.errors import FileError, SpecificationError, UnreadableFileError, dotted
from attention.files.entry import ArrayFile, Entry, Source
from attention.typed_arrays import array_from_typed, is_typed

ONLY_NAME = "array"
LARGEST = np.finfo(np.float64).max
CONFIG_SIGNS = ("model_type", "architectures", "num_attention_heads", "n_head", "num_heads")


class JsonFile(ArrayFile):
    """``[[…]]``, or ``{"tensors": {name: …}}``, or ``{name: …}``; or a model's config.json."""

    def __init__(self, source: Source) -> None:
        value = read_json_file(source)
        self.detected: dict[str, Any] = {}
        self._arrays: dict[str, np.ndarray[Any, Any]] = {}
        if isinstance(value, dict) and is_config(value):
            self.config = value
            self.detected["config"] = True
        else:
            self._arrays = self._tensors(value, source.name)
        self.entries = {
            name: Entry(name, array.dtype.name, array.shape) for name, array in self._arrays.items()
        }

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """One array: float64, bool, or its own type if it was a typed array."""
        return self._arrays[name]

    def _tensors(self, value: Any, file: str) -> dict[str, np.ndarray[Any, Any]]:
        if isinstance(value, list) or is_typed(value):
            return {ONLY_NAME: _array(value, file, ())}
        if not isinstance(value, dict):
            raise FileError(f"{file} holds no tensors", expected="nested lists or an object")
        inner = value.get("tensors", value)
        if not isinstance(inner, dict) or not inner:
            raise FileError(
                f"{file} holds no tensors", expected='nested lists, or {"tensors": {name: lists}}'
            )
        labels = inner.get("tokens")
        if isinstance(labels, list) and all(isinstance(label, str) for label in labels):
            self.detected["row_labels"] = labels
            inner = {name: part for name, part in inner.items() if name != "tokens"}
        return {name: _array(part, file, (name,)) for name, part in inner.items()}


def is_config(value: dict[str, Any]) -> bool:
    """Whether a JSON object describes a model, and holds no token vectors itself."""
    holds = any(name in value for name in ("tensors", "x", "q"))
    return any(sign in value for sign in CONFIG_SIGNS) and not holds


def read_json_file(source: Source) -> Any:
    """Strictly: UTF-8, no bare NaN or Infinity, each key once."""

    def refuse(word: str) -> NoReturn:
        raise UnreadableFileError(
            f"{source.name}: JSON has no bare {word}", expected=f'the string "{word}"', got=word
        )

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise FileError(f"{source.name}: {_twice(pairs)!r} stands twice in one object")
        return found

    try:
        text = source.path.read_bytes().decode("utf-8-sig")
        value = json.loads(text, parse_constant=refuse, object_pairs_hook=unique)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except UnicodeEncodeError:
        raise UnreadableFileError(
            f"{source.name} holds half of a surrogate pair, which is no text"
        ) from None
    except UnicodeDecodeError as error:
        raise UnreadableFileError(
            f"{source.name} is not UTF-8 text", got=f"byte {error.start}"
        ) from None
    except json.JSONDecodeError as error:
        raise UnreadableFileError(
            f"{source.name} is not JSON",
            got=f"{error.msg} at line {error.lineno}, column {error.colno}",
        ) from None
    except FileError:
        raise
    except ValueError:
        raise UnreadableFileError(f"{source.name} holds an integer of too many digits") from None
    except RecursionError:
        raise UnreadableFileError(f"{source.name} is nested too deeply") from None


def _twice(pairs: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    raise AssertionError("called for objects with a name that stands twice")


def _finite(found: np.ndarray[Any, Any], lists: list[Any]) -> np.ndarray[Any, Any]:
    """The array, unless it holds an infinity that nobody wrote: a number beyond float64."""
    for place in np.argwhere(np.isinf(found)).tolist():
        value: Any = lists
        for index in place:
            value = value[index]
        if not isinstance(value, str):
            raise SpecificationError(
                "numbers must fit float64",
                loc=tuple(place),
                expected=f'at most {LARGEST} in size, or the string "Infinity"',
                got="a larger number",
            )
    return found


def _array(value: Any, file: str, place: tuple[str, ...]) -> np.ndarray[Any, Any]:
    try:
        if is_typed(value):
            return array_from_typed(value)
        if isinstance(value, list):
            return _finite(array_from_lists(value), value)
    except SpecificationError as error:
        where = dotted((*place, *error.loc))
        raise FileError(
            f"{file}{', ' + where if where else ''}: {error.rule}",
            expected=error.expected,
            got=error.got,
        ) from None
    raise FileError(f"{file}, {dotted(place)}: an array must stand here", expected="nested lists")
