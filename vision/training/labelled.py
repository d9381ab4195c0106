"""Labelled pictures for training: real photographs, traced and drawn trays, each with what it can teach.

Every picture belongs to a source and a scene. A fifth of the scenes of each source is set aside (`held`): no net is
trained on it, and whatever pictures must choose is chosen on it. Pictures of one scene resemble each other, so a scene
is never divided.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.types.frame import FloatArray, ImageBgr

HELD_SHARE = 0.2
"""Share of each source's pictures, the last scenes in the order of their names, that is set aside."""
_BOX_TO_EDGE = 0.8
"""Mean ratio of the top's edge to the side of a box around the whole die, at any rotation, seen from above."""
_MIN_CUT, _MIN_SEEN = 0.1, 0.5
"""Shares of a top face: what shows less is neither a die to detect nor a negative."""
SOURCES_WITHOUT_NEGATIVES = frozenset({"N3VERS4YDIE_trays"})
"""Unlabelled dice of neighbouring trays are in view there, so what is detected next to the labels may be a die."""
SIZES_UNKNOWN = frozenset({"tomitomi3_grey_crops"})
"""Their boxes are whole pictures, of which the die fills less than half."""
_FULL_WEIGHT, _LITTLE_WEIGHT = 1.0, 0.3
_WEIGHTS = {"Epanemu_GameDice": _LITTLE_WEIGHT, "tomitomi3_grey_crops": _LITTLE_WEIGHT}


