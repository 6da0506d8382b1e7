"""Small random models of many families, saved by transformers: its own attention is the answer.

Each is saved to a folder, run once on its plain attention, and then asked for the second layer's
weights with nothing but the hidden states, the folder, and causal where the model is.
"""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from attention import Checkpoint, FileError, Result, attend
from tests.checkpoints.models import BIDIRECTIONAL, CASES, GROUPED, NOT_THE_OUTPUT, PLAIN


def run_of(name: str, folder: Path) -> tuple[Result, torch.Tensor, torch.Tensor]:
    """Our run, and the model's weights and output, of its second layer."""
    family, fields, last, said = CASES[name]
    config = getattr(transformers, f"{family}Config")(**fields)
    torch.manual_seed(0)
    model = transformers.AutoModel.from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:  # RoFormer keeps its sines and cosines as one that is not
                parameter.normal_(0, 0.3)
    modules = [(n, m) for n, m in model.named_modules() if n.split(".")[-1] == last]
    path, module = modules[min(1, len(modules) - 1)]
    seen: dict[str, Any] = {}

    def note(_: Any, given: Any, named: Any, out: Any) -> None:
        seen["x"] = named.get("hidden_states", given[0] if given else None)
        seen["output"] = out[0] if isinstance(out, tuple) else out

    module.register_forward_hook(note, with_kwargs=True)
    with torch.no_grad():
        answer = model(input_ids=torch.randint(5, 60, (2, 9)), output_attentions=True)
    model.save_pretrained(folder)
    upload = Checkpoint.open(folder / "model.safetensors")
    projection = {"kind": "checkpoint", "upload": upload, "module": path}
    masks = [] if name in BIDIRECTIONAL else [{"kind": "causal"}]
    found = attend(seen["x"], projection=projection, masks=masks, **said)
    return found, answer.attentions[1], seen["output"]


@pytest.mark.parametrize("name", CASES)
def test_saved_model_gives_its_own_attention(name: str, tmp_path: Path) -> None:
    found, weights, output = run_of(name, tmp_path)
    torch.testing.assert_close(found.weights, weights, rtol=0, atol=1e-5)
    if name not in NOT_THE_OUTPUT:
        torch.testing.assert_close(found.output, output, rtol=1e-5, atol=1e-5)
    assert "checkpoint" not in {notice.code for notice in found.warnings}


def test_a_model_that_does_what_no_field_says_is_warned_of(tmp_path: Path) -> None:
    config = transformers.NanoChatConfig(**GROUPED)
    transformers.AutoModel.from_config(config).save_pretrained(tmp_path)
    upload = Checkpoint.open(tmp_path / "model.safetensors")
    projection = {"kind": "checkpoint", "upload": upload, "module": "layers.0.self_attn"}
    (notice,) = attend(torch.ones(3, 32), projection=projection).warnings
    assert notice.code == "checkpoint" and "normalised afterwards" in notice.message


@pytest.mark.parametrize("family", ["T5", "MPNet"])
def test_bias_that_all_layers_share_is_named_for_each_of_them(family: str, tmp_path: Path) -> None:
    fields = (
        {"vocab_size": 64, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
        if family == "T5"
        else PLAIN
    )
    model = transformers.AutoModel.from_config(getattr(transformers, f"{family}Config")(**fields))
    model.save_pretrained(tmp_path)
    upload = Checkpoint.open(tmp_path / "model.safetensors")
    named = {module["module"]: module["position_bias"] for module in upload.listing()}
    shared = {module for module, bias in named.items() if bias is None}
    assert all("EncDec" in module for module in shared)
    assert len(named) > len(shared)
    for module in named:
        projection = {"kind": "checkpoint", "upload": upload, "module": module}
        memory = {"memory": torch.ones(3, 32)} if module in shared else {}
        found = attend(torch.ones(3, 32), projection=projection, **memory)
        assert ("position bias" in str(found.warnings)) is (module not in shared)


@pytest.mark.parametrize(
    ("family", "fields"),
    [
        ("Persimmon", {"qk_layernorm": True}),
        ("Phi", {"qk_layernorm": True}),
        ("StableLm", {"qk_layernorm": True, "num_key_value_heads": 4}),
        ("Cohere", {"use_qk_norm": True}),
    ],
)
def test_a_layer_norm_of_q_and_k_is_refused_by_its_tensors(
    family: str, fields: dict[str, Any], tmp_path: Path
) -> None:
    config = getattr(transformers, f"{family}Config")(**PLAIN, **fields)
    transformers.AutoModel.from_config(config).save_pretrained(tmp_path)
    upload = Checkpoint.open(tmp_path / "model.safetensors")
    projection = {"kind": "checkpoint", "upload": upload, "module": "layers.0.self_attn"}
    with pytest.raises(FileError, match="another norm of q and k") as refusal:
        attend(torch.ones(3, 32), projection=projection)
    assert refusal.value.loc == ("projection", "module")
    assert "k_norm" in str(refusal.value.got) or "k_layernorm" in str(refusal.value.got)
    attend(torch.ones(3, 32), projection=projection, qk_norm={"eps": 1e-6})
