"""The limits of a stranger's use of the server: connections, time, log lines."""

import errno
import logging
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from device.runtime.bounded_log import OnceAMinute
from device.texts.catalogue import translate
from device.web.app import create_app
from device.web.core.connections import ConnectionParams
from device.web.core.server import AppServer, bind_socket
from tests.web.conftest import FakeTray, scene

HEAD = b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n"
STRANGER = "127.0.0.2"


class Served:
    """A server over a fake tray, and its clients."""

    def __init__(self, tray: FakeTray, params: ConnectionParams, stack: ExitStack) -> None:
        self._stack = stack
        self.server = stack.enter_context(AppServer(create_app(tray), bind_socket("127.0.0.1", 0), params))
        self._port = int(self.server.url.rstrip("/").rpartition(":")[2])

    def connect(self, address: str = "127.0.0.1", sent: bytes = b"", read: int = 0) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self._port), 20, (address, 0))
        self._stack.callback(client.close)
        client.sendall(sent)
        if read:
            assert client.recv(read)
        return client

    def is_answered(self) -> bool:
        return httpx.get(f"{self.server.url}api/state", verify=False, timeout=20).status_code == 200


@pytest.fixture
def serve(tray: FakeTray) -> Iterator[Callable[..., Served]]:
    with ExitStack() as stack:
        yield lambda **params: Served(tray, ConnectionParams(**params), stack)


