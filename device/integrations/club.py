"""The trays of a club on one broker: name, state, who is there, the last results. Nothing is trusted."""

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from device.integrations.outbox import Body
from device.integrations.topics import ONLINE
from rules.system import JsonValue

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_STATES: Final = frozenset({"empty", "rolling", "unclear", "scored", "awaiting_push", "resolved", "fault"})


@dataclass(frozen=True, slots=True)
class ClubParams:
    max_trays: int = 500  # maximum number of trays; further ones are not shown
    max_rolls: int = 20
    payload_bytes: int = 65_536  # size above which messages are ignored, in bytes
    max_text: int = 200
    max_dice: int = 100


@dataclass(slots=True)
class _Tray:
    id: str
    name: str
    version: int = 0
    available: bool = False
    state: Body = field(default_factory=dict)
    rolls: list[tuple[int, Body]] = field(default_factory=list)
    """The last results, newest first, each with the version at which it came."""
    cut: int = 0
    """Version at which a result was deleted."""

    def as_json(self, since: int) -> Body:
        """Return what a page shows of it, given that the page has its results up to a version."""
        is_cut = self.cut > since
        rolls: list[JsonValue] = [roll for version, roll in self.rolls if version > since or is_cut]
        about: Body = {"id": self.id, "name": self.name, "available": self.available, **self.state}
        return {**about, "rolls": rolls, "cut": is_cut}


class ClubTrays:
    """Every tray that a broker has below one base. Any thread."""

    def __init__(self, base: str, params: ClubParams | None = None) -> None:
        self._prefix = f"{base}/"
        self._params = params or ClubParams()
        self._lock = threading.Lock()
        self._trays: dict[str, _Tray] = {}
        self._version = 0
        self._listeners: dict[int, Callable[[], None]] = {}
        self._next = 0

    def hear(self, topic: str, payload: bytes) -> None:
        """Process a message of the broker; one that is not a tray's is ignored."""
        name, _, what = topic.removeprefix(self._prefix).partition("/")
        if not topic.startswith(self._prefix) or not _NAME.fullmatch(name):
            return
        with self._lock:
            tray = self._trays.get(name)
            if tray is None:
                if len(self._trays) >= self._params.max_trays or not payload:
                    return
                tray = self._trays[name] = _Tray(name, name)
            if not self._took(tray, what, payload):
                return
            self._version += 1
            tray.version = self._version
            listeners = tuple(self._listeners.values())
        for listener in listeners:
            listener()

    def since(self, version: int) -> tuple[int, list[Body]]:
        """Return the trays that changed after a version, by name, with their results since, and the current version."""
        with self._lock:
            changed = [tray for tray in self._trays.values() if tray.version > version]
            ordered = sorted(changed, key=lambda tray: (tray.name.casefold(), tray.id))
            return self._version, [tray.as_json(version) for tray in ordered]

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever a tray has changed; it must return at once."""
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._listeners[number] = listener

        def end() -> None:
            with self._lock:
                self._listeners.pop(number, None)

        return end

    def _took(self, tray: _Tray, what: str, payload: bytes) -> bool:
        if what == "availability":
            was, tray.available = tray.available, payload == ONLINE.encode()
            return tray.available != was or tray.version == 0
        if what not in ("state", "roll", "last_roll", "forgotten"):
            return False
        body = self._object(payload)
        if body is None:
            return False
        if what == "forgotten":
            return self._forgot(tray, body)
        tray.name = self._text(_dict(body.get("tray")).get("name")) or tray.id
        if what == "state":
            tray.state = self._state(body)
            return True
        roll = self._roll(body)
        if not roll["id"] or any(roll["id"] == known["id"] for _, known in tray.rolls):
            return False
        tray.rolls = [(self._version + 1, roll), *tray.rolls][: self._params.max_rolls]
        return True

    def _forgot(self, tray: _Tray, body: Mapping[str, Any]) -> bool:
        roll, since = body.get("roll"), str(body.get("since"))
        left = [one for one in tray.rolls if one[1]["roll"] != roll or str(one[1]["time"]) < since]
        if len(left) == len(tray.rolls):
            return False
        tray.rolls, tray.cut = left, self._version + 1
        return True

    def _object(self, payload: bytes) -> dict[str, Any] | None:
        if len(payload) > self._params.payload_bytes:
            return None
        try:
            body = json.loads(payload)
        except (ValueError, RecursionError):
            return None
        return body if isinstance(body, dict) else None

    def _state(self, body: Mapping[str, Any]) -> Body:
        """Return what a page shows of a state, with each value validated."""
        state = self._text(body.get("state"))
        return {
            "state": state if state in _STATES else None,
            "system_title": self._text(body.get("system_title")),
            "owner": self._text(body.get("owner")),
            "label": self._text(body.get("label")),
            "fault": self._text(body.get("fault")),
            "dice": self._dice(body.get("dice")),
            "may_push": _dict(body.get("push")).get("eligible") is True,
        }

    def _roll(self, body: Mapping[str, Any]) -> Body:
        headline = _dict(_dict(body.get("outcome")).get("headline"))
        return {
            "id": self._text(body.get("id")),
            "kind": self._text(body.get("kind")),
            "roll": _number(body.get("roll")),
            "time": self._text(body.get("time")),
            "owner": self._text(body.get("owner")),
            "label": self._text(body.get("label")),
            "value": _number(headline.get("value")),
            "word": self._text(headline.get("word")),
            "dice": self._dice(body.get("dice")),
        }

    def _dice(self, dice: Any) -> list[JsonValue]:
        if not isinstance(dice, list):
            return []
        shown: list[JsonValue] = []
        for die in dice[: self._params.max_dice]:
            value = _number(_dict(die).get("value"))
            role = self._text(_dict(die).get("role"))
            face = self._text(_dict(die).get("face"))
            shown.append({"role": role, "value": value, **({} if face is None else {"face": face})})
        return shown

    def _text(self, value: Any) -> str | None:
        if not isinstance(value, str) or not value:
            return None
        # A lone surrogate is valid JSON, but cannot be sent as text.
        return value[: self._params.max_text].encode("utf-8", "replace").decode("utf-8")


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int | None:
    return value if type(value) is int and abs(value) < 10**6 else None
