"""Draws small pictures of trays with the truth of each pixel, for the scene net.

python -m vision.training.scenes FOLDER --pictures 6000 --seed 1
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from vision.rendering.clutter import lay_out
from vision.rendering.optics import camera_center_mm, project
from vision.rendering.scene import CameraPose, DieLook, DiePose, Light, Scene, TrayLook
from vision.rendering.shadows import corners_mm
from vision.rendering.synthetic import TrayBackdrop
from vision.training.recipe import RecipeParams, camera_at, still_scene, varied_bgr
from vision.training.throws import throw
from vision.training.trays import resized
from vision.types.frame import FloatArray, ImageBgr, ImageGray

OUTSIDE, WALL, FLOOR, DIE, THING = range(5)
UNSEEN, UNKNOWN = 6, 7
"""Kinds of pixels of which nothing is known, and of which it is known whether the floor goes on there."""
WITHIN = 8
"""Added to a pixel's kind where the floor's outline goes around it, whatever lies or stands in front of the floor."""
SIZE_PX = (320, 240)
"""Width and height of the stored pictures; upright ones are turned."""
_DRAWN_PX = 384
_SHARD = 400
_THROWS = 4
PARAMS = RecipeParams(tableless=0.12, clutter=0.5, leaning=0.1, stacked=0.15, edge_lean=0.75, by_hand=0.12)
_TURN = {"rectangle": np.pi / 4, "hexagon": 0.0, "octagon": np.pi / 8, "round": 0.0}
_CORNERS = {"hexagon": 6, "octagon": 8, "round": 64}


def ring_mm(shape: str, size_mm: tuple[float, float], high_mm: float, beyond_mm: float = 0.0) -> FloatArray:
    """Return the corners of a tray's outline, shape (N, 3), at a height and so far outside the floor."""
    half = np.asarray(size_mm) / 2 + beyond_mm
    if shape == "rectangle":
        flat = half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    else:
        count = _CORNERS[shape]
        at = np.arange(count) * 2 * np.pi / count + _TURN[shape]
        flat = half / np.cos(np.pi / count) * np.stack([np.cos(at), np.sin(at)], axis=1)
    return np.column_stack([flat, np.full(len(flat), high_mm)])


def _filled(camera: CameraPose, *rings_mm: FloatArray) -> ImageGray:
    """Return where the hull of some points of the world is, 255 inside."""
    mask = np.zeros((camera.height_px, camera.width_px), np.uint8)
    xy = project(camera, np.concatenate(rings_mm))
    hull = cv2.convexHull(np.clip(xy, -4000, 4000).astype(np.float32)).reshape(-1, 2)
    cv2.fillPoly(mask, [np.rint(hull * 8).astype(np.int32)], (255,), shift=3)
    return mask


def tray_truth(camera: CameraPose, tray: TrayLook) -> ImageGray:
    """Return the kind of each pixel of a tray without dice."""
    kinds = np.zeros((camera.height_px, camera.width_px), np.uint8)
    if tray.shape == "none":
        return kinds

    def ring(high_mm: float, beyond_mm: float) -> FloatArray:
        return ring_mm(tray.shape, tray.floor_mm, high_mm, beyond_mm)

    thick = tray.wall_thickness_mm
    kinds[_filled(camera, ring(0.0, thick), ring(tray.wall_mm, thick)) > 0] = WALL
    floor = _filled(camera, ring(0.0, 0.0)) > 0
    kinds[floor & (_filled(camera, ring(tray.wall_mm, 0.0)) > 0)] = FLOOR
    kinds[floor] += WITHIN
    return kinds


def put(kinds: ImageGray, where: np.ndarray, kind: int) -> None:
    """Let pixels be of another kind; whether the floor goes on below stays."""
    kinds[where] = (kinds[where] & WITHIN) | kind


def _hard_lamp(rng: np.random.Generator, tray: TrayLook) -> tuple[tuple[Light, ...], float]:
    """Return a small lamp whose walls cast long shadows with sharp edges, and the room's share of the light."""
    reach = 0.5 * max(tray.floor_mm)
    # A wall's shadow is so many times as wide as the wall is high.
    wide = float(rng.uniform(0.4, 3.0))
    away = float(rng.uniform(1.5, 6.0)) * reach
    a = float(rng.uniform(0, 2 * np.pi))
    warm = float(rng.normal(0, 0.09))
    lamp = Light(
        (away * float(np.cos(a)), away * float(np.sin(a)), max(away / wide, 1.5 * tray.wall_mm)),
        float(rng.uniform(0.5, 1.4)),
        float(rng.uniform(2, 40)),
        (1 - warm, 1.0, 1 + warm),
    )
    other = Light((-0.6 * away, 0.3 * away, away), float(rng.uniform(0.1, 0.5)), float(rng.uniform(4, 200)))
    return ((lamp,) if rng.random() < 0.7 else (lamp, other)), float(rng.uniform(0.05, 0.6))


