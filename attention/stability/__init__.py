"""What a smaller dtype, a softmax without its maximum and a finite fill do to a run."""

from attention.stability.event import Event
from attention.stability.trial import Trial
from attention.stability.trials import Trials, trials

__all__ = ["Event", "Trial", "Trials", "trials"]
