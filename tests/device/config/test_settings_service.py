"""The settings file of a running tray: its values, those in use, those for the next start."""

import json
import re
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from device.config.settings import Settings, load_settings, read_settings, with_overrides
from device.config.settings_file import value_at
from device.config.settings_service import SettingsService, SettingsSource, UnknownSetting
from device.config.table_settings import BadSetting, Kind, TableSetting, Value, table_settings
from device.errors import BadInput
from device.integrations.sections import SECTIONS
from device.texts.catalogue import translate
from tests.narrowing import parts_of

FILE = '[tray]\ncamera = "usb:0" # the first\n\n[usb]\nfps = 30\n'


class Tray:
    """The part of a tray that the settings service needs."""

    def __init__(self) -> None:
        self.taken_up: list[tuple[str, Settings]] = []
        self.refusal: str | None = None
        self.cannot: str | None = None

    def take_up(self, key: str, wanted: Settings) -> None:
        if self.cannot is not None:
            raise BadInput(self.cannot)
        self.taken_up.append((key, wanted))

    def probe(self, _wanted: Settings) -> None:
        if self.refusal is not None:
            raise BadInput(self.refusal)


@pytest.fixture
def tray() -> Tray:
    return Tray()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(FILE)
    return path


@pytest.fixture
def open_desk(file: Path, tray: Tray) -> Callable[..., SettingsService]:
    def opened(**overrides: Any) -> SettingsService:
        def override(settings: Settings) -> Settings:
            return with_overrides(settings, **overrides)

        running = override(load_settings(file) if file.exists() else Settings())
        live = frozenset(
            {"display.language", "colours.base", "colours.skill", "colours.gear", "mqtt.host", "webhook.url"}
        )
        source = SettingsSource(file, override)
        return SettingsService(
            source,
            running,
            is_live=live.__contains__,
            apply=tray.take_up,
            probe=tray.probe,
            restart=tray.taken_up.clear,
        )

    return opened


def shown(view: Any) -> dict[str, dict[str, Any]]:
    return {one["key"]: one for group in view["groups"] for one in group["settings"]}


def test_what_waits_for_the_next_start_is_reported(
    open_desk: Callable[..., SettingsService], file: Path, tray: Tray
) -> None:
    desk = open_desk()
    view = desk.change({"usb.fps": 25})
    assert file.read_text() == FILE.replace("30", "25")
    assert view["restart"] == ["usb.fps"]
    fps = shown(view)["usb.fps"]
    assert (fps["value"], fps["holds"], fps["pending"], fps["live"]) == (25, 30, True, False)
    assert tray.taken_up == []
    assert desk.change({"usb.fps": 30})["restart"] == []


def test_what_a_run_can_take_up_holds_at_once(open_desk: Callable[..., SettingsService], tray: Tray) -> None:
    view = open_desk().change({"display.language": "de"})
    assert view["restart"] == []
    language = shown(view)["display.language"]
    assert (language["value"], language["holds"], language["pending"]) == ("de", "de", False)
    assert [(key, wanted.display.language) for key, wanted in tray.taken_up] == [("display.language", "de")]


def test_a_key_that_is_taken_out_is_as_usual(open_desk: Callable[..., SettingsService], file: Path) -> None:
    desk = open_desk()
    desk.change({"usb.exposure": 120})
    assert "exposure = 120.0\n" in file.read_text()
    view = desk.change({"usb.exposure": None})
    assert file.read_text() == FILE
    assert (shown(view)["usb.exposure"]["value"], shown(view)["usb.fps"]["usual"]) == (None, 30)


def another_value(setting: TableSetting) -> Value:
    """Return a value that the setting takes and that is not its default."""
    if setting.listed.key == "tray.camera":
        return "simulated"
    match setting.kind:
        case Kind.WORD:
            return next(one for one in setting.words if one != setting.usual)
        case Kind.SWITCH:
            return not setting.usual
        case Kind.WHOLE | Kind.NUMBER:
            limits = setting.high, None if setting.is_open else setting.low, 1.0
            limit = next(limit for limit in limits if limit is not None and limit != setting.usual)
            return limit if setting.kind is Kind.NUMBER else round(limit)
        case Kind.TEXTS:
            return ["http://vtt.lan:30000" if setting.listed.key == "web.origins" else "tray.lan"]
        case Kind.TEXT | Kind.SECRET:
            return "https://example.org/key" if setting.path[-1] == "url" else "text"