def scene_of(rng: np.random.Generator) -> tuple[Scene, tuple[DieLook, ...]]:
    """Return a tray or table without dice in any light, and the kinds of dice that will lie on it."""
    scene, looks = still_scene(rng, PARAMS)
    tray, camera = scene.tray, scene.camera
    if rng.random() < 0.5:
        lights, ambient = _hard_lamp(rng, tray)
        scene = replace(scene, lights=lights, ambient=ambient)
    if rng.random() < 0.25:
        # A folding tray: walls of the floor's own leather or felt.
        tray = replace(tray, wall=tray.floor if rng.random() < 0.8 else "leather", wall_bgr=tray.floor_bgr)
    elif rng.random() < 0.4:
        any_bgr = tuple(int(v) for v in rng.integers(15, 240, 3))
        tray = replace(tray, wall_bgr=varied_bgr(rng, any_bgr, 0.1))  # type: ignore[arg-type]
    if rng.random() < 0.2:
        tray = replace(tray, wall_mm=float(rng.uniform(8, 60)), wall_thickness_mm=float(rng.uniform(1, 40)))
    if rng.random() < 0.3:
        edge = looks[0].size_mm
        away = float(np.linalg.norm(camera_center_mm(camera)))
        edge_px = edge * camera.k[0, 0] / away * float(rng.uniform(0.6, 1.5))
        tilt = float(rng.uniform(3, 38))
        size = (camera.width_px, camera.height_px)
        scene = replace(scene, camera=camera_at(rng, size, (edge_px, edge), float(rng.uniform(44, 74)), tilt))
    scene = replace(scene, tray=tray)
    scene = resized(
        scene, round(scene.camera.width_px * _DRAWN_PX / max(scene.camera.width_px, scene.camera.height_px))
    )
    return scene, looks


def outline_px(pose: DiePose, camera: CameraPose) -> FloatArray:
    """Return the outline of a die in the picture, shape (N, 2)."""
    xy = project(camera, corners_mm(pose, 0.5 * pose.look.rounding))
    return np.asarray(cv2.convexHull(xy.astype(np.float32)).reshape(-1, 2), np.float64)


def truth_of(scene: Scene, dice: tuple[DiePose, ...]) -> ImageGray:
    """Return the kind of each pixel of a scene with dice."""
    kinds = tray_truth(scene.camera, scene.tray)
    for patch in lay_out(scene):
        x0, y0, x1, y1 = patch.rect
        put(kinds[y0:y1, x0:x1], patch.cover > 0.5, THING)
    for pose in dice:
        mask = np.zeros(kinds.shape, np.uint8)
        cv2.fillPoly(mask, [np.rint(outline_px(pose, scene.camera) * 8).astype(np.int32)], (255,), shift=3)
        put(kinds, mask > 0, DIE)
    return kinds


def laid_over(
    rng: np.random.Generator, picture: ImageBgr, kinds: ImageGray, dice_px: list[FloatArray], edge_px: float
) -> tuple[ImageBgr, ImageGray]:
    """Lay a card or a sheet over a place, most often over a die, or let an arm come in from the border."""
    h, w = kinds.shape
    arm = rng.random() < 0.45
    if dice_px and rng.random() < 0.7:
        middle = dice_px[int(rng.integers(len(dice_px)))] + rng.normal(0, 0.8, 2) * edge_px
    else:
        middle = np.array([rng.uniform(0, w), rng.uniform(0, h)])
    a = float(rng.uniform(0, 2 * np.pi))
    mask = np.zeros((h, w), np.uint8)
    if arm:
        wide = float(rng.uniform(1.0, 2.6)) * edge_px
        way, across = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
        wrist = middle + way * wide * float(rng.uniform(0.2, 0.9))
        sleeve = [wrist + across * wide * 0.55, wrist + way * 700 + across * wide * 1.2]
        sleeve += [wrist + way * 700 - across * wide * 1.2, wrist - across * wide * 0.55]
        cv2.fillPoly(mask, [np.rint(np.array(sleeve) * 8).astype(np.int32)], (255,), shift=3)
        axes = (wide * float(rng.uniform(0.6, 1.0)), wide * float(rng.uniform(0.5, 0.9)))
        cv2.ellipse(mask, (tuple(middle.tolist()), (2 * axes[0], 2 * axes[1]), np.degrees(a)), (255,), -1)
        for _ in range(int(rng.integers(0, 6))):
            b = a + np.pi + rng.normal(0, 0.6)
            tip = middle + np.array([np.cos(b), np.sin(b)]) * wide * rng.uniform(1.0, 2.0)
            ends = [tuple(int(v) for v in np.rint(p * 8)) for p in (middle, tip)]
            cv2.line(mask, ends[0], ends[1], (255,), max(2, round(0.35 * wide)), cv2.LINE_AA, 3)
        skin = rng.random() < 0.7
        base = np.array([110.0, 140.0, 190.0]) * rng.uniform(0.3, 1.2) if skin else rng.uniform(15, 235, 3)
    else:
        long, wide = float(rng.uniform(1.2, 6)) * edge_px, float(rng.uniform(1, 4)) * edge_px
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        corners = np.array([(-long, -wide), (long, -wide), (long, wide), (-long, wide)]) / 2 @ turn.T + middle
        cv2.fillPoly(mask, [np.rint(corners * 8).astype(np.int32)], (255,), shift=3)
        base = np.full(3, rng.uniform(20, 240)) + rng.normal(0, 25, 3)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (h, w, 3)).astype(np.float32), (0, 0), float(rng.uniform(0.6, 4)))
    slope = np.linspace(-1, 1, w, dtype=np.float32)[None, :, None] * rng.uniform(-30, 30)
    look = np.clip(grain * rng.uniform(0, 60) + base.astype(np.float32) + slope, 0, 255)
    step = rng.uniform(-1, 1, 2) * (0.8 if arm else 0.25) * edge_px
    moved = cv2.warpAffine(mask, np.array([[1, 0, step[0]], [0, 1, step[1]]]), (w, h))
    shadow = cv2.GaussianBlur(moved.astype(np.float32) / 255, (0, 0), float(rng.uniform(0.6, 4))) * rng.uniform(0, 0.65)
    out = picture * (1 - shadow[..., None])
    cover = cv2.GaussianBlur(mask.astype(np.float32) / 255, (0, 0), 0.6)[..., None]
    out = out * (1 - cover) + look * cover
    changed = kinds.copy()
    put(changed, mask > 127, THING)
    return np.clip(out, 0, 255).astype(np.uint8), changed


