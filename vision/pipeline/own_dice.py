"""Dice with taught faces, which are read by these faces as well as by pips."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from vision.classification.face_net import CUT_PX, FaceReader
from vision.decision.own_faces import NearFace, OwnFaces, TaughtFace
from vision.detection.squares import Squares, cut_out
from vision.imaging.pyramid import ImagePyramid
from vision.types.frame import FloatArray, ImageBgr
from vision.types.reading import DieReading, Unread

_HOW_IT_LIES = frozenset({Unread.COCKED, Unread.STACKED})
"""Doubts that no face removes."""
_CANNOT_BE_SHOWN = _HOW_IT_LIES | {Unread.OCCLUDED, Unread.OUTSIDE_FLOOR}
"""Doubts about dice whose faces cannot be taught."""
_FEW = 2
"""With so few taught faces of a class it is unknown whether the others show pips."""
_LIKELY = 0.3
"""Probability from which the nearest face is reported for a doubtful die."""


def showable(dice: Sequence[DieReading], colour: str | None) -> list[DieReading]:
    """Return the dice whose faces can be taught: of a class, or of an unknown one; None: of all."""
    return [
        die for die in dice if die.unread not in _CANNOT_BE_SHOWN and (colour is None or die.colour in (colour, None))
    ]


def faces_of(image_bgr: ImageBgr, dice: Sequence[DieReading]) -> ImageBgr:
    """Return crops of the top faces of dice, for teaching, shape (N, `CUT_PX`, `CUT_PX`, 3)."""
    quads: FloatArray = np.array([die.top_quad_px for die in dice], np.float64).reshape(-1, 4, 2)
    sides = quads[:, 1] - quads[:, 0]
    squares = Squares(quads.mean(axis=1), np.hypot(*sides.T), np.arctan2(sides[:, 1], sides[:, 0]))
    faces: ImageBgr = cut_out(ImagePyramid(image_bgr), squares, CUT_PX, 1.0)[0]
    return faces


class OwnDiceReader:
    """Reads dice of taught classes; threads may share one."""

    def __init__(self, faces: OwnFaces | None) -> None:
        """Load the net.

        Args:
            faces: Taught faces; None: faces read as pips are checked again, since they may be symbols.

        Raises:
            VisionError: The net is missing.
        """
        self._faces = faces or OwnFaces(())
        self._net = FaceReader()

    def read_again(
        self, dice: Sequence[DieReading], picture: ImagePyramid, squares: Squares, is_steady: npt.NDArray[np.bool_]
    ) -> list[DieReading]:
        """Return dice read by their taught faces, and the others unchanged.

        Args:
            dice: As read by their pips.
            picture: Their picture.
            squares: Top faces of the dice in that picture.
            is_steady: Shape (N,), which lie flat and are not hidden.
        """
        told, asked = list(dice), list[int]()
        for k, die in enumerate(dice):
            shows_pips = die.unread is None and die.value is not None
            if die.unread != Unread.OUTSIDE_FLOOR and (self._faces.of(die.colour) or shows_pips):
                asked.append(k)
        for k, look in zip(asked, self._net.look_at(picture, squares.some(np.array(asked, np.intp))), strict=True):
            die = dice[k]
            taught, like_pips = self._faces.of(die.colour), self._faces.may_show_pips(look, die.value)
            if taught:
                near = self._faces.nearest(str(die.colour), look)
                told[k] = by_face(die, near, taught, is_steady=bool(is_steady[k]), like_pips=like_pips)
            elif not like_pips:
                told[k] = replace(die, value=None, unread=Unread.PIPS_UNCLEAR)
        return told


def by_face(
    die: DieReading, near: NearFace, taught: Sequence[TaughtFace], *, is_steady: bool, like_pips: bool = True
) -> DieReading:
    """Return what a die of a taught class shows, by its pips and the nearest face.

    Pips that were read without doubt stay if a face of the class shows so many, or if none with that value was taught
    and not all taught ones are symbols; if a taught face certainly contradicts them, the die is in doubt. A face that
    shows pips is trusted by these only.

    Args:
        die: As read by its pips.
        near: The nearest taught face.
        taught: The faces of its class.
        is_steady: Whether it lies flat and is not hidden.
        like_pips: Whether its face looks at all like the pips that were read.
    """
    same = [face for face in taught if face.value == die.value]
    has_pips = len(taught) <= _FEW or any(face.shows_pips for face in taught)
    may_show_pips = like_pips and has_pips and (not same or any(face.shows_pips for face in same))
    shows_pips = die.value is not None and die.unread is None and may_show_pips
    if shows_pips and (not near.is_sure or near.face.shows_pips or near.face.value == die.value):
        return die
    unread: Unread | None = die.unread if die.unread in _HOW_IT_LIES and not is_steady else Unread.FACE_UNKNOWN
    if near.share >= _LIKELY:
        if near.is_sure and is_steady and not near.face.shows_pips and not shows_pips:
            unread = None
        return replace(
            die, value=near.face.value, confidence=round(near.share, 3), unread=unread, sides=near.face.sides
        )
    value = die.value if may_show_pips else None
    return replace(die, value=value, confidence=min(die.confidence, round(near.share, 3)), unread=unread)
