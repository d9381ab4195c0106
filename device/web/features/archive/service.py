"""The archive for pages: evenings, search, statistics, stories, backup and restore."""

import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final, Protocol, TypeVar

from device.archive.book import ArchiveView, RollArchive
from device.archive.roll_summaries import RollSummary
from device.archive.search import RollFilter, found
from device.archive.statistics import statistics
from device.archive.story import evening_json, roll_json, story_csv, story_lines
from device.archive.story_page import StoryLook, story_html, story_title
from device.errors import PushTrayError
from device.game.state.names import name_key
from device.message import message
from device.runtime.loop import LoopBusy, Offer
from device.storage.backup import Restored, back_up, stage
from device.storage.evenings import end_evening, forget_rows, go_on_with_evening, name_evening, write_rows
from device.storage.export import MARK, SEPARATORS
from device.storage.import_log import Staged
from device.storage.pictures import PictureKeeper
from device.storage.read_marks import read_svg
from device.storage.rolls import RollLog
from device.texts.catalogue import translate
from device.web.core.errors import ApiError
from rules.system import JsonValue

MAX_COPY_BYTES: Final = 2_000_000_000
"""The largest backup accepted, in bytes: far above any log, below what would fill a drive."""


_MAX_COUNTED: Final = 100
"""Number of searches with cached statistics."""
_SENT, _COPIED = ".restore-", ".backup-"
"""Prefix of temporary backup files in the data folder."""


Written = TypeVar("Written")


class WriteLog(Protocol):
    def __call__(self, work: Callable[[], Written]) -> Written: ...


@dataclass(frozen=True, slots=True)
class Search:
    wanted: RollFilter
    evening: int | None = None