def test_each_setting_of_the_pages_is_set_and_taken_back(open_desk: Callable[..., SettingsService], file: Path) -> None:
    desk, settings = open_desk(), table_settings(load_settings(file))
    for setting in settings:
        file.write_text(FILE)
        key, value = setting.listed.key, another_value(setting)
        desk.change({key: value})
        assert value_at(tomllib.loads(file.read_text()), setting.path) == value
        desk.change({key: value_at(tomllib.loads(FILE), setting.path)})
        assert file.read_text().startswith(FILE)
        assert load_settings(file) == read_settings(tomllib.loads(FILE))
    for name in SECTIONS:
        desk.change({one.listed.key: another_value(one) for one in settings if one.listed.group == name})
        desk.clear(name)
        assert load_settings(file) == read_settings(tomllib.loads(FILE))


def test_one_colour_names_all_classes(open_desk: Callable[..., SettingsService], file: Path, tray: Tray) -> None:
    desk = open_desk()
    desk.change({"colours.base": "red"})
    assert file.read_text() == f'{FILE}\n[colours]\nbase = "red"\nskill = "green"\ngear = "black"\n'
    assert dict(tray.taken_up[-1][1].colours) == {"base": "red", "skill": "green", "gear": "black"}
    assert shown(desk.change({"colours.base": None}))["colours.base"]["value"] == "yellow"


def test_the_command_line_wins_and_is_reported(open_desk: Callable[..., SettingsService], file: Path) -> None:
    desk = open_desk(port=9000)
    view = desk.change({"web.port": 8001})
    port = shown(view)["web.port"]
    assert (port["value"], port["holds"], port["overridden"], port["pending"]) == (8001, 9000, True, False)
    assert load_settings(file).web.port == 8001


def test_what_must_hold_is_refused_where_the_command_line_says_otherwise(
    open_desk: Callable[..., SettingsService], file: Path
) -> None:
    desk = open_desk(host="127.0.0.1")
    with pytest.raises(BadSetting, match=r"sets web\.host"):
        desk.change({"web.host": "0.0.0.0"}, must_hold=True)
    assert file.read_text() == FILE


def test_what_cannot_be_taken_up_is_not_kept(open_desk: Callable[..., SettingsService], file: Path, tray: Tray) -> None:
    tray.cannot = "the port is taken there"
    with pytest.raises(BadSetting, match="taken there"):
        open_desk().change({"display.language": "de"})
    assert file.read_text() == FILE


def test_a_file_that_is_not_there_is_made(open_desk: Callable[..., SettingsService], file: Path) -> None:
    file.unlink()
    desk = open_desk(camera="pi")
    assert shown(desk.view())["log.level"]["value"] is None
    desk.change({"log.level": "debug"})
    assert file.read_text() == '[log]\nlevel = "debug"\n'


@pytest.mark.parametrize(
    ("key", "value", "reported"),
    [
        ("tray.camera", "webcam", "no camera is called 'webcam'"),
        ("web.names", ["http://tray.lan"], "write it as in tray.lan"),
        ("usb.fps", 61, "5 to 60"),
    ],
)
def test_a_bad_value_changes_nothing(
    open_desk: Callable[..., SettingsService], file: Path, key: str, value: object, reported: str
) -> None:
    with pytest.raises(BadSetting, match=reported):
        open_desk().change({key: value})
    assert file.read_text() == FILE


def test_an_address_that_cannot_be_listened_on_changes_nothing(
    open_desk: Callable[..., SettingsService], file: Path, tray: Tray
) -> None:
    desk = open_desk()
    tray.refusal = "port 80 is kept for the system: choose a --port above 1023"
    with pytest.raises(BadSetting, match="kept for the system"):
        desk.change({"web.port": 80})
    assert file.read_text() == FILE


def test_only_what_is_listed_may_be_touched(open_desk: Callable[..., SettingsService]) -> None:
    for key in ("tray.data", "panel.wiring.push_pin", "web", "nothing", "simulation.seed"):
        with pytest.raises(UnknownSetting, match="GET /api/settings"):
            open_desk().change({key: 1})


