"""A game master's requests, in real browsers of display and phone: targets, a hidden roll, two sides, step dice."""

from typing import Any

import pytest
from playwright.sync_api import Page

from device.texts.catalogue import translate
from tests.web.accessible import trips
from tests.web.layout import layout_of
from tests.web.resting import Table, has_headline, shows
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def screens(windows: Windows, table: Table) -> tuple[Page, Page]:
    """The display on its 7-inch panel, and a phone."""
    display, phone = windows.lend((800, 480)), windows.lend((390, 844))
    for page, path in ((display, "/"), (phone, "/phone")):
        page.set_default_timeout(60_000)
        page.goto(table.url + path)
        shows(page, "empty")
    return display, phone


def wrong_in(page: Any) -> list[str]:
    seen = layout_of(page)
    return [*seen.spilt, *seen.overlaps, *trips(page)]


def reads(page: Any, test_id: str, text: str) -> None:
    page.get_by_test_id(test_id).filter(has_text=text).first.wait_for()


def test_a_game_master_asks_hides_shows_and_compares(screens: tuple[Any, Any], table: Table) -> None:
    display, phone = screens
    found = {}
    table.ask("PUT", "system", {"system": "hits-pool"})
    phone.get_by_test_id("ask-button").click()
    phone.get_by_test_id("ask-owner").fill("Ann")
    phone.get_by_test_id("ask-label").fill("Stealth")
    phone.locator("#ask-roll [data-role=plain] .step").last.click()
    phone.get_by_test_id("ask-more").locator("summary").click()
    for _ in range(2):
        phone.locator("#ask-roll [data-tile=threshold] .step:not(.leap)").last.click()
    phone.locator("#ask-roll [data-value='\"opposed\"']").click()
    phone.get_by_test_id("ask-others").fill("Guard")
    phone.locator("#ask-roll [data-value='\"others\"']").click()
    found["asking"] = wrong_in(phone)
    phone.get_by_test_id("ask-go").click()

    has_headline(display, "Ann: Stealth")
    reads(display, "turn-aim", "Threshold 1")
    reads(display, "turn-sides", "Ann rolls · Guard")
    table.throw((1, "base", 6))
    shows(display, "scored")
    reads(display, "consequences", "Threshold 1: Just made it.")
    found["measured"] = [*wrong_in(display), *wrong_in(phone)]
    table.ask("POST", "reset")
    has_headline(display, "Guard: Stealth")
    table.throw((4, "base", 2))
    shows(display, "scored")
    display.locator("#no-picture").filter(has_text=translate("page.table.covered")).wait_for()
    assert display.locator("#headline").text_content() == "Hidden roll"
    assert display.locator("#number").is_hidden()
    assert display.get_by_test_id("die").count() == 0
    assert display.locator("#lead").text_content() == "Show the result, or take the dice out."
    reads(display, "turn-sides", "Ann 1 · Guard ?")
    found["hidden"] = [*wrong_in(display), *wrong_in(phone)]
    display.get_by_test_id("show-hidden").click()
    display.locator("#headline", has_text="Ann beats Guard, 1 to 0").wait_for()
    phone.locator("#headline", has_text="Ann beats Guard, 1 to 0").wait_for()
    assert display.locator("#successes").text_content() == "0"
    found["compared"] = [*wrong_in(display), *wrong_in(phone)]

    table.ask("PUT", "system", {"system": "step-dice"})
    table.ask("POST", "reset")
    table.throw()
    shows(display, "empty")
    table.ask("POST", "asked", {"owner": "Ann", "dice": {"base": 1}, "levels": {"C": 1}})
    table.throw((9, "base", 3))
    shows(display, "unclear")
    assert display.locator("#lead").text_content() == translate("tray.next.tap_in", dice="d8", count=1)
    assert display.locator("body").get_attribute("data-waiting") == "true"
    assert display.get_by_test_id("problem").count() == 0
    found["a d8 to type"] = [*wrong_in(display), *wrong_in(phone)]
    assert {name: reported for name, reported in found.items() if reported} == {}


