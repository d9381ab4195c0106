from dataclasses import replace

import numpy as np
import pytest

from device.simulation.hand import HandParams, HandPlace
from device.simulation.scenery import SceneryParams, die_look, scenery
from device.simulation.script import TrayView
from device.simulation.studio import Studio
from vision.rendering.scene import DiePose, Scene
from vision.rendering.synthetic import TrayBackdrop

SCENE = scenery(SceneryParams(width_px=640, height_px=480))
QUIET = replace(SCENE, capture=replace(SCENE.capture, noise=0.0))


def die(x_mm: float, y_mm: float, travel_mm: float = 0.0) -> DiePose:
    return DiePose(die_look("yellow", 16.0, 0), np.array([x_mm, y_mm, 8.0]), np.eye(3), (travel_mm, 0.0, 0.0))


@pytest.fixture(name="studio", scope="module")
def studio_fixture() -> Studio:
    return Studio(QUIET, HandParams(), 0.01)


@pytest.fixture(name="exact", scope="module")
def exact_fixture() -> TrayBackdrop:
    return TrayBackdrop(QUIET)


def test_still_dice_are_drawn_exactly(studio: Studio, exact: TrayBackdrop) -> None:
    dice = (die(-40.0, 20.0), die(30.0, -10.0))
    assert np.array_equal(studio.picture(TrayView(dice, (), None)), exact.draw(dice))


def test_moving_dice_look_nearly_as_if_drawn_in_full(studio: Studio, exact: TrayBackdrop) -> None:
    still, moving = (die(-70.0, 20.0),), (die(40.0, -10.0, 12.0), die(60.0, 40.0, 5.0))
    # A die that has just come to rest is also drawn at half size: this one has lain for a while.
    studio.picture(TrayView(still, (), None))
    cheap = studio.picture(TrayView(still, moving, None)).astype(int)
    full = exact.draw((*still, *moving)).astype(int)
    without = exact.draw(still).astype(int)
    drawn = np.abs(full - without).max(axis=2) > 20
    # Where the dice are, the cheap picture is close to the full one and far from the one without them.
    assert np.abs(cheap - full)[drawn].mean() < 0.15 * np.abs(without - full)[drawn].mean()
    # A still die far from them is as sharp as ever.
    assert np.array_equal(cheap[:, :250], full[:, :250])


def test_dice_that_come_to_rest_are_never_lost_while_others_move(studio: Studio, exact: TrayBackdrop) -> None:
    dice = tuple(die(-100.0 + 25.0 * k, 10.0 * (k % 3)) for k in range(8))
    empty = exact.draw(()).astype(int)
    for settled in range(9):
        view = TrayView(dice[:settled], tuple(replace(d, travel_mm=(4.0, 0.0, 0.0)) for d in dice[settled:]), None)
        picture = studio.picture(view).astype(int)
        full = exact.draw(dice).astype(int)
        there = np.abs(full - empty).max(axis=2) > 60
        assert np.abs(picture - empty).max(axis=2)[there].mean() > 50.0
    assert np.array_equal(picture, full)


def test_a_die_that_was_taken_away_is_gone_though_others_move(studio: Studio, exact: TrayBackdrop) -> None:
    stays, goes, moves = die(-60.0, 0.0), die(0.0, 0.0), die(70.0, 0.0, 6.0)
    studio.picture(TrayView((stays, goes), (), None))
    picture = studio.picture(TrayView((stays,), (moves,), None)).astype(int)
    assert np.array_equal(picture[:, :380], exact.draw((stays, moves)).astype(int)[:, :380])


def test_a_hand_covers_dice_and_is_smeared_by_speed(studio: Studio) -> None:
    dice = (die(0.0, 0.0),)
    bare = studio.picture(TrayView(dice, (), None)).astype(int)
    calm = studio.picture(TrayView(dice, (), HandPlace((0.0, 0.0), (0.0, 0.0)))).astype(int)
    fast = studio.picture(TrayView(dice, (), HandPlace((0.0, 0.0), (0.0, 1500.0)))).astype(int)
    middle = np.s_[230:250, 310:330]
    skin = np.array(HandParams().skin_bgr)
    assert np.abs(bare[middle] - skin).mean() > 50.0
    assert np.abs(calm[middle] - skin).mean() < 30.0

    def sharpness(picture: np.ndarray) -> float:
        return float(np.abs(np.diff(picture, axis=0)).max())

    assert sharpness(fast[:120]) < sharpness(calm[:120])


def test_a_hand_outside_leaves_the_picture_as_it_is(studio: Studio) -> None:
    bare = studio.picture(TrayView((), (), None))
    assert np.array_equal(studio.picture(TrayView((), (), HandPlace((0.0, -900.0), (0.0, 0.0)))), bare)


def test_pictures_belong_to_the_caller(studio: Studio) -> None:
    first = studio.picture(TrayView((), (), None))
    keep = first.copy()
    first[:] = 0
    assert np.array_equal(studio.picture(TrayView((), (), None)), keep)


def test_noise_is_new_in_every_picture() -> None:
    noisy: Scene = SCENE
    studio = Studio(noisy, HandParams(), 0.01)
    one, two = (studio.picture(TrayView((), (), None)) for _ in range(2))
    assert not np.array_equal(one, two)
