"""Rotary frequencies as models scale them for contexts longer than they were first trained on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attention.arrays import say
from attention.checkpoints.config import Config
from attention.errors import FileError

LOC = ("rope",)


@dataclass(frozen=True)
class Rotation:
    """Frequencies [R/2] in radians a position; cos and sin are multiplied by ``factor``."""

    rates: Tensor
    factor: float = 1.0


@dataclass(frozen=True)
class Scaling:
    """What a scaling is made from: R entries rotate, up to the position ``length`` − 1."""

    config: Config
    said: Mapping[str, Any]
    base: float
    R: int
    length: int

    @property
    def rates(self) -> Tensor:
        """base^(−2i/R), unscaled."""
        return rates_of(self.base, self.R)

    def number(self, name: str, default: float | None = None) -> float:
        """A positive number of the scaling; required where there is no default."""
        value = self.said.get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e30:
            raise FileError(
                f"config.json: {name} of the rotary scaling must be positive",
                loc=LOC,
                got=say(value),
            )
        return float(value)

    @property
    def longest(self) -> float:
        """``max_position_embeddings``."""
        found = self.config.number("max_position_embeddings")
        if found is None or found < 1:
            raise FileError(
                "config.json: this rotary scaling needs max_position_embeddings",
                loc=LOC,
                got=say(found),
            )
        return found

    @property
    def original(self) -> float:
        """The length before scaling, said beside the scaling or in it."""
        name = "original_max_position_embeddings"
        beside = self.config.number(name)
        if beside is not None and beside > 0:
            return beside
        return self.longest if self.said.get(name) is None else self.number(name)

    @property
    def stretch(self) -> float:
        """``factor``, or how much longer than the original the longest context is."""
        if self.said.get("factor") is None:
            return self.longest / self.original
        return self.number("factor")


def rates_of(base: float, R: int) -> Tensor:
    """base^(−2i/R) for the R/2 pairs."""
    return base ** (-torch.arange(0, R, 2, dtype=torch.float64) / R)


def scaled(kind: object, scaling: Scaling) -> Rotation:
    """The rotation of one ``rope_type``.

    Errors: `FileError` for a type that is not known, or numbers that are missing.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise FileError(
            "the rotary scaling of config.json is not one that is read;"
            " give rope in the specification",
            loc=LOC,
            expected=", ".join(("default", *KINDS)),
            got=say(kind),
        )
    return KINDS[kind](scaling)


def linear(scaling: Scaling) -> Rotation:
    """All frequencies divided by ``factor``."""
    return Rotation(scaling.rates / scaling.number("factor"))


def dynamic(scaling: Scaling) -> Rotation:
    """A larger base for a context beyond the longest, none before that (dynamic NTK)."""
    if scaling.R <= 2:
        raise FileError(
            "config.json: dynamic rotary scaling needs more than 2 rotated entries",
            loc=LOC,
            got=scaling.R,
        )
    factor = scaling.number("factor")
    share = max(scaling.length, scaling.longest) / scaling.longest
    grown = (factor * share - (factor - 1)) ** (scaling.R / (scaling.R - 2))
    return Rotation(rates_of(scaling.base * grown, scaling.R))


def yarn(scaling: Scaling) -> Rotation:
    """Waves of few turns in the original length are stretched, fast ones kept (Peng et al., 2023).

    Between them pair by pair; cos and sin grow with the logarithm of the stretch.
    """
    factor = scaling.stretch

    if scaling.base == 1:
        raise FileError("config.json: yarn needs a rope_theta other than 1", loc=LOC, got=1)

    def pair_of(turns: float) -> float:
        """The pair that turns so often in the original length."""
        share = math.log(scaling.original / (turns * 2 * math.pi)) / math.log(scaling.base)
        return scaling.R * share / 2

    first = pair_of(scaling.number("beta_fast", 32.0))
    last = pair_of(scaling.number("beta_slow", 1.0))
    if scaling.said.get("truncate", True):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, scaling.R - 1)
    width = last - first or 0.001
    stretched = ((torch.arange(scaling.R // 2, dtype=torch.float64) - first) / width).clamp(0, 1)
    rates = scaling.rates * (1 - stretched + stretched / factor)
    return Rotation(rates, _yarn_factor(scaling, factor))


def _yarn_factor(scaling: Scaling, factor: float) -> float:
    def grown(weight: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1

    if scaling.said.get("attention_factor") is not None:
        return scaling.number("attention_factor")
    if scaling.said.get("mscale") and scaling.said.get("mscale_all_dim"):
        return grown(scaling.number("mscale")) / grown(scaling.number("mscale_all_dim"))
    return grown(1.0)


def longrope(scaling: Scaling) -> Rotation:
    """A divisor of its own for each pair, one list up to the original length and one beyond."""
    name = "long_factor" if scaling.length > scaling.original else "short_factor"
    divisors = scaling.said.get(name)
    fits = isinstance(divisors, list) and all(
        isinstance(n, (int, float)) and not isinstance(n, bool) and 0 < n < 1e30 for n in divisors
    )
    if not fits or len(divisors) != scaling.R // 2:  # type: ignore[arg-type]
        raise FileError(
            f"config.json: {name} has one positive number for each rotated pair",
            loc=LOC,
            expected=f"{scaling.R // 2} numbers",
            got=f"{len(divisors)} entries" if isinstance(divisors, list) else say(divisors),
        )
    stretch, factor = scaling.stretch, 1.0
    if scaling.said.get("attention_factor") is not None:
        factor = scaling.number("attention_factor")
    elif stretch > 1 and scaling.original > 1:
        factor = math.sqrt(1 + math.log(stretch) / math.log(scaling.original))
    return Rotation(scaling.rates / torch.tensor(divisors, dtype=torch.float64), factor)


def llama3(scaling: Scaling) -> Rotation:
    """Slow waves are divided by ``factor``, fast ones kept, those between blended (Llama 3.1)."""
    factor = scaling.number("factor")
    low, high = scaling.number("low_freq_factor"), scaling.number("high_freq_factor")
    if not low < high:
        raise FileError(
            "config.json: low_freq_factor is below high_freq_factor", loc=LOC, got=f"{low}, {high}"
        )
    turns = scaling.original * scaling.rates / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return Rotation(kept * scaling.rates + (1 - kept) * scaling.rates / factor)


# "su" is what longrope was called at first.
KINDS: dict[str, Callable[[Scaling], Rotation]] = {
    "linear": linear,
    "dynamic": dynamic,
    "yarn": yarn,
    "longrope": longrope,
    "su": longrope,
    "llama3": llama3,
}
