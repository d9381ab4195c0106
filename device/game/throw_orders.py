"""Orders to a simulated tray, right and wrong ones, and the interface that takes them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from device.errors import BadInput, PushTrayError
from device.message import Text, message
from device.standard_tray import MAX_DICE_AT_ONCE

BUSY_TEXT = message("tray.refused.busy")

PointPx = tuple[float, float]


class HandAction(StrEnum):
    """How the simulated hand plays: right, wrong in one way at a push, or fixing a problem."""

    RIGHT = "right"
    LOCKED_DIE_REROLLED = "locked_die_rerolled"
    DIE_LEFT_LYING = "die_left_lying"
    DIE_MISSING = "die_missing"
    DIE_ADDED = "die_added"
    DIE_EXCHANGED = "die_exchanged"
    MENDS = "mends"


class ThrowRefusal(StrEnum):
    TRAY_BUSY = "tray_busy"
    NO_DIE_THERE = "no_die_there"
    NO_DIE_TO_SPARE = "no_die_to_spare"


class ThrowRefused(PushTrayError, ValueError):
    """The simulated tray cannot carry out this order now, and nothing has changed."""

    def __init__(self, reason: ThrowRefusal, text: Text) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class SimulatedThrow:
    base: int = 0
    skill: int = 0
    gear: int = 0
    # seed that repeats a throw exactly; None for a new throw, or for the next one of a seeded camera
    seed: int | None = None
    hand: HandAction = HandAction.RIGHT
    others: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        for label, count in self.counts:
            if count < 0:
                raise BadInput(f"{count} {label} dice cannot be thrown: give 0 or more")
        if not 1 <= self.total <= MAX_DICE_AT_ONCE:
            raise BadInput(message("tray.refused.throw_number", dice=self.total, most=MAX_DICE_AT_ONCE))
        if self.seed is not None and self.seed < 0:
            raise BadInput(f"seed {self.seed} is negative: give 0 or more")

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        return (("base", self.base), ("skill", self.skill), ("gear", self.gear), *self.others)

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)


@dataclass(frozen=True, slots=True)
class MendOrder:
    """What the simulated hand must do with dice, each given by its place in the picture."""

    turned: tuple[tuple[PointPx, int], ...] = ()
    flattened: tuple[PointPx, ...] = ()
    taken: tuple[PointPx, ...] = ()
    rethrown: tuple[PointPx, ...] = ()
    thrown_in: tuple[str, ...] = ()


class SimulatedTray(Protocol):
    """What only a simulated tray can do. Calls return at once; dice and hand then move in the pictures.

    May be called from any thread.
    """

    def throw(self, order: SimulatedThrow) -> None:
        """Throw new dice; the hand first sweeps out those in the tray."""
        ...

    def pick_up_and_rethrow(self, centers_px: tuple[PointPx, ...], hand: HandAction, seed: int | None) -> None:
        """Pick up the dice lying at these places and throw them again.

        Args:
            centers_px: Where the dice were seen, in pixels of this camera's frames; one point a die.
            hand: `right` takes exactly these dice; the others make one mistake.
        """
        ...

    def mend(self, order: MendOrder, seed: int | None) -> None:
        """Fix a problem: turn dice, lay them flat, take them out, throw them again or throw new ones."""
        ...

    def clear(self) -> None:
        """Sweep all dice out of the tray; an empty tray stays as it is."""
        ...

    def put_back(self) -> None:
        """Put the dice of the latest `clear` back, unless another order came since."""
        ...
