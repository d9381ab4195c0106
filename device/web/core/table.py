"""Requests about the table that are more than one event: views, prepared rolls, questions, sheets."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from anyio import to_thread

from device.game.dice.role_mapping import merge_roles
from device.game.state.campaign import NoSuchSheet
from device.game.state.events import Event
from device.game.state.names import name_key
from device.game.state.table_events import ConsequencesApplied, RollPrepared, SheetAdded
from device.game.state.table_state import Pool, Table
from device.game.table.odds import pool_odds
from device.game.table.sheet_effects import consequence_text, consequence_to_json
from device.game.table.view import find_filed, sheet_body
from device.runtime.loop import TrayLoop
from device.standard_tray import MOST_DICE_AT_ONCE
from device.texts.catalogue import say
from device.texts.rule_words import ask_title, odds_rows, reason_text, warning_text
from device.web.core import table_views
from device.web.core.errors import ApiError
from device.web.core.prepared import known_to, take_text
from device.web.core.table_views import Body, View
from rules.errors import RulesError
from rules.request import LEVEL_SIDES
from rules.sheet import Sheet, apply_consequences, effective
from rules.sheet_file import new_sheet, sheet_from_json, sheet_to_json
from rules.system import Facts, JsonValue, RuleSystem, find_system


class TableService:
    """The table as the web sees it. Every method may raise `LoopBusy` and `ApiError`."""

    def __init__(self, loop: TrayLoop) -> None:
        self._loop = loop
        self._filing = asyncio.Lock()

    def rulings(self) -> Body:
        return table_views.rulings(self._table)

    def roles(self) -> Body:
        return table_views.roles(self._table)

    def tiles(self, system_id: str | None) -> Body:
        """Return the tiles of a roll, the questions to the rules, and the extended tests."""
        return table_views.tiles(self._system(system_id))

    def clocks(self) -> Body:
        """Return the table's clocks, what can be undone, and the latest tick."""
        return table_views.clocks(self._table)

    def sheets(self) -> Body:
        return table_views.sheets(self._table)

    def after(self, view: View, event: Event) -> Body:
        """Return the response body of a request whose event was accepted."""
        with _refused_as("unknown_sheet", NoSuchSheet):
            return view(self._table, event)

    async def prepare(
        self,
        tiles: Facts,
        sheet: int | None,
        *,
        use_chosen: bool,
        declare: bool,
        whose: tuple[str | None, str | None] = (None, None),
    ) -> Body:
        """Return which dice to pick up, and declare them if wanted."""
        table = self._table
        system = find_system(table.system)
        tiles = {**tiles, **_asked_aim(table, whose[0])}
        if sheet is None and use_chosen:
            sheet = _usable(table)
        character = None if sheet is None else self._sheet(sheet)
        if character is not None and character.system != system.id:
            raise ApiError("wrong_system", say("tray.refused.other_rules"))
        with _refused_as("bad_value"):
            prepared = system.prepare(tiles, character, table.rulings.get(system.id, {}))
        prepared = replace(prepared, pool=merge_roles(Pool(prepared.pool), system, table).counts)
        warnings = [(code, warning_text(system.id, code)) for code in prepared.warnings]
        fits = all(count <= MOST_DICE_AT_ONCE for _, count in prepared.pool)
        if not fits:
            text = say("tray.take.too_many", most=MOST_DICE_AT_ONCE)
            warnings.append(("more_than_the_tray", text))
        take = take_text(prepared)
        can_roll = prepared.reason is None
        declared = declare and can_roll and fits
        if declared:
            await self._do(
                RollPrepared(
                    pool=Pool(prepared.pool),
                    typed=prepared.typed,
                    context=prepared.context,
                    take=take,
                    sheet=sheet,
                    tiles=tiles,
                    warnings=tuple(warnings),
                    price=prepared.price,
                    entry=prepared.entry,
                    marks=prepared.marks,
                    owner=whose[0],
                    label=whose[1],
                )
            )
        counts: dict[str, JsonValue] = {role.value: count for role, count in prepared.pool}
        levels = tuple(level for _, level in prepared.typed)
        count = partial(pool_odds, self._loop.state, counts, levels, prepared.context)
        odds = await to_thread.run_sync(count) if can_roll else None
        return {
            "can_roll": can_roll,
            "reason": prepared.reason,
            "reason_text": reason_text(system.id, prepared),
            "take": take if can_roll else None,
            "pool": counts,
            "typed": [
                {"role": role.value, "level": level, "sides": LEVEL_SIDES[level]} for role, level in prepared.typed
            ],
            "context": dict(prepared.context),
            "warnings": [{"code": code, "text": text} for code, text in warnings],
            "facts": dict(prepared.facts),
            "price": [consequence_text(item) for item in (*prepared.entry, *prepared.price)],
            "odds": odds,
            "odds_rows": odds_rows(system, odds),
            "declared": declared,
            "sheet": sheet,
        }

    async def ask(self, op: str, context: Facts, sheet: int | None, *, carry: bool) -> Body:
        """Ask the rules a question apart from a roll, with values of the sheet; apply its consequences if wanted."""
        table = self._table
        system = find_system(table.system)
        sheet = _usable(table) if sheet is None else sheet
        character = None if sheet is None else self._sheet(sheet)
        kind = next((ask for ask in system.asks if ask.op == op), None)
        fills_in = character is not None and (kind is None or kind.from_sheet)
        filled = {**known_to(character, context), **context} if fills_in and character is not None else context
        rulings = dict(table.rulings.get(system.id, {}))
        with _refused_as("bad_value"):
            answer = system.answer(op, {"context": dict(filled), "rulings": rulings})
            items = () if "illegal" in answer else effective(system.consequences(answer, filled))
        missed: list[JsonValue] = []
        if character is not None:
            missed = [consequence_text(item) for item in apply_consequences(character, items, op).missed]
        carried = False
        if carry and items:
            if sheet is None:
                raise ApiError("no_sheet", say("tray.refused.no_sheet"))
            await self._do(ConsequencesApplied(sheet, items, op if kind is None else ask_title(system.id, kind)))
            carried = True
        return {
            "answer": dict(answer),
            "consequences": [consequence_to_json(item) for item in items],
            "carried": carried,
            "missed": missed,
            "sheet": None if sheet is None else sheet_body(find_filed(self._table.campaign, sheet)),
        }

    def sheet(self, sheet_id: int) -> Body:
        with _refused_as("unknown_sheet", NoSuchSheet):
            return sheet_body(find_filed(self._table.campaign, sheet_id))

    async def new_sheet(self, title: str, system_id: str | None) -> Body:
        system = self._system(system_id)
        with _refused_as("bad_value"):
            sheet = new_sheet(title, system.id)
        return await self._file(sheet)

    def export_sheet(self, sheet_id: int) -> Body:
        return sheet_to_json(self._sheet(sheet_id))

    async def import_sheet(self, content: Facts) -> Body:
        """Add a sheet from a file's content; another format version is refused."""
        with _refused_as("bad_sheet"):
            sheet = sheet_from_json(content)
        return await self._file(sheet)

    @property
    def _table(self) -> Table:
        return self._loop.state.table

    def _system(self, system_id: str | None) -> RuleSystem:
        with _refused_as("unknown_system"):
            return find_system(self._table.system if system_id is None else system_id)

    def _sheet(self, sheet_id: int) -> Sheet:
        with _refused_as("unknown_sheet", NoSuchSheet):
            return self._table.campaign.find(sheet_id)

    async def _do(self, event: Event) -> None:
        answer = await self._loop.request(event)
        if not answer.accepted:
            reason = answer.reason or "refused"
            raise ApiError(reason, answer.text or reason.replace("_", " "))

    async def _file(self, sheet: Sheet) -> Body:
        """Add a sheet; one at a time, so that the newest is the one added here."""
        async with self._filing:
            await self._do(SheetAdded(sheet))
            return sheet_body(self._table.campaign.sheets[-1])


def _asked_aim(table: Table, owner: str | None) -> Facts:
    """Return the target of the prepared roll if it is the current request."""
    asked = table.campaign.asked.of_roll(table.next_roll)
    return {} if asked is None or (owner is not None and name_key(owner) != name_key(asked.owner or "")) else asked.aim


def _usable(table: Table) -> int | None:
    sheet = table.campaign.chosen_sheet
    return table.campaign.chosen if sheet is not None and sheet.system == table.system else None


@contextmanager
def _refused_as(reason: str, kind: type[Exception] = RulesError) -> Iterator[None]:
    """Turn an exception of this kind into a refusal with that reason."""
    try:
        yield
    except kind as error:
        raise ApiError(reason, str(error)) from error
