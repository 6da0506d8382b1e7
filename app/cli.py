"""The console command: serve the page and the API on one address."""

import argparse
import os
from collections.abc import Sequence

import uvicorn

from app import __version__


def port_number(text: str) -> int:
    """Read a TCP port, 0 (any free one) to 65535."""
    try:
        port = int(text)
    except ValueError:
        port = -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a whole number from 0 to 65535, got {text!r}")
    return port


def build_parser() -> argparse.ArgumentParser:
    """The command's options, each with its environment variable as the default."""
    parser = argparse.ArgumentParser(
        prog="attention-visualiser",
        description="See exactly what attention computes: serves the page and its JSON API.",
    )
    # An empty variable means unset, as in most shells' `${HOST:-default}`.
    parser.add_argument(
        "--host",
        default=os.environ.get("HOST") or "127.0.0.1",
        help="address to listen on (environment: HOST; now %(default)s)",
    )
    # argparse passes a default that is text through `type`, so a bad PORT is refused like --port.
    parser.add_argument(
        "--port",
        type=port_number,
        default=os.environ.get("PORT") or "8000",
        help="port to listen on, 0 for any free one (environment: PORT; now %(default)s)",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted."""
    options = build_parser().parse_args(arguments)
    # torch, not imported yet, then asks for huge pages: fresh large arrays cost a quarter.
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    uvicorn.run("app.main:create_app", factory=True, host=options.host, port=options.port)
    return 0
