"""One mask as different frameworks read it: what is written stays, what it means changes."""

from attention.reading.asking import SUBJECTS, Reading, readings
from attention.reading.spans import window_asked

__all__ = ["SUBJECTS", "Reading", "readings", "window_asked"]
