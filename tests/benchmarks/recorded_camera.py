"""A camera over one drawn tray: takes the pictures of a recording and notes the truth of each."""

import math
from dataclasses import dataclass, field

import cv2
import numpy as np

from device.recording.writer import RecordingWriter
from device.simulation.hand import HandPainter, HandParams, HandPlace
from device.simulation.script import Act, TrayPlay
from device.simulation.studio import Studio
from vision.rendering.optics import project
from vision.rendering.scene import DiePose, Scene
from vision.types.frame import ImageBgr

FPS = 15
SHUTTER_S = 0.01
MIN_TRAVEL_MM = 0.05
"""Least travel of a moving die while the shutter is open."""
HAND_LEVELS, HAND_PX = 20, 20
"""A hand is visible if so many pixels are brighter by so much than black."""


@dataclass(frozen=True, slots=True)
class Unsteady:
    """The unsteadiness of a recording's light and camera.

    Attributes:
        drift: Change of brightness in eight seconds, a share.
        ripple: Brightness of lines between lamp and mains, a share.
        follow: Change of the exposure when a hand comes in, a share; it lags by a third of a second.
        knock_px: By how much landing dice move a picture 640 pixels wide.
    """

    drift: float
    ripple: float
    follow: float
    knock_px: float


@dataclass(slots=True)
class RecordedCamera:
    """Takes the pictures of one recording.

    Attributes:
        scene: The tray.
        play: Dice and hand.
        hand: The look of the hand.
        writer: Writer of the pictures.
        unsteady: The unsteadiness of light and camera.
        rng: Random numbers for it.
        hand_frames: Frames with a visible hand.
        moving_frames: Frames with a moving die.
    """

    scene: Scene
    play: TrayPlay
    hand: HandParams
    writer: RecordingWriter
    unsteady: Unsteady
    rng: np.random.Generator
    hand_frames: list[int] = field(default_factory=list)
    moving_frames: list[int] = field(default_factory=list)
    _studio: Studio = field(init=False)
    _painter: HandPainter = field(init=False)
    _follow: float = 0.0

    def __post_init__(self) -> None:
        """Draw and light the tray."""
        self._studio = Studio(self.scene, self.hand, SHUTTER_S)
        self._painter = HandPainter(self.scene.camera, self.hand)

    def wait(self, seconds: float) -> None:
        """Take pictures of what is in the tray."""
        for _ in range(round(seconds * FPS)):
            self._take()

    def follow(self, *acts: Act) -> tuple[int, int | None]:
        """Take pictures until hand and dice are done with these acts.

        Returns:
            The first frame with a hand, or the one after the last, and the first with a moving die, or None.
        """
        begins = self.writer.count
        self.play.begin(acts)
        self._take()
        while self.play.is_busy:
            self._take()
        hand = next((number for number in self.hand_frames if number >= begins), self.writer.count)
        return hand, next((number for number in self.moving_frames if number >= begins), None)

    @property
    def still_from(self) -> int:
        """Return the frame from which no die has moved."""
        return self.moving_frames[-1] + 1

    def _take(self) -> None:
        number = self.writer.count
        t_s = number / FPS
        self.play.advance(t_s)
        view = self.play.view(t_s, SHUTTER_S)
        shows_hand = view.hand is not None and self._shows(view.hand)
        moves = any(self._moves(die) for die in view.moving)
        if shows_hand:
            self.hand_frames.append(number)
        if moves:
            self.moving_frames.append(number)
        self._follow += (self.unsteady.follow * shows_hand - self._follow) * min(1.0, 3.0 / FPS)
        self.writer.add_frame(self._developed(self._studio.picture(view), t_s, moves))

    def _moves(self, die: DiePose) -> bool:
        """Return whether a die is moving; one that will be knocked later is not yet."""
        camera = self.scene.camera
        x, y = project(camera, die.center_mm[None])[0]
        inside = 0 <= x < camera.width_px and 0 <= y < camera.height_px
        return bool(inside and np.linalg.norm(die.travel_mm) > MIN_TRAVEL_MM)

    def _shows(self, hand: HandPlace) -> bool:
        black = np.zeros((self.scene.camera.height_px, self.scene.camera.width_px, 3), np.uint8)
        self._painter.paint(black, hand, SHUTTER_S)
        return int(np.count_nonzero(black.max(axis=2) > HAND_LEVELS)) > HAND_PX

    def _developed(self, picture: ImageBgr, t_s: float, shaken: bool) -> ImageBgr:
        unsteady = self.unsteady
        rows = np.arange(picture.shape[0]) / picture.shape[0]
        lines = unsteady.ripple * np.sin(2 * math.pi * (1.7 * rows + 6.3 * t_s))
        gain = (1.0 + unsteady.drift * t_s / 8.0 + self._follow) * (1.0 + lines)
        out = (picture * gain[:, None, None]).astype(np.float32)
        if shaken and unsteady.knock_px:
            dx, dy = self.rng.normal(0, unsteady.knock_px * picture.shape[1] / 640, 2)
            move = np.array([[1.0, 0.0, dx], [0.0, 1.0, dy]])
            size = (picture.shape[1], picture.shape[0])
            out = np.asarray(cv2.warpAffine(out, move, size, borderMode=cv2.BORDER_REPLICATE), np.float32)
        return np.asarray(np.clip(out + 0.5, 0, 255), np.uint8)
