"""What was read of the dice in a small picture of a roll: kept in the JPEG as its comment, drawn over it as SVG."""

import json
from base64 import b64encode
from typing import Final

import cv2
import numpy as np

from device.game.state.layout import LyingDie
from device.kept_files import parse_json
from device.storage.log_rows import shown_value
from vision.types.reading import PointPx

_COMMENT: Final = b"\xff\xfe"
_MAX_COMMENT_BYTES: Final = 0xFFFF - 2
_LINE, _LETTERS = 0.08, 0.9
"""Width of outlines and height of values, as shares of a die's edge."""
Mark = tuple[list[int], int | None]
"""The corners x, y, x, y, ... of a top face in pixels of the picture, and its value; None: not read."""


def mark_of(die: LyingDie, origin_px: PointPx, scale: float) -> Mark:
    """Return the mark of a die in a picture that begins at `origin_px` and is scaled."""
    reading = die.reading
    corners = [round(float(at)) for at in ((np.array(reading.top_quad_px) - origin_px) * scale).ravel()]
    return corners, None if reading.unread is not None else reading.value


def with_marks(jpeg: bytes, marks: list[Mark]) -> bytes:
    """Return a JPEG with the marks as its comment; without them if they are too many for one."""
    text = json.dumps(marks, separators=(",", ":")).encode()
    if len(text) > _MAX_COMMENT_BYTES:
        return jpeg
    return jpeg[:2] + _COMMENT + (len(text) + 2).to_bytes(2) + text + jpeg[2:]


def marks_of(jpeg: bytes) -> list[Mark]:
    """Return the marks of a JPEG; none if it was stored without."""
    if jpeg[2:4] != _COMMENT:
        return []
    try:
        found = parse_json(jpeg[6 : 4 + int.from_bytes(jpeg[4:6])])
        return [([int(at) for at in corners], None if value is None else int(value)) for corners, value in found]
    except (ValueError, TypeError):
        return []


def read_svg(jpeg: bytes) -> str | None:
    """Return the picture with its marks drawn over it; None if it is no picture."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    if image is None:
        return None
    height, width = image.shape
    drawn = "".join(_drawn(corners, value) for corners, value in marks_of(jpeg) if len(corners) == 8)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<image width="{width}" height="{height}" href="data:image/jpeg;base64,{b64encode(jpeg).decode()}"/>'
        f'<g fill="none" font-family="sans-serif" font-weight="700" text-anchor="middle">{drawn}</g></svg>'
    )


def _drawn(corners: list[int], value: int | None) -> str:
    xs, ys = corners[::2], corners[1::2]
    edge = np.hypot(xs[1] - xs[0], ys[1] - ys[0])
    line, colour = edge * _LINE, "#ff6f61" if value is None else "#fff"
    text = shown_value(value)
    return (
        f'<polygon points="{" ".join(map(str, corners))}" stroke="{colour}" stroke-width="{line:.1f}"/>'
        f'<text x="{sum(xs) / 4:.0f}" y="{min(ys) - 2 * line:.0f}" font-size="{edge * _LETTERS:.0f}" fill="#fff"'
        f' stroke="#000" stroke-width="{2 * line:.1f}" paint-order="stroke">{text}</text>'
    )
