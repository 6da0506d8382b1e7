"""Memory for large results, which can take longer to get than to compute what goes there.

A system clears memory as it is first used, 4 KiB at a time; Linux, where it is told that this is
wanted, 2 MiB at a time, which takes half as long. What has been used is kept for the next result.
"""

from __future__ import annotations

import mmap
import weakref
from collections.abc import Sequence
from math import prod
from threading import RLock

import numpy as np
import torch
from torch import Tensor

LARGE = 2**22
"""Bytes: what is smaller comes from torch."""
HUGE_PAGE = 2**21
SPARE = 1.1
"""How much larger than asked for a kept piece may be."""


class Kept:
    """Pieces of memory whose tensors are gone, ``most`` bytes of them, the latest last.

    A piece is either here or lent to one tensor and its views; it comes back when the last of
    them is gone, in whatever thread that is.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._pieces: list[mmap.mmap] = []
        self._lock = RLock()  # the collector of garbage may give back while something is taken

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return sum(len(piece) for piece in self._pieces)

    def take(self, size: int) -> mmap.mmap | None:
        """The latest piece of at least ``size`` bytes, and not many more."""
        with self._lock:
            for at in reversed(range(len(self._pieces))):
                if size <= len(self._pieces[at]) <= SPARE * size:
                    return self._pieces.pop(at)
        return None

    def give(self, piece: mmap.mmap) -> None:
        """A piece is not used any more; the oldest ones go where there is too much."""
        with self._lock:
            self._pieces.append(piece)
            while self.size > self.most:
                self._pieces.pop(0)


kept = Kept(5 * 2**26)


def empty(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """As torch.empty."""
    size = prod(shape) * dtype.itemsize
    if size < LARGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return torch.empty(shape, dtype=dtype)
    piece = kept.take(size + HUGE_PAGE)
    if piece is None:
        piece = mmap.mmap(-1, size + HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        piece.madvise(mmap.MADV_HUGEPAGE)
    lent = np.frombuffer(piece, np.uint8)  # lives as long as any tensor over it
    weakref.finalize(lent, kept.give, piece).atexit = False
    first = -lent.ctypes.data % HUGE_PAGE
    return torch.from_numpy(lent)[first : first + size].view(dtype).view(tuple(shape))
