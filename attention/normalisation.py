"""RMS normalisation of q and k after the projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.nn.functional import rms_norm

from attention.arrays import is_number, say
from attention.errors import ShapeError, SpecificationError, shape_text
from attention.reader import Reader


@dataclass(frozen=True)
class QkNorm:
    """x / sqrt(mean(x²) + eps) · weight (Zhang and Sennrich, 2019).

    A weight of D numbers normalises each head; one of heads·D numbers normalises the full
    width before the heads are split. Without a weight each head is normalised.
    """

    eps: float = 1e-6
    q_weight: Any = None
    k_weight: Any = None

    def apply(self, q: Tensor, k: Tensor, reader: Reader) -> tuple[Tensor, Tensor]:
        """q [B, H, T, D] and k [B, K, S, D], normalised."""
        if not is_number(self.eps) or self.eps < 0:
            raise SpecificationError(
                "eps is a small number",
                loc=("qk_norm", "eps"),
                expected="0 or more",
                got=say(self.eps),
            )
        return (
            self._normalise(q, self.q_weight, "q_weight", reader),
            self._normalise(k, self.k_weight, "k_weight", reader),
        )

    def _normalise(self, heads: Tensor, weight: Any, name: str, reader: Reader) -> Tensor:
        B, N, T, D = heads.shape
        if weight is None:
            return rms_norm(heads, (D,), eps=self.eps)
        loc = ("qk_norm", name)
        scale = reader.read(weight, loc)
        if scale.shape == (D,):
            return rms_norm(heads, (D,), scale, self.eps)
        if scale.shape == (N * D,):
            full = heads.transpose(1, 2).reshape(B, T, N * D)
            normed = rms_norm(full, (N * D,), scale, self.eps)
            return normed.view(B, T, N, D).transpose(1, 2)
        raise ShapeError(
            f"{name} is one number per normalised dimension",
            loc=loc,
            expected=f"{D} (each head) or {N * D} (the full width)",
            got=shape_text(scale.shape),
        )
