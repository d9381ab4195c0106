"""Checks of the tray: one function for each part, each with its cure.

None of them raises for a broken part: that is a result. Their inputs are arguments, so that tests can break them.
"""

import json
import shutil
import socket
import sqlite3
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from device.calibration.empty_tray import WELL_LIT
from device.camera.base import CameraRequest, FrameSource, SizePx
from device.camera.registry import camera_driver
from device.check import Check, CheckStatus
from device.errors import BadInput, PushTrayError
from device.panel.panel import PanelParams
from device.panel.pins import PinFactory, PinKind, close_pins
from device.ring.plan import RingParams
from device.ring.wled import WledParams, WledRing
from device.storage.log_file import check_log, connect_to_read, is_empty_log, log_refused
from device.storage.log_rows import left_out
from device.storage.rolls import logged_since
from device.web.core.addresses import listening_refusal, page_url
from vision.tray.profile import Profile
from vision.tray.stage import check_shape
from vision.types.cures import cure_of, why
from vision.types.frame import Frame


@dataclass(frozen=True, slots=True)
class CheckParams:
    frames: int = 5
    frame_s: float = 5.0  # longest wait for a picture, in seconds; a camera's first takes a second or two
    mean: tuple[float, float] = WELL_LIT
    slow_fps: float = 8.0  # pictures per second below which dice at rest are detected late
    # megabytes of disk that must be free: a release takes 390, two are kept while an upgrade builds a third, for which
    # pip needs 150 more; a year of rolls takes 100
    free_mb: int = 1500
    # an earlier time means that the clock was never set: the Pi has no battery
    oldest: datetime = datetime(2025, 1, 1, tzinfo=UTC)
    hot_c: float = 80.0  # temperature above which a Pi slows down, in degrees Celsius


def running_tray(host: str, port: int) -> dict[str, object] | None:
    """Return the health report of a tray running at this address; None if there is none."""
    try:
        with urllib.request.urlopen(f"{page_url(host, port)}api/health", timeout=2.0) as answer:  # noqa: S310 - http
            body = json.loads(answer.read(65536))
    except (OSError, ValueError):
        return None
    return body if isinstance(body, dict) else None


def check_running(health: dict[str, object] | None) -> Check:
    """Return whether a tray is running: it holds camera, pins and ring, so its own report is used for them."""
    if health is None:
        return Check("tray", CheckStatus.OK, "no tray is running, so every part can be tried")
    if health.get("ok") is True:
        return Check("tray", CheckStatus.OK, "a tray is running without problems")
    faults = health.get("faults")
    text = "; ".join(str(text) for text in faults.values()) if isinstance(faults, dict) and faults else "see its page"
    return Check(
        "tray", CheckStatus.FAIL, f"a tray is running with a problem: {text}", "follow its cure, or restart it"
    )


def check_camera(
    request: CameraRequest[Any], source: FrameSource, params: CheckParams, clock: Callable[[], float] = time.monotonic
) -> tuple[Check, SizePx | None]:
    """Take a few pictures and check their field of view, light, size and rate."""
    try:
        source.open()
        for _ in range(camera_driver(request.name).settle):
            source.read(params.frame_s)
        frames = []
        started_s = clock()
        for _ in range(params.frames):
            frame = source.read(params.frame_s)
            if frame is None:
                break
            frames.append(frame)
        took_s = clock() - started_s
    except PushTrayError as error:
        return _failed("camera", error), None
    finally:
        source.close()
    if not frames:
        return Check("camera", CheckStatus.FAIL, f"{source.name} has no pictures", "choose another camera"), None
    fps = len(frames) / took_s if took_s > 0.0 else float("inf")
    return judge_pictures(request, source, frames[-1], fps, params), (frames[-1].width_px, frames[-1].height_px)


def judge_pictures(
    request: CameraRequest[Any], source: FrameSource, last: Frame, fps: float, params: CheckParams
) -> Check:
    """Check a camera's pictures; the cures are those of its kind."""
    own = camera_driver(request.name).report(source)
    found = _judged(request, source, last, fps, params)
    if not own.settings or found.status is CheckStatus.FAIL:
        return found
    return replace(found, text=f"{found.text}\nto keep what it has chosen, write into the settings:\n{own.settings}")


