"""Whatever the specification, its scripts agree with the run."""

import pytest
from hypothesis import given, settings

from attention import SCRIPT_STYLES, SpecificationError, attend, script
from tests.properties.specifications import Spec, specifications

from .running import NAMES, assert_same, left_by


@pytest.mark.parametrize("style", SCRIPT_STYLES)
def test_random_specifications_are_reproduced(style: str) -> None:
    @settings(max_examples=60, database=None)
    @given(specifications())
    def reproduced(spec: Spec) -> None:
        result = attend(**spec)
        try:
            text = script(result, style)
        except SpecificationError as error:
            assert style in ("sdpa", "multihead_attention")
            assert error.loc == ("style",)
            return
        expected = {name: getattr(result, name).numpy() for name in NAMES}
        assert_same(left_by(text), expected, "float64", style)

    reproduced()
