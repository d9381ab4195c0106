"""Every page in every state, with each of its windows open.

In every language its layout is as in English: nothing overflows, overlaps, or scrolls that did not. And in one language
axe-core finds nothing, light and dark. The layout depends on style sheets only, so each page is opened once and
measured in one size after the other.

A run takes a sample: of each state, window and page half the sizes and one screen, between them all; each system in one
language. With PUSHTRAY_SWEEP=full it takes all of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

from device.runtime.source import CameraSetup
from device.texts.catalogue import ENGLISH, languages
from rules.facts import JsonValue
from rules.system import find_system, systems
from tests.conftest import BlindWatch, StillCamera
from tests.web.accessible import trips
from tests.web.conftest import FakeTray, scene, scenes
from tests.web.layout import Layout, layout_of
from tests.web.loading import FRAMES, settle
from tests.web.pages import PAGES
from tests.web.preferences import unmet, unseen_focus
from tests.web.resting import Table, set_up, shows, walk
from tests.web.sampling import IS_FULL, sample
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900 if IS_FULL else 300)]

Size = tuple[int, int]
Scheme = Literal["light", "dark"]
Screen = tuple[Scheme, Size]

ALL_LANGUAGES = [ENGLISH, *(code for code in languages() if code != ENGLISH)]
SIZES: list[Size] = [(800, 480), (1280, 800), (1920, 1080), (390, 844)]
SMALL: list[Size] = [(800, 480), (390, 844)]
"""Small sizes, in which windows and longer pages are measured."""
SCREENS: list[Screen] = [
    ("dark", (1280, 800)),
    ("light", (1280, 800)),
    ("light", (800, 480)),
    ("dark", (390, 844)),
]
DRAWN = {
    "/": ".face",
    "/overlay": ".face",
    "/phone": ".face",
    "/gm": ".mini",
    "/history": ".mini",
    "/rulings": ".swatch",
}
"""Where a page draws dice, and as what."""
STOPS = 8
"""Number of keyboard stops on each page."""
DESK_AND_PHONE = [SCREENS[1], SCREENS[3]]
ROWS = [
    {
        "id": number,
        "at": "2030-01-01T10:00:00Z",
        "kind": "corrected",
        "system": "push-pool",
        "dice": [{"id": 1, "colour": "gear", "value": 6, "read_value": 5}, {"id": 2, "colour": None, "value": 2}],
        "outcome": {"headline": {"value": 1, "word": "success"}, "trauma": 1},
    }
    for number in range(30)
]
POOL: dict[str, JsonValue] = {"base": 5, "skill": 2, "gear": 1, "negative": 0}
TABLE_ODDS = {"p_success": "2/3", "p_trauma_at_least": {"1": "1/2"}}


@dataclass
class Looks:
    """The results of pages, in several sizes and languages.

    Attributes:
        sizes: Sizes in which the layout is measured.
        screens: Screens on which accessibility is checked, in one language.
        language: That language.
    """

    sizes: list[Size]
    screens: list[Screen]
    language: str = ENGLISH
    _seen: dict[str, dict[str, Layout]] = field(default_factory=dict)
    _trips: list[str] = field(default_factory=list)
    _named: list[str] = field(default_factory=list)

    def note(self, page: Page, language: str, name: str) -> None:
        """Check a page as it is; it is left in the light scheme and in its size."""
        at = page.viewport_size
        assert at is not None
        settle(page)
        before = (at["width"], at["height"])
        if name not in self._named:
            self._named.append(name)
        turn = self._named.index(name)
        sizes = sample(self.sizes, turn, -(-len(self.sizes) // 2))
        screens = sample(self.screens, turn) if language == self.language else []
        for_wishes = screens[-1] if screens else None
        looked: set[Size] = set()
        now: Scheme = "light"
        for size, schemes in self._route(before, sizes, screens):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            for scheme in sorted(schemes, key=lambda one: one != now):
                if scheme != now:
                    page.emulate_media(color_scheme=scheme)
                    # A page's script receives the change in the first, and its colours follow in the second.
                    page.evaluate(FRAMES)
                    now = scheme
                if scheme == "light" and size in sizes:
                    self._seen.setdefault(language, {})["{} {}x{}".format(name, *size)] = layout_of(page)
                if (scheme, size) in screens:
                    # In another scheme the same elements have only other colours.
                    found = trips(page, only_colours=size in looked)
                    self._trips += [f"{name} {scheme} {size}: {told}" for told in found]
                    looked.add(size)
                if (scheme, size) == for_wishes:
                    self._trips += [f"{name}: {told}" for told in unmet(page)]
        if now != "light":
            page.emulate_media(color_scheme="light")
        if page.viewport_size != at:
            page.set_viewport_size(at)

    @staticmethod
    def _route(before: Size, sizes: list[Size], screens: list[Screen]) -> list[tuple[Size, set[Scheme]]]:
        """Return the schemes in which a page is checked, size by size.

        Resizing or darkening a window costs as much as a check: each size is taken once, the dark checks follow each
        other, and the window's own size comes last.
        """
        schemes: dict[Size, set[Scheme]] = {size: {"light"} for size in sizes}
        for scheme, size in screens:
            schemes.setdefault(size, set()).add(scheme)
        return sorted(schemes.items(), key=lambda one: (one[0] == before, "dark" not in one[1]))

    def wrong(self) -> str:
        """Return a line for each thing that is wrong."""
        lines = list(self._trips)
        for language, named in self._seen.items():
            for name, seen in named.items():
                # Without a check in English its scrolling parts are unknown; everything else is wrong in any case.
                more = sorted(seen.held - self._seen.get(ENGLISH, named)[name].held)
                lines += [f"{language} {name}: {told}" for told in (*seen.spilt, *seen.overlaps, *seen.hanging)]
                lines += [
                    f"{language} {name}: holds more than it shows, and does not in English: {told}" for told in more
                ]
        return "\n".join(lines)


@pytest.fixture
def look(windows: Windows) -> Callable[..., Page]:
    """Open a page in a language, in a window of some size."""

    def opened(url: str, language: str, size: Size = SMALL[0]) -> Page:
        page = windows.lend(size)
        page.goto(url if language == ENGLISH else f"{url}?lang={language}")
        return page

    return opened


@pytest.mark.parametrize("path", ["/", "/overlay"])
def test_every_state(look: Callable[..., Page], served: str, tray: FakeTray, path: str) -> None:
    tray.rows = ROWS
    tray.odds_now = {"pool": find_system("push-pool").odds({"rulings": {}, "pool": POOL}), "table": TABLE_ODDS}
    looks = Looks(SIZES if path == "/" else SIZES[1:3], SCREENS)
    for language in ALL_LANGUAGES:
        page = look(served + path, language)
        for name, body in scenes().items():
            tray.show(body)
            shows(page, body["state"])
            if path == "/":
                page.get_by_test_id("history-row").first.wait_for(state="attached")
                page.locator(".odds-line").first.wait_for(state="attached")
            looks.note(page, language, name)
    assert looks.wrong() == ""


def test_windows_over_the_display(look: Callable[..., Page], served: str, tray: FakeTray) -> None:
    looks = Looks(SMALL, SCREENS)
    for size, language in zip(cycle(SMALL), ALL_LANGUAGES, strict=False):
        tray.refuse_with = None
        tray.show(scenes()["unclear"])
        page = look(f"{served}/phone", language, size)
        shows(page, "unclear")
        # The strip of doubtful dice comes late and moves what is below it: an earlier click may miss.
        page.get_by_test_id("doubts").wait_for()
        page.locator("[data-die-id='4']").click()
        page.locator("#pad-close").wait_for()
        looks.note(page, language, "pad")
        page.locator("#pad-close").click()
        if page.locator("#menu-button").is_visible():
            page.locator("#menu-button").click()
        page.locator(".menu [data-section=help]").click()
        looks.note(page, language, "help")
        page.locator("#help-close").click()
        tray.show(scenes()["scored"] | {"ignored_dice": [scenes()["scored"]["dice"][0]]})
        shows(page, "scored")
        page.locator("#setup-button").click()
        looks.note(page, language, "setup")
        page.locator("#setup-button").click()
        tray.refuse_with = "already_pushed"
        page.get_by_test_id("push-button").click()
        page.locator("#toast").wait_for()
        looks.note(page, language, "toast")
    assert looks.wrong() == ""


def test_a_page_that_does_not_hear_the_tray(
    look: Callable[..., Page], served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.web.core.places.Places.take", lambda _, caller: None)
    looks = Looks([], SCREENS[:1])
    page = look(served, ENGLISH)
    for path in ("/", "/sheets", "/rulings"):
        page.goto(served + path)
        page.locator("#lost").wait_for()
        looks.note(page, ENGLISH, path)
    assert looks.wrong() == ""


@pytest.fixture
def new_table(tmp_path: Path) -> Iterator[Callable[[], Table]]:
    """Start a whole tray without any events."""
    made: list[Table] = []

    def start() -> Table:
        made.append(Table(tmp_path / str(len(made)), CameraSetup(StillCamera(), None, BlindWatch())))
        return made[-1]

    yield start
    for table in made:
        table.app.stop()


@pytest.mark.parametrize("system", [system.id for system in systems()])
def test_every_system_with_its_windows_sheets_and_rulings(
    look: Callable[..., Page], new_table: Callable[[], Table], system: str
) -> None:
    turn = [one.id for one in systems()].index(system)
    languages_of = sample(ALL_LANGUAGES, turn)
    looks = Looks(SMALL, DESK_AND_PHONE, languages_of[0])
    for size, language in zip(cycle(SMALL), languages_of, strict=False):
        table = new_table()
        set_up(table, system)
        page = look(table.url, language, size)
        walk(page, table, system, partial(looks.note, page, language), language)
    assert looks.wrong() == ""


def test_further_pages(look: Callable[..., Page], new_table: Callable[[], Table]) -> None:
    table = new_table()
    docs, others = Looks(SIZES, SCREENS), Looks(SIZES, [])
    for language in ALL_LANGUAGES:
        page = look(table.url, language)
        for path, there in (("/docs", ".path"), ("/sheets", "[data-testid=new-sheet]"), ("/rulings", "[data-ruling]")):
            page.goto(f"{table.url}{path}?lang={language}")
            page.locator(there).first.wait_for()
            (docs if path == "/docs" else others).note(page, language, path)
    assert (docs.wrong(), others.wrong()) == ("", "")


def test_every_page_shows_the_focus_and_meets_the_systems_wishes(
    look: Callable[..., Page], new_table: Callable[[], Table]
) -> None:
    table = new_table()
    table.throw((1, "base", 6), (2, "base", 1), (3, "skill", 4), (4, "gear", 2))
    wrong: dict[str, list[str]] = {}
    page = look(table.url, ENGLISH)
    for path in PAGES:
        page.goto(table.url + path)
        page.locator(DRAWN.get(path, "main")).first.wait_for()
        told = [*unmet(page), *([] if path == "/overlay" else unseen_focus(page, STOPS))]
        wrong |= {path: told} if told else {}
    assert wrong == {}


HARMS = [
    ("#setup-button", "width: 20px; min-width: 0; padding: 0; white-space: nowrap", "div.tools > #setup-button"),
    ("#headline", "margin-bottom: -60px", " | "),
    ("main", "width: 900px", "x html"),
    ("#seed", "placeholder: something that does not fit into it", "cut off label.field.seed-field > #seed"),
    ("#lead", "white-space: nowrap; letter-spacing: 2em", "out of #result > div.says"),
]


HARM = """([selector, harm]) => {
  const node = document.querySelector(selector);
  window.harmed = [node, [...node.attributes].map(({ name, value }) => [name, value])];
  harm.startsWith("placeholder: ") ? (node.placeholder = harm.slice(13)) : (node.style.cssText += `; ${harm}`);
}"""
MEND = """() => {
  const [node, attributes] = window.harmed;
  for (const { name } of [...node.attributes]) node.removeAttribute(name);
  for (const [name, value] of attributes) node.setAttribute(name, value);
}"""


def test_what_lies_wrong_is_found(look: Callable[..., Page], served: str, tray: FakeTray) -> None:
    tray.show(scene("awaiting_push"))
    page = look(f"{served}/", ENGLISH)
    shows(page, "awaiting_push")
    for *harm, wanted in HARMS:
        seen = [layout_of(page)]
        page.evaluate(HARM, harm)
        seen.append(layout_of(page))
        page.evaluate(MEND)
        told = [[one for one in (*each.held, *each.spilt, *each.overlaps) if wanted in one] for each in seen]
        assert told[0] == [], wanted
        assert told[1] != [], wanted


NEGLECTS = [
    (".menu a", "outline: none", "no sign of the focus: a"),
    ("#setup-button", "border: 0", "no edge: #setup-button"),
    (".face", "forced-color-adjust: auto", "painted over: svg.face"),
    (":root", "--soft: gray", "contrast of"),
    (".face", "animation: march 1s infinite", "moves: march"),
]
"""The first is the keyboard's first stop, from which it continues."""


def test_a_wish_that_is_not_met_is_found(look: Callable[..., Page], served: str, tray: FakeTray) -> None:
    tray.show(scene("scored"))
    page = look(f"{served}/", ENGLISH)
    page.locator(".face").first.wait_for()
    for *neglect, wanted in NEGLECTS:
        page.evaluate(HARM, neglect)
        told = [*unmet(page), *unseen_focus(page, 2)]
        page.evaluate(MEND)
        assert any(wanted in one for one in told), told
        assert len({one.partition(":")[0] for one in told}) == 1
    assert [*unmet(page), *unseen_focus(page, 2)] == []
