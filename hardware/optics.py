"""Compute where each camera must hang and what it then sees. `python hardware/build.py` writes the table.

Formulas: a pinhole looking straight down at the floor's centre. Its field of view is the published one or that of the
published focal length, whichever is narrower, since the whole tray must be visible. A lens focused on a near distance
is farther from its sensor and sees still less (focus breathing): by distance / (distance - focal length). Depth of
field by the thin lens with a circle of confusion of one pixel of the picture that is read. Only the standard library.
"""

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

FLOOR_MM = (260.0, 200.0)
MARGIN = 1.1
"""The picture is this much larger than the floor: some of the wall shows on each side, the arm may sag, and lenses may
be tilted by a degree against their board."""

DIE_MM = 16.0
HEIGHT_STEP_MM = 10.0


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode of a sensor.

    Attributes:
        size_px: Output columns and rows.
        field_px: Columns and rows of the sensor that they are read from.
    """

    size_px: tuple[int, int]
    field_px: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera as its maker describes it.

    Attributes:
        name: As sold.
        sensor_px: Columns and rows of the sensor's full field.
        pitch_um: Distance between two pixels.
        focal_mm: Focal length.
        field_deg: Published field of view across columns and rows of `sensor_px`.
        f_number: Aperture.
        nearest_mm: Nearest distance that it focuses on.
        focus: `motor`, or `by hand`: the lens is turned, or its setting stays.
        modes: Its driver's modes, small ones first.
        picture_px: What the tray asks for.
        source: Where the numbers come from.
    """

    name: str
    sensor_px: tuple[int, int]
    pitch_um: float
    focal_mm: float
    field_deg: tuple[float, float]
    f_number: float
    nearest_mm: float
    focus: str
    modes: tuple[Mode, ...]
    picture_px: tuple[int, int]
    source: str


def _c920_modes() -> tuple[Mode, ...]:
    """Return every size that the C920 sends as MJPEG; each is the largest crop of its 16:9 field in that shape."""
    sizes = ((640, 480), (640, 360), (800, 448), (800, 600), (864, 480), (960, 720), (1024, 576), (1280, 720))
    sizes += ((1600, 896), (1920, 1080))
    return tuple(
        Mode((w, h), (min(1920, round(1080 * w / h)), min(1080, round(1920 * h / w))))
        for w, h in sorted(sizes, key=lambda size: size[0] * size[1])
    )


IMX708 = (
    Mode((1536, 864), (3072, 1728)),
    Mode((2304, 1296), (4608, 2592)),
    Mode((4608, 2592), (4608, 2592)),
)
"""Camera Module 3, both lenses. The smallest mode sees two thirds of the field."""

IMX219 = (
    Mode((640, 480), (1280, 960)),
    Mode((1640, 1232), (3280, 2464)),
    Mode((1920, 1080), (1920, 1080)),
    Mode((3280, 2464), (3280, 2464)),
)
"""Camera Module 2."""

PI = "Raspberry Pi's camera documentation; modes of its driver"

CAMERAS = (
    Camera("Camera Module 3", (4608, 2592), 1.4, 4.74, (66.0, 41.0), 1.8, 100.0, "motor", IMX708, (1280, 960), PI),
    Camera("Camera Module 3 Wide", (4608, 2592), 1.4, 2.75, (102.0, 67.0), 2.2, 50.0, "motor", IMX708, (1280, 960), PI),
    Camera("Camera Module 2", (3280, 2464), 1.12, 3.04, (62.2, 48.8), 2.0, 100.0, "by hand", IMX219, (1280, 960), PI),
    # Its maker gives 78 degrees across the diagonal of 16:9, so 70.4 by 43.3, and no aperture. It has no mode of
    # 1280x960: if that is requested, its driver gives 1280x720.
    Camera(
        "Logitech C920",
        (1920, 1080),
        2.8,
        3.67,
        (70.4, 43.3),
        2.0,
        200.0,
        "motor",
        _c920_modes(),
        (1600, 896),
        "maker's field of view; aperture assumed; sizes of its MJPEG",
    ),
)


@dataclass(frozen=True, slots=True)
class View:
    """What a camera sees of the tray.

    Attributes:
        camera: Which.
        mode: The mode that its sensor is read in.
        focal_px: Focal length in pixels of the picture that is read, focused on dice.
        lens_mm: Lens above the floor.
        field_mm: Width and depth of the floor's plane in the picture.
        spare_mm: From the floor's nearest edge to the picture's.
        px_per_mm: On the floor.
        die_px: Edge of the top face of a die of 16 mm in the picture's middle.
        lean_px: How far a side face at the floor's corner shows: top edge against bottom edge of the same die.
        sharp_mm: Nearest and farthest distance from the lens that is sharp to one pixel, focused on dice's top faces.
        dioptres: That focus, as the camera's control takes it.
    """

    camera: Camera
    mode: Mode
    focal_px: float
    lens_mm: float
    field_mm: tuple[float, float]
    spare_mm: float
    px_per_mm: float
    die_px: float
    lean_px: float
    sharp_mm: tuple[float, float]
    dioptres: float


