"""Everything a run computed, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from torch import Tensor

from attention import head_statistics, stages
from attention.dimensions import Dimensions
from attention.figure import figure
from attention.notices import Notice
from attention.rectangle import Rectangle
from attention.steps import Step, describe
from attention.task import Task


@dataclass
class Result:
    """All stages as tensors; the batch axis is always there.

    q [B, H, T, D], k [B, K, S, D], v [B, K, S, Dv]; scores, masked_scores, weights and
    dropped_weights [B, H, T, S]; allowed [B, 1 or H, T, S]; logsumexp [B, H, T]; heads
    [B, H, T, Dv]; output [B, T, E], or [B, T, H·Dv] without an output projection; row_sums
    [B, H, T] of the weights, at float32 or wider; empty_rows [B, 1 or H, T] see no key.
    """

    task: Task = field(repr=False)
    q: Tensor
    k: Tensor
    v: Tensor
    scores: Tensor
    weights: Tensor
    dropped_weights: Tensor | None
    heads: Tensor
    output: Tensor
    row_sums: Tensor
    empty_rows: Tensor
    warnings: list[Notice] = field(default_factory=list)

    @property
    def layout(self) -> Dimensions:
        """Lengths and head layout of the run."""
        return self.task.dims

    @cached_property
    def allowed(self) -> Tensor:
        """True where every mask lets a query see a key: [B, 1 or H, T, S]."""
        return stages.allowed(self.task, self._everything)

    @cached_property
    def masked_scores(self) -> Tensor:
        """What entered the softmax: [B, H, T, S], made when it is asked for."""
        return stages.masked_scores(self.task, self.scores, self.allowed, self._everything)

    @cached_property
    def logsumexp(self) -> Tensor:
        """Of each row of ``masked_scores``, sinks counted, at float32 or wider: [B, H, T]."""
        return stages.logsumexp(self.masked_scores, self.task.sinks)

    @cached_property
    def dot_products(self) -> Tensor:
        """q·k before the scale: [B, H, T, S]."""
        return stages.dot_products(self.q, self.k, self._everything)

    @cached_property
    def blocked_by(self) -> Tensor:
        """Bit i is set where ``masks[i]`` blocks: [B, 1 or H, T, S]."""
        return stages.blocked_by(self.task, self._everything)

    @cached_property
    def entropy(self) -> Tensor:
        """Mean entropy of each head's rows, in nats: [B, H]."""
        return head_statistics.entropy(self.weights, self._left_out)

    @cached_property
    def mean_distance(self) -> Tensor:
        """Mean of |query + P − key| under each head's weights: [B, H]."""
        return head_statistics.mean_distance(self.weights, self._left_out, self.layout.P)

    @cached_property
    def first_key_weight(self) -> Tensor:
        """Mean weight of each head on key 0: [B, H]."""
        return head_statistics.first_key_weight(self.weights, self._left_out)

    @cached_property
    def largest_weight(self) -> Tensor:
        """Mean over each head's rows of the row's largest weight: [B, H]."""
        return head_statistics.largest_weight(self.weights, self._left_out)

    @cached_property
    def average_weights(self) -> Tensor:
        """Mean of the weights over the heads: [B, T, S]."""
        return head_statistics.average_weights(self.weights)

    @cached_property
    def steps(self) -> list[Step]:
        """The stages in order, with formula, axes and shape."""
        return describe(self)

    def figure(self, *, head: int = 0, batch: int = 0) -> Any:
        """Scores and weights of one head as a Plotly figure, which a notebook shows."""
        return figure(self, head=head, batch=batch)

    @cached_property
    def _left_out(self) -> Tensor:
        """Rows that no statistic of a head counts: [B, 1 or H, T]."""
        return head_statistics.rows_left_out(self.task, self.empty_rows)

    @property
    def _everything(self) -> Rectangle:
        return Rectangle.full(self.layout.T, self.layout.S)

    def __repr__(self) -> str:
        d = self.layout
        return (
            f"Result({d.kind}, B={d.B}, T={d.T}, S={d.S}, H={d.H}, K={d.K}, D={d.D}, Dv={d.Dv},"
            f" {len(self.warnings)} warning(s))"
        )
