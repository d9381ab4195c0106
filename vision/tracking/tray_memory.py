"""A watched tray's pictures at its latest rests, to detect hands, unread objects and untouched dice."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.decision.camera_moved import located_move
from vision.geometry.camera_move import CameraMove
from vision.tracking.hand import BoolMap, Hand, find_hand
from vision.tracking.settle import CELL_PX, DIE_SHARE, CellMask, gray_of
from vision.tracking.stayed import has_stayed, likeness
from vision.tracking.unexplained import holds_unexplained
from vision.tray.floor import Floor
from vision.tray.landmarks import Landmarks
from vision.tray.scene_floor import find_floor, prepare
from vision.types.frame import Frame, ImageBgr, ImageGray
from vision.types.reading import DieReading

_REFRESH_S = 2.0
"""Seconds between two pictures of one rest, so that they follow daylight."""
_RIM_SHARE = 0.03
"""Half the width of the rim along the floor's outline that `_RIM_LIKENESS` compares, as a share of the picture's
width.
"""
_RIM_LIKENESS = 0.4
"""Least correlation of the rim along the floor's outline with that of the empty tray, for tray and camera to count as
unmoved. Of 120 drawn rests 118 had 0.73 and more; of the same moved by 16 small pixels half had less than 0.12.
"""


class TrayMemory:
    """A handful of pictures: two rests and the empty tray in small, one rest in gray at full size."""

    def __init__(self) -> None:
        # Two rests: after an object that counted as the tray's own has been removed, the older one fits.
        self._rests: deque[ImageBgr] = deque(maxlen=2)
        self._rest_gray: ImageGray | None = None
        self._empty: ImageBgr | None = None
        self._found: Floor | None = None
        self._rim: BoolMap | None = None
        self._floor: ImageGray | None = None
        self._near_floor: CellMask | None = None
        self._die_edge_px: float | None = None
        self._shows_rest = False
        self._shows_empty = False
        self._kept_s = 0.0
        prepare()

    @property
    def floor(self) -> ImageGray | None:
        """Mask of the floor in the small picture, not 0 where dice may lie; None before the tray was seen empty."""
        return self._floor

    @property
    def empty(self) -> ImageBgr | None:
        """The small picture of the empty tray; None before it was seen empty."""
        return self._empty

    @property
    def near_floor(self) -> CellMask | None:
        """Cells of the settle detector on the floor or within a die's breadth; None before the tray was seen empty."""
        return self._near_floor

    def known_floor(self, small: ImageBgr) -> Floor | None:
        """Return the floor of the empty tray if its rim is unchanged; None before the tray was seen empty."""
        if self._rim is None or self._empty is None:
            return None
        alike = likeness(gray_of(self._empty)[self._rim], gray_of(small)[self._rim])
        return self._found if alike >= _RIM_LIKENESS else None

    def find_hand(self, small: ImageBgr) -> Hand:
        """Return whether a hand is in the picture, and where; a picture like one of the latest rests has none."""
        hands: list[Hand] = []
        for rest in reversed(self._rests):
            hands.append(find_hand(small, rest, self._floor, self._die_edge_px))
            if hands[-1] is Hand.NONE:
                return Hand.NONE
        return hands[0] if hands else Hand.NONE

    def find_move(self, small: ImageBgr) -> CameraMove | None:
        """Return how the camera was moved since the latest rest; None if it was not, or if it is not certain how."""
        return located_move(Landmarks(self._rests[-1]).find(small)) if self._rests else None

    def carry(self, move: CameraMove) -> None:
        """Carry the pictures along with a moved camera."""
        for number, rest in enumerate(self._rests):
            self._rests[number] = _carried(rest, move)
        if self._rest_gray is not None:
            self._rest_gray = _carried(self._rest_gray, move)
        if self._empty is not None:
            self._empty = _carried(self._empty, move)
        if self._found is not None and self._rest_gray is not None:
            height, width = self._rest_gray.shape
            self._found = replace(self._found, outline_px=move.moved(self._found.outline_px, (width, height)))
        if self._floor is not None:
            self._keep_floor(_carried(self._floor, move))

    def holds_unexplained(self, small: ImageBgr, dice: Sequence[DieReading], scale: float) -> bool:
        """Return whether the floor shows something besides these dice; False before the tray was seen empty.

        Args:
            scale: Small pixels for each pixel of the reading.
        """
        if self._empty is None or self._floor is None:
            return False
        return holds_unexplained(small, self._empty, self._floor, dice, scale)

    def untouched(self, frame: Frame, dice: Sequence[DieReading]) -> tuple[bool, ...]:
        """Return for each die whether its place looks, to a fraction of a pixel, as at the rest before."""
        before = self._rest_gray
        if before is None:
            return (False,) * len(dice)
        gray = _gray(frame)
        return tuple(has_stayed(before, gray, die) for die in dice)

    def keep(self, frame: Frame, small: ImageBgr, *, as_rest: bool, as_empty: bool, again: bool) -> None:
        """Store the picture of a rest.

        Args:
            as_rest: Whether it shows no foreign object, so that hands are detected by comparison with it.
            again: Whether it is the same rest as the one stored before, reported once more.
        """
        self._rest_gray = _gray(frame)
        self._kept_s = frame.t_s
        if as_rest:
            if again and self._shows_rest:
                self._rests[-1] = small
            else:
                self._rests.append(small)
        if as_empty:
            self._keep_empty(frame, small)
        self._shows_rest, self._shows_empty = as_rest, as_empty

    def refresh(self, frame: Frame, small: ImageBgr) -> None:
        """Update the picture of a continuing rest: nothing has moved since `keep`, but daylight may have changed."""
        if not 0.0 <= frame.t_s - self._kept_s < _REFRESH_S:
            self.keep(frame, small, as_rest=self._shows_rest, as_empty=self._shows_empty, again=True)

    def measure(self, die_edge_px: float) -> None:
        """Store the edge of a die in the small picture."""
        self._die_edge_px = die_edge_px

    def _keep_empty(self, frame: Frame, small: ImageBgr) -> None:
        self._empty = small
        if self._shows_empty and self._floor is not None:
            return
        floor = self._found = find_floor(frame.image_bgr)
        if floor is None:
            self._floor = self._rim = self._near_floor = None
            return
        mask = floor.mask(frame.width_px, frame.height_px, small.shape[1] / frame.width_px)
        self._keep_floor(np.asarray(cv2.resize(mask, (small.shape[1], small.shape[0])), dtype=np.uint8))

    def _keep_floor(self, floor: ImageGray) -> None:
        """Store the floor's mask in the small picture, and what surrounds it."""
        self._floor = floor
        height, width = floor.shape
        along = 2 * round(_RIM_SHARE * width) + 1
        self._rim = cv2.morphologyEx(floor, cv2.MORPH_GRADIENT, np.ones((along, along), np.uint8)) > 0
        reach = 2 * round(DIE_SHARE * width) + 1
        wide = cv2.dilate(floor, np.ones((reach, reach), np.uint8))
        cells = (width // CELL_PX, height // CELL_PX)
        self._near_floor = cv2.resize(wide, cells, interpolation=cv2.INTER_AREA) > 0


def _gray(frame: Frame) -> ImageGray:
    return np.asarray(cv2.cvtColor(frame.image_bgr, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _carried(image: ImageGray, move: CameraMove) -> ImageGray:
    """Return a picture, (H, W) or (H, W, 3), as the moved camera would have taken it; its rim is stretched."""
    size = (image.shape[1], image.shape[0])
    carried = cv2.warpPerspective(image, move.homography(size), size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(carried, np.uint8)
