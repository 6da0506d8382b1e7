"""The classic mistakes made on purpose: what they answer, and that a check names them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient

from attention import SpecificationError, attend, make_mistake, make_mistakes
from tests.checking.asking import checked
from tests.wire import listed

X = np.random.default_rng(11).standard_normal((2, 5, 12)).tolist()
SPEC: dict[str, Any] = {
    "x": X,
    "num_heads": 6,
    "num_kv_heads": 3,
    "masks": [{"kind": "causal"}, {"kind": "padding", "lengths": [5, 3]}],
}


def wrong(client: TestClient, spec: dict[str, Any], **more: Any) -> Any:
    answer = client.post("/api/mistakes", json={"spec": spec, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_each_mistake_that_is_offered_is_what_a_check_of_its_numbers_names_first(
    client: TestClient,
) -> None:
    offered = [entry["mistake"] for entry in wrong(client, SPEC)["mistakes"]]
    assert len(offered) > 10
    for name in offered:
        made = wrong(client, SPEC, make=name)
        causes = checked(client, SPEC, made["tensors"])["causes"]
        assert causes[0]["mistake"] == name, name
        assert causes[0]["explanation"] == made["explanation"]


def test_scores_without_their_scale_are_the_softmax_of_the_plain_products() -> None:
    q = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    made = make_mistake(attend(q=q, k=q, v=q), "scale_missing")
    torch.testing.assert_close(made.weights[0, 0], (q @ q.T).softmax(-1))
    torch.testing.assert_close(made.output[0], (q @ q.T).softmax(-1) @ q)


def test_what_changes_nothing_is_not_offered() -> None:
    unmasked = attend(x=torch.eye(3), projection={"kind": "identity"})
    names = {made.mistake for made in make_mistakes(unmasked)}
    assert "scale_missing" in names
    assert not {"mask_missing", "kv_heads_tiled", "rope_style", "heads_averaged"} & names


def test_another_name_is_refused_with_the_names_that_there_are(client: TestClient) -> None:
    spec = {"q": [[1, 0], [0, 1]], "k": [[1, 0], [0, 1]], "v": [[1, 0], [0, 1]]}
    answer = client.post("/api/mistakes", json={"spec": spec, "make": "mask_missing"})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["loc"] == ["make"]
    assert "scale_missing" in error["expected"]
    with pytest.raises(SpecificationError, match="none changes them"):
        make_mistake(attend(q=[[1.0]], k=[[1.0]], v=[[1.0]]), "scale_missing")


def test_a_check_answers_the_tensors_that_its_picture_is_drawn_from(client: TestClient) -> None:
    given = {"weights": np.full((2, 6, 5, 5), 0.25)}
    body = listed({"spec": SPEC, "expected": given})
    answer = client.post("/api/check?include=weights,allowed", json=body).json()
    ours = client.post("/api/attention", json=SPEC).json()
    assert answer["computed"]["weights"] == ours["tensors"]["weights"]
    assert answer["computed"]["allowed"] == ours["tensors"]["allowed"]
    np.testing.assert_array_equal(answer["given"]["weights"], given["weights"])
    np.testing.assert_allclose(
        answer["difference"]["weights"], np.array(ours["tensors"]["weights"]) - 0.25, atol=1e-7
    )
    assert answer["run"]["layout"] == ours["layout"]
    assert answer["run"]["tokens"] == ours["tokens"]
    assert {"scale_missing", "mask_missing"} <= set(answer["mistakes"])


def test_a_picture_of_another_shape_has_no_difference(client: TestClient) -> None:
    body = {"spec": SPEC, "expected": {"weights": [[0.5]]}}
    answer = client.post("/api/check?include=weights", json=body).json()
    assert answer["difference"] == {}
    assert answer["given"] == {}
    assert set(answer["computed"]) == {"weights"}


def test_weights_of_one_head_without_its_axis_are_no_average(client: TestClient) -> None:
    spec = {"x": X, "num_heads": 1}
    weights = np.array(client.post("/api/attention", json=spec).json()["tensors"]["weights"])
    answer = checked(client, spec, {"weights": weights[:, 0]})
    assert not answer["pass"]
    assert "shape" in answer["tensors"]["weights"]["why"]
    assert answer["causes"] == []
