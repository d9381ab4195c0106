"""What the lamps show of the tray's state, as a plan. Pure: no pins, no clock.

Lamps differ by position and pattern, never by colour alone:

| state           | ready  | reading | push_allowed | success | trouble |
|-----------------|--------|---------|--------------|---------|---------|
| empty           | steady |         |              |         |         |
| rolling         |        | fast    |              |         |         |
| unclear         |        | slow    | steady if eligible |   | slow, but dark while a face is to be typed in |
| scored          | steady |         | steady if eligible | steady if successful | slow if something is wrong |
| awaiting_push   |        |         | slow         |         | slow if something is wrong |
| resolved        | steady |         | steady if eligible | steady if successful | slow if something is wrong |
| fault           |        |         |              |         | fast    |
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from device.game import snapshot_model as seen
from device.section import Positive, section

STATES = ("empty", "rolling", "unclear", "scored", "awaiting_push", "resolved", "fault")
"""The state names of a snapshot, each of which has its row above."""


class Pattern(StrEnum):
    STEADY = "steady"
    SLOW = "slow"
    FAST = "fast"


@section
class PatternParams:
    """How lamps and ring blink.

    Attributes:
        slow_hz: Blinks a second of `slow`. 0.3 to 1.5: below 2 Hz it reads as "waiting", not as an alarm.
        fast_hz: Blinks a second of `fast`. 2 to 5, and at least three times `slow_hz`, so that the two cannot be
            confused; kept under 3 Hz more or less, above which flicker can trouble people with photosensitive
            epilepsy (WCAG 2.3.1 draws the line at three flashes a second).
        on_fraction: Part of each blink during which the lamp is lit, 0.3 to 0.7.
    """

    slow_hz: Positive = 0.7
    fast_hz: Positive = 2.8
    on_fraction: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.5

    def __post_init__(self) -> None:
        if self.fast_hz < 3.0 * self.slow_hz:
            raise ValueError(
                f"slow_hz is {self.slow_hz:g} and fast_hz {self.fast_hz:g}: fast must be 3 times slow or more"
            )


@dataclass(frozen=True, slots=True)
class Lamp:
    lit: bool = False
    pattern: Pattern = Pattern.STEADY
    # brightness as a share of what the panel's own setting allows, 0 to 1; 0 where the lamp is not lit
    brightness: float = 0.0


DARK = Lamp()


def shine(pattern: Pattern = Pattern.STEADY, brightness: float = 1.0) -> Lamp:
    if not 0.0 < brightness <= 1.0:
        raise ValueError(f"brightness of a lit lamp is {brightness:g}, must be above 0 and at most 1")
    return Lamp(True, pattern, brightness)


@dataclass(frozen=True, slots=True)
class LightPlan:
    """What each lamp does until the next plan: a field for each, in the order they sit on the panel, left to right."""

    ready: Lamp = DARK
    reading: Lamp = DARK
    push_allowed: Lamp = DARK
    success: Lamp = DARK
    trouble: Lamp = DARK

    def lamps(self) -> Iterator[tuple[str, Lamp]]:
        """Return each lamp with its name, in the order they sit on the panel."""
        return ((name, getattr(self, name)) for name in LAMP_NAMES)

    def to_json(self) -> dict[str, seen.Lamp]:
        return {
            name: {"lit": lamp.lit, "pattern": lamp.pattern.value, "brightness": lamp.brightness}
            for name, lamp in self.lamps()
        }


LAMP_NAMES = tuple(field.name for field in fields(LightPlan))
"""The lamps in panel order, left to right; every other list of lamps comes from here."""

ALL_DARK = LightPlan()
"""All lamps off: the tray is off or has just stopped."""


@dataclass(frozen=True, slots=True)
class LampView:
    state: str
    push_eligible: bool = False
    success: bool = False
    # whether a person must look at something: a wrong push, a foreign object, a dark picture
    trouble: bool = False
    waits: bool = False


def plan_lights(view: LampView) -> LightPlan:
    """Plan what each lamp does in a state; the table stands at the top of this module.

    Returns:
        The plan. `push_allowed` is steady only if a press would be accepted, and slow while the pushed dice are
        awaited. A fault is the only state with a fast `trouble`.
    """
    trouble = shine(Pattern.SLOW) if view.trouble else DARK
    success = shine() if view.success else DARK
    push_allowed = shine() if view.push_eligible else DARK
    match view.state:
        case "empty":
            return LightPlan(ready=shine(), trouble=trouble)
        case "rolling":
            return LightPlan(reading=shine(Pattern.FAST), trouble=trouble)
        case "unclear":
            unclear = DARK if view.waits else shine(Pattern.SLOW)
            return LightPlan(reading=shine(Pattern.SLOW), push_allowed=push_allowed, trouble=unclear)
        case "scored" | "resolved":
            return LightPlan(ready=shine(), push_allowed=push_allowed, success=success, trouble=trouble)
        case "awaiting_push":
            return LightPlan(push_allowed=shine(Pattern.SLOW), trouble=trouble)
        case "fault":
            return LightPlan(trouble=shine(Pattern.FAST))
        case _:
            raise ValueError(f"no lamps are planned for state {view.state!r}: one of {', '.join(STATES)}")


def lamp_level(lamp: Lamp, t_s: float, params: PatternParams) -> float:
    """Return how bright a lamp is at one moment.

    All lamps count from the same zero, so equal patterns blink together.

    Returns:
        0 to 1.
    """
    if not lamp.lit:
        return 0.0
    if lamp.pattern is Pattern.STEADY:
        return lamp.brightness
    rate_hz = params.slow_hz if lamp.pattern is Pattern.SLOW else params.fast_hz
    return lamp.brightness if (t_s * rate_hz) % 1.0 < params.on_fraction else 0.0
