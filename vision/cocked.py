"""What speaks against a die lying flat: a top face out of square, or a side that the camera could not see then."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces import Face, View
from vision.frame import FloatArray, ImageBgr
from vision.pips import Pips, sample


@dataclass(frozen=True, slots=True)
class CockedParams:
    """When a die is called cocked; lengths in edges, contrasts as shares of a face's own.

    Attributes:
        aspect: Least ratio of a face's sides; a face that leans by 22 degrees has 0.93. Flat ones among the shared
            trays have 0.932 or more.
        beyond: How far outside the outline that a flat die has, seen from the camera, a pip must lie to count.
        reach: How far from a die its own side can reach.
        strength: Least blob strength of such a pip over the face's contrast.
        contrast: Least contrast of such a pip over the face's.
        body: Most difference between the colour round such a pip and the body, over the face's contrast: a side is
            of the die's colour, if darker.
        roundness: Least ratio of such a pip's axes.
        beside: Nearer to another die than this nothing is said of a side.
        hue_apart: Least difference in hue between die and floor, natural logarithms of channel ratios.
        side_wider: How much wider than a flat die's a side must look.
        side_most: A side wider than this is none.
        least_floor: So many points of bare floor tell its hue.
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
    beside: float = 0.10
    hue_apart: float = 0.4
    side_wider: float = 0.22
    side_most: float = 0.52
    least_floor: int = 50


@dataclass(frozen=True, slots=True)
class SizedView:
    """A camera, and the common edge of the top faces it sees."""

    view: View
    edge_px: float


def find_cocked(
    smooth_bgr: ImageBgr, faces: list[Face], pips: tuple[Pips, Pips], view: SizedView, params: CockedParams
) -> tuple[bool, ...]:
    """Look for what a die that lies flat cannot show.

    Args:
        smooth_bgr: Shape (H, W, 3), as for `fit_faces`.
        faces: Top faces, in its pixels.
        pips: Light and dark.
        view: Camera, in the same pixels, and the dice's common edge.
        params: See there.

    Returns:
        For each face, whether there is such a thing. False does not mean that the die lies flat.
    """
    if not faces:
        return ()
    edge_px = view.edge_px
    hulls = [_outline(face, view.view) for face in faces]
    wide = _wide_sides(smooth_bgr, faces, hulls, view, params)
    cocked = [_aspect(face) < params.aspect or side for face, side in zip(faces, wide, strict=True)]
    centers = np.array([face.center_xy for face in faces])
    contrast = min(face.contrast for face in faces)
    for blobs in pips:
        strong = (blobs.roundness >= params.roundness) & (blobs.strength >= params.strength * contrast)
        for i in np.nonzero(strong)[0]:
            xy, strength = blobs.xy[i], float(blobs.strength[i])
            near = np.nonzero(np.hypot(*(centers - xy).T) < (0.75 + params.reach) * edge_px)[0]
            away = [-cv2.pointPolygonTest(hulls[k], (float(xy[0]), float(xy[1])), True) / edge_px for k in near]
            if not away or not params.beyond <= min(away) < params.reach:
                continue
            nearest = int(near[int(np.argmin(away))])
            face = faces[nearest]
            if face.dark != blobs.dark or cocked[nearest]:
                continue
            if _is_side_pip(_Spot.at(smooth_bgr, xy, edge_px * params.ring), strength, face, params):
                cocked[nearest] = True
    return tuple(cocked)


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """A blob's contrast and the colour round it."""

    contrast: float
    around_bgr: FloatArray

    @staticmethod
    def at(smooth_bgr: ImageBgr, xy: FloatArray, radius: float) -> "_Spot":
        turn = np.arange(12) * np.pi / 6.0
        ring = sample(smooth_bgr, xy + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1))
        around = np.median(ring, axis=0)
        return _Spot(float(np.abs(sample(smooth_bgr, xy) - around).max()), around)


def _is_side_pip(spot: _Spot, strength: float, face: Face, params: CockedParams) -> bool:
    apart = float(np.abs(spot.around_bgr - face.body_bgr).max())
    return (
        strength >= params.strength * face.contrast
        and spot.contrast >= params.contrast * face.contrast
        and apart <= params.body * face.contrast
    )


