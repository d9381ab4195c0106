"""The campaign in the tray's SQLite file: a row for each sheet and one for the rest, written together with the state.

A row that cannot be read, such as a sheet of another program version, is left unchanged.
"""

import json
import logging
import sqlite3
from collections.abc import Iterator
from typing import Final

from device.game.state.asked_rolls import AskedRolls, RollRequest, Unshown
from device.game.state.campaign import Campaign, Carried, Carry, FiledSheet, PreparedNote, RunningTest
from device.game.state.linked_rolls import LinkedRolls, LinkKind, Member
from device.kept_files import parse_json
from rules.clocks import Clocks, load_clocks, store_clocks
from rules.dice import Role
from rules.errors import BadRequest
from rules.request import LEVEL_SIDES, Fields, read_facts
from rules.sheet import Consequence, Kind
from rules.sheet_file import sheet_from_json, sheet_to_json
from rules.system import Facts, JsonValue, find_system

_log = logging.getLogger(__name__)

FORMAT: Final = "pushtray-table/1"
_REST: Final = "table"
_MOST: Final = 10**9


class SheetStore:
    """Stores a campaign in the roll log over the log's connection."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._written = Campaign()

    def load(self, carry: Carry = Carry.ASK) -> Campaign:
        """Return the last written campaign, empty in a new file."""
        found = self._database.execute("SELECT name, body FROM book").fetchall()
        rows = {name: body for name, body in found if isinstance(name, str)}
        campaign = Campaign()
        rest = rows.pop(_REST, None)
        if rest is not None:
            try:
                campaign = _load_rest(_read(rest))
            except Exception as error:  # noqa: BLE001 - nothing that a drive damages may stop the tray
                _log.warning("the kept table cannot be understood (%s): clocks, rulings and roles start over", error)
        filed = sorted(_load_sheets(rows), key=lambda filed: filed.id)
        numbers = [name.removeprefix("sheet ") for name in rows]
        highest = max((int(number) for number in numbers if number.isdecimal()), default=0)
        ids = {one.id for one in filed}
        self._written = Campaign(
            sheets=tuple(filed),
            next_sheet=max(campaign.next_sheet, highest + 1),
            chosen=campaign.chosen if campaign.chosen in ids else None,
            carry=campaign.carry if campaign.carry_chosen else carry,
            carry_chosen=campaign.carry_chosen,
            carried=campaign.carried,
            clocks=campaign.clocks,
            running_test=campaign.running_test,
            prepared=campaign.prepared,
            asked=campaign.asked,
            rulings=campaign.rulings,
            roles=campaign.roles,
            revision=campaign.revision,
        )
        return self._written

    def write(self, campaign: Campaign) -> None:
        """Write the changes since the last write, within the open transaction."""
        before = self._written
        if campaign is before:
            return
        old = {filed.id: filed.sheet for filed in before.sheets}
        for filed in campaign.sheets:
            if old.pop(filed.id, None) is not filed.sheet:
                self._put(f"sheet {filed.id}", sheet_to_json(filed.sheet))
        for gone in old:
            self._database.execute("DELETE FROM book WHERE name = ?", (f"sheet {gone}",))
        self._put(_REST, _store_rest(campaign))

    @property
    def last_written(self) -> Campaign:
        return self._written

    def written(self, campaign: Campaign) -> None:
        self._written = campaign

    def _put(self, name: str, body: Facts) -> None:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False)
        self._database.execute(
            "INSERT INTO book (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
            (name, text),
        )


def is_readable(name: object, body: object) -> bool:
    try:
        if name == _REST:
            _load_rest(_read(str(body)))
        else:
            int(str(name).removeprefix("sheet "))
            sheet_from_json(_read(str(body)))
    except Exception:  # noqa: BLE001 - foreign data may fail in any way
        return False
    return isinstance(name, str) and isinstance(body, str)


def _load_sheets(rows: dict[str, str]) -> Iterator[FiledSheet]:
    for name, body in rows.items():
        try:
            yield FiledSheet(int(name.removeprefix("sheet ")), sheet_from_json(_read(body)))
        except Exception as error:  # noqa: BLE001 - nothing that a drive damages may stop the tray
            _log.warning("%s is kept as it is, but cannot be shown: %s", name, error)


def _read(text: str) -> Facts:
    body = parse_json(text)
    if not isinstance(body, dict):
        raise BadRequest("it is not a JSON object")
    return body


def _store_rest(campaign: Campaign) -> dict[str, JsonValue]:
    carried, running_test, prepared = campaign.carried, campaign.running_test, campaign.prepared
    return {
        "format": FORMAT,
        "next_sheet": campaign.next_sheet,
        "chosen": campaign.chosen,
        "carry": campaign.carry.value if campaign.carry_chosen else None,
        "revision": campaign.revision,
        "clocks": store_clocks(campaign.clocks),
        "rulings": {system: dict(choices) for system, choices in campaign.rulings.items()},
        "roles": {system: dict(roles) for system, roles in campaign.roles.items()},
        "carried": None
        if carried is None
        else {
            "roll": carried.roll,
            "pushes": carried.pushes,
            "sheet": carried.sheet,
            "why": carried.why,
            "items": [_store_consequence(item) for item in carried.items],
            "missed": [_store_consequence(item) for item in carried.missed],
            "changed": carried.changed,
            "undone": carried.undone,
            "upto": carried.upto,
        },
        "series": None
        if running_test is None
        else {
            "system": running_test.system,
            "op": running_test.op,
            "settings": dict(running_test.settings),
            "first_roll": running_test.first_roll,
            "rolls": [list(roll) for roll in running_test.rolls],
        },
        "prepared": None
        if prepared is None
        else {
            "roll": prepared.roll,
            "take": prepared.take,
            "sheet": prepared.sheet,
            "tiles": dict(prepared.tiles),
            "warnings": [list(warning) for warning in prepared.warnings],
            "price": [_store_consequence(item) for item in prepared.price],
            "entry": [_store_consequence(item) for item in prepared.entry],
            "marks": list(prepared.marks),
        },
        "asked": {
            "current": None if campaign.asked.current is None else _store_asked(campaign.asked.current),
            "for_roll": campaign.asked.for_roll,
            "waiting": [_store_asked(asked) for asked in campaign.asked.waiting],
            "next_id": campaign.asked.next_id,
            "together": [_store_linked(one) for one in campaign.asked.linked],
            "unshown": [
                {"id": one.id, "roll": one.roll, "owner": one.owner, "label": one.label}
                for one in campaign.asked.unshown
            ],
        },
    }


def _load_rest(facts: Facts) -> Campaign:
    if facts.get("format") != FORMAT:
        raise BadRequest(f"its format is {facts.get('format')!r}, this program reads {FORMAT}")
    fields = Fields(facts, "")
    clocks = facts.get("clocks")
    return Campaign(
        next_sheet=fields.integer("next_sheet", 1, _MOST),
        chosen=fields.optional_integer("chosen", 1, _MOST),
        carry=Carry(fields.word("carry", [carry.value for carry in Carry], default=Carry.ASK.value)),
        carry_chosen="carry" in fields,
        carried=_load_carried(fields) if "carried" in fields else None,
        clocks=Clocks() if clocks is None else load_clocks(read_facts(clocks, "clocks")),
        running_test=_load_running_test(fields) if "series" in fields else None,
        prepared=_load_prepared(fields) if "prepared" in fields else None,
        asked=_load_asked(fields) if "asked" in fields else AskedRolls(),
        rulings=_load_by_system(facts, "rulings"),
        roles={
            system: {label: str(role) for label, role in roles.items()}
            for system, roles in _load_by_system(facts, "roles").items()
        },
        revision=fields.integer("revision", 0, _MOST),
    )


def _load_by_system(facts: Facts, name: str) -> dict[str, Facts]:
    return {system: read_facts(body, name) for system, body in read_facts(facts.get(name), name).items()}


def _load_carried(fields: Fields) -> Carried:
    entry = fields.fields("carried")
    return Carried(
        roll=entry.integer("roll", 1, _MOST),
        pushes=entry.integer("pushes", 0, _MOST),
        sheet=entry.integer("sheet", 1, _MOST),
        why=entry.text("why"),
        items=_load_consequences(entry, "items"),
        missed=_load_consequences(entry, "missed"),
        changed=entry.flag("changed"),
        undone=entry.flag("undone"),
        upto=entry.optional_integer("upto", 0, _MOST),
    )


def _load_running_test(fields: Fields) -> RunningTest | None:
    entry = fields.fields("series")
    rolls = []
    for place in entry.sequence("rolls"):
        number, value = Fields({"roll": place}, "series").integers("roll", 0, _MOST)
        rolls.append((number, value))
    system, op = entry.text("system"), entry.text("op")
    if not any(kind.op == op for kind in find_system(system).extended_tests):
        return None
    settings = read_facts(entry.raw("settings"), "settings")
    return RunningTest(system, op, settings, entry.integer("first_roll", 1, _MOST), tuple(rolls))


def _load_prepared(fields: Fields) -> PreparedNote:
    entry = fields.fields("prepared")
    warnings = []
    for place in entry.sequence("warnings"):
        if not isinstance(place, list) or len(place) != 2:
            raise BadRequest("a warning of the prepared roll is no word with a sentence")
        warnings.append((str(place[0]), str(place[1])))
    return PreparedNote(
        roll=entry.integer("roll", 1, _MOST),
        take=entry.text("take"),
        sheet=entry.optional_integer("sheet", 1, _MOST),
        tiles=read_facts(entry.raw("tiles"), "tiles"),
        warnings=tuple(warnings),
        price=_load_consequences(entry, "price"),
        entry=_load_consequences(entry, "entry"),
        marks=tuple(str(name) for name in entry.sequence("marks")),
    )


def _store_asked(asked: RollRequest) -> dict[str, JsonValue]:
    dice: dict[str, JsonValue] = {role.value: count for role, count in asked.dice}
    return {
        "id": asked.id,
        "owner": asked.owner,
        "label": asked.label,
        "dice": dice,
        "typed": [[role.value, level] for role, level in asked.typed],
        "thrower": asked.thrower,
        "aim": dict(asked.aim),
        "context": dict(asked.context),
        "hidden": asked.hidden,
        "together": asked.linked,
    }


def _load_asked(fields: Fields) -> AskedRolls:
    entry = fields.fields("asked")
    return AskedRolls(
        current=_load_asked_roll(entry.fields("current")) if "current" in entry else None,
        for_roll=entry.integer("for_roll", 0, _MOST),
        waiting=tuple(
            _load_asked_roll(Fields(read_facts(one, "waiting"), "waiting")) for one in entry.sequence("waiting")
        ),
        next_id=entry.integer("next_id", 1, _MOST),
        linked=tuple(_load_linked(one) for one in _each(entry, "together")),
        unshown=tuple(
            Unshown(
                one.integer("id", 1, _MOST),
                one.integer("roll", 1, _MOST),
                one.optional_text("owner"),
                one.optional_text("label"),
            )
            for one in _each(entry, "unshown")
        ),
    )


def _each(fields: Fields, name: str) -> Iterator[Fields]:
    """Return the objects of a list, which older programs may lack."""
    return (Fields(read_facts(one, name), name) for one in fields.sequence(name))


def _load_asked_roll(fields: Fields) -> RollRequest:
    dice = fields.fields("dice")
    return RollRequest(
        id=fields.integer("id", 1, _MOST),
        owner=fields.optional_text("owner"),
        label=fields.optional_text("label"),
        dice=tuple((role, dice.integer(role.value, 0, _MOST)) for role in Role if role.value in dice),
        typed=tuple(_load_level(one) for one in fields.sequence("typed")),
        thrower=fields.optional_text("thrower"),
        aim=read_facts(fields.raw("aim"), "aim"),
        context=read_facts(fields.raw("context"), "context"),
        hidden=fields.flag("hidden"),
        linked=fields.optional_integer("together", 1, _MOST),
    )


def _load_level(value: JsonValue) -> tuple[Role, str]:
    if not isinstance(value, list) or len(value) != 2 or value[1] not in LEVEL_SIDES:
        raise BadRequest("a die of an asked roll is no role with a level")
    return Role(str(value[0])), str(value[1])


def _store_linked(linked: LinkedRolls) -> dict[str, JsonValue]:
    return {
        "id": linked.id,
        "kind": linked.kind.value,
        "system": linked.system,
        "label": linked.label,
        "aim": dict(linked.aim),
        "members": [
            {
                "asked": one.asked,
                "owner": one.owner,
                "thrower": one.thrower,
                "hidden": one.hidden,
                "roll": one.roll,
                "count": one.count,
                "word": one.word,
                "success": one.success,
            }
            for one in linked.members
        ],
    }


def _load_linked(fields: Fields) -> LinkedRolls:
    system = fields.text("system")
    find_system(system)
    return LinkedRolls(
        id=fields.integer("id", 1, _MOST),
        kind=LinkKind(fields.word("kind", [kind.value for kind in LinkKind])),
        system=system,
        label=fields.optional_text("label"),
        aim=read_facts(fields.raw("aim"), "aim"),
        members=tuple(
            Member(
                asked=one.integer("asked", 1, _MOST),
                owner=one.optional_text("owner"),
                thrower=one.optional_text("thrower"),
                hidden=one.flag("hidden"),
                roll=one.optional_integer("roll", 1, _MOST),
                count=one.optional_integer("count", -_MOST, _MOST),
                word=str(one.raw("word") or ""),
                success=one.flag("success") if "success" in one else None,
            )
            for one in _each(fields, "members")
        ),
    )


def _store_consequence(item: Consequence) -> dict[str, JsonValue]:
    return {
        "kind": item.kind.value,
        "by": item.by,
        "name": item.name,
        "to": item.to,
        "most_to": item.most_to,
        "whole_roll": item.whole_roll,
    }


def _load_consequences(entry: Fields, name: str) -> tuple[Consequence, ...]:
    return tuple(_load_consequence(Fields(read_facts(value, name), name)) for value in entry.sequence(name))


def _load_consequence(fields: Fields) -> Consequence:
    return Consequence(
        kind=Kind(fields.word("kind", [kind.value for kind in Kind])),
        by=fields.integer("by", -_MOST, _MOST),
        name=fields.optional_text("name"),
        to=fields.optional_integer("to", -_MOST, _MOST),
        most_to=fields.optional_integer("most_to", -_MOST, _MOST),
        whole_roll=fields.flag("whole_roll"),
    )
