"""Settings over HTTP on a whole tray: readable by all, changed at the tray, effective at once if possible."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import Request

from device.app import TrayApp
from device.config.settings import Settings, load_settings, with_overrides
from device.config.settings_service import SettingsSource
from device.runtime.source import CameraSetup
from device.texts.catalogue import translate
from device.web.core.permission import is_local_request
from tests.conftest import BlindWatch, StillCamera
from tests.web.conftest import FakeTray

FILE = '[tray]\ncamera = "usb:0"\n\n[web]\nport = 0 # any\n'


@dataclass
class Table:
    """A tray with a settings file."""

    app: TrayApp
    file: Path
    client: httpx.Client

    def change(self, key: str, value: object) -> Any:
        answer = self.client.put(f"/api/settings/{key}", json={"value": value})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, key: str, value: object) -> tuple[int, Any]:
        before = self.file.read_text()
        answer = self.client.put(f"/api/settings/{key}", json={"value": value})
        assert answer.status_code >= 400
        assert self.file.read_text() == before
        return answer.status_code, answer.json()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    folder = tmp_path_factory.mktemp("table")
    file = folder / "settings.toml"
    file.write_text(FILE)

    def override(settings: Settings) -> Settings:
        return with_overrides(settings, data=folder / "data")

    app = TrayApp(
        override(load_settings(file)),
        CameraSetup(StillCamera(), None, BlindWatch()),
        source=SettingsSource(file, override),
    )
    app.start()
    with httpx.Client(verify=False, base_url=app.url, timeout=5) as client:
        yield Table(app, file, client)
    app.stop()


def test_every_setting_is_reported_in_the_language_that_is_asked_for(table: Table) -> None:
    views = {language: table.client.get("/api/settings", params={"lang": language}).json() for language in ("en", "de")}
    assert views["en"]["may_change"] is True
    assert views["en"]["file"] == str(table.file)
    titles = {language: [group["title"] for group in view["groups"]] for language, view in views.items()}
    assert titles["en"][:3] == [translate("settings.group.dice"), "Pages", translate("settings.group.network")]
    assert titles["de"][:3] == ["Würfelfarben", "Seiten", "Wer die Schale erreicht"]
    port = next(one for group in views["de"]["groups"] for one in group["settings"] if one["key"] == "web.port")
    assert (port["low"], port["high"], port["value"], port["kind"]) == (0, 65535, 0, "whole")


def test_the_language_of_the_pages_changes_at_once(table: Table) -> None:
    assert ' lang="en"' in table.client.get("/").text
    assert table.change("display.language", "de")["restart"] == []
    assert ' lang="de"' in table.client.get("/").text
    table.change("display.language", None)
    assert ' lang="en"' in table.client.get("/").text


def test_when_a_display_goes_idle_changes_at_once(table: Table) -> None:
    assert table.client.get("/api/state").json()["idle_min"] == 5
    assert table.change("display.idle_min", 0)["restart"] == []
    assert table.client.patch("/api/context", json={"facts": {}}).json()["idle_min"] == 0
    table.change("display.idle_min", None)
    assert table.refused("display.idle_min", 500)[1]["nearest"] == 240


def test_colours_of_real_dice_change_at_once(table: Table) -> None:
    assert table.client.get("/api/state").json()["colours"]["base"] == "yellow"
    assert table.change("colours.base", "red")["restart"] == []
    # The loop answers later requests after earlier posted events.
    state = table.client.patch("/api/context", json={"facts": {}}).json()
    assert state["colours"] == {"base": "red", "skill": "green", "gear": "black"}
    table.change("colours.base", None)


def test_what_waits_is_reported_and_comments_stay(table: Table) -> None:
    assert table.change("usb.fps", 25)["restart"] == ["usb.fps"]
    assert "port = 0 # any\n" in table.file.read_text()
    assert table.change("usb.fps", None)["restart"] == []


def test_a_refusal_names_the_nearest_value(table: Table) -> None:
    status, body = table.refused("usb.fps", 90)
    assert (status, body["reason"], body["nearest"]) == (422, "bad_setting", 60)
    assert body["error"] == translate("settings.wrong.between", value="90", low="5", high="60")
    answer = table.client.put("/api/settings/usb.fps", json={"value": 90}, params={"lang": "de"})
    assert answer.json()["error"] == "90 passt nicht: 5 bis 60"


def test_an_address_that_nothing_can_listen_on_is_refused(table: Table) -> None:
    status, body = table.refused("web.host", "192.0.2.1")
    assert (status, body["reason"]) == (422, "bad_setting")
    assert "not an address of this machine" in body["error"]


@pytest.mark.parametrize(
    ("key", "value", "status", "reason"),
    [
        ("tray.data", "/tmp", 404, "unknown_setting"),
        ("usb.fps", {"deep": 1}, 422, "bad_value"),
        ("web.names", ["x" * 1001], 422, "bad_value"),
        ("x" * 81, 1, 422, "bad_value"),
    ],
)
def test_what_is_no_setting_is_refused(table: Table, key: str, value: object, status: int, reason: str) -> None:
    answer = table.refused(key, value)
    assert (answer[0], answer[1]["reason"]) == (status, reason)


def test_a_spoilt_file_is_reported_and_the_tray_goes_on(table: Table) -> None:
    table.file.write_text("[tray\n")
    try:
        answer = table.client.get("/api/settings")
        assert (answer.status_code, answer.json()["reason"]) == (409, "settings_file")
        assert table.refused("usb.fps", 25)[0] == 409
    finally:
        table.file.write_text(FILE)
    assert table.client.get("/api/settings").status_code == 200


def test_a_tray_without_a_file_has_no_settings(served: str, tray: FakeTray) -> None:
    assert httpx.get(f"{served}/api/settings").status_code == 404


@pytest.mark.parametrize(
    ("client", "headers", "may"),
    [
        ("127.0.0.1", {"host": "127.0.0.1:8000"}, True),
        ("127.9.9.9", {"host": "localhost:8000"}, True),
        ("::1", {"host": "[::1]:8000"}, True),
        ("192.168.1.20", {"host": "127.0.0.1:8000"}, False),
        ("fe80::1", {"host": "localhost"}, False),
        ("127.0.0.1", {"host": "tray.lan"}, False),
        ("127.0.0.1", {"host": "localhost", "x-forwarded-for": "127.0.0.1"}, False),
        ("127.0.0.1", {}, False),
        ("somebody", {"host": "localhost"}, False),
        (None, {"host": "localhost"}, False),
    ],
)
def test_only_the_trays_own_machine_may_change(client: str | None, headers: dict[str, str], may: bool) -> None:
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "headers": sent, "method": "PUT", "path": "/"}
    request = Request(scope | {"client": None if client is None else (client, 5000)})
    assert is_local_request(request) is may


def test_who_may_not_sees_and_changes_nothing(table: Table) -> None:
    """A client on the network, through a proxy on the tray's machine."""
    forwarded = {"x-forwarded-for": "192.168.1.20"}
    seen = table.client.get("/api/settings", headers=forwarded)
    assert (seen.json()["may_change"], seen.json()["file"]) == (False, table.file.name)
    shown = [one for group in seen.json()["groups"] for one in group["settings"]]
    assert {one["kind"] for one in shown} == {"word", "switch", "whole", "number"}
    assert str(table.file.parent) not in seen.text
    before = table.file.read_text()
    answer = table.client.put("/api/settings/usb.fps", json={"value": 25}, headers=forwarded)
    assert (answer.status_code, answer.json()["reason"]) == (403, "not_allowed")
    assert table.file.read_text() == before


