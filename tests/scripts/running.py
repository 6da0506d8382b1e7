"""Running an emitted script as a reader would, and comparing what it leaves."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from fastapi.testclient import TestClient
from numpy.typing import NDArray

from tests.wire import listed

STYLES = ("explicit", "sdpa", "multihead_attention", "numpy")
NAMES = ("scores", "weights", "output")
# Of the largest number of a tensor, at least of 1. PyTorch's own functions round elsewhere than the
# stages do: one step of float16 near 1 is 1e-3, of bfloat16 8e-3, and a few of them add up.
TOLERANCE = {"float64": 1e-12, "float32": 1e-6, "float16": 4e-3, "bfloat16": 3e-2}
ONE_STEP = {"float16": 1e-3, "bfloat16": 8e-3}


def asked(client: TestClient, spec: Mapping[str, Any], style: str) -> Any:
    """The response of POST /api/code."""
    return client.post("/api/code", json=listed({"spec": spec, "style": style}))


def written(client: TestClient, spec: Mapping[str, Any], style: str) -> str:
    """The emitted script."""
    answer = asked(client, spec, style)
    assert answer.status_code == 200, answer.text
    assert answer.json()["style"] == style
    return str(answer.json()["script"])


def left_by(script: str) -> dict[str, NDArray[Any]]:
    """The three results of a script, run in a namespace of its own; it says nothing at all."""
    names: dict[str, Any] = {"__name__": "__main__"}
    said = io.StringIO()
    with (
        warnings.catch_warnings(),
        np.errstate(),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        warnings.simplefilter("error")
        exec(compile(script, "emitted.py", "exec"), names)
    assert said.getvalue() == ""
    return {name: as_array(names[name]) for name in NAMES}


def as_array(value: Any) -> NDArray[Any]:
    if isinstance(value, torch.Tensor):
        return value.double().numpy()
    assert isinstance(value, np.ndarray)
    return value.astype(np.float64)


def assert_same(
    got: Mapping[str, NDArray[Any]],
    expected: Mapping[str, NDArray[Any]],
    dtype: str,
    style: str,
) -> None:
    """Shapes, NaN and infinities alike, finite numbers within the dtype's tolerance."""
    tolerance = TOLERANCE[dtype]
    if style == "explicit":  # the very stages of the run
        tolerance = ONE_STEP.get(dtype, tolerance)
    for name in NAMES:
        numbers = np.abs(expected[name][np.isfinite(expected[name])])
        size = max(1.0, numbers.max(initial=0.0))
        assert got[name].shape == expected[name].shape, name
        np.testing.assert_allclose(
            got[name], expected[name], rtol=0, atol=tolerance * size, err_msg=name
        )
