"""Draws calibrated trays whose camera is then knocked, or not, and judges what is said of them.

    .venv/bin/python tests/benchmarks/knocked_camera.py draw FOLDER --trays 120 --seed 1
    .venv/bin/python tests/benchmarks/knocked_camera.py judge FOLDER [--fixtures FIXTURES] [--recordings RECORDINGS]

Trays are those of `hard_trays.py`, 640 pixels across. Each gets `empty.jpg` and a picture of each of `KINDS`, drawn
again under the camera as it then hangs, with `labels.json`: the floor's outline at calibration and in each picture, and
by how many degrees the camera was turned. `vision.training.fit_camera_moved` fits the decision on such trays.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from device.simulation.hand import HandPainter, HandPlace  # noqa: E402
from tests.benchmarks.hard_recordings import some_hand  # noqa: E402
from tests.benchmarks.hard_trays import PARAMS, some_dice  # noqa: E402
from vision.decision.camera_moved import is_moved, located_move  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.rendering.optics import project  # noqa: E402
from vision.rendering.scene import CameraPose, Light, Scene  # noqa: E402
from vision.rendering.shadows import opening_of  # noqa: E402
from vision.rendering.synthetic import TrayBackdrop  # noqa: E402
from vision.training.fit_camera_moved import NEAR_SHARE  # noqa: E402
from vision.training.recipe import lamps  # noqa: E402
from vision.training.trays import looks_of, resized, whole_scene  # noqa: E402
from vision.tray.landmarks import Landmarks  # noqa: E402
from vision.tray.scene_floor import find_floor  # noqa: E402
from vision.types.frame import FloatArray, ImageBgr  # noqa: E402

WIDTH_PX = 640
KINDS = {
    "dice": (0.0, 0.0),
    "other light": (0.0, 0.0),
    "ring": (0.0, 0.0),
    "focus": (0.0, 0.0),
    "hand": (0.0, 0.0),
    "sheet": (0.0, 0.0),
    "nudged": (0.1, 0.8),
    "knocked": (1.8, 3.5),
    "knocked far": (3.5, 10.0),
    "knocked, other light": (2.0, 8.0),
    "tray pushed": (2.0, 6.0),
}
"""Kinds of pictures, and by how many degrees the camera is turned in each; a pushed tray slides by as much."""
ZOOM = 0.015
"""Greatest change of the picture's size, a share, when the lens refocuses."""


def turned(rng: np.random.Generator, camera: CameraPose, degrees: float, zoom: float = 1.0) -> CameraPose:
    """Return a camera turned about some axis, its centre carried along by up to 2 mm a degree."""
    axis = rng.normal(size=3)
    turn, _ = cv2.Rodrigues(np.radians(degrees) * axis / np.linalg.norm(axis))
    shift = rng.normal(size=3)
    shift *= rng.uniform(0.0, 2.0) * degrees / np.linalg.norm(shift)
    k = camera.k.copy()
    k[0, 0], k[1, 1] = k[0, 0] * zoom, k[1, 1] * zoom
    rotation = np.asarray(turn @ camera.rotation, np.float64)
    return replace(camera, k=k, rotation=rotation, translation_mm=turn @ camera.translation_mm + shift)


def slid(rng: np.random.Generator, camera: CameraPose, degrees: float) -> CameraPose:
    """Return a camera to which a tray looks as after it slid on the table, by as much as this turn moves a picture."""
    away_mm, heading = float(camera.translation_mm[2]), rng.uniform(0.0, 2 * np.pi)
    by = away_mm * np.tan(np.radians(degrees))
    move = np.array([np.cos(heading) * by, np.sin(heading) * by, 0.0])
    return replace(camera, translation_mm=camera.translation_mm + camera.rotation @ move)


def in_other_light(rng: np.random.Generator, scene: Scene) -> Scene:
    """Return the scene with its lamps elsewhere or others, and another exposure."""
    lights, ambient = lamps(rng)
    exposure = scene.capture.exposure * float(np.exp(rng.normal(0, 0.15)))
    return replace(scene, lights=lights, ambient=ambient, capture=replace(scene.capture, exposure=exposure))


