"""Each kind of mask against truth tables drawn by hand: `x` may be read, `.` may not."""

from typing import Any

import numpy as np
import pytest
import torch

from attention import SpecificationError, attend

TABLES: list[tuple[str, int, int, dict[str, Any], str]] = [
    ("causal starts top left", 3, 5, {"kind": "causal"}, "x.... xx... xxx.."),
    (
        "top left is offset 0",
        3,
        5,
        {"kind": "causal", "alignment": "top_left"},
        "x.... xx... xxx..",
    ),
    (
        "bottom right is S - T",
        3,
        5,
        {"kind": "causal", "alignment": "bottom_right"},
        "xxx.. xxxx. xxxxx",
    ),
    (
        "bottom right with more queries blinds the first",
        5,
        3,
        {"kind": "causal", "alignment": "bottom_right"},
        "... ... x.. xx. xxx",
    ),
    ("more queries than keys", 5, 3, {"kind": "causal"}, "x.. xx. xxx xxx xxx"),
    ("causal moved right", 3, 5, {"kind": "causal", "offset": 1}, "xx... xxx.. xxxx."),
    ("causal moved left", 3, 5, {"kind": "causal", "offset": -1}, "..... x.... xx..."),
    ("window of both sides", 3, 5, {"kind": "window", "left": 1, "right": 1}, "xx... xxx.. .xxx."),
    ("window of one key", 3, 5, {"kind": "window", "left": 0, "right": 0}, "x.... .x... ..x.."),
    ("window open left", 3, 5, {"kind": "window", "right": 1}, "xx... xxx.. xxxx."),
    (
        "window open right",
        3,
        5,
        {"kind": "window", "left": 1, "right": None},
        "xxxxx xxxxx .xxxx",
    ),
    ("window open on both sides", 3, 5, {"kind": "window"}, "xxxxx xxxxx xxxxx"),
    (
        "window moved right",
        3,
        5,
        {"kind": "window", "left": 1, "right": 0, "offset": 2},
        ".xx.. ..xx. ...xx",
    ),
    (
        "window past the last key",
        3,
        5,
        {"kind": "window", "left": 1, "right": 0, "offset": 4},
        "...xx ....x .....",
    ),
    ("prefix then causal", 3, 5, {"kind": "prefix", "length": 2}, "xx... xx... xxx.."),
    ("prefix of nothing is causal", 3, 5, {"kind": "prefix", "length": 0}, "x.... xx... xxx.."),
    (
        "prefix and offset",
        3,
        5,
        {"kind": "prefix", "length": 2, "offset": 2},
        "xxx.. xxxx. xxxxx",
    ),
    (
        "documents",
        5,
        5,
        {"kind": "documents", "ids": [4, 4, 9, 9, 4]},
        "xx..x xx..x ..xx. ..xx. xx..x",
    ),
    ("padding by length", 3, 5, {"kind": "padding", "lengths": [2]}, "xx... xx... xx..."),
    ("padding of nothing", 3, 5, {"kind": "padding", "lengths": [0]}, "..... ..... ....."),
    (
        "padding by keep",
        3,
        5,
        {"kind": "padding", "keep": [[0, 0, 1, 1, 1]]},
        "..xxx ..xxx ..xxx",
    ),
    (
        "padding by keep in words",
        3,
        5,
        {"kind": "padding", "keep": [[True, False, True, False, True]]},
        "x.x.x x.x.x x.x.x",
    ),
    (
        "matrix of one row",
        3,
        5,
        {"kind": "matrix", "values": [1, 0, 0, 1, 1], "convention": "allowed"},
        "x..xx x..xx x..xx",
    ),
    (
        "matrix of one column",
        3,
        5,
        {"kind": "matrix", "values": [[1], [0], [1]], "convention": "allowed"},
        "xxxxx ..... xxxxx",
    ),
    (
        "matrix blocked",
        3,
        5,
        {"kind": "matrix", "values": [[1, 0, 0, 1, 1]], "convention": "blocked"},
        ".xx.. .xx.. .xx..",
    ),
    (
        "matrix added",
        3,
        5,
        {"kind": "matrix", "values": [0, -np.inf, -1e9, 5, -3e38], "convention": "additive"},
        "x.xxx x.xxx x.xxx",
    ),
]


