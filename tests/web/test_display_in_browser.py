"""The display: read from across the table, nothing to scroll, doubtful dice settled in a strip, an idle screen."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from device.camera.live_picture import Picture
from device.game.state.events import DiceCorrected, DieCorrected
from device.texts.catalogue import languages, translate
from device.web.core import pages
from tests.web.accessible import trips
from tests.web.conftest import FIRST, REST, FakeTray, at_rest, draw, lying, scenes
from tests.web.distance import MIN_ARC_MIN, PANEL, WALL, Screen, arc_minutes
from tests.web.layout import Layout, layout_of
from tests.web.real_states import bodies_of
from tests.web.resting import Table, shows
from tests.web.sampling import sample
from tests.web.windows import Windows
from vision.types.reading import Unread

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

SIZES = [(800, 480), (1280, 800), (1920, 1080)]
CLOCKS = {
    "clocks": [
        {"id": number, "name": name, "segments": 6, "filled": filled, "locked": False, "linked_to": None}
        for number, (name, filled) in enumerate([("Storm", 2), ("The guards notice", 6)], 1)
    ],
    "undo": None,
}
ROWS: list[dict[str, Any]] = [
    {
        "id": number,
        "roll": number // 2,
        "at": "2030-01-01T10:00:00Z",
        "kind": "corrected" if number % 2 else "scored",
        "dice": [{"id": 1, "colour": "gear", "value": 6, "read_value": 5}, {"id": 2, "colour": None, "value": 2}],
        "outcome": {"headline": {"value": 1, "word": "success"}},
    }
    for number in range(30, 1, -1)
]
STANDS = """([state, dice, problems, isTimed, isDoubted]) => {
  const count = (selector) => document.querySelectorAll(selector).length;
  const isSeen = (name) => {
    const node = document.querySelector(`[data-testid=${name}]`);
    return Boolean(node?.checkVisibility({ visibilityProperty: true }) && node.getBoundingClientRect().height > 0);
  };
  const isDrawn = document.querySelector(".doubts .crop:not([data-drawn])") === null;
  const isWhole = count(".chip") === dice && count(".problem") === problems && isSeen("clocks-strip") === isTimed;
  return document.body?.dataset.state === state && isWhole && (!isDoubted || (isSeen("doubts") && isDrawn));
}"""


@pytest.fixture
def look(windows: Windows) -> Callable[..., Page]:
    """Open a page in a window of some size."""

    def opened(url: str, size: tuple[int, int]) -> Page:
        page = windows.lend(size)
        page.goto(url)
        return page

    return opened


def in_doubt(guessed: int) -> dict[str, Any]:
    """Return a roll of eight: so many dice lean with a guess, one leans without, and one has no certain colour."""
    dice = [lying(*one, Unread.COCKED if one[0] <= guessed else None) for one in FIRST + REST]
    dice[3], dice[6] = lying(4, "base", None, Unread.COCKED), lying(7, "skill", 6, Unread.COLOUR_UNCLEAR)
    return at_rest(*dice)


def many(count: int) -> dict[str, Any]:
    """Return a roll of so many dice, in rows."""
    body = at_rest(
        *[lying(number + 1, ("base", "skill", "gear")[number % 3], number % 6 + 1) for number in range(count)]
    )
    for number, one in enumerate(body["dice"]):
        to = (210 + number % 8 * 120, 170 + number // 8 * 125)
        by = [there - here for there, here in zip(to, one["center_px"], strict=True)]
        one["center_px"] = list(to)
        one["top_quad_px"] = [[x + by[0], y + by[1]] for x, y in one["top_quad_px"]]
    return body


def all_of(scenes: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return every state, with everything that may be shown next to it."""
    doubt = {"problems": ["reading_doubtful"], "problem_details": [], "confirmable": True, "outcome": None}
    confirm = {"code": "confirm", "text": "Confirm them, or tap the one that is wrong.", "wrong": True}
    return scenes | {
        "two in doubt": in_doubt(0),
        "six in doubt": in_doubt(4),
        "all in doubt": scenes["scored"] | doubt | {"state": "unclear", "next": confirm},
        "clocks": scenes["scored"] | {"clocks": CLOCKS},
        "clocks over an empty tray": scenes["empty"] | {"clocks": CLOCKS},
        "48 dice": many(48),
    }


