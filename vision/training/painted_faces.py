"""Dice of labelled trays with their pips removed and glyphs painted on, with their light, blur, ink and wear.

The look of a die is a crop of its top, upright and `SPAN` edges wide.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.classification.face_net import CUT_PX
from vision.detection.squares import Squares, upright_crops
from vision.training.labelled import LabelledPicture
from vision.types.frame import F32, FloatArray, ImageBgr, ImageGray

SPAN = 1.25
WIDE_PX = round(CUT_PX * SPAN)
MIN_EDGE_PX = 22.0
"""Least edge of a die that is painted."""
_TOP_LEFT = (WIDE_PX - CUT_PX) // 2
_FACE = slice(_TOP_LEFT, _TOP_LEFT + CUT_PX)
_CELLS = np.stack(np.meshgrid(*[(np.arange(CUT_PX) + 0.5) / CUT_PX - 0.5] * 2), axis=-1)
_CORNERS, _MIDDLE = [(-0.25, -0.25), (0.25, 0.25), (-0.25, 0.25), (0.25, -0.25)], [(0.0, 0.0)]
_SPOTS = {
    1: _MIDDLE,
    2: _CORNERS[:2],
    3: _CORNERS[:2] + _MIDDLE,
    4: _CORNERS,
    5: _CORNERS + _MIDDLE,
    6: [*_CORNERS, (-0.25, 0.0), (0.25, 0.0)],
}
"""Centres of the pips in one of their two orientations, in edges."""
_ONE, _PIP, _CORE = 0.25, 0.19, 0.07
"""Radii, in edges, of what the pip of a 1 and other pips may cover, and of what they certainly cover."""
_UNCHANGED = 4.0
"""Difference of grey levels up to which a pixel counts as unpainted."""


@dataclass(frozen=True, slots=True, eq=False)
class BareDie:
    """A flat and wholly visible die, and its look without pips."""

    square: Squares  # place of its top face in its picture
    wide: ImageBgr  # shape (`WIDE_PX`, `WIDE_PX`, 3), its top
    wiped: ImageBgr  # shape (`WIDE_PX`, `WIDE_PX`, 3), its top without pips
    body: FloatArray  # colour of its body, BGR
    ink: FloatArray  # colour of its pips, BGR
    value: int  # pips that it shows

    @property
    def edge_px(self) -> float:
        """Edge of its top face in its picture, in pixels."""
        return float(self.square.edge_px[0])


@dataclass(frozen=True, slots=True)
class Glyph:
    """How a glyph is printed on a face."""

    # as returned by `vision.training.glyphs`; None for the die's own pips, an empty one for a blank face
    mask: ImageGray | None
    share: float = 0.64  # side of it, in edges of the face
    turn: float = 0.0  # rotation of it on the face, in radians


def bare_dice(pictures: Sequence[LabelledPicture]) -> list[BareDie]:
    """Return all dice of some pictures that can be painted."""
    found = []
    for picture in pictures:
        image = picture.load()
        for die in picture.dice:
            if not die.is_flat or die.seen < 0.97 or die.edge_px < MIN_EDGE_PX or not die.value:
                continue
            square = Squares(np.array([die.center_xy]), np.array([die.edge_px]), np.array([die.turn_rad]))
            found.append(bare_die(image, square, die.value))
    return found


def bare_die(image_bgr: ImageBgr, square: Squares, value: int) -> BareDie:
    """Return a die of a picture, with its top's square and its pips."""
    wide = upright_crops(image_bgr, square, WIDE_PX, SPAN)[0, 0]
    face = wide[_FACE, _FACE].astype(np.float32)
    contrast = np.abs(face - cv2.GaussianBlur(face, (0, 0), 0.16 * CUT_PX)).max(axis=2)
    away = max((_to_pips(value, turn) for turn in (0, 1)), key=lambda away: float(contrast[away < _CORE].mean()))
    mask = np.zeros((WIDE_PX, WIDE_PX), np.uint8)
    within = np.abs(_CELLS).max(axis=2) < 0.41
    mask[_FACE, _FACE] = within & (away < (_ONE if value == 1 else _PIP))
    wiped = np.asarray(cv2.inpaint(wide, mask, 3, cv2.INPAINT_TELEA), np.uint8)
    body = within & (mask[_FACE, _FACE] == 0)
    ink = np.median(face[away < _CORE], axis=0).astype(np.float64)
    return BareDie(square, wide, wiped, np.median(face[body], axis=0).astype(np.float64), ink, value)


def _to_pips(value: int, turn: int) -> FloatArray:
    """Return each pixel's distance from its nearest pip, in edges, in one orientation; pip spacing varies by maker."""
    away: FloatArray = np.full(_CELLS.shape[:2], np.inf)
    for x, y in _SPOTS[value]:
        spot = np.array((-y, x) if turn else (x, y))
        along = np.clip(_CELLS @ spot / max(float(spot @ spot), 1e-6), 0.76, 1.24)[..., None]
        away = np.minimum(away, np.linalg.norm(_CELLS - along * spot, axis=2))
    return away


def printed(rng: np.random.Generator) -> tuple[float, float]:
    """Return share and rotation with which a maker may print a glyph: most are aligned with the edges."""
    turn = rng.uniform(0, 2 * np.pi) if rng.random() < 0.3 else rng.integers(4) * np.pi / 2
    return float(rng.uniform(0.42, 0.86)), float(turn)


