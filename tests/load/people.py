"""A lecture hall for Locust: each person opens the page, then switches masks on and off."""

from __future__ import annotations

import os
import re
from itertools import cycle
from typing import Any

from locust import FastHttpUser, between, constant, task

IN_A_HURRY = "ATTENTION_LOAD_HURRY"
"""Set: nobody opens the page or waits; for what a server can do at most."""
HURRY = IN_A_HURRY in os.environ
FILES = re.compile(r'(?:href|src)="((?:static|api)/[^"#]+)"')
MASKS: list[list[dict[str, Any]]] = [
    [],
    [{"kind": "causal"}],
    [{"kind": "causal"}, {"kind": "window", "left": 3, "right": 0}],
    [{"kind": "prefix", "length": 3}],
    [{"kind": "causal"}, {"kind": "padding", "lengths": [7]}],
]
TOKENS = ["the", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired", "today"]
SPEC = {
    "x": {"random": {"shape": [len(TOKENS), 64], "seed": 7, "kind": "normal"}},
    "tokens": TOKENS,
    "num_heads": 8,
    "num_kv_heads": 2,
}
WHAT = "scores,masked_scores,weights,allowed"


class Person(FastHttpUser):
    """Takes a moment before each switch, as people do."""

    wait_time = constant(0) if HURRY else between(0.5, 3)

    def on_start(self) -> None:
        """The page with all that it names, as a browser that has not been here."""
        self.masks = cycle(MASKS)
        if HURRY:
            return
        page = self.client.get("/", headers={"accept-encoding": "gzip"})
        named = dict.fromkeys(FILES.findall(page.text or ""))
        assert named, "the page names no file of its own"
        for path in named:
            name = "its files" if path.startswith("static/") else f"/{path}"
            self.client.get(f"/{path}", headers={"accept-encoding": "gzip"}, name=name)

    @task
    def switch(self) -> None:
        """Another mask: what the page then asks for."""
        path = f"/api/attention?encoding=base64&include={WHAT}"
        body = SPEC | {"masks": next(self.masks)}
        with self.client.post(
            path, json=body, name="/api/attention", catch_response=True
        ) as answer:
            if answer.status_code != 200:
                answer.failure(f"{answer.status_code}: {answer.text}")
            elif set(WHAT.split(",")) - set(answer.json()["tensors"]):
                answer.failure("a tensor is missing")
