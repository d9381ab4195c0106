"""Concurrent requests to the whole tray: every response is complete, while rolls are written and pages listen."""

import asyncio
import csv
import io
import sqlite3
import threading
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from device.app import TrayApp
from device.config.settings import Settings, with_overrides
from device.game.state.events import DiceSettled, PushPressed, ResetPressed
from device.runtime.source import CameraSetup
from device.storage.log_file import FILE_NAME
from device.storage.rolls import RollLog
from tests.conftest import BlindWatch, StillCamera
from tests.device.conftest import Dice, wait_until
from tests.event_loop import run_coroutine

KEPT = 520
"""More rows than fit on one page of a download."""


OTHERS = {
    "/api/events",
    "/api/rolls.csv",
    "/api/phones/qr.svg",
    "/api/club",
    "/api/club/events",
    "/api/bring-up/camera.jpg",
}
"""Paths with their own tests; this tray has no phones and no club, and one camera."""
PARAMETERS = {"/api/players/rolls": "?owner=Ada"}
"""Required parameters of paths."""


@pytest.fixture
def app(tmp_path: Path) -> Any:
    fill(tmp_path / FILE_NAME)
    app = TrayApp(
        with_overrides(Settings(), camera="simulated", data=tmp_path, port=0),
        CameraSetup(StillCamera(), None, BlindWatch()),
    )
    app.start()
    yield app
    app.stop()


def fill(path: Path) -> None:
    """Put a whole season into a new log."""
    RollLog(path).close()
    row = ("2026-01-31T20:00:00.000+00:00", "scored", "push-pool", "null", "{}", "[]", '{"success": true}', "null")
    with closing(sqlite3.connect(path)) as log, log:
        log.executemany(
            "INSERT INTO rolls (at, kind, roll, system, pool, context, dice, outcome, correction)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(*row[:2], number, *row[2:]) for number in range(1, KEPT + 1)],
        )


@pytest.fixture
def playing(app: TrayApp) -> Any:
    """Throw, push and write rolls for the duration of the test, with three pages listening."""
    done = threading.Event()
    rolls: list[int] = []

    def play() -> None:
        while not done.wait(0.02):
            app.post(DiceSettled(Dice.rest(*Dice.FIRST)))
            app.post(PushPressed())
            app.post(DiceSettled(Dice.rest(*Dice.LEFT)))
            app.post(DiceSettled(Dice.rest(*Dice.THROWN)))
            app.tray._loop.ask(ResetPressed())
            rolls.append(1)

    player = threading.Thread(target=play)
    with ExitStack() as pages:
        client = pages.enter_context(httpx.Client(verify=False, timeout=30))
        for _ in range(3):
            page = pages.enter_context(client.stream("GET", f"{app.url}api/events"))
            assert next(page.iter_lines())
        player.start()
        wait_until(lambda: len(rolls) > 2)
        try:
            yield rolls
        finally:
            done.set()
            player.join()


def ask_at_once(url: str, count: int) -> list[httpx.Response]:
    async def ask() -> list[httpx.Response]:
        # No connection is reused, so none is kept: the client would search all kept ones at each response.
        limits = httpx.Limits(max_connections=count, max_keepalive_connections=0)
        async with httpx.AsyncClient(verify=False, timeout=60, limits=limits) as client:
            return await asyncio.gather(*(client.get(url) for _ in range(count)))

    return run_coroutine(ask())


def test_two_hundred_downloads_come_whole(app: TrayApp, playing: list[int]) -> None:
    before = len(playing)
    for answer in ask_at_once(f"{app.url}api/rolls.csv", 200):
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        ids = [int(row["id"]) for row in rows]
        assert answer.status_code == 200
        assert ids == list(range(1, len(ids) + 1))
        assert len(ids) >= KEPT
    assert len(playing) > before, "rolls were written meanwhile"


def test_every_answer_comes_whole(app: TrayApp, playing: list[int]) -> None:
    described = httpx.get(f"{app.url}openapi.json", verify=False, timeout=10).json()["paths"]
    paths = [path for path, ways in described.items() if "get" in ways and "{" not in path and path not in OTHERS]
    assert len(paths) > 8
    for path in [*paths, "/", "/overlay", "/phone", "/static/features/table/table.js", "/openapi.json"]:
        for answer in ask_at_once(app.url.rstrip("/") + path + PARAMETERS.get(path, ""), 12):
            assert answer.status_code == 200, (path, answer.text)
            assert (
                answer.json() if answer.headers["content-type"].split(";")[0] == "application/json" else answer.content
            )


def test_a_log_that_cannot_be_read_is_reported_and_no_answer_is_cut_off(app: TrayApp, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).rename(tmp_path / "away")
    for path in ("api/rolls", "api/rolls.csv"):
        answer = httpx.get(app.url + path, verify=False, timeout=10)
        assert (answer.status_code, answer.json()["reason"]) == (503, "device")
        assert "cannot be read" in answer.json()["error"]
