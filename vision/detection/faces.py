"""Top faces: which of the proposed faces are dice lying on the floor, and which are side faces, chance, or doubt.

Seen by a camera above the tray, a die shows its top face nearly square-on and as large as every other top face; of its
sides it shows those towards the point below the camera, foreshortened, within the shift between top and bottom.
"""

from dataclasses import dataclass

import numpy as np

from vision.detection.lattice import BODY_POINTS, FaceFits, place
from vision.detection.pips import PipParams, Pips
from vision.geometry.neighbours import first_of_place, squared_distances
from vision.imaging.levels import greatest_channel, medians_of, quantiles_of
from vision.imaging.softened import Soft
from vision.types.frame import FloatArray


@dataclass(frozen=True, slots=True)
class FaceParams:
    """What marks a top face.

    Attributes:
        edge_slack: Greatest ratio between a face's edge and the picture's common edge, either way.
        residual: Greatest lattice residual of a face.
        rank: Least rank of a face: under it, chance. On the shared stills no true face has less than 6.2 and 1 in 40
            false ones more.
        margin: Least lattice margin of a face.
        apart: Least distance of two top faces' centres, in edges; two dice side by side are 1 apart.
        own_place: Distance of a lone pip from the middle of a die that the finder saw, in edges, within which the pip
            takes that die's turn.
        one_ring: Greatest colour spread on the rings round a lone pip, as a share of the pip's contrast.
        one_alone: Distance around a lone pip, in edges, within which no other pip lies.
        one_roundness: Least ratio of a lone pip's axes; a pip on a side face is flatter.
        one_levels: Least contrast of a lone pip, grey levels.
        one_edge_levels: Least change of colour across the outline of a 1, grey levels, as a median over the outline.
        pip_bonus: Added to a face's rank for each pip up to four.
        aslant_cost: Taken off a face's rank for unequal sides, for each unit of the logarithm of their ratio.
    """

    edge_slack: float = 1.16
    residual: float = 0.24
    rank: float = 5.8
    margin: float = 0.2
    apart: float = 0.72
    own_place: float = 0.5
    one_ring: float = 0.30
    one_alone: float = 0.40
    one_roundness: float = 0.70
    one_levels: float = 30.0
    one_edge_levels: float = 8.0
    pip_bonus: float = 0.5
    aslant_cost: float = 3.0


CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
"""Of a face, in order, in half edges."""


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One top face.

    Attributes:
        center_xy: Shape (2,), middle of the face, pixels.
        axis_xy: Shape (2,), half an edge along the face's first side, pixels.
        across_xy: Shape (2,), half an edge along the face's second side, pixels.
        value: Value from 1 to 6; 0 where no lattice was read.
        margin: Margin of the lattice, 0 to 1.
        residual: Residual of the lattice.
        contrast: Difference between pips and body in grey levels; 0 where no lattice was read.
        body_bgr: Shape (3,), colour of the body.
        pip_bgr: Shape (3,), colour of the pips; black where no lattice was read.
        dark: Whether the pips are darker than the body.
        rim_bgr: Shape (3,), median colour just inside the outline, where glare on the top seldom reaches.
        rank: Rank among faces that claim one place: the greater is the likelier.
        step_px: Step of the lattice, in pixels.
        narrow: Distance of the pips along either side as a share of `step_px`: less than 1 across the rows of many 6s.
        darkest: Brightness of the darkest spots as a share of the body's, where no lattice was read.
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
    step_px: float = 0.0
    narrow: tuple[float, float] = (1.0, 1.0)
    darkest: float = 1.0

    @property
    def has_lattice(self) -> bool:
        """Whether a lattice was read of it."""
        return self.contrast > 0.0

    @property
    def edge_px(self) -> float:
        """Length of a side, the mean of both where they differ."""
        area = self.axis_xy[0] * self.across_xy[1] - self.axis_xy[1] * self.across_xy[0]
        return float(2.0 * np.sqrt(abs(area)))

    @property
    def quad_px(self) -> FloatArray:
        """Shape (4, 2), corners in order."""
        quad: FloatArray = self.center_xy + CORNERS @ np.array((self.axis_xy, self.across_xy))
        return quad


