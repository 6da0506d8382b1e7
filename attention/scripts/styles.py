"""The four styles: each a dialect and the parts of its script in their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attention.arrays import say
from attention.errors import SpecificationError
from attention.result import Result
from attention.scripts import heads, multihead, projections, scoring, sdpa, visibility, weighing
from attention.scripts.dialects import NumPy, Torch
from attention.scripts.draft import Draft
from attention.scripts.refusals import reasons

Part = Callable[[Draft], None]


@dataclass(frozen=True)
class Style:
    """``what`` names it in sentences."""

    what: str
    dialect: type[Torch]
    parts: tuple[Part, ...]


SOURCE = (heads.lengths, heads.inputs, heads.projected, heads.positioned)
WRITTEN_OUT = (
    *SOURCE,
    scoring.scores,
    visibility.masks,
    weighing.masked,
    weighing.weights,
    weighing.mixed,
    weighing.output,
)
_STYLES = {
    "explicit": Style("attention written out in PyTorch", Torch, WRITTEN_OUT),
    "sdpa": Style(
        "PyTorch's scaled_dot_product_attention",
        Torch,
        (*SOURCE, sdpa.mask, sdpa.call, weighing.output, sdpa.weights),
    ),
    "multihead_attention": Style(
        "PyTorch's nn.MultiheadAttention",
        Torch,
        (heads.lengths, heads.inputs, projections.weights, multihead.mask, multihead.module,
         multihead.call, multihead.scores),
    ),
    "numpy": Style("attention written out in NumPy", NumPy, WRITTEN_OUT),
}  # fmt: skip
STYLES = tuple(_STYLES)
"""The names of the styles."""


def script(result: Result, style: str) -> str:
    """The run as a Python script that prints nothing and leaves scores, weights and output.

    ``style`` is one of `STYLES`; the script imports torch or NumPy and nothing of this package.
    Errors: `SpecificationError` at ``style`` with every reason why it cannot say the run.
    """
    if style not in _STYLES:
        raise SpecificationError(
            "style must be a known choice",
            loc=("style",),
            expected=", ".join(STYLES),
            got=say(style),
        )
    chosen = _STYLES[style]
    _refuse(result, style, chosen)
    draft = Draft(result, chosen.dialect(), _title(result, chosen))
    if chosen.dialect is NumPy and _has_odd_numbers(result):
        draft.say("Infinities and NaN of this run are meant: IEEE arithmetic carries them on")
        draft.put('np.seterr(over="ignore", invalid="ignore")')
        draft.put("")
    for part in chosen.parts:
        part(draft)
    return draft.text()


def refusals(result: Result) -> dict[str, list[str]]:
    """Of each style, why it cannot say the run; an empty list where it can."""
    return {style: reasons(result, style) for style in STYLES}


def _refuse(result: Result, style: str, chosen: Style) -> None:
    by_style = refusals(result)
    found = by_style[style]
    if not found:
        return
    able = [name for name in STYLES if not by_style[name]]
    raise SpecificationError(
        f"{chosen.what} cannot say this specification: {'; '.join(found)}",
        loc=("style",),
        expected=f"one that can: {', '.join(able)}",
        got=style,
    )


def _title(result: Result, chosen: Style) -> str:
    dims = result.layout
    kind = {"mha": "multi-head", "gqa": "grouped-query", "mqa": "multi-query"}[dims.kind]
    where = "cross-attention" if dims.cross else "attention"
    what = chosen.what[0].upper() + chosen.what[1:]
    return f"{what}: {kind} {where}.\n\nLeaves scores, weights and output.\n"


def _has_odd_numbers(result: Result) -> bool:
    codes = {"fully_masked_rows", "non_finite_input", "non_finite_result", "overflow"}
    return any(notice.code in codes for notice in result.warnings)