def table(text: str) -> torch.Tensor:
    return torch.tensor([[cell == "x" for cell in row] for row in text.split()])


def heads(B: int, T: int, S: int, H: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    return {
        "q": rng.normal(size=(B, H, T, 2)),
        "k": rng.normal(size=(B, H, S, 2)),
        "v": rng.normal(size=(B, H, S, 2)),
    }


def seen(result: Any) -> torch.Tensor:
    return result.allowed.bool().expand(result.weights.shape)


@pytest.mark.parametrize(
    ("T", "S", "mask", "drawn"), [row[1:] for row in TABLES], ids=[row[0] for row in TABLES]
)
def test_a_mask_allows_what_its_table_shows(
    T: int, S: int, mask: dict[str, Any], drawn: str
) -> None:
    result = attend(**heads(1, T, S), masks=[mask])
    assert torch.equal(seen(result)[0, 0], table(drawn))
    assert torch.equal(result.weights[0, 0] > 0, table(drawn) & (result.masked_scores[0, 0] > -1e8))


PER_BATCH = [
    (
        {"kind": "causal", "offset": [0, 2]},
        ["x.... xx... xxx..", "xxx.. xxxx. xxxxx"],
    ),
    (
        {"kind": "prefix", "length": [1, 3]},
        ["x.... xx... xxx..", "xxx.. xxx.. xxx.."],
    ),
    (
        {"kind": "window", "left": 0, "right": 1, "offset": [-1, 1]},
        ["x.... xx... .xx..", ".xx.. ..xx. ...xx"],
    ),
    (
        {"kind": "padding", "lengths": [4, 1]},
        ["xxxx. xxxx. xxxx.", "x.... x.... x...."],
    ),
    (
        {"kind": "padding", "keep": [[1, 1, 1, 1, 0], [0, 0, 0, 1, 1]]},
        ["xxxx. xxxx. xxxx.", "...xx ...xx ...xx"],
    ),
]


@pytest.mark.parametrize(("mask", "drawn"), PER_BATCH)
def test_each_batch_item_may_have_a_number_of_its_own(
    mask: dict[str, Any], drawn: list[str]
) -> None:
    result = attend(**heads(2, 3, 5, H=3), masks=[mask])
    for b, text in enumerate(drawn):
        for h in range(3):
            assert torch.equal(seen(result)[b, h], table(text))


def test_documents_may_differ_by_batch_item() -> None:
    result = attend(**heads(2, 3, 3), masks=[{"kind": "documents", "ids": [[0, 0, 1], [5, 6, 5]]}])
    assert torch.equal(seen(result)[0, 0], table("xx. xx. ..x"))
    assert torch.equal(seen(result)[1, 0], table("x.x .x. x.x"))


@pytest.mark.parametrize(
    "shape", [(5,), (3, 5), (7, 1, 5), (2, 1, 3, 1), (2, 7, 3, 5), (1, 1, 1, 1)]
)
def test_a_matrix_broadcasts_by_its_trailing_axes(
    rng: np.random.Generator, shape: tuple[int, ...]
) -> None:
    values = rng.random(shape) < 0.5
    result = attend(
        **heads(2, 3, 5, H=7),
        masks=[{"kind": "matrix", "values": values, "convention": "allowed"}],
    )
    assert np.array_equal(seen(result).numpy(), np.broadcast_to(values, (2, 7, 3, 5)))


def test_allowed_has_a_head_axis_only_where_heads_differ(rng: np.random.Generator) -> None:
    shared = attend(**heads(2, 3, 5, H=7), masks=[{"kind": "causal"}])
    assert tuple(shared.allowed.shape) == (2, 1, 3, 5)
    per_head = rng.random((7, 3, 5)) < 0.5
    mask = {"kind": "matrix", "values": per_head, "convention": "allowed"}
    assert tuple(attend(**heads(2, 3, 5, H=7), masks=[mask]).allowed.shape) == (2, 7, 3, 5)


def test_behind_a_cache_the_masks_count_from_the_cache_s_length(rng: np.random.Generator) -> None:
    cache = {name: rng.normal(size=(1, 1, 2, 2)) for name in ("past_k", "past_v")}
    drawn = {
        "causal": ({"kind": "causal"}, "xxx.. xxxx. xxxxx"),
        "top left": ({"kind": "causal", "alignment": "top_left"}, "x.... xx... xxx.."),
        "bottom right": ({"kind": "causal", "alignment": "bottom_right"}, "xxx.. xxxx. xxxxx"),
        "own offset": ({"kind": "causal", "offset": 0}, "x.... xx... xxx.."),
        "window": ({"kind": "window", "left": 1, "right": 0}, ".xx.. ..xx. ...xx"),
        "prefix": ({"kind": "prefix", "length": 1}, "xxx.. xxxx. xxxxx"),
        "padding": ({"kind": "padding", "lengths": [4]}, "xxxx. xxxx. xxxx."),
    }
    for name, (mask, text) in drawn.items():
        result = attend(**heads(1, 3, 3), **cache, masks=[mask])
        assert torch.equal(seen(result)[0, 0], table(text)), name


def test_masks_are_combined_with_and_and_each_blocked_cell_names_its_masks() -> None:
    masks = [
        {"kind": "causal", "offset": 1},
        {"kind": "padding", "keep": [[0, 1, 1, 1, 1]]},
        {"kind": "window", "left": 1},
    ]
    result = attend(**heads(1, 3, 5), masks=masks)
    assert torch.equal(seen(result)[0, 0], table(".x... .xx.. .xxx."))
    # bit 0: after the diagonal, bit 1: key 0 is padding, bit 2: more than one key behind
    expected = torch.tensor([[2, 0, 1, 1, 1], [2, 0, 0, 1, 1], [6, 0, 0, 0, 1]])
    assert torch.equal(result.blocked_by[0, 0].long(), expected)


def test_an_additive_matrix_adds_its_finite_numbers_after_the_scores() -> None:
    values = np.array([[0.5, -np.inf, -2.0, 0.0, 3.0]])
    result = attend(
        **heads(1, 3, 5),
        masks=[{"kind": "matrix", "values": values, "convention": "additive"}],
        fill=-77.0,
        dtype="float64",
    )
    plain = attend(**heads(1, 3, 5), dtype="float64")
    assert torch.equal(result.scores, plain.scores)
    expected = (plain.scores.numpy() + values)[0, 0]
    expected[:, 1] = -77.0
    np.testing.assert_allclose(result.masked_scores[0, 0].numpy(), expected, rtol=0, atol=1e-12)


def test_the_smallest_number_of_the_dtype_is_added_and_does_not_block() -> None:
    smallest = float(torch.finfo(torch.float32).min)
    mask = {"kind": "matrix", "values": [[smallest] * 5], "convention": "additive"}
    result = attend(**heads(1, 3, 5), masks=[mask], fully_masked="nan")
    assert seen(result).all()
    assert not [warning for warning in result.warnings if warning.code == "fully_masked_rows"]
    assert torch.isfinite(result.weights).all()


@pytest.mark.parametrize(
    ("offset", "seen_everywhere"), [(2**63 - 1, True), (2**62, True), (-(2**63), False)]
)
def test_an_offset_far_outside_either_works_or_is_refused_but_never_wraps_around(
    offset: int, seen_everywhere: bool
) -> None:
    mask = {"kind": "causal", "offset": np.array(offset, dtype=np.int64)}
    try:
        result = attend(**heads(1, 3, 5), masks=[mask])
    except SpecificationError as refused:
        assert tuple(refused.loc)[:3] == ("masks", 0, "offset")
    else:
        assert bool(seen(result).all()) is seen_everywhere
        assert bool(seen(result).any()) is seen_everywhere


def test_an_unsigned_offset_beyond_int64_is_not_read_as_minus_one() -> None:
    mask = {"kind": "causal", "offset": np.array(2**64 - 1, dtype=np.uint64)}
    try:
        result = attend(**heads(1, 3, 5), masks=[mask])
    except SpecificationError:
        return
    assert seen(result).all()
