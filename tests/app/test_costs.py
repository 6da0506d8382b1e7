"""POST /api/costs: counts against torch's own counter and by hand."""

from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient
from torch.nn.functional import linear
from torch.utils.flop_counter import FlopCounterMode

B, T, E, H, K, D, DV = 2, 7, 12, 6, 3, 5, 4
SPEC = {
    "x": np.ones((B, T, E)).tolist(),
    "num_heads": H, "num_kv_heads": K, "head_dim": D, "value_dim": DV,
}  # fmt: skip


def counted(client: TestClient, **change: Any) -> dict[str, Any]:
    answer = client.post("/api/costs", json={"spec": {**SPEC, **change}})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def flops(found: dict[str, Any]) -> dict[str, int]:
    return {step["name"]: step["flops"] for step in found["steps"]}


def test_products_cost_what_torchs_counter_counts(client: TestClient) -> None:
    with FlopCounterMode(display=False) as counter:
        x = torch.ones(B, T, E)
        q = linear(x, torch.ones(H * D, E)).view(B, T, H, D).transpose(1, 2)
        k = linear(x, torch.ones(K * D, E)).view(B, T, K, D).transpose(1, 2)
        v = linear(x, torch.ones(K * DV, E)).view(B, T, K, DV).transpose(1, 2)
        k, v = (kv.repeat_interleave(H // K, 1) for kv in (k, v))
        heads = (q @ k.transpose(-1, -2)) @ v
        linear(heads.transpose(1, 2).reshape(B, T, H * DV), torch.ones(E, H * DV))
    ours = flops(counted(client))
    products = ("q", "k", "v", "scores", "heads", "output")
    assert sum(ours[name] for name in products) == counter.get_total_flops()


def test_every_step_has_its_shape_and_bytes(client: TestClient) -> None:
    steps = {step["name"]: step for step in counted(client, dtype="float16")["steps"]}
    assert steps["k"]["shape"] == [B, K, T, D]
    assert steps["weights"]["shape"] == [B, H, T, T]
    assert steps["weights"]["bytes"] == B * H * T * T * 2
    assert steps["output"]["shape"] == [B, T, E]
    assert steps["scores"]["complexity"] == "O(N^2 H D)"


def test_the_cache_shrinks_with_the_kv_heads(client: TestClient) -> None:
    cache = counted(client)["kv_cache"]
    assert cache["gqa"] == B * K * T * (D + DV) * 4
    assert cache["mha"] / cache["gqa"] == H / K
    assert cache["mqa"] * K == cache["gqa"]


def test_the_crossover_is_where_the_quadratic_part_overtakes(client: TestClient) -> None:
    N = counted(client)["crossover_length"]
    projections = E * H * D + E * K * (D + DV) + H * DV * E
    quadratic = H * (D + DV)
    assert quadratic * N >= projections > quadratic * (N - 1)


def test_heads_given_directly_have_no_projections(client: TestClient) -> None:
    q = np.ones((H, T, D)).tolist()
    answer = client.post("/api/costs", json={"spec": {"q": q, "k": q, "v": q}}).json()
    assert answer["crossover_length"] is None
    assert flops(answer)["q"] == flops(answer)["output"] == 0


def test_no_output_projection_costs_nothing(client: TestClient) -> None:
    square = {"num_heads": 1, "num_kv_heads": 1, "head_dim": E, "value_dim": E}
    found = counted(client, **square, projection={"kind": "identity"})
    assert flops(found)["output"] == 0


def test_a_fused_kernel_moves_less_and_counts_the_same(client: TestClient) -> None:
    traffic = counted(client)["traffic"]
    assert traffic["materialised"] - traffic["fused"] == 6 * B * H * T * T * 4


@pytest.mark.parametrize("kind", ["mha", "gqa", "mqa"])
def test_siblings_differ_in_kv_heads_alone(client: TestClient, kind: str) -> None:
    sibling = counted(client)["siblings"][kind]
    heads = {"mha": H, "gqa": K, "mqa": 1}[kind]
    alone = counted(client, num_kv_heads=heads)
    assert sibling["num_kv_heads"] == heads
    assert sibling["flops"] == sum(flops(alone).values())
    assert sibling["parameters"] == E * H * D + E * heads * (D + DV) + E * H * DV
