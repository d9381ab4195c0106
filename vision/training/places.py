"""Draws trays, reads them, and keeps each place that the reader weighs with the truth: what the close net learns from.

python -m vision.training.places FOLDER --scenes 1600 --seed 501
"""

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from vision.detection.squares import Squares, cut_out
from vision.pipeline.reader import Reader, Trace
from vision.rendering.scene import CameraPose, DieLook, DiePose
from vision.rendering.synthetic import TrayBackdrop
from vision.training.dataset import UNASKED, die_value, faces_of, stance_of
from vision.training.recipe import RecipeParams, throw
from vision.training.trays import COUNTS, looks_of, whole_scene
from vision.types.frame import FloatArray, ImageBgr

PLACE_PX, PLACE_SPAN = 96, 3.1
"""Side of what is cut out, in pixels and in edges: wider than the net looks, so that it can be turned and moved."""
NO_DIE, UNKNOWN = 6, 7
"""Labels beside value less one: no die's top face, and not to be learned from."""
ON_IT, OFF_IT = 0.3, 0.45
"""A place nearer to the middle of a top than this, in its edges, is that die's; one farther from all is none's."""
MOST_BESIDE = 8
_SMALLER = (0.5, 0.8)
_QUALITIES = (92, 92, 80, 60)


@dataclass(slots=True)
class Places:
    """Places of one tray's pictures.

    Attributes:
        crops: Crops of shape (PLACE_PX, PLACE_PX, 3).
        labels: Label of each place: value less one, `NO_DIE`, or `UNKNOWN`.
        kinds: Stance at each place: `FLAT`, `LEANING`, `STACKED`, or `UNASKED`.
        flats: Lean that a flat die would have at each place, shape (2,) each, in edges along the crop's axes.
        beside: Outlines of the dice beside each place, shape (MOST_BESIDE, 8, 2) each, in edges along the crop's axes
            from its middle; not a number where there are fewer.
        doubtful: Whether the reader looked closely at each place.
    """

    crops: list[ImageBgr] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    flats: list[FloatArray] = field(default_factory=list)
    beside: list[FloatArray] = field(default_factory=list)
    doubtful: list[bool] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write them as one file, which is there whole or not at all."""
        part = path.with_name(f"part-{path.name}")
        np.savez(
            part,
            crops=np.asarray(self.crops, np.uint8).reshape(-1, PLACE_PX, PLACE_PX, 3),
            labels=np.asarray(self.labels, np.int64),
            kinds=np.asarray(self.kinds, np.int64),
            flats=np.asarray(self.flats, np.float32).reshape(-1, 2),
            beside=np.asarray(self.beside, np.float32).reshape(-1, MOST_BESIDE, 8, 2),
            doubtful=np.asarray(self.doubtful, np.bool_),
        )
        part.replace(path)


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """The truth of a picture: its dice's tops.

    Attributes:
        center_xy: Shape (N, 2), middles of the tops, in pixels.
        edge_px: Shape (N,), edges of the tops, in pixels.
        labels: Shape (N,), labels as in `Places`.
        kinds: Shape (N,), stances as in `Places`.
    """

    center_xy: FloatArray
    edge_px: FloatArray
    labels: FloatArray
    kinds: FloatArray

    def at(self, xy: FloatArray) -> tuple[int, int]:
        """Label and kind of what is at a place."""
        if not len(self.edge_px):
            return NO_DIE, UNASKED
        away = np.hypot(*(self.center_xy - xy).T) / self.edge_px
        nearest = int(away.argmin())
        if away[nearest] < ON_IT:
            return int(self.labels[nearest]), int(self.kinds[nearest])
        return (NO_DIE if away[nearest] > OFF_IT else UNKNOWN), UNASKED


def tops_of(dice: tuple[DiePose, ...], camera: CameraPose, scale: float) -> Tops:
    """Where the tops of dice are in a picture that was scaled after it was taken; hidden ones are `UNKNOWN`."""
    rows = []
    for pose, (top, _) in zip(dice, faces_of(dice, camera), strict=True):
        if top is None:
            continue
        value, tilt = die_value(pose)
        label, kind = (
            (value - 1, stance_of(tilt, stacked=pose.is_stacked)) if top.visible >= 0.8 else (UNKNOWN, UNASKED)
        )
        rows.append([*((top.center_px + 0.5) * scale - 0.5), top.edge_px * scale, label, kind])
    table = np.array(rows, np.float64).reshape(-1, 5)
    return Tops(table[:, :2], table[:, 2], table[:, 3], table[:, 4])


def add_places(places: Places, trace: Trace, truth: Tops) -> None:
    """Add what the reader weighed in one picture."""
    stands = trace.standing.stands
    if trace.stage is None or not stands:
        return
    outlines = np.array([stand.outline_px for stand in stands])
    top = outlines[:, :4]
    middle, axis = top.mean(axis=1), (top[:, 1] - top[:, 0] + top[:, 2] - top[:, 3]) / 4
    across = (top[:, 3] - top[:, 0] + top[:, 2] - top[:, 1]) / 4
    edge = 2 * np.sqrt(np.abs(axis[:, 0] * across[:, 1] - axis[:, 1] * across[:, 0]))
    turn = np.arctan2(axis[:, 1], axis[:, 0])
    places.crops.extend(cut_out(trace.stage.part, Squares(middle, edge, turn), PLACE_PX, PLACE_SPAN)[0])
    for i, stand in enumerate(stands):
        c, s = np.cos(turn[i]), np.sin(turn[i])
        into = np.array([[c, -s], [s, c]]) / edge[i]
        label, kind = truth.at(middle[i] + trace.stage.left_top)
        near = np.full((MOST_BESIDE, 8, 2), np.nan)
        for slot, other in zip(near, stand.beside, strict=False):
            slot[:] = (outlines[other] - middle[i]) @ into
        places.labels.append(label)
        places.kinds.append(kind)
        places.flats.append((outlines[i, 4] - outlines[i, 0]) @ into)
        places.beside.append(near)
        places.doubtful.append(stand.shows is not None)


def taken(rng: np.random.Generator, image_bgr: ImageBgr) -> tuple[ImageBgr, float]:
    """A picture as a camera hands it over: JPEG, now and then smaller. Gives its size over that of the drawing, too."""
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.choice(_QUALITIES))]
    seen = cv2.imdecode(cv2.imencode(".jpg", image_bgr, quality)[1], cv2.IMREAD_COLOR)
    if seen is None:
        raise ValueError("OpenCV cannot read its own JPEG: install opencv-python again")
    if rng.random() >= 0.25:
        return np.asarray(seen, np.uint8), 1.0
    scale = float(rng.uniform(*_SMALLER))
    return np.asarray(cv2.resize(seen, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8), scale


def write_tray(path: Path, reader: Reader, rng: np.random.Generator, params: RecipeParams, throws: int = 8) -> bool:
    """Draw the recipe's next tray with some throws and write its places; false where it is not one to take."""
    found = whole_scene(rng, params)
    if found is None:
        return False
    scene, kinds = found
    looks: tuple[DieLook, ...] = tuple(looks_of(rng, kinds[0].size_mm).values())
    tray = TrayBackdrop(scene)
    if rng.random() > 0.6:
        looks = kinds
    places = Places()
    for _ in range(throws):
        dice = throw(rng, looks, int(rng.choice(COUNTS)), scene.tray, params)
        image, scale = taken(rng, tray.draw(dice))
        add_places(places, reader.trace(image), tops_of(dice, scene.camera, scale))
    places.save(path)
    return True


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenes", type=int, default=1600, help="scenes looked at; one in five is taken")
    parser.add_argument("--seed", type=int, default=501)
    parser.add_argument("--leaning", type=float, default=0.09, help="chance of a die to be cocked")
    parser.add_argument("--stacked", type=float, default=0.07, help="chance of a die to lie on another")
    parser.add_argument("--clutter", type=float, default=0.55, help="chance of things that are no dice")
    parser.add_argument("--throws", type=int, default=8, help="pictures of each tray")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    asked.folder.mkdir(parents=True, exist_ok=True)
    params = RecipeParams(
        tableless=0.0,
        leaning=asked.leaning,
        stacked=asked.stacked,
        clutter=asked.clutter,
        edge_lean=0.5,
        six_width=0.75,
    )
    reader = Reader()
    for number in range(asked.scenes):
        path = asked.folder / f"places-{asked.seed}-{number:06d}.npz"
        rng = np.random.default_rng([asked.seed, number])
        if path.exists() or not write_tray(path, reader, rng, params, asked.throws):
            continue
        sys.stderr.write(f"{number + 1} of {asked.scenes} scenes\n")


if __name__ == "__main__":
    main()
