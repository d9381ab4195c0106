from dataclasses import replace

import numpy as np
import pytest

from vision.rendering.mirrored import gleam_of, mirrored_lamp, mirrored_room, roughness
from vision.rendering.optics import camera_center_mm, project
from vision.rendering.scene import CameraPose, Capture, DieLook, DiePose, Light, Scene, TrayLook
from vision.rendering.synthetic import draw

TOP_MM = 16.0
EYE_MM = np.array([0.0, 0.0, 400.0 + TOP_MM])
LAMP = Light((100.0, 0.0, 400.0 + TOP_MM), 1.0, 80.0, shape="disc")
GLOSS = DieLook(body_bgr=(20, 20, 20), pip_bgr=(235, 235, 235), finish="gloss")


def mirrored_along(x_mm: np.ndarray, y_mm: float = 0.0, look: DieLook = GLOSS, light: Light = LAMP) -> np.ndarray:
    """Return the reflection of a level surface at the height of a die's top at some places."""
    points = np.array([x_mm, np.full_like(x_mm, y_mm), np.full_like(x_mm, TOP_MM)], np.float32)
    toward = EYE_MM[:, None] - points
    toward /= np.linalg.norm(toward, axis=0)
    up = np.repeat([[0.0], [0.0], [1.0]], len(x_mm), axis=1).astype(np.float32)
    gleam = gleam_of(look, np.ones(len(x_mm), np.float32), up, toward.astype(np.float32), 0.3)
    return mirrored_lamp(light, points, gleam)


def test_a_lamp_is_mirrored_where_angles_are_alike_and_half_as_wide_as_it_is() -> None:
    x = np.linspace(0, 100, 201)
    seen = mirrored_along(x)
    bright = x[seen > 0.5 * seen.max()]
    # Eye and lamp are equally far above: the reflected lamp's centre is half way, its width half its own.
    assert bright.mean() == pytest.approx(50, abs=2)
    assert np.ptp(bright) == pytest.approx(40, rel=0.15)
    assert seen[np.abs(x - 50) > 30].max() < 0.02 * seen.max()


def test_a_mirrored_lamp_is_as_bright_as_its_size_says() -> None:
    # Radiance over that of a white object lit by it: (away / radius) squared; resin reflects 4 % of it head-on.
    away = np.linalg.norm(LAMP.position_mm) / 40
    level = LAMP.position_mm[2] / np.linalg.norm(LAMP.position_mm)
    assert mirrored_along(np.array([50.0]))[0] == pytest.approx(0.04 * away**2 / level, rel=0.1)
    wide = replace(LAMP, softness_mm=160.0)
    assert mirrored_along(np.array([50.0]), light=wide)[0] < 0.3 * mirrored_along(np.array([50.0]))[0]


def test_the_rougher_a_die_the_fainter_and_wider_what_it_mirrors() -> None:
    x = np.linspace(-100, 200, 301)
    seen = [mirrored_along(x, look=replace(GLOSS, finish=finish)) for finish in ("gloss", "plastic", "matt")]
    peaks = [float(v.max()) for v in seen]
    widths = [int((v > 0.5 * v.max()).sum()) for v in seen]
    assert peaks == sorted(peaks, reverse=True)
    assert widths == sorted(widths)
    assert peaks[2] < 0.1 * peaks[0]


def test_a_ring_is_dark_in_its_middle_and_a_square_has_corners() -> None:
    across = np.array([50.0, 66.0])
    disc, ring, square = (mirrored_along(across, light=replace(LAMP, shape=s)) for s in ("disc", "ring", "square"))
    assert ring[0] < 0.05 * ring[1]
    assert disc[0] == pytest.approx(disc[1], rel=0.15)
    corner = np.array([67.0])
    assert mirrored_along(corner, 17.0, light=replace(LAMP, shape="square"))[0] > 0.5 * square[0]
    assert mirrored_along(corner, 17.0)[0] < 0.1 * disc[0]


def test_dice_of_one_finish_differ_in_their_polish() -> None:
    strays = [roughness(replace(GLOSS, seed=seed)) for seed in range(40)]
    assert max(strays) > 1.5 * min(strays)
    assert max(strays) < roughness(replace(GLOSS, finish="matt", seed=0))


def test_what_looks_up_mirrors_the_room_and_what_looks_down_the_floor() -> None:
    ways = np.array([[0.0, 0.0], [0.6, 0.6], [0.8, -0.8]], np.float32)
    gleam = replace(
        gleam_of(GLOSS, np.ones(2, np.float32), ways, ways, 0.3), ways=ways, share=np.full(2, 0.1, np.float32)
    )
    blue = np.array([1.0, 0.0, 0.0], np.float32)
    up, down = mirrored_room(0.5, blue, gleam)
    assert up == pytest.approx([0.05] * 3)
    assert down[0] > 0
    assert down[1:] == pytest.approx([0, 0])


def test_a_glossy_black_die_shows_the_lamp_and_still_its_pips() -> None:
    k = np.array([[700.0, 0, 320], [0, 700.0, 240], [0, 0, 1.0]])
    camera = CameraPose(640, 480, k, np.diag([1.0, -1, -1]), np.array([0.0, 0.0, 400.0]))
    lamp = replace(LAMP, position_mm=(100.0, 0.0, 400.0), softness_mm=200.0)
    assert camera_center_mm(camera) == pytest.approx([0, 0, 400])
    still = Capture(noise=0.0, vignette=0.0)

    def top_of(x_mm: float) -> tuple[int, int]:
        """Return the grey of the pip and of the face next to it, of a die showing 1."""
        die = DiePose(GLOSS, np.array([x_mm, 0.0, 8.0]), np.eye(3))
        picture = draw(Scene(TrayLook(), (die,), camera, (lamp,), capture=still))
        pip, face = (project(camera, np.array([[x_mm + off, 0.0, 16.0]]))[0] for off in (0.0, 5.0))
        return tuple(int(picture[round(float(y)), round(float(x))].mean()) for x, y in (pip, face))  # type: ignore[return-value]

    mirrored_pip, mirrored_face = top_of(48.0)
    dark_pip, dark_face = top_of(-60.0)
    assert mirrored_face > dark_face + 60
    assert dark_pip > dark_face + 100
    assert mirrored_pip > mirrored_face + 15
