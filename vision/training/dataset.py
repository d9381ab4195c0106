"""Draws pictures that nets learn from, with their truth, into a folder that is thrown away after training.

python -m vision.training.dataset FOLDER --pictures 3000 --seed 1
"""

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from vision.die_patch import value_at
from vision.frame import FloatArray, ImageBgr, ImageGray
from vision.optics import camera_center_mm, project
from vision.scene import CameraPose, DiePose
from vision.shadows import corners_mm
from vision.synthetic import COCKED_DEG, TrayBackdrop
from vision.tops import Squares, upright_crops
from vision.training.recipe import RecipeParams, still_scene, throw

LONG_SIDE_PX = 640
CROP_PX = 72
CROP_SPAN = 2.7
"""Wider than the nets look, so that training can still turn, shift and scale what was cut out."""
SHARD = 40
FLAT, LEANING, STACKED, UNASKED = 0, 1, 2, 3
ASKED_DEG = (3.0, COCKED_DEG)
"""Between these a die is neither flat nor cocked: nothing is learned of how it stands."""


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """The top face of a die as the camera sees it.

    Attributes:
        center_px: Shape (2,).
        edge_px: Root of the area of its outline.
        angle: Its turn, radians, of no meaning beyond a quarter turn.
        visible: Share of it that nothing hides.
    """

    center_px: FloatArray
    edge_px: float
    angle: float
    visible: float


def face_turn(quad_px: FloatArray) -> float:
    """Turn of a quad modulo a quarter turn: the mean of its sides' directions, long sides counting more."""
    sides = np.roll(quad_px, -1, axis=0) - quad_px
    turn = np.arctan2(sides[:, 1], sides[:, 0])
    return float(np.angle((np.hypot(sides[:, 0], sides[:, 1]) * np.exp(4j * turn)).sum()) / 4)


def _outline(pose: DiePose, camera: CameraPose) -> FloatArray:
    xy = project(camera, corners_mm(pose, 0.5 * pose.look.rounding))
    return np.asarray(cv2.convexHull(xy.astype(np.float32)).reshape(-1, 2), np.float64)


def _visible(quad: FloatArray, hiding: list[FloatArray], camera: CameraPose) -> float:
    """Share of a quad that lies in the picture and under none of the outlines."""
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


