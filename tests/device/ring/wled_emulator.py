"""An emulated WLED ring: a pseudo terminal that answers WLED's JSON, with boot noise and lost bytes."""

import contextlib
import json
import os
import select
import threading
import time
import tty
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from device.ring.plan import Rgb, RingParams
from device.ring.wled_protocol import BLINK

BOOT_NOISE = (
    b"\x00\xfe\x9cets Jul 29 2019 12:21:46\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"
    b"load:0x3fff0030,len:1184\r\nentry 0x400805f0\r\n{x\r\nAda\r\n"
)
"""What an ESP32 with WLED prints on power-up; the brace is added to test the reader."""

FACTORY_SEGMENT: dict[str, Any] = {"on": True, "bri": 255, "col": [[255, 160, 0], [0, 0, 0]], "fx": 0, "sx": 128}


FACTORY_TRANSITION = 7
"""Duration of WLED's fade from one look to the next, in tenths of a second, unless a message gives another."""


class Wiring(StrEnum):
    """The effect of the port's lines DTR and RTS on the ESP32."""

    AUTO_RESET = "auto_reset"
    """A serial chip and two crossed transistors, as on most boards: RTS alone resets, DTR alone starts the loader."""
    DIRECT = "direct"
    """A serial chip and two wires: RTS holds it in reset, DTR starts the loader."""
    NATIVE = "native"
    """The ESP32's own USB: it sends only while both are high, and one sequence of theirs starts the loader."""


LOADER_SEQUENCE = ((False, True), (True, True), (True, False), (False, False))
"""The sequence of DTR and RTS that puts an ESP32 on its own USB into its boot loader."""


@dataclass(slots=True)
class WledState:
    """WLED's state, with its current fade.

    Attributes:
        clock: Function that returns monotonic seconds.
        fade_began_s: Start of the newest fade, in monotonic seconds.
        fade_s: Duration of the newest fade, in seconds.
    """

    leds: int
    on: bool = True
    brightness: int = 128
    segments: dict[int, dict[str, Any]] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic
    has_white: bool = False
    fades_from: list[tuple[Rgb, int]] = field(default_factory=list)
    fade_began_s: float = 0.0
    fade_s: float = 0.0

    def __post_init__(self) -> None:
        """Begin with one orange segment over everything, as from the factory."""
        self.segments[0] = {"start": 0, "stop": self.leds, **FACTORY_SEGMENT}

    def apply(self, message: dict[str, Any]) -> bool:
        """Apply a message. Return whether it requested an answer."""
        before = self.shines()
        self.on = bool(message.get("on", self.on))
        self.brightness = int(message.get("bri", self.brightness))
        segments = message.get("seg", [])
        for number, one in enumerate(segments if isinstance(segments, list) else [segments]):
            self._apply_segment(int(one.get("id", number)), one)
        if self._looks() != before:
            # `tt` applies to its own message only, as in WLED 0.13; from 0.14 on it remains for later ones.
            self.fades_from = before
            self.fade_began_s = self.clock()
            self.fade_s = int(message.get("tt", FACTORY_TRANSITION)) / 10.0
        return message.get("v") is True

    def answer(self) -> dict[str, Any]:
        """Return state and info in WLED's form."""
        segments = [{"id": number, **one} for number, one in sorted(self.segments.items())]
        state = {"on": self.on, "bri": self.brightness, "transition": FACTORY_TRANSITION, "mainseg": 0, "seg": segments}
        leds = {"count": self.leds, "maxseg": 32, "rgbw": self.has_white, "wv": self.has_white}
        return {"state": state, "info": {"ver": "0.15.0", "leds": leds, "brand": "WLED"}}

    def shines(self) -> list[tuple[Rgb, int]]:
        """Return each LED's first colour and its blink rate as WLED's speed, 0 if it is steady."""
        done = (self.clock() - self.fade_began_s) / self.fade_s if self.fade_s > 0.0 else 1.0
        looks = self._looks()
        if done >= 1.0:
            return looks
        return [(_mixed(old, new, done), speed) for (old, _), (new, speed) in zip(self.fades_from, looks, strict=True)]

    def _looks(self) -> list[tuple[Rgb, int]]:
        """Return the looks after every fade."""
        shown: list[tuple[Rgb, int]] = [((0, 0, 0), 0)] * self.leds
        if self.on:
            for _, one in sorted(self.segments.items()):
                red, green, blue = one["col"][0][:3]
                speed = one.get("sx", 128) if one["fx"] == BLINK else 0
                for led in range(one["start"], min(one["stop"], self.leds)):
                    shown[led] = ((red, green, blue), speed)
        return shown

    def _apply_segment(self, number: int, change: dict[str, Any]) -> None:
        if change.get("stop") == 0:
            if len(self.segments) > 1:  # WLED keeps the last one
                self.segments.pop(number, None)
            return
        known = self.segments.get(number, {"start": 0, "stop": self.leds, **FACTORY_SEGMENT})
        self.segments[number] = known | {key: value for key, value in change.items() if key != "id"}


def _mixed(old: Rgb, new: Rgb, share: float) -> Rgb:
    red, green, blue = (round(before + (after - before) * share) for before, after in zip(old, new, strict=True))
    return red, green, blue


