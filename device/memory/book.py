"""The log as a book of evenings: rolls folded once and kept in memory, new rows added as they come."""

import gc
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from device.errors import BadInput
from device.memory.evenings import Evening, evenings
from device.memory.roll_summaries import RollSummary, Row, grown, roll_summaries
from device.storage.evenings import EveningMarks, evening_marks
from device.storage.log_file import FILE_NAME
from device.storage.rolls import Extent, History, logged_since


@dataclass(frozen=True, slots=True)
class Edition:
    """The log as it is at one moment.

    Attributes:
        rolls: Every roll, in order.
        evenings: Every roll, by evenings.
    """

    rolls: tuple[RollSummary, ...]
    evenings: tuple[Evening, ...]

    def evening(self, number: int) -> Evening | None:
        """The evening of that id."""
        return next((one for one in self.evenings if one.id == number), None)

    def evening_of(self) -> dict[int, int]:
        """Ids of evenings by ids of rolls."""
        return {roll.id: evening.id for evening in self.evenings for roll in evening.rolls}


class Book:
    """Reads a running tray's log. Any thread may ask; the log is folded once and followed from there on.

    Hidden rolls are not in it before they are shown.
    """

    def __init__(self, history: History, pause: timedelta) -> None:
        """Begin with nothing read.

        Args:
            history: The log.
            pause: Pause between two rolls that ends an evening.
        """
        self._history = history
        self._pause = pause
        self._lock = threading.Lock()
        self._rolls: list[RollSummary] = []
        self._extent = Extent(0, 0, 0)
        self._last = 0
        self._newest: Edition | None = None
        self._marks: EveningMarks | None = None

    def edition(self) -> Edition:
        """The log as it is now; the same object for as long as nothing changes.

        Raises:
            DeviceError: It cannot be read.
        """
        with self._lock:
            before = self._extent
            self._follow()
            marks = evening_marks(self._history.path)
            if self._newest is None or self._extent is not before or marks != self._marks:
                self._newest, self._marks = _edition(self._rolls, self._pause, marks), marks
            return self._newest

    def _follow(self) -> None:
        extent = self._history.extent()
        if extent == self._extent:
            return
        # With nothing to grow, all of it is read below.
        new: list[Row] = list(self._history.rows_after(self._last)) if self._rolls else []
        seconds = sum(int(datetime.fromisoformat(row["at"]).timestamp()) for row in new)
        before = self._extent
        hidden = before.hidden + sum(row["hidden"] for row in new)
        if extent == Extent(before.rows + len(new), before.seconds + seconds, hidden):
            # Whoever holds an earlier edition goes on reading it: what grows is a copy.
            newest = deepcopy(self._rolls.pop())
            self._rolls += grown(newest, _shown(new))
        else:
            # Rows were deleted, stamped anew, shown, or put back from a copy.
            with _much_is_made():
                new = list(self._history.since())
                self._rolls = list(roll_summaries(_shown(new)))
        self._extent = extent
        self._last = new[-1]["id"] if new else 0


@contextmanager
def _much_is_made() -> Iterator[None]:
    """Look for no garbage meanwhile, nor among what was made afterwards: that took half of the time.

    Nothing of a book refers to itself in a circle, so that all of it goes by itself.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _shown(rows: Iterable[Row]) -> Iterator[Row]:
    return (row for row in rows if not row["hidden"])


def read_book(folder: Path, pause: timedelta) -> Edition:
    """The log of a folder, whether a tray runs there or not.

    Args:
        folder: The data folder.
        pause: Pause between two rolls that ends an evening.

    Raises:
        BadInput: There is no roll log, it is damaged, or it may not be read.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        raise BadInput(f"there is no roll log in {folder}: name the folder with --data")
    rolls = list(roll_summaries(logged_since(path)))
    return _edition(rolls, pause, evening_marks(path))


def _edition(rolls: list[RollSummary], pause: timedelta, marks: EveningMarks) -> Edition:
    return Edition(tuple(rolls), tuple(evenings(rolls, pause, marks.ends, marks.names)))
