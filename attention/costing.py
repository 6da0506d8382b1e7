"""What a run costs: floating-point operations, bytes, and the KV cache, as formulas and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from attention.arrays import DTYPES
from attention.decoding import cache_bytes, kv_kinds
from attention.dimensions import Dimensions
from attention.projection import RandomProjection
from attention.specification import Specification

SOFTMAX_OPERATIONS = 5
"""Per cell: maximum, subtraction, exponential, sum, division."""


@dataclass(frozen=True)
class StepCost:
    """One step: ``flops`` (a multiply-add is 2), ``bytes`` and shape of what it produces."""

    name: str
    complexity: str
    formula: str
    flops: int
    bytes: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Costs:
    """Costs of a specification, and of the same with other numbers of KV heads.

    Masking and softmax are counted in every run. ``kv_cache`` are bytes of one layer's keys and
    values; ``siblings`` are total flops and parameters; ``crossover_length`` is the N from which
    scores and mixing cost more than the projections, None without projections. ``traffic`` are
    the bytes that q·k … ·v moves when every N × N stage is written and read back, and when a
    fused kernel keeps none.
    """

    steps: list[StepCost]
    kv_cache: dict[str, int]
    siblings: dict[str, dict[str, int]]
    crossover_length: int | None
    traffic: dict[str, int]


@dataclass(frozen=True)
class CostCurves:
    """Costs at other lengths N = T = S with nothing cached: one number a length in each list.

    ``flops`` and ``bytes`` are by step, ``traffic`` is materialised and fused.
    """

    lengths: list[int]
    flops: dict[str, list[int]]
    bytes: dict[str, list[int]]
    traffic: dict[str, list[int]]


@dataclass(frozen=True)
class ModelCache:
    """Bytes of a whole model's KV cache, by kind: layers · batch · length · K · (D + Dv) · size."""

    layers: int
    batch: int
    length: int
    dtype: str
    bytes: dict[str, int]


def costs(spec: Specification) -> Costs:
    """Count, from the lengths alone: nothing is computed."""
    dims = Dimensions.of(spec)
    size = DTYPES[spec.dtype].itemsize
    kinds = kv_kinds(dims)
    output_width = _output_width(spec, dims)
    return Costs(
        steps=step_costs(dims, size, output_width),
        kv_cache={kind: cache_bytes(dims, dims.S, size, K) for kind, K in kinds.items()},
        siblings={
            kind: _sibling(replace(dims, K=K), size, output_width) for kind, K in kinds.items()
        },
        crossover_length=crossover(dims, output_width),
        traffic=traffic(dims, size),
    )


def cost_curves(spec: Specification, lengths: Sequence[int]) -> CostCurves:
    """Count again at each of ``lengths``, everything else as it is."""
    dims = Dimensions.of(spec)
    size = DTYPES[spec.dtype].itemsize
    output_width = _output_width(spec, dims)
    at = [replace(dims, T=N, S=N, P=0) for N in lengths]
    counted = [step_costs(each, size, output_width) for each in at]
    names = [step.name for step in step_costs(dims, size, output_width)]
    moved = [traffic(each, size) for each in at]
    return CostCurves(
        lengths=list(lengths),
        flops={name: [steps[i].flops for steps in counted] for i, name in enumerate(names)},
        bytes={name: [steps[i].bytes for steps in counted] for i, name in enumerate(names)},
        traffic={name: [each[name] for each in moved] for name in ("materialised", "fused")},
    )


def model_cache(
    spec: Specification,
    layers: int = 1,
    batch: int | None = None,
    length: int | None = None,
    dtype: str | None = None,
) -> ModelCache:
    """The cache of a model of such layers; what is None is as in the specification."""
    dims = Dimensions.of(spec)
    dims = replace(dims, B=dims.B if batch is None else batch)
    P = dims.S if length is None else length
    name = spec.dtype if dtype is None else dtype
    size = DTYPES[name].itemsize
    found = {kind: layers * cache_bytes(dims, P, size, K) for kind, K in kv_kinds(dims).items()}
    return ModelCache(layers, dims.B, P, name, found)


