"""The route and length of each cable, and whether the listed one is long enough.

Places are in the frame of `parts/tray.scad`, millimetres: origin at the floor's middle on the base board, x to the
right, y away from the player, z up. Lengths to buy are in `wiring.yml` and `wiring-ring.yml`. `python
hardware/build.py` draws the routes and writes `cables.csv`. Only the standard library.
"""

import csv
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import scad

HERE = Path(__file__).resolve().parent

Point = tuple[float, float, float]

OFF_MM = 1.5
"""Distance of a cable's centre from the surface it lies on."""


@dataclass(frozen=True, slots=True)
class Route:
    """One cable's route.

    Attributes:
        name: As in the wiring.
        what: Description.
        colour: In the drawings.
        points: From end to end.
        ends_mm: Extra length for plugs, round bends, and opening things again.
        thick_mm: In the drawing; a ribbon's width.
    """

    name: str
    what: str
    colour: str
    points: tuple[Point, ...]
    ends_mm: float
    thick_mm: float

    @property
    def way_mm(self) -> float:
        """Length of the route."""
        return sum(math.dist(here, there) for here, there in zip(self.points, self.points[1:], strict=False))

    @property
    def needed_mm(self) -> float:
        """The shortest cable that is long enough."""
        return self.way_mm + self.ends_mm


def routes(values: dict[str, float] | None = None) -> tuple[Route, ...]:
    """Return the route of every cable.

    Args:
        values: Numbers of the drawing; those of `parts/tray.scad` if None.
    """
    v = scad.tray() if values is None else values
    return (_ribbon(v), *_panel(v), *_screen(v), *_ring(v))


def ribbon_reaches_mm(bought_mm: float) -> float:
    """Return the greatest lens height above the floor for a ribbon of this length, with the Pi in its stand."""
    v = scad.tray()
    low, high = 50.0, 2000.0
    while high - low > 0.5:
        lens_mm = (low + high) / 2.0
        rise = lens_mm - v["lens_h"]
        raised = v | {"lens_h": lens_mm} | {name: v[name] + rise for name in ("post_l", "boom_z", "plate_z")}
        low, high = (lens_mm, high) if _ribbon(raised).needed_mm <= bought_mm else (low, lens_mm)
    return low


def _ribbon(v: dict[str, float]) -> Route:
    top = v["boom_z"] + v["side"] / 2.0 + OFF_MM
    slot_y = v["plate_y"] - v["ribbon_slot"]
    board_z = v["plate_z"] - v["camera_gap"] + OFF_MM
    back_y = v["post_y"] + v["side"] / 2.0 + OFF_MM
    csi_z = v["pi_lift"] + v["pi_csi_up"]
    return Route(
        "CameraRibbon",
        "camera ribbon",
        "Crimson",
        (
            (0.0, -9.0, board_z),  # the connector at the camera board's front edge
            (0.0, slot_y, board_z),
            (0.0, slot_y, v["plate_z"] + v["plate_t"] + OFF_MM),
            (0.0, v["plate_y"] - OFF_MM, top),
            (0.0, back_y, top),
            (0.0, back_y, top - v["side"]),
            (0.0, v["pi_y"] + 18.0, csi_z + 40.0),  # past USB and network sockets
            (0.0, v["pi_y"] + 18.0, csi_z + 5.0),
            (0.0, v["pi_y"] + v["pi_csi_t"], csi_z),
        ),
        20.0,
        16.0,
    )


def _panel(v: dict[str, float]) -> tuple[Route, ...]:
    """Return the buttons and lamps: out of the box's back, round the frame's left side, to the Pi's header."""
    left = -v["outer_w"] / 2.0 - 8.0
    behind = v["outer_d"] / 2.0 + 4.0
    pins_x = v["pi_csi_x"] - 52.0
    ways = []
    for name, what, colour, x, pin_z, aside in (
        ("PushCable", "push button", "Gray", 45.0, 64.0, 0.0),
        ("ResetCable", "reset button", "DimGray", -45.0, 58.0, 2.5),
        ("LampCable", "lamps", "Goldenrod", 20.0, 64.0, -2.5),
    ):
        points = (
            (x, v["box_y"] - v["box_d"] / 2.0, v["box_h"] - 14.0),
            (aside, v["box_y"] - 4.0, 12.0),
            (aside, v["box_y"] + 10.0 + aside, 3.0),
            (left + aside, v["box_y"] + 10.0 + aside, 3.0),
            (left + aside, behind + aside, 3.0),
            (-57.0 + aside, behind + aside, 3.0),
            (-57.0 + aside, v["pi_y"] + 24.0, 20.0),
            (pins_x, v["pi_y"] + 24.0, v["pi_lift"] + pin_z),
            (pins_x, v["pi_y"] + 10.0, v["pi_lift"] + pin_z),
        )
        ways.append(Route(name, what, colour, points, 60.0, 2.5))
    return tuple(ways)


