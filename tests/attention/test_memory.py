"""Memory of large results: lent to one result at a time, kept for the next, within a limit."""

import gc
import threading
from collections.abc import Iterator

import pytest
import torch

from attention import attend, memory

MILLION = 2**20


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[memory.Kept]:
    gc.collect()
    own = memory.Kept(32 * MILLION)
    monkeypatch.setattr(memory, "kept", own)
    yield own


def large(floats: int = 2 * MILLION) -> torch.Tensor:
    return memory.empty((floats,), torch.float32)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.bool])
@pytest.mark.parametrize("shape", [(3, 5), (0, 7), (7, 101, 10_007)], ids=str)
def test_it_has_the_shape_and_the_dtype_and_can_be_written(
    shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    found = memory.empty(shape, dtype)
    assert (tuple(found.shape), found.dtype, found.is_contiguous()) == (shape, dtype, True)
    assert bool((found.fill_(1) == 1).all())


def test_what_one_result_has_left_goes_to_the_next(kept: memory.Kept) -> None:
    first = large()
    where = first.data_ptr()
    assert where % memory.HUGE_PAGE == 0
    assert kept.size == 0
    del first
    assert kept.size > 8 * MILLION
    assert large().data_ptr() == where


def test_a_view_holds_the_memory_of_the_whole(kept: memory.Kept) -> None:
    whole = large()
    view = whole.view(2, -1)[1, 5:]
    view.fill_(7)
    del whole
    assert kept.size == 0
    other = large()
    other.fill_(1)
    assert bool((view == 7).all())
    array = view.numpy()
    del view
    assert kept.size == 0, "NumPy sees it still"
    assert array[0] == 7


def test_a_much_smaller_result_takes_no_large_piece(kept: memory.Kept) -> None:
    del_me = large(4 * MILLION)
    del del_me
    held = kept.size
    small = large(2 * MILLION)
    assert kept.size == held
    del small


def test_no_more_is_kept_than_is_allowed_and_the_oldest_goes_first(kept: memory.Kept) -> None:
    pieces = [large(2 * MILLION + 600_000 * i) for i in range(5)]
    last = pieces[-1].data_ptr()
    while pieces:
        pieces.pop(0)
    gc.collect()
    assert 0 < kept.size <= kept.most
    assert large(2 * MILLION + 600_000 * 4).data_ptr() == last


def test_threads_never_share_a_piece() -> None:
    wrong: list[int] = []

    def work(own: int) -> None:
        for _ in range(40):
            mine = large()
            mine.fill_(own)
            if not bool((mine == own).all()):
                wrong.append(own)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("masks", [[], [{"kind": "causal"}], [{"kind": "window", "left": 31}]])
def test_a_result_keeps_its_numbers_while_others_are_computed(masks: list[object]) -> None:
    """Of 1.2 million cells, so that large pieces and strips are used."""
    x = torch.randn(1, 1103, 6)
    first = attend(x, num_heads=1, masks=masks)
    scores, weights = first.scores.clone(), first.weights.clone()
    for _ in range(3):
        attend(torch.randn(1, 1103, 6) * 100, num_heads=1, masks=masks)
    again = attend(x, num_heads=1, masks=masks)
    for got in (first, again):
        torch.testing.assert_close(got.scores, scores, rtol=0, atol=0)
        torch.testing.assert_close(got.weights, weights, rtol=0, atol=0)
