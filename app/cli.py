"""The console command: serve the page and the API on one address, or open a file in the page."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import uvicorn
from pydantic import ValidationError

from app import __version__
from app.connection import Connection, is_loopback
from app.operations.logs import log_config
from app.settings import LOCAL_HOSTS, Settings, named_models

MODELS, HOSTS, THREADS = "ATTENTION_MODELS", "ATTENTION_ALLOWED_HOSTS", "ATTENTION_THREADS"
METRICS = "PROMETHEUS_MULTIPROC_DIR"


def port_number(text: str) -> int:
    """Read a TCP port, 0 (any free one) to 65535."""
    try:
        port = int(text)
    except ValueError:
        port = -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a whole number from 0 to 65535, got {text!r}")
    return port


def process_count(text: str) -> int:
    """Read a number of processes, 1 to 256."""
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"workers are 1 to 256 processes, got {text!r}")
    return int(text)


def allowed_model(text: str) -> str:
    """Read NAME=PATH, a path or a hub id."""
    try:
        named_models(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def build_parser() -> argparse.ArgumentParser:
    """The command's options, each with its environment variable as the default."""
    parser = argparse.ArgumentParser(
        prog="attention-visualiser",
        description="See exactly what attention computes: serves the page and its JSON API.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    # An empty variable means unset, as in most shells' `${HOST:-default}`.
    _add_serving(
        parser,
        host=os.environ.get("HOST") or "127.0.0.1",
        port=os.environ.get("PORT") or "8000",
        workers=os.environ.get("WEB_CONCURRENCY") or "1",
        model=None,
    )
    parser.set_defaults(command=serve)
    commands = parser.add_subparsers(metavar="command", title="commands (serve, if none is given)")
    nothing = argparse.SUPPRESS  # what stands before the command holds
    _add_serving(
        commands.add_parser("serve", help="serve the page and the API"),
        host=nothing,
        port=nothing,
        workers=nothing,
        model=nothing,
    )
    opening = commands.add_parser("open", help="open a captured run, or any file, in the page")
    opening.add_argument("file", type=Path, help="a run that was saved, or a file of tensors")
    opening.add_argument(
        "--port", type=port_number, default=0, help="port to listen on; any free one by default"
    )
    opening.add_argument("--no-browser", action="store_true", help="only print the address")
    opening.set_defaults(command=open_file)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command says until interrupted."""
    options = build_parser().parse_args(arguments)
    # torch, not imported yet, then asks for huge pages: fresh large arrays cost a quarter.
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    return cast(Callable[[argparse.Namespace], int], options.command)(options)


def serve(options: argparse.Namespace) -> int:
    """Serve the page and the API."""
    if options.model:
        allowed = [os.environ.get(MODELS, ""), *options.model]
        os.environ[MODELS] = ",".join(filter(None, allowed))
    if is_loopback(options.host):
        os.environ.setdefault(HOSTS, ",".join(LOCAL_HOSTS))
    try:
        settings = Settings()
    except ValidationError as error:
        print(said_of(error), file=sys.stderr)
        return 2
    with shared_among(options.workers):
        uvicorn.run(
            "app.main:create_app",
            factory=True,
            host=options.host,
            port=options.port,
            workers=options.workers,
            **server_options(settings),
        )
    return 0


def said_of(error: ValidationError) -> str:
    """Which settings are wrong, without what was given: it may be a secret."""
    found = error.errors(include_input=False, include_url=False, include_context=False)
    lines = (f"ATTENTION_{str(one['loc'][0]).upper()}: {one['msg']}" for one in found)
    return "\n".join(lines)


@contextmanager
def shared_among(workers: int) -> Iterator[None]:
    """What several worker processes share: the cores, and a folder for the metrics of all."""
    if workers < 2:
        yield
        return
    os.environ.setdefault(THREADS, str(max(1, (os.cpu_count() or 1) // workers)))
    with TemporaryDirectory(prefix="attention-metrics-") as folder:
        os.environ.setdefault(METRICS, folder)
        yield


def server_options(settings: Settings) -> dict[str, Any]:
    """How uvicorn serves: slow clients, our own lines in the log, trusted proxies, the end."""
    return {
        "http": partial(
            Connection, head_seconds=settings.head_seconds, body_seconds=settings.body_seconds
        ),
        # Of several workers, one that is only busy is not to be taken for one that has hung.
        "timeout_worker_healthcheck": 60,
        "log_config": log_config(settings.log_format),
        "access_log": False,
        "server_header": False,
        "proxy_headers": bool(settings.trusted_proxies),
        "forwarded_allow_ips": settings.trusted_proxies,
        # What still runs after stop_seconds answers 503 by itself; then the answers are sent.
        "timeout_graceful_shutdown": ceil(settings.stop_seconds) + 5,
    }


def open_file(options: argparse.Namespace) -> int:
    """Serve on this machine alone, with the page open on a file."""
    # Not above: it brings torch, which is to come after what `main` sets for it.
    from app.opening import CannotOpenError, serve_open

    try:
        serve_open(options.file, port=options.port, browser=not options.no_browser)
    except CannotOpenError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _add_serving(
    parser: argparse.ArgumentParser, host: str, port: str, workers: str, model: str | None
) -> None:
    parser.add_argument(
        "--host", default=host, help="address to listen on (environment: HOST; else 127.0.0.1)"
    )
    # argparse passes a default that is text through `type`, so a bad PORT is refused like --port.
    parser.add_argument(
        "--port",
        type=port_number,
        default=port,
        help="port to listen on, 0 for any free one (environment: PORT; else 8000)",
    )
    parser.add_argument(
        "--workers",
        type=process_count,
        default=workers,
        help="processes that serve, each with ATTENTION_WORKERS computations at a time"
        " (environment: WEB_CONCURRENCY; else 1)",
    )
    parser.add_argument(
        "--model",
        action="append",
        type=allowed_model,
        default=model,
        metavar="NAME=PATH",
        help="a language model that may be run: a folder, a .gguf file or a hub id; repeatable"
        f" (environment: {MODELS}, separated by commas)",
    )
