"""The tray over the web: state, picture, odds and rolls, and what is pressed and corrected."""

import asyncio
import secrets
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse

from device.game.buttons import BUTTONS
from device.game.state import events as tray
from device.game.state.events import DiceCorrected, DieCorrected, DieDismissed, Event
from device.texts.catalogue import translate
from device.web.core.access import Asker
from device.web.core.event_requests import EventRequest, add_event_requests
from device.web.core.language import LocalizedJSONResponse
from device.web.core.places import Places
from device.web.core.replies import (
    NO_STORE,
    PlacedStream,
    body_response,
    error_response,
    event_response,
    state_response,
)
from device.web.core.rights import Access, Identity, access
from device.web.core.rule_views import with_costs
from device.web.core.stream import state_events
from device.web.core.visibility import is_redacted, visible_odds, visible_row
from device.web.core.web import Web
from device.web.features.table.bodies import Correction, Corrections, HeldUndo, PoolRequest, ThrowRequest

LAST_ROW = 2**63 - 1
"""The largest row id in SQLite."""
FIRST_PICTURE_PAUSE_S = 0.1
BUSY_WAIT_S = 6.0
"""Longest wait of a throw for an earlier one, in seconds; sweeping out twenty dice takes about three."""


def die_correction_event(die_id: int, body: Correction) -> Event:
    """Return the event that corrects or dismisses a die."""
    if body.ignored is None:
        return DieCorrected(die_id, body.shown, body.colour, body.sides)
    return DieDismissed(die_id, ignored=body.ignored)


def dice_corrections_event(body: Corrections) -> Event:
    """Return the event that corrects several dice."""
    return DiceCorrected(tuple(DieCorrected(word.id, word.value, word.colour) for word in body.dice))


REQUESTS = (
    *(
        EventRequest(f"POST /api/{name}", name, type(button.event), button.summary, has_seen=True)
        for name, button in BUTTONS.items()
    ),
    EventRequest(
        "POST /api/undo",
        "undo",
        tray.UndoPressed,
        "Take back what was pressed last: `undo` of the state",
    ),
    EventRequest("PUT /api/system", "system", tray.SystemChosen, "Choose the rule system"),
    EventRequest(
        "PATCH /api/context",
        "context",
        tray.ContextSet,
        "Facts of the roll: attribute, gear bonus",
    ),
    EventRequest(
        "POST /api/dice",
        "add_die",
        tray.DieAdded,
        "Point out a die that the camera does not see",
        has_seen=True,
    ),
    EventRequest(
        "POST /api/confirm",
        "confirm",
        tray.DiceConfirmed,
        "Say that all dice are read right",
        has_seen=True,
    ),
    EventRequest(
        "DELETE /api/dice/{die_id}/correction",
        "restore",
        tray.DieRestored,
        "Take the camera's word for a die again",
        has_seen=True,
    ),
)


def add_reading(web: Web) -> None:
    app, port, pools, door, streams = web.app, web.tray, web.pools, web.door, web.streams
    places: Places = app.state.places
    boot = secrets.token_hex(4)

    @app.get("/api/state", summary="The whole tray as one object")
    async def state(viewer: Asker) -> Response:
        return state_response(port.snapshot(), viewer)

    @app.get("/api/events", summary="The same object as server-sent events, at once and on every change")
    async def events(
        request: Request,
        beats: Annotated[bool, Query(description="send beats as events without data, not as comments")] = False,
    ) -> Response:
        identify = partial(door.identify, request)
        return PlacedStream(
            places, door.caller(request), lambda place: state_events(port, place, streams, identify, beats=beats)
        )

    @app.get("/api/odds", summary="Exact odds: the declared pool before its throw, a push of the dice lying there")
    async def odds(viewer: Asker) -> Response:
        exact = await pools.odds(port.snapshot().version, port.odds)
        return LocalizedJSONResponse(visible_odds(exact, port.snapshot(), viewer), headers=NO_STORE)

    @app.get("/api/rolls", summary="The history, newest first")
    def rolls(
        viewer: Asker,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        before: Annotated[int | None, Query(ge=1, le=LAST_ROW, description="only rows with a lower id")] = None,
    ) -> Response:
        rows = [with_costs(visible_row(row, viewer)) for row in port.rolls(limit, before)]
        more = rows[-1].get("id") if len(rows) == limit else None
        return LocalizedJSONResponse({"rolls": rows, "next_before": more}, headers=NO_STORE)

    @app.get("/api/players/rolls", summary="One player's newest rolls, and how all of them went")
    async def rolls_of(
        viewer: Asker,
        owner: Annotated[str, Query(min_length=1, max_length=40, description="the player's name")],
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
    ) -> Response:
        own = await pools.own_rolls((owner, limit, viewer.may_see_hidden), lambda: port.rolls_of(owner, limit, viewer))
        return LocalizedJSONResponse({"owner": owner, **own}, headers=NO_STORE)

    @app.get("/api/rolls.csv", summary="The whole history as a table")
    async def rolls_csv(
        separator: Annotated[
            Literal["comma", "semicolon", "tab"] | None,
            Query(description="for a spreadsheet; with semicolon, decimals have a comma"),
        ] = None,
    ) -> Response:
        headers = {**NO_STORE, "content-disposition": 'attachment; filename="rolls.csv"'}
        pieces = await pools.pieces(await run_in_threadpool(port.rolls_csv, *([separator] if separator else [])))
        return StreamingResponse(pieces, media_type="text/csv; charset=utf-8", headers=headers)

    @app.get(
        "/api/frame.jpg",
        summary="The newest picture; its ETag changes where more than noise does",
        responses={204: {"description": "With `quiet`: no picture may be shown"}},
    )
    async def frame(
        request: Request,
        viewer: Asker,
        width: Annotated[
            int | None, Query(ge=16, le=8192, description="as wide as it is shown; the file may be a little wider")
        ] = None,
        read: Annotated[bool, Query(description="the picture the dice were read from, in full size")] = False,
        quiet: Annotated[bool, Query(description="204 in place of 403 and 404, which browsers log")] = False,
    ) -> Response:
        def none(status: int, reason: str, text: str) -> Response:
            return Response(status_code=204, headers=NO_STORE) if quiet else error_response(status, reason, text)

        if is_redacted(port.snapshot(), viewer):
            return none(403, "hidden", translate("web.hidden"))
        find = port.read_picture if read else partial(port.picture, width)
        picture = await run_in_threadpool(find)
        tries = 0
        while picture is None and tries < streams.first_picture_tries and not places.is_closed:
            # A camera takes a moment to start; requests wait for its first picture.
            tries += 1
            await asyncio.sleep(FIRST_PICTURE_PAUSE_S)
            picture = await run_in_threadpool(find)
        if picture is None:
            return none(404, "no_picture", translate("web.no_picture"))
        if is_redacted(port.snapshot(), viewer):
            # A hidden roll became current while this request waited for the camera.
            return none(403, "hidden", translate("web.hidden"))
        # The tag includes the run of the program, since pictures are numbered from 1 again after a restart.
        tag = f'"{boot}-read-{picture.sequence}"' if read else f'"{boot}-{picture.version}"'
        headers = {
            "etag": tag,
            "cache-control": "no-cache",
            "x-frame-sequence": str(picture.sequence),
            "x-frame-size": "{}x{}".format(*picture.frame_px),
        }
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(picture.jpeg, media_type="image/jpeg", headers=headers)

    @app.get("/api/dice/{die_id}/why.jpg", summary="What each stage of the reader makes of a die, side by side")
    async def why(die_id: int, viewer: Asker) -> Response:
        if is_redacted(port.snapshot(), viewer):
            return error_response(403, "hidden", translate("web.hidden"))
        picture = await pools.dear(("why", die_id), lambda: port.why(die_id))
        if picture is None:
            return error_response(404, "no_picture", translate("web.no_picture"))
        return Response(picture, media_type="image/jpeg", headers=NO_STORE)

    @app.get("/api/health", summary="Every part of the tray with its state")
    def health() -> Response:
        return LocalizedJSONResponse(port.health(), headers=NO_STORE)


