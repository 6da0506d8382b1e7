"""The table of mistakes, in the order of the computation."""

from attention.checking.mistakes.heads import HEADS, MERGING
from attention.checking.mistakes.masks import MASKING
from attention.checking.mistakes.mistake import Mistake
from attention.checking.mistakes.positions import POSITIONS
from attention.checking.mistakes.scores import SCORES
from attention.checking.mistakes.softmax import SOFTMAX
from attention.checking.mistakes.spans import SPANS
from attention.checking.mistakes.weights import WEIGHTS

MISTAKES: list[Mistake] = [
    *(*WEIGHTS, *HEADS, *POSITIONS, *SCORES),
    *(*SPANS, *MASKING, *SOFTMAX, *MERGING),
]

__all__ = ["MISTAKES", "Mistake"]
