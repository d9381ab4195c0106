"""The roll log with its data folder, its pictures, its list of changes, and its archive for pages."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

from device.archive.book import RollArchive
from device.archive.roll_summaries import RollSummary
from device.config.settings import Settings
from device.diagnostics.probes import CheckParams, check_clock
from device.game.state.tray import Tray
from device.runtime.faults import Report
from device.runtime.loop import Offer, TrayLoop
from device.runtime.part import Part
from device.runtime.spare_memory import SpareMemory, give_back
from device.runtime.startup import starting_table, starting_tray
from device.storage.backup import Restored, put_in_place
from device.storage.changes import ChangeLog
from device.storage.data_folder import DataFolder
from device.storage.import_log import Staged
from device.storage.log_file import FILE_NAME
from device.storage.log_rows import now_utc
from device.storage.pictures import PictureKeeper
from device.storage.rolls import RollLog
from device.web.features.archive.service import ArchiveService


class LogPart(Part):
    """What the tray keeps of its rolls."""

    def __init__(self, settings: Settings, report: Report) -> None:
        """Lock the data folder and open the log.

        Args:
            report: Takes what is wrong with the clock, by which rolls have their times.
        """
        self._settings, self._report = settings, report
        self.folder = settings.data_folder
        with ExitStack() as files:
            files.callback(DataFolder(self.folder).close)
            self.pictures = PictureKeeper(self.folder, settings.memory)
            self.rolls = RollLog(self.folder / FILE_NAME, pictures=self.pictures)
            files.callback(self.rolls.close)
            self._files = files.pop_all()
        self.changes = ChangeLog(self.rolls.path)
        self._spare = SpareMemory(give_back)

    def connect(self, loop: TrayLoop, on_forget: Callable[[RollSummary], object]) -> None:
        """Open the archive of the log.

        Args:
            on_forget: Takes a roll that was deleted.
        """
        self._loop = loop
        self.archive = ArchiveService(
            RollArchive(self.rolls, timedelta(hours=self._settings.memory.pause_hours)),
            self.rolls,
            self.pictures,
            self._restore,
            self._roll_in_play,
            write=loop.run,
            forgotten=on_forget,
            offer=loop.report,
            changes=self.changes.newest_first,
        )
        self.for_pages = (self.archive,)

    def start(self) -> None:
        self.pictures.start()

    def stop(self) -> None:
        self.pictures.stop()

    def close(self) -> None:
        self._files.close()

    def check(self) -> None:
        found = check_clock(now_utc(), None, CheckParams())
        self._report(None if found.cure is None else f"{found.text}: {found.cure}")

    def starting_tray(self, *, system_named: bool = False) -> Tray:
        """Return the tray that the log continues from; a system that the command names replaces its own."""
        settings = self._settings
        named_system = settings.tray.system if system_named else None
        return starting_tray(self.rolls, starting_table(settings), named_system, settings.sheets.carry)

    def idle(self, version: int) -> None:
        """Do what waits for a quiet moment; `version` is that of the newest snapshot. On the loop's thread."""
        self.rolls.run_maintenance()
        self._spare.idle(version)

    def note(self, offer: Offer, undone: bool) -> None:
        """Add an action to the list of changes, or mark it as undone. On the loop's thread."""
        self.changes.note(offer.action, offer.label, undone=undone)

    def _restore(self, staged: Staged) -> Restored:
        """Put a backup in the log's place while the tray runs."""
        old: list[Path | None] = []

        def put_back() -> Tray:
            old.append(self.rolls.swap(lambda: put_in_place(staged, self.folder)))
            return self.starting_tray()

        self._loop.replace(put_back)
        return Restored(staged.rows, old[0])

    def _roll_in_play(self) -> int | None:
        roll = self._loop.newest.body.get("roll")
        return roll if isinstance(roll, int) else None