def step_costs(dims: Dimensions, size: int, output_width: int | None) -> list[StepCost]:
    """Every step in order; ``output_width`` is None without an output projection."""
    B, T, S, H, K, D, Dv = dims.B, dims.T, dims.S, dims.H, dims.K, dims.D, dims.Dv
    new, cells = dims.new_keys, dims.B * dims.H * dims.T * dims.S
    E, E_mem = dims.E or 0, dims.E_mem or 0
    merged = H * Dv
    projected = dims.E is not None
    tokens = "(S - P)" if dims.P else "S"
    width = "E_mem" if dims.cross else "E"

    def step(name: str, order: str, formula: str, flops: int, shape: tuple[int, ...]) -> StepCost:
        return StepCost(name, order, formula, flops, math.prod(shape) * size, shape)

    return [
        step("q", "O(N E H D)" if projected else "O(1)", "2 B T E H D" if projected else "given",
             2 * B * T * E * H * D, (B, H, T, D)),
        step("k", "O(N E K D)" if projected else "O(1)",
             f"2 B {tokens} {width} K D" if projected else "given",
             2 * B * new * E_mem * K * D, (B, K, S, D)),
        step("v", "O(N E K D)" if projected else "O(1)",
             f"2 B {tokens} {width} K Dv" if projected else "given",
             2 * B * new * E_mem * K * Dv, (B, K, S, Dv)),
        step("scores", "O(N^2 H D)", "2 B H T S D", 2 * cells * D, (B, H, T, S)),
        step("masked_scores", "O(N^2 H)", "B H T S", cells, (B, H, T, S)),
        step("weights", "O(N^2 H)", f"{SOFTMAX_OPERATIONS} B H T S",
             SOFTMAX_OPERATIONS * cells, (B, H, T, S)),
        step("heads", "O(N^2 H D)", "2 B H T S Dv", 2 * cells * Dv, (B, H, T, Dv)),
        step("output", "O(1)" if output_width is None else "O(N H D E)",
             "merged heads" if output_width is None else "2 B T H Dv E",
             2 * B * T * merged * (output_width or 0), (B, T, output_width or merged)),
    ]  # fmt: skip


def crossover(dims: Dimensions, output_width: int | None) -> int | None:
    """Smallest N = T = S at which q·k and weights·v cost at least the projections."""
    if dims.E is None or dims.E_mem is None:
        return None
    per_token = (
        dims.E * dims.H * dims.D
        + dims.E_mem * dims.K * (dims.D + dims.Dv)
        + dims.H * dims.Dv * (output_width or 0)
    )
    return math.ceil(per_token / (dims.H * (dims.D + dims.Dv)))


def traffic(dims: Dimensions, size: int) -> dict[str, int]:
    """Bytes moved between the heads and the mixed heads, one write or read counted each."""
    ends = dims.B * (dims.H * dims.T * (dims.D + dims.Dv) + dims.K * dims.S * (dims.D + dims.Dv))
    cells = dims.B * dims.H * dims.T * dims.S
    # scores, masked scores and weights are each written once and read once
    return {"materialised": (ends + 6 * cells) * size, "fused": ends * size}


def _sibling(dims: Dimensions, size: int, output_width: int | None) -> dict[str, int]:
    steps = step_costs(dims, size, output_width)
    parameters = 0
    if dims.E is not None:
        shapes = dims.weight_shapes()
        parameters = sum(math.prod(shapes[name]) for name in ("w_q", "w_k", "w_v"))
        parameters += dims.H * dims.Dv * (output_width or 0)
    return {
        "num_kv_heads": dims.K,
        "flops": sum(step.flops for step in steps),
        "parameters": parameters,
        "kv_cache": cache_bytes(dims, dims.S, size),
    }


def _output_width(spec: Specification, dims: Dimensions) -> int | None:
    if dims.E is None:
        return None
    projection = spec.projection
    if projection is None or isinstance(projection, RandomProjection):
        return dims.E
    weight = getattr(projection, "w_o", None)
    return None if weight is None else len(weight)
