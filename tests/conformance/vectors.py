"""The outside vectors in the folders beside this file, read from disk."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file

from .exchange import Array

HERE = Path(__file__).parent
ORIGINS = ("onnx", "jax", "hf", "reports")


@dataclass(frozen=True)
class Tolerance:
    """Two numbers agree when |got - expected| <= atol + rtol * |expected|."""

    rtol: float
    atol: float

    def check(self, got: Array, expected: Any, what: str) -> None:
        """Infinities and NaN must stand in the same places; so must the axes."""
        wanted = np.asarray(expected, dtype=np.float64)
        assert got.shape == wanted.shape, f"{what}: shape {got.shape}, expected {wanted.shape}"
        np.testing.assert_allclose(
            got.astype(np.float64), wanted, rtol=self.rtol, atol=self.atol, err_msg=what
        )


@dataclass(frozen=True)
class Vector:
    """One outside case: what went in, what came out, and what its origin says about it."""

    origin: str
    name: str
    facts: dict[str, Any]
    tolerance: Tolerance
    inputs: dict[str, Array] = field(default_factory=dict)
    outputs: dict[str, Array] = field(default_factory=dict)
    weights: dict[str, Array] = field(default_factory=dict)
    dtype: str = "float32"

    def __str__(self) -> str:
        return self.name


def numbers(tensor: torch.Tensor) -> Array:
    """NumPy has no bfloat16 (float32 holds it exactly), and no index here needs 64 bits."""
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.float()
    if tensor.dtype == torch.int64:
        tensor = tensor.int()
    array: Array = tensor.numpy()
    return array


def stored(path: Path) -> dict[str, Array]:
    return {name: numbers(tensor) for name, tensor in load_file(path).items()}


def under(prefix: str, tensors: dict[str, Array]) -> dict[str, Array]:
    """The tensors whose name begins with the prefix, without it."""
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}


def listed(origin: str, first_input: str) -> list[Vector]:
    """The cases of a folder that has a manifest."""
    manifest = json.loads((HERE / origin / "manifest.json").read_text())
    tolerances = manifest["tolerance"]["recommended"]
    vectors = []
    for case in manifest["cases"]:
        tensors = stored(HERE / origin / case["file"])
        dtype = case["inputs"].get(first_input, next(iter(case["inputs"].values())))["dtype"]
        vectors.append(
            Vector(
                origin=origin,
                name=case["name"],
                facts=case,
                tolerance=Tolerance(**tolerances[dtype]),
                inputs=under("in.", tensors),
                outputs=under("out.", tensors) | under("info.", tensors),
                dtype=dtype,
            )
        )
    return vectors


@cache
def onnx() -> list[Vector]:
    return listed("onnx", first_input="Q")


def vectors_of_operator(name: str) -> list[Vector]:
    """The ONNX cases of one operator."""
    return [case for case in onnx() if case.facts["op"] == name]


@cache
def jax() -> list[Vector]:
    return listed("jax", first_input="query")


@cache
def huggingface() -> list[Vector]:
    """One attention layer of a small random model in each folder."""
    vectors = []
    for folder in sorted((HERE / "hf").iterdir()):
        meta = json.loads((folder / "meta.json").read_text())
        tensors = stored(folder / "tensors.safetensors")
        vectors.append(
            Vector(
                origin="hf",
                name=folder.name,
                facts=meta,
                tolerance=Tolerance(**meta["tolerance"][meta["dtype"]]),
                inputs=tensors,
                outputs=tensors,
                weights=stored(folder / "weights.safetensors"),
                dtype=meta["dtype"],
            )
        )
    return vectors


REPORTS_TOLERANCE = Tolerance(rtol=1e-9, atol=1e-12)
"""The reports state none: they were computed in float64, and so is our answer to them."""


@cache
def reports() -> list[Vector]:
    """Small cases after public bug reports, one JSON file each."""
    paths = sorted((HERE / "reports").glob("*.json"))
    found = [json.loads(path.read_text()) for path in paths]
    return [
        Vector("reports", case["id"], case, REPORTS_TOLERANCE, dtype="float64") for case in found
    ]


def report(name: str) -> Vector:
    return next(vector for vector in reports() if vector.name == name)


def files(origin: str) -> set[str]:
    """The names of the vectors that lie in a folder, whatever its manifest says."""
    folder = HERE / origin
    if origin == "hf":
        return {path.parent.name for path in folder.glob("*/tensors.safetensors")}
    ending = "json" if origin == "reports" else "safetensors"
    return {path.stem for path in folder.glob(f"*.{ending}")}
