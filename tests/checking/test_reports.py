"""The wrong answers of the report cases, given to the checker beside the right specification."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.checking.asking import checked
from tests.conformance.mapping.reports import specification
from tests.conformance.mistakes import MISTAKES, Mistake
from tests.conformance.vectors import report

NAMED = {
    ("additive-bias-and-causal", "bias_only"): "mask_missing",
    ("additive-bias-and-causal", "causal_only"): "bias_missing",
    ("alibi-scaled-in-falcon", "bloom_convention"): "bias_scaled",
    ("all-masked-row", "plain_softmax"): "fully_masked_rows",
    ("attention-sink-per-head", "renormalised_to_1_(sink_lost)"): "sinks_missing",
    ("batch-and-sequence-axes-swapped", "batch_read_as_sequence"): "batch_axis_swapped",
    ("bool-or-01-mask-added-as-bias", "mask_added_as_0_1_bias"): "mask_added_as_01",
    ("causal-2-queries-5-keys", "top_left"): "causal_alignment",
    ("causal-2-queries-5-keys", "mask_dropped_when_Lq_ne_Lk"): "mask_missing",
    ("fused-qkv-blocks-in-proj-weight", "read_as_per_head"): "fused_order",
    ("fused-qkv-falcon-groups", "read_as_blocks"): "fused_order",
    ("gpt2-conv1d-weight-is-transposed", "used_as_out_in"): "weight_transposed",
    ("kv-cache-decode-one-query", "top_left"): "causal_alignment",
    ("left-padding-causal", "padding_mask_dropped"): "mask_missing",
    ("mask-3d-batch-or-head", "mask_b_applied_to_head_b"): "mask_wrong_axis",
    ("mask-after-softmax", "masked_after_softmax"): "mask_after_softmax",
    ("mask-polarity-bool", "if_true_is_read_as_allowed"): "mask_inverted",
    (
        "padding-mask-1-means-keep",
        "used_as_key_padding_mask_True_is_ignore",
    ): "mask_inverted",
    ("sliding-window-off-by-one", "W_previous_keys_plus_self"): "window_off_by_one",
    ("split-heads-by-reshape-only", "reshape_without_transpose"): ("heads_split_without_transpose"),
    ("value-dim-differs-from-key-dim", "scale_from_value_dim"): "scale_value_width",
}
UNNAMED = {"without_causal_the_two_differ"}
"""ALiBi in another form and no causal mask either: two things, of which one has no name."""

TENSORS = {"q": "q", "q_heads": "q", "weights": "weights", "output": "heads", "y": "q"}


def tensors(mistake: Mistake) -> dict[str, Any]:
    """The full tensors of a wrong answer; the reports' output is not merged yet."""
    found: dict[str, Any] = {}
    for name, value in mistake.reading().expected.items():
        if name in TENSORS:
            values = np.asarray(value, dtype=np.float64)
            found[TENSORS[name]] = values[:, None] if name == "y" else values
    return found


@pytest.mark.parametrize("mistake", [m for m in MISTAKES if m.wrong not in UNNAMED], ids=str)
def test_wrong_answer_of_a_report_is_named(mistake: Mistake, client: TestClient) -> None:
    answer = checked(client, specification(report(mistake.case)), tensors(mistake))
    assert not answer["pass"]
    assert answer["causes"][0]["mistake"] == NAMED[mistake.case, mistake.wrong]


def test_merged_without_the_transpose_is_named(client: TestClient) -> None:
    case = report("merge-heads-without-transpose")
    wrong = case.facts["wrong"]["reshape_only"]
    answer = checked(client, specification(case), {"output": wrong})
    assert answer["causes"][0]["mistake"] == "heads_merged_without_transpose"


def test_average_over_the_heads_is_named(client: TestClient) -> None:
    case = report("averaged-weights-hide-heads")
    wrong = case.facts["wrong"]["head_average"]
    answer = checked(client, specification(case), {"weights": wrong})
    assert answer["causes"][0]["mistake"] == "heads_averaged"


def test_dropout_is_named(client: TestClient) -> None:
    case = report("dropout-weights-do-not-sum-to-1")
    wrong = case.facts["wrong"]["after_dropout"]
    expected = {"weights": wrong["weights"], "heads": wrong["output"]}
    answer = checked(client, specification(case), expected)
    assert answer["causes"][0]["mistake"] == "dropout_on"
