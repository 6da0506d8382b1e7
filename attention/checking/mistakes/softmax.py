"""The softmax over another axis, and what acts on its weights."""

from __future__ import annotations

from collections.abc import Iterator

from attention.checking.attempt import Attempt, Slip
from attention.checking.mistakes.mistake import mistake
from attention.checking.workbench import Workbench


def wrong_axis(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Over the queries, or over the heads."""
    if bench.dims.T > 1 or bench.dims.S > 1:
        yield Slip("over the queries, dim=-2", habits=frozenset({"softmax_over_queries"}))
    if bench.dims.H > 1:
        yield Slip("over the heads, dim=1", habits=frozenset({"softmax_over_heads"}))


def no_sinks(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Rows that sum to 1."""
    if attempt.spec.sinks is not None:
        yield Slip("", {"sinks": None})


def dropped(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Weights that are 0 or larger by one factor, whose pattern the given ones show."""
    given = bench.given.get("weights")
    dims = bench.dims
    if given is None or given.values.shape != (dims.B, dims.H, dims.T, dims.S):
        return
    if (given.values == 0).any():
        yield Slip(habits=frozenset({"dropped"}), fields={})


def no_dropout(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """The view of evaluation."""
    if attempt.spec.dropout is not None:
        yield Slip("", {"dropout": None})


SOFTMAX = [
    mistake(
        "sinks_missing",
        "sinks",
        no_sinks,
        "The sinks are left out, so every row sums to 1. The learned logit of each head is one"
        " more column in the softmax, dropped afterwards; renormalising loses it.",
        extra=True,
    ),
    mistake(
        "softmax_wrong_axis",
        "",
        wrong_axis,
        "The softmax runs over another axis: it is the rows of each head, over the keys, that"
        " must sum to 1. Use softmax(dim=-1).",
    ),
    mistake(
        "dropout_on",
        "",
        dropped,
        "Dropout is on: some weights are 0 and the others larger by 1/(1 − p). Call model.eval();"
        " scaled_dot_product_attention has no eval of its own, so pass"
        " dropout_p=self.p if self.training else 0.0.",
    ),
    mistake(
        "dropout_missing",
        "dropout",
        no_dropout,
        "No dropout acts on the weights, though the specification has one.",
        extra=True,
    ),
]
