"""One application for the whole run, and one way to ask it for attention."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

from app.main import create_app
from app.settings import Settings
from tests.wire import array, listed

# A machine under load is slow, not wrong: no example fails for the time that it took.
settings.register_profile(
    "steady", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: from the first of them on, Playwright keeps an event loop running."""
    items.sort(key=lambda item: "browser" in item.path.parts)


Tensors = dict[str, NDArray[Any]]


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The application with its own folder for uploads; a server's error is an answer, no crash."""
    settings = Settings(upload_dir=tmp_path_factory.mktemp("uploads"))
    with TestClient(create_app(settings), raise_server_exceptions=False) as session:
        yield session


@pytest.fixture(scope="session")
def tensors(client: TestClient) -> Callable[..., Tensors]:
    """Post a specification to /api/attention; the tensors and row sums of its answer."""

    def ask(spec: dict[str, Any], **query: str) -> Tensors:
        answer = client.post(
            "/api/attention", json=listed(spec), params={"encoding": "base64", **query}
        )
        assert answer.status_code == 200, answer.text
        body = answer.json()
        read = {name: array(value) for name, value in body["tensors"].items()}
        return {**read, "row_sums": array(body["row_sums"])}

    return ask


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240607)