def add_writing(web: Web) -> None:
    app, port, pools = web.app, web.tray, web.pools
    refusals: dict[int | str, dict[str, Any]] = {409: {"description": "Refused; `reason` says why in one word"}}

    async def carry_out(_request: EventRequest, event: Any, caller: Identity, seen: int | None) -> Response:
        return event_response(await port.request(event, caller, seen), caller)

    add_event_requests(app, REQUESTS, carry_out, refusals)

    @app.post("/api/undo/hold", summary="Keep what can be undone for as long again: its button has the focus")
    @access(Access.EVENT)
    def hold(held: HeldUndo, caller: Asker) -> Response:
        port.authorize(tray.UndoPressed(held.id), caller)
        port.hold_undo(held.id)
        return body_response({})

    @app.post("/api/throw", summary="Let the simulated hand throw (simulated camera only)", responses=refusals)
    @access(Access.EVENT)
    async def throw(caller: Asker, order: ThrowRequest | None = None) -> Response:
        port.authorize(tray.ThrowOrdered(), caller)
        order = order or ThrowRequest()
        wanted = order.counts() or None, order.hand, order.seed, order.version
        try:
            async with asyncio.timeout(BUSY_WAIT_S):
                await pools.hand.acquire()
        except TimeoutError:
            return error_response(409, "tray_busy", translate("tray.refused.another_throw"))
        try:
            return event_response(await run_in_threadpool(port.throw, *wanted), caller)
        finally:
            pools.hand.release()

    @app.put("/api/pool", summary="Say how many dice will be thrown", responses=refusals)
    @access(Access.EVENT)
    async def pool(order: PoolRequest, caller: Asker) -> Response:
        return event_response(await port.declare_pool(order.counts() or None, caller), caller)

    @app.patch("/api/dice/{die_id}", summary="Correct a die; the log keeps both readings", responses=refusals)
    @access(Access.EVENT)
    async def correct(die_id: int, correction: Correction, caller: Asker) -> Response:
        event = die_correction_event(die_id, correction)
        port.authorize(event, caller)
        unknown = unknown_colour(correction.colour)
        return unknown or event_response(await port.request(event, caller, correction.version), caller)

    @app.patch("/api/dice", summary="Correct several dice at once; the log keeps both readings", responses=refusals)
    @access(Access.EVENT)
    async def correct_several(corrections: Corrections, caller: Asker) -> Response:
        event = dice_corrections_event(corrections)
        port.authorize(event, caller)
        for word in corrections.dice:
            unknown = unknown_colour(word.colour)
            if unknown is not None:
                return unknown
        return event_response(await port.request(event, caller, corrections.version), caller)

    def unknown_colour(colour: str | None) -> Response | None:
        known = port.snapshot().body.get("colours")
        if colour is None or not isinstance(known, dict) or colour in known:
            return None
        return error_response(
            422, "unknown_colour", translate("web.unknown_colour", colour=colour, names=", ".join(known))
        )
