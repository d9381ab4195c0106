"""Rolls that somebody asked for: whose each is, what for, which dice to take. One has its turn, the others wait."""

from dataclasses import dataclass, replace
from typing import Final

from device.errors import PushTrayError
from device.texts.catalogue import say
from rules.dice import Role

MOST_WAITING: Final = 20
"""More rolls than that nobody keeps in mind."""


class NoSuchAskedRoll(PushTrayError, ValueError):
    """An asked roll that does not wait; the message says which, and the cure."""


@dataclass(frozen=True, slots=True)
class AskedRoll:
    """A roll before it is made.

    Attributes:
        id: Never used again for another one.
        owner: Name of the player who rolls; None: nobody was named.
        label: What the roll is for, in the table's words.
        dice: What to take into the hand, by role; empty where nobody said. Once the roll has its turn, the declared
            pool holds instead.
    """

    id: int
    owner: str | None = None
    label: str | None = None
    dice: tuple[tuple[Role, int], ...] = ()


@dataclass(frozen=True, slots=True)
class AskedRolls:
    """The rolls that were asked for, in their order.

    Attributes:
        current: The one that has its turn, or lies in the tray; None: no roll that was asked for.
        for_roll: Number of the roll that `current` is, or will be.
        waiting: The others, the next one first.
        next_id: Id of the next one that is asked for.
    """

    current: AskedRoll | None = None
    for_roll: int = 0
    waiting: tuple[AskedRoll, ...] = ()
    next_id: int = 1

    def of_roll(self, number: int) -> AskedRoll | None:
        """The asked roll that a roll of that number is; None where it was not asked for."""
        return self.current if self.for_roll == number else None

    def added(self, owner: str | None, label: str | None, dice: tuple[tuple[Role, int], ...]) -> "AskedRolls":
        """One more waits, behind the others."""
        asked = AskedRoll(self.next_id, owner, label, dice)
        return replace(self, waiting=(*self.waiting, asked), next_id=self.next_id + 1)

    def without(self, asked_id: int) -> "AskedRolls":
        """One of those that wait is taken away.

        Raises:
            NoSuchAskedRoll: None of that id waits.
        """
        waiting = tuple(asked for asked in self.waiting if asked.id != asked_id)
        if len(waiting) == len(self.waiting):
            raise NoSuchAskedRoll(say("tray.refused.asked_gone", asked=asked_id))
        return replace(self, waiting=waiting)

    def ended(self) -> "AskedRolls":
        """The current one is over."""
        return replace(self, current=None, for_roll=0)

    def next_turn(self, number: int) -> "AskedRolls":
        """The first of those that wait has its turn, as the roll of that number."""
        return replace(self, current=self.waiting[0], for_roll=number, waiting=self.waiting[1:])

    def taken_by(
        self, owner: str | None, label: str | None, number: int, dice: tuple[tuple[Role, int], ...]
    ) -> "AskedRolls":
        """Somebody has the turn now, as the roll of that number; another player whose turn it was is next.

        Args:
            owner: Who rolls.
            label: What for; None keeps what the same player's roll was for.
            number: Number of the roll.
            dice: Those that were declared for whose turn it was.
        """
        before, waiting = self.of_roll(number), self.waiting
        if before is not None and before.owner == owner:
            return replace(self, current=replace(before, label=label or before.label))
        if before is not None:
            waiting = (replace(before, dice=dice), *waiting)
        return AskedRolls(AskedRoll(self.next_id, owner, label), number, waiting, self.next_id + 1)

    def without_dice(self) -> "AskedRolls":
        """The same players and labels under other rules, which have other dice."""
        current = None if self.current is None else replace(self.current, dice=())
        return replace(self, current=current, waiting=tuple(replace(asked, dice=()) for asked in self.waiting))
