"""The settings page and the first start in a real browser, on a whole tray, on a small panel and a phone."""

import json
import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page

from device.config.settings import with_overrides
from device.config.settings_service import SettingsSource
from device.runtime.source import CameraSetup
from device.runtime.update import Updates
from device.texts.catalogue import translate
from tests.conftest import BlindWatch, StillCamera
from tests.web.accessible import trips
from tests.web.ports import free_port
from tests.web.resting import Table, shows
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser]

PANEL, PHONE = (800, 480), (390, 844)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text('[log]\nlevel = "info" # quiet\n')
    return path


@pytest.fixture
def table(tmp_path: Path, file: Path) -> Iterator[Table]:
    override = partial(with_overrides, camera="usb:0", data=tmp_path / "data", port=free_port())
    made = Table(tmp_path, CameraSetup(StillCamera(), None, BlindWatch()), SettingsSource(file, override))
    yield made
    made.app.stop()


@pytest.fixture
def page(windows: Windows) -> Page:
    return windows.lend()


def is_well(page: Page, *, everywhere: bool = False) -> bool:
    """Check that nothing overflows sideways on either screen, and that axe finds nothing on the smaller or on both."""
    for width, height in (PHONE, PANEL):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if everywhere or width == PHONE[0]:
            assert trips(page) == []
    return True


