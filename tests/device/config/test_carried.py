"""Settings that pages of an earlier version stored in a separate file move into the settings file without loss."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from device.config.carried import FILE_NAME, carry_over
from device.config.settings import Settings, load_settings
from device.config.settings_service import SettingsSource
from device.integrations.channels.discord import DiscordSettings
from device.integrations.channels.webhook import WebhookSettings
from device.integrations.settings import MqttSettings

FILE = '# ours\n[tray]\ncamera = "pi"\n\n[mqtt]\nbase = "club" # all of us\nname = "Old"\n\n[discord]\nurl = "https://d/x"\n'
MQTT: dict[str, Any] = {
    "host": "broker",
    "port": 8883,
    "tls": True,
    "ca_file": "",
    "user": "tray",
    "password": "hunter two",
    "base": "pushtray",
    "tray": "left",
    "name": "Left",
    "discovery": True,
    "discovery_prefix": "homeassistant",
    "commands": False,
    "club": True,
}
KEPT = {
    "format": 1,
    "sections": {"webhook": {"url": "https://a/b?k=1", "secret": "s"}, "discord": {"url": None}, "mqtt": MQTT},
}
"""As version 0.1.0 wrote it: all keys of each section that a page had changed."""


@pytest.fixture
def source(tmp_path: Path) -> SettingsSource:
    (tmp_path / "settings.toml").write_text(FILE)
    return SettingsSource(tmp_path / "settings.toml", lambda settings: settings)


def carried(folder: Path, source: SettingsSource, body: Any = KEPT) -> Settings:
    (folder / FILE_NAME).write_text(json.dumps(body))
    return carry_over(folder, source, load_settings(source.file))


def test_it_moves_into_the_settings_file_and_holds(tmp_path: Path, source: SettingsSource) -> None:
    settings = carried(tmp_path, source)
    assert settings == load_settings(source.file)
    assert (
        settings.services
        | {
            "webhook": WebhookSettings(url=SecretStr("https://a/b?k=1"), secret=SecretStr("s")),
            "discord": DiscordSettings(),
            "mqtt": MqttSettings(**{**MQTT, "password": SecretStr("hunter two")}),
        }
        == settings.services
    )
    assert [one.name for one in tmp_path.iterdir()] == [source.file.name]
    assert stat.S_IMODE(source.file.stat().st_mode) == 0o600
    text = source.file.read_text()
    assert text.startswith('# ours\n[tray]\ncamera = "pi"\n\n[mqtt]\n# all of us\nname = "Left"\n')
    assert "port = 8883" in text
    assert "ca_file" not in text, "what is as usual needs no line"
    assert carry_over(tmp_path, source, settings) is settings


def test_a_service_that_no_page_touched_stays_as_the_file_has_it(tmp_path: Path, source: SettingsSource) -> None:
    settings = carried(tmp_path, source, {"format": 1, "sections": {"webhook": {"url": "https://a/b", "secret": None}}})
    assert (settings.mqtt.base, settings.services["discord"].address) == ("club", "https://d/x")


def test_where_the_file_cannot_take_it_up_it_holds_and_stays(
    tmp_path: Path, source: SettingsSource, caplog: pytest.LogCaptureFixture
) -> None:
    source.file.write_text("[[mqtt]]\n")
    (tmp_path / FILE_NAME).write_text(json.dumps(KEPT))
    assert carry_over(tmp_path, source, Settings()).mqtt.host == "broker"
    assert (tmp_path / FILE_NAME).exists()
    assert f"{FILE_NAME} stays next to {source.file}" in caplog.text
    assert "hunter" not in caplog.text


@pytest.mark.parametrize("text", ["no json", '{"sections": 5}', '{"sections": {"webhook": {"url": "sesame"}}}', "[]"])
def test_one_that_cannot_be_read_is_set_aside_and_named(
    tmp_path: Path, source: SettingsSource, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    settings = load_settings(source.file)
    assert carry_over(tmp_path, source, settings) is settings
    assert "cannot be understood" in caplog.text
    assert "sesame" not in caplog.text
