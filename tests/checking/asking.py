"""Asking POST /api/check."""

from __future__ import annotations

from typing import Any

import numpy as np
from fastapi.testclient import TestClient
from numpy.typing import NDArray

from tests.checking.users_layer import Layer
from tests.wire import listed

Numbers = dict[str, NDArray[Any]]


def given(layer: Layer) -> Numbers:
    """What the layer answers, as arrays."""
    return {name: tensor.numpy() for name, tensor in layer().items()}


def checked(client: TestClient, spec: Any, expected: Any, **more: Any) -> Any:
    """The answer of a check."""
    body = listed({"spec": spec, "expected": expected, **more})
    answer = client.post("/api/check", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def noise(*shape: int) -> NDArray[Any]:
    return np.random.default_rng(7).standard_normal(shape)
