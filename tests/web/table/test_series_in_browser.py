"""Tests that run over several rolls in a real browser: extended, group, opposed with and without a tie."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from device.texts.catalogue import say
from tests.web.playing import (
    pick,
    roll_until,
    state_of,
    take,
    tile,
    wait_state,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_an_extended_test_runs_over_three_rolls(page: Page, api: httpx.Client, begin: Callable[..., int]) -> None:
    begin("hits-pool", "Di", add=[{"kind": "skill", "name": "Climb", "now": 4}])
    page.locator("#table-button").click()
    page.locator("[data-tab=series]").click()
    form = page.locator("#table-panel [data-form=extended]")
    for _ in range(5):
        form.get_by_role("button", name=say("page.step.leap_more", what="Hits needed", by=5)).click()
    for _ in range(3):
        form.get_by_role(
            "button", name=say("page.step.more", what=say("rules.hits-pool.series.extended.settings.limit"))
        ).click()
    form.get_by_role("button", name=say("page.series.begin")).click()
    page.get_by_test_id("series-strip").wait_for()

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "ability").locator("[aria-pressed=true]").count():
            pick(page, "ability", "Climb")
        take(page, "Take 4 dice.")

    hits = []
    for number in (1, 2, 3):
        state = roll_until(page, api, lambda state: state["outcome"] is not None, prepare, seed=number)
        hits.append(sum(1 for die in state["dice"] if die["value"] >= 5))
        assert [one["value"] for one in state["series"]["rolls"]] == hits
        page.wait_for_function(
            "count => document.querySelectorAll('.series-rolls li:not(.open)').length === count", arg=number
        )
        page.get_by_test_id("reset-button").click()
        wait_state(page, "empty")
    page.locator("[data-testid=series-strip][data-ended=true]").wait_for()
    assert state_of(api)["series"]["answer"]["total"] == sum(hits)
    assert page.get_by_test_id("series-text").text_content()
    page.get_by_test_id("end-series").click()
    page.get_by_test_id("series-strip").wait_for(state="hidden")


def begin_test(page: Page, op: str, *taps: str) -> None:
    """Begin a test over several rolls from its form, after some taps on its settings."""
    page.locator("#table-button").click()
    page.locator("[data-tab=series]").click()
    form = page.locator(f"#table-panel [data-form={op}]")
    for name in taps:
        form.get_by_role("button", name=name, exact=True).click()
    form.get_by_role("button", name=say("page.series.begin")).click()
    page.get_by_test_id("series-strip").wait_for()


def preparing(page: Page, name: str, skill: str, said: str) -> Callable[[], None]:
    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, name).locator("[aria-pressed=true]").count():
            pick(page, name, skill)
        take(page, said)

    return prepare


def tap_die(page: Page, die: dict[str, Any], value: int) -> None:
    """Say on the pad what a die shows, where it shows something else."""
    if die["value"] != value:
        page.locator(f"[data-die-id='{die['id']}']").click()
        page.locator(f"#pad-values [data-value='{value}']").click()
        page.locator(f"[data-die-id='{die['id']}'][data-value='{value}']").wait_for()


def series_says(page: Page, text: str) -> None:
    page.wait_for_function("text => document.querySelector('[data-testid=series-text]').textContent === text", arg=text)


def next_roll(page: Page) -> None:
    page.get_by_test_id("reset-button").click()
    wait_state(page, "empty")


def is_over(state: dict[str, Any]) -> bool:
    return state["outcome"] is not None and state["awaiting"] is None


def test_two_people_lift_a_door_together(page: Page, api: httpx.Client, begin: Callable[..., int]) -> None:
    begin("hits-pool", "Lu", add=[{"kind": "skill", "name": "Lift", "now": 3}])
    begin_test(page, "group", *[say("page.step.more", what="Threshold")] * 2)
    prepare = preparing(page, "ability", "Lift", "Take 3 dice.")
    hits = [roll_until(page, api, is_over, prepare, seed=17)["outcome"]["hits"]]
    assert page.locator(".series-rolls li.open").count() == 1
    series_says(page, group_text(hits[0], 1) + " 1 of 2 have rolled.")
    next_roll(page)
    state = roll_until(page, api, is_over, prepare, seed=18)
    page.locator("[data-testid=series-strip][data-ended=true]").wait_for()
    # A die that was misread counts in the test as it is corrected.
    for die in state["dice"]:
        tap_die(page, die, 6)
    series_says(page, group_text(hits[0] + 3, 1))
    answer = state_of(api)["series"]["answer"]
    assert (answer["total"], answer["outcome"]) == (hits[0] + 3, "success")
    next_roll(page)
    roll_until(page, api, is_over, prepare, seed=19)
    assert len(state_of(api)["series"]["rolls"]) == 2, "a third roll belongs to nobody"
    page.get_by_test_id("end-series").click()
    page.get_by_test_id("series-strip").wait_for(state="hidden")
    next_roll(page)


def group_text(total: int, threshold: int) -> str:
    outcome = "draw" if total == threshold else "success" if total > threshold else "fail"
    return say(f"rules.hits-pool.group.{outcome}", total=total, threshold=threshold)


def test_a_sneaker_and_a_guard_and_then_a_draw(page: Page, api: httpx.Client, begin: Callable[..., int]) -> None:
    begin("hits-pool", "Mo", add=[{"kind": "skill", "name": "Sneak", "now": 2}])
    begin_test(page, "opposed")
    series_says(page, say("tray.series.first_side"))
    prepare = preparing(page, "ability", "Sneak", "Take 2 dice.")
    first = roll_until(page, api, is_over, prepare, seed=20)
    for die in first["dice"]:
        tap_die(page, die, 5)
    series_says(page, say("tray.series.other_side", value="2"))
    next_roll(page)
    second = roll_until(page, api, is_over, prepare, seed=21)
    for die, value in zip(second["dice"], (6, 2), strict=True):
        tap_die(page, die, value)
    series_says(page, "The first side wins by 1.")
    tap_die(page, state_of(api)["dice"][1], 5)
    series_says(page, say("rules.hits-pool.opposed.draw"))
    assert state_of(api)["series"]["answer"]["partial_for_both"] is True
    page.get_by_test_id("end-series").click()
    page.get_by_test_id("series-strip").wait_for(state="hidden")
    next_roll(page)


def test_equal_totals_are_a_tie_that_the_table_may_decide(
    page: Page, api: httpx.Client, begin: Callable[..., int]
) -> None:
    begin("die-code", "Na", add=[{"kind": "skill", "name": "Wrestle", "now": 7}])
    begin_test(page, "opposed", "The first side defends")
    prepare = preparing(page, "code", "Wrestle", "Take 1 wild, 1 normal.")
    for value, seed in ((4, 22), (2, 24)):
        state = roll_until(page, api, is_over, prepare, seed)
        for die in state["dice"]:
            tap_die(page, die, value if die["role"] == "wild" else 3)
        if value == 4:
            series_says(page, say("tray.series.other_side", value="8"))
            next_roll(page)
    series_says(page, "The first side wins.")
    plain = next(die for die in state_of(api)["dice"] if die["role"] == "plain")
    tap_die(page, plain, 5)
    series_says(page, "A tie.")
    assert api.put("/api/rulings/die-code", json={"rulings": {"opposed_tie": "reroll"}}).is_success
    series_says(page, "A tie: both roll again.")
    assert api.put("/api/rulings/die-code", json={"rulings": {"opposed_tie": "defender"}}).is_success
    series_says(page, "The first side wins.")
    assert api.put("/api/rulings/die-code", json={"rulings": {"opposed_tie": None}}).is_success
    series_says(page, "A tie.")
    page.get_by_test_id("end-series").click()
    page.get_by_test_id("series-strip").wait_for(state="hidden")
    next_roll(page)
