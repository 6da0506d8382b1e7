"""An attention module of a checkpoint: which tensors it is made of, and what shapes tell of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from attention.checkpoints.families import FAMILIES, Family, Part
from attention.checkpoints.layouts import fitting
from attention.errors import FileError
from attention.files import Entry

# Buffers that older checkpoints carry along; they hold no learned numbers.
BUFFERS = re.compile(r"(rotary_emb\..*|inv_freq|masked_bias|causal_mask|attn\.bias)$")
# The norm after the residual connection stands inside some modules, but is none of attention's.
AFTER = re.compile(r"\.layer_?norm\.(weight|bias)$|\.(ffn_|attn_norm\.|post_)", re.IGNORECASE)
POSITION_BIASES = (
    "relative_attention_bias.weight",
    "distance_embedding.weight",
    "relative_position_bias_table",
)
FUSED_NAME = re.compile(r"qkv|kqv|query_key_value|q_k_v", re.IGNORECASE)
NUMBER = re.compile(r"[0-9]{1,9}")
SINKS = "sinks"
EXTRAS = {
    "q_norm.weight": "q_norm",
    "k_norm.weight": "k_norm",
    "attn_q_norm.weight": "q_norm",
    "attn_k_norm.weight": "k_norm",
    SINKS: SINKS,
}


# LayerNorms of q and k, by head or with a bias, and norms that stand behind the rotation.
OTHER_NORM = re.compile(r"(^|[._])(q|k|query|key)_?(layer_?norm|norm|ln)(\.\w+)*\.(weight|bias)$")


@dataclass(frozen=True)
class Module:
    """Names of the tensors of one module, by role; ``family`` None where no entry knows it."""

    name: str
    family: Family | None
    roles: dict[str, Entry]
    others: tuple[str, ...]
    shared: str | None = None
    """A position bias that stands in another module, which the layers of one stack share."""
    turned: bool = False
    """Whether a fused weight that no family knows stands as [in][out]."""

    @property
    def layer(self) -> int | None:
        """The first number in the name."""
        found = re.search(r"(?:^|\.)([0-9]{1,6})(?:\.|$)", self.name)
        return int(found[1]) if found else None

    @property
    def conv1d(self) -> bool:
        """[in][out] instead of [out][in]: a fused weight is always longer along its output."""
        if self.family is None or not self.family.conv1d or "fused" not in self.roles:
            return self.turned
        rows, columns = self.roles["fused"].shape
        return rows < columns

    @property
    def position_bias(self) -> str | None:
        """The tensor of a learned position bias, which nobody takes without being told."""
        return next((name for name in self.others if name.endswith(POSITION_BIASES)), self.shared)

    @property
    def other_norms(self) -> list[str]:
        """Tensors of a norm of q and k that no role reads, and that changes every score."""
        return [name for name in self.others if OTHER_NORM.search(name)]

    def out_in(self, role: str) -> tuple[int, int]:
        """[out][in] of a weight, however it is stored."""
        first, second = self.roles[role].shape
        return (second, first) if self.conv1d else (first, second)

    @property
    def width(self) -> int:
        """E, the width of the vectors that q is projected from."""
        return self.out_in("q" if "q" in self.roles else "fused")[1]

    def reading(self, width: int) -> Module:
        """As it reads vectors of this width, which tells how a weight of no family stands."""
        if self.family is not None:
            self._refuse_turned(width)
            return self
        rows, columns = self.roles["fused"].shape
        return replace(self, turned=columns != width and rows == width)

    def _refuse_turned(self, width: int) -> None:
        """A family's biases and output would have to be turned with it, and nobody says so."""
        first = self.roles.get("fused", self.roles.get("q"))
        assert first is not None
        rows, columns = first.shape
        if not self.conv1d and columns != width and rows == width:
            raise FileError(
                f"{first.name} stands as [in][out]; weights of this name are read as [out][in]:"
                " upload them transposed",
                loc=("projection", "module"),
                expected=f"{width} columns, as x is wide",
                got=f"{rows} rows, {columns} columns",
            )

    @property
    def q_rows(self) -> int | None:
        """H·D where the shapes say it: separate weights, or the output's input."""
        if "q" in self.roles:
            return self.out_in("q")[0]
        return self.out_in("o")[1] if "o" in self.roles else None

    def heads_by_shape(self) -> int | None:
        """H, where a per-head parameter stands in the module."""
        if SINKS in self.roles:
            return self.roles[SINKS].shape[0]
        norm, width = self.roles.get("q_norm"), self.q_rows
        if norm is None or not width or norm.shape[0] in (0, width) or width % norm.shape[0]:
            return None
        return width // norm.shape[0]

    def layouts(self) -> list[str]:
        """What the layout may be, as far as shapes tell."""
        if self.family is not None and self.family.layout == "separate":
            return ["separate"]
        return fitting(*self.out_in("fused"))

    def listing(self, **known: Any) -> dict[str, Any]:
        """As the module is shown to whoever chooses one."""
        layouts = self.layouts()
        said = self.family.layout if self.family else None
        if said == "per_kv_group" and "per_head" in layouts:
            said = "per_head"
        return {
            "module": self.name,
            "family": self.family.name if self.family else None,
            "layout": said,
            "layouts": layouts,
            "layer": self.layer,
            "width": self.width,
            "position_bias": self.position_bias,
            **known,
        }


