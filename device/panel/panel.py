"""The panel: two buttons and a row of lamps on the pins of a Raspberry Pi, through gpiozero.

The kind of pins is named, never guessed: `gpio` are real ones, `mock` are gpiozero's fakes (for the simulation), `none`
is a tray without a panel, such as a laptop with a USB camera. Real pins that are unavailable are a fault with a cure,
so that buttons never silently do nothing.

A thread of the panel samples the buttons and drives the lamps' patterns. It calls the callbacks, which may only post an
event.
"""

import atexit
import importlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import field
from types import TracebackType
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import Field

from device.errors import BadInput, DeviceError
from device.game.buttons import BUTTONS, RESET, Button
from device.game.lamps import ALL_DARK, LAMP_NAMES, Lamp, LightPlan, Pattern, PatternParams, lamp_level, shine
from device.panel.debounce import ButtonMoved, ButtonParams, Debouncer, Edge
from device.section import Positive, section

PinFactory: TypeAlias = Any
"""A gpiozero pin factory; the library has no types."""

PinKind: TypeAlias = Literal["gpio", "mock", "none"]
"""Values of `[panel] pins` in the settings."""

PIN_KINDS: tuple[PinKind, ...] = get_args(PinKind)

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


def open_pins(kind: str) -> PinFactory | None:
    """Open the pins named in the settings.

    gpiozero's default (`Device.pin_factory` and the variable GPIOZERO_PIN_FACTORY) is not used: it falls back from one
    library to the next, down to one without PWM, and an environment left over from a test would give mock pins.
    """
    if kind == "none":
        return None
    if kind == "mock":
        from device.panel.mock_pins import open_mock_pins  # noqa: PLC0415 - only if it was named

        return open_mock_pins()
    if kind != "gpio":
        raise BadInput(f"panel.pins is {kind!r}, must be one of {', '.join(PIN_KINDS)}")
    _give_lgpio_a_folder()
    try:
        factory = importlib.import_module("gpiozero.pins.lgpio").LGPIOFactory
    except ImportError as error:
        raise DeviceError(
            f"no pin library ({error}): run sudo apt install python3-lgpio, or set panel.pins to none"
        ) from error
    except Exception as error:  # importing lgpio starts a thread and opens its pipe
        raise DeviceError(
            f"the pin library does not load ({type(error).__name__}: {error}): "
            "run sudo apt install --reinstall python3-lgpio, or set panel.pins to none"
        ) from error
    try:
        return factory()
    except Exception as error:
        raise DeviceError(
            f"the GPIO pins do not open ({error}): is this a Raspberry Pi, and the user in group gpio? "
            "Otherwise set panel.pins to none"
        ) from error


def _give_lgpio_a_folder() -> None:
    """Make lgpio create its pipe in a temporary folder; on import it creates one in LG_WD or the working folder.

    The working folder may be a clone, where the pipe is left behind, or read-only, where no pin opens.
    """
    if os.environ.get("LG_WD"):
        return
    try:
        folder = tempfile.mkdtemp(prefix="pushtray-lgpio-")
    except OSError as error:
        raise DeviceError(
            f"the pin library gets no folder for its pipe ({error}): make room for temporary files in /tmp"
        ) from error
    os.environ["LG_WD"] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


Callback: TypeAlias = Callable[[], object]


def _nothing() -> None:
    pass


def _unreported(text: str) -> None:
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
        pin_factory: PinFactory | None,
        on_press: Callable[[Button], object],
        *,
        on_calibrate: Callback = _nothing,
        on_shutdown: Callback = _nothing,
        on_fault: Callable[[str], None] = _unreported,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set up the pins.

        Args:
            on_fault: Called once with the fault and its cure if the pins stop answering; the thread then ends, and a
                new panel is needed.
        """
        self._params = params
        self._clock = clock
        self._plan = ALL_DARK
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._on_press = on_press
        self._on_calibrate = on_calibrate
        self._on_shutdown = on_shutdown
        self._on_fault = on_fault
        self._buttons = {name: Debouncer(ButtonParams(params.settle_s)) for name in BUTTONS}
        self._buttons[RESET.name] = Debouncer(ButtonParams(params.settle_s, (params.shutdown_hold_s,)))
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, Any] = {}
        self._levels: dict[str, float] = {}
        self._factory = pin_factory
        if pin_factory is not None:
            self._take_pins(pin_factory)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the thread that samples buttons and drives lamps. Does nothing without parts."""
        if self._factory is None or self._thread is not None:
            return
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)
        self._thread.start()

    def show(self, plan: LightPlan) -> None:
        """Show this plan from now on. Never blocks on hardware; any thread."""
        with self._lock:
            self._plan = plan

    def tick(self, now_s: float | None = None) -> None:
        """Sample the buttons, report changes, and set the lamps; the thread repeats this."""
        t_s = self._clock() if now_s is None else now_s
        if self._factory is None:
            return
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
        for part in (*self._inputs.values(), *self._outputs.values()):
            part.close()
        self._inputs.clear()
        self._outputs.clear()
        self._factory = None

    def _take_pins(self, factory: PinFactory) -> None:
        from gpiozero import PWMLED, InputDevice  # noqa: PLC0415 - loads only with a panel

        params = self._params
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
            self.close()
            raise DeviceError(f"the panel's pins cannot be taken ({error}): is another pushtray running?") from error

    def _run(self) -> None:
        while not self._stopping.wait(self._params.tick_s):
            try:
                self.tick()
            except DeviceError as error:
                self._on_fault(str(error))
                return

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
