"""Drawing of a tray with known dice, and the truth about the drawing from geometry only."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np

from vision.rendering.backdrop import Backdrop, build
from vision.rendering.die_light import DieLightParams, Standing, light_on_die
from vision.rendering.die_patch import Surface, cast, value_at
from vision.rendering.optics import Rect, Sensor, project, vignette
from vision.rendering.scene import CameraPose, DiePose, Scene
from vision.rendering.shadows import cast_on_floor, close_to_floor, corners_mm
from vision.types.frame import F32, ImageBgr, ImageGray
from vision.types.reading import PointPx

COCKED_DEG = 12.0
"""A die that leans by more than this has no top face that a table would accept."""
_STRIP_PX = 16
"""Height of the strips in which a whole picture is developed, so small that their arrays stay in a processor's
cache.
"""


@dataclass(frozen=True, slots=True)
class SyntheticParams:
    """Quality and cost of a drawing.

    Attributes:
        floor_shadow_samples: Number of points of each light for shadows on the floor, 1 (hard) to 16. 7 shows no steps
            at 1280x960 with lamps up to 150 mm wide.
        die_light: Parameters of the light on the dice themselves.
    """

    floor_shadow_samples: int = 7
    die_light: DieLightParams = field(default_factory=DieLightParams)


@dataclass(frozen=True, slots=True)
class DieTruth:
    """What a drawing shows of one die.

    Attributes:
        value: Pips of the most upward face.
        tilt_deg: Angle between the normal of that face and the vertical.
        cocked: Whether it is tilted by more than `COCKED_DEG`.
        center_px: Centre of that face.
        top_quad_px: Four corners of that face, in order, as if its edges were sharp.
        box_px: (x, y, width, height) around the whole die as if its edges were sharp.
    """

    value: int
    tilt_deg: float
    cocked: bool
    center_px: PointPx
    top_quad_px: tuple[PointPx, PointPx, PointPx, PointPx]
    box_px: tuple[float, float, float, float]


def die_truth(pose: DiePose, camera: CameraPose) -> DieTruth:
    """Return what one die shows, by geometry.

    Args:
        pose: The die.
        camera: The camera.

    Returns:
        The truth about it, even if it is hidden.
    """
    up = pose.rotation[2]
    axis = int(np.argmax(np.abs(up)))
    positive = bool(up[axis] > 0)
    half = 0.5 * pose.look.size_mm
    sign = 1.0 if positive else -1.0
    out = sign * pose.rotation[:, axis]
    u, v = pose.rotation[:, (axis + 1) % 3], pose.rotation[:, (axis + 2) % 3]
    middle = pose.center_mm + half * out
    ring = [middle + half * (a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    xy = project(camera, np.array([middle, *ring]))
    body = project(camera, corners_mm(pose, 0.0))
    low, high = body.min(axis=0), body.max(axis=0)
    tilt = float(np.degrees(np.arccos(min(abs(float(up[axis])), 1.0))))
    points = [(float(p[0]), float(p[1])) for p in xy]
    return DieTruth(
        value=value_at(pose.look, axis, positive),
        tilt_deg=tilt,
        cocked=tilt > COCKED_DEG,
        center_px=points[0],
        top_quad_px=(points[1], points[2], points[3], points[4]),
        box_px=(float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])),
    )


def truth_of(scene: Scene) -> tuple[DieTruth, ...]:
    """Return what each of a scene's dice shows, in their order."""
    return tuple(die_truth(pose, scene.camera) for pose in scene.dice)


def _merged(rects: list[Rect]) -> list[Rect]:
    """Return rectangles that cover the same and do not overlap."""
    todo = list(rects)
    done: list[Rect] = []
    while todo:
        a = todo.pop()
        for i, b in enumerate(done):
            if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
                del done[i]
                todo.append((min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])))
                break
        else:
            done.append(a)
    return done


