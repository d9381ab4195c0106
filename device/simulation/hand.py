"""The simulated hand: its path over the tray, and its picture."""

import math
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from vision.rendering.optics import project
from vision.rendering.scene import CameraPose
from vision.types.frame import FloatArray, ImageBgr, ImageGray

PointMm = tuple[float, float]


@dataclass(frozen=True, slots=True)
class HandParams:
    enter_s: float = 0.4
    reach_s: float = 0.16
    speed_mm_s: float = 650.0
    grip_s: float = 0.1
    cover_mm: float = 30.0
    height_mm: float = 45.0
    outside_mm: float = 270.0
    away_s: float = 0.15
    skin_bgr: tuple[int, int, int] = (142, 172, 222)
    sleeve_bgr: tuple[int, int, int] = (92, 66, 52)


@dataclass(frozen=True, slots=True)
class HandPlace:
    xy_mm: PointMm
    velocity_mm_s: PointMm


@dataclass(frozen=True, slots=True)
class HandPath:
    """A path over the tray: in from below, over dice, out again."""

    times_s: tuple[float, ...]
    places_mm: tuple[PointMm, ...]
    gone_s: tuple[float, ...]
    duration_s: float

    def at(self, t_s: float) -> HandPlace | None:
        """Return the hand's place `t_s` after its start; None while it is outside the picture."""
        if not self.times_s[0] < t_s < self.times_s[-1]:
            return None
        k = int(np.searchsorted(self.times_s, t_s, side="right")) - 1
        start, end = np.asarray(self.places_mm[k]), np.asarray(self.places_mm[k + 1])
        span_s = self.times_s[k + 1] - self.times_s[k]
        share = (t_s - self.times_s[k]) / span_s
        # Hands move with minimal jerk: Flash and Hogan, Journal of Neuroscience 5 (1985).
        eased = share**3 * (10 - 15 * share + 6 * share**2)
        rate = 30 * share**2 * (1 - share) ** 2 / span_s
        x, y = start + (end - start) * eased
        vx, vy = (end - start) * rate
        return HandPlace((float(x), float(y)), (float(vx), float(vy)))


def path_over(dice_mm: tuple[PointMm, ...], params: HandParams) -> HandPath:
    if not dice_mm:
        return HandPath((0.0, 0.0), ((0.0, -params.outside_mm),) * 2, (), 0.0)
    left = dict(enumerate(np.asarray(place) for place in dice_mm))
    gone: dict[int, float] = {}
    here = np.array([float(np.mean([x for x, _ in dice_mm])) * 0.5, -params.outside_mm])
    times, places = [0.0], [(float(here[0]), float(here[1]))]
    while left:
        first = min(left, key=lambda k: float(np.hypot(*(left[k] - here))))
        together = [k for k in left if float(np.hypot(*(left[k] - left[first]))) <= params.cover_mm]
        goal = np.mean([left[k] for k in together], axis=0)
        span = params.enter_s if not gone else float(np.hypot(*(goal - here))) / params.speed_mm_s
        times.append(times[-1] + max(span, params.reach_s))
        times.append(times[-1] + params.grip_s)
        places += [(float(goal[0]), float(goal[1]))] * 2
        for k in together:
            gone[k] = times[-1]
            del left[k]
        here = goal
    times.append(times[-1] + params.enter_s)
    places.append((float(here[0]) * 0.6, -params.outside_mm))
    return HandPath(tuple(times), tuple(places), tuple(gone[k] for k in range(len(dice_mm))), times[-1] + params.away_s)


