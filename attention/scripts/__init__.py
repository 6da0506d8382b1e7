"""A run as a script of its own, in PyTorch or NumPy, for people to take away."""

from attention.scripts.styles import STYLES, script

__all__ = ["STYLES", "script"]
