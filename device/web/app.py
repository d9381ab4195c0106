"""The web application: every path of the outside contract, over one port to the tray. It keeps no state of its own."""

import asyncio
import secrets
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from fastapi import Depends, FastAPI, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from starlette.middleware.gzip import GZipMiddleware

from device.calibration.teaching import Teaching
from device.calibration.workflow import CalibrationWorkflow
from device.config.settings_service import SettingsService
from device.integrations.service import Integrations
from device.runtime.bring_up import BringUp
from device.texts.catalogue import ENGLISH, say
from device.web.core.addresses import AddressNow, nowhere
from device.web.core.bodies import Correction, Corrections, PoolRequest, ThrowRequest
from device.web.core.error_handlers import answer_errors
from device.web.core.event_requests import OF_TRAY, EventRequest, dice_corrections_event, die_correction_event
from device.web.core.guard import Guard, GuardParams, guard_for
from device.web.core.head import HeadAsGet
from device.web.core.language import LocaleMiddleware, LocalizedJSONResponse
from device.web.core.pages import PAGES, add_pages, assets_version, story_template
from device.web.core.pairing import Pairing
from device.web.core.permission import Permission, is_local_request
from device.web.core.places import Caller, PlaceParams, Places, caller_by_address
from device.web.core.pools import Pools
from device.web.core.replies import NO_STORE, PlacedStream, error_response, event_response, state_response
from device.web.core.request_routes import add_event_requests
from device.web.core.rights import access, own_roll
from device.web.core.rule_views import with_costs
from device.web.core.stream import StreamParams, state_events
from device.web.core.table import TableService
from device.web.core.tray import TrayService
from device.web.core.visibility import is_redacted, sees_hidden, set_viewer, visible_odds, visible_row
from device.web.features.archive.routes import add_archive
from device.web.features.archive.service import ArchiveService
from device.web.features.bring_up.routes import add_bring_up
from device.web.features.calibration.routes import add_calibration
from device.web.features.club.routes import add_club
from device.web.features.dice_sets.routes import add_faces, add_teaching
from device.web.features.foundry.routes import add_foundry
from device.web.features.integrations.routes import add_integrations
from device.web.features.phones.shell import add_shell
from device.web.features.phones.views import Entrance
from device.web.features.settings.routes import add_settings
from device.web.phone_routes import AccessControl, add_no_phones, add_phones
from device.web.table_routes import table_router

LAST_ROW = 2**63 - 1
"""The largest row id in SQLite."""
FIRST_PICTURE_PAUSE_S = 0.1
BUSY_WAIT_S = 6.0
"""Longest wait of a throw for an earlier one, in seconds; sweeping out twenty dice takes about three."""


