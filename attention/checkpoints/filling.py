"""``{"kind": "checkpoint"}``: a module's weights, and its config where nothing else is said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from attention.arrays import as_tensor, say
from attention.checkpoints.checkpoint import Checkpoint, head_layout, norm_weight
from attention.checkpoints.config import Config
from attention.checkpoints.families import ROTARY
from attention.checkpoints.layouts import LAYOUTS, Heads, fitting, refined, split
from attention.checkpoints.module import Module
from attention.checkpoints.rotation import rope_of, rotation_unknown
from attention.dimensions import Dimensions
from attention.errors import FileError, SpecificationError
from attention.masks import Window
from attention.normalisation import QkNorm
from attention.notices import Notice
from attention.projection import GivenProjection, Weights
from attention.reader import Reader
from attention.rotary import Rope

LAYOUT = ("projection", "layout")
CHOICES = ("auto", "separate", *LAYOUTS)


@dataclass(frozen=True, kw_only=True)
class LoadedProjection(GivenProjection):
    """Weights read from a checkpoint, with what was read and what was left."""

    origin: dict[str, Any] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def weights(self, dims: Dimensions, reader: Reader) -> Weights:
        """As given ones; a warning names what a result without it would not show."""
        for what in self.left_out:
            reader.notices.append(Notice("checkpoint", what, concerns="projection"))
        return super().weights(dims, reader)


@dataclass(frozen=True)
class CheckpointProjection:
    """Projections, biases and q/k-norm weights of one module of a `Checkpoint` (or its path).

    ``config`` is the model's parsed config.json, where it should not be the checkpoint's own.
    """

    upload: Any
    module: str
    layout: str = "auto"
    config: Any = None

    def filled(self, given: dict[str, Any]) -> dict[str, Any]:
        """The specification's fields with the projection loaded; what they say already stands."""
        if "x" not in given:
            raise SpecificationError(
                "projection goes with x; heads given directly are not projected",
                loc=("projection",),
                expected="x",
                got="a checkpoint without x",
            )
        checkpoint = self._checkpoint()
        self._check_choices()
        module = checkpoint.module(self.module, self.layout)
        if given["x"].ndim:
            module = module.reading(given["x"].shape[-1])
        _refuse_other_norm(module, given)
        config = checkpoint.config_of(module)
        said = dict(given)
        said.setdefault("num_heads", checkpoint.heads_of(module))
        heads = head_layout(module, config, {k: v for k, v in said.items() if v is not None})
        layout = self._layout(module, config, heads)
        found = {
            "num_heads": heads.H,
            "num_kv_heads": heads.K,
            "head_dim": heads.D,
            "value_dim": heads.Dv,
            "qk_norm": _qk_norm(checkpoint, module, config),
            "sinks": _read(checkpoint, module, "sinks"),
            **_from_config(config, heads, given),
        }
        # A rope that only says positions is completed, not overruled.
        new = {n: v for n, v in found.items() if v is not None and (n not in given or n == "rope")}
        masks = (*given.get("masks", ()), *_window(config, given))
        return {
            **given,
            **new,
            "masks": masks,
            "projection": LoadedProjection(
                **_weights(checkpoint, module, layout, heads),
                origin=_origin(checkpoint, module, config, layout, new, masks, given),
                left_out=tuple(_left_out(module, config, given)),
            ),
        }

    def _checkpoint(self) -> Checkpoint:
        if isinstance(self.upload, Checkpoint):
            own = self.upload.fields
            return Checkpoint(self.upload.file, own if self.config is None else self.config)
        if isinstance(self.upload, str) or hasattr(self.upload, "__fspath__"):
            return Checkpoint.open(self.upload, self.config)
        raise SpecificationError(
            "upload is a checkpoint or its path", loc=("projection", "upload"), got=say(self.upload)
        )

    def _check_choices(self) -> None:
        if not isinstance(self.module, str):
            raise SpecificationError(
                "module is a name", loc=("projection", "module"), got=say(self.module)
            )
        if self.layout not in CHOICES:
            raise SpecificationError(
                "layout must be a known choice",
                loc=LAYOUT,
                expected=", ".join(CHOICES),
                got=say(self.layout),
            )

    def _layout(self, module: Module, config: Config | None, heads: Heads) -> str:
        """As told; or the family's; or a question with the choices that fit."""
        if "q" in module.roles:
            if self.layout not in ("auto", "separate"):
                raise SpecificationError(
                    f"{module.name} has a weight each for q, k and v",
                    loc=LAYOUT,
                    expected="auto or separate",
                    got=self.layout,
                )
            return "separate"
        fits = fitting(*module.out_in("fused"), heads)
        if self.layout not in ("auto", "separate"):
            return self.layout
        family = module.family.layout if module.family else None
        if config is not None and config.model.layout:
            family = config.model.layout
        if self.layout == "separate" or family is None:
            raise SpecificationError(
                f"{module.roles['fused'].name} holds q, k and v in one weight, and its layout is"
                " not known: say which",
                loc=LAYOUT,
                expected=", ".join(fits) or "head counts that fit the weight's rows",
                got=self.layout,
            )
        return refined(family, heads)


