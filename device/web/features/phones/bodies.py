"""Bodies of requests about phones."""

from typing import Annotated

from pydantic import Field

from device.game.state.bounds import Id, Name, PlayerName, SystemId
from device.web.core.bodies import Body


class PairRequest(Body):
    """The PIN that the display shows."""

    pin: Annotated[str, Field(min_length=1, max_length=40)]


class Ticket(Body):
    """What `POST /api/phones/knock` gave."""

    ticket: Annotated[str, Field(min_length=1, max_length=100)]


class KnockAnswer(Body):
    """Whether a phone that asks is let in."""

    let_in: bool


class PhoneUpdate(Body):
    """The phone's player and sheet."""

    name: PlayerName | None = None
    sheet: Id | None = None


class OwnSheet(Body):
    """A new character of this phone's player, by default with the player's name as title."""

    title: Name | None = None
    system: SystemId | None = None
    best: Annotated[Name | None, Field(description="a ready character that is best at this counter")] = None


class PhonesOpen(Body):
    """Whether phones are let in."""

    open: Annotated[bool, Field(description="the tray listens to the network, not to its own machine alone")]


class PhoneChange(Body):
    """Changes of a phone by the display."""

    game_master: Annotated[bool, Field(description="it may change everything")] | None = None
    free: Annotated[bool, Field(description="unassign the phone's player and free its sheets")] = False
