"""Routes of `/club`: every tray known to a broker, then each change."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Final

from fastapi import FastAPI, Query, Request
from fastapi.responses import Response

from device.integrations.club import ClubTrays
from device.texts.catalogue import LazyText, translate
from device.web.core.language import LocalizedJSONResponse, localized
from device.web.core.places import Caller, Place, Places, caller_by_address
from device.web.core.replies import NO_STORE, PlacedStream, error_response

PAUSE_S: Final = 0.25
"""The shortest pause between two events, in seconds; only the newest state of each tray is sent."""
BEAT_S: Final = 4.0


async def _events(
    find: Callable[[], ClubTrays | None], fault: Callable[[], LazyText | None], place: Place
) -> AsyncIterator[str]:
    """Yield the text of one page's stream: all trays first, then changed ones, with heartbeats between."""
    club = find()
    if club is None:
        return
    loop, news = asyncio.get_running_loop(), place.news

    def wake() -> None:
        try:
            loop.call_soon_threadsafe(news.set)
        except RuntimeError:
            return  # the web has stopped

    end = club.listen(wake)
    try:
        version, trays = club.since(0)
        yield f"retry: 1000\nevent: all\ndata: {_packed(trays)}\n\n{_beat(fault())}"
        while not place.is_over and find() is club:
            try:
                async with asyncio.timeout(BEAT_S):
                    await news.wait()
            except TimeoutError:
                yield _beat(fault())
                continue
            news.clear()
            version, trays = club.since(version)
            if trays:
                yield f"event: some\ndata: {_packed(trays)}\n\n"
            await asyncio.sleep(PAUSE_S)
    finally:
        end()


def _beat(fault: LazyText | None) -> str:
    return f"event: beat\ndata: {_packed({'fault': localized(fault)})}\n\n"


def add_club(
    app: FastAPI,
    find: Callable[[], ClubTrays | None],
    fault: Callable[[], LazyText | None],
    caller: Callable[[Request], Caller] = caller_by_address,
) -> None:
    places: Places = app.state.places

    @app.get(
        "/api/club",
        summary="Every tray on this tray's broker, with its last results",
        responses={204: {"description": "With `quiet`: this tray does not listen to others"}},
    )
    def trays(
        quiet: Annotated[bool, Query(description="204 in place of 409, which browsers log")] = False,
    ) -> Response:
        club = find()
        if club is None and quiet:
            return Response(status_code=204, headers=NO_STORE)
        if club is None:
            return error_response(409, "no_club", translate("web.no_club"))
        return LocalizedJSONResponse({"trays": club.since(0)[1], "fault": fault()}, headers=NO_STORE)

    @app.get("/api/club/events", summary="The same as server-sent events: all at once, then those that changed")
    async def events(request: Request) -> Response:
        if find() is None:
            return error_response(409, "no_club", translate("web.no_club"))
        return PlacedStream(places, caller(request), lambda place: _events(find, fault, place))


def _packed(trays: object) -> str:
    return json.dumps(trays, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
