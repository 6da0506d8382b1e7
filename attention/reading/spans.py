"""Places that are counted: which corner a causal mask is aligned to, and how wide a window is."""

from __future__ import annotations

from attention.arrays import is_whole, say
from attention.errors import SpecificationError
from attention.masks import Causal, Window
from attention.masks.predicate import offset_of
from attention.reading.way import Way, band, in_place
from attention.result import Result

DEFAULT_WINDOW = 2


def alignments(result: Result) -> list[Way]:
    """The causal mask in both corners; a run without one gets one."""
    dims = result.layout

    def way(name: str, offset: int, argument: str, *used_by: str) -> Way:
        own = Causal(alignment=name)
        masks = in_place(result.task.spec.masks, Causal, own)
        return Way(name, own, masks, band(dims, [offset], None, 0), used_by, argument)

    return [
        way(
            "top_left",
            0,
            "is_causal=True",
            "F.scaled_dot_product_attention(q, k, v, is_causal=True)",
            "jax.nn.dot_product_attention(q, k, v, is_causal=True)",
            "ONNX Attention (is_causal=1)",
        ),
        way(
            "bottom_right",
            dims.S - dims.T,
            "",
            "F.scaled_dot_product_attention(q, k, v, attn_mask=causal_lower_right(T, S))",
            "flash_attn_func(q, k, v, causal=True)",
        ),
    ]


def window_asked(result: Result, window: int | None) -> int:
    """W: as asked, else the keys that the run's own window counts with the query's own, else 2."""
    if window is not None:
        if not is_whole(window) or window < 1:
            raise SpecificationError(
                "a window counts keys", loc=("window",), expected="1 or more", got=say(window)
            )
        return window
    own = _own_window(result)
    return DEFAULT_WINDOW if own is None or own.left is None else own.left + 1


def windows(result: Result, W: int) -> list[Way]:
    """A window of W: the token itself among them or besides, and W on either side.

    Where the run has a window, its right side and its place stay; else it is one that looks back
    from where the run's causal mask stands.
    """
    own = _own_window(result) or _looking_back(result)
    dims = result.layout
    offsets = offset_of(own.alignment, own.offset, dims, ()).flatten().tolist()

    def way(name: str, left: int, right: int | None, *used_by: str) -> Way:
        mask = Window(left=left, right=right, alignment=own.alignment, offset=own.offset)
        masks = in_place(result.task.spec.masks, Window, mask)
        return Way(name, mask, masks, band(dims, offsets, left, right), used_by)

    return [
        way(
            "counts_itself",
            W - 1,
            own.right,
            f"Hugging Face: sliding_window={W}",
            f"flash_attn_func(q, k, v, causal=True, window_size=({W - 1}, 0))",
        ),
        way(
            "beside_itself",
            W,
            own.right,
            f"flash_attn_func(q, k, v, causal=True, window_size=({W}, 0))",
            f"jax.nn.dot_product_attention(q, k, v, is_causal=True, local_window_size=({W}, 0))",
            f"Mistral's reference: torch.triu(mask, diagonal=-{W})",
        ),
        way(
            "both_sides",
            W,
            W,
            f"jax.nn.dot_product_attention(q, k, v, local_window_size={W})",
            f"flash_attn_func(q, k, v, window_size=({W}, {W}))",
        ),
    ]


def _looking_back(result: Result) -> Window:
    masks = result.task.spec.masks
    causal = next((mask for mask in masks if isinstance(mask, Causal)), Causal())
    return Window(right=0, alignment=causal.alignment, offset=causal.offset)


def _own_window(result: Result) -> Window | None:
    masks = result.task.spec.masks
    return next((mask for mask in masks if isinstance(mask, Window)), None)
