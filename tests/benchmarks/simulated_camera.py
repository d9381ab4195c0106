"""The cost of the simulated camera: run `python tests/benchmarks/simulated_camera.py`.

Prints milliseconds of one core for each kind of frame, each also as a multiple of a plain copy-and-noise frame of the
same run, and how memory grows over 10,000 still frames. There is no pass or fail.
"""

import resource
import statistics
import time

import cv2
import numpy as np

from device.game.throw_orders import HandAction, SimulatedThrow
from device.simulation.camera import SimulatedCamera, SimulatedCameraParams
from tests.stepped_clock import SteppedClock


def timed_frame(camera: SimulatedCamera) -> float:
    start = time.process_time()
    camera.read(1.0)
    return 1000 * (time.process_time() - start)


def frames_until_still(camera: SimulatedCamera) -> list[float]:
    costs = []
    while camera.is_busy:
        costs.append(timed_frame(camera))
    return costs


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    cv2.setNumThreads(1)
    camera = SimulatedCamera(SimulatedCameraParams(seed=1), SteppedClock())
    start = time.process_time()
    camera.open()
    print(f"open                 {1000 * (time.process_time() - start):8.1f} ms, once")
    camera.read(1.0)
    still = statistics.median(timed_frame(camera) for _ in range(200))
    print(f"still                {still:8.1f} ms")
    for dice in (1, 8, 15, 20):
        camera.throw(SimulatedThrow(base=dice, seed=dice))
        costs = frames_until_still(camera)
        # The first frame of a flight also computes the whole throw; sweeping the dice before comes first.
        flight = costs[-12:]
        print(
            f"{dice:2d} dice in flight    {statistics.median(flight):8.1f} ms median, {max(costs):.1f} most, "
            f"{statistics.median(flight) / still:.0f} x still"
        )
    camera.throw(SimulatedThrow(base=8, seed=8))
    frames_until_still(camera)
    places = tuple(die.shows.center_px for die in camera.truth())
    camera.pick_up_and_rethrow(places, HandAction.RIGHT, 1)
    hand = [timed_frame(camera) for _ in range(20)]
    print(
        f"hand over 8 dice     {statistics.median(hand):8.1f} ms median, {statistics.median(hand) / still:.0f} x still"
    )
    frames_until_still(camera)
    before = peak_mib()
    for _ in range(10_000):
        camera.read(1.0)
    print(f"peak memory          {peak_mib():8.1f} MiB, {peak_mib() - before:.1f} more after 10,000 still frames")
    for swept, what in ((False, "throw, rest"), (True, "sweep, throw, rest")):
        durations, leaning = [], 0
        for seed in range(30, 70):
            if not swept:
                camera.clear()
                frames_until_still(camera)
            camera.throw(SimulatedThrow(base=8, seed=seed))
            durations.append(len(frames_until_still(camera)) / 15)
            leaning += sum(die.shows.cocked for die in camera.truth())
        print(
            f"{what:<20} {np.median(durations):8.2f} s median of 40 throws of 8 dice, {min(durations):.2f} to "
            f"{max(durations):.2f}, {leaning} dice leaning"
        )


if __name__ == "__main__":
    main()
