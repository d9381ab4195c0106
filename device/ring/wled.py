"""The light ring on its serial port: keeps a WLED controller showing the newest plan, even after unplugging.

The ring is optional: the tray works without one. One that stops answering is reported as a fault and retried with
growing pauses while the tray continues. The work is done on the ring's own thread; `show` only stores the plan.
"""

import errno
import logging
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeAlias

from pydantic import BeforeValidator, Field

from device.backoff import Backoff
from device.errors import DeviceError
from device.game.lamps import PatternParams
from device.ring.plan import RingParams, RingPlan, white_plan
from device.ring.wled_protocol import ASK, find_answer, has_dark_white, is_shown, led_count, plan_messages
from device.section import Positive, section

_log = logging.getLogger(__name__)

BAUD = 115200

BY_ID = Path("/dev/serial/by-id")
"""Where Linux names serial ports by device instead of plugging order."""

ESPRESSIF = 0x303A
"""USB vendor number of an ESP32 whose own USB is the serial port (S2, S3, C3), without a serial chip."""

DARK_WHITE = (
    "the strip's white chips stay dark: in WLED's LED preferences choose Accurate for 'Auto-calculate white channel "
    "from RGB'"
)
"""The advice for an RGBW strip whose white WLED leaves to a slider."""

RULE_NAME = "/dev/pushtray-ring"
"""The link to the adapter that was chosen as the ring's with `systemd/install.py ring`."""

RING_VENDORS = (0x10C4, 0x1A86, 0x0403, ESPRESSIF)
"""USB vendor numbers of the usual chips of ring controllers. Printers and radio sticks have the same ones."""

_MAX_QUESTIONS = 3
"""How often an adapter that was never a ring is asked, until it is plugged in again."""

RingKind: TypeAlias = Annotated[
    Literal["none", "wled"], BeforeValidator(lambda kind: "none" if kind == "emulator" else kind)
]
"""Values of `[ring] kind` in the settings. A file of 0.1 may name the tests' emulator, which now means no ring."""


class Port(Protocol):
    @property
    def in_waiting(self) -> int:
        """Number of bytes that can be read at once."""
        ...

    def read(self, size: int = ...) -> bytes:
        """Return up to so many bytes, or fewer after the port's own short timeout."""
        ...

    def write(self, data: bytes, /) -> int | None: ...

    def close(self) -> None: ...


@section
class WledParams:
    """Connection to WLED.

    Attributes:
        port: A path, best one under /dev/serial/by-id; or `auto`: the adapter with a usual chip that answers as WLED.
        answer_s: Longest wait for an answer, in seconds; WLED starts up in two or three seconds and does not answer
            before.
        pause_s: Pause between two messages, in seconds; WLED empties its 256 bytes of buffer once a frame, 24 ms.
        check_s: Seconds between two checks of the ring.
        retry_s: Pause after the first failure; doubles up to `max_retry_s`.
        max_retry_s: Longest pause after a failure, in seconds.
        white_s: Seconds for which pictures count as spoiled after the ring was set to white: WLED needs one of its
            frames, and earlier pictures are still in the camera's buffers.
        tries: Number of times that a plan is sent before the ring counts as faulty.
        patterns: Rhythm of the LEDs.
    """

    port: str = "auto"
    answer_s: Positive = 4.0
    pause_s: Positive = 0.03
    check_s: Positive = 10.0
    retry_s: Positive = 0.5
    max_retry_s: Positive = 10.0
    white_s: Positive = 0.15
    tries: Annotated[int, Field(ge=1)] = 3
    patterns: PatternParams = field(default_factory=PatternParams)


