import socket
import time
from typing import Any

import httpx
import pytest

from device.errors import BadInput
from device.web.server import WebServer, take_socket


def test_a_port_in_use_is_named_with_its_cure() -> None:
    with take_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=rf"port {port} .* in use: .*--port"):
            take_socket("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("not a host", 80), ("203.0.113.7", 8000), ("127.0.0.1", 70000)])
def test_an_address_that_is_not_ours_is_named(host: str, port: int) -> None:
    with pytest.raises(BadInput, match="cannot listen on"):
        take_socket(host, port)


def test_stopping_ends_open_streams_within_the_grace(tray: Any) -> None:
    server = WebServer(tray, take_socket("127.0.0.1", 0))
    server.start()
    with httpx.stream("GET", f"{server.url}api/events", timeout=5) as stream:
        lines = stream.iter_lines()
        next(lines)
        before = time.monotonic()
        server.stop()
        assert time.monotonic() - before < 1.5
        assert list(lines)[-1] == ""
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url, timeout=1)


def test_stopping_does_not_wait_for_a_client_that_reads_nothing(tray: Any, scene: Any) -> None:
    server = WebServer(tray, take_socket("127.0.0.1", 0))
    server.start()
    big = scene("scored") | {"problem_details": [{"code": "x", "text": "y" * 4_000_000, "dice": []}]}
    with socket.create_connection(("127.0.0.1", int(server.url.rsplit(":")[-1].strip("/")))) as stuck:
        stuck.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stuck.recv(100)
        for _ in range(5):
            tray.show(big)
        before = time.monotonic()
        server.stop()
        assert time.monotonic() - before < 2.9


def test_stopping_twice_is_safe(tray: Any) -> None:
    server = WebServer(tray, take_socket("127.0.0.1", 0))
    server.start()
    server.stop()
    server.stop()
