"""Dice with taught faces, which are read by these faces as well as by pips."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from vision.classification.face_net import CUT_PX, FaceReader
from vision.decision.own_faces import CUBE, SURE_LEAD, NearFace, OwnFaces, TaughtFace, numerals
from vision.detection.squares import Squares, cut_out
from vision.imaging.pyramid import ImagePyramid
from vision.pipeline.polyhedra import PolyhedronReader, polyhedral_faces
from vision.types.frame import F32, FloatArray, ImageBgr
from vision.types.reading import DieReading, Unread

_HOW_IT_LIES = frozenset({Unread.COCKED, Unread.STACKED, Unread.OUTSIDE_FLOOR})
"""Doubts that no face removes."""
_CANNOT_BE_SHOWN = _HOW_IT_LIES | {Unread.OCCLUDED}
"""Doubts about dice whose faces cannot be taught."""
_LIKE_POLYHEDRA = frozenset({Unread.COCKED, Unread.STACKED, Unread.OCCLUDED})
"""Doubts that dice with more than six faces raise however they lie."""
_FEW = 2
"""With so few taught faces of a class it is unknown whether the others show pips."""
_LIKELY = 0.3
"""Probability from which the nearest face is reported for a doubtful die."""
_LIKE_A_NUMERAL = 0.5
"""The same for the nearest numeral, for a die whose face was not taught."""


def showable(dice: Sequence[DieReading], colour: str | None, sides: int = 6) -> list[DieReading]:
    """Return the dice whose faces can be taught: of a class, or of an unknown one.

    Args:
        colour: Its class; None for all dice.
        sides: Number of faces of the dice that are shown; those with more than six look cocked however they lie.
    """
    refused = _CANNOT_BE_SHOWN if sides == CUBE else _CANNOT_BE_SHOWN - _LIKE_POLYHEDRA
    return [die for die in dice if die.unread not in refused and (colour is None or die.colour in (colour, None))]


def squares_of(dice: Sequence[DieReading]) -> Squares:
    """Return the squares of the top faces of dice."""
    quads: FloatArray = np.array([die.top_quad_px for die in dice], np.float64).reshape(-1, 4, 2)
    ways = quads[:, 1] - quads[:, 0]
    return Squares(quads.mean(axis=1), np.hypot(*ways.T), np.arctan2(*ways.T[::-1]))


def faces_of(image_bgr: ImageBgr, dice: Sequence[DieReading], sides: int = 6) -> ImageBgr:
    """Return crops of the top faces of dice, for teaching, shape (N, `CUT_PX`, `CUT_PX`, 3).

    Args:
        sides: Number of faces of these dice.
    """
    squares = squares_of(dice)
    picture = ImagePyramid(image_bgr)
    if sides != CUBE and len(dice):
        return polyhedral_faces(picture, squares, sides)
    faces: ImageBgr = cut_out(picture, squares, CUT_PX, 1.0)[0]
    return faces


class OwnDiceReader:
    """Reads dice of taught classes; threads may share one."""

    def __init__(self, faces: OwnFaces | None, *, suggests_numerals: bool = False) -> None:
        """Load the net.

        Args:
            faces: Taught faces; None: faces read as pips are checked again, since they may be symbols.
            suggests_numerals: Whether unknown faces get the value of the numeral that they look like, in doubt.

        Raises:
            VisionError: The net is missing.
        """
        self._faces = OwnFaces(()) if faces is None else faces
        self._numerals = numerals() if suggests_numerals else None
        self._net = FaceReader()
        self.polyhedra = PolyhedronReader(self._faces, self._net) if self._faces.polyhedra else None

    def read_again(
        self,
        dice: Sequence[DieReading],
        picture: ImagePyramid,
        squares: Squares,
        embeddings: F32,
        *,
        is_flat: npt.NDArray[np.bool_],
        is_whole: npt.NDArray[np.bool_],
        in_tray: bool,
    ) -> list[DieReading]:
        """Return dice read by their taught faces, and the others unchanged.

        Args:
            dice: As read by their pips.
            picture: Their picture.
            squares: Top faces of the dice in that picture.
            embeddings: Shape (N, 128), of the die net.
            is_flat: Shape (N,), which lie flat.
            is_whole: Shape (N,), which are within the tray and not hidden.
            in_tray: Whether the picture shows a tray from above.
        """
        told, is_steady = list(dice), is_flat & is_whole
        others = self.polyhedra.read(dice, picture, squares, is_whole) if self.polyhedra else {}
        for k, die in others.items():
            told[k] = die
        candidates = [k for k, die in enumerate(dice) if k not in others and self._is_candidate(die)]
        simple = [k for k in candidates if in_tray and not self._faces.of(dice[k].colour) and _shows_pips(dice[k])]

        def look_at(which: list[int], quarters: int) -> Iterator[tuple[int, F32]]:
            looks = self._net.look_at(picture, squares.some(np.array(which, np.intp)), quarters=quarters)
            return zip(which, looks, strict=True)

        def lead(k: int, look: F32) -> float:
            return self._faces.pips_lead(look, embeddings[k], dice[k].value, in_tray=in_tray)

        # In a tray a face that surely shows pips at one rotation is not looked at in the other three.
        leads = {k: one for k, look in look_at(simple, 1) if (one := lead(k, look)) >= SURE_LEAD}
        looks = dict(look_at([k for k in candidates if k not in leads], 4))
        leads |= {k: lead(k, look) for k, look in looks.items()}
        unclear = [die for die in dice if die.unread == Unread.PIPS_UNCLEAR and not self._faces.of(die.colour)]
        company = np.array([*(leads[k] for k in simple), *[-np.inf] * len(unclear)])
        values = [*(dice[k].value or 0 for k in simple), *[0] * len(unclear)]
        leads |= zip(simple, self._faces.leads_in_company(company, values), strict=False)
        for k, look in looks.items():
            die = dice[k]
            taught = self._faces.of(die.colour)
            like_pips = leads[k] >= 0
            near = self._faces.nearest(die.colour, look) if taught else None
            if near is not None and (die.colour is not None or near.is_sure):
                colour, taught = near.face.colour, self._faces.of(near.face.colour)
                read = by_face(die, near, taught, is_steady=bool(is_steady[k]), like_pips=like_pips)
                unread = read.unread if die.colour is not None else read.unread or Unread.COLOUR_UNCLEAR
                die = replace(read, colour=colour, unread=unread)
            elif _shows_pips(die) and not like_pips:
                die = replace(die, value=None, unread=Unread.PIPS_UNCLEAR)
            told[k] = replace(self._as_numeral(die, look), faces=self._faces.values_of(die.colour))
        return told

    def _is_candidate(self, die: DieReading) -> bool:
        may_be_numeral = self._numerals is not None and die.unread == Unread.PIPS_UNCLEAR
        return bool(self._faces.of(die.colour)) or _shows_pips(die) or may_be_numeral

    def _as_numeral(self, die: DieReading, look: F32) -> DieReading:
        """Return a die in doubt with the value of the numeral that it looks like."""
        is_unknown = die.unread == Unread.PIPS_UNCLEAR or (die.unread == Unread.FACE_UNKNOWN and die.value is None)
        near = self._numerals.nearest("", look) if self._numerals is not None and is_unknown else None
        if near is None or near.share < _LIKE_A_NUMERAL:
            return die
        share = round(near.share, 3)
        return replace(die, value=near.face.value, confidence=share, unread=Unread.FACE_UNKNOWN)


def _shows_pips(die: DieReading) -> bool:
    return die.unread in {None, Unread.COLOUR_UNCLEAR} and die.value is not None


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
        is_steady: Whether it lies flat within the tray and is not hidden.
        like_pips: Whether its face looks at all like the pips that were read.
    """
    same = [face for face in taught if face.value == die.value]
    has_pips = len(taught) <= _FEW or any(face.shows_pips for face in taught)
    may_show_pips = like_pips and has_pips and (not same or any(face.shows_pips for face in same))
    shows_pips = _shows_pips(die) and may_show_pips
    # A face with pips that was seen badly when it was taught passes for a symbol: its pips are named in doubt.
    is_like_pips = _shows_pips(die) and like_pips and has_pips and not near.is_sure
    if shows_pips and (not near.is_sure or near.face.shows_pips or near.face.value == die.value):
        return die
    unread: Unread | None = die.unread if die.unread in _HOW_IT_LIES and not is_steady else Unread.FACE_UNKNOWN
    if near.share >= _LIKELY and not is_like_pips:
        if near.is_sure and is_steady and not near.face.shows_pips and not shows_pips:
            unread = None
        return replace(
            die, value=near.face.value, confidence=round(near.share, 3), unread=unread, sides=near.face.sides
        )
    value = die.value if may_show_pips or is_like_pips else None
    return replace(die, value=value, confidence=min(die.confidence, round(near.share, 3)), unread=unread)