def _judged(request: CameraRequest[Any], source: FrameSource, last: Frame, fps: float, params: CheckParams) -> Check:
    driver = camera_driver(request.name)
    got_px, requested_px = (last.width_px, last.height_px), driver.requested_px(request.params)
    cures, own = driver.cures(request, got_px), driver.report(source)
    level = float(last.image_bgr.mean())
    seen = f"{source.name}: {last.width_px}x{last.height_px}, mean grey {level:.0f}"
    if own.fault is not None:
        what, _, cure = own.fault.rpartition(": ")
        return Check("camera", CheckStatus.FAIL, what, cure)
    if own.summary:
        seen = f"{seen}, {own.summary}"
    darkest, brightest = params.mean
    if level < darkest:
        return Check("camera", CheckStatus.FAIL, f"{seen}: too dark", cures.dark)
    if level > brightest:
        return Check("camera", CheckStatus.FAIL, f"{seen}: overexposed", cures.burnt)
    if own.warning is not None:
        what, _, cure = own.warning.rpartition(": ")
        return Check("camera", CheckStatus.WARN, what, cure)
    if requested_px is not None and requested_px != got_px:
        # Fewer pixels per die make reading less reliable.
        text = f"{seen}, not the {requested_px[0]}x{requested_px[1]} asked for"
        return Check("camera", CheckStatus.WARN, text, cures.size)
    if fps < params.slow_fps:
        return Check("camera", CheckStatus.WARN, f"{seen}, only {fps:.1f} a second", cures.slow)
    return Check("camera", CheckStatus.OK, f"{seen}, {min(fps, 999.0):.0f} a second")


def check_lights(
    kind: PinKind, params: PanelParams, open_pins: Callable[[Literal["gpio", "mock"]], PinFactory]
) -> tuple[Check, Check]:
    """Check whether the pins are available and whether a button is stuck. Whether lamps light is not checked."""
    if kind == "none":
        nothing = "no panel is set up (panel.pins is none)"
        return (Check("lights", CheckStatus.NOT_CHECKED, nothing), Check("buttons", CheckStatus.NOT_CHECKED, nothing))
    try:
        down = _buttons_down(open_pins(kind), params)
    except PushTrayError as error:
        return (_failed("lights", error), _failed("buttons", error))
    except Exception as error:  # noqa: BLE001 - each pin library raises its own kinds
        text = f"the panel's pins cannot be taken ({error})"
        cure = "stop the other program that uses them"
        return (Check("lights", CheckStatus.FAIL, text, cure), Check("buttons", CheckStatus.FAIL, text, cure))
    if kind == "mock":
        lights = Check("lights", CheckStatus.OK, "simulated: the page draws them")
    else:
        lights = Check(
            "lights", CheckStatus.NOT_CHECKED, "the pins work; check the lamps by eye", "pushtray doctor --panel"
        )
    if down:
        named = " and ".join(down)
        return (
            lights,
            Check("buttons", CheckStatus.FAIL, f"{named} is pressed all the time", "look for a short, or let go"),
        )
    named = ", ".join(f"{name} on GPIO {pin}" for name, pin in params.button_pins())
    return (lights, Check("buttons", CheckStatus.OK, f"{named}, both up"))


def check_ring(kind: str, params: WledParams, ring: RingParams) -> Check:
    if kind == "none":
        return Check("ring", CheckStatus.NOT_CHECKED, "no ring is set up (ring.kind is none)")
    lamp = WledRing(params, ring)
    lamp.turn()
    fault = lamp.fault
    lamp.close()
    if fault is not None:
        what, _, cure = fault.rpartition(": ")
        return Check("ring", CheckStatus.FAIL, what or fault, cure or None)
    if lamp.advice is not None:
        what, _, cure = lamp.advice.rpartition(": ")
        return Check("ring", CheckStatus.WARN, what, cure)
    return Check("ring", CheckStatus.OK, f"{ring.leds} LEDs shine white at brightness {ring.brightness}")


