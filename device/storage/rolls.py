"""The roll log: one SQLite file, a committed row for each result and correction. Wall time is used only here."""

import errno
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from device.errors import BadInput, DeviceError, PushTrayError
from device.game.state.campaign import Campaign, Carry
from device.game.state.effects import GivenRoll, LogRow, ShownRoll
from device.game.state.tray import Tray
from device.game.table.odds import odds_of_row
from device.kept_files import draft_of, set_aside, sync_folder
from device.storage.backup import recover
from device.storage.live_state import pack_live, unpack_live
from device.storage.log_file import (
    WAIT_S,
    DamagedLog,
    as_text,
    check_log,
    connect_to_read,
    copy_log,
    errno_of,
    is_empty_log,
    log_refused,
    migrate_log,
    open_log,
)
from device.storage.log_rows import (
    COLUMNS,
    Row,
    begin_count,
    checked_rows,
    left_out,
    now_utc,
    stamp,
    values_of,
)
from device.storage.schema import newest_version, version_of
from device.storage.sheets import SheetStore
from device.texts.catalogue import ENGLISH, in_language
from vision.types.cures import cure_of, why

_log = logging.getLogger(__name__)

_COLUMNS = ", ".join(COLUMNS)
_ROWS_FROM = f"SELECT {_COLUMNS} FROM rolls WHERE id >= ?"  # noqa: S608 - no outside text
_INSERT = f"INSERT INTO rolls ({_COLUMNS}) VALUES (NULL{', ?' * (len(COLUMNS) - 1)})"  # noqa: S608 - no outside text
_FIRST_SINCE = "SELECT min(id) FROM rolls WHERE at >= ?"
"""First row for a given time. A computer without a clock starts with an old time, so rows of a new evening may have
earlier timestamps than those of the last; later rows are included whatever their timestamp."""
_SPAN = f"{_FIRST_SINCE} UNION ALL SELECT max(id) FROM rolls"  # noqa: S608 - no outside text
_LAST = 2**63 - 1
"""The highest possible row id."""
_PAGE_ROWS = 500
"""Rows per query, about 300 kB whatever the size of the log."""
_MAX_OF_ONE = 5000
"""Maximum rows per query of one player, about 3 MB."""
_MIN_STEP = timedelta(seconds=2)
"""Smaller clock corrections leave the timestamps unchanged."""


@dataclass(frozen=True, slots=True)
class Extent:
    rows: int
    seconds: int  # sum of the rows' times, whole seconds since 1970
    hidden: int
    renamed: int = 0


def is_synchronized(marker: Path = Path("/run/systemd/timesync/synchronized")) -> bool | None:
    """Return whether systemd-timesyncd has set the clock; None if it does not run."""
    if not marker.parent.is_dir():
        return None
    return marker.exists()


def since_start_s() -> float:
    """Return the seconds since boot, including sleep; setting the wall clock does not change them."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class PictureStore(Protocol):
    """Stores the pictures of rolls. Both methods are called on the loop's thread and return at once."""

    def name_for(self, row: LogRow) -> str | None:
        """Return the file name for a row's picture; None if none is to be stored."""
        ...

    def keep(self) -> None:
        """Store the pictures of rows that are on disk."""
        ...


