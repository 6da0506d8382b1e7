"""The rotary embedding that a config.json describes, as `rope` of a specification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from attention.arrays import as_integers, say
from attention.checkpoints.config import Config
from attention.checkpoints.scaling import LOC, Rotation, Scaling, scaled
from attention.errors import FileError

DEFAULT_BASE = 10000.0
OTHER_POSITIONS = ("absolute", "relative_key", "relative_key_query")
SHARES = ("partial_rotary_factor", "rotary_pct")
BASES = ("rope_theta", "rotary_emb_base", "global_rope_theta")
LOCAL_BASES = ("rope_local_base_freq", "local_rope_theta")


def rope_of(
    config: Config, D: int, positions: Any, style: str | None, *, T: int, P: int
) -> dict[str, Any] | None:
    """Base and width, or ready tables where the frequencies are scaled; None without rotation.

    ``positions`` and ``style`` as the specification says, else P … P + T − 1 and the model's.
    """
    style = style or config.model.rotary
    if (
        rotation_unknown(config)
        or config.model.rotary is None
        or style is None
        or config.alibi
        or config.fields.get("position_embedding_type") in OTHER_POSITIONS
        or config.in_layer("no_rope_layers") == 0
    ):
        return None
    said = parameters(config)
    R = rotated(config, said, D)
    if R == 0:
        return None
    base = _base(config, said)
    kind = said.get("rope_type") or said.get("type") or "default"
    if kind == "default":
        width = {"dim": R} if R != D else {}
        given = {"positions": positions} if positions is not None else {}
        return {"style": style, "base": base, **width, **given}
    places = torch.arange(P, P + T) if positions is None else as_integers(positions, LOC)
    length = int(places.max()) + 1 if places.numel() else 0
    found = scaled(kind, Scaling(config, said, base, R, length))
    cos, sin = tables(found, places, style)
    return {"style": style, "cos": cos, "sin": sin}


def rotation_unknown(config: Config) -> bool:
    """Whether the model rotates in a way that its file does not tell us."""
    gguf = (config.model_type or "").startswith("gguf ")
    scaled = config.fields.get("scaled_frequencies") is True
    return scaled or (gguf and config.model.rotary is None and "rope_theta" in config.fields)


def parameters(config: Config) -> Mapping[str, Any]:
    """``rope_parameters``, of this layer's type where they differ, or older ``rope_scaling``."""
    said = config.fields.get("rope_parameters") or config.fields.get("rope_scaling") or {}
    kind = str(config.in_layer("layer_types"))
    if isinstance(said, Mapping) and isinstance(said.get(kind), Mapping):
        said = said[kind]
    if not isinstance(said, Mapping):
        raise FileError("config.json: rope_parameters must be an object", got=say(said))
    local = next((n for n in map(config.number, LOCAL_BASES) if n is not None), None)
    return {"rope_theta": local} if local is not None and config.slides() else said


def rotated(config: Config, said: Mapping[str, Any], D: int) -> int:
    """How many entries of a head rotate: an even number up to D."""
    fixed = config.number("rotary_dim")
    shares = (said.get("partial_rotary_factor"), *map(config.number, SHARES))
    share = next((n for n in shares if n is not None), 1.0)
    if not isinstance(share, (int, float)) or not 0 <= share <= 1:
        raise FileError("config.json: the rotary share of a head is 0 to 1", got=say(share))
    R = min(int(fixed), D) if fixed else int(D * share)
    if R < 0 or R % 2:
        raise FileError(
            "config.json: an even number of entries rotates", loc=LOC, got=f"{R} of {D}"
        )
    return R


def _base(config: Config, said: Mapping[str, Any]) -> float:
    own = said.get("rope_theta")
    found = [own, *(config.number(name) for name in BASES)]
    base = next((n for n in found if isinstance(n, (int, float))), DEFAULT_BASE)
    if not 0 < base < 1e30:
        raise FileError("config.json: rope_theta must be positive", got=say(base))
    return float(base)


def tables(rotation: Rotation, places: Tensor, style: str) -> tuple[Tensor, Tensor]:
    """cos and sin at positions [T] or [B, T]: [T, R] or [B, T, R], a column per rotated entry."""
    angles = places[..., None].double() * rotation.rates
    double = torch.cat([angles, angles], -1) if style == "half" else angles.repeat_interleave(2, -1)
    return double.cos() * rotation.factor, double.sin() * rotation.factor
