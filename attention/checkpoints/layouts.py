"""How a fused weight holds q, k and v along its rows, and which ways its shape allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.errors import ShapeError

Pieces = tuple[Tensor, Tensor, Tensor]
CODEGEN_BLOCKS = 4


@dataclass(frozen=True)
class Heads:
    """H query heads, K KV heads, D numbers each (Dv of a value; fused weights have D = Dv)."""

    H: int
    K: int
    D: int
    Dv: int

    @property
    def fused_rows(self) -> int:
        """Rows of a weight that holds q, k and v."""
        return (self.H + 2 * self.K) * self.D


def blocks(rows: Tensor, heads: Heads) -> Pieces:
    """All of q, then all of k, then all of v (nn.MultiheadAttention, GPT-2, Phi-3)."""
    q, k, v = torch.split(rows, [heads.H * heads.D, heads.K * heads.D, heads.K * heads.D])
    return q, k, v


def per_kv_group(rows: Tensor, heads: Heads) -> Pieces:
    """For each KV head: its query heads, its key, its value (Falcon, InternLM2)."""
    G = heads.H // heads.K
    groups = torch.unflatten(rows, 0, (heads.K, G + 2, heads.D))  # [K G+2 D ..]
    q, k, v = torch.split(groups, [G, 1, 1], 1)
    return q.flatten(0, 2), k.flatten(0, 2), v.flatten(0, 2)


def per_head(rows: Tensor, heads: Heads) -> Pieces:
    """For each head: its query, key and value (GPT-NeoX, BLOOM); groups of one."""
    return per_kv_group(rows, heads)


def multi_query(rows: Tensor, heads: Heads) -> Pieces:
    """Every query head, then the one key and the one value (Falcon 7B, StarCoder)."""
    return blocks(rows, heads)


def codegen(rows: Tensor, heads: Heads) -> Pieces:
    """Four blocks, each a quarter of q, of v and of k, in this order."""
    quarters = torch.unflatten(rows, 0, (CODEGEN_BLOCKS, 3, -1))  # [4 3 H·D/4 ..]
    q, v, k = (quarters[:, part].flatten(0, 1) for part in range(3))
    return q, k, v


LAYOUTS: dict[str, Callable[[Tensor, Heads], Pieces]] = {
    "blocks": blocks,
    "per_head": per_head,
    "per_kv_group": per_kv_group,
    "multi_query": multi_query,
    "codegen": codegen,
}


def fitting(rows: int, columns: int, heads: Heads | None = None) -> list[str]:
    """The layouts that a weight of this shape could have; without heads by the shape alone."""
    if heads is None:
        square = rows == 3 * columns
        return (
            ["blocks", "per_head", "codegen"]
            if square
            else ["blocks", "per_kv_group", "multi_query"]
        )
    if rows != heads.fused_rows or heads.H % heads.K:
        return []
    rules = {
        "blocks": True,
        "per_head": heads.K == heads.H,
        "per_kv_group": True,
        "multi_query": heads.K == 1,
        "codegen": heads.K == heads.H and heads.H % CODEGEN_BLOCKS == 0,
    }
    return [name for name, fits in rules.items() if fits]


def refined(layout: str, heads: Heads) -> str:
    """The plainest name of a grouped layout: per head, or multi-query."""
    if layout != "per_kv_group":
        return layout
    return "per_head" if heads.K == heads.H else "multi_query" if heads.K == 1 else layout


def split(weight: Tensor, layout: str, heads: Heads) -> Pieces:
    """A fused weight [rows][in] or bias [rows] as q, k and v."""
    columns = weight.shape[1] if weight.ndim > 1 else weight.shape[0]
    fits = fitting(weight.shape[0], columns, heads)
    if layout not in fits:
        raise ShapeError(
            f"the fused weight does not fit the layout {layout} with {heads.H} query heads and"
            f" {heads.K} KV heads of width {heads.D}",
            loc=("projection", "layout"),
            expected=f"one of {', '.join(fits)}" if fits else f"{heads.fused_rows} rows",
            got=f"{weight.shape[0]} rows",
        )
    q, k, v = LAYOUTS[layout](weight, heads)
    return torch.clone(q), torch.clone(k), torch.clone(v)
