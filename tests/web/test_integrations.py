"""The pages `/integrations` and `/club`: who may change what, that secrets stay secret, and both in a real browser."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from playwright.sync_api import Page

from device.cli.main import main
from device.config.settings import Settings, with_overrides
from device.config.settings_service import SettingsService, SettingsSource
from device.config.table_settings import SERVICES
from device.integrations.club import ClubTrays
from device.integrations.service import Integrations
from device.integrations.settings import MqttSettings
from device.web.app import WebServer, create_app
from device.web.core.guard import guard_for
from device.web.core.server import bind_socket
from tests.device.conftest import wait_until
from tests.device.integrations.counterparts import OPEN, Broker, HttpCounterpart, Told
from tests.device.integrations.test_club import ROLL, STATE
from tests.event_loop import run_coroutine
from tests.narrowing import there
from tests.web.accessible import trips
from tests.web.conftest import FakeTray
from tests.web.doors import SetDoor
from tests.web.layout import layout_of
from tests.web.ports import free_port
from tests.web.windows import Windows

LOOKS = [("en", (1280, 800)), ("de", (390, 844))]
"""Languages and sizes of both pages: a desk's, and a phone's with the longer words."""


def not_logged(_number: int) -> None:
    """No log: nothing hidden is shown here."""


@pytest.fixture
def integrations(tmp_path: Path) -> Iterator[Integrations]:
    made = Integrations(tmp_path, logged=not_logged)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def server() -> Iterator[HttpCounterpart]:
    made = HttpCounterpart()
    yield made
    made.close()


@pytest.fixture
def desk(tmp_path: Path, integrations: Integrations) -> SettingsService:
    """A settings file whose services are used at once."""
    source = SettingsSource(tmp_path / "settings.toml", partial(with_overrides, camera="usb:0"))
    return SettingsService(
        source,
        source.override(Settings()),
        is_live={one.key for one in SERVICES}.__contains__,
        apply=lambda _, wanted: integrations.apply(wanted.services),
        probe=lambda _: None,
        restart=lambda: None,
    )


@pytest.fixture
def client(integrations: Integrations, desk: SettingsService) -> Iterator[httpx.Client]:
    with (
        WebServer(FakeTray(), bind_socket("127.0.0.1", free_port()), parts=[integrations, desk]) as web,
        httpx.Client(verify=False, base_url=web.url, timeout=30) as asking,
    ):
        yield asking


def one_of(answer: httpx.Response, name: str) -> Any:
    return next(one for one in answer.json()["integrations"] if one["name"] == name)


def test_what_is_set_holds_at_once_and_secrets_never_come_out(client: httpx.Client, server: HttpCounterpart) -> None:
    first = client.get("/api/integrations")
    assert first.json()["may_change"] is True
    assert not any(one["on"] for one in first.json()["integrations"])
    body = {"settings": {"url": server.url, "secret": "open sesame"}}
    changed = client.put("/api/integrations/webhook", json=body)
    assert one_of(changed, "webhook")["on"]
    assert client.post("/api/integrations/webhook/test", json={}).json()["ok"] is True
    got = server.next()
    assert got.json["kind"] == "test"
    assert "X-PushTray-Signature" in got.headers
    answers = [first, changed, client.get("/api/integrations"), client.get("/api/state"), client.get("/api/health")]
    for answer in answers:
        assert "sesame" not in answer.text
        assert "=hidden" not in answer.text
    server.tell(Told(500, body=b'{"error": "the database sleeps"}'))
    failed = client.post("/api/integrations/webhook/test?lang=de", json={}).json()
    assert failed["ok"] is False
    assert failed["text"].startswith("127.0.0.1 hat mit 500 geantwortet")
    assert "the database sleeps" in failed["text"]
    back = client.delete("/api/integrations/webhook")
    assert one_of(back, "webhook")["on"] is False
    assert not any(one["kept"] for one in one_of(back, "webhook")["form"])


@pytest.mark.parametrize(
    ("name", "body", "status", "reported"),
    [
        ("webhook", {"settings": {"url": "ftp://sesame"}}, 422, "webhook.url is not an address"),
        ("webhook", {"settings": {"uri": "x"}}, 404, "webhook.uri"),
        ("webhook", {"settings": {"url": ["x"]}}, 422, ""),
        ("webhook", {}, 422, ""),
        ("webhook", {"settings": {}, "more": 1}, 422, ""),
        ("telegram", {"settings": {}}, 422, ""),
        ("mqtt", {"settings": {"port": 70000}}, 422, "65535"),
    ],
)
def test_what_does_not_fit_is_refused(client: httpx.Client, name: str, body: Any, status: int, reported: str) -> None:
    answer = client.put(f"/api/integrations/{name}", json=body)
    assert (answer.status_code, reported in answer.json()["error"]) == (status, True)
    assert "sesame" not in answer.text


def answer_to(
    app: FastAPI, host: str, method: str, path: str, body: Any = None, *, by: str = "127.0.0.1", **headers: str
) -> httpx.Response:
    """Return a request from some machine to the tray by some name."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, client=(host, 40_000))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{by}:8000") as asking:
            return await asking.request(method, path, json=body, headers=headers)

    return run_coroutine(ask())


