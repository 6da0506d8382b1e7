"""The specification next door: what people compare a run with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from attention.arrays import as_tensor, widened, with_axes
from attention.dimensions import HEADS_AXES, Dimensions, divisors_text
from attention.errors import SpecificationError
from attention.masks import Causal, Mask
from attention.projection import GivenProjection, RandomProjection, Weights
from attention.reader import Reader
from attention.specification import Specification


def mask_off(spec: Specification) -> Specification:
    """Every key visible."""
    return replace(spec, masks=())


def mask_after_softmax(spec: Specification) -> Specification:
    """Weights multiplied by 0 after the softmax, so rows no longer sum to 1."""
    return replace(spec, mask_order="after_softmax")


def scale_off(spec: Specification) -> Specification:
    """Scores are the plain dot products."""
    return replace(spec, scale=1.0)


def other_alignment(spec: Specification) -> Specification:
    """Causal masks in the other corner; an explicit offset is left as it is."""
    dims = Dimensions.of(spec)
    now = {0: "top_left", dims.S - dims.T: "bottom_right"}.get(dims.P)
    flipped = {"top_left": "bottom_right", "bottom_right": "top_left"}

    def turned(mask: Mask) -> Mask:
        if not isinstance(mask, Causal) or mask.offset is not None:
            return mask
        return replace(mask, alignment=flipped[mask.alignment or now or "top_left"])

    return replace(spec, masks=tuple(turned(mask) for mask in spec.masks))


def merge_kv_heads(spec: Specification, num_kv_heads: int) -> Specification:
    """Fewer KV heads, each the mean over its group (Ainslie et al., 2023, section 2.1)."""
    dims = Dimensions.of(spec)
    if num_kv_heads < 1 or dims.K % num_kv_heads:
        raise SpecificationError(
            f"merging needs a divisor of num_kv_heads ({dims.K})",
            loc=("num_kv_heads",),
            expected=f"one of {divisors_text(dims.K)}",
            got=num_kv_heads,
        )
    changes: dict[str, object] = {"num_kv_heads": num_kv_heads}
    for name in ("k", "v", "past_k", "past_v"):
        heads = getattr(spec, name)
        if heads is not None:
            full = with_axes(as_tensor(heads, (name,)), 2, 4, HEADS_AXES, (name,))
            changes[name] = _mean(full, 1, num_kv_heads)
    if spec.x is not None:
        projection = spec.projection or RandomProjection()
        weights = projection.weights(dims, Reader("float64"))
        changes["projection"] = _merged(weights, dims.K, num_kv_heads)
        changes["head_dim"], changes["value_dim"] = dims.D, dims.Dv
    norm = spec.qk_norm
    if norm is not None and norm.k_weight is not None:
        weight = as_tensor(norm.k_weight, ("qk_norm", "k_weight"))
        if weight.shape == (dims.K * dims.D,) and dims.K > 1:
            merged = _mean(weight.double().view(dims.K, dims.D), 0, num_kv_heads)
            changes["qk_norm"] = replace(norm, k_weight=merged.flatten())
    return replace(spec, **changes)  # type: ignore[arg-type]


def _merged(weights: Weights, K: int, num_kv_heads: int) -> GivenProjection:
    def mean(tensor: Tensor | None) -> Tensor | None:
        if tensor is None:
            return None
        heads = tensor.reshape(K, -1, *tensor.shape[1:])
        return _mean(heads, 0, num_kv_heads).flatten(0, 1)

    return GivenProjection(
        w_q=weights.w_q,
        b_q=weights.b_q,
        w_o=weights.w_o,
        b_o=weights.b_o,
        w_k=mean(weights.w_k),
        b_k=mean(weights.b_k),
        w_v=mean(weights.w_v),
        b_v=mean(weights.b_v),
    )


def _mean(heads: Tensor, axis: int, groups: int) -> Tensor:
    """Mean over consecutive heads along ``axis``, ``groups`` of them left."""
    wide = heads.to(widened(heads.dtype))
    apart = wide.reshape(*wide.shape[:axis], groups, -1, *wide.shape[axis + 1 :])
    return apart.mean(axis + 1)


VARIANTS: dict[str, Callable[[Specification], Specification]] = {
    "mask_off": mask_off,
    "mask_after_softmax": mask_after_softmax,
    "scale_off": scale_off,
    "other_alignment": other_alignment,
}
"""Variants without a parameter, by the name that the API uses."""
