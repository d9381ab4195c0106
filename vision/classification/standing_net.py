"""A net that sees how a die stands: flat, leaning or on another, which way it leans, and where exactly its top lies.

It began from the die net's weights and learned from drawn trays (vision/training). It is asked twice: first without
anything that is known beside the crop, for the place and the lean; then with the outline that a die lying flat would
have at that place and those of the dice beside it. A crop alone cannot tell a die that leans from one seen aslant.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.classification.die_net import net_input
from vision.frame import F32, FloatArray, ImageBgr
from vision.near import IntArray
from vision.onnx_net import WEIGHTS, OnnxNet, shares_of
from vision.shrink import Halves
from vision.tops import Squares, cut_out

STANDING_PX, STANDING_SPAN = 64, 2.4
"""Side of the crops, in pixels and in edges of the top: what shows of a die's sides and of one below lies within."""
FLAT, LEANING, STACKED = 0, 1, 2
"""Columns of how a die stands."""
STANDING_ANSWERS = 9
"""Logits of flat, leaning, stacked; the lean, two numbers; the middle's correction, two; the edge's logarithm; the
turn. Lengths in edges of the square that was cut out, along its axes."""
_FINE = 16
"""Steps to a pixel in which outlines are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Outlines of dice that lie beside others.

    Attributes:
        of: Shape (P,), beside which die each lies; a die may have several, or none.
        blocks: Shape (P, 8, 2), the corners of its top and bottom.
    """

    of: IntArray
    blocks: FloatArray

    @staticmethod
    def nothing() -> "Beside":
        """No die."""
        return Beside(np.zeros(0, np.intp), np.zeros((0, 8, 2)))


def block(middle: FloatArray, way_x: FloatArray, lean: FloatArray) -> FloatArray:
    """Corners of dice's tops and bottoms.

    Args:
        middle: Shape (..., 2), of the top.
        way_x: Shape (..., 2) or (2,), half an edge along one side of it.
        lean: Shape (..., 2), from there to the middle of the bottom.

    Returns:
        Shape (..., 8, 2).
    """
    way_y = np.stack([-way_x[..., 1], way_x[..., 0]], axis=-1)
    corners = np.stack([-way_x - way_y, way_x - way_y, way_x + way_y, way_y - way_x], axis=-2)
    top = middle[..., None, :] + corners
    return np.concatenate([top, top + lean[..., None, :]], axis=-2)


def with_outlines(crops: ImageBgr, flat_leans: FloatArray | None, beside: Beside) -> F32:
    """Crops and outlines as the net takes them.

    Args:
        crops: Shape (N, `STANDING_PX`, `STANDING_PX`, 3), `STANDING_SPAN` edges wide.
        flat_leans: Shape (N, 2), of each die, if it lies flat, from the middle of its top to that of its bottom; None
            for a first look, which is told nothing.
        beside: The dice beside them. Both in edges along the crop's axes from its middle.

    Returns:
        Shape (N, 5, `STANDING_PX`, `STANDING_PX`): red, green, blue, the die's own outline, those beside it.
    """
    count = len(crops)
    batch = np.zeros((count, 5, STANDING_PX, STANDING_PX), np.float32)
    batch[:, :3] = net_input(crops)
    if flat_leans is None:
        return batch
    own = block(np.zeros((count, 2)), np.array([0.5, 0.0]), flat_leans)
    which = np.concatenate([2 * np.arange(count), 2 * beside.of + 1])
    planes = np.zeros((2 * count, STANDING_PX, STANDING_PX), np.uint8)
    _fill_outlines(planes, which, np.concatenate([own, beside.blocks]) * (STANDING_PX / STANDING_SPAN))
    batch[:, 3:] = planes.reshape(count, 2, STANDING_PX, STANDING_PX) * np.float32(1 / 255)
    return batch