def find_modules(entries: Mapping[str, Entry]) -> dict[str, Module]:
    """Every attention module among the tensors of a file, in the file's order of layers."""
    found: dict[str, Module] = {}
    taken: set[str] = set()
    names = sorted(entries)
    for family in FAMILIES:
        anchor = next(iter(family.inputs.values())).weight
        for name in _modules_with(anchor, entries):
            module = _module(name, family, entries, names)
            if module is None:
                continue
            found[name] = _likelier(found.get(name), module)
            taken |= {entry.name for entry in module.roles.values()}
    for name, entry in entries.items():
        if name not in taken and _looks_fused(entry):
            owner = name.removesuffix(".weight")
            found.setdefault(owner, fused_module(owner, entry, entries))
    biases = [name for name in names if name.endswith(POSITION_BIASES[0])]
    found = {name: replace(m, shared=_shared(name, biases)) for name, m in found.items()}
    return dict(sorted(found.items(), key=lambda item: natural(item[0])))


def _shared(name: str, biases: list[str]) -> str | None:
    """T5 and MPNet keep one bias for all layers of an encoder or decoder, none between them."""
    if "EncDec" in name or "cross" in name.lower():
        return None
    stack = name.split(".")[0]
    return next((bias for bias in biases if bias.split(".")[0] == stack), None)


def _likelier(rival: Module | None, module: Module) -> Module:
    """Of two families with the same input, the one whose output is there; else nobody knows."""
    if rival is None or ("o" in module.roles and "o" not in rival.roles):
        return module
    if rival.family is None or module.family is None or "o" in rival.roles:
        return rival
    return rival if rival.family.layout == module.family.layout else replace(rival, family=None)


def fused_module(name: str, entry: Entry, entries: Mapping[str, Entry]) -> Module:
    """A module of no known family, made of one weight: the one that the reader names."""
    roles = {"fused": entry}
    stem = entry.name.removesuffix("weight")
    names = (f"{stem}bias",) if stem != entry.name else (f"{stem}.bias", f"{stem}_bias")
    biases = [entries[n] for n in names if n in entries and len(entries[n].shape) == 1]
    if biases:
        roles["fused_bias"] = biases[0]
    rows, columns = entry.shape
    return Module(name, None, roles, (), turned=rows < columns)


def _modules_with(anchor: str, entries: Mapping[str, Entry]) -> Iterable[str]:
    for name in entries:
        if name == anchor:
            yield ""
        elif name.endswith("." + anchor):
            yield name[: -len(anchor) - 1]


def _module(
    name: str, family: Family, entries: Mapping[str, Entry], names: list[str]
) -> Module | None:
    parts = family.inputs | ({"o": family.o} if family.o else {})
    roles: dict[str, Entry] = {}
    for role, part in parts.items():
        weight, bias = (entries.get(below(name, inner)) for inner in (part.weight, part.bias))
        if weight is not None and len(weight.shape) == 2:
            roles[role] = weight
            if bias is not None and len(bias.shape) == 1:
                roles[f"{role}_bias"] = bias
    if not all(role in roles for role in family.inputs):
        return None
    for inner, role in EXTRAS.items():
        entry = entries.get(below(name, inner))
        if entry is not None and len(entry.shape) == 1:
            roles[role] = entry
    return Module(name, family, roles, _others(name, roles, names))


def _others(name: str, roles: Mapping[str, Entry], names: list[str]) -> tuple[str, ...]:
    """Tensors below the module that no role reads; ``names`` are sorted, so they stand together."""
    read = {entry.name for entry in roles.values()}
    first, after = bisect_left(names, f"{name}."), bisect_left(names, f"{name}/")
    inside = [other for other in names[first:after] if name and other not in read]
    return tuple(n for n in inside if not BUFFERS.search(n) and not AFTER.search(n))


def _looks_fused(entry: Entry) -> bool:
    last = entry.name.removesuffix(".weight").rsplit(".", 1)[-1]
    rows, columns = entry.shape if len(entry.shape) == 2 else (0, 0)
    return rows != columns and bool(FUSED_NAME.search(last))


def below(module: str, inner: str) -> str:
    """The full name of a tensor; each ``../`` leaves one level of the module."""
    path = module.split(".") if module else []
    while inner.startswith("../"):
        inner, path = inner[3:], path[:-1]
    return ".".join([*path, inner])


def natural(name: str) -> list[Any]:
    """Layer 10 after layer 9."""
    return [(int(p), "") if NUMBER.fullmatch(p) else (-1, p) for p in name.split(".")]


__all__ = ["Module", "Part", "below", "find_modules", "fused_module"]
