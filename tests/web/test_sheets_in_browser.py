"""Sheets of every rule system in a real browser: from a blank one to a roll and its cost, tap by tap."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from device.texts.catalogue import translate
from rules.system import RuleSystem, systems
from tests.web.layout import layout_of
from tests.web.resting import Lying, Table, has_headline, shows
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

EVERY = pytest.mark.parametrize("system", systems(), ids=lambda system: system.id)
PANEL, PHONE = (800, 480), (390, 844)
MOST_TAPS = 10
PRICED: dict[str, dict[str, Any]] = {"highest-die": {"own_dice": 1}, "die-code": {"luck": True}}
"""What a roll costs where there is no push."""
CHECK = {"check": "forced_march", "hits": 0, "threshold": 3, "attempt": 1}
"""Where a roll costs nothing, what the rules are asked about it does."""


class Finger:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    def tap(self, target: Locator) -> None:
        target.click()
        self.taps += 1


def counters(table: Table, sheet: int) -> dict[str, int]:
    return {one["name"]: one["now"] for one in table.ask("GET", f"sheets/{sheet}")["counters"]}


def declared(table: Table, value: int) -> list[Lying]:
    """Return the declared dice, all with one value."""
    dice: list[Lying] = []
    for one in table.ask("GET", "state")["take"]:
        for _ in range(one["count"]):
            die = (len(dice) + 1, one["colour"] or "base", value)
            dice.append((*die, one["sides"]) if "sides" in one else die)
    return dice


def pay(table: Table, page: Page, system: RuleSystem, sheet: int) -> None:
    """Let the declared roll cost something, and tap what it costs."""
    tiles = table.ask("GET", "state")["prepared"]["tiles"]
    if system.id in PRICED:
        table.ask("POST", "prepare", {"tiles": {**tiles, **PRICED[system.id]}, "sheet": sheet})
    table.throw(*declared(table, 3))
    shows(page, "scored")
    if system.has_push:
        dice = table.ask("GET", "state")["dice"]
        table.ask("POST", "push")
        table.throw(*((die["id"], die["colour"], 1, die.get("sides") or 6) for die in dice))
        shows(page, "resolved")
    if system.has_push or system.id in PRICED:
        due = page.get_by_test_id("carry-strip")
        due.filter(has_text="→").filter(has_text="Ann").wait_for()
        page.get_by_test_id("carry").click()
        page.locator("[data-testid=carry-strip][data-carried=true]").wait_for()
    else:
        table.ask("POST", "ask", {"op": "check", "context": CHECK, "sheet": sheet, "carry": True})


@EVERY
def test_a_blank_sheet_rolls_after_ten_taps_and_pays(windows: Windows, table: Table, system: RuleSystem) -> None:
    table.ask("PUT", "system", {"system": system.id})
    other = table.ask("POST", "sheets", {"title": "Bo", "system": system.id})["id"]
    # Ann plays by other rules already, so her name is there to be tapped.
    table.ask("POST", "sheets", {"title": "Ann", "system": next(one.id for one in systems() if one is not system)})
    finger = Finger(windows.lend(PANEL))
    page: Any = finger.page
    page.goto(f"{table.url}/sheets")
    finger.tap(page.get_by_test_id("name").filter(has_text="Ann"))
    finger.tap(page.get_by_test_id("new-sheet"))
    page.locator("[data-testid=sheet][aria-label=Ann]").wait_for()
    attribute = page.locator("[data-kind=attribute]").first
    start = int(attribute.get_attribute("data-now"))
    for more in (1, 2):
        finger.tap(attribute.locator(".step").last)
        page.locator(f"[data-kind=attribute][data-now='{start + more}']").first.wait_for()
    assert not layout_of(page).spilt
    finger.tap(attribute.locator(".roll-key"))
    shows(page, "empty")
    assert finger.taps <= MOST_TAPS
    print(f"{system.id}: {finger.taps} taps")

    state = table.ask("GET", "state")
    sheet = state["prepared"]["sheet"]
    assert table.ask("GET", f"sheets/{sheet}")["title"] == "Ann"
    assert sum(one["count"] for one in state["take"]) > 0
    before = counters(table, sheet), counters(table, other)
    pay(table, page, system, sheet)
    assert counters(table, sheet) != before[0]
    assert counters(table, other) == before[1]


@EVERY
def test_a_ready_character_rolls_a_skill_or_an_attribute_at_once(
    windows: Windows, table: Table, system: RuleSystem
) -> None:
    table.ask("PUT", "system", {"system": system.id})
    page: Any = windows.lend(PHONE)
    page.goto(f"{table.url}/sheets")
    page.get_by_test_id("new-best").last.click()
    page.get_by_test_id("sheet").wait_for()
    assert not layout_of(page).spilt
    page.locator(".roll-key").last.click()
    shows(page, "empty")
    assert table.ask("GET", "state")["take"]


@EVERY
def test_a_stepper_goes_to_the_top_of_the_rules_and_full_values_are_their_own(
    windows: Windows, table: Table, system: RuleSystem
) -> None:
    table.ask("PUT", "system", {"system": system.id})
    sheet = table.ask("POST", "sheets", {"title": "Ann", "system": system.id})["id"]
    page: Any = windows.lend(PANEL)
    page.goto(f"{table.url}/sheets")
    attribute = page.locator("[data-kind=attribute]").first
    attribute.wait_for()
    if page.get_by_test_id("full-values").count():
        page.get_by_test_id("full-values").click()
    top = next(top for kind, top in system.tops.items() if kind.value == "attribute")
    name = attribute.get_attribute("data-counter")
    table.ask(
        "PATCH", f"sheets/{sheet}", {"counters": [{"kind": "attribute", "name": name, "now": top - 1, "most": top - 1}]}
    )
    page.locator(f"[data-kind=attribute][data-now='{top - 1}']").first.wait_for()
    attribute.locator(".step").last.click()
    page.locator(f"[data-kind=attribute][data-now='{top}']").first.wait_for()
    assert attribute.locator(".step").last.is_disabled()
    shown = attribute.locator(".step-value").text_content()
    assert shown == (system.scale[top] if system.scale else str(top))


def test_edit_has_names_and_order_alone(windows: Windows, table: Table) -> None:
    sheet = table.ask("POST", "sheets", {"title": "Ann", "system": "push-pool"})["id"]
    gear = [{"kind": "gear", "name": name, "now": 2, "most": 2} for name in ("axe", "rope")]
    table.ask("PATCH", f"sheets/{sheet}", {"add": gear})
    page: Any = windows.lend(PANEL)
    page.goto(f"{table.url}/sheets")
    page.get_by_test_id("edit-sheet").click()
    page.locator("[data-counter=rope] input").wait_for()
    assert page.locator("#sheet .step").count() == 0
    assert page.locator("[data-counter=STR] input").count() == 0, "costs find it by its name"
    page.get_by_role("button", name=translate("page.sheet.up", name="Rope")).click()
    page.locator("[data-counter=rope] + [data-counter=axe]").wait_for()
    page.locator("[data-counter=rope] input").fill("long rope")
    page.locator("[data-counter=rope] input").blur()
    page.locator("[data-counter='long rope']").wait_for()
    names = [one["name"] for one in table.ask("GET", f"sheets/{sheet}")["counters"] if one["kind"] == "gear"]
    assert names == ["long rope", "axe"]


def test_a_sheet_of_an_earlier_version_opens_and_rolls(windows: Windows, table: Table) -> None:
    """Earlier sheets have no skills of the rules, and attributes that people added."""
    table.ask("PUT", "system", {"system": "hits-pool"})
    own = {"kind": "attribute", "name": "Agility", "now": 6, "most": 6, "least": 0}
    table.ask(
        "POST",
        "sheets/import",
        {
            "format": "pushtray-sheet/1",
            "title": "Kay",
            "system": "hits-pool",
            "counters": [own],
            "marks": [],
            "history": [],
        },
    )
    page: Any = windows.lend(PANEL)
    page.goto(f"{table.url}/sheets")
    page.locator("[data-counter=Agility] .step").last.click()
    page.locator("[data-counter=Agility][data-now='7']").wait_for()
    page.locator("[data-counter=Agility] .roll-key").click()
    has_headline(page, "Agility")
    assert [one["count"] for one in table.ask("GET", "state")["take"]] == [7]


@EVERY
def test_a_game_master_asks_an_attribute_alone_in_three_taps(
    windows: Windows, table: Table, system: RuleSystem
) -> None:
    table.ask("PUT", "system", {"system": system.id})
    table.ask("POST", "sheets", {"title": "Ann", "system": system.id, "best": next(iter(system.best))})
    finger = Finger(windows.lend(PHONE))
    page: Any = finger.page
    page.goto(f"{table.url}/gm")
    page.locator(".roll-key").first.wait_for()
    finger.tap(page.locator(".roll-key").first)
    finger.tap(page.get_by_test_id("ask-go"))
    assert finger.taps <= 3
    page.get_by_test_id("now").filter(has_text="Ann").wait_for()
    attribute = next(one.name for one in system.sheet if one.kind.value == "attribute")
    tiles = table.ask("GET", "state")["prepared"]["tiles"]
    assert list(tiles.values()) == [attribute]


def test_a_skill_is_asked_with_its_attribute_or_alone(windows: Windows, table: Table) -> None:
    table.ask("POST", "sheets", {"title": "Ann", "system": "push-pool", "best": "STR"})
    page: Any = windows.lend(PHONE)
    page.goto(f"{table.url}/gm")
    page.locator("[data-roll=Fight]").click()
    page.locator("#ask-roll [data-testid=taken][data-role=base][data-count='5']").wait_for()
    page.get_by_test_id("ask-attribute").filter(has_text="Strength").first.click()
    page.locator("#ask-roll [data-testid=taken][data-role=base]").wait_for(state="detached")
    assert page.get_by_test_id("ask-label").input_value() == "Fight"
    page.get_by_test_id("ask-go").click()
    page.get_by_test_id("now").filter(has_text="Ann: Fight").wait_for()
    assert table.ask("GET", "state")["prepared"]["tiles"] == {"skill": "Fight"}
    # The next request begins without what was tapped for this one.
    page.get_by_test_id("ask-player").filter(has_text="Ann").click()
    page.get_by_test_id("ask-skill").filter(has_text="Fight").first.click()
    page.locator("#ask-roll .answer [data-testid=taken]").first.wait_for()


def test_dice_that_were_picked_for_a_group_are_each_members(windows: Windows, table: Table) -> None:
    for title in ("Ann", "Bo"):
        table.ask("POST", "sheets", {"title": title, "system": "push-pool"})
    page: Any = windows.lend(PHONE)
    page.goto(f"{table.url}/gm")
    page.get_by_test_id("ask-anybody").click()
    # Names are tapped, of each field its own.
    page.get_by_test_id("name").filter(has_text="Ann").first.click()
    page.locator("#ask-roll [data-role=base] .step").last.click()
    page.get_by_test_id("ask-more").locator("summary").click()
    page.locator("#ask-roll [data-value='\"group\"']").click()
    page.locator("#ask-roll .ways").get_by_test_id("name").filter(has_text="Bo").click()
    assert page.get_by_test_id("ask-others").input_value() == "Bo"
    page.get_by_test_id("ask-go").click()
    page.get_by_test_id("now").filter(has_text="Ann").wait_for()
    state = table.ask("GET", "state")
    assert [one["count"] for one in state["take"]] == [1]
    (waiting,) = state["asked_next"]
    assert (waiting["owner"], [one["count"] for one in waiting["take"]]) == ("Bo", [1])


def test_a_choice_that_the_rules_leave_is_a_button(windows: Windows, table: Table) -> None:
    for title in ("Ann", "Bo"):
        table.ask("POST", "sheets", {"title": title, "system": "push-pool"})
    page: Any = windows.lend(PANEL)
    page.goto(f"{table.url}/")
    table.throw((1, "base", 3), (2, "base", 4))
    shows(page, "scored")
    table.ask("POST", "push")
    table.throw((1, "base", 1), (2, "base", 5))
    shows(page, "resolved")
    page.get_by_test_id("carry").filter(has_text="Bo").click()
    page.get_by_test_id("carry").filter(has_text="Wits 3 → 2, Bo").click()
    page.locator("[data-testid=carry-strip][data-carried=true]").wait_for()
    assert (counters(table, 1)["WIT"], counters(table, 2)["WIT"], counters(table, 2)["STR"]) == (3, 2, 3)
    assert not layout_of(page).spilt


def test_a_kiosk_types_on_its_screen(windows: Windows, table: Table) -> None:
    page: Any = windows.lend(PANEL)
    page.goto(f"{table.url}/sheets?kiosk")
    page.get_by_label(translate("page.sheets.new_name")).click()
    keyboard = page.get_by_role("group", name=translate("page.keyboard.title"))
    for letter in ("K", "i", "m"):
        keyboard.get_by_role("button", name=letter, exact=True).click()
    assert page.get_by_label(translate("page.sheets.new_name")).input_value() == "Kim"
    keyboard.get_by_role("button", name=translate("page.keyboard.done")).click()
    keyboard.wait_for(state="detached")
    page.get_by_test_id("new-sheet").click()
    page.locator("[data-testid=sheet][aria-label=Kim]").wait_for()
