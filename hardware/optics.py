"""Works out where each camera must hang and what it then sees. `python hardware/build.py` writes the table.

Formulas: a pinhole looking straight down at the floor's centre; depth of sharpness by the thin lens with a circle of
confusion of one pixel of the picture that is read. Standard library alone.
"""

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

PICTURE_PX = (1280, 960)
"""What the tray reads."""

FLOOR_MM = (260.0, 200.0)
MARGIN = 1.1
"""The picture covers so much more than the floor, so that some of the wall shows on each side and the arm may sag."""

DIE_MM = 16.0
HEIGHT_STEP_MM = 10.0


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera as its maker describes it.

    Attributes:
        name: As sold.
        sensor_px: Columns and rows of the sensor's full field.
        pitch_um: Distance between two pixels.
        focal_mm: Focal length.
        f_number: Aperture.
        nearest_mm: Nearest distance that it focuses on.
        focus: `motor`, or `by hand`: the lens is turned, or its setting stays.
        source: Where the numbers come from.
    """

    name: str
    sensor_px: tuple[int, int]
    pitch_um: float
    focal_mm: float
    f_number: float
    nearest_mm: float
    focus: str
    source: str


CAMERAS = (
    Camera("Camera Module 3", (4608, 2592), 1.4, 4.74, 1.8, 100.0, "motor", "Raspberry Pi camera documentation"),
    Camera("Camera Module 3 Wide", (4608, 2592), 1.4, 2.75, 2.2, 50.0, "motor", "Raspberry Pi camera documentation"),
    Camera("Camera Module 2", (3280, 2464), 1.12, 3.04, 2.0, 100.0, "by hand", "Raspberry Pi camera documentation"),
    # Its maker gives 78 degrees across the diagonal and no aperture; focal length follows from a 1/2.9 inch sensor.
    Camera("Logitech C920", (1920, 1080), 2.8, 3.67, 2.0, 200.0, "motor", "maker's field of view; aperture assumed"),
)


@dataclass(frozen=True, slots=True)
class View:
    """What a camera sees of the tray.

    Attributes:
        camera: Which.
        focal_px: Focal length in pixels of the picture that is read.
        lens_mm: Lens above the floor.
        field_mm: Width and depth of the floor's plane in the picture.
        px_per_mm: On the floor.
        die_px: Edge of the top face of a die of 16 mm in the picture's middle.
        lean_px: How far a side face at the floor's corner shows: top edge against bottom edge of the same die.
        sharp_mm: Nearest and farthest distance from the lens that is sharp to one pixel, focused on dice's top faces.
        dioptres: That focus, as the camera's control takes it.
    """

    camera: Camera
    focal_px: float
    lens_mm: float
    field_mm: tuple[float, float]
    px_per_mm: float
    die_px: float
    lean_px: float
    sharp_mm: tuple[float, float]
    dioptres: float


def focal_px_of(camera: Camera) -> float:
    """Focal length in pixels of the picture: the sensor's field cut to 4:3 and scaled to 1280 x 960."""
    columns, rows = camera.sensor_px
    used_rows = min(rows, columns * PICTURE_PX[1] / PICTURE_PX[0])
    return camera.focal_mm * 1000.0 / camera.pitch_um * PICTURE_PX[1] / used_rows


def lens_height_mm(focal_px: float) -> float:
    """Lowest lens, in steps of a centimetre, that sees the floor with its margin."""
    needed = max(floor * MARGIN / picture for floor, picture in zip(FLOOR_MM, PICTURE_PX, strict=True)) * focal_px
    return math.ceil(needed / HEIGHT_STEP_MM) * HEIGHT_STEP_MM


def sharpness_mm(camera: Camera, focused_mm: float) -> tuple[float, float]:
    """Nearest and farthest distance that is sharp to one pixel of the picture."""
    columns, rows = camera.sensor_px
    binned = min(rows, columns * PICTURE_PX[1] / PICTURE_PX[0]) / PICTURE_PX[1]
    blur_mm = camera.pitch_um * binned / 1000.0
    hyperfocal_mm = camera.focal_mm**2 / (camera.f_number * blur_mm) + camera.focal_mm
    near = focused_mm * (hyperfocal_mm - camera.focal_mm) / (hyperfocal_mm + focused_mm - 2.0 * camera.focal_mm)
    beyond = hyperfocal_mm - focused_mm
    far = focused_mm * (hyperfocal_mm - camera.focal_mm) / beyond if beyond > 0.0 else math.inf
    return near, far


def view_of(camera: Camera) -> View:
    """What a camera sees from its lowest place."""
    focal_px = focal_px_of(camera)
    lens_mm = max(lens_height_mm(focal_px), camera.nearest_mm + DIE_MM)
    px_per_mm = focal_px / lens_mm
    corner_mm = math.hypot(*(side / 2.0 for side in FLOOR_MM))
    lean_px = corner_mm * focal_px * (1.0 / (lens_mm - DIE_MM) - 1.0 / lens_mm)
    focused_mm = lens_mm - DIE_MM
    return View(
        camera,
        focal_px,
        lens_mm,
        (PICTURE_PX[0] / px_per_mm, PICTURE_PX[1] / px_per_mm),
        px_per_mm,
        DIE_MM * focal_px / focused_mm,
        lean_px,
        sharpness_mm(camera, focused_mm),
        1000.0 / focused_mm,
    )


COLUMNS = (
    "camera",
    "focus",
    "lens_above_floor_mm",
    "field_width_mm",
    "field_depth_mm",
    "px_per_mm",
    "die_px",
    "side_face_at_corner_px",
    "sharp_from_mm",
    "sharp_to_mm",
    "focus_dioptres",
    "source",
)


def write_table(out: TextIO) -> None:
    """Write a line for each camera."""
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    for camera in CAMERAS:
        view = view_of(camera)
        table.writerow(
            [
                camera.name,
                camera.focus,
                f"{view.lens_mm:.0f}",
                *(f"{side:.0f}" for side in view.field_mm),
                f"{view.px_per_mm:.2f}",
                f"{view.die_px:.0f}",
                f"{view.lean_px:.0f}",
                *("inf" if math.isinf(side) else f"{side:.0f}" for side in view.sharp_mm),
                f"{view.dioptres:.2f}",
                camera.source,
            ]
        )


def write_file(path: Path) -> None:
    """Write the table into a file."""
    with path.open("w", encoding="utf-8", newline="") as out:
        write_table(out)
