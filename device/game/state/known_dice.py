"""The dice that a state knows by id, which a watch needs after a restart."""

from dataclasses import replace
from typing import TypeAlias

from device.game.state.die_history import Whereabouts
from device.game.state.layout import Layout
from device.game.state.states import AwaitingPush, Empty, Playing, Resolved, Rolling, Scored, Unclear
from vision.types.reading import DieReading, Unread

Known: TypeAlias = dict[int, DieReading]


def known_dice(state: Playing) -> tuple[Known, Known]:
    """Return the dice in the tray, and those that have left it as last seen, by tracker id.

    What a corrected die reads is unknown: with its face taught, a new watch may read it otherwise, unmoved.
    """
    lying, gone = _seen_dice(state)
    match state:
        case Scored() | Resolved() | Unclear():
            corrected = [die for die in state.layout.dice if die.correction is not None and not die.added]
            lying |= {die.tracked_id: unread(die.reading) for die in corrected}
    return lying, gone


def unread(reading: DieReading) -> DieReading:
    return replace(reading, value=None, unread=reading.unread or Unread.FACE_UNKNOWN)


def _seen_dice(state: Playing) -> tuple[Known, Known]:
    match state:
        case Empty(left=Scored() | Resolved() as result):
            return {}, result.layout.tracked()
        case Empty(left=Layout() as left):
            return {}, left.tracked()
        case Empty() | Rolling():
            return {}, {}
        case AwaitingPush():
            gone = state.die_history.only(Whereabouts.GONE)
            lying = (state.after or state.first.layout).tracked(less=gone)
            return lying, {die_id: die for die_id, die in state.first.layout.tracked().items() if die_id not in lying}
        case _:
            return state.layout.tracked(), {}


def restored(state: Playing) -> Playing:
    """Return the state after a restart, in which the same dice at the same places keep their ids."""
    match state:
        case Empty(left=Scored() | Resolved() as result):
            return replace(state, left=replace(result, layout=replace(result.layout, restored=True)))
        case Empty(left=Layout() as left):
            return replace(state, left=replace(left, restored=True))
        case Empty(over=Layout() as over):
            return replace(state, over=replace(over, restored=True))
        case AwaitingPush():
            return replace(state, first=replace(state.first, layout=replace(state.first.layout, restored=True)))
        case Scored() | Resolved():
            return replace(state, layout=replace(state.layout, restored=True))
        case _:
            return state
