"""The archive's pages in a real browser: empty and full, small and large, in both languages."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from device.runtime.source import CameraSetup
from device.storage.log_file import FILE_NAME
from device.texts.catalogue import translate
from tests.conftest import BlindWatch, StillCamera
from tests.web.accessible import trips
from tests.web.resting import Table

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

SIZES = [(800, 480), (390, 844)]
PLAYERS = ["Mira", "Ann", "Zo"]
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    one = Table(tmp_path_factory.mktemp("data"), CameraSetup(StillCamera(), watch=BlindWatch()))
    yield one
    one.app.stop()


def roll(table: Table, turn: int) -> None:
    """Play one roll of the next player's, pushed every second time."""
    table.ask("POST", "asked", {"owner": PLAYERS[turn % 3], "label": "Strength + Fight"})
    base = 10 * turn
    table.throw((base + 1, "base", 1 + turn % 6), (base + 2, "skill", 1 + (turn + 2) % 5), (base + 3, "gear", 3))
    # The loop answers requests after earlier posted events.
    state = table.ask("PATCH", "context", {"facts": {}})
    if state["push"]["eligible"] and turn % 2:
        again = state["push"]["must_reroll"]
        stays = tuple(die["id"] for die in state["dice"] if die["id"] not in again)
        table.ask("POST", "push")
        values = {die["id"]: (die["colour"], die["value"]) for die in state["dice"]}
        table.throw(*((number, *values[number]) for number in stays), still=stays)
        table.throw(*((number, colour, 6) for number, (colour, _) in values.items()), still=stays)
    table.ask("POST", "reset")


def contest(table: Table) -> None:
    """Play two linked rolls, the second by another player."""
    sides = [{"owner": "Ann"}, {"owner": "Mira", "thrower": "Zo"}]
    aim = {"difficulty": -1}
    table.ask("POST", "asked/together", {"kind": "opposed", "rolls": sides, "label": "Arm wrestling", "aim": aim})
    for number, value in ((51, 6), (61, 2)):
        table.throw((number, "base", value))
        table.ask("POST", "reset")
        table.throw()


def look(page: Page, url: str, path: str, ready: str, language: str = "en") -> None:
    """Open a page and check that it is no wider than its window and clean by axe-core."""
    page.goto(f"{url}{path}{'&' if '?' in path else '?'}lang={language}")
    page.locator(ready).first.wait_for()
    for size in SIZES:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate("() => new Promise(requestAnimationFrame)")
        assert page.evaluate(WIDE) == 0, (path, size)
        assert trips(page) == [], (path, size)


