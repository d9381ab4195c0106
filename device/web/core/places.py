"""Limits on open streams: a few for each caller, while the display and the game master always get theirs."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum

from fastapi import Request

from device.web.core.addresses import net_of
from device.web.core.permission import is_local_request


class Standing(IntEnum):
    STRANGER = 0
    PAIRED = 1
    OWN = 2
    """The display, the tray's own machine, or the game master."""


@dataclass(frozen=True, slots=True)
class Caller:
    name: str
    standing: Standing = Standing.STRANGER


@dataclass(frozen=True, slots=True)
class PlaceParams:
    """Limits on open streams."""

    most: int = 320
    of_strangers: int = 192
    # Largest number for one caller; tabs of one browser share one. The tray's own are not limited.
    of_caller: int = 16


@dataclass(eq=False, slots=True)
class Place:
    caller: Caller
    news: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: bool = False  # whether the stream has to end


class Places:
    """All open streams, so that stopping the tray can end them. Event loop only."""

    def __init__(self, params: PlaceParams | None = None) -> None:
        self._params = params or PlaceParams()
        self._taken: dict[Place, None] = {}
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True
        for place in [*self._taken]:
            self._end(place)

    def take(self, caller: Caller) -> Place | None:
        """Add a stream."""
        of_caller = Counter(place.caller.name for place in self._taken)
        if caller.standing is Standing.OWN:
            if len(self._taken) >= self._params.most:
                (greedy, _), *_ = of_caller.most_common(1)
                self._end(next(place for place in self._taken if place.caller.name == greedy))
        elif (
            len(self._taken) >= self._params.most
            or of_caller[caller.name] >= self._params.of_caller
            or (caller.standing is Standing.STRANGER and self._strangers() >= self._params.of_strangers)
        ):
            return None
        if self.is_closed:
            return None
        place = Place(caller)
        self._taken[place] = None
        return place

    def leave(self, place: Place) -> None:
        """Release a place. Safe to call twice."""
        self._taken.pop(place, None)

    def _strangers(self) -> int:
        return sum(place.caller.standing is Standing.STRANGER for place in self._taken)

    def _end(self, place: Place) -> None:
        self.leave(place)
        place.is_over = True
        place.news.set()


def caller_by_address(request: Request) -> Caller:
    address = "" if request.client is None else net_of(request.client.host)
    return Caller(address, Standing.OWN if is_local_request(request) else Standing.STRANGER)
