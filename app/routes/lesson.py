"""``/api/lesson``: the lesson's states, and the numbers that only a lesson asks for."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import orjson
import torch
from fastapi import APIRouter, Response
from pydantic import BaseModel
from torch import Tensor

from app.compute import compute, many_small_runs, validated
from app.encode import Encoding, encode, number
from app.errors import inside
from app.examples import EXAMPLES
from app.lesson import LESSON
from app.limits import check_work
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, PoolDep, SettingsDep
from app.schemas.requests import LinearBody, ScalingBody, SoftmaxBody, TilesBody
from app.settings import Settings
from attention import linear_attention, score_variance, softmax_gradient, tiled_attention

router = APIRouter(prefix="/api/lesson", tags=["lesson"])
SPEC = EXAMPLES[1]["spec"]


class Cell(BaseModel):
    """A query and a key."""

    query: int
    key: int


class View(BaseModel):
    """What to look at first."""

    batch: int = 0
    head: int = 0
    stage: str = "weights"
    cell: Cell | None = None


class Try(BaseModel):
    """A change of the step's specification that is worth making."""

    name: str
    spec: dict[str, Any]


class Step(BaseModel):
    """A step: a specification, what to look at, and changes to try."""

    name: str
    spec: dict[str, Any]
    view: View
    tries: list[Try]


class Lesson(BaseModel):
    """All steps, in the order in which they are read."""

    steps: list[Step]


@router.get("", summary="The lesson's steps: each a specification and changes of it")
async def lesson() -> Lesson:
    """Each `spec` is a body of `POST /api/attention`; the page tells what it shows."""
    return Lesson(steps=[Step(**step) for step in LESSON])


@router.post(
    "/scaling",
    **computing(
        ScalingBody,
        "Mean and variance of q·k and q·k / √D of random vectors, width by width",
        body_examples("widths", "Three widths", {"widths": [4, 64, 512]}),
    ),
)
async def scaling(body: BodyDep, pool: PoolDep, settings: SettingsDep) -> Response:
    """Measured on rows × keys independent pairs of normal vectors, `seed` by `seed` the same.

    `largest_weight` is the mean over rows of the softmax's largest weight.
    """
    return _json(await pool.run(_scaling, body, settings))


def _scaling(body: bytes, settings: Settings) -> bytes:
    asked = validated(ScalingBody, body, settings)
    found = score_variance(asked.widths, asked.rows, asked.keys, asked.seed, settings.max_random)
    return orjson.dumps({"widths": [asdict(each) for each in found]})


@router.post(
    "/softmax",
    **computing(
        SoftmaxBody,
        "The softmax of rows of scores, and its derivative",
        body_examples("saturating", "Spread ten times", {"rows": [[0.2, 0.5, 0.8], [2, 5, 8]]}),
    ),
)
async def softmax(body: BodyDep, pool: PoolDep, settings: SettingsDep) -> Response:
    """`derivative[i][j]` is ∂weights[i] / ∂scores[j]; `norm` is the root of its sum of squares."""
    return _json(await pool.run(_softmax, body, settings))


def _softmax(body: bytes, settings: Settings) -> bytes:
    rows = validated(SoftmaxBody, body, settings).rows
    return orjson.dumps({"rows": [asdict(softmax_gradient(row)) for row in rows]})


@router.post(
    "/tiles",
    **computing(
        TilesBody,
        "Weights times v tile by tile, by a running softmax, and how far that is from the whole",
        body_examples("two_by_two", "Tiles of 2 × 2", {"spec": SPEC, "tile": 2}),
    ),
)
async def tiles(
    body: BodyDep, pool: PoolDep, settings: SettingsDep, encoding: EncodingQuery = "list"
) -> Response:
    """`cells` scores of a head are held at once, instead of `full_cells`."""
    return _json(await pool.run(_tiles, body, settings, encoding))


def _tiles(body: bytes, settings: Settings, encoding: Encoding) -> bytes:
    asked = validated(TilesBody, body, settings)
    with inside("spec", beside=("tile",)), many_small_runs():
        result = compute(asked.spec.specification(), settings)
        found = tiled_attention(result, asked.tile)
    answer = {
        "tile": asked.tile,
        "tiles": found.tiles,
        "cells": found.cells,
        "full_cells": result.layout.T * result.layout.S,
        "heads": encode(found.heads, encoding),
        "max_abs_difference": _largest(found.heads, found.full),
    }
    return orjson.dumps(answer)


@router.post(
    "/linear",
    **computing(
        LinearBody,
        "Linear attention with elu + 1 on the same q, k, v and masks, and how far it is away",
        body_examples("causal", "4 tokens, 2 heads", {"spec": SPEC}),
    ),
)
async def linear(
    body: BodyDep, pool: PoolDep, settings: SettingsDep, encoding: EncodingQuery = "list"
) -> Response:
    """`reordered` are the same heads from running sums, null where the masks allow none."""
    return _json(await pool.run(_linear, body, settings, encoding))


def _linear(body: bytes, settings: Settings, encoding: Encoding) -> bytes:
    asked = validated(LinearBody, body, settings)
    with inside("spec"), many_small_runs():
        result = compute(asked.spec.specification(), settings)
        dims = result.layout
        check_work(result.task.spec, settings, dims.B * dims.H * dims.D * dims.Dv, 0)
        found = linear_attention(result)
    again = found.reordered
    answer = {
        "weights": encode(found.weights, encoding),
        "heads": encode(found.heads, encoding),
        "reordered": None if again is None else encode(again, encoding),
        "max_abs_difference": {
            "weights": _largest(found.weights, result.weights),
            "heads": _largest(found.heads, result.heads),
            "reordered": None if again is None else _largest(again, found.heads),
        },
        "kept": {"numbers": dims.D * (dims.Dv + 1), "cache": dims.S * (dims.D + dims.Dv)},
    }
    return orjson.dumps(answer)


def _largest(one: Tensor, other: Tensor) -> float | str:
    """The largest difference; NaN at the same place is none."""
    apart = (one.double() - other.double()).abs()
    both = torch.isnan(one) & torch.isnan(other)
    return number(apart.masked_fill(both, 0).max().item())


def _json(answer: bytes) -> Response:
    return Response(answer, media_type="application/json")
