"""The edges of one picture of a tray, by which a later picture shows how camera or tray was moved since.

Both pictures are shrunk to a coarse grid and freed of even light. The strongest edges of the first, without the middle
of the floor where dice come and go, are sought in the second under turns of the camera and a zoom. What a hand or a
sheet covers counts less.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.camera_move import UNMOVED, USUAL_FOCAL, CameraMove
from vision.imaging.pyramid import ImagePyramid
from vision.tray.profile import Profile
from vision.types.frame import F32, FloatArray, ImageBgr

GRID = (64, 48)
"""Columns and rows of the grid."""
_POINTS = 500
"""Number of points whose edges are compared."""
_MIN_POINTS = 60
"""Least number of points with edges by which a move is sought."""
_WITHIN, _BEYOND = 2.0, 8.0
"""Cells within and beyond the floor's outline in which points are chosen."""
_BREADTH = 13
"""Breadth of the surroundings, in cells, whose light is removed."""
_DARK_LEVELS = 12.0
"""Added to a brightness before its logarithm is taken, so that noise in black does not count."""
_FAINT = 2e-4
"""Added to the product of two slopes, so that the direction of faint ones counts less."""
_ODD = 0.08
"""Difference of two logarithms at which a point has half its weight."""
_BLURS = (3.0, 1.5, 0.0)
"""Blurs, in cells, under which a move is refined, one after the other."""
_ITERATIONS = 8
_CLOSE_RAD = 5e-4
"""Change of the turns below which an iteration is the last."""
_FAR_RAD = 0.35
"""Greatest turn that is sought."""
_ROLLS_RAD = (-0.14, -0.07, 0.0, 0.07, 0.14)
"""Turns about the camera's axis from which a move is sought."""
_STARTS = 3
"""Number of guesses that are refined."""
_NEAR_DEG = 0.75
"""Greatest move that is found from no move at all."""
_SURELY_ALIKE = 0.7
"""Likeness from which no other move is sought."""
_MIN_SHOWN = 0.3
"""Least share of the points that a moved picture must still show."""
_LOGARITHM = np.log(np.arange(256, dtype=np.float32) + np.float32(_DARK_LEVELS))
_STEPS = 1e-3 * np.eye(4)
_STIFF = np.diag([1e-3, 1e-3, 1e-3, 1.0])
"""How much a move resists in its fit: zooms are small."""

Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class FoundMove:
    """The likeliest move, and what tells whether it is real."""

    move: CameraMove
    alike_moved: float  # how well the pictures' edges agree after the move, -1 to 1
    alike_unmoved: float  # how well they agree without


