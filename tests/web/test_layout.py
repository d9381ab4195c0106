"""Pages in every language lie in their window as in English: nothing sticks out, overlaps, or scrolls that did not."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from device.runtime.source import CameraSetup
from device.texts.catalogue import ENGLISH, languages
from rules.facts import JsonValue
from rules.system import find_system, systems
from tests.conftest import BlindWatch, StillCamera
from tests.web.conftest import FakeTray
from tests.web.layout import Layout, layout_of
from tests.web.resting import Table, set_up, shows, walk

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

OTHERS = [code for code in languages() if code != ENGLISH]
SIZES = [(800, 480), (1280, 800), (1920, 1080), (390, 844)]
SMALL = [(800, 480), (390, 844)]
"""Where room is scarce: windows and longer pages are looked at there."""
ROWS = [
    {
        "id": number,
        "at": "2030-01-01T10:00:00Z",
        "kind": "corrected",
        "dice": [{"id": 1, "colour": "gear", "value": 6, "read_value": 5}, {"id": 2, "colour": None, "value": 2}],
        "outcome": {"headline": {"value": 1, "word": "success"}, "trauma": 1},
    }
    for number in range(30)
]
POOL: dict[str, JsonValue] = {"base": 5, "skill": 2, "gear": 1, "negative": 0}


def size_name(size: tuple[int, int]) -> str:
    return "{}x{}".format(*size)


@pytest.fixture
def look(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a window of some size, in a language."""
    contexts = []

    def opened(url: str, size: tuple[int, int], language: str) -> Page:
        context = chromium.new_context(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.goto(url if language == ENGLISH else f"{url}?lang={language}")
        return page

    yield opened
    for context in contexts:
        context.close()


def wrong_in(looks: dict[str, dict[str, Layout]]) -> str:
    """What is wrong on pages that were looked at, by language and by name: a line each."""
    wrong = []
    for language, named in looks.items():
        for name, seen in named.items():
            more = sorted(seen.held - looks[ENGLISH][name].held)
            wrong += [f"{language} {name}: {told}" for told in (*seen.spilt, *seen.overlaps)]
            wrong += [f"{language} {name}: holds more than it shows, and does not in English: {told}" for told in more]
    return "\n".join(wrong)


@pytest.mark.parametrize(
    "screen",
    [*(("/", size) for size in SIZES), *(("/overlay", size) for size in SIZES[1:3])],
    ids=lambda screen: f"{screen[0]}-{size_name(screen[1])}",
)
def test_every_state(
    look: Callable[..., Page],
    served: str,
    tray: FakeTray,
    all_scenes: dict[str, Any],
    screen: tuple[str, tuple[int, int]],
) -> None:
    path, size = screen
    tray.rows = ROWS
    tray.odds_now = {"pool": find_system("push-pool").odds({"rulings": {}, "pool": POOL}), "table": None}
    looks: dict[str, dict[str, Layout]] = {}
    for language in (ENGLISH, *OTHERS):
        page, looks[language] = look(served + path, size, language), {}
        for name, body in all_scenes.items():
            tray.show(body)
            shows(page, body["state"])
            if path == "/":
                page.get_by_test_id("history-row").first.wait_for(state="attached")
                page.locator(".odds-line").first.wait_for(state="attached")
            looks[language][name] = layout_of(page)
    assert wrong_in(looks) == ""


@pytest.mark.parametrize("size", SMALL, ids=size_name)
def test_windows_over_the_display(
    look: Callable[..., Page], served: str, tray: FakeTray, all_scenes: dict[str, Any], size: tuple[int, int]
) -> None:
    looks: dict[str, dict[str, Layout]] = {}
    for language in (ENGLISH, *OTHERS):
        tray.show(all_scenes["unclear"])
        page, looks[language] = look(f"{served}/phone", size, language), {}
        shows(page, "unclear")
        page.locator("[data-die-id='4']").click()
        looks[language]["pad"] = layout_of(page)
        page.locator("#pad-close").click()
        page.locator("#help-button").click()
        looks[language]["help"] = layout_of(page)
        page.locator("#help-close").click()
        tray.show(all_scenes["scored"] | {"ignored_dice": [all_scenes["scored"]["dice"][0]]})
        shows(page, "scored")
        page.locator("#setup-button").click()
        looks[language]["setup"] = layout_of(page)
    assert wrong_in(looks) == ""


@pytest.fixture
def new_table(
    tmp_path: Path, still_camera: type[StillCamera], blind_watch: type[BlindWatch]
) -> Iterator[Callable[[], Table]]:
    """Starts a whole tray that nothing has happened to."""
    made: list[Table] = []

    def start() -> Table:
        made.append(Table(tmp_path / str(len(made)), CameraSetup(still_camera(), None, blind_watch())))
        return made[-1]

    yield start
    for table in made:
        table.app.stop()


@pytest.mark.parametrize("size", SMALL, ids=size_name)
@pytest.mark.parametrize("system", [system.id for system in systems()])
def test_every_system_with_its_windows_sheets_and_rulings(
    look: Callable[..., Page], new_table: Callable[[], Table], system: str, size: tuple[int, int]
) -> None:
    looks: dict[str, dict[str, Layout]] = {language: {} for language in (ENGLISH, *OTHERS)}

    def note(page: Page, language: str, name: str) -> None:
        looks[language][name] = layout_of(page)

    for language in looks:
        table = new_table()
        set_up(table, system)
        page = look(table.url, size, language)
        walk(page, table, system, partial(note, page, language), language)
    assert wrong_in(looks) == ""


@pytest.mark.parametrize("size", SIZES, ids=size_name)
def test_further_pages(look: Callable[..., Page], new_table: Callable[[], Table], size: tuple[int, int]) -> None:
    table = new_table()
    looks: dict[str, dict[str, Layout]] = {}
    for language in (ENGLISH, *OTHERS):
        looks[language] = {}
        for path, there in (("/docs", ".path"), ("/sheets", "main"), ("/rulings", "[data-ruling]")):
            page = look(table.url + path, size, language)
            page.locator(there).first.wait_for()
            looks[language][path] = layout_of(page)
    assert wrong_in(looks) == ""


HARMS = [
    ("#setup-button').style.cssText = 'width: 30px; padding: 0; white-space: nowrap", "div.tools > #setup-button"),
    ("#headline').style.marginBottom = '-60px", " | "),
    ("main').style.width = '900px", "x html"),
    ("#seed').placeholder = 'something that does not fit into it", "cut off label.field.seed-field > #seed"),
    ("#lead').style.cssText = 'white-space: nowrap; letter-spacing: 2em", "out of #result > div.says"),
]


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm[1])
def test_what_lies_wrong_is_found(
    look: Callable[..., Page],
    served: str,
    tray: FakeTray,
    scene: Callable[[str], dict[str, Any]],
    harm: tuple[str, str],
) -> None:
    tray.show(scene("awaiting_push"))
    page = look(f"{served}/", SMALL[0], ENGLISH)
    shows(page, "awaiting_push")
    seen = [layout_of(page)]
    page.evaluate(f"() => {{ document.querySelector('{harm[0]}'; }}")
    seen.append(layout_of(page))
    told = [[one for one in (*each.held, *each.spilt, *each.overlaps) if harm[1] in one] for each in seen]
    assert told[0] == []
    assert told[1] != []
