"""However many requests wait for the tray, the hand or an expensive answer, short ones are answered in between."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest

from device.calibration.workflow import CalibrationWorkflow
from device.game.snapshot import TrayMetadata
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.runtime.loop import LoopParams, TrayLoop
from device.storage.rolls import RollLog
from device.web.app import create_app
from device.web.core.pools import MAX_WAITING, Lane
from device.web.core.rights import Identity
from device.web.core.table import TableService
from device.web.core.tray import TrayService
from rules.sheet_file import new_sheet, sheet_to_json
from tests.event_loop import run_coroutine
from tests.web.conftest import FakeTray

MANY = 60
SHORT = "/api/rolls"


async def answered_meanwhile(
    tray: "WaitingTray", released: threading.Event, method: str, path: str, body: Any
) -> list[int]:
    """Return the statuses of many requests that wait until a short one is answered."""
    calibration = Mock(CalibrationWorkflow, look=tray.look, take_empty=tray.take_empty)
    app = create_app(tray, [calibration])
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as client:
        waiting = [asyncio.ensure_future(client.request(method, path, json=body)) for _ in range(MANY)]
        async with asyncio.timeout(20):
            while not tray.waits:
                await asyncio.sleep(0)
            assert (await client.get(SHORT)).status_code == 200
        assert not any(one.done() for one in waiting)
        released.set()
        return [(await one).status_code for one in waiting]


class WaitingTray(FakeTray):
    """A tray that answers no press, picture or download before it is released."""

    def __init__(self, released: threading.Event) -> None:
        super().__init__()
        self.released = released
        self.waits = 0

    async def request(self, *args: Any) -> Any:
        self.waits += 1
        while not self.released.is_set():
            await asyncio.sleep(0)
        return await super().request(*args)

    def throw(self, *wanted: Any) -> Any:
        self.waits += 1
        self.released.wait(30)
        return super().throw(*wanted)

    def rolls_csv(self, _separator: str | None = None) -> Iterator[str]:
        yield "id\r\n"
        self.waits += 1
        self.released.wait(30)

    def look(self) -> dict[str, Any]:
        """Take a picture as a calibration does."""
        self.waits += 1
        self.released.wait(30)
        return {}

    take_empty = look

    def odds(self) -> dict[str, Any]:
        return {"pool": None, "table": None} | self.look()

    def rolls_of(self, owner: str, limit: int, viewer: Identity) -> dict[str, Any]:
        return self.look()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/throw", {"base": 1}),
        ("POST", "/api/push", None),
        ("PATCH", "/api/dice/1", {"value": 4}),
        ("GET", "/api/rolls.csv", None),
        ("GET", "/api/calibration", None),
        ("GET", "/api/odds", None),
        ("GET", "/api/players/rolls?owner=Ann", None),
        ("POST", "/api/calibration/empty", None),
    ],
)
def test_a_caller_who_waits_for_the_tray_delays_no_one(method: str, path: str, body: Any) -> None:
    released = threading.Event()
    tray = WaitingTray(released)
    try:
        statuses = run_coroutine(answered_meanwhile(tray, released, method, path, body))
    finally:
        released.set()
    assert len(statuses) == MANY
    assert set(statuses) <= {200, 404, 409}


PRESSES: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/api/push", None),
    ("PATCH", "/api/dice/1", {"value": 4}),
    ("PATCH", "/api/dice", {"dice": [{"id": 1, "value": 4, "colour": "base"}]}),
    ("PUT", "/api/pool", {"base": 2}),
    ("POST", "/api/clocks", {"name": "Storm", "segments": 6}),
    ("POST", "/api/sheets", {"title": "Ada"}),
    ("POST", "/api/sheets/import", sheet_to_json(new_sheet("Bo", "push-pool"))),
    ("POST", "/api/prepare", {"tiles": {"attribute": 3, "skill": 2}, "declare": True}),
)


def test_who_waits_for_the_loop_holds_no_thread(tmp_path: Path) -> None:
    with closing(RollLog(tmp_path / "history.sqlite3")) as history:
        loop = TrayLoop(
            Tray(Empty(), Table("push-pool")),
            history,
            TrayMetadata("simulated", None, {"base": "yellow"}),
            forget=lambda: None,
            show=lambda *_: None,
            params=LoopParams(answer_s=30.0),
        )
        tray: Any = TrayService(loop, None, history, None, None)  # type: ignore[arg-type]

        async def presses() -> list[int]:
            app = create_app(tray, [TableService(tray)])
            transport = httpx.ASGITransport(app)
            before = set(threading.enumerate())
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as client:
                waiting = [asyncio.ensure_future(client.request(*one[:2], json=one[2])) for one in 5 * PRESSES]
                async with asyncio.timeout(20):
                    # Sheets are added one after the other.
                    while loop._queue.qsize() < 5 * len(PRESSES) - 9:
                        await asyncio.sleep(0.01)
                new = set(threading.enumerate()) - before
                assert not any(thread.name.startswith("AnyIO worker") for thread in new)
                loop.start()
                return [(await one).status_code for one in waiting]

        try:
            assert set(run_coroutine(presses())) <= {200, 201, 404, 409}
        finally:
            loop.stop()


def test_a_throw_that_others_hold_up_for_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.web.features.table.routes.BUSY_WAIT_S", 0.05)
    released = threading.Event()
    tray = WaitingTray(released)

    async def throws() -> tuple[httpx.Response, httpx.Response]:
        transport = httpx.ASGITransport(create_app(tray))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as client:
            first = asyncio.ensure_future(client.post("/api/throw", json={"base": 1}))
            while not tray.waits:
                await asyncio.sleep(0)
            second = await client.post("/api/throw", json={"base": 1})
            released.set()
            return await first, second

    first, second = run_coroutine(throws())
    assert (first.status_code, second.status_code, second.json()["reason"]) == (200, 409, "tray_busy")


def test_a_dear_answer_is_made_once_for_all_who_wait_for_its_beginning() -> None:
    begun, released, made = threading.Event(), threading.Event(), []

    def make(name: str) -> str:
        begun.set()
        released.wait(30)
        made.append(name)
        return name

    async def ask() -> list[str]:
        dear = Lane()
        first = asyncio.ensure_future(dear("a", lambda: make("a")))
        while not begun.is_set():
            await asyncio.sleep(0)
        others = [asyncio.ensure_future(dear(name, lambda name=name: make(name))) for name in 20 * "ab"]  # type: ignore[misc]
        await asyncio.sleep(0)
        released.set()
        return await asyncio.gather(first, *others)

    assert run_coroutine(ask()) == ["a", *20 * "ab"]
    assert sorted(made) == ["a", "a", "b"], "what began before they asked may lack what came since"


def test_so_many_dear_answers_are_waited_for_and_no_more() -> None:
    released = threading.Event()

    async def ask() -> list[Any]:
        dear = Lane()
        tasks = [asyncio.ensure_future(dear(number, released.wait)) for number in range(MAX_WAITING + 5)]
        await asyncio.sleep(0)
        released.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    refused = [one for one in run_coroutine(ask()) if isinstance(one, Exception)]
    assert [type(one).__name__ for one in refused] == 5 * ["LoopBusy"]
