"""Draw the simulated camera's pictures, as cheaply as possible without visible loss.

Still dice are drawn in full once and then only get new noise. Moving dice are smeared anyway: they are drawn at half
the size, in a quarter of the time, and laid over the still picture where they change it.
"""

from dataclasses import replace

import cv2
import numpy as np

from device.simulation.hand import HandPainter, HandParams
from device.simulation.script import TrayView
from vision.rendering.optics import Sensor
from vision.rendering.scene import CameraPose, DiePose, Scene
from vision.rendering.synthetic import TrayBackdrop
from vision.types.frame import ImageBgr

_Key = tuple[bytes, bytes, int]

_MAX_LATE = 3
"""While others move, up to this many dice that came to rest stay in the half-size layer; then all are drawn again."""

_CHANGED_LEVELS = 2
"""A pixel that differs by more between the half-size pictures with and without moving dice is taken from the former;
one level less is rounding."""


class Studio:
    """One tray, lit and ready to be drawn with dice and hand."""

    def __init__(self, scene: Scene, hand: HandParams, shutter_s: float) -> None:
        """Draw and light the tray, which takes a second or two."""
        # The lens's noise and blur are added last, over everything.
        clean = replace(scene, dice=(), capture=replace(scene.capture, noise=0.0, defocus_px=0.0, jpeg_quality=0))
        self._full = _LastStill(clean)
        self._half = _LastStill(replace(clean, camera=_half_size(scene.camera)))
        self._sensor = Sensor(scene.capture, scene.camera.width_px, scene.camera.height_px, scene.seed)
        self._painter = HandPainter(scene.camera, hand)
        self._shutter_s = shutter_s

    def picture(self, view: TrayView) -> ImageBgr:
        """Return a picture of this moment."""
        still, moving = self._parted(view)
        picture = self._full.still(still).copy()
        if moving:
            self._lay_over(picture, still, moving)
        if view.hand is not None:
            self._painter.paint(picture, view.hand, self._shutter_s)
        return self._sensor.hand_over(picture)

    def _parted(self, view: TrayView) -> tuple[tuple[DiePose, ...], tuple[DiePose, ...]]:
        if view.moving:
            drawn = tuple(die for die in view.still if _key(die) in self._full.keys)
            if len(drawn) == len(self._full.keys) and len(view.still) - len(drawn) <= _MAX_LATE:
                late = tuple(die for die in view.still if _key(die) not in self._full.keys)
                return drawn, (*late, *view.moving)
        return view.still, view.moving

    def _lay_over(self, picture: ImageBgr, still: tuple[DiePose, ...], moving: tuple[DiePose, ...]) -> None:
        without, small = self._half.still(still), self._half.draw((*still, *moving))
        blue, green, red = cv2.split(cv2.absdiff(without, small))
        _, changed = cv2.threshold(cv2.max(cv2.max(blue, green), red), _CHANGED_LEVELS, 255, cv2.THRESH_BINARY)
        changed = cv2.dilate(changed, np.ones((3, 3), np.uint8))
        size = (picture.shape[1], picture.shape[0])
        large = cv2.resize(small, size, interpolation=cv2.INTER_LINEAR)
        cv2.copyTo(large, cv2.resize(changed, size, interpolation=cv2.INTER_NEAREST), picture)


class _LastStill:
    """A tray's backdrop, and the last still picture drawn on it."""

    def __init__(self, scene: Scene) -> None:
        self._backdrop = TrayBackdrop(scene)
        self.keys: frozenset[_Key] = frozenset()
        self._picture = self._backdrop.draw(())

    def draw(self, dice: tuple[DiePose, ...]) -> ImageBgr:
        return self._backdrop.draw(dice)

    def still(self, dice: tuple[DiePose, ...]) -> ImageBgr:
        """Draw the tray. Unchanged dice return the previous array: copy it before changing it."""
        keys = frozenset(_key(die) for die in dice)
        if keys != self.keys:
            self._picture, self.keys = self._backdrop.draw(dice), keys
        return self._picture


def _key(die: DiePose) -> _Key:
    return die.center_mm.tobytes(), die.rotation.tobytes(), hash(die.look)


def _half_size(camera: CameraPose) -> CameraPose:
    """Return a camera with half as many pixels along each side; the picture's outer edges stay the same."""
    k = camera.k.copy()
    k[:2] *= 0.5
    k[:2, 2] = (camera.k[:2, 2] + 0.5) / 2 - 0.5
    return replace(camera, width_px=camera.width_px // 2, height_px=camera.height_px // 2, k=k)
