"""What is next to the dice in a real browser: clocks, questions, rulings and roles, files of sheets."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page

from device.texts.catalogue import translate
from tests.web.playing import counters, lie, pick, state_of, take, tile, wait_state
from tests.web.resting import Table

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_a_clock_is_ticked_and_the_tick_taken_back(page: Page, api: httpx.Client, begin: Callable[..., int]) -> None:
    begin("highest-die", "Flo")
    page.locator("#table-button").click()
    page.locator("#table-panel [data-tab=asks]").wait_for()
    assert not page.locator("#table-panel [data-tab=series]").is_visible(), "these rules have no tests"
    page.locator("#table-panel [data-tab=clocks]").click()
    page.get_by_label(translate("page.clock.name")).fill("Alarm")
    page.get_by_label("Segments").get_by_role("button", name="6").click()
    page.get_by_test_id("add-clock").click()
    clock = page.get_by_test_id("clock")
    for filled in (1, 2):
        page.get_by_role(
            "button", name=translate("page.clock.tick", name="Alarm", filled=filled - 1, segments=6)
        ).click()
        page.locator(f"[data-testid=clock][data-filled='{filled}']").wait_for()
        full = "filled => document.querySelectorAll('[data-testid=clock] .segment.full').length === filled"
        page.wait_for_function(full, arg=filled)
    page.get_by_test_id("undo-clock").click()
    page.locator("[data-testid=clock][data-filled='1']").wait_for()
    assert [one["filled"] for one in api.get("/api/clocks").json()["clocks"]] == [1]
    page.reload()
    page.locator("#table-button").click()
    page.locator("[data-testid=clock][data-filled='1']").wait_for()
    page.get_by_role("button", name=translate("page.clock.away", name="Alarm")).click()
    clock.wait_for(state="detached")


def test_long_names_stay_inside_a_phone(page: Page, table: Table, api: httpx.Client, begin: Callable[..., int]) -> None:
    begin("highest-die", "Fisher" * 9)
    clock = api.post("/api/clocks", json={"name": "Watchtower" * 5, "segments": 6}).json()["clocks"][0]
    wide = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    page.locator("#table-button").click()
    page.locator("#table-panel [data-tab=clocks]").click()
    page.get_by_test_id("clock").wait_for()
    window = page.locator("#table-panel .panel-body")
    assert window.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    page.goto(f"{table.url}/sheets")
    page.locator(".key[data-sheet] small").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    api.delete(f"/api/clocks/{clock['id']}")
    assert wide is not None
    page.set_viewport_size(wide)


def ask_what_a_consequence_does(page: Page) -> None:
    """Ask the rules, on the table's page, for the effect of a wound of one consequence."""
    page.locator("#table-button").click()
    page.locator("[data-tab=asks]").click()
    page.locator("[data-ask=damage]").click()
    form = page.locator("#table-panel [data-form=damage]")
    form.get_by_role("button", name=translate("page.step.more", what="Consequence")).click()
    form.get_by_test_id("ask").click()


def test_what_the_rules_are_asked_goes_to_the_sheet(page: Page, api: httpx.Client, begin: Callable[..., int]) -> None:
    sheet = begin("highest-die", "Gil")
    ask_what_a_consequence_does(page)
    page.get_by_test_id("ask-carry").click()
    page.get_by_test_id("ask-carry").wait_for(state="detached")
    assert counters(api, sheet)["hp", "HP"] == 1
    # It is undone where it was applied, and may be applied again.
    page.get_by_test_id("ask-undo").click()
    page.get_by_test_id("ask-carry").wait_for()
    assert counters(api, sheet)["hp", "HP"] == 3


def test_what_was_carried_is_taken_back_though_the_list_of_sheets_is_late(
    page: Page, api: httpx.Client, begin: Callable[..., int]
) -> None:
    sheet = begin("highest-die", "Ilse")
    ask_what_a_consequence_does(page)
    carry = page.get_by_test_id("ask-carry")
    carry.wait_for()
    page.route("**/api/sheets", lambda route: None)
    carry.click()
    page.get_by_test_id("ask-undo").click()
    carry.wait_for()
    assert counters(api, sheet)["hp", "HP"] == 3
    page.unroute("**/api/sheets")


