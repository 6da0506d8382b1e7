"""The library's public names: a change here is a change for those who import it."""

import inspect
from dataclasses import fields

import attention

NAMES = {
    "LinearAttention",
    "ScoreVariance",
    "SoftmaxRow",
    "Spread",
    "linear_attention",
    "score_variance",
    "softmax_gradient",
    "TiledAttention",
    "tiled_attention",
    "ARRAY_TYPES",
    "FILE_KINDS",
    "ArrayFile",
    "Checkpoint",
    "Entry",
    "FileError",
    "TABLE_OPTIONS",
    "UnreadableFileError",
    "array_from_typed",
    "kind_of",
    "open_tensors",
    "AXES",
    "DRAWINGS",
    "Drawn",
    "VARIANTS",
    "AttentionError",
    "Cause",
    "Check",
    "MadeMistake",
    "Verdict",
    "check",
    "make_mistake",
    "make_mistakes",
    "Call",
    "Calls",
    "Comparison",
    "Difference",
    "CostCurves",
    "Costs",
    "ModelCache",
    "TopLeft",
    "cost_curves",
    "model_cache",
    "script_refusals",
    "DecodeStep",
    "Dimensions",
    "Inspection",
    "LimitError",
    "MaskAtCell",
    "Notice",
    "Result",
    "RowStatistics",
    "row_statistics",
    "rows_asked",
    "ShapeError",
    "Specification",
    "SpecificationError",
    "Step",
    "StepCost",
    "Task",
    "TextModel",
    "View",
    "ViewStrip",
    "view_strips",
    "Event",
    "READING_SUBJECTS",
    "Reading",
    "readings",
    "window_asked",
    "Trial",
    "Trials",
    "trials",
    "Window",
    "array_from_lists",
    "attend",
    "capture",
    "compare",
    "costs",
    "decode",
    "finite_range",
    "dotted",
    "inspect",
    "merge_kv_heads",
    "outline",
    "picture",
    "prepare",
    "run",
    "run_text",
    "say",
    "SCRIPT_STYLES",
    "script",
    "stage_size",
    "view",
    "window_cells",
    "window_work",
}
FIELDS = {
    *("x", "memory", "q", "k", "v", "past_k", "past_v", "tokens", "memory_tokens"),
    *("num_heads", "num_kv_heads", "head_dim", "value_dim", "projection", "qk_norm", "rope"),
    *("scale", "softcap", "biases", "masks", "sinks", "fill", "mask_order", "fully_masked"),
    *("dropout", "dtype"),
}


def test_the_public_names_are_these() -> None:
    assert set(attention.__all__) == NAMES


def test_every_public_name_is_there_and_says_what_it_is() -> None:
    for name in attention.__all__:
        value = getattr(attention, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name


def test_the_specification_has_the_fields_of_the_contract() -> None:
    assert {field.name for field in fields(attention.Specification)} == FIELDS
