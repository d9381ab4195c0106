"""Cached pictures equal freshly drawn ones."""

from dataclasses import replace

import numpy as np

from tests.drawing import draw
from vision.evaluation.bench import drawn_scene
from vision.rendering import synthetic


def test_a_kept_drawing_equals_a_fresh_one() -> None:
    scene = drawn_scene(1)
    fewer = replace(scene, dice=scene.dice[:2])
    empty = draw(replace(scene, dice=()))
    fresh = synthetic.draw(fewer)
    assert not np.array_equal(fresh, empty)
    for _ in range(2):
        assert np.array_equal(draw(fewer), fresh)


def test_another_tray_is_another_picture() -> None:
    scene = replace(drawn_scene(1), dice=())
    other = replace(scene, tray=replace(scene.tray, floor_bgr=(60, 60, 60)))
    assert not np.array_equal(draw(scene), draw(other))


def test_painting_into_a_picture_leaves_other_copies_unchanged() -> None:
    scene = drawn_scene(1)
    before = draw(scene)
    draw(scene)[:] = 0
    assert np.array_equal(draw(scene), before)
