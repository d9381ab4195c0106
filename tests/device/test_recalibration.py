"""Reset held for two seconds, on a whole running tray: the floor is found anew, kept, and there at the next start."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from device.app import TrayApp
from device.lens import Lens
from device.settings import Settings, with_overrides
from device.simulated_scenery import SceneryParams, scenery
from device.tray_profile import profile_path
from vision.profile import load_profile
from vision.synthetic import draw


def hold_reset(app: TrayApp) -> None:
    """What the panel does once reset is let go after two seconds and more."""
    app._panel._on_calibrate()


def test_holding_reset_finds_the_floor_and_the_next_start_knows_it(
    tmp_path: Path, wait_until: Callable[[Callable[[], bool]], None], still_camera: Callable[..., Any]
) -> None:
    settings = with_overrides(Settings(), camera="simulated", data=tmp_path, port=0)
    camera = still_camera(draw(replace(scenery(SceneryParams(width_px=640, height_px=480)), dice=())))
    path = profile_path(settings)
    assert path == tmp_path / "profile-simulated.json"
    app = TrayApp(settings, Lens(camera))
    app.start()
    try:
        wait_until(lambda: app.tray.picture() is not None)
        hold_reset(app)
        wait_until(path.exists)
        wait_until(lambda: "calibration" not in app.tray.health()["faults"])
        camera.image = np.zeros_like(camera.image)
        seen = camera.count
        wait_until(lambda: camera.count > seen + 2)
        before = path.read_text()
        hold_reset(app)
        wait_until(lambda: "calibration" in app.tray.health()["faults"])
        assert "no tray is seen" in str(app.tray.health()["faults"])
        assert path.read_text() == before
    finally:
        app.stop()
    assert load_profile(path).floor.shape == "rectangle"
    again = TrayApp(settings, Lens(camera))
    again.stop()
    assert again.tray.snapshot().body["profile"] == "profile-simulated"
    assert again.tray.snapshot().body["colours"] == settings.colours, "no dice were shown, so those named still hold"
    elsewhere = with_overrides(settings, camera="usb:0")
    assert profile_path(elsewhere) == tmp_path / "profile-usb-0.json"
