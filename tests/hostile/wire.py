"""Requests byte by byte, and answers as they come."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any

from tests.app.serving import Served

SPEC = b'{"x": [[1, 0], [0, 1]], "num_heads": 1}'


@dataclass(frozen=True)
class Answer:
    """Status 0 is a connection that ended with no answer."""

    status: int
    head: bytes
    body: bytes

    @property
    def problem(self) -> Any:
        assert b"application/problem+json" in self.head, self.head
        problem = json.loads(self.body)
        assert problem["status"] == self.status
        assert problem["detail"]
        return problem


def connect(server: Served) -> socket.socket:
    """A bare connection; a server that says nothing for a minute has hung."""
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), 60)


def exchange(server: Served, *pieces: bytes, end: bool = False) -> Answer:
    """Send these pieces and read until the server closes; ``end`` closes our side before."""
    with connect(server) as connection:
        for piece in pieces:
            try:
                connection.sendall(piece)
            except OSError:  # it has said no already
                break
        if end:
            connection.shutdown(socket.SHUT_WR)
        return answer_of(connection)


def answer_of(connection: socket.socket) -> Answer:
    """What comes until the other side closes."""
    found = bytearray()
    try:
        while piece := connection.recv(2**16):
            found += piece
    except ConnectionResetError:
        pass
    head, _, body = bytes(found).partition(b"\r\n\r\n")
    if not head:
        return Answer(0, b"", b"")
    version, status, *_ = head.split(b" ", 2)
    assert version == b"HTTP/1.1"
    return Answer(int(status), head.lower(), body)


def post(body: bytes, *lines: bytes, path: bytes = b"/api/attention") -> bytes:
    """A whole request with these header lines, after which the server closes."""
    head = [b"POST " + path + b" HTTP/1.1", b"host: localhost", b"connection: close"]
    if not any(line.lower().startswith(b"content-type") for line in lines):
        head.append(b"content-type: application/json")
    if not any(line.lower().startswith((b"content-length", b"transfer-enc")) for line in lines):
        head.append(b"content-length: %d" % len(body))
    return b"\r\n".join([*head, *lines, b"", body])
