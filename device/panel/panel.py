"""The panel: two buttons and a row of lamps on the pins of a Raspberry Pi, through gpiozero.

A thread of the panel opens the pins, samples the buttons and drives the lamps' patterns. It calls the callbacks, which
may only post an event. Pins that do not open, or stop answering, are a fault and are tried again with growing pauses.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from types import TracebackType
from typing import Annotated, Any, Self, TypeAlias

from pydantic import Field

from device.backoff import Backoff
from device.errors import DeviceError
from device.game.buttons import BUTTONS, RESET, Button
from device.game.lamps import ALL_DARK, LAMP_NAMES, Lamp, LightPlan, Pattern, PatternParams, lamp_level, shine
from device.panel.debounce import ButtonMoved, ButtonParams, Debouncer, Edge
from device.panel.pins import PinFactory, close_pins
from device.section import Positive, section

RETRY_S, MAX_RETRY_S = 1.0, 30.0
"""Pause before pins that do not answer are opened again, in seconds; doubles up to the second number."""

LOWEST_PIN, HIGHEST_PIN = 2, 27
"""GPIO numbers (BCM) of the Pi's header."""

Pin: TypeAlias = Annotated[int, Field(ge=LOWEST_PIN, le=HIGHEST_PIN)]

FORBIDDEN_PINS = {
    0: "HAT EEPROM",
    1: "HAT EEPROM",
    2: "I2C",
    3: "I2C",
    7: "SPI",
    8: "SPI",
    9: "SPI",
    10: "SPI",
    11: "SPI",
    12: "audio",
    13: "audio",
    14: "UART",
    15: "UART",
    18: "audio",
    19: "audio",
    20: "audio",
    21: "audio",
}
"""GPIO numbers (BCM) reserved for the Pi's other interfaces; the table is in hardware/."""


@section
class PanelParams:
    """Pins and timing of the panel. GPIO numbers are BCM's, 2 to 27.

    Attributes:
        push_pin: Pin of the push button, which connects this pin to ground.
        reset_pin: Pin of the reset button, which connects this pin to ground.
        ready_pin: Pin of the lamp `ready`.
        reading_pin: Pin of the lamp `reading`.
        push_allowed_pin: Pin of the lamp `push_allowed`, which is in or next to the push button.
        success_pin: Pin of the lamp `success`.
        trouble_pin: Pin of the lamp `trouble`. Older builds have it on 5.
        buttons_pull_up: Buttons pull to ground against the Pi's own pull-up. `false`: they pull to 3.3 V.
        lamps_active_high: A lamp is on while its pin is high. `false` for lamps wired to 3.3 V.
        brightness: Brightness of every lamp, 0 to 1 (PWM duty). LEDs behind clear caps dazzle at 1 in a dim room.
        pwm_hz: PWM frequency; under 90 flicker shows in a camera's picture, over 1000 software PWM costs time.
        settle_s: A button's level counts once it has been stable this long. 0.005 to 0.05 is usual: shorter lets bounce
            through (tactile switches bounce 1 to 10 ms), longer loses quick taps (a brisk one lasts 50 ms).
        calibrate_hold_s: Seconds to hold reset before releasing it, to calibrate again.
        shutdown_hold_s: Seconds to hold reset for a safe shutdown; `inf` for never.
        patterns: Rhythm of the lamps.
        tick_s: Pause between two samples of the buttons; at most half of `settle_s`.
    """

    push_pin: Pin = 17
    reset_pin: Pin = 27
    ready_pin: Pin = 22
    reading_pin: Pin = 23
    push_allowed_pin: Pin = 24
    success_pin: Pin = 25
    trouble_pin: Pin = 26
    buttons_pull_up: bool = True
    lamps_active_high: bool = True
    brightness: Annotated[float, Field(gt=0.0, le=1.0)] = 0.6
    pwm_hz: Annotated[int, Field(ge=90, le=1000)] = 200
    settle_s: Annotated[float, Field(ge=0.002, le=0.1)] = 0.02
    calibrate_hold_s: Annotated[float, Field(ge=0.5)] = 2.0
    shutdown_hold_s: Annotated[float, Field(allow_inf_nan=True)] = 8.0
    patterns: PatternParams = field(default_factory=PatternParams)
    tick_s: Positive = 0.01

    def __post_init__(self) -> None:
        taken: dict[int, str] = {}
        for name, pin in self.pins():
            if pin in FORBIDDEN_PINS:
                raise ValueError(f"{name} is {pin}, which belongs to {FORBIDDEN_PINS[pin]}: choose {_free_pins()}")
            if pin in taken:
                raise ValueError(f"{name} is {pin}, which {taken[pin]} uses already: give each its own pin")
            taken[pin] = name
        if not self.calibrate_hold_s < self.shutdown_hold_s:  # in this form nan is refused as well
            raise ValueError(
                f"calibrate_hold_s is {self.calibrate_hold_s:g}, must be less than shutdown_hold_s, which is "
                f"{self.shutdown_hold_s:g}"
            )
        if self.tick_s > self.settle_s / 2.0:
            raise ValueError(f"tick_s is {self.tick_s:g}, must be at most half of settle_s, which is {self.settle_s:g}")

    def pins(self) -> tuple[tuple[str, int], ...]:
        """Return each part's setting name and its pin: buttons first, then lamps in panel order."""
        lamps = tuple((f"{name}_pin", self.lamp_pin(name)) for name in LAMP_NAMES)
        return (*((f"{name}_pin", pin) for name, pin in self.button_pins()), *lamps)

    def button_pins(self) -> tuple[tuple[str, int], ...]:
        return tuple((name, getattr(self, f"{name}_pin")) for name in BUTTONS)

    def lamp_pin(self, name: str) -> int:
        return int(getattr(self, f"{name}_pin"))


