"""Every roll, kept: one SQLite file, a committed row for each result and each correction. Wall time lives only here."""

import errno
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Protocol

from device.errors import BadInput, DeviceError
from device.game.snapshot import outcome_json
from device.game.state.campaign import Campaign, Carry
from device.game.state.effects import CorrectionKind, LogRow, ShownRoll
from device.game.state.layout import DieFace, LyingDie
from device.game.state.serialisation import UnknownState, pack_state, unpack_state
from device.game.state.states import Playing, State
from device.game.table.odds import odds_of_row
from device.storage.schema import APPLICATION_ID, Migrated, migrate, newest_copy, newest_version, version_of
from device.storage.sheets import SheetStore
from rules.dice import Die
from rules.system import JsonValue
from vision.types.cures import cure_of, why

_log = logging.getLogger(__name__)

FILE_NAME: Final = "history.sqlite3"

_COLUMNS = (
    "id, at, kind, roll, system, pool, context, dice, outcome, correction, owner, label, odds, picture, asked, hidden"
)
_NAMES = tuple(_COLUMNS.split(", "))
_ROWS_FROM = f"SELECT {_COLUMNS} FROM rolls WHERE id >= ?"  # noqa: S608 - no outside text
_INSERT = f"INSERT INTO rolls ({_COLUMNS}) VALUES (NULL{', ?' * 15})"  # noqa: S608 - no outside text
_FIRST_SINCE = "SELECT min(id) FROM rolls WHERE at >= ?"
"""From where on rows are asked for by a time. A small computer without a clock of its own starts with an old time, so
that rows of a new evening may be stamped before those of the last: what was written later is not left out for that."""
_SPAN = f"{_FIRST_SINCE} UNION ALL SELECT max(id) FROM rolls"  # noqa: S608 - no outside text
_JSON_COLUMNS = ("pool", "context", "dice", "outcome", "correction", "odds", "asked")
_WAIT_S = 2.0
"""How long a write or a read waits for another connection's lock, seconds."""
_PAGE_ROWS = 500
"""Rows that are read at once: some 300 kB, whatever the log has grown to."""
_MOST_OF_ONE = 5000
"""One player's rows that are read together: some 3 MB."""
_LEAST_STEP = timedelta(seconds=2)
"""Clocks that are only put right by less leave a stamp as it was."""
_INSTEAD = "choose another --data folder"
_CANNOT_WRITE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
_LOCKS_FAIL = (
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_RDLOCK,
    sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMLOCK,
    sqlite3.SQLITE_IOERR_SHMMAP,
)
"""SQLite's words for a drive that knows no locks or shares no memory, as a network drive."""
_ERRNO_OF = {
    sqlite3.SQLITE_BUSY: errno.EBUSY,
    sqlite3.SQLITE_LOCKED: errno.EBUSY,
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}
"""SQLite's refusals (their lowest eight bits) that say nothing against the file's content."""

Row = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a log holds.

    Attributes:
        rows: Number of rows.
        seconds: Sum of the rows' times, whole seconds since 1970.
        hidden: Number of rows of hidden rolls.
    """

    rows: int
    seconds: int
    hidden: int


class NoLog(BadInput):
    """A file is no roll log, or a damaged one.

    Attributes:
        what: Fault of the file alone, without the cure for a tray that wants to write there.
    """

    def __init__(self, what: str, cure: str) -> None:
        super().__init__(f"{what}: {cure}")
        self.what = what


def now_utc() -> datetime:
    """The wall clock."""
    return datetime.now(UTC)


def is_synchronized(marker: Path = Path("/run/systemd/timesync/synchronized")) -> bool | None:
    """Whether systemd-timesyncd has set the clock; None where it does not run."""
    if not marker.parent.is_dir():
        return None
    return marker.exists()


def since_start_s() -> float:
    """Seconds since the machine started, its sleep included; setting the wall clock does not change them."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class KeepsPictures(Protocol):
    """What keeps the pictures of rolls. Both are called on the loop's thread and return at once."""

    def name_for(self, row: LogRow) -> str | None:
        """Name the file of the picture of what lies there; None where none is to be kept."""
        ...

    def keep(self) -> None:
        """The rows asked for since are on the disk: write their pictures."""
        ...


