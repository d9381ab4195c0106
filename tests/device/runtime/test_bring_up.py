"""A new tray's parts: its cameras and their pictures, lamps one after another, and which buttons were pressed."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.camera.registry import camera_driver
from device.camera.usb_devices import UsbIdentity
from device.config.settings import Settings, with_overrides
from device.errors import BadInput, DeviceError
from device.game.lamps import LAMP_NAMES, LightPlan
from device.runtime import bring_up
from device.runtime.bring_up import BringUp
from vision.types.frame import Frame


def made(settings: Settings | None = None, show: Any = None) -> BringUp:
    return BringUp(
        settings or with_overrides(Settings(), camera="usb:0"),
        show or (lambda _: None),
        lambda _: None,
        wait=lambda _: None,
    )


def names(parts: BringUp) -> list[tuple[object, object]]:
    cameras: Any = parts.report()["cameras"]
    return [(one["name"], one["in_use"]) for one in cameras]


@pytest.fixture(autouse=True)
def two_cameras(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {0: UsbIdentity("046d:0825::0", "1-1:1.0"), 2: UsbIdentity("046d:082d::0", "1-2:1.0")}
    monkeypatch.setattr(bring_up, "usb_cameras", lambda: found)


def test_every_camera_is_named_and_simulated_dice_by_their_name() -> None:
    assert names(made(with_overrides(Settings(), camera="simulated"))) == [
        ("usb:0", False),
        ("usb:2", False),
        ("simulated", True),
    ]
    assert names(made(with_overrides(Settings(), camera="usb:2"))) == [
        ("usb:2", True),
        ("usb:0", False),
        ("simulated", False),
    ]


def test_a_camera_is_called_as_its_maker_calls_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bring_up, "_VIDEO", tmp_path)
    (tmp_path / "video2").mkdir()
    (tmp_path / "video2/name").write_text("HD Pro Webcam C920\n")
    cameras: Any = made().report()["cameras"]
    assert [str(one["title"]) for one in cameras] == [
        "USB camera 0",
        "USB camera 2, HD Pro Webcam C920",
        "Simulated dice",
    ]


def test_a_first_weekends_tray_has_neither_ring_nor_panel() -> None:
    report = made(with_overrides(Settings(), camera="usb:0")).report()
    assert (report["ring"], report["panel"]) == (False, False)
    whole = with_overrides(Settings(), camera="pi")
    whole = replace(whole, ring=replace(whole.ring, kind="wled"))
    report = made(whole).report()
    assert (report["ring"], report["panel"]) == (True, True)


@pytest.mark.parametrize(
    ("zone", "set_hz", "told"),
    [
        ("America/New_York", None, {"hz": 60, "by": "zone", "zone": "America/New_York"}),
        ("Asia/Tokyo", None, {"hz": 50, "by": "nothing", "zone": None}),
        ("Asia/Tokyo", 60, {"hz": 60, "by": "setting", "zone": None}),
    ],
)
def test_a_pi_cameras_mains_are_told_with_what_says_so(
    monkeypatch: pytest.MonkeyPatch, zone: str, set_hz: Any, told: dict[str, object]
) -> None:
    monkeypatch.setattr("device.config.mains.tray_zone", lambda: zone)
    settings = with_overrides(Settings(), camera="pi")
    assert made(replace(settings, pi=replace(settings.pi, mains_hz=set_hz))).report()["mains"] == told
    assert made().report()["mains"] is None, "a USB camera keeps its own time"


def test_presses_of_the_panel_are_counted() -> None:
    parts = made()
    assert parts.report()["presses"] == {"push": 0, "reset": 0}
    parts.pressed("push")
    assert parts.report()["presses"] == {"push": 1, "reset": 0}


def test_lamps_shine_alone_one_after_another_and_then_as_before() -> None:
    plans: list[LightPlan | None] = []
    done = threading.Event()

    def show(plan: LightPlan | None) -> None:
        plans.append(plan)
        if plan is None:
            done.set()

    made(show=show).try_lamps()
    assert done.wait(10)
    assert [[name for name, lamp in plan.lamps() if lamp.lit] for plan in plans if plan is not None] == [
        [name] for name in LAMP_NAMES
    ]
    assert plans[-1] is None


class Lens:
    name = "usb:2"

    def __init__(self, fault: str | None = None) -> None:
        self.fault = fault
        self.closed = 0
        self.count = 0

    def open(self) -> None:
        if self.fault is not None:
            raise DeviceError(self.fault)

    def read(self, timeout_s: float) -> Frame | None:
        self.count += 1
        return Frame(np.zeros((24, 32, 3), np.uint8), float(self.count), self.count)

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize(("fault", "sees"), [(None, True), ("used by another program", False)])
def test_a_camera_that_is_not_in_use_shows_one_picture_and_is_let_go(
    monkeypatch: pytest.MonkeyPatch, fault: str | None, *, sees: bool
) -> None:
    lens = Lens(fault)
    driver = replace(camera_driver("usb:2"), make=lambda _: lens, settle=2)
    monkeypatch.setattr(bring_up, "camera_driver", lambda _: driver)
    jpeg = made().look("usb:2")
    assert (jpeg is not None and jpeg.startswith(b"\xff\xd8")) is sees
    assert lens.closed == 1
    assert lens.count == (3 if sees else 0), "its automatics have settled"


def test_what_is_no_camera_is_refused() -> None:
    for name in ("moon", "simulated", "replay:x"):
        with pytest.raises(BadInput):
            made().look(name)


def test_two_cameras_on_ribbons_and_one_on_usb_are_all_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bring_up, "_PI_MODEL", tmp_path / "model")
    monkeypatch.setattr(bring_up, "ribbon_cameras", lambda: ("imx708_wide", "imx477"))
    (tmp_path / "model").write_text("Raspberry Pi 5 Model B Rev 1.0")
    parts = made(with_overrides(Settings(), camera="pi:1"))
    assert names(parts) == [
        ("pi:1", True), ("pi", False), ("usb:0", False), ("usb:2", False), ("simulated", False),
    ]  # fmt: skip
    cameras: Any = parts.report()["cameras"]
    assert [str(one["title"]) for one in cameras[:2]] == [
        "Raspberry Pi camera 1, imx477", "Raspberry Pi camera 0, imx708_wide",
    ]  # fmt: skip
    assert parts.report()["mains"] is not None
    monkeypatch.setattr(bring_up, "ribbon_cameras", tuple)
    assert names(made(with_overrides(Settings(), camera="usb:0")))[:2] == [("usb:0", True), ("pi", False)]
