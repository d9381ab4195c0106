"""Top faces: which of the proposed faces are dice lying on the floor, and which are side faces, chance, or doubt.

Seen by a camera above the tray, a die shows its top face nearly square-on and as large as every other top face; of its
sides it shows those towards the point below the camera, foreshortened, within the shift between top and bottom.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from vision.frame import FloatArray, ImageBgr
from vision.pips import BODY_POINTS, FaceFits, PipParams, Pips, sample


@dataclass(frozen=True, slots=True)
class FaceParams:
    """What tells a top face.

    Attributes:
        edge_slack: Most ratio between a face's edge and the picture's common edge, either way.
        residual: Greatest lattice residual of a face.
        rank: Least rank of a face: under it, chance. On the shared stills no true face has less than 6.2 and 1 in 40
            false ones more.
        sure_rank: Least rank of a face whose value is trusted.
        margin: Least lattice margin of a face.
        apart: Least distance of two top faces' centres, in edges; two dice side by side are 1 apart.
        one_ring: Greatest colour spread on the rings round a lone pip, as a share of the pip's contrast.
        one_alone: No other pip lies within this many edges of a lone one.
        one_roundness: Least ratio of a lone pip's axes; a pip on a side face is flatter.
        one_levels: Least contrast of a lone pip, grey levels.
        one_edge_levels: Least change of colour across the outline of a 1, grey levels, as a median over the outline.
        pip_bonus: What each pip up to four adds to a face's rank.
        aslant_cost: What unequal sides take off a face's rank, for each unit of their ratio's logarithm.
    """

    edge_slack: float = 1.16
    residual: float = 0.24
    rank: float = 5.8
    sure_rank: float = 6.6
    margin: float = 0.2
    apart: float = 0.72
    one_ring: float = 0.30
    one_alone: float = 0.40
    one_roundness: float = 0.70
    one_levels: float = 30.0
    one_edge_levels: float = 8.0
    pip_bonus: float = 0.5
    aslant_cost: float = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One top face.

    Attributes:
        center_xy: Shape (2,), pixels.
        axis_xy: Shape (2,), half an edge along the face's first side, pixels.
        across_xy: Shape (2,), half an edge along the second.
        value: 1 to 6.
        margin: 0 to 1, as the lattice's.
        residual: The lattice's.
        contrast: Grey levels between pips and body.
        body_bgr: Shape (3,).
        pip_bgr: Shape (3,).
        dark: Whether the pips are darker than the body.
        rim_bgr: Shape (3,), median just inside the outline, where glare on the top seldom reaches.
        rank: Compares faces that claim one place: the greater is the likelier.
    """

    center_xy: FloatArray
    axis_xy: FloatArray
    across_xy: FloatArray
    value: int
    margin: float
    residual: float
    contrast: float
    body_bgr: FloatArray
    pip_bgr: FloatArray
    dark: bool
    rim_bgr: FloatArray
    rank: float

    @property
    def edge_px(self) -> float:
        """Length of a side, the mean of both where they differ."""
        area = self.axis_xy[0] * self.across_xy[1] - self.axis_xy[1] * self.across_xy[0]
        return float(2.0 * np.sqrt(abs(area)))

    @property
    def quad_px(self) -> FloatArray:
        """Shape (4, 2), corners in order."""
        a, b = self.axis_xy, self.across_xy
        return np.array(
            [self.center_xy - a - b, self.center_xy + a - b, self.center_xy + a + b, self.center_xy - a + b]
        )


@dataclass(frozen=True, slots=True)
class View:
    """Where the camera is, as far as it matters for the sides of dice.

    Attributes:
        nadir_px: The point of the picture right below the camera.
        focal_px: Focal length.
    """

    nadir_px: tuple[float, float]
    focal_px: float

    def bottom_quad_px(self, quad_px: FloatArray) -> FloatArray:
        """The bottom corners of a die whose top corners are given, shape (4, 2): nearer the nadir, smaller."""
        edge = float(np.hypot(*(quad_px[1] - quad_px[0])))
        height = self.focal_px / max(edge, 1.0)
        nadir = np.array(self.nadir_px)
        shrunk: FloatArray = nadir + (quad_px - nadir) * height / (height + 1.0)
        return shrunk


