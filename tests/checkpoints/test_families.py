"""Every family of names: the module is found, listed and computes as the weights given by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention import FileError, SpecificationError, attend
from tests.checkpoints.weights import D, H, K, X, checkpoint, layer

Tensors = dict[str, Any]
Weights = dict[str, Any]


def linear(name: str, weight: Any, bias: Any) -> Tensors:
    return {f"{name}.weight": weight, f"{name}.bias": bias}


def separate(q: str, k: str, v: str, o: str) -> Callable[[Weights], Tensors]:
    def write(w: Weights) -> Tensors:
        named = {"q": q, "k": k, "v": v, "o": o}
        found: Tensors = {}
        for letter, name in named.items():
            found |= linear(name, w[f"w_{letter}"], w[f"b_{letter}"])
        return found

    return write


def blocks(qkv: str, o: str) -> Callable[[Weights], Tensors]:
    def write(w: Weights) -> Tensors:
        weight, bias = (np.concatenate([w[f"{x}_{n}"] for n in "qkv"]) for x in "wb")
        return linear(qkv, weight, bias) | linear(o, w["w_o"], w["b_o"])

    return write


def grouped(qkv: str, o: str) -> Callable[[Weights], Tensors]:
    def together(w: Weights, x: str) -> Any:
        groups = len(w["b_k"]) // D
        parts = [w[f"{x}_{n}"].reshape(groups, -1, *w[f"{x}_{n}"].shape[1:]) for n in "qkv"]
        return np.concatenate(parts, axis=1).reshape(-1, *w[f"{x}_q"].shape[1:])

    def write(w: Weights) -> Tensors:
        return linear(qkv, together(w, "w"), together(w, "b")) | linear(o, w["w_o"], w["b_o"])

    return write


def multihead_attention(w: Weights) -> Tensors:
    weight, bias = (np.concatenate([w[f"{x}_{n}"] for n in "qkv"]) for x in "wb")
    out = linear("multihead_attn.out_proj", w["w_o"], w["b_o"])
    return {"multihead_attn.in_proj_weight": weight, "multihead_attn.in_proj_bias": bias} | out


def multihead_attention_of_other_widths(w: Weights) -> Tensors:
    weights = {f"multihead_attn.{n}_proj_weight": w[f"w_{n}"] for n in "qkv"}
    bias = np.concatenate([w[f"b_{n}"] for n in "qkv"])
    out = linear("multihead_attn.out_proj", w["w_o"], w["b_o"])
    return weights | {"multihead_attn.in_proj_bias": bias} | out


def conv1d(w: Weights) -> Tensors:
    found = blocks("h.0.attn.c_attn", "h.0.attn.c_proj")(w)
    return {name: tensor.T for name, tensor in found.items()}


# Family in our table, module, layout, how many KV heads, and the names as that family writes them.
CASES: list[tuple[str, str, str, int, Callable[[Weights], Tensors]]] = [
    (
        "llama", "model.layers.7.self_attn", "separate", K,
        separate(*(f"model.layers.7.self_attn.{n}_proj" for n in "qkvo")),
    ),
    (
        "bart", "model.decoder.layers.3.encoder_attn", "separate", H,
        separate(
            *(f"model.decoder.layers.3.encoder_attn.{n}_proj" for n in "qkv"),
            "model.decoder.layers.3.encoder_attn.out_proj",
        ),
    ),
    (
        "phi", "model.layers.0.self_attn", "separate", K,
        separate(
            *(f"model.layers.0.self_attn.{n}_proj" for n in "qkv"), "model.layers.0.self_attn.dense"
        ),
    ),
    (
        "bert", "encoder.layer.1.attention.self", "separate", H,
        separate(
            *(f"encoder.layer.1.attention.self.{n}" for n in ("query", "key", "value")),
            "encoder.layer.1.attention.output.dense",
        ),
    ),
    (
        "albert", "albert_layers.0.attention", "separate", H,
        separate(*(f"albert_layers.0.attention.{n}" for n in ("query", "key", "value", "dense"))),
    ),
    (
        "distilbert", "layer.0.attention", "separate", H,
        separate(*(f"layer.0.attention.{n}_lin" for n in ("q", "k", "v", "out"))),
    ),
    (
        "t5", "encoder.block.0.layer.0.SelfAttention", "separate", H,
        separate(*(f"encoder.block.0.layer.0.SelfAttention.{n}" for n in "qkvo")),
    ),
    (
        "meta_llama", "layers.0.attention", "separate", K,
        separate(*(f"layers.0.attention.w{n}" for n in "qkvo")),
    ),
    (
        "diffusers", "mid_block.attn1", "separate", H,
        separate(*(f"mid_block.attn1.to_{n}" for n in ("q", "k", "v", "out.0"))),
    ),
    ("torch", "multihead_attn", "blocks", H, multihead_attention),
    ("torch", "multihead_attn", "separate", K, multihead_attention_of_other_widths),
    ("gpt2", "h.0.attn", "blocks", H, conv1d),
    ("gpt2", "h.0.attn", "blocks", H, blocks("h.0.attn.c_attn", "h.0.attn.c_proj")),
    ("gpt2", "h.0.attn", "blocks", 1, blocks("h.0.attn.c_attn", "h.0.attn.c_proj")),
    (
        "gpt_neox", "gpt_neox.layers.2.attention", "per_head", H,
        grouped("gpt_neox.layers.2.attention.query_key_value", "gpt_neox.layers.2.attention.dense"),
    ),
    (
        "gpt_neox", "h.0.self_attention", "per_kv_group", K,
        grouped("h.0.self_attention.query_key_value", "h.0.self_attention.dense"),
    ),
    (
        "gpt_neox", "h.0.self_attention", "multi_query", 1,
        grouped("h.0.self_attention.query_key_value", "h.0.self_attention.dense"),
    ),
    (
        "phi3", "model.layers.0.self_attn", "blocks", K,
        blocks("model.layers.0.self_attn.qkv_proj", "model.layers.0.self_attn.o_proj"),
    ),
    ("mpt", "blocks.0.attn", "blocks", H, blocks("blocks.0.attn.Wqkv", "blocks.0.attn.out_proj")),
    ("modernbert", "layers.0.attn", "blocks", H, blocks("layers.0.attn.Wqkv", "layers.0.attn.Wo")),
    ("timm", "blocks.0.attn", "blocks", H, blocks("blocks.0.attn.qkv", "blocks.0.attn.proj")),
    (
        "vit_pytorch", "transformer.layers.0.0", "blocks", H,
        blocks("transformer.layers.0.0.to_qkv", "transformer.layers.0.0.to_out.0"),
    ),
    *(
        ("hand-written", "layers.0.attn", "separate", K,
         separate(*(f"layers.0.attn.{name}" for name in names.split())))
        for names in (
            "W_q W_k W_v W_o", "W_Q W_K W_V W_O", "w_q w_k w_v w_o", "Wq Wk Wv Wo",
            "W_query W_key W_value out_proj", "q_linear k_linear v_linear out",
            "linear_q linear_k linear_v linear_out",
        )
    ),
    (
        "internlm2", "layers.0.attention", "per_kv_group", K,
        grouped("layers.0.attention.wqkv", "layers.0.attention.wo"),
    ),
]  # fmt: skip
every_family = pytest.mark.parametrize(
    ("family", "module", "layout", "kv_heads", "write"),
    CASES,
    ids=[f"{c[0]}-{c[2]}-{c[3]}" for c in CASES],
)


@every_family
def test_module_computes_as_its_weights_given_by_hand(
    tmp_path: Path, family: str, module: str, layout: str, kv_heads: int, write: Any
) -> None:
    weights = layer(kv_heads)
    upload = checkpoint(tmp_path, write(weights))
    projection = {"kind": "checkpoint", "upload": upload, "module": module}
    found = attend(X, num_heads=H, projection=projection, dtype="float64")
    by_hand = {"kind": "given", **weights}
    expected = attend(
        X, num_heads=H, num_kv_heads=kv_heads, head_dim=D, projection=by_hand, dtype="float64"
    )
    for name in ("q", "k", "v", "weights", "output"):
        torch.testing.assert_close(getattr(found, name), getattr(expected, name), msg=name)


@every_family
def test_module_is_listed_with_family_and_layout(
    tmp_path: Path, family: str, module: str, layout: str, kv_heads: int, write: Any
) -> None:
    tensors = write(layer(kv_heads)) | {"embed.weight": np.zeros((3, 2)), "lm_head.bias": [1.0]}
    (listed,) = checkpoint(tmp_path, tensors, {"num_attention_heads": H}).listing()
    assert (listed["module"], listed["family"]) == (module, family)
    assert (listed["num_heads"], listed["num_kv_heads"], listed["head_dim"]) == (H, kv_heads, D)
    assert layout in [listed["layout"], *listed["layouts"]] or listed["layout"] == "per_kv_group"


@every_family
def test_every_part_but_q_k_and_v_may_be_missing(
    tmp_path: Path, family: str, module: str, layout: str, kv_heads: int, write: Any
) -> None:
    """Weights alone, without biases and output: heads are merged."""
    weights = layer(kv_heads)
    names = write({**weights, "b_o": np.zeros(1), "w_o": np.zeros((1, 1))})
    tensors = {n: t for n, t in names.items() if np.ndim(t) == 2 and np.shape(t) != (1, 1)}
    # Phi-3 and CodeGen differ in the name of their output alone.
    asked = layout if family == "phi3" else "auto"
    upload = checkpoint(tmp_path, tensors)
    projection = {"kind": "checkpoint", "upload": upload, "module": module, "layout": asked}
    found = attend(X, num_heads=H, head_dim=D, projection=projection, dtype="float64")
    given = {name: weights[name] for name in ("w_q", "w_k", "w_v")}
    expected = attend(
        X, num_heads=H, num_kv_heads=kv_heads, head_dim=D,
        projection={"kind": "given", **given}, dtype="float64",
    )  # fmt: skip
    torch.testing.assert_close(found.output, expected.output)


def test_codegen_needs_four_blocks_of_its_heads(tmp_path: Path) -> None:
    """8 heads of 1: each quarter of the rows is 2 of q, 2 of v, 2 of k."""
    q, k, v = (np.arange(8.0)[:, None] * np.ones(8) + n for n in (100, 200, 300))
    quarters = [part[i : i + 2] for i in range(0, 8, 2) for part in (q, v, k)]
    tensors = {
        "h.0.attn.qkv_proj.weight": np.concatenate(quarters),
        "h.0.attn.out_proj.weight": np.eye(8),
    }
    upload = checkpoint(tmp_path, tensors)
    projection = {"kind": "checkpoint", "upload": upload, "module": "h.0.attn"}
    one = np.eye(8)[:1]
    found = attend(one, num_heads=8, projection=projection, dtype="float64")
    assert found.q[0, :, 0, 0].tolist() == [100 + i for i in range(8)]
    assert found.k[0, :, 0, 0].tolist() == [200 + i for i in range(8)]
    assert found.v[0, :, 0, 0].tolist() == [300 + i for i in range(8)]


def test_module_at_the_root_of_the_file_has_the_empty_name(tmp_path: Path) -> None:
    tensors = multihead_attention(layer(H))
    rooted = {name.removeprefix("multihead_attn."): t for name, t in tensors.items()}
    upload = checkpoint(tmp_path, rooted)
    assert [module["module"] for module in upload.listing()] == [""]
    projection = {"kind": "checkpoint", "upload": upload, "module": ""}
    assert attend(X, num_heads=H, projection=projection).layout.H == H


def test_layers_are_listed_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    tensors: Tensors = {}
    for i in (10, 2, 0):
        tensors |= separate(*(f"layers.{i}.self_attn.{n}_proj" for n in "qkvo"))(layer())
    listed = checkpoint(tmp_path, tensors).listing()
    assert [module["layer"] for module in listed] == [0, 2, 10]


def test_name_of_the_parent_is_enough_where_it_holds_one_module(tmp_path: Path) -> None:
    _, module, _, _, write = CASES[3]
    upload = checkpoint(tmp_path, write(layer(H)))
    for name in (module, module.removesuffix(".self")):
        projection = {"kind": "checkpoint", "upload": upload, "module": name}
        assert attend(X, num_heads=H, projection=projection).layout.H == H


def test_files_without_attention_list_none(tmp_path: Path) -> None:
    tensors = {"mlp.up_proj.weight": np.ones((3, 2)), "conv.q.weight": np.ones((3, 2, 1, 1))}
    assert checkpoint(tmp_path, tensors).listing() == []


def test_unknown_module_is_refused_with_the_nearest(tmp_path: Path) -> None:
    upload = checkpoint(tmp_path, CASES[0][4](layer()))
    projection = {"kind": "checkpoint", "upload": upload, "module": "model.layers.8.self_attn"}
    with pytest.raises(SpecificationError, match=r"model\.layers\.7\.self_attn") as refusal:
        attend(X, num_heads=H, projection=projection)
    assert refusal.value.loc == ("projection", "module")


@pytest.mark.parametrize("name", ["attn.qkv", "attn.qkv.weight", "attn", "attn.qkv_proj"])
def test_naming_the_fused_weight_names_its_module(name: str, tmp_path: Path) -> None:
    """Whoever reads a list of tensors copies the weight's name, and means all of the module."""
    qkv = "attn.qkv_proj" if name == "attn.qkv_proj" else "attn.qkv"
    weights = layer(H)
    upload = checkpoint(
        tmp_path, blocks(qkv, "attn.o_proj" if "_proj" in qkv else "attn.proj")(weights)
    )
    projection = {"kind": "checkpoint", "upload": upload, "module": name}
    found = attend(X, num_heads=H, projection=projection, dtype="float64")
    by_hand = {"kind": "given", **weights}
    expected = attend(X, num_heads=H, head_dim=D, projection=by_hand, dtype="float64")
    torch.testing.assert_close(found.output, expected.output)


