"""The latest changes to the table that are not in the roll log, and whether each was undone."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from device.kept_files import read_kept, write_whole
from device.storage.rolls import now_utc
from device.texts.catalogue import LazyText, translate
from rules.system import JsonValue
from vision.types.cures import why

_log = logging.getLogger(__name__)

FILE_NAME: Final = "changes.json"
_MAX: Final = 100
_IN_ROLL_LOG: Final = frozenset({"reset", "push", "prepare", "correct"})
"""Actions that are in the roll log."""


@dataclass(frozen=True, slots=True)
class Change:
    at: str
    key: str
    values: Mapping[str, str]
    undone: bool = False

    def kept(self) -> dict[str, Any]:
        return {"at": self.at, "key": self.key, "values": dict(self.values), "undone": self.undone}

    def as_json(self) -> JsonValue:
        return {"at": self.at, "text": translate(self.key, **self.values), "undone": self.undone}


class ChangeLog:
    """Deletions and changes by presses that can be undone. Call `note` on one thread, `newest_first` on any."""

    def __init__(self, path: Path) -> None:
        self._path = path
        nothing: tuple[Change, ...] = ()
        self._changes = read_kept(path, _changes, nothing, "the list of changes is empty")

    def newest_first(self) -> list[JsonValue]:
        return [change.as_json() for change in reversed(self._changes)]

    def note(self, action: str, label: str, *, undone: bool) -> None:
        """Add a change; mark the newest one if it was undone."""
        if action in _IN_ROLL_LOG or not isinstance(label, LazyText):
            return
        if undone and self._changes:
            after = (*self._changes[:-1], replace(self._changes[-1], undone=True))
        else:
            values = {name: str(value) for name, value in label.values.items()}
            at = now_utc().isoformat(timespec="milliseconds")
            after = (*self._changes, Change(at, label.key, values))[-_MAX:]
        self._changes = after
        try:
            write_whole(self._path, json.dumps([change.kept() for change in after]).encode())
        except OSError as error:
            _log.warning("%s cannot be written: %s", self._path, why(error))


def _changes(body: Any) -> tuple[Change, ...]:
    found = tuple(Change(**one) for one in body)
    for change in found:
        change.as_json()
    return found
