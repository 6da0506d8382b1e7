"""Attention, computed stage by stage, with every convention stated.

``attend(x, num_heads=2, masks=[{"kind": "causal"}])`` returns every stage of the run. The
arrows of the diagram X → q k v → scores → mask → weights → heads → output are, in order,
`task.project`, `stages.scores`, `stages.masked_scores`, `stages.attention_weights`,
`stages.mix` and `forward.forward`.
"""

from attention.arrays import array_from_lists, say
from attention.capturing import Call, Calls, capture
from attention.checking import (
    Cause,
    Check,
    MadeMistake,
    Verdict,
    check,
    make_mistake,
    make_mistakes,
)
from attention.checkpoints import Checkpoint
from attention.comparison import Comparison, Difference, compare
from attention.costing import (
    CostCurves,
    Costs,
    ModelCache,
    StepCost,
    cost_curves,
    costs,
    model_cache,
)
from attention.decoding import Step as DecodeStep
from attention.decoding import TopLeft, decode
from attention.dimensions import Dimensions
from attention.drawn import DRAWINGS, Drawn
from attention.errors import (
    AttentionError,
    FileError,
    LimitError,
    ShapeError,
    SpecificationError,
    UnreadableFileError,
    dotted,
)
from attention.figure import picture
from attention.files import FORMATS as FILE_KINDS
from attention.files import OPTIONS as TABLE_OPTIONS
from attention.files import ArrayFile, Entry, kind_of, open_tensors
from attention.forward import attend, run
from attention.inspection import Inspection, MaskAtCell, inspect
from attention.linear_attention import LinearAttention, linear_attention
from attention.notices import Notice
from attention.reading import SUBJECTS as READING_SUBJECTS
from attention.reading import Reading, readings, window_asked
from attention.result import Result
from attention.row_statistics import RowStatistics, row_statistics, rows_asked
from attention.score_variance import ScoreVariance, Spread, score_variance
from attention.scripts import STYLES as SCRIPT_STYLES
from attention.scripts import refusals as script_refusals
from attention.scripts import script
from attention.softmax_gradient import SoftmaxRow, softmax_gradient
from attention.specification import Specification
from attention.stability import Event, Trial, Trials, trials
from attention.steps import AXES, Step, finite_range, outline
from attention.task import Task, prepare
from attention.texts import TextModel, run_text
from attention.tiled_attention import TiledAttention, tiled_attention
from attention.typed_arrays import TYPES as ARRAY_TYPES
from attention.typed_arrays import array_from_typed
from attention.variants import VARIANTS, merge_kv_heads
from attention.windows import (
    View,
    ViewStrip,
    Window,
    stage_size,
    view,
    view_strips,
    window_cells,
    window_work,
)

__all__ = [
    "ARRAY_TYPES",
    "AXES",
    "DRAWINGS",
    "FILE_KINDS",
    "READING_SUBJECTS",
    "SCRIPT_STYLES",
    "TABLE_OPTIONS",
    "VARIANTS",
    "ArrayFile",
    "AttentionError",
    "Call",
    "Calls",
    "Cause",
    "Check",
    "Checkpoint",
    "Comparison",
    "CostCurves",
    "Costs",
    "DecodeStep",
    "Difference",
    "Dimensions",
    "Drawn",
    "Entry",
    "Event",
    "FileError",
    "Inspection",
    "LimitError",
    "LinearAttention",
    "MadeMistake",
    "MaskAtCell",
    "ModelCache",
    "Notice",
    "Reading",
    "Result",
    "RowStatistics",
    "ScoreVariance",
    "ShapeError",
    "SoftmaxRow",
    "Specification",
    "SpecificationError",
    "Spread",
    "Step",
    "StepCost",
    "Task",
    "TextModel",
    "TiledAttention",
    "TopLeft",
    "Trial",
    "Trials",
    "UnreadableFileError",
    "Verdict",
    "View",
    "ViewStrip",
    "Window",
    "array_from_lists",
    "array_from_typed",
    "attend",
    "capture",
    "check",
    "compare",
    "cost_curves",
    "costs",
    "decode",
    "dotted",
    "finite_range",
    "inspect",
    "kind_of",
    "linear_attention",
    "make_mistake",
    "make_mistakes",
    "merge_kv_heads",
    "model_cache",
    "open_tensors",
    "outline",
    "picture",
    "prepare",
    "readings",
    "row_statistics",
    "rows_asked",
    "run",
    "run_text",
    "say",
    "score_variance",
    "script",
    "script_refusals",
    "softmax_gradient",
    "stage_size",
    "tiled_attention",
    "trials",
    "view",
    "view_strips",
    "window_asked",
    "window_cells",
    "window_work",
]
