"""The reading of a picture: each die, how certain it is, and otherwise why not."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

PointPx: TypeAlias = tuple[float, float]
"""x to the right, y down, origin at the centre of the top left pixel."""


class Unread(StrEnum):
    """Why a die has no trusted value."""

    COCKED = "cocked"
    STACKED = "stacked"
    OCCLUDED = "occluded"
    BLURRED = "blurred"
    PIPS_UNCLEAR = "pips_unclear"
    COLOUR_UNCLEAR = "colour_unclear"
    OUTSIDE_FLOOR = "outside_floor"
    FACE_UNKNOWN = "face_unknown"


class Problem(StrEnum):
    """What is wrong with a picture as a whole."""

    NO_TRAY = "no_tray"
    TOO_DARK = "too_dark"
    TOO_BRIGHT = "too_bright"
    MOVING = "moving"
    FOREIGN_OBJECT = "foreign_object"
    CAMERA_MOVED = "camera_moved"


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die."""

    # colour class (`base`, `skill`, `gear`, or another label of the palette); None if it fits none
    colour: str | None
    # pips of the TOP face, 1 to 6, or the value of a taught face, 0 if it is blank; None if it cannot be read
    value: int | None
    # Confidence, 0 to 1: the share of such readings that were right in the reader's own tests. It does not apply to
    # dice unlike those drawn there; `unread` takes precedence.
    confidence: float
    unread: Unread | None  # why value or colour must not be trusted, or None
    center_px: PointPx
    box_px: tuple[float, float, float, float]  # x, y, width, height around all that is visible of the die
    top_quad_px: tuple[PointPx, PointPx, PointPx, PointPx]  # in order
    sides: int = 6  # number of faces: 8, 10 or 12 if it shows a taught face of such a die
    faces: tuple[int, ...] = ()  # values of all faces of a taught cube, in order; empty if they are 1 to 6 or unknown

    @property
    def shown(self) -> str:
        """The value as text for logs and pictures: `blank` for 0, `?` if it cannot be read."""
        return "?" if self.value is None else str(self.value or "blank")

    @property
    def shows(self) -> tuple[int, int] | None:
        """Value and number of faces; None if the value cannot be read."""
        return None if self.value is None else (self.value, self.sides)


@dataclass(frozen=True, slots=True)
class TrayReading:
    """One picture, read."""

    width_px: int
    height_px: int
    dice: tuple[DieReading, ...]
    problems: tuple[Problem, ...]
    trusted: bool  # whether every die has a value and a colour and nothing is in doubt
    elapsed_ms: float  # duration of the reading, in milliseconds
    stage_ms: tuple[tuple[str, float], ...] = ()  # milliseconds for each stage, in the order they ran
