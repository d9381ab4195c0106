"""A camera that is knocked, in pictures drawn again under the camera as it then hangs; and what is no knock."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.benchmarks.hard_trays import PARAMS, some_dice
from tests.benchmarks.knocked_camera import KINDS, drawn, outline_px
from vision.decision.camera_moved import is_moved, located_move
from vision.rendering.scene import Scene
from vision.rendering.synthetic import TrayBackdrop
from vision.training.trays import looks_of, resized, whole_scene
from vision.tray.landmarks import Landmarks
from vision.types.frame import ImageBgr

SEEDS = (3, 6, 24)
"""A hexagon, a round tray and a rectangle; how many of all trays are right is for the benchmark to say."""


@pytest.fixture(scope="module", params=SEEDS)
def scene(request: pytest.FixtureRequest) -> Scene:
    found = whole_scene(np.random.default_rng([5, request.param]), PARAMS)
    assert found is not None
    return resized(found[0], 640)


@pytest.fixture(scope="module")
def landmarks(scene: Scene) -> Landmarks:
    return Landmarks(TrayBackdrop(scene).draw(()), outline_px(scene))


@pytest.fixture
def picture(scene: Scene) -> Callable[[str, float], tuple[Scene, ImageBgr]]:
    def draw(kind: str, degrees: float) -> tuple[Scene, ImageBgr]:
        rng = np.random.default_rng(17)
        now, after = drawn(kind, rng, scene, degrees)
        dice = some_dice(rng, now, looks_of(rng, 16.0), PARAMS)
        return now, after(TrayBackdrop(now).draw(dice))

    return draw


@pytest.mark.parametrize("degrees", [2.5, 5.0])
@pytest.mark.parametrize("kind", ["knocked", "tray pushed"])
def test_a_knock_is_found_with_the_floor(
    scene: Scene, landmarks: Landmarks, picture: Callable[..., tuple[Scene, ImageBgr]], kind: str, degrees: float
) -> None:
    now, image = picture(kind, degrees)
    move = located_move(landmarks.find(image))
    assert move is not None
    size = (scene.camera.width_px, scene.camera.height_px)
    assert np.abs(move.moved(outline_px(scene), size) - outline_px(now)).max() < 0.016 * size[0]


@pytest.mark.parametrize("kind", [kind for kind, (_, most) in KINDS.items() if most < 1.5])
def test_what_is_no_knock(landmarks: Landmarks, picture: Callable[..., tuple[Scene, ImageBgr]], kind: str) -> None:
    assert not is_moved(landmarks.find(picture(kind, KINDS[kind][1])[1]))


def test_pictures_of_another_shape_than_the_grid(scene: Scene) -> None:
    camera = scene.camera
    k = camera.k.copy()
    k[0, 2] += 107
    wide = replace(camera, width_px=camera.width_px + 214, k=k)
    cut = replace(scene, camera=wide)
    now, _ = drawn("knocked", np.random.default_rng(17), cut, 4.0)
    move = located_move(Landmarks(TrayBackdrop(cut).draw(()), outline_px(cut)).find(TrayBackdrop(now).draw(())))
    assert move is not None
    size = (wide.width_px, wide.height_px)
    assert np.abs(move.moved(outline_px(cut), size) - outline_px(now)).max() < 0.016 * size[0]


@pytest.mark.parametrize("level", [0, 90, 255])
def test_a_picture_without_edges_tells_nothing(landmarks: Landmarks, level: int) -> None:
    plain = np.full((480, 640, 3), level, np.uint8)
    assert not is_moved(Landmarks(plain).find(plain))
    assert located_move(landmarks.find(plain)) is None
