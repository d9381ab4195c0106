"""What speaks against a die lying flat: a top face out of square, or a side that the camera could not see then."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.detection.faces import Face
from vision.detection.pips import Pips
from vision.geometry.camera import SizedView, View
from vision.geometry.neighbours import squared_distances
from vision.imaging.softened import Soft
from vision.types.frame import FloatArray


@dataclass(frozen=True, slots=True)
class CockedParams:
    """When a die is called cocked; lengths in edges, contrasts as shares of a face's own.

    Attributes:
        aspect: Least ratio of a face's sides; a face that leans by 22 degrees has 0.93. Flat ones among the shared
            trays have 0.932 or more.
        beyond: Least distance outside the outline that a flat die has, seen from the camera, for a pip to count.
        reach: Greatest distance from a die that its own side can reach.
        strength: Least blob strength of a pip outside a flat die's outline, over the face's contrast.
        contrast: Least contrast of a pip outside a flat die's outline, over the face's.
        body: Greatest difference between the colour around a pip outside a flat die's outline and the body, over the
            face's contrast: a side is of the die's colour, if darker.
        roundness: Least ratio of the axes of a pip outside a flat die's outline.
        ring: Radius at which the colour round a pip is taken.
    """

    aspect: float = 0.928
    beyond: float = 0.10
    reach: float = 0.6
    strength: float = 0.15
    contrast: float = 0.45
    body: float = 0.45
    roundness: float = 0.5
    ring: float = 0.17


def find_cocked(
    soft: Soft, faces: Sequence[Face], pips: tuple[Pips, Pips], view: SizedView, params: CockedParams
) -> tuple[bool, ...]:
    """Look for what a die that lies flat cannot show.

    Args:
        soft: As for `fit_faces`.
        faces: Top faces, in its pixels.
        pips: Light and dark.
        view: Camera, in the same pixels, and the dice's common edge.
        params: The tunables.

    Returns:
        For each face, whether there is such a thing. False does not mean that the die lies flat. Of a face without a
        lattice nothing is asked, but what shows nearest to it is no other die's.
    """
    asked = [face.has_lattice for face in faces]
    if not any(asked):
        return (False,) * len(faces)
    edge_px = view.edge_px
    hulls = [_outline(face, view.view) for face in faces]
    cocked = [known and _aspect(face) < params.aspect for face, known in zip(faces, asked, strict=True)]
    centers = np.array([face.center_xy for face in faces])
    contrast = min(face.contrast for face in faces if face.has_lattice)
    for blobs in pips:
        strong = (blobs.roundness >= params.roundness) & (blobs.strength >= params.strength * contrast)
        close = squared_distances(blobs.xy, centers) < ((0.75 + params.reach) * edge_px) ** 2
        for i in np.nonzero(strong & close.any(axis=1))[0]:
            xy, strength = blobs.xy[i], float(blobs.strength[i])
            near = np.nonzero(close[i])[0]
            away = [-cv2.pointPolygonTest(hulls[k], (float(xy[0]), float(xy[1])), True) / edge_px for k in near]
            if not params.beyond <= min(away) < params.reach:
                continue
            nearest = int(near[int(np.argmin(away))])
            face = faces[nearest]
            if not asked[nearest] or face.dark != blobs.dark or cocked[nearest]:
                continue
            if _is_side_pip(_Spot.at(soft, xy, edge_px * params.ring), strength, face, params):
                cocked[nearest] = True
    return tuple(cocked)


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """A blob's contrast and the colour round it."""

    contrast: float
    around_bgr: FloatArray

    @staticmethod
    def at(soft: Soft, xy: FloatArray, radius: float) -> "_Spot":
        turn = np.arange(12) * np.pi / 6.0
        ring = soft.at(xy + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1))
        around = np.median(ring, axis=0)
        return _Spot(float(np.abs(soft.at(xy) - around).max()), around)


def _is_side_pip(spot: _Spot, strength: float, face: Face, params: CockedParams) -> bool:
    apart = float(np.abs(spot.around_bgr - face.body_bgr).max())
    return (
        strength >= params.strength * face.contrast
        and spot.contrast >= params.contrast * face.contrast
        and apart <= params.body * face.contrast
    )


def _aspect(face: Face) -> float:
    """Ratio of the face's least to its greatest extent: 1 for a square seen square-on."""
    # The singular values of the two sides, by their sum of squares and their product.
    (ax, ay), (bx, by) = face.axis_xy.tolist(), face.across_xy.tolist()
    total, product = ax * ax + ay * ay + bx * bx + by * by, abs(ax * by - ay * bx)
    apart = math.sqrt(max(total * total - 4.0 * product * product, 0.0))
    return math.sqrt(max(total - apart, 0.0) / max(total + apart, 1e-9))


def _outline(face: Face, view: View) -> npt.NDArray[np.float32]:
    """What a flat die shows at that place: its top and, towards the camera's foot, its sides."""
    quad = face.quad_px
    hull = cv2.convexHull(np.concatenate([quad, view.bottom_quad_px(quad)]).astype(np.float32))
    return np.asarray(hull, dtype=np.float32)


def departures(flat_px: FloatArray, leans_px: FloatArray, view: SizedView) -> FloatArray:
    """How far what was seen of each die's lean, shape (N, 2), is from a flat die's there; shape (N,), in edges."""
    apart = leans_px - flat_px
    return np.asarray(np.hypot(apart[:, 0], apart[:, 1]) / view.edge_px, np.float64)