def _fill_outlines(planes: npt.NDArray[np.uint8], which: IntArray, blocks_px: FloatArray) -> None:
    """Fill outlines of dice, shape (P, 8, 2), from the middle on, with 255, each in the plane that `which` names."""
    points = np.rint((blocks_px + (STANDING_PX - 1) / 2) * _FINE).astype(np.int32)
    low, high = points.min(axis=1), points.max(axis=1)
    shows = ((high > -2 * _FINE) & (low < (STANDING_PX + 2) * _FINE)).all(axis=1)
    for plane, corners in zip(which[shows].tolist(), points[shows], strict=True):
        cv2.fillConvexPoly(planes[plane], cv2.convexHull(corners), (255,), cv2.LINE_AA, 4)


@dataclass(frozen=True, slots=True, eq=False)
class StandingSights:
    """What the net sees of N dice.

    Attributes:
        shares: Shape (N, 3), rows that sum to 1: flat, leaning by more than 12 degrees, on another die.
        leans_px: Shape (N, 2), from the middle of each top to that of the face below it, pixels.
        refined: Where the tops lie, told more exactly than they were given.
    """

    shares: F32
    leans_px: FloatArray
    refined: Squares

    def some(self, which: IntArray) -> "StandingSights":
        """Some of them."""
        return StandingSights(self.shares[which], self.leans_px[which], self.refined.some(which))


class StandingReader:
    """Sees how dice stand; threads may share one."""

    def __init__(self, weights: Path = WEIGHTS / "standing.onnx") -> None:
        """Load the net.

        Args:
            weights: Its ONNX file.

        Raises:
            VisionError: No such file.
        """
        self._net = OnnxNet(weights)

    def look_at(
        self, picture: Halves, squares: Squares, flat_px: FloatArray | None = None, beside_px: Beside | None = None
    ) -> StandingSights:
        """See dice: at a second look the mean of what the net says of each crop and of its mirror image.

        Args:
            picture: With its halves.
            squares: Where N tops lie.
            flat_px: Shape (N, 2), from the middle of each top to that of the bottom, if the die lies flat, pixels.
                None for a first look, of which the shares count little.
            beside_px: The dice beside them, pixels.
        """
        count = len(squares.edge_px)
        if not count:
            return StandingSights(np.zeros((0, 3), np.float32), np.zeros((0, 2)), squares)
        crops = cut_out(picture, squares, STANDING_PX, STANDING_SPAN)[0]
        leans, beside = _in_crops(squares, flat_px, beside_px or Beside.nothing())
        planes = with_outlines(crops, leans, beside)
        if flat_px is None:
            said = self._net.run(planes).astype(np.float64)[None]
        else:
            said = self._net.run_on_both(planes).astype(np.float64)
            said[1][:, [3, 5, 8]] *= -1.0
        shares = shares_of(np.asarray(said[..., :3], np.float32)).mean(axis=0)
        mean = said.mean(axis=0)
        refined = Squares(
            squares.center_xy + squares.in_picture(mean[:, 5:7]),
            squares.edge_px * np.exp(np.clip(mean[:, 7], -0.5, 0.5)),
            squares.turn_rad + mean[:, 8],
        )
        return StandingSights(shares, squares.in_picture(mean[:, 3:5]), refined)


def _in_crops(squares: Squares, flat_px: FloatArray | None, beside_px: Beside) -> tuple[FloatArray | None, Beside]:
    """Leans and outlines of a picture in edges along the axes of each crop."""
    if flat_px is None:
        return None, Beside.nothing()
    c, s = np.cos(squares.turn_rad), np.sin(squares.turn_rad)
    into = np.array([[c, -s], [s, c]]).transpose(2, 0, 1) / squares.edge_px[:, None, None]
    leans = (flat_px[:, None] @ into)[:, 0]
    ways = beside_px.blocks - squares.center_xy[beside_px.of, None]
    return leans, Beside(beside_px.of, ways @ into[beside_px.of])
