"""What the state table asks the loop to do. The loop does it before it announces the new state."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from device.game.state.layout import Correction, Layout
from device.game.state.table_state import Pool
from rules.dice import Roll
from rules.system import Facts, Outcome
from vision.types.reading import DieReading


class RowKind(StrEnum):
    """Why a row stands in the history."""

    SCORED = "scored"
    PUSHED = "pushed"
    CORRECTED = "corrected"
    REVISED = "revised"
    CONTINUED = "continued"


class CorrectionKind(StrEnum):
    """What a person said of the dice."""

    SHOWS = "shows"
    NO_DIE = "no_die"
    A_DIE = "a_die"
    ADDED = "added"
    REMOVED = "removed"
    CONFIRMED = "confirmed"
    THROWN = "thrown"


@dataclass(frozen=True, slots=True)
class CorrectedDie:
    """A person's word.

    Attributes:
        die_id: Id of the die; None where the correction is about all dice.
        correction: Value and colour that the person said; None where the correction was taken back, or is about
            something else.
        word: Kind of the correction.
        reading: The camera's reading of what is no die.
    """

    die_id: int | None
    correction: Correction | None
    word: CorrectionKind = CorrectionKind.SHOWS
    reading: DieReading | None = None


@dataclass(frozen=True, slots=True)
class LogRow:
    """One row of the history.

    Attributes:
        kind: Kind of the row: first result, result of a push, a person's correction, a result revised by new context,
            or one continued by a die that was thrown again.
        roll_number: Number of the roll; a push and its corrections share the number of the first throw.
        system: Rule system played.
        pool: Declared pool of this roll.
        context: Facts of the roll.
        layout: The dice with the camera's reading and a person's correction.
        roll: The dice as the rules saw them; empty where they could not be scored.
        outcome: Outcome of the dice; None where they could not be scored.
        corrected: The correction, in a row of that kind; None in others.
        owner: Name of the player who rolled, where the roll was asked for.
        label: What the roll was for.
        asked: What else was asked of the roll, and how it met that, ready for JSON; None where it was not asked for.
        hidden: Whether the row is kept from everybody who reads the log, until the roll is shown.
    """

    kind: RowKind
    roll_number: int
    system: str
    pool: Pool | None
    context: Facts
    layout: Layout
    roll: Roll
    outcome: Outcome | None
    corrected: CorrectedDie | None = None
    owner: str | None = None
    label: str | None = None
    asked: Facts | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class ShownRoll:
    """A hidden roll that is shown now, or one that was compared with it.

    Attributes:
        number: Number of the roll.
        linked: Place of the roll among those that it is compared with, now that all of them are shown.
        was_hidden: Whether this is the hidden roll itself, of which nothing was reported before.
    """

    number: int
    linked: Facts | None = None
    was_hidden: bool = True


@dataclass(frozen=True, slots=True)
class Commit:
    """Write these rows and the new state to disk, all or nothing, before anybody hears of it.

    Attributes:
        rows: Rows that are added.
        shown: Rolls whose rows are hidden no longer.
    """

    rows: tuple[LogRow, ...] = ()
    shown: tuple[ShownRoll, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetDice:
    """Let the watch forget which die is which: the next dice are a new roll."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Refuse the request: it is not possible now.

    Attributes:
        reason: One word of the outside contract.
        text: Why it is refused, in plain words, with the cure.
    """

    reason: str
    text: str


Command: TypeAlias = Commit | ForgetDice | Refuse