def common_edge(
    fits: tuple[FaceFits, ...], step: float, expected: tuple[float, float], params: FaceParams
) -> float | None:
    """The edge that most clear faces have, in pixels.

    Args:
        fits: Of both polarities.
        step: Lattice step as a fraction of the edge.
        expected: The edge that is likely before anything is seen, and the ratio it may well be off by.
        params: See there.

    Returns:
        None where no face is clear.
    """
    found = [
        (
            float(min(fit.value[i], 4) - 3.0 * fit.residual[i] - 2.0 * fit.spread[i] / max(fit.contrast[i], 1.0)),
            float(_steps(fit)[i] / step),
            fit.center_xy[i],
        )
        for fit in fits
        for i in np.nonzero((fit.residual < params.residual * 0.75) & (fit.margin > 0.5))[0]
    ]
    # Within one face its own pips propose smaller faces of fewer pips: only the fullest of a place has a vote.
    found.sort(key=lambda item: -item[0])
    kept: list[tuple[float, float, FloatArray]] = []
    for item in found:
        if all(np.hypot(*(item[2] - other[2])) > 0.6 * max(item[1], other[1]) for other in kept):
            kept.append(item)
    if not kept:
        return None
    edge = np.array([item[1] for item in kept])
    # Four pips in a square are no chance; two are.
    weight = np.array([4.0 ** (item[0] - 4.0) for item in kept])
    weight *= np.exp(-((np.log(edge / expected[0]) / np.log(expected[1])) ** 2))
    near = np.abs(np.log(edge[:, None] / edge[None, :])) < np.log(1.10)
    votes = near @ weight
    center = int(np.argmax(votes))
    return float(np.average(edge[near[center]], weights=weight[near[center]]))


def _steps(fit: FaceFits) -> FloatArray:
    """Lattice step of each fit, the mean of both ways, pixels; shape (N,)."""
    area = fit.axis_xy[:, 0] * fit.across_xy[:, 1] - fit.axis_xy[:, 1] * fit.across_xy[:, 0]
    steps: FloatArray = np.sqrt(np.abs(area))
    return steps


def choose_faces(
    smooth_bgr: ImageBgr,
    fits: tuple[FaceFits, ...],
    pips: tuple[Pips, Pips],
    edge_px: float,
    params: tuple[PipParams, FaceParams],
) -> list[Face]:
    """Choose faces that do not overlap, the most likely first.

    Args:
        smooth_bgr: Shape (H, W, 3), as for `fit_faces`.
        fits: What pairs of pips proposed, both polarities.
        pips: Light and dark; each may be a 1.
        edge_px: Common edge of a top face.
        params: Of the pips and of the faces.

    Returns:
        Faces of value 1 to 6.
    """
    pip_params, face_params = params
    proposed = [face for fit in fits for face in _from_lattices(smooth_bgr, fit, edge_px, pip_params, face_params)]
    proposed += [
        face for blobs in pips for face in _from_lone_pips(smooth_bgr, blobs, edge_px, pip_params, face_params)
    ]
    proposed = [face for face in proposed if face.rank >= face_params.rank]
    proposed.sort(key=lambda face: -face.rank)
    chosen: list[Face] = []
    for face in proposed:
        if all(np.hypot(*(face.center_xy - other.center_xy)) > face_params.apart * edge_px for other in chosen):
            chosen.append(face)
    return [
        replace(face, rim_bgr=_rim_colour(smooth_bgr, face.center_xy, face.axis_xy, face.across_xy)) for face in chosen
    ]


