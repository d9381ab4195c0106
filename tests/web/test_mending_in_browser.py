"""Deliberate mistakes are fixed in a real browser, by the button that the simulated tray offers."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from device.app import TrayApp
from device.config.settings import Settings
from tests.web.playing import WAIT_MS, eager_setup, roll_until, state_of, throw, wait_state
from tests.web.ports import free_port
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PRESS_UNTIL_RESOLVED = """() => {
  const mend = document.querySelector("[data-testid=mend-button]");
  if (mend.checkVisibility() && !mend.disabled) mend.click();
  return document.body.dataset.state === "resolved";
}"""


@pytest.fixture
def played(tmp_path: Path) -> Iterator[TrayApp]:
    plain = Settings()
    settings = replace(
        plain, tray=replace(plain.tray, camera="simulated", data=tmp_path), web=replace(plain.web, port=free_port())
    )
    app = TrayApp(settings, eager_setup(settings))
    app.start()
    yield app
    app.stop()


@pytest.fixture
def api(played: TrayApp) -> Iterator[httpx.Client]:
    with httpx.Client(verify=False, base_url=played.url) as client:
        yield client


@pytest.fixture
def page(windows: Windows, played: TrayApp) -> Page:
    page = windows.lend((800, 480))
    page.set_default_timeout(WAIT_MS)
    page.goto(played.url)
    return page


def test_a_wrong_push_ends_well(page: Page, api: httpx.Client) -> None:
    mend = page.get_by_test_id("mend-button")

    def some_stay_and_two_go(state: dict[str, Any]) -> bool:
        return bool(state["push"]["locked"]) and len(state["push"]["must_reroll"]) > 1

    def declare() -> None:
        api.put("/api/pool", json={"base": 3, "skill": 2}).raise_for_status()

    wait_state(page, "empty")
    first = roll_until(page, api, some_stay_and_two_go, declare, seed=27)
    assert not mend.is_visible()
    page.get_by_test_id("push-button").click()
    wait_state(page, "awaiting_push")
    assert not mend.is_visible()
    page.locator("#hand").select_option("locked_die_rerolled")
    throw(page, 28)
    mend.wait_for()
    assert state_of(api)["mend"]["kind"] == "turn_back"
    assert mend.inner_text() == state_of(api)["mend"]["text"]
    assert not page.locator("#hand").is_visible()
    # A die that is thrown in may lean, and a locked one returns with any face: the tray reports each in turn.
    page.wait_for_function(PRESS_UNTIL_RESOLVED)
    assert not mend.is_visible()
    state = state_of(api)
    faces = [Counter((die["colour"], die["value"]) for die in one["dice"] if die["locked"]) for one in (first, state)]
    assert faces[0] <= faces[1]
    assert Counter(die["colour"] for die in state["dice"]) == Counter(base=3, skill=2)