def test_a_newer_version_is_looked_for_shown_and_installed_on_the_page(
    page: Page, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    wish, state = tmp_path / "update", tmp_path / "state.json"

    def becomes(name: str, **more: object) -> None:
        state.write_text(
            json.dumps({"state": name, "version": "0.2.0", "changes": {}, "code": "", "detail": ""} | more)
        )

    (tmp_path / "source").touch()
    environment = {"RUNTIME_DIRECTORY": str(tmp_path)}
    monkeypatch.setattr(
        "device.parts.settings.Updates", partial(Updates, environment, source=tmp_path / "source", state=state)
    )
    table: Table = request.getfixturevalue("table")
    page.goto(f"{table.url}/settings")
    page.get_by_test_id("update-look").click()
    page.get_by_test_id("update-state").wait_for()
    assert wish.read_text() == "look"
    becomes("found", changes={"Fixed": ["A thing <b>that</b> was wrong.", "Another."]})
    page.locator("[data-testid=update] li", has_text="A thing <b>that</b> was wrong.").wait_for()
    assert is_well(page)
    page.get_by_test_id("update-install").click()
    page.get_by_test_id("update-install").wait_for(state="detached")
    assert wish.read_text() == "install 0.2.0"
    becomes("failed", code="went_back", detail="the tray does not start")
    page.get_by_test_id("update-failed").filter(has_text=translate("page.settings.update.failed.went_back")).wait_for()
    assert is_well(page)


def test_a_table_changes_its_settings(page: Page, table: Table, file: Path) -> None:
    page.goto(f"{table.url}/settings")
    fps = page.locator("[data-key='usb.fps']")
    page.locator("[data-group=camera] > summary, [data-group=usb] > summary").first.click()
    fps.locator("input").fill("90")
    fps.locator("input").press("Enter")
    fps.locator(".wrong", has_text=translate("settings.wrong.between", value="90", low="5", high="60")).wait_for()
    assert "fps" not in file.read_text()
    assert is_well(page, everywhere=True)
    fps.get_by_role("button", name=translate("page.settings.take", value=60)).click()
    page.get_by_test_id("restart").filter(has_text=translate("page.settings.restart_for", count=1)).wait_for()
    fps.locator(".wrong").wait_for(state="hidden")
    fps.filter(has_text=translate("page.settings.pending", value=30)).wait_for()
    # The long explanation unfolds, and a search leaves what matches.
    page.locator("[data-key='usb.exposure'] summary").click()
    page.get_by_text("changes whenever a hand").wait_for()
    page.get_by_test_id("search").fill("language")
    fps.wait_for(state="detached")
    assert is_well(page)
    with page.expect_response("**/api/settings/display.language"):
        page.locator("[data-key='display.language'] select").select_option(label="Deutsch")
    page.locator(".saved", has_text="Saved").wait_for()
    assert tomllib.loads(file.read_text()) == {
        "log": {"level": "info"},
        "usb": {"fps": 60},
        "display": {"language": "de"},
    }
    assert 'level = "info" # quiet' in file.read_text()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.reload()
    page.get_by_test_id("restart").filter(has_text="braucht einen Neustart").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_a_country_with_both_mains_is_asked_which(
    page: Page, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.config.mains.tray_zone", lambda: "Asia/Tokyo")
    file.write_text('[panel]\npins = "none"\n')
    override = partial(with_overrides, camera="pi", data=tmp_path / "data", port=free_port())
    table = Table(tmp_path, CameraSetup(StillCamera(), None, BlindWatch()), SettingsSource(file, override))
    try:
        page.goto(f"{table.url}/start?step=light")
        keys = page.get_by_test_id("mains")
        keys.get_by_text(translate("page.start.mains_by.nothing")).wait_for()
        assert keys.locator("[aria-pressed=true]").count() == 0
        assert is_well(page)
        with page.expect_response("**/api/restart"):
            keys.locator("[data-hz='60']").click()
        assert tomllib.loads(file.read_text())["pi"] == {"mains_hz": 60}
        assert table.app.settings.is_restart_requested
    finally:
        table.app.stop()


def test_the_first_start_leads_to_the_first_roll(page: Page, table: Table, file: Path) -> None:
    page.set_viewport_size({"width": PANEL[0], "height": PANEL[1]})
    page.goto(table.url)
    page.get_by_test_id("first-start").click()
    card, go, skip = page.locator(".step-card"), page.get_by_test_id("next"), page.get_by_test_id("skip")
    card.locator("[data-system='hits-pool']").click()
    card.locator("[data-system='hits-pool'][aria-pressed=true]").wait_for()
    assert table.ask("GET", "state")["system"] == "hits-pool"
    assert is_well(page)
    go.click()
    with page.expect_response("**/api/settings/colours.base"):
        page.locator("[data-key='colours.base'] select").select_option("red")
    assert tomllib.loads(file.read_text())["colours"] == {"base": "red", "skill": "green", "gear": "black"}
    assert is_well(page)
    go.click()
    card.locator("[data-camera='usb:0'][data-in-use=true] img").wait_for()
    card.locator("[data-camera=simulated]", has_text="Simulated dice").wait_for()
    assert is_well(page)
    go.click()
    # The camera gives no picture: the page shows the cure, and checks again automatically.
    card.locator(".check.is-fail").first.wait_for()
    card.get_by_text("the floor fills most of the picture").wait_for()
    assert is_well(page)
    assert go.is_disabled(), "a step that fails is skipped, not done"
    skip.click()
    skip.click()
    # A page opened later returns to this step, and knows what was done.
    page.get_by_test_id("to-table").click()
    page.wait_for_url(f"{table.url}/")
    page.goto(f"{table.url}/start")
    page.locator("[data-step=light]").wait_for()
    steps = page.locator(".step-key")
    marks = steps.evaluate_all("keys => keys.map(key => key.dataset.mark)")
    assert marks == ["done", "done", "done", "skipped", "skipped", "open", "open", "open"]
    page.set_viewport_size({"width": PANEL[0], "height": PANEL[1]})
    names = page.locator(".step-name").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert min(names) > 20, "step names stand on the kiosk too"
    # This tray has neither ring nor panel, so no step asks for them.
    skip.click()
    page.get_by_test_id("to-calibration").click()
    page.get_by_test_id("back").click()
    page.locator("[data-step=calibrate]").wait_for()
    assert go.is_disabled()
    skip.click()
    page.locator("[data-step=roll]").wait_for()
    assert steps.nth(6).get_attribute("data-mark") == "skipped"
    table.throw((1, "base", 6), (2, "base", 2))
    page.get_by_test_id("first-roll").filter(has_text="1 hit").wait_for()
    assert page.locator(".with-picture .value").all_text_contents() == ["6", "2"], "the picture shows what was read"
    assert go.is_disabled()
    for number in range(1, 20):
        table.ask("POST", "reset")
        table.throw()
        table.throw((10 * number, "base", 1 + number % 6), (10 * number + 1, "base", 2))
        if number == 7:
            table.ask("PATCH", "dice/70", {"value": 4})
    counts = translate("page.start.read_how", right=19, doubted=0, corrected=1)
    page.get_by_test_id("read").filter(has_text=counts).wait_for()
    assert page.get_by_test_id("read-roll").count() == 20
    assert page.locator("[data-how=corrected]").count() == 1
    assert translate("page.start.verdict.ok") == page.get_by_test_id("verdict").inner_text()
    assert is_well(page)
    go.click()
    card.filter(has_text="Skipped: View, Focus, Light and Calibration").wait_for()
    assert is_well(page, everywhere=True)
    page.get_by_test_id("to-table").click()
    shows(page, "scored")
    table.ask("POST", "reset")
    shows(page, "empty")
    page.goto(f"{table.url}/?kiosk")
    page.get_by_test_id("history-row").first.wait_for()
    assert page.get_by_test_id("first-start").is_hidden()


def test_every_step_of_the_first_start_is_well(page: Page, table: Table) -> None:
    page.goto(f"{table.url}/start")
    steps = page.locator(".step-key")
    steps.first.wait_for()
    for number in range(steps.count()):
        steps.nth(number).click()
        page.locator(".step-key[aria-current=step]").nth(0).wait_for()
        assert is_well(page), steps.nth(number).inner_text()


def test_phones_are_let_in_by_one_button_and_kept_out_by_another(page: Page, table: Table, file: Path) -> None:
    far = table.url.replace("127.0.0.1", "127.0.0.2")

    def answer(path: str) -> int | None:
        try:
            return httpx.get(far + path, verify=False, timeout=5).status_code
        except httpx.ConnectError:
            return None

    page.goto(f"{table.url}/phones")
    page.get_by_test_id("let-in").wait_for()
    assert answer("/api/state") is None
    assert is_well(page, everywhere=True)
    page.get_by_test_id("let-in").click()
    page.locator("dialog", has_text="needs the PIN").get_by_role("button", name="Cancel").click()
    assert answer("/api/state") is None
    page.get_by_test_id("let-in").click()
    page.get_by_test_id("confirm").click()
    page.get_by_test_id("player-pin").wait_for()
    assert tomllib.loads(file.read_text())["web"] == {"host": "0.0.0.0"}
    assert answer("/api/state") == 200
    assert answer("/api/phones") == 403, "who was let in is a guest until it gives the PIN"
    assert is_well(page, everywhere=True)
    page.get_by_test_id("stop-phones").click()
    page.get_by_test_id("confirm").click()
    page.get_by_test_id("let-in").wait_for()
    assert answer("/api/state") is None
    assert "host" not in tomllib.loads(file.read_text())["web"]


def test_phones_are_let_in_from_the_idle_screen(page: Page, table: Table) -> None:
    page.clock.install()
    page.goto(f"{table.url}/?idle=2")
    shows(page, "empty")
    page.clock.fast_forward(21_000)
    page.get_by_test_id("idle").wait_for(state="attached")
    page.clock.fast_forward(130_000)
    page.get_by_test_id("idle").wait_for()
    page.get_by_test_id("let-in").click()
    page.get_by_test_id("confirm").click()
    page.get_by_test_id("idle-code").wait_for()
    page.get_by_test_id("idle-time").click()
    page.get_by_test_id("idle").wait_for(state="hidden")


def test_the_menu_leads_everywhere_and_back_the_way_that_one_came(page: Page, table: Table) -> None:
    menu, back = page.locator(".menu a"), page.get_by_test_id("back")
    page.goto(f"{table.url}/?kiosk")
    for size in (PANEL, PHONE, (1280, 800)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        if page.locator("#menu-button").is_visible():
            page.locator("#menu-button").click()
        boxes = menu.evaluate_all("links => links.map(link => link.getBoundingClientRect().toJSON())")
        assert len(boxes) == 6
        assert all(box["height"] >= 44 and box["width"] >= 44 for box in boxes), size
        assert all(box["left"] >= 0 and box["right"] <= size[0] for box in boxes), size
        assert len({round(box["y"]) for box in boxes}) == 1, size
    menu.filter(has_text="Settings").click()
    page.wait_for_url("**/settings")  # loaded: a page leads back once its script has run
    page.get_by_role("link", name="House rules").click()
    page.wait_for_url("**/rulings")
    assert page.locator(".menu [aria-current=page]").inner_text() == "Settings"
    back.click()
    page.wait_for_url("**/settings")
    menu.filter(has_text="Statistics").click()
    page.wait_for_url("**/statistics")
    back.click()
    page.wait_for_url("**/settings")
    back.click()
    page.wait_for_url("**/?kiosk")
    menu.filter(has_text="History").click()
    page.wait_for_url("**/history")
    menu.filter(has_text="Help").click()
    page.locator("#help").wait_for()
    assert page.evaluate("location.hash") == ""
