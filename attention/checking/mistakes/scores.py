"""What happens to q·k before the masks: scale, softcap, biases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from attention.arrays import as_tensor
from attention.biases import Alibi, Bias, MatrixBias, alibi_slopes
from attention.checking.attempt import Attempt, Slip
from attention.checking.mistakes.mistake import mistake
from attention.checking.workbench import Workbench
from attention.task import scale_of


def no_scale(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """q·k as it is; or the usual scale where the specification has its own."""
    spec, usual = attempt.spec, bench.dims.D**-0.5
    scale = scale_of(spec, bench.dims)
    if scale != 1:
        yield Slip(f"{scale:.6g} is missing", {"scale": 1.0})
    if scale != usual:
        yield Slip(f"1/sqrt({bench.dims.D}) instead of {scale:.6g}", {"scale": None})


def model_width(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """1/sqrt of the width of all heads, or of the token vectors."""
    dims = bench.dims
    for width in dict.fromkeys((dims.E or dims.H * dims.D, dims.H * dims.D)):
        if width != dims.D:
            yield Slip(f"1/sqrt({width}), for 1/sqrt({dims.D})", {"scale": width**-0.5})


def value_width(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """1/sqrt(Dv)."""
    dims = bench.dims
    if dims.Dv != dims.D:
        yield Slip(f"1/sqrt({dims.Dv}), for 1/sqrt({dims.D})", {"scale": dims.Dv**-0.5})


def scaled_twice(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """The scale squared."""
    scale = scale_of(attempt.spec, bench.dims)
    if abs(scale) != 1:
        yield Slip("", {"scale": scale * scale})


def softcap_order(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Before the scale, after the biases, after the masks."""
    spec = attempt.spec
    cap = spec.softcap
    if cap is None:
        return
    scale = scale_of(spec, bench.dims)
    if scale not in (0, 1):
        # s · c·tanh(x / c) = (c·s)·tanh(s·x / (c·s)), x the unscaled product
        yield Slip("before the scale", {"softcap": abs(cap * scale)})
    if spec.biases:
        yield Slip("after the biases", habits=frozenset({"cap_after_biases"}))
    if spec.masks:
        # The softcap turns −Infinity into −c, and so reopens what was masked.
        changes = {"fully_masked": "uniform"}
        added = any(mask.added is not None for mask in bench.masks(attempt))
        fill = spec.fill in ("-Infinity", float("-inf")) and not added and not spec.biases
        fields = {**changes, "fill": -cap} if fill else None
        yield Slip("after the masks", changes, frozenset({"cap_after_masks"}), fields)


def no_softcap(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Scores of any size."""
    if attempt.spec.softcap is not None:
        yield Slip("", {"softcap": None})


def no_bias(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """One bias left out, or all."""
    biases = attempt.spec.biases
    for i in range(len(biases)):
        yield Slip(f"biases[{i}]", {"biases": biases[:i] + biases[i + 1 :]})
    if len(biases) > 1:
        yield Slip("all", {"biases": ()})


def bias_scaled(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """The biases multiplied by the scale with the scores, or freed of it."""
    biases = attempt.spec.biases
    scale = scale_of(attempt.spec, bench.dims)
    if not biases or scale in (0, 1):
        return
    for detail, factor in (("added before the scale", scale), ("divided by it", 1 / scale)):
        changed = tuple(_times(bias, factor, bench) for bias in biases)
        yield Slip(detail, {"biases": changed})


def _times(bias: Bias, factor: float, bench: Workbench) -> Any:
    if isinstance(bias, MatrixBias):
        return replace(bias, values=as_tensor(bias.values, ("biases",)).double() * factor)
    assert isinstance(bias, Alibi)
    slopes = alibi_slopes(bench.dims.H) if bias.slopes is None else bias.slopes
    return Alibi(as_tensor(slopes, ("biases",)).double() * factor)


SCORES = [
    mistake(
        "scale_missing",
        "scale",
        no_scale,
        "The scores do not have the layer's scale. Divide q·k by sqrt(head_dim), or pass the"
        " layer's own to scaled_dot_product_attention(scale=…), which else takes 1/sqrt(D);"
        " T5 has none.",
    ),
    mistake(
        "scale_model_width",
        "scale",
        model_width,
        "The scores are divided by the square root of the model's width. The scale is"
        " 1/sqrt(head_dim): the width of one head, q.shape[-1] after the split.",
    ),
    mistake(
        "scale_value_width",
        "scale",
        value_width,
        "The scores are divided by the square root of the value width. The scale belongs to the"
        " width of q and k: q.shape[-1], not v.shape[-1].",
        extra=True,
    ),
    mistake(
        "scale_twice",
        "scale",
        scaled_twice,
        "The scores are scaled twice. scaled_dot_product_attention scales by itself; a q that"
        " is scaled already needs scale=1.0.",
        extra=True,
    ),
    mistake(
        "softcap_order",
        "softcap scale biases masks fill",
        softcap_order,
        "The softcap stands at another place. Gemma 2 caps the scaled scores, then adds biases"
        " and masks: c * tanh(q @ k.mT * scale / c) first; capping a masked score turns"
        " −Infinity into −c and shows it again.",
    ),
    mistake(
        "softcap_missing",
        "softcap",
        no_softcap,
        "The softcap is left out. scaled_dot_product_attention has none: use an eager or flex"
        " attention that caps the scores.",
        extra=True,
    ),
    mistake(
        "bias_missing",
        "biases",
        no_bias,
        "A bias on the scores is left out. Pass it to scaled_dot_product_attention as a float"
        " attn_mask, together with the −Infinity of what is masked.",
        extra=True,
    ),
    mistake(
        "bias_scaled",
        "biases scale",
        bias_scaled,
        "The bias and the scale meet in another order. Falcon scales q·k and its ALiBi bias"
        " together; BLOOM and the paper add the bias after the scale.",
        extra=True,
    ),
]