@dataclass(frozen=True, slots=True, eq=False)
class LabelledDie:
    """One die of a picture."""

    center_xy: tuple[float, float]  # centre of its top face, in pixels; in real photographs, of the box around the die
    edge_px: float  # edge of its top face, in pixels
    turn_rad: float  # rotation of its top face, modulo a quarter turn; NaN if unknown
    value: int  # value from 1 to 6, or 0 if the top must not be learned from (cocked, blurred)
    seen: float = 1.0  # visible share of the top, 0 to 1
    # Whether the die lies flat on the floor: neither cocked nor stacked. For photographs this is not known.
    is_flat: bool = True

    @property
    def is_placed(self) -> bool:
        """Whether its place is known."""
        return math.isfinite(self.center_xy[0])

    @property
    def is_seen(self) -> bool:
        """Whether enough of it is visible to be detected and read."""
        return self.seen >= _MIN_SEEN

    @property
    def is_cut(self) -> bool:
        """Whether it is covered so far that it cannot be read, but not entirely: it must be a doubt."""
        return _MIN_CUT <= self.seen < _MIN_SEEN


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPicture:
    """One picture and its dice."""

    path: Path
    source: str
    scene: str  # name shared with pictures that resemble it
    held: bool  # whether the picture is set aside
    dice: tuple[LabelledDie, ...]
    is_complete: bool = True  # whether nothing else in it is a die
    is_crop: bool = False  # whether the picture shows one die that fills it
    weight: float = _FULL_WEIGHT

    @property
    def kind(self) -> str:
        """`drawn`, `traced` or `photograph`."""
        if self.source.startswith("drawn"):
            return "drawn"
        return "traced" if self.source.startswith(("still", "rig", "traced")) else "photograph"

    def load(self) -> ImageBgr:
        """Read the picture.

        Raises:
            FileNotFoundError: It cannot be read.
        """
        image = cv2.imread(str(self.path), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(f"{self.path} cannot be read as a picture: fetch it again")
        return np.asarray(image, np.uint8)


def listed_photographs(folder: Path) -> list[LabelledPicture]:
    """Return photographs with values written down by a person but without places: all are set aside."""
    entries = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    nowhere = (math.nan, math.nan)
    return [
        LabelledPicture(
            folder / entry["local"],
            folder.name,
            str(entry["repo"]),
            True,
            tuple(LabelledDie(nowhere, math.nan, math.nan, int(pips)) for pips in entry["sorted_pips"]),
        )
        for entry in entries
    ]


def photographs(folder: Path) -> list[LabelledPicture]:
    """Return the real photographs of a folder of sources, each `SOURCE/labels.json`.

    Returns:
        All of them; a fifth of each source, by scene, is set aside.
    """
    found: list[LabelledPicture] = []
    for labels in sorted(folder.glob("*/labels.json")):
        entries = json.loads(labels.read_text(encoding="utf-8"))
        source = labels.parent.name
        held = _held_scenes([_scene_of(source, entry["image"]) for entry in entries])
        for entry in entries:
            scene = _scene_of(source, entry["image"])
            is_crop = bool(entry.get("crop_of_one_die"))
            found.append(
                LabelledPicture(
                    labels.parent / entry["image"],
                    source,
                    scene,
                    scene in held,
                    tuple(_boxed_die(die, is_crop=is_crop) for die in entry["dice"]),
                    is_complete=source not in SOURCES_WITHOUT_NEGATIVES and not is_crop,
                    is_crop=is_crop,
                    weight=_WEIGHTS.get(source, _FULL_WEIGHT),
                )
            )
    return found


def _boxed_die(entry: dict[str, object], *, is_crop: bool) -> LabelledDie:
    x, y, width, height = (float(number) for number in entry["box_px"])  # type: ignore[attr-defined]
    # The crops' boxes are the pictures: a die fills most of them.
    edge = _BOX_TO_EDGE * math.sqrt(width * height) * (0.95 if is_crop else 1.0)
    return LabelledDie(
        (x + (width - 1) / 2, y + (height - 1) / 2),
        edge,
        math.nan,
        int(entry["pips"]),  # type: ignore[call-overload]
    )


def _scene_of(source: str, image: str) -> str:
    """Return the scene from a file's name: its minute, its number's ten, or the name without the die's number."""
    name = Path(image).stem
    digits = "".join(c if c.isdigit() else " " for c in name).split()
    if source == "tomitomi3_grey_crops":
        # One cup, two dice; the value is the first digit, the number counts its shots.
        return f"shots {int(digits[-1]) // 20:03d}"
    if name.startswith(("PXL", "IMG", "DJI", "crop_WIN", "full_WIN")):
        long = [d for d in digits if len(d) >= 6]
        stamp = "".join(long[:2]) if long else "".join(digits[:6])
        return stamp[:12]
    return f"{int(digits[0]) // 10:05d}" if digits else name


def _held_scenes(scenes: Sequence[str]) -> set[str]:
    """Return the last scenes that make up the share of pictures that is set aside."""
    counts: dict[str, int] = {}
    for scene in scenes:
        counts[scene] = counts.get(scene, 0) + 1
    held: set[str] = set()
    share = 0
    for scene in sorted(counts, reverse=True):
        if share >= HELD_SHARE * len(scenes):
            break
        held.add(scene)
        share += counts[scene]
    return held


def labelled_trays(folder: Path, source: str) -> list[LabelledPicture]:
    """Return trays with a labels.json from the geometry of drawn ones (tests/benchmarks) or from corrections.

    Of the latter (`pushtray labelled`) only confirmed dice are used: neither unchecked dice, nor those that may not lie
    flat. If some are left out, nothing else there counts as "no die".

    Returns:
        All of them; every fifth is set aside, or all of them if the folder is one fixed tray of an even number.
    """
    found = []
    entries = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    for k, entry in enumerate(entries):
        known = [die for die in entry["dice"] if die.get("confirmed") is not False and not die.get("may_be_doubted")]
        is_complete = entry.get("complete") is not False and len(known) == len(entry["dice"])
        dice = tuple(_drawn_die(die) for die in known)
        path = folder / entry["image"]
        is_held = k % round(1 / HELD_SHARE) == 0
        found.append(LabelledPicture(path, source, path.stem, is_held, dice, is_complete=is_complete))
    return found


def face_turn(quad_px: FloatArray) -> float:
    """Return the rotation of a quad modulo a quarter turn: the mean of its sides' directions, weighted by length."""
    sides = np.roll(quad_px, -1, axis=0) - quad_px
    turn = np.arctan2(sides[:, 1], sides[:, 0])
    return float(np.angle((np.hypot(sides[:, 0], sides[:, 1]) * np.exp(4j * turn)).sum()) / 4)


def _drawn_die(entry: dict[str, object]) -> LabelledDie:
    quad = np.asarray(entry["top_quad_px"], np.float64)
    area = abs(float(cv2.contourArea(quad.astype(np.float32))))
    middle = np.asarray(entry["center_px"], np.float64)
    covered = bool(entry.get("covered"))
    return LabelledDie(
        (float(middle[0]), float(middle[1])),
        math.sqrt(max(area, 1.0)),
        face_turn(quad),
        int(entry["pips"]),  # type: ignore[call-overload]
        0.0 if covered else float(entry.get("top_visible", 1.0)),  # type: ignore[arg-type]
        not (entry.get("cocked") or entry.get("stacked")),
    )


def drawn_trays(folder: Path) -> list[LabelledPicture]:
    """Return the pictures that `vision.training.dataset` drew; the last fifth is set aside.

    Args:
        folder: With `NNNNNN.jpg` and `truth-NNNNNN.npz`.
    """
    rows = np.concatenate([np.load(part)["rows"] for part in sorted(folder.glob("truth-*.npz"))])
    numbers = sorted(int(path.stem) for path in folder.glob("*.jpg"))
    of_picture: dict[int, list[LabelledDie]] = {number: [] for number in numbers}
    for number, value, cocked, stacked, visible, x, y, edge, angle, _lean_x, _lean_y in rows.tolist():
        if int(number) in of_picture:
            die = LabelledDie((x, y), edge, angle, 0 if cocked else int(value), visible, not (cocked or stacked))
            of_picture[int(number)].append(die)
    first_held = numbers[int(len(numbers) * (1 - HELD_SHARE))] if numbers else 0
    return [
        LabelledPicture(folder / f"{n:06d}.jpg", f"drawn {folder.name}", f"{n // 40}", n >= first_held, tuple(dice))
        for n, dice in of_picture.items()
    ]


def gather(fixtures: Path, drawn: Sequence[Path]) -> list[LabelledPicture]:
    """Return all training pictures.

    Args:
        fixtures: Folder of the project's labelled pictures; the output of `pushtray labelled` goes into `tables/NAME`.
    """
    pictures = photographs(fixtures / "photos-train")
    for name in ("stills", "stills-hard"):
        if (fixtures / name / "labels.json").exists():
            pictures += labelled_trays(fixtures / name, name)
    for rig in sorted((fixtures / "rigs").glob("*/labels.json")):
        pictures += labelled_trays(rig.parent, f"rig {rig.parent.name}")
    for table in sorted((fixtures / "tables").glob("*/labels.json")):
        pictures += labelled_trays(table.parent, f"table {table.parent.name}")
    for folder in drawn:
        pictures += drawn_trays(folder)
    return pictures


def middles_of(dice: Sequence[LabelledDie]) -> FloatArray:
    """Return the centres of dice, shape (N, 2)."""
    return np.array([die.center_xy for die in dice], np.float64).reshape(-1, 2)
