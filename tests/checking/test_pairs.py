"""Two mistakes together, each pair one layer that makes both."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.checking import slips
from tests.checking.asking import checked, given, noise
from tests.checking.users_layer import Case, Layer

FULL = Case(seed=3, kv=3, rope="half", softcap=2.0, bias=True, window=3, loud=2.0)
PLAIN = Case(seed=12)
CACHE = Case(seed=13, tokens=3, cached=5, lengths=None, rope="half")

PAIRS: list[tuple[str, type[Layer], type[Layer], Case]] = [
    ("scale_missing+mask_missing", slips.NoScale, slips.NoCausal, PLAIN),
    ("scale_missing+mask_inverted", slips.NoScale, slips.PaddingMeansBlocked, PLAIN),
    ("kv_heads_tiled+scale_missing", slips.KvHeadsTiled, slips.NoScale, PLAIN),
    (
        "heads_split_without_transpose+heads_merged_without_transpose",
        slips.SplitByReshape,
        slips.MergedByReshape,
        PLAIN,
    ),
    ("fused_order+weight_transposed", slips.BlocksReadPerGroup, slips.OutputWeightTransposed, FULL),
    ("kv_heads_tiled+mask_after_softmax", slips.KvHeadsTiled, slips.MaskAfterSoftmax, FULL),
    ("rope_style+softcap_order", slips.OtherRopeStyle, slips.CapBeforeScale, FULL),
    ("scale_model_width+softcap_order", slips.ScaleOfModelWidth, slips.CapBeforeScale, FULL),
    ("rope_offset+causal_alignment", slips.PositionsFromZero, slips.CausalTopLeft, CACHE),
    ("window_off_by_one+fill_too_small", slips.WindowTooWide, slips.FillMisspelt, FULL),
    ("mask_inverted+softmax_wrong_axis", slips.CausalMeansBlocked, slips.SoftmaxOverQueries, FULL),
    ("mask_wrong_axis+heads_averaged", slips.PaddingOnQueries, slips.HeadsAveraged, PLAIN),
    ("scale_model_width+dropout_on", slips.ScaleOfModelWidth, slips.DropoutLeftOn, PLAIN),
    ("mask_added_as_01+mask_inverted", slips.MaskAdded, slips.PaddingMeansBlocked, PLAIN),
    ("softmax_wrong_axis+heads_merged_without_transpose", slips.SoftmaxOverQueries,
     slips.MergedByReshape, PLAIN),
    ("mask_missing+mask_inverted", slips.NoCausal, slips.WholeMaskInverted, FULL),
]  # fmt: skip


def both(one: type[Layer], other: type[Layer]) -> type[Layer]:
    """A layer that makes the two mistakes."""
    return type("Both", (one, other), {})


@pytest.mark.parametrize(
    ("names", "one", "other", "case"), PAIRS, ids=[f"{i}-{p[0]}" for i, p in enumerate(PAIRS)]
)
def test_two_mistakes_together_are_named(
    names: str, one: type[Layer], other: type[Layer], case: Case, client: TestClient
) -> None:
    spec = case.specification()
    if case.rope:
        spec["rope"]["dim"] = 4
    causes = checked(client, spec, given(both(one, other)(case)))["causes"]
    assert causes
    assert set(causes[0]["mistake"].split("+")) == set(names.split("+"))
    assert causes[0]["max_abs"] < 1e-9


def test_two_mistakes_are_tried_only_when_one_does_not_explain(client: TestClient) -> None:
    causes = checked(client, PLAIN.specification(), given(slips.NoScale(PLAIN)))["causes"]
    assert all("+" not in cause["mistake"] for cause in causes)


@pytest.mark.parametrize("case", [PLAIN, FULL, CACHE])
def test_unrelated_numbers_have_no_cause(case: Case, client: TestClient) -> None:
    spec = case.specification()
    if case.rope:
        spec["rope"]["dim"] = 4
    answer = checked(client, spec, {"output": noise(2, case.tokens, 30)})
    assert not answer["pass"]
    assert answer["causes"] == []


def test_three_mistakes_are_not_guessed_at(client: TestClient) -> None:
    three = type("Three", (slips.NoScale, slips.NoCausal, slips.KvHeadsTiled), {})
    assert checked(client, PLAIN.specification(), given(three(PLAIN)))["causes"] == []
