"""The dice that a tray was taught."""

from collections.abc import Callable, Sequence

from device.calibration.dice_sets import DiceSets
from device.calibration.teaching import NamedDie, Teaching
from device.config.settings import Settings
from device.game.state.events import DieRestored, FacesForgotten
from device.message import message
from device.runtime.loop import Offer, TrayLoop
from device.runtime.part import Part
from device.runtime.shown_metadata import ShownMetadata
from vision.decision.own_faces import OwnFaces
from vision.types.frame import Frame, ImageBgr
from vision.types.reading import TrayReading


class OwnDicePart(Part):
    """The sets of taught dice, and the lessons."""

    def __init__(
        self,
        settings: Settings,
        sets: DiceSets,
        loop: TrayLoop,
        metadata: ShownMetadata,
        *,
        newest: Callable[[], Frame | None],
        read: Callable[[ImageBgr], TrayReading],
        use: Callable[[OwnFaces | None], None],
    ) -> None:
        """Teach some sets.

        Args:
            newest: Returns the newest picture.
            read: Reads a picture without the taught faces.
            use: Takes the faces of all sets once they have changed.
        """
        self._loop, self._metadata = loop, metadata
        self.teaching = Teaching(
            sets,
            newest,
            read,
            use,
            remember=settings.display.remember,
            forgot=lambda faces: loop.post(FacesForgotten(faces)),
            offer=self._offer_undo,
            on_lesson=self._show,
        )
        self.for_pages = (self.teaching,)
        self.live = {"display.remember": self._take}

    @property
    def is_lesson(self) -> bool:
        """Whether dice are being shown to the tray, so that throws are no rolls."""
        return self.teaching.is_lesson

    def _offer_undo(self, name: str, dice: Sequence[NamedDie], undo: Callable[[], object]) -> None:
        """Offer to undo corrections together with what was learned from them, or to restore a deleted set."""

        def take_back() -> None:
            undo()
            for die in dice:
                self._loop.post(DieRestored(die.id))

        label = message("tray.undo.faces") if dice else message("tray.undo.sheet", what=name)
        self._loop.report(Offer("faces" if dice else "set", label, take_back))

    def _show(self) -> None:
        self._metadata.update(is_lesson=self.is_lesson)

    def _take(self, settings: Settings) -> None:
        self.teaching.remember = settings.display.remember