def find_ports(port: str, by_id: Path | None = None) -> list[str]:
    """Return the serial ports that may be the ring's; of other chips' adapters none is ever opened.

    Raises:
        DeviceError: There is none.
    """
    if port == RULE_NAME and not Path(port).exists():
        raise DeviceError(
            f"the ring was not found ({port} is not there): plug it in, or choose its adapter with "
            "sudo python3 systemd/install.py ring"
        )
    if port != "auto":
        return [port]
    folder = by_id or BY_ID
    adapters = [str(one) for one in sorted(folder.iterdir())] if folder.is_dir() else []
    found = [one for one in adapters if usb_vendor(one) in (None, *RING_VENDORS)]
    if not found:
        what = "no adapter with a usual chip" if adapters else "nothing"
        raise DeviceError(f"the ring was not found ({what} in {folder}): plug it in, or set ring.kind to none")
    return found


def usb_vendor(path: str) -> int | None:
    """Return the USB vendor number of a serial port's device; None if it is not on USB or has just gone."""
    port = Path("/sys/class/tty", Path(path).resolve().name, "device").resolve()
    for folder in (port, *port.parents):  # the port's interface, the device, hubs
        try:
            return int((folder / "idVendor").read_text(), 16)
        except (OSError, ValueError):
            continue
    return None


def open_port(path: str) -> Port:
    """Open a serial port with DTR and RTS as the chip behind it needs them.

    With a serial chip (CP210x, CH340) both stay low: when high, they hold some boards in reset or in their boot loader.
    An ESP32 on its own USB takes low for "no listener", and neither reads nor sends anything until both are high.

    Source: `handleSerial` of WLED, which returns while `Serial` is false, and `_onLineState` of the ESP32's USB.
    """
    import serial  # noqa: PLC0415 - loads only with a ring

    port = serial.Serial()
    port.port = path
    port.baudrate = BAUD
    port.timeout = 0.05
    port.write_timeout = 1.0
    port.dtr = port.rts = usb_vendor(path) == ESPRESSIF
    port.exclusive = True
    port.open()
    opened: Port = port
    return opened


def _plugged(path: str) -> tuple[int, int]:
    """Return an id of the adapter's current plugging: the kernel recreates its device each time."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_ino, found.st_ctime_ns


def _port_fault(error: OSError) -> str:
    """Return the fault of the port and its cure, by errno."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"the ring's port may not be opened ({error}): sudo usermod -aG dialout USER, then log in again"
    if error.errno in (errno.EBUSY, errno.EAGAIN):
        return f"another program has the ring's port ({error}): stop it"
    return f"the ring was disconnected ({error}): check its plug"


def _unreported(text: str | None) -> None:
    del text


