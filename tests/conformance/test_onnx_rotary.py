"""5 tests of the ONNX operator ``RotaryEmbedding``."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from .exchange import ENCODINGS, post
from .mapping import onnx_rotary
from .vectors import Vector, vectors_of_operator

ROTARY = vectors_of_operator("RotaryEmbedding")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("case", ROTARY, ids=str)
def test_queries_and_keys_turn_as_the_operator_turns_them(
    case: Vector, client: TestClient, encoding: str
) -> None:
    answer = post(client, onnx_rotary.specification(case), encoding, include="q,k")
    for name in ("q", "k"):
        rotated = onnx_rotary.result(case, answer.tensor(name))
        case.tolerance.check(rotated, case.outputs["Y"], f"Y as {name}")
