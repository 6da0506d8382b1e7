"""What other attention viewers send for the same weights: bytes, and the time to make them.

They are no dependencies of this project. In an environment of its own:

    python -m venv peers && peers/bin/pip install . bertviz circuitsvis inspectus ipython
    peers/bin/python -m tests.benchmarks.peers

One layer of 12 heads of random causal weights. What is loaded beside it (BertViz's libraries come
from a content network) is not counted, and no page is drawn.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from app.answer import attention_answer
from attention import attend

HEADS, LENGTHS = 12, (128, 256, 512)


def bertviz(weights: Tensor, tokens: list[str]) -> str:
    found = importlib.import_module("bertviz").head_view(
        [weights[None]], tokens, html_action="return"
    )
    return str(found.data)


def circuitsvis(weights: Tensor, tokens: list[str]) -> str:
    heads = importlib.import_module("circuitsvis").attention.attention_heads(weights, tokens)
    return str(heads.cdn_src)


def inspectus(weights: Tensor, tokens: list[str]) -> str:
    """It shows at once and returns nothing, so what is shown is caught."""
    shown: list[str] = []
    with patch("IPython.display.display", lambda html: shown.append(html.data)):
        importlib.import_module("inspectus").attention(weights, tokens)
    return "".join(shown)


PEERS: dict[str, Callable[[Tensor, list[str]], str]] = {
    "bertviz head_view": bertviz,
    "circuitsvis attention_heads": circuitsvis,
    "inspectus attention": inspectus,
}


def main() -> None:
    for N in LENGTHS:
        q, k, v = torch.randn(3, 1, HEADS, N, 64, generator=torch.Generator().manual_seed(N))
        run = attend(q=q, k=k, v=v, masks=[{"kind": "causal"}])
        tokens = [f"t{i}" for i in range(N)]
        works: dict[str, Callable[[], Any]] = {
            "here, base64": lambda run=run: attention_answer(run, ("weights",), "base64"),
            "here, lists": lambda run=run: attention_answer(run, ("weights",), "list"),
        }
        for name, peer in PEERS.items():
            works[name] = lambda peer=peer, w=run.weights[0], t=tokens: peer(w, t)
        for name, work in works.items():
            size, took = measured(work)
            print(
                f"{N:>5} tokens  {name:<30}{size / 1e6:>9.2f} MB{took * 1e3:>10.1f} ms", flush=True
            )


def measured(work: Callable[[], Any], rounds: int = 3) -> tuple[int, float]:
    """Bytes of what is made, and the shortest processor time in seconds."""
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        made = work()
        best = min(best, time.process_time() - started)
    return len(made if isinstance(made, bytes) else made.encode()), best


if __name__ == "__main__":
    main()
