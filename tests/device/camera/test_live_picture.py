"""The picture on pages: new if something changed, the same if only a camera's noise is new."""

import threading
from collections.abc import Mapping

import cv2
import numpy as np
import pytest

from device.camera.live_picture import LivePicture
from device.camera.worker import CameraWorker
from device.game.throw_orders import SimulatedThrow
from device.simulation.camera import SimulatedCamera, SimulatedCameraParams
from device.simulation.scenery import SceneryParams
from tests.narrowing import there
from tests.stepped_clock import SteppedClock
from vision.types.frame import F32, Frame
from vision.types.reading import DieReading
from vision.types.sighting import MotionBegan, Rest, Sighting

WIDE, HIGH = 640, 480


def scene(
    die_at: tuple[int, int] | None = (400, 300), *, light: float = 1.0, tint: tuple[float, float, float] = (0, 0, 0)
) -> F32:
    """Return a floor with one die, as from a perfect camera."""
    image = np.full((HIGH, WIDE, 3), (90, 60, 45), np.float32)
    image += np.random.default_rng(3).normal(0.0, 6.0, (HIGH, WIDE, 1)).astype(np.float32)  # felt
    image[:40] = (40, 60, 90)
    if die_at is not None:
        x, y = die_at
        image[y : y + 74, x : x + 74] = (40, 190, 235)
        image[y + 30 : y + 44, x + 30 : x + 44] = (20, 20, 30)
    return image * light + np.array(tint, np.float32)


class Camera:
    """Takes pictures with noise, all different."""

    def __init__(self, noise: float = 2.5) -> None:
        self.noise = noise
        self.sequence = 0
        self.dice = np.random.default_rng(5)

    def take(self, image: F32) -> Frame:
        self.sequence += 1
        noisy = image + self.dice.normal(0.0, self.noise, (HIGH, WIDE, 1)).astype(np.float32)
        return Frame(np.clip(noisy, 0, 255).astype(np.uint8), self.sequence / 15, self.sequence)


@pytest.mark.parametrize("noise", [0.5, 2.5, 8.0])
def test_noise_alone_makes_no_new_picture(noise: float) -> None:
    camera, live = Camera(noise), LivePicture()
    live.put(camera.take(scene()))
    first = live.picture()
    for _ in range(12):
        live.put(camera.take(scene()))
        assert live.picture() is first


@pytest.mark.parametrize(
    "after",
    [
        scene((402, 303)),
        scene((700, 500)),
        scene(None),
        scene(light=0.8),
        scene(light=1.25),
        scene(tint=(0, 12, 0)),
        np.full((HIGH, WIDE, 3), (150, 180, 215), np.float32),
        np.asarray(cv2.GaussianBlur(scene(), (0, 0), 1.2), np.float32),
    ],
    ids=["a nudge", "a throw", "picked up", "darker", "brighter", "green light", "a hand over all", "a lens turned"],
)
def test_what_a_person_would_see_makes_one_new_picture(after: F32) -> None:
    camera, live = Camera(), LivePicture()
    live.put(camera.take(scene()))
    first = live.picture()
    live.put(camera.take(after))
    second = live.picture()
    assert second is not None
    assert second.version > there(first).version
    shown = cv2.imdecode(np.frombuffer(second.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None
    assert np.abs(shown.astype(int) - after).mean() < 6
    live.put(camera.take(after))
    assert live.picture() is second


def test_what_creeps_adds_up_until_it_is_shown() -> None:
    camera, live = Camera(1.0), LivePicture()
    versions = set()
    for step in range(60):
        live.put(camera.take(scene(light=1.0 + 0.004 * step)))
        versions.add(there(live.picture()).version)
    assert 3 <= len(versions) <= 8


def test_between_motion_and_rest_each_frame_is_new() -> None:
    camera, live = Camera(), LivePicture()

    def versions() -> list[int]:
        reported = []
        for _ in range(3):
            live.put(camera.take(scene()))
            reported.append(there(live.picture()).version)
        return reported

    assert versions() == [1, 1, 1]
    live.stir(moving=True)
    assert versions() == [2, 3, 4]
    live.stir(moving=False)
    assert versions() == [5, 5, 5], "what the tray read is shown, then nothing is new"


def test_a_picture_is_as_large_as_it_is_shown() -> None:
    camera, live = Camera(), LivePicture()
    live.put(camera.take(scene()))
    sizes = {}
    for width_px in (None, 16, 100, 161, 500, 640, 8192):
        picture = live.picture(width_px)
        assert picture is not None
        image = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        sizes[width_px] = image.shape[1], image.shape[0]
        assert (picture.version, picture.frame_px) == (1, (WIDE, HIGH))
        assert live.picture(width_px) is picture, "packed once"
    assert sizes == {
        None: (640, 480),
        16: (160, 120),
        100: (160, 120),
        161: (320, 240),
        500: (640, 480),
        640: (640, 480),
        8192: (640, 480),
    }
    assert len(there(live.picture(100)).jpeg) < len(there(live.picture()).jpeg) / 8


def test_many_screens_are_shown_the_same() -> None:
    camera, live = Camera(), LivePicture()
    done = threading.Event()
    broken = []

    def look(width: int | None) -> None:
        last = 0
        while not done.is_set():
            picture = live.picture(width)
            if picture is not None and picture.version < last:
                broken.append(picture.version)
            last = 0 if picture is None else picture.version

    screens = [threading.Thread(target=look, args=(width,)) for width in (None, 160, 320, 480)]
    for screen in screens:
        screen.start()
    for step in range(20):
        live.put(camera.take(scene((20 + 25 * step, 300))))
        live.picture()
    done.set()
    for screen in screens:
        screen.join()
    assert broken == []
    assert there(live.picture()).version == 20


def test_a_simulated_tray_at_rest_is_sent_once() -> None:
    camera = SimulatedCamera(
        SimulatedCameraParams(seed=1, scenery=SceneryParams(width_px=WIDE, height_px=HIGH)), SteppedClock()
    )
    camera.open()
    camera.throw(SimulatedThrow(2, 1, 1, seed=5))
    live, versions = LivePicture(), []
    for _ in range(150):
        live.put(there(camera.read(1.0)))
        versions.append(there(live.picture(320)).version)
        if not camera.is_busy:
            break
    assert len(set(versions)) > 8, "dice in flight are shown in each frame"
    for _ in range(3):
        live.put(there(camera.read(1.0)))
        at_rest = live.picture(320)
    for _ in range(30):
        live.put(there(camera.read(1.0)))
        assert live.picture(320) is at_rest
    camera.close()


def test_the_watchs_word_reaches_the_picture() -> None:
    camera = Camera()
    frames = [camera.take(scene()) for _ in range(5)]
    seen: dict[int, Sighting] = {2: MotionBegan(0.0, 2), 4: Rest(0.3, 4, WIDE, HIGH, (), (), True)}
    versions: list[int | None] = []

    class Source:
        name = "script"

        def open(self) -> None:
            pass

        def close(self) -> None:
            pass

        def read(self, timeout_s: float) -> Frame | None:
            versions.append(None if worker.newest is None else there(worker.picture(320)).version)
            return frames.pop(0) if frames else None

    class Watch:
        def see(self, frame: Frame) -> Sighting | None:
            return seen.get(frame.sequence)

        def glance(self, frame: Frame) -> None:
            return None

        def forget(self) -> None:
            return None

        def remember(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading]) -> None:
            return None

    worker = CameraWorker(Source(), Watch(), lambda event: None)
    worker.start()
    worker._thread.join(5)
    assert versions == [None, 1, 2, 3, 4, 4]
