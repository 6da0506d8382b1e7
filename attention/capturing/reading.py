"""What a call of a PyTorch attention function says, as q, k, v and masks of this package."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from math import prod
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention.bias import CausalBias, CausalVariant
from torch.nn.functional import linear

from attention.errors import SpecificationError


@dataclass(frozen=True)
class Reading:
    """q [B, H, T, D], k and v [B, K, S, ...]; masks broadcast to [B, H, T, S] with a convention.

    ``options`` are the plain settings: causal, scale, dropout, and where there are any softcap
    and fully_masked. ``sinks`` [H].
    """

    q: Tensor
    k: Tensor
    v: Tensor
    masks: list[tuple[Tensor, str]] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    sinks: Tensor | None = None


def read_fused(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Reading:
    """A call of ``scaled_dot_product_attention``: true in a boolean mask may be seen."""
    if query.is_nested:
        raise SpecificationError(
            "nested tensors are not recorded", expected="padded q, k and v with a mask", got="q"
        )
    lead = query.shape[:-2]
    masks = []
    if isinstance(attn_mask, CausalBias):
        attn_mask = _corner(attn_mask)
    if attn_mask is not None:
        shared = attn_mask.ndim <= 2 or (attn_mask.ndim == query.ndim == 4)
        full = attn_mask if shared else four_axes(attn_mask.expand(*lead, *attn_mask.shape[-2:]))
        convention = "allowed" if attn_mask.dtype == torch.bool else "additive"
        masks.append((full, convention))
    q, k, v = same_batch(*(four_axes(heads) for heads in (query, key, value)))
    group = repeated(k, v)
    options = {
        "causal": is_causal,
        "scale": scale,
        "dropout_p": dropout_p,
        "enable_gqa": enable_gqa,
        "kv_repeated": group,
    }
    return Reading(q, k[:, ::group], v[:, ::group], masks, options)


def read_module(*args: Any, **kwargs: Any) -> Reading:
    """A call of ``multi_head_attention_forward``: true in a boolean mask may *not* be seen."""
    bound = inspect.signature(F.multi_head_attention_forward).bind(*args, **kwargs)
    bound.apply_defaults()
    call = bound.arguments
    source = [call[name] if call[name].ndim == 3 else call[name][:, None]
              for name in ("query", "key", "value")]  # fmt: skip
    H = call["num_heads"]
    q, k, v = (
        _split(linear(x, weight, bias), H)
        for x, weight, bias in zip(source, _weights(call), _biases(call), strict=True)
    )
    if call["static_k"] is not None:
        k = call["static_k"].view(q.shape[0], H, -1, q.shape[-1])
    if call["static_v"] is not None:
        v = call["static_v"].view(q.shape[0], H, -1, q.shape[-1])
    masks = _module_masks(call, q.shape[0], H)
    extra = 0
    if call["bias_k"] is not None:
        k, v = (_with_row(heads, call[name]) for heads, name in ((k, "bias_k"), (v, "bias_v")))
        extra += 1
    if call["add_zero_attn"]:
        k, v = (torch.cat([heads, torch.zeros_like(heads[:, :, :1])], 2) for heads in (k, v))
        extra += 1
    masks = [(_wider(mask, extra), convention) for mask, convention in masks]
    dropout = call["dropout_p"] if call["training"] else 0.0
    causal = bool(call["is_causal"] and call["attn_mask"] is None)
    return Reading(q, k, v, masks, {"causal": causal, "scale": None, "dropout_p": dropout})


def four_axes(heads: Tensor) -> Tensor:
    """[..., H, T, D] as [B, H, T, D]; three axes are one head each, as PyTorch reads them."""
    if heads.ndim < 4:
        return heads.reshape(prod(heads.shape[:-2]), 1, *heads.shape[-2:])
    return heads.reshape(prod(heads.shape[:-3]), *heads.shape[-3:])


def same_batch(*heads: Tensor) -> list[Tensor]:
    """A batch of one stands for all, as PyTorch broadcasts it."""
    B = max(part.shape[0] for part in heads)
    return [part.expand(B, -1, -1, -1) for part in heads]


def _corner(bias: CausalBias) -> Tensor:
    """`torch.nn.attention.bias.causal_lower_right` and its kin, which hold no numbers."""
    T, S = bias.seq_len_q, bias.seq_len_kv
    offset = S - T if bias.variant == CausalVariant.LOWER_RIGHT else 0
    return torch.ones(T, S, dtype=torch.bool).tril(offset)


def repeated(k: Tensor, v: Tensor) -> int:
    """How many times each KV head stands in a row: models without GQA support repeat them."""
    heads = k.shape[1]
    for group in range(heads, 1, -1):
        if heads % group == 0 and all(
            torch.equal(kv[:, ::group].repeat_interleave(group, 1), kv) for kv in (k, v)
        ):
            return group
    return 1


def _split(x: Tensor, H: int) -> Tensor:
    """[T, B, E] → [B, H, T, D]."""
    T, B, _ = x.shape
    return x.view(T, B, H, -1).permute(1, 2, 0, 3)


def _weights(call: dict[str, Any]) -> list[Tensor]:
    if call["use_separate_proj_weight"]:
        return [call[name] for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")]
    return list(call["in_proj_weight"].chunk(3))


def _biases(call: dict[str, Any]) -> list[Tensor | None]:
    if call["in_proj_bias"] is None:
        return [None] * 3
    return list(call["in_proj_bias"].chunk(3))


def _with_row(heads: Tensor, row: Tensor) -> Tensor:
    """``bias_k`` or ``bias_v`` [1, 1, E] as one more key of every sequence."""
    B, H, _, D = heads.shape
    return torch.cat([heads, row.view(1, H, 1, D).expand(B, -1, -1, -1)], 2)


def _module_masks(call: dict[str, Any], B: int, H: int) -> list[tuple[Tensor, str]]:
    found = []
    mask, padding = call["attn_mask"], call["key_padding_mask"]
    if mask is not None:
        full = mask.view(B, H, *mask.shape[-2:]) if mask.ndim == 3 else mask
        found.append((full, _convention(mask)))
    if padding is not None:
        found.append((padding.view(B, 1, 1, -1), _convention(padding)))
    return found


def _convention(mask: Tensor) -> str:
    return "blocked" if mask.dtype == torch.bool else "additive"


def _wider(mask: Tensor, extra: int) -> Tensor:
    """The mask with ``extra`` keys that everyone sees."""
    return F.pad(mask, (0, extra)) if extra else mask


READERS = {
    F.scaled_dot_product_attention: read_fused,
    F.multi_head_attention_forward: read_module,
}
"""Which functions are recorded, and what reads their arguments."""
