"""Clients that send slowly, or nothing: each is cut off in time, and nobody else waits for it."""

import time

import pytest

from tests.app.serving import Served
from tests.hostile.conftest import BODY_SECONDS, HEAD_SECONDS
from tests.hostile.wire import SPEC, answer_of, connect, exchange, post

GRACE = 20
"""Seconds that a busy machine may add; without the limits these would wait for ever."""


@pytest.mark.parametrize(
    ("sent", "part", "limit"),
    [
        (b"", "head", HEAD_SECONDS),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\n", "head", HEAD_SECONDS),
        (post(SPEC)[:-5], "body", BODY_SECONDS),
        (post(b"7\r\n{" + b'"x": [\r\n', b"transfer-encoding: chunked"), "body", BODY_SECONDS),
        (
            post(
                b"--b\r\n",
                b"content-length: 99",
                b"content-type: multipart/form-data; boundary=b",
                path=b"/api/uploads",
            ),
            "body",
            BODY_SECONDS,
        ),
    ],
    ids=["nothing", "half-a-head", "half-a-body", "a-chunk", "half-a-form"],
)
def test_what_never_comes_whole_is_answered_and_closed(
    server: Served, sent: bytes, part: str, limit: float
) -> None:
    start = time.monotonic()
    answer = exchange(server, sent)
    seconds = time.monotonic() - start
    assert answer.status == 408
    detail = answer.problem["detail"]
    assert f"the request's {part}" in detail
    assert f"ATTENTION_{part.upper()}_SECONDS" in detail
    assert limit - 0.1 <= seconds <= limit + GRACE


def test_a_byte_now_and_then_does_not_keep_a_connection(server: Served) -> None:
    start = time.monotonic()
    with connect(server) as connection:
        while time.monotonic() - start < HEAD_SECONDS + GRACE:
            try:
                connection.sendall(b"G")
            except OSError:
                break
            time.sleep(0.25)
        else:
            raise AssertionError("it is still listened to")


def test_the_second_request_of_a_connection_has_its_time_too(server: Served) -> None:
    whole = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with connect(server) as connection:
        for _ in range(3):
            connection.sendall(whole)
            while b'"status":"ok"' not in connection.recv(2**16):
                pass
            time.sleep(0.6 * HEAD_SECONDS)  # which together is longer
        connection.sendall(whole[:-2])
        assert answer_of(connection).status == 408


def test_others_are_answered_while_many_are_slow(server: Served) -> None:
    slow = [connect(server) for _ in range(200)]
    try:
        for connection in slow:
            connection.sendall(post(SPEC)[:-9])
        answer = exchange(server, post(SPEC))
        assert answer.status == 200
        assert [answer_of(connection).status for connection in slow] == [408] * len(slow)
    finally:
        for connection in slow:
            connection.close()
