"""Seeded weights of an attention layer, under the names that a family of models gives them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from attention import Checkpoint, open_tensors

Array = NDArray[np.float64]
B, T, E, H, K, D = 2, 5, 11, 6, 2, 4
"""Width 11 is none of 6 heads of 4: the output's shape has to tell D where heads are fused."""


def drawn(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


X = drawn(1, B, T, E)


def layer(kv_heads: int = K) -> dict[str, Array]:
    """[out][in] weights and biases, by the names of ``projection: given``."""
    rows = {"q": H * D, "k": kv_heads * D, "v": kv_heads * D}
    found = {f"w_{name}": drawn(i, n, E) for i, (name, n) in enumerate(rows.items(), 2)}
    found |= {f"b_{name}": drawn(i, n) for i, (name, n) in enumerate(rows.items(), 5)}
    return found | {"w_o": drawn(8, E, H * D), "b_o": drawn(9, E)}


def checkpoint(
    folder: Path, tensors: Mapping[str, Any], config: dict[str, Any] | None = None
) -> Checkpoint:
    path = folder / "model.safetensors"
    save_file({n: torch.as_tensor(np.array(t)).contiguous() for n, t in tensors.items()}, path)
    return Checkpoint(open_tensors(path), config)
