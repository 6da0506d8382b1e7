"""The part of a script that rotates q and k by their positions."""

from __future__ import annotations

from typing import Any

from attention.arrays import as_integers, as_tensor, with_axes
from attention.rotary import Rope
from attention.scripts.draft import Draft

ROTATED = '''
def rotated(x, cos, sin):
    """x·cos + (x turned by a quarter)·sin; {pairs}."""
    {turning}
    quarter = {quarter}
    {answer}
'''
TABLES = '''
def tables(positions):
    """Angle of each token and pair: position · base^(−2i/R)."""
    angles = positions[..., None] * rates  # [B|1 T R/2]
    angles = {twice}  # [B|1 T R]
    return {cos}[:, None], {sin}[:, None]
'''
PAIRS = {
    "half": "entry i pairs with entry i + R/2",
    "interleaved": "entry 2i pairs with entry 2i + 1",
}


def rotation(draft: Draft, rope: Rope) -> None:
    """Tables of cos and sin, then q and the new k turned."""
    width = draft.dims.D if rope.dim is None else rope.dim
    if rope.cos is not None:
        width = as_tensor(rope.cos, ("rope", "cos")).shape[-1]
    draft.section(f"Rotary positions, {rope.style} style: {PAIRS[rope.style]}")
    part = "" if width == draft.dims.D else "; the other entries stay as they are"
    draft.put(f"R = {width}  # entries of each head that turn{part}")
    q, k = _ready(draft, rope) if rope.cos is not None else _computed(draft, rope)
    draft.define("rotated", _rotated(draft, rope.style, width == draft.dims.D))
    draft.put(f"q = rotated(q, {q})", "B H T D")
    draft.put(f"k = rotated(k, {k})", f"B K {draft.new_keys} D")


def _ready(draft: Draft, rope: Rope) -> tuple[str, str]:
    for name in ("cos", "sin"):
        table = with_axes(as_tensor(getattr(rope, name), ("rope", name)), 2, 3, "", ("rope", name))
        draft.put(f"{name} = {draft.floats(table[:, None], ('rope', name))}", "B|1 1 T R")
    return "cos, sin", "cos, sin"


def _computed(draft: Draft, rope: Rope) -> tuple[str, str]:
    dialect, module = draft.dialect, draft.dialect.module
    base = 10000.0 if rope.base is None else float(rope.base)
    rates = f"{base!r} ** (-{module}.arange(0, R, 2, dtype={dialect.kind('float64')}) / R)"
    draft.put(f"rates = {rates}", "R/2")
    draft.define("tables", _tables(draft, rope.style))
    dims = draft.dims
    keys = rope.key_positions
    paired = dims.new_keys == dims.T and not dims.cross
    if keys is None and paired:
        keys = rope.positions
    draft.put(f"cos, sin = tables({_positions(draft, rope.positions, 'T', 'positions')})")
    if keys is rope.positions and (keys is not None or dims.new_keys == dims.T):
        return "cos, sin", "cos, sin"
    places = _positions(draft, keys, draft.new_keys, "key_positions")
    draft.put(f"key_cos, key_sin = tables({places})")
    return "cos, sin", "key_cos, key_sin"


def _positions(draft: Draft, given: Any, count: str, name: str) -> str:
    if given is None:
        counted = f"{draft.dialect.module}.arange({count})[None]"
        return f"P + {counted}" if draft.dims.P else counted
    places = with_axes(as_integers(given, ("rope", name)), 1, 2, "", ("rope", name))
    draft.put(f"{name} = {draft.integers(places)}", f"B|1 {count}")
    return name


def _tables(draft: Draft, style: str) -> str:
    dialect = draft.dialect
    half = style == "half"
    twice = dialect.concatenated("angles, angles", -1) if half else dialect.doubled("angles")
    cos, sin = (dialect.cast(f"{dialect.module}.{name}(angles)") for name in ("cos", "sin"))
    return TABLES.format(twice=twice, cos=cos, sin=sin)


def _rotated(draft: Draft, style: str, whole: bool) -> str:
    dialect, name = draft.dialect, "x" if whole else "turning"
    if style == "half":
        pair = f"a, b = {name}[..., : R // 2], {name}[..., R // 2 :]"
        quarter = dialect.concatenated("-b, a", -1)
    else:
        pair = f"a, b = {name}[..., 0::2], {name}[..., 1::2]"
        quarter = f"{dialect.module}.stack([-b, a], -1).reshape({name}.shape)"
    turned = f"{name} * cos + quarter * sin"
    if whole:
        answer = f"return {turned}"
    else:
        pair = f"turning, still = x[..., :R], x[..., R:]\n    {pair}"
        answer = f"return {dialect.concatenated(f'{turned}, still', -1)}"
    return ROTATED.format(pairs=PAIRS[style], turning=pair, quarter=quarter, answer=answer)
