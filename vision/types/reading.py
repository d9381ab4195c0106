"""What the reader says of a picture: each die, how sure, and why not where not."""

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


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die.

    Attributes:
        colour: Colour class (`base`, `skill`, `gear`, or another label of the palette); None where it fits none.
        value: Pips of the TOP face, 1 to 6, or what a taught face counts as; None where it cannot be read.
        confidence: Confidence, 0 to 1: the share of such readings that proved right in the reader's own tests. It does
            not hold for dice unlike any that were drawn there; `unread` takes precedence.
        unread: Why value or colour must not be trusted, or None.
        center_px: Centre of the top face.
        box_px: (x, y, width, height) around all that shows of the die.
        top_quad_px: Four corners of the top face, in order.
    """

    colour: str | None
    value: int | None
    confidence: float
    unread: Unread | None
    center_px: PointPx
    box_px: tuple[float, float, float, float]
    top_quad_px: tuple[PointPx, PointPx, PointPx, PointPx]


@dataclass(frozen=True, slots=True)
class TrayReading:
    """One picture, read.

    Attributes:
        width_px: Width of the picture.
        height_px: Height of the picture.
        dice: Every die seen, read or not.
        problems: Problems of the picture as a whole.
        trusted: Whether every die has a value and a colour and nothing is in doubt.
        elapsed_ms: Time that the reading took, in milliseconds.
        stage_ms: Milliseconds for each stage, in the order they ran.
    """

    width_px: int
    height_px: int
    dice: tuple[DieReading, ...]
    problems: tuple[Problem, ...]
    trusted: bool
    elapsed_ms: float
    stage_ms: tuple[tuple[str, float], ...] = ()