def painted(rng: np.random.Generator, die: BareDie, glyph: Glyph, ink: FloatArray | None = None) -> F32:
    """Return a die's top like `wide` with a glyph, in some ink or in a random one, instead of its pips."""
    if glyph.mask is None:
        return die.wide.astype(np.float32)
    wiped = die.wiped.astype(np.float32)
    if not glyph.mask.any():
        return wiped
    turn, side = glyph.turn + rng.normal(0, 0.03), len(glyph.mask)
    place = _placed(turn, glyph.share * CUT_PX / side, WIDE_PX / 2 + rng.normal(0, 1.0, 2), side / 2)
    # The mask is finer than the face: softened first, no stroke falls between pixels.
    mask = cv2.warpAffine(cv2.GaussianBlur(glyph.mask, (3, 3), 0.8), place, (WIDE_PX, WIDE_PX)).astype(np.float32) / 255
    blur = rng.uniform(0.4, 1.3) * np.clip(0.8 * CUT_PX / die.edge_px, 0.6, 1.6)
    alpha = cv2.GaussianBlur(mask, (0, 0), float(blur))[..., None] * np.float32(rng.uniform(0.75, 1))
    light = cv2.GaussianBlur(wiped.mean(axis=2), (0, 0), 4)[..., None] / max(20.0, float(die.body.mean()))
    lit = (random_ink(rng, die) if ink is None else ink).astype(np.float32) * np.clip(light, 0.5, 1.6)
    return np.asarray(np.clip(wiped * (1 - alpha) + np.clip(lit, 0, 255) * alpha, 0, 255), np.float32)


def _placed(turn: float, scale: float, center: FloatArray, half: float) -> F32:
    """Return the affine map of a square with its middle at (`half`, `half`) to a centre."""
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    return np.array([[c, -s, center[0] - (c - s) * half], [s, c, center[1] - (s + c) * half]], np.float32)


def random_ink(rng: np.random.Generator, die: BareDie) -> FloatArray:
    """Return the die's own ink, or white on a dark body and dark on a light one."""
    if rng.random() < 0.6 and np.abs(die.ink - die.body).max() > 45:
        return die.ink
    if die.body.mean() < 110:
        ink = np.full(3, rng.uniform(0.75, 1) * min(255.0, max(120.0, die.body.max() * 1.5)))
    else:
        ink = np.full(3, rng.uniform(0, 0.25) * die.body.mean())
    return ink * rng.uniform(0.5, 1.2, 3) if rng.random() < 0.15 else ink


def cut_face(rng: np.random.Generator, wide: F32, noise: tuple[float, float, float] = (0.05, 0.03, 0.03)) -> ImageGray:
    """Return a face as a reader may crop it, at any quarter turn, shape (`CUT_PX`, `CUT_PX`, 3): softer, noisy, lit.

    Args:
        noise: Standard deviations of the square's turn (radians), logarithm of its edge, and centre (edges).
    """
    turn = rng.integers(4) * np.pi / 2 + rng.normal(0, noise[0])
    scale = np.exp(rng.normal(0, noise[1]))
    back = _placed(turn, scale, (WIDE_PX - 1) / 2 + rng.normal(0, noise[2], 2) * CUT_PX, (CUT_PX - 1) / 2)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    face = cv2.warpAffine(wide, back, (CUT_PX, CUT_PX), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < 0.5:
        face = cv2.GaussianBlur(face, (0, 0), rng.uniform(0.3, 1.6))
    face = face * np.float32(np.exp(rng.normal(0, 0.18)))
    face += rng.standard_normal(face.shape, np.float32) * np.float32(rng.uniform(0, 7))
    if rng.random() < 0.35:
        near, width = rng.uniform(0, CUT_PX, 2), 2 * rng.uniform(6, 26) ** 2
        cells = np.arange(CUT_PX)
        bumps = [np.exp(-((cells - at) ** 2) / width).astype(np.float32) for at in near]
        face += (bumps[0][:, None] * bumps[1])[..., None] * np.float32(rng.uniform(-60, 90))
    return np.asarray(np.clip(face, 0, 255), np.uint8)


def repainted(image_bgr: ImageBgr, die: BareDie, wide: F32) -> ImageBgr:
    """Return a picture with a die's top replaced by one from `painted`; its surroundings stay."""
    (turn,), (center,) = die.square.turn_rad, die.square.center_xy
    place = _placed(turn, SPAN * die.edge_px / WIDE_PX, center, (WIDE_PX - 1) / 2)
    size = (image_bgr.shape[1], image_bgr.shape[0])
    # Where nothing was painted the picture stays as sharp as it is; elsewhere no rim of a pip may show through.
    is_new = (np.abs(wide - die.wide).max(axis=2) > _UNCHANGED).astype(np.float32)
    share = cv2.GaussianBlur(cv2.dilate(is_new, np.ones((5, 5), np.uint8)), (5, 5), 1.0)
    share = cv2.warpAffine(share, place, size)[..., None]
    return np.asarray(np.clip(image_bgr * (1 - share) + cv2.warpAffine(wide, place, size) * share, 0, 255), np.uint8)
