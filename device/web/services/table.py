"""The table beside the dice as the web sees it: wishes into events, states into answers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from device.game.dice.role_mapping import merge_roles
from device.game.state.campaign import Carry, NoSuchSheet
from device.game.state.events import Event
from device.game.state.table_events import (
    CarryChosen,
    ClockAdded,
    ClockRemoved,
    ClockTicked,
    ClockUndone,
    ConsequencesCarried,
    DieTyped,
    RolesChosen,
    RollPrepared,
    RulingsChosen,
    SeriesBegun,
    SeriesEnded,
    SheetChosen,
    SheetFiled,
    SheetHit,
    SheetRemoved,
    SheetRested,
    SheetUndone,
    TypedDieChanged,
    TypedDieRemoved,
)
from device.game.state.table_state import MOST_DICE_OF_A_ROLE, Pool, Table
from device.game.table.odds import pool_odds
from device.game.table.sheet_effects import consequence_text, consequence_to_json
from device.game.table.view import find_filed, roles_body, rulings_body, sheet_body, sheets_body
from device.runtime.loop import Answer, TrayLoop
from device.texts.catalogue import say
from device.texts.rule_words import ask_json, ask_title, reason_text, series_json, tile_json, warning_text
from device.web.services.sheet_edits import known_to, read_edit, take_text
from device.web.table_port import Body, TableRefused
from rules.clocks import clocks_to_json
from rules.dice import Role
from rules.errors import BadRequest, RulesError
from rules.request import LEVEL_SIDES
from rules.sheet import Sheet, apply_consequences
from rules.sheet_file import new_sheet, sheet_from_json, sheet_to_json
from rules.system import Facts, JsonValue, RuleSystem, find_system, systems


class TableService:
    """Implements `device.web.table_port.TablePort`."""

    def __init__(self, loop: TrayLoop) -> None:
        """Speak for the table of a loop.

        Args:
            loop: Owns the state.
        """
        self._loop = loop
        self._filing = threading.Lock()

    def rulings(self) -> Body:
        """Every system with its rulings."""
        return {"systems": [rulings_body(system, self._table) for system in systems()]}

    def choose_rulings(self, system_id: str, choices: Facts) -> Body:
        """Choose some rulings of a system."""
        self._do(RulingsChosen(system_id, choices))
        return rulings_body(find_system(system_id), self._table)

    def roles(self) -> Body:
        """Every system with what each colour class counts as."""
        table = self._table
        return {
            "classes": list(table.colour_classes),
            "systems": [roles_body(system, table) for system in systems()],
        }

    def choose_roles(self, system_id: str, roles: Facts) -> Body:
        """Say what some colour classes count as."""
        self._do(RolesChosen(system_id, roles))
        return roles_body(find_system(system_id), self._table)

    def tiles(self, system_id: str | None) -> Body:
        """What is tapped before a roll, what may be asked, which tests run over several rolls."""
        system = self._system(system_id)
        return {
            "system": system.id,
            "tiles": [tile_json(system.id, tile) for tile in system.tiles],
            "typed_levels": [{"level": level, "sides": LEVEL_SIDES[level]} for level in system.typed_levels],
            "series": [series_json(system.id, kind) for kind in system.series],
            "asks": [ask_json(system.id, ask) for ask in system.asks],
            "rests": list(system.rests),
        }

    def prepare(self, tiles: Facts, sheet: int | None, *, use_chosen: bool, declare: bool) -> Body:
        """Say which dice to take, and declare them where wanted."""
        table = self._table
        system = find_system(table.system)
        if sheet is None and use_chosen:
            sheet = _usable(table)
        character = None if sheet is None else self._sheet(sheet)
        if character is not None and character.system != system.id:
            raise TableRefused("wrong_system", say("tray.refused.other_rules"))
        with _refused_as("bad_value"):
            prepared = system.prepare(tiles, character, table.rulings.get(system.id, {}))
        prepared = replace(prepared, pool=merge_roles(Pool(prepared.pool), system, table).counts)
        warnings = [(code, warning_text(system.id, code)) for code in prepared.warnings]
        fits = all(count <= MOST_DICE_OF_A_ROLE for _, count in prepared.pool)
        if not fits:
            text = say("tray.take.too_many", most=MOST_DICE_OF_A_ROLE)
            warnings.append(("more_than_the_tray", text))
        take = take_text(prepared)
        can_roll = prepared.reason is None
        declared = declare and can_roll and fits
        if declared:
            self._do(
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
                )
            )
        counts: dict[str, JsonValue] = {role.value: count for role, count in prepared.pool}
        levels = tuple(level for _, level in prepared.typed)
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
            "odds": pool_odds(self._loop.state, counts, levels, prepared.context) if can_roll else None,
            "declared": declared,
            "sheet": sheet,
        }

    def ask(self, op: str, context: Facts, sheet: int | None, *, carry: bool) -> Body:
        """Ask the rules something beside a roll."""
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
            items = () if "illegal" in answer else system.consequences(answer, filled)
        items = tuple(item for item in items if not item.changes_nothing)
        missed: list[JsonValue] = []
        if character is not None:
            missed = [consequence_text(item) for item in apply_consequences(character, items, op).missed]
        carried = False
        if carry and items:
            if sheet is None:
                raise TableRefused("no_sheet", say("tray.refused.no_sheet"))
            self._do(SheetHit(sheet, items, op if kind is None else ask_title(system.id, kind)))
            carried = True
        return {
            "answer": dict(answer),
            "consequences": [consequence_to_json(item) for item in items],
            "carried": carried,
            "missed": missed,
            "sheet": None if sheet is None else sheet_body(find_filed(self._table.campaign, sheet)),
        }

    def sheets(self) -> Body:
        """Every sheet."""
        return sheets_body(self._table.campaign)

    def sheet(self, sheet_id: int) -> Body:
        """One sheet."""
        self._sheet(sheet_id)
        return sheet_body(find_filed(self._table.campaign, sheet_id))

    def new_sheet(self, title: str, system_id: str | None) -> Body:
        """File the sheet of a new character."""
        system = self._system(system_id)
        with _refused_as("bad_value"):
            sheet = new_sheet(title, system.id)
        return self._file(sheet)

    def edit_sheet(self, sheet_id: int, changes: Facts) -> Body:
        """Change a sheet by hand."""
        with _refused_as("bad_value"):
            event = read_edit(sheet_id, changes)
        self._do(event)
        return self.sheet(sheet_id)

    def remove_sheet(self, sheet_id: int) -> Body:
        """Throw a sheet away."""
        self._do(SheetRemoved(sheet_id))
        return self.sheets()

    def choose_sheet(self, sheet_id: int | None) -> Body:
        """Use a sheet from now on, or none."""
        self._do(SheetChosen(sheet_id))
        return self.sheets()

    def choose_carry(self, carry: str) -> Body:
        """Say how consequences reach the sheet in use."""
        self._do(CarryChosen(Carry(carry)))
        return self.sheets()

    def export_sheet(self, sheet_id: int) -> Body:
        """One sheet as a file's content."""
        return sheet_to_json(self._sheet(sheet_id))

    def import_sheet(self, content: Facts) -> Body:
        """File a sheet out of a file's content."""
        with _refused_as("bad_sheet"):
            sheet = sheet_from_json(content)
        return self._file(sheet)

    def carry(self, sheet_id: int, seen: int | None = None) -> Body:
        """Carry the consequences of the result that lies there over to a sheet."""
        self._do(ConsequencesCarried(sheet_id), seen)
        carried = self._table.campaign.carried
        missed: list[JsonValue] = [] if carried is None else [consequence_text(item) for item in carried.missed]
        return {**self.sheet(sheet_id), "missed": missed}

    def undo_sheet(self, sheet_id: int) -> Body:
        """Take the latest change of a sheet back."""
        self._do(SheetUndone(sheet_id))
        return self.sheet(sheet_id)

    def rest_sheet(self, sheet_id: int, rest: str) -> Body:
        """Let a character rest."""
        self._do(SheetRested(sheet_id, rest))
        return self.sheet(sheet_id)

    def clocks(self) -> Body:
        """The table's clocks."""
        return clocks_to_json(self._table.campaign.clocks)

    def add_clock(
        self, name: str, segments: int, *, filled: int, linked_to: int | None, opposed_to: int | None
    ) -> Body:
        """Put a clock up."""
        return self._clock(ClockAdded(name, segments, filled, linked_to, opposed_to))

    def tick_clock(self, clock_id: int, ticks: int) -> Body:
        """Tick a clock; a negative number empties it."""
        return self._clock(ClockTicked(clock_id, ticks))

    def undo_clock(self) -> Body:
        """Take the latest tick back."""
        return self._clock(ClockUndone())

    def remove_clock(self, clock_id: int) -> Body:
        """Take a clock away."""
        return self._clock(ClockRemoved(clock_id))

    def type_die(self, role: str, level: str, value: int) -> Answer:
        """Type in what a die shows that no camera reads."""
        return self._loop.ask(DieTyped(Role(role), level, value))

    def change_typed_die(self, die_id: int, value: int | None, seen: int | None = None) -> Answer:
        """Change a typed face; None takes it back."""
        return self._loop.ask(TypedDieChanged(die_id, value), seen)

    def remove_typed_die(self, die_id: int, seen: int | None = None) -> Answer:
        """Take a typed die away."""
        return self._loop.ask(TypedDieRemoved(die_id), seen)

    def begin_series(self, op: str, settings: Facts) -> Answer:
        """Begin a test over several rolls."""
        return self._loop.ask(SeriesBegun(op, settings))

    def end_series(self) -> Answer:
        """Put the test away."""
        return self._loop.ask(SeriesEnded())

    @property
    def _table(self) -> Table:
        return self._loop.state.table

    def _system(self, system_id: str | None) -> RuleSystem:
        try:
            return find_system(self._table.system if system_id is None else system_id)
        except BadRequest as error:
            raise TableRefused("unknown_system", str(error)) from error

    def _sheet(self, sheet_id: int) -> Sheet:
        try:
            return self._table.campaign.find(sheet_id)
        except NoSuchSheet as error:
            raise TableRefused("unknown_sheet", str(error)) from error

    def _do(self, event: Event, seen: int | None = None) -> None:
        answer = self._loop.ask(event, seen)
        if not answer.accepted:
            reason = answer.reason or "refused"
            raise TableRefused(reason, answer.text or reason.replace("_", " "))

    def _clock(self, event: Event) -> Body:
        self._do(event)
        return self.clocks()

    def _file(self, sheet: Sheet) -> Body:
        """File a sheet; one at a time, so that the newest is the one that was filed here."""
        with self._filing:
            self._do(SheetFiled(sheet))
            return sheet_body(self._table.campaign.sheets[-1])


def _usable(table: Table) -> int | None:
    """The sheet in use, where it belongs to the rules played."""
    sheet = table.campaign.chosen_sheet
    return table.campaign.chosen if sheet is not None and sheet.system == table.system else None


@contextmanager
def _refused_as(reason: str) -> Iterator[None]:
    """Turn what the rules do not understand into a refusal of that reason."""
    try:
        yield
    except RulesError as error:
        raise TableRefused(reason, str(error)) from error