def tops_of(dice: tuple[DiePose, ...], camera: CameraPose) -> list[Face | None]:
    """For each die its top face; None where the camera sees that from the back or nearly from its edge."""
    eye = camera_center_mm(camera)
    away = [float(np.linalg.norm(d.center_mm - eye)) for d in dice]
    outlines = [_outline(d, camera) for d in dice]
    tops: list[Face | None] = []
    for i, pose in enumerate(dice):
        hiding = [o for j, o in enumerate(outlines) if away[j] < away[i]]
        axis, up = _upmost(pose)
        half = 0.5 * pose.look.size_mm
        middle = pose.center_mm + half * up
        to_eye = (eye - middle) / np.linalg.norm(eye - middle)
        if float(up @ to_eye) < 0.12:
            tops.append(None)
            continue
        u, v = pose.rotation[:, (axis + 1) % 3], pose.rotation[:, (axis + 2) % 3]
        ring = [middle + half * (a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        quad = project(camera, np.array(ring))
        area = float(abs(cv2.contourArea(quad.astype(np.float32))))
        shows = _visible(quad, hiding, camera)
        tops.append(Face(project(camera, middle), float(np.sqrt(area)), face_turn(quad), shows))
    return tops


def _upmost(pose: DiePose) -> tuple[int, FloatArray]:
    """Axis of the face that looks up most, and the way it looks, shape (3,)."""
    axis = int(np.argmax(np.abs(pose.rotation[2])))
    return axis, np.asarray(np.sign(pose.rotation[2, axis]) * pose.rotation[:, axis], np.float64)


def die_value(pose: DiePose) -> tuple[int, float]:
    """Pips of the face that looks up most, and its tilt in degrees."""
    axis, up = _upmost(pose)
    tilt = float(np.degrees(np.arccos(min(float(up[2]), 1.0))))
    return value_at(pose.look, axis, bool(pose.rotation[2, axis] > 0)), tilt


@dataclass(slots=True)
class Shard:
    """Some pictures' truth: rows of what is in them, and their tops, cut out, with how each die stands.

    Attributes:
        rows: One of every die whose top the camera sees: picture, value, cocked, stacked, visible, x, y, edge, angle,
            lean x, lean y, in pixels of the picture as it is stored.
        crops: Tops of which little is hidden, shape (`CROP_PX`, `CROP_PX`, 3) each, turned upright or by quarters.
        leans: From the middle of each top to that of the face below it, in edges along the crop's axes.
        stances: `FLAT`, `LEANING`, `STACKED` or `UNASKED`, and the lean that a die lying flat would have there.
        row_of: The row of each crop's die, so that the other dice can be placed in it.
        turns: Of the crop's axes in the picture, radians.
    """

    rows: list[list[float]] = field(default_factory=list)
    crops: list[ImageBgr] = field(default_factory=list)
    leans: list[FloatArray] = field(default_factory=list)
    stances: list[tuple[int, float, float]] = field(default_factory=list)
    row_of: list[int] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write it as one file."""
        np.savez(
            path,
            rows=np.asarray(self.rows, np.float32).reshape(-1, 11),
            crops=np.asarray(self.crops, np.uint8).reshape(-1, CROP_PX, CROP_PX, 3),
            leans=np.asarray(self.leans, np.float32).reshape(-1, 2),
            stances=np.asarray(self.stances, np.float32).reshape(-1, 3),
            row_of=np.asarray(self.row_of, np.int32),
            turns=np.asarray(self.turns, np.float32),
        )


def add_picture(
    shard: Shard,
    picture: ImageBgr,
    camera: CameraPose,
    dice: tuple[DiePose, ...],
    number: int,
    *,
    rng: np.random.Generator,
) -> ImageBgr:
    """Add one picture's truth to a shard.

    Returns:
        The picture as it is to be stored, `LONG_SIDE_PX` along its longer side at most.
    """
    scale = LONG_SIDE_PX / max(camera.width_px, camera.height_px)
    for pose, top in zip(dice, tops_of(dice, camera), strict=True):
        if top is None:
            continue
        value, tilt = die_value(pose)
        half = 0.5 * pose.look.size_mm
        middle = pose.center_mm + half * _upmost(pose)[1]
        # The middle of the face below it, as the die lies and as it would lie flat.
        under = np.array([pose.center_mm * 2 - middle, middle - [0.0, 0.0, 2 * half]])
        lean, flat = (project(camera, under) - top.center_px) / max(top.edge_px, 1.0)
        at = top.center_px * scale
        shard.rows.append([
            number, value, float(tilt > COCKED_DEG), float(pose.is_stacked), top.visible,
            float(at[0]), float(at[1]), top.edge_px * scale, top.angle, float(lean[0]), float(lean[1]),
        ])  # fmt: skip
        if top.visible <= 0.8:
            continue
        turn = top.angle + float(rng.integers(4)) * np.pi / 2
        c, s = np.cos(turn), np.sin(turn)
        lean, flat = (np.array([[c, s], [-s, c]]) @ way for way in (lean, flat))
        square = Squares(top.center_px[None], np.array([top.edge_px]), np.array([turn]))
        shard.crops.extend(upright_crops(picture, square, CROP_PX, CROP_SPAN)[0])
        shard.leans.append(lean)
        shard.stances.append((stance_of(tilt, stacked=pose.is_stacked), float(flat[0]), float(flat[1])))
        shard.row_of.append(len(shard.rows) - 1)
        shard.turns.append(turn)
    if scale < 1:
        return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    return picture


def stance_of(tilt_deg: float, *, stacked: bool) -> int:
    """`FLAT`, `LEANING`, `STACKED`, or `UNASKED` between the first two."""
    if stacked:
        return STACKED
    if tilt_deg <= ASKED_DEG[0]:
        return FLAT
    return LEANING if tilt_deg > ASKED_DEG[1] else UNASKED


def write(folder: Path, numbers: range, seed: int, params: RecipeParams, throws: int = 2) -> None:
    """Draw pictures into a folder: `NNNNNN.jpg`, and a `.npz` of truth for each `SHARD` of them.

    Args:
        folder: Where to.
        numbers: The pictures' numbers, from a multiple of `SHARD` on.
        seed: Picks everything.
        params: What share of them shows what.
        throws: So many pictures of each tray, a divisor of `SHARD`; a tray costs as much as 80 dice.
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
                small = add_picture(shard, tray.draw(dice), scene.camera, dice, number, rng=rng)
                cv2.imwrite(str(folder / f"{number:06d}.jpg"), small, [cv2.IMWRITE_JPEG_QUALITY, 95])
        shard.save(done)
        sys.stderr.write(f"{start + SHARD} of {numbers.stop}\n")


def main() -> None:
    """Read the command line and draw."""
    usual = RecipeParams()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first picture, a multiple of 40")
    parser.add_argument("--throws", type=int, default=2, help="pictures of each tray: 2, 4, 8, 10, 20 or 40")
    parser.add_argument("--leaning", type=float, default=usual.leaning, help="chance of a die to be cocked")
    parser.add_argument("--stacked", type=float, default=usual.stacked, help="chance of a die to lie on another")
    parser.add_argument("--clutter", type=float, default=usual.clutter, help="chance of things that are no dice")
    parser.add_argument("--tableless", type=float, default=usual.tableless, help="share of pictures with no tray")
    parser.add_argument(
        "--edge-lean", type=float, default=usual.edge_lean, help="chance of a cocked die to tip over an edge"
    )
    parser.add_argument("--six-width", type=float, default=usual.six_width, help="least width of the 6")
    parser.add_argument("--moulded", type=float, default=usual.moulded, help="chance of dice out of another mould")
    parser.add_argument("--by-hand", type=float, default=usual.by_hand, help="share of trays seen from near and aslant")
    asked = parser.parse_args()
    if asked.throws < 1 or SHARD % asked.throws:
        parser.error(f"--throws is {asked.throws}, must divide {SHARD}")
    cv2.setNumThreads(1)
    params = RecipeParams(
        leaning=asked.leaning,
        stacked=asked.stacked,
        clutter=asked.clutter,
        tableless=asked.tableless,
        six_width=asked.six_width,
        edge_lean=asked.edge_lean,
        moulded=asked.moulded,
        by_hand=asked.by_hand,
    )
    write(asked.folder, range(asked.first, asked.first + asked.pictures), asked.seed, params, asked.throws)


if __name__ == "__main__":
    main()