def test_an_evening_that_is_looked_back_on(chromium: Browser, table: Table, tmp_path: Path) -> None:
    context = chromium.new_context(reduced_motion="reduce", accept_downloads=True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    for path in ("/history", "/statistics"):
        look(page, table.url, path, "[data-testid=no-rolls]")

    for turn in range(4):
        roll(table, turn)
    contest(table)
    look(page, table.url, "/statistics", ".verdict", "de")
    page.locator(".verdict", has_text="Würfel geworfen: zu wenig, um etwas zu sagen").first.wait_for()
    page.locator(".verdict", has_text="-mal gepusht").first.wait_for()
    assert page.locator(".verdict", has_text="Zu wenige").count() == 3, "no one is lucky or unlucky after a few rolls"
    assert page.locator(".plot, table").evaluate_all("all => all.filter(one => one.checkVisibility()).length") == 1
    page.locator(".more").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert trips(page) == []
    assert page.get_by_test_id("contests").all_inner_texts() == ["Ann\t1\t1\t0\t0", "Mira\t1\t0\t0\t1"]
    plots = page.locator("[data-testid=faces]").count() + 2
    page.wait_for_function("plots => document.querySelectorAll('.plot canvas').length === plots", arg=plots)
    look(page, table.url, "/story", ".rolls")
    assert page.locator("script").count() == 0
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    page.emulate_media(media="screen")

    look(page, table.url, "/history", "[data-testid=roll-summary]")
    newest = page.get_by_test_id("roll-summary").first
    assert newest.get_by_test_id("compared").inner_text() == "Ann beats Mira, 1 to 0."
    assert "Zo for Mira: Arm wrestling Harder: \N{MINUS SIGN}1 die" in newest.get_by_role("heading").inner_text()
    assert page.get_by_test_id("count").inner_text() == "6 rolls"
    assert newest.evaluate("node => node.getBoundingClientRect().y") < 300, "rolls come first"
    assert not page.get_by_test_id("backup").is_visible()
    page.locator("summary").first.click()
    assert trips(page) == []
    page.locator("select[name=player]").select_option("Mira")
    page.get_by_test_id("find").click()
    page.get_by_text("3 rolls of 6").wait_for()
    page.get_by_test_id("clear").click()
    page.get_by_text("6 rolls", exact=True).wait_for()

    with page.expect_response("**/api/evenings/end"):
        page.get_by_test_id("end-evening").click()
    page.get_by_role("button", name="Undo: Evening ended").click()
    changes = page.get_by_test_id("changes")
    changes.get_by_text(translate("page.history.undone"), exact=True).wait_for(state="attached")
    changes.locator("summary").click()
    assert "Evening ended" in changes.locator("li").first.inner_text()
    with page.expect_response("**/api/evenings/end"):
        page.get_by_test_id("end-evening").click()
    roll(table, 6)
    page.wait_for_function("() => document.querySelectorAll('[data-testid=evening] option').length === 3")
    page.get_by_test_id("evening").select_option("1")
    page.get_by_test_id("evening-name").fill("The old mill")
    page.get_by_test_id("keep-name").click()
    page.locator("option", has_text="The old mill").wait_for(state="attached")

    with page.expect_download() as download:
        page.get_by_test_id("backup").click()
    copy = tmp_path / "copy.sqlite3"
    download.value.save_as(copy)
    page.get_by_test_id("evening").select_option("")
    page.get_by_test_id("roll-summary").first.get_by_role("button").last.click()
    page.get_by_text("6 rolls", exact=True).wait_for()
    page.get_by_test_id("undo-button").click()
    page.get_by_text("7 rolls", exact=True).wait_for()
    page.get_by_test_id("roll-summary").first.get_by_role("button").last.click()
    page.get_by_text("6 rolls", exact=True).wait_for()

    page.get_by_test_id("restore").set_input_files({"name": "x.sqlite3", "mimeType": "", "buffer": b"no log"})
    refused = translate("memory.refused.bad_copy", why="it is not a roll log").removesuffix(".")
    page.locator("#toast", has_text=refused).wait_for()
    wrong.clear()
    page.get_by_test_id("restore").set_input_files(copy)
    page.get_by_test_id("confirm").click()
    page.get_by_text("7 rolls", exact=True).wait_for()
    page.locator("#toast", has_text="history.sqlite3.old").wait_for()
    assert wrong == []
    context.close()


def test_a_name_that_is_being_typed_stays_while_rolls_come_in(tmp_path: Path, chromium: Browser) -> None:
    table = Table(tmp_path, CameraSetup(StillCamera(), watch=BlindWatch()))
    try:
        roll(table, 0)
        page = chromium.new_page()
        page.goto(f"{table.url}/history")
        page.get_by_test_id("tools").locator("summary").first.click()
        page.get_by_test_id("evening").select_option("1")
        name = page.get_by_test_id("evening-name")
        name.fill("The old mill")
        roll(table, 1)
        page.get_by_text("2 rolls", exact=True).wait_for()
        assert name.input_value() == "The old mill"
        page.get_by_test_id("evening").select_option("")
        name.wait_for(state="detached")
        page.get_by_test_id("evening").select_option("1")
        page.wait_for_function("() => document.querySelector('[data-testid=evening-name]')?.value === ''")
        page.close()
    finally:
        table.app.stop()


def test_rows_that_are_left_out_are_counted(tmp_path: Path, chromium: Browser) -> None:
    table = Table(tmp_path, CameraSetup(StillCamera(), watch=BlindWatch()))
    try:
        for turn in range(3):
            roll(table, turn)
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database, database:
            database.execute("UPDATE rolls SET dice = 'x' WHERE id = 2")
        page = chromium.new_page()
        page.goto(f"{table.app.url}history")
        assert page.get_by_test_id("left-out").inner_text() == translate("page.history.left_out", count=1)
        page.close()
    finally:
        table.app.stop()
