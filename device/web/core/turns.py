"""Turns of guests: their requests are answered one at a time, so that others need not wait for them.

The display, paired phones and the game master never queue here.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from device.texts.catalogue import translate
from device.web.core.addresses import net_of
from device.web.core.guard import Refused

_FREE: Final = ("/static/", "/api/events", "/api/phones/")
"""Beginnings of paths with limits of their own: files, streams, and PINs."""


@dataclass(frozen=True, slots=True)
class TurnParams:
    # Rest after a turn, as a multiple of its length: guests use a quarter of one processor at most.
    rest: float = 3.0
    longest_s: float = 2.0  # a turn that takes longer, as one that waits for a picture, passes to the next guest
    of_address: int = 16  # requests of one address that may wait
    waiting: int = 256  # requests of all addresses that may wait
    wait_s: float = 20.0  # longest wait for a turn, in seconds
    unfinished: int = 16  # answers that may be under way at once; streams of events are not counted


class GuestTurns:
    """ASGI middleware that queues the requests of guests, each address in its turn. Event loop only."""

    def __init__(self, app: ASGIApp, is_guest: Callable[[Scope], bool], params: TurnParams | None = None) -> None:
        self._app = app
        self._is_guest = is_guest
        self._params = params or TurnParams()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._is_taken = False
        self._unfinished = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_FREE) or not self._is_guest(scope):
            await self._app(scope, receive, send)
            return
        net = net_of((scope.get("client") or ("",))[0])
        if self._unfinished >= self._params.unfinished or not await self._has_turn(net):
            raise Refused(503, "busy", translate("web.busy"))
        turn = _Turn(self._release, self._params)
        self._unfinished += 1
        is_counted = True

        async def sent(message: Message) -> None:
            nonlocal is_counted
            if message["type"] == "http.response.start":
                turn.end()
                if is_counted and any(value.startswith(b"text/event-stream") for _, value in message["headers"]):
                    self._unfinished, is_counted = self._unfinished - 1, False
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            turn.end()
            self._unfinished -= is_counted

    async def _has_turn(self, net: str) -> bool:
        if not self._is_taken:
            self._is_taken = True
            return True
        own = self._waiting.setdefault(net, deque())
        if len(own) >= self._params.of_address or sum(map(len, self._waiting.values())) >= self._params.waiting:
            return False
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        own.append(turn)
        try:
            async with asyncio.timeout(self._params.wait_s):
                await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            if not turn.cancelled():  # it came in that very moment
                self._release()
            elif turn in own:
                own.remove(turn)
            if isinstance(error, TimeoutError):
                return False
            raise
        return True

    def _release(self) -> None:
        """Give the turn to the address that has waited longest since its last one."""
        while self._waiting:
            net, own = next(iter(self._waiting.items()))
            del self._waiting[net]
            while own:
                turn = own.popleft()
                if not turn.done():  # its client may have left
                    self._waiting[net] = own
                    turn.set_result(None)
                    return
        self._is_taken = False


class _Turn:
    """One turn; it ends once, and the next begins after a rest."""

    def __init__(self, release: Callable[[], None], params: TurnParams) -> None:
        self._release = release
        self._rest = params.rest
        self._loop = asyncio.get_running_loop()
        self._began_s = time.monotonic()
        self._late: asyncio.TimerHandle | None = self._loop.call_later(params.longest_s, self._pass_on)

    def end(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
            self._loop.call_later(self._rest * (time.monotonic() - self._began_s), self._release)

    def _pass_on(self) -> None:
        self._late = None
        self._release()
