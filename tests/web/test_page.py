import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page

from device.game.lamps import LAMP_NAMES
from device.game.state.events import (
    DiceConfirmed,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    Event,
    PushPressed,
    ResetPressed,
    SystemChosen,
)
from device.runtime.loop import Answer
from device.texts.catalogue import translate
from device.web.app import WebServer
from device.web.core.rights import Identity
from device.web.core.server import bind_socket
from rules.facts import JsonValue
from rules.system import find_system
from tests.narrowing import english
from tests.web.conftest import FakeTray, scene, scenes
from tests.web.pages import PAGES
from tests.web.pressing import with_press
from tests.web.windows import Windows

pytestmark = pytest.mark.browser

PANEL = (800, 480)
SIZES = [(1280, 800), PANEL]
PLACES_OF_ODDS = """() => [...document.querySelectorAll(".odds-line")].map((line) => {
  line.scrollIntoView({ block: "nearest" });
  return [line.querySelector("dd"), document.querySelector("section.odds")].map((node) =>
    node.getBoundingClientRect().toJSON()
  );
})"""
"""The place of each line of odds, scrolled into view, and of its card."""
LOADED = "() => performance.getEntriesByType('resource').map(({ name }) => name)"
"""The addresses of a page's files and data."""
POOL: dict[str, JsonValue] = {"base": 5, "skill": 2, "gear": 1, "negative": 0}
THUMB_PX = 56
CROP_PX = 200
TIGHT_PX = 44
"""If a problem takes its room on the small panel a die is smaller, so that all of them stay visible."""
IN_HAND = ["empty", "scored", "awaiting_push", "wrong_push", "resolved"]
"""States in which hands reach for the buttons."""
TOOLS_IN = ["empty", "awaiting_push"]


@pytest.fixture
def open_page(windows: Windows, served: str) -> Iterator[Callable[..., Page]]:
    """Open a page; any error on its console, and any request that leaves this host, fails the test."""
    opened: list[Page] = []

    def look(path: str = "/", size: tuple[int, int] = SIZES[0], scheme: Literal["light", "dark"] = "dark") -> Page:
        page = windows.lend(size, scheme)
        opened.append(page)
        page.goto(served + path)
        return page

    yield look
    # A refusal by the tray, which the page shows, is not an error; and the fake tray knows no players.
    expected = re.compile(r"status of 409|status of 404 .*/api/players")
    assert [reported for reported in windows.complaints if not expected.search(reported)] == []
    # The browser resolves no other host; what is left is another server of this one.
    loaded = [url for page in opened if not page.is_closed() for url in page.evaluate(LOADED)]
    assert [url for url in loaded if is_foreign(url, served)] == []


@pytest.fixture
def see(open_page: Callable[..., Page], tray: FakeTray) -> Callable[..., Any]:
    """Open a page of a tray in a given state, and wait until it shows it."""

    def opened(body: dict[str, Any], path: str = "/", **more: Any) -> Any:
        tray.show(body)
        return shown(open_page(path, **more), body["state"])

    return opened


