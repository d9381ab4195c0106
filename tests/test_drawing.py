"""Cached pictures equal freshly drawn ones."""

from dataclasses import replace

import numpy as np

from tests.drawing import draw
from vision.evaluation.bench import drawn_scene
from vision.rendering import synthetic


def test_what_is_drawn_once_is_what_is_drawn_anew() -> None:
    scene = drawn_scene(1)
    fewer = replace(scene, dice=scene.dice[:2])
    empty = draw(replace(scene, dice=()))
    anew = synthetic.draw(fewer)
    assert not np.array_equal(anew, empty)
    for _ in range(2):
        assert np.array_equal(draw(fewer), anew)


def test_another_tray_is_another_picture() -> None:
    scene = replace(drawn_scene(1), dice=())
    other = replace(scene, tray=replace(scene.tray, floor_bgr=(60, 60, 60)))
    assert not np.array_equal(draw(scene), draw(other))


def test_whoever_paints_into_a_picture_spoils_nobody_elses() -> None:
    scene = drawn_scene(1)
    before = draw(scene)
    draw(scene)[:] = 0
    assert np.array_equal(draw(scene), before)
