"""Rolls requested and prepared, typed dice, extended tests and clocks over the web."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from device.game.state import table_events as table
from device.game.state.events import Event
from device.web.core.access import Asker
from device.web.core.event_requests import EventRequest, table_router
from device.web.core.replies import body_response
from device.web.core.rights import Access, access
from device.web.core.table import TableService
from device.web.core.web import Web
from device.web.features.roll_requests import service
from device.web.features.roll_requests.bodies import LinkedRollsRequest, PrepareRequest, QuestionRequest


def linked_rolls_event(body: LinkedRollsRequest) -> Event:
    """Return the event of linked rolls; values apply to members that do not override them."""
    rolls = tuple(
        table.RollRequested(
            one.owner,
            dice=one.dice,
            levels=one.levels,
            thrower=one.thrower,
            hidden=body.hidden if one.hidden is None else one.hidden,
            tiles=one.tiles,
            sheet=one.sheet,
        )
        for one in body.rolls
    )
    return table.LinkedRollsRequested(body.kind, rolls, body.label, body.aim)


REQUESTS = (
    EventRequest(
        "POST /api/asked",
        "ask_roll",
        table.RollRequested,
        "Ask for a roll: whose it is, what for, which dice to take; it waits while another has its turn",
    ),
    EventRequest(
        "POST /api/asked/together",
        "ask_together",
        linked_rolls_event,
        "Ask for an opposed roll or a group's: rolled one after another, compared at the end",
        body=LinkedRollsRequest,
    ),
    EventRequest(
        "POST /api/asked/{request_id}/show",
        "show_hidden",
        table.HiddenRollShown,
        "Show a hidden roll, and those that it is compared with",
    ),
    EventRequest(
        "DELETE /api/asked/{request_id}",
        "cancel_request",
        table.RollRequestDropped,
        "Cancel a requested roll",
    ),
    EventRequest(
        "POST /api/typed-dice",
        "type_die",
        table.ManualDieEntered,
        "Type in what a die shows that no camera reads",
    ),
    EventRequest(
        "PATCH /api/typed-dice/{die_id}",
        "change_typed_die",
        table.TypedDieChanged,
        "Change a typed face, or type it in again for a push",
        has_seen=True,
    ),
    EventRequest(
        "DELETE /api/typed-dice/{die_id}",
        "remove_typed_die",
        table.TypedDieRemoved,
        "Take a typed die away",
        has_seen=True,
    ),
    EventRequest(
        "PUT /api/series",
        "begin_series",
        table.ExtendedTestBegun,
        "Begin a test over several rolls: each finished roll from now on belongs to it",
    ),
    EventRequest("DELETE /api/series", "end_series", table.ExtendedTestEnded, "Put the test away, finished or not"),
    EventRequest("POST /api/clocks", "add_clock", table.ClockAdded, "Put a clock up", service.clocks, 201),
    EventRequest("POST /api/clocks/undo", "undo_clock", table.ClockUndone, "Take the latest tick back", service.clocks),
    EventRequest(
        "POST /api/clocks/{clock_id}/tick",
        "tick_clock",
        table.ClockTicked,
        "Tick a clock; a negative number empties it",
        service.clocks,
    ),
    EventRequest(
        "DELETE /api/clocks/{clock_id}", "remove_clock", table.ClockRemoved, "Take a clock away", service.clocks
    ),
)


def add_roll_requests(web: Web, table: TableService) -> None:
    router = table_router(web.tray, table, REQUESTS)

    @router.get("/api/tiles", summary="What is tapped before a roll, asked along with it, and tested over several")
    def tiles(system: Annotated[str | None, Query(max_length=40)] = None) -> Response:
        return body_response(service.tiles(table.system(system)))

    @router.get("/api/clocks", summary="The clocks that the table shares")
    def clocks() -> Response:
        return body_response(service.clocks(table.now))

    @router.post("/api/ask", summary="Ask the rules something without a roll; its consequences may go to a sheet")
    @access(Access.EVENT)
    async def ask(order: QuestionRequest, caller: Asker) -> Response:
        carry_for = caller if order.carry else None
        return body_response(await service.ask(table, order.op, order.facts(), order.sheet, carry_for=carry_for))

    @router.post("/api/prepare", summary="Say which dice to take for the tiles tapped, and declare them")
    @access(Access.EVENT)
    async def prepare(order: PrepareRequest, caller: Asker) -> Response:
        use_chosen = "sheet" not in order.model_fields_set
        tiles, sheet, whose = dict(order.tiles), order.sheet, (order.owner, order.label)
        return body_response(
            await service.prepare(
                table, tiles, sheet, use_chosen=use_chosen, declare_for=caller if order.declare else None, whose=whose
            )
        )

    web.app.include_router(router)
