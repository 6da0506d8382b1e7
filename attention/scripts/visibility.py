"""The part of a script that says which keys a query may see: every mask kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from torch import Tensor

from attention.arrays import as_boolean, as_integers, as_tensor
from attention.masks import Causal, Documents, Matrix, Padding, Prefix, Window
from attention.scripts.draft import Draft

Axes = tuple[str, str, str, str]
Written = tuple[str, Axes]
SHARED: Axes = ("1", "1", "T", "S")
KEYS: Axes = ("B", "1", "1", "S")


def masks(draft: Draft) -> None:
    """``allowed``: true where every mask lets the query see the key."""
    items = draft.spec.masks
    if not items:
        return
    draft.section("Masks: true where the query may see the key")
    if any(_asks_query(mask) for mask in items):
        query(draft)
    if any(_asks_query(mask) or _asks_key(mask) for mask in items):
        key(draft)
    names, axes = mask_names(draft), []
    for mask, name in zip(items, names, strict=True):
        expression, mine = WRITERS[type(mask)](draft, mask, name)
        draft.put(f"{name if len(items) > 1 else 'allowed'} = {expression}", _said(mine))
        axes.append(mine)
    if len(items) > 1:
        draft.say("A key is visible when every mask allows it")
        draft.put(f"allowed = {' & '.join(names)}", _said(_joined(axes)))


def _asks_query(mask: Any) -> bool:
    if isinstance(mask, Window):
        return mask.left is not None or mask.right is not None
    return isinstance(mask, Causal | Prefix)


def _asks_key(mask: Any) -> bool:
    return isinstance(mask, Padding) and mask.lengths is not None


def mask_names(draft: Draft) -> list[str]:
    """A name for each mask: its kind, numbered where the kind repeats."""
    kinds = [mask.kind for mask in draft.spec.masks]
    total, seen, found = Counter(kinds), Counter[str](), []
    for kind in kinds:
        seen[kind] += 1
        found.append(kind if total[kind] == 1 else f"{kind}_{seen[kind]}")
    return found


def added_names(draft: Draft) -> list[str]:
    """The arrays of numbers that additive masks add."""
    return [
        f"{name}_added"
        for mask, name in zip(draft.spec.masks, mask_names(draft), strict=True)
        if isinstance(mask, Matrix) and mask.convention == "additive"
    ]


def query(draft: Draft) -> str:
    """The indices of the queries."""
    return draft.once("query", f"{draft.dialect.module}.arange(T)[:, None]", "T 1")


def key(draft: Draft) -> str:
    """The indices of the keys, those of the cache first."""
    return draft.once("key", f"{draft.dialect.module}.arange(S)[None, :]", "1 S")


def _causal(draft: Draft, mask: Causal, name: str) -> Written:
    draft.say("causal: no query sees a later key")
    centre, axes = _centre(draft, mask, name)
    return f"{key(draft)} <= {centre}", axes


def _window(draft: Draft, mask: Window, name: str) -> Written:
    draft.say("window: both ends are included, and the query's own place counts besides")
    if mask.left is None and mask.right is None:
        kind = draft.dialect.kind("bool")
        return f"{draft.dialect.module}.ones((T, S), dtype={kind})", SHARED
    centre, axes = _centre(draft, mask, name)
    sides = []
    if mask.left is not None:
        sides.append(f"{key(draft)} >= {centre} - {mask.left}")
    if mask.right is not None:
        sides.append(f"{key(draft)} <= {centre} + {mask.right}")
    return sides[0] if len(sides) == 1 else " & ".join(f"({side})" for side in sides), axes


def _prefix(draft: Draft, mask: Prefix, name: str) -> Written:
    draft.say("prefix: every query sees the first keys, the rest is causal")
    length, shared = _count(draft, mask.length, f"{name}_length")
    centre, axes = _centre(draft, mask, name)
    causal = f"({key(draft)} < {length}) | ({key(draft)} <= {centre})"
    return causal, axes if shared else ("B", "1", "T", "S")


def _padding(draft: Draft, mask: Padding, name: str) -> Written:
    cached = "; the keys of the cache count too" if draft.dims.P else ""
    draft.say(f"padding: filled-up keys are not seen{cached}")
    if mask.lengths is None:
        keep = as_boolean(mask.keep, ()).reshape(draft.dims.B, 1, 1, draft.dims.S)
        return draft.booleans(keep), KEYS
    lengths = as_integers(mask.lengths, ()).reshape(-1, 1, 1, 1)
    draft.put(f"lengths = {draft.integers(lengths)}", "B 1 1 1")
    return f"{key(draft)} < lengths", KEYS


def _documents(draft: Draft, mask: Documents, name: str) -> Written:
    draft.say("documents: query and key in the same one")
    ids = as_integers(mask.ids, ())
    shared = ids.ndim == 1 or len(ids) == 1
    draft.put(
        f"{name}_ids = {draft.integers(ids.flatten() if shared else ids)}",
        "S" if shared else "B S",
    )
    if shared:
        return f"{name}_ids[:, None] == {name}_ids[None, :]", SHARED
    return f"{name}_ids[:, None, :, None] == {name}_ids[:, None, None, :]", ("B", "1", "T", "S")


def _matrix(draft: Draft, mask: Matrix, name: str) -> Written:
    if mask.convention == "additive":
        return _additive(draft, mask, name)
    values = as_boolean(mask.values, ())
    shape = flat_shape(values)
    axes = _axes_of(draft, shape)
    if mask.convention == "allowed":
        draft.say("matrix: true may be read, as scaled_dot_product_attention has it")
        return draft.booleans(values.reshape(shape)), axes
    draft.say("matrix: true is blocked, as nn.MultiheadAttention has it")
    draft.put(f"{name}_blocked = {draft.booleans(values.reshape(shape))}", _said(axes))
    return f"~{name}_blocked", axes


def _additive(draft: Draft, mask: Matrix, name: str) -> Written:
    draft.say("matrix: numbers to add; only -inf blocks")
    values = as_tensor(mask.values, ())
    shape = flat_shape(values)
    axes = _axes_of(draft, shape)
    draft.put(f"{name}_values = {draft.floats(values, (), shape)}", _said(axes))
    lowest, where = f"-{draft.dialect.infinity}", f"{draft.dialect.module}.where"
    chosen = f"{where}({name}_values == {lowest}, 0.0, {name}_values)"
    draft.put(f"{name}_added = {chosen}", _said(axes))
    return f"{name}_values != {lowest}", axes


WRITERS: dict[type, Callable[[Draft, Any, str], Written]] = {
    Causal: _causal,
    Window: _window,
    Prefix: _prefix,
    Padding: _padding,
    Documents: _documents,
    Matrix: _matrix,
}


def flat_shape(values: Tensor) -> tuple[int, ...]:
    """Two axes, or four: what broadcasts to [B][H][T][S] and is no guess for anyone."""
    missing = (2 if values.ndim <= 2 else 4) - values.ndim
    return (1,) * missing + tuple(values.shape)


def axes_said(draft: Draft, shape: tuple[int, ...]) -> str:
    """The letters of a shape that broadcasts to [B][H][T][S]."""
    return _said(_axes_of(draft, shape))


def _axes_of(draft: Draft, shape: tuple[int, ...]) -> Axes:
    dims = draft.dims
    whole = dict(zip("BHTS", (dims.B, dims.H, dims.T, dims.S), strict=True))
    full = (0,) * (4 - len(shape)) + shape
    found = [
        letter if length == whole[letter] else "1"
        for letter, length in zip("BHTS", full, strict=True)
    ]
    return found[0], found[1], found[2], found[3]


def _joined(axes: list[Axes]) -> Axes:
    first, *others = axes
    for other in others:
        pairs = [a if a != "1" else b for a, b in zip(first, other, strict=True)]
        first = pairs[0], pairs[1], pairs[2], pairs[3]
    return first


def _said(axes: Axes) -> str:
    return " ".join(axes if axes[:2] != ("1", "1") else axes[2:])


def _centre(draft: Draft, mask: Causal | Window | Prefix, name: str) -> Written:
    """The key at the query's own place, and the axes of a mask around it."""
    here = query(draft)
    if mask.alignment == "bottom_right":
        draft.say("aligned bottom-right: the last query stands at the last key")
        return f"{here} + (S - T)", SHARED
    if mask.alignment == "top_left" or (mask.offset is None and not draft.dims.P):
        if draft.dims.T != draft.dims.S:
            draft.say("aligned top-left: query 0 stands at key 0")
        return here, SHARED
    if mask.offset is None:
        draft.say("query 0 stands behind the P cached keys")
        return f"{here} + P", SHARED
    offset, shared = _count(draft, mask.offset, f"{name}_offset")
    draft.say(f"query 0 stands at key {offset}" + ("" if shared else " of its sequence"))
    return f"{here} + {offset}", SHARED if shared else ("B", "1", "T", "S")


def _count(draft: Draft, value: Any, name: str) -> tuple[str, bool]:
    """A whole number as it stands, or one per batch item under a name."""
    numbers = as_integers(value, ())
    if numbers.numel() == 1:
        number = int(numbers)
        return (str(number) if number >= 0 else f"({number})"), True
    return draft.once(name, draft.integers(numbers.reshape(-1, 1, 1, 1)), "B 1 1 1"), False