def test_a_file_that_was_spoilt_by_hand_is_reported_and_left(
    open_desk: Callable[..., SettingsService], file: Path
) -> None:
    desk = open_desk()
    file.write_text("[tray\n")
    for act in (desk.view, lambda: desk.change({"log.level": "debug"})):
        with pytest.raises(BadInput, match=re.escape(translate("settings.not_read", text=""))):
            act()
    assert file.read_text() == "[tray\n"
    file.write_text("[tray]\nkamera = 1\n")
    with pytest.raises(BadInput, match=r"unknown key tray\.kamera"):
        desk.view()


def form_of(desk: SettingsService, name: str) -> dict[str, Any]:
    return {one["key"]: one for one in map(parts_of, desk.forms()[name])}  # type: ignore[arg-type]


def test_a_service_is_set_in_the_same_file_which_is_then_its_owners_alone(
    open_desk: Callable[..., SettingsService], file: Path, tray: Tray
) -> None:
    desk = open_desk()
    view = desk.change({"webhook.url": "https://example.org/open-sesame", "webhook.secret": "hunter two"})
    assert file.read_text() == f'{FILE}\n[webhook]\nurl = "https://example.org/open-sesame"\nsecret = "hunter two"\n'
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load_settings(file).services["webhook"].address == "https://example.org/open-sesame"
    assert [wanted.services["webhook"].where for _, wanted in tray.taken_up] == ["https://example.org/…"]
    form = form_of(desk, "webhook")
    assert [(one["kind"], one["kept"], one["value"]) for one in form.values()] == [("secret", True, None)] * 2
    for body in (view, form, desk.view()):
        assert not re.search("sesame|hunter", json.dumps(body))
    desk.clear("webhook")
    assert load_settings(file) == read_settings(tomllib.loads(FILE))
    assert not any(one["kept"] for one in form_of(desk, "webhook").values())


def test_what_a_service_has_set_is_on_its_own_page_alone(open_desk: Callable[..., SettingsService]) -> None:
    desk = open_desk()
    desk.change({"mqtt.host": "broker", "mqtt.port": 1884})
    assert not [key for key in shown(desk.view()) if key.startswith(("mqtt", "webhook"))]
    form = form_of(desk, "mqtt")
    assert (form["mqtt.host"]["value"], form["mqtt.port"]["value"], form["mqtt.port"]["high"]) == (
        "broker",
        1884,
        65535,
    )


@pytest.mark.parametrize(
    ("key", "value", "reported"),
    [
        ("webhook.url", "ftp://sesame.example/", "webhook.url is not an address that can be posted to: give one that"),
        ("webhook.url", "https://a..b/", "webhook.url is not an address that can be posted to"),
        ("webhook.url", f"https://{'a' * 64}.example/", "webhook.url is not an address that can be posted to"),
        ("webhook.url", "https://", "webhook.url is not an address that can be posted to"),
        ("webhook.url", "file:///etc/sesame", "webhook.url is not an address that can be posted to"),
        ("webhook.url", "http://tray:sesame@host/", "webhook.url has a user in it"),
        ("webhook.url", "http://host/a b", "webhook.url is not an address that can be posted to"),
        ("webhook.url", "sesame\x00", translate("settings.wrong.text")),
        ("discord.url", 7, translate("settings.wrong.text")),
        ("mqtt.host", "a..b", "mqtt.host is 'a..b': write a name or an address alone"),
        ("mqtt.host", "mqtt://broker", "mqtt.host is 'mqtt://broker': write a name or an address alone"),
        ("mqtt.tray", "a/b", "mqtt.tray is 'a/b': use up to 40 letters"),
        ("mqtt.base", "#", "mqtt.base is '#': use letters"),
    ],
)
def test_what_does_not_fit_a_service_is_refused_without_the_secret(
    open_desk: Callable[..., SettingsService], file: Path, key: str, value: object, reported: str
) -> None:
    with pytest.raises(BadSetting) as refused:
        open_desk().change({key: value})
    assert str(refused.value).startswith(reported)
    assert "sesame" not in str(refused.value)
    assert file.read_text() == FILE
