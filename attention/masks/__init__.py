"""Masks: each kind a predicate of (query index, key index), combined with *and*."""

from typing import Any

from attention.masks.causal import Causal
from attention.masks.documents import Documents
from attention.masks.matrix import Matrix
from attention.masks.padding import Padding
from attention.masks.predicate import Mask, Predicate
from attention.masks.prefix import Prefix
from attention.masks.window import Window

MASKS: dict[str, Any] = {
    mask.kind: mask for mask in (Causal, Padding, Window, Prefix, Documents, Matrix)
}

__all__ = [
    "MASKS",
    "Causal",
    "Documents",
    "Mask",
    "Matrix",
    "Padding",
    "Predicate",
    "Prefix",
    "Window",
]