def create_app(
    port: TrayService,
    guard: GuardParams | None = None,
    streams: StreamParams | None = None,
    calibration: CalibrationWorkflow | None = None,
    table: TableService | None = None,
    *,
    integrations: Integrations | None = None,
    memory: ArchiveService | None = None,
    may_change: Permission | None = None,
    language: str = ENGLISH,
    may_see_hidden: Permission | None = None,
    settings: SettingsService | None = None,
    pairing: Pairing | None = None,
    teaching: Teaching | None = None,
    address: AddressNow = nowhere,
    entrance: Entrance | None = None,
    bring_up: BringUp | None = None,
    places: PlaceParams | None = None,
) -> FastAPI:
    """Build the application over a tray.

    Args:
        may_change: Whether a request may change settings, what other programs are sent, and what is remembered; None:
            the tray's own machine may, and the game master's phone.
        places: How many streams may be open at once; the defaults where None.
    """
    door = None if pairing is None else AccessControl(port, pairing)
    viewer = set_viewer(may_see_hidden or (_nobody if door is None else door.may_see_hidden))
    app = FastAPI(
        title="PushTray",
        description="A tray that reads real dice. Every write answers with the new state, or says why not.",
        docs_url=None,
        redoc_url=None,
        responses=_ANYWHERE,
        # App-wide, so that routes added later are authorized and redacted as well.
        dependencies=[*([] if door is None else [Depends(door.authorize)]), Depends(viewer)],
    )
    app.state.places = Places(places)
    pools = Pools()
    caller = caller_by_address if door is None else door.caller
    # Pictures are compressed already, and events must not wait for more data to compress: both are excluded by type.
    app.add_middleware(GZipMiddleware, compresslevel=6)
    app.add_middleware(LocaleMiddleware)
    app.add_middleware(HeadAsGet)
    app.state.guard = guard or guard_for("127.0.0.1")
    app.add_middleware(Guard, params=lambda: app.state.guard)
    answer_errors(app)
    _add_reading(app, port, pools, caller, streams or StreamParams())
    _add_writing(app, port, pools)
    if calibration is not None:
        add_calibration(app, calibration, lambda: is_redacted(port.snapshot()), pools)
    if table is not None:
        app.include_router(table_router(port, table))
    may_change = may_change or (is_local_request if door is None else door.may_change)
    add_faces(app, teaching)
    if teaching is not None:
        add_teaching(app, teaching, may_change, port.snapshot, pools)
    if integrations is not None:
        add_club(app, lambda: integrations.club, caller)
    if settings is not None:
        add_settings(app, settings, may_change)
        if integrations is not None:
            add_integrations(app, integrations, settings, may_change, pools.outside)
    if bring_up is not None:
        add_bring_up(app, bring_up, may_change, lambda: is_redacted(port.snapshot()), pools.outside)
    add_foundry(app)
    if pairing is None:
        add_no_phones(app)
    else:
        add_phones(app, port, pairing, table, address, entrance=entrance)
    add_pages(app, PAGES, language)
    version = assets_version()
    if memory is not None:
        add_archive(app, port, memory, may_change, pools, story_template=story_template(version))
    add_shell(app, version)
    return app


_ANYWHERE: Final[dict[int | str, dict[str, Any]]] = {
    400: {"description": "The body is not JSON, or not a valid request"},
    403: {"description": "Not for this device, page or host; `reason` says why in one word"},
    404: {"description": "Not found"},
    409: {"description": "Not now; `reason` says why in one word"},
    413: {"description": "The body is too large"},
    415: {"description": "The body is of another kind"},
    429: {"description": "Too many tries; `Retry-After` says when the next counts"},
    503: {"description": "A part of the tray does not answer, or it is busy"},
}
"""Responses that every path may give."""


def _nobody(_request: Request) -> bool:
    return False


