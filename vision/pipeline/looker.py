"""The search of a picture: finds places that may be dice, reads them, and measures their stances."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from vision.classification.die_net import NO_DIE, SURELY_NONE, DieReader, DieSights, looks_like_dice, read_places
from vision.classification.stance_net import StanceReader
from vision.decision.decide import best_places
from vision.decision.features import InTray
from vision.detection.detector import Detector
from vision.detection.found import Found
from vision.detection.scales import find_anywhere, find_sized
from vision.geometry.camera import SizedView
from vision.geometry.pose import SEEN_WIDER, Leans, pose_of
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS
from vision.tray.own_things import is_one_of, still_there
from vision.tray.profile import Profile
from vision.tray.stage import Stage
from vision.types.frame import FloatArray

_SURELY_NONE_IN_TRAY = 0.99
"""Share of "no die" at the first look from which a place in a tray is dropped."""
_SURELY_READ_IN_TRAY = 0.92
"""Share of a value at the first look above which a die in a tray gets no second one."""
_MIN_HEAT_IN_TRAY = 0.03
"""Low, as a die under a card gets little heat from the detector."""
_SURE = 0.6
"""Belief from which a place is certainly a die: the root of its heat times the die net's share."""


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """What was found in a part of a picture, in its pixels."""

    picture: ImagePyramid
    found: Found
    sights: DieSights
    tray: InTray | None = None  # the tray's facts about each; None without a tray
    leans: Leans = field(default_factory=lambda: Leans.of_all([]))
    left_top: FloatArray = field(default_factory=lambda: np.zeros(2))  # shape (2,), corner of the part in the picture


class Looker:
    """Finds and reads dice; threads may share one."""

    def __init__(self, profile: Profile | None, weights: Path = WEIGHTS, *, surely_none: float = SURELY_NONE) -> None:
        """Load the nets.

        Args:
            surely_none: Share of "no die" at the first look from which a place is dropped, without a tray.

        Raises:
            VisionError: A net is missing.
        """
        self._profile = profile
        self._surely_none = surely_none
        self._weights = weights
        # In a tray, whose dice have one known size, 8-bit integers find the same dice in half the time.
        self._quick_detector = Detector(weights / "detector_int8.onnx", _MIN_HEAT_IN_TRAY)
        self._reader = DieReader(weights / "die.onnx")
        self._stance = StanceReader(weights / "standing.onnx")

    @cached_property
    def _detector(self) -> Detector:
        """The detector for dice of any size, loaded at its first use: most trays need it only without a floor."""
        return Detector(self._weights / "detector.onnx")

    def look_anywhere(self, picture: ImagePyramid, lap: Callable[[str], None]) -> Looked:
        """Find and read dice lying anywhere.

        Args:
            lap: Called with the name of each part of the work, `find` and `read`, when it is done.
        """
        found = find_anywhere(self._detector, picture, lambda sure: looks_like_dice(self._reader, picture, sure))
        lap("find")
        found, sights = read_places(self._reader, picture, found, surely_none=self._surely_none)
        found, sights = _once_each(found, sights)
        lap("read")
        return Looked(picture, found, sights)

    def look_in(self, stage: Stage, lap: Callable[[str], None]) -> Looked:
        """Find and read the dice of a tray.

        Args:
            lap: Called with the name of each part of the work, `find`, `read` and `standing`, when it is done.
        """
        found, usual_px = find_sized(self._quick_detector, stage.part, stage.edge_px)
        found = self._without_things(found, stage)
        lap("find")
        found, sights = read_places(
            self._reader,
            stage.part,
            found,
            surely_none=_SURELY_NONE_IN_TRAY,
            surely_read=_SURELY_READ_IN_TRAY,
            turns=1,
        )
        found, sights = _once_each(found, sights)
        lap("read")
        looked = self._standing(stage, found, sights, usual_px)
        lap("standing")
        return looked

    def _without_things(self, found: Found, stage: Stage) -> Found:
        """Return the places that are not the tray's own objects, lying as at calibration."""
        if self._profile is None or not self._profile.things:
            return found
        scale = stage.edge_px / self._profile.edge_px
        moved = [thing.moved(scale, stage.left_top) for thing in self._profile.things]
        own = still_there(moved, stage.part_bgr, stage.gain)
        dice = [not is_one_of(own, x, y) for x, y in found.center_xy.tolist()]
        return found.some(np.array(dice, np.bool_))

    def _standing(self, stage: Stage, found: Found, sights: DieSights, usual_px: float) -> Looked:
        """Measure the stances of dice twice, the second time with the camera's pose known from all of them."""
        view = SizedView(stage.view, usual_px)
        level = pose_of(Leans.of_all([]), view)
        flat = level.flat_leans(found.center_xy + stage.left_top) / usual_px
        first = self._stance.look_at(stage.part, found.squares, flat, looks=1)
        squares = first.corrected(found.squares)
        found = found.at(squares)
        middles = found.center_xy + stage.left_top
        belief = np.sqrt(found.heat) * (1 - sights.shares[:, NO_DIE])
        sure = belief > _SURE
        leans = Leans.of(middles[sure], first.lean_edges[sure] * usual_px, view)
        pose = pose_of(leans, view)
        flat = pose.flat_leans(middles) / usual_px
        stances = self._stance.look_at(stage.part, squares, flat, looks=2)
        expected = pose.flat_leans(middles, SEEN_WIDER) / usual_px
        found = found.at(stances.corrected(squares))
        tray = InTray(
            stances=stances.shares,
            lean_edges=stances.lean_edges,
            departs=np.hypot(*(stances.lean_edges - expected).T),
            inside=np.array([stage.inside_px(x, y) for x, y in found.center_xy.tolist()]) / found.edge_px,
            known_edge_px=None if self._profile is None else stage.edge_px,
        )
        return Looked(stage.part, found, sights, tray, leans, stage.left_top)


def _once_each(found: Found, sights: DieSights) -> tuple[Found, DieSights]:
    """Return the likeliest place of each die, and what it shows."""
    kept = best_places(found, sights)
    return found.some(kept), sights.some(kept)
