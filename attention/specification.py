"""What to compute: one object whose fields bear the names of the JSON API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from attention.arrays import DTYPES, Array, as_tensor, is_whole, say
from attention.biases import BIASES, Bias
from attention.checkpoints import CheckpointProjection
from attention.dropout import Dropout
from attention.errors import SpecificationError
from attention.kinds import build, from_fields, refuse_unknown
from attention.masks import MASKS, Mask
from attention.normalisation import QkNorm
from attention.projection import PROJECTIONS, GivenProjection, IdentityProjection, RandomProjection
from attention.rotary import Rope

KINDS = {**PROJECTIONS, "checkpoint": CheckpointProjection}
ARRAYS = ("x", "memory", "q", "k", "v", "past_k", "past_v")
COUNTS = ("num_heads", "num_kv_heads", "head_dim", "value_dim")
Projection: TypeAlias = RandomProjection | IdentityProjection | GivenProjection


@dataclass(frozen=True, kw_only=True)
class Specification:
    """Every choice that decides an attention run. Defaults are the plain textbook case.

    Shapes: ``x`` [T][E] or [B][T][E]; ``memory`` [S][E_mem] or [B][S][E_mem]; ``q`` [T][D],
    [H][T][D] or [B][H][T][D]; ``k``, ``v`` likewise with K heads and S tokens; ``past_k``,
    ``past_v`` with K heads and P tokens. ``masks``, ``biases``, ``projection``, ``rope``,
    ``qk_norm`` and ``dropout`` are objects of this package or the same as plain dictionaries.
    """

    x: Array | None = None
    memory: Array | None = None
    q: Array | None = None
    k: Array | None = None
    v: Array | None = None
    past_k: Array | None = None
    past_v: Array | None = None
    tokens: Sequence[Any] | None = None
    memory_tokens: Sequence[Any] | None = None
    num_heads: int | None = None
    num_kv_heads: int | None = None
    head_dim: int | None = None
    value_dim: int | None = None
    projection: Projection | None = None
    qk_norm: QkNorm | None = None
    rope: Rope | None = None
    scale: float | None = None
    softcap: float | None = None
    biases: tuple[Bias, ...] = ()
    masks: tuple[Mask, ...] = ()
    sinks: Array | None = None
    fill: float | str = "-Infinity"
    mask_order: Literal["before_softmax", "after_softmax"] = "before_softmax"
    fully_masked: Literal["zero", "nan", "uniform"] = "zero"
    dropout: Dropout | None = None
    dtype: Literal["float32", "float64", "float16", "bfloat16"] = "float32"

    @classmethod
    def of(cls, **values: Any) -> Specification:
        """Build from plain values: dictionaries become objects, unknown names are refused."""
        refuse_unknown(values, [f.name for f in fields(cls)], ())
        given = {name: value for name, value in values.items() if value is not None}
        for name in ARRAYS:
            if name in given:
                given[name] = as_tensor(given[name], (name,))
        for name, kinds in (("masks", MASKS), ("biases", BIASES)):
            items = given.get(name, ())
            if not isinstance(items, (list, tuple)):
                raise SpecificationError("a list must stand here", loc=(name,), got=say(items))
            given[name] = tuple(build(kinds, item, (name, i)) for i, item in enumerate(items))
        if "projection" in given:
            given["projection"] = build(KINDS, given["projection"], ("projection",))
        for name, kind in (("rope", Rope), ("qk_norm", QkNorm), ("dropout", Dropout)):
            if name in given:
                given[name] = from_fields(kind, given[name], (name,))
        source = given.get("projection")
        if isinstance(source, CheckpointProjection):
            cls(**{**given, "projection": None}).check_choices()
            given = source.filled(given)
        for name in COUNTS:
            if is_whole(given.get(name)):
                given[name] = int(given[name])
        spec = cls(**given)
        spec.check_choices()
        return spec

    def check_choices(self) -> None:
        """Refuse values outside the fields' stated choices and ranges."""
        choices = {
            "dtype": tuple(DTYPES),
            "mask_order": ("before_softmax", "after_softmax"),
            "fully_masked": ("zero", "nan", "uniform"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise SpecificationError(
                    f"{name} must be a known choice",
                    loc=(name,),
                    expected=", ".join(allowed),
                    got=say(getattr(self, name)),
                )
        for name in COUNTS:
            value = getattr(self, name)
            if value is not None and (not is_whole(value) or value < 1):
                raise SpecificationError(
                    f"{name} must be a whole number",
                    loc=(name,),
                    expected="1 or more",
                    got=say(value),
                )
