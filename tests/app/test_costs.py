"""POST /api/costs: counts against torch's own counter and by hand."""

from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient
from torch.nn.attention import SDPBackend
from torch.nn.functional import linear, scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

B, T, E, H, K, D, DV = 2, 7, 12, 6, 3, 5, 4
KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]
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


def asked(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post("/api/costs", json={"spec": SPEC, **fields})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def torchs_count(N: int, *, fused: bool) -> int:
    """q·k and weights·v by torch's counter: two products, or one call of a kernel."""
    q, k = torch.ones(B, H, N, D), torch.ones(B, H, N, D)
    v = torch.ones(B, H, N, DV)
    with FlopCounterMode(display=False) as counter, torch.nn.attention.sdpa_kernel(KERNELS):
        if fused:
            scaled_dot_product_attention(q, k, v)
        else:
            (q @ k.transpose(-1, -2)) @ v
    return int(counter.get_total_flops())


def test_curves_count_at_each_length_what_torch_counts_there(client: TestClient) -> None:
    lengths = [1, 3, 17, 64]
    curves = asked(client, lengths=lengths)["curves"]
    assert curves["lengths"] == lengths
    for i, N in enumerate(lengths):
        quadratic = curves["flops"]["scores"][i] + curves["flops"]["heads"][i]
        assert quadratic == torchs_count(N, fused=False)
        with FlopCounterMode(display=False) as counter:
            linear(torch.ones(B, N, E), torch.ones(H * D, E))
        assert curves["flops"]["q"][i] == counter.get_total_flops()


def test_a_curve_passes_through_the_run_itself(client: TestClient) -> None:
    found = asked(client, lengths=[T])
    steps = {step["name"]: step for step in found["steps"]}
    for kind in ("flops", "bytes"):
        assert found["curves"][kind] == {name: [step[kind]] for name, step in steps.items()}
    traffic = {name: [bytes_] for name, bytes_ in found["traffic"].items()}
    assert found["curves"]["traffic"] == traffic


def test_traffic_worked_by_hand(client: TestClient) -> None:
    """1 head of width 1, float32, N = 3: q, k, v and the mixed heads are 3 numbers each, 48 bytes
    in all; scores, masked scores and weights are 9 numbers each, written once and read once."""
    spec = {"x": [[1], [1], [1]], "projection": {"kind": "identity"}}
    answer = client.post("/api/costs", json={"spec": spec, "lengths": [3, 6]}).json()
    assert answer["traffic"] == {"materialised": 48 + 2 * 3 * 9 * 4, "fused": 48}
    assert answer["curves"]["traffic"]["fused"] == [48, 96]
    assert answer["curves"]["traffic"]["materialised"] == [264, 96 + 2 * 3 * 36 * 4]


def test_a_fused_kernel_saves_no_operations(client: TestClient) -> None:
    ours = flops(counted(client))
    assert torchs_count(T, fused=True) == torchs_count(T, fused=False)
    assert ours["scores"] + ours["heads"] == torchs_count(T, fused=True)


def test_the_cache_of_a_whole_model(client: TestClient) -> None:
    """A model of the shape of Llama 2 7B: 32 layers, 32 heads of 128 numbers in 16 bits take
    512 KiB a token; with 8 KV heads, a quarter."""
    spec = {"x": [[1.0] * 8], "num_heads": 32, "num_kv_heads": 8, "head_dim": 128}
    wish = {"layers": 32, "batch": 1, "length": 4096, "dtype": "float16"}
    found = client.post("/api/costs", json={"spec": spec, "cache": wish}).json()["model_cache"]
    assert found["bytes"] == {"mha": 2**31, "gqa": 2**29, "mqa": 2**26}
    assert {name: found[name] for name in wish} == wish


def test_a_cache_not_described_is_the_runs_own(client: TestClient) -> None:
    found = asked(client, cache={})
    assert found["model_cache"]["bytes"] == found["kv_cache"]
    assert found["model_cache"]["length"] == T


def test_counts_past_64_bits_are_whole_numbers(client: TestClient) -> None:
    N = 2**31
    scores = asked(client, lengths=[N])["curves"]["flops"]["scores"]
    assert scores == [2 * B * H * N * N * D]
    huge = asked(client, cache={"layers": N, "batch": N, "length": N, "dtype": "float64"})
    assert huge["model_cache"]["bytes"]["mqa"] == N**3 * (D + DV) * 8


@pytest.mark.parametrize(
    ("fields", "loc"),
    [
        ({"lengths": []}, ["lengths"]),
        ({"lengths": [0]}, ["lengths", 0]),
        ({"lengths": [1.5]}, ["lengths", 0]),
        ({"lengths": [1] * 257}, ["lengths"]),
        ({"cache": {"layers": 0}}, ["cache", "layers"]),
        ({"cache": {"dtype": "float8"}}, ["cache", "dtype"]),
        ({"cache": {"heads": 2}}, ["cache", "heads"]),
    ],
)
def test_what_cannot_be_counted_is_refused(
    client: TestClient, fields: dict[str, Any], loc: list[str | int]
) -> None:
    answer = client.post("/api/costs", json={"spec": SPEC, **fields})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == loc
