"""Requested rolls: owner, purpose and dice of each. One is current, the others wait."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated, Final

from pydantic import Field

from device.errors import PushTrayError
from device.game.state.linked_rolls import LinkedRolls, Member
from device.game.state.names import name_key
from device.game.state.prepared_roll import DiceCounts, Levels, PreparedRoll
from device.message import message
from rules.system import Facts

MAX_WAITING: Final = 20
"""The largest number of waiting requests; no one keeps more in mind."""

MAX_HIDDEN: Final = 100
"""The largest number of hidden rolls kept to be shown, waiting ones included."""


class NoSuchRollRequest(PushTrayError, ValueError):
    """The requested roll is not waiting; the message names it and the cure."""


@dataclass(frozen=True, slots=True)
class RollRequest:
    id: int  # id of the requested roll, never reused
    owner: str | None = None
    label: str | None = None
    # Dice to pick up, by role; empty if not given. Once the roll is current, the declared pool applies instead.
    dice: DiceCounts = ()
    typed: Levels = ()
    thrower: str | None = None
    aim: Facts = field(default_factory=dict)
    context: Facts = field(default_factory=dict)
    hidden: bool = False
    linked: Annotated[int | None, Field(alias="together")] = None
    sheet: int | None = None  # sheet that pays; None if only the owner is known
    prepared: PreparedRoll | None = None  # what the tiles gave, until the roll is current

    @property
    def to_prepare(self) -> PreparedRoll | None:
        """The prepared roll, with the named dice if any were."""
        if self.prepared is None or not (self.dice or self.typed):
            return self.prepared
        return replace(self.prepared, pool=self.dice, typed=self.typed)

    @property
    def hand(self) -> tuple[DiceCounts, Levels]:
        """The dice to pick up."""
        roll = self.to_prepare
        return (self.dice, self.typed) if roll is None else (roll.pool, roll.typed)


@dataclass(frozen=True, slots=True)
class Unshown:
    id: int
    roll: int
    owner: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class RollRequests:
    current: RollRequest | None = None
    for_roll: int = 0
    waiting: tuple[RollRequest, ...] = ()
    next_id: int = 1
    linked: Annotated[tuple[LinkedRolls, ...], Field(alias="together")] = ()
    unshown: tuple[Unshown, ...] = ()

    def of_roll(self, number: int) -> RollRequest | None:
        """Return the request behind the roll of that number; None if it was not requested."""
        return self.current if self.for_roll == number else None

    def is_hidden(self, number: int) -> bool:
        """Return whether the result of the roll of that number is hidden."""
        request = self.of_roll(number)
        return (request is not None and request.hidden) or any(one.roll == number for one in self.unshown)

    @property
    def hidden_count(self) -> int:
        """Count the hidden rolls: finished, current and waiting."""
        open_rolls = self.waiting if self.current is None else (self.current, *self.waiting)
        return len(self.unshown) + sum(one.hidden for one in open_rolls)

    def added(self, request: RollRequest) -> "RollRequests":
        return replace(self, waiting=(*self.waiting, replace(request, id=self.next_id)), next_id=self.next_id + 1)

    def added_linked(self, linked: LinkedRolls, rolls: Iterable[RollRequest]) -> "RollRequests":
        """Add one waiting roll for each participant, to be compared once all are rolled."""
        number = self.next_id
        added = tuple(replace(one, id=number + place, linked=number) for place, one in enumerate(rolls))
        members = tuple(Member(one.id, one.owner, one.thrower, one.hidden) for one in added)
        return replace(
            self,
            waiting=(*self.waiting, *added),
            next_id=number + len(added),
            linked=(*self.linked, replace(linked, id=number, members=members)),
        )

    def without(self, request_id: int) -> "RollRequests":
        waiting = tuple(request for request in self.waiting if request.id != request_id)
        if len(waiting) == len(self.waiting):
            raise NoSuchRollRequest(message("tray.refused.request_gone", roll=request_id))
        return replace(self, waiting=waiting)

    def ended(self, next_roll: int) -> "RollRequests":
        """End the current one; if it was rolled hidden, it remains to be shown."""
        request, unshown = self.current, self.unshown
        if request is not None and request.hidden and self.for_roll < next_roll:
            unshown = (*unshown, Unshown(request.id, self.for_roll, request.owner, request.label))
        return replace(self, current=None, for_roll=0, unshown=unshown)

    def next_turn(self, number: int) -> "RollRequests":
        """Make the first waiting roll the current one, as the roll of that number."""
        first = replace(self.waiting[0], prepared=None)
        return replace(self, current=first, for_roll=number, waiting=self.waiting[1:])

    def taken_by(
        self, first: RollRequest, number: int, dice: DiceCounts, prepared: PreparedRoll | None
    ) -> "RollRequests":
        """Let a player go first, as the roll of that number; the current player is next, with what is declared."""
        before = self.of_roll(number)
        if before is not None and name_key(before.owner or "") == name_key(first.owner or ""):
            mine = replace(before, label=first.label or before.label, sheet=first.sheet or before.sheet)
            return replace(self, current=mine)
        kept = self.ended(number)
        if before is not None:
            typed = before.typed if prepared is None else ()
            back = replace(before, dice=dice, typed=typed, prepared=prepared)
            kept = replace(kept, waiting=(back, *kept.waiting))
        return replace(kept, current=replace(first, id=kept.next_id), for_roll=number, next_id=kept.next_id + 1)

    def given(self, number: int, owner: str | None, sheet: int | None, *, is_open: bool) -> "RollRequests":
        """Give a roll to another player.

        Args:
            is_open: The roll is the one in the tray or the next, so it needs a request if it has none.
        """
        current = self.of_roll(number)
        ids = {one.request_id for linked in self.linked for one in linked.members if one.roll == number}
        kept = self
        if current is not None:
            ids.add(current.id)
            thrower = None if current.thrower == owner else current.thrower
            kept = replace(self, current=replace(current, owner=owner, sheet=sheet, thrower=thrower))
        elif is_open:
            ended = self.ended(number)
            request = RollRequest(ended.next_id, owner, sheet=sheet)
            kept = replace(ended, current=request, for_roll=number, next_id=ended.next_id + 1)
        return replace(
            kept,
            linked=tuple(linked.given(ids, owner) for linked in kept.linked),
            unshown=tuple(replace(one, owner=owner) if one.roll == number else one for one in kept.unshown),
        )

    def shown(self, request_id: int) -> tuple["RollRequests", tuple[int, ...]]:
        """Show a hidden roll, and those linked with it that are rolled."""
        linked = next((one for one in self.linked if any(m.request_id == request_id for m in one.members)), None)
        ids = {request_id} | (
            set() if linked is None else {one.request_id for one in linked.members if one.roll is not None}
        )
        current = self.current
        rolls = {one.roll for one in self.unshown if one.id in ids}
        if current is not None and current.hidden and current.id in ids:
            current = replace(current, hidden=False)
            rolls.add(self.for_roll)
        if not rolls:
            raise NoSuchRollRequest(message("tray.refused.nothing_hidden", roll=request_id))
        shown = replace(
            self,
            current=current,
            unshown=tuple(one for one in self.unshown if one.id not in ids),
            linked=tuple(one.shown(ids) for one in self.linked),
        )
        return shown, tuple(sorted(rolls))

    def without_dice(self) -> "RollRequests":
        """Keep only players and labels of the requested rolls: other rules have other dice and targets."""
        current = None if self.current is None else _without_dice(self.current)
        return replace(
            self, current=current, waiting=tuple(_without_dice(request) for request in self.waiting), linked=()
        )


def _without_dice(request: RollRequest) -> RollRequest:
    return replace(request, dice=(), typed=(), aim={}, context={}, linked=None, sheet=None, prepared=None)
