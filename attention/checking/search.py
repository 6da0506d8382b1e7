"""The search for what went wrong: every mistake alone, then two together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal

import torch
from torch import Tensor

from attention.checking import batch_axis
from attention.checking.attempt import NONE, Attempt, Habit, Slip
from attention.checking.dropout_pattern import keep_probability
from attention.checking.fields import plain
from attention.checking.mistakes import MISTAKES, Mistake
from attention.checking.workbench import Run, Workbench, meets_empty_rows
from attention.comparison import difference
from attention.dropout import Dropout
from attention.rectangle import Rectangle
from attention.steps import AXES

POLICIES: tuple[Literal["zero", "nan", "uniform"], ...] = ("zero", "nan", "uniform")
MOST_CAUSES = 10


@dataclass(frozen=True)
class Cause:
    """A mistake (or two, ``a+b``) that reproduces every given number.

    ``max_abs`` is what remains; ``fields`` are those of a specification that makes the mistake,
    in their plain form with arrays as tensors, where a specification can say it. ``details`` say
    of each mistake in which way it was made, "" where there is one way only.
    """

    mistake: str
    explanation: str
    max_abs: float
    fields: Mapping[str, Any] = field(default_factory=dict)
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trial:
    """One or two mistakes, made."""

    made: tuple[tuple[Mistake, Slip], ...]
    attempt: Attempt

    @property
    def name(self) -> str:
        return "+".join(mistake.name for mistake, _ in self.made)


class Search:
    """Tries the mistakes on ``probe`` first, some of the queries, and then on all.

    ``step`` is called before each trial; what it raises ends the search.
    """

    def __init__(
        self,
        bench: Workbench,
        base: Attempt,
        probe: Rectangle,
        step: Callable[[], None] | None = None,
    ) -> None:
        self.bench = bench
        self.base = base
        self.probe = probe
        self.step = step
        whole = bench.everything
        self.stations = [whole] if probe is whole else [probe, whole]
        self.names = [name for name in AXES if name in bench.given]
        self.needed: frozenset[Habit] = NONE
        self.tried = 0
        self.mistakes: list[str] = []
        """Names of those that were tried, alone and then by two."""

    def causes(self) -> list[Cause]:
        """Best first: what one mistake explains, or else two; empty where nothing does."""
        swapped = self._batch_axis()
        if not self._shapes_can_be_met():
            return swapped
        singles = list(self._singles())
        self.mistakes += dict.fromkeys(trial.name for trial in singles)
        found = self._ranked(singles) + swapped
        if not found:
            self.bench.freeze()
            found = self._ranked(self._pairs(singles))
        return found

    def _batch_axis(self) -> list[Cause]:
        """The mistake that is made with other lengths, and so not on the bench."""
        left = batch_axis.remains(self.base.spec, self.bench.given)
        self.tried += 1
        self.mistakes.append(batch_axis.NAME)
        return (
            []
            if left is None
            else [Cause(batch_axis.NAME, batch_axis.EXPLANATION, left, details=("",))]
        )

    def _shapes_can_be_met(self) -> bool:
        """Only averaged heads have another shape; then nothing else needs to be tried alone."""
        run = self.bench.run(self.base, self.bench.everything)
        for name in self.names:
            if run_tensor(run, name, self.bench) is None:
                averaged = frozenset[Habit]({"averaged"})
                other = self.bench.run(Attempt(self.base.spec, averaged), run.where)
                if run_tensor(other, name, self.bench) is None:
                    return False
                self.needed = averaged
        return True

    def _singles(self) -> Iterator[Trial]:
        for mistake in MISTAKES:
            for slip in mistake.slips(self.base, self.bench):
                yield Trial(((mistake, slip),), self.base.with_slip(slip))

    def _pairs(self, singles: list[Trial]) -> Iterator[Trial]:
        """Each mistake followed by each that comes later in the computation."""
        slips = {
            name: [trial.made[0][1] for trial in group]
            for name, group in groupby(singles, lambda trial: trial.name)
        }
        for first in singles:
            mistake, slip = first.made[0]
            for second in MISTAKES[MISTAKES.index(mistake) + 1 :]:
                if second.depends_on(slip):
                    others = second.slips(first.attempt, self.bench)
                else:
                    others = slips.get(second.name, [])
                for other in others:
                    made = (*first.made, (second, other))
                    yield Trial(made, first.attempt.with_slip(other))

    def _ranked(self, trials: list[Trial] | Iterator[Trial]) -> list[Cause]:
        found: dict[str, tuple[tuple[Any, ...], Cause]] = {}
        for trial in trials:
            if self.step is not None:
                self.step()
            self.bench.clear()
            for attempt in self._with_policies(trial):
                left = self._remains(attempt)
                if left is None:
                    continue
                rank = self._rank(trial, left)
                if trial.name not in found or rank < found[trial.name][0]:
                    found[trial.name] = rank, self._cause(trial, attempt, left)
        ranked = sorted(found.values(), key=lambda item: item[0])
        return [cause for _, cause in ranked[:MOST_CAUSES]]

    def _with_policies(self, trial: Trial) -> Iterator[Attempt]:
        """Where a mistake leaves rows without a key, frameworks differ in what they answer."""
        attempt = trial.attempt
        if self.needed - attempt.habits:
            return
        yield attempt
        touched = attempt.spec.masks is not self.base.spec.masks or any(
            habit.startswith("softmax") for habit in attempt.habits
        )
        if touched and attempt.spec.masks and meets_empty_rows(self.bench, attempt):
            for policy in POLICIES:
                if policy != attempt.spec.fully_masked:
                    spec = replace(attempt.spec, fully_masked=policy)
                    yield replace(attempt, spec=spec)

    def _remains(self, attempt: Attempt) -> float | None:
        """The largest difference that is left, or None when a cell is out of tolerance."""
        self.tried += 1
        for where in self.stations:
            run = self.bench.run(attempt, where)
            if not all(self._agrees(run, name) for name in self.names):
                return None
        return max(self._difference(run, name) for name in self.names)

    def _agrees(self, run: Run, name: str) -> bool:
        got, expected = run_tensor(run, name, self.bench), self.bench.expected(name, run.where)
        if got is None:
            return False
        tensor = got
        return self.bench.kept("verdict", (tensor, expected), lambda: expected.reproduced(tensor))

    def _difference(self, run: Run, name: str) -> float:
        got = run_tensor(run, name, self.bench)
        assert got is not None
        return difference(got, self.bench.given[name].values).max_abs

    def _rank(self, trial: Trial, left: float) -> tuple[Any, ...]:
        """What remains, unless it is rounding; then the mistakes that have a name of old."""
        largest = max(
            (e.values[e.values.isfinite()].abs().max().item() for e in self._with_numbers()),
            default=1.0,
        )
        rounding = 16 * torch.finfo(self.bench.reader.dtype).eps * max(1.0, largest)
        places = tuple(MISTAKES.index(mistake) for mistake, _ in trial.made)
        late = any(mistake.extra or slip.unlikely for mistake, slip in trial.made)
        return (0.0 if left <= rounding else left, late, places)

    def _with_numbers(self) -> list[Any]:
        return [e for e in self.bench.given.values() if bool(e.values.isfinite().any())]

    def _cause(self, trial: Trial, attempt: Attempt, left: float) -> Cause:
        texts = [mistake.told(slip) for mistake, slip in trial.made]
        said = {k: v for _, slip in trial.made for k, v in slip.said.items()}
        sayable = all(slip.sayable for _, slip in trial.made)
        policy = attempt.spec.fully_masked
        if policy != self.base.spec.fully_masked:
            said["fully_masked"] = policy
        if "dropped" in attempt.habits:
            said["dropout"] = Dropout(self._drop_probability(attempt))
        details = tuple(slip.detail for _, slip in trial.made)
        return Cause(trial.name, " ".join(texts), left, plain(said) if sayable else {}, details)

    def _drop_probability(self, attempt: Attempt) -> float:
        kept = replace(attempt, habits=attempt.habits - {"dropped"})
        weights = self.bench.run(kept, self.bench.everything).weights
        keep = keep_probability(self.bench.given["weights"].values, weights)
        return 0.0 if keep is None else round(1 - keep, 6)


def run_tensor(run: Run, name: str, bench: Workbench) -> Tensor | None:
    """What the run says where ``name`` was given; None if it has another shape."""
    expected = bench.expected(name, run.where).values
    got = run.tensor(name)
    if name == "weights" and "averaged" in run.attempt.habits:
        averaged = got.mean(1, keepdim=expected.ndim == 4)
        return averaged if averaged.shape == expected.shape else None
    if name == "allowed" and got.shape[1] == 1 and expected.ndim == 4:
        got = got.expand(-1, expected.shape[1], -1, -1)
    return got if got.shape == expected.shape else None