def turn(page: Page, size: tuple[int, int]) -> None:
    """Resize a page's window, and wait until its layout follows."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("() => new Promise(requestAnimationFrame)")


SCHEME = "getComputedStyle(document.documentElement).colorScheme"


def darken(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Set the system's scheme to light or dark, and wait until the page follows."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"scheme => {SCHEME} === scheme", arg=scheme)


def is_foreign(url: str, served: str) -> bool:
    return urlsplit(url).netloc not in {urlsplit(served).netloc, ""}


def shown(page: Page, state: str) -> Any:
    """Wait until the page shows a state."""
    page.wait_for_function("state => document.body?.dataset.state === state", arg=state)
    return page


def by_id(page: Page, name: str) -> Any:
    return page.get_by_test_id(name)


@pytest.mark.parametrize("name", [name for name in scenes() if name != "real_camera"])
def test_every_state_is_on_the_page_whole_and_still_under_thumbs_that_fit(see: Callable[..., Any], name: str) -> None:
    body = scene(name)
    page = see(body)
    all_is_there(page, body)
    nothing_blinks(page)
    if name in IN_HAND:
        buttons_fit_a_thumb(page, body, is_tight=name == "wrong_push")
    if name in TOOLS_IN:
        tools_stand_on_one_line(page)


def all_is_there(page: Page, body: dict[str, Any]) -> None:
    assert by_id(page, "state").text_content() == body["state"]
    dice = by_id(page, "die")
    reported = dice.evaluate_all(
        "nodes => nodes.map(n => [n.dataset.dieId, n.dataset.colour, n.dataset.value, n.dataset.locked])"
    )
    wanted = [
        [str(die["id"]), die["colour"] or "", str(die["value"] or ""), str(die["locked"]).lower()]
        for die in body["dice"]
    ]
    assert sorted(reported) == sorted(wanted)
    if body["outcome"] is None or body["problems"]:
        assert not by_id(page, "successes").is_visible()
    else:
        assert by_id(page, "successes").text_content() == str(body["outcome"]["successes"])
    assert by_id(page, "push-button").is_enabled() == body["push"]["eligible"]
    assert by_id(page, "problem").count() == len(body["problems"])


def nothing_blinks(page: Page) -> None:
    """Check that nothing moves with reduced motion."""
    page.locator(".lamp[data-lit=true]").first.wait_for()
    assert page.evaluate("document.getAnimations().length") == 0


def buttons_fit_a_thumb(page: Page, body: dict[str, Any], *, is_tight: bool) -> None:
    for size in SIZES:
        turn(page, size)
        for button in ("push-button", "throw-button", "reset-button"):
            box = by_id(page, button).bounding_box()
            assert min(box["width"], box["height"]) >= THUMB_PX
            assert box["y"] + box["height"] <= size[1]
        for box in page.locator(".chip .face, .step").evaluate_all(
            "nodes => nodes.filter(n => n.checkVisibility()).map(n => n.getBoundingClientRect().toJSON())"
        ):
            min_px = TIGHT_PX if is_tight and size == SIZES[1] else THUMB_PX
            assert round(min(box["width"], box["height"])) >= min_px
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        if body["outcome"] and not body["problems"]:
            height = by_id(page, "successes").evaluate("node => parseFloat(getComputedStyle(node).fontSize)")
            assert height >= size[1] * 0.19


def tools_stand_on_one_line(page: Page) -> None:
    """Check that the tools are on one line inside the window, however wide it is."""
    for width in (1280, 800, 720, 620, 430, 390, 360, 320):
        turn(page, (width, 844))
        tools = page.locator(".tools > *").evaluate_all(
            "nodes => nodes.slice(0, 6).map(n => n.getBoundingClientRect().toJSON())"
        )
        assert len(tools) == 3
        assert len({round(box["y"]) for box in tools}) == 1, width
        assert all(box["height"] >= 44 for box in tools), width
        assert tools[-1]["x"] + tools[-1]["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_kiosk_shows_no_pointer_on_any_of_its_pages(open_page: Callable[..., Page]) -> None:
    page = open_page("/?kiosk")
    cursor = "() => getComputedStyle(document.querySelector('button')).cursor"
    assert page.evaluate(cursor) == "none"
    page.goto(page.url.replace("/?kiosk", "/sheets"))
    assert page.evaluate(cursor) == "none"


def test_a_long_press_opens_the_browsers_menu_everywhere_but_on_a_kiosk(open_page: Callable[..., Page]) -> None:
    menu = "() => document.body.dispatchEvent(new Event('contextmenu', { bubbles: true, cancelable: true }))"
    page = open_page("/")
    assert page.evaluate(menu)
    for path in ("/?kiosk", "/sheets"):
        page.goto(page.url.partition("/?")[0].rstrip("/") + path)
        assert not page.evaluate(menu)


def test_dice_that_stay_and_dice_that_go_differ_in_outline_icon_and_words(see: Callable[..., Any]) -> None:
    body = scene("scored")
    page = see(body)
    for die in body["dice"]:
        mark = page.locator(f"[data-mark-id='{die['id']}']")
        dashes = mark.locator(".outline").get_attribute("stroke-dasharray")
        assert (dashes == "none") == die["locked"]
        assert die["must_reroll"] != die["locked"]
        label = page.locator(f"[data-die-id='{die['id']}']").get_attribute("aria-label")
        assert ("stays" in label) == die["locked"]
        assert (translate("page.chip.reroll") in label) == die["must_reroll"]
        assert mark.locator(".plate-value").text_content() == str(die["value"])
    paths = {
        kind: page.locator(f".mark.kind-{kind} .plate-icon").first.get_attribute("d") for kind in ("stay", "reroll")
    }
    assert paths["stay"] != paths["reroll"]


def test_after_a_push_exactly_the_dice_to_pick_up_are_marked(see: Callable[..., Any], tray: FakeTray) -> None:
    body = scene("awaiting_push")
    page = see(body)
    marked = page.locator(".mark.kind-reroll").evaluate_all("nodes => nodes.map(n => Number(n.dataset.markId))")
    assert sorted(marked) == body["push"]["must_reroll"]
    assert page.locator("#headline").text_content() == f"Pick up {len(marked)} dice"
    tray.show(scene("half_picked_up"))
    page.wait_for_function("() => document.querySelector('#headline').textContent === 'Pick up 2 dice'")
    marked = page.locator(".mark.kind-reroll").evaluate_all("nodes => nodes.map(n => Number(n.dataset.markId))")
    assert sorted(marked) == [5, 8]


def played_wrong(body: dict[str, Any], code: str, named: list[int], away: int | None = None) -> dict[str, Any]:
    """Return a push that broke a rule, after its throw; `away` is the die that did not come back."""
    dice = [one | {"wrong": one["id"] in named} for one in body["dice"] if one["id"] != away]
    reported = {"code": code, "text": "Mend it.", "dice": named}
    body = body | {"dice": dice, "problems": [code], "problem_details": [reported]}
    if not any(one["must_reroll"] and one["id"] in named for one in dice):
        body = with_press(body, "throw", "nothing_to_reroll", translate("tray.refused.none_to_rethrow", cure=""))
    return body


def test_after_a_wrong_push_only_the_dice_that_were_not_thrown_are_marked(see: Callable[..., Any]) -> None:
    page = see(played_wrong(scene("awaiting_push"), "must_reroll_not_rolled", [5]))
    wait_for(page, lambda: page.locator(".mark").count() == 8)
    for nodes in (".mark.kind-reroll", ".chip.kind-reroll"):
        assert page.locator(nodes).count() == 1
    assert page.locator(".mark.kind-reroll").get_attribute("data-mark-id") == "5"
    assert page.locator(".chip.kind-stay").count() == 7
    assert by_id(page, "throw-button").inner_text().startswith("Throw 1")
    assert by_id(page, "throw-button").is_enabled()


@pytest.mark.parametrize(
    "wrong", [("wrong_dice_count", [5], 5), ("locked_die_changed", [2])], ids=lambda wrong: wrong[0]
)
def test_where_a_wrong_push_leaves_nothing_to_throw_no_throw_is_offered(
    see: Callable[..., Any], wrong: tuple[Any, ...]
) -> None:
    page = see(played_wrong(scene("awaiting_push"), *wrong))
    by_id(page, "problem").wait_for()
    assert page.locator(".kind-reroll").count() == 0
    assert by_id(page, "throw-button").is_disabled()
    assert page.locator("#push-reason").text_content() == ""


def test_consequences_and_problems_are_reported_in_words(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("resolved"))
    text = by_id(page, "consequences").inner_text()
    assert re.search(r"2 stunts.*2 damage: Strength falls to 3.*1 gear damage: bonus falls to 1", text, re.DOTALL)
    tray.show(scene("wrong_push"))
    shown(page, "awaiting_push")
    problem = by_id(page, "problem")
    assert problem.inner_text() == english(tray.body["problem_details"][0]["text"])
    assert "base 3 instead of 1" in problem.inner_text()
    assert page.locator("#headline").text_content() == translate("page.problem.locked_die_changed")
    assert page.locator("#lead").text_content() == page.locator("#push-reason").text_content() == ""
    assert by_id(page, "die").and_(page.locator(".kind-wrong")).get_attribute("data-die-id") == "2"


@pytest.mark.parametrize("tap", ["[data-mark-id='3']", "[data-die-id='3']"])
def test_two_taps_correct_a_die_and_two_more_undo_it(see: Callable[..., Any], tray: FakeTray, tap: str) -> None:
    page = see(scene("scored"))
    page.locator(tap).click()
    page.locator("#pad-values [data-value='6']").click()
    page.locator("[data-die-id='3'][data-value='6'][data-corrected='true']").wait_for()
    assert tray.calls == [DieCorrected(3, 6, None)]
    page.locator("#pad").wait_for(state="hidden")
    assert by_id(page, "successes").text_content() == "3"
    page.locator(tap).click()
    page.locator("#pad-undo").click()
    page.locator("[data-die-id='3'][data-value='4'][data-corrected='false']").wait_for()
    assert tray.calls[-1] == DieRestored(3)


def test_what_is_no_die_is_dismissed_with_two_taps_and_taken_back_with_two(
    see: Callable[..., Any], tray: FakeTray
) -> None:
    page = see(scene("scored"), size=PANEL)
    page.locator("[data-mark-id='3']").click()
    page.get_by_role("button", name="Not a die").click()
    page.locator("#pad").wait_for(state="hidden")
    page.locator("[data-die-id='3']").wait_for(state="detached")
    assert by_id(page, "die").count() == 7
    page.locator("[data-mark-id='3'][data-dismissed='true']").click()
    assert page.locator("#pad-title").text_content() == "Not a die"
    page.get_by_role("button", name=translate("page.pad.undo_die")).click()
    page.locator("[data-die-id='3']").wait_for()
    assert tray.calls == [DieDismissed(3, ignored=True), DieDismissed(3, ignored=False)]


@pytest.mark.parametrize(("path", "size"), [("/", PANEL), ("/phone", (1280, 800))])
def test_a_missed_die_is_added_where_the_picture_is_tapped(
    see: Callable[..., Any], tray: FakeTray, path: str, size: tuple[int, int]
) -> None:
    page = see(scene("scored"), path, size=size)
    page.locator("#picture[data-etag]").wait_for()
    page.locator("#stage").scroll_into_view_if_needed()
    box = page.locator("#picture").bounding_box()
    scale = min(box["width"] / 1280, box["height"] / 960)
    left, top = box["x"] + (box["width"] - 1280 * scale) / 2, box["y"] + (box["height"] - 960 * scale) / 2
    page.mouse.click(left + 200 * scale, top + 760 * scale)
    assert page.locator("#pad-title").text_content() == "Add a die here"
    assert page.locator("#pad-no-die").is_hidden()
    page.locator("#pad-values [data-value='4']").click()
    assert tray.calls == []
    page.locator("#pad-colours [data-colour='gear']").click()
    page.locator("#pad").wait_for(state="hidden")
    assert by_id(page, "die").count() == 9
    [added] = tray.calls
    x, y = added.center_px
    assert added == DieAdded((x, y), 4, "gear")
    # A mouse points at whole pixels of the page.
    assert abs(x - 200) <= 1 / scale
    assert abs(y - 760) <= 1 / scale


def test_a_dies_window_shows_what_the_reader_made_of_it(see: Callable[..., Any]) -> None:
    page = see(scene("scored"), size=(390, 844))
    page.locator("[data-mark-id='3']").click()
    page.locator("#pad-why").click()
    page.locator("#pad-why-picture").wait_for()
    page.get_by_text(translate("page.pad.explain_words")).wait_for()
    assert page.locator("#pad-why").is_hidden()
    assert page.evaluate("document.querySelector('#pad').scrollWidth <= document.querySelector('#pad').clientWidth")
    page.locator("#pad-close").click()
    page.locator("[data-mark-id='2']").click()
    assert page.locator("#pad-why").is_visible()
    assert page.locator("#pad-why-picture").is_hidden()


def test_a_die_that_the_pool_misses_is_added_with_two_taps(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("missing"))
    page.locator("#picture[data-etag]").wait_for()
    page.locator("#stage").click(position={"x": 20, "y": 20})
    page.locator("#pad-values [data-value='2']").click()
    page.locator("#pad").wait_for(state="hidden")
    assert (tray.calls[0].value, tray.calls[0].colour) == (2, "gear")


def test_one_tap_confirms_all_dice_where_the_picture_is_in_doubt(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("doubtful"), size=PANEL)
    assert page.locator("#headline").text_content() == "Are these dice right?"
    assert page.locator("#confirm").bounding_box()["height"] >= THUMB_PX
    page.locator("#confirm").click()
    shown(page, "scored")
    assert page.locator("#confirm").count() == 0
    assert tray.calls == [DiceConfirmed()]


def test_one_tap_says_that_a_die_of_a_push_was_thrown(see: Callable[..., Any], tray: FakeTray) -> None:
    text = translate("tray.problem.maybe_not_rolled", named=" (skill 1)", count=1)
    doubt = {
        "problems": ["maybe_not_rolled"],
        "problem_details": [{"code": "maybe_not_rolled", "text": text, "dice": [3]}],
    }
    page = see(scene("awaiting_push") | {"confirmable": True} | doubt, size=PANEL)
    assert text in page.get_by_test_id("problem").inner_text()
    assert page.locator("#confirm").text_content() == "Yes, it was thrown"
    page.locator("#problems [data-crop='3'][data-drawn]").wait_for()
    assert page.locator("#problems .crop").bounding_box()["width"] >= CROP_PX
    assert page.locator("#confirm").bounding_box()["height"] >= THUMB_PX
    page.locator("#confirm").click()
    page.locator("#confirm").wait_for(state="detached")
    assert tray.calls == [DiceConfirmed()]


def test_a_colour_is_corrected_too_and_keys_work_in_the_pad(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("unclear"))
    page.locator("[data-die-id='7']").click()
    page.locator("#pad-colours [data-colour='skill']").click()
    page.locator("[data-die-id='7'][data-colour='skill']").wait_for()
    page.locator("[data-die-id='4']").click()
    page.keyboard.press("2")
    page.locator("[data-die-id='4'][data-value='2']").wait_for()
    assert tray.calls == [DieCorrected(7, None, "skill"), DieCorrected(4, 2, None)]


def test_keys_press_buttons_but_not_while_a_number_is_typed(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("scored"))
    page.keyboard.press("p")
    page.keyboard.press("t")
    page.keyboard.press("r")
    page.keyboard.press("?")
    page.locator("#help").wait_for()
    page.keyboard.press("p")
    page.keyboard.press("Escape")
    tray.show(scene("empty"))
    shown(page, "empty").locator("#seed").fill("7")
    page.locator("#seed").press("t")
    page.locator("#throw").click()
    wait_for(page, lambda: len(tray.calls) == 4)
    pool = {"base": 5, "skill": 2, "gear": 1, "negative": 0}
    presses = [PushPressed(), ("throw", pool, "right", None), ResetPressed()]
    assert sorted(tray.calls[:3], key=str) == sorted(presses, key=str)
    assert tray.calls[3][0] == "throw"


def test_a_key_after_rules_were_chosen_does_not_choose_others(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("empty"))
    setup = page.locator("#system")
    if not setup.is_visible():
        page.locator("#setup-button").click()
    setup.focus()
    setup.dispatch_event("pointerdown")
    setup.select_option("hits-pool")
    wait_for(page, lambda: len(tray.calls) == 1)
    page.keyboard.press("t")
    page.keyboard.press("a")
    wait_for(page, lambda: len(tray.calls) == 2)
    assert tray.calls[0] == SystemChosen("hits-pool")
    assert tray.calls[1][0] == "throw"


def test_a_key_on_the_list_of_rules_changes_no_rules(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("scored"))
    rules = page.locator("#system")
    before = rules.input_value()
    page.evaluate("() => { document.body.dataset.setup = 'open'; }")
    rules.focus()
    for option in rules.locator("option").all_text_contents():
        page.keyboard.press(option[0])
    page.keyboard.press("p")
    assert page.evaluate("() => document.activeElement.id") == "system"
    assert rules.input_value() == before
    page.keyboard.press("Tab")
    page.keyboard.press("p")
    wait_for(page, lambda: bool(tray.calls))
    assert tray.calls == [PushPressed()]


def wait_for(page: Page, holds: Callable[[], bool]) -> None:
    """Let the page run until a condition holds on the test's side."""
    for _ in range(200):
        if holds():
            return
        page.evaluate("() => new Promise(requestAnimationFrame)")
    assert holds()


