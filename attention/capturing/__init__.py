"""Record the attention of any PyTorch model as it runs, unchanged."""

from attention.capturing.calls import Call, Calls
from attention.capturing.recorder import capture

__all__ = ["Call", "Calls", "capture"]
