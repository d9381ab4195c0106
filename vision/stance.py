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
    ends = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    both = np.concatenate([ends, ends + flat_lean]).astype(np.float32)
    hull = cv2.convexHull(both)[:, 0] * (STANCE_PX / STANCE_SPAN) + (STANCE_PX - 1) / 2
    plane = np.zeros((STANCE_PX, STANCE_PX), np.uint8)
    cv2.fillConvexPoly(plane, np.round(hull * _FINE).astype(np.int32), (255,), cv2.LINE_AA, 4)
    return plane.astype(np.float32) * np.float32(_INSIDE / 255)


def stance_input(crops: Sequence[ImageBgr] | ImageBgr, flat_leans: FloatArray) -> F32:
    """Crops and outlines as the net takes them: shape (N, 4, STANCE_PX, STANCE_PX)."""
    colours = (np.asarray(crops).transpose(0, 3, 1, 2).astype(np.float32) - 128.0) / 64.0
    planes = np.stack([outline_plane(lean) for lean in flat_leans])[:, None]
    return np.ascontiguousarray(np.concatenate([colours, planes], axis=1), np.float32)


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
        leans = np.array([_in_edges(face) for face in faces])
        self._net.setInput(stance_input(crops, leans))
        return shares_of(np.asarray(self._net.forward(), np.float32).reshape(len(faces), -1)[:, :3])


def _crop_of(picture: Halves, face: TopFace) -> ImageBgr:
    image_bgr, scale = picture.at(face.edge_px)
    x, y = (float(v) for v in (face.center_xy + 0.5) * scale - 0.5)
    edge_px = face.edge_px * scale
    return upright_crop(image_bgr, (x, y), edge_px, face.angle_rad, side_px=STANCE_PX, span=STANCE_SPAN)


def _in_edges(face: TopFace) -> FloatArray:
    """The flat die's lean along the crop's axes, in edges."""
    c, s = float(np.cos(face.angle_rad)), float(np.sin(face.angle_rad))
    return np.asarray(np.array([[c, s], [-s, c]]) @ face.flat_xy / face.edge_px, np.float64)
