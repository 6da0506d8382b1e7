"""Run in a process of its own: what requests really take of the memory, beside what was counted.

Each line of the output is a case: its name, the growth of the resident memory, the bytes counted.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from app.main import create_app
from app.settings import Settings

STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")
EVERYTHING = (
    "scores,masked_scores,weights,heads,output,allowed,logsumexp,dot_products,blocked_by,entropy"
)
T = 1201


def heads(dtype: str = "float32", T: int = T, **fields: Any) -> dict[str, Any]:
    drawn = {n: {"random": {"shape": [1, 2, T, 8], "seed": i}} for i, n in enumerate("qkv")}
    return {**drawn, "dtype": dtype, "masks": [{"kind": "causal"}], **fields}


def cases() -> dict[str, tuple[str, bytes]]:
    run, wide = heads(), heads("float64")
    compared = {"a": run, "variant": "mask_off"}
    x = {"x": {"random": {"shape": [T, 16], "seed": 3}}, "num_heads": 2}
    asked: dict[str, tuple[str, Any]] = {
        "attention, lists": ("attention", run),
        "attention, base64": ("attention?encoding=base64", run),
        "attention, weights alone": ("attention?encoding=base64&include=weights", run),
        "attention, everything": (f"attention?include={EVERYTHING}", run),
        "attention, float64": (f"attention?include={EVERYTHING}", wide),
        "attention, float16": ("attention", heads("float16")),
        "compare": ("compare", compared),
        "compare, with both runs": ("compare?include=scores,weights", compared),
        "decode": ("decode", {"spec": x, "prefill": T - 7}),
        "code": ("code", {"spec": run, "style": "numpy"}),
        "view": ("view", {"spec": run, "stage": "weights", "max_rows": T, "max_cols": T}),
        **{
            f"export, {form}": ("export", {"spec": run, "format": form, "tensors": ["weights"]})
            for form in ("npz", "safetensors", "json", "csv", "html")
        },
        "numbers in lists": ("attention", {"x": [[0.125] * 64] * 16_000, "num_heads": 1}),
        "empty lists": ("attention", {"x": [[]] * 1_000_000}),
        "labels": ("attention", {"x": [[1]], "tokens": ["a"] * 1_000_000}),
    }
    return {
        name: (f"/api/{path}", json.dumps(body).encode()) for name, (path, body) in asked.items()
    }


def resident(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    assert found
    return 1024 * int(found[1])


async def ask(app: Any, address: str, body: bytes) -> int:
    """The answer's status; what it holds is let go at once, as a connection does."""
    path, _, query = address.partition("?")
    parts = [{"type": "http.request", "body": body}]
    status = 0

    async def receive() -> dict[str, Any]:
        if parts:
            return parts.pop()
        await asyncio.sleep(3600)
        raise AssertionError

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.4"}, "method": "POST",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "http_version": "1.1", "scheme": "http", "server": ("test", 80), "client": ("test", 1),
        "root_path": "", "headers": [(b"content-type", b"application/json")],
    }  # fmt: skip
    await app(scope, receive, send)
    return status


def main() -> None:
    trim = ctypes.CDLL(None).malloc_trim
    app = create_app(Settings(upload_dir=Path(tempfile.mkdtemp()), cache_bytes=0))
    places = app.state.places
    asyncio.run(ask(app, "/api/attention", b'{"x": [[1]]}'))
    for name, (address, body) in cases().items():
        gc.collect()
        trim(0)
        places.reading.most = places.computing.most = 0
        REFERENCES.write_text("5")
        before = resident("VmRSS")
        status = asyncio.run(ask(app, address, body))
        grown = resident("VmHWM") - before
        counted = places.reading.most + places.computing.most
        print(json.dumps([name, status, grown, counted]), flush=True)


if __name__ == "__main__":
    main()