class Landmarks:
    """The strongest edges of one picture."""

    def __init__(
        self, image_bgr: ImageBgr, outline_px: FloatArray | None = None, size_px: tuple[int, int] | None = None
    ) -> None:
        """Choose the edges.

        Args:
            image_bgr: Shape (H, W, 3), of any size.
            outline_px: Shape (N, 2), the floor's outline in that picture; None to use all of it.
            size_px: Width and height of the camera's pictures, if `image_bgr` is one of them shrunk to a grid.
        """
        height, width = image_bgr.shape[:2]
        self._size_px = size_px or (width, height)
        self._looks = _looks(_gridded(image_bgr))
        strength = (self._looks[-1][..., 3:] ** 2).sum(axis=2).reshape(-1)
        columns, rows = GRID
        places = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2).astype(np.float64)
        if outline_px is not None:
            outline = (outline_px + 0.5) * np.array([columns / width, rows / height]) - 0.5
            floor = np.zeros((rows, columns), np.uint8)
            cv2.fillPoly(floor, [np.rint(outline).astype(np.int32)], (1,))
            within, beyond = (cv2.distanceTransform(part, cv2.DIST_L2, 5) for part in (floor, 1 - floor))
            strength[((within > _WITHIN) | (beyond > _BEYOND)).reshape(-1)] = 0.0
        chosen = np.argsort(-strength)[:_POINTS]
        chosen = chosen[strength[chosen] > 0.0]
        self._places = places[chosen]
        self._points = [look.reshape(-1, look.shape[2])[chosen] for look in self._looks]

    @staticmethod
    def of_profile(profile: Profile) -> "Landmarks":
        """Return the edges of the tray as it was calibrated."""
        grid = np.rint(profile.floor_bgr).astype(np.uint8)
        scale = np.array([grid.shape[1] / profile.width_px, grid.shape[0] / profile.height_px])
        return Landmarks(grid, (profile.floor.outline_px + 0.5) * scale - 0.5, (profile.width_px, profile.height_px))

    def find(self, image_bgr: ImageBgr) -> FoundMove:
        """Return the likeliest move to a later picture of the same shape, (H, W, 3), of any size."""
        if len(self._places) < _MIN_POINTS:
            return FoundMove(UNMOVED, 1.0, 1.0)
        looks = _looks(_gridded(image_bgr))
        unmoved = most = self._alike(looks, UNMOVED)
        best = UNMOVED
        near = self._refined(looks, UNMOVED, blurs=1)
        if (alike := self._alike(looks, near)) > most:
            best, most = near, alike
        if most < _SURELY_ALIKE or (best.degrees > _NEAR_DEG and unmoved < _SURELY_ALIKE):
            starts = sorted(self._starts(looks), key=lambda start: -self._alike(looks, start, blur=0))
            for start in starts[:_STARTS]:
                refined = self._refined(looks, start)
                if (alike := self._alike(looks, refined)) > most:
                    best, most = refined, alike
        return FoundMove(best, most, unmoved)

    def _refined(self, looks: list[F32], start: CameraMove, blurs: int = len(_BLURS)) -> CameraMove:
        """Refine a move under the last of the blurs by reweighted least squares (Lucas and Kanade 1981)."""
        move = start
        for look, wanted in zip(looks[-blurs:], self._points[-blurs:], strict=True):
            for _ in range(_ITERATIONS):
                at, slopes = self._changes(move)
                seen, shown = _sampled(look, at)
                missing = wanted[:, :3] - seen[:, :3]
                weight = shown / (1.0 + (missing**2).sum(axis=1) / _ODD**2)
                rows = seen[:, 3:6, None] * slopes[:, None, 0] + seen[:, 6:, None] * slopes[:, None, 1]
                weighted = (rows * weight[:, None, None]).reshape(-1, 4).T
                pull = _STIFF @ np.array([0.0, 0.0, 0.0, move.parameters[3]])
                step = np.linalg.solve(weighted @ rows.reshape(-1, 4) + _STIFF, weighted @ missing.reshape(-1) - pull)
                move = CameraMove(move.parameters + step)
                if np.abs(move.parameters).max() > _FAR_RAD:
                    return start
                if np.abs(step).max() < _CLOSE_RAD:
                    break
        return move

    def _changes(self, move: CameraMove) -> tuple[FloatArray, FloatArray]:
        """Return where the points go, shape (N, 2), and how that changes with each parameter, shape (N, 2, 4)."""
        at = move.moved(self._places, self._size_px, GRID)
        changed = [CameraMove(move.parameters + step).moved(self._places, self._size_px, GRID) for step in _STEPS]
        return at, np.stack([(other - at) / _STEPS[0, 0] for other in changed], axis=-1)

    def _alike(self, looks: list[F32], move: CameraMove, blur: int = -1) -> float:
        """Return how far edges have the directions that a move leads to expect, -1 to 1."""
        seen, shown = _sampled(looks[blur], move.moved(self._places, self._size_px, GRID))
        share = float(shown.mean())
        if share < _MIN_SHOWN:
            return -1.0
        before, now = self._points[blur][:, 3:], seen[:, 3:]
        strengths = np.sqrt((before**2).sum(axis=1) * (now**2).sum(axis=1)) + _FAINT
        cosines = (before * now).sum(axis=1) / strengths
        return float(cosines[shown].mean()) * math.sqrt(share)

    def _starts(self, looks: list[F32]) -> list[CameraMove]:
        """Return coarse guesses: for each blur and some turns the best shift, by phase correlation."""
        window = cv2.createHanningWindow(GRID, cv2.CV_32F)
        (width_px, height_px), (columns, rows) = self._size_px, GRID
        focal_px = USUAL_FOCAL * max(self._size_px)
        starts = [UNMOVED]
        for before, now in zip(self._looks, looks, strict=True):
            was, seen = (np.abs(look[..., :3]).sum(axis=2) for look in (before, now))
            for roll in _ROLLS_RAD:
                turn = CameraMove(np.array([0.0, 0.0, roll, 0.0])).homography(self._size_px, GRID)
                turned = cv2.warpPerspective(was, turn, GRID, borderMode=cv2.BORDER_REPLICATE)
                (right, down), _ = cv2.phaseCorrelate(turned, seen, window)
                tilt, pan = -down / rows * height_px / focal_px, right / columns * width_px / focal_px
                starts.append(CameraMove(np.array([tilt, pan, roll, 0.0])))
        return starts


def _gridded(image_bgr: ImageBgr) -> ImageBgr:
    return ImagePyramid(image_bgr).shrunk(*GRID)


def _looks(grid_bgr: ImageBgr) -> list[F32]:
    """Return the grid under each of the blurs: three channels without their light, and their slopes, (h, w, 9)."""
    logarithm = cv2.LUT(grid_bgr, _LOGARITHM)
    even = np.asarray(logarithm - cv2.blur(logarithm, (_BREADTH, _BREADTH)), np.float32)
    return [_with_slopes(even if blur == 0.0 else cv2.GaussianBlur(even, (0, 0), blur)) for blur in _BLURS]


def _with_slopes(even: cv2.typing.MatLike) -> F32:
    slopes = [cv2.Sobel(even, cv2.CV_32F, right, down, scale=0.125) for right, down in ((1, 0), (0, 1))]
    return np.asarray(np.concatenate([even, *slopes], axis=2), np.float32)


def _sampled(look: F32, at: FloatArray) -> tuple[F32, Bools]:
    """Return a look at some places, shape (N, 9), and which of them it shows."""
    shown = np.asarray(((at >= 0.0) & (at <= np.array(GRID) - 1.0)).all(axis=1), np.bool_)
    x, y = np.asarray(at, np.float32).T
    seen = cv2.remap(look, x.copy(), y.copy(), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float32).reshape(len(at), -1), shown
