"""Crops that the die net is trained on, cut once and stored: dice of labelled pictures, and what is not a die.

A crop is `CROP_SPAN` edges wide, more than the net sees, so that training can still rotate, shift and scale it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np

from vision.classification.die_net import NO_DIE, NO_PIPS
from vision.detection.squares import Squares, upright_crops
from vision.training.augment import paste, printed_thing
from vision.training.labelled import LabelledPicture, middles_of
from vision.types.frame import FloatArray, ImageBgr

CROP_PX, CROP_SPAN = 96, 3.0
UNLABELLED = -1
"""Label of a die whose value must not be learned; the others are the columns of the net's output."""
KINDS = ("drawn", "traced", "photograph", "negative", "plain")
_MIN_EDGE_PX = 7.0
_CLEAR_OF = 0.55
"""A detected place farther than this from every top, in its edges, is not a die."""
_MAX_FOUND = 14
"""Number of false places kept of one picture, those with the highest scores."""


_LARGE_PX, _CLOSE_PX = 24.0, 110.0
"""Dice with at least the first edge are enlarged to the second, so that their pips are as large as small dice."""
_PIP_SHARE = 0.3
"""Greatest share of the die's edge for a pip; what is larger may be the die itself, if its labelled size is wrong."""
_MAX_CLOSE = 8
"""Number of dice of a picture that are enlarged."""
FindDice: TypeAlias = Callable[[ImageBgr], Sequence[tuple[float, float, float, float, float]]]


@dataclass(slots=True)
class CropBank:
    """Crops with their labels."""

    crops: list[ImageBgr] = field(default_factory=list)  # crops of shape (`CROP_PX`, `CROP_PX`, 3)
    labels: list[int] = field(default_factory=list)  # value less one, `NO_DIE`, `NO_PIPS` or `UNLABELLED`
    seen: list[float] = field(default_factory=list)  # visible share of each die's top, 0 to 1
    kinds: list[int] = field(default_factory=list)  # indices in `KINDS`
    weights: list[float] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def add(
        self, crops: ImageBgr, labels: Sequence[int], kind: str, source: str, *, weight: float = 1.0,
        seen: Sequence[float] | None = None,
    ) -> None:  # fmt: skip
        """Add crops of one kind and source."""
        self.crops.extend(crops)
        self.labels.extend(labels)
        self.seen.extend([1.0] * len(labels) if seen is None else seen)
        self.kinds.extend([KINDS.index(kind)] * len(labels))
        self.weights.extend([weight] * len(labels))
        self.sources.extend([source] * len(labels))

    def join(self, other: "CropBank") -> None:
        """Add the crops of another bank."""
        for name in ("crops", "labels", "seen", "kinds", "weights", "sources"):
            getattr(self, name).extend(getattr(other, name))

    def save(self, path: Path) -> None:
        """Write them as one file, completely or not at all."""
        part = path.with_name(f"part-{path.name}")
        np.savez(
            part,
            crops=np.asarray(self.crops, np.uint8).reshape(-1, CROP_PX, CROP_PX, 3),
            labels=np.asarray(self.labels, np.int64),
            seen=np.asarray(self.seen, np.float32),
            kinds=np.asarray(self.kinds, np.int64),
            weights=np.asarray(self.weights, np.float64),
            sources=np.asarray(self.sources),
        )
        part.replace(path)


def cut(image: ImageBgr, middles: FloatArray, edges: FloatArray, turns: FloatArray) -> ImageBgr:
    """Return crops of a picture, shape (N, `CROP_PX`, `CROP_PX`, 3)."""
    if not len(middles):
        return np.zeros((0, CROP_PX, CROP_PX, 3), np.uint8)
    crops: ImageBgr = upright_crops(image, Squares(middles, edges, turns), CROP_PX, CROP_SPAN)[0]
    return crops


