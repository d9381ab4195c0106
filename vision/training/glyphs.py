"""Masks of glyphs to paint on dice: icons of open fonts and sets, digits and letters of text fonts.

A mask has shape (`MASK_PX`, `MASK_PX`), uint8, and its longer side fills the square. Needs pillow and fonttools.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vision.types.frame import ImageGray

MASK_PX = 96
_UNDERLINED, _MAX_NUMERAL = (6, 9), 12
LETTERS = "12345678ABCDEFGHJKLRSTUXYZ&?!"
_PRIVATE = (range(0xE000, 0xF900), range(0xF0000, 0xF2000))
_FILLED = (0.09, 0.75)
"""Share of a square that an icon fills."""
_ALIKE = 0.86
"""Correlation from which two icons, at any quarter turn, count as one."""


def as_mask(drawn: ImageGray) -> ImageGray | None:
    """Return a drawing as a mask; None if it is almost empty."""
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
    """Return a character of a font as a mask; None if the font lacks it."""
    loaded = ImageFont.truetype(str(font), 120)
    drawn = Image.new("L", (280, 280))
    ImageDraw.Draw(drawn).text((60, 60), text, 255, font=loaded)
    return as_mask(np.asarray(drawn, np.uint8))


def numeral(font: Path, digit: int, *, underlined: bool = False) -> ImageGray | None:
    """Return a digit of a font as a mask, optionally with a line under it, which distinguishes a 6 from a 9."""
    mask = character(font, str(digit))
    if mask is None or not underlined:
        return mask
    small = np.zeros_like(mask)
    small[4:76, 12:84] = cv2.resize(mask, (72, 72), interpolation=cv2.INTER_AREA)
    small[82:91, 24:72] = 255
    return small


def icons(file: Path) -> list[ImageGray]:
    """Return the icons of a font, no two alike, in a fixed order."""
    return distinct(_of_font(file))


def distinct(drawn: Iterable[ImageGray | None]) -> list[ImageGray]:
    """Return those of some icons that are distinct on a die, no two alike."""
    return unlike(mask for mask in drawn if mask is not None and _FILLED[0] < (mask > 127).mean() < _FILLED[1])


def fonts(folder: Path) -> list[Path]:
    """Return the text fonts of a folder, by name."""
    return sorted(path for path in folder.rglob("*") if path.suffix in {".ttf", ".otf"})


def glyph_sets(folder: Path) -> list[list[ImageGray]]:
    """Return the numerals 1 to 12 of each font of a folder that has all, 6 and 9 underlined."""
    found = []
    for font in fonts(folder):
        masks = [numeral(font, value, underlined=value in _UNDERLINED) for value in range(1, _MAX_NUMERAL + 1)]
        found.append([mask for mask in masks if mask is not None])
    return [masks for masks in found if len(masks) == _MAX_NUMERAL]


def _of_font(file: Path) -> Iterator[ImageGray | None]:
    missing = character(file, "\U000effff")
    for codes in _PRIVATE:
        for code in codes:
            mask = character(file, chr(code))
            if mask is not None and (missing is None or not np.array_equal(mask, missing)):
                yield mask


def unlike(masks: Iterable[ImageGray]) -> list[ImageGray]:
    """Return the masks that are unlike all earlier ones, at any quarter turn."""
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
