"""Tiles become a prepared roll: for a player's own roll and for one that is requested. Pure."""

from dataclasses import replace

from device.game.dice.role_mapping import merge_roles
from device.game.state.campaign import NoSuchSheet
from device.game.state.effects import Refuse
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.table_state import Pool
from device.game.state.tray import Tray
from device.message import Message, message, word
from device.rule_messages import reason_text, warning_text
from device.standard_tray import MAX_DICE_AT_ONCE
from rules.dice import Role
from rules.errors import RulesError
from rules.request import LEVEL_SIDES
from rules.sheet import Sheet
from rules.system import Facts, find_system
from rules.tiles import Prepared


def sheet_to_roll(tray: Tray, sheet_id: int | None) -> Sheet | Refuse | None:
    """Return the sheet of a roll, or why it cannot be rolled from.

    Raises:
        NoSuchSheet: There is no such sheet.
    """
    sheet = None if sheet_id is None else tray.campaign.find(sheet_id)
    if sheet is not None and sheet.system != tray.table.system:
        return Refuse("wrong_system", message("tray.refused.other_rules"))
    return sheet


def rules_answer(tray: Tray, tiles: Facts, sheet_id: int | None) -> Prepared | Refuse:
    """Return what the rules make of the tiles, with dice as this table's colours play them.

    Raises:
        NoSuchSheet: There is no such sheet.
        BadRequest: A tile is unknown or has an invalid value.
    """
    sheet = sheet_to_roll(tray, sheet_id)
    if isinstance(sheet, Refuse):
        return sheet
    table = tray.table
    system = find_system(table.system)
    prepared = system.prepare(tiles, sheet, table.rulings.get(system.id, {}))
    return replace(prepared, pool=merge_roles(Pool(prepared.pool), system, table).counts)


def prepare_roll(system: str, tiles: Facts, sheet_id: int | None, prepared: Prepared) -> PreparedRoll | Refuse:
    """Return the roll of an answer of the rules, or why it cannot be made."""
    if prepared.reason is not None:
        return Refuse("cannot_roll", reason_text(system, prepared) or prepared.reason)
    if any(count > MAX_DICE_AT_ONCE for _, count in prepared.pool):
        return Refuse("more_than_the_tray", message("tray.take.too_many", most=MAX_DICE_AT_ONCE))
    return PreparedRoll(
        roll=0,
        sheet=sheet_id,
        tiles=tiles,
        warnings=tuple((code, warning_text(system, code)) for code in prepared.warnings),
        price=prepared.price,
        entry=prepared.entry,
        marks=prepared.marks,
        pool=prepared.pool,
        typed=prepared.typed,
        context=prepared.context,
    )


def prepare_again(tray: Tray, roll: PreparedRoll) -> PreparedRoll:
    """Return a waiting roll by the sheet as it is now; where the rules no longer allow it, as it was."""
    try:
        prepared = rules_answer(tray, roll.tiles, roll.sheet)
    except NoSuchSheet:
        return replace(roll, sheet=None)
    except RulesError:
        return roll
    if isinstance(prepared, Refuse):
        return roll
    fresh = prepare_roll(tray.table.system, roll.tiles, roll.sheet, prepared)
    return roll if isinstance(fresh, Refuse) else fresh


def take_text(pool: tuple[tuple[Role, int], ...], typed: tuple[tuple[Role, str], ...]) -> Message:
    """Return which dice to pick up, as in "Take 5 base, 2 skill, 1 gear."."""
    parts: list[Message] = []
    for sides in sorted({LEVEL_SIDES[level] for _, level in typed}, reverse=True):
        count = sum(1 for _, level in typed if LEVEL_SIDES[level] == sides)
        parts.append(message("tray.take.step", count=count, die=f"d{sides}"))
    named = [(role, count) for role, count in pool if count]
    only_plain = {role for role, _ in named} == {Role.PLAIN}
    for role, count in named:
        plain = message("tray.take.plain", count=count)
        parts.append(plain if only_plain else message("tray.take.of", count=count, role=word(role.value)))
    if not parts:
        return message("tray.take.none")
    taken = parts[0]
    for part in parts[1:]:
        taken = message("list.comma", first=taken, second=part)
    return message("tray.take.dice", dice=taken)
