"""Names of colours: typical dice under warm and cold lamps, and what must stay unnamed."""

import numpy as np
import pytest

from vision.colour.classes import (
    COLOUR_NAMES,
    STANDARD_COLOURS,
    ColourParams,
    UnknownColour,
    classify,
    lab_of,
    name_distance,
)
from vision.types.frame import FloatArray

TYPICAL_BGR = {
    "yellow": [(46, 201, 238), (30, 170, 240), (120, 240, 250)],
    "green": [(65, 124, 28), (80, 170, 60), (130, 215, 110)],
    "black": [(42, 38, 37), (20, 20, 25), (80, 84, 82)],
    "white": [(235, 235, 235), (200, 225, 238)],
    "red": [(40, 35, 190), (60, 50, 150)],
    "blue": [(170, 80, 35), (120, 60, 30)],
}


def lab(bgr: tuple[int, int, int]) -> FloatArray:
    return np.asarray(lab_of(np.array([bgr], dtype=np.float64))[0])


@pytest.mark.parametrize("label", ["base", "skill", "gear"])
def test_standard_dice(label: str) -> None:
    for bgr in TYPICAL_BGR[STANDARD_COLOURS[label]]:
        assert classify(lab(bgr), STANDARD_COLOURS, ColourParams())[0] == label, bgr


@pytest.mark.parametrize("label", ["base", "skill", "gear"])
def test_red_white_blue(label: str) -> None:
    named = {"base": "white", "skill": "red", "gear": "blue"}
    for bgr in TYPICAL_BGR[named[label]]:
        assert classify(lab(bgr), named, ColourParams())[0] == label, bgr


@pytest.mark.parametrize("bgr", [(170, 80, 35), (40, 35, 190), (235, 235, 235), (160, 60, 140)])
def test_other_dice_fit_no_standard_class(bgr: tuple[int, int, int]) -> None:
    assert classify(lab(bgr), STANDARD_COLOURS, ColourParams())[0] is None


def test_an_unknown_name_says_which_are_known() -> None:
    with pytest.raises(UnknownColour, match=r"mauve.*yellow"):
        name_distance(lab((1, 2, 3)), "mauve")
    assert len(COLOUR_NAMES) == 12


def test_a_black_die_that_took_on_a_floors_colour_is_no_purple_one() -> None:
    assert classify(np.array([19.0, 6.4, -11.4]), STANDARD_COLOURS, ColourParams())[0] == "gear"
    assert classify(np.array([30.0, 17.0, -20.0]), STANDARD_COLOURS, ColourParams())[0] is None
