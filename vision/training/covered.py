"""Pictures of trays with an added object that covers a part of one die or none, or with a sign instead of its pips."""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision.training.labelled import LabelledDie, LabelledPicture
from vision.types.frame import FloatArray, ImageBgr

KINDS = ("card", "sheet", "phone", "box")
SHOWS = (0.15, 0.6)
"""Range of the share of the cut die's top that remains visible."""
WHOLE = 0.97
"""Least visible share of other dice that remain visible."""
_GONE = 0.02
"""Greatest visible share of a die that counts as hidden."""
_TRIES = 60


@dataclass(frozen=True, slots=True, eq=False)
class CoveredPicture:
    """A picture with an added object."""

    image_bgr: ImageBgr  # pixels of the picture
    cut: int | None  # index of the partly covered die; None if there is none
    hidden: tuple[int, ...]
    shows: float  # visible share of the cut die's top


def _top(die: LabelledDie) -> FloatArray:
    c, s = math.cos(die.turn_rad), math.sin(die.turn_rad)
    half = 0.5 * die.edge_px * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return np.asarray(np.array(die.center_xy) + half @ np.array([[c, s], [-s, c]]), np.float64)


def _shares_hidden(picture: LabelledPicture, outline: FloatArray) -> list[float]:
    """Return the share of each die's top that a convex outline covers."""
    shares = []
    for die in picture.dice:
        hidden, _ = cv2.intersectConvexConvex(_top(die).astype(np.float32), outline.astype(np.float32))
        shares.append(min(1.0, float(hidden) / die.edge_px**2))
    return shares


def _outline(thing: ImageBgr, middle: FloatArray, turn: float) -> FloatArray:
    height, width = thing.shape[:2]
    c, s = math.cos(turn), math.sin(turn)
    half = 0.5 * np.array([[-width, -height], [width, -height], [width, height], [-width, height]])
    return np.asarray(half @ np.array([[c, s], [-s, c]]) + middle, np.float64)


def _thing(kind: str, edge: float, rng: np.random.Generator) -> ImageBgr:
    """Draw an object, upright."""
    width, height = {"card": (3.6, 5.2), "sheet": (7.0, 9.5), "phone": (4.2, 8.4), "box": (3.5, 4.5)}[kind]
    size = (round(width * edge * rng.uniform(0.9, 1.1)), round(height * edge * rng.uniform(0.9, 1.1)))
    ground = rng.uniform(185, 250, 3) if kind in {"card", "sheet"} else rng.uniform(20, 200, 3)
    if kind == "phone":
        ground = rng.uniform(8, 45) + rng.uniform(-4, 4, 3)
    image: ImageBgr = np.empty((size[1], size[0], 3), np.uint8)
    image[:] = ground
    ink = [float(v) for v in rng.uniform(0, 110, 3)]
    if kind in {"card", "sheet"}:
        for y in np.arange(0.5 * edge, size[1] - 0.3 * edge, 0.32 * edge * rng.uniform(0.8, 1.3)):
            cv2.line(image, (round(0.3 * edge), round(y)), (round(size[0] * rng.uniform(0.4, 0.9)), round(y)), ink, 2)
        cv2.rectangle(image, (0, 0), (size[0] - 1, size[1] - 1), [float(v) for v in 0.8 * ground], 2)
    elif kind == "phone":
        cv2.line(image, (0, size[1]), (size[0], round(size[1] * 0.3)), [float(v) for v in ground + 35], round(edge))
        cv2.rectangle(image, (0, 0), (size[0] - 1, size[1] - 1), [90.0, 90.0, 90.0], 3)
    else:
        cv2.rectangle(image, (0, 0), (size[0] - 1, round(0.5 * edge)), [float(v) for v in 0.6 * ground], -1)
        cv2.rectangle(image, (round(edge), round(1.5 * edge)), (size[0] - round(edge), round(2.3 * edge)), ink, -1)
    return image


def _laid(image: ImageBgr, thing: ImageBgr, middle: FloatArray, turn: float, rng: np.random.Generator) -> ImageBgr:
    """Return the picture with the object in it."""
    height, width = thing.shape[:2]
    c, s = math.cos(turn), math.sin(turn)
    move = np.array([[c, -s, 0.0], [s, c, 0.0]])
    move[:, 2] = middle - move[:, :2] @ [(width - 1) / 2, (height - 1) / 2]
    size = (image.shape[1], image.shape[0])
    light = float(np.clip(image.mean() / 105, 0.45, 1.0))
    laid = cv2.warpAffine(thing, move, size, flags=cv2.INTER_LINEAR).astype(np.float32) * light
    cover = cv2.warpAffine(np.ones((height, width), np.float32), move, size, flags=cv2.INTER_LINEAR)
    shift = np.array([[1.0, 0.0, rng.uniform(-6, 6)], [0.0, 1.0, rng.uniform(-6, 6)]])
    shade = cv2.GaussianBlur(cv2.warpAffine(cover, shift, size), (0, 0), 4.0)
    noise = rng.normal(0, 2.0, laid.shape)
    # Outside the object and its shadow the picture stays unchanged.
    x, y, wide, high = cv2.boundingRect(((cover > 0) | (shade > 0)).astype(np.uint8))
    at = np.s_[y : y + high, x : x + wide]
    hides, falls = cover[at][..., None], shade[at][..., None]
    seen = image[at] * (1 - 0.45 * falls * (1 - hides))
    seen = seen * (1 - hides) + (laid[at] + noise[at]) * hides
    whole = image.copy()
    whole[at] = np.clip(np.round(seen), 0, 255)
    return whole


