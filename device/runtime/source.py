"""The camera of a run, with the parts that depend on it: the watch of its frames and the simulated dice."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from device.camera.base import FrameSource
from device.camera.registry import REPLAY, SIMULATED, camera_kind, make_camera, replay_folder
from device.camera.worker import RemembersDice
from device.config.settings import Settings
from device.game.buttons import BUTTONS
from device.game.state.events import Event
from device.game.throw_orders import SimulatedTray
from device.recording.replay_camera import ReplayCamera
from device.storage.data_folder import DataFolder
from vision.types.frame import Frame


@dataclass(frozen=True, slots=True)
class CameraSetup:
    camera: FrameSource
    simulated: SimulatedTray | None = None
    watch: RemembersDice | None = None
    on_frame: Callable[[Frame], None] | None = None
    is_live: bool = False


@contextmanager
def camera_data_held(settings: Settings) -> Iterator[None]:
    """Lock the data folder while a camera is used that stores dice or measurements there."""
    if not camera_kind(settings.tray.camera).keeps_data:
        yield
        return
    with closing(DataFolder(settings.data_folder)):
        yield


def make_camera_setup(settings: Settings, post: Callable[[Event], None]) -> CameraSetup:
    kind = camera_kind(settings.tray.camera)
    if kind is SIMULATED:
        from device.runtime.simulated import simulated_camera_setup  # noqa: PLC0415 - see there

        return simulated_camera_setup(settings)
    if kind is REPLAY:
        replay = ReplayCamera(replay_folder(settings.tray.camera), pause=time.sleep, now_s=time.monotonic)
        return CameraSetup(replay, on_frame=lambda frame: _press_along(replay, frame, post))
    return CameraSetup(make_camera(settings.camera_request), is_live=True)


def _press_along(replay: ReplayCamera, frame: Frame, post: Callable[[Event], None]) -> None:
    if replay.recording is not None:
        for press in replay.recording.presses_at(frame.sequence):
            post(BUTTONS[press.button].event)
