"""HTTP as no honest client speaks it, to a real server: refused, or the connection is closed."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.serving import Served
from tests.fuzzing import examples
from tests.hostile.wire import SPEC, Answer, exchange, post


def refused(answer: Answer) -> bool:
    return answer.status == 0 or 400 <= answer.status < 500


@pytest.mark.parametrize("coding", [b"gzip", b"deflate", b"br", b"zstd", b"x", b"identity, gzip"])
@pytest.mark.parametrize("path", [b"/api/attention", b"/api/uploads", b"/api/models/run"])
def test_a_packed_body_is_refused_unread(server: Served, coding: bytes, path: bytes) -> None:
    kind = b"multipart/form-data; boundary=b" if path == b"/api/uploads" else b"application/json"
    body = gzip.compress(bytes(2**20))
    lines = (b"content-encoding: " + coding, b"content-type: " + kind)
    answer = exchange(server, post(body, *lines, path=path))
    assert answer.status == 415
    assert "content-encoding" in answer.problem["detail"]


def test_identity_is_no_packing(server: Served) -> None:
    assert exchange(server, post(SPEC, b"content-encoding: identity")).status == 200


@pytest.mark.parametrize(
    "lines",
    [
        (b"x-long: " + b"a" * 2**17,),
        tuple(b"x-%d: %s" % (i, b"a" * 99) for i in range(2_000)),
        (b"cookie: " + b"a=b; " * 20_000,),
    ],
    ids=["one-long-line", "many-lines", "cookies"],
)
def test_headers_without_end_are_refused(server: Served, lines: tuple[bytes, ...]) -> None:
    assert refused(exchange(server, post(SPEC, *lines)))


def test_a_head_over_the_bound_is_refused_even_when_it_arrives_at_once(server: Served) -> None:
    answer = exchange(server, post(SPEC, b"cookie: " + b"a" * 2**16))
    assert answer.status in (400, 431)  # 400 where the network cut it into pieces
    if answer.status == 431:
        assert "65536" in answer.problem["detail"]


def test_an_address_without_end_is_refused(server: Served) -> None:
    assert refused(exchange(server, post(SPEC, path=b"/" + b"a" * 2**17)))


@pytest.mark.parametrize(
    "lines",
    [
        (b"content-length: 5", b"content-length: 6"),
        (b"content-length: -1",),
        (b"content-length: 0x10",),
        (b"content-length: +39",),
        (b"content-length: " + b"9" * 30,),
        (b"content-length: 39, 40",),
        (b"transfer-encoding: chunked, chunked",),
        (b"transfer-encoding: gzip, chunked",),
        (b"bad header: 1",),
        (b"x: a\x00b",),
        (b": nameless",),
        (b"host: elsewhere",),
    ],
)
def test_headers_that_contradict_themselves_are_refused(
    server: Served, lines: tuple[bytes, ...]
) -> None:
    assert refused(exchange(server, post(SPEC, *lines)))


def test_a_body_is_as_long_as_the_chunks_say_whatever_length_is_given(server: Served) -> None:
    """RFC 9112, 6.3: the transfer coding decides; two readings of one request are smuggling."""
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(SPEC), SPEC)
    hidden = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
    lines = (b"content-length: 4", b"transfer-encoding: chunked")
    answer = exchange(server, post(chunks + hidden, *lines))
    assert refused(answer) or answer.status == 200
    assert b'"status":"ok"' not in answer.body


@pytest.mark.parametrize(
    "chunks",
    [
        b"zz\r\n{}\r\n0\r\n\r\n",
        b"-1\r\n\r\n",
        b"f" * 40 + b"\r\n",
        b"2;" + b"e" * 2**17,
        b"\r\n\r\n",
    ],
)
def test_chunks_that_are_none_are_refused(server: Served, chunks: bytes) -> None:
    assert refused(exchange(server, post(chunks, b"transfer-encoding: chunked")))


@pytest.mark.parametrize("kept", [0, 1, 20])
@pytest.mark.parametrize("path", [b"/api/attention", b"/api/uploads", b"/api/view"])
def test_a_client_that_leaves_in_the_middle_harms_nobody(
    server: Served, path: bytes, kept: int
) -> None:
    whole = post(SPEC, path=path)
    assert refused(exchange(server, whole[: len(whole) - len(SPEC) + kept], end=True))
    assert exchange(server, post(SPEC)).status == 200


@pytest.mark.parametrize(
    "path",
    [
        *(b"/api/uploads/../../etc/passwd", b"/static/../app/main.py", b"//etc/passwd"),
        *(b"/static/%2e%2e/app/main.py", b"/static/..%2f..%2fetc%2fpasswd", b"/%00", b"/%ff%fe"),
        *(b"/static/js/%00.js", b"/api/uploads/%00", b"/static/" + b"a/" * 400, b"/api/%0d%0ax: 1"),
        *(b"/static/js/" + b"a" * 400 + b".js", b"/?a=%ff", b"/api/examples?%ff=%00", b"*"),
        *(b"http://elsewhere/healthz", b"/static", b"/static/js", b"/static/js/main.js/x"),
    ],
)
def test_no_path_leads_out_or_breaks_anything(server: Served, path: bytes) -> None:
    request = b"GET " + path + b" HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    answer = exchange(server, request)
    assert answer.status < 500
    assert b"root:" not in answer.body
    assert b"create_app" not in answer.body


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((b"range", b"bytes=" + b"0-1," * 900 + b"0-1"), (b"range", b"bytes=9-1")),
        *((b"range", b"bytes=" + b"9" * 400), (b"if-modified-since", b"\xff"), (b"range", b"x")),
        *((b"accept-encoding", b"\xff;q=x"), (b"if-none-match", b"\xff" * 99), (b"host", b"")),
        *((b"if-modified-since", b"Mon, 99 Foo 99999 99:99:99 GMT"), (b"accept", b"a/b;" * 900)),
        *((b"authorization", b"Bearer \xff"), (b"origin", b"null"), (b"expect", b"100-continue")),
        *((b"expect", b"tea"), (b"upgrade", b"websocket"), (b"x-forwarded-for", b"\xff,,,")),
        *((b"x-forwarded-proto", b"a" * 999), (b"x-request-id", b"a\tb\xff" * 99)),
    ],
)
@pytest.mark.parametrize("path", [b"/", b"/static/js/main.js", b"/api/examples"])
def test_strange_headers_are_ignored_or_refused(
    server: Served, path: bytes, name: bytes, value: bytes
) -> None:
    lines = [b"GET " + path + b" HTTP/1.1", name + b": " + value, b"connection: close"]
    lines += [] if name == b"host" else [b"host: localhost"]
    assert 100 <= exchange(server, b"\r\n".join([*lines, b"", b""])).status < 500


@settings(max_examples=examples(60))
@given(data=st.data())
def test_a_spoiled_request_is_answered_or_closed(server: Served, data: st.DataObject) -> None:
    """Cut, put in or changed anywhere; our side then closes, so that nobody waits."""
    whole = bytearray(
        post(SPEC, b"transfer-encoding: chunked") if data.draw(st.booleans()) else post(SPEC)
    )
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(whole)))
        end = data.draw(st.integers(start, min(len(whole), start + 6)))
        whole[start:end] = data.draw(st.binary(max_size=6))
    answer = exchange(server, bytes(whole), end=True)
    assert answer.status < 500


@settings(max_examples=examples(30))
@given(noise=st.binary(min_size=1, max_size=300))
def test_noise_is_refused(server: Served, noise: bytes) -> None:
    assert refused(exchange(server, noise, end=True))
