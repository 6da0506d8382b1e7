"""An array of zeros and ones, or of numbers: as allowed, as blocked, as numbers to add."""

from __future__ import annotations

from torch import Tensor

from attention.arrays import as_tensor, expect_index
from attention.masks import Mask, Matrix
from attention.masks.matrix import broadcastable
from attention.reading.way import Way
from attention.rectangle import Rectangle
from attention.result import Result

ALLOWED = (
    "F.scaled_dot_product_attention(q, k, v, attn_mask=mask.bool())",
    "jax.nn.dot_product_attention(q, k, v, mask=mask)",
    "ONNX Attention (attn_mask: bool)",
)
BLOCKED = (
    "nn.MultiheadAttention(...)(x, x, x, attn_mask=mask.bool())",
    "nn.MultiheadAttention(...)(x, x, x, key_padding_mask=mask.bool())",
)
ADDED = (
    "F.scaled_dot_product_attention(q, k, v, attn_mask=mask.float())",
    "nn.MultiheadAttention(...)(x, x, x, attn_mask=mask.float())",
    "jax.nn.dot_product_attention(q, k, v, bias=mask)",
)


def array_of(result: Result, index: int | None) -> tuple[Tensor, int | None]:
    """What is written down, [1 or B, 1 or H, 1 or T, 1 or S], and which mask it is.

    A matrix gives its own numbers; another mask 1 where it lets a key be read. Without an
    index the first matrix is meant, else what all masks allow together (None).
    """
    masks, task = result.task.spec.masks, result.task
    if index is not None:
        expect_index("mask", index, len(masks))
    else:
        index = next((i for i, mask in enumerate(masks) if isinstance(mask, Matrix)), None)
    if index is None:
        return result.allowed.float(), None
    mask = masks[index]
    if isinstance(mask, Matrix):
        values = as_tensor(mask.values, ("masks", index, "values"))
        values = values if values.is_floating_point() else values.float()
        return broadcastable(values, result.layout, ("masks", index, "values")), index
    visible = task.masks[index].visible(Rectangle.full(result.layout.T, result.layout.S))
    return visible.float()[(None,) * (4 - visible.ndim)], index


def ways(result: Result, array: Tensor, index: int | None) -> list[Way]:
    """The three conventions. As a boolean, any number but 0 is true, as a cast makes it."""
    true = array != 0
    dtype = f"torch.{result.task.spec.dtype}"
    read = {
        "allowed": (true, "mask.bool()", ALLOWED),
        "blocked": (true, "~mask.bool()", BLOCKED),
        "additive": (array, f"mask.to({dtype})", ADDED),
    }
    found = []
    for name, (values, mask, used_by) in read.items():
        own = Matrix(values, name)
        found.append(Way(name, own, _with(result, index, own), mask, used_by))
    return found


def _with(result: Result, index: int | None, mask: Matrix) -> tuple[Mask, ...]:
    masks = result.task.spec.masks
    return (mask,) if index is None else (*masks[:index], mask, *masks[index + 1 :])
