"""A net for a die's stance (flat, leaning, on another), the direction of its lean and the error of its square.

It gets the die with its surroundings and the outline that a flat die would have there: a crop alone cannot distinguish
a leaning die from one seen at an angle. It was pretrained on ImageNet and trained on drawn and traced trays
(vision/training).
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.detection.squares import CORNERS, Squares, cut_out
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS, OnnxNet, net_input, shares_of
from vision.types.frame import F32, FloatArray, ImageBgr

STANCE_PX = 64
"""Side of the crops."""
STANCE_SPAN = 2.3
"""Width of a crop, in edges of the top face."""
FLAT, LEANING, STACKED = 0, 1, 2
"""Columns of the net's output."""
_INSIDE = 1.5
"""Level of the outline's plane inside; outside it is 0."""
_FINE_BITS = 4
"""Outlines are drawn in sixteenths of a pixel."""


@dataclass(frozen=True, slots=True, eq=False)
class Stances:
    """The stances of N dice, the mean of the net's looks."""

    # Shape (N, 3), rows that sum to 1: flat, leaning by more than 12 degrees, on another die. The logarithms of the
    # looks are averaged.
    shares: FloatArray
    # shape (N, 2), from the centre of each top to that of its bottom, in edges along the picture's axes
    lean_edges: FloatArray
    # shape (N, 2), from the centre of the given square to that of the top, in edges of the square along the picture's
    # axes
    shift_edges: FloatArray
    grow: FloatArray  # shape (N,), logarithm of the top's edge over the square's
    turn_rad: FloatArray  # shape (N,), rotation of the top less that of the square, in radians

    def corrected(self, squares: Squares) -> Squares:
        """Return the given squares, corrected."""
        middles = squares.center_xy + self.shift_edges * squares.edge_px[:, None]
        return Squares(middles, squares.edge_px * np.exp(self.grow), squares.turn_rad + self.turn_rad)


def turned(ways: FloatArray, turn_rad: FloatArray) -> FloatArray:
    """Return vectors, shape (..., N, 2), each rotated by an angle that broadcasts to (..., N)."""
    c, s = np.cos(turn_rad), np.sin(turn_rad)
    x, y = ways[..., 0], ways[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


def stance_input(crops: ImageBgr, flat_leans: FloatArray) -> F32:
    """Return crops and outlines as the net's input.

    Args:
        crops: Shape (N, S, S, 3), each `STANCE_SPAN` edges of its face wide.
        flat_leans: Shape (N, 2), from the centre of each top to that of the bottom of a flat die, in edges along the
            crop's axes; NaN if unknown.

    Returns:
        Shape (N, 4, S, S).
    """
    return np.concatenate([net_input(crops), outlines(flat_leans, crops.shape[1])[:, None]], axis=1)


def outlines(flat_leans: FloatArray, side_px: int = STANCE_PX) -> F32:
    """Return each die's outline if it lay flat, filled, shape (N, S, S): all 0 if the lean is NaN."""
    planes = np.zeros((len(flat_leans), side_px, side_px), np.uint8)
    top = 0.5 * CORNERS
    fine = 1 << _FINE_BITS
    for plane, lean in zip(planes, flat_leans, strict=True):
        if np.isfinite(lean).all():
            corners = np.concatenate([top, top + lean]) * (side_px / STANCE_SPAN) + (side_px - 1) / 2
            hull = cv2.convexHull(np.rint(corners * fine).astype(np.int32))
            cv2.fillConvexPoly(plane, hull, (255,), cv2.LINE_AA, _FINE_BITS)
    return planes * np.float32(_INSIDE / 255)


class StanceReader:
    """Measures the stances of dice; threads may share one."""

    def __init__(self, weights: Path = WEIGHTS / "standing.onnx") -> None:
        """Load the net.

        Raises:
            VisionError: The file is missing.
        """
        self._net = OnnxNet(weights)

    def look_at(
        self, picture: ImagePyramid, squares: Squares, flat_leans: FloatArray | None, *, looks: int = 2
    ) -> Stances:
        """Measure the stances of dice.

        Args:
            flat_leans: Shape (N, 2), from the centre of each top to that of the bottom of a flat die, in edges along
                the picture's axes; NaN, or None for all, if nothing is known of the camera.
            looks: Looks at each, a quarter turn apart, 1 to 4.

        Returns:
            The stance of each, in their order.
        """
        count = len(squares.edge_px)
        if not count:
            nothing = np.zeros(0)
            return Stances(np.zeros((0, 3)), np.zeros((0, 2)), np.zeros((0, 2)), nothing, nothing)
        leans = np.full((count, 2), np.nan) if flat_leans is None else turned(flat_leans, -squares.turn_rad)
        planes = stance_input(cut_out(picture, squares, STANCE_PX, STANCE_SPAN)[0], leans)
        # A crop rotated by a quarter equals, pixel for pixel, the one that is cropped a quarter turn on.
        batch = np.concatenate([np.rot90(planes, k, axes=(2, 3)) for k in range(looks)])
        answers = self._net.run(batch).reshape(looks, count, -1)
        logs = np.log(np.maximum(shares_of(answers[..., :3]), 1e-6)).mean(axis=0, dtype=np.float64)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        turn = squares.turn_rad + np.arange(looks)[:, None] * (np.pi / 2)
        numbers = answers.astype(np.float64)
        return Stances(
            shares / shares.sum(axis=1, keepdims=True),
            turned(numbers[..., 3:5], turn).mean(axis=0),
            turned(numbers[..., 5:7], turn).mean(axis=0),
            numbers[..., 7].mean(axis=0),
            numbers[..., 8].mean(axis=0),
        )