def _free_pins() -> str:
    return ", ".join(str(pin) for pin in range(LOWEST_PIN, HIGHEST_PIN + 1) if pin not in FORBIDDEN_PINS)


Callback: TypeAlias = Callable[[], object]


def _nothing() -> None:
    pass


def _unreported(text: str | None) -> None:
    del text


class Panel:
    """Buttons and a row of lamps.

    A button is reported when it is pressed. Reset is reported when it is released, because it has three meanings: a
    tap resets, two seconds calibrate, eight shut down (reported while it is still down). While it is down the lamps
    show the progress: all slow from the calibration time, all fast from the shutdown time.
    """

    def __init__(
        self,
        params: PanelParams,
        open_pins: Callable[[], PinFactory] | None,
        on_press: Callable[[Button], object],
        *,
        on_calibrate: Callback = _nothing,
        on_shutdown: Callback = _nothing,
        on_fault: Callable[[str | None], None] = _unreported,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare; nothing is opened yet.

        Args:
            open_pins: Opens the pins, which the panel closes; None for a tray without a panel.
            on_fault: Called on the panel's thread with the fault and its cure when the pins do not answer, and with
                None when they work.
        """
        self._params = params
        self._open_pins = open_pins
        self._clock = clock
        self._plan = ALL_DARK
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._on_press = on_press
        self._on_calibrate = on_calibrate
        self._on_shutdown = on_shutdown
        self._on_fault = on_fault
        self._factory: PinFactory | None = None
        self._buttons: dict[str, Debouncer] = {}
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, Any] = {}
        self._levels: dict[str, float] = {}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the thread that samples buttons and drives lamps. Does nothing without a panel."""
        if self._open_pins is None or self._thread is not None:
            return
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)
        self._thread.start()

    def show(self, plan: LightPlan) -> None:
        """Show this plan from now on. Never blocks on hardware; any thread."""
        with self._lock:
            self._plan = plan

    def tick(self, now_s: float | None = None) -> None:
        """Open the pins if need be, sample the buttons, report changes, set the lamps; the thread repeats this.

        Raises:
            DeviceError: The pins do not open or do not answer; the next call opens them again.
        """
        if self._open_pins is None or self._stopping.is_set():
            return
        try:
            if self._factory is None:
                self._take_pins(self._open_pins())
            self._sample(self._clock() if now_s is None else now_s)
        except DeviceError:
            self._release_pins()
            raise

    def _sample(self, t_s: float) -> None:
        try:
            down = {name: bool(pin.is_active) for name, pin in self._inputs.items()}
        except Exception as error:
            raise DeviceError(f"the panel's buttons do not answer ({error}): check its cable") from error
        for name, button in BUTTONS.items():
            for moved in self._buttons[name].sample(down[name], t_s):
                if button is RESET:
                    self._reset_moved(moved)
                elif moved.edge is Edge.PRESSED:
                    self._on_press(button)
        self._set_lamps(t_s)

    def _reset_moved(self, moved: ButtonMoved) -> None:
        if moved.edge is Edge.HELD:
            self._on_shutdown()
        elif moved.edge is Edge.RELEASED and moved.held_s < self._params.calibrate_hold_s:
            self._on_press(RESET)
        elif moved.edge is Edge.RELEASED and moved.held_s < self._params.shutdown_hold_s:
            self._on_calibrate()

    def close(self) -> None:
        """Turn off all lamps and release the pins. Safe to call twice."""
        self._stopping.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)
        self._release_pins()

    def _take_pins(self, factory: PinFactory) -> None:
        from gpiozero import PWMLED, InputDevice  # noqa: PLC0415 - loads only with a panel

        params = self._params
        self._factory = factory
        self._buttons = {name: Debouncer(ButtonParams(params.settle_s)) for name in BUTTONS}
        self._buttons[RESET.name] = Debouncer(ButtonParams(params.settle_s, (params.shutdown_hold_s,)))
        try:
            for name, pin in params.button_pins():
                self._inputs[name] = InputDevice(pin, pull_up=params.buttons_pull_up, pin_factory=factory)
            for name in LAMP_NAMES:
                self._outputs[name] = PWMLED(
                    params.lamp_pin(name),
                    active_high=params.lamps_active_high,
                    frequency=params.pwm_hz,
                    pin_factory=factory,
                )
                self._levels[name] = 0.0
        except Exception as error:
            cure = "look for another program that uses them, or choose others under [panel.wiring]"
            raise DeviceError(f"the panel's pins cannot be taken ({error}): {cure}") from error

    def _release_pins(self) -> None:
        for part in (*self._inputs.values(), *self._outputs.values()):
            with suppress(Exception):
                part.close()
        self._inputs.clear()
        self._outputs.clear()
        if self._factory is not None:
            close_pins(self._factory)
        self._factory = None

    def _run(self) -> None:
        pauses = Backoff(RETRY_S, MAX_RETRY_S)
        pause_s = 0.0
        while not self._stopping.wait(pause_s):
            try:
                is_news = self._factory is None
                self.tick()
            except DeviceError as error:
                self._on_fault(str(error))
                pause_s = pauses.pause_s
                pauses.grow()
            else:
                pause_s = self._params.tick_s
                pauses.reset()
                if is_news:
                    self._on_fault(None)

    def _set_lamps(self, t_s: float) -> None:
        with self._lock:
            plan = self._plan
        held_s = self._buttons[RESET.name].held_s(t_s)
        for name, planned in plan.lamps():
            level = lamp_level(_held_lamp(planned, held_s, self._params), t_s, self._params.patterns)
            level *= self._params.brightness
            if level == self._levels[name]:
                continue
            try:
                self._outputs[name].value = level
            except Exception as error:
                raise DeviceError(f"lamp {name} does not answer ({error}): check the panel's cable") from error
            self._levels[name] = level


def _held_lamp(planned: Lamp, held_s: float, params: PanelParams) -> Lamp:
    """Return a lamp's state while reset is down: it shows when to release it."""
    if held_s >= params.shutdown_hold_s:
        return shine(Pattern.FAST)
    if held_s >= params.calibrate_hold_s:
        return shine(Pattern.SLOW)
    return planned