class ArchiveService:
    """The log beyond its newest rows, for pages. Any thread; what makes, checks or restores a backup, one at a time."""

    def __init__(
        self,
        book: RollArchive,
        history: RollLog,
        pictures: PictureKeeper,
        restore: Callable[[Staged], Restored],
        roll_in_play: Callable[[], int | None],
        *,
        write: WriteLog,
        forgotten: Callable[[RollSummary], object],
        offer: Callable[[Offer], object],
        changes: Callable[[], list[JsonValue]] = list,
    ) -> None:
        """Open the archive of a log.

        Args:
            write: Does a write to the log on the one thread that writes it, and returns what the write returns.
            forgotten: Takes a roll that was deleted.
            offer: Offers to undo something.
        """
        self._book = book
        self._history = history
        self._pictures = pictures
        self._restore = restore
        self._roll_in_play = roll_in_play
        self._write = write
        self._forgotten = forgotten
        self._offer = offer
        self._changes = changes
        self._staged: tuple[str, Staged] | None = None
        self._counted: tuple[ArchiveView | None, dict[Search, dict[str, JsonValue]]] = (None, {})
        for pattern in (f"{_SENT}*", f"{_COPIED}*"):
            for left in history.path.parent.glob(pattern):
                # Remains of a backup interrupted by a power cut.
                left.unlink(missing_ok=True)

    def evenings(self) -> dict[str, JsonValue]:
        """Return every evening, newest first, with players, changes and the number of damaged rows left out."""
        edition = self._book.edition()
        owners = (roll.notes.owner for roll in reversed(edition.rolls))
        named = {name_key(owner): owner for owner in owners if owner is not None}
        players = [named[key] for key in sorted(named)]
        return {
            "evenings": [evening_json(evening) for evening in reversed(edition.evenings)],
            "players": list(players),
            "rolls": len(edition.rolls),
            "left_out": self._history.left_out,
            "changes": self._changes(),
        }

    def rolls(self, search: Search, limit: int, before: int | None) -> dict[str, JsonValue]:
        edition = self._book.edition()
        rolls = self._meant(edition, search)
        older = rolls if before is None else [roll for roll in rolls if roll.id < before]
        page = [*self._book.whole(older[-limit:])][::-1]
        of = edition.evening_of()
        return {
            "rolls": [roll_json(roll, of[roll.id], self._pictures.has) for roll in page],
            "total": len(rolls),
            "next_before": page[-1].id if len(older) > limit else None,
        }

    def statistics(self, search: Search) -> dict[str, JsonValue]:
        """Return the statistics, cached until the log changes."""
        edition = self._book.edition()
        if self._counted[0] is not edition or len(self._counted[1]) >= _MAX_COUNTED:
            self._counted = edition, {}
        counted = self._counted[1]
        if search not in counted:
            rolls = self._meant(edition, search)
            counted[search] = statistics(rolls, is_part=len(rolls) < len(edition.rolls))
        return counted[search]

    def lines(self, search: Search, *, as_csv: bool, separator: str = "comma") -> Iterator[str]:
        """Return one row for each roll as CSV or JSON Lines, in order."""
        edition = self._book.edition()
        of = edition.evening_of()
        rolls = ((roll, of[roll.id]) for roll in self._book.whole(self._meant(edition, search)))
        # Spreadsheets detect UTF-8 by its mark.
        return chain((MARK,), story_csv(rolls, SEPARATORS[separator])) if as_csv else story_lines(rolls)

    def story(
        self, evening: int | None, language: str, colours: Mapping[str, str], *, with_pictures: bool
    ) -> tuple[str, str]:
        edition = self._book.edition()
        if evening is None and not edition.evenings:
            raise ApiError("no_rolls", translate("memory.refused.no_rolls"))
        found_one = edition.evenings[-1] if evening is None else edition.evening(evening)
        if found_one is None:
            raise self._unknown_evening(evening)
        found_one = replace(found_one, rolls=tuple(self._book.whole(found_one.rolls)))
        look = StoryLook(language, colours, self._pictures.has if with_pictures else lambda _: False)
        return look.text(story_title(found_one)), story_html(found_one, look)

    def picture(self, row: int) -> bytes | None:
        """Return the picture of a row as JPEG, if there is one."""
        name = self._history.picture_of(row)
        return None if name is None else self._pictures.picture(name)

    def read_picture(self, row: int) -> str | None:
        """Return that picture as SVG, with the outlines and values that were read in it."""
        jpeg = self.picture(row)
        return None if jpeg is None else read_svg(jpeg)

    def end_evening(self) -> dict[str, JsonValue]:
        path = self._history.path
        last = self._write(lambda: end_evening(path))
        if last is None:
            raise ApiError("no_rolls", translate("memory.refused.no_rolls"))

        def go_on() -> None:
            self._write(lambda: go_on_with_evening(path, last))

        self._offer(Offer("evening", message("tray.undo.evening"), go_on))
        return self.evenings()

    def name_evening(self, evening: int, name: str) -> dict[str, JsonValue]:
        """Name an evening; an empty name removes it."""
        if self._book.edition().evening(evening) is None:
            raise self._unknown_evening(evening)
        self._write(lambda: name_evening(self._history.path, evening, name.strip()))
        return self.evenings()

    def forget_roll(self, roll: int) -> dict[str, JsonValue]:
        """Delete a roll with its pictures; memory keeps them while the deletion can be undone."""
        found_one = next((one for one in self._book.edition().rolls if one.id == roll), None)
        if found_one is None:
            raise ApiError("unknown_roll", translate("memory.refused.unknown_roll", roll=roll))
        if found_one is self._book.edition().rolls[-1] and found_one.number == self._roll_in_play():
            raise ApiError("roll_in_play", translate("memory.refused.roll_in_play"))
        rows = self._write(lambda: forget_rows(self._history.path, found_one.rows))
        names = [row["picture"] for row in rows if row["picture"] is not None]
        pictures = {name: self._pictures.picture(name) for name in names}
        self._pictures.forget(names)
        self._book.forget()
        self._forgotten(found_one)

        def write_again() -> None:
            self._write(lambda: write_rows(self._history.path, rows))
            for name, jpeg in pictures.items():
                if jpeg is not None:
                    self._pictures.keep_again(name, jpeg)

        self._offer(Offer("roll", message("tray.undo.roll"), write_again))
        return {"forgotten": roll}

    def backup(self) -> Path:
        """Copy the whole log into a file next to it. The caller deletes it."""
        folder = self._history.path.parent
        handle, name = tempfile.mkstemp(prefix=_COPIED, suffix=".sqlite3", dir=folder)
        copy = Path(name)
        with open(handle, "wb"):
            pass
        try:
            back_up(folder, copy)
        except BaseException:
            copy.unlink(missing_ok=True)
            raise
        return copy

    def upload_place(self) -> Path:
        """Create an empty file for an upload. `check_copy` deletes it."""
        handle, name = tempfile.mkstemp(prefix=_SENT, suffix=".sqlite3", dir=self._history.path.parent)
        with open(handle, "wb"):
            return Path(name)

    def check_copy(self, sent: Path) -> dict[str, JsonValue]:
        """Check an uploaded backup and stage it; nothing is replaced yet."""
        try:
            staged = stage(sent, self._history.path.parent)
        except PushTrayError as error:
            # The sender does not know its name here.
            why = str(error).replace(str(sent), "it")
            raise ApiError("bad_copy", translate("memory.refused.bad_copy", why=why)) from error
        finally:
            sent.unlink(missing_ok=True)
        token = secrets.token_urlsafe(12)
        self._staged = token, staged
        return {
            "token": token,
            "rows": staged.rows,
            "first": staged.first,
            "last": staged.last,
            "left_out": staged.left_out,
            "rows_now": self._history.extent().rows,
        }

    def restore(self, token: str) -> dict[str, JsonValue]:
        if self._staged is None or not secrets.compare_digest(self._staged[0].encode(), token.encode()):
            raise ApiError("no_copy", translate("memory.refused.no_copy"))
        staged, self._staged = self._staged, None
        try:
            done = self._restore(staged[1])
        except LoopBusy:
            self._staged = staged
            raise
        return {"rows": done.rows, "old": None if done.old is None else done.old.name}

    def drop_copy(self) -> None:
        if self._staged is not None:
            with suppress(OSError):
                self._staged[1].path.unlink(missing_ok=True)
        self._staged = None

    def _meant(self, edition: ArchiveView, search: Search) -> list[RollSummary]:
        if search.evening is None:
            return found(edition.rolls, search.wanted)
        evening = edition.evening(search.evening)
        if evening is None:
            raise self._unknown_evening(search.evening)
        return found(evening.rolls, search.wanted)

    def _unknown_evening(self, evening: int | None) -> ApiError:
        return ApiError("unknown_evening", translate("memory.refused.unknown_evening", evening=evening))
