"""Commands of the state table to the loop, carried out before the new state is announced."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, NamedTuple, TypeAlias

from pydantic import Field

from device.body import BodyValue
from device.game.state.layout import Correction, Layout
from device.game.state.table_state import Pool
from device.message import Text
from rules.dice import Roll
from rules.system import Facts, Outcome
from vision.types.reading import DieReading


class RowKind(StrEnum):
    SCORED = "scored"
    PUSHED = "pushed"
    CORRECTED = "corrected"
    REVISED = "revised"
    CONTINUED = "continued"
    UNDONE = "undone"


class CorrectionKind(StrEnum):
    SHOWS = "shows"
    NO_DIE = "no_die"
    A_DIE = "a_die"
    ADDED = "added"
    REMOVED = "removed"
    CONFIRMED = "confirmed"
    THROWN = "thrown"


@dataclass(frozen=True, slots=True)
class CorrectedDie:
    die_id: int | None
    # corrected value and colour; None if the correction was undone or is about something else
    correction: Correction | None
    word: CorrectionKind = CorrectionKind.SHOWS
    reading: DieReading | None = None


LogText: TypeAlias = Annotated[str, Field(max_length=1000)]


class RollNotes(NamedTuple):
    """Notes on a roll, shown even if it is hidden; the latest that is not None holds.

    Each field is a column of the log, which a migration adds, of both CSV exports and of the JSON of rows and
    rolls. A value read from a log is checked against the field's type.
    """

    owner: LogText | None = None
    label: LogText | None = None


NO_NOTES: Final = RollNotes()


@dataclass(frozen=True, slots=True)
class LogRow:
    # kind of the row: first result, result of a push, correction, result revised by new context, continued by an
    # exploding die, or restored by an undo
    kind: RowKind
    roll_number: int
    system: str
    pool: Pool | None
    context: Facts
    layout: Layout
    roll: Roll
    outcome: Outcome | None
    corrected: CorrectedDie | None = None
    notes: RollNotes = NO_NOTES
    request: Mapping[str, BodyValue] | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class ShownRoll:
    """A hidden roll that is now shown, or one linked with it."""

    number: int
    linked: Mapping[str, object] | None = None
    was_hidden: bool = True


class GivenRoll(NamedTuple):
    """A roll in the log that now is another player's."""

    number: int
    owner: str | None


@dataclass(frozen=True, slots=True)
class Commit:
    """Write these rows and the new state to disk, all or nothing, before they are announced."""

    rows: tuple[LogRow, ...] = ()
    shown: tuple[ShownRoll, ...] = ()
    given: GivenRoll | None = None


@dataclass(frozen=True, slots=True)
class ForgetDice:
    """Reset the watch's die ids: the next dice are a new roll."""


@dataclass(frozen=True, slots=True)
class RecallDice:
    """Restore the watch's die ids."""

    lying: Mapping[int, DieReading]
    gone: Mapping[int, DieReading]


@dataclass(frozen=True, slots=True)
class Refuse:
    """Refuse the request: it is not possible now."""

    reason: str
    text: Text


Command: TypeAlias = Commit | ForgetDice | RecallDice | Refuse
