"""What a checkpoint fills of a specification, and what the specification keeps for itself."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention import Checkpoint, FileError, Result, ShapeError, SpecificationError, attend
from tests.checkpoints.weights import D, E, H, K, X, checkpoint, drawn, layer

NAME = "model.layers.0.self_attn"
CONFIG = {
    "model_type": "mistral",
    "num_attention_heads": H,
    "num_key_value_heads": K,
    "head_dim": D,
    "rope_theta": 100.0,
    "sliding_window": 3,
    "attn_logit_softcapping": 2.0,
    "query_pre_attn_scalar": 25,
    "rms_norm_eps": 1e-3,
}


def tensors(**more: Any) -> dict[str, Any]:
    weights = layer()
    found = {f"{NAME}.{n}_proj.weight": weights[f"w_{n}"] for n in "qkvo"}
    return found | {f"{NAME}.{name}": value for name, value in more.items()}


def given() -> dict[str, Any]:
    return {"kind": "given", **{n: w for n, w in layer().items() if n.startswith("w_")}}


def run(upload: Checkpoint, layout: str = "auto", x: Any = X, **said: Any) -> Result:
    projection = {"kind": "checkpoint", "upload": upload, "module": NAME, "layout": layout}
    return attend(x, projection=projection, dtype="float64", **said)


FILLED: dict[str, Any] = {
    "num_heads": H,
    "num_kv_heads": K,
    "head_dim": D,
    "rope": {"style": "half", "base": 100.0},
    "softcap": 2.0,
    "scale": 0.2,
    "masks": [{"kind": "window", "left": 2}],
}


def same(found: Result, **said: Any) -> None:
    expected = attend(X, projection=given(), dtype="float64", **said)
    for name in ("q", "k", "scores", "allowed", "weights", "output"):
        torch.testing.assert_close(getattr(found, name), getattr(expected, name), msg=name)


def test_config_fills_everything_that_is_not_said(tmp_path: Path) -> None:
    found = run(checkpoint(tmp_path, tensors(), CONFIG))
    same(found, **FILLED)
    origin = found.task.spec.projection.origin  # type: ignore[union-attr]
    assert set(origin["filled"]) == set(FILLED)
    assert found.warnings == []


@pytest.mark.parametrize(
    "said",
    [
        {"scale": 1.0},
        {"softcap": 7.0},
        {"rope": {"style": "half", "base": 7.0}},
        {"rope": {"style": "interleaved", "base": 100.0, "dim": 2}},
        {"masks": [{"kind": "window", "left": 1}]},
        {"masks": [{"kind": "window", "left": None, "right": None}]},
        {"num_kv_heads": 1, "head_dim": 2 * D, "num_heads": 3, "value_dim": 2 * D},
    ],
    ids=str,
)
def test_specification_wins(tmp_path: Path, said: dict[str, Any]) -> None:
    same(run(checkpoint(tmp_path, tensors(), CONFIG), **said), **(FILLED | said))


def test_other_masks_stand_beside_the_configs_window(tmp_path: Path) -> None:
    found = run(checkpoint(tmp_path, tensors(), CONFIG), masks=[{"kind": "causal"}])
    masks = [{"kind": "causal"}, {"kind": "window", "left": 2}]
    same(found, **(FILLED | {"masks": masks}))


def test_positions_alone_leave_the_base_to_the_config(tmp_path: Path) -> None:
    positions = [4, 5, 6, 7, 9]
    found = run(
        checkpoint(tmp_path, tensors(), CONFIG), rope={"style": "half", "positions": positions}
    )
    rope = {"style": "half", "base": 100.0, "positions": positions}
    same(found, **(FILLED | {"rope": rope}))


def test_style_of_the_specification_wins_over_the_models(tmp_path: Path) -> None:
    found = run(checkpoint(tmp_path, tensors(), CONFIG), rope={"style": "interleaved"})
    same(found, **(FILLED | {"rope": {"style": "interleaved", "base": 100.0}}))


def test_scaled_rotation_counts_on_from_the_cache(tmp_path: Path) -> None:
    config = CONFIG | {"rope_scaling": {"type": "linear", "factor": 2.0}}
    cache = {"past_k": drawn(11, 2, K, 3, D), "past_v": drawn(12, 2, K, 3, D)}
    found = run(checkpoint(tmp_path, tensors(), config), **cache)
    angles = np.outer(np.arange(3, 8) / 2, [1.0, 0.1])
    double = np.concatenate([angles, angles], axis=1)
    rope = {"style": "half", "cos": np.cos(double), "sin": np.sin(double)}
    same(found, **(FILLED | cache | {"rope": rope}))


def test_cross_attention_is_not_rotated(tmp_path: Path) -> None:
    memory = drawn(13, 2, 7, E)
    found = run(checkpoint(tmp_path, tensors(), CONFIG), memory=memory)
    expected = {name: value for name, value in FILLED.items() if name != "rope"}
    same(found, memory=memory, **expected)


def test_without_a_config_only_shapes_speak_and_a_warning_says_so(tmp_path: Path) -> None:
    found = run(checkpoint(tmp_path, tensors()), num_heads=H)
    same(found, num_heads=H, num_kv_heads=K, head_dim=D)
    assert [n.code for n in found.warnings] == ["checkpoint"]
    assert "not rotated" in found.warnings[0].message


@pytest.mark.parametrize("width", [D, H * D])
def test_q_and_k_norms_are_read_with_the_configs_eps(tmp_path: Path, width: int) -> None:
    """One weight for each head's width (Qwen3), or for the full width (OLMo 2)."""
    k_width = width if width == D else K * D
    q, k = drawn(14, width), drawn(15, k_width)
    more = {"q_norm.weight": q, "k_norm.weight": k}
    found = run(checkpoint(tmp_path, tensors(**more), CONFIG | {"model_type": "qwen3"}))
    same(found, **FILLED, qk_norm={"eps": 1e-3, "q_weight": q, "k_weight": k})


