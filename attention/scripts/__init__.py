"""A run as a script of its own, in PyTorch or NumPy, for people to take away."""

from attention.scripts.styles import STYLES, refusals, script

__all__ = ["STYLES", "refusals", "script"]
