"""The case worked by hand: three tokens, one head of width 2."""

from collections.abc import Callable

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.conftest import Tensors

SPEC = {
    "q": [[1, 0], [0, 1], [1, 1]],
    "k": [[1, 0], [0, 1], [1, 1]],
    "v": [[1, 0], [0, 2], [1, 1]],
}
HALF_STEP = 5e-6  # agreement to the five digits written here


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_third_row_has_the_numbers_worked_by_hand(
    tensors: Callable[..., Tensors], dtype: str
) -> None:
    answer = tensors({**SPEC, "dtype": dtype})
    row = {name: answer[name][0, 0, 2] for name in ("scores", "weights", "heads")}
    np.testing.assert_allclose(row["scores"], [0.70711, 0.70711, 1.41421], rtol=0, atol=HALF_STEP)
    np.testing.assert_allclose(row["weights"], [0.24826, 0.24826, 0.50349], rtol=0, atol=HALF_STEP)
    np.testing.assert_allclose(row["heads"], [0.75174, 1], rtol=0, atol=HALF_STEP)
    np.testing.assert_allclose(answer["output"][0, 2], [0.75174, 1], rtol=0, atol=HALF_STEP)


def test_textbooks_that_round_the_weights_first_print_751_and_999(
    tensors: Callable[..., Tensors],
) -> None:
    weights = tensors({**SPEC, "dtype": "float64"})["weights"][0, 0, 2]
    rounded = np.floor(weights * 1000) / 1000  # cut, not rounded: 0.248, 0.248, 0.503
    np.testing.assert_allclose(rounded @ np.array(SPEC["v"]), [0.751, 0.999], rtol=0, atol=1e-12)


def test_the_first_two_rows_follow_from_e_to_the_root_of_a_half(
    tensors: Callable[..., Tensors],
) -> None:
    """Scores 0.7071, 0, 0.7071: with a = e^(1/sqrt 2) the weights are a, 1, a over 2a + 1."""
    a = np.exp(np.sqrt(0.5))
    expected = np.array([[a, 1, a], [1, a, a]]) / (2 * a + 1)
    answer = tensors({**SPEC, "dtype": "float64"})
    np.testing.assert_allclose(answer["weights"][0, 0, :2], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(answer["logsumexp"][0, 0, :2], np.log(2 * a + 1), rtol=0, atol=1e-12)


def test_the_named_example_is_the_case_worked_by_hand(
    client: TestClient, tensors: Callable[..., Tensors]
) -> None:
    examples = client.get("/api/examples").json()["examples"]
    spec = next(example["spec"] for example in examples if example["name"] == "hand_worked")
    answer = tensors(spec)
    np.testing.assert_allclose(
        answer["weights"][0, 0, 2], [0.24826, 0.24826, 0.50349], rtol=0, atol=HALF_STEP
    )
    np.testing.assert_allclose(answer["output"][0, 2], [0.75174, 1], rtol=0, atol=HALF_STEP)