def _screen(v: dict[str, float]) -> tuple[Route, ...]:
    """Return the leads of a screen that stands on the table, right of the base board: from HDMI 0 and a USB socket."""
    back = (v["base_w"] / 2.0 + 110.0, 0.0, 40.0 - v["base_t"])
    corner = (v["base_w"] / 2.0 - 15.0, v["pi_y"] + 18.0, 4.0)
    video = (
        (v["pi_x"] + 29.0, v["pi_y"] + 2.0, v["pi_lift"] + 59.0),
        (v["pi_x"] + 60.0, v["pi_y"] + 2.0, v["pi_lift"] + 59.0),
        (v["pi_x"] + 75.0, v["pi_y"] + 10.0, 4.0),
        corner,
        back,
    )
    usb = (
        (v["pi_x"] - 1.0, v["pi_y"] + 9.0, v["pi_lift"] - 4.0),
        (v["pi_x"] - 1.0, v["pi_y"] + 9.0, v["pi_lift"] - 35.0),
        (v["pi_x"] + 20.0, v["stand_y"] + v["stand_d"] + 3.0, 12.0),
        (v["pi_x"] + 75.0, v["pi_y"] + 18.0, 4.0),
        corner,
        back,
    )
    return (
        Route("ScreenVideo", "screen's HDMI", "Indigo", video, 150.0, 5.0),
        Route("ScreenUSB", "screen's touch and power", "Teal", usb, 150.0, 4.0),
    )


def _ring(v: dict[str, float]) -> tuple[Route, ...]:
    x, y = v["ring_x"], v["ring_y"]
    small_z = 8.0  # over the small board
    hole_z = v["floor_z"] + v["ring_low"] + 3.0
    left = -v["outer_w"] / 2.0 - 14.0
    in_channel = -v["floor_w"] / 2.0 - 2.0
    usb_x = v["pi_csi_x"] - 46.0
    strip = (
        (x + 12.0, y - 10.0, small_z),
        (x + 12.0, v["outer_d"] / 2.0 + 7.0, 5.0),
        (left, v["outer_d"] / 2.0 + 7.0, 5.0),
        (left, 0.0, 5.0),
        (left, 0.0, hole_z),
        (in_channel, 0.0, hole_z),
    )
    behind = y + v["ring_d"] / 2.0 + 4.0
    return (
        Route("RingPower", "strip, 5 V and ground", "Red", strip, 40.0, 4.0),
        Route("RingData", "strip, data", "Green", tuple((a, b + 1.5, c + 1.5) for a, b, c in strip), 40.0, 1.5),
        Route(
            "RingBridge",
            "strip's beginning to its end",
            "Red",
            ((in_channel, 6.0, hole_z + 2.0), (in_channel, -6.0, hole_z + 2.0)),
            40.0,
            2.0,
        ),
        Route(
            "RingSignal",
            "ESP32 to level shifter",
            "Green",
            (
                (x - 27.4, y - 12.7, v["ring_plinth"] - 17.0),
                (x - 26.0, y - 14.0, 6.5),
                (x + 4.0, y - 16.0, 6.0),
                (x + 14.0, y - 12.0, small_z),
            ),
            40.0,
            2.0,
        ),
        Route(
            "SupplyPower",
            "fuse to level shifter",
            "Red",
            ((x - 20.0, behind, 6.0), (x + 12.0, behind, 6.0), (x + 32.0, y + 11.0, small_z)),
            40.0,
            4.0,
        ),
        Route(
            "RingUSB",
            "ring's USB",
            "RoyalBlue",
            (
                (usb_x, v["pi_y"] + 9.0, v["pi_lift"] - 4.0),
                (usb_x, v["pi_y"] + 9.0, v["pi_lift"] - 40.0),
                (usb_x, v["stand_y"] + 45.0, 10.0),
                (-60.0, v["stand_y"] + 45.0, 4.0),
                (x - 88.0, v["stand_y"] + 45.0, 4.0),
                (x - 88.0, y, v["ring_plinth"] + 3.0),
                (x - 57.0, y, v["ring_plinth"] + 3.0),
            ),
            80.0,
            4.0,
        ),
    )


WIRINGS = ("wiring", "wiring-ring")
"""The two wirings, by their file names."""


def bought_mm() -> dict[str, float]:
    """Return the length of each cable in the wirings, by name."""
    text = "".join((HERE / f"{name}.yml").read_text(encoding="utf-8") for name in WIRINGS)
    lengths = re.findall(r"^  (\w+): \{.*\blength: ([\d.]+)", text, re.MULTILINE)
    return {name: 1000.0 * float(metres) for name, metres in lengths}


COLUMNS = ("cable", "what", "way_mm", "needed_mm", "bought_mm")


def write_table(out: TextIO) -> None:
    """Write a line for each cable."""
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    bought = bought_mm()
    for route in routes():
        row = (f"{route.way_mm:.0f}", f"{math.ceil(route.needed_mm):.0f}", f"{bought[route.name]:.0f}")
        table.writerow((route.name, route.what, *row))


def write_file(path: Path) -> None:
    """Write the table to a file."""
    with path.open("w", encoding="utf-8", newline="") as out:
        write_table(out)


def to_scad(names: Collection[str]) -> str:
    """Return some of the routes as OpenSCAD's `cables`."""
    ways = (
        f'["{route.colour}",{route.thick_mm},[{",".join(f"[{x:.2f},{y:.2f},{z:.2f}]" for x, y, z in route.points)}]]'
        for route in routes()
        if route.name in names
    )
    return f"[{','.join(ways)}]"