def mode_of(camera: Camera) -> Mode:
    """Return the mode in which the tray reads the sensor, as `device` chooses it.

    Returns:
        The smallest one that is at least as large as the picture and reads all of the field that its shape allows.

    Raises:
        ValueError: There is none.
    """
    for mode in sorted(camera.modes, key=lambda one: one.size_px[0] * one.size_px[1]):
        large = all(side >= wanted for side, wanted in zip(mode.size_px, camera.picture_px, strict=True))
        shape = mode.size_px[0] / mode.size_px[1]
        whole = (
            min(camera.sensor_px[0], camera.sensor_px[1] * shape),
            min(camera.sensor_px[1], camera.sensor_px[0] / shape),
        )
        if large and all(seen > 0.99 * side for seen, side in zip(mode.field_px, whole, strict=True)):
            return mode
    raise ValueError(f"{camera.name} has no mode of {camera.picture_px} that sees its whole field")


def cut_px(camera: Camera) -> tuple[float, float]:
    """Return the columns and rows of the sensor in the picture: the mode's field cut to the picture's shape."""
    columns, rows = mode_of(camera).field_px
    shape = camera.picture_px[0] / camera.picture_px[1]
    return min(columns, rows * shape), min(rows, columns / shape)


def focal_px_of(camera: Camera, focused_mm: float = math.inf) -> float:
    """Return the focal length in pixels of the picture, for a lens focused at this distance."""
    sensor_focals = [camera.focal_mm * 1000.0 / camera.pitch_um]
    for side, degrees in zip(camera.sensor_px, camera.field_deg, strict=True):
        sensor_focals.append(side / 2.0 / math.tan(math.radians(degrees / 2.0)))
    breathing = 1.0 if math.isinf(focused_mm) else focused_mm / (focused_mm - camera.focal_mm)
    return max(sensor_focals) * camera.picture_px[1] / cut_px(camera)[1] * breathing


def field_mm_of(camera: Camera, lens_mm: float) -> tuple[float, float]:
    """Return the width and depth of the floor in the picture, focused on the top faces of dice."""
    focal_px = focal_px_of(camera, lens_mm - DIE_MM)
    return camera.picture_px[0] / focal_px * lens_mm, camera.picture_px[1] / focal_px * lens_mm


def lens_height_mm(camera: Camera) -> float:
    """Return the lowest lens height, in whole centimetres, that shows the floor with its margin and is in focus."""
    lens_mm = math.ceil((camera.nearest_mm + DIE_MM) / HEIGHT_STEP_MM) * HEIGHT_STEP_MM
    while any(seen < floor * MARGIN for seen, floor in zip(field_mm_of(camera, lens_mm), FLOOR_MM, strict=True)):
        lens_mm += HEIGHT_STEP_MM
    return lens_mm


def sharpness_mm(camera: Camera, focused_mm: float) -> tuple[float, float]:
    """Return the nearest and farthest distance that is sharp to one pixel of the picture."""
    blur_mm = camera.pitch_um / 1000.0 * cut_px(camera)[1] / camera.picture_px[1]
    hyperfocal_mm = camera.focal_mm**2 / (camera.f_number * blur_mm) + camera.focal_mm
    near = focused_mm * (hyperfocal_mm - camera.focal_mm) / (hyperfocal_mm + focused_mm - 2.0 * camera.focal_mm)
    beyond = hyperfocal_mm - focused_mm
    far = focused_mm * (hyperfocal_mm - camera.focal_mm) / beyond if beyond > 0.0 else math.inf
    return near, far


def view_of(camera: Camera) -> View:
    """Return what a camera sees from its lowest place."""
    lens_mm = lens_height_mm(camera)
    focused_mm = lens_mm - DIE_MM
    focal_px = focal_px_of(camera, focused_mm)
    field_mm = field_mm_of(camera, lens_mm)
    corner_mm = math.hypot(*(side / 2.0 for side in FLOOR_MM))
    return View(
        camera=camera,
        mode=mode_of(camera),
        focal_px=focal_px,
        lens_mm=lens_mm,
        field_mm=field_mm,
        spare_mm=min((seen - floor) / 2.0 for seen, floor in zip(field_mm, FLOOR_MM, strict=True)),
        px_per_mm=focal_px / lens_mm,
        die_px=DIE_MM * focal_px / focused_mm,
        lean_px=corner_mm * focal_px * (1.0 / focused_mm - 1.0 / lens_mm),
        sharp_mm=sharpness_mm(camera, focused_mm),
        dioptres=1000.0 / focused_mm,
    )


COLUMNS = (
    "camera",
    "focus",
    "sensor_mode_px",
    "picture_px",
    "lens_above_floor_mm",
    "field_width_mm",
    "field_depth_mm",
    "spare_mm",
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
                "{}x{}".format(*view.mode.size_px),
                "{}x{}".format(*camera.picture_px),
                f"{view.lens_mm:.0f}",
                *(f"{side:.0f}" for side in view.field_mm),
                f"{view.spare_mm:.0f}",
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
