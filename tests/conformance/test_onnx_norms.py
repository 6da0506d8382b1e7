"""22 tests of the ONNX operators ``RMSNormalization`` and ``LayerNormalization``."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from .exchange import ENCODINGS, post
from .mapping import onnx_norms
from .vectors import Vector, vectors_of_operator

RMS_NORMS = vectors_of_operator("RMSNormalization")
LAYER_NORMS = vectors_of_operator("LayerNormalization")

both_encodings = pytest.mark.parametrize("encoding", ENCODINGS)


@both_encodings
@pytest.mark.parametrize("case", RMS_NORMS, ids=str)
def test_qk_norm_is_rms_normalization(case: Vector, client: TestClient, encoding: str) -> None:
    answer = post(client, onnx_norms.rms_specification(case), encoding, include="q,k")
    for name in ("q", "k"):
        normed = answer.tensor(name).reshape(case.outputs["Y"].shape)
        case.tolerance.check(normed, case.outputs["Y"], f"Y as {name}")


@both_encodings
@pytest.mark.parametrize("case", LAYER_NORMS, ids=str)
def test_qk_norm_of_a_centring_projection_is_layer_normalization(
    case: Vector, client: TestClient, encoding: str
) -> None:
    answer = post(client, onnx_norms.layer_specification(case), encoding, include="q,k,v")
    normed = answer.tensor("q").reshape(case.outputs["Y"].shape) + case.inputs["B"]
    case.tolerance.check(normed, case.outputs["Y"], "Y")

    mean = answer.tensor("v")[0, 0, :, 0].reshape(case.outputs["Mean"].shape)
    case.tolerance.check(mean, case.outputs["Mean"], "Mean")

    factor = onnx_norms.inverse_deviation(case, answer.tensor("k")[0, 0])
    expected = case.outputs["InvStdDev"]
    case.tolerance.check(factor.reshape(expected.shape), expected, "InvStdDev")