def test_gemma3_stores_its_norms_less_one(tmp_path: Path) -> None:
    q, k = drawn(14, D), drawn(15, D)
    config = CONFIG | {"model_type": "gemma3_text", "sliding_window": None}
    more = {"q_norm.weight": q, "k_norm.weight": k}
    found = run(checkpoint(tmp_path, tensors(**more), config))
    said = {name: value for name, value in FILLED.items() if name != "masks"}
    same(found, **said, qk_norm={"eps": 1e-3, "q_weight": 1 + q, "k_weight": 1 + k})


def test_norm_in_the_specification_wins_and_norms_tell_the_heads(tmp_path: Path) -> None:
    more = {"q_norm.weight": drawn(14, D), "k_norm.weight": drawn(15, D)}
    said = {"qk_norm": {"eps": 0.1}, "rope": {"style": "half"}}
    found = run(checkpoint(tmp_path, tensors(**more)), **said)
    same(found, num_heads=H, num_kv_heads=K, head_dim=D, **said)
    assert any("less 1" in notice.message for notice in found.warnings)


def test_sinks_of_the_module_are_read(tmp_path: Path) -> None:
    sinks = drawn(16, H)
    found = run(checkpoint(tmp_path, tensors(sinks=sinks), CONFIG))
    same(found, **FILLED, sinks=sinks)


def test_position_bias_is_named_listed_and_left_out(tmp_path: Path) -> None:
    bias = drawn(17, 8, H)
    upload = checkpoint(tmp_path, tensors(**{"relative_attention_bias.weight": bias}))
    (listed,) = upload.listing()
    assert listed["position_bias"] == f"{NAME}.relative_attention_bias.weight"
    assert (listed["num_heads"], listed["num_kv_heads"]) == (H, K)
    found = run(upload, rope={"style": "half"})
    (warning,) = found.warnings
    assert "relative_attention_bias" in warning.message
    same(found, num_heads=H, num_kv_heads=K, head_dim=D, rope={"style": "half"})
    values = [{"kind": "matrix", "values": drawn(18, 1, H, 5, 5)}]
    assert run(upload, rope={"style": "half"}, biases=values).warnings == []


def test_alibi_of_the_config_is_named_and_left_out(tmp_path: Path) -> None:
    upload = checkpoint(tmp_path, tensors(), {"model_type": "bloom", "n_head": H})
    (warning,) = run(upload).warnings
    assert "ALiBi" in warning.message
    assert run(upload, biases=[{"kind": "alibi"}]).warnings == []


def test_tensors_that_nobody_reads_are_named(tmp_path: Path) -> None:
    more = {"gate.weight": drawn(14, D), "rotary_emb.inv_freq": drawn(15, 2)}
    (warning,) = run(checkpoint(tmp_path, tensors(**more), CONFIG)).warnings
    assert f"{NAME}.gate.weight" in warning.message
    assert "inv_freq" not in warning.message


