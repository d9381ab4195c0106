"""Top faces as arrays: where they are, and upright crops of them for the nets, all at once."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry.neighbours import IntArray
from vision.imaging.pyramid import ImagePyramid
from vision.types.frame import FloatArray, ImageBgr

CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
"""Of a face, in order, in half edges."""
_WIDEST_STEP, _FINE_STEP = 1.6, 1.2
"""Greatest step between two pixels of a crop, in pixels of the picture: directly, and if a finer crop is averaged
down.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """The places of N top faces."""

    center_xy: FloatArray  # shape (N, 2), centres of the faces, in pixels
    edge_px: FloatArray  # shape (N,), edges of the faces, in pixels
    # shape (N,), rotation of the faces, in radians; a quarter turn more or less shows the same face rotated
    turn_rad: FloatArray

    def some(self, which: IntArray) -> "Squares":
        """Return some of them."""
        return Squares(self.center_xy[which], self.edge_px[which], self.turn_rad[which])


def quads_of(squares: Squares) -> FloatArray:
    """Return the corners of N squares in order, shape (N, 4, 2), pixels."""
    c, s = np.cos(squares.turn_rad) * squares.edge_px / 2, np.sin(squares.turn_rad) * squares.edge_px / 2
    axes = np.stack([np.stack([c, s], axis=1), np.stack([-s, c], axis=1)], axis=1)
    quads: FloatArray = squares.center_xy[:, None] + CORNERS @ axes
    return quads


def cut_out(picture: ImagePyramid, squares: Squares, side_px: int, *spans: float) -> ImageBgr:
    """Crop faces from a picture, or large ones from a half of it; see `upright_crops`."""
    copies = [picture.at(edge_px) for edge_px in squares.edge_px.tolist()]
    scales = np.array([scale for _, scale in copies])
    crops: ImageBgr = np.empty((len(spans), len(copies), side_px, side_px, 3), np.uint8)
    for scale, image_bgr in {scale: copy for copy, scale in copies}.items():
        which = scales == scale
        center = (squares.center_xy[which] + 0.5) * scale - 0.5
        seen = Squares(center, squares.edge_px[which] * scale, squares.turn_rad[which])
        crops[:, which] = upright_crops(image_bgr, seen, side_px, *spans)
    return crops


def upright_crops(image_bgr: ImageBgr, squares: Squares, side_px: int, *spans: float) -> ImageBgr:
    """Crop faces from a picture, each rotated upright.

    Args:
        spans: Widths of the crops, in edges of the face; M of them give M crops of each face.

    Returns:
        Shape (M, N, side_px, side_px, 3). Outside the picture its rim is repeated.
    """
    step = np.array(spans)[:, None] * (squares.edge_px / side_px)
    # Shrinking by more than that would skip pixels: a finer crop is taken and averaged down.
    finer = np.where(step > _WIDEST_STEP, np.ceil(step / _FINE_STEP), 1.0)
    c, s = np.cos(squares.turn_rad) * step / finer, np.sin(squares.turn_rad) * step / finer
    right, down = np.array([[c, s], [-s, c]], np.float32)
    center = np.broadcast_to(squares.center_xy.T.astype(np.float32)[:, None], right.shape)
    crops: ImageBgr = np.empty((*step.shape, side_px, side_px, 3), np.uint8)
    for times in set(finer.ravel().tolist()):
        which, fine_px = finer == times, side_px * int(times)
        cells = np.arange(fine_px, dtype=np.float32) - np.float32((fine_px - 1) / 2)
        rows = down[:, which, None] * cells + center[:, which, None]
        places = rows[..., None] + (right[:, which, None] * cells)[:, :, None]
        # One look-up for all crops, by steps of 1/32 pixel, in half the time of one for each. Neither side of it may be
        # longer than 32767.
        across, along = places.reshape(2, -1, side_px * side_px)
        whole, part = cv2.convertMaps(across, along, cv2.CV_16SC2)
        found = cv2.remap(image_bgr, whole, part, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        if times > 1:
            below = found.reshape(-1, fine_px, 3)
            found = cv2.resize(below, (side_px, len(below) // int(times)), interpolation=cv2.INTER_AREA)
        crops[which] = found.reshape(-1, side_px, side_px, 3)
    return crops
