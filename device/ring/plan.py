"""The plan of the light ring round the floor. Pure: no port, no clock.

White and steady is its normal light, for reading. During a push it points: the arc nearest to each die that must be
picked up blinks slowly, a shorter one at each kept die is steady. Success, trauma and fault differ by rhythm and shape
before colour:

| what                | whole ring            | arcs                                    |
|---------------------|-----------------------|-----------------------------------------|
| reading, waiting    | white, steady         |                                         |
| push awaited        | dim white, steady     | pick up: long, slow; kept: short, steady; two points where it costs |
| all of it picked up | white, steady         |                                         |
| success             | slow                  |                                         |
| trauma              | white, steady         | four quarters, every other one fast     |
| fault               | fast                  |                                         |
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from device.game.lamps import STATES, Pattern
from device.section import section

Light: TypeAlias = Annotated[int, Field(ge=0, le=255)]
Rgb: TypeAlias = tuple[Light, Light, Light]
RingShape: TypeAlias = Literal["rectangle", "round"]
SideMm: TypeAlias = Annotated[float, Field(ge=50.0, le=2000.0)]
NotNegative: TypeAlias = Annotated[float, Field(ge=0.0)]
PointMm: TypeAlias = tuple[float, float]
"""On the floor: origin at its centre, x to the right, y away from the viewer of an upright picture."""


class Wanted(StrEnum):
    PICK = "pick"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class RingDie:
    """A die that the ring points to.

    Attributes:
        costs: Whether it is marked as one that costs: it then has two points with a gap between them.
    """

    at_mm: PointMm
    wanted: Wanted
    costs: bool = False


@section
class RingParams:
    """Shape and colours of the ring.

    Attributes:
        leds: Number of LEDs on the strip.
        shape: Shape of the strip. For a hexagon or octagon, `round` is close enough.
        size_mm: Width and depth of the strip's run; equal if it is round.
        start_mm: Distance along the strip's run from its beginning to the first LED, clockwise seen from above. The run
            begins at the far left corner of a rectangle, and at the far point of a circle.
        clockwise: Whether the LEDs run clockwise, seen from above.
        white_rgb: Colour of the light for reading.
        pick_rgb: Colour at dice that must be picked up.
        keep_rgb: Colour at dice that stay.
        success_rgb: Colour of a success.
        trauma_rgb: Colour of a push that caused trauma.
        fault_rgb: Colour of a fault.
        brightness: Brightness of the whole ring, 1 to 255. At 255, each white LED draws 60 mA at 5 V: choose by your
            power supply.
        dim: Strength of the white around pointing arcs, dim enough to make them stand out.
        pick_arc_mm: Length of the arc at a die that must be picked up; a die's edge is 16.
        keep_arc_mm: Length of the arc at a kept die.
        point_s: Seconds the ring points at most. It stops sooner once dice or a hand have moved and lie still again,
            since nothing is read meanwhile.
        cheer_s: Seconds the ring shows success or harm at most. It stops sooner once dice or a hand have moved and lie
            still again.
        max_stretches: Greatest number of segments: WLED keeps 16 on an ESP8266 and 32 on an ESP32.
    """

    leds: Annotated[int, Field(ge=8, le=300)] = 60
    shape: RingShape = "rectangle"
    size_mm: tuple[SideMm, SideMm] = (280.0, 220.0)
    start_mm: float = 0.0
    clockwise: bool = True
    white_rgb: Rgb = (255, 255, 255)
    pick_rgb: Rgb = (255, 120, 0)
    keep_rgb: Rgb = (0, 70, 255)
    success_rgb: Rgb = (0, 255, 60)
    trauma_rgb: Rgb = (255, 0, 120)
    fault_rgb: Rgb = (255, 0, 0)
    brightness: Annotated[int, Field(ge=1, le=255)] = 160
    dim: Annotated[float, Field(ge=0.0, le=1.0)] = 0.12
    pick_arc_mm: NotNegative = 50.0
    keep_arc_mm: NotNegative = 18.0
    point_s: NotNegative = 4.0
    cheer_s: NotNegative = 1.5
    max_stretches: Annotated[int, Field(ge=2, le=32)] = 16


@dataclass(frozen=True, slots=True)
class RingView:
    state: str
    success: bool = False
    harm: bool = False
    dice: tuple[RingDie, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring LEDs with the same light."""

    start: int
    stop: int
    rgb: Rgb
    pattern: Pattern = Pattern.STEADY


@dataclass(frozen=True, slots=True)
class RingPlan:
    stretches: tuple[Stretch, ...]
    brightness: int  # brightness of the whole ring, 1 to 255
    passes_s: float | None = None  # seconds after which the plan is replaced by white; None if it stays

    @property
    def disturbs_reading(self) -> bool:
        """Whether pictures under this light are coloured or flicker, so that readings cannot be trusted."""
        return any(one.pattern is not Pattern.STEADY or len(set(one.rgb)) > 1 for one in self.stretches)


