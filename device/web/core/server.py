"""Serve the application: bind the socket before anything else starts, end open streams when stopping."""

import asyncio
import errno
import logging
import socket
import threading
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import uvicorn
from anyio import to_thread
from fastapi import FastAPI

from device.errors import BadInput, DeviceError
from device.runtime.bounded_log import strangers_logged_seldom
from device.texts.catalogue import translate
from device.web.core.addresses import is_loopback, listening_refusal, named_url, network_url, page_url
from device.web.core.connections import ConnectionParams, bounded_protocol
from device.web.core.pools import READERS

Built = TypeVar("Built")
_log = logging.getLogger(__name__)

GRACE_S = 2
"""Time for running requests when stopping, in seconds; the whole program stops within three."""


class AddressNotYet(BadInput):
    """The address may become free soon: the port is taken, or the network is not up yet."""


class NoSuchAddress(AddressNotYet):
    """This machine does not have the address now: the network is not up, or gave it another one."""


def bind_socket(host: str, port: int) -> socket.socket:
    """Bind an address; port 0 takes a free one."""
    if not 0 <= port <= 65535:
        raise BadInput(f"cannot listen on port {port}: choose a --port from 1024 to 65535")
    try:
        kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        taken = socket.socket(kind, socket.SOCK_STREAM)
    except UnicodeError:  # which Python raises for what cannot be a host name at all, such as ".."
        raise _refused(host, port, socket.gaierror(socket.EAI_NONAME, "not a host name")) from None
    except OSError as error:
        raise _refused(host, port, error) from None
    try:
        # So that a restart need not wait for the kernel to forget the last run's connections.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(128)
        # A broadcast address can be bound, but not opened.
        with socket.socket(kind, socket.SOCK_STREAM) as visitor:
            visitor.settimeout(1.0)
            visitor.connect(taken.getsockname())
    except OSError as error:
        taken.close()
        raise _refused(host, port, error) from None
    return taken


def when_free(build: Callable[[], Built], wait: Callable[[float], bool], max_s: int = 40) -> Built | None:
    """Call `build`, waiting if its address may become free.

    Args:
        max_s: The longest wait, in seconds; long enough that systemd never gives up restarting it.
    """
    for waited_s in range(max_s + 1):
        try:
            return build()
        except AddressNotYet as error:
            if waited_s == max_s:
                raise DeviceError(str(error)) from None
            if waited_s == 0:
                _log.warning("%s", translate("web.waits", seconds=max_s, why=error))
        if wait(1.0):
            break
    return None


def _refused(host: str, port: int, error: OSError) -> BadInput:
    refusal = listening_refusal(host, port, error)
    kinds = {errno.EADDRINUSE: AddressNotYet, errno.EADDRNOTAVAIL: NoSuchAddress, socket.EAI_AGAIN: NoSuchAddress}
    return kinds.get(error.errno or 0, BadInput)(f"{refusal.why}: {refusal.cure}")


class AppServer:
    """An application in its own thread. `with AppServer(...)` serves while the block runs."""

    def __init__(self, app: FastAPI, taken: socket.socket, connections: ConnectionParams | None = None) -> None:
        self._socket = taken
        self._host, self._port = taken.getsockname()[:2]
        self._app = app
        config = uvicorn.Config(
            app,
            http=bounded_protocol(connections or ConnectionParams(), getattr(app.state, "known_addresses", ())),
            # Once no more files can be opened, each failed accept would be a line of the log.
            backlog=512,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            date_header=False,
            ws="none",
            timeout_keep_alive=30,
            timeout_graceful_shutdown=GRACE_S,
            h11_max_incomplete_event_size=16_384,
        )
        self._server = _Server(config)
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)

    @property
    def url(self) -> str:
        return page_url(self._host, self._port)

    @property
    def network_url(self) -> str | None:
        """The URL for other devices now; None if they cannot reach it."""
        return network_url(self._host, self._port)

    @property
    def where(self) -> str:
        """The addresses as a sentence; they change with the network."""
        if self.network_url in (None, self.url):
            return self.url
        known = filter(None, (self.network_url, named_url(self._host, self._port)))
        return translate("web.served_at", here=self.url, network=", ".join(known))

    def set_language(self, language: str) -> None:
        """Set the language for browsers that did not choose one. Any thread."""
        self._app.state.language = language

    def listen_on(self, host: str) -> None:
        """Listen on another address of this machine, on the same port. Any thread but the server's own.

        Connections through the old address end after a moment; if binding fails, nothing changes.
        """
        self._socket = self._server.move(host, self._host, self._port)
        self._host = self._socket.getsockname()[0]

    def start(self) -> None:
        """Start serving; return when the first request can be answered."""
        self._thread.start()
        if not self._server.is_up.wait(timeout=10.0) or not self._server.started:
            raise DeviceError("the web display did not start: see the log above")

    def stop(self) -> None:
        """Stop within `GRACE_S`, even with open pages. Safe to call twice."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=GRACE_S + 0.8)
        self._socket.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _serve(self) -> None:
        try:
            with strangers_logged_seldom():
                self._server.run(sockets=[self._socket])
        finally:
            self._server.is_up.set()


class AddressLine:
    """Log the address of the pages, and again whenever it changes."""

    def __init__(self, text: str, where: Callable[[], str]) -> None:
        self._text, self._where, self._last = text, where, ""

    def look(self) -> None:
        """Log the line if it has changed."""
        where = self._where()
        if where != self._last:
            _log.info(self._text, where)
            self._last = where


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = threading.Event()

    def move(self, host: str, before: str, port: int) -> socket.socket:
        """Listen on another address, or stay on the old one if that fails. Blocks until done."""
        moved = asyncio.run_coroutine_threadsafe(self._move(host, before, port), self._home)
        return moved.result(timeout=GRACE_S)

    async def _move(self, host: str, before: str, port: int) -> socket.socket:
        for server in self.servers:
            server.close()
        refusal = None
        try:
            taken = bind_socket(host, port)
        except BadInput as error:
            refusal, taken = error, bind_socket(before, port)
        config, loop = self.config, self._home
        protocol: Any = config.http_protocol_class
        factory = partial(protocol, config=config, server_state=self.server_state, app_state=self.lifespan.state)
        self.servers = [await loop.create_server(factory, sock=taken, backlog=config.backlog)]
        if refusal is not None:
            raise refusal
        if is_loopback(host):
            # After the response to the request.
            loop.call_later(1.0, self._end_distant)
        return taken

    def _end_distant(self) -> None:
        for connection in tuple(self.server_state.connections):
            peer = connection.transport and connection.transport.get_extra_info("peername")
            if peer and not is_loopback(peer[0]):
                connection.transport.abort()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._home = asyncio.get_running_loop()
        to_thread.current_default_thread_limiter().total_tokens = READERS
        await super().startup(sockets)
        self.is_up.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Event streams never end, and uvicorn waits for running requests.
        self.config.app.state.places.close()  # type: ignore[union-attr]
        await super().shutdown(sockets)
        for connection in tuple(self.server_state.connections):
            # A client that reads nothing: the rest will never be sent.
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)
