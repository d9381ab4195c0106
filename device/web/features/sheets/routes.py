"""Sheets, house rulings and roles over the web."""

import re
from typing import Annotated, Any

from fastapi import Body
from fastapi.responses import Response

from device.game.state import table_events as table
from device.game.state.table_events import CounterSet, SheetEdited
from device.web.core.access import Asker
from device.web.core.bodies import SheetId
from device.web.core.event_requests import EventRequest, table_router
from device.web.core.language import LocalizedJSONResponse
from device.web.core.replies import NO_STORE, body_response
from device.web.core.table import TableService
from device.web.core.web import Web
from device.web.features.sheets import views
from device.web.features.sheets.bodies import CounterNamed, CounterRequest, NewSheet, SheetEdit
from rules.request import Fields
from rules.sheet import Counter, Kind
from rules.sheet_file import sheet_to_json


def read_edit(sheet_id: int, body: SheetEdit) -> SheetEdited:
    return SheetEdited(
        sheet_id,
        body.title,
        counters=tuple(
            CounterSet(_kind(one, f"counters[{place}]"), one.name, one.now, one.most)
            for place, one in enumerate(body.counters)
        ),
        added=tuple(
            Counter(one.name, _kind(one, f"add[{place}]"), now=one.now, most=one.most, least=one.least)
            for place, one in enumerate(body.add)
        ),
        removed=tuple((_kind(one, f"remove[{place}]"), one.name) for place, one in enumerate(body.remove)),
        marks=tuple(body.marks.items()),
        renamed=tuple((_kind(one, f"rename[{place}]"), one.name, one.to) for place, one in enumerate(body.rename)),
        order=tuple((_kind(one, f"order[{place}]"), one.name) for place, one in enumerate(body.order)),
    )


def _kind(named: CounterRequest | CounterNamed, place: str) -> Kind:
    return Kind(Fields({"kind": named.kind}, place).word("kind", [kind.value for kind in Kind]))


REQUESTS = (
    EventRequest(
        "PUT /api/rulings/{system}",
        "choose_rulings",
        table.RulingsChosen,
        "Choose house rulings of one system; kept for this table",
        views.rulings_chosen,
    ),
    EventRequest(
        "PUT /api/roles/{system}",
        "choose_roles",
        table.RolesChosen,
        "Say what colour classes count as; kept for this table",
        views.roles_chosen,
    ),
    EventRequest(
        "PUT /api/sheets/chosen",
        "choose_sheet",
        table.SheetChosen,
        "Use a sheet from now on, or none",
        views.sheets,
    ),
    EventRequest(
        "PUT /api/sheets/carry",
        "choose_carry",
        table.CarryChosen,
        "Carry consequences over with a tap, or by themselves",
        views.sheets,
    ),
    EventRequest(
        "PATCH /api/sheets/{sheet_id}",
        "edit_sheet",
        read_edit,
        "Change a sheet by hand",
        views.sheet,
        body=SheetEdit,
    ),
    EventRequest(
        "DELETE /api/sheets/{sheet_id}", "remove_sheet", table.SheetRemoved, "Throw a sheet away", views.sheets
    ),
    EventRequest(
        "POST /api/sheets/{sheet_id}/carry",
        "carry",
        table.ConsequencesCarried,
        "Carry the result's consequences over to this sheet",
        views.carried,
        has_seen=True,
    ),
    EventRequest(
        "POST /api/sheets/carry/none",
        "waive",
        table.ConsequencesWaived,
        "Say that no sheet takes the result's consequences",
        has_seen=True,
    ),
    EventRequest(
        "POST /api/sheets/{sheet_id}/undo",
        "undo_sheet",
        table.SheetUndone,
        "Take the latest change of this sheet back",
        views.sheet,
    ),
    EventRequest(
        "POST /api/sheets/{sheet_id}/rest",
        "rest_sheet",
        table.SheetRested,
        "Let this character rest",
        views.sheet,
    ),
)


def add_sheets(web: Web, table: TableService) -> None:
    router = table_router(web.tray, table, REQUESTS)

    @router.get("/api/rulings", summary="Every house ruling: default, choices, why, and the value in force")
    def rulings() -> Response:
        return body_response(views.rulings(table.now))

    @router.get("/api/roles", summary="What each colour class counts as, system by system")
    def roles() -> Response:
        return body_response(views.roles(table.now))

    @router.get("/api/sheets", summary="Every sheet, which one is in use, how consequences reach it")
    def sheets() -> Response:
        return body_response(views.sheets(table.now))

    @router.post("/api/sheets", summary="A new character", status_code=201)
    async def new_sheet(order: NewSheet, caller: Asker) -> Response:
        return body_response(await table.new_sheet(caller, order.title, order.system, order.best), 201)

    @router.post(
        "/api/sheets/import", summary="A sheet out of an exported file; another version is refused", status_code=201
    )
    async def import_sheet(content: Annotated[dict[str, Any], Body()], caller: Asker) -> Response:
        return body_response(await table.file(views.sheet_in(content), caller), 201)

    @router.get("/api/sheets/{sheet_id}", summary="One sheet")
    def sheet(sheet_id: SheetId) -> Response:
        return body_response(views.one_sheet(table, sheet_id))

    @router.get("/api/sheets/{sheet_id}/export", summary="One sheet as a file")
    def export_sheet(sheet_id: SheetId) -> Response:
        content = sheet_to_json(table.find_sheet(sheet_id), lambda why: why)
        name = re.sub(r"[^a-z0-9]+", "-", str(content["title"]).lower()).strip("-") or "sheet"
        headers = {**NO_STORE, "content-disposition": f'attachment; filename="{name}.json"'}
        return LocalizedJSONResponse(content, headers=headers)

    web.app.include_router(router)
