"""Routes of the table: rulings, roles, prepared rolls, sheets, clocks, manual dice, extended tests.

Their changes are in the snapshot as well: `typed_dice`, `awaiting`, `prepared`, `series`, `sheet`, `sheets`,
`sheets_revision`, `consequences`, `carry`, `clocks`, `roles`.
"""

import re
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from fastapi.responses import Response

from device.web.core.bodies import NewSheet, PrepareRequest, QuestionRequest, SheetId
from device.web.core.event_requests import OF_TABLE, EventRequest
from device.web.core.language import LocalizedJSONResponse
from device.web.core.replies import NO_STORE, event_response
from device.web.core.request_routes import add_event_requests
from device.web.core.rights import access, own_preparing, own_question
from device.web.core.table import TableService
from device.web.core.tray import TrayService
from rules.system import JsonValue

REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"description": "It names a sheet, a system or a die that is not there"},
    409: {"description": "Refused; `reason` says why in one word"},
    422: {"description": "A value makes no sense; `error` says which, and the cure"},
}


def table_router(tray: TrayService, table: TableService) -> APIRouter:
    async def carry_out(request: EventRequest, event: Any, seen: int | None) -> Response:
        answer = await tray.request(event, seen)
        if request.view is None or not answer.accepted:
            return event_response(answer, 422)
        return _body(table.after(request, event), request.status)

    router = APIRouter(responses=REFUSALS)
    add_event_requests(router, OF_TABLE, carry_out, {})
    _add_rules(router, table)
    _add_sheets(router, table)
    return router


def _add_rules(router: APIRouter, table: TableService) -> None:
    @router.get("/api/rulings", summary="Every house ruling: default, choices, why, and the value in force")
    def rulings() -> Response:
        return _body(table.rulings())

    @router.get("/api/roles", summary="What each colour class counts as, system by system")
    def roles() -> Response:
        return _body(table.roles())

    @router.get("/api/tiles", summary="What is tapped before a roll, asked beside it, and tested over several")
    def tiles(system: Annotated[str | None, Query(max_length=40)] = None) -> Response:
        return _body(table.tiles(system))

    @router.get("/api/clocks", summary="The clocks that the table shares")
    def clocks() -> Response:
        return _body(table.clocks())

    @router.post("/api/ask", summary="Ask the rules something beside a roll; its consequences may go to a sheet")
    @access(own_question)
    async def ask(order: QuestionRequest) -> Response:
        return _body(await table.ask(order.op, order.facts(), order.sheet, carry=order.carry))

    @router.post("/api/prepare", summary="Say which dice to take for the tiles tapped, and declare them")
    @access(own_preparing)
    async def prepare(order: PrepareRequest) -> Response:
        use_chosen = "sheet" not in order.model_fields_set
        tiles, sheet, whose = dict(order.tiles), order.sheet, (order.owner, order.label)
        return _body(await table.prepare(tiles, sheet, use_chosen=use_chosen, declare=order.declare, whose=whose))


def _add_sheets(router: APIRouter, table: TableService) -> None:
    @router.get("/api/sheets", summary="Every sheet, which one is in use, how consequences reach it")
    def sheets() -> Response:
        return _body(table.sheets())

    @router.post("/api/sheets", summary="A new character", status_code=201)
    async def new_sheet(order: NewSheet) -> Response:
        return _body(await table.new_sheet(order.title, order.system), 201)

    @router.post(
        "/api/sheets/import", summary="A sheet out of an exported file; another version is refused", status_code=201
    )
    async def import_sheet(content: Annotated[dict[str, Any], Body()]) -> Response:
        return _body(await table.import_sheet(content), 201)

    @router.get("/api/sheets/{sheet_id}", summary="One sheet")
    def sheet(sheet_id: SheetId) -> Response:
        return _body(table.sheet(sheet_id))

    @router.get("/api/sheets/{sheet_id}/export", summary="One sheet as a file")
    def export_sheet(sheet_id: SheetId) -> Response:
        content = table.export_sheet(sheet_id)
        name = re.sub(r"[^a-z0-9]+", "-", str(content["title"]).lower()).strip("-") or "sheet"
        headers = {**NO_STORE, "content-disposition": f'attachment; filename="{name}.json"'}
        return LocalizedJSONResponse(content, headers=headers)


def _body(body: dict[str, JsonValue], status: int = 200) -> Response:
    return LocalizedJSONResponse(body, status_code=status, headers=NO_STORE)
