"""Prepared rolls, and questions to the rules."""

from collections.abc import Mapping
from functools import partial

from anyio import to_thread

from device.body import Body, BodyValue
from device.game.state.campaign import NoSuchSheet
from device.game.state.effects import Refuse
from device.game.state.names import name_key
from device.game.state.table_events import ConsequencesApplied, RollPrepared
from device.game.state.tray import Tray
from device.game.table.odds import pool_odds
from device.game.table.preparing import prepare_roll, rules_answer, take_text
from device.game.table.sheet_effects import consequence_text, consequence_to_json
from device.game.table.view import find_filed, sheet_body
from device.message import Text
from device.rule_messages import (
    ask_json,
    ask_title,
    extended_test_json,
    odds_rows,
    reason_text,
    tile_json,
    warning_text,
)
from device.texts.catalogue import translate
from device.web.core.errors import ApiError
from device.web.core.rights import Identity
from device.web.core.table import TableService, refused_as
from rules.clocks import clocks_to_json
from rules.request import LEVEL_SIDES
from rules.sheet import Kind, Sheet, apply_consequences, effective
from rules.system import Facts, JsonValue, RuleSystem, find_system


def clocks(tray: Tray, _event: object = None) -> Body:
    """Return the table's clocks, what can be undone, and the latest tick."""
    return {**clocks_to_json(tray.campaign.clocks)}


def tiles(system: RuleSystem) -> Body:
    """Return the tiles of a roll, the questions to the rules, and the extended tests."""
    return {
        "system": system.id,
        "tiles": [tile_json(system.id, tile) for tile in system.tiles],
        "aims": [tile_json(system.id, tile) for tile in system.aims],
        "typed_levels": [{"level": level, "sides": LEVEL_SIDES[level]} for level in system.typed_levels],
        "series": [extended_test_json(system.id, kind) for kind in system.extended_tests],
        "asks": [ask_json(system.id, ask) for ask in system.asks],
        "rests": list(system.rests),
        "goes_with": dict(system.goes_with),
    }


async def prepare(
    table: TableService,
    tiles: Facts,
    sheet: int | None,
    *,
    use_chosen: bool,
    declare_for: Identity | None,
    whose: tuple[str | None, str | None] = (None, None),
) -> Body:
    """Return which dice to pick up, and declare them for a caller, if wanted."""
    now = table.now
    system = find_system(now.table.system)
    tiles = {**tiles, **_requested_aim(now, whose[0])}
    if sheet is None and use_chosen:
        sheet = _usable(now)
    with refused_as("unknown_sheet", NoSuchSheet), refused_as("bad_value", system=system):
        prepared = rules_answer(now, tiles, sheet)
    if isinstance(prepared, Refuse):
        raise ApiError(prepared.reason, prepared.text)
    roll = prepare_roll(system.id, tiles, sheet, prepared)
    warnings: list[tuple[str, Text]] = [(code, warning_text(system.id, code)) for code in prepared.warnings]
    can_roll = prepared.reason is None
    if can_roll and isinstance(roll, Refuse):
        warnings.append((roll.reason, roll.text))
    declared = declare_for is not None and not isinstance(roll, Refuse)
    if declare_for is not None and not isinstance(roll, Refuse):
        await table.do(RollPrepared(roll, *whose), declare_for)
    counts: dict[str, JsonValue] = {role.value: count for role, count in prepared.pool}
    levels = tuple(level for _, level in prepared.typed)
    count = partial(pool_odds, table.now.table, counts, levels, prepared.context)
    odds = await to_thread.run_sync(count) if can_roll else None
    return {
        "can_roll": can_roll,
        "reason": prepared.reason,
        "reason_text": reason_text(system.id, prepared),
        "take": take_text(prepared.pool, prepared.typed) if can_roll else None,
        "pool": counts,
        "typed": [{"role": role.value, "level": level, "sides": LEVEL_SIDES[level]} for role, level in prepared.typed],
        "context": dict(prepared.context),
        "warnings": [{"code": code, "text": text} for code, text in warnings],
        "facts": dict(prepared.facts),
        "price": [consequence_text(item) for item in (*prepared.entry, *prepared.price)],
        "odds": odds,
        "odds_rows": odds_rows(system, odds),
        "declared": declared,
        "sheet": sheet,
    }


async def ask(table: TableService, op: str, context: Facts, sheet: int | None, *, carry_for: Identity | None) -> Body:
    """Ask the rules a question without a roll, with values of the sheet; apply its consequences for `carry_for`."""
    now = table.now
    system = find_system(now.table.system)
    sheet = _usable(now) if sheet is None else sheet
    character = None if sheet is None else table.find_sheet(sheet)
    kind = next((ask for ask in system.asks if ask.op == op), None)
    fills_in = character is not None and (kind is None or kind.from_sheet)
    filled = {**known_to(character, context), **context} if fills_in and character is not None else context
    rulings = dict(now.table.rulings.get(system.id, {}))
    with refused_as("bad_value", system=system):
        answer = system.answer(op, {"context": dict(filled), "rulings": rulings})
        items = () if "illegal" in answer else effective(system.consequences(answer, filled))
    missed: list[BodyValue] = []
    if character is not None:
        missed = [consequence_text(item) for item in apply_consequences(character, items, op).missed]
    carried = False
    if carry_for is not None and items:
        if sheet is None:
            raise ApiError("no_sheet", translate("tray.refused.no_sheet"))
        await table.do(ConsequencesApplied(sheet, items, op if kind is None else ask_title(system.id, kind)), carry_for)
        carried = True
    return {
        "answer": dict(answer),
        "consequences": [consequence_to_json(item) for item in items],
        "carried": carried,
        "missed": missed,
        "sheet": None if sheet is None else sheet_body(find_filed(table.now.campaign, sheet)),
    }


def _requested_aim(tray: Tray, owner: str | None) -> Facts:
    """Return the target of the prepared roll if it is the current request."""
    request = tray.campaign.requests.of_roll(tray.table.next_roll)
    return (
        {}
        if request is None or (owner is not None and name_key(owner) != name_key(request.owner or ""))
        else request.aim
    )


def _usable(tray: Tray) -> int | None:
    sheet = tray.campaign.chosen_sheet
    return tray.campaign.chosen if sheet is not None and sheet.system == tray.table.system else None


def known_to(sheet: Sheet, context: Facts) -> Mapping[str, JsonValue]:
    known: dict[str, JsonValue] = {}
    for kind in Kind:
        counter = sheet.find(kind)
        if counter is not None and kind.fact is not None:
            known[kind.fact] = counter.now
    known["resources"] = {counter.name: counter.now for counter in sheet.counters if counter.kind is Kind.RESOURCE}
    for counter in sheet.counters:
        if counter.kind is Kind.ATTRIBUTE:
            known[counter.name.lower()] = counter.now
    named = context.get("attribute_name")
    attribute = sheet.find(Kind.ATTRIBUTE, named) if isinstance(named, str) else None
    if attribute is not None:
        known |= {"attribute": attribute.now, "base": attribute.most}
    gear_name = context.get("gear_name")
    gear = sheet.find(Kind.GEAR, gear_name if isinstance(gear_name, str) else None)
    if gear is not None:
        known |= {"gear_name": gear.name, "bonus": gear.now, "max": gear.most if gear.most is not None else gear.now}
    return known