def test_a_push_that_is_refused_says_why(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("scored"))
    tray.refuse_with = "already_pushed"
    by_id(page, "push-button").click()
    toast = page.locator("#toast")
    toast.wait_for()
    assert "already pushed" in toast.text_content()


def test_every_press_names_the_state_that_the_page_shows(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("scored"))
    by_id(page, "push-button").click()
    wait_for(page, lambda: len(tray.seen) == 1)
    tray.show(scene("awaiting_push"))
    shown(page, "awaiting_push")
    by_id(page, "throw-button").click()
    wait_for(page, lambda: len(tray.seen) == 2)
    tray.show(scene("scored"))
    shown(page, "scored")
    page.locator("[data-die-id='3']").click()
    page.locator("#pad-values [data-value='6']").click()
    page.locator("#pad").wait_for(state="hidden")
    assert tray.seen == [2, 3, 4]
    page.locator("[data-die-id='3']").click()
    page.locator("#pad-undo").click()
    page.locator("#pad").wait_for(state="hidden")
    by_id(page, "reset-button").click()
    wait_for(page, lambda: len(tray.seen) == 5)
    assert tray.seen[3:] == [5, 6]


def test_a_stale_press_says_so_and_shows_what_lies_there_now(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("scored"))
    # The stream has not reported it yet.
    tray.listeners.clear()
    tray.show(scene("resolved"))
    tray.refuse_with = "stale"
    by_id(page, "push-button").click()
    page.locator("#toast").wait_for()
    shown(page, "resolved")
    assert by_id(page, "push-button").is_disabled()


