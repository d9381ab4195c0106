"""What is made of detections: without a tray lattices are asked where the face reader denies what the finder saw."""

from dataclasses import replace

import numpy as np
import pytest

from vision.bench import drawn_scene
from vision.colour import STANDARD_COLOURS
from vision.detector import Detections
from vision.face_reader import NO_TOP_COLUMN, FaceReader, FaceSights
from vision.faces import Face
from vision.finder import FaceCandidate
from vision.frame import ImageBgr
from vision.reader import Reader
from vision.recogniser import RecognisedDice, Recogniser, RecogniserParams
from vision.stage import Stage
from vision.synthetic import draw
from vision.tops import Squares

BARE_XY = np.array([640.0, 60.0])
"""Floor without a die in the drawn tray, in its picture."""


class DenyingReader(FaceReader):
    """Denies with nine tenths whatever lies within a square's edge of a place and is smaller than so many pixels."""

    denied_xy = np.zeros(2)
    below_px = np.inf

    def look_at(self, crops: ImageBgr, squares: Squares) -> FaceSights:
        sights = super().look_at(crops, squares)
        near = np.hypot(*(squares.center_xy - self.denied_xy).T) < squares.edge_px
        denied = near & (squares.edge_px < self.below_px)
        sights.probabilities[denied] = 0.1 / 7.0
        sights.probabilities[denied, NO_TOP_COLUMN] = 0.9
        return sights


@pytest.fixture(scope="module")
def seen() -> tuple[Stage, Detections]:
    """A drawn tray, seen as a photograph of dice lying anywhere."""
    trace = Reader(tray=False).trace(draw(drawn_scene(1)))
    assert trace.stage is not None
    assert trace.detections is not None
    return trace.stage, trace.detections


@pytest.fixture
def denying(monkeypatch: pytest.MonkeyPatch) -> type[DenyingReader]:
    monkeypatch.setattr("vision.recogniser.FaceReader", DenyingReader)
    return DenyingReader


def recognised(stage: Stage, detections: Detections) -> RecognisedDice:
    recogniser = Recogniser(None, STANDARD_COLOURS, RecogniserParams(), tray=False)
    return recogniser.recognise(stage, detections, lambda _: None)


def told_at(dice: RecognisedDice, center_xy: np.ndarray) -> list[tuple[int | None, object]]:
    away = np.hypot(*(dice.centers_xy - center_xy).T)
    return [(dice.verdicts[i].value, dice.verdicts[i].unread) for i in np.flatnonzero(away < 20.0)]


def told_twice(detections: Detections) -> tuple[Face, FaceCandidate]:
    """A die that both a lattice and the finder tell, at one place."""
    return next(
        (face, candidate)
        for face in detections.faces
        for candidate in detections.candidates
        if face.value >= 4 and np.hypot(*(face.center_xy - candidate.center_px)) < 0.1 * face.edge_px
    )


def test_a_pattern_that_finder_and_lattice_take_for_a_die_is_none(
    seen: tuple[Stage, Detections], denying: type[DenyingReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, detections = seen
    face, candidate = told_twice(detections)
    place = BARE_XY - stage.left_top
    monkeypatch.setattr(denying, "denied_xy", place)
    faces = (*detections.faces, replace(face, center_xy=place))
    candidates = (*detections.candidates, replace(candidate, center_px=(place[0], place[1]), score=0.5))
    told = recognised(stage, replace(detections, faces=faces, candidates=candidates))
    assert told_at(told, place) == []
    assert told_at(told, face.center_xy) == [(face.value, None)]


def test_a_die_that_the_finder_saw_too_small_and_aside_is_read_at_its_lattice(
    seen: tuple[Stage, Detections], denying: type[DenyingReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, detections = seen
    face, candidate = told_twice(detections)
    x, y = face.center_xy + 0.15 * face.edge_px
    astray = replace(candidate, center_px=(x, y), edge_px=0.8 * face.edge_px, score=0.5)
    monkeypatch.setattr(denying, "denied_xy", np.array([x, y]))
    monkeypatch.setattr(denying, "below_px", 0.9 * face.edge_px)
    candidates = tuple(astray if other is candidate else other for other in detections.candidates)
    told = recognised(stage, replace(detections, candidates=candidates))
    assert told_at(told, face.center_xy) == [(face.value, None)]
