"""Colours of a picture's dice together: whose pips tell the light."""

from dataclasses import replace

import numpy as np
import pytest

from vision.body_colour import colour_classes, white_pips
from vision.colour import STANDARD_COLOURS, ColourParams
from vision.faces import Face

GREEN = Face(
    center_xy=np.zeros(2),
    axis_xy=np.array([8.0, 0.0]),
    across_xy=np.array([0.0, 8.0]),
    value=4,
    margin=1.0,
    residual=0.02,
    contrast=60.0,
    body_bgr=np.array([66.0, 116.0, 60.0]),
    pip_bgr=np.array([110.0, 150.0, 112.0]),
    dark=False,
    rim_bgr=np.array([66.0, 116.0, 60.0]),
    rank=9.0,
)
BLACK = replace(GREEN, body_bgr=np.full(3, 50.0), pip_bgr=np.array([125.0, 126.0, 127.0]))


def test_pips_that_took_on_a_green_body_do_not_tell_the_light_beside_those_on_black() -> None:
    # Under a light taken for green a black die looks purple.
    assert white_pips([GREEN, GREEN, BLACK], ColourParams()).tolist() == [[125.0, 126.0, 127.0]]


def test_where_no_die_is_dark_all_light_pips_tell_it() -> None:
    assert len(white_pips([GREEN, GREEN], ColourParams())) == 2
    assert white_pips([], ColourParams()).shape == (0, 3)


@pytest.mark.parametrize(
    ("body", "rim", "label"),
    [((250, 250, 250), (60, 190, 215), "base"), ((74, 88, 88), (55, 150, 150), None)],
    ids=["a yellow die under glare", "a blurred black die on a yellow floor"],
)
def test_a_rim_tells_the_colour_only_where_glare_spared_it(
    body: tuple[int, int, int], rim: tuple[int, int, int], label: str | None
) -> None:
    die = replace(GREEN, body_bgr=np.array(body, float), rim_bgr=np.array(rim, float))
    assert colour_classes([die], np.full(3, 0.67), None, STANDARD_COLOURS, ColourParams()) == (label,)


def test_a_die_under_glare_unsettles_no_other_of_its_class() -> None:
    yellow = replace(GREEN, body_bgr=np.array([62.0, 236.0, 246.0]), rim_bgr=np.array([60.0, 188.0, 196.0]))
    washed_out = replace(yellow, body_bgr=np.array([248.0, 254.0, 254.0]), rim_bgr=np.array([74.0, 182.0, 182.0]))
    dice = [yellow, washed_out]
    assert colour_classes(dice, np.ones(3), None, STANDARD_COLOURS, ColourParams()) == ("base", "base")
