"""The lesson's states by name, as the server tells them."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.conftest import Tensors

Spec = dict[str, Any]
State = Callable[..., Spec]


@pytest.fixture(scope="session")
def state(client: TestClient) -> State:
    """The specification of a step, or of one of its tries."""
    found = {
        step["name"]: {"": step["spec"], **{each["name"]: each["spec"] for each in step["tries"]}}
        for step in client.get("/api/lesson").json()["steps"]
    }

    def named(step: str, tried: str = "") -> Spec:
        spec: Spec = found[step][tried]
        return spec

    return named


@pytest.fixture(scope="session")
def run(tensors: Callable[..., Tensors], state: State) -> Callable[..., Tensors]:
    """What the API answers for a state of the lesson; ``change`` sets fields of it."""

    def ask(step: str, tried: str = "", include: str = "", **change: Any) -> Tensors:
        names = {"include": include} if include else {}
        return tensors({**state(step, tried), **change}, **names)

    return ask