class TrayBackdrop:
    """One tray, camera and light, drawn and lit once; dice are then added quickly, any number of times."""

    def __init__(self, scene: Scene, params: SyntheticParams | None = None) -> None:
        """Draw the tray.

        Args:
            scene: The scene; the dice in it are not drawn.
            params: Quality of the drawing.
        """
        self._scene = scene
        self._params = params or SyntheticParams()
        self._still = build(scene)
        camera = scene.camera
        self._sensor = Sensor(scene.capture, camera.width_px, camera.height_px, scene.seed)
        self._tints = [np.asarray(light.colour_bgr, np.float32) for light in scene.lights]
        self._empty = np.empty((camera.height_px, camera.width_px, 3), np.uint8)
        for y in range(0, camera.height_px, _STRIP_PX):
            rect = (0, y, camera.width_px, min(y + _STRIP_PX, camera.height_px))
            ones = np.full((rect[3] - y, camera.width_px), 255, np.uint8)
            self._empty[y : rect[3]] = self._sensor.develop(self._floor(rect, ones, [ones] * len(scene.lights)))

    @property
    def scene(self) -> Scene:
        """The drawn scene."""
        return self._scene

    @property
    def still(self) -> Backdrop:
        """The lit tray behind the dice."""
        return self._still

    def draw(self, dice: tuple[DiePose, ...]) -> ImageBgr:
        """Draw the tray with dice in it.

        Args:
            dice: Any number, in any order; those outside the picture are ignored.

        Returns:
            Shape (H, W, 3); new noise each time, otherwise the same for the same dice.
        """
        out = self._empty.copy()
        for (x0, y0, x1, y1), light in self._changed(dice):
            out[y0:y1, x0:x1] = self._sensor.develop(light)
        return self._sensor.hand_over(out)

    def light(self, dice: tuple[DiePose, ...]) -> F32:
        """Return the light that reaches the sensor from the tray with dice in it.

        Returns:
            Shape (H, W, 3), linear, before exposure: that of two lamps is the sum of each one's.
        """
        out = self._empty_light.copy()
        for (x0, y0, x1, y1), light in self._changed(dice):
            out[y0:y1, x0:x1] = light
        return out

    @cached_property
    def _empty_light(self) -> F32:
        camera = self._scene.camera
        ones = np.full((camera.height_px, camera.width_px), 255, np.uint8)
        return self._floor((0, 0, camera.width_px, camera.height_px), ones, [ones] * len(self._scene.lights))

    def _changed(self, dice: tuple[DiePose, ...]) -> Iterator[tuple[Rect, F32]]:
        """Yield each section of the picture that dice change, and its light."""
        camera, lights = self._scene.camera, self._scene.lights
        shape = (camera.height_px, camera.width_px)
        sky = np.full(shape, 255, np.uint8)
        seen = [np.full(shape, 255, np.uint8) for _ in lights]
        touched: list[Rect] = []
        patches: list[tuple[float, Rect, F32]] = []
        for i, pose in enumerate(dice):
            near = [close_to_floor(pose, camera, sky)]
            near += [
                cast_on_floor(pose, light, camera, part, self._params.floor_shadow_samples)
                for light, part in zip(lights, seen, strict=True)
            ]
            touched += [rect for rect in near if rect is not None]
            surface = cast(pose, camera, self._still.center_mm)
            if surface is None:
                continue
            away = float(np.linalg.norm(pose.center_mm - self._still.center_mm))
            where = Standing(self._scene, self._still, pose, dice[:i] + dice[i + 1 :])
            shade = light_on_die(where, surface, self._params.die_light)
            rect, patch = self._as_patch(pose, surface, shade)
            patches.append((away, rect, patch))
            touched.append(rect)
        patches.sort(key=lambda entry: -entry[0])
        for rect in _merged(touched):
            x0, y0, x1, y1 = rect
            light_here = self._floor(rect, sky[y0:y1, x0:x1], [part[y0:y1, x0:x1] for part in seen])
            for _, spot, patch in patches:
                if spot[0] >= x0 and spot[1] >= y0 and spot[2] <= x1 and spot[3] <= y1:
                    part = light_here[spot[1] - y0 : spot[3] - y0, spot[0] - x0 : spot[2] - x0]
                    part *= 1 - patch[..., 3:]
                    part += patch[..., :3] * self._lens(spot)[..., None]
            yield rect, light_here

    def _floor(self, rect: Rect, sky: ImageGray, seen: list[ImageGray]) -> F32:
        """Return the light from a section of the tray without dice but with their shadows."""
        part = np.s_[rect[1] : rect[3], rect[0] : rect[2]]
        still = self._still
        inside = still.inside[part]
        dim = 1 - inside * (1 - sky.astype(np.float32) * np.float32(1 / 255))
        open_ways = [1 - inside * (1 - reached.astype(np.float32) * np.float32(1 / 255)) for reached in seen]
        ambient = still.ambient[part] * dim
        direct = [light[part] * way for light, way in zip(still.direct, open_ways, strict=True)]
        mirrored = [light[part] * way for light, way in zip(still.mirrored, open_ways, strict=True)]
        # A channel at a time: numpy is slow over an axis as short as the channels'.
        channels: list[F32] = []
        lens = self._lens(rect)
        for i, albedo in enumerate(cv2.split(still.albedo[part])):
            total, shine = ambient, np.zeros_like(ambient)
            for given, glint, tint in zip(direct, mirrored, self._tints, strict=True):
                total = total + given * tint[i]
                shine = shine + glint * tint[i]
            channels.append((albedo * total + shine) * lens)
        return np.asarray(cv2.merge(channels), np.float32)

    def _lens(self, rect: Rect) -> F32:
        """Return the share of light that passes the lens in a section, shape (h, w)."""
        return vignette(self._scene.camera, self._scene.capture.vignette, rect)

    def _as_patch(self, pose: DiePose, surface: Surface, shade: F32) -> tuple[Rect, F32]:
        """Return a die's light and cover as a picture, shape (h, w, 4), light times cover; blurred by motion."""
        x0, y0, x1, y1 = surface.rect
        flat = np.zeros(((y1 - y0) * (x1 - x0), 4), np.float32)
        flat[surface.index, :3] = shade * surface.cover[:, None]
        flat[surface.index, 3] = surface.cover
        patch = flat.reshape(y1 - y0, x1 - x0, 4)
        camera = self._scene.camera
        ends = project(camera, np.array([pose.center_mm, pose.center_mm + np.asarray(pose.travel_mm)]))
        dx, dy = (float(v) for v in ends[1] - ends[0])
        longest = max(abs(dx), abs(dy))
        if longest < 1.0:
            return surface.rect, patch
        reach = int(min(longest, 80) / 2) + 1
        kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
        scale = min(1.0, 80 / longest) * 0.5
        tip = (int((reach + dx * scale) * 16), int((reach + dy * scale) * 16))
        tail = (int((reach - dx * scale) * 16), int((reach - dy * scale) * 16))
        cv2.line(kernel, tail, tip, (1.0,), 1, cv2.LINE_8, 4)
        kernel /= kernel.sum()
        wide = cv2.copyMakeBorder(patch, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=(0.0, 0.0, 0.0, 0.0))
        smear = np.asarray(cv2.filter2D(wide, -1, kernel, borderType=cv2.BORDER_CONSTANT), np.float32)
        cx0, cy0 = max(x0 - reach, 0), max(y0 - reach, 0)
        cx1, cy1 = min(x1 + reach, camera.width_px), min(y1 + reach, camera.height_px)
        top, left = cy0 - (y0 - reach), cx0 - (x0 - reach)
        return (cx0, cy0, cx1, cy1), smear[top : top + cy1 - cy0, left : left + cx1 - cx0]


def draw(scene: Scene, params: SyntheticParams | None = None) -> ImageBgr:
    """Draw a scene.

    Args:
        scene: Tray, dice, camera, light.
        params: Quality of the drawing.

    Returns:
        Shape (H, W, 3), the same for the same scene. For many pictures of one tray use `TrayBackdrop`.
    """
    return TrayBackdrop(scene, params).draw(scene.dice)
