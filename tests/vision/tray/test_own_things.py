"""A token that always lies in the tray is not a die, as long as it is unmoved."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.drawing import draw
from vision.evaluation.bench import drawn_scene
from vision.pipeline.calibrate import calibrate
from vision.pipeline.reader import Reader
from vision.rendering.synthetic import truth_of
from vision.training.throws import leaned
from vision.tray.profile import Profile
from vision.types.reading import TrayReading, Unread

SCENE = drawn_scene(3)
TOKEN_PX = (640, 480)


def with_token(image: np.ndarray) -> np.ndarray:
    """Return the picture with a square object in it that is somewhat like a die."""
    shown = image.copy()
    corners = cv2.boxPoints((TOKEN_PX, (50, 50), 5.0))
    cv2.fillConvexPoly(shown, np.rint(corners).astype(np.int32), (40, 150, 180), cv2.LINE_AA)
    left, below = TOKEN_PX[0] - 14, TOKEN_PX[1] + 14
    cv2.putText(shown, "A", (left, below), cv2.FONT_HERSHEY_DUPLEX, 1.3, (20, 20, 20), 3, cv2.LINE_AA)
    return shown


def at_token(reading: TrayReading) -> list[int | None]:
    """Return the values read on the token, or next to it."""
    return [die.value for die in reading.dice if np.hypot(*np.subtract(die.center_px, TOKEN_PX)) < 40]


@pytest.fixture(scope="module")
def played() -> np.ndarray:
    return with_token(draw(SCENE))


@pytest.fixture(scope="module")
def profile() -> Profile:
    return calibrate(with_token(draw(replace(SCENE, dice=()))), {})


def test_is_no_die_where_it_lay_in_the_empty_tray(played: np.ndarray, profile: Profile) -> None:
    assert len(profile.things) == 1
    assert at_token(Reader(replace(profile, things=())).read(played))
    half = np.asarray(cv2.resize(played, (640, 480), interpolation=cv2.INTER_AREA), np.uint8)
    assert not at_token(Reader(profile).read(played))
    assert len(Reader(profile).read(half).dice) == len(Reader(profile).read(played).dice) == len(SCENE.dice)


def test_a_die_that_was_forgotten_in_the_empty_tray_stays_in_doubt() -> None:
    die = SCENE.dice[0]
    leaning = replace(die, rotation=leaned(die.rotation, 25.0, 0.6), center_mm=die.center_mm + np.array([0, 0, 3.0]))
    image = draw(replace(SCENE, dice=(leaning,)))
    profile = calibrate(image, {})
    assert not profile.things
    assert [die.unread for die in Reader(profile).read(image).dice] == [Unread.COCKED]


def test_is_known_in_other_light_and_after_a_nudge(played: np.ndarray, profile: Profile) -> None:
    for gain in (0.8, 1.15):
        assert not at_token(Reader(profile).read(np.clip(played * gain, 0, 255).astype(np.uint8)))
    assert not at_token(Reader(profile).read(np.roll(played, 1, axis=1)))


def test_is_in_doubt_once_it_was_moved(played: np.ndarray, profile: Profile) -> None:
    moved = np.roll(played, 12, axis=1)
    assert [die for die in Reader(profile).read(moved).dice if die.unread is not None]


def test_a_die_on_its_place_is_read(profile: Profile) -> None:
    die, seen = SCENE.dice[0], truth_of(SCENE)[0]
    near = min(
        (replace(die, center_mm=np.array([x, y, die.center_mm[2]])) for x in range(-8, 9) for y in range(-8, 9)),
        key=lambda pose: float(np.hypot(*np.subtract(truth_of(replace(SCENE, dice=(pose,)))[0].center_px, TOKEN_PX))),
    )
    assert at_token(Reader(profile).read(draw(replace(SCENE, dice=(near,))))) == [seen.value]
