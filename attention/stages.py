"""The stages between the heads and the output, each on a rectangle of queries × keys."""

from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor

from attention.rectangle import Rectangle
from attention.task import Task


def dot_products(
    q: Tensor, k: Tensor, where: Rectangle, scale: float = 1.0, room: Tensor | None = None
) -> Tensor:
    """q·k · scale for every head: q [B, H, T, D], k [B, K, S, D] → [B, H, R, C].

    Query head h reads KV head h // G. The G query heads of a group are consecutive, so they
    fold into the rows of one product and K/V are never repeated. ``room`` is contiguous memory
    where the products go, if given.
    """
    k = kv_heads(k, q.shape[1], where)
    q = where.of(q)
    B, H, _, D = q.shape
    K = k.shape[1]
    rows = q[:, :, where.rows].reshape(B * K, -1, D)  # [B·K G·R D]
    keys = k[:, :, where.cols].flatten(0, 1).transpose(-2, -1)  # [B·K D C]
    shape = B * K, rows.shape[1], keys.shape[2]
    room = rows.new_empty(shape) if room is None else room.view(shape)
    if rows.element_size() < 4:  # a product that overflows 16 bits has to show
        products = torch.bmm(rows, keys, out=room).mul_(scale)
    else:
        products = torch.baddbmm(room, rows, keys, beta=0, alpha=scale, out=room)  # [B·K G·R C]
    return products.view(B, H, -1, products.shape[-1])  # [B H R C]


def kv_heads(heads: Tensor, H: int, where: Rectangle) -> Tensor:
    """The KV heads that the picked query heads read: [B, K, S, D] → [b, K or 1, S, D]."""
    heads = heads[where.items(heads.shape[0])]
    if where.head is None:
        return heads
    read = where.head // (H // heads.shape[1])
    return heads[:, read : read + 1]


def scores(task: Task, where: Rectangle, room: Tensor | None = None) -> Tensor:
    """softcap(q·k · scale) + biases, before masking: [B, H, R, C], in ``room`` if given."""
    found = dot_products(task.q, task.k, where, task.scale, room)
    if task.spec.softcap is not None:
        found.div_(task.spec.softcap).tanh_().mul_(task.spec.softcap)
    for bias in task.biases:
        found += bias(where)
    return found


def softcapped(scores: Tensor, c: float) -> Tensor:
    """c·tanh(scores/c): scores pressed between −c and c."""
    return torch.tanh(scores / c) * c


def allowed(task: Task, where: Rectangle) -> Tensor:
    """True where every mask lets the query see the key: [B, 1 or H, R, C]."""
    if not task.masks:
        return torch.ones(_items(task, where), 1, *where.shape, dtype=torch.bool)
    found = reduce(torch.logical_and, (mask.visible(where) for mask in task.masks))
    b, h = (max(found.shape[i], n) for i, n in enumerate((_items(task, where), 1)))
    return found.expand(b, h, *where.shape)


def blocked_by(task: Task, where: Rectangle) -> Tensor:
    """Which masks block a cell: bit i of [B, 1 or H, R, C] stands for ``masks[i]``."""
    found = torch.zeros(_items(task, where), 1, *where.shape, dtype=torch.int32)
    for i, mask in enumerate(task.masks):
        found = found | ((~mask.visible(where)).int() << i)
    return found


def masked_scores(
    task: Task, found: Tensor, visible: Tensor, where: Rectangle, out: Tensor | None = None
) -> Tensor:
    """What enters the softmax: additive masks added, blocked scores set to ``fill``.

    With ``mask_order`` "after_softmax" nothing is blocked yet. ``out`` may be used for it.
    """
    for mask in task.masks:
        if mask.added is not None:
            found = found + mask.added(where)
    if task.spec.mask_order == "after_softmax" or not task.masks:
        return found
    fill = torch.tensor(task.fill, dtype=found.dtype)
    return torch.where(visible, found, fill, out=out)


