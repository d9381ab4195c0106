"""lgpio over a folder of chips: it refuses what lg 0.2.2 refuses, in its words (`lgGpio.c`, `lgErr.c`).

A chip is a file `gpiochipN` in the folder `FAKE_GPIO`, with the chip's label for a content: `!` before it for one that
this user may not open, `*` behind it for one whose GPIO 22 another program has. Nothing else stands for a device that
is no chip. On import the real library makes a pipe in `LG_WD`; so does this one.
"""

import os
from pathlib import Path

SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 32, 64, 128
RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
LINES = 54
_OUTPUT = 2

Path(os.environ["LG_WD"], ".lgd-nfy-fake").touch()


class error(Exception):  # noqa: N801 - its name there
    def __init__(self, value: str) -> None:
        self.value = value

    def __str__(self) -> str:
        return repr(self.value)


class _Chip:
    def __init__(self, label: str, *, is_shared: bool) -> None:
        self.label = label
        self.busy = {22} if is_shared else set()
        self.mode: dict[int, int] = {}
        self.level: dict[int, float] = {}


handles: dict[int, _Chip] = {}


def gpiochip_open(gpiochip: int) -> int:
    if gpiochip < 0:
        raise error("bad gpiochip")
    try:
        content = Path(os.environ["FAKE_GPIO"], f"gpiochip{gpiochip}").read_text()
    except OSError:
        raise error("can not open gpiochip") from None
    if content.startswith("!"):
        raise error("can not open gpiochip")
    if not content:
        raise error("not a gpiochip")
    handle = next(number for number in range(1000) if number not in {known & 0xFFFF for known in handles})
    handles[handle | gpiochip << 16] = _Chip(content.rstrip("*"), is_shared=content.endswith("*"))
    return handle | gpiochip << 16


def _chip(handle: int) -> _Chip:
    if handle not in handles:
        raise error("unknown handle")
    return handles[handle]


def gpiochip_close(handle: int) -> int:
    _chip(handle)
    del handles[handle]
    return 0


def gpio_get_chip_info(handle: int) -> list[int | str]:
    return [0, LINES, f"gpiochip{handle >> 16}", _chip(handle).label]


def _claim(handle: int, gpio: int, mode: int) -> int:
    chip = _chip(handle)
    if not 0 <= gpio < LINES:
        raise error("bad GPIO number")
    if gpio in chip.busy:
        raise error("GPIO busy")
    chip.mode[gpio] = mode
    chip.level[gpio] = 1 if mode & SET_PULL_UP else 0
    return 0


def gpio_claim_input(handle: int, gpio: int, lFlags: int = 0) -> int:  # noqa: N803 - its name there
    return _claim(handle, gpio, lFlags)


def gpio_claim_output(handle: int, gpio: int, level: int = 0, lFlags: int = 0) -> int:  # noqa: N803
    del level
    return _claim(handle, gpio, lFlags | _OUTPUT)


def _claimed(handle: int, gpio: int) -> _Chip:
    chip = _chip(handle)
    if gpio not in chip.mode:
        raise error("GPIO not allocated")
    return chip


def gpio_free(handle: int, gpio: int) -> int:
    del _claimed(handle, gpio).mode[gpio]
    return 0


def gpio_get_mode(handle: int, gpio: int) -> int:
    return _chip(handle).mode.get(gpio, 1)


def gpio_read(handle: int, gpio: int) -> int:
    chip = _claimed(handle, gpio)
    if gpio not in chip.level:  # a test took it away, as a driver that fails
        raise error("bad GPIO read")
    return int(chip.level[gpio] > 0)


def gpio_write(handle: int, gpio: int, level: int) -> int:
    chip = _claimed(handle, gpio)
    if not chip.mode[gpio] & _OUTPUT:
        raise error("GPIO not set as an output")
    chip.level[gpio] = level
    return 0


def tx_pwm(handle: int, gpio: int, pwm_frequency: float, pwm_duty_cycle: float) -> int:
    chip = _claimed(handle, gpio)
    if not chip.mode[gpio] & _OUTPUT:
        raise error("GPIO not set as an output")
    if pwm_frequency and not 0.1 <= pwm_frequency <= 1e4:
        raise error("bad PWM frequency")
    if not 0 <= pwm_duty_cycle <= 100:
        raise error("bad PWM duty cycle")
    chip.level[gpio] = pwm_duty_cycle / 100
    return 0
