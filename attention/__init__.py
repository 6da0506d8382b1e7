"""Attention, computed stage by stage, with every convention stated.

``attend(x, num_heads=2, masks=[{"kind": "causal"}])`` returns every stage of the run. The
arrows of the diagram X → q k v → scores → mask → weights → heads → output are, in order,
`task.project`, `stages.scores`, `stages.masked_scores`, `stages.attention_weights`,
`stages.mix` and `forward.forward`.
"""

from attention.arrays import array_from_lists, say
from attention.comparison import Comparison, Difference, compare
from attention.dimensions import Dimensions
from attention.errors import (
    AttentionError,
    LimitError,
    ShapeError,
    SpecificationError,
    dotted,
)
from attention.figure import picture
from attention.forward import attend, run
from attention.inspection import Inspection, MaskAtCell, inspect
from attention.notices import Notice
from attention.result import Result
from attention.specification import Specification
from attention.steps import AXES, Step
from attention.task import Task, prepare
from attention.variants import VARIANTS, merge_kv_heads

__all__ = [
    "AXES",
    "VARIANTS",
    "AttentionError",
    "Comparison",
    "Difference",
    "Dimensions",
    "Inspection",
    "LimitError",
    "MaskAtCell",
    "Notice",
    "Result",
    "ShapeError",
    "Specification",
    "SpecificationError",
    "Step",
    "Task",
    "array_from_lists",
    "attend",
    "compare",
    "dotted",
    "inspect",
    "merge_kv_heads",
    "picture",
    "prepare",
    "run",
    "say",
]
