"""What each reading of one mask means, from torch's own functions and by hand."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from transformers.masking_utils import sliding_window_causal_mask_function

from attention import Reading, Result, SpecificationError, attend, readings

ONES = [[1, 0, 1, 0, 0], [0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
"""3 queries, 5 keys: 9 ones and 6 zeros."""


def given(T: int = 3, S: int = 5, **fields: Any) -> Result:
    drawn = torch.Generator().manual_seed(17)
    q = torch.randn(1, 2, T, 7, generator=drawn)
    k, v = (torch.randn(1, 2, S, 7, generator=drawn) for _ in "kv")
    return attend(q=q, k=k, v=v, **fields)


def by_name(result: Result, subject: str, **asked: Any) -> dict[str, Reading]:
    return {reading.name: reading for reading in readings(result, subject, **asked)}


def matrix(values: Any, convention: str) -> list[dict[str, Any]]:
    return [{"kind": "matrix", "values": values, "convention": convention}]


def visible(reading: Reading) -> list[list[int]]:
    found: list[list[int]] = reading.result.allowed[0, 0].int().tolist()
    return found


def test_one_array_is_what_torchs_three_conventions_make_of_it() -> None:
    base = given(masks=matrix(ONES, "allowed"))
    found = by_name(base, "array")
    mask, q, k, v = torch.tensor(ONES), base.q, base.k, base.v
    theirs = {
        "allowed": F.scaled_dot_product_attention(q, k, v, attn_mask=mask.bool()),
        "additive": F.scaled_dot_product_attention(q, k, v, attn_mask=mask.float()),
    }
    for name, heads in theirs.items():
        torch.testing.assert_close(found[name].result.heads, heads, rtol=1e-5, atol=1e-6)
    assert found["allowed"].same and not found["additive"].same
    assert visible(found["blocked"]) == [[1 - cell for cell in row] for row in ONES]


@pytest.mark.parametrize("name", ["blocked", "additive"])
def test_multihead_attention_reads_the_same_array_so(name: str) -> None:
    """The module's own weights, from one array as boolean and as numbers."""
    x = torch.randn(5, 6, generator=torch.Generator().manual_seed(3))
    base = attend(x, num_heads=2, masks=matrix(torch.ones(5, 5).tril(1).tolist(), "allowed"))
    mha = nn.MultiheadAttention(6, 2, batch_first=True)
    weights = base.task.weights
    assert weights is not None and weights.b_q is not None
    assert weights.b_k is not None and weights.b_v is not None
    with torch.no_grad():
        mha.in_proj_weight.copy_(torch.cat([weights.w_q, weights.w_k, weights.w_v]))
        mha.in_proj_bias.copy_(torch.cat([weights.b_q, weights.b_k, weights.b_v]))
    array = torch.ones(5, 5).tril(1)
    mask = array.bool() if name == "blocked" else array
    _, theirs = mha(x[None], x[None], x[None], attn_mask=mask, average_attn_weights=False)
    ours = by_name(base, "array")[name].result.weights
    seen = ~array.bool().all(-1) if name == "blocked" else torch.ones(5, dtype=torch.bool)
    torch.testing.assert_close(ours[:, :, seen], theirs[:, :, seen], rtol=1e-5, atol=1e-6)
    assert seen.any()


def test_the_cells_that_flip_are_counted_over_heads() -> None:
    """Two heads: read as blocked, 6 cells a head come into sight and 9 go."""
    found = by_name(given(masks=matrix(ONES, "allowed")), "array")
    assert (found["blocked"].shown, found["blocked"].hidden) == (12, 18)
    assert (found["additive"].shown, found["additive"].hidden) == (12, 0)
    assert (found["allowed"].shown, found["allowed"].hidden) == (0, 0)


def test_rows_that_see_nothing_any_more_are_counted() -> None:
    base = given(masks=matrix([[1, 1, 1, 1, 1], [1, 0, 1, 1, 1], [1] * 5], "allowed"))
    assert by_name(base, "array")["blocked"].empty_rows == 2 * 2


def test_another_mask_is_read_as_the_array_of_what_it_allows() -> None:
    """Padding: a tokenizer's 1 for a real token, which key_padding_mask takes for filling."""
    masks = [{"kind": "causal"}, {"kind": "padding", "lengths": [3]}]
    found = by_name(given(masks=masks), "array", mask=1)
    causal = torch.ones(3, 5).tril()
    filled = causal * torch.tensor([0, 0, 0, 1, 1])
    assert found["allowed"].same
    assert visible(found["blocked"]) == filled.int().tolist()
    together = by_name(given(masks=masks), "array")
    assert visible(together["allowed"]) == (causal - filled).int().tolist()