def mask_in_place(task: Task, found: Tensor, visible: Tensor, where: Rectangle) -> None:
    """`masked_scores` of one head, written into ``found`` [R, C]."""
    for mask in task.masks:
        if mask.added is not None:
            found += mask.added(where)[0, 0]
    if task.spec.mask_order == "before_softmax":
        found.masked_fill_(~visible, task.fill)


def sinks(task: Task, where: Rectangle) -> Tensor | None:
    """The sinks of the picked heads, [1, h, 1, 1]."""
    return None if task.sinks is None else where.of(task.sinks)


def used_weights(task: Task, weights: Tensor, where: Rectangle) -> Tensor:
    """What multiplies v: the weights, after dropout if there is any."""
    kept = dropped(task, weights, where)
    return weights if kept is None else kept


def softmax(masked: Tensor, sinks: Tensor | None, out: Tensor | None = None) -> Tensor:
    """exp(s − max) / (Σ exp(s − max) + exp(sink − max)) over the keys: [B, H, R, S]."""
    if sinks is None:
        return torch.softmax(masked, -1, out=out)
    weights = torch.softmax(_with_sinks(masked, sinks), -1)[..., :-1]
    return weights if out is None else out.copy_(weights)


def logsumexp(masked: Tensor, sinks: Tensor | None) -> Tensor:
    """log Σ exp of each row, sinks counted, at float32 or wider: [B, H, R]."""
    wide = masked if masked.dtype == torch.float64 else masked.float()
    return torch.logsumexp(wide if sinks is None else _with_sinks(wide, sinks), -1)


def _with_sinks(masked: Tensor, sinks: Tensor) -> Tensor:
    column = sinks.to(masked.dtype).expand(*masked.shape[:2], masked.shape[2], 1)
    return torch.cat([masked, column], -1)


def blind_rows(visible: Tensor) -> Tensor:
    """Rows that see no key: [B, H, R, S] → [B, H, R]. Bytes are compared faster than booleans."""
    return visible.view(torch.uint8).amax(-1) == 0


def settle_empty_rows(weights: Tensor, empty: Tensor, policy: str) -> Tensor:
    """Rows that see no key [B, 1 or H, R] get what ``fully_masked`` says, in place."""
    value = {"zero": 0.0, "nan": float("nan"), "uniform": 1 / weights.shape[-1]}[policy]
    return weights.masked_fill_(empty[..., None], value) if empty.any() else weights


def attention_weights(
    task: Task,
    masked: Tensor,
    visible: Tensor,
    where: Rectangle,
    out: Tensor | None = None,
    empty: Tensor | None = None,
) -> Tensor:
    """The weights of whole rows, all keys present: [B, H, R, S], in ``out`` if given.

    ``empty`` are the `blind_rows`, if they are known.
    """
    return settled(task, softmax(masked, sinks(task, where), out), visible, empty)


def settled(task: Task, weights: Tensor, visible: Tensor, empty: Tensor | None = None) -> Tensor:
    """What follows the softmax: a mask that comes late, and rows that see no key. In place."""
    if task.spec.mask_order == "after_softmax":
        weights *= visible
    empty = blind_rows(visible) if empty is None else empty
    return settle_empty_rows(weights, empty, task.spec.fully_masked)


def dropped(task: Task, weights: Tensor, where: Rectangle) -> Tensor | None:
    """What multiplies v where there is dropout: [B, H, R, S]."""
    dropout = task.spec.dropout
    return dropout.apply(weights, task.dims.B, task.dims.H, where) if dropout else None


def mix(weights: Tensor, v: Tensor) -> Tensor:
    """Weights times v: [B, H, R, S], [B, K, S, Dv] → [B, H, R, Dv]; groups fold as above."""
    B, H, R, S = weights.shape
    K = v.shape[1]
    return (weights.reshape(B, K, -1, S) @ v).view(B, H, R, -1)


def _items(task: Task, where: Rectangle) -> int:
    return task.dims.B if where.batch is None else 1
