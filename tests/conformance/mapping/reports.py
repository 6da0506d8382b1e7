"""Cases after public bug reports: each field of their ``input``, as the API says it.

A case is read field by field; one that this module does not know is an error, so nothing that a
case states can be overlooked. ``Reading`` pairs a specification with what must come back: most
cases have one, some are read in several ways (a RoPE style each, two equivalent biases).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exchange import Array, Specification
from ..vectors import Vector
from . import reports_inputs as inputs
from . import reports_masks as masks

Given = dict[str, Any]

VECTORS: dict[str, Callable[[Given], Specification]] = {
    "q": inputs.heads,
    "x": inputs.tokens,
    "file": inputs.file,
    "per_head_output": inputs.values_seen_alone,
}

SETTINGS: dict[str, Callable[[Given], Specification]] = {
    "scale": lambda given: {"scale": given["scale"]},
    "sinks": lambda given: {"sinks": np.asarray(given["sinks"])},
    "softmax": inputs.softmax_one,
    "rope": inputs.rope,
    "bias": lambda given: {"biases": [inputs.matrix_bias(given["bias"])]},
    "alibi_bias_unscaled": inputs.alibi_scaled_with_the_scores,
}

MASKS: dict[str, Callable[[Given], list[Specification]]] = {
    "causal": masks.causal,
    "is_causal_hint": masks.causal,
    "mask": masks.matrix,
    "attention_mask": masks.padding,
    "token_is_real": masks.padding,
    "sliding_window": masks.window,
}

READ_WITH_ANOTHER = {
    *("k", "v", "W_q", "W_k", "W_v", "fused_weight", "weight", "num_heads", "num_kv_heads"),
    *("d_head", "d_model", "alignment", "mask_true_means", "mask_shape", "convention"),
    *("attention_mask_1_means", "window_counts", "fused_weight_is", "weight_is", "layout"),
}

SAID_ELSEWHERE = {
    *("meaning", "d_k", "d_v", "lengths", "x_as_stored", "dtype", "dtype_of_file"),
    *("alibi_slope", "dropout_p", "dropout_keep"),
}
"""Notes on what other fields hold already, and what ``test_reports_rules`` looks at."""


@dataclass(frozen=True)
class Reading:
    specification: Specification
    expected: dict[str, Any]


def specification(case: Vector) -> Specification:
    """In float64 whatever the dtype of the case's file: its numbers were computed so."""
    return written(case.facts["input"])


def written(given: Given) -> Specification:
    unknown = given.keys() - VECTORS.keys() - SETTINGS.keys() - MASKS.keys()
    unknown -= READ_WITH_ANOTHER | SAID_ELSEWHERE
    assert not unknown, f"no mapping for {sorted(unknown)}"
    said: Specification = {"dtype": "float64", "masks": []}
    for name in (name for name in given if name in VECTORS):
        said |= VECTORS[name](given)
    for name in (name for name in given if name in SETTINGS):
        said |= SETTINGS[name](given)
    for name in (name for name in given if name in MASKS):
        said["masks"] = said["masks"] + MASKS[name](given)
    return said


def readings(case: Vector) -> Iterator[Reading]:
    said, expected = specification(case), case.facts["expected"]
    if "rope" in said:
        for style in ("interleaved", "half"):
            yield Reading(said | {"rope": said["rope"] | {"style": style}}, expected[style])
    elif "or_if_both_are_applied" in expected:
        yield Reading(said, expected["or_if_both_are_applied"])
    else:
        yield Reading(said, expected)
    if "same_weights_with_bias" in expected:
        yield with_equivalent_bias(said, expected)
    if "alibi_slope" in case.facts["input"]:
        yield Reading(said | {"biases": [inputs.alibi(case.facts["input"])]}, expected)


def with_equivalent_bias(said: Specification, expected: dict[str, Any]) -> Reading:
    """The second bias of a case, which differs by a constant in each row."""
    bias = inputs.matrix_bias(expected["same_weights_with_bias"])
    same = {name: expected[name] for name in ("scores", "weights", "output")}
    same["masked_scores"] = expected["masked_scores_with_that_bias"]
    return Reading(said | {"biases": [bias]}, same)


def added_bias(said: Specification) -> Array:
    """What the specification's biases add to the scores.

    The reports print scores before the bias, the API after it, so a comparison adds this.
    """
    total = np.zeros(())
    for bias in said.get("biases", []):
        if bias["kind"] == "alibi":
            total = total + inputs.alibi_matrix(said, bias)
        else:
            total = total + bias["values"]
    return total
