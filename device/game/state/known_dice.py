"""The dice that a state knows by id, which a watch needs after a restart."""

from dataclasses import replace
from typing import TypeAlias, TypeVar

from device.game.state.die_history import Whereabouts
from device.game.state.layout import Layout
from device.game.state.states import (
    AwaitingPush,
    DiceState,
    Empty,
    PlayedRoll,
    Resolved,
    Result,
    Rolling,
    Scored,
    Unclear,
)
from vision.types.reading import DieReading, Unread

_Result = TypeVar("_Result", bound=Result)
Known: TypeAlias = dict[int, DieReading]


def known_dice(dice: DiceState) -> tuple[Known, Known]:
    """Return the dice in the tray, and those that have left it as last seen, by tracker id.

    What a corrected die reads is unknown: with its face taught, a new watch may read it otherwise, unmoved.
    """
    lying, gone = _seen_dice(dice)
    match dice:
        case Scored() | Resolved() | Unclear():
            corrected = [die for die in dice.layout.dice if die.correction is not None and not die.added]
            lying |= {die.tracked_id: unread(die.reading) for die in corrected}
    return lying, gone


def unread(reading: DieReading) -> DieReading:
    return replace(reading, value=None, unread=reading.unread or Unread.FACE_UNKNOWN)


def _seen_dice(dice: DiceState) -> tuple[Known, Known]:
    match dice:
        case Empty(left=PlayedRoll(result=result)):
            return {}, result.layout.tracked()
        case Empty(left=Layout() as left):
            return {}, left.tracked()
        case Empty() | Rolling():
            return {}, {}
        case AwaitingPush():
            gone = dice.die_history.only(Whereabouts.GONE)
            lying = dice.lying.tracked(less=gone)
            return lying, {die_id: die for die_id, die in dice.first.layout.tracked().items() if die_id not in lying}
        case _:
            return dice.layout.tracked(), {}


def restored(dice: DiceState) -> DiceState:
    """Return the dice after a restart, in which the same dice at the same places keep their ids."""
    match dice:
        case Empty(left=PlayedRoll(result=result) as left):
            return replace(dice, left=replace(left, result=_restored(result)))
        case Empty(left=Layout() as left):
            return replace(dice, left=replace(left, restored=True))
        case Empty(over=Layout() as over):
            return replace(dice, over=replace(over, restored=True))
        case AwaitingPush():
            return replace(dice, first=_restored(dice.first))
        case Scored() | Resolved():
            return _restored(dice)
        case _:
            return dice


def _restored(result: _Result) -> _Result:
    return replace(result, layout=replace(result.layout, restored=True))
