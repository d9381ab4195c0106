"""Whole trays seen from almost straight above in large pictures, with one maker's dice, as by a tray's own camera."""

from dataclasses import replace

import numpy as np

from vision.rendering.optics import project
from vision.rendering.scene import Bgr, CameraPose, DieLook, Scene
from vision.rendering.synthetic import TrayBackdrop
from vision.training.recipe import RecipeParams, dice_look, still_scene, varied_bgr
from vision.types.frame import FloatArray

BODIES: dict[str, dict[str, Bgr]] = {
    "yellow-green-black": {"base": (30, 205, 250), "skill": (65, 140, 22), "gear": (26, 26, 26)},
    "red-white-blue": {"base": (35, 30, 185), "skill": (228, 232, 235), "gear": (165, 70, 25)},
}
"""Body colours by class, of each set of dice."""
STANDARD = "yellow-green-black"
_DARK_PIPS = {"yellow-green-black": "base", "red-white-blue": "skill"}
COUNTS = (0, 3, 5, 6, 7, 8, 9, 10, 12, 15, 20)
"""Possible numbers of dice in a throw."""
LONG_SIDE_PX = 1280
MAX_ASLANT_DEG = 7.0


def lies_whole(scene: Scene, max_aslant_deg: float = MAX_ASLANT_DEG) -> bool:
    """Return whether a picture wider than high shows a whole tray from almost straight above, by this tilt at most."""
    camera, tray = scene.camera, scene.tray
    half = np.array(tray.floor_mm) / 2 + tray.wall_thickness_mm
    rim: FloatArray = np.array([[a * half[0], b * half[1], tray.wall_mm] for a in (-1, 1) for b in (-1, 1)])
    corners = project(camera, rim)
    aslant = np.degrees(np.arccos(abs(camera.rotation[2, 2])))
    inside = np.all((corners > 3) & (corners < np.array([camera.width_px, camera.height_px]) - 3))
    return bool(camera.width_px > camera.height_px and aslant <= max_aslant_deg and inside)


def resized(scene: Scene, width_px: int = LONG_SIDE_PX) -> Scene:
    """Return the scene with a given width in pixels, without the file's own losses."""
    camera = scene.camera
    grown = width_px / camera.width_px
    k = camera.k.copy()
    k[:2] *= grown
    other: CameraPose = replace(camera, width_px=width_px, height_px=round(camera.height_px * grown), k=k)
    blur = scene.capture.defocus_px * min(grown, 1.3)
    return replace(scene, camera=other, capture=replace(scene.capture, defocus_px=blur, jpeg_quality=0))


def looks_of(rng: np.random.Generator, size_mm: float, colours: str = STANDARD) -> dict[str, DieLook]:
    """Return one maker's dice in the three colours of a set."""
    base = dice_look(rng, BODIES[colours]["base"], size_mm)
    return {
        label: replace(
            base,
            body_bgr=varied_bgr(rng, body, 0.1),
            pip_bgr=(16, 16, 16) if label == _DARK_PIPS[colours] else (240, 240, 240),
            seed=int(rng.integers(1 << 16)),
        )
        for label, body in BODIES[colours].items()
    }


def whole_scene(rng: np.random.Generator, params: RecipeParams) -> tuple[Scene, tuple[DieLook, ...]] | None:
    """Return the recipe's next scene, enlarged, and its kinds of dice; None if its tray is not wholly in it."""
    scene, kinds = still_scene(rng, params)
    max_aslant_deg = MAX_ASLANT_DEG if params.aslant_deg is None else params.aslant_deg[1]
    return (resized(scene), kinds) if lies_whole(scene, max_aslant_deg) else None


def hard_tray(
    rng: np.random.Generator, params: RecipeParams, colours: str = STANDARD
) -> tuple[TrayBackdrop, dict[str, DieLook]] | None:
    """Return the next scene's tray, and dice in a set's colours by class; None if the tray is not suitable."""
    found = whole_scene(rng, params)
    if found is None:
        return None
    scene, kinds = found
    looks = looks_of(rng, kinds[0].size_mm, colours)
    return TrayBackdrop(scene), looks
