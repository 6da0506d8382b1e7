"""Numbers from outside as arrays: nested lists, NumPy arrays and torch tensors, read strictly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from numbers import Integral, Real
from reprlib import Repr
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from attention.drawn import Drawn
from attention.errors import Path, ShapeError, SpecificationError, shape_text

Array: TypeAlias = Tensor | np.ndarray[Any, Any] | Sequence[Any] | Drawn

NON_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
DTYPES = {
    "float32": torch.float32,
    "float64": torch.float64,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}
MAX_AXES = 4
MAX_INTEGER = 2**53
PIECE = 2**16
"""Items of a long list that are looked at in one call."""
_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 2, 60, 60


def array_from_lists(value: Any, loc: Path = ()) -> np.ndarray[Any, Any]:
    """Read nested lists of numbers as float64, or of true/false as bool.

    Errors: `ShapeError` for ragged rows and `SpecificationError` for anything that is not a
    number, both with the place. The strings "NaN", "Infinity" and "-Infinity" are numbers.
    """
    shape: list[int] = []
    level: list[Any] = [value]
    while level and all(issubclass(kind, (list, tuple)) for kind in _kinds(level)):
        _refuse_ragged(level, shape, loc)
        shape.append(len(level[0]))
        if len(shape) > MAX_AXES:
            raise ShapeError(f"arrays have at most {MAX_AXES} axes", loc=loc, got="more")
        level = _joined(level)
    return _leaves(level, shape, loc).reshape(shape)


def _pieces(level: list[Any]) -> Iterator[list[Any]]:
    """A long level in pieces, so that other threads have their turn between two of them."""
    if len(level) <= PIECE:
        yield level
    else:
        yield from (level[start : start + PIECE] for start in range(0, len(level), PIECE))


def _kinds(level: list[Any]) -> set[type]:
    return {kind for piece in _pieces(level) for kind in set(map(type, piece))}


def _joined(level: list[Any]) -> list[Any]:
    items: list[Any] = []
    for piece in _pieces(level):
        items.extend(chain.from_iterable(piece))
    return items


def _refuse_ragged(level: list[Any], shape: list[int], loc: Path) -> None:
    expected = len(level[0])
    if all(set(map(len, piece)) == {expected} for piece in _pieces(level)):
        return
    odd = next(i for i, row in enumerate(level) if len(row) != expected)
    place = _place(odd, shape)
    raise ShapeError(
        "rows of one array must be equally long",
        loc=loc + place,
        expected=f"{expected} values as in the first row",
        got=f"{len(level[odd])} in row {list(place)}",
    )


def _leaves(level: list[Any], shape: list[int], loc: Path) -> np.ndarray[Any, Any]:
    kinds = _kinds(level)
    if kinds == {bool} or kinds <= {int, float}:
        dtype = bool if kinds == {bool} else np.float64
        try:
            return np.concatenate([np.array(piece, dtype) for piece in _pieces(level)])
        except OverflowError:
            pass
    return np.array([_number(x, loc + _place(i, shape)) for i, x in enumerate(level)], np.float64)


def _number(value: Any, loc: Path) -> float:
    if isinstance(value, str) and value in NON_FINITE:
        return NON_FINITE[value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise SpecificationError(
                "numbers must fit float64", loc=loc, got="an integer too large"
            ) from None
    if isinstance(value, (list, tuple)):
        raise ShapeError(
            "rows of one array must be equally deep", loc=loc, expected="a number", got="a list"
        )
    raise SpecificationError(
        "a number must stand here", loc=loc, expected="a number", got=say(value)
    )


def _place(index: int, shape: list[int]) -> Path:
    return tuple(int(i) for i in np.unravel_index(index, shape)) if shape else ()


def is_whole(value: Any) -> bool:
    """A Python or NumPy integer; true and false are none."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def is_number(value: Any) -> bool:
    """A finite Python or NumPy number; true and false are none."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return False
    try:
        return abs(float(value)) < float("inf")
    except OverflowError:
        return False


def expect_index(name: str, index: int, count: int) -> None:
    """Refuse a place that is not there."""
    if not 0 <= index < count:
        raise SpecificationError(
            f"{name} counts from 0", loc=(name,), expected=f"0 to {count - 1}", got=index
        )


def expect_span(name: str, span: tuple[int, int] | None, size: int) -> None:
    """Refuse a half-open range [a, b) that is empty or leaves 0 … ``size``; None is all."""
    if span is not None and not 0 <= span[0] < span[1] <= size:
        raise SpecificationError(
            f"{name} is a half-open range [a, b) that is not empty",
            loc=(name,),
            expected=f"0 <= a < b <= {size}",
            got=say(list(span)),
        )


def say(value: Any) -> str:
    """A short way to show what was given."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return _SHORT.repr(value)


