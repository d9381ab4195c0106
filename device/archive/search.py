"""Search rolls by player, purpose, any word, day and rules. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from device.archive.roll_summaries import RollSummary
from device.game.state.names import name_key

MAX_LETTERS: Final = 80


@dataclass(frozen=True, slots=True)
class RollFilter:
    """Search criteria; None matches everything."""

    player: str | None = None
    label: str | None = None
    text: str | None = None
    first_day: date | None = None
    last_day: date | None = None
    system: str | None = None


def found(rolls: Iterable[RollSummary], wanted: RollFilter) -> list[RollSummary]:
    return [roll for roll in rolls if _fits(roll, wanted)]


def _fits(roll: RollSummary, wanted: RollFilter) -> bool:
    if wanted.system is not None and roll.system != wanted.system:
        return False
    if wanted.player is not None and name_key(roll.notes.owner or "") != name_key(wanted.player):
        return False
    if wanted.label is not None and wanted.label.casefold() not in (roll.notes.label or "").casefold():
        return False
    if wanted.first_day is not None or wanted.last_day is not None:
        day = roll.at_local.date()
        if wanted.first_day is not None and day < wanted.first_day:
            return False
        if wanted.last_day is not None and day > wanted.last_day:
            return False
    if wanted.text is None:
        return True
    words = _words_of(roll)
    return all(part in words for part in wanted.text.casefold().split())


def _words_of(roll: RollSummary) -> str:
    value, word = (None, None) if roll.final is None else roll.final.result
    parts = (roll.notes.owner, roll.notes.label, roll.thrower, roll.system, None if value is None else str(value), word)
    return " ".join(part for part in parts if part).casefold()