def test_bfloat16_weights_are_computed_in_the_specifications_type(tmp_path: Path) -> None:
    rounded = {name: torch.tensor(w).bfloat16() for name, w in tensors().items()}
    from safetensors.torch import save_file

    save_file(rounded, tmp_path / "model.safetensors")
    upload = Checkpoint.open(tmp_path / "model.safetensors", CONFIG)
    found = run(upload)
    weights = {f"w_{n}": rounded[f"{NAME}.{n}_proj.weight"].double() for n in "qkvo"}
    expected = attend(X, projection={"kind": "given", **weights}, dtype="float64", **FILLED)
    torch.testing.assert_close(found.output, expected.output)


def test_path_of_a_folder_as_models_are_saved_is_enough(tmp_path: Path) -> None:
    import json

    checkpoint(tmp_path, tensors())
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    projection = {"kind": "checkpoint", "upload": tmp_path / "model.safetensors", "module": NAME}
    same(attend(X, projection=projection, dtype="float64"), **FILLED)


@pytest.mark.parametrize(
    ("said", "place", "named"),
    [
        ({}, ("num_heads",), f"a divisor of {H * D}"),
        ({"num_heads": 5}, ("num_heads",), "one of 1, 2, 3, 4, 6, 8, 12, 24"),
        ({"num_heads": H, "layout": "blocks"}, ("projection", "layout"), "auto or separate"),
        ({"num_heads": H, "layout": "rows"}, ("projection", "layout"), "per_kv_group"),
    ],
)
def test_what_shapes_cannot_tell_is_asked_for(
    tmp_path: Path, said: dict[str, Any], place: tuple[str, ...], named: str
) -> None:
    with pytest.raises(SpecificationError) as refusal:
        run(checkpoint(tmp_path, tensors()), **said)
    assert refusal.value.loc == place
    assert named in refusal.value.message


def test_input_of_another_width_is_refused_with_both_numbers(tmp_path: Path) -> None:
    with pytest.raises(ShapeError) as refusal:
        run(checkpoint(tmp_path, tensors(), CONFIG), x=drawn(1, 2, 5, 13))
    assert "13" in refusal.value.message
    assert str(E) in refusal.value.message


def test_heads_given_directly_have_no_checkpoint(tmp_path: Path) -> None:
    upload = checkpoint(tmp_path, tensors(), CONFIG)
    heads = np.ones((2, 3))
    with pytest.raises(SpecificationError, match="projection goes with x") as refusal:
        run(upload, x=None, q=heads, k=heads, v=heads)
    assert refusal.value.loc == ("projection",)


def test_quantised_weights_are_refused_by_name(tmp_path: Path) -> None:
    packed = tensors() | {f"{NAME}.q_proj.weight": np.ones((H * D, E), np.uint8)}
    with pytest.raises(FileError, match=r"q_proj\.weight is no plain weight") as refusal:
        run(checkpoint(tmp_path, packed, CONFIG))
    assert "uint8" in refusal.value.message


@pytest.mark.parametrize("shape", [(0, E), (E, 0), (0, 0)])
def test_empty_weights_are_refused(tmp_path: Path, shape: tuple[int, int]) -> None:
    empty = {f"{NAME}.{n}_proj.weight": np.ones(shape) for n in "qkvo"}
    for config in (None, CONFIG):
        upload = checkpoint(tmp_path, empty, config)
        assert len(upload.listing()) == 1
        with pytest.raises(SpecificationError):
            run(upload)
    fused = {f"{NAME}.qkv.weight": np.ones(shape), f"{NAME}.q_norm.weight": np.ones(0)}
    with pytest.raises(SpecificationError):
        run(checkpoint(tmp_path, fused, CONFIG))


def test_any_two_dimensional_weight_can_be_named_with_a_layout(tmp_path: Path) -> None:
    weights = layer(H)
    whole = np.concatenate([weights[f"w_{n}"] for n in "qkv"])
    upload = checkpoint(tmp_path, {"mixer.all.weight": whole, "mixer.all.bias": np.zeros(72)})
    assert upload.listing() == []
    projection = {"kind": "checkpoint", "upload": upload, "module": "mixer.all"}
    said: dict[str, Any] = {"num_heads": H, "head_dim": D, "dtype": "float64"}
    with pytest.raises(SpecificationError, match="its layout is not known") as refusal:
        attend(X, projection=projection, **said)
    assert refusal.value.expected == "blocks, per_head, per_kv_group"
    found = attend(X, projection=projection | {"layout": "blocks"}, **said)
    by_hand = {"kind": "given", **{n: weights[n] for n in ("w_q", "w_k", "w_v")}}
    torch.testing.assert_close(found.output, attend(X, projection=by_hand, **said).output)