def add_dice(bank: CropBank, picture: LabelledPicture, image: ImageBgr, kind: str, rng: np.random.Generator) -> None:
    """Add a picture's dice, and near misses next to them if all dice are labelled."""
    dice = [die for die in picture.dice if die.edge_px >= _MIN_EDGE_PX and die.seen > 0.02]
    turns = np.array([die.turn_rad if math.isfinite(die.turn_rad) else rng.uniform(0, 2 * np.pi) for die in dice])
    edges = np.array([die.edge_px for die in dice])
    labels = [die.value - 1 if die.value and die.seen > 0.8 else UNLABELLED for die in dice]
    crops = cut(image, middles_of(dice), edges, turns)
    bank.add(crops, labels, kind, picture.source, weight=picture.weight, seen=[die.seen for die in dice])
    if not picture.is_complete or not dice:
        return
    middles = middles_of(dice)
    spots, sizes = [], []
    for die in dice:
        for _ in range(2 if kind == "photograph" else 1):
            way = rng.uniform(0, 2 * np.pi)
            reach = rng.uniform(0.62, 1.1) * die.edge_px
            spots.append(np.array(die.center_xy) + reach * np.array([np.cos(way), np.sin(way)]))
            sizes.append(die.edge_px * math.exp(rng.uniform(-0.35, 0.35)))
        if die.edge_px > 40:
            # A pip or a corner of a large die is not a small die that shows a 1.
            spots.append(np.array(die.center_xy) + rng.uniform(-0.45, 0.45, 2) * die.edge_px)
            sizes.append(die.edge_px * rng.uniform(0.16, 0.4))
    kept = [
        k
        for k, (spot, size) in enumerate(zip(spots, sizes, strict=True))
        if _is_clear(spot, size, middles, np.array([die.edge_px for die in dice]))
    ]
    if kept:
        places = np.array([spots[k] for k in kept])
        sides = np.array([sizes[k] for k in kept])
        turns = rng.uniform(0, 2 * np.pi, len(kept))
        bank.add(cut(image, places, sides, turns), [NO_DIE] * len(kept), "negative", picture.source)


def _is_clear(spot: FloatArray, size: float, middles: FloatArray, edges: FloatArray) -> bool:
    """Return whether a place is no labelled die: not near a centre, or of quite another size."""
    far = np.hypot(*(middles - spot).T)
    same_size = np.abs(np.log(size / edges)) < math.log(1.9)
    return not bool(np.any((far < _CLEAR_OF * edges) & same_size))


def add_false_places(
    bank: CropBank,
    picture: LabelledPicture,
    image: ImageBgr,
    found: Sequence[tuple[float, float, float, float, float]],
    rng: np.random.Generator,
) -> None:
    """Add what a detector mistakes for dice.

    Args:
        found: Rows of x, y, edge, turn (radians), score.
    """
    middles, edges = middles_of(picture.dice), np.array([die.edge_px for die in picture.dice])
    rows = [row for row in found if row[2] >= _MIN_EDGE_PX]
    rows = [row for row in rows if not len(edges) or _is_clear(np.array(row[:2]), row[2], middles, edges)]
    best = np.array(sorted(rows, key=lambda row: -row[4])[:_MAX_FOUND])
    if len(best):
        turns = best[:, 3] + rng.integers(4, size=len(best)) * np.pi / 2
        # The higher a false place's score, the more often it is shown.
        for crop, score in zip(cut(image, best[:, :2], best[:, 2], turns), best[:, 4].tolist(), strict=True):
            bank.add(crop[None], [NO_DIE], "negative", picture.source, weight=1.0 + 3.0 * score)


