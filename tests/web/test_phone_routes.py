"""Phones over HTTP, on a whole tray: who is admitted, and what each may do; across a restart, and after removal.

`tray.lan` stands for a device beyond this machine: requests without a loopback name do not come from the tray itself.
"""

import http.client
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fastapi import Request

from device.app import TrayApp
from device.config.settings import PhoneSettings, Settings, WebSettings, with_overrides
from device.config.settings_service import SettingsSource
from device.game.state.events import DiceSettled, MotionSeen
from device.runtime.source import CameraSetup
from device.storage.display_secret import display_secret
from device.texts.catalogue import catalogue, in_language, translate
from device.web.core.access import DISPLAY_COOKIE
from device.web.core.permission import is_local_request
from device.web.features.archive.routes import UPLOADS
from device.web.features.dice_sets.routes import DICE_UPLOADS
from device.web.features.phones.qr_code import QUIET, qr_modules, qr_svg
from tests.conftest import BlindWatch, StillCamera
from tests.web.resting import reading
from vision.types.sighting import Rest, TrackedDie

Answer = tuple[int, Any]
OK = (200, 201)
REPAIR = {"bonus": 1, "max": 3, "crafts_success": True}


class Device:
    """A browser: its address of the tray, and its cookie."""

    def __init__(self, tray: "Tray", host: str) -> None:
        self._tray = tray
        self._host = host
        self.cookie: str | None = None
        self.set_cookie = ""

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        status, content = self.raw(method, path, body, **headers)
        return status, json.loads(content)

    def page(self, path: str) -> tuple[int, str | None]:
        """Open a page; return its status, and its redirect."""
        connection = http.client.HTTPConnection("127.0.0.1", self._tray.port, timeout=30)
        connection.request("GET", path, headers={"host": f"{self._host}:{self._tray.port}"})
        answer = connection.getresponse()
        answer.read()
        self.set_cookie = answer.getheader("set-cookie") or ""
        self.cookie = self.set_cookie.partition(";")[0] or self.cookie
        connection.close()
        return answer.status, answer.getheader("location")

    def raw(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._tray.port, timeout=30)
        sent = {"host": f"{self._host}:{self._tray.port}", "content-type": "application/json", **headers}
        if self.cookie is not None:
            sent["cookie"] = self.cookie
        connection.request(method, f"/api/{path}", None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        content = answer.read()
        self.set_cookie = answer.getheader("set-cookie") or ""
        self.retry_after = answer.getheader("retry-after")
        connection.close()
        if self.set_cookie:
            self.cookie = self.set_cookie.partition(";")[0]
        return answer.status, content

    def good(self, method: str, path: str, body: Any = None) -> Any:
        status, content = self.ask(method, path, body)
        assert status in OK, content
        return content

    def refused(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        status, content = self.ask(method, path, body)
        assert status >= 400, content
        assert set(content) == {"error", "reason"}
        assert "\n" not in content["error"]
        return status, content["reason"]


class Tray:
    """A whole tray that requires a PIN, and devices around it."""

    def __init__(
        self, folder: Path, setup: CameraSetup, pin: str = "on", names: tuple[str, ...] = ("tray.lan",)
    ) -> None:
        settings = with_overrides(Settings(), camera="simulated", data=folder, port=0)
        web = replace(settings.web, names=names)
        phones = PhoneSettings(pin=pin)  # type: ignore[arg-type]
        settings = replace(settings, web=web, phones=phones)
        self.app = TrayApp(settings, setup, source=SettingsSource(folder / "settings.toml", lambda _: settings))
        self.app.start()
        self.port = int(self.app.url.rstrip("/").rpartition(":")[2])
        self.secret = display_secret(folder)
        self.display = Device(self, "127.0.0.1")
        self.display.cookie = f"{DISPLAY_COOKIE}={self.secret}"

    def routes(self) -> set[str]:
        """Return every path of the interface with its method, as documented."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/openapi.json")
        paths = json.loads(connection.getresponse().read())["paths"]
        connection.close()
        return {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}

    def undo(self) -> Any:
        """Return the latest press that can be undone."""
        return self.display.good("GET", "state")["undo"]

    def clear(self) -> None:
        """Remove what a test left: phones, sheets, requested rolls, dice, wrong PINs."""
        for phone in self.app.phones.pairing.phones:
            self.app.phones.pairing.forget(phone.id)
        self.app.phones.pairing.renew_pins()
        for sheet in self.display.good("GET", "sheets")["sheets"]:
            self.display.good("DELETE", f"sheets/{sheet['id']}")
        self.display.good("PUT", "system", {"system": "push-pool"})
        # Dice with the numbers of those in the tray would not be a new roll.
        self.throw()
        state = self.display.good("POST", "reset")
        for one in (*state["asked_next"], state["asked"]):
            if one is not None:
                self.display.good("DELETE", f"asked/{one['id']}")

    def device(self) -> Device:
        return Device(self, "tray.lan")

    def phone(self, name: str | None = None, *, master: bool = False) -> Device:
        """Return a paired phone, of a player if one is named."""
        phone = self.device()
        pins = self.app.phones.pairing.pins
        phone.good("POST", "phones/pair", {"pin": pins.game_master if master else pins.player})
        if name is not None:
            phone.good("PUT", "phones/me", {"name": name})
        return phone

    def throw(self, *dice: tuple[int, str, int]) -> None:
        lying = tuple(TrackedDie(number, reading(number, colour, value), True) for number, colour, value in dice)
        self.app.post(MotionSeen())
        self.app.post(DiceSettled(Rest(1.0, 15, 1280, 960, lying, (), trusted=True)))
        # The loop answers later requests after earlier posted events.
        self.display.good("PATCH", "context", {"facts": {}})


@pytest.fixture(scope="module")
def idle_lens() -> Callable[[], CameraSetup]:
    return lambda: CameraSetup(StillCamera(), None, BlindWatch())


@pytest.fixture
def make_tray(tmp_path: Path, idle_lens: Callable[[], CameraSetup]) -> Iterator[Callable[..., Tray]]:
    trays: list[Tray] = []

    def make(**more: Any) -> Tray:
        for old in trays:
            old.app.stop()
        trays.append(Tray(tmp_path, idle_lens(), **more))
        return trays[-1]

    yield make
    for tray in trays:
        tray.app.stop()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, idle_lens: Callable[[], CameraSetup]) -> Iterator[Tray]:
    tray = Tray(tmp_path_factory.mktemp("phones"), idle_lens())
    yield tray
    tray.app.stop()


@pytest.fixture
def tray(shared: Tray) -> Tray:
    shared.clear()
    return shared


READS = [
    "state",
    "odds",
    "rolls",
    "rolls.csv",
    "health",
    "sheets",
    "tiles",
    "clocks",
    "rulings",
    "players/rolls?owner=Zo",
]


def test_a_name_that_no_set_can_have_is_refused_in_the_language_of_the_page(tray: Tray) -> None:
    for language in ("en", "de"):
        status, told = tray.display.ask("POST", f"dice-sets/.x/show?lang={language}", {"colour": "base"})
        text = in_language(translate("taught.bad_name", name="'.x'"), language)
        assert (status, told["reason"], told["error"]) == (422, "bad_value", f"name: {text}")


def test_only_who_may_teach_own_dice_is_asked_to_remember_a_face(tray: Tray) -> None:
    devices = {"display": tray.display, "player": tray.phone("Zo"), "guest": tray.device()}
    answers = {name: device.good("GET", "dice-faces")["remember"] for name, device in devices.items()}
    assert answers == {"display": "ask", "player": "never", "guest": "never"}
    assert tray.phone(master=True).good("GET", "dice-faces")["remember"] == "ask"
    assert devices["player"].refused("POST", "dice-sets/remember", {"dice": [1]}) == (403, "game_master_only")


def test_a_device_without_a_pin_may_look_and_nothing_else(tray: Tray) -> None:
    guest = tray.device()
    me = guest.good("GET", "phones/me")
    assert (me["asked"], me["role"], me["name"]) == (True, "guest", None)
    assert [path for path in READS if guest.raw("GET", path)[0] != 200] == []
    for path in ("phones", "phones/qr.svg"):
        assert guest.refused("GET", path) == (403, "not_paired")
    before = tray.display.good("GET", "state")["version"]
    writes = {request for request in tray.routes() if not request.startswith("GET ")}
    assert len(writes) > 40
    # The guard checks the kind of a file before its sender.
    kinds = {f"POST {path}": {"content-type": upload.kind} for path, upload in (UPLOADS | DICE_UPLOADS).items()}
    answers = {
        request: guest.ask(request.partition(" ")[0], request.partition("/api/")[2], {}, **kinds.get(request, {}))
        for request in writes
    }
    let_through = {
        request for request, (status, body) in answers.items() if (status, body.get("reason")) != (403, "not_paired")
    }
    assert let_through == {"POST /api/phones/pair", "POST /api/phones/knock", "POST /api/phones/enter"}
    assert tray.display.good("GET", "state")["version"] == before + 1, "the display shows who asks, and nothing else"


def test_the_display_is_never_asked(tray: Tray) -> None:
    me = tray.display.good("GET", "phones/me")
    assert (me["asked"], me["role"]) == (True, "table")
    tray.display.good("POST", "asked", {"owner": "Zo"})
    assert tray.display.good("POST", "sheets", {"title": "Zo"})["title"] == "Zo"
    assert tray.display.refused("PUT", "phones/me", {"name": "Zo"}) == (409, "not_a_phone")
    everything = tray.display.good("GET", "phones")
    pins = tray.app.phones.pairing.pins
    assert everything["pins"] == {"player": pins.player, "game_master": pins.game_master}


@pytest.mark.parametrize("pin", ["on", "auto"])
def test_a_proxy_that_does_not_say_so_lets_no_one_in(make_tray: Callable[..., Tray], pin: str) -> None:
    """It sends the tray's own address as Host and adds no header: only the secret distinguishes it from the display."""
    tray = make_tray(pin=pin)
    stranger = Device(tray, "127.0.0.1")
    assert stranger.good("GET", "phones/me")["role"] == "guest"
    for path in ("phones", "phones/qr.svg", "backup"):
        assert stranger.raw("GET", path)[0] == 403, path
    for method, path in (("POST", "reset"), ("PUT", "integrations/webhook"), ("DELETE", "story/1")):
        assert stranger.refused(method, path, {"settings": {}} if method == "PUT" else None)[0] == 403, path
    assert tray.display.good("GET", "phones")["pins"]["player"] == tray.app.phones.pairing.pins.player


def test_the_display_shows_its_secret_once(tray: Tray) -> None:
    browser = Device(tray, "127.0.0.1")
    assert browser.page(f"/display?key={tray.secret}x")[0] == 403
    assert browser.good("GET", "phones/me")["role"] == "guest"
    assert browser.page(f"/display?key={tray.secret}&kiosk") == (303, "/start?kiosk"), "the first evening"
    facts = {part.strip().lower() for part in browser.set_cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= facts
    assert browser.good("GET", "phones/me")["role"] == "table"
    assert browser.good("GET", "integrations")["may_change"] is True


def test_where_no_proxy_stands_the_trays_own_machine_shows_nothing(make_tray: Callable[..., Tray]) -> None:
    tray = make_tray(pin="auto", names=())
    own = Device(tray, "127.0.0.1")
    assert own.good("GET", "phones/me") | {"asked": False, "role": "table"} == own.good("GET", "phones/me")
    assert own.good("GET", "integrations")["may_change"] is True


def test_what_other_programs_hear_is_the_game_masters_and_the_displays(tray: Tray) -> None:
    player, master = tray.phone("Ada"), tray.phone(master=True)
    assert [device.good("GET", "integrations")["may_change"] for device in (tray.display, master, player)] == [
        True,
        True,
        False,
    ]
    assert player.refused("PUT", "integrations/webhook", {})[0] == 403
    assert tray.device().refused("PUT", "integrations/webhook", {})[0] == 403


@pytest.mark.parametrize(
    ("client", "host", "is_own"),
    [
        ("127.0.0.1", "127.0.0.1:8000", True),
        ("127.0.0.1", "LocalHost", True),
        ("::1", "[::1]:8000", True),
        ("::ffff:127.0.0.1", "localhost", True),
        ("127.0.0.1", "tray.lan", False),
        ("192.0.2.7", "127.0.0.1", False),
        ("::ffff:192.0.2.7", "localhost", False),
        ("testclient", "localhost", False),
        (None, "localhost", False),
    ],
)
def test_only_a_loopback_name_from_a_loopback_address_is_at_the_tray(
    client: str | None, host: str, is_own: bool
) -> None:
    at = None if client is None else (client, 50_000)
    scope = {"type": "http", "client": at, "headers": [(b"host", host.encode())]}
    assert is_local_request(Request(scope)) is is_own


def test_a_phone_is_let_in_by_the_pin_and_knows_it_by_a_cookie(tray: Tray) -> None:
    phone = tray.device()
    pin = tray.app.phones.pairing.pins.player
    status, me = phone.ask("POST", "phones/pair", {"pin": pin}, **{"user-agent": "Mozilla/5.0 (iPhone; like Mac)"})
    assert (status, me["role"]) == (201, "player")
    facts = {part.strip().lower() for part in phone.set_cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= facts
    assert "secure" not in facts, "over plain http it would never come back"
    (row,) = tray.display.good("GET", "phones")["phones"]
    assert row == {"id": me["id"], "name": None, "device": "iPhone", "game_master": False, "sheets": []}
    assert phone.refused("POST", "reset") == (403, "no_name")
    assert phone.good("PUT", "phones/me", {"name": " Mira "})["name"] == "Mira"
    phone.good("POST", "reset")
    assert phone.refused("GET", "phones") == (403, "game_master_only")


def test_the_game_masters_pin_makes_a_players_phone_the_game_masters(tray: Tray) -> None:
    phone = tray.phone("Mira")
    pins = tray.app.phones.pairing.pins
    assert phone.good("POST", "phones/pair", {"pin": pins.player})["role"] == "player"
    assert phone.good("POST", "phones/pair", {"pin": pins.game_master})["role"] == "game_master"
    (known,) = tray.app.phones.pairing.phones
    assert (known.name, known.is_game_master) == ("Mira", True)


def test_over_https_the_cookie_never_goes_without(tray: Tray) -> None:
    phone = tray.device()
    pin = tray.app.phones.pairing.pins.player
    assert phone.ask("POST", "phones/pair", {"pin": pin}, **{"x-forwarded-proto": "https"})[0] == 201
    assert "; secure" in phone.set_cookie.lower()


def test_wrong_pins_are_slowed_down(tray: Tray) -> None:
    phone = tray.device()
    right = tray.app.phones.pairing.pins.player
    wrong = "123456" if right != "123456" else "123457"
    assert phone.refused("POST", "phones/pair", {"pin": wrong}) == (403, "wrong_pin")
    assert phone.retry_after == "2"
    assert phone.cookie is None
    assert phone.refused("POST", "phones/pair", {"pin": right}) == (429, "wait")
    assert phone.retry_after is not None
    assert phone.refused("POST", "phones/pair", {"pin": ""}) == (422, "bad_value")
    pins = tray.display.good("POST", "phones/pins")["pins"]
    assert pins["player"] != right
    phone.good("POST", "phones/pair", {"pin": pins["player"]})
    assert phone.refused("POST", "phones/pins") == (403, "game_master_only")


def test_a_phone_is_known_after_a_restart_and_not_after_it_was_forgotten(make_tray: Callable[..., Tray]) -> None:
    tray = make_tray()
    mira = tray.phone("Mira")
    pins = tray.app.phones.pairing.pins
    tray = make_tray()
    mira._tray = tray
    assert tray.app.phones.pairing.pins != pins
    assert mira.good("GET", "phones/me")["name"] == "Mira"
    mira.good("POST", "reset")
    assert tray.display.good("DELETE", "phones/1")["phones"] == []
    assert mira.good("GET", "phones/me")["role"] == "guest"
    assert mira.refused("POST", "reset") == (403, "not_paired")
    assert mira.refused("PUT", "phones/me", {"name": "Mira"}) == (403, "not_paired")
    assert tray.display.refused("DELETE", "phones/1") == (404, "unknown_phone")
    tray = make_tray()
    mira._tray = tray
    assert mira.refused("POST", "reset") == (403, "not_paired")


def test_undo_is_for_who_pressed_and_for_the_table(tray: Tray) -> None:
    mira, zo, master = tray.phone("Mira"), tray.phone("Zo"), tray.phone("Max", master=True)
    tray.throw((1, "base", 5), (2, "base", 3))
    undo = mira.good("POST", "reset")["undo"]
    assert (undo["action"], undo["by"]) == ("reset", mira.good("GET", "phones/me")["id"])
    assert tray.device().refused("POST", "undo", {"id": undo["id"]}) == (403, "not_paired")
    for phone in (zo, mira):
        assert phone.refused("POST", "undo", {"id": undo["id"] + (phone is mira)}) == (403, "other_press")
    assert mira.good("POST", "undo", {"id": undo["id"]})["undo"] is None
    for who in (master, tray.display):
        undo = mira.good("POST", "reset")["undo"]
        assert who.good("POST", "undo", {"id": undo["id"]})["undo"] is None
    assert tray.display.refused("POST", "undo", {"id": undo["id"]}) == (409, "nothing_to_undo")
    tray.display.good("POST", "reset")


def test_a_phone_that_was_forgotten_or_freed_comes_back_with_its_own(tray: Tray) -> None:
    mira = tray.phone("Mira")
    sheet = mira.good("POST", "phones/me/sheets", {})["id"]
    own = mira.good("GET", "phones/me")
    for method, body in (("DELETE", None), ("PATCH", {"free": True})):
        tray.display.good(method, f"phones/{own['id']}", body)
        assert mira.good("GET", "phones/me")["name"] is None
        tray.display.good("POST", "undo", {"id": tray.undo()["id"]})
        assert mira.good("GET", "phones/me") == own
    # What belongs to another player by now stays there.
    tray.display.good("PATCH", f"phones/{own['id']}", {"free": True})
    zo = tray.phone("Zo")
    zo.good("PUT", "phones/me", {"sheet": sheet})
    tray.display.good("POST", "undo", {"id": tray.undo()["id"]})
    assert mira.good("GET", "phones/me") == {**own, "sheets": [], "taken": [sheet]}
    tray.display.good("PATCH", f"phones/{own['id']}", {"free": True})
    tray.phone("Mira")
    assert tray.display.refused("POST", "undo", {"id": tray.undo()["id"]}) == (409, "nothing_to_undo")


def test_the_pins_of_before_come_back(tray: Tray) -> None:
    before = tray.display.good("GET", "phones")["pins"]
    assert tray.display.good("POST", "phones/pins")["pins"] != before
    tray.display.good("POST", "undo", {"id": tray.undo()["id"]})
    assert tray.display.good("GET", "phones")["pins"] == before


def test_a_phone_may_leave(tray: Tray) -> None:
    mira = tray.phone("Mira")
    assert mira.good("DELETE", "phones/me")["role"] == "guest"
    assert tray.display.good("GET", "phones")["phones"] == []
    assert mira.refused("POST", "reset") == (403, "not_paired")


def test_a_player_changes_only_the_own_sheet(tray: Tray) -> None:
    mira, zo = tray.phone("Mira"), tray.phone("Zo")
    mine = mira.good("POST", "phones/me/sheets", {})
    assert (mine["title"], mine["system"]) == ("Mira", "push-pool")
    hers = tray.display.good("POST", "sheets", {"title": "Zo the Bold"})["id"]
    assert zo.good("PUT", "phones/me", {"sheet": hers})["sheets"] == [hers]
    assert zo.good("GET", "phones/me")["taken"] == [mine["id"]]
    first = mine["counters"][0]
    change = {"counters": [{"kind": first["kind"], "name": first["name"], "now": first["now"] - 1}]}
    assert mira.good("PATCH", f"sheets/{mine['id']}", change)["counters"][0]["now"] == first["now"] - 1
    mira.good("POST", f"sheets/{mine['id']}/undo")
    for phone, sheet in ((mira, hers), (zo, mine["id"])):
        assert phone.refused("PATCH", f"sheets/{sheet}", change) == (403, "other_sheet")
        for act in ("undo", "carry"):
            assert phone.refused("POST", f"sheets/{sheet}/{act}") == (403, "other_sheet")
        assert phone.refused("POST", f"sheets/{sheet}/rest", {"rest": "shift"}) == (403, "other_sheet")
        assert phone.refused("PUT", "sheets/chosen", {"sheet": sheet}) == (403, "other_sheet")
        repair = {"op": "repair", "context": REPAIR, "sheet": sheet, "carry": True}
        assert phone.refused("POST", "ask", repair) == (403, "other_sheet")
    for path in (f"sheets/0{hers}", f"sheets/{hers}%20", f"sheets/+{hers}"):
        assert mira.refused("PATCH", path, change) == (403, "other_sheet")
    assert tray.display.good("GET", f"sheets/{hers}")["undo"] is None
    mira.good("PUT", "sheets/chosen", {"sheet": mine["id"]})
    mira.good("POST", "ask", {"op": "repair", "context": REPAIR})
    assert zo.refused("PUT", "phones/me", {"sheet": mine["id"]}) == (409, "has_sheet")
    assert mira.refused("PUT", "phones/me", {"sheet": hers}) == (409, "has_sheet")
    assert mira.refused("PUT", "phones/me", {"sheet": 99}) == (404, "unknown_sheet")
    assert mira.refused("POST", "phones/me/sheets", {}) == (409, "has_sheet")
    assert tray.phone("Lo").refused("PUT", "phones/me", {"sheet": hers}) == (409, "sheet_taken")


OF_THE_GAME_MASTER: list[tuple[str, str, Any]] = [
    ("POST", "sheets", {"title": "Zo"}),
    ("POST", "sheets/import", {}),
    ("DELETE", "sheets/99", None),
    ("PUT", "sheets/carry", {"carry": "ask"}),
    ("PUT", "system", {"system": "hits-pool"}),
    ("PUT", "rulings/push-pool", {"rulings": {}}),
    ("PUT", "roles/push-pool", {"roles": {}}),
    ("POST", "clocks", {"name": "Rain", "segments": 4}),
    ("DELETE", "clocks/99", None),
    ("DELETE", "series", None),
    ("POST", "calibration/save", None),
    ("PATCH", "phones/99", {"game_master": True}),
    ("DELETE", "phones/99", None),
    ("POST", "asked", {"owner": "Mira", "aim": {"difficulty": 1}}),
    ("POST", "asked", {"owner": "Mira", "thrower": "Zo"}),
    ("POST", "asked", {"owner": "Mira", "hidden": True}),
    ("POST", "asked/together", {"kind": "group", "rolls": [{"owner": "Mira"}, {"owner": "Mira"}]}),
    ("POST", "asked/99/show", None),
    ("PUT", "rolls/99/owner", {"owner": "Mira"}),
]


def test_the_table_is_the_game_masters(tray: Tray) -> None:
    mira, master = tray.phone("Mira"), tray.phone(master=True)
    for request in OF_THE_GAME_MASTER:
        assert mira.refused(*request) == (403, "game_master_only"), request
        status, answer = master.ask(*request)
        assert status in (*OK, 404, 409, 422), (request, answer)


def test_players_are_named_with_the_sheet_that_pays_for_them(tray: Tray) -> None:
    mira, zo = tray.phone("Mira"), tray.phone("Zo")
    tray.phone(master=True).good("POST", "asked", {"owner": "Bo"})
    mine = mira.good("POST", "phones/me/sheets", {})["id"]
    hers = tray.display.good("POST", "sheets", {"title": "Brakka"})["id"]
    zo.good("PUT", "phones/me", {"sheet": hers})
    free = tray.display.good("POST", "sheets", {"title": "Kim"})["id"]
    tray.display.good("POST", "sheets", {"title": "Wen", "system": "die-code"})
    listed = [(one["name"], one["sheet"]) for one in zo.good("GET", "players")["players"]]
    assert listed == [("Kim", free), ("Mira", mine), ("Zo", hers), ("Bo", None), ("Wen", None)]
    turn = f"rolls/{tray.display.good('GET', 'state')['asked']['roll']}/owner"
    state = tray.display.good("PUT", turn, {"sheet": hers})
    assert (state["asked"]["owner"], state["undo"]["action"]) == ("Zo", "given")
    assert tray.display.good("PUT", turn, {"owner": "mira"})["asked"]["owner"] == "mira"
    assert mira.refused("PUT", turn, {"owner": "Zo"}) == (403, "other_owner")
    assert zo.refused("PUT", turn, {"owner": "Zo"}) == (403, "game_master_only")


def test_a_player_asks_only_for_own_rolls(tray: Tray) -> None:
    mira, zo, master = tray.phone("Mira"), tray.phone("Zo"), tray.phone(master=True)
    mira.good("POST", "asked", {"owner": "Mira", "label": "Fight", "dice": {"base": 2}})
    zo.good("POST", "asked", {"owner": "Zo", "dice": {"base": 1}})
    from_sheet = {"owner": "Zo", "tiles": {"attribute": "STR"}, "sheet": 1}
    assert zo.refused("POST", "asked", from_sheet) == (403, "other_sheet")
    for owner in ("Mira", "mira", None):
        assert zo.refused("POST", "asked", {"owner": owner, "dice": {"base": 1}}) == (403, "other_owner")
    state = zo.good("GET", "state")
    first, second = state["asked"]["id"], state["asked_next"][0]["id"]
    assert mira.refused("DELETE", f"asked/{second}") == (403, "other_owner")
    assert mira.refused("DELETE", f"asked/0{second}") == (403, "other_owner")
    assert mira.refused("DELETE", "asked/99") == (404, "unknown_asked")
    tiles = {"tiles": {"attribute": 3}, "sheet": None}
    assert zo.refused("POST", "prepare", tiles) == (403, "other_owner")
    assert zo.refused("POST", "prepare", {**tiles, "owner": "Zo"}) == (403, "other_roll")
    assert zo.good("POST", "prepare", {**tiles, "declare": False})["pool"]["base"] == 3
    hers = tray.display.good("POST", "sheets", {"title": "Bo"})["id"]
    tray.display.good("PUT", "sheets/chosen", {"sheet": hers})
    assert mira.refused("POST", "prepare", {"tiles": {"attribute": 3}, "owner": "Mira"}) == (403, "other_sheet")
    mira.good("POST", "prepare", {**tiles, "owner": "Mira"})
    zo.good("DELETE", f"asked/{second}")
    master.good("DELETE", f"asked/{first}")
    master.good("POST", "asked", {"owner": "Zo", "label": "Notice"})
    assert zo.good("GET", "state")["asked"]["owner"] == "Zo"


def test_a_player_names_step_dice_and_leaves_to_the_game_master_what_the_page_names_empty(tray: Tray) -> None:
    mira = tray.phone("Mira")
    tray.display.good("PUT", "system", {"system": "step-dice"})
    empty: dict[str, Any] = {"thrower": None, "aim": {}, "hidden": False}
    answer = mira.good("POST", "asked", {"owner": "Mira", "label": "Climb", "dice": {}, "levels": {"B": 1}, **empty})
    assert [(one["sides"], one["count"]) for one in answer["take"] if "sides" in one] == [(10, 1)]


def test_a_hidden_result_is_for_the_game_masters_phone_until_it_is_shown(tray: Tray) -> None:
    mira, master = tray.phone("Mira"), tray.phone("Lo", master=True)
    master.good("POST", "asked", {"owner": "Mira", "label": "Notice", "hidden": True})
    tray.throw((1, "base", 6), (2, "base", 2))
    for covered in (tray.display, mira, tray.device()):
        state = covered.good("GET", "state")
        assert (state["state"], state["dice"], state["outcome"], state["hidden"]) == ("scored", [], None, True)
        (row, *_) = covered.good("GET", "rolls?limit=1")["rolls"]
        assert (row["owner"], row["dice"], row["outcome"]) == ("Mira", [], None)
        assert covered.raw("GET", "frame.jpg")[0] == 403
        own = covered.good("GET", "players/rolls?owner=Mira&limit=1")
        assert [(one["label"], one["dice"], one["outcome"]) for one in own["rolls"]] == [("Notice", [], None)]
    counted = mira.good("GET", "players/rolls?owner=Mira")["counts"]
    seen = master.good("GET", "state")
    assert (seen["outcome"]["successes"], [die["value"] for die in seen["dice"]]) == (1, [6, 2])
    own = master.good("GET", "players/rolls?owner=Mira&limit=1")
    assert [die["value"] for die in own["rolls"][0]["dice"]] == [6, 2]
    assert own["counts"] == counted
    phones = {row["name"]: row["id"] for row in tray.display.good("GET", "phones")["phones"]}
    tray.display.good("PATCH", f"phones/{phones['Lo']}", {"game_master": False})
    assert master.good("GET", "state")["outcome"] is None
    tray.display.good("POST", f"asked/{seen['asked']['id']}/show")
    assert mira.good("GET", "state")["outcome"]["successes"] == 1
    assert mira.good("GET", "players/rolls?owner=Mira")["counts"]["rolls"] == counted["rolls"] + 1


def test_where_no_pin_is_asked_for_a_hidden_result_is_for_no_one_until_it_is_shown(
    make_tray: Callable[..., Tray],
) -> None:
    tray = make_tray(pin="off")
    phone = tray.device()
    phone.good("POST", "asked", {"owner": "Mira", "hidden": True})
    tray.throw((1, "base", 6))
    assert [device.good("GET", "state")["outcome"] for device in (phone, tray.display)] == [None, None]
    assert phone.good("POST", "asked/1/show")["outcome"]["successes"] == 1


def test_the_dice_are_for_whose_roll_it_is(tray: Tray) -> None:
    mira, zo, master = tray.phone("Mira"), tray.phone("Zo"), tray.phone(master=True)
    mira.good("POST", "asked", {"owner": "Mira", "dice": {"base": 2}})
    tray.throw((1, "base", 3), (2, "base", 4))
    presses: list[tuple[str, str, Any]] = [
        ("POST", "push", None),
        ("POST", "reset", None),
        ("POST", "throw", None),
        ("PUT", "pool", {"base": 1}),
        ("PATCH", "context", {"facts": {}}),
        ("POST", "dice", {"center_px": [1, 1], "value": 1, "colour": "base"}),
        ("PATCH", "dice/1", {"value": 6}),
        ("DELETE", "dice/1/correction", None),
        ("POST", "confirm", None),
        ("PATCH", "typed-dice/1", {"value": 6}),
    ]
    for request in presses:
        assert zo.refused(*request) == (403, "other_roll"), request
    status, answer = zo.ask("POST", "push?lang=de")
    assert status == 403
    assert answer["error"] == catalogue("de").render("web.phone.other_roll", {"owner": "Mira"})
    assert mira.good("PATCH", "dice/1", {"value": 6})["outcome"]["success"] is True
    master.good("DELETE", "dice/1/correction")
    mira.good("POST", "push")
    mira.good("POST", "reset")
    assert zo.good("POST", "reset")["state"] == "empty", "anyone may reset a roll without an owner"


def test_the_display_makes_a_phone_the_game_masters_and_frees_it(tray: Tray) -> None:
    mira = tray.phone("Mira")
    sheet = mira.good("POST", "phones/me/sheets", {"title": "Grey Wolf"})["id"]
    (row,) = tray.display.good("GET", "phones")["phones"]
    assert row["sheets"] == [{"id": sheet, "title": "Grey Wolf"}]
    (row,) = tray.display.good("PATCH", f"phones/{row['id']}", {"game_master": True})["phones"]
    assert row["game_master"] is True
    assert mira.good("GET", "phones/me")["role"] == "game_master"
    mira.good("PUT", "system", {"system": "hits-pool"})
    mira.good("PATCH", f"phones/{row['id']}", {"game_master": False})
    assert mira.refused("PUT", "system", {"system": "push-pool"}) == (403, "game_master_only")
    (row,) = tray.display.good("PATCH", f"phones/{row['id']}", {"free": True})["phones"]
    assert (row["name"], row["sheets"]) == (None, [])
    assert mira.refused("PATCH", f"sheets/{sheet}", {"title": "Zo"}) == (403, "no_name")
    assert mira.good("PUT", "phones/me", {"name": "Zo", "sheet": sheet})["sheets"] == [sheet]
    tray.display.good("DELETE", f"sheets/{sheet}")
    assert mira.good("GET", "phones/me")["sheets"] == []


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON", "APPLICATION/JSON; charset=utf-8"])
def test_a_body_is_judged_as_the_route_reads_it(tray: Tray, kind: str) -> None:
    mira = tray.phone("Mira")
    hers = tray.display.good("POST", "sheets", {"title": "Zo the Bold"})["id"]
    for method, path, body in (
        ("PUT", "sheets/chosen", {"sheet": hers}),
        ("POST", "ask", {"op": "repair", "context": REPAIR, "sheet": hers, "carry": True}),
        ("POST", "prepare", {"tiles": {"attribute": 3}, "owner": "Mira", "sheet": hers}),
        ("POST", "asked", {"owner": "Zo"}),
    ):
        status, answer = mira.ask(method, path, body, **{"content-type": kind})
        assert (status, answer["reason"]) in ((403, "other_sheet"), (403, "other_owner")), path


def test_where_no_pin_is_asked_for_everything_stays_as_it_was(make_tray: Callable[..., Tray]) -> None:
    tray = make_tray(pin="off")
    phone = tray.device()
    me = phone.good("GET", "phones/me")
    assert (me["asked"], me["role"]) == (False, "table")
    phone.good("POST", "sheets", {"title": "Zo"})
    phone.good("POST", "asked", {"owner": "Mira"})
    everything = phone.good("GET", "phones")
    assert (everything["asked"], everything["pins"], everything["phones"]) == (False, None, [])


@pytest.mark.parametrize(("host", "is_required"), [("localhost", False), ("0.0.0.0", True)])
def test_the_pin_is_asked_for_where_others_can_reach_the_tray(
    tmp_path: Path, idle_lens: Callable[[], CameraSetup], host: str, is_required: bool
) -> None:
    settings = with_overrides(Settings(web=WebSettings(host=host, port=0)), camera="simulated", data=tmp_path)
    app = TrayApp(settings, idle_lens())
    try:
        assert app.phones.pairing.is_required is is_required
    finally:
        app.stop()


def test_the_code_on_the_display_opens_the_phones_page_with_the_pin(tray: Tray) -> None:
    assert tray.display.good("GET", "phones")["address"] is None
    assert tray.display.refused("GET", "phones/qr.svg") == (404, "no_address")
    master = tray.phone(master=True)
    address = f"http://tray.lan:{tray.port}/phone"
    assert master.good("GET", "phones")["address"] == address
    status, drawn = master.raw("GET", "phones/qr.svg")
    text = f"{address}#pin={tray.app.phones.pairing.pins.player}"
    assert (status, drawn.decode()) == (200, qr_svg(text))


@pytest.mark.parametrize("text", ["http://192.168.1.5:8000/phone", "http://tray.lan:8000/phone#pin=482913", "x" * 120])
def test_a_camera_reads_the_code(text: str) -> None:
    modules = qr_modules(text)
    paper = np.full((len(modules) + 2 * QUIET,) * 2, 255, np.uint8)
    paper[QUIET:-QUIET, QUIET:-QUIET][modules] = 0
    seen, *_ = cv2.QRCodeDetector().detectAndDecode(np.kron(paper, np.ones((8, 8), np.uint8)))
    assert seen == text


def test_a_players_own_rolls_are_listed_and_counted(tray: Tray) -> None:
    ann, bo = tray.phone("Ann"), tray.phone("Bo")
    ann.good("POST", "asked", {"owner": "Ann", "label": "Fight"})
    tray.throw((1, "base", 6), (2, "base", 2))
    ann.good("POST", "reset")
    tray.throw((3, "base", 1))
    own = ann.good("GET", "players/rolls?owner=Ann&limit=5")
    assert own["owner"] == "Ann"
    assert [(one["label"], one["pushed"]) for one in own["rolls"]] == [("Fight", False)]
    assert own["counts"] == {
        "rolls": 1,
        "succeeded": 1,
        "failed": 0,
        "pushed": 0,
        "pushed_succeeded": 0,
        "faces": [0, 1, 0, 0, 0, 1],
        "blanks": 0,
    }
    assert bo.good("GET", "players/rolls?owner=Bo")["counts"]["rolls"] == 0
    assert bo.refused("GET", "players/rolls?owner=") == (422, "bad_value")
