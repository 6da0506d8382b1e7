"""From texts to padded token ids, and from token ids to labels that people can read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor

from attention.arrays import is_whole, say
from attention.errors import SpecificationError

Text: TypeAlias = str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]


@dataclass(frozen=True)
class Encoded:
    """``ids`` and ``mask`` [B, T], 1 where the mask has a real token; a label for each."""

    ids: Tensor
    mask: Tensor
    labels: list[list[str]]


def encode(text: Text, tokenizer: Any, known: int) -> Encoded:
    """One text or several, as texts or as token ids below ``known``, padded on its side."""
    rows = [_ids(item, tokenizer, known, place) for item, place in _items(text)]
    longest = max(map(len, rows))
    left = getattr(tokenizer, "padding_side", "right") == "left"
    padding = _padding(tokenizer)
    ids = torch.full((len(rows), longest), padding)
    mask = torch.zeros_like(ids)
    for i, row in enumerate(rows):
        real = slice(longest - len(row), None) if left else slice(len(row))
        ids[i, real], mask[i, real] = torch.tensor(row), 1
    labels = [[label(int(n), tokenizer) for n in row] for row in ids]
    return Encoded(ids, mask, labels)


def label(number: int, tokenizer: Any) -> str:
    """What a token stands for: its text, its space in front included, line ends written out."""
    if tokenizer is None:
        return str(number)
    token = tokenizer.convert_ids_to_tokens(number)
    if token is None:
        return str(number)
    if number in tokenizer.all_special_ids:
        return str(token)
    if _is_byte_level(tokenizer):
        return _printable(_bytes_as_text(token))
    return _printable(token.replace("▁", " "))


def _items(text: Text) -> list[tuple[Any, tuple[str | int, ...]]]:
    """Each text or list of token ids with its place."""
    several = isinstance(text, Sequence) and not isinstance(text, str)
    if not several or (len(text) > 0 and all(map(is_whole, text))):
        return [(text, ("text",))]
    if not text:
        raise SpecificationError("there must be a text", loc=("text",), got="an empty list")
    return [(item, ("text", i)) for i, item in enumerate(text)]


def _ids(item: Any, tokenizer: Any, known: int, place: tuple[str | int, ...]) -> list[int]:
    if isinstance(item, str):
        if tokenizer is None:
            raise SpecificationError(
                "this model came without a tokenizer",
                loc=place,
                expected="token ids, or a tokenizer",
                got=say(item),
            )
        ids = list(tokenizer(item, verbose=False)["input_ids"])
    elif isinstance(item, Sequence) and all(map(is_whole, item)):
        ids = [int(number) for number in item]
    else:
        raise SpecificationError("a text or token ids must stand here", loc=place, got=say(item))
    if not ids:
        raise SpecificationError(
            "a text has at least one token", loc=place, expected="1 or more", got=say(item)
        )
    if not 0 <= min(ids) <= max(ids) < known:
        raise SpecificationError(
            "a token id is one of the model's",
            loc=place,
            expected=f"0 to {known - 1}",
            got=f"{min(ids)} to {max(ids)}",
        )
    return ids


def _padding(tokenizer: Any) -> int:
    """Any id does where there is no padding token, since nothing reads it."""
    ids = (getattr(tokenizer, f"{name}_token_id", None) for name in ("pad", "eos"))
    return next((number for number in ids if number is not None), 0)


def _is_byte_level(tokenizer: Any) -> bool:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return hasattr(tokenizer, "byte_decoder")
    decoder = json.loads(backend.to_str())["decoder"] or {}
    parts = decoder.get("decoders", [decoder])
    return any(part.get("type") == "ByteLevel" for part in parts)


def _bytes_as_text(token: str) -> str:
    """A token of GPT-2's alphabet of bytes; parts of a character as SentencePiece's <0xE7>."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    values = {sign: byte for byte, sign in bytes_to_unicode().items()}
    if not set(token) <= set(values):
        return token
    raw = bytes(values[sign] for sign in token)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" if byte > 127 else chr(byte) for byte in raw)


def _printable(text: str) -> str:
    return text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