def _from_lattices(
    smooth_bgr: ImageBgr, fit: FaceFits, edge_px: float, pip_params: PipParams, params: FaceParams
) -> list[Face]:
    step = _steps(fit)
    off = np.abs(np.log(np.maximum(step / pip_params.step, 1.0) / edge_px))
    good = (fit.residual < params.residual) & (fit.margin > params.margin) & (off < np.log(params.edge_slack))
    picked = np.nonzero(good)[0]
    grow = edge_px / 2.0 / step[picked, None]
    axis, across = fit.axis_xy[picked] * grow, fit.across_xy[picked] * grow
    sides = outline_levels(smooth_bgr, fit.center_xy[picked], axis, across)
    aslant = np.abs(np.log(np.hypot(axis[:, 0], axis[:, 1]) / np.hypot(across[:, 0], across[:, 1])))
    faces = []
    for k, i in enumerate(picked):
        relief = float(np.log(sides[k, 0] + 5.0) + np.log(sides[k, 1] + 5.0))
        rank = relief - 4.0 * fit.spread[i] / max(fit.contrast[i], 1.0) - 4.0 * fit.residual[i] - 3.0 * off[i]
        rank += params.pip_bonus * min(int(fit.value[i]), 4) - params.aslant_cost * aslant[k]
        faces.append(
            Face(
                center_xy=fit.center_xy[i],
                axis_xy=axis[k],
                across_xy=across[k],
                value=int(fit.value[i]),
                margin=float(fit.margin[i]),
                residual=float(fit.residual[i]),
                contrast=float(fit.contrast[i]),
                body_bgr=fit.body_bgr[i],
                pip_bgr=fit.pip_bgr[i],
                dark=fit.dark,
                rim_bgr=fit.body_bgr[i],
                rank=float(rank),
            )
        )
    return faces


def _from_lone_pips(
    smooth_bgr: ImageBgr, pips: Pips, edge_px: float, pip_params: PipParams, params: FaceParams
) -> list[Face]:
    """A 1 is a lone round pip in the middle of a one-coloured square."""
    centers = pips.xy[pips.roundness >= params.one_roundness]
    if len(centers) == 0:
        return []
    turns = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1) * edge_px
    rings = np.concatenate([0.21 * circle, 0.33 * circle])
    ring = sample(smooth_bgr, centers[:, None, :] + rings[None])
    body = np.median(ring, axis=1)
    spread = np.quantile(np.abs(ring - body[:, None, :]).max(axis=2), 0.9, axis=1)
    pip = sample(smooth_bgr, centers) - body
    contrast = np.abs(pip).max(axis=1)
    allowed = params.one_ring * contrast + pip_params.body_noise
    good = (
        (contrast >= params.one_levels) & (np.sign(pip.sum(axis=1)) == (-1 if pips.dark else 1)) & (spread <= allowed)
    )
    picked = np.nonzero(good)[0]
    picked = picked[~_has_company(centers[picked], pips, edge_px * params.one_alone)]
    faces = []
    for i in picked:
        axis, sides = _square(smooth_bgr, centers[i], edge_px)
        if sides[1] < params.one_edge_levels:
            continue
        relief = float(np.log(sides[0] + 5.0) + np.log(sides[1] + 5.0))
        faces.append(
            Face(
                center_xy=centers[i],
                axis_xy=axis,
                across_xy=np.array([-axis[1], axis[0]]),
                value=1,
                margin=float(np.clip(1.0 - spread[i] / allowed[i], 0.0, 1.0)),
                residual=float(spread[i] / contrast[i]),
                contrast=float(contrast[i]),
                body_bgr=body[i],
                pip_bgr=pip[i] + body[i],
                dark=pips.dark,
                rim_bgr=body[i],
                rank=relief - 4.0 * float(spread[i] / contrast[i]) + params.pip_bonus,
            )
        )
    return faces


