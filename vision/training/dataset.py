"""Draws the training pictures with their truth into a folder that is deleted after training.

python -m vision.training.dataset FOLDER --pictures 3000 --seed 1
"""

import argparse
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np

from vision.classification.stance_net import FLAT, LEANING, STACKED, turned
from vision.detection.squares import Squares, upright_crops
from vision.rendering.die_patch import value_at
from vision.rendering.optics import camera_center_mm, project
from vision.rendering.scene import CameraPose, DiePose, Scene
from vision.rendering.shadows import corners_mm
from vision.rendering.synthetic import COCKED_DEG, TrayBackdrop
from vision.training.labelled import face_turn
from vision.training.recipe import RecipeParams, still_scene
from vision.training.throws import throw
from vision.types.frame import FloatArray, ImageBgr, ImageGray

LONG_SIDE_PX = 640
CROP_PX = 72
CROP_SPAN = 2.7
"""Wider than the nets' view, so that training can still rotate, shift and scale a crop."""
SHARD = 40
SHARES = ("tableless", "leaning", "stacked", "clutter", "edge_lean", "six_width", "moulded", "by_hand")
"""Parameters of the recipe that the command line takes."""
MAX_FLAT_DEG = 3.0
"""From here to `COCKED_DEG` a die is neither flat nor cocked, and the stance net is not trained on it."""


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One face of a die as the camera sees it."""

    quad_px: FloatArray  # shape (4, 2), corners of the face
    center_px: FloatArray  # shape (2,), middle of the face
    edge_px: float
    angle: float  # rotation of the face, in radians, modulo a quarter turn
    visible: float  # visible share of the face


def _outline(pose: DiePose, camera: CameraPose) -> FloatArray:
    xy = project(camera, corners_mm(pose, 0.5 * pose.look.rounding))
    return np.asarray(cv2.convexHull(xy.astype(np.float32)).reshape(-1, 2), np.float64)


def _visible(quad: FloatArray, hiding: list[FloatArray], camera: CameraPose) -> float:
    """Return the share of a quad that is in the picture and under none of the outlines."""
    low = quad.min(axis=0)
    scale = 40 / max(float(np.ptp(quad, axis=0).max()), 1.0)
    canvas: ImageGray = np.zeros((44, 44), np.uint8)

    def fill(shape: FloatArray, value: int) -> None:
        cv2.fillPoly(canvas, [np.round((shape - low) * scale + 1).astype(np.int32)], (value,))

    fill(quad, 1)
    whole = int(canvas.sum())
    for shape in hiding:
        fill(shape, 0)
    ys, xs = np.nonzero(canvas)
    x, y = xs / scale + low[0], ys / scale + low[1]
    inside = (x > 0) & (y > 0) & (x < camera.width_px) & (y < camera.height_px)
    return float(inside.sum()) / max(whole, 1)


def faces_of(dice: tuple[DiePose, ...], camera: CameraPose) -> list[tuple[Face | None, list[Face]]]:
    """Return each die's top face (None if seen from the back) and the side faces towards the camera."""
    eye = camera_center_mm(camera)
    away = [float(np.linalg.norm(d.center_mm - eye)) for d in dice]
    outlines = [_outline(d, camera) for d in dice]
    result: list[tuple[Face | None, list[Face]]] = []
    for i, pose in enumerate(dice):
        hiding = [o for j, o in enumerate(outlines) if away[j] < away[i]]
        top_axis = int(np.argmax(np.abs(pose.rotation[2])))
        top: Face | None = None
        sides: list[Face] = []
        half = 0.5 * pose.look.size_mm
        for axis in range(3):
            for sign in (-1.0, 1.0):
                out = sign * pose.rotation[:, axis]
                middle = pose.center_mm + half * out
                to_eye = (eye - middle) / np.linalg.norm(eye - middle)
                if float(out @ to_eye) < 0.12:
                    continue
                u, v = pose.rotation[:, (axis + 1) % 3], pose.rotation[:, (axis + 2) % 3]
                ring = [middle + half * (a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
                quad = project(camera, np.array(ring))
                area = float(abs(cv2.contourArea(quad.astype(np.float32))))
                face = Face(
                    quad, project(camera, middle), float(np.sqrt(area)), face_turn(quad), _visible(quad, hiding, camera)
                )
                if axis == top_axis and sign * pose.rotation[2, axis] > 0:
                    top = face
                elif float(out @ to_eye) > 0.3:
                    sides.append(face)
        result.append((top, sides))
    return result


def die_value(pose: DiePose) -> tuple[int, float]:
    """Return the pips of the most upward face, and its tilt in degrees."""
    up = pose.rotation[2]
    axis = int(np.argmax(np.abs(up)))
    tilt = float(np.degrees(np.arccos(min(abs(float(up[axis])), 1.0))))
    return value_at(pose.look, axis, bool(up[axis] > 0)), tilt


@dataclass(slots=True)
class Shard:
    """The truth of some pictures: a row for each top face, and crops with stances of the almost fully visible ones."""

    # one row for each top face: picture, value, cocked, stacked, visible, x, y, edge, angle, lean x, lean y, in the
    # stored picture's pixels
    rows: list[list[float]] = field(default_factory=list)
    crops: list[ImageBgr] = field(default_factory=list)
    # for each crop `FLAT`, `LEANING` or `STACKED`, and the leans of the die and of a flat one there, in edges along the
    # crop's axes
    stances: list[list[float]] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write it as one file."""
        np.savez(
            path,
            rows=np.asarray(self.rows, np.float32).reshape(-1, 11),
            crops=np.asarray(self.crops, np.uint8).reshape(-1, CROP_PX, CROP_PX, 3),
            stances=np.asarray(self.stances, np.float32).reshape(-1, 5),
        )


def add_picture(shard: Shard, rng: np.random.Generator, picture: ImageBgr, scene: Scene, number: int) -> ImageBgr:
    """Add one picture's truth to a shard; return the picture, at most `LONG_SIDE_PX` long."""
    camera, dice = scene.camera, scene.dice
    scale = LONG_SIDE_PX / max(camera.width_px, camera.height_px)
    for pose, (top, _) in zip(dice, faces_of(dice, camera), strict=True):
        if top is None:
            continue
        value, tilt = die_value(pose)
        middle = _top_middle(pose)
        under = np.array([pose.center_mm * 2 - middle, middle - [0.0, 0.0, pose.look.size_mm]])
        leans = (project(camera, under) - top.center_px) / max(top.edge_px, 1.0)
        x, y = (top.center_px * scale).tolist()
        shard.rows.append([
            number, value, float(tilt > COCKED_DEG), float(pose.is_stacked), top.visible,
            x, y, top.edge_px * scale, top.angle, *leans[0].tolist(),
        ])  # fmt: skip
        stance = stance_of(tilt, stacked=pose.is_stacked)
        if top.visible > 0.8 and stance is not None:
            turn = top.angle + float(rng.integers(4)) * np.pi / 2
            square = Squares(top.center_px[None], np.array([top.edge_px]), np.array([turn]))
            shard.crops.extend(upright_crops(picture, square, CROP_PX, CROP_SPAN)[0])
            shard.stances.append([stance, *turned(leans, np.array(-turn)).ravel().tolist()])
    if scale < 1:
        return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    return picture


def stance_of(tilt_deg: float, *, stacked: bool) -> int | None:
    """Return `FLAT`, `LEANING` or `STACKED`; None between the first two."""
    if stacked:
        return STACKED
    if tilt_deg <= MAX_FLAT_DEG:
        return FLAT
    return LEANING if tilt_deg > COCKED_DEG else None


def _top_middle(pose: DiePose) -> FloatArray:
    up = pose.rotation[2]
    axis = int(np.argmax(np.abs(up)))
    return np.asarray(pose.center_mm + 0.5 * pose.look.size_mm * np.sign(up[axis]) * pose.rotation[:, axis], np.float64)


def write(folder: Path, numbers: range, seed: int, params: RecipeParams, throws: int = 2) -> None:
    """Draw pictures into a folder: `NNNNNN.jpg` at the detector's size and a `.npz` of truth for each `SHARD` of them.

    Args:
        numbers: The pictures' numbers, starting at a multiple of `SHARD`.
        throws: Number of pictures of each tray, a divisor of `SHARD`; a tray costs as much as 80 dice.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(numbers.start, numbers.stop, SHARD):
        done = folder / f"truth-{start:06d}.npz"
        if done.exists():
            continue
        shard = Shard()
        for first in range(start, min(start + SHARD, numbers.stop), throws):
            rng = np.random.default_rng([seed, first])
            scene, looks = still_scene(rng, params)
            tray = TrayBackdrop(scene)
            for number in range(first, min(first + throws, numbers.stop)):
                count = int(rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20]))
                dice = throw(rng, looks, count, scene.tray, params)
                small = add_picture(shard, rng, tray.draw(dice), replace(scene, dice=dice), number)
                cv2.imwrite(str(folder / f"{number:06d}.jpg"), small, [cv2.IMWRITE_JPEG_QUALITY, 95])
        shard.save(done)
        sys.stderr.write(f"{start + SHARD} of {numbers.stop}\n")


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first picture, a multiple of 40")
    parser.add_argument("--throws", type=int, default=2, help="pictures of each tray: 2, 4, 8, 10, 20 or 40")
    for name in SHARES:
        usual = getattr(RecipeParams(), name)
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, default=usual, help="see `RecipeParams`")
    args = parser.parse_args()
    if args.throws < 1 or SHARD % args.throws:
        parser.error(f"--throws is {args.throws}, must divide {SHARD}")
    cv2.setNumThreads(1)
    params = RecipeParams(**{name: getattr(args, name) for name in SHARES})
    write(args.folder, range(args.first, args.first + args.pictures), args.seed, params, args.throws)


if __name__ == "__main__":
    main()