def _weights(
    checkpoint: Checkpoint, module: Module, layout: str, heads: Heads
) -> dict[str, Tensor | None]:
    if layout == "separate":
        found = {f"w_{r}": _read(checkpoint, module, r) for r in "qkv"}
        found |= {f"b_{r}": _bias(checkpoint, module, r) for r in "qkv"}
    else:
        fused = _read(checkpoint, module, "fused")
        assert fused is not None
        weights = split(fused.T if module.conv1d else fused, layout, heads)
        found = dict(zip(("w_q", "w_k", "w_v"), weights, strict=True))
        bias = _read(checkpoint, module, "fused_bias")
        if bias is not None:
            found |= zip(("b_q", "b_k", "b_v"), split(bias, layout, heads), strict=True)
    out = _read(checkpoint, module, "o")
    found["w_o"] = out.T if out is not None and module.conv1d else out
    found["b_o"] = _read(checkpoint, module, "o_bias")
    return found


def _read(checkpoint: Checkpoint, module: Module, role: str) -> Tensor | None:
    entry = module.roles.get(role)
    return None if entry is None else checkpoint.read(entry.name)


def _bias(checkpoint: Checkpoint, module: Module, letter: str) -> Tensor | None:
    """Of one projection; nn.MultiheadAttention keeps the three in one even beside three weights."""
    bias = _read(checkpoint, module, f"{letter}_bias")
    rows = [module.out_in(role)[0] for role in "qkv"]
    if bias is None or bias.shape[0] != sum(rows):
        return bias
    return torch.split(bias, rows)["qkv".index(letter)]


def _refuse_other_norm(module: Module, given: dict[str, Any]) -> None:
    """Without its norm every score would be wrong; a specification that says one decides."""
    if module.other_norms and "qk_norm" not in given:
        raise FileError(
            f"{module.name} has another norm of q and k than qk_norm says, which is an RMS norm"
            " before the rotation; give qk_norm in the specification to go without it",
            loc=("projection", "module"),
            expected="q_norm.weight and k_norm.weight, or no norm",
            got=", ".join(module.other_norms[:4]),
        )


def _qk_norm(checkpoint: Checkpoint, module: Module, config: Config | None) -> QkNorm | None:
    offset = config.model.norm_offset if config else 0.0
    q, k = (norm_weight(checkpoint, module, f"{letter}_norm", offset) for letter in "qk")
    if q is None or k is None:
        return None
    return QkNorm(eps=config.norm_eps() if config else 1e-6, q_weight=q, k_weight=k)


def _from_config(config: Config | None, heads: Heads, given: dict[str, Any]) -> dict[str, Any]:
    """rope, scale and softcap."""
    if config is None:
        return {}
    found: dict[str, Any] = {"scale": config.scale(), "softcap": config.softcap()}
    mine = given.get("rope")
    if "memory" in given or (mine is not None and not _only_places(mine)):
        return found
    T = int(as_tensor(given["x"], ("x",)).shape[-2]) if given["x"].ndim > 1 else 0
    past = given.get("past_k")
    P = int(past.shape[-2]) if past is not None and past.ndim > 1 else 0
    said = (mine.positions, mine.style) if mine else (None, None)
    rope = rope_of(config, heads.D, *said, T=T, P=P)
    return found | ({"rope": Rope(**rope)} if rope else {})


def _only_places(rope: Rope) -> bool:
    """A rope that says positions and style alone leaves base and width to the config."""
    unsaid = (rope.base, rope.dim, rope.cos, rope.sin, rope.key_positions)
    return all(part is None for part in unsaid)


def _window(config: Config | None, given: dict[str, Any]) -> tuple[Window, ...]:
    """Any window that the specification gives is the window, even an open one."""
    sides = config.window() if config else None
    if sides is None or any(isinstance(mask, Window) for mask in given.get("masks", ())):
        return ()
    return (Window(*sides),)


def _origin(
    checkpoint: Checkpoint,
    module: Module,
    config: Config | None,
    layout: str,
    new: dict[str, Any],
    masks: tuple[Any, ...],
    given: dict[str, Any],
) -> dict[str, Any]:
    """What was read and what it filled, for the answer."""
    family = (config.model_type if config else None) or (module.family and module.family.name)
    filled = sorted(name for name in new if name != "value_dim")
    if len(masks) > len(given.get("masks", ())):
        filled.append("masks")
    return {
        "module": module.name,
        "family": family,
        "layout": layout,
        "layer": module.layer,
        "config": config is not None,
        "filled": filled,
    }


def _left_out(module: Module, config: Config | None, given: dict[str, Any]) -> list[str]:
    found = []
    relative = config is not None and config.relative_bias and "memory" not in given
    if (module.position_bias or relative) and not given.get("biases"):
        what = module.position_bias or "relative_attention_bias of the model's first layer"
        found.append(
            f"{what} is a position bias that the model adds to the scores; it is not taken by"
            " itself: give it as a matrix in biases"
        )
    if config is not None and config.alibi and not given.get("biases"):
        found.append(
            "the model adds ALiBi to the scores; it is not taken by itself: add it to biases"
        )
    if config is None and module.family and module.family.name in ROTARY and "rope" not in given:
        found.append(
            "no config.json came with the weights, so q and k are not rotated; say rope if the"
            " model does"
        )
    if config is not None and "rope" not in given and rotation_unknown(config):
        found.append("how the model rotates q and k is not known from its file: say rope")
    if config is not None and config.model.beyond:
        found.append(f"the model does what no specification says: {config.model.beyond}")
    if config is None and "q_norm" in module.roles:
        found.append(
            "no config.json came with the weights: the q- and k-norm weights are taken as they"
            " are, with eps 1e-6, though some models (Gemma 3) store them less 1"
        )
    others = [name for name in module.others if name != module.position_bias]
    if others:
        found.append("tensors of the module that were not read: " + ", ".join(others[:8]))
    return found


__all__ = ["CheckpointProjection", "LoadedProjection"]
