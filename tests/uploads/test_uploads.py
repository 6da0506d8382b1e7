"""``/api/uploads`` and references to it, as the contract says."""

import hashlib
import io
import json
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save

from tests.uploads.conftest import Serve
from tests.wire import array, listed

TABLE = b"token,x,y\nthe,1,0\ncat,0,2\nthe,1,1\n"
ROWS = [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]
HEADS = 2
WEIGHTS = save({f"attn.{n}_proj.weight": np.eye(4) * i for i, n in enumerate("qkvo", 1)})
CONFIG = json.dumps({"model_type": "opt", "num_attention_heads": HEADS}).encode()


def send(client: TestClient, name: str, data: bytes, **fields: str) -> Any:
    return client.post("/api/uploads", files={"file": (name, data)}, data=fields)


def taken(client: TestClient, name: str, data: bytes, **fields: str) -> Any:
    response = send(client, name, data, **fields)
    assert response.status_code == 201, response.text
    return response.json()


def attention(client: TestClient, **spec: Any) -> Any:
    return client.post("/api/attention", json=listed(spec))


def q_of(client: TestClient, **spec: Any) -> Any:
    answer = attention(client, projection={"kind": "identity"}, dtype="float64", **spec)
    assert answer.status_code == 200, answer.text
    return array(answer.json()["tensors"]["q"])[0, 0].tolist()


def npy(values: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def npz(**values: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **values)
    return file.getvalue()


def test_answer_is_201_with_the_files_hash_and_what_it_holds(client: TestClient) -> None:
    answer = taken(client, "tokens.csv", TABLE)
    assert answer["id"] == hashlib.sha256(TABLE).hexdigest()
    assert answer["tensors"] == [{"name": "table", "dtype": "float64", "shape": [3, 2]}]
    assert answer["modules"] == []
    assert answer["detected"]["row_labels"] == ["the", "cat", "the"]
    assert answer["detected"]["column_names"] == ["x", "y"]
    assert (answer["name"], answer["size"]) == ("tokens.csv", len(TABLE))


def test_upload_is_described_again_by_its_id(client: TestClient) -> None:
    answer = taken(client, "tokens.csv", TABLE)
    again = client.get(f"/api/uploads/{answer['id']}")
    assert again.status_code == 200
    assert again.json() == answer


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.csv", b"1,0\n0,2\n1,1\n"),
        ("x.tsv", b"1\t0\r\n0\t2\r\n1\t1\r\n"),
        ("x.npy", npy(np.asfortranarray(np.array(ROWS, ">f4")))),
        ("x.npz", npz(only=np.array(ROWS, "<i2"))),
        ("x.safetensors", save({"only": np.array(ROWS, np.float16)})),
        ("x.json", json.dumps({"tensors": {"only": ROWS}}).encode()),
        ("x.json", json.dumps(ROWS).encode()),
    ],
    ids=["csv", "tsv", "npy", "npz", "safetensors", "export", "lists"],
)
def test_only_tensor_of_a_file_needs_no_name(client: TestClient, name: str, data: bytes) -> None:
    answer = taken(client, name, data)
    reference = {"upload": answer["id"]}
    assert q_of(client, x=reference) == ROWS
    assert q_of(client, x=reference | {"name": answer["tensors"][0]["name"]}) == ROWS


def test_several_tensors_are_told_apart_by_name(client: TestClient) -> None:
    q, k = np.ones((3, 2)), np.array(ROWS)
    upload = taken(client, "run.npz", npz(q=q, k=k, keep=np.array([True, False, True])))["id"]
    mask = {"kind": "padding", "keep": {"upload": upload, "name": "keep"}}
    heads = {n: {"upload": upload, "name": "k" if n == "v" else n} for n in "qkv"}
    answer = attention(client, **heads, masks=[mask])
    assert answer.status_code == 200, answer.text
    assert array(answer.json()["tensors"]["k"])[0, 0].tolist() == ROWS
    assert array(answer.json()["tensors"]["allowed"])[0, 0].tolist() == [[1, 0, 1]] * 3

    unnamed = attention(client, x={"upload": upload})
    assert unnamed.status_code == 422
    (error,) = unnamed.json()["errors"]
    assert error["loc"] == ["x", "name"]
    assert all(name in error["expected"] for name in ("'q'", "'k'", "'keep'"))


def test_reference_works_wherever_numbers_stand(client: TestClient) -> None:
    upload = taken(client, "x.csv", b"1,0\n0,2\n")["id"]
    here = {"upload": upload}
    spec = {
        "x": here,
        "num_heads": 1,
        "projection": {"kind": "given", "w_q": here, "w_k": here, "w_v": here, "w_o": here},
        "biases": [{"kind": "matrix", "values": here}],
        "masks": [{"kind": "matrix", "values": here, "convention": "additive"}],
    }
    plain = json.loads(json.dumps(spec).replace(json.dumps(here), "[[1, 0], [0, 2]]"))
    answers = [client.post("/api/attention", json=body).json() for body in (spec, plain)]
    assert answers[0]["tensors"] == answers[1]["tensors"]
    compared = client.post("/api/compare", json={"a": spec, "b": plain}).json()
    assert compared["stages"]["output"]["max_abs"] == 0


