"""Golden trays whose base dice have symbols instead of pips."""

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.imaging.image_file import load_image
from vision.training.labelled import labelled_trays
from vision.training.painted_faces import Glyph, bare_dice, painted, repainted
from vision.types.frame import ImageBgr, ImageGray

STILLS = Path(__file__).parent / "golden" / "stills"
_STROKES = {
    1: [[(48, 8), (88, 88), (8, 88), (48, 8)]],
    2: [[(10, 10), (86, 86)], [(86, 10), (10, 86)]],
    3: [[(20, 8), (20, 86), (80, 86)]],
    4: [[(48, 6), (48, 90)], [(20, 36), (48, 6), (76, 36)]],
    5: [[(8, 20), (60, 20), (30, 76), (88, 76)]],
    6: [[(12, 48), (48, 10), (84, 48), (48, 86), (12, 48)], [(48, 10), (48, 86)]],
}


def symbol(value: int) -> ImageGray:
    """Return the symbol for a value."""
    mask = np.zeros((96, 96), np.uint8)
    for stroke in _STROKES[value]:
        cv2.polylines(mask, [np.array(stroke, np.int32)], False, 255, 12, cv2.LINE_AA)
    return mask


@dataclass(frozen=True)
class Wearing:
    """A tray, and the centres and values of its dice with symbols."""

    image: ImageBgr
    dice: tuple[tuple[tuple[float, float], int], ...]


def with_symbols(name: str, seed: int) -> Wearing:
    """Return a golden tray whose base dice have symbols, with random wear and light."""
    (picture,) = [one for one in labelled_trays(STILLS, "still") if one.path.name == name]
    (entry,) = [one for one in json.loads((STILLS / "labels.json").read_text()) if one["image"] == name]
    base = [tuple(die["center_px"]) for die in entry["dice"] if die["role"] == "base"]
    rng, image, worn = np.random.default_rng(seed), load_image(picture.path), []
    for die in bare_dice([picture]):
        x, y = die.square.center_xy[0].tolist()
        if (x, y) in base:
            image = repainted(image, die, painted(rng, die, Glyph(symbol(die.value))))
            worn.append(((x, y), die.value))
    return Wearing(image, tuple(worn))