def with_ring(rng: np.random.Generator, scene: Scene) -> Scene:
    """Return the scene with a ring of LEDs round the camera, or of another strength."""
    ring = Light((0.0, 0.0, 430.0), float(rng.uniform(0.3, 0.9)), 120.0, (1.05, 1.0, 0.95), "ring")
    exposure = scene.capture.exposure * float(rng.uniform(0.6, 1.0))
    lights = (*(replace(light, strength=0.6 * light.strength) for light in scene.lights), ring)
    return replace(scene, lights=lights, capture=replace(scene.capture, exposure=exposure))


def with_hand(rng: np.random.Generator, scene: Scene, picture: ImageBgr) -> ImageBgr:
    """Return the picture with a hand over the tray."""
    hand = some_hand(rng, scene)
    width, depth = scene.tray.floor_mm
    place = HandPlace((float(rng.uniform(-0.4, 0.4) * width), float(rng.uniform(-0.4, 0.4) * depth)), (0.0, 0.0))
    HandPainter(scene.camera, hand).paint(picture, place, 0.0)
    return picture


def with_sheet(rng: np.random.Generator, picture: ImageBgr) -> ImageBgr:
    """Return the picture with a sheet of paper or a book over a part of the tray."""
    height, width = picture.shape[:2]
    side = float(rng.integers(4))
    place = (rng.uniform(0.1, 0.9) * width, (0.05 if side < 2 else 0.95) * height)
    box = cv2.boxPoints((place, (0.35 * width, 0.3 * height), rng.uniform(0, 90)))
    colour = (rng.uniform(20, 245, 3)).tolist()
    cv2.fillConvexPoly(picture, np.rint(box).astype(np.int32), colour, cv2.LINE_AA)
    return picture


def outline_px(scene: Scene) -> FloatArray:
    """Return the floor's outline in the picture, shape (N, 2)."""
    opening = opening_of(scene.tray)
    if len(opening.normals):
        sides = list(zip(opening.normals.astype(float), opening.reach_mm.astype(float), strict=True))
        pairs = zip(sides, (*sides[1:], sides[0]), strict=True)
        outline = np.array([np.linalg.solve([one[0], other[0]], [one[1], other[1]]) for one, other in pairs])
    else:
        angles = np.linspace(0.0, 2 * np.pi, 48, endpoint=False)
        outline = opening.reach_mm[0] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return project(scene.camera, np.column_stack([outline, np.zeros(len(outline))]))


def drawn(kind: str, rng: np.random.Generator, scene: Scene, degrees: float) -> tuple[Scene, Callable[..., ImageBgr]]:
    """Return the scene of a picture of a kind, and what is laid over it."""
    after: Callable[..., ImageBgr] = lambda picture: picture  # noqa: E731
    if "light" in kind:
        scene = in_other_light(rng, scene)
    zoom = 1.0
    match kind:
        case "ring":
            scene = with_ring(rng, scene)
        case "focus":
            zoom = 1.0 + float(rng.uniform(-ZOOM, ZOOM))
            blur = scene.capture.defocus_px + float(rng.uniform(0.0, 1.5))
            scene = replace(scene, capture=replace(scene.capture, defocus_px=blur))
        case "sheet":
            after = lambda picture: with_sheet(rng, picture)  # noqa: E731
    slides = kind == "tray pushed"
    camera = slid(rng, scene.camera, degrees) if slides else turned(rng, scene.camera, degrees, zoom)
    scene = replace(scene, camera=camera)
    if kind == "hand":
        after = lambda picture: with_hand(rng, scene, picture)  # noqa: E731
    return scene, after