def check_disk(data: Path, history: Path, params: CheckParams) -> Check:
    """Check whether rolls can be stored: the folder is writable, there is space, and the log is intact."""
    probe = data / ".doctor"
    try:
        data.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"x")
        probe.unlink()
        free_mb = shutil.disk_usage(data).free // 1_000_000
    except OSError as error:
        cure = cure_of(error.errno, "choose another --data folder")
        return Check("disk", CheckStatus.FAIL, f"{data} cannot be written ({why(error)})", cure)
    if free_mb < params.free_mb:
        seen = f"{data} has {free_mb} MB left, rolls and upgrades need {params.free_mb}"
        return Check("disk", CheckStatus.FAIL, seen, "make room: old recordings are the largest")
    if not history.exists():
        return Check("disk", CheckStatus.OK, f"{data}: {free_mb} MB free, no roll kept yet")
    try:
        if not is_empty_log(history):
            with closing(connect_to_read(history)) as database:
                check_log(database, history)
            deque(logged_since(history), maxlen=0)  # each row is checked as it is read
    except BadInput as error:
        return _failed("disk", error)
    except sqlite3.Error as error:
        return _failed("disk", log_refused(history, error))
    except OSError as error:
        cure = cure_of(error.errno, "choose another --data folder")
        return Check("disk", CheckStatus.FAIL, f"{history} cannot be read ({why(error)})", cure)
    cure = "restore a backup with pushtray restore, if there is one"
    if damaged := len(left_out(history)):
        return Check("disk", CheckStatus.WARN, f"rows of {history} that are damaged and left out: {damaged}", cure)
    if kept := sorted(history.parent.glob(f"{history.name}.damaged*")):
        what = f"{history} was damaged and holds what could be read of {kept[0].name}"
        return Check("disk", CheckStatus.WARN, what, f"{cure}; delete {kept[0].name} once nothing is missed")
    return Check("disk", CheckStatus.OK, f"{data}: {free_mb} MB free, the roll log is whole")


def check_clock(now: datetime, synchronized: bool | None, params: CheckParams) -> Check:
    seen = now.strftime("%Y-%m-%d %H:%M UTC")
    if now < params.oldest:
        return Check(
            "clock", CheckStatus.FAIL, f"{seen} cannot be", "connect the network once, or set it with timedatectl"
        )
    if synchronized is None:
        return Check("clock", CheckStatus.OK, f"{seen}; whether it was set over the network could not be checked")
    if not synchronized:
        return Check("clock", CheckStatus.WARN, f"{seen}, not set over the network", "timedatectl set-ntp true")
    return Check("clock", CheckStatus.OK, f"{seen}, set over the network")


def check_profile(path: Path | None, load: Callable[[Path], Profile], size_px: SizePx | None) -> Check:
    if path is None:
        return Check(
            "profile",
            CheckStatus.WARN,
            "no profile: the tray is looked for in each picture",
            "open /calibrate on the tray's page, or run pushtray calibrate",
        )
    try:
        profile = load(path)
        if size_px is not None:
            check_shape(profile, *size_px)
    except ValueError as error:
        what, _, cure = str(error).rpartition(": ")
        return Check("profile", CheckStatus.FAIL, what or str(error), cure or "run pushtray calibrate")
    if not profile.palette:
        text = f"{path} knows the floor, but no dice: their colours are told by name"
        return Check("profile", CheckStatus.WARN, text, "show a few dice of each colour on /calibrate")
    fits = "" if size_px is None else ", and the camera's pictures are of its shape"
    return Check("profile", CheckStatus.OK, f"{path} can be used{fits}")


