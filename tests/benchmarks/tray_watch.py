"""The cost of the watch: run `python tests/benchmarks/tray_watch.py [RECORDING]`.

Plays a recording (by default the golden one) repeatedly to a watch whose reader finds nothing, at the recording's size.
Prints milliseconds of one core for frames of rest, of motion, and the slowest, each also as a multiple of turning the
same picture gray and shrinking it; and how memory grows over 10,000 frames. There is no pass or fail.
"""

import resource
import statistics
import sys
import time
from pathlib import Path

import cv2

from device.recording.recording import load_recording
from vision.tracking.watch import TrayWatch
from vision.tray.floor import Floor
from vision.types.frame import Frame, ImageBgr
from vision.types.reading import TrayReading
from vision.types.sighting import MotionBegan, Rest

GOLDEN = Path(__file__).parents[1] / "golden" / "recordings" / "left_lying"
FRAMES = 10_000


class SeesNothing:
    def read(self, image_bgr: ImageBgr, known_floor: Floor | None) -> TrayReading:
        return TrayReading(image_bgr.shape[1], image_bgr.shape[0], (), (), True, 0.0)


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    cv2.setNumThreads(1)
    recording = load_recording(Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDEN)
    pictures = [frame.image_bgr for frame in recording.load_frames()]
    yardstick = []
    for picture in pictures:
        start = time.process_time()
        cv2.resize(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (320, 240), interpolation=cv2.INTER_AREA)
        yardstick.append(1000 * (time.process_time() - start))
    unit = statistics.median(yardstick)
    watch = TrayWatch(SeesNothing())
    costs: dict[str, list[float]] = {"rest": [], "motion": []}
    kind = "rest"
    after_first_thousand = 0.0
    for number in range(FRAMES):
        frame = Frame(pictures[number % len(pictures)], number / recording.fps, number)
        start = time.process_time()
        sighting = watch.see(frame)
        spent = 1000 * (time.process_time() - start)
        if isinstance(sighting, MotionBegan):
            kind = "motion"
        elif isinstance(sighting, Rest):
            kind = "rest"
        costs[kind].append(spent)
        if number == 1000:
            after_first_thousand = peak_mib()
    print(f"{recording.width_px}x{recording.height_px}, gray and small: {unit:.2f} ms")
    for name, all_spent in costs.items():
        if all_spent:
            middle, most = statistics.median(all_spent), max(all_spent)
            print(
                f"{name:8} {middle:6.2f} ms ({middle / unit:4.1f} x), slowest {most:6.2f} ms, {len(all_spent)} frames"
            )
    print(f"memory grew by {peak_mib() - after_first_thousand:.1f} MiB over {FRAMES - 1000} frames")


if __name__ == "__main__":
    main()