def show(page: Page, tray: FakeTray, body: dict[str, Any]) -> None:
    """Show a state, with all that is loaded for it."""
    tray.show(body)
    is_doubted = any(one["unread"] for one in body["dice"])
    wanted = [body["state"], len(body["dice"]), len(body["problems"]), bool(body["clocks"]["clocks"]), is_doubted]
    page.wait_for_function(STANDS, arg=wanted)


@pytest.mark.parametrize("screen", [PANEL, WALL], ids=lambda screen: screen.name)
def test_what_matters_can_be_read_at_two_metres(
    look: Callable[..., Page], served: str, tray: FakeTray, screen: Screen
) -> None:
    page = look(f"{served}/", (screen.width_px, screen.height_px))
    small: dict[tuple[str, str], float] = {}
    for name, body in all_of(scenes()).items():
        show(page, tray, body)
        seen = arc_minutes(page, screen)
        wanted = {"next"} | ({"result", "meaning"} if body["state"] in ("scored", "resolved") else set())
        wanted |= {"problem"} if body["problems"] or body["state"] in ("unclear", "fault") else set()
        assert seen.keys() >= wanted, name
        small |= {(name, what): round(size, 1) for what, size in seen.items() if size < MIN_ARC_MIN}
    assert small == {}


LETTERS = f"/static/{pages.LETTERS}"
WIDEN = """async letters => {
  const lines = { ascentOverride: "93%", descentOverride: "26%" };
  const wide = new FontFace("Wide", `url(${letters})`, { weight: "100 900", sizeAdjust: "115%", ...lines });
  document.fonts.add(await wide.load());
}"""
"""Letters 15 % wider than the pages' own, like DejaVu Sans and Verdana, in lines as high as those of Noto Sans.

Those are also 15 % higher, which these are not, so descenders prove nothing.
"""


def wrong_in(seen: Layout, size: tuple[int, int] = SIZES[0]) -> list[str]:
    """Return what is wrong; the log is a list that may scroll, and the panel's odds unfold from their first line."""
    listed = {"y #history"} | ({"y #odds"} if size == SIZES[0] else set())
    return [*sorted(seen.held - listed), *seen.spilt, *seen.overlaps]


def in_wide_letters(page: Page) -> Layout:
    """Measure the layout with the browser's own wide letters, then restore the page's."""
    into = "letters => { document.documentElement.style.setProperty('--sans', letters);"
    into += " document.fonts.dispatchEvent(new Event('loadingdone')); }"
    page.evaluate(into, "Wide")
    seen = layout_of(page)
    page.evaluate(into, "")
    return seen


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "{}x{}".format(*size))
def test_nothing_needs_scrolling_or_overlaps(
    look: Callable[..., Page], served: str, tray: FakeTray, size: tuple[int, int]
) -> None:
    tray.show(scenes()["undeclared"])
    new = look(f"{served}/", size)
    new.evaluate(WIDEN, LETTERS)
    for before in ("undeclared", "empty"):
        show(new, tray, scenes()[before])
        new.locator(".odds-line" if before == "empty" else "#no-odds:not([hidden])").first.wait_for()
        seen = (wrong_in(layout_of(new), size), wrong_in(in_wide_letters(new), size))
        assert seen == ([], []), f"before the first roll of all: {before}"
    tray.rows, tray.odds_now = ROWS, {"pool": {"p_success": "1/3", "p_success_if_pushed": "1/2"}, "table": None}
    page = look(f"{served}/", size)
    page.evaluate(WIDEN, LETTERS)
    wrong: dict[str, list[str]] = {}
    for turn, (name, body) in enumerate(all_of(scenes()).items()):
        if size not in sample(SIZES, turn):
            continue
        show(page, tray, body)
        measured = layout_of(page)
        reported = [
            *wrong_in(measured, size),
            *measured.hanging,
            *(f"in wide letters: {line}" for line in wrong_in(in_wide_letters(page), size)),
        ]
        if name not in scenes():
            reported += trips(page)
        wrong |= {name: reported} if reported else {}
    assert wrong == {}


