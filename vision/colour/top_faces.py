"""The colours of top faces: of the body, of its rim, and of the pips, measured at the pips' places for the value."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.detection.squares import Squares
from vision.imaging.softened import Soft
from vision.types.frame import FloatArray

_GRID = np.stack(np.meshgrid(*[np.linspace(-0.8, 0.8, 21)] * 2), axis=-1).reshape(-1, 2)
"""Points all over a face, in half edges."""
_AROUND = np.concatenate([
    [(sign * 0.9, along) if across else (along, sign * 0.9) for along in np.linspace(-0.8, 0.8, 7)]
    for across in (False, True)
    for sign in (-1.0, 1.0)
])  # fmt: skip
"""Points just inside a face's outline, in half edges."""
_STEPS = (0.38, 0.45, 0.52, 0.59)
"""Distances between pips as makers place them, in half edges."""
_PIP, _BODY = 0.15, 0.27
"""Nearer to a pip's centre than the first is pip, farther than the second is body."""
_DIM, _LIT = (0.05, 0.3), (0.7, 0.95)
"""Shares of a body's points, from dark to bright, that count as its darker and its brighter part: a quarter each."""
_MIN_CONTRAST = 14.0
"""Grey levels between pips and body below which the pips are invisible."""


def _sites(value: int, step: float, *, turned: bool) -> FloatArray:
    """Return the centres of the pips of a value, in half edges."""
    corners = [(-1, -1), (1, 1), (1, -1), (-1, 1)]
    of_value = {
        1: [(0, 0)],
        2: corners[:2],
        3: [(0, 0), *corners[:2]],
        4: corners,
        5: [(0, 0), *corners],
        6: [*corners, (-1, 0), (1, 0)],
    }[value]
    sites = np.array(of_value, np.float64) * step
    return np.stack([-sites[:, 1], sites[:, 0]], axis=1) if turned else sites


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """One layout of the pips: weights of `_GRID`'s points for the mean of pips and of body."""

    pips: FloatArray
    body: FloatArray
    is_body: npt.NDArray[np.bool_]
    is_pip: npt.NDArray[np.bool_]


def _layouts(value: int) -> list[_Layout]:
    made = []
    for turned in (False, True) if value in {2, 3, 6} else (False,):
        for step in _STEPS[-1:] if value == 1 else _STEPS:
            away = np.linalg.norm(_GRID[:, None] - _sites(value, step, turned=turned)[None], axis=2).min(axis=1)
            pip, body = away < _PIP, away > _BODY
            made.append(_Layout(pip / pip.sum(), body / body.sum(), body, pip))
    return made


_LAYOUTS = {value: _layouts(value) for value in range(1, 7)}


@dataclass(frozen=True, slots=True, eq=False)
class TopFace:
    """The colours of one top face."""

    center_xy: FloatArray  # shape (2,), centre of the face, pixels
    edge_px: float  # edge of the face, pixels
    contrast: float  # difference between pips and body in grey levels; 0 if no pips are visible
    body_bgr: FloatArray  # shape (3,), colour of the body
    pip_bgr: FloatArray  # shape (3,), colour of the pips; black if none are visible
    dark: bool  # whether the pips are darker than the body
    rim_bgr: FloatArray  # shape (3,), median colour just inside the outline, where glare on the top seldom reaches
    # shape (3,), colours of the body's brighter and darker part, divided by the most and the least light around it
    lit_bgr: FloatArray
    dim_bgr: FloatArray
    darkest: float  # brightness of the darkest spots as a share of the body's

    @property
    def shows_pips(self) -> bool:
        """Whether pips are visible at the places for its value."""
        return self.contrast > 0


def measure_tops(
    soft: Soft, squares: Squares, values: npt.NDArray[np.intp], lights: FloatArray | None = None
) -> list[TopFace]:
    """Measure the colours of top faces.

    Args:
        values: Shape (N,), the value that each is taken to show, 1 to 6, which gives the places of pips and body.
        lights: Shape (N, 2, 3), most and least light around each; ones if None.

    Returns:
        The faces, in their order.
    """
    count = len(squares.edge_px)
    if not count:
        return []
    if lights is None:
        lights = np.ones((count, 2, 3))
    c, s = np.cos(squares.turn_rad) * squares.edge_px / 2, np.sin(squares.turn_rad) * squares.edge_px / 2
    axes = np.stack([np.stack([c, s], axis=1), np.stack([-s, c], axis=1)], axis=1)
    points = np.concatenate([_GRID, _AROUND]) @ axes + squares.center_xy[:, None]
    colours = soft.at(points)
    grid, rims = colours[:, : len(_GRID)], np.median(colours[:, len(_GRID) :], axis=1)
    faces = []
    for i, value in enumerate(values.tolist()):
        layouts = _LAYOUTS[value]
        means = [(layout.pips @ grid[i], layout.body @ grid[i]) for layout in layouts]
        contrasts = [float(np.abs(pip - body).max()) for pip, body in means]
        best = int(np.argmax(contrasts))
        layout, contrast = layouts[best], contrasts[best]
        of_body = grid[i][layout.is_body]
        body = np.median(of_body, axis=0)
        ordered = of_body[np.argsort(of_body.sum(axis=1))]
        levels = grid[i].max(axis=1)
        shown = contrast >= _MIN_CONTRAST
        pip = _farthest_half(grid[i][layout.is_pip], body) if shown else np.zeros(3)
        faces.append(
            TopFace(
                center_xy=squares.center_xy[i],
                edge_px=float(squares.edge_px[i]),
                contrast=contrast if shown else 0.0,
                body_bgr=body,
                pip_bgr=pip,
                dark=bool(shown and pip.sum() < body.sum()),
                rim_bgr=rims[i],
                lit_bgr=_part(ordered, _LIT) / lights[i, 0],
                dim_bgr=_part(ordered, _DIM) / lights[i, 1],
                darkest=float(np.quantile(levels, 0.04) / max(float(body.max()), 1.0)),
            )
        )
    return faces


def _part(ordered: FloatArray, shares: tuple[float, float]) -> FloatArray:
    """Return the median of colours, ordered by brightness, between two shares of them."""
    first, last = (round(share * len(ordered)) for share in shares)
    return np.asarray(np.median(ordered[first:last], axis=0), np.float64)


def _farthest_half(colours: FloatArray, body: FloatArray) -> FloatArray:
    """Return the median of the half of the colours farthest from the body, as pips are not quite in place."""
    order = np.argsort(-np.abs(colours - body).sum(axis=1))
    return np.asarray(np.median(colours[order[: max(1, len(order) // 2)]], axis=0), np.float64)
