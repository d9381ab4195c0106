"""Who may do what: the display and the game master's phone everything, a player's phone what is its player's own.

A request that changes something and stands in no rule here is the game master's: one that is new lets nobody in by
accident.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from device.game.state.names import name_key
from device.storage.phones import Phone
from device.texts.catalogue import say
from rules.system import JsonValue


class Role(StrEnum):
    TABLE = "table"
    """The display, or any device where no PIN is asked for."""
    GAME_MASTER = "game_master"
    PLAYER = "player"
    GUEST = "guest"
    """It gave no PIN: it may look."""


@dataclass(frozen=True, slots=True)
class Identity:
    role: Role
    phone: Phone | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not for this device: one word, and one line with the cure."""

    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class AccessRequest:
    route: str
    path: Mapping[str, str]
    body: Any
    tray: Mapping[str, JsonValue]

    def said(self, name: str) -> Any:
        """Return a field of the body; None where it has none."""
        return self.body.get(name) if isinstance(self.body, dict) else None


Rule = Callable[[Phone, AccessRequest], Refusal | None]
"""Whether a player's phone may; asked only where it has a name."""

FOR_ALL: Final = frozenset({"POST /api/phones/pair"})
"""What changes something and is for devices that are not paired, too."""
FOR_PAIRED: Final = frozenset({"PUT /api/phones/me", "DELETE /api/phones/me", "POST /api/phones/me/sheets"})
"""What a phone may say of itself, before it has a name, too."""
RESTRICTED_READS: Final = frozenset({"GET /api/phones", "GET /api/phones/qr.svg"})
"""What is not for everybody to look at: it names the PINs."""


_OWN_TO_ASK: Final = frozenset({"owner", "label", "dice", "levels"})
"""What a player says of a roll of its own."""
_UNSAID: Final[Mapping[str, Any]] = {"thrower": None, "aim": {}, "hidden": False}
"""What the game master alone sets of a roll, as it stands where nobody did."""


def deny_reason(asker: Identity, attempt: AccessRequest) -> Refusal | None:
    """Return why a device may not do something; None where it may."""
    method = attempt.route.partition(" ")[0]
    if asker.role in (Role.TABLE, Role.GAME_MASTER) or attempt.route in FOR_ALL:
        return None
    if method in ("GET", "HEAD") and attempt.route not in RESTRICTED_READS:
        return None
    if asker.phone is None:
        return Refusal("not_paired", say("web.phone.not_paired"))
    if attempt.route in FOR_PAIRED:
        return None
    rule = PLAYER_POLICY.get(attempt.route)
    if rule is None:
        return Refusal("game_master_only", say("web.phone.game_master_only"))
    if asker.phone.name is None:
        return Refusal("no_name", say("web.phone.no_name"))
    return rule(asker.phone, attempt)


def _own_roll(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    asked = attempt.tray.get("asked")
    owner = asked.get("owner") if isinstance(asked, dict) else None
    if owner is None or _key(owner) == _key(phone.name):
        return None
    return Refusal("other_roll", say("web.phone.other_roll", owner=owner))


def _own_sheet(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    return _held(phone, attempt.path.get("sheet_id"))


def _held(phone: Phone, sheet: object) -> Refusal | None:
    if str(sheet) in {str(held) for held in phone.sheets}:
        return None
    return Refusal("other_sheet", say("web.phone.other_sheet", name=phone.name))


def _own_result(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    return _own_sheet(phone, attempt) or _own_roll(phone, attempt)


def _own_choice(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    sheet = attempt.said("sheet")
    return (None if sheet is None else _held(phone, sheet)) or _own_roll(phone, attempt)


def _own_asking(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    if _key(attempt.said("owner")) != _key(phone.name):
        return Refusal("other_owner", say("web.phone.other_owner", name=phone.name))
    said = attempt.body if isinstance(attempt.body, dict) else {}
    for name in set(said) - _OWN_TO_ASK:
        # A page may name what it does not use.
        if name not in _UNSAID or said[name] != _UNSAID[name]:
            return Refusal("game_master_only", say("web.phone.game_master_sets"))
    return None


def _own_asked(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    waiting = attempt.tray.get("asked_next")
    known = [attempt.tray.get("asked"), *(waiting if isinstance(waiting, list) else [])]
    wanted = attempt.path.get("asked_id", "")
    owners = [one.get("owner") for one in known if isinstance(one, dict) and str(one.get("id")) == wanted]
    # One that is gone is nobody's, and the tray says so; but "07" must not be another number here than there.
    is_plain = wanted.isascii() and wanted.isdecimal() and not wanted.startswith("0")
    if [*map(_key, owners)] == [_key(phone.name)] or (not owners and is_plain):
        return None
    return Refusal("other_owner", say("web.phone.other_owner", name=phone.name))


def _own_preparing(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    if attempt.said("declare") is False:
        return None
    if _key(attempt.said("owner")) != _key(phone.name):
        return Refusal("other_owner", say("web.phone.other_owner", name=phone.name))
    return _own_choice(phone, attempt) if _names(attempt, "sheet") else _held(phone, None)


def _own_undo(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    undo = attempt.tray.get("undo")
    if isinstance(undo, dict) and undo["by"] == phone.id and undo["id"] == attempt.said("id"):
        return None
    return Refusal("other_press", say("web.phone.other_press"))


def _own_question(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    return _held(phone, attempt.said("sheet")) if attempt.said("carry") else None


def _names(attempt: AccessRequest, name: str) -> bool:
    return isinstance(attempt.body, dict) and name in attempt.body


PLAYER_POLICY: Final[Mapping[str, Rule]] = {
    "POST /api/push": _own_roll,
    "POST /api/reset": _own_roll,
    "POST /api/undo": _own_undo,
    "POST /api/throw": _own_roll,
    "PUT /api/pool": _own_roll,
    "PATCH /api/context": _own_roll,
    "POST /api/dice": _own_roll,
    "PATCH /api/dice": _own_roll,
    "PATCH /api/dice/{die_id}": _own_roll,
    "DELETE /api/dice/{die_id}/correction": _own_roll,
    "POST /api/confirm": _own_roll,
    "POST /api/typed-dice": _own_roll,
    "PATCH /api/typed-dice/{die_id}": _own_roll,
    "DELETE /api/typed-dice/{die_id}": _own_roll,
    "POST /api/asked": _own_asking,
    "DELETE /api/asked/{asked_id}": _own_asked,
    "POST /api/prepare": _own_preparing,
    "POST /api/ask": _own_question,
    "PUT /api/sheets/chosen": _own_choice,
    "PATCH /api/sheets/{sheet_id}": _own_sheet,
    "POST /api/sheets/{sheet_id}/undo": _own_sheet,
    "POST /api/sheets/{sheet_id}/rest": _own_sheet,
    "POST /api/sheets/{sheet_id}/carry": _own_result,
}
"""What a player's phone may, as far as it is its player's own."""


def _key(name: object) -> object:
    return name_key(name) if isinstance(name, str) else name
