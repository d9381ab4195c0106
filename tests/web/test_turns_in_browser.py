"""Turns on two phones and the display on the table, in real browsers over one whole tray."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from device.texts.catalogue import ENGLISH, languages, translate
from tests.web.accessible import trips
from tests.web.layout import layout_of
from tests.web.playing import fill_request
from tests.web.resting import Table, has_headline, shows
from tests.web.sampling import sample
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

Screen = Callable[..., Page]
PHONE, PANEL = (390, 844), (800, 480)
SIZES = [PANEL, (1280, 800), (1920, 1080), PHONE]


@pytest.fixture
def screen(windows: Windows, table: Table) -> Screen:
    """A page in a separate browser, as on a separate device."""

    def opened(path: str, size: tuple[int, int], language: str = ENGLISH) -> Page:
        page = windows.lend(size)
        page.goto(table.url + path if language == ENGLISH else f"{table.url}{path}?lang={language}")
        shows(page, "empty")
        return page

    return opened


def reads(page: Page, test_id: str, text: str) -> None:
    page.get_by_test_id(test_id).filter(has_text=text).wait_for()


def ask(page: Page, owner: str | None, label: str, **dice: int) -> None:
    """Request a roll in the window of a phone."""
    page.get_by_test_id("ask-button").click()
    if owner is not None:
        page.get_by_test_id("ask-owner").fill(owner)
    fill_request(page, label, dice)


def taken(page: Page) -> list[str]:
    return [" ".join(text.split()) for text in page.locator(".turn [data-testid=taken]").all_inner_texts()]


def test_two_players_ask_on_their_phones_and_roll_one_after_the_other(screen: Screen, table: Table) -> None:
    ann, zo, display = screen("/phone", PHONE), screen("/phone", PHONE), screen("/", PANEL)
    overlay = screen("/overlay", (1280, 800))
    assert display.get_by_test_id("turn-strip").is_hidden()
    reads(ann, "turn-owner", translate("page.turn.nobody"))
    ask(ann, "Ann", "Strength + Fight", base=2, skill=1)
    ask(zo, "Zo", "Notice", gear=1)
    has_headline(display, "Ann: Strength + Fight")
    reads(display, "next-turn", "Next: Zo")
    assert taken(display) == ["2 yellow base", "1 green skill"]
    reads(ann, "turn-owner", "Your turn, Ann: Strength + Fight")
    has_headline(zo, "Ann: Strength + Fight")
    reads(zo, "next-turn", translate("page.turn.you_next"))

    table.throw((1, "base", 6), (2, "base", 2), (3, "skill", 3))
    shows(display, "scored")
    assert taken(display) == []
    overlay.locator("#headline").filter(has_text="Ann: Success").wait_for()
    reads(display, "history-row", "Ann · Rolled")
    display.get_by_test_id("reset-button").click()
    reads(zo, "turn-owner", "Your turn, Zo: Notice")
    zo.locator(".turn [data-role=gear]").wait_for()
    assert taken(zo) == ["1 black gear"]
    has_headline(ann, "Zo: Notice")
    display.get_by_test_id("next-turn").wait_for(state="detached")

    table.throw((5, "gear", 1))
    shows(display, "scored")
    reads(display, "history-row", "Zo · Rolled")
    display.get_by_test_id("reset-button").click()
    reads(zo, "turn-owner", translate("page.turn.nobody"))
    display.get_by_test_id("turn-strip").wait_for(state="hidden")
    assert table.ask("GET", "state")["pool"] is None
    rows = table.ask("GET", "rolls")["rolls"]
    assert [(row["owner"], row["label"]) for row in rows] == [("Zo", "Notice"), ("Ann", "Strength + Fight")]


def test_a_phone_knows_its_player_again_and_asks_for_others_too(screen: Screen, table: Table) -> None:
    phone = screen("/phone", PHONE)
    ask(phone, "Ann", "Strength", base=1)
    ask(phone, "Zo", "Notice")
    phone.reload()
    reads(phone, "turn-owner", "Your turn, Ann: Strength")
    phone.get_by_test_id("ask-button").click()
    assert phone.get_by_test_id("ask-owner").input_value() == "Ann"
    mine = phone.get_by_test_id("ask-mine")
    assert mine.get_attribute("aria-pressed") == "true"
    phone.get_by_test_id("ask-owner").fill("Zo")
    assert mine.get_attribute("aria-pressed") == "false"
    mine.click()
    reads(phone, "next-turn", translate("page.turn.you_next"))
    phone.get_by_role("button", name=translate("page.turn.drop_one", roll="Zo: Notice")).click()
    phone.get_by_test_id("next-turn").wait_for(state="detached")
    phone.get_by_role("button", name=translate("page.turn.drop_one", roll="Ann: Strength")).click()
    phone.locator(".waiting ol").wait_for(state="detached")
    assert table.ask("GET", "state")["asked"] is None


def test_a_roll_prepared_from_tiles_on_a_phone_is_its_players(screen: Screen, table: Table) -> None:
    phone = screen("/phone", PHONE)
    phone.get_by_test_id("ask-button").click()
    phone.get_by_test_id("ask-owner").fill("Ann")
    phone.get_by_test_id("ask-mine").click()
    phone.locator("#ask-roll .panel-close").click()
    table.ask("POST", "asked", {"owner": "Zo", "label": "Notice"})
    has_headline(phone, "Zo: Notice")
    phone.locator("#prepare-button").click()
    for _ in range(3):
        phone.locator("[data-tile=attribute]").get_by_text("+", exact=True).click()
    phone.get_by_test_id("declare").click()
    reads(phone, "turn-owner", "Your turn, Ann")
    reads(phone, "next-turn", "Next: Zo")


def test_at_the_table_a_player_is_asked_next_to_the_tiles_with_the_keyboard_alone(screen: Screen, table: Table) -> None:
    display = screen("/", (1280, 800))
    display.keyboard.press("o")
    display.get_by_test_id("ask-player").focus()
    display.keyboard.press("Enter")
    display.get_by_test_id("ask-owner").focus()
    display.keyboard.type("Ann")
    assert display.get_by_test_id("ask-mine").count() == 0, "the display on the table has no owner"
    display.keyboard.press("Tab")
    display.keyboard.type("Wits")
    display.locator("#ask-roll [data-role=base] .step").last.focus()
    display.keyboard.press("Enter")
    display.keyboard.press("Space")
    display.get_by_test_id("ask-go").focus()
    display.keyboard.press("Enter")
    has_headline(display, "Ann: Wits")
    assert taken(display) == ["2 yellow base"]


def wrong_in(page: Page, language: str, turn: int) -> dict[str, list[str]]:
    """Return what is wrong in two sizes, others with each turn; the window is left in the last one.

    Axe checks English only: other languages have the same elements under the same names.
    """
    found = {}
    for width, height in sample(SIZES, turn, 2):
        page.set_viewport_size({"width": width, "height": height})
        seen = layout_of(page)
        found[f"{width}x{height}"] = [*seen.spilt, *seen.overlaps, *(trips(page) if language == ENGLISH else [])]
    return {size: reported for size, reported in found.items() if reported}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("path", ["/", "/phone"])
def test_nothing_sticks_out_or_trips_anybody_up(screen: Screen, table: Table, path: str, language: str) -> None:
    page = screen(path, PHONE, language)
    found = {"no turn": wrong_in(page, language, 0)}
    long = {"owner": "Bartholomew of the Long Marsh, the Elder", "label": "Strength + Fight, with the longest spear"}
    long |= {"thrower": "Maximiliane"}
    table.ask("POST", "asked", {**long, "dice": {"base": 6, "skill": 2, "gear": 2}, "aim": {"difficulty": 1}})
    page.locator(".turn [data-testid=taken]").first.wait_for()
    found["a turn"] = wrong_in(page, language, len(found))
    for _ in range(2):
        table.ask("POST", "asked", {**long, "dice": {"base": 5, "negative": 2}})
    page.get_by_test_id("next-turn").wait_for()
    found["others wait"] = wrong_in(page, language, len(found))
    page.locator("#prepare-button").click()
    page.get_by_test_id("ask-player").click()
    page.locator("#ask-roll [data-role=base] .step").last.click()
    page.locator("#ask-roll .panel-foot [data-testid=taken]").wait_for()
    found["asking"] = wrong_in(page, language, len(found))
    page.locator("#ask-roll .panel-close").click()
    dice = [(number, "base" if number < 7 else "skill" if number < 10 else "gear", 6) for number in range(1, 12)]
    table.throw(*dice[:-1])
    shows(page, "unclear")
    found["a die is missing"] = wrong_in(page, language, len(found))
    table.throw(*dice)
    shows(page, "scored")
    found["scored"] = wrong_in(page, language, len(found))
    assert {name: reported for name, reported in found.items() if reported} == {}
