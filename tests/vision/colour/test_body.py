"""Colours of a picture's dice together: whose pips tell the light."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vision.colour.body import colour_classes, white_pips
from vision.colour.classes import STANDARD_COLOURS, ColourParams, lab_of, light_of
from vision.colour.top_faces import TopFace
from vision.pipeline.calibrate import CalibrateParams, plastics
from vision.tray.floor import Floor
from vision.tray.profile import PaletteColour, Profile

GREEN = TopFace(
    center_xy=np.zeros(2),
    edge_px=16.0,
    contrast=60.0,
    body_bgr=np.array([66.0, 116.0, 60.0]),
    pip_bgr=np.array([110.0, 150.0, 112.0]),
    dark=False,
    rim_bgr=np.array([66.0, 116.0, 60.0]),
    darkest=1.0,
)
BLACK = replace(GREEN, body_bgr=np.full(3, 50.0), pip_bgr=np.array([125.0, 126.0, 127.0]))


def measured(**classes: tuple[np.ndarray, bool]) -> Profile:
    """A profile with classes of these colours, BGR, with dark pips or without."""
    labs = {label: lab_of(bgr[None])[0].tolist() for label, (bgr, _) in classes.items()}
    palette = tuple(
        PaletteColour(label, (lab[0], lab[1], lab[2]), 3.0, dark_pips=classes[label][1]) for label, lab in labs.items()
    )
    outline = np.array([[0.0, 0.0], [600.0, 0.0], [600.0, 450.0], [0.0, 450.0]])
    floor = Floor("rectangle", outline)
    return Profile(640, 480, floor, (260.0, 200.0), 16.0, 30.0, palette, np.zeros((48, 64, 3)))


def test_pips_that_took_on_a_green_body_do_not_show_the_light_beside_those_on_black() -> None:
    # Under a light taken for green a black die looks purple.
    assert white_pips([GREEN, GREEN, BLACK], ColourParams()).tolist() == [[125.0, 126.0, 127.0]]


def test_where_no_die_is_dark_all_light_pips_show_it() -> None:
    assert len(white_pips([GREEN, GREEN], ColourParams())) == 2
    assert white_pips([], ColourParams()).shape == (0, 3)


RED_PIPS = replace(BLACK, pip_bgr=np.array([50.0, 60.0, 200.0]))


def test_pips_painted_red_or_gold_show_how_bright_the_light_is_and_nothing_of_its_colour() -> None:
    gold = replace(BLACK, pip_bgr=np.array([40.0, 160.0, 210.0]))
    params = ColourParams()
    assert white_pips([RED_PIPS, gold], params).tolist() == [[200.0] * 3, [210.0] * 3]
    assert white_pips([RED_PIPS, GREEN, BLACK], params).tolist() == [BLACK.pip_bgr.tolist()]
    assert white_pips([RED_PIPS, gold, BLACK], params).tolist() == [[200.0] * 3, [210.0] * 3, [127.0] * 3]
    hazy = replace(gold, body_bgr=np.full(3, 80.0), pip_bgr=np.array([100.0, 185.0, 218.0]))
    assert white_pips([hazy, GREEN], params).tolist() == [[218.0] * 3]
    on_blue = replace(GREEN, body_bgr=np.array([136.0, 96.0, 94.0]), pip_bgr=np.array([80.0, 127.0, 162.0]))
    assert white_pips([on_blue], params).tolist() == [[162.0] * 3]
    warm = replace(BLACK, body_bgr=np.array([26.0, 41.0, 50.0]), pip_bgr=np.array([105.0, 165.0, 200.0]))
    assert white_pips([warm], params).tolist() == [warm.pip_bgr.tolist()]


def test_black_dice_with_red_pips_are_black() -> None:
    light = light_of(white_pips([RED_PIPS], ColourParams()), ColourParams())
    hazy = replace(RED_PIPS, body_bgr=np.array([46.0, 45.0, 42.0]), rim_bgr=np.array([46.0, 45.0, 42.0]))
    assert colour_classes([hazy], light, None, STANDARD_COLOURS, ColourParams()) == ("gear",)


@pytest.mark.parametrize(
    ("body", "rim", "label"),
    [((250, 250, 250), (60, 190, 215), "base"), ((74, 88, 88), (55, 150, 150), None)],
    ids=["a yellow die under glare", "a blurred black die on a yellow floor"],
)
def test_a_rim_shows_the_colour_only_where_glare_spared_it(
    body: tuple[int, int, int], rim: tuple[int, int, int], label: str | None
) -> None:
    die = replace(GREEN, body_bgr=np.array(body, float), rim_bgr=np.array(rim, float))
    assert colour_classes([die], np.full(3, 0.67), None, STANDARD_COLOURS, ColourParams()) == (label,)


def test_a_die_under_glare_unsettles_no_other_of_its_class() -> None:
    yellow = replace(GREEN, body_bgr=np.array([62.0, 236.0, 246.0]), rim_bgr=np.array([60.0, 188.0, 196.0]))
    washed_out = replace(yellow, body_bgr=np.array([248.0, 254.0, 254.0]), rim_bgr=np.array([74.0, 182.0, 182.0]))
    dice = [yellow, washed_out]
    assert colour_classes(dice, np.ones(3), None, STANDARD_COLOURS, ColourParams()) == ("base", "base")


def test_with_measured_colours_pips_of_the_wrong_kind_leave_a_doubt() -> None:
    profile = measured(skill=(GREEN.body_bgr, False))
    wrong = replace(GREEN, dark=True, pip_bgr=np.full(3, 20.0))
    dice = [GREEN, wrong, replace(wrong, contrast=0.0)]
    assert colour_classes(dice, np.ones(3), profile, {}, ColourParams()) == ("skill", None, "skill")


RED = replace(GREEN, body_bgr=np.array([45.0, 40.0, 190.0]), rim_bgr=np.array([40.0, 36.0, 180.0]))
WASHED_OUT_RED = replace(RED, body_bgr=np.array([240.0, 238.0, 246.0]))
WHITE = replace(
    GREEN,
    body_bgr=np.array([236.0, 238.0, 240.0]),
    rim_bgr=np.array([228.0, 230.0, 232.0]),
    pip_bgr=np.array([60.0, 58.0, 57.0]),
    dark=True,
)
BURNT_YELLOW = replace(GREEN, body_bgr=np.array([205.0, 255.0, 255.0]), rim_bgr=np.array([140.0, 248.0, 254.0]))
WHITE_ON_RED = replace(WHITE, rim_bgr=np.array([60.0, 55.0, 150.0]))
GREY_RIM = replace(WHITE, rim_bgr=np.full(3, 160.0))
PALE_PIPS = replace(WASHED_OUT_RED, pip_bgr=np.full(3, 190.0), dark=True)
UNSEEN_PIPS: dict[str, Any] = {"contrast": 0.0, "dark": False}
RED_WHITE = {"base": "red", "skill": "white"}


@pytest.mark.parametrize(
    ("dice", "labels"),
    [
        ([WHITE, RED], ("skill", "base")),
        ([WHITE, WASHED_OUT_RED], ("skill", "base")),
        ([WHITE, WASHED_OUT_RED, RED], ("skill", "base", "base")),
        ([WASHED_OUT_RED], (None,)),
        ([WHITE_ON_RED], (None,)),
        ([WHITE_ON_RED, RED], ("skill", "base")),
        ([replace(WHITE_ON_RED, **UNSEEN_PIPS, darkest=0.3), RED], ("skill", "base")),
        ([replace(WHITE, **UNSEEN_PIPS, darkest=0.8), WHITE], (None, "skill")),
        ([replace(WHITE, **UNSEEN_PIPS, darkest=0.3), WHITE], ("skill", "skill")),
        ([replace(WHITE, **UNSEEN_PIPS, rim_bgr=np.full(3, 160.0)), WHITE], (None, "skill")),
        ([replace(GREY_RIM, **UNSEEN_PIPS), GREY_RIM], ("skill", "skill")),
        ([WHITE, PALE_PIPS], ("skill", None)),
    ],
)
def test_a_red_die_that_mirrors_a_lamp_is_not_read_as_white(
    dice: list[TopFace], labels: tuple[str | None, ...]
) -> None:
    assert colour_classes(dice, np.ones(3), None, RED_WHITE, ColourParams()) == labels


def test_measured_colours_and_pips_show_a_washed_out_die_by_its_rim() -> None:
    profile = measured(base=(RED.rim_bgr, False), skill=(WHITE.rim_bgr, True))
    unseen = replace(WASHED_OUT_RED, **UNSEEN_PIPS)
    dice = [WHITE, WASHED_OUT_RED, unseen, replace(unseen, rim_bgr=np.array([120.0, 118.0, 170.0])), WHITE_ON_RED]
    labels = colour_classes(dice, np.ones(3), profile, {}, ColourParams())
    assert labels == ("skill", "base", "base", None, "skill")


def test_a_calibration_takes_the_rims_of_dice_that_mirror_a_lamp() -> None:
    labs = plastics([RED, WASHED_OUT_RED, WHITE, BURNT_YELLOW], CalibrateParams())
    assert labs[[1, 3]] == pytest.approx(lab_of(np.array([RED.rim_bgr, BURNT_YELLOW.rim_bgr])))
    assert labs[[0, 2]] == pytest.approx(lab_of(np.array([RED.body_bgr, WHITE.body_bgr])))


def test_a_burnt_green_die_is_not_classified_by_the_bright_black_that_a_calibration_measured() -> None:
    bright = np.array([130.0, 240.0, 120.0])
    profile = measured(skill=(bright, False), gear=(np.array([125.0, 105.0, 104.0]), False))
    green = replace(GREEN, body_bgr=bright, rim_bgr=0.8 * bright)
    burnt = replace(green, body_bgr=np.full(3, 240.0), contrast=0.0)
    assert colour_classes([green, burnt], np.ones(3), profile, {}, ColourParams()) == ("skill", "skill")


def test_a_green_die_that_mirrors_a_lamp_is_not_read_as_black() -> None:
    washed_out = replace(GREEN, body_bgr=np.array([126.0, 128.0, 118.0]), rim_bgr=np.array([52.0, 80.0, 44.0]))
    black = replace(BLACK, rim_bgr=np.full(3, 40.0))
    labels = colour_classes([washed_out, black, black], np.ones(3), None, STANDARD_COLOURS, ColourParams())
    assert labels == (None, "gear", "gear")


def test_a_die_of_its_classs_full_colour_needs_no_dark_pips_to_show() -> None:
    body = np.array([30.0, 210.0, 240.0])
    yellow = replace(GREEN, body_bgr=body, rim_bgr=0.8 * body, pip_bgr=np.full(3, 40.0), dark=True)
    profile = measured(base=(body, True))
    # A lamp mirrored in its pips: nothing dark is left on it, and it has no lattice. Its rim lies in the shade.
    mirrored = replace(yellow, contrast=0.0, darkest=0.9, rim_bgr=0.55 * body)
    pale = replace(mirrored, body_bgr=np.array([150.0, 235.0, 245.0]))
    dice = [yellow, mirrored, pale]
    assert colour_classes(dice, np.ones(3), profile, {}, ColourParams())[:2] == ("base", "base")
    assert colour_classes(dice, np.ones(3), profile, {}, ColourParams())[2] is None