def draw(folder: Path, trays: int, seed: int) -> None:
    """Draw trays."""
    number = done = 0
    while done < trays:
        number += 1
        rng = np.random.default_rng([seed, number])
        found = whole_scene(rng, PARAMS)
        if found is None:
            continue
        scene, kinds = resized(found[0], WIDTH_PX), found[1]
        looks = looks_of(rng, kinds[0].size_mm)
        own = folder / f"k{number:04d}"
        own.mkdir(parents=True, exist_ok=True)
        backdrop = TrayBackdrop(scene)
        cv2.imwrite(str(own / "empty.jpg"), backdrop.draw(()), [cv2.IMWRITE_JPEG_QUALITY, 92])
        entries = []
        for kind, (low, high) in KINDS.items():
            degrees = float(rng.uniform(low, high))
            now, after = drawn(kind, rng, scene, degrees)
            tray = backdrop if now == scene else TrayBackdrop(now)
            dice = () if rng.random() < 0.2 else some_dice(rng, now, looks, PARAMS)
            picture = after(np.clip(tray.draw(dice) * np.exp(rng.normal(0, 0.06)), 0, 255).astype(np.uint8))
            name = f"{kind.replace(', ', '_').replace(' ', '_')}.jpg"
            cv2.imwrite(str(own / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
            entries.append({"image": name, "kind": kind, "degrees": degrees, "outline_px": outline_px(now).tolist()})
        label = {"outline_px": outline_px(scene).tolist(), "pictures": entries}
        (own / "labels.json").write_text(json.dumps(label), encoding="utf-8")
        done += 1
        sys.stderr.write(f"{done} of {trays} trays\n")


@dataclass(slots=True)
class Counted:
    """Pictures of one kind."""

    pictures: int = 0
    told: int = 0
    located: int = 0
    far_off: int = 0
    ms: list[float] = field(default_factory=list)

    def count(self, landmarks: Landmarks, picture: ImageBgr, before: FloatArray, now: FloatArray) -> None:
        """Judge one picture, in which the floor's outline lies elsewhere than before or not."""
        began_s = time.process_time()
        found = landmarks.find(picture)
        move = located_move(found)
        self.ms.append(1e3 * (time.process_time() - began_s))
        self.pictures += 1
        self.told += is_moved(found)
        self.located += move is not None
        if move is not None:
            size = (picture.shape[1], picture.shape[0])
            self.far_off += float(np.abs(move.moved(before, size) - now).max()) > NEAR_SHARE * size[0]


def drawn_trays(folder: Path, counted: dict[str, Counted]) -> None:
    """Judge the trays that `draw` wrote."""
    for path in sorted(folder.glob("*/labels.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        outline = np.array(label["outline_px"])
        landmarks = Landmarks(load_image(path.parent / "empty.jpg"), outline)
        for entry in label["pictures"]:
            kind = f"{entry['kind']}, {KINDS[entry['kind']][0]:g} to {KINDS[entry['kind']][1]:g} degrees"
            picture = load_image(path.parent / entry["image"])
            counted[kind].count(landmarks, picture, outline, np.array(entry["outline_px"]))


def still_trays(rig: Path, pictures: Sequence[Path], counted: Counted) -> None:
    """Judge pictures of a tray whose camera was not moved."""
    empty = load_image(rig)
    floor = find_floor(empty)
    landmarks = Landmarks(empty, None if floor is None else floor.outline_px)
    corner = np.zeros((1, 2))
    for picture in pictures:
        counted.count(landmarks, load_image(picture), corner, corner)


def rests(recording: Path) -> list[Path]:
    """Return every fifth picture of a recording's rests."""
    truth = json.loads((recording / "truth.json").read_text(encoding="utf-8"))
    numbers = [n for rest in truth["rests"] for n in range(rest["first_frame"], rest["last_frame"] + 1, 5)]
    return [recording / "frames" / f"{number:06d}.jpg" for number in numbers]


def judge(folder: Path, fixtures: Path | None, recordings: Path | None) -> None:
    """Print a table."""
    counted: dict[str, Counted] = defaultdict(Counted)
    drawn_trays(folder, counted)
    if fixtures is not None:
        for rig in sorted((fixtures / "rigs").iterdir()):
            still_trays(
                rig / "empty.jpg", sorted(rig.glob("calib_*.jpg")) + sorted(rig.glob("images/*.jpg")), counted["rigs"]
            )
    for root in (fixtures and fixtures / "recordings", recordings):
        for one in sorted(root.iterdir()) if root is not None else ():
            still_trays(one / "frames" / "000000.jpg", rests(one), counted["recordings"])
    print(f"{'':<42}{'pictures':>9}{'told':>6}{'floor known':>13}{'but off':>9}{'ms':>7}{'95 %':>7}")
    for kind, some in counted.items():
        times = f"{np.median(some.ms):>7.1f}{np.percentile(some.ms, 95):>7.1f}"
        print(f"{kind:<42}{some.pictures:>9}{some.told:>6}{some.located:>13}{some.far_off:>9}{times}")


def main() -> int:
    """Draw or judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("draw", "judge"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trays", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fixtures", type=Path, help="given pictures, none of them of a moved camera")
    parser.add_argument("--recordings", type=Path, help="recordings by hard_recordings.py")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    if args.what == "draw":
        draw(args.folder, args.trays, args.seed)
    else:
        judge(args.folder, args.fixtures, args.recordings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
