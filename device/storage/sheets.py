"""The campaign in the tray's SQLite file: a row for each sheet and one for the rest, written together with the state.

A row that cannot be read, such as a sheet of another program version, is left unchanged.
"""

import json
import logging
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from pydantic import TypeAdapter

from device.game.state.campaign import Campaign, Carry, FiledSheet
from device.kept_files import parse_json
from device.message import text_from_json
from device.storage.changes import BOOK_NAME, read_changes
from device.texts.stored import STORING, text_to_json
from rules.errors import BadRequest
from rules.sheet import Sheet
from rules.sheet_file import sheet_from_json, sheet_to_json
from rules.system import Facts, JsonValue, find_system

_log = logging.getLogger(__name__)

FORMAT: Final = "pushtray-table/1"
_REST: Final = "table"
_CAMPAIGN: Final = TypeAdapter(Campaign)


class SheetStore:
    """Stores a campaign in the roll log over the log's connection."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._written = Campaign()

    def load(self, carry: Carry = Carry.ASK) -> Campaign:
        """Return the last written campaign, empty in a new file."""
        found = self._database.execute("SELECT name, body FROM book WHERE name != ?", (BOOK_NAME,)).fetchall()
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
        self._written = replace(
            campaign,
            sheets=tuple(filed),
            next_sheet=max(campaign.next_sheet, highest + 1),
            chosen=campaign.chosen if campaign.chosen in ids else None,
            carry=campaign.carry if campaign.carry_chosen else carry,
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
                self._put(f"sheet {filed.id}", _store_sheet(filed.sheet))
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
        elif name == BOOK_NAME:
            read_changes(str(body))
        else:
            int(str(name).removeprefix("sheet "))
            _load_sheet(_read(str(body)))
    except Exception:  # noqa: BLE001 - foreign data may fail in any way
        return False
    return isinstance(name, str) and isinstance(body, str)


def _load_sheets(rows: dict[str, str]) -> Iterator[FiledSheet]:
    for name, body in rows.items():
        try:
            yield FiledSheet(int(name.removeprefix("sheet ")), _load_sheet(_read(body)))
        except Exception as error:  # noqa: BLE001 - nothing that a drive damages may stop the tray
            _log.warning("%s is kept as it is, but cannot be shown: %s", name, error)


def _store_sheet(sheet: Sheet) -> Facts:
    """Return a sheet as JSON in which the reasons of its changes have no language, unlike a file for people."""
    return sheet_to_json(sheet, text_to_json)


def _load_sheet(body: Facts) -> Sheet:
    return sheet_from_json(body, text_from_json)


def _read(text: str) -> Facts:
    body = parse_json(text)
    if not isinstance(body, dict):
        raise BadRequest("it is not a JSON object")
    return body


def _store_rest(campaign: Campaign) -> dict[str, JsonValue]:
    body: dict[str, Any] = _CAMPAIGN.dump_python(
        campaign,
        mode="json",
        by_alias=True,
        exclude={"sheets": True, "carry_chosen": True, "clocks": {"last"}},
        context=STORING,
    )
    if not campaign.carry_chosen:
        body["carry"] = None
    body["clocks"]["history"] = [{"why": why, "before": before} for why, before in body["clocks"]["history"]]
    return {"format": FORMAT, **body}


def _load_rest(facts: Facts) -> Campaign:
    if facts.get("format") != FORMAT:
        raise BadRequest(f"its format is {facts.get('format')!r}, this program reads {FORMAT}")
    body: dict[str, Any] = {name: value for name, value in facts.items() if value is not None}
    clocks = body.get("clocks", {})
    history = [(one["why"], one["before"]) for one in clocks.get("history", ())]
    body |= {"clocks": {**clocks, "history": history}, "carry_chosen": "carry" in body}
    campaign = _CAMPAIGN.validate_python(body)
    for linked in campaign.requests.linked:
        find_system(linked.system)
    test = campaign.running_test
    if test is not None and not any(kind.op == test.op for kind in find_system(test.system).extended_tests):
        return replace(campaign, running_test=None)
    return campaign
