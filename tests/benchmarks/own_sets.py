"""Faces of dice with symbols and numerals, of icons in Iconify's JSON and of text fonts. Needs pillow and fonttools."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.svgLib.path import parse_path

from vision.training.glyphs import as_mask, distinct, fonts, icons, numeral
from vision.training.painted_faces import Glyph, printed
from vision.types.frame import ImageGray

KINDS = ("symbols", "mixed", "numerals")
"""Symbols on all six faces; symbols on 1 and 6 and pips between; numerals, the 6 underlined."""


def icons_of(files: Sequence[Path]) -> list[ImageGray]:
    """Return the icons of some fonts and sets in Iconify's JSON."""
    found = [distinct(icon_set(file)) if file.suffix == ".json" else icons(file) for file in files]
    return [mask for masks in found for mask in masks]


def icon_set(file: Path) -> Iterator[ImageGray | None]:
    """Return the icons of a set in Iconify's JSON."""
    held = json.loads(file.read_text(encoding="utf-8"))
    side = held.get("width", 512)
    for _, icon in sorted(held["icons"].items()):
        lines: list[np.ndarray] = []
        for part in icon["body"].split(' d="')[1:]:
            pen = DecomposingRecordingPen({})
            parse_path(part.split('"')[0], pen)
            lines += flattened(pen.value)
        drawn = np.zeros((192, 192), np.uint8)
        cv2.fillPoly(
            drawn, [np.round(line * (192 / side * 16)).astype(np.int32) for line in lines], 255, cv2.LINE_AA, 4
        )
        yield as_mask(drawn)


def flattened(steps: Iterable[tuple[str, tuple[tuple[float, float], ...]]]) -> list[np.ndarray]:
    """Return a pen's curves as closed polygons."""
    lines: list[list[np.ndarray]] = []
    for step, points in steps:
        at = [np.array(point, np.float64) for point in points]
        if step == "moveTo":
            lines.append(at)
        elif step == "lineTo":
            lines[-1] += at
        elif step in {"curveTo", "qCurveTo"}:
            knots = [lines[-1][-1], *at]
            for t in np.linspace(0, 1, 9)[1:]:
                rest = knots
                while len(rest) > 1:
                    rest = [a + (b - a) * t for a, b in pairwise(rest)]
                lines[-1].append(rest[0])
    return [np.array(line) for line in lines if len(line) > 2]


def digits(folder: Path, last: int = 6) -> list[list[ImageGray]]:
    """Return the numerals from 1 of each font of a folder, 6 and 9 underlined."""
    found = [[numeral(font, n, underlined=n in {6, 9}) for n in range(1, last + 1)] for font in fonts(folder)]
    return [[mask for mask in masks if mask is not None] for masks in found]


def set_faces(
    rng: np.random.Generator, kind: str, icons: Sequence[ImageGray], numerals: Sequence[ImageGray]
) -> list[Glyph]:
    """Return the faces 1 to 6 of a set; each glyph printed as by its maker."""
    picks = [icons[i] for i in rng.choice(len(icons), 6, replace=False)]
    masks = {
        "symbols": picks,
        "mixed": [picks[0], None, None, None, None, picks[1]],
        "numerals": numerals,
    }
    return [Glyph(mask, *printed(rng)) for mask in masks[kind]]
