"""Every route of the OpenAPI document, asked by Schemathesis: as documented, and as not."""

import json
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from app.main import create_app
from app.settings import Settings
from tests.app.serving import Served
from tests.fuzzing import examples

SECONDS = 60
"""Of one answer on a busy machine; nothing that is drawn here is large."""


def documented() -> dict[str, Any]:
    document: dict[str, Any] = create_app(Settings()).openapi()
    return document


SCHEMA = schemathesis.openapi.from_dict(documented())
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}
MODES = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]


@pytest.fixture(scope="module")
def session() -> requests.Session:
    return requests.Session()


@pytest.mark.parametrize("label", OPERATIONS)
@settings(max_examples=examples(8), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_route_answers_what_is_documented_and_what_is_not(
    server: Served, session: requests.Session, label: str, data: st.DataObject
) -> None:
    operation = OPERATIONS[label]
    case = data.draw(operation.as_strategy(data.draw(st.sampled_from(MODES))))
    answer = session.request(
        **case.as_transport_kwargs(base_url=server.url), timeout=SECONDS, allow_redirects=False
    )
    assert answer.status_code < 500, answer.text
    if answer.status_code < 400:
        return
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    problem = json.loads(answer.content)
    assert problem["status"] == answer.status_code
    assert problem["detail"]


def test_every_route_is_asked() -> None:
    routes = {
        f"{method.upper()} {path}"
        for path, item in documented()["paths"].items()
        for method in item
    }
    assert set(OPERATIONS) == routes
    assert len(routes) > 25
