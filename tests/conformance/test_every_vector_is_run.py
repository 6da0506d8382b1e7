"""No file of the folders is left out, and none is run under two names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from . import vectors
from .test_huggingface_modules import MODULES
from .test_onnx_attention import ATTENTION
from .test_onnx_norms import LAYER_NORMS, RMS_NORMS
from .test_onnx_rotary import ROTARY
from .test_reports import ACCEPTED, REFUSED
from .test_reports_files import FILES

RUN: dict[str, Callable[[], list[vectors.Vector]]] = {
    "onnx": lambda: [*ATTENTION, *ROTARY, *RMS_NORMS, *LAYER_NORMS],
    "jax": vectors.jax,
    "hf": lambda: MODULES,
    "reports": lambda: [*ACCEPTED, *REFUSED, *FILES],
}


@pytest.mark.parametrize(
    ("origin", "count"), [("onnx", 83), ("jax", 15), ("hf", 10), ("reports", 41)]
)
def test_every_file_of_a_folder_is_a_case_of_some_test(origin: str, count: int) -> None:
    names = [case.name for case in RUN[origin]()]
    assert len(names) == len(set(names)) == count
    assert set(names) == vectors.files(origin)
