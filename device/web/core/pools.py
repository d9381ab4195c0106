"""Threads for long requests, so that a short one never waits for a thread."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from device.runtime.loop import LoopBusy
from device.texts.catalogue import translate

Made = TypeVar("Made")

READERS = 8
"""Number of shared threads; more would only take turns on one processor."""
PIECE_LINES = 200
MAX_WAITING = 64
"""Largest queue of a lane; further requests are refused."""


class Lane:
    """Run long tasks one at a time, each once for all requests that wait for it to start."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(1)
        self._waiting: dict[Hashable, asyncio.Future[Any]] = {}

    async def __call__(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Run a task, or share one that has not started yet."""
        waiting = self._waiting.get(key)
        if waiting is None:
            if len(self._waiting) >= MAX_WAITING:
                raise LoopBusy(translate("web.busy"))

            def begin() -> Made:
                self._waiting.pop(key, None)
                return make()

            waiting = self._waiting[key] = asyncio.ensure_future(to_thread.run_sync(begin, limiter=self._limiter))
        made: Made = await asyncio.shield(waiting)
        return made


class Pools:
    """The threads of one application; requests await them on the event loop."""

    def __init__(self) -> None:
        self.log = CapacityLimiter(1)
        self.copies = CapacityLimiter(1)
        self.hand = asyncio.Lock()
        self.outside = CapacityLimiter(1)
        self.calibration = CapacityLimiter(1)
        self.dear = Lane()
        self.odds = Lane()
        self.own_rolls = Lane()
        self._bulk = CapacityLimiter(1)

    async def pieces(self, lines: Iterator[str]) -> AsyncIterator[str]:
        """Yield a long text some lines at a time, one piece at once of all texts being sent.

        The first piece is made here, so that an unreadable log is an error and not an empty table.
        """
        return self._pieces(await self._piece(lines), lines)

    async def _pieces(self, piece: str, lines: Iterator[str]) -> AsyncIterator[str]:
        while piece:
            yield piece
            piece = await self._piece(lines)

    async def _piece(self, lines: Iterator[str]) -> str:
        return await to_thread.run_sync(lambda: "".join(islice(lines, PIECE_LINES)), limiter=self._bulk)


def on(limiter: CapacityLimiter) -> Callable[[Callable[..., Made]], Callable[..., Awaitable[Made]]]:
    """Run a route's function on its own threads instead of the shared ones."""

    def moved(endpoint: Callable[..., Made]) -> Callable[..., Awaitable[Made]]:
        async def waits(**values: Any) -> Made:
            return await to_thread.run_sync(partial(endpoint, **values), limiter=limiter)

        waits.__name__, waits.__doc__ = endpoint.__name__, endpoint.__doc__
        waits.__signature__ = inspect.signature(endpoint)  # type: ignore[attr-defined]
        return waits

    return moved
