"""An answer in the form application/octet-stream: one safetensors file.

Its tensors are the answer's, as they are in memory; all the rest of the answer is JSON, under the
name ``answer`` of the file's metadata.
"""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import Request
from safetensors.numpy import save
from torch import Tensor

from app.encode import Encoding, Form, widened

MEDIA_TYPE = "application/octet-stream"


def asked_form(request: Request, encoding: Encoding) -> Form:
    """Raw where the client accepts it, else JSON in the asked encoding."""
    return "raw" if MEDIA_TYPE in request.headers.get("accept", "") else encoding


def raw(tensors: dict[str, Tensor], rest: dict[str, Any]) -> bytes:
    """The bytes of the file; numbers are widened as for every other answer."""
    arrays = {name: widened(tensor).numpy() for name, tensor in tensors.items()}
    text = orjson.dumps(rest, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    content: bytes = save(arrays, {"answer": text})
    return content
