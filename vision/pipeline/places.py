"""Where there may be dice: what finder and lattices report of one die is one place, as it reads best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from vision.classification.face_reader import FACE_PX, FACE_SPAN, FaceReader
from vision.decision.verdict import VerdictParams, is_beside, is_loose, pair_up, without_cocked
from vision.detection.common_size import CommonSizeParams, Pair, better_size, seen_too_large
from vision.detection.faces import Face, face_of
from vision.detection.finder import FaceCandidate
from vision.detection.squares import Squares, cut_out, places_of
from vision.detection.tray_detector import Detections
from vision.geometry.neighbours import IntArray
from vision.imaging.softened import Soft
from vision.tray.stage import Stage
from vision.types.frame import F32, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where there may be dice, N places in a part of a picture, in its pixels.

    Attributes:
        pairs: Face and candidate that were detected at each place; either may be None.
        faces: Face that counts at each place: the lattice's, or one made of the candidate, at the size at which the
            place is looked at.
        squares: Positions of the faces.
        quads_px: Shape (N, 4, 2), corners of the faces.
        inside_px: Shape (N,), how far inside the floor's outline each is; negative outside.
        unburnt: Number of places that are not burnt. They come first; the others are tops of which nothing but white is
            seen.
        split: Shape (N,), whether another value, or none, is read at another size that the die may have.
    """

    pairs: Sequence[Pair]
    faces: Sequence[Face]
    squares: Squares
    quads_px: FloatArray
    inside_px: FloatArray
    unburnt: int
    split: npt.NDArray[np.bool_]

    def some(self, which: IntArray) -> "Places":
        """Some of them, in order."""
        return Places(
            pairs=[self.pairs[i] for i in which],
            faces=[self.faces[i] for i in which],
            squares=self.squares.some(which),
            quads_px=self.quads_px[which],
            inside_px=self.inside_px[which],
            unburnt=int(np.searchsorted(which, self.unburnt)),
            split=self.split[which],
        )

    def seen_edge_px(self, row: int) -> float:
        """The edge of what lies there as it was seen, whatever size dice have."""
        face, candidate = self.pairs[row]
        return float(self.squares.edge_px[row]) if face or not candidate else candidate.edge_px

    def near(self, row: int, reach: float) -> npt.NDArray[np.bool_]:
        """Which of them, shape (N,), lie within so many edges of that in a row, itself among them."""
        away = self.squares.center_xy - self.squares.center_xy[row]
        return np.asarray(np.hypot(away[:, 0], away[:, 1]) <= reach * self.squares.edge_px[row], np.bool_)


class PlaceFinder:
    """Finds places where there may be dice; threads may share one."""

    def __init__(self, reader: FaceReader, weigh: VerdictParams, common_size: CommonSizeParams) -> None:
        """Set it up.

        Args:
            reader: Asked where finder and lattice do not report the same.
            weigh: When a lattice is not of the finder's die, and when the reader denies one.
            common_size: What the dice's common size says against the finder.
        """
        self._reader = reader
        self._weigh = weigh
        self._common_size = common_size

    def find(self, stage: Stage, detections: Detections) -> Places:
        """Put together what was detected of each die.

        Args:
            stage: Where was looked.
            detections: What may be dice there.

        Returns:
            Pairs of lattice and candidate first, then what the finder saw faintly, then burnt tops.
        """
        pairs = pair_up(detections.faces, detections.candidates, self._weigh)
        self._part(detections, pairs)
        pairs += [(None, candidate) for candidate in detections.faint]
        unburnt = len(pairs)
        pairs += [(None, candidate) for candidate in detections.burnt]
        faces = [face if face is not None else _face_at(detections.soft, candidate) for face, candidate in pairs]
        squares, quads = places_of(faces)
        inside = np.array([stage.inside_px(x, y) for x, y in squares.center_xy.tolist()])
        places = Places(pairs, faces, squares, quads, inside, unburnt, np.zeros(len(pairs), dtype=np.bool_))
        return self._at_common_size(stage, detections, places)

    def _part(self, detections: Detections, pairs: list[Pair]) -> None:
        """Part lattices from candidates that they do not lie on, and where more is to be read than on themselves.

        Such a lattice is of a top's pip and one of a side's or of the next die's, or of some of a top's pips. `pairs`
        is changed in place.
        """
        loose = [
            (row, face, candidate)
            for row, (face, candidate) in enumerate(pairs)
            if face is not None and candidate is not None and is_loose(face, candidate, self._weigh)
        ]
        if not loose:
            return
        lattices = [face for _, face, _ in loose]
        on_lattices, on_candidates = self._read(
            detections, lattices, [_face_at(detections.soft, candidate) for _, _, candidate in loose]
        )
        for (row, face, candidate), own, other in zip(loose, on_lattices, on_candidates, strict=True):
            if is_beside(face.value, own.tolist(), other.tolist(), self._weigh):
                pairs[row] = (None, candidate)

    def _at_common_size(self, stage: Stage, detections: Detections, places: Places) -> Places:
        """Places of the size that reads better, their own or the dice's, where the finder alone makes them too large.

        What is not read alike at both sizes is split.
        """
        params, edge_px = self._common_size, detections.view.edge_px
        within = (places.inside_px >= -stage.floor_slack * edge_px).tolist()
        smaller = seen_too_large(places.pairs, within, edge_px, params)
        if not smaller:
            return places
        rows = list(smaller)
        pairs, faces, split = list(places.pairs), list(places.faces), places.split.copy()
        sized = [_face_at(detections.soft, candidate) for candidate in smaller.values()]
        at_own, at_common = self._read(detections, [faces[row] for row in rows], sized)
        for row, face, own, common in zip(rows, sized, at_own[:, :6], at_common[:, :6], strict=True):
            better, split[row] = better_size(own, common, params)
            if better:
                faces[row] = face
            if own.max() >= params.clear:
                pairs[row] = (None, smaller[row])
        squares, quads = places_of(faces)
        return replace(places, pairs=pairs, faces=faces, squares=squares, quads_px=quads, split=split)

    def _read(self, detections: Detections, faces: Sequence[Face], others: Sequence[Face]) -> tuple[F32, F32]:
        """What the face reader says of faces and of others, all at once: rows of eight shares as in `FaceSights`.

        That of `cocked` is taken out, since something better says whether a die leans.
        """
        squares = places_of([*faces, *others])[0]
        crops = cut_out(detections.picture, squares, FACE_PX, FACE_SPAN)[0]
        shares = without_cocked(self._reader.look_at(crops, squares).probabilities)
        return shares[: len(faces)], shares[len(faces) :]


def _face_at(soft: Soft, candidate: FaceCandidate | None) -> Face:
    """A face where only the finder saw one, for its colour and outline."""
    if candidate is None:
        raise ValueError("neither a face nor a candidate: pair_up gives at least one")
    turn = np.radians(candidate.angle_deg)
    axis = np.array([np.cos(turn), np.sin(turn)]) * candidate.edge_px / 2.0
    return face_of(soft, np.array(candidate.center_px), axis)
