"""Who is let in: hosts, other sites' pages, and the token of a shared instance."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from app.guards import secret
from app.guards.hosts import name_of
from app.main import create_app
from app.settings import Settings

TOKEN = "κλειδί-1729"
BODY = {"x": [[1, 0], [0, 1]]}


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.fixture(scope="module")
def shared() -> Iterator[TestClient]:
    settings = Settings(
        token=TOKEN,  # type: ignore[arg-type]
        allowed_hosts=["testserver", "*.example.org", "[::1]"],
        allowed_origins=["https://lessons.example.org"],
    )
    with TestClient(create_app(settings)) as session:
        yield session


@pytest.mark.parametrize(
    "header",
    [
        f"Bearer {TOKEN}".encode(),
        f"bearer {TOKEN}".encode(),
        basic("anyone", TOKEN).encode(),
        basic("", TOKEN).encode(),
    ],
)
def test_the_token_opens_everything(shared: TestClient, header: bytes) -> None:
    for answer in (
        shared.get("/", headers={b"authorization": header}),
        shared.post("/api/attention", json=BODY, headers={b"authorization": header}),
    ):
        assert answer.status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        f"Bearer {TOKEN[:-1]}".encode(),
        f"Bearer {TOKEN}x".encode(),
        basic(TOKEN, "").encode(),
        b"Basic not/base64!",
        b"Basic " + base64.b64encode(TOKEN.encode()),
        f"Digest {TOKEN}".encode(),
        b"\xff\xfe",
    ],
)
@pytest.mark.parametrize("path", ["/", "/embed", "/static/js/main.js", "/api/examples", "/nowhere"])
def test_without_the_token_nothing_is_shown(shared: TestClient, path: str, header: bytes) -> None:
    answer = shared.get(path, headers={b"authorization": header} if header else {})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Basic realm=")
    assert answer.json()["status"] == 401
    assert TOKEN not in answer.text


def test_health_needs_no_token_and_no_host(shared: TestClient) -> None:
    for path in ("/healthz", "/readyz"):
        assert shared.get(path, headers={"host": "10.1.2.3:8000"}).status_code == 200


def test_the_comparison_is_one_of_constant_time(
    shared: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[Any] = []
    monkeypatch.setattr(secret.hmac, "compare_digest", lambda *pair: compared.append(pair) or True)
    assert shared.get("/", headers={"authorization": "Bearer x"}).status_code == 200
    assert compared == [(b"x", TOKEN.encode())]


def test_the_token_is_in_no_text_of_the_settings() -> None:
    settings = Settings(token=TOKEN)  # type: ignore[arg-type]
    assert TOKEN not in repr(settings) and TOKEN not in settings.model_dump_json()
    with pytest.raises(ValidationError):
        Settings(token="short")  # type: ignore[arg-type]


HEADERS = {"authorization": basic("anyone", TOKEN)}


@pytest.mark.parametrize("host", ["testserver", "TESTSERVER:81", "a.example.org", "[::1]:8000"])
def test_it_answers_to_its_names(shared: TestClient, host: str) -> None:
    assert shared.get("/", headers=HEADERS | {"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "example.org", "testserver.evil.example", "[::2]"]
)
def test_it_answers_to_no_other(shared: TestClient, host: str) -> None:
    answer = shared.get("/", headers=HEADERS | {"host": host})
    assert answer.status_code == 421
    assert "ATTENTION_ALLOWED_HOSTS" in answer.json()["detail"]


def test_any_name_will_do_where_none_is_set(client: TestClient) -> None:
    assert client.get("/healthz", headers={"host": "whatever.example"}).status_code == 200
    assert client.get("/", headers={"host": "whatever.example"}).status_code == 200


def test_a_host_is_named_without_its_port() -> None:
    assert [name_of(host) for host in ("a.b:80", "[::1]:80", "[::1]", "A")] == [
        "a.b", "[::1]", "[::1]", "a"]  # fmt: skip


def from_site(site: str, origin: str) -> dict[str, str]:
    return HEADERS | {"sec-fetch-site": site, "origin": origin}


@pytest.mark.parametrize("path", ["/api/attention", "/api/uploads"])
def test_another_site_s_page_may_not_post(shared: TestClient, path: str) -> None:
    answer = shared.post(path, json=BODY, headers=from_site("cross-site", "https://evil.example"))
    assert answer.status_code == 403
    assert "ATTENTION_ALLOWED_ORIGINS" in answer.json()["detail"]
    assert "access-control-allow-origin" not in answer.headers


def test_our_own_page_and_an_allowed_origin_may(shared: TestClient) -> None:
    own = from_site("same-origin", "http://testserver")
    assert shared.post("/api/attention", json=BODY, headers=own).status_code == 200
    lessons = from_site("cross-site", "https://lessons.example.org")
    answer = shared.post("/api/attention", json=BODY, headers=lessons)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://lessons.example.org"


@pytest.mark.parametrize(
    ("origin", "status"), [("https://lessons.example.org", 200), ("https://evil.example", 400)]
)
def test_a_browser_that_asks_first_is_told(shared: TestClient, origin: str, status: int) -> None:
    asked = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    answer = shared.options("/api/attention", headers=asked)
    assert answer.status_code == status
    assert ("access-control-allow-origin" in answer.headers) == (status == 200)


def test_names_in_the_environment_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_ALLOWED_HOSTS", "a.example, b.example,")
    monkeypatch.setenv("ATTENTION_ALLOWED_ORIGINS", "")
    settings = Settings()
    assert (settings.allowed_hosts, settings.allowed_origins) == (["a.example", "b.example"], [])
