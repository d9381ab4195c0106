"""The camera of simulated dice: imported only for them, since its modules take 2 MB."""

from device.config.settings import Settings
from device.runtime.source import CameraSetup
from device.simulation.camera import Clock, SimulatedCamera, SimulatedCameraParams
from device.simulation.memory import FILE_NAME, SimulatedMemory
from device.simulation.mujoco_extra import load_mujoco
from device.simulation.scenery import SceneryParams


def simulated_camera_setup(settings: Settings, clock: Clock | None = None) -> CameraSetup:
    load_mujoco()  # now rather than during the first throw: it takes a second or two
    wanted = settings.simulation
    scenery = SceneryParams(shape=wanted.shape, look_seed=wanted.look)
    params = SimulatedCameraParams(fps=wanted.fps, seed=wanted.seed, colours=settings.colours, scenery=scenery)
    camera = SimulatedCamera(params, clock, SimulatedMemory(settings.data_folder / FILE_NAME))
    return CameraSetup(camera, camera)
