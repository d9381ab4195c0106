"""Dice to train the stance net on: crops of drawn and traced trays, shown with slightly wrong squares."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.classification.stance_net import FLAT, LEANING, STACKED, STANCE_PX, STANCE_SPAN, turned
from vision.detection.squares import Squares, upright_crops
from vision.geometry.neighbours import IntArray
from vision.training.dataset import CROP_PX, CROP_SPAN, MAX_FLAT_DEG
from vision.training.labelled import HELD_SHARE, face_turn
from vision.types.frame import FloatArray, ImageBgr

_OFTENER = ((0.3, 3.0), (0.42, 2.0))
"""Departures from a flat die's lean, in edges, as at 17 and 25 degrees, and how often leaning dice below them are
shown.
"""
_MAX_OFF_PX = 3.0
"""Greatest distance of a traced top's centre from where its camera would see it; beyond it the labels are wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class LookParams:
    """Errors of squares and outlines, as standard deviations."""

    shift: float = 0.05  # error of the centre's x and y, in edges
    grow: float = 0.065  # error of the edge's logarithm
    turn_deg: float = 4.0  # error of the turn, in degrees
    outline: float = 0.05  # error of a flat die's lean, in edges


@dataclass(frozen=True, slots=True, eq=False)
class StanceBank:
    """Crops of dice with their stances."""

    crops: ImageBgr  # shape (N, `CROP_PX`, `CROP_PX`, 3), `CROP_SPAN` edges wide
    kinds: IntArray  # shape (N,), `FLAT`, `LEANING` or `STACKED`
    leans: FloatArray  # shape (N, 2), from the centre of each top to that of its bottom, in edges along the crop's axes
    flats: FloatArray  # shape (N, 2), the same if the die lay flat

    @property
    def departures(self) -> FloatArray:
        """The distance of each bottom from a flat die's, shape (N,), in edges."""
        return np.asarray(np.hypot(*(self.leans - self.flats).T), np.float64)

    def chances(self, kind: int) -> FloatArray:
        """Return the probability of each to be shown among those of a kind, shape (N,)."""
        often = np.select([self.departures < far for far, _ in _OFTENER], [times for _, times in _OFTENER], 1.0)
        chosen = (self.kinds == kind) * (often if kind == LEANING else 1.0)
        return np.asarray(chosen / chosen.sum(), np.float64)


def joined(banks: Sequence[StanceBank]) -> StanceBank:
    """Return all dice of some banks."""
    return StanceBank(*(np.concatenate([getattr(bank, name) for bank in banks]) for name in StanceBank.__slots__))


def drawn_bank(folder: Path) -> StanceBank:
    """Return the dice of a set that `vision.training.dataset` drew."""
    parts = [np.load(path) for path in sorted(folder.glob("truth-*.npz"))]
    crops, stances = (np.concatenate([part[name] for part in parts]) for name in ("crops", "stances"))
    return StanceBank(crops, stances[:, 0].astype(np.intp), stances[:, 1:3], stances[:, 3:])


def traced_bank(fixtures: Path, *, held: bool) -> StanceBank:
    """Return the dice of traced trays with a known camera: of every fifth picture (`held`), or of the others."""
    found: list[tuple[ImageBgr, int, FloatArray, FloatArray]] = []
    for labels in sorted([*fixtures.glob("stills*/labels.json"), *fixtures.glob("rigs/*/labels.json")]):
        entries = json.loads(labels.read_text(encoding="utf-8"))
        for k, entry in enumerate(entries):
            if (k % round(1 / HELD_SHARE) == 0) == held and "K" in (entry.get("camera") or {}):
                image = cv2.imread(str(labels.parent / entry["image"]), cv2.IMREAD_COLOR)
                for die in entry["dice"]:
                    found += _traced(np.asarray(image, np.uint8), entry["camera"], die)
    crops, kinds, leans, flats = zip(*found, strict=True)
    return StanceBank(np.array(crops), np.array(kinds, np.intp), np.array(leans), np.array(flats))


