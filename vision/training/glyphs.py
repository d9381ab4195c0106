"""Masks of glyphs, to be painted on dice: icons of open fonts and sets, digits and letters of text fonts.

A mask has shape (`MASK_PX`, `MASK_PX`), uint8, and fills its square the longer way. Needs pillow and fonttools.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vision.types.frame import ImageGray

MASK_PX = 96
LETTERS = "12345678ABCDEFGHJKLRSTUXYZ&?!"
_PRIVATE = (range(0xE000, 0xF900), range(0xF0000, 0xF2000))
_FILLED = (0.09, 0.75)
"""Share of a square that an icon fills."""
_ALIKE = 0.86
"""Correlation from which two icons, at any quarter turn, are one."""


def as_mask(drawn: ImageGray) -> ImageGray | None:
    """What is drawn, as a mask; None where that is next to nothing."""
    rows, columns = np.nonzero(drawn > 40)
    if len(rows) < 60:
        return None
    part = drawn[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    scale = (MASK_PX - 4) / max(part.shape)
    small = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    mask = np.zeros((MASK_PX, MASK_PX), np.uint8)
    top, left = (MASK_PX - small.shape[0]) // 2, (MASK_PX - small.shape[1]) // 2
    mask[top : top + small.shape[0], left : left + small.shape[1]] = small
    return mask


def character(font: Path, text: str) -> ImageGray | None:
    """A character of a font as a mask; None where the font lacks it."""
    loaded = ImageFont.truetype(str(font), 120)
    drawn = Image.new("L", (280, 280))
    ImageDraw.Draw(drawn).text((60, 60), text, 255, font=loaded)
    return as_mask(np.asarray(drawn, np.uint8))


def numeral(font: Path, digit: int, *, underlined: bool = False) -> ImageGray | None:
    """A digit of a font as a mask, with a line under it where asked: that tells a 6 from a 9."""
    mask = character(font, str(digit))
    if mask is None or not underlined:
        return mask
    small = np.zeros_like(mask)
    small[4:76, 12:84] = cv2.resize(mask, (72, 72), interpolation=cv2.INTER_AREA)
    small[82:91, 24:72] = 255
    return small


def icons(file: Path) -> list[ImageGray]:
    """The icons of a font, no two alike, in an order that is always the same."""
    return distinct(_of_font(file))


def distinct(drawn: Iterable[ImageGray | None]) -> list[ImageGray]:
    """Those of some icons that can be told on a die, no two alike."""
    return unlike(mask for mask in drawn if mask is not None and _FILLED[0] < (mask > 127).mean() < _FILLED[1])


def fonts(folder: Path) -> list[Path]:
    """The text fonts of a folder, by name."""
    return sorted(path for path in folder.rglob("*") if path.suffix in {".ttf", ".otf"})


def _of_font(file: Path) -> Iterator[ImageGray | None]:
    missing = character(file, "\U000effff")
    for codes in _PRIVATE:
        for code in codes:
            mask = character(file, chr(code))
            if mask is not None and (missing is None or not np.array_equal(mask, missing)):
                yield mask


def unlike(masks: Iterable[ImageGray]) -> list[ImageGray]:
    """Those masks that look like none before them, at any quarter turn."""
    kept: list[ImageGray] = []
    seen = np.zeros((0, 400), np.float32)
    for mask in masks:
        small = cv2.resize(mask, (20, 20), interpolation=cv2.INTER_AREA).astype(np.float32)
        small -= small.mean()
        small /= np.linalg.norm(small) + 1e-6
        turns = np.stack([np.rot90(small, k).ravel() for k in range(4)])
        if not len(seen) or (seen @ turns.T).max() < _ALIKE:
            kept.append(mask)
            seen = np.vstack([seen, turns[:1]])
    return kept