class WledRing:
    def __init__(
        self,
        params: WledParams,
        ring: RingParams,
        *,
        port_factory: Callable[[str], Port] = open_port,
        on_fault: Callable[[str | None], None] = _unreported,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        """Prepare; nothing is opened yet.

        Args:
            on_fault: Called on the ring's thread with the fault and its cure when it stops working, and with None when
                it works again.
        """
        self._params = params
        self._ring = ring
        self._port_factory = port_factory
        self._on_fault = on_fault
        self._clock = clock
        self._stopping = threading.Event()
        self._wait = wait or self._stopping.wait
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._wanted = white_plan(ring)
        self._requested = self._wanted
        self._shown_since_s: float | None = None
        self._shown: RingPlan | None = None
        self._coloured_s = -math.inf
        self._port: Port | None = None
        self._ring_path: str | None = None
        self._rings: set[tuple[str, tuple[int, int]]] = set()
        self._questions: Counter[tuple[str, tuple[int, int]]] = Counter()
        self._received, self._has_spoken = b"", False
        self._segments_known = 0
        self._retry = Backoff(params.retry_s, params.max_retry_s)
        self._retry_at_s = 0.0
        self._check_at_s = 0.0
        self._fault: str | None = None
        self.advice: str | None = None
        """How to improve its light; None if nothing is known."""
        self._thread: threading.Thread | None = None

    @property
    def fault(self) -> str | None:
        """The fault and its cure; None while it works or was not tried yet."""
        return self._fault

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ring", daemon=True)
            self._thread.start()

    def show(self, plan: RingPlan) -> None:
        """Show this plan as soon as possible. Never blocks; any thread."""
        with self._lock:
            # The same plan again changes nothing, even after its time has passed and white has returned.
            if plan == self._requested:
                return
            self._requested = self._wanted = plan
            self._shown_since_s = None
        self._wake.set()

    def disturbs_reading(self) -> bool:
        """Return whether the ring's light, now or soon, spoils the pictures being taken."""
        with self._lock:
            wanted = self._wanted
        if wanted.disturbs_reading or (self._shown is not None and self._shown.disturbs_reading):
            return True
        return self._clock() - self._coloured_s < self._params.white_s

    def reading_light(self) -> str | None:
        """Return a comparable name of the ring's light for reading; None if it is not lit for reading or unknown."""
        shown = self._shown
        if shown is None or shown.disturbs_reading:
            return None
        return f"{','.join(str(part) for part in shown.stretches[0].rgb)} at {shown.brightness}"

    def give_way(self) -> None:
        """Turn white as soon as possible if the current plan is temporary. Never blocks; any thread."""
        with self._lock:
            if self._wanted.passes_s is None:
                return
            self._wanted = white_plan(self._ring)
            self._shown_since_s = None
        self._wake.set()

    def close(self) -> None:
        """Release the port; the ring keeps its light. Safe to call twice."""
        self._stopping.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout=self._params.answer_s + 2.0)
        self._drop_port()

    def turn(self) -> float:
        """Do what is due; the thread repeats this.

        Returns:
            Seconds until the next call is due, unless another plan comes first.
        """
        now_s = self._clock()
        if self._port is None and now_s < self._retry_at_s:
            return self._retry_at_s - now_s
        try:
            if self._port is None:
                self._connect()
            plan = self._plan_now()
            if plan != self._shown:
                self._send(plan)
                self._check_at_s = self._clock() + self._params.check_s
            elif self._clock() >= self._check_at_s:
                self._check(plan)
        except (OSError, DeviceError) as error:
            self._give_up(error)
            return self._retry_at_s - self._clock()
        self._retry.reset()
        self._report(None)
        return self._until_due()

    def _run(self) -> None:
        while not self._stopping.is_set():
            due_s = self.turn()
            self._wake.wait(max(0.0, due_s))
            self._wake.clear()

    def _plan_now(self) -> RingPlan:
        """Return the wanted plan, or white once its time has passed."""
        with self._lock:
            if self._shown_since_s is not None and self._seconds_left() <= 0.0:
                self._wanted = white_plan(self._ring)
                self._shown_since_s = None
            return self._wanted

    def _seconds_left(self) -> float:
        """Return how long the plan is still to be shown once it is on; the caller holds the lock."""
        if self._wanted.passes_s is None or self._shown_since_s is None:
            return math.inf
        return self._shown_since_s + self._wanted.passes_s - self._clock()

    def _until_due(self) -> float:
        due_s = self._check_at_s - self._clock()
        with self._lock:
            if self._wanted != self._shown:
                return 0.0
            due_s = min(due_s, self._seconds_left())
        return max(0.0, due_s)

    def _connect(self) -> None:
        paths = find_ports(self._params.port)
        known, self._ring_path = self._ring_path, None
        is_named = self._params.port != "auto"
        path = paths[0] if is_named else known if known in paths else self._search(paths)
        answer = self._open(path)
        self._ring_path = path
        _log.debug("the ring's port is %s", path)
        count = led_count(answer)
        if count is not None and count != self._ring.leds:
            raise DeviceError(
                f"WLED has {count} LEDs and the settings {self._ring.leds}: "
                "set ring.shape.leds, or WLED's LED preferences"
            )
        advice = DARK_WHITE if has_dark_white(answer) else None
        if advice is not None and advice != self.advice:
            _log.warning("%s", advice)
        self.advice = advice
        segments = answer["state"].get("seg")
        self._segments_known = len(segments) if isinstance(segments, list) else 1

    def _open(self, path: str) -> dict[str, Any]:
        """Open a port and check that WLED answers; nothing else is written before."""
        self._port = self._port_factory(path)
        self._received, self._has_spoken = b"", False
        self._shown = None
        return self._ask()

    def locate(self) -> str:
        """Return the port that answers as WLED, and leave it closed.

        Raises:
            DeviceError: None does, or several do.
        """
        return self._search(find_ports(self._params.port))

    def _search(self, paths: list[str]) -> str:
        """Return the port that answers as WLED. Others get few questions: a printer prints them."""
        rings, heard = [], []
        for path in paths:
            plugging = path, _plugged(path)
            if plugging not in self._rings and self._questions[plugging] >= _MAX_QUESTIONS:
                heard.append(f"{path} is no ring")
                continue
            try:
                self._open(path)
                rings.append(path)
                self._rings.add(plugging)
            except OSError as error:
                heard.append(f"{path} does not open, {error}")
            except DeviceError:
                heard.append(f"{path} says {'something else' if self._has_spoken else 'nothing'}")
                self._questions[plugging] += _MAX_QUESTIONS if self._has_spoken else 1
            finally:
                self._drop_port()
        if len(rings) == 1:
            return rings[0]
        if rings:
            raise DeviceError(f"WLED answers at {' and at '.join(rings)}: set ring.port.port to the ring's")
        raise DeviceError(
            f"no serial adapter answers as WLED does ({'; '.join(heard)}): set serial to 115200 baud in WLED's sync "
            "settings, plug the ring in again, or set ring.port.port"
        )

    def _send(self, plan: RingPlan) -> None:
        for _ in range(self._params.tries):
            for message in plan_messages(plan, self._params.patterns, self._segments_known):
                self._write(message)
                self._wait(self._params.pause_s)
            self._segments_known = max(self._segments_known, len(plan.stretches))
            if is_shown(self._ask(), plan):
                self._segments_known = len(plan.stretches)
                if self._shown is not None and self._shown.disturbs_reading:
                    self._coloured_s = self._clock()
                self._shown = plan
                with self._lock:
                    if self._wanted == plan:
                        self._shown_since_s = self._clock()
                return
        raise DeviceError("the ring shows something else: update WLED to 0.13 or newer, check ring.shape.leds")

    def _check(self, plan: RingPlan) -> None:
        """Check that the ring still shows the plan: WLED's own page may have changed it, or its power failed."""
        if not is_shown(self._ask(), plan):
            self._shown = None
        self._check_at_s = self._clock() + self._params.check_s

    def _ask(self) -> dict[str, Any]:
        deadline_s = self._clock() + self._params.answer_s
        sent_s = float("-inf")
        while self._clock() < deadline_s and not self._stopping.is_set():
            # A question sent while WLED was starting up is lost, so it is repeated every second.
            if self._clock() - sent_s >= 1.0:
                self._write(ASK)
                sent_s = self._clock()
            answer = self._read_answer()
            if answer is not None:
                return answer
        raise DeviceError("the ring does not answer: is it WLED, with serial at 115200 baud in its sync settings?")

    def _read_answer(self) -> dict[str, Any] | None:
        port = self._port
        if port is None:
            raise DeviceError("the ring is not open")
        came = port.read(max(1, port.in_waiting))
        self._has_spoken = self._has_spoken or bool(came.strip())
        self._received += came
        answer, self._received = find_answer(self._received)
        return answer

    def _write(self, message: bytes) -> None:
        port = self._port
        if port is None:
            raise DeviceError("the ring is not open")
        port.write(message)

    def _give_up(self, error: OSError | DeviceError) -> None:
        self._drop_port()
        self._retry_at_s = self._clock() + self._retry.pause_s
        self._retry.grow()
        self._report(str(error) if isinstance(error, DeviceError) else _port_fault(error))

    def _drop_port(self) -> None:
        port, self._port = self._port, None
        self._shown = None
        if port is None:
            return
        try:
            port.close()
        except OSError:
            return  # already gone

    def _report(self, fault: str | None) -> None:
        if fault != self._fault:
            self._fault = fault
            self._on_fault(fault)
