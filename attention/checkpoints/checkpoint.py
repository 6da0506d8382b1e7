"""A file of a model's weights, with its config.json where there is one."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from torch import Tensor

from attention.arrays import as_tensor, say, widened
from attention.checkpoints.config import Config
from attention.checkpoints.layouts import Heads
from attention.checkpoints.module import Module, find_modules, fused_module
from attention.errors import FileError, SpecificationError
from attention.files import ArrayFile, Entry, open_tensors

MODULE = ("projection", "module")


class Checkpoint:
    """Attention modules of one file by name; ``config`` is the parsed config.json, if any."""

    def __init__(self, file: ArrayFile, config: Mapping[str, Any] | None = None) -> None:
        self.file, self.fields = file, file.config if config is None else config

    @classmethod
    def open(
        cls, path: str | Path, config: str | Path | Mapping[str, Any] | None = None
    ) -> Checkpoint:
        """From disk; a config.json beside the file is read when none is named."""
        beside = Path(path).parent / "config.json"
        if config is None and beside.is_file():
            config = beside
        if isinstance(config, (str, Path)):
            config = open_tensors(config).config
        return cls(open_tensors(path), config)

    @cached_property
    def modules(self) -> dict[str, Module]:
        """Every attention module that the tensors' names show."""
        return find_modules(self.file.entries)

    def tensor_names(self) -> list[str]:
        """The tensors that the modules are made of."""
        roles = (module.roles.values() for module in self.modules.values())
        return list(dict.fromkeys(entry.name for entries in roles for entry in entries))

    def config_of(self, module: Module) -> Config | None:
        """The config as it concerns one module."""
        return None if self.fields is None else Config.of(self.fields, module.name, module.layer)

    def listing(self) -> list[dict[str, Any]]:
        """The modules for whoever chooses one, with heads as far as shapes and config tell."""
        return [self._listed(module) for module in self.modules.values()]

    def _listed(self, module: Module) -> dict[str, Any]:
        known: dict[str, int | None] = dict.fromkeys(("num_heads", "num_kv_heads", "head_dim"))
        H = self.heads_of(module)
        try:
            heads = head_layout(module, self.config_of(module), {"num_heads": H} if H else {})
            known = {"num_heads": heads.H, "num_kv_heads": heads.K, "head_dim": heads.D}
        except SpecificationError:
            pass
        config = self.config_of(module)
        model_type = config.model_type if config else None
        listed = module.listing(**known)
        return {**listed, "family": model_type or listed["family"]}

    def heads_of(self, module: Module) -> int | None:
        """H by the config, or by the shape of a per-head parameter."""
        config = self.config_of(module)
        said = config.num_heads() if config else None
        if said is None and module.position_bias:
            shape = self.file.entries[module.position_bias].shape
            said = shape[-1] if module.position_bias.endswith("attention_bias.weight") else None
        return said or module.heads_by_shape() or None

    def module(self, name: str, layout: str) -> Module:
        """The module of that name, or the one that holds the fused weight of that name.

        Where no family knows it, any two-dimensional weight may be named, or what holds it alone.
        """
        found = self.modules.get(name) or self._holding(name)
        inside = [m for other, m in self.modules.items() if other.startswith(name + ".")]
        if found is None and len(inside) == 1:
            found = inside[0]
        if found is not None:
            return found
        entry = self._matrix(name)
        if entry is not None and layout != "separate":
            return fused_module(name, entry, self.file.entries)
        near = get_close_matches(name, list(self.modules), n=3) or list(self.modules)[:3]
        raise SpecificationError(
            "the upload has no attention module of this name",
            loc=MODULE,
            expected=", ".join(map(repr, near)) or "a file with the weights of a model",
            got=say(name),
        )

    def _holding(self, name: str) -> Module | None:
        """The module whose fused weight, or the submodule of it, has this name."""
        for module in self.modules.values():
            fused = module.roles.get("fused")
            if fused is not None and fused.name in (name, f"{name}.weight"):
                return module
        return None

    def _matrix(self, name: str) -> Entry | None:
        """The two-dimensional tensor of that name, or the only one below it."""
        matrices = {n: entry for n, entry in self.file.entries.items() if len(entry.shape) == 2}
        named = matrices.get(name) or matrices.get(f"{name}.weight")
        below = [entry for n, entry in matrices.items() if not name or n.startswith(f"{name}.")]
        return named or (below[0] if len(below) == 1 else None)

    def read(self, name: str) -> Tensor:
        """A weight in its stored type; only floating-point ones are weights."""
        tensor = as_tensor(self.file.read(name), MODULE)
        if not tensor.is_floating_point():
            raise FileError(
                f"{name} is no plain weight; a quantised model has to be unpacked first",
                loc=MODULE,
                expected="float16, bfloat16, float32 or float64",
                got=str(tensor.dtype).removeprefix("torch."),
            )
        return tensor


def head_layout(module: Module, config: Config | None, said: Mapping[str, Any]) -> Heads:
    """H, K, D and Dv from the specification, the config and the shapes, in this order.

    ``said`` holds num_heads (the config's or the shapes' if the specification has none) and
    what else the specification says.
    """
    H = said.get("num_heads")
    if H is None:
        raise SpecificationError(
            "the number of heads stands in no shape of this module: say num_heads, or upload the"
            " model's config.json with it",
            loc=("num_heads",),
            expected=f"a divisor of {module.q_rows}" if module.q_rows else "a whole number",
        )
    if "q" in module.roles:
        return _separate(module, H, said)
    return _fused(module, config, H, said)


def _separate(module: Module, H: int, said: Mapping[str, Any]) -> Heads:
    q, k, v = (module.out_in(role)[0] for role in "qkv")
    D = said.get("head_dim") or _share(q, H, "query rows", "query heads")
    K = said.get("num_kv_heads") or _share(k, D, "key rows", "numbers per head")
    Dv = said.get("value_dim") or _share(v, K, "value rows", "KV heads")
    return Heads(H, K, D, Dv)


def _fused(module: Module, config: Config | None, H: int, said: Mapping[str, Any]) -> Heads:
    rows, columns = module.out_in("fused")
    D = said.get("head_dim") or (config.head_dim() if config else None)
    if D is None:
        width = module.q_rows or columns
        D = _share(width, H, "numbers of a token", "query heads")
    K = said.get("num_kv_heads")
    if K is None:
        per_group = _share(rows, D, "fused rows", "numbers per head") - H
        if per_group < 2 or per_group % 2:
            raise SpecificationError(
                f"the fused weight's {rows} rows are not (H + 2 K) heads of width {D}",
                loc=("num_heads",),
                expected="query heads, and twice the KV heads",
                got=f"num_heads {H}, head_dim {D}",
            )
        K = per_group // 2
    return Heads(H, K, D, D)


def _share(total: int, parts: int, what: str, of: str) -> int:
    if not total or not parts or total % parts:
        fits = [n for n in range(1, min(total, 4096) + 1) if total % n == 0][:24]
        raise SpecificationError(
            f"{total} {what} cannot be shared among {parts} {of}",
            loc=("num_heads",),
            expected="one of " + ", ".join(map(str, fits)),
            got=parts,
        )
    return total // parts


def norm_weight(checkpoint: Checkpoint, module: Module, role: str, offset: float) -> Tensor | None:
    """A q- or k-norm's weight, as it multiplies."""
    entry = module.roles.get(role)
    if entry is None:
        return None
    weight = checkpoint.read(entry.name)
    return weight.to(widened(weight.dtype)) + offset if offset else weight
