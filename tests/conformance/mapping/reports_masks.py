"""The masks of the report cases, one function for each way that a case says one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exchange import Specification

Given = dict[str, Any]


def causal(given: Given) -> list[Specification]:
    if not given.get("causal", given.get("is_causal_hint")):
        return []
    alignment = {"alignment": given["alignment"]} if "alignment" in given else {}
    return [{"kind": "causal", **alignment}]


def matrix(given: Given) -> list[Specification]:
    """Always with its convention; a mask for each batch item gets a head axis of 1."""
    values = np.asarray(given["mask"], dtype=bool)
    if given.get("mask_shape") == "(B, Lq, Lk)":
        values = values[:, None]
    return [{"kind": "matrix", "values": values, "convention": given["mask_true_means"]}]


def padding(given: Given) -> list[Specification]:
    """Integers from a tokenizer or booleans: the API takes both as "keep"."""
    assert given.get("attention_mask_1_means", "keep") == "keep"
    keep = np.asarray(given.get("attention_mask", given.get("token_is_real")))
    return [{"kind": "padding", "keep": keep.astype(np.int32 if keep.dtype != bool else bool)}]


def window(given: Given) -> list[Specification]:
    """W keys with the query's own among them leave W - 1 on its left."""
    assert given["window_counts"] == "keys including the query's own"
    return [{"kind": "window", "left": given["sliding_window"] - 1, "right": None}]
