"""How a die stands: flat on the floor, leaning, or on top of another.

A small net sees the die with its surroundings, the outline that a die lying flat would have there, and those
of the dice beside it. A crop alone cannot tell a die that leans from one seen aslant, nor one that lies below from one
beside it. Drawn pictures taught the net (vision/training); vision/README.md says how well it does.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.classification.face_reader import FACE_PX
from vision.detection.squares import Squares, fill_planes
from vision.geometry.neighbours import IntArray
from vision.nets.onnx_net import WEIGHTS, OnnxNet, shares_of
from vision.types.frame import F32, FloatArray, ImageBgr

STANCE_PX = FACE_PX
"""Side of the crops that the net takes: they are cut out together with the face reader's."""
STANCE_SPAN = 2.2
"""Side of such a crop in edges of the face: the sides of a leaning die and what shows of one below lie within."""
FLAT, LEANING, STACKED = 0, 1, 2
"""Columns of what the net says."""
_INSIDE = 1.5
"""Brightness of the outlines' planes inside; outside they are 0."""
_FINE = 16
"""Steps to a pixel in which outlines are drawn."""


def block(middle: FloatArray, way_x: FloatArray, flat_lean: FloatArray) -> FloatArray:
    """Corners of dice's tops and bottoms.

    Args:
        middle: Shape (..., 2), of the top.
        way_x: Shape (..., 2) or (2,), half an edge along one side of it.
        flat_lean: Shape (..., 2), from there to the middle of the bottom.

    Returns:
        Shape (..., 8, 2).
    """
    way_y = np.stack([-way_x[..., 1], way_x[..., 0]], axis=-1)
    corners = np.stack([-way_x - way_y, way_x - way_y, way_x + way_y, way_y - way_x], axis=-2)
    return block_of(middle[..., None, :] + corners, flat_lean)


def block_of(top: FloatArray, flat_lean: FloatArray) -> FloatArray:
    """The same of tops whose corners are known, shape (..., 4, 2)."""
    return np.concatenate([top, top + flat_lean[..., None, :]], axis=-2)


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Outlines of dice that lie beside others.

    Attributes:
        of: Shape (P,), row of the die that each outline lies beside; a die may have several, or none.
        blocks: Shape (P, 8, 2), corners of top and bottom of each outline.
    """

    of: IntArray
    blocks: FloatArray


def with_outlines(crops: ImageBgr, span: float, flat_leans: FloatArray, beside: Beside) -> F32:
    """Crops and outlines as a net takes them.

    Args:
        crops: Shape (N, S, S, 3), each `span` edges of its face wide.
        span: Width of a crop, in edges of its face.
        flat_leans: Shape (N, 2), from the middle of each die's top to that of its bottom if it lies flat, in edges
            along the crop's axes.
        beside: The dice beside them, in edges along the crop's axes from its middle.

    Returns:
        Shape (N, 5, S, S).
    """
    count, side_px = crops.shape[:2]
    batch = np.empty((count, 5, side_px, side_px), np.float32)
    fill_planes(batch[:, :3], crops)
    own = block(np.zeros((count, 2)), np.array([0.5, 0.0]), flat_leans)
    which = np.concatenate([2 * np.arange(count), 2 * beside.of + 1])
    planes = np.zeros((2 * count, side_px, side_px), np.uint8)
    _fill_outlines(planes, which, np.concatenate([own, beside.blocks]) * (side_px / span))
    batch[:, 3:] = planes.reshape(count, 2, side_px, side_px)
    batch[:, 3:] *= np.float32(_INSIDE / 255)
    return batch


def _fill_outlines(planes: npt.NDArray[np.uint8], which: IntArray, blocks_px: FloatArray) -> None:
    """Fill outlines of dice, shape (P, 8, 2), from the middle on, with 255, each in the plane that `which` says."""
    side_px = planes.shape[1]
    points = np.rint((blocks_px + (side_px - 1) / 2) * _FINE).astype(np.int32)
    shows = ((points.max(axis=1) > -2 * _FINE) & (points.min(axis=1) < (side_px + 2) * _FINE)).all(axis=1)
    for plane, corners in zip(which[shows].tolist(), points[shows], strict=True):
        cv2.fillConvexPoly(planes[plane], cv2.convexHull(corners), (255,), cv2.LINE_AA, 4)


def seen_by_net(crops: ImageBgr, span: float, squares: Squares, flat_px: FloatArray, beside_px: Beside) -> F32:
    """The same of places in a picture.

    Args:
        crops: Shape (N, S, S, 3), `span` edges wide, as `cut_out` makes them.
        span: Width of a crop, in edges of its face.
        squares: Where they were in the picture.
        flat_px: Shape (N, 2), from the middle of each to that of the bottom, if the die lies flat.
        beside_px: The dice beside them, in the picture.

    Returns:
        Shape (N, 5, S, S).
    """
    c, s = np.cos(squares.turn_rad), np.sin(squares.turn_rad)
    into = np.array([[c, -s], [s, c]]).transpose(2, 0, 1) / squares.edge_px[:, None, None]
    leans = (flat_px[:, None] @ into)[:, 0]
    ways = beside_px.blocks - squares.center_xy[beside_px.of, None]
    return with_outlines(crops, span, leans, Beside(beside_px.of, ways @ into[beside_px.of]))


class StanceReader:
    """Judges how dice stand."""

    def __init__(self, weights: Path = WEIGHTS / "stance.onnx") -> None:
        """Load the net.

        Args:
            weights: ONNX file of the net.

        Raises:
            VisionError: No such file.
        """
        self._net = OnnxNet(weights)

    def look_at(self, crops: ImageBgr, squares: Squares, flat_px: FloatArray, beside_px: Beside) -> F32:
        """See how each die stands.

        Args:
            crops: Shape (N, STANCE_PX, STANCE_PX, 3), STANCE_SPAN wide, as `cut_out` makes them.
            squares: Where they were in the picture.
            flat_px: Shape (N, 2), from the middle of each to that of the bottom, if the die lies flat.
            beside_px: The dice beside them, in the picture.

        Returns:
            Shape (N, 3), rows that sum to 1: flat, leaning by more than 12 degrees, on another die.
        """
        if not len(crops):
            return np.zeros((0, 3), np.float32)
        said = self._net.run(seen_by_net(crops, STANCE_SPAN, squares, flat_px, beside_px))
        return shares_of(said.reshape(len(crops), -1)[:, :3])
