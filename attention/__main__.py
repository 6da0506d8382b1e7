"""Record attention from the shell: of a script, or of a language model on a text.

``python -m attention capture run.safetensors script.py …``
``python -m attention text run.safetensors MODEL "a text" …``
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attention.capturing import capture
from attention.errors import AttentionError
from attention.texts import run_text


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
    record.set_defaults(command=capture_script)
    text = commands.add_parser("text", help="run text through a language model and save the same")
    text.add_argument(
        "--layer", action="append", type=int, metavar="LAYER",
        help="only this layer, counted from 0; repeatable",
    )  # fmt: skip
    text.add_argument("--online", action="store_true", help="let the model's hub be asked")
    text.add_argument("file", help="where to save the run, a .safetensors file")
    text.add_argument("model", help="a folder, a .gguf file, or a model of the hub")
    text.add_argument("text", nargs="+", help="one text or several")
    text.set_defaults(command=capture_text)
    return parser


def main(arguments: Sequence[str] | None = None) -> Any:
    """Do what the command says; the exit status."""
    options = build_parser().parse_args(arguments)
    return options.command(options)


def capture_script(options: argparse.Namespace) -> Any:
    """Run the script with its attention recorded, then save what was seen."""
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


def capture_text(options: argparse.Namespace) -> int:
    """Run the texts through the model, then save what was seen."""

    def progress(done: int, of: int) -> None:
        print(f"\rlayer {done} of {of}", end="\n" if done == of else "", file=sys.stderr)

    try:
        calls = run_text(
            options.model, options.text, layers=options.layer, online=options.online,
            progress=progress,
        )  # fmt: skip
    except AttentionError as error:
        print(error, file=sys.stderr)
        return 1
    calls.save(options.file)
    print(f"{len(calls)} attention call(s) in {options.file}")
    return 0


def _run(script: str) -> Any:
    """What the script says to ``sys.exit``, 0 where it just ends."""
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        return stop.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