@pytest.mark.parametrize("bias", ["attn.all_bias", None])
@pytest.mark.parametrize("module", ["attn.all_weight", "attn"])
def test_a_weight_of_no_family_is_found_below_its_module(
    module: str, bias: str | None, tmp_path: Path
) -> None:
    weights = layer(H)
    tensors: Tensors = {"attn.all_weight": np.concatenate([weights[f"w_{n}"] for n in "qkv"])}
    given = {name: weights[name] for name in ("w_q", "w_k", "w_v")}
    if bias is not None:
        tensors[bias] = np.concatenate([weights[f"b_{n}"] for n in "qkv"])
        given |= {name: weights[name] for name in ("b_q", "b_k", "b_v")}
    upload = checkpoint(tmp_path, tensors)
    projection = {"kind": "checkpoint", "upload": upload, "module": module, "layout": "blocks"}
    said: dict[str, Any] = {"num_heads": H, "head_dim": D, "dtype": "float64"}
    found = attend(X, projection=projection, **said)
    expected = attend(X, projection={"kind": "given", **given}, **said)
    torch.testing.assert_close(found.output, expected.output)


def test_the_vectors_width_turns_a_weight_of_no_family(tmp_path: Path) -> None:
    """[in][out], as JAX kernels: only one of its sides is as wide as x."""
    weights = layer(H)
    whole = np.concatenate([weights[f"w_{n}"] for n in "qkv"])
    upload = checkpoint(tmp_path, {"attn.my_qkv.kernel": whole.T, "attn.my_qkv.bias": np.zeros(72)})
    projection = {"kind": "checkpoint", "upload": upload, "module": "attn", "layout": "blocks"}
    said: dict[str, Any] = {"num_heads": H, "head_dim": D, "dtype": "float64"}
    found = attend(X, projection=projection, **said)
    by_hand = {"kind": "given", **{name: weights[name] for name in ("w_q", "w_k", "w_v")}}
    expected = attend(X, projection=by_hand, **said)
    torch.testing.assert_close(found.output, expected.output)


