"""The stages of many attempts at one case; what several of them share is computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, TypeVar

from torch import Tensor

from attention import stages
from attention.checking.attempt import Attempt
from attention.checking.dropout_pattern import dropped_like
from attention.checking.expected import Expected
from attention.masks import Predicate
from attention.projection import Weights, merge_heads, project_output
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
    weights_of,
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
    What is made after ``freeze`` is kept only until the next ``clear``.
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

    def expected(self, name: str, where: Rectangle) -> Expected:
        """What was given for ``name`` on these queries; on everything, the very array given."""
        given = self.given[name]
        return given if where == self.everything else given.on(where)

    def freeze(self) -> None:
        """Keep nothing new for long from now on."""
        self._frozen = True

    def clear(self) -> None:
        """Forget what was made since the bench was frozen."""
        self._passing.clear()

    def kept(self, stage: str, inputs: tuple[Any, ...], make: Callable[[], T]) -> T:
        """``make()``, or what it answered for these very inputs before."""
        key = (stage, *map(id, inputs))
        found = self._lasting.get(key) or self._passing.get(key)
        if found is None:
            store = self._passing if self._frozen else self._lasting
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
        weights = weights_of(attempt.spec, self.dims, self.reader)
        q, k, v = project(attempt.spec, weights, self.dims, self.reader)
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
            fill=self.kept("fill", (spec.fill,), lambda: fill_of(spec, self.reader)),
            sinks=self.kept("sinks", (spec.sinks,), lambda: sinks_of(spec, self.dims, self.reader)),
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
        self._read = bench.heads(attempt)

    def tensor(self, name: str) -> Tensor:
        """A stage by its name."""
        found: Tensor = getattr(self, name)
        return found

    @cached_property
    def task(self) -> Task:
        """The attempt as the stage functions take it."""
        return self.bench.task_of(self.attempt)

    @property
    def q(self) -> Tensor:
        return self._read.q

    @property
    def k(self) -> Tensor:
        return self._read.k[:, : self.bench.dims.K]

    @property
    def v(self) -> Tensor:
        return self._read.v[:, : self.bench.dims.K]

    @property
    def dot_products(self) -> Tensor:
        return stages.dot_products(self._read.q, self._read.k, self.where)

    @cached_property
    def allowed(self) -> Tensor:
        return self.bench.allowed(self.attempt, self.where)

    @property
    def blocked_by(self) -> Tensor:
        return stages.blocked_by(self.task, self.where)

    @cached_property
    def scores(self) -> Tensor:
        heads, spec, habits = self._read, self.attempt.spec, self.attempt.habits
        late = "cap_after_biases" in habits or "cap_after_masks" in habits
        inputs = (heads.q, heads.k, spec.scale, spec.softcap, spec.biases, self.where, late)
        found = self.bench.kept("scores", inputs, lambda: self._scores(late))
        if "cap_after_biases" in habits and spec.softcap is not None:
            cap = spec.softcap
            return self.bench.kept("capped", (found,), lambda: stages.softcapped(found, cap))
        return found

    def _scores(self, late: bool) -> Tensor:
        task = replace(self.task, spec=replace(self.task.spec, softcap=None)) if late else self.task
        return stages.scores(task, self.where)

    @cached_property
    def masked_scores(self) -> Tensor:
        spec, late = self.attempt.spec, "cap_after_masks" in self.attempt.habits
        inputs = (self.scores, self.allowed, spec.masks, spec.fill, spec.mask_order, late)
        return self.bench.kept("masked", inputs, lambda: self._masked(late))

    def _masked(self, late: bool) -> Tensor:
        masked = stages.masked_scores(self.task, self.scores, self.allowed, self.where)
        cap = self.attempt.spec.softcap
        return stages.softcapped(masked, cap) if late and cap is not None else masked

    @property
    def logsumexp(self) -> Tensor:
        return stages.logsumexp(self.masked_scores, self.task.sinks)

    @cached_property
    def weights(self) -> Tensor:
        spec, axis = self.attempt.spec, self.attempt.softmax_axis
        masking = self.allowed, spec.sinks, spec.mask_order, spec.fully_masked
        inputs = (self.masked_scores, *masking, axis, "dropped" in self.attempt.habits)
        return self.bench.kept("weights", inputs, lambda: self._weights(axis))

    def _weights(self, axis: int) -> Tensor:
        """The softmax over another axis is the same function with that axis put last."""
        task, masked, allowed = self.task, self.masked_scores, self.allowed
        if axis == 3:
            weights = stages.attention_weights(task, masked, allowed, self.where)
        else:
            turned = masked.transpose(axis, 3), allowed.expand_as(masked).transpose(axis, 3)
            sinks = task.sinks if axis == 2 else None
            found = stages.attention_weights(replace(task, sinks=sinks), *turned, self.where)
            weights = found.transpose(axis, 3)
        if "dropped" in self.attempt.habits:
            weights = dropped_like(self.bench.expected("weights", self.where).values, weights)
        return weights

    @cached_property
    def dropped_weights(self) -> Tensor:
        if self.attempt.spec.dropout is None or "dropped" in self.attempt.habits:
            return self.weights
        dropped = stages.dropped(self.task, self.weights, self.where)
        assert dropped is not None
        return dropped

    @cached_property
    def heads(self) -> Tensor:
        inputs = (self.weights, self._read.v, self.attempt.spec.dropout)
        return self.bench.kept(
            "mixed", inputs, lambda: stages.mix(self.dropped_weights, self._read.v)
        )

    @cached_property
    def output(self) -> Tensor:
        reshaped = "merged_by_reshape" in self.attempt.habits
        inputs = (self.heads, self._read.weights, reshaped)
        return self.bench.kept("output", inputs, lambda: self._output(reshaped))

    def _output(self, reshaped: bool) -> Tensor:
        B, _, T, _ = self.heads.shape
        merged = self.heads.reshape(B, T, -1) if reshaped else merge_heads(self.heads)
        return project_output(merged, self._read.weights)


def split_by_reshape(heads: Tensor) -> Tensor:
    """[B, T, N·D] cut into [B, N, T, D] in the order the numbers lie."""
    B, N, T, D = heads.shape
    return heads.transpose(1, 2).reshape(B, N, T, D)


def meets_empty_rows(bench: Workbench, attempt: Attempt) -> bool:
    """Whether the attempt's softmax runs over a row (column, stack of heads) that is all masked."""
    allowed, axis = bench.allowed(attempt, bench.everything), attempt.softmax_axis
    return bench.kept("empty", (allowed, axis), lambda: not bool(allowed.any(axis).all()))
