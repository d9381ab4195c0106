"""How many taps an evening's usual errands take, from the display or a player's own page; a choice in a list is two."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

from device.config.settings import with_overrides
from device.config.settings_service import SettingsSource
from device.runtime.source import CameraSetup
from tests.conftest import BlindWatch, StillCamera
from tests.web.ports import free_port
from tests.web.resting import Table, shows
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PANEL, PHONE = (800, 480), (390, 844)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    file = tmp_path / "settings.toml"
    file.touch()
    override = partial(with_overrides, camera="usb:0", data=tmp_path / "data", port=free_port())
    made = Table(tmp_path, CameraSetup(StillCamera(), None, BlindWatch()), SettingsSource(file, override))
    yield made
    made.app.stop()


class Finger:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    def tap(self, target: str | Locator) -> None:
        (self.page.locator(target) if isinstance(target, str) else target).first.click()
        self.taps += 1

    def choose(self, target: str, value: str) -> None:
        self.page.locator(target).select_option(value)
        self.taps += 2


def let_a_phone_in(finger: Finger, _table: Table) -> None:
    page = finger.page
    finger.tap(".menu [data-section=players]")
    finger.tap(page.get_by_role("link", name="Phones"))
    finger.tap(page.get_by_test_id("let-in"))
    finger.tap(page.get_by_test_id("confirm"))
    page.get_by_test_id("player-pin").wait_for()


def be_a_player(finger: Finger, table: Table) -> None:
    finger.page.goto(f"{table.url}/me")
    finger.page.get_by_test_id("my-name").fill("Mira")
    finger.tap(finger.page.get_by_test_id("name-go"))
    finger.page.get_by_test_id("new-sheet").wait_for()


def find_the_statistics(finger: Finger, _table: Table) -> None:
    finger.tap(".menu [data-section=statistics]")
    finger.page.wait_for_url("**/statistics")


def roll_a_skill(finger: Finger, table: Table) -> None:
    page = finger.page
    be_a_player(finger, table)
    page.get_by_test_id("new-sheet").click()
    page.get_by_test_id("sheet").wait_for()
    finger.taps = 0
    finger.tap(page.locator(".roll-key", has_text="Fight"))
    page.wait_for_url("**/phone")
    assert table.ask("GET", "state")["asked"]["label"] == "Strength + Fight"


def correct_a_die(finger: Finger, table: Table) -> None:
    table.throw((1, "base", 6), (2, "base", 3))
    shows(finger.page, "scored")
    finger.tap("[data-die-id='2']")
    finger.tap("#pad-values [data-value='6']")
    finger.page.locator("[data-die-id='2'][data-value='6']").wait_for()


def undo_a_reset(finger: Finger, table: Table) -> None:
    table.throw((1, "base", 6), (2, "base", 3))
    shows(finger.page, "scored")
    finger.page.locator("#reset").click()
    shows(finger.page, "empty")
    finger.tap(finger.page.get_by_test_id("undo-button"))
    shows(finger.page, "scored")


def change_the_rules(finger: Finger, _table: Table) -> None:
    finger.choose("#system", "die-code")
    finger.page.wait_for_function("() => document.querySelector('#system').value === 'die-code'")


ERRANDS = [
    (let_a_phone_in, PANEL, 4),
    (be_a_player, PHONE, 1),
    (find_the_statistics, PANEL, 1),
    (roll_a_skill, PHONE, 2),
    (correct_a_die, PANEL, 2),
    (undo_a_reset, PANEL, 1),
    (change_the_rules, PANEL, 2),
]


@pytest.mark.parametrize(("errand", "size", "most"), ERRANDS, ids=lambda one: getattr(one, "__name__", ""))
def test_an_errand_takes_few_taps(
    windows: Windows, table: Table, errand: Callable[[Finger, Table], None], size: tuple[int, int], most: int
) -> None:
    finger = Finger(windows.lend(size))
    finger.page.goto(f"{table.url}/")
    shows(finger.page, "empty")
    errand(finger, table)
    print(f"{errand.__name__}: {finger.taps}")
    assert finger.taps <= most
