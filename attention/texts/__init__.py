"""Text into a language model of the transformers library, and its attention out."""

from attention.texts.model import TextModel
from attention.texts.running import run_text

__all__ = ["TextModel", "run_text"]
