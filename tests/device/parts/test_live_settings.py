"""Each setting that takes effect at once reaches the part that uses it."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from device.app import TrayApp
from device.calibration.teaching import Teaching
from device.calibration.workflow import CalibrationWorkflow
from device.config.settings import Settings, with_overrides
from device.config.settings_service import SettingsService, SettingsSource
from device.config.table_settings import table_settings
from device.integrations.sections import SECTIONS, section_values
from device.integrations.service import Integrations
from device.runtime.source import CameraSetup
from device.web.core.web import find_part
from tests.conftest import BlindWatch, StillCamera
from tests.device.conftest import wait_until
from tests.narrowing import there

COLOURS = {"colours.base": "orange", "colours.skill": "blue", "colours.gear": "white"}
VALUES: dict[str, Any] = COLOURS | {
    "display.language": "de",
    "display.idle_min": 7.0,
    "display.undo_s": 12.0,
    "display.remember": "always",
    "web.host": "127.0.0.2",
    "ring.shape.brightness": 99,
    "ring.shape.dim": 0.25,
    "ring.shape.point_s": 5.0,
    "ring.shape.cheer_s": 2.5,
    "discord.url": "https://discord.com/api/webhooks/1/a",
    "webhook.url": "http://127.0.0.1:9/hook",
    "webhook.secret": "a secret",
    "mqtt.host": "127.0.0.1",
    "mqtt.port": 9,
    "mqtt.tls": True,
    "mqtt.user": "tray",
    "mqtt.password": "another secret",
    "mqtt.base": "club/push",
    "mqtt.tray": "north",
    "mqtt.name": "North",
    "mqtt.discovery": True,
    "mqtt.discovery_prefix": "home",
    "mqtt.commands": True,
    "mqtt.club": True,
}
"""Another value than the default for each live key."""


@pytest.fixture(params=["usb:0", "simulated"])
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TrayApp]:
    source = SettingsSource(
        tmp_path / "settings.toml", partial(with_overrides, camera=request.param, data=tmp_path / "data", port=0)
    )
    made = TrayApp(source.override(Settings()), CameraSetup(StillCamera(), None, BlindWatch()), source=source)
    made.start()
    yield made
    made.stop()


def in_use(app: TrayApp, key: str) -> Any:
    """Return the value that the tray works with."""
    section, _, name = key.rpartition(".")
    if section in SECTIONS:
        return section_values(there(find_part(app.for_pages, Integrations))._channels[section].section)[name]
    match section:
        case "colours":
            assert there(find_part(app.for_pages, CalibrationWorkflow))._colours_named[name] == VALUES[key]
            wait_until(lambda: app.tray.snapshot().body["colours"][name] == VALUES[key])
            return app.reader._settings.colours[name]
        case "ring.shape":
            return getattr(app.ring._shape, name)
    match key:
        case "display.language":
            return app.pages.server._app.state.language
        case "display.idle_min":
            wait_until(lambda: app.tray.snapshot().body["idle_min"] == VALUES[key])
            return app.tray.snapshot().body["idle_min"]
        case "display.undo_s":
            wait_until(lambda: app.loop._metadata.undo_s == VALUES[key])
            return app.loop._metadata.undo_s
        case "display.remember":
            return there(find_part(app.for_pages, Teaching)).remember
        case "web.host":
            return app.pages.server._host
    raise AssertionError(f"{key} is live: this test lacks what shows that it is taken up")


def test_each_live_setting_reaches_what_uses_it(app: TrayApp, tmp_path: Path) -> None:
    certificate = tmp_path / "ca.pem"
    certificate.touch()
    values = VALUES | {"mqtt.ca_file": str(certificate)}
    settings = replace(Settings(), tray=replace(Settings().tray, camera="usb:0"))
    live = {one.listed.key for one in table_settings(settings) if app.is_live(one.listed.key)}
    is_painted = app.tray.snapshot().body["camera"] == "simulated"
    assert live == values.keys() - (COLOURS if is_painted else {})
    service = there(find_part(app.for_pages, SettingsService))
    for key in live:
        view = service.change({key: values[key]})
        assert view["restart"] == []
        assert in_use(app, key) == values[key], key
