"""How the same expression is written in PyTorch and in NumPy."""

from __future__ import annotations


class Torch:
    """PyTorch expressions; every method takes and returns source text."""

    module = "torch"
    module_import = "import torch"
    infinity = "torch.inf"

    def made(self, numbers: str, kind: str) -> str:
        """An array of written-out numbers."""
        return f"torch.tensor({numbers}, dtype={kind})"

    def kind(self, name: str) -> str:
        """A number type by its name."""
        return f"torch.{name}"

    def from_numpy(self, array: str) -> str:
        """A NumPy expression as this dialect's array."""
        return f"torch.from_numpy({array})"

    def cast(self, array: str, kind: str = "dtype") -> str:
        return f"{array}.to({kind})"

    def concatenated(self, parts: str, axis: int) -> str:
        return f"torch.cat([{parts}], {axis})"

    def swapped(self, array: str, a: int, b: int) -> str:
        """Two axes exchanged."""
        return f"{array}.transpose({a}, {b})"

    def any_key(self, array: str) -> str:
        """Whether any key of a row is true; the axis of keys stays, with length 1."""
        return f"{array}.any(-1, keepdim=True)"

    def spread(self, array: str, shape: str) -> str:
        """Broadcast without a copy."""
        return f"{array}.expand({shape})"

    def doubled(self, angles: str) -> str:
        """Each column twice, side by side."""
        return f"{angles}.repeat_interleave(2, -1)"

    def linear(self, x: str, weight: str, bias: str | None) -> str:
        """x Wᵀ + b with W [out][in]."""
        return f"linear({x}, {weight}{f', {bias}' if bias else ''})"

    def rms_norm(self, heads: str, width: str, weight: str | None, eps: str) -> str:
        return f"rms_norm({heads}, ({width},), {f'{weight}, ' if weight else ''}eps={eps})"

    def softmax(self, scores: str) -> str:
        return f"torch.softmax({scores}, -1)"


class NumPy(Torch):
    """The same in NumPy, where it differs."""

    module = "np"
    module_import = "import numpy as np"
    infinity = "np.inf"

    def made(self, numbers: str, kind: str) -> str:
        return f"np.array({numbers}, {kind})"

    def kind(self, name: str) -> str:
        return name if name == "bool" else f"np.{name}"

    def from_numpy(self, array: str) -> str:
        return f"({array})" if " " in array else array

    def cast(self, array: str, kind: str = "dtype") -> str:
        return f"{array}.astype({kind})"

    def concatenated(self, parts: str, axis: int) -> str:
        return f"np.concatenate([{parts}], {axis})"

    def swapped(self, array: str, a: int, b: int) -> str:
        return f"{array}.swapaxes({a}, {b})"

    def any_key(self, array: str) -> str:
        return f"{array}.any(-1, keepdims=True)"

    def spread(self, array: str, shape: str) -> str:
        return f"np.broadcast_to({array}, ({shape}))"

    def doubled(self, angles: str) -> str:
        return f"np.repeat({angles}, 2, -1)"

    def linear(self, x: str, weight: str, bias: str | None) -> str:
        return f"({x} @ {weight}.T{f' + {bias}' if bias else ''})"

    def rms_norm(self, heads: str, width: str, weight: str | None, eps: str) -> str:
        return f"rms_norm({heads}, {eps}){f' * {weight}' if weight else ''}"

    def softmax(self, scores: str) -> str:
        return f"softmax({scores})"
