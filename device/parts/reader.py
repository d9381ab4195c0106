"""The reader of the pictures: by the tray's calibration, its colours and its taught faces."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from device.calibration.dice_sets import DiceSets, own_faces
from device.config.settings import Settings
from device.game.state.known_dice import known_dice, unread
from device.game.state.states import DiceState
from device.runtime.faults import Report
from device.runtime.part import Part
from device.runtime.shown_metadata import ShownMetadata
from device.runtime.tray_profile import live_colours, load_own_profile, reader_metadata
from vision.decision.own_faces import OwnFaces
from vision.pipeline.explain import stage_pictures
from vision.pipeline.reader import Reader
from vision.tracking.watch import TrayWatch
from vision.tray.profile import Profile
from vision.types.frame import ImageBgr
from vision.types.reading import TrayReading


class ReaderPart(Part):
    """Makes what reads the pictures."""

    def __init__(
        self,
        settings: Settings,
        metadata: ShownMetadata,
        report: Report,
        *,
        on_change: Callable[[], object] = bool,
    ) -> None:
        """Load the calibration; no dice are taught yet.

        Args:
            report: Takes what is wrong with the calibration.
            on_change: Called when pictures are to be read differently: another watch is needed.
        """
        self.live = dict.fromkeys(live_colours(settings), self._take_colours)
        self._settings, self._metadata = settings, metadata
        self._on_change = on_change
        self._faces: OwnFaces | None = None
        self.profile, unusable = load_own_profile(settings)
        report(unusable)
        self._show()

    def watch(self, dice: DiceState, *, is_reread: bool = False) -> TrayWatch:
        """Make a watch that keeps the ids of dice at their old places.

        Args:
            is_reread: Whether a die may now be read differently without having been moved.
        """
        watch = TrayWatch(self._reader(self._faces, suggests_numerals=True))
        lying, gone = known_dice(dice)
        watch.remember({die_id: unread(die) for die_id, die in lying.items()} if is_reread else lying, gone)
        return watch

    def read_pips(self, image: ImageBgr) -> TrayReading:
        """Read a picture without the taught faces."""
        return self._reader(None).read(image)

    def explain(self, image: ImageBgr) -> list[ImageBgr]:
        """Return what each stage makes of a picture."""
        return [picture for _, picture in stage_pictures(image, self._reader(self._faces).trace(image))]

    def load_sets(self, folder: Path) -> DiceSets:
        """Use the sets of taught dice of a data folder."""
        sets = DiceSets(folder)
        self._faces = own_faces(sets)
        self._show()
        return sets

    def use_faces(self, faces: OwnFaces | None) -> None:
        self._faces = faces
        self._changed()

    def use_profile(self, profile: Profile) -> None:
        self.profile = profile
        self._changed()

    def _take_colours(self, settings: Settings) -> None:
        self._settings = replace(self._settings, colours=settings.colours)
        self._changed()

    def _reader(self, faces: OwnFaces | None, *, suggests_numerals: bool = False) -> Reader:
        profile = self.profile
        colours = None if profile is not None and profile.palette else dict(self._settings.colours)
        return Reader(profile, colours, faces=faces, suggests_numerals=suggests_numerals)

    def _changed(self) -> None:
        self._on_change()
        self._show()

    def _show(self) -> None:
        self._metadata.update(**reader_metadata(self._settings, self.profile, self._faces))
