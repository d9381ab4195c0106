"""Printing time and weight of each part, from PrusaSlicer. `python hardware/build.py` writes the table.

The slicer knows walls, layers and speeds, so nothing is estimated. Its default speeds are those of an ordinary printer
(60 mm/s); a fast one takes half as long.
"""

import csv
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent

PIECES = {
    "fit_test": 1,
    "frame_corner": 2,
    "frame_corner_mirrored": 2,
    "arm_foot": 1,
    "arm_elbow": 1,
    "camera_plate": 1,
    "pi_stand": 1,
    "ring_plate": 1,
    "button_box": 1,
    "button_lid": 1,
}
"""Number of each part that the tray needs."""

SETTINGS = {
    "layer-height": "0.2",
    "perimeters": "3",
    "fill-density": "20%",
    "nozzle-diameter": "0.4",
    "filament-diameter": "1.75",
    "filament-density": "1.27",  # PETG, grams per cubic centimetre; PLA weighs no more
}
"""As in the guide: 0.2 mm layers, three walls, 20 % infill, no supports."""


@dataclass(frozen=True, slots=True)
class Print:
    """One piece.

    Attributes:
        minutes: On the printer.
        grams: Of filament.
    """

    minutes: float
    grams: float


def slice_part(path: Path) -> Print:
    """Slice one part.

    Raises:
        FileNotFoundError: There is no prusa-slicer.
        CalledProcessError: It refused the part.
        ValueError: Its answer has no time or no weight.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "part.gcode"
        words = ["prusa-slicer", "--export-gcode", "--datadir", folder, "--output", str(out)]
        for name, value in SETTINGS.items():
            words += [f"--{name}", value]
        subprocess.run([*words, str(path)], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - fixed words, no shell
        return read_gcode(out.read_text(encoding="utf-8"))


def read_gcode(gcode: str) -> Print:
    """Return the time and weight that PrusaSlicer writes at the end of a file.

    Raises:
        ValueError: Time or weight is missing.
    """
    time = re.search(r"^; estimated printing time \(normal mode\) = (.+)$", gcode, re.MULTILINE)
    weight = re.search(r"^; total filament used \[g\] = ([\d.]+)$", gcode, re.MULTILINE)
    if time is None or weight is None:
        raise ValueError("the slicer gave no time or no weight: use PrusaSlicer 2.5 or newer")
    units = {"d": 1440.0, "h": 60.0, "m": 1.0, "s": 1.0 / 60.0}
    minutes = sum(float(number) * units[unit] for number, unit in re.findall(r"(\d+)([dhms])", time[1]))
    return Print(minutes, float(weight[1]))


COLUMNS = ("part", "pieces", "hours_each", "grams_each")


def write_file(path: Path, prints: Mapping[str, Print] | None = None) -> None:
    """Write a line for each part, hours to the nearest quarter, since the slicer's results vary by seconds.

    Args:
        path: The file.
        prints: By part; sliced now if None.
    """
    sliced = {name: slice_part(HERE / f"parts/{name}.stl") for name in PIECES} if prints is None else prints
    with path.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(COLUMNS)
        for name, pieces in PIECES.items():
            one = sliced[name]
            table.writerow((name, pieces, f"{round(one.minutes / 15.0) / 4.0:.2f}", f"{one.grams:.0f}"))
