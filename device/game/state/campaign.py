"""What a table keeps from evening to evening: sheets, clocks, rulings, roles, a test in progress.

A frozen value inside the table; every change returns a new campaign. storage/sheets.py stores it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from device.body import StoredText
from device.errors import PushTrayError
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.roll_requests import RollRequests
from device.message import message
from rules.clocks import Clocks
from rules.sheet import Consequence, Sheet
from rules.system import Facts, JsonValue, find_system
from rules.tiles import ExtendedTest

MAX_SHEETS: Final = 60
MAX_CARRIED: Final = 60
"""Number of earlier results whose consequences can move to another sheet; an evening has fewer."""


class NoSuchSheet(PushTrayError, ValueError):
    """The campaign has no such sheet; the message names it and the cure."""


class Carry(StrEnum):
    """How the consequences of a result reach the player's sheet."""

    ASK = "ask"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class FiledSheet:
    id: int  # id of the sheet, never reused
    sheet: Sheet


@dataclass(frozen=True, slots=True)
class Carried:
    roll: int
    pushes: int
    sheet: int | None  # None if no sheet pays
    why: StoredText
    items: tuple[Consequence, ...]
    missed: tuple[Consequence, ...] = ()
    changed: bool = False
    undone: bool = False
    # number of pushes at which the same roll's consequences were applied before; None if they were not
    upto: int | None = None
    choice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunningTest:
    system: str
    op: str
    settings: Facts
    first_roll: int
    rolls: tuple[tuple[int, int], ...] = ()

    @property
    def kind(self) -> ExtendedTest:
        return next(kind for kind in find_system(self.system).extended_tests if kind.op == self.op)

    @property
    def values(self) -> tuple[int, ...]:
        return tuple(value for _, value in self.rolls)


@dataclass(frozen=True, slots=True)
class Campaign:
    sheets: tuple[FiledSheet, ...] = ()
    next_sheet: int = 1
    chosen: int | None = None
    carry: Carry = Carry.ASK
    carry_chosen: bool = False
    carried: Carried | None = None
    carried_before: tuple[Carried, ...] = ()  # of earlier rolls and pushes, the latest last
    clocks: Clocks = field(default_factory=Clocks)
    running_test: Annotated[RunningTest | None, Field(alias="series")] = None
    prepared: PreparedRoll | None = None
    requests: Annotated[RollRequests, Field(alias="asked")] = field(default_factory=RollRequests)
    rulings: Mapping[str, Facts] = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    revision: int = 0
    renamed: int = 0  # number of times that an earlier roll was given to another player

    def find(self, sheet_id: int) -> Sheet:
        for filed in self.sheets:
            if filed.id == sheet_id:
                return filed.sheet
        raise NoSuchSheet(message("tray.refused.sheet_gone"))

    def carried_for(self, roll: int, pushes: int) -> Carried | None:
        """Return what was applied of a result, even if it was undone later; None if nothing was."""
        carried = self.carried
        return carried if carried is not None and (carried.roll, carried.pushes) == (roll, pushes) else None

    @property
    def chosen_sheet(self) -> Sheet | None:
        return None if self.chosen is None else self.find(self.chosen)

    def playing(self, sheet_id: int | None, system: str) -> Sheet | None:
        """Return a sheet of these rules; None if there is none of that id."""
        return next((one.sheet for one in self.sheets if one.id == sheet_id and one.sheet.system == system), None)

    def filed(self, sheet: Sheet) -> "Campaign":
        """Add a sheet; the first one of a system becomes the sheet in use."""
        filed = FiledSheet(self.next_sheet, sheet)
        return replace(
            self,
            sheets=(*self.sheets, filed),
            next_sheet=self.next_sheet + 1,
            chosen=filed.id if self.chosen is None else self.chosen,
            revision=self.revision + 1,
        )

    def with_sheet(self, sheet_id: int, sheet: Sheet) -> "Campaign":
        changed = tuple(FiledSheet(sheet_id, sheet) if filed.id == sheet_id else filed for filed in self.sheets)
        return replace(self, sheets=changed, revision=self.revision + 1)

    def without_sheet(self, sheet_id: int) -> "Campaign":
        self.find(sheet_id)
        return replace(
            self,
            sheets=tuple(filed for filed in self.sheets if filed.id != sheet_id),
            chosen=None if self.chosen == sheet_id else self.chosen,
            revision=self.revision + 1,
        )


def overlay(
    settings: Mapping[str, Mapping[str, JsonValue]], own: Mapping[str, Mapping[str, JsonValue]]
) -> dict[str, dict[str, JsonValue]]:
    """Return the values by system and name: the settings, overridden by the table's choices."""
    systems = {**settings, **own}
    return {system: {**settings.get(system, {}), **own.get(system, {})} for system in systems}
