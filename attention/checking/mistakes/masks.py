"""Masks with the wrong sign, on the wrong axis, left out, or not strong enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention.checking.attempt import Attempt, Slip
from attention.checking.mistakes.mistake import mistake
from attention.checking.workbench import Workbench
from attention.masks import Mask, Matrix, Padding, Predicate


def _each(masks: tuple[Mask, ...], others: Sequence[Mask | None], all_of: str) -> Iterator[Slip]:
    """One mask in its other form, then all of them; None where a mask has no other form."""
    for i, other in enumerate(others):
        if other is not None:
            yield _replaced(masks, i, other)
    if len(masks) > 1 and None not in others:
        yield Slip(all_of, {"masks": tuple(others)})


def _replaced(masks: tuple[Mask, ...], i: int, *others: Mask, detail: str = "") -> Slip:
    """Mask ``i`` in another form, or left out."""
    said = f"masks[{i}] ({masks[i].kind})" + (f", {detail}" if detail else "")
    return Slip(said, {"masks": (*masks[:i], *others, *masks[i + 1 :])})


def inverted(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """One mask read the other way round, all of them, or what they allow together."""
    masks = attempt.spec.masks
    bound = bench.masks(attempt)
    turned = [_inverted(m, p, bench) for m, p in zip(masks, bound, strict=True)]
    yield from _each(masks, turned, "all masks")
    if len(masks) > 1 and None not in turned:
        together = Matrix(bench.allowed(attempt, bench.everything), "blocked")
        yield Slip("the masks together", {"masks": (together,)})


def _inverted(mask: Mask, bound: Predicate, bench: Workbench) -> Mask | None:
    """None for numbers that are added: they have no other way round."""
    visible = bound.visible(bench.everything)
    if bound.added is not None and bound.added(bench.everything).any():
        return None
    if isinstance(mask, Padding):
        return Padding(keep=~visible[:, 0, 0])
    if isinstance(mask, Matrix) and mask.convention != "additive":
        return replace(mask, convention={"allowed": "blocked"}.get(mask.convention, "allowed"))
    return Matrix(visible, "blocked")


def wrong_axis(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Padding on the queries, a square matrix transposed, batch items taken for heads."""
    dims, masks = bench.dims, attempt.spec.masks
    for i, bound in enumerate(bench.masks(attempt)):
        visible = bound.visible(bench.everything)
        axes = [("queries and keys are swapped", 2, 3)] if dims.T == dims.S else []
        if dims.B == dims.H:
            axes.append(("batch items and heads are swapped", 0, 1))
        for detail, one, other in axes:
            turned = visible.transpose(one, other)
            if _differs(turned, visible):
                mask = _matrix_like(bound, turned, one, other, bench)
                yield _replaced(masks, i, mask, detail=detail)


def _differs(a: Tensor, b: Tensor) -> bool:
    return not bool((a == b).all())


def _matrix_like(
    bound: Predicate, visible: Tensor, one: int, other: int, bench: Workbench
) -> Matrix:
    if bound.added is None:
        return Matrix(visible, "allowed")
    added = bound.added(bench.everything).transpose(one, other)
    return Matrix(added.masked_fill(~visible, float("-inf")), "additive")