def _traced(
    image: ImageBgr, camera: dict[str, Any], die: dict[str, Any]
) -> list[tuple[ImageBgr, int, FloatArray, FloatArray]]:
    """Return the crop, kind, lean and flat lean of a traced die, or nothing if it must not be learned from."""
    quad, size = np.array(die["top_quad_px"], np.float64), float(die["size_mm"]) / 10
    kind = STACKED if die["stacked"] else LEANING if die["cocked"] else FLAT
    if die.get("covered") or die.get("top_visible", 1.0) < 0.8 or (kind == FLAT and die["tilt_deg"] > MAX_FLAT_DEG):
        return []
    w, x, y, z = die["quat_wxyz"]
    up = np.array([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)])
    axis = int(np.argmax(np.abs(up)))
    rotation = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], up])  # fmt: skip
    half = 0.5 * size * np.sign(up[axis]) * rotation[:, axis]
    places = np.array(die["pos_cm"]) + np.array([half, -half, half - [0.0, 0.0, size]])
    world, lens = np.array(camera["R_world_to_cv"]), np.array(camera.get("dist_opencv", [0.0] * 5))
    way = cv2.Rodrigues(world)[0]
    seen = cv2.projectPoints(places, way, np.array(camera["t_cm"]), np.array(camera["K"]), lens)[0].reshape(3, 2)
    if np.hypot(*(seen[0] - die["center_px"])) > _MAX_OFF_PX:
        return []
    edge, turn = math.sqrt(abs(cv2.contourArea(quad.astype(np.float32)))), face_turn(quad)
    square = Squares(np.array([die["center_px"]], np.float64), np.array([edge]), np.array([turn]))
    lean, flat = turned((seen[1:] - seen[0]) / edge, np.array(-turn))
    return [(upright_crops(image, square, CROP_PX, CROP_SPAN)[0, 0], kind, lean, flat)]


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Crops as the net sees them, and the outputs wanted."""

    crops: ImageBgr  # shape (N, `STANCE_PX`, `STANCE_PX`, 3)
    flats: FloatArray  # shape (N, 2), the net's input of a flat die's lean
    kinds: IntArray  # shape (N,)
    leans: FloatArray  # shape (N, 2)
    squares: FloatArray  # shape (N, 4), correction of the square: centre x, y, logarithm of the edge, turn


def looks_at(bank: StanceBank, which: IntArray, rng: np.random.Generator, params: LookParams) -> Looks:
    """Return some dice at any quarter turn, some mirrored, their squares slightly wrong."""
    count, fine = len(which), CROP_PX / CROP_SPAN
    turn = rng.integers(4, size=count) * np.pi / 2 + np.radians(rng.normal(0, params.turn_deg, count))
    grow = np.exp(rng.normal(0, params.grow, count))
    flip = rng.choice([-1.0, 1.0], count)
    off = rng.normal(0, params.shift, (count, 2))
    c, s = np.cos(turn), np.sin(turn)
    ways = np.array([[c * flip, -s], [s * flip, c]]).transpose(2, 0, 1)
    steps = ways * (fine * STANCE_SPAN / STANCE_PX * grow)[:, None, None]
    middles = (CROP_PX - 1) / 2 + off * fine
    starts = middles - steps @ np.full(2, (STANCE_PX - 1) / 2)
    crops: ImageBgr = np.empty((count, STANCE_PX, STANCE_PX, 3), np.uint8)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for crop, k, step, start in zip(crops, which.tolist(), steps, starts, strict=True):
        matrix = np.column_stack([step, start])
        cv2.warpAffine(bank.crops[k], matrix, (STANCE_PX, STANCE_PX), crop, flags, cv2.BORDER_REPLICATE)

    def seen(places: FloatArray) -> FloatArray:
        return np.asarray((places[:, None] @ ways)[:, 0] / grow[:, None], np.float64)

    # The flat die's lean from a camera's pose is independent of the square's error.
    told = seen(bank.flats[which]) * grow[:, None] + rng.normal(0, 1, (count, 2)) * params.outline
    side = np.arctan2(-s, c * flip)
    side = (side + np.pi / 4) % (np.pi / 2) - np.pi / 4
    squares = np.column_stack([seen(-off), -np.log(grow), side])
    return Looks(crops, told, bank.kinds[which], seen(bank.leans[which]), squares)
