"""One roll of every rule system from tile to sheet in a real browser, over a whole tray."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Locator, Page

from device.game.snapshot import TrayMetadata
from device.texts.catalogue import translate
from tests.web.playing import carried_and_taken_back, lie, pick, take, tile, wait_state
from tests.web.resting import Table

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_a_pushed_roll_from_the_sheet_page_to_the_sheet(page: Page, table: Table, api: httpx.Client) -> None:
    # A new character by hand: two points of a skill, and a rope.
    page.goto(f"{table.url}/sheets")
    page.get_by_label(translate("page.sheets.new_name")).fill("Ann")
    page.get_by_test_id("new-sheet").click()
    fight = page.locator("[data-counter='Fight']")
    for now in (1, 2):
        fight.get_by_role("button", name=translate("page.step.more", what="Fight")).click()
        page.locator(f"[data-counter='Fight'][data-now='{now}']").wait_for()
    page.get_by_text(translate("page.sheet.add_to"), exact=True).click()
    page.get_by_label(translate("page.sheet.kind")).select_option("gear")
    page.get_by_label(translate("page.sheet.counter_name")).fill("rope")
    page.get_by_test_id("add-counter").click()
    page.locator("[data-counter='rope']").wait_for()
    sheet = int(page.get_by_test_id("sheet").get_attribute("data-sheet-id") or "")
    page.get_by_text("in use", exact=True).wait_for()
    page.get_by_test_id("back").click()
    wait_state(page, "empty")

    page.locator("#prepare-button").click()
    pick(page, "attribute", "Strength")
    pick(page, "skill", "Fight")
    pick(page, "gear", "Rope")
    take(page, "Take 3 base, 2 skill, 1 gear.")
    kept = [(1, "base", 1), (2, "base", 6), (6, "gear", 1)]
    table.throw(*kept, (3, "base", 3), (4, "skill", 4), (5, "skill", 2))
    wait_state(page, "scored")
    page.get_by_test_id("push-button").click()
    wait_state(page, "awaiting_push")
    table.throw(*kept, still=(1, 2, 6))
    table.throw(*kept, (3, "base", 1), (4, "skill", 6), (5, "skill", 3), still=(1, 2, 6))
    wait_state(page, "resolved")
    carried_and_taken_back(page, api, sheet, {("attribute", "STR"): -2, ("gear", "rope"): -1})


def test_step_dice_are_tapped_in_and_pushed(
    page: Page, table: Table, api: httpx.Client, begin: Callable[..., int]
) -> None:
    sheet = begin(
        "step-dice",
        "Bo",
        counters=[{"kind": "attribute", "name": "STR", "now": 4}, {"kind": "resource", "name": "ammo", "now": 20}],
        add=[{"kind": "skill", "name": "Melee", "now": 3}],
    )

    def tap(sides: int, value: int) -> None:
        page.locator(f"#typed-pad[data-sides='{sides}'] [data-value='{value}']").click()

    page.locator("#prepare-button").click()
    pick(page, "attribute", "Strength")
    pick(page, "skill", "Melee")
    tile(page, "ammo").get_by_role("button", name=translate("page.step.more", what="Ammo dice")).click()
    take(page, "Take 1 d12, 1 d10, 1 ammo.")
    page.locator("[data-testid=typed-die][data-level=A]").click()
    tap(12, 7)
    tap(10, 1)
    page.locator("#typed-pad").wait_for(state="hidden")
    table.throw((1, "gear", 3))
    wait_state(page, "scored")
    state = table.ask("GET", "state")
    typed = [(die["sides"], die["value"], die["locked"]) for die in state["typed_dice"]]
    assert (typed, state["outcome"]["successes"]) == ([(12, 7, False), (10, 1, True)], 1)

    # The 1 stays, the other is rolled and entered again, and the d6 is thrown.
    page.get_by_test_id("push-button").click()
    wait_state(page, "awaiting_push")
    page.locator("[data-testid=typed-die][data-level=A][data-value='']").click()
    tap(12, 11)
    page.locator("#typed-pad").wait_for(state="hidden")
    table.throw()
    table.throw((1, "gear", 1))
    wait_state(page, "resolved")
    pushed = table.ask("GET", "state")
    assert [die["value"] for die in pushed["typed_dice"]] == [11, 1]
    assert pushed["outcome"]["damage"] == 1
    cost = {("hp", "HP"): "damage", ("resource", "ammo"): "ammo_spent", ("reliability", "weapon"): "reliability_loss"}
    carried_and_taken_back(page, api, sheet, {key: -pushed["outcome"][fact] for key, fact in cost.items()})


def test_an_evening_with_read_step_dice(page: Page, table: Table, begin: Callable[..., int]) -> None:
    begin("step-dice", "Bo")
    colours = {"base": "yellow", "skill": "green", "gear": "black"}
    table.app.loop.update_metadata(TrayMetadata("usb:0", None, colours, taught=frozenset({("base", 8), ("base", 10)})))
    table.ask("POST", "asked", {"owner": "Bo", "label": "Melee", "levels": {"C": 1, "B": 1}})
    page.wait_for_function("() => document.querySelector('#lead').textContent === 'Bo throws 1 d10 and 1 d8.'")
    assert not page.get_by_test_id("typed-die").is_visible(), "nothing to enter"
    page.locator(".by-hand").click()
    page.locator("[data-testid=typed-die][data-level=C]").click()
    page.keyboard.press("Escape")
    page.get_by_test_id("typed-die").first.wait_for(state="detached")

    def die(number: int, asks: str) -> Locator:
        return page.locator(f"[data-testid=die][data-die-id='{number}']{asks}")

    table.throw((1, "base", 2, 8), (2, "base", 1, 10))
    wait_state(page, "scored")
    page.get_by_test_id("push-button").click()
    wait_state(page, "awaiting_push")
    die(1, "[data-must-reroll=true]").wait_for()
    die(2, "[data-locked=true]").wait_for()
    table.throw((2, "base", 1, 10), still=(2,))
    die(1, ".kind-picked").wait_for()
    assert table.ask("GET", "state")["typed_dice"] == []
    table.throw((1, "base", 5, 8), (2, "base", 1, 10), still=(2,))
    wait_state(page, "resolved")
    assert table.ask("GET", "state")["outcome"]["successes"] == 0
    die(1, "").click()
    assert page.locator("#pad-values [data-value]").count() == 8
    page.locator("#pad-values [data-value='8']").click()
    die(1, "[data-value='8']").wait_for()
    assert table.ask("GET", "state")["outcome"]["successes"] == 1
    page.get_by_test_id("reset-button").click()
    table.throw()
    wait_state(page, "empty")
    shown = page.get_by_test_id("history-row").first.get_by_role("img")
    assert [" ".join(text.split()) for text in shown.all_inner_texts()] == ["58 d8", "1 d10"]
    assert [one.get_attribute("aria-label") for one in shown.all()] == ["base d8 8, Counts", "base d10 1, Costs"]


def test_grit_buys_a_die_and_the_sheet_pays_for_it(
    page: Page, table: Table, api: httpx.Client, begin: Callable[..., int]
) -> None:
    sheet = begin("highest-die", "Ed")
    page.locator("#prepare-button").click()
    pick(page, "attribute", "Strength")
    pick(page, "risk", "Mixed")
    more = translate("page.step.more", what=translate("rules.highest-die.tiles.own_dice"))
    tile(page, "own_dice").get_by_role("button", name=more).click()
    take(page, "Take 2 dice.")
    assert lie(page, table, ("base", 3), ("base", 5))["outcome"]["headline"]["value"] == 5
    carried_and_taken_back(page, api, sheet, {("grit", "grit"): -2})


def test_a_wild_six_is_thrown_again_and_adds_up(
    page: Page, table: Table, api: httpx.Client, begin: Callable[..., int]
) -> None:
    sheet = begin("die-code", "Cy", add=[{"kind": "skill", "name": "Pilot", "now": 8}])
    page.locator("#prepare-button").click()
    pick(page, "code", "Pilot")
    pick(page, "band", "Moderate")
    pick(page, "luck", "Spend a luck point")
    page.wait_for_function("() => !document.querySelector('[data-testid=declare]').disabled")
    page.get_by_test_id("declare").click()
    page.locator("#prepare").wait_for(state="hidden")
    code = table.ask("GET", "state")["context"]["code"]
    plain = [(number, "base", 2) for number in range(2, int(code[0]) + 1)]
    table.throw((1, "gear", 6), *plain)
    wait_state(page, "scored")
    assert page.locator(".mark.kind-reroll").get_attribute("data-mark-id") == "1"
    for turn, value in enumerate((6, 4), 1):
        table.throw(*plain, still=tuple(number for number, *_ in plain))
        table.throw((1, "gear", value), *plain, still=tuple(number for number, *_ in plain))
        page.locator(f"[data-die-id='1'][data-earlier='{turn}']").wait_for()
    total = 6 + 6 + 4 + 2 * len(plain) + int(code.partition("+")[2] or 0)
    assert table.ask("GET", "state")["outcome"]["total"] == total
    page.wait_for_function("total => document.querySelector('#successes').textContent === total", arg=str(total))
    carried_and_taken_back(page, api, sheet, {("luck", "luck"): -1})
