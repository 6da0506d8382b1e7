"""One way to read what is written down, and PyTorch's line for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from attention.dimensions import Dimensions
from attention.masks import Mask
from attention.specification import Specification

CALL = "heads = F.scaled_dot_product_attention(q, k, v, {})"


@dataclass(frozen=True)
class Way:
    """``masks`` are all of the run's, ``own`` the one in question as this way reads it.

    ``mask`` is a Python expression for it: true where a key may be read, or numbers to add.
    ``argument`` hands it to `scaled_dot_product_attention`. ``used_by`` are the calls of
    frameworks that read it so.
    """

    name: str
    own: Mask
    masks: tuple[Mask, ...]
    mask: str
    used_by: tuple[str, ...]
    argument: str = ""

    def line(self, spec: Specification, dims: Dimensions) -> str:
        """The call of a run whose only mask this is, with the scale and heads of the run."""
        options = [self.argument or f"attn_mask={self.mask}"]
        if spec.scale is not None:
            options.append(f"scale={float(spec.scale)!r}")
        if dims.G > 1:
            options.append("enable_gqa=True")
        return CALL.format(", ".join(options))


def in_place(masks: tuple[Mask, ...], kind: type[Mask], mask: Mask) -> tuple[Mask, ...]:
    """``mask`` where the first of its kind stood, without the others of it; or at the end."""
    first = next((i for i, other in enumerate(masks) if isinstance(other, kind)), len(masks))
    others = [other for other in masks[first + 1 :] if not isinstance(other, kind)]
    return (*masks[:first], mask, *others)


def band(dims: Dimensions, offsets: Sequence[int], left: int | None, right: int | None) -> str:
    """True from ``left`` keys before the query's own place to ``right`` behind it.

    ``offsets`` are how far query 0 is shifted, one for all batch items or one each.
    """
    if len(offsets) > 1 and not _all_equal(offsets):
        items = ", ".join(_one(dims, offset, left, right) for offset in offsets)
        return f"torch.stack([{items}])[:, None]"
    return _one(dims, offsets[0], left, right)


def _one(dims: Dimensions, offset: int, left: int | None, right: int | None) -> str:
    found = f"torch.ones({dims.T}, {dims.S}, dtype=torch.bool)"
    if right is not None:
        found += f".tril({offset + right})"
    return found if left is None else f"{found}.triu({offset - left})"


def _all_equal(numbers: Sequence[int]) -> bool:
    return len(list(groupby(numbers))) == 1
