"""Whatever is in the tray, nothing on the display is cut off, needs scrolling, or overlaps; picture and buttons stay.

Real states of every system, with 1 to 20 dice, on every size of screen, in every language, measured by the browser's
boxes. A run takes a sample: each state of each system on three screens, and between the systems every screen in every
language. With PUSHTRAY_SWEEP=full it takes all of them, which lasts half an hour.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page

from device.texts.catalogue import languages
from rules.system import systems
from tests.narrowing import english
from tests.web.conftest import FakeTray
from tests.web.layout import layout_of
from tests.web.real_states import bodies_of
from tests.web.sampling import IS_FULL, sample
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(7200 if IS_FULL else 300)]

SIZES = [(800, 480), (1024, 600), (1280, 800), (1920, 1080), (390, 844), (360, 640)]
PHONES = SIZES[-2:]
VIEWS = list(product(SIZES, languages()))
MAX_DICE = 20
MIN_DIE_PX = 28
"""Edge of the smallest die that a display may show, in pixels."""
STANDS = """([state, title, dice]) =>
  document.body?.dataset.state === state && document.querySelectorAll(".chip").length === dice
  && document.getElementById("headline").textContent !== ""
  && (!document.querySelector(".chip.kind-unread") || document.querySelector(".doubts:not([hidden])"))
  && (!title || document.getElementById("headline").textContent === title)"""
SMALL = """least => [...document.querySelectorAll(".chip .face")]
  .map(node => node.getBoundingClientRect()).filter(({ width, height }) => width < least || height < least).length"""

PICTURE = """([wide, high, edge]) => {
  const found = [];
  const stage = document.getElementById("stage").getBoundingClientRect();
  const end = Math.min(innerHeight, document.querySelector(".actions").getBoundingClientRect().top) + 1;
  if (stage.width < wide || stage.height < high) found.push(`the picture is ${stage.width} x ${stage.height}`);
  if (stage.top < 0 || stage.bottom > end) found.push(`the picture ends at ${stage.bottom}`);
  const inDoubt = document.querySelector(".chip:is(.kind-unread, .kind-wrong)") !== null;
  if (inDoubt !== (document.querySelector(".dim") !== null)) found.push("the dice in question are not shown close up");
  for (const mark of document.querySelectorAll(".mark:is(.kind-unread, .kind-wrong) .outline")) {
    const box = mark.getBoundingClientRect();
    const isAcross = box.left >= stage.left && box.right <= stage.right;
    const isIn = isAcross && box.top >= stage.top && box.bottom <= stage.bottom;
    if (!isIn || box.width < edge) found.push(`a die in question is not shown: ${box.width}`);
  }
  return found;
}"""
"""What is wrong with the picture, which has to be seen without scrolling, with the dice in question close up."""
MIN_PICTURE_PX = {PHONES[0]: (150, 110), PHONES[1]: (140, 100), (800, 480): (180, 140), (1024, 600): (180, 140)}
BUTTONS = """() => JSON.stringify([...document.querySelectorAll(".buttons > button:not([hidden])")].map((node) => {
  const { x, y, width, height } = node.getBoundingClientRect();
  return [node.id, ...[x, y, width, height].map(Math.round)];
}))"""


def chosen(system: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Return the states to check: all of them, or each once, with another number of dice than the previous one."""
    counts = range(1, MAX_DICE + 1) if IS_FULL else (MAX_DICE, 8, 13)
    bodies = {count: bodies_of(system, count) for count in counts}
    for turn, name in enumerate(bodies[MAX_DICE]):
        for count in sample(counts, turn):
            if name in bodies[count]:
                yield count, name, bodies[count][name]
    # It has the least room of all.
    yield MAX_DICE, "one leans", bodies[MAX_DICE]["one leans"]


def wrong_on(page: Page, size: tuple[int, int]) -> list[str]:
    seen = layout_of(page)
    # Small panels fold the history and the odds to a line each.
    folded = {"y span.history-dice", "y #odds"} if size in SIZES[:2] else set()
    scrolled = {"y #history"} | ({"y html"} if size in PHONES else folded)
    small = page.evaluate(SMALL, MIN_DIE_PX)
    pictured = page.evaluate(PICTURE, [*MIN_PICTURE_PX.get(size, (380, 285)), 12])
    lines = [*pictured, *sorted(seen.held - scrolled), *seen.spilt, *seen.overlaps, *seen.hanging]
    return [*lines, *([f"{small} dice are smaller than {MIN_DIE_PX} px"] if small else [])]


@pytest.mark.parametrize("system", [system.id for system in systems()])
def test_nothing_is_cut_or_overlaps(windows: Windows, served: str, tray: FakeTray, system: str) -> None:
    tray.rows = [
        {
            "id": number,
            "roll": number,
            "at": "2030-01-01T10:00:00Z",
            "kind": "scored",
            "system": system,
            "owner": "Mira",
            "dice": [
                {"id": at, "colour": "base", "role": "base", "value": at % 6 + 1, "mark": "counted"}
                for at in range(MAX_DICE)
            ],
            "outcome": {"headline": {"value": 3, "word": "successes"}},
        }
        for number in range(20, 1, -1)
    ]
    pages = []
    for size, language in sample(VIEWS, [one.id for one in systems()].index(system), 3):
        page = windows.lend(size)
        page.goto(f"{served}/?lang={language}")
        page.get_by_test_id("history-row").first.wait_for(state="attached")
        pages.append((language, size, page))
    wrong: list[str] = []
    places: dict[Page, dict[str, str]] = {page: {} for *_, page in pages}
    for count, name, body in chosen(system):
        tray.show(body)
        for language, size, page in pages:
            title = str(english(body["display"]["title"])).rstrip(".") if language == "en" else ""
            page.wait_for_function(STANDS, arg=[body["state"], title, len(body["dice"])])
            named = "{} {} {} {}x{}".format(name, count, language, *size)
            wrong += [f"{named}: {line}" for line in wrong_on(page, size)]
            places[page].setdefault(page.evaluate(BUTTONS), named)
    wrong += [f"buttons at {places[page]}" for *_, page in pages if len(places[page]) > 1]
    assert "\n".join(wrong) == ""
