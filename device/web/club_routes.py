"""Paths of the page `/club`: every tray that a broker knows, at once and then whichever changed."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse

from device.integrations.club import ClubTrays
from device.texts.catalogue import say
from device.web.head import is_head
from device.web.language import SpokenJson
from device.web.replies import FRESH, answer_error

PAUSE_S: Final = 0.25
"""The shortest pause between two events: of trays that roll only the newest is sent."""
BEAT_S: Final = 4.0
MOST: Final = 64
"""Most pages that are served at once."""


class ClubStreams:
    """All open pages of a club, so that stopping can end them. On the event loop only."""

    def __init__(self) -> None:
        self._open: set[asyncio.Event] = set()
        self._closed = False

    @property
    def is_full(self) -> bool:
        """Whether no further one may be opened."""
        return self._closed or len(self._open) >= MOST

    def close(self) -> None:
        """End every one, now and later."""
        self._closed = True
        for news in self._open:
            news.set()

    async def events(self, find: Callable[[], ClubTrays | None]) -> AsyncIterator[str]:
        """Yield what one page gets: all trays first, then those that changed, beats between.

        Args:
            find: The trays; others, or None, where the broker is changed meanwhile: then the page asks again.
        """
        club = find()
        if club is None:
            return
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(news.set)
            except RuntimeError:
                return  # the web has stopped, and nobody is served any more

        self._open.add(news)
        end = club.listen(wake)
        try:
            version, trays = club.since(0)
            yield f"retry: 1000\nevent: all\ndata: {_packed(trays)}\n\n"
            while not self._closed and find() is club:
                try:
                    async with asyncio.timeout(BEAT_S):
                        await news.wait()
                except TimeoutError:
                    yield "event: beat\ndata: {}\n\n"
                    continue
                news.clear()
                version, trays = club.since(version)
                if trays:
                    yield f"event: some\ndata: {_packed(trays)}\n\n"
                await asyncio.sleep(PAUSE_S)
        finally:
            end()
            self._open.discard(news)


def add_club(app: FastAPI, find: Callable[[], ClubTrays | None]) -> None:
    """Add the paths.

    Args:
        app: Takes them; `app.state.club_streams.close()` ends open pages before a stop.
        find: The trays; None where nobody listens to a broker.
    """
    streams = app.state.club_streams = ClubStreams()

    @app.get("/api/club", summary="Every tray on this tray's broker, with its last results")
    def trays() -> Response:
        club = find()
        if club is None:
            return answer_error(409, "no_club", say("web.no_club"))
        return SpokenJson({"trays": club.since(0)[1]}, headers=FRESH)

    @app.get("/api/club/events", summary="The same as server-sent events: all at once, then those that changed")
    async def events(request: Request) -> Response:
        if find() is None:
            return answer_error(409, "no_club", say("web.no_club"))
        if streams.is_full:
            return answer_error(503, "too_many_streams", say("web.too_many_streams"))
        headers = {**FRESH, "x-accel-buffering": "no"}
        # Whoever asks for the head alone would wait for ever for the stream's end.
        events = () if is_head(request.scope) else streams.events(find)
        return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def _packed(trays: object) -> str:
    return json.dumps(trays, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
