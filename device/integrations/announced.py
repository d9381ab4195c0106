"""The tray's retained messages at brokers, to be withdrawn once its name, prefix, base or broker is another or none."""

import json
import logging
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from device.integrations.outbox import Body
from device.integrations.sections import read_section, section_values
from device.integrations.settings import MqttSettings
from device.kept_files import read_kept, write_whole
from vision.types.cures import why

_log = logging.getLogger(__name__)

FILE_NAME: Final = "announced.json"


@dataclass(frozen=True, slots=True)
class Announced:
    settings: MqttSettings
    topics: frozenset[str]

    @property
    def where(self) -> tuple[str, int]:
        return self.settings.host, self.settings.port


@dataclass(frozen=True, slots=True)
class _Kept:
    brokers: tuple[Announced, ...] = ()
    last_roll: Body | None = None
    is_withdrawn: bool = False


class Announcements:
    """The file of retained messages, which only its owner may read. Any thread."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._lock = threading.Lock()
        self._kept = read_kept(self._path, _kept_of, _Kept(), "a broker keeps retained messages under an earlier name")

    @property
    def last_roll(self) -> Body | None:
        """The last result that was sent; None if there is none."""
        return self._kept.last_roll

    @property
    def is_withdrawn(self) -> bool:
        """Whether the last result was deleted permanently, so that no broker may retain it."""
        return self._kept.is_withdrawn

    def clear(self) -> None:
        """Delete all entries: they belong to another tray whose card was copied."""
        self._keep(_Kept())

    @property
    def brokers(self) -> tuple[Announced, ...]:
        return self._kept.brokers

    def announce(self, settings: MqttSettings, topics: Iterable[str]) -> tuple[Announced, ...]:
        """Store the topics that a broker is about to retain; return those to be withdrawn, there and at others."""
        now = Announced(settings, frozenset(topics))
        ghosts = []
        for one in self._kept.brokers:
            left = one.topics - now.topics if one.where == now.where else one.topics
            if left:
                ghosts.append(Announced(settings if one.where == now.where else one.settings, left))
        self._keep(_Kept((now, *ghosts), self.last_roll, self.is_withdrawn))
        return tuple(ghosts)

    def withdrawn(self, ghost: Announced) -> None:
        left = tuple(one for one in self._kept.brokers if one != ghost)
        self._keep(_Kept(left, self.last_roll, self.is_withdrawn))

    def note_roll(self, body: Body) -> None:
        self._keep(_Kept(self._kept.brokers, body))

    def forget_roll(self, roll: int, since: datetime) -> bool:
        """Delete the last result if it is that of a permanently deleted roll."""
        if self.last_roll is None or not is_of_roll(self.last_roll, roll, since):
            return False
        self._keep(_Kept(self._kept.brokers, is_withdrawn=True))
        return True

    def _keep(self, kept: _Kept) -> None:
        with self._lock:
            if kept == self._kept:
                return
            self._kept = kept
            body = {
                "brokers": [
                    {"settings": section_values(one.settings), "topics": sorted(one.topics)} for one in kept.brokers
                ],
                "last_roll": kept.last_roll,
                "is_withdrawn": kept.is_withdrawn,
            }
            try:
                write_whole(self._path, json.dumps(body, ensure_ascii=False).encode(), 0o600)
            except OSError as error:
                _log.warning(
                    "%s cannot be written (%s): retained messages may outlive a new name", self._path, why(error)
                )


def is_of_roll(message: Mapping[str, Any], roll: int, since: datetime) -> bool:
    """Return whether a result belongs to a roll; numbers restart with a new state."""
    at = since.astimezone(UTC).isoformat(timespec="milliseconds")
    return message.get("roll") == roll and str(message.get("time")) >= at


def _kept_of(body: Any) -> _Kept:
    brokers = []
    for one in body["brokers"]:
        settings = read_section(MqttSettings, one["settings"])
        if not isinstance(settings, MqttSettings):
            raise TypeError("no broker")
        brokers.append(Announced(settings, frozenset(map(str, one["topics"]))))
    last = body["last_roll"]
    return _Kept(tuple(brokers), last if isinstance(last, dict) else None, body["is_withdrawn"] is True)
