"""`pushtray doctor`: check every part of the tray and print a line for each, with its cure."""

import argparse
import json
import sys
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from device.camera.base import CameraRequest, SizePx
from device.camera.registry import REPLAY, SIMULATED, camera_kind, make_camera, replay_folder
from device.check import Check, CheckStatus
from device.config.settings import WebSettings
from device.diagnostics.panel_trial import try_panel
from device.diagnostics.probes import (
    CheckParams,
    check_camera,
    check_clock,
    check_disk,
    check_display,
    check_lights,
    check_power,
    check_profile,
    check_ring,
    check_running,
    running_tray,
)
from device.errors import BadInput, PushTrayError
from device.panel.panel import PanelParams
from device.panel.pins import PinKind, open_pins
from device.recording.recording import load_recording
from device.ring.plan import RingParams
from device.ring.wled import RingKind, WledParams
from device.simulation.mujoco_extra import load_mujoco
from device.simulation.scenery import SceneryParams
from device.storage.log_file import FILE_NAME
from device.storage.rolls import is_synchronized
from vision.tray.profile import load_profile

_WEB = WebSettings()

MARKS = {CheckStatus.OK: "ok  ", CheckStatus.WARN: "warn", CheckStatus.FAIL: "FAIL", CheckStatus.NOT_CHECKED: "--  "}


@dataclass(frozen=True, slots=True)
class Examined:
    """The tray to check: the settings that the checks need."""

    camera: CameraRequest[Any]
    data: Path
    pins: PinKind = "none"
    ring_kind: RingKind = "none"
    profile: Path | None = None
    host: str = _WEB.host
    port: int = _WEB.port
    panel: PanelParams = field(default_factory=PanelParams)
    wled: WledParams = field(default_factory=WledParams)
    ring: RingParams = field(default_factory=RingParams)
    limits: CheckParams = field(default_factory=CheckParams)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="JSON Lines, one for each part")
    parser.add_argument("--panel", action="store_true", help="light each lamp and wait for each button; watch it")


def examine(tray: Examined, *, watch_panel: bool, out: TextIO) -> list[Check]:
    size_px: SizePx | None = None
    health = running_tray(tray.host, tray.port)
    found = [check_running(health)]
    if health is not None:
        found += [
            Check(part, CheckStatus.NOT_CHECKED, "in use by the running tray, which reports on it", None)
            for part in ("camera", "lights", "buttons", "ring")
        ]
    else:
        camera, size_px = _camera(tray)
        found += [camera, *_panel(tray, watch_panel=watch_panel, out=out)]
        found.append(check_ring(tray.ring_kind, tray.wled, tray.ring))
    found += [
        check_disk(tray.data, tray.data / FILE_NAME, tray.limits),
        check_clock(datetime.now(UTC), is_synchronized(), tray.limits),
        check_profile(tray.profile, load_profile, size_px),
        check_display(
            tray.host,
            tray.port,
            health is not None,
            ("chromium", "chromium-browser"),
            Path("/sys/class"),
        ),
        check_power(Path("/sys"), tray.limits),
    ]
    return found


def report(found: list[Check], *, as_json: bool, out: TextIO) -> int:
    """Print the results."""
    for check in found:
        if as_json:
            out.write(json.dumps(check.as_json()) + "\n")
        else:
            cure = f" -> {check.cure}" if check.cure else ""
            first, *more = check.text.split("\n")
            out.write("\n      ".join([f"{MARKS[check.status]}  {check.part:<8} {first}{cure}", *more]) + "\n")
    return 1 if any(check.status is CheckStatus.FAIL for check in found) else 0


def run_doctor(tray: Examined, args: argparse.Namespace, out: TextIO | None = None, err: TextIO | None = None) -> int:
    camera_kind(tray.camera.name)
    found = examine(tray, watch_panel=args.panel, out=err or sys.stderr)
    return report(found, as_json=args.json, out=out or sys.stdout)


def _camera(tray: Examined) -> tuple[Check, SizePx | None]:
    kind = camera_kind(tray.camera.name)
    if kind is SIMULATED:
        scenery = SceneryParams()
        try:
            load_mujoco()
        except BadInput as error:
            what, _, cure = str(error).rpartition(": ")
            return Check("camera", CheckStatus.FAIL, what, cure), None
        return Check("camera", CheckStatus.OK, "simulated, as asked for by name"), (scenery.width_px, scenery.height_px)
    if kind is REPLAY:
        try:
            recording = load_recording(replay_folder(tray.camera.name))
        except PushTrayError as error:
            return Check("camera", CheckStatus.FAIL, str(error)), None
        text = f"a recording of {len(recording.frames)} frames"
        return Check("camera", CheckStatus.OK, text), (recording.width_px, recording.height_px)
    # Opened as the tray does, with its light, but without storing measurements.
    request = replace(tray.camera, keep=False)
    return check_camera(request, make_camera(request), tray.limits)


def _panel(tray: Examined, *, watch_panel: bool, out: TextIO) -> tuple[Check, Check]:
    if not watch_panel or tray.pins == "none":
        return check_lights(tray.pins, tray.panel, open_pins)
    try:
        return try_panel(tray.panel, partial(open_pins, tray.pins), out)
    except PushTrayError as error:
        return (Check("lights", CheckStatus.FAIL, str(error)), Check("buttons", CheckStatus.FAIL, str(error)))
