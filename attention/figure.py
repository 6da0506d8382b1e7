"""A head's scores and weights as a Plotly figure, in the page's colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attention.arrays import expect_index

if TYPE_CHECKING:
    from attention.result import Result

WEIGHTS_SCALE = [
    [0, "#fbfaf3"], [0.12, "#e4efcf"], [0.3, "#a9d8bb"], [0.5, "#58b5b8"],
    [0.7, "#2a86ae"], [0.85, "#255a97"], [1, "#1c2a66"],
]  # fmt: skip
SCORES_SCALE = [
    [0, "#5b3a8e"], [0.25, "#a593cc"], [0.5, "#f7f6f4"], [0.75, "#edaa5c"], [1, "#a84a06"],
]  # fmt: skip
MARKS = (("masked", "#c9ccd2"), ("−∞", "#4b5563"), ("+∞", "#1b1d22"), ("NaN", "#c2187a"))
FONT = {"family": "system-ui, sans-serif", "size": 13, "color": "#1b1d22"}
MOST_LABELS, LONGEST_LABEL = 32, 14
STAGES = ("scores", "weights")
DOMAINS = {"": (0, 0.43), "2": (0.57, 1)}


def figure(result: Result, *, head: int = 0, batch: int = 0) -> Any:
    """A ``plotly.graph_objects.Figure`` of one head: scores beside weights.

    Errors: `SpecificationError` for a head or batch item that is not there, `ImportError`
    where plotly is not installed.
    """
    try:
        from plotly.graph_objects import Figure  # type: ignore[import-untyped]
    except ImportError as error:
        hint = "figures need plotly: pip install 'attention-visualiser[figures]'"
        raise ImportError(hint) from error
    return Figure(picture(result, head=head, batch=batch))


def picture(result: Result, *, head: int = 0, batch: int = 0) -> dict[str, Any]:
    """The same as plain data: ``{"data": [...], "layout": {...}}`` for any Plotly.

    Weights are on a fixed 0…1 scale, scores on one centred at 0 and shared by all heads of
    the batch item. Masked, infinite and NaN cells are marked, never blank.
    """
    dims = result.layout
    for name, index, count in (("head", head, dims.H), ("batch", batch, dims.B)):
        expect_index(name, index, count)
    visible = result.allowed[batch, min(head, result.allowed.shape[1] - 1)]
    data: list[dict[str, Any]] = []
    for i, stage in enumerate(STAGES):
        data.extend(_panel(result, stage, batch, head, visible, "" if i == 0 else "2"))
    return {"data": data, "layout": _layout(result, batch, head)}


def _panel(
    result: Result, stage: str, batch: int, head: int, visible: Tensor, axis: str
) -> list[dict[str, Any]]:
    values = getattr(result, stage)[batch, head].double()
    hidden = ~visible & (values <= 0) if stage == "weights" else ~visible
    place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "type": "heatmap", "xgap": 1, "ygap": 1}
    shown = values.where(torch.isfinite(values), torch.nan)
    return [
        {
            **place,
            **_scale(result, stage, batch),
            "z": _rows(shown),
            "name": stage,
            "hoverongaps": False,
            "hovertemplate": "query %{y}, key %{x}: %{z}<extra>" + stage + "</extra>",
            "colorbar": {
                "orientation": "h",
                "x": DOMAINS[axis][0],
                "xanchor": "left",
                "len": 0.43,
                "y": -0.02,
                "yanchor": "top",
                "thickness": 10,
                "outlinewidth": 0,
                "title": {"text": stage, "side": "bottom"},
            },
        },
        {
            **place,
            "z": _rows(_marks(values, hidden)),
            "text": _names(_marks(values, hidden)),
            "zmin": -0.5,
            "zmax": len(MARKS) - 0.5,
            "colorscale": [
                [(i + end) / len(MARKS), colour]
                for i, (_, colour) in enumerate(MARKS)
                for end in (0, 1)
            ],
            "showscale": False,
            "name": f"{stage}: masked and not finite",
            "hoverongaps": False,
            "hovertemplate": "query %{y}, key %{x}: %{text}<extra>" + stage + "</extra>",
        },
    ]


def _marks(values: Tensor, hidden: Tensor) -> Tensor:
    marks = torch.full_like(values, torch.nan)
    marks[values == float("-inf")] = 1
    marks[values == float("inf")] = 2
    marks[values.isnan()] = 3
    marks[hidden] = 0
    return marks


def _names(marks: Tensor) -> list[list[str]]:
    return [["" if m != m else MARKS[int(m)][0] for m in row] for row in marks.tolist()]


def _rows(values: Tensor) -> list[list[float | None]]:
    return [[None if x != x else x for x in row] for row in values.tolist()]


def _scale(result: Result, stage: str, batch: int) -> dict[str, Any]:
    if stage == "weights":
        return {"zmin": 0, "zmax": 1, "colorscale": WEIGHTS_SCALE}
    scores = result.scores[batch].double()
    seen = scores[torch.isfinite(scores) & result.allowed[batch].expand_as(scores)]
    reach = seen.abs().max().item() if seen.numel() else 1.0
    return {"zmin": -(reach or 1.0), "zmax": reach or 1.0, "colorscale": SCORES_SCALE}


def _layout(result: Result, batch: int, head: int) -> dict[str, Any]:
    dims, task = result.layout, result.task
    keys = _ticks(task.key_labels[batch])
    queries = _ticks(task.query_labels[batch])
    flat = {"showgrid": False, "zeroline": False, "ticks": ""}
    layout: dict[str, Any] = {
        "title": {"text": f"head {head}, KV head {head // dims.G}, sequence {batch}"},
        "font": FONT,
        "plot_bgcolor": "#ffffff",
        "margin": {"l": 88, "r": 24, "t": 112, "b": 72},
    }
    for axis, domain in DOMAINS.items():
        layout[f"xaxis{axis}"] = {
            **flat,
            **keys,
            "title": {"text": "key", "standoff": 8},
            "side": "top",
            "domain": domain,
            "anchor": f"y{axis}",
        }
        layout[f"yaxis{axis}"] = {
            **flat,
            **queries,
            "title": {"text": "query", "standoff": 8},
            "autorange": "reversed",
            "anchor": f"x{axis}",
        }
    return layout


def _ticks(labels: list[str]) -> dict[str, Any]:
    """Numeric places with labels as their text, thinned out when there are many.

    Plotly would merge equal labels of a category axis, and reads tags and entities in texts.
    """
    step = -(-len(labels) // MOST_LABELS)
    places = list(range(0, len(labels), step))
    return {"tickvals": places, "ticktext": [_escaped(labels[i]) for i in places]}


def _escaped(label: str) -> str:
    short = label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
