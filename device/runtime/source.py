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
from device.simulation.camera import Clock, SimulatedCamera, SimulatedCameraParams
from device.simulation.memory import FILE_NAME as SIMULATED_DICE
from device.simulation.memory import SimulatedMemory
from device.simulation.mujoco_extra import load_mujoco
from device.simulation.scenery import SceneryParams
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
        return simulated_camera_setup(settings)
    if kind is REPLAY:
        replay = ReplayCamera(replay_folder(settings.tray.camera), pause=time.sleep, now_s=time.monotonic)
        return CameraSetup(replay, on_frame=lambda frame: _press_along(replay, frame, post))
    return CameraSetup(make_camera(settings.asked_camera), is_live=True)


def simulated_camera_setup(settings: Settings, clock: Clock | None = None) -> CameraSetup:
    load_mujoco()  # now rather than during the first throw: it takes a second or two
    wanted = settings.simulation
    scenery = SceneryParams(shape=wanted.shape, look_seed=wanted.look)
    params = SimulatedCameraParams(fps=wanted.fps, seed=wanted.seed, colours=settings.colours, scenery=scenery)
    camera = SimulatedCamera(params, clock, SimulatedMemory(settings.data_folder / SIMULATED_DICE))
    return CameraSetup(camera, camera)


def _press_along(replay: ReplayCamera, frame: Frame, post: Callable[[Event], None]) -> None:
    if replay.recording is not None:
        for press in replay.recording.presses_at(frame.sequence):
            post(BUTTONS[press.button].event)