@pytest.mark.parametrize("at", [0, -3], ids=["separate", "fused"])
def test_a_familys_weights_the_other_way_round_are_refused_by_name(at: int, tmp_path: Path) -> None:
    _, module, _, kv_heads, write = CASES[at]
    turned = {n: t.T if np.ndim(t) == 2 else t for n, t in write(layer(kv_heads)).items()}
    upload = checkpoint(tmp_path, turned)
    projection = {"kind": "checkpoint", "upload": upload, "module": module}
    with pytest.raises(FileError, match=r"stands as \[in\]\[out\]") as refusal:
        attend(X, num_heads=H, head_dim=D, projection=projection)
    assert refusal.value.loc == ("projection", "module")
    assert refusal.value.expected == "11 columns, as x is wide"


def test_two_families_that_only_an_output_tells_apart_are_asked_about(tmp_path: Path) -> None:
    weight = np.ones((24, 8))
    tensors = {"layers.0.attn.qkv_proj.weight": weight}
    projection = {"kind": "checkpoint", "upload": None, "module": "layers.0.attn"}
    projection["upload"] = checkpoint(tmp_path, tensors)
    with pytest.raises(SpecificationError, match="blocks, per_head, per_kv_group, codegen"):
        attend(np.ones((3, 8)), num_heads=4, projection=projection)
    projection["upload"] = checkpoint(tmp_path, tensors, {"model_type": "codegen", "n_head": 4})
    found = attend(np.ones((3, 8)), projection=projection)
    assert found.task.spec.projection.origin["layout"] == "codegen"
