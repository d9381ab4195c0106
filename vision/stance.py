"""How a die stands: flat on the floor, leaning, or on top of another.

A small net on cv2.dnn sees the die with its surroundings, and the outline that a die lying flat would have there. A
crop alone cannot tell a die that leans from one seen aslant; the outline carries what is known of the camera.
Drawn pictures taught the net (vision/training); vision/README.md says how well it does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.frame import FloatArray, ImageBgr
from vision.materials import F32
from vision.net import WEIGHTS, load_net, shares_of, upright_crop
from vision.shrink import Halves

STANCE_PX = 40
"""Side of the crops that the net takes."""
STANCE_SPAN = 2.2
"""Side of such a crop in edges of the face: the sides of a leaning die and what shows of one below lie within."""
LEANING, STACKED = 1, 2
"""Columns of what the net says; column 0 is flat."""
_INSIDE = 1.5
"""Brightness of the outline's plane inside; outside it is 0."""
_FINE = 16


def outline_plane(flat_lean: FloatArray) -> F32:
    """The outline of a die that lies flat, upright in the middle of a crop.

    Args:
        flat_lean: Shape (2,), in edges along the crop's axes: from the middle of its top face to that of its bottom.

    Returns:
        Shape (STANCE_PX, STANCE_PX).
    """
    plane: F32 = outline_planes(flat_lean[None])[0]
    return plane


def outline_planes(flat_leans: FloatArray) -> F32:
    """The same for N leans, shape (N, 2) to (N, STANCE_PX, STANCE_PX)."""
    ends = np.concatenate([_ENDS + np.zeros((len(flat_leans), 1, 2)), _ENDS + flat_leans[:, None]], axis=1)
    corners = np.rint((ends * (STANCE_PX / STANCE_SPAN) + (STANCE_PX - 1) / 2) * _FINE).astype(np.int32)
    planes = np.zeros((len(flat_leans), STANCE_PX, STANCE_PX), np.uint8)
    for plane, points in zip(planes, corners, strict=True):
        cv2.fillConvexPoly(plane, cv2.convexHull(points), (255,), cv2.LINE_AA, 4)
    return planes.astype(np.float32) * np.float32(_INSIDE / 255)


_ENDS = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


def stance_input(crops: Sequence[ImageBgr] | ImageBgr, flat_leans: FloatArray) -> F32:
    """Crops and outlines as the net takes them: shape (N, 4, STANCE_PX, STANCE_PX)."""
    batch = np.empty((len(crops), 4, STANCE_PX, STANCE_PX), np.float32)
    batch[:, :3] = cv2.dnn.blobFromImages(list(crops), 1 / 64, mean=(128.0, 128.0, 128.0))
    batch[:, 3] = outline_planes(flat_leans)
    return batch


@dataclass(frozen=True, slots=True)
class TopFace:
    """A top face as asked about.

    Attributes:
        center_xy: Shape (2,), its middle, pixels.
        edge_px: Its edge.
        angle_rad: Its turn; a quarter turn more or less is the same.
        flat_xy: Shape (2,), pixels: from there to the middle of the bottom, if the die lies flat.
    """

    center_xy: FloatArray
    edge_px: float
    angle_rad: float
    flat_xy: FloatArray


class StanceReader:
    """Tells how dice stand. Not to be shared between threads: the net keeps its buffers."""

    def __init__(self, weights: Path = WEIGHTS / "stance.onnx") -> None:
        """Load the net.

        Args:
            weights: Its ONNX file.

        Raises:
            VisionError: No such file.
        """
        self._net = load_net(weights)

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
        self._net.setInput(stance_input(crops, _in_edges(faces)))
        return shares_of(np.asarray(self._net.forward(), np.float32).reshape(len(faces), -1)[:, :3])


def _crop_of(picture: Halves, face: TopFace) -> ImageBgr:
    image_bgr, scale = picture.at(face.edge_px)
    x, y = (float(v) for v in (face.center_xy + 0.5) * scale - 0.5)
    edge_px = face.edge_px * scale
    return upright_crop(image_bgr, (x, y), edge_px, face.angle_rad, side_px=STANCE_PX, span=STANCE_SPAN)


def _in_edges(faces: Sequence[TopFace]) -> FloatArray:
    """The flat dice's leans along their crops' axes, in edges; shape (N, 2)."""
    x, y = (np.array([face.flat_xy for face in faces]) / np.array([[face.edge_px] for face in faces])).T
    turns = np.array([face.angle_rad for face in faces])
    c, s = np.cos(turns), np.sin(turns)
    return np.stack([c * x + s * y, c * y - s * x], axis=1)