def test_numbers_to_add_are_true_where_they_are_not_zero() -> None:
    """0 and −Infinity cast to booleans: −Infinity becomes true, and so allowed."""
    numbers = [[0, 0, -torch.inf, 0, 0], [0] * 5, [0, -torch.inf, 0, 0, 2.5]]
    found = by_name(given(masks=matrix(numbers, "additive")), "array")
    cast = torch.tensor(numbers).bool()
    assert found["additive"].same
    assert visible(found["allowed"]) == cast.int().tolist()
    assert visible(found["blocked"]) == (~cast).int().tolist()


def test_the_corners_are_those_of_torchs_own_biases() -> None:
    base = given(masks=[{"kind": "causal"}])
    found = by_name(base, "causal")
    q, k, v = base.q, base.k, base.v
    corners: dict[str, Any] = {
        "top_left": causal_upper_left(3, 5),
        "bottom_right": causal_lower_right(3, 5),
    }
    for name, bias in corners.items():
        theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        torch.testing.assert_close(found[name].result.heads, theirs, rtol=1e-5, atol=1e-6)
    assert found["top_left"].same and not found["bottom_right"].same
    assert found["bottom_right"].shown == 2 * 6


def test_with_as_many_queries_as_keys_the_corners_are_one() -> None:
    found = by_name(given(T=5, masks=[{"kind": "causal"}]), "causal")
    assert all(reading.same for reading in found.values())


def test_a_run_without_a_causal_mask_gets_one() -> None:
    found = by_name(given(), "causal")
    assert visible(found["top_left"]) == torch.ones(3, 5).tril().int().tolist()
    assert found["top_left"].hidden == 2 * 9


def test_a_window_of_two_by_hand() -> None:
    found = by_name(given(T=4, S=4), "window", window=2)
    assert visible(found["counts_itself"]) == [
        [1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1],
    ]  # fmt: skip
    assert visible(found["beside_itself"]) == [
        [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1],
    ]  # fmt: skip
    assert visible(found["both_sides"]) == [
        [1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1], [0, 1, 1, 1],
    ]  # fmt: skip


@pytest.mark.parametrize("window", [1, 2, 3, 7])
def test_hugging_face_counts_the_token_itself(window: int) -> None:
    query, key = torch.arange(5)[:, None], torch.arange(5)[None, :]
    theirs: Tensor = sliding_window_causal_mask_function(window)(0, 0, query, key)
    found = by_name(given(T=5), "window", window=window)
    assert visible(found["counts_itself"]) == theirs.int().tolist()


@pytest.mark.parametrize("window", [1, 2, 3])
def test_flash_attention_counts_the_keys_beside(window: int) -> None:
    """Its README: keys from i + S − T − left to i + S − T + right, both included."""
    base = given(masks=[{"kind": "window", "left": 0, "right": 0, "alignment": "bottom_right"}])
    found = by_name(base, "window", window=window)
    expected = [[int(i + 2 - window <= j <= i + 2) for j in range(5)] for i in range(3)]
    assert visible(found["beside_itself"]) == expected


def test_a_new_window_stands_where_the_causal_mask_does() -> None:
    """3 queries at the end of 5 keys: the first stands at key 2."""
    found = by_name(given(masks=[{"kind": "causal", "alignment": "bottom_right"}]), "window")
    assert visible(found["counts_itself"]) == [[0, 1, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 1, 1]]


def test_the_window_is_read_off_the_runs_own() -> None:
    """left 2 sees three keys with its own: W is 3."""
    masks = [{"kind": "window", "left": 2, "right": 0}]
    found = by_name(given(T=5, masks=masks), "window")
    assert found["counts_itself"].same
    assert "triu(-3)" in found["beside_itself"].mask


def test_only_the_mask_in_question_changes() -> None:
    masks = [{"kind": "window", "left": 1, "right": 0}, {"kind": "padding", "lengths": [4]}]
    found = by_name(given(masks=masks), "window")
    for reading in found.values():
        assert not reading.result.allowed[..., 4].any()


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"subject": "colour"}, "subject"),
        ({"subject": "array", "mask": 1}, "mask"),
        ({"subject": "window", "window": 0}, "window"),
    ],
)
def test_what_is_not_there_is_refused(asked: dict[str, Any], match: str) -> None:
    with pytest.raises(SpecificationError, match=match):
        list(readings(given(masks=[{"kind": "causal"}]), **asked))
