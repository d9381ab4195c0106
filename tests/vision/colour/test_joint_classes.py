"""Dice beside one another: what one alone leaves open, the others settle."""

from collections.abc import Sequence

import numpy as np
import pytest

from vision.colour.classes import STANDARD_COLOURS, ColourParams, lab_of
from vision.colour.joint_classes import settle_jointly
from vision.colour.rivals import Body


def lab(bgr: tuple[int, int, int]) -> list[float]:
    first: list[float] = lab_of(np.array([bgr], dtype=np.float64))[0].tolist()
    return first


def bodies(labs: Sequence[Sequence[float]]) -> list[Body]:
    return [Body(np.array(lab, dtype=np.float64)) for lab in labs]


GREEN, DIM_GREEN, TINGED_BLACK = (52.0, -45.0, 25.0), (24.0, -24.0, 13.0), (12.0, -7.0, 4.0)


@pytest.mark.parametrize("said", ["skill", None])
def test_a_black_die_with_a_tinge_is_recognised_by_the_green_one_beside_it(said: str | None) -> None:
    labs = (GREEN, TINGED_BLACK)
    assert settle_jointly(bodies(labs), ["skill", said], STANDARD_COLOURS, ColourParams()) == (
        "skill",
        "gear",
    )


def test_most_of_what_seems_green_may_be_black_dice_with_a_tinge() -> None:
    labs = (GREEN, *[TINGED_BLACK] * 6)
    assert settle_jointly(bodies(labs), ["skill"] * 7, STANDARD_COLOURS, ColourParams()) == ("skill", *["gear"] * 6)
    shaded = (GREEN, *[DIM_GREEN] * 6)
    assert settle_jointly(bodies(shaded), ["skill"] * 7, STANDARD_COLOURS, ColourParams()) == ("skill",) * 7


def test_a_green_die_in_the_shade_stays_green() -> None:
    labs = (GREEN, DIM_GREEN)
    assert settle_jointly(bodies(labs), ["skill", "skill"], STANDARD_COLOURS, ColourParams()) == (
        "skill",
        "skill",
    )


def test_a_dull_dark_die_is_doubted_where_no_class_is_black() -> None:
    labs = (GREEN, TINGED_BLACK)
    settled = settle_jointly(bodies(labs), ["skill", "skill"], {"base": "yellow", "skill": "green"}, ColourParams())
    assert settled == ("skill", None)


def test_a_blue_die_washed_out_by_haze_is_not_surely_white() -> None:
    classes = {"base": "red", "skill": "white", "gear": "blue"}
    labs = [lab(bgr) for bgr in ((205, 208, 210), (196, 200, 204), (214, 214, 216), (190, 152, 140))]
    assert settle_jointly(bodies(labs), ["skill"] * 4, classes, ColourParams()) == (
        "skill",
        "skill",
        "skill",
        None,
    )
    assert settle_jointly(bodies(labs[:3]), ["skill"] * 3, classes, ColourParams()) == ("skill",) * 3


def test_a_white_die_in_the_shade_is_as_white_as_the_others() -> None:
    labs = [lab(bgr) for bgr in ((230, 232, 235), (118, 119, 121), (226, 228, 232))]
    assert settle_jointly(bodies(labs), ["skill"] * 3, {"skill": "white"}, ColourParams()) == ("skill",) * 3


def test_of_two_unlike_dice_of_a_class_neither_is_sure() -> None:
    labs = [lab(bgr) for bgr in ((40, 38, 37), (46, 74, 30))]
    assert settle_jointly(bodies(labs), ["gear", "gear"], {"gear": "black"}, ColourParams()) == (
        None,
        None,
    )


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
    assert settle_jointly(bodies(dice), said, STANDARD_COLOURS, ColourParams()) == settled


def test_alone_nothing_is_settled() -> None:
    labs = [TINGED_BLACK]
    assert settle_jointly(bodies(labs), [None], STANDARD_COLOURS, ColourParams()) == (None,)


DULL_GREEN, UNSURE_GREEN, BLACK = (30.0, -11.0, 5.5), (31.9, -9.7, 4.5), (24.6, 1.4, -1.6)