def test_only_this_machine_may_change_or_see_what_is_set(integrations: Integrations, desk: SettingsService) -> None:
    app = create_app(FakeTray(), [integrations, desk], guard=guard_for("192.0.2.1"))
    desk.change({"webhook.url": "http://hall.invalid/", "mqtt.host": "attic.invalid", "mqtt.name": "Vera's tray"})
    wait_until(lambda: any(one["last_error"] for one in integrations.report()))
    seen = answer_to(app, "192.0.2.7", "GET", "/api/integrations")
    assert seen.json()["may_change"] is False
    assert all("form" not in one for one in seen.json()["integrations"])
    assert [one["name"] for one in seen.json()["integrations"] if one["last_error"]] == ["mqtt"]
    assert not {"hall", "attic", "Vera"} & set(re.findall(r"\w+", seen.text))
    for method, path, body in (
        ("PUT", "/api/integrations/webhook", {"settings": {"url": "http://192.0.2.7/"}}),
        ("DELETE", "/api/integrations/webhook", None),
        ("POST", "/api/integrations/webhook/test", {}),
    ):
        refused = answer_to(app, "192.0.2.7", method, path, body)
        assert (refused.status_code, refused.json()["reason"]) == (403, "not_allowed")
    assert answer_to(app, "127.0.0.1", "GET", "/api/integrations").json()["may_change"] is True
    # Through a proxy on this machine everybody has its address.
    for more in ({"by": "192.0.2.1"}, {"via": "1.1 proxy"}, {"forwarded": "for=192.0.2.7"}):
        assert answer_to(app, "127.0.0.1", "GET", "/api/integrations", **more).json()["may_change"] is False
    forbidden = create_app(FakeTray(), [integrations, desk], guard=guard_for("192.0.2.1"), door=SetDoor())
    assert answer_to(forbidden, "127.0.0.1", "GET", "/api/integrations").json()["may_change"] is False


def test_a_tray_that_hears_no_others_says_so(client: httpx.Client) -> None:
    for path in ("/api/club", "/api/club/events"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["reason"]) == (409, "no_club")
    assert client.get("/club").status_code == 200


def translate(club: ClubTrays, topic: str, body: Any) -> None:
    club.hear(f"pushtray/{topic}", body if isinstance(body, bytes) else json.dumps(body).encode())


def test_a_page_of_the_club_gets_all_trays_and_then_those_that_change(
    client: httpx.Client, integrations: Integrations
) -> None:
    club = integrations.broker.club = ClubTrays("pushtray")
    translate(club, "left/availability", b"online")
    translate(club, "left/state", STATE)
    translate(club, "right/availability", b"online")
    assert [tray["id"] for tray in client.get("/api/club").json()["trays"]] == ["left", "right"]
    assert client.head("/api/club/events").headers["content-type"].startswith("text/event-stream")
    with client.stream("GET", "/api/club/events") as stream:
        lines = (line for line in stream.iter_lines() if line.startswith(("event:", "data:")))
        assert next(lines) == "event: all"
        assert [tray["name"] for tray in json.loads(next(lines)[5:])] == ["Left table", "right"]
        assert [next(lines), next(lines)] == ["event: beat", 'data: {"fault":null}']
        translate(club, "right/roll", {**ROLL, "tray": {"name": "Right"}})
        assert next(lines) == "event: some"
        (changed,) = json.loads(next(lines)[5:])
        assert (changed["name"], changed["rolls"][0]["owner"]) == ("Right", "Mira")
        # Another broker: the stream ends, and the page requests it again.
        integrations.broker.club = None
        translate(club, "left/availability", b"offline")
        assert "event: all" not in list(lines)


