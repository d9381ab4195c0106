"""Dice laid down by the simulated hand."""

import math

import numpy as np
import pytest

from device.simulation.laying import laid_down, lies_flat
from device.simulation.physics import BodyPose, TrayBox
from device.simulation.scenery import SceneryParams, die_look, scenery
from vision.rendering.scene import DiePose
from vision.rendering.synthetic import die_truth

BOX = TrayBox(((-130.0, -100.0), (130.0, -100.0), (130.0, 100.0), (-130.0, 100.0)), 30.0)
LOOK = die_look("yellow", 16.0, 3)
CAMERA = scenery(SceneryParams()).camera


def about_y(degrees: float) -> np.ndarray:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]])


def flat_at(x: float, y: float) -> BodyPose:
    return BodyPose(np.array([x, y, 8.0]), np.eye(3))


def shown(pose: BodyPose) -> int:
    return die_truth(DiePose(LOOK, pose.center_mm, pose.rotation), CAMERA).value


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("start", [flat_at(10.0, 20.0), BodyPose(np.array([-119.0, 0.0, 11.1]), about_y(35.0))])
def test_a_die_is_turned_to_any_face_and_lies_flat(start: BodyPose, value: int) -> None:
    end = laid_down(start, LOOK, value, others=(), box=BOX, chance=np.random.default_rng(1))
    assert shown(end) == value
    assert lies_flat(end, 16.0)
    assert np.allclose(end.rotation @ end.rotation.T, np.eye(3))
    assert math.isclose(float(np.linalg.det(end.rotation)), 1.0)


def test_a_die_laid_down_is_never_just_where_and_as_it_was() -> None:
    for seed in range(20):
        start = flat_at(0.0, 0.0)
        end = laid_down(start, LOOK, shown(start), others=(), box=BOX, chance=np.random.default_rng(seed))
        assert 3.9 < np.linalg.norm(end.center_mm - start.center_mm) < 6.0
        assert 4.0 < abs(math.degrees(math.atan2(end.rotation[1, 0], end.rotation[0, 0]))) < 21.0


def test_a_leaning_die_keeps_its_uppermost_face_and_touches_nothing() -> None:
    leaning = BodyPose(np.array([-119.0, 0.0, 11.1]), about_y(30.0))
    assert not lies_flat(leaning, 16.0)
    others = (flat_at(-100.0, 0.0), flat_at(-119.0, 24.0), flat_at(-95.0, 30.0))
    end = laid_down(leaning, LOOK, None, others=others, box=BOX, chance=np.random.default_rng(2))
    assert shown(end) == shown(leaning)
    assert float(BOX.depth_mm(end.center_mm[None, :2])[0]) > 8.0 * math.sqrt(2)
    assert min(np.linalg.norm(end.center_mm - other.center_mm) for other in others) > 16.0 * math.sqrt(2)


def test_a_die_on_another_does_not_lie_flat() -> None:
    assert not lies_flat(BodyPose(np.array([0.0, 0.0, 24.0]), np.eye(3)), 16.0)