def test_a_press_that_waits_for_its_answer_shows_that_it_is_under_way(
    see: Callable[..., Any], tray: FakeTray, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()
    request = tray.request

    async def request_late(event: Event, caller: Identity, seen: int | None = None) -> Answer:
        while not answered.is_set():
            await asyncio.sleep(0.01)
        return await request(event, caller, seen)

    monkeypatch.setattr(tray, "request", request_late)
    page = see(scene("scored"))
    by_id(page, "push-button").click()
    busy = page.locator("#push[aria-busy='true']")
    busy.wait_for()
    page.wait_for_function("since => performance.now() > since + 700", arg=page.evaluate("performance.now()"))
    page.keyboard.press("p")
    page.locator("#toast").wait_for()
    assert page.locator("#toast").inner_text() == translate("page.table.under_way")
    answered.set()
    busy.wait_for(state="detached")
    assert tray.calls == [PushPressed()]


def test_a_tray_that_does_not_answer_is_reported(see: Callable[..., Any]) -> None:
    page = see(scene("scored"))
    page.evaluate("AbortSignal.timeout = () => AbortSignal.abort(new DOMException('late', 'TimeoutError'))")
    by_id(page, "push-button").click()
    page.locator("#toast").wait_for()
    assert page.locator("#toast").inner_text() == translate("page.lost.slow")


def test_a_button_that_is_dark_says_why_when_its_key_is_pressed(open_page: Callable[..., Page], tray: FakeTray) -> None:
    tray.show(with_press(scene("scored"), "throw", "bad_value", "21 dice cannot be thrown: give 1 to 20"))
    page = shown(open_page(), "scored")
    assert by_id(page, "throw-button").is_disabled()
    assert "21 dice cannot be thrown" in page.locator("#push-reason").text_content()
    page.keyboard.press("t")
    page.locator("#toast").wait_for()
    assert "21 dice cannot be thrown" in page.locator("#toast").text_content()
    assert tray.calls == []


def test_a_reset_that_changes_nothing_says_so(see: Callable[..., Any]) -> None:
    page = see(scene("empty"))
    by_id(page, "reset-button").click()
    page.locator("#toast").wait_for()
    assert translate("page.table.nothing_to_reset") in page.locator("#toast").text_content()


def test_a_declared_pool_is_cleared_with_one_tap(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("empty"), size=PANEL)
    clear = page.get_by_role("button", name="Any dice")
    assert clear.bounding_box()["height"] >= 44
    clear.click()
    wait_for(page, lambda: tray.calls == [("pool", None)])
    clear.wait_for(state="hidden")


def test_dice_that_are_only_not_those_declared_count_with_one_tap(
    open_page: Callable[..., Page], tray: FakeTray
) -> None:
    trouble = {
        "problems": ["wrong_dice_count"],
        "problem_details": [{"code": "wrong_dice_count", "text": "", "dice": []}],
    }
    tray.show(scene("scored") | {"state": "unclear", "outcome": None} | trouble)
    page = shown(open_page(), "unclear")
    page.get_by_role("button", name=translate("page.doubt.any")).click()
    wait_for(page, lambda: tray.calls == [("pool", None)])
    tray.show(with_press(tray.body | {"pool": {"base": 1}}, "push", "already_pushed"))
    page.get_by_role("button", name=translate("page.doubt.any")).wait_for(state="detached")


def test_quick_taps_on_a_stepper_all_count(see: Callable[..., Any], tray: FakeTray) -> None:
    wanted = dict.fromkeys(POOL, 0) | {"base": 4, "gear": 1}
    page = see(scene("undeclared"))
    for _ in range(5):
        page.get_by_label(translate("page.step.more", what="Base")).click()
    page.get_by_label(translate("page.step.more", what="Gear")).click()
    page.get_by_label(translate("page.step.less", what="Base")).click()
    wait_for(page, lambda: tray.body["pool"] == wanted | {"plain": 0})
    page.locator("#throw:enabled").click()
    wait_for(page, lambda: tray.calls[-1][0] == "throw")
    assert tray.calls[-1] == ("throw", wanted, "right", None)


def test_a_tap_counts_on_from_the_answer_where_the_stream_is_late(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("undeclared"))
    tray.listeners.clear()
    for count in (1, 2, 3):
        with page.expect_response("**/api/pool") as answered:
            page.get_by_label(translate("page.step.more", what="Base")).click()
        answered.value.finished()
        page.evaluate("() => new Promise(requestAnimationFrame)")
        assert page.locator("#steppers output").first.text_content() == str(count)
    assert tray.body["pool"] == dict.fromkeys(POOL, 0) | {"base": 3, "plain": 0}


def test_somebody_who_chose_nothing_can_try_a_throw(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("undeclared"))
    assert "5 base, 2 skill and 1 gear" in page.locator("#lead").text_content()
    by_id(page, "throw-button").click()
    wait_for(page, lambda: bool(tray.calls))
    assert tray.calls == [("throw", {"base": 5, "skill": 2, "gear": 1}, "right", None)]
    tray.show(scene("empty") | {"pool": {"base": 0, "skill": 0, "gear": 0, "negative": 0}})
    page.locator("#throw:disabled").wait_for()


def test_a_wrong_hand_can_be_asked_for_once(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("awaiting_push"))
    page.locator("#hand").select_option("die_left_lying")
    page.locator("#seed").press_sequentially("1x1")
    by_id(page, "throw-button").click()
    wait_for(page, lambda: bool(tray.calls))
    assert tray.calls == [("throw", None, "die_left_lying", 11)]
    page.wait_for_function("() => document.querySelector('#hand').value === 'right'")


def test_a_real_camera_offers_no_throw(see: Callable[..., Any]) -> None:
    page = see(scene("real_camera"))
    assert not by_id(page, "throw-button").is_visible()
    assert not page.locator("#simulated").is_visible()


def contrast(one: list[int], other: list[int]) -> float:
    """Return the contrast of two colours by WCAG 2's formula."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(rgb: list[int]) -> float:
    linear = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_phone_on_its_side_shows_the_tray_and_all_dice(see: Callable[..., Any]) -> None:
    page = see(scene("scored"), size=(844, 390))
    buttons = page.locator(".actions").bounding_box()
    for box in [page.locator("#stage").bounding_box(), *(die.bounding_box() for die in by_id(page, "die").all())]:
        assert box["y"] + box["height"] <= buttons["y"] + 4
    by_id(page, "die").first.click()
    pad = page.locator("#pad")
    assert pad.evaluate("node => node.scrollHeight - node.clientHeight") <= 1


def test_most_of_twenty_dice_are_in_sight_on_a_small_panel(open_page: Callable[..., Page], tray: FakeTray) -> None:
    first = scene("scored")
    dice = [first["dice"][place % 8] | {"id": place + 1} for place in range(20)]
    tray.show(first | {"dice": dice})
    page = shown(open_page(size=(800, 480)), "scored")
    buttons = page.locator(".actions").bounding_box()
    boxes = [die.bounding_box() for die in by_id(page, "die").all()]
    assert sum(box["y"] + box["height"] <= buttons["y"] for box in boxes) >= 15
    assert min(box["height"] for box in boxes) >= 44


def test_a_part_that_does_not_work_is_named_between_rolls(open_page: Callable[..., Page], tray: FakeTray) -> None:
    faults = [{"part": "panel", "title": "Buttons", "text": f"no (/dev/{'gpiochip' * 9}): set panel.pins to none"}]
    tray.show(scene("empty") | {"faults": faults})
    page = shown(open_page(size=(390, 844)), "empty")
    page.get_by_test_id("part-fault").filter(has_text="panel.pins to none").wait_for()
    for size in ((800, 480), (390, 844)):
        turn(page, size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    tray.show(scene("scored") | {"faults": faults})
    shown(page, "scored")
    page.get_by_test_id("part-fault").wait_for(state="detached")


def test_large_totals_and_long_names_stay_on_the_page(open_page: Callable[..., Page], tray: FakeTray) -> None:
    big = scene("scored")
    big["outcome"]["headline"] = {"value": 137, "word": "total"}
    page = open_page()
    long = scene("fault")
    long["fault"]["text"] = f"The profile /srv/{'table' * 20}.json cannot be read: calibrate the tray."
    for body in (big, long):
        tray.show(body)
        shown(page, body["state"])
        for size in ((1280, 800), (800, 480), (390, 844)):
            turn(page, size)
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            right = page.locator("#headline").evaluate("node => node.getBoundingClientRect().right")
            assert right <= size[0]


def test_every_body_colour_carries_its_ink(open_page: Callable[..., Page]) -> None:
    pairs = open_page().evaluate(
        """() => import('/static/ui/lib/drawing.js').then(({ BODY_HEX, inkHex }) =>
          Object.keys(BODY_HEX).map((colour) => [colour, BODY_HEX[colour], inkHex('die', { die: colour })]))"""
    )
    assert len(pairs) == 12
    for colour, *pair in pairs:
        body, ink = ([int(text[place : place + 2], 16) for place in (1, 3, 5)] for text in pair)
        assert contrast(body, ink) >= 4.5, colour


def test_placeholders_and_the_letters_of_keys_can_be_read(see: Callable[..., Any]) -> None:
    page = see(scene("awaiting_push"), scheme="dark")
    small_letters_can_be_read(page)
    darken(page, "light")
    small_letters_can_be_read(page)


def small_letters_can_be_read(page: Page) -> None:
    placeholder = page.locator("#seed").evaluate(
        """node => { const style = getComputedStyle(node, '::placeholder');
          return [style.color, getComputedStyle(node).backgroundColor, style.opacity]; }"""
    )
    letter = page.locator("#throw kbd").evaluate(
        """node => [getComputedStyle(node).color, getComputedStyle(node.parentElement).backgroundColor,
          getComputedStyle(node).opacity]"""
    )
    for *pair, opacity in (placeholder, letter):
        ink, ground = ([int(part) for part in re.findall(r"\d+", text)[:3]] for text in pair)
        assert opacity == "1"
        assert contrast(ink, ground) >= 4.5


def test_green_is_for_what_is_good_alone(open_page: Callable[..., Page], tray: FakeTray) -> None:
    tray.odds_now = {"pool": {"p_success": "1/9", "p_trauma_at_least": {"1": "1/6"}}, "table": None}
    unreported = scene("scored")
    unreported["outcome"] |= {"success": None, "headline": {"value": 15, "word": "total"}}
    tray.show(unreported)
    for path in ("/", "/overlay"):
        page = shown(open_page(path), "scored")
        assert page.locator("body").get_attribute("data-outcome") == "other"
    page = shown(open_page(), "scored")
    page.locator(".odds-line").nth(1).wait_for()
    bad = page.locator(".odds-line.bad dt").all_text_contents()
    assert bad == [translate("rules.push-pool.odds.p_trauma_at_least")]


def test_a_doubt_about_several_dice_speaks_of_them_all(see: Callable[..., Any]) -> None:
    page = see(scene("unclear"))
    assert page.locator("#headline").text_content() == translate("tray.display.headline.look_at", count=2)
    assert page.locator("#lead").text_content() == translate("tray.next.settle", count=2)


def test_a_stepper_reads_less_value_more_for_eyes_and_for_a_screen_reader(see: Callable[..., Any]) -> None:
    parts = see(scene("empty")).locator("#steppers .stepper").first.locator("button, output")
    names = parts.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert names == [translate("page.step.less", what="Base"), "Base: 5", translate("page.step.more", what="Base")]
    lefts = parts.evaluate_all("all => all.map(one => one.getBoundingClientRect().left)")
    assert lefts == sorted(lefts)
    assert parts.all_inner_texts() == ["−", "5", "+"]


def test_the_theme_can_be_switched_and_is_kept(see: Callable[..., Any]) -> None:
    page = see(scene("empty"), scheme="dark")
    assert page.evaluate(SCHEME) == "dark"
    # Without a choice the system's own setting applies, also when it changes.
    darken(page, "light")
    darken(page, "dark")
    page.locator(".menu [data-section=help]").click()
    page.locator("#theme").select_option("light")
    assert page.evaluate(SCHEME) == "light"
    page.reload()
    assert page.evaluate(SCHEME) == "light"


def test_lamps_shine_as_the_panel_does(see: Callable[..., Any]) -> None:
    body = scene("awaiting_push")
    page = see(body)
    page.locator("[data-lamp]").first.wait_for()
    bulbs = page.locator("[data-lamp] .bulb")
    glows = bulbs.evaluate_all("nodes => nodes.map(node => getComputedStyle(node).getPropertyValue('--glow'))")
    assert page.locator("[data-lamp]").evaluate_all("nodes => nodes.map(node => node.dataset.lamp)") == list(LAMP_NAMES)
    assert len(set(glows) - {"#ffffff"}) == len(LAMP_NAMES), "each lamp has a colour of its own"
    for name, lamp in body["lamps"].items():
        node = page.locator(f"[data-lamp='{name}']")
        assert node.get_attribute("data-lit") == str(lamp["lit"]).lower()
        assert node.get_attribute("data-pattern") == lamp["pattern"]


def test_the_live_picture_is_drawn_and_renewed(see: Callable[..., Any], tray: FakeTray) -> None:
    page = see(scene("empty"))
    canvas = page.locator("#picture")
    page.wait_for_function("() => document.querySelector('#picture').dataset.etag")
    before = canvas.get_attribute("data-etag")
    tray.show(scene("scored"))
    page.wait_for_function("tag => document.querySelector('#picture').dataset.etag !== tag", arg=before)
    frame = scene("scored")["frame"]
    assert canvas.evaluate("node => [node.width, node.height]") == [frame["width"], frame["height"]]
    page.wait_for_function("""() => {
      const boxes = ["picture", "marks"].map((id) => document.getElementById(id).getBoundingClientRect());
      return document.querySelector("#marks .mark") && JSON.stringify(boxes[0]) === JSON.stringify(boxes[1]);
    }""")


def test_odds_and_history_follow(see: Callable[..., Any], tray: FakeTray) -> None:
    tray.odds_now = {
        "pool": None,
        "table": {"p_success": "1/3", "p_trauma_at_least": {"1": "2" + "0" * 400 + "/3" + "0" * 400}},
    }
    dice = [{"id": 1, "colour": "base", "value": 6}, {"id": 2, "colour": "base", "value": 2, "read_value": 5}]
    tray.rows = [
        {
            "id": 2,
            "at": "2030-01-01T10:00:00Z",
            "kind": "corrected",
            "system": "push-pool",
            "dice": dice,
            "outcome": {"headline": {"value": 1, "word": "success"}},
        },
        {"id": 1, "at": "2030-01-01T09:59:00Z", "kind": "scored", "dice": dice[:1], "outcome": None},
    ]
    page = see(scene("scored"))
    by_id(page, "history-row").nth(1).wait_for()
    assert by_id(page, "history-row").count() == 2
    assert by_id(page, "history-row").first.locator(".changed s").text_content() == "5"
    odds = by_id(page, "odds").filter(has_text="33%")
    odds.wait_for()
    assert "67%" in odds.inner_text()


def test_odds_follow_a_ruling_that_is_changed_elsewhere(see: Callable[..., Any], tray: FakeTray) -> None:
    tray.odds_now = {"pool": {"p_success": "1/3"}, "table": None}
    tray.show(scene("empty") | {"rulings": {}})
    page = see(scene("empty"))
    page.wait_for_function("() => document.querySelector('#odds').innerText.includes('33%')")
    tray.odds_now = {"pool": {"p_success": "1/4"}, "table": None}
    tray.show(scene("empty") | {"rulings": {"skill_ones_locked": True}})
    page.wait_for_function("() => document.querySelector('#odds').innerText.includes('25%')")


def test_odds_stay_in_their_card(see: Callable[..., Any], tray: FakeTray) -> None:
    tray.odds_now = {"pool": find_system("push-pool").odds({"rulings": {}, "pool": POOL}), "table": None}
    page = see(scene("scored"))
    page.locator(".odds-line").first.wait_for()
    for size in ((1280, 800), (1024, 768), (800, 480), (390, 844)):
        turn(page, size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        # On the small panel a line of them unfolds under a tap.
        page.locator("#odds").focus()
        assert page.locator(".odds-line:visible").count() == page.locator(".odds-line").count()
        for box, card in page.evaluate(PLACES_OF_ODDS):
            assert card["left"] <= box["left"], size
            assert box["right"] <= card["right"], size
            assert box["bottom"] <= card["bottom"], size
        page.evaluate("() => document.activeElement.blur()")


class LeavingTray:
    """A tray whose program ends and restarts at the same address."""

    def __init__(self, tray: Any) -> None:
        self._tray = tray
        self._start(0)

    @property
    def url(self) -> str:
        return self._server.url

    def go(self) -> None:
        self._server.stop()

    def come_back(self) -> None:
        self._start(int(urlsplit(self.url).port or 0))

    def _start(self, port: int) -> None:
        self._server = WebServer(self._tray, bind_socket("127.0.0.1", port))
        self._server.start()


@pytest.fixture
def leaving(tray: FakeTray) -> Iterator[LeavingTray]:
    served = LeavingTray(tray)
    yield served
    served.go()


@pytest.fixture
def own_page(leaving: LeavingTray, chromium: Browser) -> Iterator[Any]:
    page = chromium.new_page()
    yield page
    page.close()


def test_a_lost_tray_is_reported_and_forgotten_when_it_is_back(
    leaving: LeavingTray, own_page: Page, tray: FakeTray
) -> None:
    own_page.goto(leaving.url)
    shown(own_page, "empty")
    leaving.go()
    own_page.locator("#lost").wait_for(timeout=10_000)
    assert own_page.locator("main").evaluate("node => node.inert")
    tray.version = 0
    leaving.come_back()
    own_page.locator("#lost").wait_for(state="hidden", timeout=15_000)
    tray.show(scene("resolved"))
    shown(own_page, "resolved")


def test_a_kiosk_follows_no_link_into_nothing_while_the_tray_is_away(leaving: LeavingTray, own_page: Page) -> None:
    own_page.goto(f"{leaving.url}?kiosk")
    shown(own_page, "empty")
    link = own_page.locator(".menu [data-section=players]")
    leaving.go()
    own_page.locator("#lost").wait_for(timeout=10_000)
    with own_page.expect_event("requestfailed", lambda request: request.url.endswith("/api/state"), timeout=10_000):
        link.dispatch_event("click")
    assert own_page.locator("#lost").is_visible()
    leaving.come_back()
    own_page.locator("#lost").wait_for(state="hidden", timeout=15_000)
    link.click()
    own_page.wait_for_url("**/sheets", timeout=10_000)


@pytest.mark.parametrize("path", ["/phone", "/overlay"])
def test_the_other_screens_show_the_result(see: Callable[..., Any], path: str) -> None:
    body = scene("resolved")
    page = see(body, path, size=(390, 844))
    assert by_id(page, "successes").text_content() == str(body["outcome"]["successes"])
    assert "2 damage" in by_id(page, "consequences").inner_text()
    assert by_id(page, "die").count() == len(body["dice"])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_overlay_is_transparent_around_its_plate(open_page: Callable[..., Page]) -> None:
    page = open_page("/overlay")
    grounds = page.evaluate("[document.documentElement, document.body].map(n => getComputedStyle(n).backgroundColor)")
    assert grounds == ["rgba(0, 0, 0, 0)"] * 2


def test_the_interface_page_lists_every_path(open_page: Callable[..., Page], served: str) -> None:
    page = open_page("/docs")
    page.get_by_text("/api/rolls.csv").wait_for()
    paths = page.evaluate(
        "fetch('/openapi.json').then(r => r.json()).then(o => Object.values(o.paths).flatMap(Object.keys).length)"
    )
    assert page.locator(".path").count() == paths


OLDER = """
delete AbortSignal.timeout;
for (const owner of [Array, String]) delete owner.prototype.at;
delete String.prototype.replaceAll;
"""


def test_a_browser_of_2021_shows_the_tray(windows: Windows, served: str) -> None:
    page = windows.lend((1280, 720), script=OLDER)
    page.goto(served)
    by_id(page, "state").wait_for()
    page.wait_for_function("() => document.querySelector('[data-testid=state]').textContent.trim() !== ''")
    assert page.evaluate("[AbortSignal.timeout, [].at, ''.at, ''.replaceAll].every(Boolean)")
    page.locator(".menu [data-section=help]").click()
    page.locator("dialog[open]").first.wait_for()


def test_a_browser_that_is_too_old_says_so_in_one_line(windows: Windows, served: str) -> None:
    page = windows.lend((1280, 720), script="delete HTMLDialogElement.prototype.showModal;")
    page.goto(served)
    line = page.locator(".too-old[role=alert]")
    line.wait_for()
    assert "too old" in line.inner_text()
    assert line.count() == 1
    page = windows.lend((1280, 720))
    page.goto(served)
    by_id(page, "state").wait_for()
    assert page.locator(".too-old[role=alert]").count() == 0


def test_without_scripts_every_page_says_what_it_needs(served: str) -> None:
    for path in PAGES:
        html = httpx.get(f"{served.rstrip('/')}{path}").text
        assert '<noscript><p class="too-old">This page needs JavaScript' in html, path
