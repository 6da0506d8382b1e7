"""``POST /api/check``: the verdict on someone's own numbers, and the likely cause."""

from __future__ import annotations

from typing import Any

import orjson
import torch
from fastapi import APIRouter, Response

from app.answer import chosen_tensors, description, split_names
from app.compute import compute, many_small_runs, measured, validated
from app.encode import Encoding, encode, number
from app.errors import inside
from app.examples import EXAMPLES
from app.fields import fields_json
from app.limits import check_search
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, IncludeQuery, PoolDep, SettingsDep
from app.schemas.requests import CheckBody
from app.settings import Settings
from app.waiting import alive
from attention import Cause, Check, Result, Verdict, check

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {
    "spec": {"q": [[[1, 0], [0, 1]]], "k": [[[1, 0], [0, 2]]], "v": [[[1, 0], [0, 1]]]},
    "expected": {"weights": [[[[0.731059, 0.268941], [0.119203, 0.880797]]]]},
    "rtol": 1e-5,
    "atol": 1e-6,
}


@router.post(
    "/check",
    **computing(
        CheckBody,
        "Check someone's own numbers and find the mistake in them",
        body_examples("scale_missing", "Weights of scores that were not scaled", EXAMPLE)
        | body_examples(
            "right",
            "The printed weights of the hand-worked case",
            {
                "spec": EXAMPLES[0]["spec"],
                "expected": {
                    "weights": [
                        [
                            [
                                [0.40111, 0.19778, 0.40111],
                                [0.19778, 0.40111, 0.40111],
                                [0.24826, 0.24826, 0.50349],
                            ]
                        ]
                    ]
                },
                "atol": 1e-4,
            },
        ),
    ),
)
async def check_numbers(
    body: BodyDep,
    pool: PoolDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
    include: IncludeQuery = None,
) -> Response:
    """Pass or fail per tensor; when one fails, what reproduces all of them, best first.

    `expected` are your numbers, `got` are ours. A cell passes when
    |got − expected| <= atol + rtol·|expected|. The defaults follow the coarsest dtype involved:
    float64 1e-7 and 1e-9, float32 1e-4 and 1e-5, float16 1e-2 and 2e-3, bfloat16 5e-2 and 1e-2.

    `mistakes` names what was tried, `tried` counts the runs. With `include`, the answer also
    holds the named tensors: ours under `computed`, and, of those that were given, yours under
    `given` and got − expected under `difference`; `run` has the run's heads, steps, tokens and
    masks.
    """
    answer = await pool.run(_answer, body, settings, encoding, include)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings, encoding: Encoding, include: str | None) -> bytes:
    request = validated(CheckBody, body, settings)
    with inside("spec"):
        spec = request.spec.specification()
        check_search(spec, measured(spec, settings), settings)
    for name in request.expected:
        chosen_tensors([name], spec.dropout is not None, ("expected", name))
    with inside("spec"):
        result = compute(spec, settings)
    names: tuple[str, ...] = ()
    if include is not None:
        names = chosen_tensors(split_names(include), spec.dropout is not None, ("include",))
    with many_small_runs():
        found = check(result, request.expected, request.rtol, request.atol, alive)
    answer = check_answer(found)
    if include is not None:
        answer |= _pictured(result, found, request.expected, names, encoding)
    return orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)


def _pictured(
    result: Result,
    found: Check,
    expected: dict[str, Any],
    names: tuple[str, ...],
    encoding: Encoding,
) -> dict[str, Any]:
    """What a picture of ours, theirs and the difference is drawn from."""
    verdicts = {name: found.tensors[name] for name in names if name in expected}
    apart = {n: v.difference for n, v in verdicts.items() if v.difference is not None}
    return {
        "run": description(result),
        "computed": {name: encode(getattr(result, name), encoding) for name in names},
        "given": {
            n: encode(torch.as_tensor(expected[n]).to(t), encoding) for n, t in apart.items()
        },
        "difference": {name: encode(tensor, encoding) for name, tensor in apart.items()},
    }


def check_answer(found: Check) -> dict[str, Any]:
    """The JSON form of a check."""
    return {
        "pass": found.passed,
        "rtol": found.tolerance.rtol,
        "atol": found.tolerance.atol,
        "tensors": {name: _verdict(verdict) for name, verdict in found.tensors.items()},
        "causes": [_cause(cause) for cause in found.causes],
        "tried": found.tried,
        "mistakes": found.mistakes,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "pass": verdict.passed,
        "max_abs": _number(verdict.max_abs),
        "worst": verdict.worst,
        "first_bad": verdict.first_bad,
        "expected": _number(verdict.expected),
        "got": _number(verdict.got),
        "bad_cells": verdict.bad_cells,
        "why": verdict.why,
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "mistake": cause.mistake,
        "explanation": cause.explanation,
        "details": cause.details,
        "max_abs": number(cause.max_abs),
        "fields": fields_json(dict(cause.fields)) or {},
    }


def _number(value: float | None) -> float | str | None:
    return None if value is None else number(float(value))
