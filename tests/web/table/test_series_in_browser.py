"""Extended tests in a real browser: one roll after another, group, opposed with and without a tie."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from device.texts.catalogue import translate
from tests.web.playing import lie, pick, take, tile, wait_state
from tests.web.resting import Table

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def begin_test(page: Page, op: str, *taps: str) -> None:
    """Start an extended test from its form, after some taps on its settings."""
    page.locator("#table-button").click()
    page.locator("[data-tab=series]").click()
    form = page.locator(f"#table-panel [data-form={op}]")
    for name in taps:
        form.get_by_role("button", name=name, exact=True).click()
    form.get_by_role("button", name=translate("page.series.begin")).click()
    page.get_by_test_id("series-strip").wait_for()


def prepare(page: Page, name: str, skill: str, words: str) -> None:
    page.locator("#prepare-button").click()
    if not tile(page, name).locator("[aria-pressed=true]").count():
        pick(page, name, skill)
    take(page, words)


def tap_die(page: Page, die: dict[str, Any], value: int) -> None:
    """Enter on the pad what a die shows."""
    page.locator(f"[data-die-id='{die['id']}']").click()
    page.locator(f"#pad-values [data-value='{value}']").click()
    page.locator(f"[data-die-id='{die['id']}'][data-value='{value}']").wait_for()


def series_says(page: Page, text: str) -> None:
    page.wait_for_function("text => document.querySelector('[data-testid=series-text]').textContent === text", arg=text)


def next_roll(page: Page) -> None:
    page.get_by_test_id("reset-button").click()
    wait_state(page, "empty")


def end_series(page: Page) -> None:
    page.get_by_test_id("end-series").click()
    page.get_by_test_id("series-strip").wait_for(state="hidden")


def test_an_extended_test_runs_over_three_rolls(page: Page, table: Table, begin: Callable[..., int]) -> None:
    begin("hits-pool", "Di", add=[{"kind": "skill", "name": "Climb", "now": 4}])
    more = translate("page.step.more", what=translate("rules.hits-pool.series.extended.settings.limit"))
    begin_test(page, "extended", *[translate("page.step.leap_more", what="Hits needed", by=5)] * 5, *[more] * 3)
    prepare(page, "ability", "Climb", "Take 4 dice.")
    for number, hits in enumerate((1, 0, 3), 1):
        state = lie(page, table, *[("base", 5)] * hits, *[("base", 2)] * (4 - hits))
        assert [one["value"] for one in state["series"]["rolls"]] == [1, 0, 3][:number]
        page.wait_for_function(
            "count => document.querySelectorAll('.series-rolls li:not(.open)').length === count", arg=number
        )
        next_roll(page)
    page.locator("[data-testid=series-strip][data-ended=true]").wait_for()
    assert table.ask("GET", "state")["series"]["answer"]["total"] == 4
    assert page.get_by_test_id("series-text").text_content()
    end_series(page)


def test_two_people_lift_a_door_together(page: Page, table: Table, begin: Callable[..., int]) -> None:
    begin("hits-pool", "Lu", add=[{"kind": "skill", "name": "Lift", "now": 3}])
    begin_test(page, "group", *[translate("page.step.more", what="Threshold")] * 2)
    prepare(page, "ability", "Lift", "Take 3 dice.")
    lie(page, table, ("base", 5), ("base", 1), ("base", 2))
    assert page.locator(".series-rolls li.open").count() == 1
    series_says(page, translate("rules.hits-pool.group.draw", total=1, threshold=1) + " 1 of 2 have rolled.")
    next_roll(page)
    state = lie(page, table, ("base", 6), ("base", 2), ("base", 3))
    page.locator("[data-testid=series-strip][data-ended=true]").wait_for()
    # A misread die counts in the test as corrected.
    for die in state["dice"][1:]:
        tap_die(page, die, 6)
    series_says(page, translate("rules.hits-pool.group.success", total=4, threshold=1))
    answer = table.ask("GET", "state")["series"]["answer"]
    assert (answer["total"], answer["outcome"]) == (4, "success")
    next_roll(page)
    state = lie(page, table, *[("base", 6)] * 3)
    assert len(state["series"]["rolls"]) == 2, "a third roll has no owner"
    end_series(page)


def test_a_sneaker_and_a_guard_and_then_a_draw(page: Page, table: Table, begin: Callable[..., int]) -> None:
    begin("hits-pool", "Mo", add=[{"kind": "skill", "name": "Tiptoe", "now": 2}])
    begin_test(page, "opposed")
    series_says(page, translate("tray.series.first_side"))
    prepare(page, "ability", "Tiptoe", "Take 2 dice.")
    lie(page, table, ("base", 5), ("base", 5))
    series_says(page, translate("tray.series.other_side", value="2"))
    next_roll(page)
    state = lie(page, table, ("base", 6), ("base", 2))
    series_says(page, "The first side wins by 1.")
    tap_die(page, state["dice"][1], 5)
    series_says(page, translate("rules.hits-pool.opposed.draw"))
    assert table.ask("GET", "state")["series"]["answer"]["partial_for_both"] is True
    end_series(page)


def test_equal_totals_are_a_tie_that_the_table_may_decide(page: Page, table: Table, begin: Callable[..., int]) -> None:
    begin("die-code", "Na", add=[{"kind": "skill", "name": "Wrestle", "now": 7}])
    begin_test(page, "opposed", "The first side defends")
    prepare(page, "code", "Wrestle", "Take 1 wild, 1 normal.")
    lie(page, table, ("gear", 4), ("base", 3))
    series_says(page, translate("tray.series.other_side", value="8"))
    next_roll(page)
    prepare(page, "code", "Wrestle", "Take 1 wild, 1 normal.")
    state = lie(page, table, ("gear", 2), ("base", 3))
    series_says(page, "The first side wins.")
    tap_die(page, next(die for die in state["dice"] if die["role"] == "plain"), 5)
    for decision, text in (
        (None, "A tie."),
        ("reroll", "A tie: both roll again."),
        ("defender", "The first side wins."),
    ):
        table.ask("PUT", "rulings/die-code", {"rulings": {"opposed_tie": decision}})
        series_says(page, text)
    end_series(page)