def is_closed(client: socket.socket) -> bool:
    """Wait until the server closes an unused connection."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("sent", [b"", HEAD, b"GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_a_head_that_does_not_come_whole_is_waited_for_so_long(serve: Callable[..., Served], sent: bytes) -> None:
    client = serve(head_s=0.05).connect(sent=sent)
    if sent.endswith(b"\r\n\r\n"):
        assert client.recv(1)
        client.sendall(HEAD)
    while not is_closed(client):
        pass


def test_a_stream_outlives_the_wait_for_its_head(serve: Callable[..., Served], tray: FakeTray) -> None:
    served = serve(head_s=0.05)
    stream = served.connect(sent=HEAD + b"\r\n", read=1)
    assert is_closed(served.connect())
    tray.show(scene("scored"))
    seen = b""
    while b'"state":"scored"' not in seen:
        seen += stream.recv(65_536)


def test_silent_connections_of_one_address_make_room_for_its_next(serve: Callable[..., Served]) -> None:
    served = serve(of_address=3)
    silent = [served.connect(STRANGER) for _ in range(5)]
    assert is_closed(silent[0])
    assert is_closed(silent[1])
    assert served.is_answered()


def test_however_many_are_silent_who_asks_is_answered(serve: Callable[..., Served]) -> None:
    served = serve(most=8, kept_free=2)
    silent = [served.connect() for _ in range(30)]
    assert served.is_answered()
    assert is_closed(silent[0])
    assert served.is_answered()


def test_places_for_this_machine_stay_free_next_to_busy_strangers(serve: Callable[..., Served]) -> None:
    served = serve(most=4, kept_free=2, of_address=9)
    for _ in range(2):
        served.connect(STRANGER, HEAD + b"\r\n", 1)
    assert is_closed(served.connect(STRANGER, HEAD + b"\r\n"))
    assert served.is_answered()


def test_https_is_refused_in_its_own_words_and_the_log_names_the_address(
    serve: Callable[..., Served], caplog: pytest.LogCaptureFixture
) -> None:
    served, trusting = serve(), ssl.create_default_context()
    for _ in range(3):
        with pytest.raises(ssl.SSLError) as refused:
            trusting.wrap_socket(served.connect(), server_hostname="localhost")
        assert refused.value.reason == "TLSV1_ALERT_PROTOCOL_VERSION"
    (line,) = caplog.records
    assert line.getMessage() == translate("web.no_https", address="127.0.0.1", url=served.server.url)
    assert served.is_answered()


def test_a_websocket_is_answered_plainly_and_not_logged(
    serve: Callable[..., Served], caplog: pytest.LogCaptureFixture
) -> None:
    upgrade = (
        b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AA==\r\n\r\n"
    )
    asking = serve().connect(sent=b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n" + upgrade)
    assert asking.recv(12) == b"HTTP/1.1 200"
    assert caplog.records == []


def test_a_newcomer_takes_the_place_of_the_address_with_the_most(serve: Callable[..., Served]) -> None:
    served = serve(most=8, kept_free=2, of_address=9)
    busy = [served.connect(STRANGER, HEAD + b"\r\n", 1) for _ in range(6)]
    served.connect("127.0.0.3", HEAD + b"\r\n", 1)
    busy[0].settimeout(5)
    while busy[0].recv(65_536):
        pass  # the oldest of the greedy address was closed


def test_a_client_that_reads_slowly_loses_its_place(serve: Callable[..., Served], tray: FakeTray) -> None:
    served = serve(slow_s=0.05, slowest_bytes_s=1e9)
    slow = served.connect(sent=HEAD + b"\r\n", read=1)
    big = scene("scored") | {"problem_details": [{"code": "x", "text": "y" * 4_000_000, "dice": []}]}
    while tray.listeners:
        tray.show(big)
        slow.recv(1000)
        assert served.is_answered()


def test_a_client_that_takes_nothing_loses_its_place(serve: Callable[..., Served], tray: FakeTray) -> None:
    served = serve(unread_s=0.05)
    served.connect(sent=HEAD + b"\r\n", read=1)
    big = scene("scored") | {"problem_details": [{"code": "x", "text": "y" * 4_000_000, "dice": []}]}
    while tray.listeners:
        tray.show(big)
        assert served.is_answered()


def test_a_client_that_vanished_is_given_up_by_the_system(serve: Callable[..., Served]) -> None:
    served = serve(unread_s=7.0)
    served.connect(sent=HEAD + b"\r\n", read=1)
    (protocol,) = served.server._server.server_state.connections
    taken = protocol.transport.get_extra_info("socket")
    assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 7000


def test_the_bound_fits_the_files_that_the_program_may_open(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.web.core.connections.resource.getrlimit", lambda _: (8, 8))
    served = serve(kept_free=0)
    silent = [served.connect() for _ in range(5)]
    assert is_closed(silent[0])


@contextmanager
def logged(now_s: Callable[[], float]) -> Iterator[tuple[logging.Logger, list[str]]]:
    lines: list[str] = []
    logger = logging.Logger("server")
    logger.addFilter(OnceAMinute(now_s))
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(logging.Formatter().format(record))  # type: ignore[method-assign]
    logger.addHandler(handler)
    yield logger, lines


def test_the_log_has_one_line_a_minute_of_a_kind() -> None:
    now = 0.0
    with logged(lambda: now) as (logger, lines):
        for number in range(1000):
            logger.warning("too many connections: one from %s was closed", number)
        logger.warning("Invalid HTTP request received.")
        now = 61.0
        logger.warning("too many connections: one from %s was closed", "192.0.2.7")
        for kind in range(1000):
            logger.warning(f"kind {kind}")
    assert lines[:3] == [
        "too many connections: one from 0 was closed",
        "Invalid HTTP request received.",
        "too many connections: one from 192.0.2.7 was closed (and 999 more like it)",
    ]


def test_texts_of_different_kinds_do_not_count_as_one() -> None:
    with logged(lambda: 0.0) as (logger, lines):
        for address in ("192.0.2.7", "192.0.2.8"):
            for key in ("web.too_many_connections", "web.no_https"):
                logger.warning("%s", translate(key, address=address, url=""))
    assert lines == [
        translate(key, address="192.0.2.7", url="") for key in ("web.too_many_connections", "web.no_https")
    ]


def test_a_server_that_ended_leaves_the_log_as_it_was(serve: Callable[..., Served]) -> None:
    logger = logging.getLogger("uvicorn.error")
    before = list(logger.filters)
    served = serve()
    assert len(logger.filters) == len(before) + 1
    served.server.stop()
    assert logger.filters == before


def test_where_no_file_can_be_opened_one_line_says_so_with_its_cure() -> None:
    error = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    with logged(lambda: 0.0) as (logger, lines):
        for _ in range(100):
            logger.error("socket.accept() out of system resource", exc_info=error)
    (line,) = lines
    assert line == (
        translate(
            "web.system_refuses",
            why="Too many open files",
            cure="start this program again, which has too many files open, or try again",
        )
    )


def test_a_request_that_the_system_refuses_is_answered_in_words(
    tray: FakeTray, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_file(*_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(tray, "rolls", no_file)
    with AppServer(create_app(tray), bind_socket("127.0.0.1", 0)) as server:
        answer = httpx.get(f"{server.url}api/rolls", verify=False, timeout=20)
    assert (answer.status_code, answer.json()["reason"]) == (503, "device")
    assert "too many files open" in answer.json()["error"]
