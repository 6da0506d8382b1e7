"""The notebook figure: what it draws are the run's numbers."""

import math

import numpy as np
import pytest
import torch

from attention import SpecificationError, attend

T, H = 5, 3


def test_the_figure_shows_scores_and_weights_of_the_head() -> None:
    result = attend(
        torch.from_numpy(np.random.default_rng(5).standard_normal((T, 6))),
        num_heads=H,
        masks=[{"kind": "causal"}],
    )
    figure = result.figure(head=2)
    for trace in figure.data:
        if trace.name in ("scores", "weights"):
            drawn = torch.tensor(np.array(trace.z, dtype=float))
            torch.testing.assert_close(drawn, getattr(result, trace.name)[0, 2].double())


def test_masked_cells_are_marked_and_not_blank() -> None:
    result = attend(torch.eye(T), num_heads=1, masks=[{"kind": "causal"}])
    marks = next(t for t in result.figure().data if t.name == "weights: masked and not finite")
    for i, row in enumerate(marks.text):
        for j, name in enumerate(row):
            assert name == ("masked" if j > i else "")


def test_not_finite_scores_have_marks_of_their_own() -> None:
    k = torch.eye(3)
    k[0, 0], k[1, 1], k[2, 2] = math.nan, math.inf, -math.inf
    result = attend(q=torch.eye(3), k=k, v=torch.eye(3), scale=1.0)
    marks = next(t for t in result.figure().data if t.name == "scores: masked and not finite")
    assert [marks.text[i][i] for i in range(3)] == ["NaN", "+∞", "−∞"]


def test_repeated_labels_keep_their_own_rows() -> None:
    result = attend(torch.eye(3), num_heads=1, tokens=["the", "<b>", "the"])
    axis = result.figure().layout.xaxis
    assert list(axis.tickvals) == [0, 1, 2]
    assert list(axis.ticktext) == ["the", "&lt;b&gt;", "the"]


@pytest.mark.parametrize(("name", "index"), [("head", 3), ("batch", 1), ("head", -1)])
def test_a_head_that_is_not_there_is_refused(name: str, index: int) -> None:
    result = attend(torch.eye(6), num_heads=H)
    with pytest.raises(SpecificationError, match=f"{name} counts from 0"):
        result.figure(**{name: index})
