"""One roll of every rule system from tile to sheet in a real browser, over the whole tray with its simulated camera."""

import itertools
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from device.texts.catalogue import say
from tests.web.playing import (
    TRIES,
    carried_and_taken_back,
    pick,
    roll_until,
    state_of,
    take,
    throw,
    tile,
    wait_scored,
    wait_state,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_a_pushed_roll_from_the_sheet_page_to_the_sheet(page: Page, api: httpx.Client) -> None:
    # A new character by hand: two points of a skill, and a rope.
    page.goto("/sheets")
    page.get_by_label(say("page.sheets.new_name")).fill("Ann")
    page.get_by_test_id("new-sheet").click()
    fight = page.locator("[data-counter='Fight']")
    for now in (1, 2):
        fight.get_by_role("button", name=say("page.step.more", what="Fight")).click()
        page.locator(f"[data-counter='Fight'][data-now='{now}']").wait_for()
    page.get_by_test_id("edit-sheet").click()
    page.get_by_label(say("page.sheet.kind")).select_option("gear")
    page.get_by_label(say("page.sheet.counter_name")).fill("rope")
    page.get_by_test_id("add-counter").click()
    page.locator("[data-counter='rope']").wait_for()
    sheet = int(page.get_by_test_id("sheet").get_attribute("data-sheet-id") or "")
    page.get_by_text("in use", exact=True).wait_for()
    page.get_by_test_id("back").click()
    wait_state(page, "empty")

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "attribute").locator("[aria-pressed=true]").count():
            pick(page, "attribute", "Strength")
            pick(page, "skill", "Fight")
            pick(page, "gear", "Rope")
        take(page, "Take 3 base, 2 skill, 1 gear.")

    def fits(state: dict[str, Any]) -> bool:
        return bool(state["push"]["eligible"] and state["outcome"]["base_ones"])

    seeds = itertools.count(1)
    while True:
        roll_until(page, api, fits, prepare, next(seeds))
        page.get_by_test_id("push-button").click()
        wait_state(page, "awaiting_push")
        throw(page, next(seeds))
        if wait_state(page, "resolved", "unclear") == "resolved":
            break
        page.get_by_test_id("reset-button").click()
        wait_state(page, "empty")
    lying = state_of(api)["dice"]
    ones = {role: sum(1 for die in lying if die["role"] == role and die["value"] == 1) for role in ("base", "gear")}
    due = {("attribute", "STR"): -ones["base"], ("gear", "rope"): -ones["gear"]}
    carried_and_taken_back(page, api, sheet, {key: by for key, by in due.items() if by})


def test_step_dice_are_tapped_in_and_pushed(page: Page, api: httpx.Client, begin: Callable[..., int]) -> None:
    sheet = begin(
        "step-dice",
        "Bo",
        counters=[
            {"kind": "attribute", "name": "STR", "now": 4},
            {"kind": "resource", "name": "ammo", "now": 20},
        ],
        add=[{"kind": "skill", "name": "Melee", "now": 3}],
    )

    def tap(sides: int, value: int) -> None:
        page.locator(f"#typed-pad[data-sides='{sides}'] [data-value='{value}']").click()

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "attribute").locator("[aria-pressed=true]").count():
            pick(page, "attribute", "Strength")
            pick(page, "skill", "Melee")
            tile(page, "ammo").get_by_role("button", name=say("page.step.more", what="Ammo dice")).click()
        take(page, "Take 1 d12, 1 d10, 1 ammo.")
        page.locator("[data-testid=typed-die][data-level=A]").click()
        tap(12, 7)
        tap(10, 1)
        page.locator("#typed-pad").wait_for(state="hidden")

    seeds = itertools.count(101)
    while True:
        state = roll_until(page, api, lambda state: bool(state["push"]["eligible"]), prepare, next(seeds))
        typed = [(die["sides"], die["value"], die["locked"]) for die in state["typed_dice"]]
        assert typed == [(12, 7, False), (10, 1, True)]
        assert state["outcome"]["successes"] >= 1

        # The 1 stays, the other is rolled and tapped in again, and the d6 is thrown where it does not stay.
        page.get_by_test_id("push-button").click()
        wait_state(page, "awaiting_push")
        page.locator("[data-testid=typed-die][data-level=A][data-value='']").click()
        tap(12, 11)
        page.locator("#typed-pad").wait_for(state="hidden")
        if any(die["must_reroll"] for die in state["dice"]):
            throw(page, next(seeds))
        if wait_state(page, "resolved", "unclear") == "resolved":
            break
        page.get_by_test_id("reset-button").click()
        wait_state(page, "empty")
    pushed = state_of(api)
    assert [die["value"] for die in pushed["typed_dice"]] == [11, 1]
    assert pushed["outcome"]["damage"] == 1
    cost = {("hp", "HP"): "damage", ("resource", "ammo"): "ammo_spent", ("reliability", "weapon"): "reliability_loss"}
    carried_and_taken_back(page, api, sheet, {key: -pushed["outcome"][fact] for key, fact in cost.items()})