@pytest.mark.parametrize("size", [*SIZES, (390, 844)])
@pytest.mark.parametrize("language", languages())
def test_undo_covers_nothing(
    look: Callable[..., Page], served: str, tray: FakeTray, size: tuple[int, int], language: str
) -> None:
    tray.show(scenes()["empty"])
    page = look(f"{served}/?lang={language}", size)
    for number, name in enumerate(("empty", "scored", "awaiting_push", "wrong_push", "resolved"), 1):
        undo = {"id": number, "action": "correct", "label": translate("tray.undo.correct"), "by": None}
        show(page, tray, scenes()[name] | {"undo": undo})
        button = page.get_by_test_id("undo-button")
        button.wait_for()
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        seen = layout_of(page)
        assert (seen.overlaps, seen.spilt) == ((), ()), name
        under = page.evaluate(
            """({ x, y, width, height }) => [...document.querySelectorAll("button, a, select, input, .chip")]
              .filter((node) => node.checkVisibility() && !node.closest(".undo"))
              .map((node) => [node.id || node.className, node.getBoundingClientRect()])
              .filter(([, box]) => box.right > x && box.left < x + width && box.bottom > y && box.top < y + height)
              .map(([name]) => name)""",
            box,
        )
        # On a phone the buttons stay visible above what is scrolled.
        assert under == [] or size == (390, 844), name
    assert trips(page) == []


@pytest.mark.parametrize("language", languages())
def test_on_a_phone_no_die_is_under_the_buttons(
    look: Callable[..., Page], served: str, tray: FakeTray, language: str
) -> None:
    page = look(f"{served}/?lang={language}", (390, 844))
    bodies = {name: body for name, body in scenes().items() if body["dice"]} | {"16 dice": many(16)}
    for body in bodies.values():
        show(page, tray, body)
        page.wait_for_function("""() => {
          const at = (selector) => document.querySelector(selector).getBoundingClientRect();
          return at("#dice").bottom <= at(".actions").top + 1;
        }""")
        assert all(box["width"] >= 44 for chip in page.locator(".chip").all() if (box := chip.bounding_box()))


def test_each_of_48_dice_has_its_value_in_sight_on_the_small_panel(
    look: Callable[..., Page], served: str, tray: FakeTray
) -> None:
    page = look(f"{served}/", SIZES[0])
    show(page, tray, many(48))
    low = page.locator("#dice").bounding_box()
    assert low
    chips = [box for box in (chip.bounding_box() for chip in page.get_by_test_id("die").all()) if box]
    assert len(chips) == 48
    assert all(box["y"] + box["height"] <= low["y"] + low["height"] + 1 for box in chips)
    # Digits of 14 pixels are 2.5 mm high on the panel: 17 arc minutes at half a metre.
    figures = page.locator(".face-value").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().height)"
    )
    assert min(figures) * 0.73 / 1.17 >= 12
    assert page.locator(".plate").count() == 0, "plates would cover the dice in the picture"


def test_a_tap_settles_a_die_in_doubt_and_one_key_all_that_were_read(
    look: Callable[..., Page], served: str, tray: FakeTray
) -> None:
    page = look(f"{served}/", SIZES[0])
    show(page, tray, in_doubt(3))
    strip = page.get_by_test_id("doubts")
    assert strip.get_by_test_id("doubt").count() == 2
    assert "3 more" in strip.inner_text()
    first = strip.locator("[data-doubt-id='1']")
    assert first.inner_text().split("\n")[0] == "6 base"
    why = [translate(key).capitalize() for key in ("page.doubt.maybe", "page.unread.cocked")]
    assert f"{'. '.join(why)}." in first.inner_text()
    # Upright, and as large as its square: the die's own colour surrounds the middle.
    reds = page.locator("[data-crop='1']").evaluate(
        """canvas => {
          const pen = canvas.getContext("2d");
          return [[27, 128], [128, 67], [128, 189], [128, 251]].map(([x, y]) => pen.getImageData(x, y, 1, 1).data[0]);
        }"""
    )
    assert [red > 180 for red in reds] == [False, True, True, False], "a yellow die on a red floor"
    first.get_by_test_id("as-read").click()
    first.wait_for(state="detached")
    assert tray.calls == [DieCorrected(1, 6, "base")]
    page.keyboard.press("Tab")
    page.get_by_test_id("all-as-read").press("Enter")
    page.locator("[data-doubt-id='2']").wait_for(state="detached")
    others = (DieCorrected(2, 1, "base"), DieCorrected(3, 4, "base"), DieCorrected(7, 6, "skill"))
    assert tray.calls[1:] == [DiceCorrected(others)]
    left = strip.get_by_test_id("doubt")
    assert left.count() == 1
    assert left.get_by_test_id("as-read").count() == 0, "nothing was read of it"
    left.get_by_test_id("say-other").click()
    page.locator("#pad-values [data-value='2']").click()
    strip.wait_for(state="hidden")


