"""A checkpoint's weights go with the script: its file is not there where the script is run."""

from pathlib import Path

import pytest

from attention import attend, script
from tests.checkpoints.weights import H, K, X, checkpoint, layer

from .running import NAMES, assert_same, left_by

NAMED = {"w_q": "q_proj.weight", "w_k": "k_proj.weight", "w_v": "v_proj.weight",
         "w_o": "o_proj.weight", "b_q": "q_proj.bias", "b_k": "k_proj.bias",
         "b_v": "v_proj.bias"}  # fmt: skip
MODULE = "model.layers.0.self_attn"


@pytest.mark.parametrize("style", ["explicit", "sdpa", "numpy"])
def test_weights_of_a_checkpoint_are_embedded(tmp_path: Path, style: str) -> None:
    weights = {f"{MODULE}.{NAMED[name]}": w for name, w in layer().items() if name in NAMED}
    config = {"model_type": "llama", "num_attention_heads": H, "num_key_value_heads": K,
              "hidden_size": X.shape[-1], "head_dim": 4, "rope_theta": 500.0}  # fmt: skip
    source = {
        "kind": "checkpoint",
        "upload": checkpoint(tmp_path, weights, config),
        "module": MODULE,
    }
    result = attend(X, projection=source, masks=[{"kind": "causal"}], dtype="float64")
    assert result.layout.kind == "gqa"
    assert result.task.spec.rope is not None
    text = script(result, style)
    assert "RandomState" not in text
    expected = {name: getattr(result, name).numpy() for name in NAMES}
    assert_same(left_by(text), expected, "float64", style)
