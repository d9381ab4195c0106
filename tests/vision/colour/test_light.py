"""The light on a picture's dice, by their light pips."""

from dataclasses import replace

import numpy as np

from tests.vision.colour.faces import BLACK, GREEN
from vision.colour.light import light_of, white_pips


def test_pips_that_took_on_a_green_body_do_not_show_the_light_next_to_those_on_black() -> None:
    # Under a light mistaken for green a black die looks purple.
    assert white_pips([GREEN, GREEN, BLACK]).tolist() == [[125.0, 126.0, 127.0]]


def test_where_no_die_is_dark_all_light_pips_show_it() -> None:
    assert len(white_pips([GREEN, GREEN])) == 2
    assert white_pips([]).shape == (0, 3)


RED_PIPS = replace(BLACK, pip_bgr=np.array([50.0, 60.0, 200.0]))


def test_pips_painted_red_or_gold_show_how_bright_the_light_is_and_nothing_of_its_colour() -> None:
    gold = replace(BLACK, pip_bgr=np.array([40.0, 160.0, 210.0]))
    assert white_pips([RED_PIPS, gold]).tolist() == [[200.0] * 3, [210.0] * 3]
    assert white_pips([RED_PIPS, GREEN, BLACK]).tolist() == [BLACK.pip_bgr.tolist()]
    assert white_pips([RED_PIPS, gold, BLACK]).tolist() == [[200.0] * 3, [210.0] * 3, [127.0] * 3]
    hazy = replace(gold, body_bgr=np.full(3, 80.0), pip_bgr=np.array([100.0, 185.0, 218.0]))
    assert white_pips([hazy, GREEN]).tolist() == [[218.0] * 3]
    on_blue = replace(GREEN, body_bgr=np.array([136.0, 96.0, 94.0]), pip_bgr=np.array([80.0, 127.0, 162.0]))
    assert white_pips([on_blue]).tolist() == [[162.0] * 3]
    warm = replace(BLACK, body_bgr=np.array([26.0, 41.0, 50.0]), pip_bgr=np.array([105.0, 165.0, 200.0]))
    assert white_pips([warm]).tolist() == [warm.pip_bgr.tolist()]


def test_without_light_pips_the_light_is_taken_for_the_usual_one() -> None:
    assert light_of(np.zeros((0, 3))).tolist() == [1.0, 1.0, 1.0]
