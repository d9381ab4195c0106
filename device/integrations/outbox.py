"""Messages still to be sent, in a separate SQLite file: bounded, kept across restarts, and never delaying a roll."""

import json
import logging
import secrets
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from device.backoff import Backoff
from device.integrations.machine import machine_word
from device.kept_files import set_aside
from device.texts.catalogue import LazyText, translate
from rules.system import JsonValue

_log = logging.getLogger(__name__)

FILE_NAME: Final = "outbox.sqlite3"
_MIN_STEP_S: Final = 2.0
"""Smaller steps of the wall clock are the network's fine corrections."""
APPLICATION_ID: Final = 0x5054_4F42
"""Application id in the file's header ("PTOB")."""
_TABLES: Final = (
    "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, made_s REAL NOT NULL,"
    " body TEXT NOT NULL)",
    "CREATE INDEX messages_of_channel ON messages (channel, id)",
    "CREATE TABLE tray (identity TEXT NOT NULL)",
)
_MACHINE: Final = "ALTER TABLE tray ADD COLUMN machine TEXT NOT NULL DEFAULT ''"

Body: TypeAlias = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class OutboxParams:
    # Maximum number of messages of a channel; the oldest is dropped beyond that. An evening has about 500.
    most: int = 1000
    # maximum number of messages of all channels waiting for a hanging disk; the oldest is dropped beyond that
    max_unwritten: int = 500
    retry_first_s: float = 0.5
    max_retry_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Waiting:
    id: int
    age_s: float  # time since it was made, in seconds, whether or not the wall clock was set meanwhile
    body: Body


@dataclass(frozen=True, slots=True)
class _New:
    channels: tuple[str, ...]
    made_s: float
    """By the clock that is never set."""
    make: Callable[[], Body | None]


