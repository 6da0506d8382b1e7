"""What the library refuses, with the place, the rule and the numbers."""

from typing import Any

import numpy as np
import pytest
import torch

from attention import AttentionError, ShapeError, SpecificationError, attend

X = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]]
HEADS = {"q": [[1.0, 2.0]], "k": [[1.0, 2.0]] * 3, "v": [[1.0]] * 3}
REFUSED: list[tuple[str, dict[str, Any], tuple[Any, ...], list[str]]] = [
    ("neither x nor q", {}, ("x",), []),
    ("both x and q", {"x": X, **HEADS}, ("q",), []),
    ("q without v", {"q": [[1.0]], "k": [[1.0]]}, ("v",), []),
    ("heads that do not divide the width", {"x": X, "num_heads": 4}, ("num_heads",), ["6", "4"]),
    (
        "heads that are no multiple",
        {"x": X, "num_heads": 3, "num_kv_heads": 2},
        ("num_kv_heads",),
        ["3", "2"],
    ),
    ("ragged rows", {"x": [[1, 2], [3]]}, ("x", 1), ["2", "1"]),
    ("text among the numbers", {"x": [[1, 2], [3, "four"]]}, ("x", 1, 1), ["four"]),
    ("an object array", {"x": np.array([[1, None]])}, ("x",), []),
    ("complex numbers", {"x": torch.ones(2, 2, dtype=torch.complex64)}, ("x",), []),
    ("no tokens", {"x": np.zeros((0, 3))}, ("x",), []),
    ("no width", {"x": np.zeros((3, 0))}, ("x",), []),
    ("too many axes", {"x": np.zeros((1, 1, 2, 3))}, ("x",), []),
    ("an odd rotary width", {"x": X, "num_heads": 2, "rope": {"style": "half"}}, ("rope",), ["3"]),
    ("k of another width", {**HEADS, "k": [[1.0]] * 3}, ("k",), ["2", "1"]),
    ("v of another length", {**HEADS, "v": [[1.0]] * 2}, ("v",), ["3", "2"]),
    (
        "a mask of the wrong shape",
        {
            "x": X,
            "masks": [
                {"kind": "causal"},
                {"kind": "matrix", "values": [[1, 0, 1]], "convention": "allowed"},
            ],
        },
        ("masks", 1, "values"),
        ["2", "3"],
    ),
    (
        "a matrix without its convention",
        {
            "x": X,
            "masks": [{"kind": "matrix", "values": [[1, 0]]}],
        },
        ("masks", 0),
        ["convention"],
    ),
    (
        "an unknown kind of mask",
        {"x": X, "masks": [{"kind": "casual"}]},
        ("masks", 0, "kind"),
        ["causal"],
    ),
    (
        "too many lengths",
        {
            "x": X,
            "masks": [{"kind": "padding", "lengths": [1, 2, 3]}],
        },
        ("masks", 0, "lengths"),
        ["3", "1"],
    ),
    ("a dtype of another library", {"x": X, "dtype": "int8"}, ("dtype",), ["float32"]),
    ("an unknown policy", {"x": X, "fully_masked": "none"}, ("fully_masked",), ["uniform"]),
    ("an infinite scale", {"x": X, "scale": float("inf")}, ("scale",), []),
    ("a softcap of zero", {"x": X, "softcap": 0}, ("softcap",), []),
    ("a scale beyond float32", {"x": X, "scale": 1e39}, ("scale",), ["float32", "in size"]),
    ("a scale beyond float16", {"x": X, "scale": -7e4, "dtype": "float16"}, ("scale",), []),
    ("too few sinks", {"x": X, "num_heads": 3, "sinks": [0.0]}, ("sinks",), ["3", "1"]),
    ("a certain dropout", {"x": X, "dropout": {"p": 1}}, ("dropout", "p"), []),
    ("a cache without values", {**HEADS, "past_k": [[1.0, 2.0]]}, ("past_v",), []),
    (
        "documents in a rectangle",
        {
            **HEADS,
            "masks": [{"kind": "documents", "ids": [0, 0, 1]}],
        },
        ("masks", 0, "ids"),
        ["3", "1"],
    ),
]


@pytest.mark.parametrize(
    ("fields", "loc", "named"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_refusal_names_its_place_and_its_numbers(
    fields: dict[str, Any], loc: tuple[Any, ...], named: list[str]
) -> None:
    with pytest.raises(SpecificationError) as caught:
        attend(**fields)
    assert tuple(caught.value.loc)[: len(loc)] == loc
    for word in named:
        assert word in str(caught.value), str(caught.value)


def test_an_unknown_keyword_is_refused_with_the_nearest_known_name() -> None:
    with pytest.raises(SpecificationError, match="num_heads"):
        attend(X, num_head=2)


@pytest.mark.parametrize("loc", [("rope", "bass"), ("masks", 0, "ofset")])
def test_an_unknown_entry_of_a_part_is_refused_too(loc: tuple[Any, ...]) -> None:
    parts = {
        "rope": {"rope": {"style": "half", "bass": 1}},
        "masks": {"masks": [{"kind": "causal", "ofset": 1}]},
    }
    with pytest.raises(SpecificationError, match=str(loc[-1])) as caught:
        attend(X, **parts[str(loc[0])])
    assert tuple(caught.value.loc)[: len(loc) - 1] == loc[:-1]


def test_wrong_shapes_have_a_kind_of_error_of_their_own() -> None:
    with pytest.raises(ShapeError):
        attend([[1, 2], [3]])
    assert issubclass(ShapeError, SpecificationError)
    assert issubclass(SpecificationError, AttentionError)
    assert issubclass(AttentionError, ValueError)
