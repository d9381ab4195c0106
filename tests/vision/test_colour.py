"""Names of colours: typical dice under warm and cold lamps, and what must stay unnamed."""

import numpy as np
import pytest

from vision.colour import (
    COLOUR_NAMES,
    STANDARD_COLOURS,
    ColourParams,
    UnknownColour,
    classify,
    lab_of,
    name_distance,
    settle_in_company,
)

TYPICAL_BGR = {
    "yellow": [(46, 201, 238), (30, 170, 240), (120, 240, 250)],
    "green": [(65, 124, 28), (80, 170, 60), (130, 215, 110)],
    "black": [(42, 38, 37), (20, 20, 25), (80, 84, 82)],
    "white": [(235, 235, 235), (200, 225, 238)],
    "red": [(40, 35, 190), (60, 50, 150)],
    "blue": [(170, 80, 35), (120, 60, 30)],
}


def lab(bgr: tuple[int, int, int]) -> np.ndarray:
    return lab_of(np.array([bgr], dtype=np.float64))[0]


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


GREEN, DIM_GREEN, TINGED_BLACK = (52.0, -45.0, 25.0), (24.0, -24.0, 13.0), (12.0, -7.0, 4.0)


@pytest.mark.parametrize("said", ["skill", None])
def test_a_black_die_with_a_tinge_is_told_by_the_green_one_beside_it(said: str | None) -> None:
    labs = [np.array(lab) for lab in (GREEN, TINGED_BLACK)]
    assert settle_in_company(labs, ["skill", said], STANDARD_COLOURS, ColourParams()) == ("skill", "gear")


def test_a_green_die_in_the_shade_stays_green() -> None:
    labs = [np.array(lab) for lab in (GREEN, DIM_GREEN)]
    assert settle_in_company(labs, ["skill", "skill"], STANDARD_COLOURS, ColourParams()) == ("skill", "skill")


def test_a_dull_dark_die_is_doubted_where_no_class_is_black() -> None:
    labs = [np.array(lab) for lab in (GREEN, TINGED_BLACK)]
    settled = settle_in_company(labs, ["skill", "skill"], {"base": "yellow", "skill": "green"}, ColourParams())
    assert settled == ("skill", None)


def test_a_blue_die_washed_out_by_haze_is_not_surely_white() -> None:
    classes = {"base": "red", "skill": "white", "gear": "blue"}
    labs = [lab(bgr) for bgr in ((205, 208, 210), (196, 200, 204), (214, 214, 216), (190, 152, 140))]
    assert settle_in_company(labs, ["skill"] * 4, classes, ColourParams()) == ("skill", "skill", "skill", None)
    assert settle_in_company(labs[:3], ["skill"] * 3, classes, ColourParams()) == ("skill",) * 3


def test_a_white_die_in_the_shade_is_as_white_as_the_others() -> None:
    labs = [lab(bgr) for bgr in ((230, 232, 235), (118, 119, 121), (226, 228, 232))]
    assert settle_in_company(labs, ["skill"] * 3, {"skill": "white"}, ColourParams()) == ("skill",) * 3


def test_of_two_unlike_dice_of_a_class_neither_is_sure() -> None:
    labs = [lab(bgr) for bgr in ((40, 38, 37), (46, 74, 30))]
    assert settle_in_company(labs, ["gear", "gear"], {"gear": "black"}, ColourParams()) == (None, None)


GREY, GREENISH, PALE_GREEN = (60.0, 1.0, -1.0), (62.0, -9.0, 5.0), (66.0, -16.0, 9.0)


@pytest.mark.parametrize(
    ("dice", "settled"),
    [
        ([GREY, GREENISH, GREY, PALE_GREEN], ("gear", None, "gear", "skill")),
        ([GREENISH, PALE_GREEN], (None, "skill")),
        ([GREY, GREY, PALE_GREEN], ("gear", "gear", "skill")),
        ([GREENISH, GREENISH, GREENISH, PALE_GREEN], ("gear", "gear", "gear", "skill")),
    ],
)
def test_a_die_greener_than_the_other_black_ones_may_be_green(
    dice: list[tuple[float, float, float]], settled: tuple[str | None, ...]
) -> None:
    said = ["skill" if die is PALE_GREEN else "gear" for die in dice]
    assert settle_in_company([np.array(die) for die in dice], said, STANDARD_COLOURS, ColourParams()) == settled


def test_alone_nothing_is_settled() -> None:
    labs = [np.array(TINGED_BLACK)]
    assert settle_in_company(labs, [None], STANDARD_COLOURS, ColourParams()) == (None,)
