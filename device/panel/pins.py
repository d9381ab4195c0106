"""Open the pins named in the settings, through gpiozero.

Their kind is named, never guessed: `gpio` are real ones, `mock` are gpiozero's fakes (for the simulation), `none` is a
tray without a panel, such as a laptop with a USB camera.
"""

import atexit
import importlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from device.errors import DeviceError

PinFactory: TypeAlias = Any
"""A gpiozero pin factory; the library has no types."""

PinKind: TypeAlias = Literal["gpio", "mock", "none"]
"""Values of `[panel] pins` in the settings."""

HEADER_LABELS: Final = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""The kernel's names of the chip behind the 40-pin header: of a Pi 5, a Pi 4, and those before.

Its number is no name: on a Pi 5 it was 4, then 0, then one of 11 to 15.
"""

DEVICES: Final = Path("/dev")

_NO_PANEL: Final = "set panel.pins to none if this machine has no panel"


def open_pins(kind: Literal["gpio", "mock"]) -> PinFactory:
    """Open pins of this kind; `close_pins` closes them.

    gpiozero's default (`Device.pin_factory` and the variable GPIOZERO_PIN_FACTORY) is not used: it falls back from one
    library to the next, down to one without PWM, and an environment left over from a test would give mock pins. Nor is
    its default chip, which is chosen by number.
    """
    if kind == "mock":
        from device.panel.mock_pins import open_mock_pins  # noqa: PLC0415 - only if it was named

        return open_mock_pins()
    _give_lgpio_a_folder()
    try:
        library = importlib.import_module("gpiozero.pins.lgpio")
    except ImportError as error:
        raise DeviceError(f"no pin library ({error}): run sudo apt install python3-lgpio, or {_NO_PANEL}") from error
    except Exception as error:  # importing lgpio starts a thread and opens its pipe
        raise DeviceError(
            f"the pin library does not load ({type(error).__name__}: {error}): "
            f"run sudo apt install --reinstall python3-lgpio, or {_NO_PANEL}"
        ) from error
    chip = header_chip(library.lgpio)
    try:
        return library.LGPIOFactory(chip=chip)
    except Exception as error:
        raise DeviceError(f"the pins of gpiochip{chip} do not open ({error}): switch the Pi off and on") from error


def close_pins(factory: PinFactory) -> None:
    """Close pins and chip, even if they no longer answer: gpiozero would otherwise lend the same pins again."""
    for pin in list(factory.pins.values()):
        with suppress(Exception):
            pin.close()
    factory.pins.clear()
    with suppress(Exception):
        factory.close()


def header_chip(lgpio: Any) -> int:
    """Return the number of the chip behind the Pi's header, by its label.

    Args:
        lgpio: The pin library, or one with its functions.
    """
    names = [path.name.removeprefix("gpiochip") for path in DEVICES.glob("gpiochip*")]
    labels: list[str] = []
    refused: list[str] = []
    for number in sorted(int(name) for name in names if name.isdecimal()):
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error:
            refused.append(f"{DEVICES}/gpiochip{number}")
            continue
        try:
            label = str(lgpio.gpio_get_chip_info(handle)[3])
        finally:
            lgpio.gpiochip_close(handle)
        if label in HEADER_LABELS:
            return number
        labels.append(label)
    if refused:
        cure = "sudo usermod -aG gpio USER, then log in again"
        raise DeviceError(f"the GPIO pins may not be opened ({', '.join(refused)}): {cure}")
    if labels:
        found = f"none of this machine's GPIO chips is a Raspberry Pi's header ({', '.join(labels)})"
        raise DeviceError(f"{found}: upgrade the tray, or {_NO_PANEL}")
    raise DeviceError(f"this machine has no GPIO pins ({DEVICES}/gpiochip* is missing): {_NO_PANEL}")


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
