"""The page's own files, compressed, and the modules that the page names at once."""

import gzip
import re

import pytest
from fastapi.testclient import TestClient

from app.static import modules
from tests.architecture.imports import ROOT, script_graph

PLOTLY = "static/vendor/plotly/plotly-cartesian.min.js"


@pytest.mark.parametrize("path", ["static/js/main.js", "static/css/base.css", PLOTLY])
def test_a_compressed_file_is_the_file(client: TestClient, path: str) -> None:
    with client.stream("GET", f"/{path}", headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "Accept-Encoding"
    assert int(answer.headers["content-length"]) == len(raw)
    assert gzip.decompress(raw) == (ROOT / path).read_bytes()


@pytest.mark.parametrize(
    "headers", [{"accept-encoding": "identity"}, {"range": "bytes=0-9"}], ids=["identity", "range"]
)
def test_who_wants_it_plain_gets_it_plain(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.get(f"/{PLOTLY}", headers=headers)
    assert "content-encoding" not in answer.headers
    assert (ROOT / PLOTLY).read_bytes().startswith(answer.content)


def test_what_the_browser_has_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/static/js/main.js")
    again = client.get("/static/js/main.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_head_says_the_size_and_sends_nothing(client: TestClient) -> None:
    answer = client.head("/static/js/main.js")
    assert answer.content == b""
    assert int(answer.headers["content-length"]) == (ROOT / "static/js/main.js").stat().st_size


@pytest.mark.parametrize(("page", "entry"), [("/", "main.js"), ("/embed", "embed.js")])
def test_a_page_names_every_module_that_it_will_need(
    client: TestClient, page: str, entry: str
) -> None:
    named = re.findall(r'rel="modulepreload" href="/static/js/([^"]+)"', client.get(page).text)
    graph, reached = script_graph(), {entry}
    while more := set().union(*(graph[name] for name in reached)) - reached:
        reached |= more
    assert sorted(named) == sorted(reached)
    assert tuple(named) == modules(entry)