def covered(picture: LabelledPicture, image: ImageBgr, rng: np.random.Generator, *, cut: bool) -> CoveredPicture | None:
    """Add an object that covers a part of a die, or none; None if no place was found."""
    flat = [k for k, die in enumerate(picture.dice) if die.is_flat and die.seen > WHOLE and die.value]
    if not flat:
        return None
    edge = float(np.median([die.edge_px for die in picture.dice]))
    tops = np.array([die.center_xy for die in picture.dice])
    low, high = tops.min(axis=0) - 2 * edge, tops.max(axis=0) + 2 * edge
    for _ in range(_TRIES):
        thing = _thing(KINDS[int(rng.integers(len(KINDS)))], edge, rng)
        turn = rng.uniform(0, 2 * math.pi)
        if cut:
            # One of the object's sides crosses the die.
            die = picture.dice[flat[int(rng.integers(len(flat)))]]
            away = np.array([0.0, thing.shape[0] / 2]) if rng.random() < 0.5 else np.array([thing.shape[1] / 2, 0.0])
            c, s = math.cos(turn), math.sin(turn)
            way = np.array([[c, -s], [s, c]]) @ away
            along = rng.uniform(-0.3, 0.3) * max(thing.shape[:2]) * np.array([-way[1], way[0]]) / np.hypot(*way)
            middle = np.array(die.center_xy) + way * (1 + rng.uniform(-0.4, 0.4) * edge / np.hypot(*way)) + along
        else:
            middle = rng.uniform(low, high)
        shows = [1 - share for share in _shares_hidden(picture, _outline(thing, middle, turn))]
        parts = [k for k, share in enumerate(shows) if _GONE < share < WHOLE]
        hidden = tuple(k for k, share in enumerate(shows) if share <= _GONE)
        if cut and len(parts) == 1 and parts[0] in flat and SHOWS[0] <= shows[parts[0]] <= SHOWS[1]:
            return CoveredPicture(_laid(image, thing, middle, turn, rng), parts[0], hidden, shows[parts[0]])
        if not cut and not parts and not hidden:
            return CoveredPicture(_laid(image, thing, middle, turn, rng), None, (), 1.0)
    return None


SIGNS = "0123456789ABEFKRSXYZ+*#&?@%"
"""What dice show instead of pips."""


def signed(picture: LabelledPicture, image: ImageBgr, rng: np.random.Generator) -> tuple[ImageBgr, int] | None:
    """Return a picture with a sign or nothing instead of one flat die's pips, and which die; None without one."""
    flat = [k for k, die in enumerate(picture.dice) if die.is_flat and die.seen > WHOLE and die.value]
    if not flat:
        return None
    chosen = flat[int(rng.integers(len(flat)))]
    die = picture.dice[chosen]
    side = max(8, round(die.edge_px))
    turn = die.turn_rad + rng.integers(4) * math.pi / 2
    c, s = math.cos(turn) * die.edge_px / side, math.sin(turn) * die.edge_px / side
    out = np.array([[c, -s, 0.0], [s, c, 0.0]])
    out[:, 2] = np.array(die.center_xy) - out[:, :2] @ np.full(2, (side - 1) / 2)
    top = cv2.warpAffine(image, out, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    body = np.median(top.reshape(-1, 3), axis=0)
    # Pips are what differs most from the body.
    off = np.abs(top.astype(np.float64) - body).sum(axis=2)
    ink = np.median(top[off >= np.quantile(off, 0.94)], axis=0)
    plain = np.broadcast_to(body + rng.normal(0, 2.0, (side, side, 3)), top.shape)
    shown = np.asarray(np.clip(plain, 0, 255), np.uint8).copy()
    if rng.random() < 0.85:
        sign, size = str(rng.choice(list(SIGNS))), side / 22 * rng.uniform(0.45, 0.85)
        (wide, high), _ = cv2.getTextSize(sign, cv2.FONT_HERSHEY_DUPLEX, size * 0.8, 1)
        at = (round((side - wide) / 2), round((side + high) / 2))
        thick = max(1, round(side * rng.uniform(0.04, 0.09)))
        cv2.putText(shown, sign, at, cv2.FONT_HERSHEY_DUPLEX, size * 0.8, ink.tolist(), thick, cv2.LINE_AA)
    cover = np.zeros((side, side), np.float32)
    cv2.circle(cover, (side // 2, side // 2), round(0.46 * side), (1.0,), -1, cv2.LINE_AA)
    size_px = (image.shape[1], image.shape[0])
    laid = cv2.warpAffine(shown, out, size_px, flags=cv2.INTER_LINEAR).astype(np.float32)
    over = cv2.warpAffine(cover, out, size_px, flags=cv2.INTER_LINEAR)[..., None]
    return np.asarray(np.rint(image * (1 - over) + laid * over), np.uint8), chosen