def lattice_edge(
    fits: FaceFits, step: float, expected: tuple[float, float], params: FaceParams, *, seen: FloatArray
) -> float | None:
    """The edge that most clear faces have, in pixels, were their pips laid out as on most dice.

    Args:
        fits: What pairs of pips proposed.
        step: Lattice step as a fraction of the edge.
        expected: The edge that is likely before anything is seen, and the ratio it may well be off by.
        params: The tunables.
        seen: Shape (C, 2), places of the finder's dice: a floor's pattern can hold more clear faces than there are
            dice, so that those elsewhere have a vote only where no die's is clear.

    Returns:
        None where no face is clear.
    """
    fits = fits.some(np.flatnonzero((fits.residual < params.residual * 0.75) & (fits.margin > 0.5)))
    edge = _steps(fits) / step
    score = np.minimum(fits.value, 4) - 3.0 * fits.residual - 2.0 * fits.spread / np.maximum(fits.contrast, 1.0)
    center_xy = fits.center_xy
    if len(seen):
        of_dice = squared_distances(center_xy, seen).min(axis=1) <= (params.own_place * edge) ** 2
        if of_dice.any():
            score, center_xy, edge = score[of_dice], center_xy[of_dice], edge[of_dice]
    # Within one face its own pips propose smaller faces of fewer pips: only the fullest of a place has a vote.
    order = np.argsort(-score, kind="stable")
    center_xy, reach = center_xy[order], 0.6 * edge[order]
    kept = order[first_of_place(squared_distances(center_xy, center_xy) <= np.maximum(reach[:, None], reach) ** 2)]
    if len(kept) == 0:
        return None
    edge = edge[kept]
    # Four pips in a square are no chance; two are.
    weight = 4.0 ** (score[kept] - 4.0)
    weight *= np.exp(-((np.log(edge / expected[0]) / np.log(expected[1])) ** 2))
    near = np.abs(np.log(edge[:, None] / edge[None, :])) < np.log(1.10)
    votes = near @ weight
    center = int(np.argmax(votes))
    weight *= near[center]
    return float(weight @ edge / weight.sum())


def _steps(fit: FaceFits) -> FloatArray:
    """Lattice step of each fit, the mean of both ways, pixels; shape (N,)."""
    area = fit.axis_xy[:, 0] * fit.across_xy[:, 1] - fit.axis_xy[:, 1] * fit.across_xy[:, 0]
    steps: FloatArray = np.sqrt(np.abs(area))
    return steps


