"""Where to search in a picture and what to expect: from a profile, from the tray in view, or without either."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry.camera import View
from vision.geometry.camera_move import USUAL_FOCAL, CameraMove
from vision.imaging.pyramid import ImagePyramid
from vision.tray.floor import Floor
from vision.tray.profile import Profile
from vision.tray.scene_floor import find_floor_in
from vision.types.errors import BadProfile
from vision.types.frame import FloatArray, ImageBgr

_DICE_PER_SPAN = 16.3
"""Number of the commonest dice (16 mm) that fit along the longer side of the commonest floor (260 mm): the first guess
at their size.
"""
FLOOR_SLACK = 0.8
"""Distance outside the floor, in edges, at which a top face's centre may still be, as walls hide the foot of a die."""
_SHAPE_SLACK = 0.01
"""Greatest share by which a picture's aspect ratio may differ from the profile's: a scaled picture has whole pixels,
and one of 120 rows differs by 0.4 %.
"""
_COVERED, _AROUND = 0.9, 2.2
"""Distances from a die's centre, in edges: what lies nearer than the first is covered by it or lies in its own shadow;
what lies nearer than the second has about its light.
"""
_MIN_CELLS = 4
"""Least number of bare cells around a die that tell its light."""


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A camera that was moved since calibration."""

    move: CameraMove | None  # how; None if that is not certain


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Where to search and what to expect."""

    floor: Floor
    edge_px: float
    view: View
    gain: FloatArray  # shape (3,), how much brighter each channel is than at calibration
    # the same for cells of the picture, shape (rows, columns, 3), NaN outside the floor; None without a profile
    gains: FloatArray | None
    is_moved: bool  # whether the camera was moved since calibration
    picture_size: tuple[int, int]  # width and height, pixels
    left_top: FloatArray  # shape (2,), corner of the part of the picture that contains the floor
    part: ImagePyramid

    @property
    def part_bgr(self) -> ImageBgr:
        """The part of the picture, unchanged, shape (h, w, 3)."""
        return self.part.whole_bgr

    def lights_around(self, center_xy: FloatArray, edge_px: FloatArray) -> FloatArray:
        """Return the most and the least light on the bare floor around dice, as at calibration: shape (N, 2, 3).

        Args:
            center_xy: Shape (N, 2), of all dice, in pixels of the part.
            edge_px: Shape (N,).
        """
        lights = np.tile(self.gain, (len(edge_px), 2, 1))
        if self.gains is None:
            return lights
        rows, columns = self.gains.shape[:2]
        scale = np.array([columns, rows]) / self.picture_size
        y, x = np.mgrid[:rows, :columns]
        cells = (np.stack([x, y], axis=-1) + 0.5) / scale - 0.5 - self.left_top
        away = np.linalg.norm(cells[:, :, None] - center_xy, axis=-1) / edge_px
        bare = (away > _COVERED).all(axis=2) & ~np.isnan(self.gains[..., 0])
        for k in range(len(edge_px)):
            around = self.gains[bare & (away[..., k] < _AROUND)]
            if len(around) >= _MIN_CELLS:
                ordered = around[np.argsort(around.sum(axis=1))]
                share = max(1, len(ordered) // 4)
                lights[k] = np.median(ordered[-share:], axis=0), np.median(ordered[:share], axis=0)
        return lights

    def inside_px(self, x: float, y: float) -> float:
        """Return how far inside the floor's outline a point of that part lies; negative outside."""
        return self.floor.distance_px(x + self.left_top[0], y + self.left_top[1])


def set_stage(
    image_bgr: ImageBgr, profile: Profile | None, known_floor: Floor | None = None, moved: Moved | None = None
) -> Stage | None:
    """Determine where to search.

    Args:
        known_floor: The floor of an earlier picture, used if none is found in this one.
        moved: How the camera was moved since the profile was made; None if it was not.

    Returns:
        The stage; None if no tray was found.

    Raises:
        BadProfile: It was made from pictures of another shape, so it is unknown how this one was cropped or stretched.
    """
    height, width = image_bgr.shape[:2]
    picture = ImagePyramid(image_bgr)
    held = None if profile is None or moved is not None else profile.held
    view = View((width / 2.0, height / 2.0), USUAL_FOCAL * max(width, height), held)
    gain, gains = np.ones(3), None
    if profile is not None:
        check_shape(profile, width, height)
        floor, edge, gains = _from_profile(profile, picture, moved)
        # Most of the floor is bare in any picture, so the median cell shows the change of light.
        gain = np.ones(3) if np.isnan(gains).all() else np.nanmedian(gains, axis=(0, 1))
    else:
        found = find_floor_in(picture) or known_floor
        if found is None:
            return None
        floor, edge = found, found.span_px / _DICE_PER_SPAN
    # If a part of the floor may have been missed, dice beyond it must be found and reported as outside.
    left, top, right, bottom = floor.box_px if floor.sure else (0, 0, width, height)
    reach = round(edge * (1.0 + FLOOR_SLACK))
    left, top = max(0, left - reach), max(0, top - reach)
    right, bottom = min(width, right + reach), min(height, bottom + reach)
    corner = np.array([left, top], dtype=np.float64)
    part = ImagePyramid(image_bgr[top:bottom, left:right])
    return Stage(floor, edge, view, gain, gains, moved is not None, (width, height), corner, part)


def check_shape(profile: Profile, width_px: int, height_px: int) -> None:
    """Check that pictures of a size have the shape of a profile's pictures.

    Raises:
        BadProfile: They do not, so the profile does not give the floor's place in them.
    """
    off = (width_px * profile.height_px) / (height_px * profile.width_px)
    if max(off, 1.0 / off) > 1.0 + _SHAPE_SLACK:
        raise BadProfile(
            f"the picture is {width_px}x{height_px}, the profile was made from {profile.width_px}x{profile.height_px}, "
            "another shape: run pushtray calibrate with pictures of this shape, or read without a profile"
        )


def _from_profile(profile: Profile, picture: ImagePyramid, moved: Moved | None) -> tuple[Floor, float, FloatArray]:
    """Return the profile's floor and die size in this picture's pixels, and how much brighter its light is now."""
    height, width = picture.whole_bgr.shape[:2]
    ratio = np.array([width / profile.width_px, height / profile.height_px])
    outline = (profile.floor.outline_px + 0.5) * ratio - 0.5
    before = profile.floor_bgr
    rows, columns = before.shape[:2]
    move = None if moved is None else moved.move
    if move is not None:
        outline = move.moved(outline, (width, height))
        turn = move.homography((width, height), (columns, rows))
        before = np.asarray(
            cv2.warpPerspective(before, turn, (columns, rows), borderMode=cv2.BORDER_REPLICATE), np.float64
        )
    # Where a moved camera is thought to see the floor is no reason to overlook a die.
    floor = Floor(profile.floor.shape, outline, sure=moved is None)
    if moved is not None and move is None:
        floor = replace(find_floor_in(picture) or floor, sure=False)
    now = picture.shrunk(columns, rows).astype(np.float64)
    inside = np.zeros((rows, columns), dtype=np.uint8)
    shrink = np.array([columns / width, rows / height])
    cv2.fillPoly(inside, [np.rint((floor.outline_px + 0.5) * shrink - 0.5).astype(np.int32)], (255,))
    gains = np.where(inside[..., None] > 0, (now + 4.0) / (before + 4.0), np.nan)
    return floor, profile.edge_px * float(np.sqrt(ratio[0] * ratio[1])), gains
