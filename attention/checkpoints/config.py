"""What a config.json says of one attention module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention.arrays import say
from attention.checkpoints.models import Model, model
from attention.errors import FileError

HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads", "attention_heads")
WIDTH = ("hidden_size", "n_embd", "d_model", "dim")
HEAD_DIM = ("head_dim", "d_kv", "kv_channels")
ROTARY = ("rope_theta", "rope_parameters", "rope_scaling", "rotary_dim", "rotary_pct")
INNER = {"vision": "vision_config", "audio": "audio_config", "text": "text_config"}


@dataclass(frozen=True)
class Config:
    """One model's fields, as they concern the module ``name`` in layer ``layer``."""

    fields: Mapping[str, Any]
    name: str
    layer: int | None

    @classmethod
    def of(cls, fields: Mapping[str, Any], name: str, layer: int | None) -> Config:
        """The part of a composite model's config that the module belongs to."""
        for word, inner in INNER.items():
            part = fields.get(inner)
            if isinstance(part, Mapping) and (
                word in name or (word == "text" and not _any(fields))
            ):
                return cls(part, name, layer)
        return cls(fields, name, layer)

    @property
    def model_type(self) -> str | None:
        """The name of the model's family."""
        found = self.fields.get("model_type")
        return found if isinstance(found, str) else None

    @property
    def model(self) -> Model:
        """What the model type does besides."""
        return model(self.model_type, any(self.fields.get(name) for name in ROTARY))

    def num_heads(self) -> int | None:
        """Query heads; encoder and decoder may differ."""
        sides = {side: self._count(f"{side}_attention_heads") for side in ("decoder", "encoder")}
        named = next((sides[side] for side in sides if f"{side}." in self.name), None)
        same = sides["decoder"] if sides["decoder"] == sides["encoder"] else None
        return named or same or self._first(HEADS)

    def head_dim(self) -> int | None:
        """Width of a head, said or shared out."""
        said, width, heads = self._first(HEAD_DIM), self._first(WIDTH), self.num_heads()
        return said or (width // heads if width and heads and width % heads == 0 else None)

    def scale(self) -> float | None:
        """Where it is not 1/sqrt(head_dim)."""
        before = self.number("query_pre_attn_scalar")
        if before is not None and before > 0:
            return float(before**-0.5)
        multiplier = self.number("attention_multiplier")
        if multiplier is not None:
            return multiplier
        return self._gpt2_scale() if self.model.scale is None else self.model.scale

    def softcap(self) -> float | None:
        """Of the scores; the final logits have one of their own."""
        cap = self.number("attn_logit_softcapping")
        return cap if cap is not None and cap > 0 else None

    def window(self) -> tuple[int, int | None] | None:
        """Keys beside its own that a query of this layer sees on the left and on the right."""
        if self.model.both_sides:
            width = self._count("local_attention")
            return (width // 2, width // 2) if width and self._slides() else None
        if self.fields.get("use_sliding_window") is False:
            return None
        size = self._count("window_size" if self.model_type == "gpt_neo" else "sliding_window")
        if size is None:
            return None
        # These sizes count the query's own position.
        return (size - 1, None) if self._slides() else None

    def norm_eps(self) -> float:
        """Of the q and k norms."""
        for name in ("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon"):
            said = self.number(name)
            if said is not None:
                return said
        return 1e-6

    @property
    def relative_bias(self) -> bool:
        """Whether self-attention gets a learned bias by distance, as T5's and MPNet's does."""
        return "relative_attention_num_buckets" in self.fields

    @property
    def alibi(self) -> bool:
        """Whether the model adds ALiBi, which no specification takes without being told."""
        inner = self.fields.get("attn_config")
        said = inner.get("alibi") if isinstance(inner, Mapping) else self.fields.get("alibi")
        return bool(self.model.alibi if said is None else said)

    def in_layer(self, name: str) -> Any:
        """This layer's entry of a list with one entry a layer."""
        listed = self.fields.get(name)
        if isinstance(listed, list) and self.layer is not None and self.layer < len(listed):
            return listed[self.layer]
        return None

    def slides(self) -> bool:
        """Whether this layer is one with a window."""
        return self.window() is not None

    def number(self, name: str) -> float | None:
        """A finite number or null; anything else is refused by name."""
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e30:
            raise FileError(f"config.json: {name} must be a number", got=say(value))
        return float(value)

    def _slides(self) -> bool:
        kind = self.in_layer("layer_types") or self.in_layer("attention_layers")
        if kind is not None:
            return kind in ("sliding_attention", "local")
        if self.model_type == "gpt_neo":
            return False
        layer, first = self.layer or 0, self.fields.get("max_window_layers")
        if isinstance(first, int) and self.fields.get("use_sliding_window") is True:
            return layer >= first
        every = self._count("global_attn_every_n_layers")
        if every is not None:
            return layer % every != 0
        period = self._count("sliding_window_pattern") or self.model.window_period
        return period is None or (layer + 1) % period != 0

    def _gpt2_scale(self) -> float | None:
        plain = self.fields.get("scale_attn_weights") is False
        by_layer = self.fields.get("scale_attn_by_inverse_layer_idx") is True
        width = self.head_dim()
        if not (plain or by_layer) or width is None:
            return None
        return (1.0 if plain else width**-0.5) / ((self.layer or 0) + 1 if by_layer else 1)

    def _first(self, names: tuple[str, ...]) -> int | None:
        return next((n for n in map(self._count, names) if n is not None), None)

    def _count(self, name: str) -> int | None:
        value = self.fields.get(name)
        if value is None or isinstance(value, list):  # a list has one entry a layer or stage
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**31:
            raise FileError(f"config.json: {name} must be a whole number from 1", got=say(value))
        return value


def _any(fields: Mapping[str, Any]) -> bool:
    return any(name in fields for name in HEADS)