def test_values_of_a_file_that_are_not_finite_are_kept_and_reported(client: TestClient) -> None:
    upload = taken(client, "x.csv", b"1,nan\n0,2\n")["id"]
    answer = attention(client, x={"upload": upload}).json()
    assert "non_finite_input" in {warning["code"] for warning in answer["warnings"]}


@pytest.mark.parametrize("identity", ["0" * 64, "abc", "../../etc/passwd", "", 5, None, ["a"]])
def test_unknown_upload_is_404_with_its_place(client: TestClient, identity: Any) -> None:
    checkpoint = {"kind": "checkpoint", "upload": identity, "module": "attn"}
    masks = [{"kind": "causal"}, {"kind": "padding", "keep": {"upload": identity}}]
    for spec, place in (
        ({"x": {"upload": identity}}, ["x", "upload"]),
        ({"x": [[1.0]], "masks": masks}, ["masks", 1, "keep", "upload"]),
        ({"x": [[1.0]], "projection": checkpoint}, ["projection", "upload"]),
    ):
        answer = attention(client, **spec)
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["errors"][0]["loc"] == place


@pytest.mark.parametrize("identity", ["0" * 64, "abc", "..%2f..%2fetc%2fpasswd", "A" * 64])
def test_describing_an_unknown_upload_is_404(client: TestClient, identity: str) -> None:
    answer = client.get(f"/api/uploads/{identity}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("reference", [{"upload": "x", "nam": "q"}, {"upload": "x", "name": 5}])
def test_reference_of_another_form_is_refused(client: TestClient, reference: Any) -> None:
    upload = taken(client, "x.csv", b"1,0\n0,2\n")["id"]
    answer = attention(client, x=reference | {"upload": upload})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"][0] == "x"


def test_unknown_kind_is_415_and_names_the_known_ones(client: TestClient) -> None:
    for name in ("model.bin", "x.pkl", "x.pt", "x", "x.csv.gz", ".csv"):
        answer = send(client, name, b"1,2")
        assert answer.status_code == 415
        assert all(kind in answer.json()["detail"] for kind in (".npz", ".safetensors", ".csv"))


@pytest.mark.parametrize("name", ["../../x.csv", "/etc/x.csv", "a/../../x.csv", "..\\x.csv"])
def test_name_that_climbs_out_is_refused(client: TestClient, name: str, folder: Any) -> None:
    answer = send(client, name, b"1,2")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["file"]
    assert "climbs out" in answer.json()["detail"]
    assert [path.name for path in folder.rglob("*")] == []


@pytest.mark.parametrize("name", ["run/layer 1/wörter.csv", "C:\\run\\wörter.csv"])
def test_path_of_a_file_is_only_shown_by_its_last_part(
    client: TestClient, folder: Any, name: str
) -> None:
    """Some browsers send the whole path of their own disk."""
    answer = taken(client, name, b"1,2")
    assert answer["name"] == "wörter.csv"
    assert {path.stem for path in folder.iterdir()} == {answer["id"], "lock"}


def test_file_over_the_limit_is_413_with_the_setting(serve: Serve, folder: Any) -> None:
    client = serve(max_upload_bytes=1000)
    assert send(client, "x.csv", b"1," * 499 + b"1\n").status_code == 201
    before = sorted(folder.iterdir())
    answer = send(client, "x.csv", b"1," * 500 + b"1")
    assert answer.status_code == 413
    for said in ("max_upload_bytes", "1000", "ATTENTION_MAX_UPLOAD_BYTES"):
        assert said in answer.json()["detail"]
    assert sorted(folder.iterdir()) == before


def test_archive_over_the_unpacked_limit_is_413(serve: Serve) -> None:
    client = serve(max_unpacked_bytes=10_000)
    answer = send(client, "x.npz", npz(a=np.zeros(2000)))
    assert answer.status_code == 413
    assert "ATTENTION_MAX_UNPACKED_BYTES" in answer.json()["detail"]


def test_refused_file_is_not_kept(client: TestClient, folder: Any) -> None:
    for name, data, status in (
        ("x.csv", b"1,two\n3,4\n", 422),
        ("x.npy", npy(ROWS)[:-8], 400),
        ("x.npy", b"", 400),
        ("x.safetensors", WEIGHTS[:-1], 400),
        ("x.json", b"[1, NaN]", 400),
        ("x.csv", b"", 422),
    ):
        answer = send(client, name, data)
        assert answer.status_code == status
        assert answer.json()["errors"][0]["loc"] == ["file"]
        assert name in answer.json()["detail"]
    assert list(folder.iterdir()) == []


def test_every_bad_cell_is_an_error_of_its_own(client: TestClient) -> None:
    answer = send(client, "tokens.csv", b"1,2\n,3\nx,4\n").json()
    messages = [error["message"] for error in answer["errors"]]
    assert messages == ["row 2, column 1 is empty", "row 3, column 1 is not a number ('x')"]


def test_fields_beside_the_file_say_how_a_table_is_written(client: TestClient) -> None:
    answer = taken(client, "x.csv", b"7;1,5\n8;2,5\n", labels="true", header="false")
    assert answer["detected"]["row_labels"] == ["7", "8"]
    assert q_of(client, x={"upload": answer["id"]}) == [[1.5], [2.5]]
    again = taken(client, "x.csv", b"7;1,5\n8;2,5\n")
    assert again["id"] == answer["id"]
    assert q_of(client, x={"upload": answer["id"]}) == [[7, 1.5], [8, 2.5]]

    wrong = send(client, "x.csv", b"1;2\n", delimiter="|")
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["loc"] == ["delimiter"]
    unknown = send(client, "x.csv", b"1;2\n", delimeter=",")
    assert unknown.status_code == 422
    assert "'delimiter'" in unknown.json()["detail"]


FORMS = {
    "config": lambda: [("file", ("w.safetensors", WEIGHTS)), ("config", ("c.json", CONFIG))],
    "config first": lambda: [("config", ("c.json", CONFIG)), ("file", ("w.safetensors", WEIGHTS))],
    "file": lambda: [("file", ("config.json", CONFIG)), ("file", ("w.safetensors", WEIGHTS))],
}
CHECKPOINT = {"kind": "checkpoint", "module": "attn"}
X = np.arange(12.0).reshape(3, 4) / 7


@pytest.mark.parametrize("form", FORMS)
def test_config_comes_along_with_the_weights(client: TestClient, form: str) -> None:
    response = client.post("/api/uploads", files=FORMS[form]())
    assert response.status_code == 201, response.text
    answer = response.json()
    assert answer["id"] == hashlib.sha256(WEIGHTS).hexdigest()
    (module,) = answer["modules"]
    assert (module["module"], module["num_heads"], module["head_dim"]) == ("attn", HEADS, 2)
    assert answer["detected"]["config"] == "opt"
    found = attention(client, x=X, projection=CHECKPOINT | {"upload": answer["id"]}).json()
    assert found["layout"]["num_heads"] == HEADS
    assert found["checkpoint"]["family"] == "opt"


def test_config_can_be_uploaded_alone_and_named(client: TestClient) -> None:
    weights = taken(client, "w.safetensors", WEIGHTS)["id"]
    projection = CHECKPOINT | {"upload": weights}
    asked = attention(client, x=X, projection=projection)
    assert asked.status_code == 422
    assert asked.json()["errors"][0]["loc"] == ["num_heads"]

    config = taken(client, "config.json", CONFIG)
    assert config["detected"]["config"] == "opt"
    found = attention(client, x=X, projection=projection | {"config": config["id"]})
    assert found.json()["layout"]["num_heads"] == HEADS
    assert attention(client, x=X, num_heads=4, projection=projection | {"config": None}).json()

    table = taken(client, "x.csv", b"1,2")["id"]
    wrong = attention(client, x=X, projection=projection | {"config": table})
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["loc"] == ["projection", "config"]


def test_last_upload_of_the_weights_decides_on_the_config(client: TestClient) -> None:
    first = client.post("/api/uploads", files=FORMS["config"]()).json()
    assert first["modules"][0]["num_heads"] == HEADS
    assert taken(client, "w.safetensors", WEIGHTS)["modules"][0]["num_heads"] is None
    assert client.get(f"/api/uploads/{first['id']}").json()["detected"].get("config") is None


@pytest.mark.parametrize(
    ("config", "status"),
    [(b"[1]", 422), (b"{", 400), (b'{"x": [1]}', 422), (b'{"model_type": "a", "b": NaN}', 400)],
)
def test_config_that_is_none_is_refused_at_its_field(
    client: TestClient, config: bytes, status: int
) -> None:
    files = {"file": ("w.safetensors", WEIGHTS), "config": ("config.json", config)}
    answer = client.post("/api/uploads", files=files)
    assert answer.status_code == status
    assert answer.json()["errors"][0]["loc"] == ["config"]


@pytest.mark.parametrize(
    "fields",
    [
        {"num_attention_heads": "x"},
        {"num_heads": -1},
        {"num_heads": 2**90},
        {"query_pre_attn_scalar": "x"},
        {"rope_theta": 10**400},
    ],
)
def test_config_with_nonsense_is_refused_and_never_an_error_of_ours(
    client: TestClient, fields: dict[str, Any]
) -> None:
    config = json.dumps({"model_type": "llama", **fields}).encode()
    files = {"file": ("w.safetensors", WEIGHTS), "config": ("config.json", config)}
    answer = client.post("/api/uploads", files=files)
    if answer.status_code == 201:
        projection = CHECKPOINT | {"upload": answer.json()["id"]}
        answer = attention(client, x=X, num_heads=2, projection=projection)
    assert answer.status_code == 422
    assert next(iter(fields)) in answer.json()["detail"]


def test_openapi_shows_the_form(client: TestClient) -> None:
    route = client.get("/openapi.json").json()["paths"]["/api/uploads"]["post"]
    form = route["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert {"file", "config", "delimiter", "decimal", "header", "labels"} == set(form["properties"])
    assert {"201", "400", "413", "415", "422"} <= set(route["responses"])