def check_display(host: str, port: int, is_running: bool, browsers: Sequence[str], classes: Path) -> Check:
    """Check whether pages can be served and a screen can show them."""
    if not is_running:
        try:
            with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, port))
        except OSError as error:
            return Check("display", CheckStatus.FAIL, *listening_refusal(host, port, error))
    served = f"{page_url(host, port)} can be served"
    outputs = sorted(one for one in (classes / "drm").glob("card*-*") if (one / "status").exists())
    connected = [one for one in outputs if (one / "status").read_text().strip() == "connected"]
    if not any(shutil.which(one) for one in browsers):
        return Check(
            "display",
            CheckStatus.WARN,
            f"{served}, no browser here",
            "sudo apt install chromium, or use another screen",
        )
    named = [one.name.partition("-")[2] for one in connected or outputs]
    if not connected:
        seen = f"no screen answers at {', '.join(named)}" if named else "whether a screen is plugged in is unknown"
        return Check("display", CheckStatus.OK, f"{served}; {seen}", _dark_screen(named))
    if not any((one / "modes").read_text().strip() for one in connected if (one / "modes").exists()):
        seen = f"the screen at {', '.join(named)} names no size"
        return Check("display", CheckStatus.WARN, f"{served}; {seen}", _dark_screen(named))
    touch = "takes touches" if _has_touch(classes / "input") else "takes no touches: if it should, plug in its USB lead"
    return Check("display", CheckStatus.OK, f"{served}, screen at {', '.join(named)}, which {touch}")


def _dark_screen(outputs: Sequence[str]) -> str | None:
    """Return the cure of a plugged screen that stays dark: many small panels do not name their size (EDID)."""
    at = next((name for name in outputs if name.startswith("HDMI")), None)
    mode = f"video={at}:800x480M@60D"
    return (
        at and f"one that is plugged in and dark: {mode}, its own size, at the end of /boot/firmware/cmdline.txt's line"
    )


def _has_touch(inputs: Path) -> bool:
    """Return whether an input device is a touch screen: bit 1 of its properties, INPUT_PROP_DIRECT."""
    for properties in inputs.glob("input*/properties"):
        with suppress(OSError, ValueError):
            if int(properties.read_text().split()[-1], 16) & 2:
                return True
    return False


def check_power(sys: Path, params: CheckParams) -> Check:
    hot_c, is_short = _temperature(sys), _had_too_little_voltage(sys)
    if hot_c is None and is_short is None:
        return Check("power", CheckStatus.NOT_CHECKED, "this machine reports neither temperature nor voltage")
    heat = "temperature not checked" if hot_c is None else f"{hot_c:.0f} degrees"
    if is_short:
        return Check("power", CheckStatus.FAIL, f"{heat}, too little voltage", "use the Pi's own power supply")
    text = f"{heat}, {'voltage not checked' if is_short is None else 'enough voltage'}"
    if hot_c is not None and hot_c > params.hot_c:
        return Check("power", CheckStatus.WARN, text, "give it air, or a heat sink")
    return Check("power", CheckStatus.NOT_CHECKED if None in (hot_c, is_short) else CheckStatus.OK, text)


def _temperature(sys: Path) -> float | None:
    try:
        return int((sys / "class/thermal/thermal_zone0/temp").read_text()) / 1000.0
    except (OSError, ValueError):
        return None


def _had_too_little_voltage(sys: Path) -> bool | None:
    """Return whether the voltage is or was too low since boot; None if unknown.

    Source: Raspberry Pi's kernel. Its firmware device is `soc:firmware` up to a Pi 4 and `soc@107c000000:firmware` on a
    Pi 5; the mainline driver `raspberrypi-hwmon` shows the same as an alarm of `rpi_volt`.
    """
    for flags in sys.glob("devices/platform/soc*/soc*:firmware/get_throttled"):
        with suppress(OSError, ValueError):
            # Bits 0 and 16 of the firmware's flags: under-voltage now, under-voltage since boot.
            return bool(int(flags.read_text(), 16) & 0x10001)
    for name in sys.glob("class/hwmon/hwmon*/name"):
        with suppress(OSError, ValueError):
            if name.read_text().strip() == "rpi_volt":
                return int((name.parent / "in0_lcrit_alarm").read_text()) != 0
    return None


def _buttons_down(factory: PinFactory, params: PanelParams) -> list[str]:
    from gpiozero import InputDevice  # noqa: PLC0415 - loads only with a panel

    down = []
    try:
        for name, pin in params.button_pins():
            with InputDevice(pin, pull_up=params.buttons_pull_up, pin_factory=factory) as button:
                if button.is_active:
                    down.append(name)
    finally:
        close_pins(factory)
    return down


def _failed(part: str, error: PushTrayError) -> Check:
    what, _, cure = str(error).rpartition(": ")
    return Check(part, CheckStatus.FAIL, what or str(error), cure if what else None)
