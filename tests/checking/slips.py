"""The classic mistakes, each as the line of code that makes it."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import dropout, scaled_dot_product_attention

from tests.checking.users_layer import D, Layer


class Right(Layer):
    pass


class PaddingMeansBlocked(Layer):
    def padding(self) -> Tensor:
        return ~super().padding()


class MatrixMeansBlocked(Layer):
    def matrix(self) -> Tensor:
        return ~super().matrix()


class CausalMeansBlocked(Layer):
    def causal(self) -> Tensor:
        return ~super().causal()


class WholeMaskInverted(Layer):
    """~mask handed to a fused kernel, which answers 0 for rows that see nothing."""

    def weigh(self, scores: Tensor) -> Tensor:
        eye = torch.eye(scores.shape[-1], dtype=scores.dtype).expand(*scores.shape[:2], -1, -1)
        # q·kᵀ = scores, so that the kernel's "output" with v = 1 is its weights.
        return scaled_dot_product_attention(scores, eye, eye, attn_mask=~self.mask(), scale=1.0)


class PaddingOnQueries(Layer):
    def padding(self) -> Tensor:
        return super().padding().mT


class MatrixTransposed(Layer):
    def matrix(self) -> Tensor:
        return super().matrix().mT


class MaskAfterSoftmax(Layer):
    def weigh(self, scores: Tensor) -> Tensor:
        return self.softmax(scores) * self.mask()


class NoCausal(Layer):
    def causal(self) -> Tensor:
        return torch.ones_like(super().causal())


class NoPadding(Layer):
    def padding(self) -> Tensor:
        return torch.ones_like(super().padding())


class NoMask(Layer):
    def mask(self) -> Tensor:
        return torch.ones_like(super().mask())


class OnlyTheWindow(NoCausal, NoPadding):
    pass


class FillMisspelt(Layer):
    def fill(self) -> float:
        return -1e-9


class FillZero(Layer):
    def fill(self) -> float:
        return 0.0


class FillTenThousand(Layer):
    def fill(self) -> float:
        return -1e4


class FillAdded(Layer):
    def masked(self, scores: Tensor) -> Tensor:
        return scores + (1.0 - self.mask().double()) * -1e4


class CausalTopLeft(Layer):
    def causal(self) -> Tensor:
        return torch.ones_like(super().causal()).tril()


class CausalBottomRight(Layer):
    def causal(self) -> Tensor:
        c = self.case
        return torch.ones(c.tokens, c.keys, dtype=torch.bool).tril(c.keys - c.tokens)


class DiagonalMasked(Layer):
    def causal(self) -> Tensor:
        return super().causal().tril(self.case.cached - 1)


class WindowTooWide(Layer):
    def window(self) -> Tensor:
        c = self.case
        assert c.window is not None
        return torch.ones(c.tokens, c.keys, dtype=torch.bool).triu(c.cached - c.window - 1)


class WindowTooNarrow(Layer):
    def window(self) -> Tensor:
        c = self.case
        assert c.window is not None
        return torch.ones(c.tokens, c.keys, dtype=torch.bool).triu(c.cached - c.window + 1)


class NoScale(Layer):
    def scale(self) -> float:
        return 1.0


class ScaleOfModelWidth(Layer):
    def scale(self) -> float:
        return float(self.case.width) ** -0.5


class ScaledTwice(Layer):
    def scale(self) -> float:
        return 1 / D


class SoftmaxOverQueries(Layer):
    def softmax(self, scores: Tensor) -> Tensor:
        return scores.softmax(-2)


class SoftmaxOverHeads(Layer):
    def softmax(self, scores: Tensor) -> Tensor:
        return scores.softmax(1)


class KvHeadsTiled(Layer):
    def repeat(self, x: Tensor) -> Tensor:
        return x.repeat(1, self.case.heads // self.case.kv, 1, 1)


class SplitByReshape(Layer):
    def split(self, x: Tensor, heads: int) -> Tensor:
        return x.view(x.shape[0], heads, -1, D)


class MergedByReshape(Layer):
    def merge(self, heads: Tensor) -> Tensor:
        batch, _, length, _ = heads.shape
        return heads.reshape(batch, length, -1)


class QueryWeightTransposed(Layer):
    def project(self) -> tuple[Tensor, Tensor, Tensor]:
        _, k, v = super().project()
        return self.case.x @ self.case.w_q, k, v


class OutputWeightTransposed(Layer):
    def project_out(self, merged: Tensor) -> Tensor:
        return merged @ self.case.w_o


class AllWeightsTransposed(OutputWeightTransposed):
    """With as many KV heads as query heads, all of them are square."""

    def project(self) -> tuple[Tensor, Tensor, Tensor]:
        c = self.case
        return c.x @ c.w_q, c.x @ c.w_k, c.x @ c.w_v


class KeysAndValuesSwapped(Layer):
    def project(self) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = super().project()
        return q, v, k


class BlocksReadPerGroup(Layer):
    """One fused matrix of blocks q, k, v, read as q…q k v for each KV head."""

    def project(self) -> tuple[Tensor, Tensor, Tensor]:
        c = self.case
        group = c.heads // c.kv
        fused = c.x @ torch.cat([c.w_q, c.w_k, c.w_v]).T
        parts = fused.view(*fused.shape[:2], c.kv, group + 2, D)
        q, k, v = parts.split([group, 1, 1], 3)
        return q.flatten(2), k.flatten(2), v.flatten(2)


class GroupsReadAsBlocks(Layer):
    def project(self) -> tuple[Tensor, Tensor, Tensor]:
        c = self.case
        group = c.heads // c.kv
        rows = []
        for i in range(c.kv):
            rows.append(c.w_q[i * group * D : (i + 1) * group * D])
            rows += [c.w_k[i * D : (i + 1) * D], c.w_v[i * D : (i + 1) * D]]
        fused = c.x @ torch.cat(rows).T
        q, k, v = fused.split([c.heads * D, c.kv * D, c.kv * D], 2)
        return q, k, v


class OtherRopeStyle(Layer):
    def style(self) -> str | None:
        return "half" if self.case.rope == "interleaved" else "interleaved"


class NoRope(Layer):
    def style(self) -> str | None:
        return None


class PositionsFromZero(Layer):
    def positions(self) -> Tensor:
        return torch.arange(self.case.tokens)


class CapBeforeScale(Layer):
    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return self.cap(q @ k.mT) * self.scale() + self.bias()


class CapAfterBias(Layer):
    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return self.cap(q @ k.mT * self.scale() + self.bias())


class CapAfterMask(Layer):
    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT * self.scale() + self.bias()

    def masked(self, scores: Tensor) -> Tensor:
        return self.cap(super().masked(scores))


class NoCap(Layer):
    def cap(self, scores: Tensor) -> Tensor:
        return scores


class NoBias(Layer):
    def bias(self) -> Tensor:
        return torch.zeros(())


class MaskAdded(Layer):
    def masked(self, scores: Tensor) -> Tensor:
        return scores + self.mask().double()


class HeadsAveraged(Layer):
    def shown(self, weights: Tensor) -> Tensor:
        return weights.mean(1)


class HeadsAveragedWithAnAxis(Layer):
    def shown(self, weights: Tensor) -> Tensor:
        return weights.mean(1, keepdim=True)


class DropoutLeftOn(Layer):
    def drop(self, weights: Tensor) -> Tensor:
        torch.manual_seed(3)
        return dropout(weights, 0.3, training=True)
