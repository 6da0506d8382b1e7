"""The answer of ``POST /api/attention`` from a result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from app.encode import Form, encode
from app.raw import raw
from attention import Notice, Result, SpecificationError, Step, Task, say

DEFAULT = (
    "q",
    "k",
    "v",
    "scores",
    "masked_scores",
    "weights",
    "heads",
    "output",
    "allowed",
    "logsumexp",
)
ON_REQUEST = (
    "dropped_weights",
    "dot_products",
    "blocked_by",
    "entropy",
    "mean_distance",
    "first_key_weight",
    "largest_weight",
    "average_weights",
)


def split_names(include: str) -> list[str]:
    """The names of an ``include`` query."""
    return [name.strip() for name in include.split(",") if name.strip()]


def chosen_tensors(
    names: Iterable[str] | None, dropout: bool, loc: tuple[str, ...]
) -> tuple[str, ...]:
    """The tensors asked for; the usual ones when nothing was asked."""
    if names is None:
        return DEFAULT + (("dropped_weights",) if dropout else ())
    names = tuple(dict.fromkeys(names))
    for name in names:
        if name not in DEFAULT + ON_REQUEST or (name == "dropped_weights" and not dropout):
            raise SpecificationError(
                "dropped_weights needs dropout"
                if name in ON_REQUEST
                else "only tensors of the answer can be asked for",
                loc=loc,
                expected=", ".join(DEFAULT + ON_REQUEST),
                got=say(name),
            )
    return names


def description(result: Result) -> dict[str, Any]:
    """What a run's numbers mean: its heads, steps, tokens and masks."""
    task = result.task
    return {
        **frame(task, result.steps),
        "tokens": {"queries": task.query_labels, "keys": task.key_labels},
    }


def frame(task: Task, steps: Iterable[Step]) -> dict[str, Any]:
    """A run's heads, steps and masks."""
    dims = task.dims
    return {
        "layout": {
            "kind": dims.kind,
            "num_heads": dims.H,
            "num_kv_heads": dims.K,
            "kv_head_of": [h // dims.G for h in range(dims.H)],
            "head_dim": dims.D,
            "value_dim": dims.Dv,
            "cross": dims.cross,
        },
        "steps": [_step(step) for step in steps],
        "masks": [
            {"index": i, "kind": mask.kind, "description": bound.description}
            for i, (mask, bound) in enumerate(zip(task.spec.masks, task.masks, strict=True))
        ],
    }


def attention_answer(result: Result, names: tuple[str, ...], form: Form) -> bytes:
    """The answer's bytes; only the named tensors are encoded."""
    tensors = {name: getattr(result, name) for name in names}
    body = description(result) | {"warnings": [warning(notice) for notice in result.warnings]}
    origin = getattr(result.task.spec.projection, "origin", None)
    if origin is not None:
        body["checkpoint"] = origin
    if form == "raw":
        return raw(tensors | {"row_sums": result.row_sums}, body)
    body["tensors"] = {name: encode(tensor, form) for name, tensor in tensors.items()}
    body["row_sums"] = encode(result.row_sums, form)
    return orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)


def _step(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "formula": step.formula,
        "axes": step.axes,
        "shape": step.shape,
        "min": step.minimum,
        "max": step.maximum,
    }


def warning(notice: Notice) -> dict[str, Any]:
    """One warning of an answer."""
    body: dict[str, Any] = {"code": notice.code, "message": notice.message}
    if notice.concerns is not None:
        body["concerns"] = notice.concerns
    if notice.rows is not None:
        body["rows"] = notice.rows.contiguous().numpy()
    return body
