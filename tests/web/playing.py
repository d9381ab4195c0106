"""What tests of the whole tray in a real browser do over and over: prepare, throw, look at the state, carry over."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

WAIT_MS = 60_000
TRIES = 24
"""Throws to try in turn: a die that comes to rest leaning asks for a tap, which is right but not these tests' story."""
PRESS = """selector => {
  const key = document.querySelector(selector);
  if (!key.disabled) key.click();
  return !key.disabled;
}"""
_SEEDS = itertools.count(1)
"""No seed twice: dice that lie exactly as before are no new throw to a watch that was too busy to see them move."""


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


def take(page: Page, said: str) -> None:
    """Take the dice of the prepared roll, once it says which."""
    page.wait_for_function("said => document.querySelector('[data-testid=take]').textContent === said", arg=said)
    page.get_by_test_id("declare").click()
    page.locator("#prepare").wait_for(state="hidden")
    page.wait_for_function(
        "said => document.querySelector('#headline').textContent === said.replace(/[.]$/, '')", arg=said
    )


def fill_asked(page: Page, label: str, dice: Mapping[str, int]) -> None:
    """Say in the open window what a roll is for and which dice it takes, and ask for it."""
    page.get_by_test_id("ask-label").fill(label)
    for role, count in dice.items():
        for _ in range(count):
            page.locator(f"#ask-roll [data-role={role}] .step").last.click()
    page.get_by_test_id("ask-go").click()
    page.locator("#ask-roll").wait_for(state="hidden")


def throw(page: Page, seed: int | None = None) -> None:
    """Press Throw the moment it can be pressed.

    After a reset the sweeping hand greys the button for a while: between a look at it and a click of the mouse it may
    go grey, and the click would be lost.
    """
    page.locator("#seed").fill(str(next(_SEEDS) if seed is None else seed))
    page.wait_for_function(PRESS, arg="#throw")


def roll_until(
    page: Page, api: httpx.Client, fits: Callable[[dict[str, Any]], bool], prepare: Callable[[], object]
) -> dict[str, Any]:
    """Prepare and throw anew until all dice lie flat and the result is one that this test can go on with."""
    for _ in range(TRIES):
        prepare()
        throw(page)
        if wait_state(page, "scored", "unclear") == "scored":
            state = state_of(api)
            if fits(state):
                return state
        page.get_by_test_id("reset-button").click()
        wait_state(page, "empty")
    pytest.fail("no throw gave a result to go on with")


def carried_and_taken_back(page: Page, api: httpx.Client, sheet: int, change: dict[tuple[str, str], int]) -> None:
    """Carry the consequences over with one tap, look at the sheet, take them back with one more."""
    before = counters(api, sheet)
    page.get_by_test_id("carry").click()
    page.locator("[data-testid=carry-strip][data-carried=true]").wait_for()
    assert counters(api, sheet) == before | {key: before[key] + by for key, by in change.items()}
    page.get_by_test_id("undo-carry").click()
    page.locator("[data-testid=carry-strip][data-carried=false]").wait_for()
    assert counters(api, sheet) == before


def wait_scored(page: Page, api: httpx.Client) -> dict[str, Any]:
    wait_state(page, "scored")
    return state_of(api)