@pytest.mark.parametrize("language", languages())
def test_no_words_of_a_doubt_are_cut_on_the_small_panel(
    look: Callable[..., Page], served: str, tray: FakeTray, language: str
) -> None:
    page = look(f"{served}/?lang={language}", SIZES[0])
    page.evaluate(WIDEN, LETTERS)
    strip = page.get_by_test_id("doubts")
    wrong: dict[tuple[str, int], list[str]] = {}
    chosen = ((reason, count) for turn, reason in enumerate(Unread) for count in sample((2, 6), turn))
    for reason, count in chosen:
        show(page, tray, at_rest(*[lying(number + 1, "gear", 4, reason) for number in range(count)]))
        seen, wide = layout_of(page), in_wide_letters(page)
        reported = [*wrong_in(seen), *(f"in wide letters: {line}" for line in wrong_in(wide))]
        if strip.get_attribute("data-brief") is not None:
            reported.append("the reason is not said")
        wrong |= {(reason, count): reported} if reported else {}
    assert wrong == {}


@pytest.mark.parametrize("language", languages())
def test_a_doubt_has_its_reason_in_a_window_that_is_made_larger_and_narrow(
    look: Callable[..., Page], served: str, tray: FakeTray, language: str
) -> None:
    page = look(f"{served}/?lang={language}", (1280, 800))
    show(page, tray, at_rest(*[lying(number + 1, "gear", 4, Unread.STACKED) for number in range(6)]))
    for width, height in ((1280, 800), (1920, 1080), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        seen = layout_of(page)
        assert (seen.spilt, seen.overlaps, page.locator("[data-brief]").count()) == ((), (), 0), width


def test_a_doubt_has_its_reason_where_the_picture_comes_back(
    look: Callable[..., Page], served: str, tray: FakeTray
) -> None:
    page = look(f"{served}/?lang=de", (1280, 800))
    for name in ("one leans", "many lean"):
        show(page, tray, bodies_of("push-pool", 19)[name])
        seen = layout_of(page)
        assert (seen.spilt, seen.overlaps) == ((), ()), name


def test_where_no_word_of_a_doubt_has_room_its_reason_is_left_to_the_window(
    look: Callable[..., Page], served: str, tray: FakeTray
) -> None:
    page = look(f"{served}/", SIZES[0])
    show(
        page,
        tray,
        in_doubt(1) | {"dice": [scenes()["unclear"]["dice"][3] | {"unread": "an_unheard_of_reason " * 12}]},
    )
    assert page.locator("[data-brief]").count() == 1
    assert wrong_in(layout_of(page)) == []
    page.get_by_test_id("say-other").click()
    assert "an unheard of reason" in page.locator("#pad-note").inner_text()


def test_of_a_hidden_roll_the_strip_shows_nothing(look: Callable[..., Page], served: str, tray: FakeTray) -> None:
    page = look(f"{served}/", SIZES[0])
    show(page, tray, in_doubt(0))
    tray.show(tray.body | {"hidden": True, "covered": True})
    page.get_by_test_id("doubts").wait_for(state="hidden")
    assert page.locator(".doubts .crop").count() == 0


def test_a_die_that_stays_and_is_taken_is_wrong_at_once(look: Callable[..., Page], served: str, tray: FakeTray) -> None:
    page = look(f"{served}/", SIZES[1])
    body = scenes()["half_picked_up"]
    show(page, tray, body)
    assert page.locator(".mark.kind-wrong").count() == 0
    show(page, tray, body | {"dice": [one | {"picked_up": one["id"] in {1, 3, 4, 6}} for one in body["dice"]]})
    page.locator(".chip.kind-wrong[data-die-id='1']").wait_for()
    assert page.locator(".mark.kind-wrong").get_attribute("data-mark-id") == "1", "it belongs where its outline is"
    assert page.locator(".mark.kind-reroll").count() == 2


PHONES = {"asked": True, "address": "http://tray.local/phone", "phones": []}
PINS = {"player": "314159", "game_master": "271828"}


def test_an_idle_screen_comes_and_goes(look: Callable[..., Page], chromium: Browser, table: Table) -> None:
    for number, (hidden, owner) in enumerate(((False, "Ann"), (True, "Zo"))):
        table.ask("POST", "asked", {"owner": owner, "label": "Notice", "hidden": hidden})
        table.throw((1 + number, "base", 6), (3 + number, "skill", 6))
        table.ask("POST", "reset")
    table.ask("POST", "clocks", {"name": "Storm", "segments": 6, "filled": 2})
    context = chromium.new_context(viewport={"width": 800, "height": 480}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.route("**/api/phones", lambda route: route.fulfill(json=PHONES | {"pins": PINS}))
    page.clock.install()
    page.goto(f"{table.url}/?idle=2")
    shows(page, "empty")
    page.evaluate(WIDEN, LETTERS)
    idle = page.get_by_test_id("idle")

    def wait_until_idle() -> None:
        page.clock.fast_forward(130_000)
        idle.wait_for()

    page.clock.fast_forward(21_000)
    idle.wait_for(state="attached")
    assert not idle.is_visible()
    wait_until_idle()
    rolls = page.get_by_test_id("idle-roll").all_inner_texts()
    assert [line.split("\n") for line in rolls] == [["Zo · Notice", "hidden"], ["Ann · Notice", "2 successes"]]
    assert page.get_by_test_id("idle-clocks").inner_text().startswith("Storm")
    page.get_by_test_id("idle-code").wait_for()
    assert not any(pin in idle.inner_text() for pin in PINS.values())
    wrong: dict[tuple[int, int], list[str]] = {}
    for size in SIZES:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        reported = [*wrong_in(layout_of(page), size), *wrong_in(in_wide_letters(page), size), *trips(page)]
        wrong |= {size: reported} if reported else {}
    assert wrong == {}
    # The touch lands on Throw: it ends the idle screen and presses nothing.
    place = page.get_by_test_id("throw-button").bounding_box()
    assert place
    page.mouse.click(place["x"] + 20, place["y"] + 20)
    idle.wait_for(state="hidden")
    assert table.ask("GET", "state")["state"] == "empty"
    wait_until_idle()
    page.keyboard.press("r")
    idle.wait_for(state="hidden")
    wait_until_idle()
    table.ask("POST", "clocks", {"name": "Alarm", "segments": 4, "filled": 0})
    page.get_by_test_id("idle-clocks").filter(has_text="Alarm").wait_for()
    assert idle.is_visible(), "a clock does not wake it"
    table.ask("POST", "asked", {"owner": "Ann", "label": "Wits"})
    idle.wait_for(state="hidden")
    wait_until_idle()
    assert page.get_by_test_id("idle-next").inner_text() == "Next: Ann: Wits"
    table.throw((1, "base", 6))
    shows(page, "scored")
    idle.wait_for(state="hidden")
    context.close()


BREAKS_OFF = """const real = window.fetch;
window.fetch = (path, ...more) => {
  if (window.isBroken || path !== "/api/frame.jpg?quiet=true&read=true") return real(path, ...more);
  window.isBroken = true;
  const image = new ReadableStream({ pull: (body) => body.error(new TypeError("it broke off")) });
  return Promise.resolve(new Response(image));
};"""
"""As if the network went away once while the picture that was read is on its way."""


def test_a_crop_is_of_the_picture_that_was_read_not_of_a_later_one(
    windows: Windows, served: str, tray: FakeTray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tray, "picture", lambda _width=None: Picture(9, draw([]), 9, (1280, 960)))
    page = windows.lend(SIZES[0], script=BREAKS_OFF)
    page.goto(f"{served}/")
    tray.show(in_doubt(1))
    page.wait_for_function("() => window.isBroken")
    tray.show(in_doubt(0))
    page.locator(".doubts .crop[data-drawn]").first.wait_for()
    is_yellow = """canvas => {
      const [red, green] = canvas.getContext("2d").getImageData(128, 67, 1, 1).data;
      return red > 180 && green > 150 ? canvas.getBoundingClientRect().width : -red;
    }"""
    page.locator("[data-doubt-id='4']").get_by_test_id("say-other").click()
    pad = page.locator("#pad-crop[data-drawn]")
    pad.wait_for()
    assert pad.evaluate(is_yellow) >= 200
    assert page.locator(".doubts [data-crop='4']").evaluate(is_yellow) >= 90
    tray.show(tray.body | {"covered": True})
    pad.wait_for(state="hidden")
    assert windows.failures == []
