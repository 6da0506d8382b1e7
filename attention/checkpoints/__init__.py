"""Attention modules of models' weight files: found by name, read by layout, filled by config."""

from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.filling import CheckpointProjection, LoadedProjection

__all__ = ["Checkpoint", "CheckpointProjection", "LoadedProjection"]
