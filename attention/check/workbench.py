"""The stages of many attempts at one case; what several of them share is computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, TypeVar

from torch import Tensor
from torch.nn.functional import linear

from attention import stages
from attention.check.attempt import Attempt
from attention.check.dropout_pattern import dropped_like
from attention.check.expected import Expected
from attention.masks import Predicate
from attention.projection import Weights, merge_heads
from attention.rectangle import Rectangle
from attention.task import (
    Task,
    biases_of,
    fill_of,
    masks_of,
    positioned,
    prepare,
    project,
    scale_of,
    sinks_of,
)

T = TypeVar("T")
ENTERING = attrgetter(
    *("x", "memory", "q", "k", "v", "past_k", "past_v"), *("projection", "qk_norm", "rope")
)
WHOLE = {"softmax_over_queries", "merged_by_reshape"}
"""Habits that mix the queries: some of them cannot be computed alone."""


@dataclass(frozen=True)
class Heads:
    """What enters the dot product; ``k`` and ``v`` as they are read."""

    q: Tensor
    k: Tensor
    v: Tensor
    weights: Weights | None


class Workbench:
    """Computes stages by what they depend on, so that attempts share them.

    Values are kept under the identities of their inputs, which are kept alive beside them.
    After ``freeze`` what belongs to one attempt alone is kept only until the next ``clear``.
    """

    def __init__(self, attempt: Attempt, task: Task, given: Mapping[str, Expected]) -> None:
        self.given = given
        self.dims = task.dims
        self.everything = Rectangle.full(task.dims.T, task.dims.S)
        self.task = prepare(attempt.spec, task.dims)
        self.reader = self.task.reader
        self._lasting: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        self._passing: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        self._frozen = False

    def freeze(self) -> None:
        """Keep no more than the early stages from now on."""
        self._frozen = True

    def clear(self) -> None:
        """Forget what only the last attempt needed."""
        self._passing.clear()

    def kept(self, stage: str, inputs: tuple[Any, ...], make: Callable[[], T]) -> T:
        """``make()``, or what it answered for these very inputs before."""
        key = (stage, *map(id, inputs))
        found = self._lasting.get(key) or self._passing.get(key)
        if found is None:
            early = stage in ("heads", "tiled", "masks", "allowed", "biases", "scores")
            store = self._lasting if early or not self._frozen else self._passing
            found = store[key] = (inputs, make())
        value: T = found[1]
        return value

    def heads(self, attempt: Attempt) -> Heads:
        """q, k, v after projection, norm, rotation and cache."""
        split = "split_by_reshape" in attempt.habits
        inputs = (*ENTERING(attempt.spec), split)
        found = self.kept("heads", inputs, lambda: self._entered(attempt, split))
        if "kv_tiled" not in attempt.habits:
            return found
        return self.kept("tiled", (found,), lambda: self._tiled(found))

    def _entered(self, attempt: Attempt, split: bool) -> Heads:
        q, k, v, weights = project(attempt.spec, self.dims, self.reader)
        if split:
            q, k, v = split_by_reshape(q), split_by_reshape(k), split_by_reshape(v)
        return Heads(*positioned(attempt.spec, self.dims, self.reader, q, k, v), weights)

    def _tiled(self, heads: Heads) -> Heads:
        """KV heads 0 … K−1, 0 … K−1 … under the query heads: head h reads h % K."""
        G = self.dims.G
        return replace(heads, k=heads.k.repeat(1, G, 1, 1), v=heads.v.repeat(1, G, 1, 1))

    def masks(self, attempt: Attempt) -> tuple[Predicate, ...]:
        """The attempt's masks, bound."""
        spec = attempt.spec
        return self.kept("masks", (spec.masks,), lambda: masks_of(spec, self.dims, self.reader))

    def allowed(self, attempt: Attempt, where: Rectangle) -> Tensor:
        """What the attempt's masks leave visible."""
        masks = self.masks(attempt)
        return self.kept(
            "allowed", (masks, where), lambda: stages.allowed(self.task_of(attempt), where)
        )

    def task_of(self, attempt: Attempt) -> Task:
        """The attempt as the stage functions take it."""
        spec = attempt.spec
        heads = self.heads(attempt)
        biases = self.kept(
            "biases", (spec.biases,), lambda: biases_of(spec, self.dims, self.reader)
        )
        return replace(
            self.task,
            spec=spec,
            q=heads.q,
            k=heads.k,
            v=heads.v,
            weights=heads.weights,
            scale=scale_of(spec, self.dims),
            fill=fill_of(spec, self.reader),
            sinks=sinks_of(spec, self.dims, self.reader) if spec.sinks is not None else None,
            biases=biases,
            masks=self.masks(attempt),
        )

    def rows(self, attempt: Attempt, where: Rectangle) -> Rectangle:
        """``where``, or everything when the attempt mixes the queries."""
        return self.everything if WHOLE & attempt.habits else where

    def run(self, attempt: Attempt, where: Rectangle) -> Run:
        """The attempt on some of the queries, stage by stage as it is asked."""
        return Run(self, attempt, self.rows(attempt, where))


