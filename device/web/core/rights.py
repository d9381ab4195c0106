"""Authorization: the display and the game master's phone may do everything, a player's phone what is its player's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Final, TypeVar

from device.body import BodyValue
from device.game.state.names import name_key
from device.storage.phones import Phone
from device.texts.catalogue import translate


class Role(StrEnum):
    TABLE = "table"
    """The display, or any device if no PIN is required."""
    GAME_MASTER = "game_master"
    PLAYER = "player"
    GUEST = "guest"
    """A device without a PIN, which may only look."""


@dataclass(frozen=True, slots=True)
class Identity:
    role: Role
    phone: Phone | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a device may not do something: a reason code, and a line with the cure."""

    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class AccessRequest:
    is_read: bool
    access: "Access | Rule | None"
    path: Mapping[str, str]
    body: Any
    tray: Mapping[str, BodyValue]

    def said(self, name: str) -> Any:
        """Return a field of the body, if present."""
        return self.body.get(name) if isinstance(self.body, dict) else None


Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
Rule = Callable[[Phone, AccessRequest], Refusal | None]
"""Whether a player's phone may; called only if it has a player."""


class Access(Enum):
    """Who may use a route, unless the default applies: reads for all, changes for the game master."""

    ALL = "all"
    PAIRED = "paired"
    """Any paired phone, even without a player."""
    RESTRICTED = "restricted"
    """A restricted read, which contains the PINs."""


def access(who: Access | Rule) -> Callable[[Endpoint], Endpoint]:
    """Declare who may use a route. Changes without a declaration are for the game master only."""

    def mark(endpoint: Endpoint) -> Endpoint:
        endpoint.access = who  # type: ignore[attr-defined]
        return endpoint

    return mark


_OWN_TO_ASK: Final = frozenset({"owner", "label", "dice", "levels", "tiles", "sheet"})
"""Fields of a roll that its player may set."""
_UNSAID: Final[Mapping[str, Any]] = {"thrower": None, "aim": {}, "hidden": False}
"""Fields of a roll that only the game master may set, with their defaults."""


def deny_reason(asker: Identity, attempt: AccessRequest) -> Refusal | None:
    """Return why a device may not do something; None if it may."""
    who = attempt.access
    if asker.role in (Role.TABLE, Role.GAME_MASTER) or who is Access.ALL:
        return None
    if attempt.is_read and who is not Access.RESTRICTED:
        return None
    if asker.phone is None:
        return Refusal("not_paired", translate("web.phone.not_paired"))
    if who is Access.PAIRED:
        return None
    if who is None or isinstance(who, Access):
        return Refusal("game_master_only", translate("web.phone.game_master_only"))
    if asker.phone.name is None:
        return Refusal("no_name", translate("web.phone.no_name"))
    return who(asker.phone, attempt)


def own_roll(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    asked = attempt.tray.get("asked")
    owner = asked.get("owner") if isinstance(asked, dict) else None
    if owner is None or _key(owner) == _key(phone.name):
        return None
    return Refusal("other_roll", translate("web.phone.other_roll", owner=owner))


def own_claim(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    """A player may take the roll in the tray that has no owner."""
    if _key(attempt.said("owner")) != _key(phone.name):
        return Refusal("other_owner", translate("web.phone.other_owner", name=phone.name))
    if str(attempt.tray.get("roll")) != attempt.path.get("roll"):
        return Refusal("game_master_only", translate("web.phone.game_master_sets"))
    return own_choice(phone, attempt)


def own_sheet(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    return _held(phone, attempt.path.get("sheet_id"))


def _held(phone: Phone, sheet: object) -> Refusal | None:
    if str(sheet) in {str(held) for held in phone.sheets}:
        return None
    return Refusal("other_sheet", translate("web.phone.other_sheet", name=phone.name))


def own_result(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    return own_sheet(phone, attempt) or own_roll(phone, attempt)


def own_choice(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    sheet = attempt.said("sheet")
    return (None if sheet is None else _held(phone, sheet)) or own_roll(phone, attempt)


def own_asking(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    if _key(attempt.said("owner")) != _key(phone.name):
        return Refusal("other_owner", translate("web.phone.other_owner", name=phone.name))
    said = attempt.body if isinstance(attempt.body, dict) else {}
    for name in set(said) - _OWN_TO_ASK:
        # A page may send fields at their defaults.
        if name not in _UNSAID or said[name] != _UNSAID[name]:
            return Refusal("game_master_only", translate("web.phone.game_master_sets"))
    sheet = attempt.said("sheet")
    return None if sheet is None else _held(phone, sheet)


def own_asked(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    waiting = attempt.tray.get("asked_next")
    known = [attempt.tray.get("asked"), *(waiting if isinstance(waiting, list) else [])]
    wanted = attempt.path.get("asked_id", "")
    owners = [one.get("owner") for one in known if isinstance(one, dict) and str(one.get("id")) == wanted]
    # A deleted one has no owner and is refused later; but "07" must be the same number here and there.
    is_plain = wanted.isascii() and wanted.isdecimal() and not wanted.startswith("0")
    if [*map(_key, owners)] == [_key(phone.name)] or (not owners and is_plain):
        return None
    return Refusal("other_owner", translate("web.phone.other_owner", name=phone.name))


def own_preparing(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    if attempt.said("declare") is False:
        return None
    if _key(attempt.said("owner")) != _key(phone.name):
        return Refusal("other_owner", translate("web.phone.other_owner", name=phone.name))
    return own_choice(phone, attempt) if _names(attempt, "sheet") else _held(phone, None)


def own_undo(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    undo = attempt.tray.get("undo")
    if isinstance(undo, dict) and undo["by"] == phone.id and undo["id"] == attempt.said("id"):
        return None
    return Refusal("other_press", translate("web.phone.other_press"))


def own_question(phone: Phone, attempt: AccessRequest) -> Refusal | None:
    return _held(phone, attempt.said("sheet")) if attempt.said("carry") else None


def _names(attempt: AccessRequest, name: str) -> bool:
    return isinstance(attempt.body, dict) and name in attempt.body


def _key(name: object) -> object:
    return name_key(name) if isinstance(name, str) else name
