"""The log as a book of evenings: each roll summarised once, with caches of the summaries in memory and on disk."""

import gc
import gzip
import json
import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from device.archive.evenings import Evening, evenings
from device.archive.roll_summaries import RollSummary, Row, from_brief_json, roll_summaries
from device.errors import BadInput
from device.kept_files import write_whole
from device.storage.evenings import SessionMarks, evening_marks
from device.storage.log_file import FILE_NAME
from device.storage.log_rows import leave_out, left_out
from device.storage.rolls import Extent, RollLog, logged_since
from vision.types.cures import why

_log = logging.getLogger(__name__)

BRIEF_NAME: Final = "history.brief.gz"
_FORMAT: Final = "pushtray-brief/2"
_WORTH_A_FILE: Final = 2000
"""A log with fewer rolls is read fast enough without a cache file."""
_GROWN: Final = 1.05
"""The cache file is rewritten when the log has grown by this factor: rarely, yet few rolls are read without it."""
_NEAR_ROWS: Final = 50
"""Gaps of up to this many rows between two rolls are read along with them."""


@dataclass(frozen=True, slots=True)
class ArchiveView:
    rolls: tuple[RollSummary, ...]
    evenings: tuple[Evening, ...]

    def evening(self, number: int) -> Evening | None:
        return next((one for one in self.evenings if one.id == number), None)

    def evening_of(self) -> dict[int, int]:
        return {roll.id: evening.id for evening in self.evenings for roll in evening.rolls}


class RollArchive:
    """Reads a running tray's log. Any thread may use it; the log is summarised once and then followed.

    Hidden rolls are excluded until they are shown. For a long log the summaries are cached in a file, so that the next
    start reads only later rows; the cache is used only if the log's extent up to there is unchanged, else deleted.
    """

    def __init__(self, history: RollLog, pause: timedelta) -> None:
        self._history = history
        self._pause = pause
        self._lock = threading.Lock()
        self._file = history.path.with_name(BRIEF_NAME)
        self._in_file, self._is_recalled = 0, False
        self._clear()
        self._newest: ArchiveView | None = None
        self._found: tuple[Extent, SessionMarks] | None = None

    def edition(self) -> ArchiveView:
        """Return the log as it is now; the same object as long as nothing changes."""
        with self._lock:
            found = self._history.extent(), evening_marks(self._history.path)
            if self._newest is None or found != self._found:
                rolls = self._follow(found[0])
                self._newest, self._found = _edition(rolls, self._pause, found[1]), found
            return self._newest

    def whole(self, rolls: Sequence[RollSummary]) -> Iterator[RollSummary]:
        """Yield rolls of an edition with all fields, in order; deleted ones are left out."""
        begin = 0
        for end in range(1, len(rolls) + 1):
            if end == len(rolls) or rolls[end].id - rolls[end - 1].rows[-1] > _NEAR_ROWS:
                wanted = {roll.id for roll in rolls[begin:end]}
                rows = self._history.between(rolls[begin].id, rolls[end - 1].rows[-1])
                yield from (roll for roll in roll_summaries(_shown(rows)) if roll.id in wanted)
                begin = end

    def forget(self) -> None:
        """Delete the cache file and read the log again, because a roll is deleted."""
        with self._lock:
            self._in_file, self._newest = 0, None
            self._file.unlink(missing_ok=True)

    def _clear(self) -> None:
        self._rolls: list[RollSummary] = []
        self._last, self._extent = 0, Extent(0, 0, 0)

    def _follow(self, now: Extent) -> list[RollSummary]:
        """Return the summaries of all rolls. The newest one, which may still grow, is read each time."""
        if not self._is_recalled:
            self._is_recalled = True
            self._recall()
        if self._history.extent(self._last) != self._extent:
            # Rows were deleted, revealed, restored from a copy, or had their timestamps corrected.
            self._clear()
            self._in_file = 0
            with suppress(OSError):
                self._file.unlink(missing_ok=True)
        with _much_is_made(is_much=not self._rolls):
            rows = self._history.between(self._last + 1)
            new = [roll.brief() for roll in roll_summaries(_shown(rows))]
        rolls = self._rolls + new
        # If rows changed meanwhile, the same rows are read again for the next edition.
        if len(new) > 1 and self._history.extent() == now:
            self._rolls, self._last = rolls[:-1], new[-2].rows[-1]
            self._extent = self._history.extent(self._last)
            self._keep()
        return rolls

    def _recall(self) -> None:
        try:
            head, *lines = gzip.decompress(self._file.read_bytes()).splitlines()
            of = json.loads(head)
            if of["format"] == _FORMAT:
                with _much_is_made(is_much=True):
                    self._rolls = [from_brief_json(json.loads(line)) for line in lines]
                self._last, self._extent = self._rolls[-1].rows[-1], Extent(*of["extent"])
                self._in_file = len(self._rolls)
                leave_out(self._history.path, of["left_out"])
        except FileNotFoundError:
            return
        except Exception as error:  # noqa: BLE001 - the log itself has everything
            _log.warning("%s is damaged (%s): the roll log is read instead", self._file, type(error).__name__)
            self._clear()

    def _keep(self) -> None:
        if len(self._rolls) < max(_WORTH_A_FILE, _GROWN * self._in_file):
            return
        gone = [row for row in left_out(self._history.path) if row <= self._last]
        head = {"format": _FORMAT, "extent": astuple(self._extent), "left_out": gone}
        lines = (json.dumps(one) for one in (head, *(roll.brief_json() for roll in self._rolls)))
        try:
            write_whole(self._file, gzip.compress("\n".join(lines).encode(), 1))
        except OSError as error:
            _log.warning("%s cannot be written (%s): the next start takes longer", self._file, why(error))
        self._in_file = len(self._rolls)


@contextmanager
def _much_is_made(*, is_much: bool) -> Iterator[None]:
    """Suspend garbage collection while many objects are made, and skip them later. It took half of the time."""
    if not is_much:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _shown(rows: Iterable[Row]) -> Iterator[Row]:
    return (row for row in rows if not row["hidden"])


def read_book(folder: Path, pause: timedelta) -> ArchiveView:
    """Return the log of a folder, whether or not a tray runs there; its rolls have all fields."""
    path = folder / FILE_NAME
    if not path.is_file():
        raise BadInput(f"there is no roll log in {folder}: name the folder with --data")
    rolls = list(roll_summaries(logged_since(path)))
    return _edition(rolls, pause, evening_marks(path))


def _edition(rolls: list[RollSummary], pause: timedelta, marks: SessionMarks) -> ArchiveView:
    return ArchiveView(tuple(rolls), tuple(evenings(rolls, pause, marks.ends, marks.names)))