def choose_faces(
    soft: Soft,
    fits: FaceFits,
    pips: tuple[Pips, Pips],
    edge_px: float,
    params: tuple[PipParams, FaceParams],
    *,
    lattice_px: float,
    seen: FloatArray,
) -> list[Face]:
    """Choose faces that do not overlap, the most likely first.

    Args:
        soft: As for `fit_faces`.
        fits: What pairs of pips proposed.
        pips: Light and dark; each may be a 1.
        edge_px: Common edge of a top face.
        params: Of the pips and of the faces.
        lattice_px: The edge that the lattices have in common, were their pips laid out as on most dice.
        seen: Shape (C, 3), places, pixels, and turns, radians, of the finder's dice: a 1 itself shows none.

    Returns:
        Faces of value 1 to 6.
    """
    pip_params, face_params = params
    off = np.abs(np.log(np.maximum(_steps(fits) / pip_params.step, 1.0) / lattice_px))
    likely = (fits.residual < face_params.residual) & (fits.margin > face_params.margin)
    of_lattices = np.flatnonzero(likely & (off < np.log(face_params.edge_slack)))
    proposed = fits.some(of_lattices).followed_by(_ones(soft, pips, edge_px, params, seen))
    # Both are held against their outlines at once: each look into the picture has its price, however small.
    grow = edge_px / 2.0 / _steps(proposed)[:, None]
    center_xy, axis_xy, across_xy = proposed.center_xy, proposed.axis_xy * grow, proposed.across_xy * grow
    sides = _outline_levels(soft, center_xy, axis_xy, across_xy)[:, :2]
    rank = np.log(sides + 5.0).sum(axis=1) - 4.0 * proposed.spread / np.maximum(proposed.contrast, 1.0)
    rank += face_params.pip_bonus * np.minimum(proposed.value, 4)
    rank -= face_params.aslant_cost * np.abs(np.log(_lengths(axis_xy) / _lengths(across_xy)))
    rank[: len(of_lattices)] -= 4.0 * fits.residual[of_lattices] + 3.0 * off[of_lattices]
    good = (rank >= face_params.rank) & ((proposed.value > 1) | (sides[:, 1] >= face_params.one_edge_levels))
    order = np.flatnonzero(good)
    order = order[np.argsort(-rank[order], kind="stable")]
    close = squared_distances(center_xy[order], center_xy[order]) <= (face_params.apart * edge_px) ** 2
    kept = order[first_of_place(close)]
    return _faces(soft, proposed.some(kept), axis_xy[kept], across_xy[kept], rank[kept])


def _lengths(xy: FloatArray) -> FloatArray:
    """Shape (N, 2) to (N,)."""
    return np.hypot(xy[:, 0], xy[:, 1])


def _faces(soft: Soft, fits: FaceFits, axis_xy: FloatArray, across_xy: FloatArray, rank: FloatArray) -> list[Face]:
    """Faces of the N sizes chosen for them: sides of shape (N, 2), half an edge, and ranks of shape (N,)."""
    rims = _rim_colours(soft, fits.center_xy, axis_xy, across_xy)
    margins, residuals, contrasts = fits.margin.tolist(), fits.residual.tolist(), fits.contrast.tolist()
    values, dark, narrow = fits.value.tolist(), fits.dark.tolist(), fits.narrow.tolist()
    ranks, steps_px = rank.tolist(), _steps(fits).tolist()
    return [
        Face(
            center_xy=fits.center_xy[i],
            axis_xy=axis_xy[i],
            across_xy=across_xy[i],
            value=values[i],
            margin=margins[i],
            residual=residuals[i],
            contrast=contrasts[i],
            body_bgr=fits.body_bgr[i],
            pip_bgr=fits.pip_bgr[i],
            dark=dark[i],
            rim_bgr=rims[i],
            rank=ranks[i],
            step_px=steps_px[i],
            narrow=(narrow[i][0], narrow[i][1]),
        )
        for i in range(len(rank))
    ]


def _ones(
    soft: Soft, pips: tuple[Pips, Pips], edge_px: float, all_params: tuple[PipParams, FaceParams], seen: FloatArray
) -> FaceFits:
    """A 1 is a lone round pip in the middle of a one-coloured square: as one more lattice, turned like its die."""
    pip_params, params = all_params
    lone = [_lone_pips(blobs, edge_px, params) for blobs in pips]
    centers = np.concatenate(lone)
    dark = np.repeat([blobs.dark for blobs in pips], [len(xy) for xy in lone])
    colours = soft.at((centers.T[:, None, :] + edge_px * _RINGS.T[:, :, None]).transpose(1, 2, 0))
    ring, pip_bgr = colours[:-1], colours[-1]
    body_bgr = medians_of(ring, axis=0)
    spread = quantiles_of(greatest_channel(np.abs(ring - body_bgr)), 0.9)
    pip = pip_bgr - body_bgr
    contrast = greatest_channel(np.abs(pip))
    allowed = params.one_ring * contrast + pip_params.body_noise
    of_kind = np.where(dark, -1, 1) * pip.sum(axis=1) > 0.0
    good = np.flatnonzero((contrast >= params.one_levels) & of_kind & (spread <= allowed))
    centers, contrast, spread = centers[good], contrast[good], spread[good]
    turn_rad = _turns_at(centers, seen, params.own_place * edge_px)
    axis_xy = pip_params.step * edge_px * _ways(_known_turns(soft, centers, edge_px, turn_rad))
    return FaceFits(
        center_xy=centers,
        axis_xy=axis_xy,
        across_xy=_square_to(axis_xy),
        narrow=np.ones((len(good), 2)),
        value=np.ones(len(good), np.int64),
        margin=np.clip(1.0 - spread / allowed[good], 0.0, 1.0),
        residual=spread / contrast,
        contrast=contrast,
        body_bgr=body_bgr[good],
        pip_bgr=pip_bgr[good],
        spread=spread,
        dark=dark[good],
    )


