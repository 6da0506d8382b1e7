"""The page, served for this machine alone and opened on one file."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path
from threading import Thread

import uvicorn
from fastapi import FastAPI

from app.connection import send_at_once
from app.guards.headers import ANYONE
from app.main import create_app
from app.problems import ProblemError
from app.settings import LOCAL_HOSTS, Settings
from app.uploads import Store, Upload
from attention import AttentionError

HOST = "127.0.0.1"


class CannotOpenError(Exception):
    """The file, or the port, cannot be had; the message says which and why."""


def serve_open(path: Path, *, port: int = 0, browser: bool = True) -> None:
    """Keep the file as an upload, print the page's address, and serve until interrupted.

    Errors: `CannotOpenError`.
    """
    upload = _kept(path)
    try:
        # It listens at once, so that the browser may ask before the application is there.
        listening = socket.create_server((HOST, port))
        send_at_once(listening)  # and what it accepts inherits it
    except OSError as error:
        raise CannotOpenError(f"port {port} cannot be had: {error.strerror}") from None
    with listening:
        address = f"http://{HOST}:{listening.getsockname()[1]}/?open={upload.id}"
        print(address, flush=True)
        if browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        config = uvicorn.Config(local_app, factory=True, log_level="warning")
        uvicorn.Server(config).run(sockets=[listening])


def local_app() -> FastAPI:
    """For this machine alone; a notebook has the page in a frame of its own site."""
    settings = Settings()
    changed = {"page_frames": ANYONE, "allowed_hosts": settings.allowed_hosts or list(LOCAL_HOSTS)}
    return create_app(settings.model_copy(update=changed))


def _kept(path: Path) -> Upload:
    try:
        if not path.is_file():
            raise FileNotFoundError("there is no such file")
        return Store(Settings()).keep_copy(path)
    except (AttentionError, ProblemError, FileNotFoundError) as error:
        raise CannotOpenError(f"{path} cannot be opened: {error}") from None
