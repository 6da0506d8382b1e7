"""What every answer tells a browser, refusals included."""

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from app.main import create_app
from app.settings import Settings

PATHS = ("/", "/embed", "/docs", "/static/js/main.js", "/api/examples", "/healthz", "/openapi.json",
         "/no/such/page", "/api/uploads/none")  # fmt: skip


def directives(policy: str) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in policy.split(";"))
    return {name: sources for name, _, sources in parts}


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "access-control-allow-origin" not in headers
    policy = directives(headers["content-security-policy"])
    assert policy["default-src"] == "'none'" and policy["base-uri"] == "'none'"
    assert policy.get("script-src", "'self'") == "'self'"


def test_an_error_of_ours_has_them_too(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr("app.routes.attention.compute", broken)
    answer = client.post("/api/attention", json={"x": [[1]]})
    assert answer.status_code == 500
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", PATHS)
def test_only_the_embedded_pictures_may_be_framed(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    framed = directives(headers["content-security-policy"]).get("frame-ancestors")
    assert framed == (None if path == "/embed" else "'none'")
    assert headers.get("x-frame-options") == (None if path == "/embed" else "DENY")


def test_who_may_frame_is_a_setting() -> None:
    settings = Settings(embed_frames="https://a.example https://*.b.example", page_frames="'self'")
    with TestClient(create_app(settings)) as session:
        for path, sources in (("/embed", settings.embed_frames), ("/", "'self'")):
            policy = session.get(path).headers["content-security-policy"]
            assert directives(policy)["frame-ancestors"] == sources


@pytest.mark.parametrize("sources", ["", "a; script-src *", "a\r\nx: y", "a, b"])
def test_a_setting_cannot_end_the_directive_or_the_header(sources: str) -> None:
    with pytest.raises(ValidationError):
        Settings(embed_frames=sources)


def test_a_download_is_a_file_and_nothing_to_be_shown(client: TestClient) -> None:
    body = {"spec": {"x": [[1, 0]], "tokens": ["<script>alert(1)</script>"]}, "format": "html"}
    answer = client.post("/api/export", json=body)
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="attention.html"'
    assert directives(answer.headers["content-security-policy"])["sandbox"] == ""


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app/settings.py",
        "/static/%2e%2e/app/settings.py",
        "/static/..%2fapp%2fsettings.py",
        "/static//etc/passwd",
        "/api/uploads/..%2f..%2fetc%2fpasswd",
        "/api/uploads/%2e%2e",
    ],
)
def test_no_path_leads_out_of_what_is_served(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
