import argparse
import io
import json
import re
import socket
import sqlite3
import threading
import tomllib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from device.camera import registry
from device.camera.base import CameraDriver, CameraKind, CameraRequest, Cures
from device.camera.usb_camera import UsbCameraParams
from device.check import Check, CheckStatus
from device.cli.main import main
from device.config.settings import load_settings
from device.diagnostics import doctor, probes
from device.diagnostics.panel_trial import TrialParams, try_panel
from device.diagnostics.probes import CheckParams
from device.errors import DeviceError
from device.game.lamps import LAMP_NAMES
from device.panel.panel import PanelParams
from device.panel.pins import open_pins
from device.recording.writer import RecordingWriter
from device.ring.plan import RingParams
from device.ring.wled import WledParams
from device.storage.rolls import RollLog, is_synchronized
from tests.device.fake_capture import FakeCapture
from tests.device.ring.wled_emulator import WledEmulator
from vision.tray.floor import Floor
from vision.tray.profile import PaletteColour, Profile, load_profile, save_profile
from vision.types.errors import BadProfile
from vision.types.frame import Frame

PARAMS = CheckParams()
SIMULATED = CameraRequest("simulated", None)


class Pictures:
    """A camera with pictures of a given brightness, at a rate given by the clock."""

    name = "usb:7"

    def __init__(self, level: int = 120, *, fault: str | None = None, frames: int = 99) -> None:
        self.level = level
        self.fault = fault
        self.frames = frames
        self.closed = False

    def open(self) -> None:
        if self.fault == "open":
            raise DeviceError("camera usb:7 does not open: plug it in")

    def read(self, timeout_s: float) -> Frame | None:
        if self.fault == "read":
            raise DeviceError("camera usb:7 gave no picture within 5 s: check its plug")
        self.frames -= 1
        return Frame(np.full((480, 640, 3), self.level, np.uint8), 0.0, 0) if self.frames >= 0 else None

    def close(self) -> None:
        self.closed = True


def of_size(size_px: tuple[int, int]) -> CameraRequest[UsbCameraParams]:
    return CameraRequest("usb:7", UsbCameraParams(width_px=size_px[0], height_px=size_px[1]))


def ticking(step_s: float) -> Any:
    now_s = iter(step_s * step for step in range(1000))
    return lambda: next(now_s)


@pytest.mark.parametrize(
    ("camera", "took_s", "verdict", "expected"),
    [
        (Pictures(), 0.2, CheckStatus.OK, "640x480, mean grey 120, 25 a second"),
        (Pictures(), 2.0, CheckStatus.WARN, "only 2.5 a second"),
        (Pictures(5), 0.2, CheckStatus.FAIL, "too dark"),
        (Pictures(250), 0.2, CheckStatus.FAIL, "overexposed"),
        (Pictures(fault="open"), 0.2, CheckStatus.FAIL, "does not open"),
        (Pictures(fault="read"), 0.2, CheckStatus.FAIL, "gave no picture"),
        (Pictures(frames=0), 0.2, CheckStatus.FAIL, "no pictures"),
    ],
)
def test_camera(camera: Pictures, took_s: float, verdict: CheckStatus, expected: str) -> None:
    found, size_px = probes.check_camera(of_size((640, 480)), camera, PARAMS, ticking(took_s))
    assert size_px == (None if camera.fault or camera.frames < 0 else (640, 480))
    assert found.status is verdict
    assert expected in found.text
    assert (found.cure is None) == (verdict is CheckStatus.OK)
    assert camera.closed


@pytest.mark.parametrize(("requested_px", "verdict"), [((640, 480), CheckStatus.OK), ((1280, 960), CheckStatus.WARN)])
def test_camera_that_has_no_mode_of_the_size_asked_for(requested_px: tuple[int, int], verdict: CheckStatus) -> None:
    found, size_px = probes.check_camera(of_size(requested_px), Pictures(), PARAMS, ticking(0.2))
    assert (found.status, size_px) == (verdict, (640, 480))
    if verdict is CheckStatus.WARN:
        assert "640x480, mean grey 120, not the 1280x960 asked for" in found.text
        assert "v4l2-ctl -d /dev/video7 --list-formats-ext" in str(found.cure)
        assert "such as 640 and 480" in str(found.cure)


