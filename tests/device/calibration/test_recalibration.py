"""Calibrating a running tray, by hand or by holding reset for two seconds: effective at once and at the next start."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.app import TrayApp
from device.config.settings import Settings, with_overrides
from device.runtime.source import CameraSetup
from device.runtime.tray_profile import profile_path
from device.simulation.scenery import SceneryParams, die_look, scenery
from tests.conftest import StillCamera
from tests.device.conftest import wait_until
from tests.drawing import draw
from tests.narrowing import parts_of
from vision.rendering.scene import DiePose
from vision.tray.profile import load_profile
from vision.types.errors import BadProfile
from vision.types.frame import ImageBgr


def drawn(*places_mm: tuple[float, float]) -> ImageBgr:
    """Draw the tray with a yellow die at each of these places."""
    poses = tuple(
        DiePose(die_look("yellow", 16.0, number), np.array([*place, 8.0]), np.eye(3))
        for number, place in enumerate(places_mm)
    )
    return draw(replace(scenery(SceneryParams(width_px=640, height_px=480)), dice=poses))


def hold_reset(app: TrayApp) -> None:
    """Act as the panel when reset is released after two seconds and more."""
    app.panel.panel._on_calibrate()


def test_holding_reset_finds_the_floor_and_the_next_start_knows_it(tmp_path: Path) -> None:
    settings = with_overrides(Settings(), camera="simulated", data=tmp_path, port=0)
    camera = StillCamera(drawn())
    path = profile_path(settings)
    assert path == tmp_path / "profile-simulated.json"
    app = TrayApp(settings, CameraSetup(camera))
    app.start()
    try:
        wait_until(lambda: app.tray.picture() is not None)
        hold_reset(app)
        wait_until(path.exists)
        wait_until(lambda: "calibration" not in parts_of(app.tray.health())["faults"])
        wait_until(lambda: app.tray.snapshot().body["profile"] == "profile-simulated")
        camera.image = np.zeros_like(camera.image)
        seen = camera.count
        wait_until(lambda: camera.count > seen + 2)
        before = path.read_text()
        hold_reset(app)
        wait_until(lambda: "calibration" in parts_of(app.tray.health())["faults"])
        assert "no tray is seen" in str(app.tray.health()["faults"])
        assert path.read_text() == before
    finally:
        app.stop()
    assert load_profile(path).floor.shape == "rectangle"
    again = TrayApp(settings, CameraSetup(camera))
    again.stop()
    assert again.tray.snapshot().body["profile"] == "profile-simulated"
    assert again.tray.snapshot().body["colours"] == settings.colours, "no dice were shown, so those named still hold"
    elsewhere = with_overrides(settings, camera="usb:0")
    assert profile_path(elsewhere) == tmp_path / "profile-usb-0.json"


def test_saved_calibration_is_on_every_screen_at_once_and_one_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = with_overrides(Settings(), camera="simulated", data=tmp_path, port=0)
    camera = StillCamera(drawn())
    app = TrayApp(settings, CameraSetup(camera))
    reported: list[tuple[Any, Any]] = []
    app.tray.subscribe(lambda snapshot: reported.append((snapshot.body["profile"], snapshot.body["colours"])))
    app.start()

    def show_picture(image: ImageBgr) -> None:
        camera.image = image
        seen = camera.count
        wait_until(lambda: camera.count > seen + 2)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    try:
        show_picture(drawn())
        app.calibration.workflow.take_empty()
        show_picture(drawn((-60.0, -40.0), (10.0, 30.0), (70.0, -20.0)))
        app.calibration.workflow.take_dice("base")
        with monkeypatch.context() as disk:
            disk.setattr(os, "fsync", full)
            with pytest.raises(BadProfile, match="No space left"):
                app.calibration.workflow.save()
        assert {profile for profile, _ in reported} <= {None}
        assert app.tray.snapshot().body["profile"] is None
        assert app.tray.snapshot().body["colours"] == settings.colours
        app.calibration.workflow.save()
        wait_until(lambda: ("profile-simulated", {"base": "yellow"}) in reported)
        assert app.tray.snapshot().body["profile"] == "profile-simulated"
    finally:
        app.stop()