class WledEmulator:
    """A ring on a pseudo terminal that can be unplugged, plugged in again, and made to lose bytes.

    A pseudo terminal has no DTR and RTS: a port with such lines passes them on by `set_lines`.
    """

    def __init__(
        self,
        link: Path,
        leds: int = RingParams().leds,
        *,
        wiring: Wiring = Wiring.AUTO_RESET,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create it unplugged.

        Args:
            clock: Monotonic seconds; paces its fades.
        """
        self._link = link
        self.state = WledState(leds, clock=clock)
        self._wiring = wiring
        self._lines = [(False, False)]
        self._in_reset = False
        self._in_loader = False
        self.messages: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._master_fd: int | None = None
        self._slave_fd: int | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._unplug_after_bytes: int | None = None
        self._lose_bytes = 0
        self._mute = False

    def plug(self) -> None:
        """Give it power and a port; it sends noise as it starts."""
        with self._lock:
            if self._master_fd is not None:
                return
            self._master_fd, self._slave_fd = os.openpty()
            tty.setraw(self._slave_fd)
            self._link.unlink(missing_ok=True)
            self._link.symlink_to(os.ttyname(self._slave_fd))
            self._stopping.clear()
            os.write(self._master_fd, BOOT_NOISE)
            run = threading.Thread(target=self._run, args=(self._master_fd,), name="wled-emulator", daemon=True)
            self._thread = run
            run.start()

    def unplug(self) -> None:
        """Pull the plug: the port is gone at once, with the bytes in transit."""
        self._stopping.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._pull()

    def unplug_after(self, count: int) -> None:
        """Pull the plug after so many more bytes: in the middle of a message."""
        with self._lock:
            self._unplug_after_bytes = count

    def lose(self, count: int) -> None:
        """Lose the next so many bytes, like a full receive buffer."""
        with self._lock:
            self._lose_bytes = count

    def set_lines(self, *, dtr: bool, rts: bool) -> None:
        """Set DTR and RTS of its port, one line after the other, like a serial library that opens a port."""
        with self._lock:
            if (dtr, rts) == self._lines[-1]:
                return
            self._lines = [*self._lines[-3:], (dtr, rts)]
            if self._wiring is Wiring.NATIVE:
                self._in_loader = self._in_loader or tuple(self._lines) == LOADER_SEQUENCE
                return
            crossed = self._wiring is Wiring.AUTO_RESET
            was_in_reset, self._in_reset = self._in_reset, rts and not (crossed and dtr)
            starts = was_in_reset and not self._in_reset
            if starts:
                self._in_loader = dtr and not (crossed and rts)
        if starts and not self._in_loader and self._master_fd is not None:
            os.write(self._master_fd, BOOT_NOISE)

    @property
    def listens(self) -> bool:
        """Return whether WLED runs and treats its serial port as open."""
        if self._in_reset or self._in_loader:
            return False
        return self._wiring is not Wiring.NATIVE or self._lines[-1] == (True, True)

    def mute(self, is_mute: bool) -> None:
        """Accept everything and answer nothing, as if WLED's serial output were used for something else."""
        self._mute = is_mute

    def shines(self) -> list[tuple[Rgb, int]]:
        """Return each LED's colour and blink rate; all dark while it is unplugged."""
        with self._lock:
            if self._master_fd is None:
                return [((0, 0, 0), 0)] * self.state.leds
            return self.state.shines()

    def _pull(self) -> None:
        with self._lock:
            # Remove its name first: once the port is closed, it may be plugged in again under this name.
            self._link.unlink(missing_ok=True)
            for descriptor in (self._master_fd, self._slave_fd):
                if descriptor is not None:
                    os.close(descriptor)
            self._master_fd = self._slave_fd = None
            self._unplug_after_bytes = None

    def _run(self, master_fd: int) -> None:
        reader = _JsonReader()
        while not self._stopping.is_set():
            ready, _, _ = select.select([master_fd], [], [], 0.02)
            if not ready:
                continue
            try:
                received = os.read(master_fd, 256)
            except OSError:
                return
            with self._lock:
                lost, self._lose_bytes = min(self._lose_bytes, len(received)), max(0, self._lose_bytes - len(received))
                left = self._unplug_after_bytes
                self._unplug_after_bytes = None if left is None else left - len(received)
            if left is not None and len(received) >= left:
                self._pull()
                return
            for message in reader.feed(received[lost:] if self.listens else b""):
                self._obey(master_fd, message)

    def _obey(self, master_fd: int, message: dict[str, Any]) -> None:
        with self._lock:
            self.messages = [*self.messages[-999:], message]
            is_answered = self.state.apply(message)
            answer = json.dumps(self.state.answer(), separators=(",", ":")).encode() + b"\r\n"
        if is_answered and not self._mute:
            with contextlib.suppress(OSError):
                os.write(master_fd, answer)


class _JsonReader:
    """Finds JSON objects in a stream, like WLED: it waits for a brace and discards a broken object."""

    def __init__(self) -> None:
        self._text = b""

    def feed(self, received: bytes) -> list[dict[str, Any]]:
        self._text += received
        found: list[dict[str, Any]] = []
        while b"\n" in self._text:
            line, _, self._text = self._text.partition(b"\n")
            start = line.find(b"{")
            if start >= 0:
                with contextlib.suppress(ValueError):
                    message = json.loads(line[start:])
                    if isinstance(message, dict):
                        found.append(message)
        return found