def white_plan(params: RingParams) -> RingPlan:
    return RingPlan((Stretch(0, params.leds, params.white_rgb),), params.brightness)


def plan_ring(view: RingView, params: RingParams) -> RingPlan:
    """Return the ring's plan for a state; the table is at the top of this module."""
    if view.state not in STATES:
        raise ValueError(f"no ring is planned for state {view.state!r}: one of {', '.join(STATES)}")
    if view.state == "fault":
        return RingPlan((Stretch(0, params.leds, params.fault_rgb, Pattern.FAST),), params.brightness)
    if view.state == "awaiting_push":
        if all(die.wanted is Wanted.KEEP for die in view.dice):
            return white_plan(params)  # all in the hand already, or their place is unknown: the throw may come at once
        dim_white = Stretch(0, params.leds, _dimmed(params.white_rgb, params.dim))
        return RingPlan((dim_white, *_pointing(view.dice, params)), params.brightness, params.point_s)
    if view.state in ("scored", "resolved") and view.harm:
        quarters = [round(quarter * params.leds / 8) for quarter in range(9)]
        arcs = (Stretch(quarters[at], quarters[at + 1], params.trauma_rgb, Pattern.FAST) for at in (0, 2, 4, 6))
        return RingPlan((Stretch(0, params.leds, params.white_rgb), *arcs), params.brightness, params.cheer_s)
    if view.state in ("scored", "resolved") and view.success:
        slow = Stretch(0, params.leds, params.success_rgb, Pattern.SLOW)
        return RingPlan((slow,), params.brightness, params.cheer_s)
    return white_plan(params)


def led_positions_mm(params: RingParams) -> tuple[PointMm, ...]:
    run_mm = _run_length_mm(params)
    step_mm = run_mm / params.leds * (1.0 if params.clockwise else -1.0)
    return tuple(_point_on_run(params, params.start_mm + index * step_mm) for index in range(params.leds))


def nearest_led(at_mm: PointMm, params: RingParams) -> int:
    """Return the LED nearest to a place on the floor; the first of equals."""
    x_mm, y_mm = at_mm
    positions = led_positions_mm(params)
    return min(range(params.leds), key=lambda led: math.hypot(positions[led][0] - x_mm, positions[led][1] - y_mm))


def _pointing(dice: tuple[RingDie, ...], params: RingParams) -> list[Stretch]:
    """Return the arcs at the dice without overlaps: where two meet, the die that must be picked up wins."""
    pitch_mm = _run_length_mm(params) / params.leds
    shown: list[Wanted | None] = [None] * params.leds
    for wanted, arc_mm in ((Wanted.KEEP, params.keep_arc_mm), (Wanted.PICK, params.pick_arc_mm)):
        reach = max(0, round((arc_mm / pitch_mm - 1.0) / 2.0))
        for die in dice:
            if die.wanted is wanted:
                middle = nearest_led(die.at_mm, params)
                arc = range(middle - reach, middle + reach + 1)
                for led in (middle - reach - 1, middle + reach + 1) if die.costs else arc:
                    shown[led % params.leds] = wanted
    arcs: list[Stretch] = []
    for led, wanted_here in enumerate(shown):
        if wanted_here is None:
            continue
        rgb, pattern = (
            (params.pick_rgb, Pattern.SLOW) if wanted_here is Wanted.PICK else (params.keep_rgb, Pattern.STEADY)
        )
        if arcs and arcs[-1].stop == led and arcs[-1].rgb == rgb:
            arcs[-1] = Stretch(arcs[-1].start, led + 1, rgb, pattern)
        else:
            arcs.append(Stretch(led, led + 1, rgb, pattern))
    # If there are more arcs than WLED supports, those of kept dice are dropped first: they need no action.
    arcs.sort(key=lambda arc: arc.pattern is Pattern.STEADY)
    return arcs[: params.max_stretches - 1]


def _dimmed(rgb: Rgb, part: float) -> Rgb:
    red, green, blue = (round(channel * part) for channel in rgb)
    return (red, green, blue)


def _run_length_mm(params: RingParams) -> float:
    width_mm, depth_mm = params.size_mm
    if params.shape == "round":
        return math.pi * width_mm
    return 2.0 * (width_mm + depth_mm)


def _point_on_run(params: RingParams, way_mm: float) -> PointMm:
    width_mm, depth_mm = params.size_mm
    way_mm %= _run_length_mm(params)
    if params.shape == "round":
        angle = way_mm / (width_mm / 2.0)
        return (width_mm / 2.0 * math.sin(angle), width_mm / 2.0 * math.cos(angle))
    if way_mm < width_mm:
        return (way_mm - width_mm / 2.0, depth_mm / 2.0)
    way_mm -= width_mm
    if way_mm < depth_mm:
        return (width_mm / 2.0, depth_mm / 2.0 - way_mm)
    way_mm -= depth_mm
    if way_mm < width_mm:
        return (width_mm / 2.0 - way_mm, -depth_mm / 2.0)
    return (-width_mm / 2.0, way_mm - width_mm - depth_mm / 2.0)
