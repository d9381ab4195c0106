"""Draws labelled pictures of hard trays, for `pushtray evaluate`: any floor, shape, finish, lamp, lens and clutter.

    .venv/bin/python tests/benchmarks/hard_trays.py FOLDER --scenes 900 --seed 79

Of the scenes that the nets' recipe draws those are taken whose tray lies whole in a picture that is wider than high,
the camera at most 7 degrees aslant; each is shown twice at 1280 pixels across, with yellow, green and black dice.
Pictures with a die that is neither flat nor cocked (3 to 12 degrees) have no label.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from vision.frame import FloatArray, ImageBgr  # noqa: E402
from vision.optics import project  # noqa: E402
from vision.scene import Bgr, CameraPose, DieLook, DiePose, Scene  # noqa: E402
from vision.synthetic import TrayBackdrop, die_truth  # noqa: E402
from vision.training.dataset import faces_of  # noqa: E402
from vision.training.recipe import RecipeParams, dice_look, still_scene, throw, varied_bgr  # noqa: E402

BODIES: dict[str, Bgr] = {"base": (30, 205, 250), "skill": (65, 140, 22), "gear": (26, 26, 26)}
PARAMS = RecipeParams(tableless=0.0, leaning=0.02, stacked=0.01, edge_lean=0.5, six_width=0.75)
COUNTS = (0, 3, 5, 6, 7, 8, 9, 10, 12, 15, 20)
LONG_SIDE_PX = 1280
MOST_ASLANT_DEG = 7.0
FLAT_DEG, COCKED_DEG = 3.0, 12.0


def lies_whole(scene: Scene) -> bool:
    """Whether the tray lies whole in a picture wider than high, seen nearly from above."""
    camera, tray = scene.camera, scene.tray
    half = np.array(tray.floor_mm) / 2 + tray.wall_thickness_mm
    rim: FloatArray = np.array([[a * half[0], b * half[1], tray.wall_mm] for a in (-1, 1) for b in (-1, 1)])
    corners = project(camera, rim)
    aslant = np.degrees(np.arccos(abs(camera.rotation[2, 2])))
    inside = np.all((corners > 3) & (corners < np.array([camera.width_px, camera.height_px]) - 3))
    return bool(camera.width_px > camera.height_px and aslant <= MOST_ASLANT_DEG and inside)


def enlarged(scene: Scene) -> Scene:
    """The scene at the benchmark's size, without the file's own losses."""
    camera = scene.camera
    grown = LONG_SIDE_PX / camera.width_px
    k = camera.k.copy()
    k[:2] *= grown
    large: CameraPose = replace(camera, width_px=LONG_SIDE_PX, height_px=round(camera.height_px * grown), k=k)
    blur = scene.capture.defocus_px * min(grown, 1.3)
    return replace(scene, camera=large, capture=replace(scene.capture, defocus_px=blur, jpeg_quality=0))


def looks_of(rng: np.random.Generator, size_mm: float) -> dict[str, DieLook]:
    """One maker's dice in the three standard colours."""
    base = dice_look(rng, BODIES["base"], size_mm)
    return {
        label: replace(
            base,
            body_bgr=varied_bgr(rng, body, 0.1),
            pip_bgr=(16, 16, 16) if label == "base" else (240, 240, 240),
            seed=int(rng.integers(1 << 16)),
        )
        for label, body in BODIES.items()
    }


def hard_tray(rng: np.random.Generator, params: RecipeParams) -> tuple[TrayBackdrop, dict[str, DieLook]] | None:
    """The next scene's tray and its dice's looks by class; None where it is not one of those that are taken."""
    scene, kinds = still_scene(rng, params)
    if not lies_whole(scene):
        return None
    scene = enlarged(scene)
    looks = looks_of(rng, kinds[0].size_mm)
    return TrayBackdrop(scene), looks


def some_dice(
    rng: np.random.Generator, scene: Scene, looks: dict[str, DieLook], params: RecipeParams
) -> tuple[DiePose, ...]:
    """Dice of all classes thrown into a tray."""
    return throw(rng, tuple(looks.values()), int(rng.choice(COUNTS)), scene.tray, params)


def label_of(name: str, dice: tuple[DiePose, ...], scene: Scene, looks: dict[str, DieLook]) -> dict[str, object] | None:
    """A picture's label, or None where a die in it is neither flat nor cocked."""
    if any(FLAT_DEG < die_truth(pose, scene.camera).tilt_deg <= COCKED_DEG for pose in dice):
        return None
    tags = [f"shape:{scene.tray.shape}", f"floor:{scene.tray.floor}"]
    return {"image": name, "tags": tags, "dice": labels_of(dice, scene.camera, looks)}


def write_jpeg(path: Path, image_bgr: ImageBgr) -> None:
    """Write a picture as a camera does."""
    cv2.imwrite(str(path), image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 92])


def labels_of(dice: tuple[DiePose, ...], camera: CameraPose, looks: dict[str, DieLook]) -> list[dict[str, object]]:
    """What `pushtray evaluate` wants to know of each die; by geometry."""
    entries: list[dict[str, object]] = []
    for pose, (top, _) in zip(dice, faces_of(dice, camera), strict=True):
        truth = die_truth(pose, camera)
        entries.append(
            {
                "role": next(label for label, look in looks.items() if look == pose.look),
                "pips": truth.value,
                "cocked": truth.cocked,
                "tilt_deg": round(truth.tilt_deg, 1),
                "stacked": bool(pose.center_mm[2] > 1.2 * pose.look.size_mm),
                "covered": top is None or top.visible < 0.8,
                "center_px": truth.center_px,
                "top_quad_px": truth.top_quad_px,
                "box_px": truth.box_px,
            }
        )
    return entries


def main() -> int:
    """Draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenes", type=int, default=900, help="scenes looked at; one in nine is taken")
    parser.add_argument("--seed", type=int, default=79)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    (asked.folder / "images").mkdir(parents=True, exist_ok=True)
    entries: list[dict[str, object]] = []
    for number in range(0, asked.scenes, 2):
        rng = np.random.default_rng([asked.seed, number])
        found = hard_tray(rng, PARAMS)
        if found is None:
            continue
        tray, looks = found
        for shown in (number, number + 1):
            dice = some_dice(rng, tray.scene, looks, PARAMS)
            name = f"images/e{shown:04d}.jpg"
            write_jpeg(asked.folder / name, tray.draw(dice))
            label = label_of(name, dice, tray.scene, looks)
            if label is not None:
                entries.append(label)
        sys.stderr.write(f"{number + 2} of {asked.scenes} scenes, {len(entries)} pictures\n")
    (asked.folder / "labels.json").write_text(json.dumps(entries), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
