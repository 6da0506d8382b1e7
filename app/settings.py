"""What an operator can set, each from the environment as ATTENTION_<NAME>."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""What a server for this machine alone is called."""
Names: TypeAlias = Annotated[list[str], NoDecode]
FRAMES = r"[-\w.:/*'\[\] ]+"
"""Sources of frame-ancestors: nothing that would end the directive or the header."""


class Settings(BaseSettings):
    """Limits are checked before anything is allocated; over one, the answer is 413."""

    model_config = SettingsConfigDict(env_prefix="ATTENTION_", frozen=True)

    max_body_bytes: PositiveInt = Field(32 * 2**20, description="bytes of one request body")
    max_batch: PositiveInt = Field(256, description="sequences in one batch (B)")
    max_tokens: PositiveInt = Field(131_072, description="queries or keys of one sequence (T, S)")
    max_heads: PositiveInt = Field(256, description="query heads (H)")
    max_width: PositiveInt = Field(16_384, description="numbers of one token (E, H·D or H·Dv)")
    max_weights: PositiveInt = Field(2**25, description="numbers of all projections together")
    max_cells: PositiveInt = Field(2**23, description="cells of one answer (B·H·T·S)")
    max_products: PositiveInt = Field(2**40, description="multiply-adds of q·k for one answer")
    max_random: PositiveInt = Field(2**25, description="numbers of one random tensor")
    max_check_cells: PositiveInt = Field(2**20, description="cells of one check (B·H·T·S)")
    max_check_weights: PositiveInt = Field(2**22, description="projection numbers of one check")
    max_masks: PositiveInt = Field(16, le=31, description="masks or biases of one specification")
    max_upload_bytes: PositiveInt = Field(64 * 2**20, description="bytes of one uploaded file")
    max_unpacked_bytes: PositiveInt = Field(
        256 * 2**20, description="bytes of all members of an uploaded archive, unpacked"
    )
    upload_quota_bytes: PositiveInt = Field(
        2 * 2**30, description="bytes of all uploads; the least recently used go first"
    )
    upload_dir: Path | None = Field(
        None,
        description="where uploads lie; default: the user's own folder below the temporary one",
    )
    upload_store: str | None = Field(
        None,
        min_length=1,
        description="a store that several machines share, as a URL that fsspec knows, such as"
        " s3://bucket/uploads; the folder is then its cache",
    )
    models: Annotated[dict[str, str], NoDecode] = Field(
        {},
        description="the language models that may be run, separated by commas: folders, .gguf"
        " files or hub ids, each with NAME= in front or named by its last part",
    )
    models_online: bool = Field(False, description="let models be fetched from their hub")
    max_run_texts: PositiveInt = Field(16, description="texts of one run through a model")
    max_run_characters: PositiveInt = Field(16_384, description="characters of a run's texts")
    max_run_tokens: PositiveInt = Field(1_024, description="tokens of a run's texts, padded")
    cache_bytes: NonNegativeInt = Field(
        512 * 2**20, description="bytes of specifications kept ready for the next window"
    )
    workers: PositiveInt = Field(2, description="requests computed at the same time")
    queue_length: NonNegativeInt = Field(
        256, description="requests that wait while others are computed; the next one gets 503"
    )
    client_requests: NonNegativeInt = Field(
        0, description="requests of one address under way, the next one gets 429; 0: no such limit"
    )
    deadline_seconds: PositiveFloat = Field(
        300.0, description="seconds from a request's arrival to its answer, waiting included"
    )
    send_seconds: PositiveFloat = Field(
        60.0, description="seconds in which a client takes 256 KiB of its answer"
    )
    memory_bytes: int = Field(
        4 * 2**30,
        ge=2**26,
        description="bytes of all requests under way; a quarter for bodies, the rest to compute",
    )
    max_seconds: PositiveInt = Field(
        300, description="seconds that one request is expected to compute on one core"
    )
    drain_seconds: NonNegativeFloat = Field(
        0.0, description="seconds after SIGTERM in which requests are still taken, not ready"
    )
    stop_seconds: PositiveFloat = Field(
        30.0, description="seconds that what runs has to end once the server closes; then 503"
    )
    log_format: Literal["text", "json"] = Field("text", description="lines of the log")
    trusted_proxies: str = Field(
        "",
        description="addresses or networks whose X-Forwarded-For and -Proto are believed, separated"
        " by commas; `*` is all",
    )
    threads: PositiveInt | None = Field(
        None, description="threads of all computations together; default: one a core"
    )

    allowed_hosts: Names = Field(
        [],
        description="names this server answers to, separated by commas; `*.example.org` is all"
        " below it; any by default, but on a loopback address `localhost` and such alone",
    )
    allowed_origins: Names = Field(
        [],
        description="origins whose pages may use the API (CORS), such as https://example.org;"
        " `*` is any",
    )
    page_frames: str = Field(
        "'none'", pattern=f"^{FRAMES}$", description="who may frame the page; `*` is anyone"
    )
    embed_frames: str = Field(
        "*", pattern=f"^{FRAMES}$", description="who may frame `/embed`; `*` is anyone"
    )
    token: SecretStr | None = Field(
        None,
        min_length=8,
        description="a secret that every request brings, as a bearer token or as the password that"
        " a browser asks for; at least 8 characters",
    )

    head_seconds: PositiveFloat = Field(
        20.0, description="seconds in which the head of a request arrives, or its connection ends"
    )
    body_seconds: PositiveFloat = Field(
        300.0, description="seconds in which the body of a request arrives"
    )

    @field_validator("models", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        return named_models(value) if isinstance(value, str) else value

    @field_validator("allowed_hosts", "allowed_origins", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return listed_names(value) if isinstance(value, str) else value


def listed_names(text: str) -> list[str]:
    """``a, b`` as its parts."""
    return [part.strip() for part in text.split(",") if part.strip()]


def named_models(text: str) -> dict[str, str]:
    """``small=/models/small,org/large`` by their names; a name stands once."""
    found: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, source = (part.strip() for part in item.partition("="))
        if not equals:
            name, source = item.rstrip("/").rsplit("/", 1)[-1], item
        if not name or not source:
            raise ValueError(f"a model is NAME=PATH, a path or a hub id, got {item!r}")
        if found.setdefault(name, source) != source:
            raise ValueError(f"a model's name stands once: {name!r} stands twice")
    return found
