"""Shared steps of tests of the whole tray in a real browser: prepare, throw, check the state, apply consequences."""

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from device.config.settings import Settings
from device.runtime.simulated import simulated_camera_setup
from device.runtime.source import CameraSetup
from device.simulation.camera import SimulatedCamera
from tests.web.resting import Table

WAIT_MS = 60_000
TRIES = 24
"""Throws to try in turn: a die that comes to rest leaning needs a tap, which is correct but not the subject of these
tests.
"""
SLOW_FPS = 10
"""The rate of a slow machine: dice and their readings are the same, with a third fewer pictures."""
READ_S = 2.0
"""Time limit for reading dice that come to rest, in seconds."""
PRESS = """selector => {
  const key = document.querySelector(selector);
  if (!key.disabled) key.click();
  return !key.disabled;
}"""
_IDS = itertools.count(1)
_SEEDS = itertools.count(1000)
"""Never the same seed twice: dice that lie exactly as before are not a new throw to a watch that was too busy to see
them move.
"""


class EagerClock:
    """Pace of a simulated camera: real time while nothing happens, otherwise as fast as it can be drawn.

    Every frame is drawn and read as in real time, and none is dropped on a slow machine: time passes by frames.

    Attributes:
        is_busy: Whether hand or dice move; set once there is a camera.
    """

    def __init__(self) -> None:
        self.is_busy: Callable[[], bool] = lambda: False
        self._now_s = self._eager_until_s = 0.0
        self._woke_s = time.monotonic()

    def now_s(self) -> float:
        return self._now_s

    def wait_until(self, t_s: float) -> None:
        if self.is_busy():
            self._eager_until_s = self._now_s + READ_S
        if self._now_s >= self._eager_until_s:
            time.sleep(max(0.0, self._woke_s + t_s - self._now_s - time.monotonic()))
        self._now_s = max(self._now_s, t_s)
        self._woke_s = time.monotonic()


def eager_setup(settings: Settings) -> CameraSetup:
    """Return a tray's simulated camera that does not wait for dice to fall."""
    clock = EagerClock()
    slow = replace(settings, simulation=replace(settings.simulation, fps=SLOW_FPS))
    setup = simulated_camera_setup(slow, clock)
    assert isinstance(setup.camera, SimulatedCamera)
    camera = setup.camera
    clock.is_busy = lambda: camera.is_busy
    return setup


def state_of(api: httpx.Client) -> dict[str, Any]:
    body: dict[str, Any] = api.get("/api/state").json()
    return body


def counters(api: httpx.Client, sheet: int) -> dict[tuple[str, str], int]:
    listed = api.get(f"/api/sheets/{sheet}").json()["counters"]
    return {(one["kind"], one["name"]): one["now"] for one in listed}


def wait_state(page: Page, *states: str) -> str:
    try:
        page.wait_for_function("states => states.includes(document.body?.dataset.state)", arg=list(states))
    except Exception as error:
        shows = page.locator("main").inner_text()
        raise AssertionError(f"waited for {states}; toast: {page.locator('#toast').text_content()}; {shows}") from error
    return str(page.evaluate("() => document.body?.dataset.state"))


def tile(page: Page, name: str) -> Any:
    return page.locator(f"#prepare [data-tile='{name}']")


def pick(page: Page, name: str, word: str) -> None:
    tile(page, name).get_by_role("button", name=word).click()


def take(page: Page, words: str) -> None:
    """Take the dice of the prepared roll once they are known."""
    page.wait_for_function("words => document.querySelector('[data-testid=take]').textContent === words", arg=words)
    page.get_by_test_id("declare").click()
    page.locator("#prepare").wait_for(state="hidden")
    page.locator(".turn [data-testid=taken]").first.wait_for()


def fill_request(page: Page, label: str, dice: Mapping[str, int]) -> None:
    """Fill the open window with the purpose and dice of a roll, and request it."""
    page.get_by_test_id("ask-label").fill(label)
    for role, count in dice.items():
        for _ in range(count):
            page.locator(f"#ask-roll [data-role={role}] .step").last.click()
    page.get_by_test_id("ask-go").click()
    page.locator("#ask-roll").wait_for(state="hidden")


def throw(page: Page, seed: int | None = None) -> None:
    """Press Throw as soon as it is enabled.

    After a reset the sweeping hand disables the button for a while: it may be disabled between a check and a mouse
    click, and the click would be lost.
    """
    wanted, field = str(next(_SEEDS) if seed is None else seed), page.locator("#seed")
    while field.input_value() != wanted:
        # A window that closes in between takes the keyboard focus with it.
        field.fill(wanted)
    page.wait_for_function(PRESS, arg="#throw")


def roll_until(
    page: Page, api: httpx.Client, fits: Callable[[dict[str, Any]], bool], prepare: Callable[[], object], seed: int
) -> dict[str, Any]:
    """Prepare and throw until all dice lie flat and the result is one that this test can continue with.

    The first throw has a seed that is known to fit, so that others are only thrown if the physics differ; each roll of
    one tray has its own seed.
    """
    for one in (seed, *itertools.repeat(None, TRIES - 1)):
        prepare()
        throw(page, one)
        if wait_state(page, "scored", "unclear") == "scored":
            state = state_of(api)
            if fits(state):
                return state
        page.get_by_test_id("reset-button").click()
        wait_state(page, "empty")
    pytest.fail("no throw gave a result to go on with")


def lie(page: Page, table: Table, *dice: tuple[str, int], ends: str = "scored") -> dict[str, Any]:
    """Let these dice come to rest in a tray without a camera; return what the tray then shows."""
    table.throw(*((next(_IDS), colour, value) for colour, value in dice))
    wait_state(page, ends)
    body: dict[str, Any] = table.ask("GET", "state")
    return body


def carried_and_taken_back(page: Page, api: httpx.Client, sheet: int, change: dict[tuple[str, str], int]) -> None:
    """Apply the consequences with one tap, check the sheet, undo them with another."""
    before = counters(api, sheet)
    page.get_by_test_id("carry").click()
    page.locator("[data-testid=carry-strip][data-carried=true]").wait_for()
    assert counters(api, sheet) == before | {key: before[key] + by for key, by in change.items()}
    page.get_by_test_id("undo-carry").click()
    page.locator("[data-testid=carry-strip][data-carried=false]").wait_for()
    assert counters(api, sheet) == before