def face_of(smooth_bgr: ImageBgr, center_xy: FloatArray, axis_xy: FloatArray) -> Face:
    """A square face whose value no lattice tells: place and colours alone; its rank is 0.

    Args:
        smooth_bgr: Shape (H, W, 3).
        center_xy: Shape (2,), pixels.
        axis_xy: Shape (2,), half an edge.
    """
    across = np.array([-axis_xy[1], axis_xy[0]])
    points = center_xy + BODY_POINTS[:, 0:1] * axis_xy / 2.0 + BODY_POINTS[:, 1:2] * across / 2.0
    return Face(
        center_xy=center_xy,
        axis_xy=axis_xy,
        across_xy=across,
        value=0,
        margin=0.0,
        residual=1.0,
        contrast=0.0,
        body_bgr=np.median(sample(smooth_bgr, points), axis=0),
        pip_bgr=np.zeros(3),
        dark=False,
        rim_bgr=_rim_colour(smooth_bgr, center_xy, axis_xy, across),
        rank=0.0,
    )


def _rim_colour(smooth_bgr: ImageBgr, center: FloatArray, axis: FloatArray, across: FloatArray) -> FloatArray:
    """Median colour on the square at nine tenths of the face's size."""
    along = np.linspace(-0.8, 0.8, 7)
    sides = [
        center + sign * 0.9 * n + along[:, None] * t for n, t in ((axis, across), (across, axis)) for sign in (-1, 1)
    ]
    middle: FloatArray = np.median(sample(smooth_bgr, np.concatenate(sides)), axis=0)
    return middle


_COMPANY = 0.65


def _has_company(centers: FloatArray, pips: Pips, reach_px: float) -> npt.NDArray[np.bool_]:
    """Whether another pip of like strength lies within reach: then it is no 1."""
    if len(centers) == 0:
        return np.zeros(0, dtype=np.bool_)
    away = np.hypot(*(centers[:, None, :] - pips.xy[None, :, :]).transpose(2, 0, 1))
    strength = pips.strength[np.argmin(away, axis=1)]
    company: npt.NDArray[np.bool_] = (
        (away > 1.0) & (away < reach_px) & (pips.strength[None, :] > _COMPANY * strength[:, None])
    ).any(axis=1)
    return company


_ALONG = np.linspace(-0.34, 0.34, 9)
_ACROSS = (0.36, 0.42, 0.50, 0.58, 0.64)


def outline_levels(
    smooth_bgr: ImageBgr, center_xy: FloatArray, axis_xy: FloatArray, across_xy: FloatArray
) -> FloatArray:
    """How much the colour changes across each side of the given squares.

    Args:
        smooth_bgr: Shape (H, W, 3).
        center_xy: Shape (N, 2).
        axis_xy: Shape (N, 2), half an edge along the first side.
        across_xy: Shape (N, 2), half an edge along the second.

    Returns:
        Shape (N, 4), grey levels, the weakest side first.
    """
    u, v = 2.0 * axis_xy, 2.0 * across_xy
    edge_out, edge_along = np.stack([u, v, -u, -v], axis=1), np.stack([v, -u, -v, u], axis=1)
    points = (
        center_xy[:, None, None, None, :]
        + np.array(_ACROSS)[None, None, :, None, None] * edge_out[:, :, None, None, :]
        + _ALONG[None, None, None, :, None] * edge_along[:, :, None, None, :]
    )
    colours = sample(smooth_bgr, points)
    change = np.abs(colours[:, :, 1:] - colours[:, :, :1]).max(axis=4).max(axis=2)
    return np.sort(np.median(change, axis=2), axis=1)


def _square(smooth_bgr: ImageBgr, center: FloatArray, edge_px: float) -> tuple[FloatArray, FloatArray]:
    """The turn at which a square of the given edge has the strongest outline: half an edge, and its four sides."""
    angles = np.arange(0.0, np.pi / 2.0, np.pi / 36.0)
    axis = np.stack([np.cos(angles), np.sin(angles)], axis=1) * edge_px / 2.0
    across = np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    sides = outline_levels(smooth_bgr, np.broadcast_to(center, axis.shape), axis, across)
    best = int(np.argmax(np.log(sides + 5.0).sum(axis=1)))
    return axis[best], sides[best]
