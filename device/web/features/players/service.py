"""Who plays, by phones, sheets and rolls, and what is known of a roll."""

from collections.abc import Iterator
from dataclasses import dataclass

from device.game.state.names import name_key
from device.web.core.pairing import Pairing
from device.web.core.table import TableService
from device.web.core.tray import TrayService

_NEWEST_ROWS = 200
"""Rows in which players without phone and sheet are looked for; an evening has about as many."""


@dataclass(frozen=True, slots=True)
class Player:
    name: str
    sheet: int | None


@dataclass(frozen=True, slots=True)
class LoggedRoll:
    owner: str | None
    system: str


class PlayerService:
    def __init__(self, tray: TrayService, table: TableService, pairing: Pairing | None) -> None:
        self._tray = tray
        self._table = table
        self._pairing = pairing

    def known(self, system: str) -> list[Player]:
        """Return every player: those with a sheet of these rules first, each group by name."""
        found: dict[str, Player] = {}
        for player in self._with_sheets(system):
            found.setdefault(name_key(player.name), player)
        # A player with a sheet of other rules plays without one here.
        elsewhere = {one.sheet.system for one in self._table.now.campaign.sheets} - {system}
        owners: list[object] = [player.name for other in elsewhere for player in self._with_sheets(other)]
        owners += [row["owner"] for row in self._tray.rolls(_NEWEST_ROWS, None)]
        requests = self._table.now.campaign.requests
        owners += [one.owner for one in (requests.current, *requests.waiting) if one is not None]
        for owner in owners:
            if isinstance(owner, str):
                found.setdefault(name_key(owner), Player(owner, None))
        return sorted(found.values(), key=lambda one: (one.sheet is None, name_key(one.name)))

    def sheet_of(self, name: str | None, system: str) -> int | None:
        """Return the sheet of a player; None if there is none, or several have that name."""
        if name is None:
            return None
        named = {one.sheet for one in self._with_sheets(system) if name_key(one.name) == name_key(name)} - {None}
        return named.pop() if len(named) == 1 else None

    def player_of(self, sheet: int | None, system: str) -> str | None:
        """Return the name of the player with that sheet; None if there is none."""
        return next(
            (one.name for one in self._with_sheets(system) if one.sheet is not None and one.sheet == sheet), None
        )

    def logged(self, roll: int) -> LoggedRoll:
        """Return what is known of a roll, of which there may be nothing."""
        system, requests = self._table.now.table.system, self._table.now.campaign.requests
        if (request := requests.of_roll(roll)) is not None:
            return LoggedRoll(request.owner, system)
        hidden = next((one for one in requests.unshown if one.roll == roll), None)
        row = self._tray.shown_roll(roll)
        if hidden is not None or row is None:
            return LoggedRoll(None if hidden is None else hidden.owner, system)
        return LoggedRoll(row["owner"] if isinstance(row["owner"], str) else None, str(row["system"]))

    def _with_sheets(self, system: str) -> Iterator[Player]:
        """Yield players of phones, with their sheets, and the sheets that no phone holds."""
        sheets = {one.id: one.sheet for one in self._table.now.campaign.sheets if one.sheet.system == system}
        phones = [] if self._pairing is None else [one for one in self._pairing.phones if one.name is not None]
        for phone in phones:
            yield Player(phone.name or "", next((one for one in phone.sheets if one in sheets), None))
        held = {sheet for phone in phones for sheet in phone.sheets}
        yield from (Player(sheet.title, number) for number, sheet in sheets.items() if number not in held)
