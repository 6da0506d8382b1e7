"""One real server for everything that is sent to do harm; it must outlive all of it."""

from collections.abc import Iterator

import pytest

from tests.app.serving import Served, served

HEAD_SECONDS, BODY_SECONDS = 1, 2


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """It answers, before and after."""
    seconds = {"head_seconds": HEAD_SECONDS, "body_seconds": BODY_SECONDS}
    with served(tmp_path_factory.mktemp("hostile"), **seconds) as server:
        yield server
        assert server.process.poll() is None
        log = server.log.read_text()
        assert "Traceback" not in log, log


@pytest.fixture(autouse=True)
def still_there(server: Served) -> Iterator[None]:
    """Whatever a test has sent, the process that got it lives."""
    yield
    assert server.process.poll() is None
