"""``python -m attention capture run.safetensors script.py …``: record a script's attention."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attention.capturing import capture


def build_parser() -> argparse.ArgumentParser:
    """The command's words."""
    parser = argparse.ArgumentParser(prog="python -m attention")
    commands = parser.add_subparsers(required=True, metavar="command")
    record = commands.add_parser("capture", help="run a script and save its attention calls")
    record.add_argument(
        "--layer", action="append", metavar="LAYER",
        help="only modules whose path has this number, or matches this pattern; repeatable",
    )  # fmt: skip
    record.add_argument("file", help="where to save the run, a .safetensors file")
    record.add_argument("script", help="the Python script to run")
    record.add_argument("arguments", nargs=argparse.REMAINDER, help="passed to the script")
    return parser


def main(arguments: Sequence[str] | None = None) -> Any:
    """Run the script with its attention recorded, then save what was seen."""
    options = build_parser().parse_args(arguments)
    layers = None
    if options.layer:
        layers = [int(text) if text.isdigit() else text for text in options.layer]
    before, code = (sys.argv, list(sys.path)), 0
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, str(Path(options.script).resolve().parent))
    try:
        with capture(layers=layers) as calls:
            code = _run(options.script)
    finally:
        sys.argv, sys.path[:] = before
    calls.save(options.file)
    print(f"{len(calls)} attention call(s) in {options.file}")
    return code


def _run(script: str) -> Any:
    """What the script says to ``sys.exit``, 0 where it just ends."""
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        return stop.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
