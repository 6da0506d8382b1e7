"""A language model and its tokenizer, from a folder, a .gguf file or a hub id."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from attention.errors import SpecificationError

INSTALL = "pip install 'attention-visualiser[models]'"


def load(source: str | Path, online: bool, device: str, dtype: torch.dtype) -> tuple[Any, Any]:
    """The model, ready to run, and its tokenizer, or None where it has none of its own.

    Code that comes with a model is never run, and nothing is fetched unless ``online``.
    """
    transformers = _library()
    place, options = _place(source)
    options |= {"local_files_only": not online, "trust_remote_code": False}
    model = _tried(
        source, lambda: transformers.AutoModel.from_pretrained(place, dtype=dtype, **options)
    )
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    tokenizer = _tokenizer(transformers, place, options, model)
    return model.to(device).eval(), tokenizer


def why_not(source: str | Path, online: bool = False) -> str | None:
    """What a quick look finds missing before `load`; None where nothing is."""
    path = Path(source).expanduser()
    is_gguf = path.suffix == ".gguf" or (path.is_dir() and not (path / "config.json").exists())
    needed = ["transformers", *(["gguf", "accelerate"] if is_gguf else [])]
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} not installed: {INSTALL}"
    if path.is_dir():
        holds = (path / "config.json").exists() or any(path.glob("*.gguf"))
        return None if holds else "its folder holds neither config.json nor a .gguf file"
    if path.is_file() or online:
        return None
    return _why_not_of_the_hub(str(source))


def _why_not_of_the_hub(source: str) -> str | None:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(source, "config.json")
    except HFValidationError:  # it has no hub id's form, so a path was meant
        return "there is no such folder or file"
    if isinstance(cached, str):
        return None
    return "there is no such folder, and no model of this hub id on this machine"


def _library() -> Any:
    try:
        import transformers
    except ImportError:
        raise SpecificationError(
            "running text through a model needs the transformers library",
            loc=("model",),
            expected=INSTALL,
        ) from None
    return transformers


def _place(source: str | Path) -> tuple[str, dict[str, Any]]:
    """Where from_pretrained looks, and the .gguf file there, if it is one."""
    path = Path(source).expanduser()
    if path.suffix == ".gguf":
        return str(path.parent), {"gguf_file": path.name}
    if not path.is_dir():
        return str(source), {}
    files = sorted(file.name for file in path.glob("*.gguf"))
    if files and not (path / "config.json").exists():
        if len(files) > 1:
            raise SpecificationError(
                f"{path} holds several .gguf files: name one",
                loc=("model",),
                got=", ".join(files),
            )
        return str(path), {"gguf_file": files[0]}
    return str(path), {}


def _tokenizer(transformers: Any, place: str, options: dict[str, Any], model: Any) -> Any:
    """The model's own tokenizer; None where it has none, and then it runs on token ids."""
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, **options)
    except Exception:  # whatever a folder of files makes transformers say
        return None
    # A folder without its files gives one that knows a few marks and no words.
    known = model.get_input_embeddings().num_embeddings
    return tokenizer if 2 * len(tokenizer) >= known else None


def _tried(source: str | Path, loading: Callable[[], Any]) -> Any:
    try:
        return loading()
    except Exception as error:  # whatever a folder of files makes transformers say
        reason = str(error).strip().split("\n")[0]
        raise SpecificationError(
            f"the model {source} cannot be loaded",
            loc=("model",),
            expected="a folder with config.json and weights, a .gguf file, or a model of the hub",
            got=reason or type(error).__name__,
        ) from error
