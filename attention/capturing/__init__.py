"""Record the attention of any PyTorch model as it runs, unchanged."""

from attention.capturing.call import Call
from attention.capturing.calls import Calls
from attention.capturing.recorder import capture

__all__ = ["Call", "Calls", "capture"]
