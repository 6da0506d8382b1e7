"""Whole random specifications through the JSON API, against the slow reference in float64."""

from typing import Any

import numpy as np
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference
from tests.properties.specifications import specifications
from tests.wire import array, listed, strict_json, with_typed_tensors

TOLERANCE = 1e-9
NAMES = "q,k,v,dot_products,scores,masked_scores,weights,heads,output,allowed,logsumexp"


@settings(max_examples=250, deadline=None)
@given(spec=specifications(), typed=st.booleans(), encoding=st.sampled_from(["list", "base64"]))
def test_every_tensor_of_a_random_specification_equals_the_reference(
    client: TestClient, spec: dict[str, Any], typed: bool, encoding: str
) -> None:
    body = with_typed_tensors(spec) if typed else listed(spec)
    answer = client.post(
        "/api/attention", json=body, params={"encoding": encoding, "include": NAMES}
    )
    assert answer.status_code == 200, answer.text
    got = strict_json(answer.content)
    tensors = {**got["tensors"], "row_sums": got["row_sums"]}
    for name, expected in reference.attention(spec).items():
        actual = array(tensors[name])
        if name == "allowed":
            actual = np.broadcast_to(actual, expected.shape)
        assert actual.shape == expected.shape, name
        np.testing.assert_allclose(
            actual, expected, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True, err_msg=name
        )
