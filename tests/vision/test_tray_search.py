"""At which scale a tray's dice are looked for, with a finder that sees one thing from afar and another from nearby."""

import numpy as np
import pytest

from vision.detection.detector import NOMINAL_EDGE_PX, Detector
from vision.detection.found import Found
from vision.detection.tray_search import TraySearchParams, find_in_tray
from vision.shrink import Halves

PARAMS = TraySearchParams()
PICTURE = Halves(np.full((60, 80, 3), 60, np.uint8))
EXPECTED_PX = 96.0
"""The tray implies dice of this edge: it is searched at a quarter of its size first."""
USUAL = NOMINAL_EDGE_PX / EXPECTED_PX


class Looks(Detector):
    """Sees at each scale what it was told to see there, the nearest of those; it takes down the scales."""

    def __init__(self, looks: dict[float, Found]) -> None:
        self._looks = looks
        self.scales: list[float] = []

    def find(self, picture: Halves, scale: float) -> Found:
        self.scales.append(scale)
        return self._looks[min(self._looks, key=lambda known: abs(np.log(known / scale)))]


def dice(edge_px: float, heat: float, *places: tuple[float, float]) -> Found:
    count = len(places)
    return Found(np.array(places).reshape(-1, 2), np.full(count, edge_px), np.zeros(count), np.full(count, heat))


def searched(looks: Looks, edge_px: float = EXPECTED_PX, *, is_known: bool = False) -> tuple[list[float], list[float]]:
    """Edges of what was found, and the scales at which was looked."""
    found = find_in_tray(looks, PICTURE, edge_px, PARAMS, is_known=is_known)
    return found.edge_px.tolist(), looks.scales


ROW = tuple((200.0 * k, 100.0) for k in range(4))


def test_dice_of_the_expected_size_are_seen_at_one_look() -> None:
    looks = Looks({USUAL: dice(EXPECTED_PX, 0.9, *ROW)})
    assert searched(looks) == ([EXPECTED_PX] * 4, [USUAL])


@pytest.mark.parametrize("edge_px", [96.0 / 1.6, 96.0 * 1.6])
def test_dice_of_another_size_are_looked_at_again_at_the_scale_that_suits_them(edge_px: float) -> None:
    better = NOMINAL_EDGE_PX / edge_px
    looks = Looks({USUAL: dice(edge_px, 0.8, *ROW[:3]), better: dice(edge_px, 0.95, *ROW)})
    edges, scales = searched(looks)
    assert scales == pytest.approx([USUAL, better])
    assert edges == [edge_px] * 4


@pytest.mark.parametrize("edge_px", [96.0 / 1.3, 96.0 * 1.3])
def test_dice_of_nearly_the_expected_size_are_not(edge_px: float) -> None:
    assert searched(Looks({USUAL: dice(edge_px, 0.8, *ROW)}))[1] == [USUAL]


def test_what_is_hardly_seen_has_no_say_in_the_dices_size() -> None:
    faint = dice(20.0, 0.2, *((50.0 * k, 300.0) for k in range(9)))
    sure = dice(EXPECTED_PX, 0.9, *ROW)
    columns = ("center_xy", "edge_px", "turn_rad", "heat")
    both = Found(*(np.concatenate([getattr(sure, name), getattr(faint, name)]) for name in columns))
    assert searched(Looks({USUAL: both}))[1] == [USUAL]


def test_with_a_profile_nothing_else_is_tried() -> None:
    assert searched(Looks({USUAL: dice(30.0, 0.9, *ROW[:2])}), is_known=True)[1] == [USUAL]


def test_a_picture_is_never_enlarged() -> None:
    small = NOMINAL_EDGE_PX / 2
    assert searched(Looks({1.0: dice(small, 0.3, *ROW)}), small) == ([small] * 4, [1.0])


def test_small_dice_in_a_large_tray_are_found_at_a_second_look() -> None:
    chip = dice(EXPECTED_PX, 0.7, (900.0, 700.0))
    small = dice(40.0, 0.9, *ROW)
    edges, scales = searched(Looks({USUAL: Found.nothing(), 2 * USUAL: small}))
    assert (edges, len(scales)) == ([40.0] * 4, 2)
    # Beside something larger that half looks like a die the second look counts, too.
    among = Found(
        np.concatenate([chip.center_xy, [[0.0, 0.0]] * 3]),
        np.full(4, EXPECTED_PX),
        np.zeros(4),
        np.array([0.7] + [0.2] * 3),
    )
    assert searched(Looks({USUAL: among, 2 * USUAL: small}))[0] == [40.0] * 4


def test_a_second_look_that_sees_no_more_dice_is_not_believed() -> None:
    large, small = dice(EXPECTED_PX, 0.9, ROW[0]), dice(40.0, 0.9, (700.0, 700.0))
    doubtful = dice(EXPECTED_PX, 0.2, *ROW[1:])
    both = Found(
        *(
            np.concatenate([getattr(large, n), getattr(doubtful, n)])
            for n in ("center_xy", "edge_px", "turn_rad", "heat")
        )
    )
    edges, scales = searched(Looks({USUAL: both, 2 * USUAL: small}))
    assert len(scales) == 2
    assert edges == [EXPECTED_PX] * 4


def test_one_clear_die_needs_no_second_look() -> None:
    assert searched(Looks({USUAL: dice(EXPECTED_PX, 0.9, ROW[0])}))[1] == [USUAL]


@pytest.mark.parametrize(
    ("nearby", "edge_px"),
    [
        (tuple((x + dx, 100.0) for x, _ in ROW[:3] for dx in (-24.0, 24.0)), EXPECTED_PX),
        (tuple((x, 500.0) for x, _ in ROW), 30.0),
        (ROW, 30.0),
    ],
    ids=["pips of the dice", "small dice elsewhere", "the same dice, smaller"],
)
def test_what_looks_like_small_dice_on_large_ones_is_their_pips(
    nearby: tuple[tuple[float, float], ...], edge_px: float
) -> None:
    # Camouflaged by a floor of their colour: the finder is sure of none.
    looks = Looks(
        {USUAL: dice(EXPECTED_PX, 0.5, *ROW[:3]), 2 * USUAL: dice(30.0, 0.8, *nearby), 0.8: dice(30.0, 0.8, *nearby)}
    )
    edges, scales = searched(looks)
    assert len(scales) > 1, "of so few sure dice it makes sure"
    assert set(edges) == {edge_px}


def test_an_empty_tray_is_looked_at_twice_and_stays_empty() -> None:
    edges, scales = searched(Looks({USUAL: Found.nothing()}))
    assert (edges, scales) == ([], [USUAL, 2 * USUAL])
