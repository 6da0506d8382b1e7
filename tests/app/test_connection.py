"""What a connection is told before its first request."""

import asyncio
import http.client
import socket
import threading
from functools import partial
from typing import Any

import uvicorn

from app.cli import server_options
from app.connection import Connection, send_at_once
from app.main import create_app
from app.settings import Settings


def waits_for_no_one(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_an_answer_is_sent_at_once_also_from_a_socket_that_several_processes_share() -> None:
    """asyncio sees to it where a socket names its protocol, which uvicorn's shared ones do not."""
    told: list[bool] = []

    class Seen(Connection):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            told.append(waits_for_no_one(transport.get_extra_info("socket")))

    settings = Settings()
    options: dict[str, Any] = server_options(settings)
    options["http"] = partial(Seen, **options["http"].keywords)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # who comes before the server waits for it
        config = uvicorn.Config(create_app(settings), **options | {"log_config": None})
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        client = http.client.HTTPConnection(*listener.getsockname())
        client.request("GET", "/healthz")
        assert client.getresponse().status == 200
        client.close()
        server.should_exit = True
        thread.join(10)
    assert told == [True]


def test_a_socket_without_tcp_is_left_as_it_is() -> None:
    one, other = socket.socketpair()
    with one, other:
        send_at_once(one)
        one.sendall(b"1")
        assert other.recv(1) == b"1"