def test_grit_buys_a_die_and_the_sheet_pays_for_it(page: Page, api: httpx.Client, begin: Callable[..., int]) -> None:
    sheet = begin("highest-die", "Ed")

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "attribute").locator("[aria-pressed=true]").count():
            pick(page, "attribute", "Strength")
            pick(page, "risk", "Mixed")
            tile(page, "own_dice").get_by_role(
                "button", name=say("page.step.more", what=say("rules.highest-die.tiles.own_dice"))
            ).click()
        take(page, "Take 2 dice.")

    state = roll_until(page, api, lambda state: state["outcome"] is not None, prepare, seed=5)
    assert state["outcome"]["headline"]["value"] == max(die["value"] for die in state["dice"])
    carried_and_taken_back(page, api, sheet, {("grit", "grit"): -2})


def test_a_wild_six_is_thrown_again_and_adds_up(page: Page, api: httpx.Client, begin: Callable[..., int]) -> None:
    sheet = begin("die-code", "Cy", add=[{"kind": "skill", "name": "Pilot", "now": 8}])

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "code").locator("[aria-pressed=true]").count():
            pick(page, "code", "Pilot")
            pick(page, "band", "Moderate")
            pick(page, "luck", "Spend a luck point")
        page.wait_for_function("() => !document.querySelector('[data-testid=declare]').disabled")
        page.get_by_test_id("declare").click()
        page.locator("#prepare").wait_for(state="hidden")

    state = roll_until(page, api, lambda state: state["awaiting"] is not None, prepare, seed=12)
    wild = state["awaiting"]["dice"][0]
    rest = {die["id"]: die["value"] for die in state["dice"] if die["id"] != wild}
    assert page.locator(".mark.kind-reroll").get_attribute("data-mark-id") == str(wild)
    chain = [6]
    for _ in range(TRIES):
        throw(page)
        page.locator(f"[data-die-id='{wild}'][data-earlier='{len(chain)}']").wait_for()
        wait_state(page, "scored", "unclear")
        state = state_of(api)
        if state["state"] == "unclear":
            page.locator(f"[data-die-id='{wild}']").click()
            page.locator("#pad-values [data-value='2']").click()
            state = wait_scored(page, api)
        chain.append(next(die["value"] for die in state["dice"] if die["id"] == wild))
        if state["awaiting"] is None:
            break
    assert {die["id"]: die["value"] for die in state["dice"] if die["id"] != wild} == rest, "the others stay"
    code = state["context"]["code"]
    pips = int(code.partition("+")[2] or 0)
    assert state["outcome"]["total"] == sum(rest.values()) + sum(chain) + pips
    page.wait_for_function(
        "total => document.querySelector('#successes').textContent === total", arg=str(state["outcome"]["total"])
    )
    carried_and_taken_back(page, api, sheet, {("luck", "luck"): -1})
