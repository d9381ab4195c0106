"""The pips of faces, each to a fraction of a pixel."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.detection.faces import Face
from vision.detection.lattice import FAR_PX, SITES, xy_of
from vision.detection.pips import Pips
from vision.detection.squares import Squares
from vision.geometry.neighbours import IntArray, squared_distances
from vision.imaging.levels import medians_of
from vision.imaging.softened import sample
from vision.types.frame import ComplexArray, ImageBgr

_TO_COMPLEX = np.array([1.0, 1j])
SITE_PLACES: ComplexArray = SITES @ _TO_COMPLEX
"""The nine lattice sites, x + iy in lattice steps."""
_CORE, _DISC, _RING, _NEXT = 0.06, 0.12, 0.11, 0.135
"""Radii, in edges: of what is surely the pip, of that and a little round it, from where and to where on there is hardly
any of it; the next one of a 6 begins beyond."""


def _looks() -> ComplexArray:
    """Where round a pip is looked, x + iy in edges, shape (P,), from its middle outwards."""
    across, along = np.meshgrid(np.linspace(-0.14, 0.14, 15), np.linspace(-0.14, 0.14, 15))
    places = (across + 1j * along).ravel()
    return places[np.argsort(np.abs(places), kind="stable")][: np.count_nonzero(np.abs(places) <= _NEXT)]


_LOOKS = _looks()
_IN_CORE, _IN_DISC = (slice(np.count_nonzero(np.abs(_LOOKS) <= radius)) for radius in (_CORE, _DISC))
_IN_RING = slice(np.count_nonzero(np.abs(_LOOKS) < _RING), None)
_MOMENTS = np.array([np.ones(len(_LOOKS)), _LOOKS.real, _LOOKS.imag])[:, _IN_DISC]


@dataclass(frozen=True, slots=True)
class MiddleParams:
    """Where pips are looked for, and which of them are clear.

    Attributes:
        near: Greatest distance of a pip from a lattice's site, in edges, for it to be the pip of that site.
        looks: Number of steps in which a pip's middle is refined, each around where the step before found it.
        contrast: Least contrast of a pip, as a share of the face's.
        moved: Greatest distance of a pip's refined middle from where the pip was found, in edges.
    """

    near: float = 0.1
    looks: int = 2
    contrast: float = 0.2
    moved: float = 0.06


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Top faces as they are measured.

    Attributes:
        picture_bgr: Shape (H, W, 3), the picture.
        faces: The N top faces.
        squares: Positions of the faces, in the picture's pixels.
        pips: Light pips and dark pips, in the picture's pixels.
    """

    picture_bgr: ImageBgr
    faces: Sequence[Face]
    squares: Squares
    pips: tuple[Pips, Pips]


@dataclass(frozen=True, slots=True, eq=False)
class SeenPips:
    """The pips of N faces at the nine sites of each.

    Attributes:
        shown: Shape (N, 9), whether each site shows a pip.
        at: Shape (N, 9), position of each pip, x + iy in pixels.
    """

    shown: npt.NDArray[np.bool_]
    at: ComplexArray


def pips_of_faces(seen: Seen, params: MiddleParams) -> SeenPips:
    """Measure where the pips of faces are.

    Args:
        seen: N top faces; of one without a lattice it is not known whether its pips are light or dark.
        params: The tunables.
    """
    shown, at = _pips_at_sites(seen, params)
    rows, sites = np.nonzero(shown)
    if len(rows):
        at[rows, sites], shown[rows, sites] = _middles(seen, at[rows, sites], rows, params)
    return SeenPips(shown, at)


def _pips_at_sites(seen: Seen, params: MiddleParams) -> tuple[npt.NDArray[np.bool_], ComplexArray]:
    """Which sites show a pip, shape (N, 9), and where it was found, likewise."""
    faces, squares, (light_pips, dark_pips) = seen.faces, seen.squares, seen.pips
    spots = np.concatenate([light_pips.xy, dark_pips.xy])
    if not len(spots):
        return np.zeros((len(faces), 9), np.bool_), np.zeros((len(faces), 9), np.complex128)
    steps = np.array([face.step_px for face in faces]) * np.exp(1j * squares.turn_rad)
    narrow = np.array([face.narrow for face in faces])
    lattices = narrow[:, :1] * SITE_PLACES.real + 1j * narrow[:, 1:] * SITE_PLACES.imag
    sites = (squares.center_xy @ _TO_COMPLEX)[:, None] + steps[:, None] * lattices
    # Dark ones, and the sites of faces with such, are looked at far to the right: light ones are none of theirs.
    sites += FAR_PX * np.array([face.dark for face in faces])[:, None]
    aside = FAR_PX * np.repeat([0.0, 1.0], [len(light_pips.xy), len(dark_pips.xy)])
    away = squared_distances(xy_of(sites.ravel()), np.column_stack([spots[:, 0] + aside, spots[:, 1]]))
    nearest = away.argmin(axis=1)
    reach = np.repeat((params.near * squares.edge_px) ** 2, len(SITE_PLACES))
    shown = (away[np.arange(len(away)), nearest] <= reach).reshape(sites.shape)
    shown &= np.array([face.has_lattice for face in faces])[:, None]
    return shown, (spots[nearest] @ _TO_COMPLEX).reshape(sites.shape)


def _middles(
    seen: Seen, at: ComplexArray, rows: IntArray, params: MiddleParams
) -> tuple[ComplexArray, npt.NDArray[np.bool_]]:
    """Middles of M pips to a fraction of a pixel: of what is more like pips than like the body.

    A blob's peak, by which pips are found, is drawn aside by the pips next to it and by the rim of the die.

    Args:
        seen: The faces.
        at: Shape (M,), where the pips were found, x + iy.
        rows: Shape (M,), on which face each is.
        params: The tunables.

    Returns:
        Where they are, and which of them are clear enough to use.
    """
    body = np.array([face.body_bgr for face in seen.faces], np.float32)[rows]
    way = np.array([face.pip_bgr for face in seen.faces], np.float32)[rows] - body
    way /= np.maximum((way * way).sum(axis=1), 1.0)[:, None]
    edge, middle = seen.squares.edge_px[rows], at.copy()
    body_level = (body * way).sum(axis=1)
    clear = np.ones(len(rows), np.bool_)
    for _ in range(params.looks):
        looks = middle + _LOOKS[:, None] * edge
        found = sample(seen.picture_bgr, xy_of(looks), between=True).astype(np.float32)
        levels = (found.transpose(1, 0, 2) @ way[:, :, None])[:, :, 0].T - body_level
        low, high = medians_of(levels[_IN_RING], axis=0), medians_of(levels[_IN_CORE], axis=0)
        clear = high - low > params.contrast
        fall = np.where(clear, high - low, 1.0)
        weight = np.clip((levels[_IN_DISC] - low) / (0.5 * fall) - 0.5, 0.0, 1.0)
        total, across, along = _MOMENTS @ weight
        middle += edge * (across + 1j * along) / (total + 1e-6)
    return middle, clear & (np.abs(middle - at) < params.moved * edge)