def face_of(soft: Soft, center_xy: FloatArray, axis_xy: FloatArray) -> Face:
    """A square face whose value no lattice finds: place and colours alone; its rank is 0.

    Args:
        soft: The picture, softened.
        center_xy: Shape (2,), pixels.
        axis_xy: Shape (2,), half an edge.
    """
    across = np.array([-axis_xy[1], axis_xy[0]])
    colours = soft.at(place(_OF_FACE, center_xy[None], axis_xy[None], across[None]))
    body, rim, spots = np.split(colours, _PARTS_OF_FACE)
    body_bgr = medians_of(body, axis=0)[0]
    return Face(
        center_xy=center_xy,
        axis_xy=axis_xy,
        across_xy=across,
        value=0,
        margin=0.0,
        residual=1.0,
        contrast=0.0,
        body_bgr=body_bgr,
        pip_bgr=np.zeros(3),
        dark=False,
        rim_bgr=medians_of(rim, axis=0)[0],
        rank=0.0,
        darkest=float(quantiles_of(greatest_channel(spots), _SPOTS)[0] / max(float(body_bgr.max()), 1.0)),
    )


_AROUND = np.concatenate(
    [
        [(sign * 0.9, along) if across else (along, sign * 0.9) for along in np.linspace(-0.8, 0.8, 7)]
        for across in (False, True)
        for sign in (-1.0, 1.0)
    ]
)
"""Points just inside a face's outline, in half edges."""

_GRID = np.stack(np.meshgrid(*[np.linspace(-0.7, 0.7, 15)] * 2), axis=-1).reshape(-1, 2)
_ALL_OVER = _GRID[np.hypot(*_GRID.T) < 0.75]
"""Points all over a face but for its rim and corners, which a lamp's reflection spares, in half edges."""
_OF_FACE = np.concatenate([BODY_POINTS / 2.0, _AROUND, _ALL_OVER])
_PARTS_OF_FACE = np.cumsum([len(BODY_POINTS), len(_AROUND)])
_SPOTS = 0.04
"""Share of these that lies on the one pip of a 1, and more."""

_TURNS = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False)
_RINGS = np.concatenate(
    [radius * np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1) for radius in (0.21, 0.33)] + [np.zeros((1, 2))]
)
"""Points on the body of a 1, and its pip itself, in edges from that."""


def _rim_colours(soft: Soft, center_xy: FloatArray, axis_xy: FloatArray, across_xy: FloatArray) -> FloatArray:
    """Median colours on the squares at nine tenths of the faces' size; places and colours have a row for each face."""
    return medians_of(soft.at(place(_AROUND, center_xy, axis_xy, across_xy)), axis=0)


_RIVAL_SHARE = 0.65


