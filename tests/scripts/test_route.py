"""POST /api/code: what it answers, and how it refuses."""

import pytest
from fastapi.testclient import TestClient

from .grid import GRID
from .running import asked, written


def test_the_causal_mask_of_sdpa_is_its_own_where_it_starts_at_key_0(client: TestClient) -> None:
    assert "is_causal=True" in written(client, GRID["causal"], "sdpa")
    assert "is_causal=True" in written(client, GRID["causal top-left with a cache"], "sdpa")
    for name in ("causal bottom-right", "causal behind a cache", "padded_batch"):
        script = written(client, GRID[name], "sdpa")
        assert "is_causal" not in script
        assert "attn_mask=allowed" in script


def test_groups_are_said_to_sdpa_and_folded_elsewhere(client: TestClient) -> None:
    assert "enable_gqa=True" in written(client, GRID["grouped heads"], "sdpa")
    for style in ("explicit", "numpy"):
        script = written(client, GRID["grouped heads"], style)
        assert "q.reshape(B, K, G * T, D)" in script
        assert "repeat" not in script.replace("never repeated", "")


def test_the_module_is_given_what_it_must_not_read(client: TestClient) -> None:
    causal = written(client, GRID["causal of vectors"], "multihead_attention")
    assert "attn_mask = ~allowed" in causal
    padded = written(client, GRID["lengths of vectors"], "multihead_attention")
    assert "key_padding_mask = ~allowed" in padded
    assert "average_attn_weights=False" in padded


def test_few_numbers_are_written_out_and_many_as_bytes(client: TestClient) -> None:
    assert "[[[[1, 0], [0, 1], [1, 1]]]]" in written(client, GRID["hand_worked"], "explicit")
    assert "base64" not in written(client, GRID["hand_worked"], "explicit")
    assert "b64decode" in written(client, GRID["bytes"], "numpy")


def test_random_weights_are_drawn_again_and_not_written_down(client: TestClient) -> None:
    script = written(client, GRID["gqa_8_2"], "numpy")
    assert "RandomState" in script
    assert len(script) < 20_000, "2,560 numbers of x, and none of the 655,360 weights"


@pytest.mark.parametrize("style", ["sdpa", "multihead_attention"])
def test_a_refusal_stands_at_the_style_and_names_those_that_can(
    client: TestClient, style: str
) -> None:
    answer = asked(client, GRID["softcap"], style)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    (error,) = answer.json()["errors"]
    assert error["loc"] == ["style"]
    assert "softcap" in error["message"]
    assert error["expected"] == "one that can: explicit, numpy"
    assert error["got"] == style


def test_an_unknown_style_is_refused_with_the_known_ones(client: TestClient) -> None:
    answer = asked(client, GRID["heads"], "jax")
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["loc"] == ["style"]
    assert "multihead_attention" in error["expected"]


def test_a_specification_without_sense_is_refused_inside_spec(client: TestClient) -> None:
    answer = asked(client, {"x": [[1, 2, 3]], "num_heads": 2}, "explicit")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["spec", "num_heads"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_16_bit_overflow_is_reproduced_or_refused(client: TestClient, dtype: str) -> None:
    """300² passes float16's largest number, 65,504, and nothing of bfloat16."""
    spec = {"q": [[300.0]], "k": [[300.0]], "v": [[1.0]], "scale": 1, "dtype": dtype}
    answer = asked(client, spec, "sdpa")
    assert answer.status_code == (422 if dtype == "float16" else 200)
    assert asked(client, spec, "explicit").status_code == 200


def test_an_answer_says_of_every_style_why_it_could_not(client: TestClient) -> None:
    found = asked(client, GRID["softcap"], "explicit").json()["refusals"]
    assert list(found) == ["explicit", "sdpa", "multihead_attention", "numpy"]
    assert found["explicit"] == found["numpy"] == []
    assert "it has no softcap" in found["sdpa"]
    plain = asked(client, GRID["causal of vectors"], "sdpa").json()["refusals"]
    assert not any(plain.values())
