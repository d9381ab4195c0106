"""The table as the web sees it, for every feature that changes it."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from device.body import Body
from device.game.state.campaign import NoSuchSheet
from device.game.state.events import Event
from device.game.state.table_events import SheetAdded
from device.game.state.tray import Tray
from device.game.table.view import sheet_body
from device.rule_messages import refusal_text
from device.web.core.errors import ApiError
from device.web.core.rights import Identity
from device.web.core.tray import TrayService
from rules.errors import RulesError
from rules.sheet import Sheet
from rules.sheet_file import new_sheet
from rules.system import RuleSystem, find_system

View: TypeAlias = Callable[[Tray, Any], Body]
"""A function from a tray and an event to a response."""


class TableService:
    """The table as the web sees it. Every method may raise `LoopBusy` and `ApiError`."""

    def __init__(self, tray: TrayService) -> None:
        self._tray = tray
        self._filing = asyncio.Lock()

    @property
    def now(self) -> Tray:
        return self._tray.now

    def system(self, system_id: str | None) -> RuleSystem:
        with refused_as("unknown_system"):
            return find_system(self.now.table.system if system_id is None else system_id)

    def find_sheet(self, sheet_id: int) -> Sheet:
        with refused_as("unknown_sheet", NoSuchSheet):
            return self.now.campaign.find(sheet_id)

    def after(self, view: View, event: Event) -> Body:
        """Return the response body of a request whose event was accepted."""
        with refused_as("unknown_sheet", NoSuchSheet):
            return view(self.now, event)

    async def do(self, event: Event, caller: Identity) -> None:
        answer = await self._tray.request(event, caller)
        if not answer.accepted:
            reason = answer.reason or "refused"
            raise ApiError(reason, answer.text or reason.replace("_", " "))

    async def new_sheet(self, caller: Identity, title: str, system_id: str | None, best: str | None = None) -> Body:
        system = self.system(system_id)
        with refused_as("bad_value"):
            sheet = new_sheet(title, system.id, best)
        return await self.file(sheet, caller)

    async def file(self, sheet: Sheet, caller: Identity) -> Body:
        """Add a sheet; one at a time, so that the newest is the one added here."""
        async with self._filing:
            await self.do(SheetAdded(sheet), caller)
            return sheet_body(self.now.campaign.sheets[-1])


@contextmanager
def refused_as(reason: str, kind: type[Exception] = RulesError, system: RuleSystem | None = None) -> Iterator[None]:
    """Turn an exception of this kind into a refusal with that reason, with the labels of these rules."""
    try:
        yield
    except kind as error:
        raise ApiError(reason, refusal_text(error, system)) from error
