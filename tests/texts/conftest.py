"""Small random language models with a tokenizer of a few words, saved as people keep them."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from tests.capturing.test_transformers import bert, gpt2, llama

WORDS = ["[PAD]", "[UNK]", "the", "cat", "sat", "on", "mat", *(f"word{i}" for i in range(43))]
BUILDERS = {"bert": bert, "gpt2": gpt2, "llama": llama}
Saved = Callable[[str], Path]


def words_tokenizer(side: str = "right") -> PreTrainedTokenizerFast:
    model = models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", padding_side=side
    )


def bytes_tokenizer() -> PreTrainedTokenizerFast:
    """Every byte a token, as GPT-2 writes bytes, and one token for `cat` after a space."""
    vocabulary = {sign: i for i, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    merges = [("Ġ", "c"), ("a", "t"), ("Ġc", "at")]
    vocabulary |= {left + right: 256 + i for i, (left, right) in enumerate(merges)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Saved:
    """The folder of a model by its kind."""

    def save(kind: str) -> Path:
        folder = tmp_path_factory.mktemp(kind)
        torch.manual_seed(0)
        BUILDERS[kind]().eval().save_pretrained(folder)
        words_tokenizer("left" if kind == "llama" else "right").save_pretrained(folder)
        return folder

    return save