@pytest.mark.parametrize(
    ("camera", "took_s", "verdict", "cure"),
    [
        (Pictures(), 0.2, CheckStatus.WARN, Cures().size),
        (Pictures(5), 0.2, CheckStatus.FAIL, Cures().dark),
        (Pictures(250), 0.2, CheckStatus.FAIL, Cures().burnt),
    ],
)
def test_camera_of_another_kind_is_not_taken_for_a_usb_one(
    camera: Pictures, took_s: float, verdict: CheckStatus, cure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = CameraDriver(lambda request: camera, lambda size_px: size_px)
    ftp = CameraKind("ftp", "ftp:HOST", re.compile("ftp:.+"), driver)
    monkeypatch.setattr(registry, "KINDS", (*registry.KINDS, ftp))
    request = CameraRequest("ftp:tray.lan", (1280, 960))
    found, _ = probes.check_camera(request, registry.make_camera(request), PARAMS, ticking(took_s))
    assert (found.status, found.cure) == (verdict, cure)
    assert "usb" not in cure.lower()


def test_doctor_warns_of_a_c920_which_has_no_1280x960(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    captures: list[FakeCapture] = []

    def plug(index: int, driver: int) -> FakeCapture:
        captures.append(FakeCapture(level=240))
        return captures[-1]

    monkeypatch.setattr(cv2, "VideoCapture", plug)
    for usb, verdict in ((UsbCameraParams(), "warn"), (UsbCameraParams(width_px=1280, height_px=720), "ok")):
        limits = CheckParams(slow_fps=0.0)  # however busy this machine is
        _, out, _ = run(doctor.Examined(CameraRequest("usb:0", usb), tmp_path, port=0, limits=limits), "--json")
        (reported,) = (line for line in map(json.loads, out.splitlines()) if line["part"] == "camera")
        assert reported["verdict"] == verdict, reported
        assert "usb:0: 1280x720" in reported["text"]
    assert all(capture.released.is_set() for capture in captures)


def test_doctor_names_what_a_usb_camera_has_chosen_as_settings_that_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plug(index: int, driver: int) -> FakeCapture:
        has = {cv2.CAP_PROP_EXPOSURE: 250.0, cv2.CAP_PROP_WB_TEMPERATURE: -1.0, cv2.CAP_PROP_FOCUS: 35.0}
        return FakeCapture(level=240, settings=has)

    monkeypatch.setattr(cv2, "VideoCapture", plug)
    params = UsbCameraParams(width_px=1280, height_px=720)
    _, out, _ = run(doctor.Examined(CameraRequest("usb:0", params), tmp_path, port=0))
    pasted = out[out.index("      [usb]") :].splitlines()[:3]
    fixed = tomllib.loads("\n".join(line.strip() for line in pasted))
    assert fixed == {"usb": {"exposure": 250, "focus": 35}}
    settings = tmp_path / "settings.toml"
    settings.write_text("\n".join(line.strip() for line in pasted))
    assert load_settings(settings).usb.focus == 35
    _, out, _ = run(doctor.Examined(CameraRequest("usb:0", replace(params, exposure=250, focus=35)), tmp_path, port=0))
    assert "[usb]" not in out


def test_panel_in_order_on_pretended_pins() -> None:
    lights, buttons = probes.check_lights("mock", PanelParams(), open_pins)
    assert (lights.status, buttons.status) == (CheckStatus.OK, CheckStatus.OK)
    assert "simulated" in lights.text


def test_button_that_is_down_all_the_time() -> None:
    class Shorted(MockPWMPin):  # type: ignore[misc]
        def _set_pull(self, value: str) -> None:
            super()._set_pull(value)
            if self.info.name == "GPIO27":
                self.drive_low()

    factory = MockFactory(pin_class=Shorted)
    lights, buttons = probes.check_lights("gpio", PanelParams(), lambda kind: factory)
    assert lights.status is CheckStatus.NOT_CHECKED
    assert lights.cure == "pushtray doctor --panel"
    assert buttons.status is CheckStatus.FAIL
    assert buttons.text == "reset is pressed all the time"


def test_no_panel_and_no_pin_library() -> None:
    assert {one.status for one in probes.check_lights("none", PanelParams(), open_pins)} == {CheckStatus.NOT_CHECKED}

    def missing(kind: str) -> None:
        raise DeviceError("no pin library: run sudo apt install python3-lgpio")

    for found in probes.check_lights("gpio", PanelParams(), missing):
        assert found.status is CheckStatus.FAIL
        assert found.cure == "run sudo apt install python3-lgpio"


def test_ring(tmp_path: Path) -> None:
    emulator = WledEmulator(tmp_path / "ring")
    params = WledParams(port=str(tmp_path / "ring"), answer_s=0.5)
    assert probes.check_ring("none", params, RingParams()).status is CheckStatus.NOT_CHECKED
    assert probes.check_ring("wled", params, RingParams()).status is CheckStatus.FAIL
    emulator.plug()
    try:
        assert probes.check_ring("wled", params, RingParams()).status is CheckStatus.OK
        emulator.state.has_white = True
        dim = probes.check_ring("wled", params, RingParams())
        assert (dim.status, dim.text) == (CheckStatus.WARN, "the strip's white chips stay dark")
        assert "Accurate" in (dim.cure or "")
        emulator.state.has_white = False
        wrong = probes.check_ring("wled", params, RingParams(leds=30))
        assert (wrong.status, wrong.cure) == (CheckStatus.FAIL, "set ring.shape.leds, or WLED's LED preferences")
    finally:
        emulator.unplug()


def test_disk(tmp_path: Path) -> None:
    log = tmp_path / "data" / "rolls.db"
    assert "no roll kept yet" in probes.check_disk(tmp_path / "data", log, PARAMS).text
    RollLog(log).close()
    assert "whole" in probes.check_disk(tmp_path / "data", log, PARAMS).text
    with closing(sqlite3.connect(log, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        held = probes.check_disk(tmp_path / "data", log, PARAMS)
    assert "damaged" not in held.text
    assert "close the program that uses it" in (held.cure or "")
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as theirs, theirs:
        theirs.execute("CREATE TABLE rolls (id)")
    assert "another program" in probes.check_disk(tmp_path / "data", tmp_path / "theirs.db", PARAMS).text
    assert [one.name for one in (tmp_path / "data").iterdir()] == ["rolls.db"]
    log.write_bytes(b"not a database at all, but long enough to be taken for one" * 50)
    assert probes.check_disk(tmp_path / "data", log, PARAMS).status is CheckStatus.FAIL
    full = probes.check_disk(tmp_path / "data", log, CheckParams(free_mb=10**9))
    assert f"MB left, rolls and upgrades need {10**9}" in full.text
    (tmp_path / "file").touch()
    assert probes.check_disk(tmp_path / "file" / "below", log, PARAMS).status is CheckStatus.FAIL


@pytest.mark.parametrize(
    ("now", "synchronized", "verdict"),
    [
        (datetime(1970, 1, 1, tzinfo=UTC), True, CheckStatus.FAIL),
        (datetime(2026, 5, 1, tzinfo=UTC), True, CheckStatus.OK),
        (datetime(2026, 5, 1, tzinfo=UTC), None, CheckStatus.OK),
        (datetime(2026, 5, 1, tzinfo=UTC), False, CheckStatus.WARN),
    ],
)
def test_clock(now: datetime, synchronized: bool | None, verdict: CheckStatus) -> None:
    assert probes.check_clock(now, synchronized, PARAMS).status is verdict


def test_what_the_system_says_of_its_clock(tmp_path: Path) -> None:
    marker = tmp_path / "timesync" / "synchronized"
    assert is_synchronized(marker) is None
    marker.parent.mkdir()
    assert is_synchronized(marker) is False
    marker.touch()
    assert is_synchronized(marker) is True


def test_profile(tmp_path: Path) -> None:
    def broken(path: Path) -> Profile:
        raise BadProfile("profile has 3 corners, needs 4: run pushtray calibrate")

    assert probes.check_profile(None, broken, None).status is CheckStatus.WARN
    found = probes.check_profile(tmp_path, broken, (640, 480))
    assert (found.status, found.cure) == (CheckStatus.FAIL, "run pushtray calibrate")


def test_a_profile_is_held_against_the_cameras_pictures(tmp_path: Path) -> None:
    outline_px = np.array([[40.0, 30.0], [280.0, 30.0], [280.0, 210.0], [40.0, 210.0]])
    floor_bgr = np.full((6, 8, 3), 60.0)
    palette = (PaletteColour("base", (70.0, 0.0, 60.0), 2.0, dark_pips=True),)
    profile = Profile(320, 240, Floor("rectangle", outline_px), (260.0, 200.0), 16.0, 20.0, palette, floor_bgr)
    path = tmp_path / "tray.json"
    save_profile(path, profile)
    assert probes.check_profile(path, load_profile, None).text == f"{path} can be used"
    found = probes.check_profile(path, load_profile, (1280, 960))
    assert (found.status, found.cure) == (CheckStatus.OK, None)
    assert "the camera's pictures are of its shape" in found.text
    save_profile(tmp_path / "bare.json", replace(profile, palette=()))
    bare = probes.check_profile(tmp_path / "bare.json", load_profile, (1280, 960))
    assert (bare.status, bare.cure) == (CheckStatus.WARN, "show a few dice of each colour on /calibrate")
    found = probes.check_profile(path, load_profile, (1280, 720))
    assert found.status is CheckStatus.FAIL
    assert found.text == "the picture is 1280x720, the profile was made from 320x240, another shape"
    assert "run pushtray calibrate with pictures of this shape" in str(found.cure)
    writer = RecordingWriter(tmp_path / "wide", 15.0, "push-pool", {}, {})
    writer.add_frame(np.full((180, 320, 3), 60, np.uint8))
    writer.finish()
    for camera, verdict in (("simulated", "ok"), (f"replay:{tmp_path / 'wide'}", "fail")):
        tray = doctor.Examined(CameraRequest(camera, None), tmp_path / "data", profile=path, port=0)
        reported = {line["part"]: line for line in map(json.loads, run(tray, "--json")[1].splitlines())}
        assert reported["profile"]["verdict"] == verdict, reported["profile"]


def test_display(tmp_path: Path) -> None:
    def seen(browser: str = "sh", *, is_running: bool = False) -> Check:
        return probes.check_display("127.0.0.1", 0, is_running, (browser,), tmp_path)

    assert (seen().status, seen().cure) == (CheckStatus.OK, None)
    assert seen("no-such-browser").status is CheckStatus.WARN
    # The Pi's own list: a connector without a screen, one whose screen has no EDID, one that has.
    output = tmp_path / "drm/card1-HDMI-A-1"
    output.mkdir(parents=True)
    (output / "status").write_text("disconnected\n")
    (output / "modes").write_text("")
    assert (seen().status, "video=HDMI-A-1:" in str(seen().cure)) == (CheckStatus.OK, True)
    (output / "status").write_text("connected\n")
    assert (seen().status, "video=HDMI-A-1:" in str(seen().cure)) == (CheckStatus.WARN, True)
    (output / "modes").write_text("800x480\n")
    for properties, touches in (("0\n", False), ("2\n", True)):
        (tmp_path / "input/input3").mkdir(parents=True, exist_ok=True)
        (tmp_path / "input/input3/properties").write_text(properties)
        found = seen(is_running=True)
        assert (found.status, found.cure) == (CheckStatus.OK, None)
        assert ("HDMI-A-1, which takes touches" in found.text) is touches
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = probes.check_display("127.0.0.1", taken.getsockname()[1], False, ("sh",), tmp_path)
    assert (found.status, found.cure) == (CheckStatus.FAIL, "stop the other program or choose another --port")


HEAT = "class/thermal/thermal_zone0/temp"
PI_4 = "devices/platform/soc/soc:firmware/get_throttled"
PI_5 = "devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled"
VOLT = {"class/hwmon/hwmon1/name": "cpu_thermal\n", "class/hwmon/hwmon2/name": "rpi_volt\n"}
ALARM = "class/hwmon/hwmon2/in0_lcrit_alarm"


@pytest.mark.parametrize(
    ("files", "verdict", "expected"),
    [
        ({}, CheckStatus.NOT_CHECKED, "reports neither"),
        ({HEAT: "51000\n"}, CheckStatus.NOT_CHECKED, "51 degrees, voltage not checked"),
        ({HEAT: "91000\n"}, CheckStatus.WARN, "91 degrees, voltage not checked"),
        ({HEAT: "51000\n", PI_4: "0\n"}, CheckStatus.OK, "51 degrees, enough voltage"),
        ({HEAT: "51000\n", PI_4: "50005\n"}, CheckStatus.FAIL, "too little voltage"),
        ({HEAT: "51000\n", PI_5: "10000\n"}, CheckStatus.FAIL, "too little voltage"),
        ({HEAT: "51000\n", PI_5: "0\n"}, CheckStatus.OK, "enough voltage"),
        ({HEAT: "91000\n", PI_5: "0\n"}, CheckStatus.WARN, "91 degrees, enough voltage"),
        ({HEAT: "91000\n", PI_5: "50005\n"}, CheckStatus.FAIL, "91 degrees, too little voltage"),
        ({PI_5: "50005\n"}, CheckStatus.FAIL, "temperature not checked, too little voltage"),
        ({HEAT: "51000\n", **VOLT, ALARM: "1\n"}, CheckStatus.FAIL, "too little voltage"),
        ({HEAT: "51000\n", **VOLT, ALARM: "0\n"}, CheckStatus.OK, "enough voltage"),
    ],
)
def test_power(tmp_path: Path, files: dict[str, str], verdict: CheckStatus, expected: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = probes.check_power(tmp_path, PARAMS)
    assert found.status is verdict
    assert expected in found.text
    assert (found.cure is not None) == (verdict in (CheckStatus.FAIL, CheckStatus.WARN))


@pytest.fixture
def tray_port() -> Iterator[Any]:
    class Answer(BaseHTTPRequestHandler):
        body = b'{"ok": true}'

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(type(self).body)

        def log_message(self, *args: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1], Answer
    server.shutdown()
    thread.join()
    server.server_close()


def test_parts_that_a_running_tray_holds_are_not_tried(tray_port: Any, tmp_path: Path) -> None:
    port, answer = tray_port
    tray = doctor.Examined(
        CameraRequest("usb:0", UsbCameraParams()), tmp_path, port=port, pins="gpio", ring_kind="wled"
    )
    found = {one.part: one for one in doctor.examine(tray, watch_panel=True, out=io.StringIO())}
    assert found["tray"].status is CheckStatus.OK
    assert {found[part].status for part in ("camera", "lights", "buttons", "ring")} == {CheckStatus.NOT_CHECKED}
    answer.body = b'{"ok": false, "faults": {"camera": "camera usb:0 went away"}}'
    found = {one.part: one for one in doctor.examine(tray, watch_panel=False, out=io.StringIO())}
    assert found["tray"].status is CheckStatus.FAIL
    assert "went away" in found["tray"].text
    answer.body = b"[1, 2]"
    assert probes.running_tray("127.0.0.1", port) is None


def run(tray: doctor.Examined, *words: str) -> tuple[int, str, str]:
    parser = argparse.ArgumentParser()
    doctor.add_arguments(parser)
    out, err = io.StringIO(), io.StringIO()
    status = doctor.run_doctor(tray, parser.parse_args(words), out, err)
    return status, out.getvalue(), err.getvalue()


def test_doctor_of_a_simulated_tray_finds_nothing_wrong(tmp_path: Path) -> None:
    status, out, _ = run(doctor.Examined(SIMULATED, tmp_path, pins="mock", port=0), "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [one["part"] for one in lines] == [
        "tray", "camera", "lights", "buttons", "ring", "disk", "clock", "profile", "display", "power",
    ]  # fmt: skip
    assert all(set(one) == {"part", "verdict", "text", "cure"} for one in lines)
    assert status == 0, out


def test_broken_part_is_status_1_and_says_its_cure(tmp_path: Path) -> None:
    params = WledParams(port=str(tmp_path / "nothing"))
    status, out, _ = run(doctor.Examined(SIMULATED, tmp_path, ring_kind="wled", wled=params, port=0))
    assert status == 1
    (line,) = (line for line in out.splitlines() if line.startswith("FAIL"))
    assert "ring" in line
    assert "-> check its plug" in line


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[tray]\ncamera = 'webcam'", "no camera is called 'webcam'"),
        ("[panel]\npins = 'x'", "panel.pins is 'x'"),
        ("[ring]\nkind = 'x'", "ring.kind is 'x'"),
    ],
)
def test_what_cannot_be_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, named: str) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(text)
    assert main(["doctor", "--settings", str(settings), "--data", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert named in line


def test_recording_that_is_none(tmp_path: Path) -> None:
    status, out, _ = run(doctor.Examined(CameraRequest(f"replay:{tmp_path}/none", None), tmp_path, port=0), "--json")
    assert status == 1
    assert json.loads(out.splitlines()[1])["verdict"] == "fail"


def test_watched_trial_lights_each_lamp_alone_and_hears_the_buttons() -> None:
    factory = open_pins("mock")
    params = PanelParams(brightness=1.0)
    out = io.StringIO()
    now_s = 0.0
    lamps = list(LAMP_NAMES)
    first_lit: list[str] = []

    def wait(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds
        lit = [name for name in lamps if factory.pin(params.lamp_pin(name)).state == 1.0]
        first_lit.extend(name for name in lit if name not in first_lit)
        reported = out.getvalue()
        factory.pin(17).drive_low() if "press push" in reported else factory.pin(17).drive_high()

    lights, buttons = try_panel(params, lambda: factory, out, TrialParams(0.5, 1.0), clock=lambda: now_s, wait=wait)
    assert lights.status is CheckStatus.NOT_CHECKED
    assert (buttons.status, buttons.text) == (CheckStatus.FAIL, "no press of reset came")
    reported = out.getvalue().splitlines()
    assert [line.split()[1] for line in reported[: len(lamps)]] == lamps
    assert len(reported) == len(lamps) + 2
    assert first_lit == lamps