def add_pips(
    bank: CropBank, picture: LabelledPicture, image: ImageBgr, find: FindDice, rng: np.random.Generator
) -> None:
    """Add pips and corners of large dice that a detector mistakes for small dice that show a 1.

    Args:
        find: Returns rows of x, y, edge, turn (radians), score of detected dice in a picture.
    """
    dice = [die for die in picture.dice if die.edge_px >= _LARGE_PX]
    for k in rng.permutation(len(dice))[:_MAX_CLOSE].tolist():
        die = dice[k]
        scale = _CLOSE_PX / die.edge_px
        side = round(3 * _CLOSE_PX)
        x, y = die.center_xy
        shift = np.array([[scale, 0, side / 2 - scale * x], [0, scale, side / 2 - scale * y]])
        near = cv2.warpAffine(image, shift, (side, side), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
        part: ImageBgr = np.asarray(near, np.uint8)
        small = [row for row in find(part) if row[2] < _PIP_SHARE * _CLOSE_PX]
        # Another die that is much smaller may be there.
        others = [d for d in picture.dice if d.edge_px < 0.6 * die.edge_px]
        if not others and small:
            rows = np.array(sorted(small, key=lambda row: -row[4])[:6])
            turns = rows[:, 3] + rng.integers(4, size=len(rows)) * np.pi / 2
            crops = cut(part, rows[:, :2], rows[:, 2], turns)
            bank.add(crops, [NO_DIE] * len(rows), "negative", "pips", weight=2.0)


def add_printed(bank: CropBank, image: ImageBgr, rng: np.random.Generator, count: int) -> None:
    """Add printed objects laid over a picture, as a detector would find their dots and boxes."""
    height, width = image.shape[:2]
    for _ in range(count):
        edge = math.exp(rng.uniform(math.log(12), math.log(60)))
        side = int(3.4 * edge) + 8
        if side >= min(height, width):
            continue
        x, y = int(rng.integers(0, width - side)), int(rng.integers(0, height - side))
        part = image[y : y + side, x : x + side].copy()
        thing, cover = printed_thing(rng, edge)
        middle = (side / 2 + rng.uniform(-0.3, 0.3) * edge, side / 2 + rng.uniform(-0.3, 0.3) * edge)
        hidden = paste(part, thing, cover, middle, rng.uniform(0, 2 * np.pi))
        if hidden[side // 2 - 2 : side // 2 + 3, side // 2 - 2 : side // 2 + 3].min() > 0.9:
            size = np.array([edge * rng.uniform(0.6, 1.3)])
            spot = np.array([[side / 2, side / 2]])
            crop = cut(part, spot, size, np.array([rng.uniform(0, 2 * np.pi)]))
            bank.add(crop, [NO_DIE], "negative", "printed")


def add_plain_dice(bank: CropBank, image: ImageBgr, rng: np.random.Generator, count: int) -> None:
    """Add dice whose top shows a numeral, a letter, a symbol or nothing, painted over a picture."""
    height, width = image.shape[:2]
    for _ in range(count):
        side = CROP_PX
        if side >= min(height, width):
            return
        x, y = int(rng.integers(0, width - side)), int(rng.integers(0, height - side))
        part = image[y : y + side, x : x + side].copy()
        edge = side / CROP_SPAN
        scale = 4
        top = np.zeros((int(edge * scale), int(edge * scale), 3), np.uint8)
        body = rng.uniform(20, 250, 3) if rng.random() < 0.6 else np.full(3, rng.choice([30.0, 235.0]))
        top[:] = body
        ink = [float(v) for v in (np.array([255, 255, 255]) if body.mean() < 128 else np.array([15, 15, 15]))]
        size = top.shape[0]
        if rng.random() < 0.75:
            sign = str(rng.choice(list("0123456789ABEFKRSXYZ+*#&?@%")))
            letter = size / 40
            (w, h), _ = cv2.getTextSize(sign, cv2.FONT_HERSHEY_DUPLEX, letter, 6)
            at = (int((size - w) / 2), int((size + h) / 2))
            cv2.putText(top, sign, at, cv2.FONT_HERSHEY_DUPLEX, letter, ink, 8, cv2.LINE_AA)
        elif rng.random() < 0.5:
            cv2.ellipse(top, (size // 2, size // 2), (size // 3, size // 5), rng.uniform(0, 180), 0, 360, ink, 6)
        mask = np.zeros(top.shape[:2], np.uint8)
        r = int(size * rng.uniform(0.03, 0.2))
        cv2.rectangle(mask, (r, 0), (size - r, size), 255, -1)
        cv2.rectangle(mask, (0, r), (size, size - r), 255, -1)
        for cx in (r, size - r):
            for cy in (r, size - r):
                cv2.circle(mask, (cx, cy), r, 255, -1)
        small = cv2.resize(top, None, fx=1 / scale, fy=1 / scale, interpolation=cv2.INTER_AREA)
        cover = cv2.resize(mask, (small.shape[1], small.shape[0]), interpolation=cv2.INTER_AREA) / 255
        turn = rng.uniform(0, 2 * np.pi)
        middle = side / 2
        # First a shadow, then the side, then the top.
        shadow: ImageBgr = np.zeros(small.shape, np.uint8)
        reach = rng.uniform(-0.2, 0.2, 2) * edge
        paste(part, shadow, cover * rng.uniform(0.2, 0.6), (middle + reach[0] * 1.6, middle + reach[1] * 1.6), turn)
        below = np.asarray(np.clip(np.full(3, 1.0) * body * rng.uniform(0.4, 0.9), 0, 255), np.uint8)
        paste(
            part,
            np.asarray(np.broadcast_to(below, small.shape), np.uint8),
            cover,
            (middle + reach[0], middle + reach[1]),
            turn,
        )
        paste(part, np.asarray(small, np.uint8), cover, (middle, middle), turn)
        bank.add(part[None], [NO_PIPS], "plain", "plain")
