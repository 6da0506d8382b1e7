"""The verdict on someone's own numbers, and the mistake that they look like.

Every classic mistake is tried by computing it: over the stages of the one forward pass, from
another specification or with one step done in the wrong way. Only what reproduces all given
numbers is named.
"""

from attention.checking.making import MadeMistake, make_mistake, make_mistakes
from attention.checking.search import Cause
from attention.checking.tolerance import Tolerance, tolerance_for
from attention.checking.verdict import Check, Verdict, check

__all__ = [
    "Cause",
    "Check",
    "MadeMistake",
    "Tolerance",
    "Verdict",
    "check",
    "make_mistake",
    "make_mistakes",
    "tolerance_for",
]