def _lone_pips(pips: Pips, edge_px: float, params: FaceParams) -> FloatArray:
    """Places of round pips without another of like strength so near that they cannot be a 1; shape (N, 2)."""
    round_ones = pips.roundness >= params.one_roundness
    if not round_ones.any():
        return np.zeros((0, 2))
    square = squared_distances(pips.xy[round_ones], pips.xy)
    reach = (edge_px * params.one_alone) ** 2
    rivals = pips.strength[None, :] > _RIVAL_SHARE * pips.strength[round_ones, None]
    lonely = ~((square > 1.0) & (square < reach) & rivals).any(axis=1)
    return pips.xy[round_ones][lonely]


_ALONG = np.linspace(-0.34, 0.34, 9)
_ACROSS = np.array([0.36, 0.42, 0.50, 0.58, 0.64])
_BOTH_SIDES = np.array(
    [
        (out * ux - along * uy, out * uy + along * ux)
        for ux, uy in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
        for out in _ACROSS
        for along in _ALONG
    ]
)
"""Points inside and outside a square's four sides, in edges: for each side so many rows of so many."""
_SQUARE_ANGLES = np.arange(0.0, np.pi / 2.0, np.pi / 36.0)


def _outline_levels(soft: Soft, center_xy: FloatArray, axis_xy: FloatArray, across_xy: FloatArray) -> FloatArray:
    """How much the colour changes across each side of the given squares.

    Args:
        soft: The picture, softened.
        center_xy: Shape (N, 2).
        axis_xy: Shape (N, 2), half an edge along the first side.
        across_xy: Shape (N, 2), half an edge along the second.

    Returns:
        Shape (N, 4), grey levels, the weakest side first.
    """
    points = place(_BOTH_SIDES, center_xy, 2.0 * axis_xy, 2.0 * across_xy)
    colours = soft.levels_at(points).reshape(4, len(_ACROSS), len(_ALONG), -1, 3)
    inside = colours[:, 0]
    change = np.maximum(colours.max(axis=1) - inside, inside - colours.min(axis=1))
    change = np.maximum(np.maximum(change[..., 0], change[..., 1]), change[..., 2])
    change.partition(len(_ALONG) // 2, axis=1)
    return np.sort(change[:, len(_ALONG) // 2].T.astype(np.float64), axis=1)


def _turns_at(xy: FloatArray, seen: FloatArray, reach_px: float) -> FloatArray:
    """Turns of the nearest of the finder's dice, shape (N,), radians; NaN where none is so near."""
    if len(seen) == 0:
        return np.full(len(xy), np.nan)
    square = squared_distances(xy, seen[:, :2])
    turns: FloatArray = np.where(square.min(axis=1) <= reach_px * reach_px, seen[square.argmin(axis=1), 2], np.nan)
    return turns


def _known_turns(soft: Soft, center_xy: FloatArray, edge_px: float, turn_rad: FloatArray) -> FloatArray:
    """The turns of squares round N places; where none is known, NaN, that with the strongest outline."""
    unknown = np.flatnonzero(np.isnan(turn_rad))
    if len(unknown):
        axis_xy = np.tile(0.5 * edge_px * _ways(_SQUARE_ANGLES), (len(unknown), 1))
        centers = np.repeat(center_xy[unknown], len(_SQUARE_ANGLES), axis=0)
        sides = _outline_levels(soft, centers, axis_xy, _square_to(axis_xy))
        fit = np.log(sides + 5.0).sum(axis=1).reshape(len(unknown), -1)
        turn_rad[unknown] = _SQUARE_ANGLES[np.argmax(fit, axis=1)]
    return turn_rad


def _ways(turn_rad: FloatArray) -> FloatArray:
    """Steps of length one, shape (N,) to (N, 2)."""
    return np.stack([np.cos(turn_rad), np.sin(turn_rad)], axis=1)


def _square_to(axis_xy: FloatArray) -> FloatArray:
    """Turned by a right angle, shape (N, 2)."""
    return np.stack([-axis_xy[:, 1], axis_xy[:, 0]], axis=1)