def shadowed(rng: np.random.Generator, picture: ImageBgr) -> ImageBgr:
    """Darken a part of a picture as the shadow of something outside it: an arm of a lamp, a head, a shelf."""
    h, w = picture.shape[:2]
    mask = np.zeros((h, w), np.float32)
    for _ in range(int(rng.integers(1, 3))):
        middle, a = rng.uniform(0, 1, 2) * (w, h), rng.uniform(0, np.pi)
        long, wide = float(rng.uniform(60, 900)), float(np.exp(rng.uniform(np.log(5), np.log(150))))
        corners = np.array([(-long, -wide), (long, -wide * rng.uniform(0.3, 1)), (long, wide), (-long, wide)])
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        cv2.fillPoly(mask, [np.rint((corners @ turn.T + middle) * 8).astype(np.int32)], (1.0,), cv2.LINE_AA, 3)
    if rng.random() < 0.5:
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.7, 6))), np.float32)
    tint = rng.uniform(0.25, 0.8) + rng.normal(0, 0.03, 3)
    return np.clip(picture * (1 - mask[..., None] * (1 - tint)), 0, 255).astype(np.uint8)


def stored(picture: ImageBgr, kinds: ImageGray) -> tuple[ImageBgr, ImageGray]:
    """Return a picture and its truth as they are stored: `SIZE_PX`, wider than high."""
    if picture.shape[0] > picture.shape[1]:
        picture, kinds = (np.rot90(one) for one in (picture, kinds))
    small = cv2.resize(np.ascontiguousarray(picture), SIZE_PX, interpolation=cv2.INTER_AREA)
    truth = cv2.resize(np.ascontiguousarray(kinds), SIZE_PX, interpolation=cv2.INTER_NEAREST)
    return np.asarray(small, np.uint8), np.asarray(truth, np.uint8)


def pictures_of(rng: np.random.Generator) -> list[tuple[ImageBgr, ImageGray]]:
    """Return some pictures of one tray, the first of them empty."""
    scene, looks = scene_of(rng)
    backdrop = TrayBackdrop(scene)
    camera = scene.camera
    away = float(np.linalg.norm(camera_center_mm(camera)))
    edge_px = float(looks[0].size_mm * camera.k[0, 0] / away)
    done = []
    for number in range(_THROWS):
        count = int(rng.choice([2, 5, 8, 12, 16, 22])) if number else 0
        dice = throw(rng, looks, count, scene.tray, PARAMS) if count else ()
        picture, kinds = backdrop.draw(dice), truth_of(scene, dice)
        if rng.random() < 0.25:
            picture = shadowed(rng, picture)
        if rng.random() < 0.4:
            middles = [outline_px(pose, camera).mean(axis=0) for pose in dice]
            picture, kinds = laid_over(rng, picture, kinds, middles, edge_px)
        done.append(stored(picture, kinds))
    return done


def write(folder: Path, count: int, seed: int) -> None:
    """Draw pictures into a folder, `_SHARD` a file."""
    folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, count, _SHARD):
        path = folder / f"{seed}-{first:06d}.npz"
        if path.exists():
            continue
        made: list[tuple[ImageBgr, ImageGray]] = []
        for number in range(first, min(first + _SHARD, count), _THROWS):
            made += pictures_of(np.random.default_rng([seed, number]))
        with path.with_suffix(".part").open("wb") as file:
            np.savez_compressed(file, pictures=np.array([p for p, _ in made]), kinds=np.array([k for _, k in made]))
        path.with_suffix(".part").rename(path)
        sys.stderr.write(f"{first + len(made)} of {count}\n")


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    write(args.folder, args.pictures, args.seed)


if __name__ == "__main__":
    main()