def test_a_skill_is_tapped_on_ones_sheet_and_requested_of_others(screens: tuple[Any, Any], table: Table) -> None:
    display, phone = screens
    sheets = {}
    for title, fight in (("Bo", 2), ("Kim", 1)):
        sheets[title] = table.ask("POST", "sheets", {"title": title, "system": "push-pool"})["id"]
        skills = [{"kind": "skill", "name": "Fight", "now": fight}]
        table.ask("PATCH", f"sheets/{sheets[title]}", {"counters": skills})
    # One tap: the skill.
    display.goto(f"{table.url}/sheets")
    display.locator("[data-sheet]", has_text="Bo").click()
    display.locator("[data-roll=Fight]").click()
    has_headline(display, "Strength + Fight")
    taken = display.locator("[data-testid=taken][data-role=skill]")
    assert taken.get_attribute("data-count") == "2"
    base = int(display.locator("[data-testid=taken][data-role=base]").get_attribute("data-count"))
    dice = [*((1 + n, "base", 6) for n in range(base)), (21, "skill", 2), (22, "skill", 3)]
    table.throw(*dice)
    shows(display, "scored")
    assert table.ask("GET", "rolls?limit=1")["rolls"][0]["label"] == "Strength + Fight"
    table.ask("POST", "reset")
    table.throw()

    # The game master requests Fight from Bo, against Kim: both hands come from their sheets.
    phone.goto(f"{table.url}/gm")
    phone.locator("[data-sheet]", has_text="Bo").click()
    phone.locator("[data-roll=Fight]").click()
    phone.locator("#ask-roll [data-testid=taken][data-role=skill][data-count='2']").wait_for()
    assert phone.get_by_test_id("ask-owner").input_value() == "Bo"
    phone.get_by_test_id("ask-more").locator("summary").click()
    phone.locator("#ask-roll [data-value='\"opposed\"']").click()
    phone.get_by_test_id("ask-others").fill("Kim")
    against = phone.get_by_role("group", name=translate("page.turn.dice_against"))
    phone.get_by_test_id("ask-skill").filter(has_text="Fight").last.click()
    against.locator("[data-role=skill] output", has_text="1").wait_for()
    assert wrong_in(phone) == []
    phone.get_by_test_id("ask-go").click()
    has_headline(display, "Bo: Strength + Fight")
    state = table.ask("GET", "state")
    assert (state["prepared"]["sheet"], state["context"]["attribute_name"]) == (sheets["Bo"], "STR")
    waiting = state["asked_next"]
    assert [(one["owner"], [(d["role"], d["count"]) for d in one["take"]]) for one in waiting] == [
        ("Kim", [("base", base), ("skill", 1)])
    ]


def test_whose_roll_it_was_is_changed_in_two_taps_and_its_cost_with_it(screens: tuple[Any, Any], table: Table) -> None:
    display, phone = screens
    for title in ("Ann", "Bo"):
        table.ask("POST", "sheets", {"title": title, "system": "push-pool"})

    def strength() -> list[int]:
        return [table.ask("GET", f"sheets/{sheet}")["counters"][0]["now"] for sheet in (1, 2)]

    def rolled(*, is_requested: bool) -> None:
        if is_requested:
            body = {"owner": "Ann", "label": "Lift", "tiles": {"attribute": "STR"}, "sheet": 1}
            table.ask("POST", "asked", body)
        else:
            table.ask("PATCH", "context", {"facts": {"attribute_name": "STR", "attribute": 3}})
        table.throw((1, "base", 3), (2, "base", 4), (3, "base", 2))
        shows(display, "scored")
        table.ask("POST", "push")
        table.throw((1, "base", 1), (2, "base", 3), (3, "base", 4))
        shows(display, "resolved")

    rolled(is_requested=True)
    display.get_by_test_id("carry").filter(has_text=translate("page.carry.to", sheet="Ann")).click()
    display.locator("[data-testid=carry-strip][data-carried=true]").wait_for()
    assert (strength(), wrong_in(display), wrong_in(phone)) == ([2, 3], [], [])
    display.route("**/api/players?*", lambda route: route.abort())
    display.get_by_test_id("whose-button").click()
    display.get_by_test_id("names-again").wait_for()
    display.unroute("**/api/players?*")
    display.get_by_test_id("names-again").click()
    display.get_by_test_id("whose").first.wait_for()
    assert wrong_in(display) == []
    display.get_by_test_id("whose").filter(has_text="Bo").click()
    reads(display, "turn-owner", "Bo: Lift")
    assert strength() == [3, 2]
    display.get_by_test_id("undo-button").click()
    reads(display, "turn-owner", "Ann: Lift")
    assert strength() == [2, 3]

    table.ask("POST", "reset")
    table.throw()
    rolled(is_requested=False)
    strip = phone.get_by_test_id("carry-strip")
    strip.get_by_test_id("carry").nth(1).wait_for()
    assert strip.locator(".go").count() == 0, "no sheet is suggested"
    assert (wrong_in(display), wrong_in(phone)) == ([], [])
    strip.get_by_test_id("carry").filter(has_text="Bo").click()
    phone.locator("[data-testid=carry-strip][data-carried=true]").wait_for()
    assert (strength(), table.ask("GET", "state")["asked"]["owner"]) == ([2, 2], "Bo")

    table.ask("POST", "reset")
    table.throw()
    rolled(is_requested=False)
    phone.get_by_test_id("carry-none").click()
    strip.wait_for(state="hidden")
    assert strength() == [2, 2]

    for page in (display, phone):
        page.goto(f"{table.url}/history")
        page.get_by_test_id("roll-summary").nth(2).wait_for()
    display.get_by_test_id("roll-summary").last.get_by_test_id("whose-button").click()
    display.get_by_test_id("whose").filter(has_text="Bo").click()
    display.get_by_test_id("roll-summary").last.get_by_text("Bo: Lift").wait_for()
    assert (strength(), wrong_in(display), wrong_in(phone)) == ([3, 1], [], [])
