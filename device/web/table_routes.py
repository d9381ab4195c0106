"""The table beside the dice over the web: rulings, roles, prepared rolls, sheets, clocks, typed dice, tests.

What these change shows in the snapshot too, on every screen at once: `typed_dice`, `awaiting`, `prepared`, `series`,
`sheet`, `sheets`, `sheets_revision`, `consequences`, `carry`, `clocks`, `roles`.
"""

import re
from typing import Annotated, Any, cast

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import Response

from device.web.language import SpokenJson
from device.web.models import (
    AskOrder,
    CarryChoice,
    NewClock,
    NewSheet,
    PrepareOrder,
    RestOrder,
    RolesOrder,
    RulingsOrder,
    Seen,
    SeriesOrder,
    SheetChoice,
    SheetEdit,
    Ticks,
    TypedDieOrder,
    TypedFace,
    VersionQuery,
)
from device.web.replies import FRESH, STATUS_OF, answer_error, answer_wish
from device.web.table_port import TablePort, TableRefused
from rules.system import Facts, JsonValue

LAST_ID = 2**53 - 1
BAD_VALUE = {"bad_value": 422}
"""Beside the dice a bad value is the request's own fault and never the tray's state."""
REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"description": "It names a sheet, a system or a die that is not there"},
    409: {"description": "Refused; `reason` says why in one word"},
    422: {"description": "A value makes no sense; `error` says which, and the cure"},
}


async def refused(_request: Request, error: Exception) -> Response:
    """Answer what the table does not do with its word and its sentence."""
    if not isinstance(error, TableRefused):
        raise error
    status = {**STATUS_OF, **BAD_VALUE}.get(error.reason, 409)
    return answer_error(status, error.reason, error.text)


def table_router(table: TablePort) -> APIRouter:
    """Every route over a table."""
    router = APIRouter(prefix="/api", responses=REFUSALS)
    _add_rules(router, table)
    _add_rolls(router, table)
    _add_sheets(router, table)
    _add_sheet_changes(router, table)
    _add_clocks(router, table)
    return router


def _add_rules(router: APIRouter, table: TablePort) -> None:
    @router.get("/rulings", summary="Every house ruling: default, choices, why, and the value in force")
    def rulings() -> Response:
        return _body(table.rulings())

    @router.put("/rulings/{system}", summary="Choose house rulings of one system; kept for this table")
    def choose_rulings(system: str, order: RulingsOrder) -> Response:
        return _body(table.choose_rulings(system, _facts(order.rulings)))

    @router.get("/roles", summary="What each colour class counts as, system by system")
    def roles() -> Response:
        return _body(table.roles())

    @router.put("/roles/{system}", summary="Say what colour classes count as; kept for this table")
    def choose_roles(system: str, order: RolesOrder) -> Response:
        return _body(table.choose_roles(system, _facts(order.roles)))

    @router.get("/tiles", summary="What is tapped before a roll, asked beside it, and tested over several")
    def tiles(system: Annotated[str | None, Query(max_length=40)] = None) -> Response:
        return _body(table.tiles(system))

    @router.post("/ask", summary="Ask the rules something beside a roll; its consequences may go to a sheet")
    def ask(order: AskOrder) -> Response:
        return _body(table.ask(order.op, _facts(order.context), order.sheet, carry=order.carry))


def _add_rolls(router: APIRouter, table: TablePort) -> None:
    @router.post("/prepare", summary="Say which dice to take for the tiles tapped, and declare them")
    def prepare(order: PrepareOrder) -> Response:
        use_chosen = "sheet" not in order.model_fields_set
        tiles = _facts(order.tiles)
        return _body(table.prepare(tiles, order.sheet, use_chosen=use_chosen, declare=order.declare))

    @router.post("/typed-dice", summary="Type in what a die shows that no camera reads")
    def type_die(order: TypedDieOrder) -> Response:
        return answer_wish(table.type_die(order.role.value, order.level, order.value), BAD_VALUE)

    @router.patch("/typed-dice/{die_id}", summary="Change a typed face, or type it in again for a push")
    def change_typed_die(die_id: int, order: TypedFace) -> Response:
        return answer_wish(table.change_typed_die(_bounded(die_id), order.value, order.version), BAD_VALUE)

    @router.delete("/typed-dice/{die_id}", summary="Take a typed die away")
    def remove_typed_die(die_id: int, version: VersionQuery = None) -> Response:
        return answer_wish(table.remove_typed_die(_bounded(die_id), version), BAD_VALUE)

    @router.put("/series", summary="Begin a test over several rolls: each finished roll from now on belongs to it")
    def begin_series(order: SeriesOrder) -> Response:
        return answer_wish(table.begin_series(order.op, _facts(order.settings)), BAD_VALUE)

    @router.delete("/series", summary="Put the test away, finished or not")
    def end_series() -> Response:
        return answer_wish(table.end_series(), BAD_VALUE)


