"""The page's own files, compressed, and the modules that the page names at once."""

import gzip
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.static import CompressedFiles, modules
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
    "headers",
    [{"accept-encoding": "identity"}, {"accept-encoding": "gzip;q=0"}, {"range": "bytes=0-9"}],
    ids=["identity", "not gzip", "range"],
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
def test_a_page_names_every_module_that_it_needs_at_once(
    client: TestClient, page: str, entry: str
) -> None:
    named = re.findall(
        r'rel="modulepreload" href="static/v[0-9a-f]+/js/([^"]+)"', client.get(page).text
    )
    graph, reached = script_graph(later=False), {entry}
    while more := set().union(*(graph[name] for name in reached)) - reached:
        reached |= more
    assert sorted(named) == sorted(reached)
    assert tuple(named) == modules(entry)


def test_a_tab_that_is_not_opened_is_not_fetched(client: TestClient) -> None:
    assert "panels/decode.js" in script_graph()
    assert "panels/decode.js" not in client.get("/").text


@pytest.mark.parametrize("page", ["/", "/embed"])
def test_what_a_page_names_is_kept_by_the_browser_for_good(client: TestClient, page: str) -> None:
    named = re.findall(r'(?:href|src)="(static/[^"#]+)', client.get(page).text)
    assert any(path.endswith("/js/plot.js") for path in named)
    for path in named:
        answer = client.get(f"/{path}")
        assert (answer.status_code, "immutable" in answer.headers["cache-control"]) == (200, True)
        bare = re.sub("^static/v[0-9a-f]{12}/", "static/", path)
        assert bare != path
        asked_again = client.get(f"/{bare}")
        assert asked_again.headers["cache-control"] == "no-cache"
        assert asked_again.content == answer.content


def test_an_older_version_gets_the_file_of_now_and_keeps_nothing(client: TestClient) -> None:
    answer = client.get("/static/v000000000000/js/main.js")
    assert answer.content == (ROOT / "static/js/main.js").read_bytes()
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["v000000000000", "v000000000000/", "v000000000000/../app/x.py"])
def test_a_version_opens_nothing_else(client: TestClient, path: str) -> None:
    assert client.get(f"/static/{path}").status_code == 404


def test_a_changed_file_gives_the_page_new_names(tmp_path: Path) -> None:
    file = tmp_path / "a.js"
    file.write_text("1")
    files = CompressedFiles(directory=tmp_path)
    before = files.named_version()
    assert files.named_version() == before
    file.write_text("22")
    assert files.named_version() != before
