"""How it is computed: no copy of K and V for each query head, no loop over heads or tokens."""

from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from attention import attend


class Ledger(TorchDispatchMode):
    """Counts the operations torch is asked for and the largest storage that any of them returns."""

    def __init__(self) -> None:
        super().__init__()
        self.calls, self.largest = 0, 0
        self._places: dict[int, int] = {}

    def of_size(self, least: int) -> int:
        """In how many places storages of so many bytes or more have been."""
        return sum(size >= least for size in self._places.values())

    def __torch_dispatch__(
        self, function: Any, types: Any, arguments: Any = (), named: Any = None
    ) -> Any:
        result = function(*arguments, **(named or {}))
        self.calls += 1
        for tensor in result if isinstance(result, tuple | list) else [result]:
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                self.largest = max(self.largest, storage.nbytes())
                self._places[storage.data_ptr()] = storage.nbytes()
        return result


def ledger_of(B: int, H: int, K: int, T: int, S: int, D: int, **fields: Any) -> Ledger:
    q, k, v = torch.randn(B, H, T, D), torch.randn(B, K, S, D), torch.randn(B, K, S, D)
    with Ledger() as ledger:
        attend(q=q, k=k, v=v, **fields)
    return ledger


@pytest.mark.parametrize("kv_heads", [1, 2])
def test_keys_and_values_are_never_copied_for_each_query_head(kv_heads: int) -> None:
    """Repeated for 32 heads, K or V would be 32·257·64 numbers; K itself is 16 or 32 times less."""
    B, H, T, S, D = 1, 32, 3, 257, 64
    repeated = B * H * S * D * 4
    ledger = ledger_of(B, H, kv_heads, T, S, D, masks=[{"kind": "causal"}])
    assert ledger.largest < repeated / 4


def test_a_result_keeps_the_kv_heads_it_was_given() -> None:
    result = attend(torch.randn(2, 3, 12), num_heads=6, num_kv_heads=2, head_dim=4, value_dim=5)
    assert tuple(result.k.shape) == (2, 2, 3, 4)
    assert tuple(result.v.shape) == (2, 2, 3, 5)
    assert tuple(result.q.shape) == (2, 6, 3, 4)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"masks": [{"kind": "causal"}, {"kind": "window", "left": 1}], "fill": -1e9},
        {"rope": {"style": "half"}, "qk_norm": {}, "biases": [{"kind": "alibi"}], "softcap": 3.0},
    ],
)
def test_the_number_of_operations_does_not_grow_with_heads_batch_or_tokens(fields: Any) -> None:
    small = ledger_of(2, 2, 2, 3, 5, 4, **fields)
    large = ledger_of(7, 12, 4, 11, 13, 4, **fields)
    assert large.calls == small.calls


def test_a_run_keeps_two_matrices_and_makes_no_third() -> None:
    """Scores and weights; the masked scores are made in the weights' place, or when asked for."""
    H, N = 5, 101
    q, k, v = torch.randn(3, 1, H, N, 4)
    with Ledger() as ledger:
        run = attend(q=q, k=k, v=v, masks=[{"kind": "causal"}])
    matrix = H * N * N * 4
    assert ledger.of_size(matrix) == 2
    assert run.masked_scores[0, 0, 0, 1] == float("-inf")