def _add_sheets(router: APIRouter, table: TablePort) -> None:
    @router.get("/sheets", summary="Every sheet, which one is in use, how consequences reach it")
    def sheets() -> Response:
        return _body(table.sheets())

    @router.post("/sheets", summary="A new character", status_code=201)
    def new_sheet(order: NewSheet) -> Response:
        return _body(table.new_sheet(order.title, order.system), 201)

    @router.put("/sheets/chosen", summary="Use a sheet from now on, or none")
    def choose_sheet(choice: SheetChoice) -> Response:
        return _body(table.choose_sheet(choice.sheet))

    @router.put("/sheets/carry", summary="Carry consequences over with a tap, or by themselves")
    def choose_carry(choice: CarryChoice) -> Response:
        return _body(table.choose_carry(choice.carry))

    @router.post(
        "/sheets/import", summary="A sheet out of an exported file; another version is refused", status_code=201
    )
    def import_sheet(content: Annotated[dict[str, Any], Body()]) -> Response:
        return _body(table.import_sheet(content), 201)

    @router.get("/sheets/{sheet_id}", summary="One sheet")
    def sheet(sheet_id: int) -> Response:
        return _body(table.sheet(_bounded(sheet_id)))

    @router.get("/sheets/{sheet_id}/export", summary="One sheet as a file")
    def export_sheet(sheet_id: int) -> Response:
        content = table.export_sheet(_bounded(sheet_id))
        name = re.sub(r"[^a-z0-9]+", "-", str(content["title"]).lower()).strip("-") or "sheet"
        headers = {**FRESH, "content-disposition": f'attachment; filename="{name}.json"'}
        return SpokenJson(content, headers=headers)


def _add_sheet_changes(router: APIRouter, table: TablePort) -> None:
    @router.patch("/sheets/{sheet_id}", summary="Change a sheet by hand")
    def edit_sheet(sheet_id: int, order: SheetEdit) -> Response:
        return _body(table.edit_sheet(_bounded(sheet_id), order.changes()))

    @router.delete("/sheets/{sheet_id}", summary="Throw a sheet away")
    def remove_sheet(sheet_id: int) -> Response:
        return _body(table.remove_sheet(_bounded(sheet_id)))

    @router.post("/sheets/{sheet_id}/carry", summary="Carry the result's consequences over to this sheet")
    def carry(sheet_id: int, press: Seen | None = None) -> Response:
        return _body(table.carry(_bounded(sheet_id), None if press is None else press.version))

    @router.post("/sheets/{sheet_id}/undo", summary="Take the latest change of this sheet back")
    def undo_sheet(sheet_id: int) -> Response:
        return _body(table.undo_sheet(_bounded(sheet_id)))

    @router.post("/sheets/{sheet_id}/rest", summary="Let this character rest")
    def rest_sheet(sheet_id: int, order: RestOrder) -> Response:
        return _body(table.rest_sheet(_bounded(sheet_id), order.rest))


def _add_clocks(router: APIRouter, table: TablePort) -> None:
    @router.get("/clocks", summary="The clocks that the table shares")
    def clocks() -> Response:
        return _body(table.clocks())

    @router.post("/clocks", summary="Put a clock up", status_code=201)
    def add_clock(order: NewClock) -> Response:
        body = table.add_clock(
            order.name,
            order.segments,
            filled=order.filled,
            linked_to=order.linked_to,
            opposed_to=order.opposed_to,
        )
        return _body(body, 201)

    @router.post("/clocks/undo", summary="Take the latest tick back")
    def undo_clock() -> Response:
        return _body(table.undo_clock())

    @router.post("/clocks/{clock_id}/tick", summary="Tick a clock; a negative number empties it")
    def tick_clock(clock_id: int, order: Ticks) -> Response:
        return _body(table.tick_clock(_bounded(clock_id), order.ticks))

    @router.delete("/clocks/{clock_id}", summary="Take a clock away")
    def remove_clock(clock_id: int) -> Response:
        return _body(table.remove_clock(_bounded(clock_id)))


def _body(body: dict[str, JsonValue], status: int = 200) -> Response:
    return SpokenJson(body, status_code=status, headers=FRESH)


def _facts(values: Any) -> Facts:
    """Values that the order has checked already, as facts."""
    return cast("Facts", dict(values))


def _bounded(number: int) -> int:
    """An id out of a path; one beyond all ids names nothing."""
    return number if 0 < number <= LAST_ID else 0
