"""Every classic mistake, made by plain torch code, is named first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient

from tests.checking import slips
from tests.checking.asking import checked, given
from tests.checking.users_layer import Case, Layer

SQUARE = Case(seed=5, kv=3, heads=3, lengths=None)
CACHE = Case(seed=1, tokens=3, cached=5, lengths=None)
ROPE = Case(seed=2, rope="half")
WINDOW = Case(seed=4, window=2)
PADDED = Case(seed=6, causal=False)
CAPPED = Case(seed=7, softcap=2.0, bias=True, loud=2.0)
PLAIN_CAP = Case(seed=8, softcap=2.0, loud=2.0)
LOUD = Case(seed=10, loud=150.0, lengths=None)
SOME = (Case().x[0, :, 0][:, None] + Case().x[0, :, 1][None, :] > -0.5) | torch.eye(7).bool()
MATRIX = Case(seed=9, causal=False, lengths=None, allowed=SOME)

MADE: list[tuple[str, type[Layer], Case]] = [
    ("mask_inverted", slips.PaddingMeansBlocked, PADDED),
    ("mask_inverted", slips.PaddingMeansBlocked, Case()),
    ("mask_inverted", slips.MatrixMeansBlocked, MATRIX),
    ("mask_inverted", slips.CausalMeansBlocked, SQUARE),
    ("mask_inverted", slips.WholeMaskInverted, Case()),
    ("mask_wrong_axis", slips.PaddingOnQueries, PADDED),
    ("mask_wrong_axis", slips.PaddingOnQueries, Case()),
    ("mask_wrong_axis", slips.MatrixTransposed, MATRIX),
    ("mask_after_softmax", slips.MaskAfterSoftmax, Case()),
    ("mask_missing", slips.NoCausal, Case()),
    ("mask_missing", slips.NoPadding, Case()),
    ("mask_missing", slips.NoMask, Case()),
    ("mask_missing", slips.OnlyTheWindow, Case(window=2)),
    ("fill_too_small", slips.FillMisspelt, Case()),
    ("fill_too_small", slips.FillZero, Case()),
    ("fill_too_small", slips.FillTenThousand, LOUD),
    ("fill_too_small", slips.FillAdded, LOUD),
    ("causal_alignment", slips.CausalTopLeft, CACHE),
    ("causal_alignment", slips.DiagonalMasked, Case()),
    ("window_off_by_one", slips.WindowTooWide, WINDOW),
    ("window_off_by_one", slips.WindowTooNarrow, WINDOW),
    ("scale_missing", slips.NoScale, Case()),
    ("scale_model_width", slips.ScaleOfModelWidth, Case()),
    ("softmax_wrong_axis", slips.SoftmaxOverQueries, Case()),
    ("softmax_wrong_axis", slips.SoftmaxOverHeads, PADDED),
    ("kv_heads_tiled", slips.KvHeadsTiled, Case()),
    ("heads_split_without_transpose", slips.SplitByReshape, Case()),
    ("heads_merged_without_transpose", slips.MergedByReshape, Case()),
    ("weight_transposed", slips.QueryWeightTransposed, Case()),
    ("weight_transposed", slips.OutputWeightTransposed, Case()),
    ("weight_transposed", slips.AllWeightsTransposed, SQUARE),
    ("fused_order", slips.KeysAndValuesSwapped, Case()),
    ("fused_order", slips.BlocksReadPerGroup, Case()),
    ("fused_order", slips.GroupsReadAsBlocks, Case()),
    ("rope_style", slips.OtherRopeStyle, Case(rope="half")),
    ("rope_style", slips.OtherRopeStyle, Case(rope="interleaved")),
    ("rope_offset", slips.PositionsFromZero, Case(rope="half", tokens=3, cached=5, lengths=None)),
    ("softcap_order", slips.CapBeforeScale, PLAIN_CAP),
    ("softcap_order", slips.CapAfterBias, CAPPED),
    ("softcap_order", slips.CapAfterMask, PLAIN_CAP),
    ("mask_added_as_01", slips.MaskAdded, SQUARE),
    ("mask_added_as_01", slips.MaskAdded, Case()),
    ("heads_averaged", slips.HeadsAveraged, Case()),
    ("heads_averaged", slips.HeadsAveragedWithAnAxis, Case()),
    ("dropout_on", slips.DropoutLeftOn, Case()),
    ("rope_missing", slips.NoRope, ROPE),
    ("scale_twice", slips.ScaledTwice, Case()),
    ("softcap_missing", slips.NoCap, PLAIN_CAP),
    ("bias_missing", slips.NoBias, CAPPED),
]
NAMES = [f"{name}-{slip.__name__}-{i}" for i, (name, slip, _) in enumerate(MADE)]
every_mistake = pytest.mark.parametrize(("name", "slip", "case"), MADE, ids=NAMES)


def spec_of(case: Case) -> dict[str, Any]:
    """As it should be said: the last entry of an odd head width does not rotate."""
    spec = case.specification()
    if case.rope:
        spec["rope"]["dim"] = 4
    return spec


@every_mistake
def test_mistake_is_named_first(
    name: str, slip: type[Layer], case: Case, client: TestClient
) -> None:
    answer = checked(client, spec_of(case), given(slip(case)))
    assert not answer["pass"]
    assert [cause["mistake"] for cause in answer["causes"]][:1] == [name]
    assert answer["causes"][0]["max_abs"] < 1e-9


@every_mistake
def test_mistake_is_named_by_the_output_alone_or_by_the_weights(
    name: str, slip: type[Layer], case: Case, client: TestClient
) -> None:
    """Whatever is given names the mistake, if it shows in it."""
    numbers = given(slip(case))
    shown = ["weights"] if name in ("heads_averaged", "dropout_on") else ["output", "weights"]
    right = given(slips.Right(case))
    for part in shown:
        if part == "weights" and np.array_equal(numbers[part], right[part]):
            continue
        answer = checked(client, spec_of(case), {part: numbers[part]})
        assert name in [cause["mistake"] for cause in answer["causes"]], part


@every_mistake
def test_fields_of_a_cause_make_the_same_mistake(
    name: str, slip: type[Layer], case: Case, client: TestClient
) -> None:
    """Where the specification can say a mistake, it then agrees with the numbers."""
    numbers = given(slip(case))
    spec = spec_of(case)
    fields = checked(client, spec, numbers)["causes"][0]["fields"]
    if not fields or name in ("dropout_on", "heads_averaged"):
        return
    assert checked(client, spec | fields, numbers)["pass"]


@pytest.mark.parametrize("case", [Case(), SQUARE, CACHE, WINDOW, PADDED, CAPPED, MATRIX])
def test_right_numbers_pass(case: Case, client: TestClient) -> None:
    answer = checked(client, case.specification(), given(slips.Right(case)))
    assert answer["pass"]
    assert answer["causes"] == []


def test_probability_of_dropout_is_read_off(client: TestClient) -> None:
    numbers = given(slips.DropoutLeftOn(Case()))
    cause = checked(client, Case().specification(), numbers)["causes"][0]
    assert cause["fields"]["dropout"]["p"] == pytest.approx(0.3)


def test_every_name_of_the_contract_is_made_here() -> None:
    contract = """mask_inverted mask_wrong_axis mask_after_softmax mask_missing fill_too_small
    causal_alignment window_off_by_one scale_missing scale_model_width softmax_wrong_axis
    kv_heads_tiled heads_split_without_transpose heads_merged_without_transpose
    weight_transposed fused_order rope_style rope_offset softcap_order mask_added_as_01
    heads_averaged dropout_on"""
    assert set(contract.split()) <= {name for name, _, _ in MADE}