class Outbox:
    """The messages of every channel. `put` returns at once; a separate thread writes them."""

    def __init__(
        self,
        path: Path,
        params: OutboxParams | None = None,
        *,
        clock_s: Callable[[], float] = time.time,
        uptime_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open the file, or create it. A damaged or foreign one is moved aside, never written to.

        Args:
            clock_s: The wall clock, seconds since 1970.
            uptime_s: A clock in seconds that is never set.
        """
        self._path = path
        self._params = params or OutboxParams()
        self._clock_s = clock_s
        self._uptime_s = uptime_s
        self._start_s = clock_s() - uptime_s()
        """Time of boot by the wall clock when it was last set."""
        self._database = _opened(path)
        self._lock = threading.Lock()
        """Held as long as the disk takes; no other thread of the tray takes it."""
        self._news = threading.Condition()
        self._new: deque[_New] = deque()
        self._stopping = False
        self._is_writing = False
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._dropped: dict[str, int] = {}
        self._fault: LazyText | None = None
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)
        self.identity, self.is_copy = _identity(self._database, machine_word(path.parent))
        """A short id that no other data folder has; and whether the folder was just copied from another machine, which
        gives it a new id."""

    @property
    def fault(self) -> LazyText | None:
        """Why messages cannot be written now; None while they can."""
        return self._fault

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Write what came if the disk takes it at once, and close the file. Safe to call twice."""
        with self._news:
            self._stopping = True
            self._news.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)
        if self._thread.is_alive():
            return  # the disk hangs: SQLite cannot be interrupted
        with self._lock:
            with suppress(sqlite3.Error):  # otherwise its age is wrong
                self._follow_clock()
            self._database.close()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` from the writing thread whenever messages have come; it must return soon."""
        with self._news:
            self._listeners = (*self._listeners, listener)

        def end() -> None:
            with self._news:
                self._listeners = tuple(one for one in self._listeners if one != listener)

        return end

    def put(self, channels: tuple[str, ...], make: Callable[[], Body | None]) -> None:
        """Add a message for some channels; returns at once. Any thread.

        Args:
            make: Returns its body, later and on the writing thread; None if there is nothing to send.
        """
        with self._news:
            if self._stopping:
                return
            if len(self._new) >= self._params.max_unwritten:
                self._count_dropped(self._new.popleft().channels)
            self._new.append(_New(channels, self._uptime_s(), make))
            self._news.notify_all()

    def flush(self, within_s: float = 10.0) -> bool:
        """Wait until everything that came is written."""
        with self._news:
            return self._news.wait_for(lambda: not self._new and not self._is_writing, within_s)

    def first(self, channel: str) -> Waiting | None:
        """Return the oldest message of a channel; None if there is none."""
        query = "SELECT id, made_s, body FROM messages WHERE channel = ? ORDER BY id LIMIT 1"
        with self._lock:
            self._follow_clock()
            found = self._database.execute(query, (channel,)).fetchone()
            now_s = self._start_s + self._uptime_s()
        return None if found is None else Waiting(found[0], now_s - found[1], json.loads(found[2]))

    def remove(self, message_id: int) -> None:
        """Delete a message that was sent or never will be."""
        with self._lock:
            self._database.execute("DELETE FROM messages WHERE id = ?", (message_id,))

    def waiting(self, channel: str) -> int:
        with self._lock:
            return int(self._database.execute(_COUNT, (channel,)).fetchone()[0])

    def dropped(self, channel: str) -> int:
        """Return how many messages of a channel were dropped in this run because too many waited."""
        return self._dropped.get(channel, 0)

    def clear(self, channel: str) -> None:
        """Delete every message of a channel: they were meant for another address."""
        with self._lock:
            self._database.execute("DELETE FROM messages WHERE channel = ?", (channel,))

    def forget(self, roll: int, since_s: float) -> None:
        """Delete the messages of a roll; first waits until earlier ones are written.

        Args:
            since_s: When it was rolled, in seconds since 1970.
        """
        self.flush()
        with self._lock:
            self._follow_clock()
            since = datetime.fromtimestamp(since_s, UTC).isoformat(timespec="milliseconds")
            self._database.execute(_FORGET, (since_s, since, roll))

    def _run(self) -> None:
        pauses = Backoff(self._params.retry_first_s, self._params.max_retry_s)
        while True:
            with self._news:
                self._news.wait_for(lambda: self._new or self._stopping)
                if not self._new:
                    return
                batch = list(self._new)
                self._new.clear()
                self._is_writing = True
            try:
                self._write(batch)
            except sqlite3.Error as error:
                self._fault = translate("tray.outside.no_outbox", path=self._path, why=str(error))
                _log.debug("outbox: %s", error)
                with self._news:
                    # Keeps the order, and the excess is dropped as it would have been before.
                    self._new.extendleft(reversed(batch))
                    while len(self._new) > self._params.max_unwritten:
                        self._count_dropped(self._new.popleft().channels)
                    self._is_writing = False
                    if self._news.wait_for(lambda: self._stopping, pauses.pause_s):
                        return
                pauses.grow()
                continue
            pauses.reset()
            self._fault = None
            with self._news:
                self._is_writing = False
                self._news.notify_all()
            for listener in self._listeners:
                listener()

    def _write(self, batch: list[_New]) -> None:
        """Write messages and drop the excess, all or nothing."""
        rows = []
        for new in batch:
            body = new.make()
            if body is None:
                continue
            text = json.dumps(body, ensure_ascii=False, allow_nan=False)
            rows += [(channel, new.made_s, text) for channel in new.channels]
        with self._lock:
            self._follow_clock()
            try:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.executemany(
                    "INSERT INTO messages (channel, made_s, body) VALUES (?, ?, ?)",
                    [(channel, self._start_s + made_s, text) for channel, made_s, text in rows],
                )
                for channel in {row[0] for row in rows}:
                    gone = self._database.execute(_TRIM, (channel, channel, self._params.most)).rowcount
                    if gone > 0:
                        self._dropped[channel] = self._dropped.get(channel, 0) + gone
                self._database.execute("COMMIT")
            except sqlite3.Error:
                with suppress(sqlite3.Error):
                    if self._database.in_transaction:
                        self._database.execute("ROLLBACK")
                raise

    def _follow_clock(self) -> None:
        """Keep the age of waiting messages when the wall clock was set. The caller holds the lock."""
        start_s = self._clock_s() - self._uptime_s()
        step_s = start_s - self._start_s
        if abs(step_s) >= _MIN_STEP_S:
            self._database.execute("UPDATE messages SET made_s = made_s + ?", (step_s,))
            self._start_s = start_s

    def _count_dropped(self, channels: tuple[str, ...]) -> None:
        for channel in channels:
            self._dropped[channel] = self._dropped.get(channel, 0) + 1


_FORGET: Final = (
    # If the clock was set since, the row of the roll may have kept its time or got another.
    "DELETE FROM messages WHERE (made_s >= ? OR json_extract(body, '$.time') >= ?) AND json_extract(body, '$.roll') = ?"
)
_COUNT: Final = "SELECT count(*) FROM messages WHERE channel = ?"
_TRIM: Final = (
    "DELETE FROM messages WHERE channel = ? AND id <="
    " (SELECT id FROM messages WHERE channel = ? ORDER BY id DESC LIMIT 1 OFFSET ?)"
)


def _opened(path: Path) -> sqlite3.Connection:
    """Return the opened file; one that is not ours is moved aside."""
    if path.exists() and not _is_ours(path):
        aside = set_aside(path)
        _log.warning("%s could not be read and is kept as %s; its waiting messages are not sent", path, aside)
    database = sqlite3.connect(path, timeout=2.0, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            database.execute("BEGIN IMMEDIATE")
            for statement in _TABLES:
                database.execute(statement)
            database.execute("INSERT INTO tray (identity) VALUES (?)", (secrets.token_hex(3),))
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute("COMMIT")
    except sqlite3.Error:
        database.close()
        raise
    return database


def _identity(database: sqlite3.Connection, machine: str) -> tuple[str, bool]:
    """Return the id of this data folder on this machine, and whether it is new because the folder is a copy."""
    if "machine" not in {column[1] for column in database.execute("PRAGMA table_info(tray)")}:
        database.execute(_MACHINE)
    identity, known = database.execute("SELECT identity, machine FROM tray").fetchone()
    is_copy = known not in ("", machine)
    if is_copy:
        identity = secrets.token_hex(3)
    if known != machine:
        database.execute("UPDATE tray SET identity = ?, machine = ?", (identity, machine))
    return str(identity), is_copy


def _is_ours(path: Path) -> bool:
    if path.stat().st_size == 0:
        return True
    try:
        with closing(sqlite3.connect(path, timeout=2.0)) as looked_at:
            is_whole: list[tuple[Any, ...]] = looked_at.execute("PRAGMA quick_check(1)").fetchall()
            owner = looked_at.execute("PRAGMA application_id").fetchone()[0]
            return is_whole == [("ok",)] and owner == APPLICATION_ID
    except sqlite3.DatabaseError:
        return False
