"""Limits for strangers: connections, in total and by address, and time."""

import asyncio
import logging
import resource
import socket
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from device.texts.catalogue import translate
from device.web.core.addresses import net_of, page_url

_log = logging.getLogger(__name__)
_OWN: Final = frozenset({"127.0.0.1", "::1"})
_TLS_HANDSHAKE: Final = b"\x16"
"""First byte of a connection over https (RFC 8446, 5.1), with which no request over http begins."""
_TLS_ALERT: Final = bytes((0x15, 3, 3, 0, 2, 2, 70))
"""Fatal `protocol_version`: Chromium then shows "uses an unsupported protocol", Python and curl name it.

After an answer in plain text Chromium shows "sent an invalid response", after other alerts nothing better.
"""


@dataclass(frozen=True, slots=True)
class ConnectionParams:
    # largest number of connections, if the system allows the program twice as many open files
    most: int = 512
    kept_free: int = 64  # number of them reserved for clients on this machine
    of_address: int = 64
    head_s: float = 10.0  # longest wait for the head of a request, in seconds
    # longest time in seconds without a client reading anything; the next heartbeat finds one that vanished
    unread_s: float = 30.0
    # A response may keep the server waiting so long, and so much longer as its bytes take at the slowest link.
    slow_s: float = 10.0
    slowest_bytes_s: float = 20_000.0


def bounded_protocol(params: ConnectionParams, known: Container[str] = ()) -> type[H11Protocol]:
    """Return a protocol that bounds what each client may use.

    Args:
        known: Addresses of paired phones, whose connections are not closed in favour of strangers'; it may change.
    """
    most = min(params.most, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)

    class BoundedProtocol(H11Protocol):
        _address = ""
        _idle_since_s = 0.0
        _head: asyncio.TimerHandle | None = None
        _unread: asyncio.TimerHandle | None = None
        _allowed_s = 0.0  # how much longer the response may keep the server waiting
        _paused_s = 0.0
        _left_bytes = 0
        _is_new = True

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._address = "" if self.client is None else net_of(self.client[0])
            self._idle_since_s = self.loop.time()
            taken: socket.socket = transport.get_extra_info("socket")
            taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * params.unread_s))
            self._make_room()
            self._head = self.loop.call_later(params.head_s, transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            for timer in (self._head, self._unread):
                if timer is not None:
                    timer.cancel()

        def data_received(self, data: bytes) -> None:
            if self._is_new and data.startswith(_TLS_HANDSHAKE):
                url = page_url(*self.transport.get_extra_info("sockname")[:2])
                _log.warning("%s", translate("web.no_https", address=self._address, url=url))
                self.transport.write(_TLS_ALERT)
                self.transport.close()
                return
            self._is_new = False
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before:
                self._allowed_s = params.slow_s
                if self._head is not None:
                    self._head.cancel()
                self._head = None
            elif self._is_idle and self._head is None:
                self._head = self.loop.call_later(params.head_s, self.transport.abort)

        def on_response_complete(self) -> None:
            self._idle_since_s = self.loop.time()
            super().on_response_complete()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._paused_s, self._left_bytes = self.loop.time(), self.transport.get_write_buffer_size()
            wait_s = self._allowed_s + self._left_bytes / params.slowest_bytes_s
            self._unread = self.loop.call_later(min(params.unread_s, wait_s), self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            read_bytes = self._left_bytes - self.transport.get_write_buffer_size()
            self._allowed_s += read_bytes / params.slowest_bytes_s - (self.loop.time() - self._paused_s)
            if self._unread is not None:
                self._unread.cancel()

        def _unsupported_upgrade_warning(self) -> None:
            """Say nothing of a WebSocket that a stranger asks for; it gets a plain response."""

        @property
        def _is_idle(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def _make_room(self) -> None:
            """Close the connection that was idle longest; if none is idle, one of the address with the most."""
            others = [
                one
                for one in self.connections
                if isinstance(one, BoundedProtocol) and one is not self and not one.transport.is_closing()
            ]
            near = [one for one in others if one._address == self._address]
            is_own = self._address in _OWN
            if not is_own and len(near) >= params.of_address:
                crowd = near
            elif is_own and len(others) >= most:
                crowd = others
            elif not is_own and len(others) >= most - params.kept_free:
                strangers = [one for one in others if one._address not in _OWN and one._address not in known]
                crowd = strangers or [one for one in others if one._address not in _OWN]
            else:
                return
            idle = [one for one in crowd if one._is_idle] or self._of_greediest(crowd)
            closed = min(idle, key=lambda one: one._idle_since_s, default=self)
            _log.warning("%s", translate("web.too_many_connections", address=closed._address))
            closed.transport.abort()

        def _of_greediest(self, crowd: "list[BoundedProtocol]") -> "list[BoundedProtocol]":
            """Return the connections of the address with the most, if that is more than this one's has."""
            counts = Counter(one._address for one in crowd)
            address, most = max(counts.items(), key=lambda count: count[1], default=("", 0))
            return [one for one in crowd if one._address == address] if most > counts[self._address] + 1 else []

    return BoundedProtocol