def _aspect(face: Face) -> float:
    """Ratio of the face's least to its greatest extent: 1 for a square seen square-on."""
    extent = np.linalg.svd(np.stack([face.axis_xy, face.across_xy]), compute_uv=False)
    return float(extent[1] / max(extent[0], 1e-9))


def _outline(face: Face, view: View) -> npt.NDArray[np.float32]:
    """What a flat die shows at that place: its top and, towards the camera's foot, its sides."""
    quad = face.quad_px
    hull = cv2.convexHull(np.concatenate([quad, view.bottom_quad_px(quad)]).astype(np.float32))
    return np.asarray(hull, dtype=np.float32)


_SHRINK = 4


def _wide_sides(
    smooth_bgr: ImageBgr,
    faces: list[Face],
    hulls: list[npt.NDArray[np.float32]],
    view: SizedView,
    params: CockedParams,
) -> list[bool]:
    """Whether a die's colour goes on beyond one of its top's sides for longer than a flat die's side is seen.

    Colours are compared by the logarithms of their channels' ratios, which shade does not change. Where another die
    lies beside it, or the colour goes on and on (a wall), or die and floor are of one hue, nothing is said.
    """
    height, width = smooth_bgr.shape[:2]
    own = [_stamp(hull, (height, width), params.beside * view.edge_px) for hull in hulls]
    taken = np.asarray(np.sum(own, axis=0), dtype=np.uint8)
    bare = smooth_bgr[:: 2 * _SHRINK, :: 2 * _SHRINK][taken[::2, ::2][: -(-height // 8), : -(-width // 8)] == 0]
    if len(bare) < params.least_floor:
        return [False] * len(faces)
    floor = np.median(_hue(bare.astype(np.float64)), axis=0)
    steps = np.arange(0.04, params.reach, 0.04)
    lines = np.linspace(-0.28, 0.28, 7)
    answers = []
    for face, stamp in zip(faces, own, strict=True):
        hues = _hue(np.stack([face.body_bgr, face.rim_bgr])) - floor
        hue = hues[int(np.argmax((hues**2).sum(axis=1)))]
        apart = float((hue**2).sum())
        if apart < params.hue_apart**2:
            answers.append(False)
            continue
        shift = (view.view.bottom_quad_px(face.quad_px) - face.quad_px).mean(axis=0)
        u, v = 2.0 * face.axis_xy, 2.0 * face.across_xy
        out, along = np.stack([u, v, -u, -v]), np.stack([v, u, v, u])
        points = (
            face.center_xy
            + (0.5 + steps)[None, :, None, None] * out[:, None, None, :]
            + lines[None, None, :, None] * along[:, None, None, :]
        )
        like = np.median((_hue(sample(smooth_bgr, points)) - floor) @ hue / apart, axis=2) > 0.5
        other = sample((taken - stamp)[..., None], points[:, :, ::3] / _SHRINK)[..., 0].max(axis=2) > 0
        seen = np.where(like.all(axis=1), 0.0, steps[np.argmin(like, axis=1)] - 0.02)
        crowded = (other & (steps[None, :] <= seen[:, None] + 0.06)).any(axis=1)
        due = np.maximum(0.0, (shift * out).sum(axis=1) / (out**2).sum(axis=1))
        answers.append(bool((~crowded & (seen > due + params.side_wider) & (seen < params.side_most)).any()))
    return answers


def _hue(bgr: FloatArray) -> FloatArray:
    """Shade-free colour: logarithms of red over green and of blue over green; shape (..., 2)."""
    logs = np.log(bgr + 6.0)
    return np.stack([logs[..., 2] - logs[..., 1], logs[..., 0] - logs[..., 1]], axis=-1)


def _stamp(hull: npt.NDArray[np.float32], shape: tuple[int, int], grow_px: float) -> npt.NDArray[np.uint8]:
    """One on a hull and near it, on a map a quarter of the picture's size."""
    drawn = np.zeros((-(-shape[0] // _SHRINK), -(-shape[1] // _SHRINK)), dtype=np.uint8)
    corners = np.rint(hull / _SHRINK).astype(np.int32)
    cv2.fillPoly(drawn, [corners], (1,))
    cv2.polylines(drawn, [corners], True, (1,), max(1, round(2.0 * grow_px / _SHRINK)))
    return drawn
