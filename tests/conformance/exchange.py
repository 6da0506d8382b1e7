"""How a specification is sent, and how its answer is looked at.

Mapping modules hold tensors as NumPy arrays; ``send`` writes each of them in the form asked for
(nested lists or typed arrays), so every vector can exercise both forms of input and of output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from fastapi.testclient import TestClient

from tests.wire import array, listed, typed

Array = np.ndarray[Any, np.dtype[Any]]
Specification = dict[str, Any]

ENCODINGS = ("list", "base64")
"""Each is used for the answer and for the form of the request's tensors alike."""

TYPE_CODES = {"float64": "f8", "float32": "f4", "float16": "f2", "int32": "i4", "bool": "u1"}


def typed_tensors(value: Any) -> Any:
    """The tree with every array in the typed form, each in the type it has."""
    if isinstance(value, np.ndarray):
        return typed(value, TYPE_CODES[value.dtype.name])
    if isinstance(value, dict):
        return {name: typed_tensors(item) for name, item in value.items()}
    if isinstance(value, list):
        return [typed_tensors(item) for item in value]
    return value


@dataclass(frozen=True)
class Answer:
    """The body of a successful ``POST /api/attention``."""

    body: Mapping[str, Any]

    def tensor(self, name: str) -> Array:
        return array(self.body["tensors"][name])

    @property
    def row_sums(self) -> Array:
        return array(self.body["row_sums"])

    def warnings(self, code: str) -> list[Mapping[str, Any]]:
        return [warning for warning in self.body["warnings"] if warning["code"] == code]

    @property
    def fully_masked_rows(self) -> list[list[int]]:
        """Every [batch, head, query] that the answer says has no visible key."""
        found = [warning["rows"] for warning in self.warnings("fully_masked_rows")]
        return sorted(row for rows in found for row in rows)


def send(
    client: TestClient, specification: Specification, encoding: str, include: str | None = None
) -> Any:
    """The raw response, whatever its status."""
    parameters = {"encoding": encoding} | ({"include": include} if include else {})
    body = listed(specification) if encoding == "list" else typed_tensors(specification)
    return client.post("/api/attention", json=body, params=parameters)


def uploaded(client: TestClient, name: str, data: bytes, config: bytes | None = None) -> Any:
    """The answer to a file that is taken, with the config.json beside it if there is one."""
    response = bring(client, name, data, config)
    assert response.status_code == 201, response.text
    return response.json()


def bring(client: TestClient, name: str, data: bytes, config: bytes | None = None) -> Any:
    """The raw response to an upload, whatever its status."""
    files = {"file": (name, data)} | ({"config": ("config.json", config)} if config else {})
    return client.post("/api/uploads", files=files)


def post(
    client: TestClient, specification: Specification, encoding: str, include: str | None = None
) -> Answer:
    """The answer to a specification that makes sense."""
    response = send(client, specification, encoding, include)
    assert response.status_code == 200, response.text
    return Answer(response.json())