def test_pushtray_club_shows_the_trays_of_a_broker(tmp_path: Path) -> None:
    broker = Broker(tmp_path, OPEN)
    mqtt = MqttSettings(host="127.0.0.1", port=broker.port, tray="left")
    left = Integrations(tmp_path, logged=not_logged, sections={"mqtt": mqtt})
    left.start()
    command = [sys.executable, "-m", "device", "club", "--broker", f"127.0.0.1:{broker.port}", "--port", "0"]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        first = there(process.stderr).readline()
        assert "The club is at http://127.0.0.1:" in first, first
        url = first.split("The club is at ")[1].split()[0]
        with httpx.stream("GET", f"{url}api/club/events", timeout=20) as stream:
            assert any('"id":"left","name":"left","available":true' in line for line in stream.iter_lines())
        assert 'id="club"' in httpx.get(url).text
        assert httpx.get(f"{url}api/state").status_code == 404
        process.terminate()
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        there(process.stderr).close()
        left.stop()
        broker.stop()


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        ([], "no broker is named: add --broker HOST, or set host under [mqtt] of the settings"),
        (["--broker", "mqtt://x"], "mqtt.host is 'mqtt://x': write a name or an address alone"),
        (["--broker", "broker", "--base", "#"], "mqtt.base is '#'"),
        (["--broker", "broker:99999"], "mqtt.port is 99999, must be 1 to 65535"),
    ],
)
def test_pushtray_club_refuses_in_one_line(
    words: list[str], reported: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["club", *words, "--port", str(taken.getsockname()[1])]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert reported in lines[0]


@pytest.fixture
def look(windows: Windows) -> Callable[..., Page]:
    """A page in a separate browser."""

    def opened(url: str, size: tuple[int, int], language: str) -> Page:
        page = windows.lend(size)
        page.goto(f"{url}{'&' if '?' in url else '?'}lang={language}")
        return page

    return opened


def faults(page: Page) -> list[str]:
    seen = layout_of(page)
    return [*seen.spilt, *seen.overlaps, *trips(page)]


@pytest.mark.browser
@pytest.mark.timeout(300)
def test_a_webhook_is_set_tried_and_taken_back_on_the_page(
    look: Callable[..., Page], client: httpx.Client, server: HttpCounterpart
) -> None:
    found = {}
    for language, size in LOOKS:
        page = look(f"{client.base_url}integrations", size, language)
        card = page.locator("[data-integration=webhook]")
        url, secret = (card.locator(f"[id='field-webhook.{key}']") for key in ("url", "secret"))
        url.fill("ftp://nowhere")
        url.press("Enter")
        card.locator("[data-key='webhook.url'] .wrong", has_text="http").wait_for()
        secret.fill("open sesame")
        secret.press("Enter")
        card.locator("[data-remove='webhook.secret']").wait_for()
        url.fill(server.url)
        url.press("Enter")
        page.locator("[data-integration=webhook][data-state=on]").wait_for()
        card.get_by_test_id("test").click()
        card.locator("[data-testid=came][data-ok=true]").wait_for()
        assert server.next().json["kind"] == "test"
        assert "sesame" not in page.content()
        assert [url.input_value(), secret.input_value()] == ["", ""]
        found[f"{language} {size}"] = faults(page)
        card.locator("[data-remove='webhook.secret']").click()
        card.locator("[data-remove='webhook.secret']").wait_for(state="detached")
        server.tell(Told(404))
        card.get_by_test_id("test").click()
        card.locator("[data-testid=came][data-ok=false]").wait_for()
        assert "X-PushTray-Signature" not in server.next().headers
        card.get_by_test_id("forget").click()
        page.locator("[data-integration=webhook][data-state=off]").wait_for()
    assert {name: reported for name, reported in found.items() if reported} == {}


@pytest.mark.browser
@pytest.mark.timeout(300)
def test_a_clubs_trays_and_one_of_them_from_far(
    look: Callable[..., Page], client: httpx.Client, integrations: Integrations
) -> None:
    club = integrations.broker.club = ClubTrays("pushtray")
    found = {}
    for number, (language, size) in enumerate(LOOKS):
        page = look(f"{client.base_url}club", size, language)
        if number == 0:
            page.locator("#club p").wait_for()
        translate(club, "left/availability", b"online")
        translate(club, "left/state", STATE)
        translate(club, "left/roll", {**ROLL, "id": f"a{number}"})
        translate(club, "right/availability", b"online")
        translate(
            club, "right/state", {**STATE, "tray": {"name": "<b>Right</b>"}, "fault": "no camera", "state": "fault"}
        )
        card = page.locator("[data-tray=left][data-available=true]")
        card.filter(has_text="Mira").wait_for()
        page.locator("[data-tray=right]").filter(has_text="<b>Right</b>").wait_for()
        found[f"all {language} {size}"] = faults(page)
        card.locator("h2 a").click()
        page.locator("[data-far=left]").filter(has_text="Mira").wait_for()
        translate(club, "left/roll", {**ROLL, "id": f"b{number}", "owner": "Ben", "kind": "pushed"})
        page.locator("[data-far=left] .large").filter(has_text="Ben").wait_for()
        page.locator("[data-far=left] .rolls li").filter(has_text="Mira").first.wait_for()
        found[f"far {language} {size}"] = faults(page)
    assert {name: reported for name, reported in found.items() if reported} == {}


@pytest.mark.browser
def test_a_club_whose_broker_cannot_be_reached_gives_the_reason(
    look: Callable[..., Page], client: httpx.Client, integrations: Integrations
) -> None:
    integrations.apply({"mqtt": MqttSettings(host="127.0.0.1", port=free_port(), club=True)})
    page = look(f"{client.base_url}club", (800, 480), "de")
    page.locator("#club .fault").filter(has_text="nicht zu erreichen (Connection refused)").wait_for()
    assert "Connection refused" in client.get("/api/club").json()["fault"]


@pytest.mark.browser
def test_a_refusal_that_says_nothing_is_asked_for_again(windows: Windows, client: httpx.Client) -> None:
    page = windows.lend()
    for path in ("**/api/club/events", "**/api/club?*"):
        page.route(path, lambda route: route.fulfill(status=409, body="{"))
    page.clock.install()
    page.goto(f"{client.base_url}club")
    page.locator("body[data-link=lost]").wait_for()
    with page.expect_request("**/api/club?*"):
        page.clock.fast_forward(4000)
    page.unroute_all()
    page.clock.fast_forward(4000)
    page.locator("body[data-link=off]").wait_for()