def _add_reading(
    app: FastAPI, port: TrayService, pools: Pools, caller: Callable[[Request], Caller], streams: StreamParams
) -> None:
    places: Places = app.state.places
    boot = secrets.token_hex(4)

    @app.get("/api/state", summary="The whole tray as one object")
    async def state() -> Response:
        return state_response(port.snapshot())

    @app.get("/api/events", summary="The same object as server-sent events, at once and on every change")
    async def events(
        request: Request,
        beats: Annotated[bool, Query(description="send beats as events without data, not as comments")] = False,
    ) -> Response:
        return PlacedStream(places, caller(request), lambda place: state_events(port, place, streams, beats=beats))

    @app.get("/api/odds", summary="Exact odds: the declared pool before its throw, a push of the dice lying there")
    async def odds() -> Response:
        exact = await pools.odds(port.snapshot().version, port.odds)
        return LocalizedJSONResponse(visible_odds(exact, port.snapshot()), headers=NO_STORE)

    @app.get("/api/rolls", summary="The history, newest first")
    def rolls(
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        before: Annotated[int | None, Query(ge=1, le=LAST_ROW, description="only rows with a lower id")] = None,
    ) -> Response:
        rows = [with_costs(visible_row(row)) for row in port.rolls(limit, before)]
        more = rows[-1].get("id") if len(rows) == limit else None
        return LocalizedJSONResponse({"rolls": rows, "next_before": more}, headers=NO_STORE)

    @app.get("/api/players/rolls", summary="One player's newest rolls, and how all of them went")
    async def rolls_of(
        owner: Annotated[str, Query(min_length=1, max_length=40, description="the player's name")],
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
    ) -> Response:
        own = await pools.own_rolls((owner, limit, sees_hidden()), lambda: port.rolls_of(owner, limit))
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

    @app.get("/api/frame.jpg", summary="The newest picture; its ETag changes where more than noise does")
    async def frame(
        request: Request,
        width: Annotated[
            int | None, Query(ge=16, le=8192, description="as wide as it is shown; the file may be a little wider")
        ] = None,
    ) -> Response:
        if is_redacted(port.snapshot()):
            return error_response(403, "hidden", say("web.hidden"))
        picture = await run_in_threadpool(port.picture, width)
        tries = 0
        while picture is None and tries < streams.first_picture_tries and not places.is_closed:
            # A camera takes a moment to start; requests wait for its first picture.
            tries += 1
            await asyncio.sleep(FIRST_PICTURE_PAUSE_S)
            picture = await run_in_threadpool(port.picture, width)
        if picture is None:
            return error_response(404, "no_picture", say("web.no_picture"))
        if is_redacted(port.snapshot()):
            # A hidden roll became current while this request waited for the camera.
            return error_response(403, "hidden", say("web.hidden"))
        # The tag includes the run of the program, since pictures are numbered from 1 again after a restart.
        tag = f'"{boot}-{picture.version}"'
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
    async def why(die_id: int) -> Response:
        if is_redacted(port.snapshot()):
            return error_response(403, "hidden", say("web.hidden"))
        picture = await pools.dear(("why", die_id), lambda: port.why(die_id))
        if picture is None:
            return error_response(404, "no_picture", say("web.no_picture"))
        return Response(picture, media_type="image/jpeg", headers=NO_STORE)

    @app.get("/api/health", summary="Every part of the tray with its state")
    def health() -> Response:
        return LocalizedJSONResponse(port.health(), headers=NO_STORE)


def _add_writing(app: FastAPI, port: TrayService, pools: Pools) -> None:
    refusals: dict[int | str, dict[str, Any]] = {409: {"description": "Refused; `reason` says why in one word"}}

    async def carry_out(_request: EventRequest, event: Any, seen: int | None) -> Response:
        return event_response(await port.request(event, seen))

    add_event_requests(app, OF_TRAY, carry_out, refusals)

    @app.post("/api/throw", summary="Let the simulated hand throw (simulated camera only)", responses=refusals)
    @access(own_roll)
    async def throw(order: ThrowRequest | None = None) -> Response:
        order = order or ThrowRequest()
        wanted = order.counts() or None, order.hand, order.seed, order.version
        try:
            async with asyncio.timeout(BUSY_WAIT_S):
                await pools.hand.acquire()
        except TimeoutError:
            return error_response(409, "tray_busy", say("tray.refused.another_throw"))
        try:
            return event_response(await run_in_threadpool(port.throw, *wanted))
        finally:
            pools.hand.release()

    @app.put("/api/pool", summary="Say how many dice will be thrown", responses=refusals)
    @access(own_roll)
    async def pool(order: PoolRequest) -> Response:
        return event_response(await port.declare_pool(order.counts() or None))

    @app.patch("/api/dice/{die_id}", summary="Correct a die; the log keeps both readings", responses=refusals)
    @access(own_roll)
    async def correct(die_id: int, correction: Correction) -> Response:
        unknown = unknown_colour(correction.colour)
        return unknown or event_response(
            await port.request(die_correction_event(die_id, correction), correction.version)
        )

    @app.patch("/api/dice", summary="Correct several dice at once; the log keeps both readings", responses=refusals)
    @access(own_roll)
    async def correct_several(corrections: Corrections) -> Response:
        for word in corrections.dice:
            unknown = unknown_colour(word.colour)
            if unknown is not None:
                return unknown
        return event_response(await port.request(dice_corrections_event(corrections), corrections.version))

    def unknown_colour(colour: str | None) -> Response | None:
        known = port.snapshot().body.get("colours")
        if colour is None or not isinstance(known, dict) or colour in known:
            return None
        return error_response(422, "unknown_colour", say("web.unknown_colour", colour=colour, names=", ".join(known)))
