"""Authorization: the display and the game master's phone may do everything, a player's phone what is its player's."""

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum, StrEnum
from typing import Any, Final, TypeVar

from fastapi import APIRouter
from fastapi.routing import APIRoute

from device.game.state import events as dice
from device.game.state import table_events as table
from device.game.state.campaign import NoSuchSheet
from device.game.state.events import Event
from device.game.state.names import name_key
from device.game.state.tray import Tray
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
    """Who sends a request."""

    role: Role
    phone: Phone | None = None

    @property
    def is_in_charge(self) -> bool:
        return self.role in (Role.TABLE, Role.GAME_MASTER)

    @property
    def may_see_hidden(self) -> bool:
        """Whether hidden results are shown, as to the game master's phone alone."""
        return self.role is Role.GAME_MASTER


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a device may not do something: a reason code, and a line with the cure."""

    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class UndoOffer:
    """What can be undone now, and the phone that did it; None: the display or a button."""

    id: int
    by: int | None


class Access(Enum):
    """Who may use a route."""

    DEFAULT = "default"
    """Reads for all, changes for the display and the game master's phone."""
    ALL = "all"
    PAIRED = "paired"
    """Any paired phone, even without a player."""
    EVENT = "event"
    """Any paired phone, if `may` lets it send the event that the route sends."""
    RESTRICTED = "restricted"
    """The display and the game master's phone: a read that contains the PINs."""
    OWNER = "owner"
    """Who may change what outlives a roll: settings, and what other programs are sent."""


Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def access(who: Access) -> Callable[[Endpoint], Endpoint]:
    """Declare who may use a route; without a declaration it is `Access.DEFAULT`."""

    def mark(endpoint: Endpoint) -> Endpoint:
        endpoint.access = who  # type: ignore[attr-defined]
        return endpoint

    return mark


def restrict(router: APIRouter, who: Access) -> None:
    """Declare who may use the routes that a router has."""
    for route in router.routes:
        if isinstance(route, APIRoute):
            access(who)(route.endpoint)


def may_use(who: Access, caller: Identity, *, is_read: bool, is_owner: bool) -> Refusal | None:
    """Return why a caller may not use a route; None if it may.

    Args:
        is_owner: Whether the caller may change what outlives a roll.
    """
    is_open = is_read and who not in (Access.RESTRICTED, Access.OWNER)
    if is_open or who is Access.ALL or (caller.is_in_charge and who is not Access.OWNER):
        return None
    if who is Access.OWNER and (is_read or caller.is_in_charge):
        return None if is_owner else Refusal("not_allowed", translate("web.not_allowed"))
    if caller.phone is None:
        return _refusal("not_paired")
    return None if who in (Access.PAIRED, Access.EVENT) else _refusal("game_master_only")


def may(caller: Identity, event: Event, tray: Tray, undo: UndoOffer | None = None) -> Refusal | None:
    """Return why a caller may not send an event; None if it may. Events without a case are the game master's."""
    if caller.is_in_charge:
        return None
    if caller.phone is None:
        return _refusal("not_paired")
    own = _Own(caller.phone, tray)
    match event:
        case dice.UndoPressed():
            mine = undo is not None and (undo.id, undo.by) == (event.id, caller.phone.id)
            found = None if mine else _refusal("other_press")
        case dice.PushPressed() | dice.ResetPressed() | dice.ThrowOrdered() | dice.PoolDeclared() | dice.ContextSet():
            found = own.turn()
        case (
            dice.DieCorrected()
            | dice.DiceCorrected()
            | dice.DieRestored()
            | dice.DieDismissed()
            | dice.DieAdded()
            | dice.DiceConfirmed()
        ):
            found = own.turn()
        case table.ManualDieEntered() | table.TypedDieChanged() | table.TypedDieRemoved():
            found = own.turn()
        case table.ConsequencesWaived():
            found = own.turn()
        case table.ConsequencesCarried():
            found = own.sheet(event.sheet_id) or own.turn()
        case table.ConsequencesApplied() | table.SheetEdited() | table.SheetUndone() | table.SheetRested():
            found = own.sheet(event.sheet_id)
        case table.SheetAdded():
            found = None
        case table.SheetChosen():
            found = own.sheet(event.sheet) or own.turn()
        case table.RollRequested():
            found = own.name(event.owner) or own.request(event) or own.sheet(event.sheet)
        case table.RollRequestDropped():
            found = own.requested(event.request_id)
        case table.RollPrepared():
            found = own.name(event.owner) or own.sheet(event.roll.sheet) or own.turn()
        case table.RollGiven():
            found = own.name(event.owner) or own.given(event) or own.turn()
        case _:
            return _refusal("game_master_only")
    return _refusal("no_name") if caller.phone.name is None else found


_OWN_TO_ASK: Final = frozenset({"owner", "label", "dice", "levels", "tiles", "sheet"})
"""Fields of a requested roll that its player may set; a page may send the others at their defaults."""


@dataclass(frozen=True, slots=True)
class _Own:
    """What belongs to a phone's player. Each method returns why something does not."""

    phone: Phone
    tray: Tray

    def name(self, owner: str | None) -> Refusal | None:
        return None if self._is_me(owner) else _refusal("other_owner", name=self.phone.name)

    def turn(self) -> Refusal | None:
        """The roll in the tray, or one without a player."""
        request = self.tray.campaign.requests.of_roll(self.tray.roll_number)
        owner = None if request is None else request.owner
        return None if owner is None or self._is_me(owner) else _refusal("other_roll", owner=owner)

    def sheet(self, sheet: int | None) -> Refusal | None:
        """A sheet, or none."""
        return None if sheet is None or sheet in self.phone.sheets else _refusal("other_sheet", name=self.phone.name)

    def request(self, event: table.RollRequested) -> Refusal | None:
        others = (field for field in fields(event) if field.name not in _OWN_TO_ASK)
        is_plain = all(getattr(event, field.name) == _default(field) for field in others)
        return None if is_plain else _refusal("game_master_sets")

    def requested(self, request_id: int) -> Refusal | None:
        """A requested roll; one that is gone is refused later."""
        requests = self.tray.campaign.requests
        known = [requests.of_roll(self.tray.roll_number), *requests.waiting]
        owners = [one.owner for one in known if one is not None and one.id == request_id]
        return next((why for owner in owners if (why := self.name(owner)) is not None), None)

    def given(self, event: table.RollGiven) -> Refusal | None:
        """The roll that was thrown last, paid by a sheet of the player's own, or the one that has the player's name."""
        if event.roll != self.tray.roll_number or event.roll == self.tray.table.next_roll:
            return _refusal("game_master_sets")
        if event.sheet is not None:
            try:
                if self._is_me(self.tray.campaign.find(event.sheet).title):
                    return None
            except NoSuchSheet:
                pass
        return self.sheet(event.sheet)

    def _is_me(self, name: str | None) -> bool:
        return name is not None and self.phone.name is not None and name_key(name) == name_key(self.phone.name)


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _refusal(why: str, **values: str | None) -> Refusal:
    reason = "game_master_only" if why == "game_master_sets" else why
    return Refusal(reason, translate(f"web.phone.{why}", **values))