def left_out(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """One mask, all of several, or all but one of them."""
    masks = attempt.spec.masks
    for i in range(len(masks)):
        yield _replaced(masks, i)
    for i, only in enumerate(masks if len(masks) > 2 else ()):
        yield Slip(f"all masks but masks[{i}] ({only.kind})", {"masks": (only,)})
    if len(masks) > 1:
        yield Slip("all masks", {"masks": ()})


def weak_fill(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Masked scores set to −1e-9, 0 or −1e4; or −1e4 added to them."""
    allowed = bench.allowed(attempt, bench.everything)
    if allowed.all():
        return
    for fill in (-1e-9, 0.0, -1e4):
        changes: dict[str, Any] = {"fill": fill, "fully_masked": "uniform"}
        yield Slip(f"masked scores are set to {fill:g}", changes)
    added = torch.zeros(allowed.shape).masked_fill(~allowed, -1e4)
    yield Slip("−10000 is added to masked scores", {"masks": (Matrix(added, "additive"),)})


def added_as_01(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """True is added to the scores as 1: one mask, each of them, or what they allow together."""
    masks = attempt.spec.masks
    bound = bench.masks(attempt)
    numbers = [_as_01(m, p, bench) for m, p in zip(masks, bound, strict=True)]
    yield from _each(masks, numbers, "each mask")
    if len(masks) > 1:
        together = Matrix(bench.allowed(attempt, bench.everything).float(), "additive")
        yield Slip("the masks together", {"masks": (together,)})


def _as_01(mask: Mask, bound: Predicate, bench: Workbench) -> Matrix | None:
    if isinstance(mask, Matrix) and mask.convention == "additive":
        return None
    visible = bound.visible(bench.everything)
    written = ~visible if isinstance(mask, Matrix) and mask.convention == "blocked" else visible
    return Matrix(written.float(), "additive")


def after_softmax(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Weights multiplied by 0 where they should have been masked."""
    if attempt.spec.masks and attempt.spec.mask_order == "before_softmax":
        changes = {"mask_order": "after_softmax", "fully_masked": "zero"}
        yield Slip("", changes)


def policy(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Another answer for rows that see no key."""
    spec = attempt.spec
    if spec.masks and not bench.allowed(attempt, bench.everything).any(-1).all():
        for name in ("zero", "nan", "uniform"):
            if name != spec.fully_masked:
                yield Slip(f"{name} instead of {spec.fully_masked}", {"fully_masked": name})


MASKING = [
    mistake(
        "mask_missing",
        "masks",
        left_out,
        "A mask has no effect. Pass it to every layer; some calls drop is_causal when attn_mask"
        " is given, and eager code paths build no causal mask by themselves.",
    ),
    mistake(
        "mask_wrong_axis",
        "masks",
        wrong_axis,
        "The mask lies on the wrong axis. Padding hides keys, the last axis of the scores:"
        " keep[:, None, None, :], not keep[:, None, :, None]; a matrix is [query][key]; and a"
        " mask for each batch item needs an axis for the heads, mask[:, None].",
    ),
    mistake(
        "mask_inverted",
        "masks",
        inverted,
        "The boolean mask is read the other way round. True means may be read in"
        " scaled_dot_product_attention, and must not be read in nn.MultiheadAttention (attn_mask"
        " and key_padding_mask); a tokenizer's attention_mask has 1 for real tokens. Pass ~mask.",
    ),
    mistake(
        "mask_added_as_01",
        "masks",
        added_as_01,
        "The mask of 0 and 1 is added to the scores, which blocks nothing. A float mask is added:"
        " it needs 0 and −Infinity. Pass mask.bool(), or torch.where(mask, 0.0, -inf).",
    ),
    mistake(
        "fill_too_small",
        "masks",
        weak_fill,
        "Masked scores are not low enough: they still get weight, or a row that sees no key"
        " becomes uniform. Use masked_fill(~mask, float('-inf')) or torch.finfo(dtype).min;"
        " −1e-9 is a misspelt −1e9.",
    ),
    mistake(
        "mask_after_softmax",
        "masks",
        after_softmax,
        "The weights are multiplied by the mask after the softmax, so rows no longer sum to 1."
        " Mask the scores: scores.masked_fill(~mask, float('-inf')).softmax(-1).",
    ),
    mistake(
        "fully_masked_rows",
        "masks fully_masked",
        policy,
        "Only rows that see no key differ. scaled_dot_product_attention and ONNX answer 0, the"
        " plain formula and nn.MultiheadAttention NaN, a finite fill (JAX, Hugging Face) the"
        " mean over all keys. Say which in fully_masked, or zero these rows yourself.",
        extra=True,
    ),
]
