"""How a die stands: flat on the floor, leaning, or on top of another.

A small net sees the die with its surroundings, the outline that a die lying flat would have there, and those
of the dice beside it. A crop alone cannot tell a die that leans from one seen aslant, nor one that lies below from one
beside it.
Drawn pictures taught the net (vision/training); vision/README.md says how well it does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.frame import FloatArray, ImageBgr
from vision.materials import F32
from vision.net import WEIGHTS, shares_of, upright_crop
from vision.onnx_net import OnnxNet
from vision.shrink import Halves

STANCE_PX = 40
"""Side of the crops that the net takes."""
STANCE_SPAN = 2.2
"""Side of such a crop in edges of the face: the sides of a leaning die and what shows of one below lie within."""
LEANING, STACKED = 1, 2
"""Columns of what the net says; column 0 is flat."""
_INSIDE = 1.5
"""Brightness of the outlines' planes inside; outside they are 0."""
_FINE = 16


def block(middle: FloatArray, way_x: FloatArray, flat_lean: FloatArray) -> FloatArray:
    """Corners of a die's top and bottom.

    Args:
        middle: Shape (2,), of its top.
        way_x: Shape (2,), half an edge along one side of it.
        flat_lean: Shape (2,), from there to the middle of the bottom.

    Returns:
        Shape (8, 2).
    """
    way_y = np.array([-way_x[1], way_x[0]])
    top = middle + np.array([-way_x - way_y, way_x - way_y, way_x + way_y, way_y - way_x])
    return np.concatenate([top, top + flat_lean])


def outline_plane(blocks: Sequence[FloatArray]) -> F32:
    """The outlines of dice that lie flat.

    Args:
        blocks: Of each the corners of top and bottom, shape (8, 2), in edges along the crop's axes from its middle.

    Returns:
        Shape (STANCE_PX, STANCE_PX).
    """
    plane = np.zeros((STANCE_PX, STANCE_PX), np.uint8)
    for corners in blocks:
        points = np.rint((corners * (STANCE_PX / STANCE_SPAN) + (STANCE_PX - 1) / 2) * _FINE).astype(np.int32)
        cv2.fillConvexPoly(plane, cv2.convexHull(points), (255,), cv2.LINE_AA, 4)
    return plane.astype(np.float32) * np.float32(_INSIDE / 255)


def stance_input(
    crops: Sequence[ImageBgr] | ImageBgr, flat_leans: FloatArray, beside: Sequence[Sequence[FloatArray]]
) -> F32:
    """Crops and outlines as the net takes them.

    Args:
        crops: Each of shape (STANCE_PX, STANCE_PX, 3).
        flat_leans: Shape (N, 2), of each die, if it lies flat, from the middle of its top to that of its bottom.
        beside: For each the blocks of the dice beside it. Both in edges along the crop's axes from its middle.

    Returns:
        Shape (N, 5, STANCE_PX, STANCE_PX).
    """
    batch = np.zeros((len(crops), 5, STANCE_PX, STANCE_PX), np.float32)
    batch[:, :3] = cv2.dnn.blobFromImages(list(crops), 1 / 64, mean=(128.0, 128.0, 128.0))
    for planes, lean, blocks in zip(batch, flat_leans, beside, strict=True):
        planes[3] = outline_plane([block(np.zeros(2), np.array([0.5, 0.0]), lean)])
        if blocks:
            planes[4] = outline_plane(blocks)
    return batch


@dataclass(frozen=True, slots=True)
class TopFace:
    """A top face as asked about.

    Attributes:
        center_xy: Shape (2,), its middle, pixels.
        edge_px: Its edge.
        angle_rad: Its turn; a quarter turn more or less is the same.
        flat_xy: Shape (2,), pixels: from there to the middle of the bottom, if the die lies flat.
        beside_px: Blocks of the dice beside it, pixels.
    """

    center_xy: FloatArray
    edge_px: float
    angle_rad: float
    flat_xy: FloatArray
    beside_px: tuple[FloatArray, ...]


class StanceReader:
    """Tells how dice stand. Not to be shared between threads: the net keeps its buffers."""

    def __init__(self, weights: Path = WEIGHTS / "stance.onnx") -> None:
        """Load the net.

        Args:
            weights: Its ONNX file.

        Raises:
            VisionError: No such file.
        """
        self._net = OnnxNet(weights)

    def look_at(self, picture: Halves, faces: Sequence[TopFace]) -> F32:
        """See how each die stands.

        Args:
            picture: With its halves.
            faces: Top faces found in it.

        Returns:
            Shape (N, 3), rows that sum to 1: flat, leaning by more than 12 degrees, on another die.
        """
        if not faces:
            return np.zeros((0, 3), np.float32)
        crops = [_crop_of(picture, face) for face in faces]
        leans = np.array([_in_edges(face, face.flat_xy) for face in faces])
        beside = [[_in_edges(face, corners - face.center_xy) for corners in face.beside_px] for face in faces]
        said = self._net.run(stance_input(crops, leans, beside))
        return shares_of(said.reshape(len(faces), -1)[:, :3])


def _crop_of(picture: Halves, face: TopFace) -> ImageBgr:
    image_bgr, scale = picture.at(face.edge_px)
    x, y = (float(v) for v in (face.center_xy + 0.5) * scale - 0.5)
    edge_px = face.edge_px * scale
    return upright_crop(image_bgr, (x, y), edge_px, face.angle_rad, side_px=STANCE_PX, span=STANCE_SPAN)


def _in_edges(face: TopFace, ways: FloatArray) -> FloatArray:
    """Ways in the picture, shape (..., 2), along the crop's axes, in edges."""
    c, s = float(np.cos(face.angle_rad)), float(np.sin(face.angle_rad))
    return np.asarray(ways @ np.array([[c, -s], [s, c]]) / face.edge_px, np.float64)