def test_the_version_is_shown_and_an_update_asked_for_by_who_may_change(table: Table) -> None:
    seen = table.client.get("/api/update").json()
    assert (seen["can_look"], seen["latest"]["state"]) == (False, "none")
    assert table.client.post("/api/update", json={"version": None}).status_code == 409, "this tray is not installed"
    stranger = {"Origin": "http://elsewhere.example"}
    assert table.client.post("/api/update", json={}, headers=stranger).status_code == 403
    for wrong in ({"version": 1}, {"version": "9" * 30}, {"file": "x"}):
        assert table.client.post("/api/update", json=wrong).status_code == 422


def test_what_an_earlier_version_kept_apart_is_in_the_settings_file_after_a_start(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(FILE)
    mqtt = {"host": "", "port": 1883, "name": "Left table", "password": "hunter two"}
    (tmp_path / "integrations.json").write_text(json.dumps({"format": 1, "sections": {"mqtt": mqtt}}))

    def override(settings: Settings) -> Settings:
        return with_overrides(settings, data=tmp_path)

    setup = CameraSetup(StillCamera(), None, BlindWatch())
    app = TrayApp(override(load_settings(file)), setup, source=SettingsSource(file, override))
    app.start()
    try:
        with httpx.Client(verify=False, base_url=app.url, timeout=5) as client:
            told = client.get("/api/integrations")
    finally:
        app.stop()
    form = {one["key"]: one for shown in told.json()["integrations"] for one in shown["form"]}
    assert (form["mqtt.name"]["value"], form["mqtt.password"]["kept"]) == ("Left table", True)
    assert "hunter" not in told.text
    assert file.read_text() == f'{FILE}\n[mqtt]\npassword = "hunter two"\nname = "Left table"\n'
    assert not (tmp_path / "integrations.json").exists()
