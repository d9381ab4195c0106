"""The latest changes to the table that are not rolls, and whether each was undone: one row of the log's `book`."""

import json
import logging
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field, TypeAdapter

from device.errors import DeviceError
from device.kept_files import parse_json
from device.message import Message, message_or
from device.storage.evenings import changing, reading
from device.storage.log_rows import checked_moment, now_utc
from device.texts.catalogue import translate
from rules.system import JsonValue

_log = logging.getLogger(__name__)

BOOK_NAME: Final = "changes"
_FORMAT: Final = "pushtray-changes/1"
_MAX: Final = 100
_IN_ROLL_LOG: Final = frozenset({"reset", "push", "prepare", "correct"})
"""Actions that are in the roll log."""


@dataclass(frozen=True, slots=True)
class Change:
    at: Annotated[str, AfterValidator(checked_moment)]
    key: Annotated[str, Field(pattern=r"^tray\.undo\.")]
    values: Mapping[str, Annotated[str, Field(max_length=1000)]]
    undone: bool = False

    def as_json(self) -> JsonValue:
        return {
            "at": self.at,
            "text": translate(self.key, **{name: message_or(value, value) for name, value in self.values.items()}),
            "undone": self.undone,
        }


_CHANGES: Final = TypeAdapter(Annotated[tuple[Change, ...], Field(max_length=_MAX)])


class ChangeLog:
    """Deletions and changes by presses that can be undone, in the roll log, so that a backup has them. Any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def newest_first(self) -> list[JsonValue]:
        with reading(self._path) as log:
            return [change.as_json() for change in reversed(_changes_in(log))]

    def note(self, action: str, label: Message, *, undone: bool) -> None:
        """Add a change; mark the newest one if it was undone."""
        if action in _IN_ROLL_LOG:
            return
        try:
            with changing(self._path) as log:
                before = _changes_in(log)
                if undone and before:
                    after = (*before[:-1], replace(before[-1], undone=True))
                else:
                    values = {
                        name: value.key if isinstance(value, Message) else str(value)
                        for name, value in label.values.items()
                    }
                    at = now_utc().isoformat(timespec="milliseconds")
                    after = (*before, Change(at, label.key, values))[-_MAX:]
                body = {"format": _FORMAT, "changes": _CHANGES.dump_python(after)}
                text = json.dumps(body, ensure_ascii=False)
                log.execute("INSERT OR REPLACE INTO book (name, body) VALUES (?, ?)", (BOOK_NAME, text))
        except DeviceError as error:
            _log.warning("a change is missing in the list of changes: %s", error)


def read_changes(body: str | bytes) -> tuple[Change, ...]:
    """Return the changes of a row of the book.

    Raises:
        ValueError: It is damaged, foreign or of another version.
    """
    kept: Any = parse_json(body)
    if not isinstance(kept, dict) or kept.get("format") != _FORMAT:
        raise ValueError("it is not a list of changes that this program reads")
    found = _CHANGES.validate_python(kept.get("changes"))
    for change in found:
        change.as_json()
    return found


def _changes_in(log: sqlite3.Connection) -> tuple[Change, ...]:
    found = log.execute("SELECT CAST(body AS BLOB) FROM book WHERE name = ?", (BOOK_NAME,)).fetchone()
    try:
        return () if found is None else read_changes(found[0])
    except Exception:  # noqa: BLE001 - nothing that a drive damages may stop the tray
        _log.warning("the list of changes cannot be understood and starts over")
        return ()
