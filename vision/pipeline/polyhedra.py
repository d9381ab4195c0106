"""Dice with 8, 10 and 12 faces, read where such dice were taught: the kind by the outline, the value by the face."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from vision.classification.face_net import CUT_PX, FaceReader
from vision.classification.polyhedron_net import SIDES, TopReader, Tops
from vision.decision.own_faces import CUBE, OwnFaces
from vision.detection.squares import Squares, cut_out
from vision.imaging.pyramid import ImagePyramid
from vision.types.frame import F32, ImageBgr
from vision.types.reading import DieReading, Unread

_LIKELY = 0.3
"""Probability from which the nearest face is reported."""
_SAME_DIE, _NEAR = 1.0, 1.4
"""Distances, in edges of a found square: within the first another face belongs to the same die, within the second a
place that would not be reported else does, too.
"""


@cache
def _top_reader() -> TopReader:
    return TopReader()


def polyhedral_faces(picture: ImagePyramid, squares: Squares, sides: int) -> ImageBgr:
    """Return crops of the top faces of dice of one kind, shape (N, `CUT_PX`, `CUT_PX`, 3)."""
    tops = _top_reader().look_at(picture, squares)
    kinds = np.full(len(squares.edge_px), SIDES.index(sides))
    faces: ImageBgr = cut_out(picture, tops.squares(kinds), CUT_PX, 1.0)[0]
    return faces


def look_of(net: FaceReader, picture: ImagePyramid, tops: Tops, which: int, sides: int) -> F32:
    """Return the look of one of some top faces, shape (128,), if its die has so many faces."""
    squares = tops.squares(np.full(len(tops.edge_px), SIDES.index(sides))).some(np.array([which]))
    look: F32 = net.looks_of(cut_out(picture, squares, CUT_PX, 1.0)[0], sides)[0]
    return look


class PolyhedronReader:
    """Reads taught dice with more than six faces; threads may share one."""

    def __init__(self, faces: OwnFaces, net: FaceReader) -> None:
        """Load the net.

        Raises:
            VisionError: The net is missing.
        """
        self._faces, self._net, self._tops = faces, net, TopReader()
        self.shown = faces.points.shown
        """Probability of being a die from which a place may be such a die."""

    def read(
        self, dice: Sequence[DieReading], picture: ImagePyramid, squares: Squares, is_whole: npt.NDArray[np.bool_]
    ) -> dict[int, DieReading]:
        """Return the dice that have the outline of a taught kind, by their places in the sequence.

        How such a die lies is not asked: to the stance net they all lean. Some look like cubes with a 1, even trusted.

        Args:
            dice: As read by their pips.
            picture: Their picture.
            squares: Places of the dice in that picture.
            is_whole: Shape (N,), which are not hidden.
        """
        colours = {colour for colour, _ in self._faces.polyhedra}
        candidates = [k for k, die in enumerate(dice) if die.colour in colours and die.unread != Unread.OUTSIDE_FLOOR]
        if not candidates:
            return {}
        tops = self._tops.look_at(picture, squares.some(np.array(candidates, np.intp)))
        told: dict[int, DieReading] = {}
        for row, k in enumerate(candidates):
            colour = str(dice[k].colour)
            sides, kind = SIDES[int(tops.shares[row].argmax())], float(tops.shares[row].max())
            if (colour, sides) not in self._faces.polyhedra:
                continue
            look = look_of(self._net, picture, tops, row, sides)
            near = self._faces.nearest(colour, look, sides, kind)
            is_sure, share = near.is_sure and bool(is_whole[k]), round(near.share, 3)
            told[k] = replace(
                dice[k],
                value=near.face.value if near.share >= _LIKELY else None,
                unread=None if is_sure else Unread.FACE_UNKNOWN,
                confidence=share,
                sides=sides,
            )
        return told


def once_each(
    dice: Sequence[DieReading], squares: Squares, is_known: npt.NDArray[np.bool_]
) -> tuple[list[DieReading], list[int]]:
    """Return dice without the second faces of dice with more than six, and the places of those that are left.

    Of two faces of one die the one that is read more surely is on top.

    Args:
        dice: As read by their pips and faces.
        squares: Places of the dice.
        is_known: Shape (N,), which are reported even if they are no taught die with more than six faces.
    """
    told, kept = list(dice), list[int]()
    for k in sorted(range(len(told)), key=lambda k: (told[k].unread is not None, -told[k].confidence)):
        away = np.hypot(*(squares.center_xy[kept] - squares.center_xy[k]).T)
        limit = _SAME_DIE if is_known[k] else _NEAR
        is_second = bool((away < limit * squares.edge_px[k]).any()) and dice[k].sides != CUBE
        if is_second:
            told[k] = replace(dice[k], unread=dice[k].unread or Unread.FACE_UNKNOWN)
        if is_known[k] or (dice[k].sides != CUBE and dice[k].value is not None and not is_second):
            kept.append(k)
    kept.sort()
    return [told[k] for k in kept], kept
