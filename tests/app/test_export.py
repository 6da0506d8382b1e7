"""POST /api/export: each file, read back by its own library, holds the API's numbers."""

import csv
import html
import html.parser
import io
import json
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.typing import NDArray
from safetensors.numpy import load as load_safetensors

from tests.wire import array

SPEC: dict[str, Any] = {
    "x": np.random.default_rng(2).standard_normal((2, 5, 6)).round(3).tolist(),
    "num_heads": 3,
    "num_kv_heads": 1,
    "masks": [{"kind": "causal"}, {"kind": "padding", "lengths": [5, 3]}],
}
DEFAULT = {
    "q", "k", "v", "scores", "masked_scores", "weights", "heads", "output", "allowed", "logsumexp",
}  # fmt: skip


def exported(client: TestClient, format: str, **fields: Any) -> bytes:
    answer = client.post("/api/export", json={"spec": SPEC, "format": format, **fields})
    assert answer.status_code == 200, answer.text
    assert f'filename="attention.{format}"' in answer.headers["content-disposition"]
    return bytes(answer.content)


def served(client: TestClient, include: str | None = None) -> dict[str, NDArray[Any]]:
    query = {"encoding": "base64"} | ({"include": include} if include else {})
    body = client.post("/api/attention", json=SPEC, params=query).json()
    return {name: array(value) for name, value in body["tensors"].items()}


def assert_same(found: dict[str, Any], client: TestClient) -> None:
    expected = served(client)
    assert set(found) == set(expected) == DEFAULT
    for name, tensor in expected.items():
        assert found[name].dtype.itemsize >= tensor.dtype.itemsize
        np.testing.assert_array_equal(found[name], tensor)


def test_npz_holds_every_tensor_under_its_name(client: TestClient) -> None:
    archive = np.load(io.BytesIO(exported(client, "npz")), allow_pickle=False)
    assert_same({name: archive[name] for name in archive.files}, client)


def test_safetensors_holds_every_tensor_under_its_name(client: TestClient) -> None:
    assert_same(load_safetensors(exported(client, "safetensors")), client)


def test_json_holds_every_tensor_as_lists(client: TestClient) -> None:
    found = json.loads(exported(client, "json"))["tensors"]
    assert set(found) == DEFAULT
    for name, tensor in served(client).items():
        np.testing.assert_array_equal(array(found[name]).astype(tensor.dtype), tensor)


def test_csv_has_one_row_a_cell_under_its_indices(client: TestClient) -> None:
    text = exported(client, "csv", tensors=["weights", "masked_scores"]).decode()
    assert text.splitlines()[0] == "tensor,batch,head,query,key,value"
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * (2 * 3 * 5 * 5)
    tensors = served(client, "weights,masked_scores")
    for row in rows:
        place = tuple(int(row[axis]) for axis in ("batch", "head", "query", "key"))
        assert np.float32(row["value"]) == tensors[row["tensor"]][place]


def test_csv_of_tensors_with_a_width_adds_its_column(client: TestClient) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(client, "csv", tensors=["k"]).decode())))
    k = served(client, "k")["k"]
    assert len(rows) == k.size
    for row in rows:
        place = tuple(int(row[axis]) for axis in ("batch", "head", "key", "dim"))
        assert row["query"] == "" and np.float32(row["value"]) == k[place]


def test_only_named_tensors_are_written(client: TestClient) -> None:
    archive = np.load(io.BytesIO(exported(client, "npz", tensors=["output", "blocked_by"])))
    assert set(archive.files) == {"output", "blocked_by"}


class Page(html.parser.HTMLParser):
    """Collects what a page would load and the text of its data element."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.scripts = 0
        self.data = ""
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href")]
        self.scripts += tag == "script"
        self._inside = found.get("id") == "pictures"

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        self.data += data if self._inside else ""


def test_the_page_loads_nothing_and_hostile_labels_stay_text(client: TestClient) -> None:
    hostile = ["</script><script>alert(1)</script>", "<img src=x>", "a&b", "t", "t"]
    spec = {**SPEC, "tokens": hostile}
    answer = client.post("/api/export", json={"spec": spec, "format": "html"})
    page = Page()
    page.feed(answer.text)
    assert page.loads == []
    assert page.scripts == 4
    pictures = json.loads(page.data)
    assert [len(heads) for heads in pictures] == [3, 3]
    ticks = pictures[1][2]["layout"]["xaxis"]["ticktext"]
    assert ticks[1] == "&lt;img src=x&gt;" and ticks[2] == "a&amp;b"


def test_the_page_names_its_axes_and_holds_its_specification(client: TestClient) -> None:
    text = exported(client, "html").decode()
    page = Page()
    page.feed(text)
    layout = json.loads(page.data)[0][0]["layout"]
    for axis, name in (
        ("xaxis", "key"),
        ("yaxis", "query"),
        ("xaxis2", "key"),
        ("yaxis2", "query"),
    ):
        assert layout[axis]["title"]["text"] == name
    shown = html.unescape(text.split("<pre", 1)[1].split(">", 1)[1].split("</pre>")[0])
    assert json.loads(shown) == SPEC


def test_csv_of_everything_begins_with_the_six_columns_and_ends_with_dim(
    client: TestClient,
) -> None:
    header = exported(client, "csv").decode().splitlines()[0]
    assert header == "tensor,batch,head,query,key,value,dim"


def test_the_page_draws_the_served_weights(client: TestClient) -> None:
    page = Page()
    page.feed(exported(client, "html").decode())
    weights = served(client, "weights")["weights"]
    for b, heads in enumerate(json.loads(page.data)):
        for h, picture in enumerate(heads):
            drawn = next(trace for trace in picture["data"] if trace["name"] == "weights")
            np.testing.assert_allclose(np.array(drawn["z"], float), weights[b, h], atol=1e-7)


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"tensors": ["wieghts"]}, ["tensors"]),
        ({"tensors": []}, ["tensors"]),
        ({"format": "xlsx"}, ["format"]),
        ({"spec": {"x": [[1, 2, 3]], "num_heads": 2}}, ["spec", "num_heads"]),
    ],
)
def test_refusals_name_their_place(
    client: TestClient, change: dict[str, Any], loc: list[str]
) -> None:
    answer = client.post("/api/export", json={"spec": SPEC, "format": "csv", **change})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == loc