class Run:
    """One attempt; its attributes are named as the tensors of an answer."""

    def __init__(self, bench: Workbench, attempt: Attempt, where: Rectangle) -> None:
        self.bench = bench
        self.attempt = attempt
        self.where = where
        self.task = bench.task_of(attempt)

    def tensor(self, name: str) -> Tensor:
        """A stage by its name."""
        found: Tensor = getattr(self, name)()
        return found

    def q(self) -> Tensor:
        return self.task.q

    def k(self) -> Tensor:
        return self.task.k[:, : self.bench.dims.K]

    def v(self) -> Tensor:
        return self.task.v[:, : self.bench.dims.K]

    def dot_products(self) -> Tensor:
        return stages.dot_products(self.task.q, self.task.k, self.where)

    def allowed(self) -> Tensor:
        return self.bench.allowed(self.attempt, self.where)

    def blocked_by(self) -> Tensor:
        return stages.blocked_by(self.task, self.where)

    def scores(self) -> Tensor:
        task, spec = self.task, self.attempt.spec
        late = bool({"cap_after_biases", "cap_after_masks"} & self.attempt.habits)
        inputs = (task.q, task.k, spec.scale, spec.softcap, task.biases, self.where, late)
        found = self.bench.kept("scores", inputs, lambda: self._scores(late))
        if "cap_after_biases" in self.attempt.habits and spec.softcap is not None:
            cap = spec.softcap
            return self.bench.kept("capped", (found,), lambda: stages.softcapped(found, cap))
        return found

    def _scores(self, late: bool) -> Tensor:
        task = replace(self.task, spec=replace(self.task.spec, softcap=None)) if late else self.task
        return stages.scores(task, self.where)

    def masked_scores(self) -> Tensor:
        scores, allowed, spec = self.scores(), self.allowed(), self.attempt.spec
        late = "cap_after_masks" in self.attempt.habits
        inputs = (scores, allowed, self.task.masks, spec.fill, spec.mask_order, late)
        return self.bench.kept("masked", inputs, lambda: self._masked(scores, allowed, late))

    def _masked(self, scores: Tensor, allowed: Tensor, late: bool) -> Tensor:
        masked = stages.masked_scores(self.task, scores, allowed, self.where)
        cap = self.attempt.spec.softcap
        return stages.softcapped(masked, cap) if late and cap is not None else masked

    def logsumexp(self) -> Tensor:
        return stages.logsumexp(self.masked_scores(), self.task.sinks)

    def weights(self) -> Tensor:
        masked, habits, spec = self.masked_scores(), self.attempt.habits, self.attempt.spec
        axis = 2 if "softmax_over_queries" in habits else 1 if "softmax_over_heads" in habits else 3
        masking = self.allowed(), spec.sinks, spec.mask_order, spec.fully_masked
        inputs = (masked, *masking, axis, "dropped" in habits)
        return self.bench.kept("weights", inputs, lambda: self._weights(masked, axis))

    def _weights(self, masked: Tensor, axis: int) -> Tensor:
        """The softmax over another axis is the same function with that axis put last."""
        task, allowed = self.task, self.allowed()
        if axis == 3:
            weights = stages.attention_weights(task, masked, allowed, self.where)
        else:
            turned = masked.transpose(axis, 3), allowed.expand_as(masked).transpose(axis, 3)
            sinks = task.sinks if axis == 2 else None
            found = stages.attention_weights(replace(task, sinks=sinks), *turned, self.where)
            weights = found.transpose(axis, 3)
        if "dropped" in self.attempt.habits:
            weights = dropped_like(self.bench.given["weights"].on(self.where).values, weights)
        return weights

    def dropped_weights(self) -> Tensor:
        weights = self.weights()
        if "dropped" in self.attempt.habits:
            return weights
        dropped = stages.dropped(self.task, weights, self.where)
        return weights if dropped is None else dropped

    def heads(self) -> Tensor:
        weights, v = self.weights(), self.task.v
        inputs = (weights, v, self.attempt.spec.dropout)
        return self.bench.kept("mixed", inputs, lambda: stages.mix(self.dropped_weights(), v))

    def output(self) -> Tensor:
        heads, weights = self.heads(), self.task.weights
        merged_by_reshape = "merged_by_reshape" in self.attempt.habits
        return self.bench.kept(
            "output", (heads, weights, merged_by_reshape), lambda: self._output(merged_by_reshape)
        )

    def _output(self, merged_by_reshape: bool) -> Tensor:
        heads, weights = self.heads(), self.task.weights
        B, _, T, _ = heads.shape
        merged = heads.reshape(B, T, -1) if merged_by_reshape else merge_heads(heads)
        if weights is None or weights.w_o is None:
            return merged
        return linear(merged, weights.w_o, weights.b_o)


def split_by_reshape(heads: Tensor) -> Tensor:
    """[B, T, N·D] cut into [B, N, T, D] in the order the numbers lie."""
    B, N, T, D = heads.shape
    return heads.transpose(1, 2).reshape(B, N, T, D)


def meets_empty_rows(bench: Workbench, attempt: Attempt) -> bool:
    """Whether the attempt's softmax runs over a row (column, stack of heads) that is all masked."""
    allowed = bench.allowed(attempt, bench.everything)
    habits = attempt.habits
    axis = 2 if "softmax_over_queries" in habits else 1 if "softmax_over_heads" in habits else 3
    return not bool(allowed.any(axis).all())
