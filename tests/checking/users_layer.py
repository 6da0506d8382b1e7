"""An attention layer as people write it, and the slips they make: plain torch, nothing of ours.

``Layer`` is right. Each slip is a subclass that overrides the one step it gets wrong, so two
slips together are one class with two bases.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

B, T, E, H, K, D = 2, 7, 30, 6, 2, 5
"""Batch, tokens, model width (H·D), query heads, KV heads, head width."""


@dataclass
class Case:
    """Token vectors, weights and masks, and the specification that says the same."""

    seed: int = 0
    kv: int = K
    heads: int = H
    tokens: int = T
    batch: int = B
    cached: int = 0
    causal: bool = True
    lengths: list[int] | None = field(default_factory=lambda: [7, 5])
    window: int | None = None
    rope: str | None = None
    softcap: float | None = None
    bias: bool = False
    loud: float = 1.0
    allowed: Tensor | None = None

    def __post_init__(self) -> None:
        draw = torch.Generator().manual_seed(self.seed)

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=draw, dtype=torch.float64)

        self.width = self.heads * D
        self.x = normal(self.batch, self.tokens, self.width)
        self.w_q = normal(self.width, self.width) * self.width**-0.5 * self.loud
        self.w_k = normal(self.kv * D, self.width) * self.width**-0.5 * self.loud
        self.w_v = normal(self.kv * D, self.width) * self.width**-0.5
        self.w_o = normal(self.width, self.width) * self.width**-0.5
        self.past_k = normal(self.batch, self.kv, self.cached, D)
        self.past_v = normal(self.batch, self.kv, self.cached, D)
        self.keys = self.cached + self.tokens
        self.bias_values = normal(self.heads, self.tokens, self.keys)

    def specification(self) -> dict[str, Any]:
        masks: list[dict[str, Any]] = []
        if self.causal:
            masks.append({"kind": "causal"})
        if self.lengths is not None:
            masks.append({"kind": "padding", "lengths": self.lengths})
        if self.window is not None:
            masks.append({"kind": "window", "left": self.window})
        if self.allowed is not None:
            values = self.allowed.numpy()
            masks.append({"kind": "matrix", "values": values, "convention": "allowed"})
        weights = {n: getattr(self, n).numpy() for n in ("w_q", "w_k", "w_v", "w_o")}
        spec: dict[str, Any] = {
            "x": self.x.numpy(),
            "num_heads": self.heads,
            "num_kv_heads": self.kv,
            "projection": {"kind": "given", **weights},
            "masks": masks,
            "dtype": "float64",
        }
        if self.cached:
            spec |= {"past_k": self.past_k.numpy(), "past_v": self.past_v.numpy()}
        if self.rope:
            spec["rope"] = {"style": self.rope}
        if self.softcap:
            spec["softcap"] = self.softcap
        if self.bias:
            spec["biases"] = [{"kind": "matrix", "values": self.bias_values.numpy()}]
        return spec


class Layer:
    """The right layer, step by step."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def project(self) -> tuple[Tensor, Tensor, Tensor]:
        c = self.case
        return c.x @ c.w_q.T, c.x @ c.w_k.T, c.x @ c.w_v.T

    def split(self, x: Tensor, heads: int) -> Tensor:
        return x.view(*x.shape[:2], heads, D).transpose(1, 2)

    def positions(self) -> Tensor:
        return self.case.cached + torch.arange(self.case.tokens)

    def style(self) -> str | None:
        return self.case.rope

    def rotate(self, x: Tensor) -> Tensor:
        # D is odd: the last entry stays as it is.
        if self.style() is None:
            return x
        pairs = D // 2
        rates = 10000.0 ** (-torch.arange(pairs, dtype=torch.float64) * 2 / (2 * pairs))
        angle = self.positions()[:, None] * rates
        turned = x.clone()
        for p in range(pairs):
            i, j = (p, p + pairs) if self.style() == "half" else (2 * p, 2 * p + 1)
            cos, sin = angle[:, p].cos(), angle[:, p].sin()
            turned[..., i] = x[..., i] * cos - x[..., j] * sin
            turned[..., j] = x[..., i] * sin + x[..., j] * cos
        return turned

    def repeat(self, x: Tensor) -> Tensor:
        return x.repeat_interleave(self.case.heads // self.case.kv, dim=1)

    def scale(self) -> float:
        return D**-0.5

    def cap(self, scores: Tensor) -> Tensor:
        c = self.case.softcap
        return scores if c is None else c * torch.tanh(scores / c)

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return self.cap(q @ k.mT * self.scale()) + self.bias()

    def bias(self) -> Tensor:
        return self.case.bias_values if self.case.bias else torch.zeros(())

    def causal(self) -> Tensor:
        c = self.case
        return torch.ones(c.tokens, c.keys, dtype=torch.bool).tril(c.cached)

    def padding(self) -> Tensor:
        c = self.case
        assert c.lengths is not None
        keep = torch.arange(c.keys)[None] < torch.tensor(c.lengths)[:, None]
        return keep[:, None, None, :]

    def window(self) -> Tensor:
        c = self.case
        assert c.window is not None
        return torch.ones(c.tokens, c.keys, dtype=torch.bool).triu(c.cached - c.window)

    def matrix(self) -> Tensor:
        assert self.case.allowed is not None
        return self.case.allowed

    def mask(self) -> Tensor:
        c = self.case
        allowed = torch.ones(1, 1, c.tokens, c.keys, dtype=torch.bool)
        if c.causal:
            allowed = allowed & self.causal()
        if c.lengths is not None:
            allowed = allowed & self.padding()
        if c.window is not None:
            allowed = allowed & self.window()
        if c.allowed is not None:
            allowed = allowed & self.matrix()
        return allowed

    def fill(self) -> float:
        return float("-inf")

    def masked(self, scores: Tensor) -> Tensor:
        return scores.masked_fill(~self.mask(), self.fill())

    def softmax(self, scores: Tensor) -> Tensor:
        return scores.softmax(-1)

    def weigh(self, scores: Tensor) -> Tensor:
        return self.softmax(self.masked(scores))

    def drop(self, weights: Tensor) -> Tensor:
        return weights

    def merge(self, heads: Tensor) -> Tensor:
        batch, _, length, _ = heads.shape
        return heads.transpose(1, 2).reshape(batch, length, -1)

    def project_out(self, merged: Tensor) -> Tensor:
        return merged @ self.case.w_o.T

    def shown(self, weights: Tensor) -> Tensor:
        return weights

    def __call__(self) -> dict[str, Tensor]:
        c = self.case
        q, k, v = self.project()
        q, k, v = self.split(q, c.heads), self.split(k, c.kv), self.split(v, c.kv)
        q, k = self.rotate(q), self.rotate(k)
        k, v = torch.cat([c.past_k, k], 2), torch.cat([c.past_v, v], 2)
        weights = self.drop(self.weigh(self.score(q, self.repeat(k))))
        output = self.project_out(self.merge(weights @ self.repeat(v)))
        return {"weights": self.shown(weights), "output": output}
