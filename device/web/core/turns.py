"""Turns of guests: their requests are answered one at a time, so that others need not wait for them.

The display, paired phones and the game master never queue here.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from device.texts.catalogue import translate
from device.web.core.addresses import net_of
from device.web.core.guard import Refused, replay

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
    # Answers that may be under way at once, streams of events not counted. An address without one may exceed the first
    # number, up to the last, so that a few slow readers do not shut others out.
    unfinished: int = 16
    unfinished_of_address: int = 6
    most_unfinished: int = 64


class GuestTurns:
    """ASGI middleware that queues the requests of guests, each address in its turn. Event loop only."""

    def __init__(self, app: ASGIApp, is_guest: Callable[[Scope], bool], params: TurnParams | None = None) -> None:
        self._app = app
        self._is_guest = is_guest
        self._params = params or TurnParams()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._is_taken = False
        self._unfinished = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_FREE) or not self._is_guest(scope):
            await self._app(scope, receive, send)
            return
        net = net_of((scope.get("client") or ("",))[0])
        is_read = scope["method"] in ("GET", "HEAD")
        if not await self._has_turn(net, receive if is_read else None):
            raise Refused(503, "busy", translate("web.busy"))
        receive = replay(b"", receive) if is_read else receive
        turn = _Turn(self._release, self._params)
        self._unfinished[net] += 1
        is_counted = True

        async def sent(message: Message) -> None:
            nonlocal is_counted
            if message["type"] == "http.response.start":
                turn.end()
                if is_counted and any(value.startswith(b"text/event-stream") for _, value in message["headers"]):
                    self._finish(net)
                    is_counted = False
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            turn.end()
            if is_counted:
                self._finish(net)

    def _may_begin(self, net: str) -> bool:
        own, total = self._unfinished[net], self._unfinished.total()
        most = self._params.unfinished if own else self._params.most_unfinished
        return own < self._params.unfinished_of_address and total < most

    def _finish(self, net: str) -> None:
        self._unfinished[net] -= 1
        self._unfinished += Counter()  # forgets addresses without any

    async def _has_turn(self, net: str, receive: Receive | None) -> bool:
        """Wait for a turn, as long as the client stays.

        Args:
            receive: Of a request without a body; None where a body must be left for the application.
        """
        if not self._may_begin(net):
            return False
        if not self._is_taken:
            self._is_taken = True
            return True
        own = self._waiting.setdefault(net, deque())
        if len(own) >= self._params.of_address or sum(map(len, self._waiting.values())) >= self._params.waiting:
            return False
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        own.append(turn)
        left = None if receive is None else asyncio.ensure_future(_disconnect(receive))
        if left is not None:
            left.add_done_callback(lambda _: turn.cancel())
        try:
            async with asyncio.timeout(self._params.wait_s):
                await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            if not turn.cancelled():  # it came in that very moment
                self._release()
            elif turn in own:
                own.remove(turn)
            if isinstance(error, TimeoutError) or (left is not None and left.done()):
                return False
            raise
        finally:
            if left is not None:
                left.cancel()
        if not self._may_begin(net):  # earlier ones of the address began meanwhile
            self._release()
            return False
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


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


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