class _NoPictures:
    """Keeps none."""

    def name_for(self, _row: LogRow) -> str | None:
        return None

    def keep(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class _Early:
    """A row that was stamped before the clock was set over the network."""

    id: int
    at: datetime
    start: datetime
    """When the machine started, by the clock of that moment."""


class History:
    """The roll log and the live state, written together.

    One thread writes; any thread may read, each read over a connection of its own. A small computer has no clock that
    goes on while it is off: until the network sets it, it shows an old time. Rows of that time are stamped anew once
    the clock is set, as long as this program runs.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], datetime] = now_utc,
        uptime_s: Callable[[], float] = since_start_s,
        is_clock_set: Callable[[], bool | None] = is_synchronized,
        pictures: KeepsPictures | None = None,
    ) -> None:
        """Open the file, or make it where there is none. A file that is not ours, or broken, is never written to.

        A file of an older version is brought to this program's, and a line says where it is kept as it was.

        Args:
            path: The file, in a data folder that this program holds.
            clock: The wall clock.
            uptime_s: A clock in seconds that nobody sets.
            is_clock_set: Whether the wall clock was set since the machine started; None where nobody says, which counts
                as set.
            pictures: Keeps a picture of each result; None: nobody does.

        Raises:
            BadInput: The file or its folder cannot be used; the message says the cure.
        """
        self._path = path
        self._clock = clock
        self._uptime_s = uptime_s
        self._is_clock_set = is_clock_set
        self._pictures: KeepsPictures = pictures or _NoPictures()
        self._early: list[_Early] = []
        self._is_ahead = True
        self._database = _open(path)
        self._sheets = SheetStore(self._database)

    @property
    def path(self) -> Path:
        """The database file."""
        return self._path

    def close(self) -> None:
        """Let go of the file, which then holds everything. Safe to call twice."""
        self.checkpoint()
        self._database.close()

    def swap(self, put_in_place: Callable[[], Path | None]) -> Path | None:
        """Let another file be the log. Only the loop's thread may, between two writes.

        Args:
            put_in_place: Puts a log of this program's version under the log's name.

        Returns:
            What it says: where the log before is kept.

        Raises:
            BadInput: It cannot be done; the log is open as it was.
        """
        self.close()
        try:
            return put_in_place()
        finally:
            self._database = _open(self._path)
            self._sheets = SheetStore(self._database)
            self._early = []
            self._is_ahead = True

    def kept_state(self) -> Playing | None:
        """The state that the last write left; None in a new file.

        Raises:
            UnknownState: It was written by another version of the program; the log is not touched by that.
        """
        found = self._database.execute("SELECT state FROM live").fetchone()
        return None if found is None else unpack_state(found[0])

    def kept_campaign(self, carry: Carry = Carry.ASK) -> Campaign:
        """The campaign that the last write left; an empty one in a new file. Rows of another version stay as they are.

        Args:
            carry: How consequences reach a sheet where the table has not said so itself.
        """
        return self._sheets.load(carry)

    def write(self, rows: tuple[LogRow, ...], state: State, shown: tuple[ShownRoll, ...] = ()) -> None:
        """Put rows and state on the disk, all or nothing; on return they survive the plug being pulled.

        Args:
            rows: To be added.
            state: The tray's from now on.
            shown: Rolls whose rows are hidden no longer.

        Raises:
            DeviceError: The disk is full, gone, or does not answer; nothing was written.
        """
        is_set = self._is_clock_set() is not False
        now = self._clock()
        start = now - timedelta(seconds=self._uptime_s())
        early = [] if is_set else [*self._early]
        try:
            self._database.execute("BEGIN IMMEDIATE")
            if is_set:
                self._stamp_anew(start)
            for row in rows:
                written = self._database.execute(
                    _INSERT, _values(_stamp(now), row, odds_of_row(state, row), self._pictures.name_for(row))
                )
                if not is_set and written.lastrowid is not None:
                    early.append(_Early(written.lastrowid, now, start))
            for roll in shown:
                self._show(roll)
            self._database.execute("INSERT OR REPLACE INTO live (id, state) VALUES (1, ?)", (pack_state(state),))
            self._sheets.write(state.table.campaign)
            self._database.execute("COMMIT")
            self._sheets.written(state.table.campaign)
            self._is_ahead = True
            self._early = early
            self._pictures.keep()
        except sqlite3.Error as error:
            self._roll_back()
            cure = self._cure_of(error)
            raise DeviceError(f"the roll log {self._path} cannot be written ({error}): {cure}") from error

    def rolls(self, limit: int, before: int | None = None) -> list[Row]:
        """Rows, newest first.

        Args:
            limit: At most so many.
            before: Only rows of a lower id.
        """
        where, values = ("WHERE id < ?", (before,)) if before is not None else ("", ())
        query = f"SELECT {_COLUMNS} FROM rolls {where} ORDER BY id DESC LIMIT ?"  # noqa: S608 - no outside text
        return [_as_row(found) for found in self._fetch(query, (*values, limit))]

    def rolls_of(self, owner: str) -> list[Row]:
        """One player's rows, newest first; the older ones of a log that has grown very long are left out."""
        query = f"SELECT {_COLUMNS} FROM rolls WHERE owner = ? ORDER BY id DESC LIMIT ?"  # noqa: S608 - no outside text
        return [_as_row(found) for found in self._fetch(query, (owner, _MOST_OF_ONE))]

    def shown_roll(self, number: int) -> Row | None:
        """The newest row of a roll; None where there is none, or it is hidden."""
        query = f"SELECT {_COLUMNS} FROM rolls WHERE roll = ? AND hidden = 0 ORDER BY id DESC LIMIT 1"  # noqa: S608 - no outside text
        found = self._fetch(query, (number,))
        return _as_row(found[0]) if found else None

    def since(self, at: datetime | None = None) -> Iterator[Row]:
        """Rows in the order they were written, from the first on that was not stamped before `at`.

        They come a page at a time, each over a connection of its own that is closed again: threads may take turns at
        drawing them, and whoever draws slowly holds up nobody. What is written meanwhile does not belong to them.

        Raises:
            DeviceError: The log cannot be read; the first page is, when the first row is drawn.
        """
        (first,), (last,) = self._fetch(_SPAN, (_stamp(at),))
        while first is not None and first <= last:
            page = self._fetch(f"{_ROWS_FROM} AND id <= ? ORDER BY id LIMIT ?", (first, last, _PAGE_ROWS))
            yield from (_as_row(found) for found in page)
            first = page[-1][0] + 1 if page else None

    def _show(self, roll: ShownRoll) -> None:
        """Hide the rows of a roll no longer; its newest says how it stands where all it is compared with is shown."""
        self._database.execute("UPDATE rolls SET hidden = 0 WHERE roll = ? AND hidden = 1", (roll.number,))
        if roll.linked is None:
            return
        found = self._database.execute(
            "SELECT id, asked FROM rolls WHERE roll = ? ORDER BY id DESC LIMIT 1", (roll.number,)
        ).fetchone()
        if found is not None:
            asked = {**(json.loads(found[1]) or {}), "together": {**roll.linked, "hidden": False}}
            text = json.dumps(asked, ensure_ascii=False, allow_nan=False)
            self._database.execute("UPDATE rolls SET asked = ? WHERE id = ?", (text, found[0]))

    def rows_after(self, row: int) -> Iterator[Row]:
        """Rows of a higher id, in the order they were written.

        Raises:
            DeviceError: The log cannot be read.
        """
        return (_as_row(found) for found in self._fetch(f"{_ROWS_FROM} ORDER BY id", (row + 1,)))

    def extent(self) -> Extent:
        """How much there is now; another where rows came, went, got other times, or are hidden no longer.

        Raises:
            DeviceError: The log cannot be read.
        """
        seconds = "coalesce(sum(CAST(strftime('%s', at) AS INTEGER)), 0)"
        query = f"SELECT count(*), {seconds}, coalesce(sum(hidden), 0) FROM rolls"  # noqa: S608 - no outside text
        (found,) = self._fetch(query, ())
        return Extent(*found)

    def picture_of(self, row: int) -> str | None:
        """Name of the file of a row's picture; None where none was kept, the roll is hidden, or there is no such row.

        Raises:
            DeviceError: The log cannot be read.
        """
        found = self._fetch("SELECT picture FROM rolls WHERE id = ? AND hidden = 0", (row,))
        return None if not found else found[0][0]

    def tidy(self) -> None:
        """Do what waits for a quiet moment: stamp early rows anew, bring what was written into the file."""
        if self._early and self._is_clock_set() is not False:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                self._stamp_anew(self._clock() - timedelta(seconds=self._uptime_s()))
                self._database.execute("COMMIT")
            except sqlite3.Error:
                # The next write tries it again, and reports what is wrong with the disk.
                self._roll_back()
                return
            self._early = []
            self._is_ahead = True
        self.checkpoint()

    def _stamp_anew(self, start: datetime) -> None:
        """Give rows that were stamped early the time that they have by the clock as it is now set."""
        for row in self._early:
            step = start - row.start
            if abs(step) >= _LEAST_STEP:
                self._database.execute("UPDATE rolls SET at = ? WHERE id = ?", (_stamp(row.at + step), row.id))

    def checkpoint(self) -> bool:
        """Bring what was written into the file itself, as far as nobody reads an older state of it; never waits.

        Returns:
            Whether the file alone now holds everything. Otherwise some of it stands in the `-wal` beside it, where it
            is as safe, but a copy of the file lacks it.
        """
        if not self._is_ahead:
            return True
        try:
            _, written, moved = self._database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error:
            # The next write meets the same disk and says so.
            return False
        self._is_ahead = moved != written
        return not self._is_ahead

    def _fetch(self, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        """Rows over a connection of their own, so that a slow reader never holds up the writer."""
        try:
            address = f"{self._path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(address, uri=True, timeout=_WAIT_S)) as reading:
                return reading.execute(query, values).fetchall()
        except sqlite3.Error as error:
            cure = self._cure_of(error)
            raise DeviceError(f"the roll log {self._path} cannot be read ({error}): {cure}") from error

    def _cure_of(self, error: sqlite3.Error) -> str:
        number = _errno_of(self._path, error)
        if number is None:
            return "stop the tray and bring back a copy with pushtray restore"
        return cure_of(number, "start the tray with another --data folder")

    def _roll_back(self) -> None:
        if self._database.in_transaction:
            try:
                self._database.execute("ROLLBACK")
            except sqlite3.Error:
                # The disk is gone: the journal takes the half transaction back when it comes again.
                return


def _open(path: Path) -> sqlite3.Connection:
    """Open a log to write to it, of this program's version from here on.

    Raises:
        BadInput: As `History`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_new = is_new_log(path)
        database = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
    except OSError as error:
        raise BadInput(f"cannot use {path}: {why(error)}: {cure_of(error.errno, _INSTEAD)}") from error
    except sqlite3.Error as error:
        raise log_refused(path, error) from error
    try:
        is_new = is_new or not check_log(database, path)
        migrated = migrate(database) if is_new else migrate_log(database, path)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        # From here on what SQLite keeps beside it shows that it is in use.
        database.execute("BEGIN IMMEDIATE")
        database.execute("COMMIT")
    except sqlite3.Error as error:
        database.close()
        raise log_refused(path, error) from error
    except BadInput:
        database.close()
        raise
    if migrated is not None and migrated.copy is not None:
        _log.warning(
            "%s was brought from version %d to %d; as it was before it is kept as %s",
            path, migrated.before, migrated.after, migrated.copy,
        )  # fmt: skip
    return database


def logged_since(path: Path, at: datetime | None = None) -> Iterator[Row]:
    """Rows of a log as `History.since` has them, a few at a time. Nothing is written, nor need it be allowed.

    A log of an older version is read through a copy that is brought to this program's and then forgotten.

    Raises:
        BadInput: The file is not ours, broken, or may not be read; the message says the cure.
    """
    try:
        if is_new_log(path):
            return
        # SQLite's own temporary file, which has no name and goes with its connection.
        with closing(connect_to_read(path)) as reading, closing(sqlite3.connect("")) as passing:
            if check_log(reading, path):
                log = reading
                if version_of(reading) < newest_version():
                    reading.backup(passing)
                    migrate_log(passing, path, keep=False)
                    log = passing
                query = f"{_ROWS_FROM.replace('?', f'({_FIRST_SINCE})')} ORDER BY id"
                yield from (_as_row(found) for found in log.execute(query, (_stamp(at),)))
    except OSError as error:
        cure = cure_of(error.errno, "name another --data folder")
        raise BadInput(f"{path} cannot be read ({why(error)}): {cure}") from error
    except sqlite3.Error as error:
        raise log_refused(path, error) from error


def check_log(database: sqlite3.Connection, path: Path) -> bool:
    """Whether there is anything in a log, whatever older version it has.

    Raises:
        NoLog: It is another program's, or damaged.
        BadInput: It has a newer version than this program reads.
    """
    owner = database.execute("PRAGMA application_id").fetchone()[0]
    if owner != APPLICATION_ID:
        if owner == 0 and database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            return False
        raise NoLog(f"{path} belongs to another program", "move it away, or choose another --data folder")
    version, newest = version_of(database), newest_version()
    if version > newest:
        copy = newest_copy(path)
        cure = "upgrade the program, or bring back an older copy with pushtray restore"
        cure += "" if copy is None else f" {copy}"
        raise BadInput(f"{path} has version {version}, this program reads versions up to {newest}: {cure}")
    answer = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if answer != "ok":
        raise _broken(path, str(answer).splitlines()[-1])
    return True


def migrate_log(database: sqlite3.Connection, path: Path, *, keep: bool = True) -> Migrated | None:
    """Bring a log that was checked, and is not new, to this program's version, as `migrate` does it.

    Args:
        database: The log, or a copy of it.
        path: The file that it came from.
        keep: Keep a copy of that file beside it before anything changes.

    Raises:
        BadInput: It cannot be done; the log is as it was.
    """
    before = version_of(database)
    try:
        return migrate(database, path if keep else None)
    except OSError as error:
        number, how = error.errno, why(error)
    except sqlite3.Error as error:
        number, how = _errno_of(path, error), str(error)
    what = f"{path} cannot be brought from version {before} to {newest_version()} ({how}) and stays as it is"
    raise BadInput(f"{what}: {cure_of(number, 'go back to the program that wrote it')}")


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection for reading only, also where nothing may be written.

    Where it may, SQLite keeps files beside the log while it reads and, unlike in its mode `ro`, takes them away again.
    Where it may not, it must be certain that nobody writes meanwhile; a log with a `-wal` beside it is somebody's.
    """
    address = path.absolute().as_uri()
    reading = sqlite3.connect(f"{address}?mode=rw", uri=True, timeout=_WAIT_S)
    try:
        reading.execute("PRAGMA query_only = ON")
        reading.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error as error:
        if error.sqlite_errorcode & 0xFF not in _CANNOT_WRITE or path.with_name(path.name + "-wal").exists():
            reading.close()
            raise
        reading.close()
        return sqlite3.connect(f"{address}?immutable=1", uri=True)
    return reading


def _stamp(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).isoformat(timespec="milliseconds")


def is_new_log(path: Path) -> bool:
    """Whether there is nothing in the file yet.

    Raises:
        NoLog: There is something, and it is no SQLite database.
    """
    if not path.exists() or path.stat().st_size == 0:
        return True
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            raise NoLog(f"{path} is no roll log", "move it away, or choose another --data folder")
    return False


def log_refused(path: Path, error: sqlite3.Error, instead: str = "name another --data folder") -> BadInput:
    """What SQLite's refusal means for the file: damage, or only that it cannot be used now or by this user.

    Args:
        path: The file.
        error: From SQLite.
        instead: What helps whatever the reason was, where the file is not damaged.
    """
    number = _errno_of(path, error)
    if number is not None:
        return BadInput(f"{path} cannot be used ({error}): {cure_of(number, instead)}")
    return _broken(path, str(error))


def _errno_of(path: Path, error: sqlite3.Error) -> int | None:
    """The system's number for what SQLite refuses; None where it says that the file itself is wrong."""
    code = getattr(error, "sqlite_errorcode", 0)
    if code in _LOCKS_FAIL:
        return errno.ENOLCK
    if code & 0xFF in _CANNOT_WRITE:
        return _why_not_written(path)
    return _ERRNO_OF.get(code & 0xFF)


def _why_not_written(path: Path) -> int:
    if path.is_dir():
        return errno.EISDIR
    with suppress(OSError):
        if os.statvfs(path.parent).f_flag & os.ST_RDONLY:
            return errno.EROFS
    if not path.exists() and os.access(path.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        return errno.ENOENT
    return errno.EACCES


def _broken(path: Path, how: str) -> NoLog:
    cure = "move it away to start anew, or bring back a copy with pushtray restore"
    return NoLog(f"{path} is damaged ({how})", cure)


def _values(at: str, row: LogRow, odds: JsonValue, picture: str | None) -> tuple[object, ...]:
    roles = {die.id: die for die in row.roll}
    dice: list[JsonValue] = [
        _die_row(die, face, roles.get(str(die.id))) for die, face in zip(row.layout.dice, row.layout.faces, strict=True)
    ]
    seen = {str(die.id) for die in row.layout.dice}
    dice += [_typed_row(die) for die in row.roll if die.id not in seen]
    corrected: dict[str, JsonValue] | None = None
    if row.corrected is not None:
        word = row.corrected.correction
        corrected = {
            "die": row.corrected.die_id,
            "value": None if word is None else word.value,
            "colour": None if word is None else word.colour,
        }
        if row.corrected.word is not CorrectionKind.SHOWS:
            corrected["word"] = row.corrected.word.value
        if row.corrected.reading is not None:
            corrected |= {"read_value": row.corrected.reading.value, "read_colour": row.corrected.reading.colour}
    bodies = (
        None if row.pool is None else row.pool.as_json(),
        dict(row.context),
        dice,
        None if row.outcome is None else outcome_json(row.outcome),
        corrected,
    )
    texts = (json.dumps(body, ensure_ascii=False, allow_nan=False) for body in bodies)
    chances = None if odds is None else json.dumps(odds, ensure_ascii=False, allow_nan=False)
    asked = json.dumps(row.asked, ensure_ascii=False, allow_nan=False)
    kept = (row.owner, row.label, chances, picture, asked, int(row.hidden))
    return (at, row.kind.value, row.roll_number, row.system, *texts, *kept)


def _die_row(die: LyingDie, face: DieFace, scored: Die | None) -> dict[str, JsonValue]:
    """One die of a row: what counted, and beside it what the camera read where a person said otherwise."""
    row: dict[str, JsonValue] = {
        "id": die.id,
        "colour": face.colour,
        "role": None if scored is None else scored.role.value,
        "value": face.value,
        "confidence": round(die.reading.confidence, 4),
        "unread": None if die.reading.unread is None else die.reading.unread.value,
    }
    if die.correction is not None:
        row |= {"read_value": die.reading.value, "read_colour": die.reading.colour}
    if die.added:
        row["added"] = True
    return row


def _typed_row(die: Die) -> dict[str, JsonValue]:
    """One die of a row that a person typed in, since no camera reads it."""
    row = {"id": int(die.id), "colour": None, "role": die.role.value, "value": die.value, "level": die.level}
    return {**row, "sides": die.sides, "typed": True}


def _as_row(found: tuple[Any, ...]) -> Row:
    row: Row = dict(zip(_NAMES, found, strict=True))
    for name in _JSON_COLUMNS:
        text = row[name]
        # Most of a row's columns hold no more than this.
        row[name] = None if text is None or text == "null" else json.loads(str(text))
    row["hidden"] = bool(row["hidden"])
    return row


def covered_row(row: Row) -> Row:
    """A row for who must not see hidden rolls: that there was one, whose and what for, and nothing of its dice."""
    asked = row.get("asked")
    linked = asked.get("together") if isinstance(asked, dict) else None
    if row.get("hidden"):
        nothing: Row = {"dice": [], "outcome": None, "correction": None, "odds": None, "picture": None}
        nothing["asked"] = {**asked, "met": None, "by": None, "together": None} if isinstance(asked, dict) else None
        return {**row, **nothing}
    if isinstance(asked, dict) and isinstance(linked, dict) and linked.get("hidden"):
        return {**row, "asked": {**asked, "together": None}}
    return row


__all__ = [
    "Extent",
    "History",
    "NoLog",
    "UnknownState",
    "check_log",
    "connect_to_read",
    "covered_row",
    "is_new_log",
    "is_synchronized",
    "log_refused",
    "logged_since",
    "migrate_log",
    "now_utc",
]