def as_tensor(value: Array, loc: Path) -> Tensor:
    """Any accepted form as a torch tensor in its stored type; complex and object are refused."""
    if isinstance(value, Drawn):
        return value.tensor()
    if isinstance(value, Tensor):
        tensor = value.detach().cpu()
        if tensor.is_complex():
            raise SpecificationError("numbers must be real", loc=loc, got=str(value.dtype))
        return tensor
    array = value if isinstance(value, (np.ndarray, np.generic)) else array_from_lists(value, loc)
    array = np.asarray(array)
    if array.dtype.kind not in "fiub":
        raise SpecificationError(
            "arrays must hold numbers",
            loc=loc,
            expected="floats, integers or booleans",
            got=f"dtype {array.dtype}",
        )
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    native = array.dtype.newbyteorder("=")
    if isinstance(value, np.memmap) and array.dtype == native and array.flags.carray:
        return torch.from_numpy(array)  # a file mapped into memory stays there
    return torch.from_numpy(np.array(array, dtype=native, order="C", copy=True))


def widened(dtype: torch.dtype) -> torch.dtype:
    """float32 or wider: what sums and differences of 16-bit numbers are kept in."""
    return torch.promote_types(dtype, torch.float32)


def all_finite(tensor: Tensor) -> bool:
    """Whether no number is NaN or infinite, in one pass without a copy where that is so."""
    if not tensor.is_floating_point():
        return True
    total = tensor.sum(dtype=widened(tensor.dtype)).item()
    return math.isfinite(total) or bool(tensor.isfinite().all())


def as_boolean(value: Array, loc: Path) -> Tensor:
    """True/false, or numbers that are all 0 or 1; anything else is refused with its place."""
    tensor = as_tensor(value, loc)
    if tensor.dtype == torch.bool:
        return tensor
    odd = (tensor != 0) & (tensor != 1)
    if odd.any():
        place = tuple(odd.nonzero()[0].tolist())
        raise SpecificationError(
            "true or false (1 or 0) must stand here",
            loc=loc + place,
            expected="true, false, 1 or 0",
            got=f"{tensor[place].item():g}",
        )
    return tensor.bool()


def as_integers(value: Any, loc: Path) -> Tensor:
    """Whole numbers as int64; fractions, non-finite numbers and booleans are refused."""
    if is_whole(value) and abs(int(value)) <= MAX_INTEGER:
        return torch.tensor(int(value))
    tensor = as_tensor(value, loc)
    if tensor.dtype == torch.bool:
        raise SpecificationError("whole numbers must stand here", loc=loc, got="true/false")
    wide = tensor.double()
    odd = ~torch.isfinite(wide) | (wide != wide.trunc()) | (wide.abs() > MAX_INTEGER)
    if odd.any():
        place = tuple(odd.nonzero()[0].tolist())
        raise SpecificationError(
            "whole numbers must stand here",
            loc=loc + place,
            expected=f"a whole number from -{MAX_INTEGER} to {MAX_INTEGER}",
            got=f"{wide[place].item():g}",
        )
    return tensor.long()


def expect_shape(tensor: Tensor, shape: Sequence[int], axes: str, loc: Path) -> None:
    """Refuse a tensor of another shape, naming both shapes and the axes."""
    if tuple(tensor.shape) != tuple(shape):
        raise ShapeError(
            f"{loc[-1] if loc else 'array'} has shape {axes}",
            loc=loc,
            expected=shape_text(shape),
            got=shape_text(tensor.shape),
        )


def with_axes(tensor: Tensor, least: int, most: int, axes: str, loc: Path) -> Tensor:
    """Put missing leading axes of length 1 in front, up to ``most`` axes."""
    if not least <= tensor.ndim <= most:
        raise ShapeError(
            f"{loc[-1]} is written {axes}",
            loc=loc,
            expected=f"{least} to {most} axes",
            got=f"{tensor.ndim} ({shape_text(tensor.shape)})",
        )
    return tensor.reshape((1,) * (most - tensor.ndim) + tuple(tensor.shape))