def test_dice_of_the_same_tinge_vouch_for_one_that_is_nearly_black() -> None:
    labs = (DULL_GREEN, UNSURE_GREEN, BLACK)
    settled = settle_jointly(bodies(labs), ["skill", None, "gear"], STANDARD_COLOURS, ColourParams())
    assert settled == ("skill", "skill", "gear")


def test_nobody_vouches_for_a_grey_between_black_and_white() -> None:
    greys = ((88.0, 0.0, 0.0), (50.0, 1.0, 1.0), (18.0, 1.0, 0.0))
    settled = settle_jointly(bodies(greys), ["base", None, "gear"], {"base": "white", "gear": "black"}, ColourParams())
    assert settled == ("base", None, "gear")


RED, GLARING_RED, PINK, WHITE_IN_BLUE, BLUE = (
    (36.0, 46.0, 27.0),
    (68.0, 21.0, 11.0),
    (68.0, 21.0, -6.0),
    (46.0, 4.5, -15.7),
    (23.0, 11.0, -29.0),
)


def test_glare_takes_colour_away_but_not_the_hue() -> None:
    classes = {"base": "red"}
    labs = (RED, RED, GLARING_RED)
    assert settle_jointly(bodies(labs), ["base"] * 3, classes, ColourParams()) == ("base",) * 3
    labs = (RED, RED, PINK)
    assert settle_jointly(bodies(labs), ["base"] * 3, classes, ColourParams()) == ("base", "base", None)


def test_a_lighter_die_is_dulled_by_glare_and_a_darker_one_is_not() -> None:
    for lightness, settled in ((41.0, "gear"), (18.0, None)):
        dull = (lightness, 0.5 * 11.0 / 39.0 * (lightness + 16.0), -0.5 * 29.0 / 39.0 * (lightness + 16.0))
        reported = settle_jointly(bodies((BLUE, BLUE, dull)), ["gear"] * 3, {"gear": "blue"}, ColourParams())
        assert reported == ("gear", "gear", settled)


def test_where_no_class_is_black_a_dull_die_may_be_duller() -> None:
    dull = (40.0, 0.6 * 11.0 / 39.0 * 56.0, -0.6 * 29.0 / 39.0 * 56.0)
    bright = (60.0, 11.0 / 39.0 * 76.0, -29.0 / 39.0 * 76.0)
    labs, said = (bright, bright, BLUE, dull), ["gear"] * 4
    for classes, settled in (({"gear": "blue"}, "gear"), ({"gear": "blue", "skill": "black"}, None)):
        assert settle_jointly(bodies(labs), said, classes, ColourParams()) == ("gear", "gear", "gear", settled)


def test_a_white_die_in_blue_light_is_betrayed_by_its_dark_pips() -> None:
    blue, white = Body(np.array(BLUE), dark_pips=False), Body(np.array(WHITE_IN_BLUE), dark_pips=True)
    unseen = Body(np.array(BLUE))
    said = ["gear"] * 4
    assert settle_jointly([blue, blue, white, unseen], said, {"gear": "blue"}, ColourParams()) == (
        "gear",
        "gear",
        None,
        "gear",
    )
    assert settle_jointly([blue, white], said[:2], {"gear": "blue"}, ColourParams()) == (None, None)


def test_white_dice_that_took_on_the_floors_colour_vouch_for_one_another_by_their_pips() -> None:
    blue = Body(np.array(BLUE), dark_pips=False)
    white = Body(np.array((54.0, 8.6, -3.8)), dark_pips=True)
    bluish = Body(np.array((48.2, 9.0, -10.4)), dark_pips=True)
    classes = {"skill": "white", "gear": "blue"}
    said = ["gear", "gear", "skill", "gear"]
    settled = settle_jointly([blue, blue, white, bluish], said, classes, ColourParams())
    assert settled == ("gear", "gear", "skill", "skill")
    unseen = Body(bluish.lab)
    assert settle_jointly([blue, blue, white, unseen], said, classes, ColourParams())[3] != "skill"