class HandPainter:
    def __init__(self, camera: CameraPose, params: HandParams) -> None:
        """Draw the hand with its arm once, to be laid over pictures later."""
        self._params = params
        self._camera = camera
        ends = project(camera, np.array([[0.0, 0.0, params.height_mm], [100.0, 0.0, params.height_mm]]))
        self._px_per_mm = float(np.hypot(*(ends[1] - ends[0]))) / 100.0
        self._colour, self._cover, self._palm_xy = _hand_picture(self._px_per_mm, params)

    def paint(self, picture: ImageBgr, hand: HandPlace, shutter_s: float) -> None:
        palm = project(self._camera, np.array([[*hand.xy_mm, self._params.height_mm]]))[0]
        # The elbow stays about where it is: a hand at the side comes in at an angle.
        slant = math.radians(-0.09 * hand.xy_mm[0])
        cos, sin = math.cos(slant), math.sin(slant)
        px, py = self._palm_xy
        move = np.array(
            [[cos, -sin, palm[0] - cos * px + sin * py], [sin, cos, palm[1] - sin * px - cos * py]], dtype=np.float64
        )
        smears = [int(abs(speed) * shutter_s * self._px_per_mm) for speed in hand.velocity_mm_s]
        drop = 0.35 * self._params.height_mm * self._px_per_mm
        # Only the parts of the picture that the hand can reach, with its smear and its shadow.
        high, wide = self._cover.shape
        corners = np.array([[0.0, 0.0, 1.0], [wide, 0.0, 1.0], [0.0, high, 1.0], [wide, high, 1.0]]) @ move.T
        x0, y0, x1, y1 = _reached(corners, 3 * drop + max(smears), picture)
        if x1 - x0 < 8 or y1 - y0 < 8:
            return
        part = picture[y0:y1, x0:x1]
        cover = np.zeros(part.shape[:2], np.uint8)
        left, top, right, bottom = _reached(corners, max(smears) + 4, picture)
        own = np.s_[top - y0 : bottom - y0, left - x0 : right - x0]
        shows = right > left and bottom > top
        if shows:
            move[:, 2] -= (left, top)
            size = (right - left, bottom - top)
            colour = cv2.warpAffine(self._colour, move, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            hand_cover = cv2.warpAffine(self._cover, move, size, borderMode=cv2.BORDER_CONSTANT)
            for kernel in ((smears[0], 1), (1, smears[1])):
                if max(kernel) >= 3:
                    hand_cover = cv2.blur(hand_cover, kernel)
            cover[own] = hand_cover
        small = cv2.resize(cover, (part.shape[1] // 4, part.shape[0] // 4), interpolation=cv2.INTER_AREA)
        shift = np.array([[1.0, 0.0, 0.7 * drop / 4], [0.0, 1.0, drop / 4]])
        fallen = cv2.warpAffine(small, shift, (small.shape[1], small.shape[0]), borderMode=cv2.BORDER_REPLICATE)
        light = cv2.convertScaleAbs(cv2.GaussianBlur(fallen, (0, 0), drop / 8), alpha=-0.45, beta=255.0)
        light = cv2.resize(light, (part.shape[1], part.shape[0]), interpolation=cv2.INTER_LINEAR)
        # OpenCV's byte arithmetic takes a quarter of the time of floats, and is off by one level here and there.
        under = cv2.multiply(part, cv2.merge((light, light, light)), scale=1 / 255)
        if shows:
            share = cover[own].astype(np.float32) * np.float32(1 / 255)
            under[own] = cv2.blendLinear(colour, np.ascontiguousarray(under[own]), share, 1 - share)
        part[...] = under


def _reached(corners: FloatArray, reach_px: float, picture: ImageBgr) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the area within some pixels of these corners, cut to the picture."""
    x0, y0 = (max(0, int(v - reach_px)) // 4 * 4 for v in corners.min(axis=0))
    x1 = min(picture.shape[1], int(corners[:, 0].max() + reach_px)) // 4 * 4
    y1 = min(picture.shape[0], int(corners[:, 1].max() + reach_px)) // 4 * 4
    return x0, y0, x1, y1


def _hand_picture(px_per_mm: float, params: HandParams) -> tuple[ImageBgr, ImageGray, tuple[float, float]]:
    """Draw a right hand from above, arm pointing down: colours, coverage (0-255), and the palm's centre in it."""
    wide_mm, high_mm, palm_mm = 150.0, 520.0, (75.0, 110.0)
    shape = (int(high_mm * px_per_mm), int(wide_mm * px_per_mm))

    def limb(*places_mm: tuple[float, float, float]) -> ImageGray:
        """Return a chain of (x, y, radius) from the palm's centre, y towards the fingertips."""
        mask = np.zeros(shape, np.uint8)
        spots = [((palm_mm[0] + x) * px_per_mm, (palm_mm[1] - y) * px_per_mm, r * px_per_mm) for x, y, r in places_mm]
        for (x0, y0, r0), (x1, y1, r1) in pairwise(spots):
            for share in np.linspace(0.0, 1.0, 24):
                middle = (int((x0 + (x1 - x0) * share) * 16), int((y0 + (y1 - y0) * share) * 16))
                cv2.circle(mask, middle, int((r0 + (r1 - r0) * share) * 16), 255, -1, cv2.LINE_AA, 4)
        return mask

    arm = limb((6.0, -100.0, 34.0), (10.0, -390.0, 46.0))
    # The cuff has a straight end.
    arm[: int((palm_mm[1] + 112.0) * px_per_mm)] = 0
    skin = [
        limb((-15.0, 8.0, 23.0), (14.0, 6.0, 23.0), (8.0, -30.0, 28.0), (6.0, -70.0, 23.0), (6.0, -130.0, 24.0)),
        limb((-14.0, 0.0, 24.0), (-6.0, -34.0, 24.0), (6.0, -66.0, 23.0)),
        limb((-12.0, -34.0, 22.0), (-40.0, -4.0, 13.0), (-52.0, 18.0, 10.5), (-51.0, 36.0, 9.0)),
        limb((30.0, 18.0, 9.5), (36.0, 50.0, 8.0), (33.0, 60.0, 7.0)),
        limb((12.0, 24.0, 11.0), (16.0, 66.0, 9.0), (13.0, 82.0, 8.0)),
        limb((-9.0, 24.0, 11.0), (-8.0, 74.0, 9.5), (-8.0, 90.0, 8.0)),
        limb((-28.0, 22.0, 11.0), (-32.0, 64.0, 9.0), (-28.0, 78.0, 8.0)),
    ]
    colour = np.zeros((*shape, 3), np.float32)
    cover = np.zeros(shape, np.uint8)
    whole = np.max(skin, axis=0)
    for mask, paint in ((whole, params.skin_bgr), (arm, params.sleeve_bgr)):
        lit = _rounded(mask, px_per_mm)[..., None] * np.asarray(paint, np.float32)
        share = (mask.astype(np.float32) / 255)[..., None]
        colour += share * (lit - colour)
        cover = np.maximum(cover, mask)
    return np.clip(colour, 0, 255).astype(np.uint8), cover, (palm_mm[0] * px_per_mm, palm_mm[1] * px_per_mm)


def _rounded(mask: ImageGray, px_per_mm: float) -> npt.NDArray[np.float32]:
    """Return the light on a round limb: about 1 on top, brighter to the upper left, darker at its edges."""
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3) / np.float32(px_per_mm)
    height = cv2.GaussianBlur(np.sqrt(np.minimum(depth, 14.0)), (0, 0), 1.6 * px_per_mm)
    down = cv2.Sobel(height, cv2.CV_32F, 0, 1, ksize=3) * np.float32(px_per_mm / 8)
    right = cv2.Sobel(height, cv2.CV_32F, 1, 0, ksize=3) * np.float32(px_per_mm / 8)
    edge = np.clip(depth / 5.0, 0.0, 1.0)
    return np.asarray(np.clip(0.82 + 0.16 * edge + 0.5 * down + 0.35 * right, 0.45, 1.12), np.float32)


def center_xy(center_mm: FloatArray) -> PointMm:
    """Return the place of a die on the floor from its centre, shape (3,)."""
    return float(center_mm[0]), float(center_mm[1])
