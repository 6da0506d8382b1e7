"""What a report case expects, one function for each field of its ``expected``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .exchange import Answer, Specification
from .mapping.reports import Reading, added_bias
from .vectors import Tolerance

INCLUDE = "q,k,v,dot_products,scores,masked_scores,weights,heads,output,allowed"

SAME: dict[str, str] = {
    "q": "q",
    "k": "k",
    "v": "v",
    "q_heads": "q",
    "q_rotated": "q",
    "masked_scores": "masked_scores",
    "weights": "weights",
    "output": "heads",
    "merged": "output",
    "merged_output": "output",
}
"""Fields that are a tensor of the answer; the reports' ``output`` is not merged yet."""

SAID_IN_WORDS = {
    *("rule", "layout", "compute_dtype"),
    # Compared by a reading of its own, or by test_reports_rules.
    *("same_weights_with_bias", "masked_scores_with_that_bias", "same_tokens_alone"),
    *("full_sequence_q", "full_sequence_output", "non_square_example"),
}


def check(reading: Reading, answer: Answer, tolerance: Tolerance) -> None:
    """Every field of the expected answer; one that is not known here is an error."""
    for field, value in reading.expected.items():
        if field in SAME:
            tolerance.check(answer.tensor(SAME[field]), value, field)
        elif field not in SAID_IN_WORDS:
            COMPARISONS[field](reading.specification, answer, value, tolerance)


def scores(said: Specification, answer: Answer, value: Any, tolerance: Tolerance) -> None:
    """The reports print scores before any bias; the API's ``scores`` have it added already."""
    expected = np.asarray(value)
    scale = said.get("scale", answer.body["layout"]["head_dim"] ** -0.5)
    tolerance.check(answer.tensor("dot_products") * scale, expected, "scores before the bias")
    tolerance.check(answer.tensor("scores"), expected + added_bias(said), "scores")


def row_sums(said: Specification, answer: Answer, value: Any, tolerance: Tolerance) -> None:
    tolerance.check(answer.row_sums, value, "row_sums")


def row_sum(said: Specification, answer: Answer, value: Any, tolerance: Tolerance) -> None:
    tolerance.check(answer.row_sums, [[[value]]], "row_sum")


def fully_masked(said: Specification, answer: Answer, value: Any, tolerance: Tolerance) -> None:
    assert answer.fully_masked_rows == value


def visible(said: Specification, answer: Answer, value: Any, tolerance: Tolerance) -> None:
    assert answer.tensor("allowed")[0, 0].astype(bool).tolist() == value


def visible_counts(said: Specification, answer: Answer, value: Any, tolerance: Tolerance) -> None:
    assert answer.tensor("allowed")[0, 0].sum(axis=-1).tolist() == value


def output_shape(said: Specification, answer: Answer, value: Any, tolerance: Tolerance) -> None:
    assert list(answer.tensor("heads").shape) == value


def projected(said: Specification, answer: Answer, value: Any, tolerance: Tolerance) -> None:
    """x W for a weight that stands as all three projections, with one head."""
    for name in ("q", "k", "v"):
        tolerance.check(answer.tensor(name)[:, 0], value, f"y as {name}")


COMPARISONS: dict[str, Callable[[Specification, Answer, Any, Tolerance], None]] = {
    "scores": scores,
    "row_sums": row_sums,
    "row_sum": row_sum,
    "fully_masked_rows": fully_masked,
    "visible": visible,
    "visible_per_row": visible_counts,
    "output_shape": output_shape,
    "y": projected,
}
