"""Pictures of what the reader saw: one for each stage, whatever was found."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.bench import drawn_scene
from vision.explain import draw_reading, stage_pictures
from vision.reader import Reader, Trace
from vision.reading import Unread
from vision.synthetic import draw

SCENE = drawn_scene(1)


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    return draw(SCENE)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.fixture(scope="module")
def trace(reader: Reader, picture: np.ndarray) -> Trace:
    return reader.trace(picture)


def changed_at(before: np.ndarray, after: np.ndarray, x: float, y: float, reach: int) -> bool:
    """Whether something was drawn so near to a place."""
    left, top = max(0, round(x) - reach), max(0, round(y) - reach)
    part = np.s_[top : round(y) + reach, left : round(x) + reach]
    return bool((before[part] != after[part]).any())


def test_each_stage_has_its_picture_and_the_given_one_is_left_alone(trace: Trace, picture: np.ndarray) -> None:
    before = picture.copy()
    pictures = stage_pictures(picture, trace)
    assert [name for name, _ in pictures] == ["1-floor", "2-places", "3-standing", "4-reading"]
    assert all(image.shape == picture.shape and (image != picture).any() for _, image in pictures)
    assert np.array_equal(picture, before)


def test_each_place_and_how_it_stands_is_drawn_where_the_die_lies_in_the_whole_picture(
    trace: Trace, picture: np.ndarray
) -> None:
    assert trace.stage is not None
    assert trace.stage.left_top.max() > 0.0, "places are told in a part of the picture"
    shown = dict(stage_pictures(picture, trace))
    for die in trace.reading.dice:
        x, y = die.center_px
        reach = round(0.3 * die.box_px[2])
        assert changed_at(picture, shown["3-standing"], x, y, reach)
        assert changed_at(picture, shown["2-places"], x, y, 2 * reach)
        assert changed_at(picture, shown["4-reading"], *die.top_quad_px[0], 2)


def test_of_an_empty_tray_there_are_all_stages(reader: Reader) -> None:
    empty = draw(replace(SCENE, dice=()))
    trace = reader.trace(empty)
    assert trace.reading.dice == ()
    assert len(stage_pictures(empty, trace)) == 4


def test_without_a_tray_only_the_reading_is_left(reader: Reader) -> None:
    bare = np.full((480, 640, 3), 90, np.uint8)
    trace = reader.trace(bare)
    ((name, image),) = stage_pictures(bare, trace)
    assert name == "4-reading"
    assert np.array_equal(image, draw_reading(bare, trace.reading))


def test_a_doubtful_die_is_drawn_in_another_colour(trace: Trace, picture: np.ndarray) -> None:
    die = trace.reading.dice[0]
    outline = np.zeros(picture.shape[:2], np.uint8)
    cv2.polylines(outline, [np.rint(np.array(die.top_quad_px)).astype(np.int32)], True, 255, 1)
    sure, doubted = (
        np.median(
            draw_reading(picture, replace(trace.reading, dice=(replace(die, unread=unread),)))[outline > 0], axis=0
        )
        for unread in (None, Unread.COCKED)
    )
    assert sure[1] > sure[2], "green"
    assert doubted[2] > doubted[1], "orange"