def test_a_ruling_and_a_role_are_kept_until_they_go_back(page: Page, table: Table, api: httpx.Client) -> None:
    page.goto(f"{table.url}/rulings")
    page.locator("[data-system=push-pool]").click()
    ruling = page.locator("[data-ruling=skill_ones_locked]")
    ruling.get_by_role("button", name="Yes").click()
    page.locator("[data-ruling=skill_ones_locked][data-value=true]").wait_for()
    gear = page.locator("[data-class=gear]")
    gear.get_by_role("button", name="Skill").click()
    page.locator("[data-class=gear][data-role=skill]").wait_for()
    page.reload()
    page.locator("[data-system=push-pool]").click()
    assert ruling.get_attribute("data-value") == "true"
    assert gear.get_attribute("data-role") == "skill"
    listed = {system["id"]: system for system in api.get("/api/rulings").json()["systems"]}
    assert [one["name"] for one in listed["push-pool"]["rulings"] if one["value"] != one["default"]] == [
        "skill_ones_locked"
    ]
    assert page.locator(".ruling[data-ruling]").count() == len(listed["push-pool"]["rulings"])
    page.get_by_role(
        "button",
        name=translate("page.ruling.back_what", what=translate("rules.push-pool.rulings.skill_ones_locked.title")),
    ).click()
    page.get_by_role("button", name=translate("page.ruling.back_what", what="Gear dice")).click()
    page.locator("[data-ruling=skill_ones_locked][data-chosen=false]").wait_for()
    page.locator("[data-class=gear][data-role=gear]").wait_for()


def test_grit_dice_are_requested_by_their_colour(page: Page, table: Table, begin: Callable[..., int]) -> None:
    page.goto(f"{table.url}/rulings")
    page.locator("[data-system=highest-die]").click()
    gear = page.locator("[data-class=gear]")
    gear.get_by_role("button", name="Grit").click()
    page.locator("[data-class=gear][data-role=grit]").wait_for()
    begin("highest-die", "Ida")
    assert page.locator("#steppers .step-label").all_text_contents() == ["Normal", "Grit"]

    page.locator("#prepare-button").click()
    pick(page, "attribute", "Strength")
    more = translate("page.step.more", what=translate("rules.highest-die.tiles.own_dice"))
    tile(page, "own_dice").get_by_role("button", name=more).click()
    take(page, "Take 1 normal, 1 grit.")
    state = lie(page, table, ("base", 4), ("gear", 2))
    assert {die["role"]: die["colour"] for die in state["dice"]} == {"plain": "base", "grit": "gear"}
    page.get_by_test_id("reset-button").click()
    wait_state(page, "empty")
    page.goto(f"{table.url}/rulings")
    page.locator("[data-system=highest-die]").click()
    page.get_by_role("button", name=translate("page.ruling.back_what", what="Gear dice")).click()
    page.locator("[data-class=gear][data-role=plain]").wait_for()


def test_the_rules_say_which_facts_are_set_by_hand(page: Page, api: httpx.Client, begin: Callable[..., int]) -> None:
    begin("push-pool", "Jo")
    page.locator("[data-fact=attribute_name]").select_option("AGL")
    # The wanted value appears at once; only the response shows that the tray has it.
    with page.expect_response(lambda response: "gear_bonus" in (response.request.post_data or "")) as answered:
        page.get_by_role("button", name=translate("page.step.more", what="Gear bonus")).click()
    answered.value.finished()
    page.locator("#facts [aria-label='Gear bonus'] output").get_by_text("1", exact=True).wait_for()
    assert state_of(api)["context"] == {"attribute_name": "AGL", "gear_bonus": 1}
    begin("hits-pool", "Jo")
    page.wait_for_function("() => document.querySelector('#facts').hidden")


def test_a_sheet_goes_out_and_in_as_a_file_and_is_a_deleted_one_comes_back(
    page: Page, table: Table, api: httpx.Client, begin: Callable[..., int]
) -> None:
    sheet = begin("push-pool", "Hal", counters=[{"kind": "skill", "name": "Lore", "now": 3}])
    page.goto(f"{table.url}/sheets")
    page.locator(f"[data-sheet-id='{sheet}']").wait_for()
    with page.expect_download() as download:
        page.get_by_test_id("export").click()
    path = download.value.path()
    page.get_by_label(translate("page.sheets.bring_in")).set_input_files(path)
    page.wait_for_function(
        "sheet => document.querySelector('[data-sheet-id]').dataset.sheetId !== sheet", arg=str(sheet)
    )
    copied = int(page.get_by_test_id("sheet").get_attribute("data-sheet-id") or "")
    assert counters(api, copied) == counters(api, sheet)

    # A file of another version changes nothing, and is reported.
    listed = len(api.get("/api/sheets").json()["sheets"])
    other = path.read_text().replace("pushtray-sheet/1", "pushtray-sheet/9")
    page.get_by_label(translate("page.sheets.bring_in")).set_input_files(
        {"name": "other.json", "mimeType": "application/json", "buffer": other.encode()}
    )
    page.locator("#toast").wait_for()
    assert "pushtray-sheet" in (page.locator("#toast").text_content() or "")
    assert len(api.get("/api/sheets").json()["sheets"]) == listed

    page.get_by_test_id("edit-sheet").click()
    page.get_by_test_id("delete-sheet").click()
    page.locator(f"[data-sheet='{copied}']").wait_for(state="detached")
    assert len(api.get("/api/sheets").json()["sheets"]) == listed - 1
    page.get_by_test_id("undo-button").click()
    page.locator(f"[data-sheet='{copied}']").wait_for()
    assert counters(api, copied) == counters(api, sheet)
