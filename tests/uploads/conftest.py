"""An application of its own for each test, with a folder that can be looked into."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings

Serve = Callable[..., TestClient]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "uploads"


@pytest.fixture
def serve(folder: Path) -> Serve:
    """A client of an application with the given settings; two of them are two workers."""

    def start(**settings: Any) -> TestClient:
        app = create_app(Settings(upload_dir=folder, **settings))
        return TestClient(app, raise_server_exceptions=False)

    return start


@pytest.fixture
def client(serve: Serve) -> TestClient:
    return serve()