class _NoPictures:
    def name_for(self, _row: LogRow) -> str | None:
        return None

    def keep(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class _Early:
    """A row with a timestamp from before the clock was set over the network."""

    id: int
    at: datetime
    start: datetime
    """Time of boot by the clock of that moment."""


class RollLog:
    """The roll log and the live state, written together.

    One thread writes; any thread may read over its own connection. A small computer without a battery-backed clock
    shows an old time until the network sets it. Timestamps from before that are corrected once the clock is set, as
    long as this program runs.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], datetime] = now_utc,
        uptime_s: Callable[[], float] = since_start_s,
        is_clock_set: Callable[[], bool | None] = is_synchronized,
        pictures: PictureStore | None = None,
    ) -> None:
        """Open the file, or create it if missing. A file that is not ours is never written to.

        A damaged file is replaced by a new one with all readable rows, and an older version is migrated; a log message
        names the kept original.

        Args:
            uptime_s: A clock in seconds that is never set.
            is_clock_set: Whether the wall clock was set since boot; None if unknown, which counts as set.
        """
        self._path = path
        self._clock = clock
        self._uptime_s = uptime_s
        self._is_clock_set = is_clock_set
        self._pictures: PictureStore = pictures or _NoPictures()
        self._early: list[_Early]
        self._open()

    def _open(self) -> None:
        try:
            self._database = open_log(self._path)
        except DamagedLog as error:
            recover(error, self._path.parent)
            self._database = open_log(self._path)
        self._sheets = SheetStore(self._database)
        self._early = []
        self._is_ahead = True
        self._files = _identities(self._path)
        self._shows_lock = _is_locked(self._path)

    @property
    def path(self) -> Path:
        return self._path

    @property
    def left_out(self) -> int:
        """Number of damaged rows found so far; complete once all rows have been read."""
        return len(left_out(self._path))

    def close(self) -> None:
        """Close the file, which then holds everything. Safe to call twice."""
        self.checkpoint()
        self._database.close()

    def swap(self, put_in_place: Callable[[], Path | None]) -> Path | None:
        """Replace the log's file. Only for the loop's thread, between two writes."""
        self.close()
        try:
            return put_in_place()
        finally:
            begin_count(self._path)
            self._open()

    def kept_state(self) -> Tray | None:
        """Return the tray of the last write without its campaign; None in a new file."""
        found = self._database.execute("SELECT state FROM live").fetchone()
        return None if found is None else unpack_live(found[0])

    def kept_campaign(self, carry: Carry = Carry.ASK) -> Campaign:
        """Return the campaign of the last write, empty in a new file. Rows of other versions stay unchanged."""
        return self._sheets.load(carry)

    def write(
        self,
        rows: tuple[LogRow, ...],
        tray: Tray,
        shown: tuple[ShownRoll, ...] = (),
        given: GivenRoll | None = None,
    ) -> None:
        """Write rows and tray to disk, all or nothing; on return they survive a power cut."""
        self._hold()
        is_set = self._is_clock_set() is not False
        now = self._clock()
        start = now - timedelta(seconds=self._uptime_s())
        early = [] if is_set else [*self._early]
        odds = [odds_of_row(tray, row) for row in rows]
        try:
            self._database.execute("BEGIN IMMEDIATE")
            if is_set:
                self._fix_timestamps(start)
            for row, chances in zip(rows, odds, strict=True):
                written = self._database.execute(
                    _INSERT, values_of(stamp(now), row, chances, self._pictures.name_for(row))
                )
                if not is_set and written.lastrowid is not None:
                    early.append(_Early(written.lastrowid, now, start))
            for roll in shown:
                self._show(roll)
            if given is not None:
                self._give(given)
            self._database.execute("INSERT OR REPLACE INTO live (id, state) VALUES (1, ?)", (pack_live(tray),))
            self._sheets.write(tray.campaign)
            self._database.execute("COMMIT")
            self._sheets.written(tray.campaign)
            self._is_ahead = True
            self._early = early
            self._hold()
            self._pictures.keep()
        except sqlite3.Error as error:
            self._roll_back()
            cure = self._cure_of(error)
            raise DeviceError(f"the roll log {self._path} cannot be written ({error}): {cure}") from error

    def rolls(self, limit: int, before: int | None = None) -> list[Row]:
        where, values = ("WHERE id < ?", (before,)) if before is not None else ("", ())
        query = f"SELECT {_COLUMNS} FROM rolls {where} ORDER BY id DESC LIMIT ?"  # noqa: S608 - no outside text
        return list(self._rows(query, (*values, limit)))

    def rolls_of(self, owner: str) -> list[Row]:
        """Return one player's latest rows, newest first, up to a limit."""
        query = f"SELECT {_COLUMNS} FROM rolls WHERE owner = ? ORDER BY id DESC LIMIT ?"  # noqa: S608 - no outside text
        return list(self._rows(query, (owner, _MAX_OF_ONE)))

    def shown_roll(self, number: int) -> Row | None:
        """Return the newest row of a roll; None if there is none or it is hidden."""
        query = f"SELECT {_COLUMNS} FROM rolls WHERE roll = ? AND hidden = 0 ORDER BY id DESC LIMIT 1"  # noqa: S608 - no outside text
        return next(self._rows(query, (number,)), None)

    def since(self, at: datetime | None = None) -> Iterator[Row]:
        """Yield rows in the order of writing, starting with the first whose timestamp is not before `at`.

        They are fetched in pages, each over its own short connection, so different threads may draw them and a slow
        consumer blocks nothing. Rows written meanwhile are not included.
        """
        (first,), (last,) = self._fetch(_SPAN, (stamp(at),))
        if first is not None:
            yield from self.between(first, last)

    def between(self, first: int, last: int = _LAST) -> Iterator[Row]:
        """Yield rows from one id to another, fetched like those of `since`."""
        while first <= last and (
            page := self._fetch(f"{_ROWS_FROM} AND id <= ? ORDER BY id LIMIT ?", (first, last, _PAGE_ROWS))
        ):
            yield from checked_rows(self._path, page)
            first = page[-1][0] + 1

    def _show(self, roll: ShownRoll) -> None:
        """Reveal the rows of a roll; its newest row gets the comparison if all linked rolls are shown."""
        self._database.execute("UPDATE rolls SET hidden = 0 WHERE roll = ? AND hidden = 1", (roll.number,))
        if roll.linked is None:
            return
        found = self._database.execute(
            "SELECT id, asked FROM rolls WHERE roll = ? ORDER BY id DESC LIMIT 1", (roll.number,)
        ).fetchone()
        if found is not None:
            request = {**(json.loads(found[1]) or {}), "together": {**roll.linked, "hidden": False}}
            text = json.dumps(in_language(request, ENGLISH), ensure_ascii=False, allow_nan=False)
            self._database.execute("UPDATE rolls SET asked = ? WHERE id = ?", (text, found[0]))

    def _give(self, roll: GivenRoll) -> None:
        """Name another owner in the rows of a roll, and in comparisons with it."""
        self._database.execute("UPDATE rolls SET owner = ? WHERE roll = ?", (roll.owner, roll.number))
        linked = self._database.execute(
            "SELECT id, asked FROM rolls WHERE asked LIKE ?", (f'%"roll": {roll.number},%',)
        ).fetchall()
        for row, text in linked:
            with suppress(ValueError, TypeError, AttributeError):  # a damaged row stays as it is
                request = json.loads(text)
                for member in request["together"]["members"] if request.get("together") else ():
                    if member["roll"] == roll.number:
                        member["owner"] = roll.owner
                after = json.dumps(request, ensure_ascii=False, allow_nan=False)
                self._database.execute("UPDATE rolls SET asked = ? WHERE id = ?", (after, row))

    def extent(self, last: int = _LAST) -> Extent:
        """Return a value that changes when rows are added, deleted, revealed, or given other timestamps or owners."""
        seconds = "coalesce(sum(CAST(strftime('%s', at) AS INTEGER)), 0)"
        query = f"SELECT count(*), {seconds}, coalesce(sum(hidden), 0) FROM rolls WHERE id <= ?"  # noqa: S608 - no outside text
        (found,) = self._fetch(query, (last,))
        return Extent(found[0], found[1], found[2], self._sheets.last_written.renamed)

    def picture_of(self, row: int) -> str | None:
        """Return the file name of a row's picture; None if none was stored or the roll is hidden."""
        found = self._fetch("SELECT picture FROM rolls WHERE id = ? AND hidden = 0", (row,))
        return None if not found else found[0][0]

    def run_maintenance(self) -> None:
        """Correct timestamps from before the clock was set, and checkpoint the WAL."""
        try:
            self._hold()
            if self._shows_lock and not _is_locked(self._path):
                _log.warning("%s was no longer held by the tray, and is again", self._path)
                self._reopen()
        except PushTrayError:
            return  # the next write tries again and reports the error
        if self._early and self._is_clock_set() is not False:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                self._fix_timestamps(self._clock() - timedelta(seconds=self._uptime_s()))
                self._database.execute("COMMIT")
            except sqlite3.Error:
                # The next write tries again and reports the disk's error.
                self._roll_back()
                return
            self._early = []
            self._is_ahead = True
        self.checkpoint()

    def _hold(self) -> None:
        """Ensure that writes reach the file of the log's name; if that file was taken away, restore it completely.

        If another program moves or deletes the log or its `-wal`, this one keeps writing to unnamed files that vanish
        with the process. Its connection still has all data.
        """
        if _identities(self._path) == self._files:
            return
        draft = draft_of(self._path)
        try:
            if self._path.parent.stat().st_dev != self._files[0][0]:
                cure = cure_of(errno.ENODEV, "start the tray with another --data folder")
                raise DeviceError(f"the drive of the roll log {self._path} is gone: {cure}")
            copy_log(self._database, draft)
            self._database.close()
            old = set_aside(self._path, "old") if self._path.exists() else None
            draft.replace(self._path)
            sync_folder(self._path.parent)
            self._reopen()
        except OSError as error:
            cure = cure_of(error.errno, "start the tray with another --data folder")
            raise DeviceError(f"the roll log {self._path} was taken away ({why(error)}): {cure}") from error
        except (BadInput, sqlite3.Error) as error:
            raise DeviceError(f"the roll log {self._path} was taken away: {error}") from error
        _log.error(
            "another program took %s, or a companion file, away from the tray that writes to it; it is back whole%s",
            self._path, "" if old is None else f", and what was there is kept as {old}",
        )  # fmt: skip

    def _reopen(self) -> None:
        self._database.close()
        early, written = self._early, self._sheets.last_written
        self._open()
        self._early = early
        self._sheets.written(written)

    def _fix_timestamps(self, start: datetime) -> None:
        """Correct the timestamps of early rows by the clock as it is now set."""
        for row in self._early:
            step = start - row.start
            if abs(step) >= _MIN_STEP:
                self._database.execute("UPDATE rolls SET at = ? WHERE id = ?", (stamp(row.at + step), row.id))

    def checkpoint(self) -> bool:
        """Checkpoint the WAL as far as no reader uses an older state; never waits.

        Returns:
            Whether the file alone now holds everything. Otherwise a part is only in the `-wal`, where it is just as
            safe, but missing from a copy of the file.
        """
        if not self._is_ahead:
            return True
        try:
            _, written, moved = self._database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error:
            # The next write reports the disk's error.
            return False
        self._is_ahead = moved != written
        return not self._is_ahead

    def _rows(self, query: str, values: tuple[object, ...]) -> Iterator[Row]:
        return checked_rows(self._path, self._fetch(query, values))

    def _fetch(self, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        """Run a query over its own connection, so that a slow reader never delays the writer."""
        try:
            address = f"{self._path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(address, uri=True, timeout=WAIT_S)) as reading:
                reading.text_factory = as_text
                return reading.execute(query, values).fetchall()
        except sqlite3.Error as error:
            cure = self._cure_of(error)
            raise DeviceError(f"the roll log {self._path} cannot be read ({error}): {cure}") from error

    def _cure_of(self, error: sqlite3.Error) -> str:
        number = errno_of(self._path, error)
        if number is None:
            return "stop the tray and bring back a copy with pushtray restore"
        return cure_of(number, "start the tray with another --data folder")

    def _roll_back(self) -> None:
        if self._database.in_transaction:
            try:
                self._database.execute("ROLLBACK")
            except sqlite3.Error:
                # The disk is gone: the journal rolls the transaction back when it returns.
                return


def _identities(path: Path) -> tuple[tuple[int, int], ...]:
    """Return device and inode of the log and its companion files; zeros for a missing one."""
    found = []
    for end in ("", "-wal", "-shm"):
        try:
            stat = path.with_name(path.name + end).stat()
            found.append((stat.st_dev, stat.st_ino))
        except OSError:
            found.append((0, 0))
    return tuple(found)


def _is_locked(path: Path, locks: Path = Path("/proc/locks")) -> bool:
    """Return whether this process has an SQLite lock on a file; False if the system does not list locks."""
    try:
        lines, number = locks.read_text(encoding="ascii").splitlines(), path.stat().st_ino
    except OSError:
        return False
    fields = (line.split() for line in lines if "POSIX" in line and "->" not in line)
    return any(int(one[4]) == os.getpid() and one[5].endswith(f":{number}") for one in fields)


def logged_since(path: Path, at: datetime | None = None) -> Iterator[Row]:
    """Yield rows of a log like `RollLog.since`. Needs no write access.

    A log of an older version is read from a migrated temporary copy.
    """
    try:
        if is_empty_log(path):
            return
        # An empty name makes SQLite use a temporary file, deleted with the connection.
        with closing(connect_to_read(path)) as reading, closing(sqlite3.connect("")) as passing:
            if check_log(reading, path):
                log = reading
                passing.text_factory = as_text
                if version_of(reading) < newest_version():
                    reading.backup(passing)
                    migrate_log(passing, path, keep=False)
                    log = passing
                query = f"{_ROWS_FROM.replace('?', f'({_FIRST_SINCE})')} ORDER BY id"
                yield from checked_rows(path, log.execute(query, (stamp(at),)))
    except OSError as error:
        cure = cure_of(error.errno, "name another --data folder")
        raise BadInput(f"{path} cannot be read ({why(error)}): {cure}") from error
    except sqlite3.Error as error:
        raise log_refused(path, error) from error
