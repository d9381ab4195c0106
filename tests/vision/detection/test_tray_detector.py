"""At which scale a tray's dice are looked for."""

from dataclasses import replace

import numpy as np
import pytest

from vision.detection.finder import FaceCandidate
from vision.detection.tray_detector import Detections, Detector, DetectorParams
from vision.imaging.pyramid import ImagePyramid
from vision.tray.stage import StageParams, set_stage

DICE = tuple(FaceCandidate((x, 260.0), 60.0, 0.0, 0.5, (0.0, 0.0)) for x in (240.0, 340.0, 440.0))
"""Camouflaged by a floor of their colour: the finder is sure of none."""


class TwoLooks:
    """A finder that sees one thing from afar and another from nearby; it takes down the scales."""

    def __init__(self, afar: tuple[FaceCandidate, ...], nearby: tuple[FaceCandidate, ...]) -> None:
        self._looks = (afar, nearby)
        self.scales: list[float] = []

    def find(self, picture: ImagePyramid, scale: float) -> tuple[FaceCandidate, ...]:
        self.scales.append(scale)
        return self._looks[scale > 1.5 * self.scales[0]]


def small(x: float, y: float) -> FaceCandidate:
    return FaceCandidate((x, y), 20.0, 0.0, 0.7, (0.0, 0.0))


def detected(
    monkeypatch: pytest.MonkeyPatch, afar: tuple[FaceCandidate, ...], nearby: tuple[FaceCandidate, ...]
) -> tuple[TwoLooks, Detections]:
    """What is made of a bare tray's picture where a finder sees that in it, told in the picture's pixels."""
    picture = np.full((960, 1280, 3), 60, np.uint8)
    picture[100:860, 120:1160] = (150, 90, 40)
    stage = set_stage(picture, None, StageParams())
    assert stage is not None
    left, top = stage.left_top.tolist()
    looks = (
        tuple(replace(die, center_px=(die.center_px[0] - left, die.center_px[1] - top)) for die in look)
        for look in (afar, nearby)
    )
    detector, finder = Detector(None, DetectorParams()), TwoLooks(*looks)
    monkeypatch.setattr(detector, "_finder", finder)
    return finder, detector.detect(stage, lambda name: None)


@pytest.mark.parametrize(
    ("nearby", "edge_px"),
    [
        (tuple(small(x + dx, 250.0) for x in (240.0, 340.0) for dx in (-15.0, 15.0)), 60.0),
        (tuple(small(x, 120.0) for x in (200.0, 300.0, 400.0, 500.0)), 20.0),
        (tuple(small(x, 262.0) for x in (240.0, 340.0, 440.0)), 20.0),
    ],
    ids=["pips of the dice", "small dice elsewhere", "the same dice, smaller"],
)
def test_what_looks_like_small_dice_on_large_ones_is_their_pips(
    monkeypatch: pytest.MonkeyPatch, nearby: tuple[FaceCandidate, ...], edge_px: float
) -> None:
    finder, found = detected(monkeypatch, DICE, nearby)
    assert len(finder.scales) > 1, "of so few sure dice it makes sure"
    assert {candidate.edge_px for candidate in found.candidates} == {edge_px}


def test_a_tables_pattern_has_no_say_in_how_large_the_dice_are(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = tuple(FaceCandidate((200.0 + 90.0 * k, 80.0), 42.0, 0.0, 0.5, (0.0, 0.0)) for k in range(5))
    seen = (*DICE, *pattern)
    assert detected(monkeypatch, seen, seen)[1].view.edge_px == 60.0


@pytest.mark.parametrize(("beside_x", "edge_px"), [(255.0, 60.0), (340.0, 45.0)], ids=["its own side", "another die"])
def test_a_side_beside_its_top_does_not_show_the_dices_size(
    monkeypatch: pytest.MonkeyPatch, beside_x: float, edge_px: float
) -> None:
    top = FaceCandidate((240.0, 260.0), 60.0, 0.0, 0.7, (0.0, 0.0))
    seen = (top, FaceCandidate((beside_x, 300.0), 30.0, 0.0, 0.35, (0.0, 0.0)))
    assert detected(monkeypatch, seen, seen)[1].view.edge_px == edge_px
