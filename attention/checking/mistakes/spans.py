"""Masks that count places: causal, window and prefix, shifted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from attention.checking.attempt import Attempt, Slip
from attention.checking.mistakes.mistake import mistake
from attention.checking.workbench import Workbench
from attention.masks import Causal, Prefix, Window
from attention.masks.predicate import offset_of


def alignment(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Query 0 at key 0, at the cache's end, or so that the last query stands at the last key."""
    masks, dims = attempt.spec.masks, bench.dims
    placed = [i for i, m in enumerate(masks) if isinstance(m, Causal | Window | Prefix)]
    choices = dict.fromkeys((0, dims.S - dims.T, dims.P))
    for chosen in dict.fromkeys([tuple(placed), *((i,) for i in placed)]):
        for offset in choices:
            moved = _moved(attempt, bench, chosen, offset)
            if moved is not None:
                yield Slip(f"query 0 stands at key {offset}", {"masks": moved})
    for i in placed:
        if isinstance(masks[i], Causal):
            yield from _diagonal(attempt, bench, i)


def _moved(
    attempt: Attempt, bench: Workbench, chosen: tuple[int, ...], offset: int
) -> tuple[Any, ...] | None:
    """The masks with some at another offset; None where they stand there already."""
    masks: list[Any] = list(attempt.spec.masks)
    before = [_offset(masks[i], bench) for i in chosen]
    if all(set(o) == {offset} for o in before):
        return None
    for i in chosen:
        masks[i] = replace(masks[i], alignment=None, offset=offset)
    return tuple(masks)


def _diagonal(attempt: Attempt, bench: Workbench, i: int) -> Iterator[Slip]:
    """The diagonal masked too, or the one above it open."""
    masks: list[Any] = list(attempt.spec.masks)
    mask = masks[i]
    offsets = _offset(mask, bench)
    for step, detail in ((-1, "the query's own key is masked"), (1, "the next key is visible")):
        moved = [offset + step for offset in offsets]
        masks[i] = replace(mask, alignment=None, offset=moved if len(moved) > 1 else moved[0])
        yield Slip(detail, {"masks": tuple(masks)}, unlikely=True)


def _offset(mask: Causal | Window | Prefix, bench: Workbench) -> list[int]:
    found: list[int] = offset_of(mask.alignment, mask.offset, bench.dims, ()).flatten().tolist()
    return found


def window(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """One key more or less on either side."""
    masks = attempt.spec.masks
    for i, mask in enumerate(masks):
        if not isinstance(mask, Window):
            continue
        for side in ("left", "right"):
            reach = getattr(mask, side)
            for moved in () if reach is None else (reach + 1, reach - 1):
                if moved >= 0:
                    changed = (*masks[:i], replace(mask, **{side: moved}), *masks[i + 1 :])
                    yield Slip(f"{side} = {moved}, for {reach}", {"masks": changed})


SPANS = [
    mistake(
        "causal_alignment",
        "masks",
        alignment,
        "The causal mask is shifted. With fewer queries than keys is_causal=True lines up the"
        " top left corner, so the first query sees key 0 alone; decoding with a cache needs the"
        " bottom right one: torch.ones(T, S).tril(S - T), or causal_lower_right(T, S)."
        " torch.triu(ones, diagonal=1) is what to mask: with diagonal=0 it masks the query too.",
    ),
    mistake(
        "window_off_by_one",
        "masks",
        window,
        "The sliding window is one key too wide or too narrow. A window of W keys counts the"
        " query's own, so it reaches W − 1 to the left; flash-attention's window_size counts"
        " the keys beside the query.",
    ),
]
