"""A lamp and button test for a person to watch: one lamp after another, then each button."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TextIO

from device.check import Check, CheckStatus
from device.game.buttons import BUTTONS, RESET
from device.game.lamps import ALL_DARK, LAMP_NAMES, LightPlan, Pattern, shine
from device.panel.panel import Panel, PanelParams
from device.panel.pins import PinFactory


@dataclass(frozen=True, slots=True)
class TrialParams:
    lamp_s: float = 1.5
    button_s: float = 15.0  # longest wait for a press, in seconds


class _Pressed:
    def __init__(self) -> None:
        self.buttons: set[str] = set()


def try_panel(
    params: PanelParams,
    open_pins: Callable[[], PinFactory],
    out: TextIO,
    trial: TrialParams | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], object] = time.sleep,
) -> tuple[Check, Check]:
    times = trial or TrialParams()
    pressed = _Pressed()
    panel = Panel(
        params,
        open_pins,
        lambda button: pressed.buttons.add(button.name),
        on_calibrate=lambda: pressed.buttons.add(RESET.name),
        clock=clock,
    )

    def run(seconds: float, until: Callable[[], bool]) -> None:
        ends_s = clock() + seconds
        while clock() < ends_s and not until():
            panel.tick()
            wait(params.tick_s)

    try:
        for name in LAMP_NAMES:
            out.write(f"lamp {name} shines now, on GPIO {params.lamp_pin(name)}\n")
            panel.show(replace(ALL_DARK, **{name: shine()}))
            run(times.lamp_s, lambda: False)
        every = LightPlan(*(shine(Pattern.SLOW) for _ in LAMP_NAMES))
        for button, pin in params.button_pins():
            out.write(f"press {button} (GPIO {pin}) within {times.button_s:.0f} seconds\n")
            panel.show(every)
            run(times.button_s, lambda name=button: name in pressed.buttons)  # type: ignore[misc]
    finally:
        panel.close()
    lights = Check("lights", CheckStatus.NOT_CHECKED, "each lamp was lit for you to see")
    missed = [button for button in BUTTONS if button not in pressed.buttons]
    if missed:
        named = " and ".join(missed)
        return (
            lights,
            Check("buttons", CheckStatus.FAIL, f"no press of {named} came", "check its wires, see hardware/"),
        )
    return (lights, Check("buttons", CheckStatus.OK, f"{' and '.join(BUTTONS)} were pressed"))
