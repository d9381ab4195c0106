"""Visibility of hidden results over HTTP, in responses and in the stream: only to clients that are allowed."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import Request

from device.game.snapshot import Snapshot
from device.web.app import create_app
from device.web.core.stream import StreamParams
from tests.event_loop import run_coroutine
from tests.web.conftest import FakeTray
from tests.web.doors import SetDoor

TOKEN = "game-master"
ROW: dict[str, Any] = {
    "id": 1,
    "system": "hits-pool",
    "at": "2026-01-31",
    "dice": [{"value": 6}],
    "outcome": {"hits": 1},
    "correction": None,
}


class HidingTray(FakeTray):
    """A tray with a hidden roll."""

    def snapshot(self) -> Snapshot:
        whole: Any = {"version": self.version} | self.body | {"hidden": True, "covered": True, "outcome": {"hits": 3}}
        return Snapshot(self.version, whole | {"outcome": None}, whole)


@pytest.fixture
def tray() -> HidingTray:
    tray = HidingTray(rows=[{**ROW, "hidden": True, "asked": {"id": 1, "met": True, "by": 2, "together": None}}])
    tray.odds_now = {"pool": None, "table": {"p_success": "1/2"}}
    return tray


def answer_of(tray: HidingTray, path: str, *, knows: bool) -> httpx.Response:
    """Return the response of a tray that shows hidden results to clients with the token."""

    def may_see(request: Request) -> bool:
        return request.headers.get("x-token") == TOKEN

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(create_app(tray, door=SetDoor(sees_hidden=may_see)))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.get(path, headers={"x-token": TOKEN} if knows else {})

    return run_coroutine(ask())


@pytest.mark.parametrize("knows", [True, False])
def test_only_who_may_sees_state_log_odds_and_picture(tray: HidingTray, *, knows: bool) -> None:
    def of(path: str) -> Any:
        return answer_of(tray, path, knows=knows).json()

    assert of("/api/state")["outcome"] == ({"hits": 3} if knows else None)
    (row,) = of("/api/rolls")["rolls"]
    assert (row["outcome"], row["asked"]["met"]) == (({"hits": 1}, True) if knows else (None, None))
    assert of("/api/odds")["table"] == ({"p_success": "1/2"} if knows else None)
    picture = answer_of(tray, "/api/frame.jpg", knows=knows)
    assert picture.status_code == (200 if knows else 403)


def test_an_answer_to_a_press_is_covered_too(tray: HidingTray) -> None:
    async def press() -> httpx.Response:
        transport = httpx.ASGITransport(create_app(tray))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.post("/api/reset")

    assert run_coroutine(press()).json()["outcome"] is None


def heard(tray: HidingTray, may_see: Callable[[Request], bool], *, knows: bool, lines: int = 1) -> list[Any]:
    """Return the first outcomes of an event stream."""
    app = create_app(tray, streams=StreamParams(heartbeat_s=0.01), door=SetDoor(sees_hidden=may_see))
    sent: list[bytes] = []

    async def listen() -> None:
        headers = [(b"host", b"127.0.0.1"), *([(b"x-token", TOKEN.encode())] if knows else [])]
        scope: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": "/api/events",
            "raw_path": b"/api/events",
            "query_string": b"",
            "headers": headers,
            "http_version": "1.1",
            "scheme": "http",
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.1", 1),
            "root_path": "",
        }
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message.get("body", b""))
            if b"".join(sent).count(b"data:") >= lines:
                gone.set()

        await asyncio.wait_for(app(scope, receive, send), 5)

    run_coroutine(listen())
    reported = [part for part in b"".join(sent).decode().splitlines() if part.startswith("data:")]
    return [json.loads(line.removeprefix("data:"))["outcome"] for line in reported[:lines]]


@pytest.mark.parametrize("knows", [True, False])
def test_the_event_stream_is_for_its_own_eyes(tray: HidingTray, *, knows: bool) -> None:
    outcomes = heard(tray, lambda request: request.headers.get("x-token") == TOKEN, knows=knows)
    assert outcomes == [{"hits": 3} if knows else None]


def test_who_may_see_no_more_sees_no_more_in_a_stream_that_is_open(tray: HidingTray) -> None:
    answers = iter([True, True, True])
    outcomes = heard(tray, lambda _request: next(answers, False), knows=True, lines=2)
    assert outcomes == [{"hits": 3}], "the stream is over, and the next one is requested again"
