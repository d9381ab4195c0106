"""What a screen shows of the table: manual dice, an exploding die, tests, sheets, clocks, roles."""

from typing import cast

from device.body import Body, BodyValue, face_word
from device.game import snapshot_model as seen
from device.game.dice.role_mapping import roles_of
from device.game.state.campaign import Campaign, FiledSheet
from device.game.state.exploding_die import pending_die
from device.game.state.manual_dice import Typed, not_seen
from device.game.state.states import AwaitingPush, DiceState, Resolved, Result, Scored, Unclear, UnreadPush
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.game.table.extended_tests import running_test_json
from device.game.table.preparing import take_text
from device.game.table.roll_requests import roll_requests_body
from device.game.table.sheet_effects import consequences_to_json, roll_to_pay
from device.message import Text, message
from device.rule_messages import looks_json, ruling_words, system_title
from rules.clocks import clocks_to_json
from rules.dice import Role
from rules.rulings import describe, resolve_rulings
from rules.sheet import Kind, Sheet
from rules.sheet_file import sheet_to_json
from rules.system import RuleSystem, find_system, systems


def table_body(tray: Tray) -> seen.TablePart:
    table, campaign = tray.table, tray.campaign
    result = tray.dice if isinstance(tray.dice, Scored | Resolved) else None
    due = roll_to_pay(tray)
    note, running = campaign.prepared, campaign.running_test
    return {
        "typed_dice": _typed_dice(tray.dice, table.typed),
        "awaiting": _awaiting(result),
        "prepared": None
        if note is None
        else {
            "roll": note.roll,
            "take": take_text(
                () if table.pool is None else table.pool.counts,
                tuple((die.role, die.level) for die in table.typed if die.declared),
            ),
            "sheet": note.sheet,
            "tiles": dict(note.tiles),
            "warnings": [{"code": code, "text": text} for code, text in note.warnings],
        },
        **roll_requests_body(tray),
        "series": None if running is None else running_test_json(running, table.rulings.get(running.system, {})),
        "sheet": campaign.chosen,
        "sheets_revision": campaign.revision,
        "sheets": [{"id": one.id, "title": one.sheet.title, "system": one.sheet.system} for one in campaign.sheets],
        "consequences": None if due is None else consequences_to_json(campaign, due),
        "carry": campaign.carry.value,
        "clocks": cast("seen.Clocks", clocks_to_json(campaign.clocks)),
        "roles": _roles(table),
        "rulings": dict(table.rulings.get(table.system, {})),
    }


def sheet_body(filed: FiledSheet) -> Body:
    stored = sheet_to_json(filed.sheet)
    why = filed.sheet.history[-1].why if filed.sheet.history else None
    return {
        "id": filed.id,
        "title": stored["title"],
        "system": stored["system"],
        "counters": stored["counters"],
        "marks": stored["marks"],
        "undo": why if isinstance(why, Text) else None,
        "rests": list(find_system(filed.sheet.system).rests),
    }


def sheets_body(campaign: Campaign) -> Body:
    return {
        "revision": campaign.revision,
        "chosen": campaign.chosen,
        "carry": campaign.carry.value,
        "kinds": [{"kind": kind.value, "bounded": kind.is_bounded} for kind in Kind if kind is not Kind.CLOCK],
        "rules": {
            system.id: {
                "best": list(system.best),
                "tops": {kind.value: top for kind, top in system.tops.items()},
                "full": [kind.value for kind in Kind if kind in system.full_kinds],
                "scale": list(system.scale),
                "names": [counter.name for counter in system.sheet],
            }
            for system in systems()
        },
        "sheets": [sheet_body(filed) for filed in campaign.sheets],
    }


def rulings_body(system: RuleSystem, tray: Tray) -> Body:
    in_force = resolve_rulings(system.rulings, tray.table.rulings.get(system.id, {}))
    own = tray.campaign.rulings.get(system.id, {})
    rows: list[BodyValue] = [
        {
            "low": None,
            "high": None,
            **describe(system.id, ruling),
            **ruling_words(system.id, ruling),
            "value": in_force[ruling.name],
            "chosen": own.get(ruling.name, ruling.default) != ruling.default,
        }
        for ruling in system.rulings
    ]
    return {"id": system.id, "title": system_title(system.id), **looks_json(system), "rulings": rows}


def roles_body(system: RuleSystem, tray: Tray) -> Body:
    """Return each colour class's role in one system, and its possible roles."""
    allowed = dict.fromkeys((*(role.value for role in system.pool_roles), Role.PLAIN.value))
    undeclared = Table(system.id, colour_classes=tray.table.colour_classes, colour_roles=tray.table.colour_roles)
    return {
        "id": system.id,
        "title": system_title(system.id),
        "allowed": list(allowed),
        "roles": _roles(undeclared),
        "chosen": list(tray.campaign.roles.get(system.id, {})),
    }


def find_filed(campaign: Campaign, sheet_id: int) -> FiledSheet:
    sheet: Sheet = campaign.find(sheet_id)
    return FiledSheet(sheet_id, sheet)


def _typed_dice(state: DiceState, typed: Typed) -> list[seen.TypedDie]:
    outcome, going = None, False
    push = state.push if isinstance(state, UnreadPush) else state
    if isinstance(push, AwaitingPush):
        typed = not_seen(typed, push.first.layout)
    elif isinstance(state, Unclear | Result):
        typed = not_seen(typed, state.layout)
    if isinstance(state, AwaitingPush):
        outcome, going = state.first.outcome, True
    elif isinstance(state, Scored | Resolved):
        outcome, going = state.outcome, state.outcome.push.eligible
    dice: list[seen.TypedDie] = []
    for die in typed:
        name = str(die.id)
        dice.append(
            {
                "id": die.id,
                "role": die.role.value,
                "level": die.level,
                "sides": die.sides,
                "value": die.value,
                "locked": outcome is not None and name in outcome.locked,
                "must_reroll": outcome is not None and going and name in outcome.must_reroll,
                "mark": None if outcome is None or die.value is None else outcome.marks.get(name),
                "declared": die.declared,
            }
        )
    return dice


def _awaiting(result: Result | None) -> seen.Awaiting | None:
    die_id = None if result is None else pending_die(result.outcome)
    if result is None or die_id is None:
        return None
    die = result.layout.die(die_id)
    value = None if die is None else die.value
    return {
        "kind": "reroll",
        "reason": str(result.outcome.facts["pending"]),
        "dice": [die_id],
        "text": message(
            "tray.awaiting.again" if value is None else "tray.awaiting.again_shows", value=face_word(value)
        ),
    }


def _roles(table: Table) -> dict[str, str | None]:
    return {label: None if role is None else role.value for label, role in roles_of(table).items()}
