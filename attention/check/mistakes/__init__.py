"""The table of mistakes, in the order of the computation."""

from attention.check.mistakes.heads import HEADS, MERGING
from attention.check.mistakes.masks import MASKING
from attention.check.mistakes.mistake import Mistake
from attention.check.mistakes.positions import POSITIONS
from attention.check.mistakes.scores import SCORES
from attention.check.mistakes.softmax import SOFTMAX
from attention.check.mistakes.spans import SPANS
from attention.check.mistakes.weights import WEIGHTS

MISTAKES: list[Mistake] = [
    *(*WEIGHTS, *HEADS, *POSITIONS, *SCORES),
    *(*SPANS, *MASKING, *SOFTMAX, *MERGING),
]

__all__ = ["MISTAKES", "Mistake"]
