"""Draws the pictures the nets learn from, with their truth, into a folder that is thrown away after training.

python -m vision.training.dataset FOLDER --pictures 3000 --seed 1
"""

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from vision.detection.squares import Squares, upright_crops
from vision.rendering.clutter import spots_mm
from vision.rendering.die_patch import value_at
from vision.rendering.optics import camera_center_mm, project
from vision.rendering.scene import CameraPose, DiePose, Scene
from vision.rendering.shadows import corners_mm
from vision.rendering.synthetic import COCKED_DEG, TrayBackdrop
from vision.training.recipe import RecipeParams, still_scene, throw
from vision.types.frame import FloatArray, ImageBgr, ImageGray

LONG_SIDE_PX = 640
CROP_PX = 72
CROP_SPAN = 2.7
"""Wider than the nets look, so that training can still turn, shift and scale what was cut out."""
SHARD = 40
COCKED, NOT_TOP = 6, 7
FLAT, LEANING, STACKED, UNASKED = 0, 1, 2, 3
ASKED_DEG = (3.0, COCKED_DEG)
"""Between these a die is neither flat nor cocked: what the stance net says of it does not count."""


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One face of a die as the camera sees it.

    Attributes:
        quad_px: Shape (4, 2), corners of the face.
        center_px: Shape (2,), middle of the face.
        edge_px: Edge of the face: root of the quad's area.
        angle: Turn of the face, in radians, of no meaning beyond a quarter turn.
        visible: Share of the face that nothing hides.
    """

    quad_px: FloatArray
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


def faces_of(dice: tuple[DiePose, ...], camera: CameraPose) -> list[tuple[Face | None, list[Face]]]:
    """For each die its top face (None if seen from the back) and the side faces that look at the camera."""
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
    """Pips of the face that looks up most, and its tilt in degrees."""
    up = pose.rotation[2]
    axis = int(np.argmax(np.abs(up)))
    tilt = float(np.degrees(np.arccos(min(abs(float(up[axis])), 1.0))))
    return value_at(pose.look, axis, bool(up[axis] > 0)), tilt


@dataclass(slots=True)
class Shard:
    """Some pictures' truth: rows for the finder; crops, labels and leans for the reader; stances for the stance net.

    A stance: `FLAT`, `LEANING`, `STACKED` or `UNASKED`, and the lean, in edges along the crop's axes, that a die lying
    flat at that place would have. Of a crop round a top face, the row of its die and the turn of the crop's axes in the
    picture are kept, so that the other dice can be placed in it; else -1 and 0.

    Attributes:
        rng: Random numbers for the choice of crops.
        rows: One row for each top face, for the finder; its columns are listed at `add_picture`.
        crops: Crops of top faces and of other places, for the reader.
        labels: Label of each crop: the value less one, `COCKED` or `NOT_TOP`.
        leans: Lean of the die in each crop, in edges along the crop's axes; zero where it is unknown.
        stances: Stance of the die in each crop, and the lean that a flat die would have there.
        row_of: Row of the die in each crop; -1 where the crop is not of a top face.
        turns: Turn of each crop's axes in the picture, in radians; 0 where the crop is not of a top face.
    """

    rng: np.random.Generator
    rows: list[list[float]] = field(default_factory=list)
    crops: list[ImageBgr] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
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
            labels=np.asarray(self.labels, np.uint8),
            leans=np.asarray(self.leans, np.float32).reshape(-1, 2),
            stances=np.asarray(self.stances, np.float32).reshape(-1, 3),
            row_of=np.asarray(self.row_of, np.int32),
            turns=np.asarray(self.turns, np.float32),
        )


def add_picture(shard: Shard, picture: ImageBgr, scene: Scene, dice: tuple[DiePose, ...], number: int) -> ImageBgr:
    """Add one picture's truth to a shard; gives the picture back at the finder's size.

    A row: picture, value, cocked, stacked, visible, x, y, edge, angle, lean x, lean y, in the finder's pixels.
    """
    camera, rng = scene.camera, shard.rng
    scale = LONG_SIDE_PX / max(camera.width_px, camera.height_px)
    faces = faces_of(dice, camera)

    def cut(
        center: FloatArray,
        edge: float,
        angle: float,
        label: int,
        stance: tuple[int, FloatArray, FloatArray] | None = None,
    ) -> None:
        turn = angle + float(rng.integers(4)) * np.pi / 2
        c, s = np.cos(turn), np.sin(turn)
        kind, lean, flat = stance or (UNASKED, np.zeros(2), np.zeros(2))
        lean, flat = (np.array([[c, s], [-s, c]]) @ way for way in (lean, flat))
        shard.leans.append(lean)
        shard.stances.append((kind, float(flat[0]), float(flat[1])))
        shard.row_of.append(len(shard.rows) - 1 if stance else -1)
        shard.turns.append(turn if stance else 0.0)
        square = Squares(np.array(center, np.float64)[None], np.array([edge]), np.array([turn]))
        shard.crops.extend(upright_crops(picture, square, CROP_PX, CROP_SPAN)[0])
        shard.labels.append(label)

    for pose, (top, sides) in zip(dice, faces, strict=True):
        value, tilt = die_value(pose)
        stacked = pose.is_stacked
        for side in sides:
            if side.visible > 0.6 and side.edge_px > 7 and rng.random() < 0.5:
                cut(side.center_px, side.edge_px, side.angle, NOT_TOP)
        if top is None:
            continue
        middle = _top_middle(pose)
        under = np.array([pose.center_mm * 2 - middle, middle - [0.0, 0.0, pose.look.size_mm]])
        lean, flat = (project(camera, under) - top.center_px) / max(top.edge_px, 1.0)
        at = top.center_px * scale
        shard.rows.append([
            number, value, float(tilt > COCKED_DEG), float(stacked), top.visible,
            float(at[0]), float(at[1]), top.edge_px * scale, top.angle, float(lean[0]), float(lean[1]),
        ])  # fmt: skip
        if top.visible > 0.8:
            label = COCKED if tilt > COCKED_DEG else value - 1
            cut(top.center_px, top.edge_px, top.angle, label, (stance_of(tilt, stacked=stacked), lean, flat))
            if rng.random() < 0.35:
                way = rng.uniform(0, 2 * np.pi)
                off = top.center_px + rng.uniform(0.5, 1.0) * top.edge_px * np.array([np.cos(way), np.sin(way)])
                cut(off, top.edge_px * rng.uniform(0.8, 1.2), top.angle, NOT_TOP)
            if rng.random() < 0.1:
                cut(top.center_px, top.edge_px * rng.choice([0.5, 1.9]), top.angle, NOT_TOP)
    tops = [top for top, _ in faces if top is not None and top.visible > 0.5]
    edge = float(np.median([t.edge_px for t in tops])) if tops else 25.0 / scale
    for a in tops:
        for b in tops:
            gap = float(np.linalg.norm(a.center_px - b.center_px))
            if a is not b and gap < 1.5 * edge and rng.random() < 0.25:
                cut((a.center_px + b.center_px) / 2, edge, a.angle + rng.choice([0, np.pi / 4]), NOT_TOP)
    things = [project(camera, np.array([*place, 0.0])) for _, place, _ in spots_mm(scene)]
    # A finder takes things for dice by their middles, and a little beside them.
    spots = [thing + rng.normal(0, off, 2) * edge for thing in things for off in (0.06, 0.06, 0.2, 0.4, 0.4)]
    spots += [rng.uniform(0, 1, 2) * [camera.width_px, camera.height_px] for _ in range(3)]
    for spot in spots:
        clear = all(float(np.linalg.norm(spot - t.center_px)) > 0.6 * t.edge_px for t in tops)
        inside = bool(np.all((spot > 0) & (spot < [camera.width_px, camera.height_px])))
        if clear and inside:
            cut(spot, edge * rng.uniform(0.7, 1.3), rng.uniform(0, np.pi), NOT_TOP)
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


def _top_middle(pose: DiePose) -> FloatArray:
    up = pose.rotation[2]
    axis = int(np.argmax(np.abs(up)))
    return np.asarray(pose.center_mm + 0.5 * pose.look.size_mm * np.sign(up[axis]) * pose.rotation[:, axis], np.float64)


def write(folder: Path, numbers: range, seed: int, params: RecipeParams, throws: int = 2) -> None:
    """Draw pictures into a folder: `NNNNNN.jpg` at the finder's size and a `.npz` of truth for each `SHARD` of them.

    Args:
        folder: Where to.
        numbers: The pictures' numbers, from a multiple of `SHARD` on.
        seed: Picks everything.
        params: What share of them shows what.
        throws: Number of pictures of each tray, a divisor of `SHARD`; a tray costs as much as 80 dice.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(numbers.start, numbers.stop, SHARD):
        done = folder / f"truth-{start:06d}.npz"
        if done.exists():
            continue
        shard = Shard(np.random.default_rng([seed, start]))
        for first in range(start, min(start + SHARD, numbers.stop), throws):
            rng = np.random.default_rng([seed, first])
            shard.rng = rng
            scene, looks = still_scene(rng, params)
            tray = TrayBackdrop(scene)
            for number in range(first, min(first + throws, numbers.stop)):
                count = int(rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20]))
                dice = throw(rng, looks, count, scene.tray, params)
                small = add_picture(shard, tray.draw(dice), scene, dice, number)
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
