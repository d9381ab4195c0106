"""Phones in real browsers: from the PIN on the display to a roll of one's own, and without a network."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from device.app import TrayApp
from device.config.settings import PhoneSettings, Settings, with_overrides
from device.runtime.source import CameraSetup
from device.storage.display_secret import FILE_NAME, display_secret
from device.texts.catalogue import ENGLISH, languages, translate
from device.web.core.access import COOKIE, DISPLAY_COOKIE
from tests.conftest import BlindWatch, StillCamera
from tests.scripts import load_script
from tests.web.accessible import trips
from tests.web.ports import free_port
from tests.web.resting import Table, has_headline, until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PHONE, PANEL = (390, 844), (800, 480)


class AskingTable(Table):
    """A table that requires a PIN unless the request has a loopback name."""

    def __init__(self, folder: Path, setup: CameraSetup) -> None:
        settings = with_overrides(Settings(), camera="simulated", data=folder, port=free_port())
        web = replace(settings.web, names=("tray.lan",))
        self.app = TrayApp(replace(settings, web=web, phones=PhoneSettings(pin="on")), setup)
        self.app.start()
        self.url = self.app.url.rstrip("/")
        self.headers = {"cookie": f"{DISPLAY_COOKIE}={display_secret(folder)}"}
        self.far = self.url.replace("127.0.0.1", "tray.lan")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[AskingTable]:
    made = AskingTable(tmp_path, CameraSetup(StillCamera(), None, BlindWatch()))
    yield made
    made.app.stop()


@pytest.fixture
def device(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """A separate browser, as on a separate device; no script in it may fail."""
    contexts, wrong = [], []

    def opened(url: str, size: tuple[int, int]) -> Page:
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]}, base_url=url, reduced_motion="reduce"
        )
        contexts.append(context)
        if "127.0.0.1" in url:
            secret = display_secret(tmp_path)
            context.add_cookies([{"name": DISPLAY_COOKIE, "value": secret, "url": url}])
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def fits(page: Page) -> None:
    """Check that nothing overflows sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


def looks_right(page: Page) -> None:
    """Check that nothing overflows sideways, and that axe finds nothing."""
    fits(page)
    assert trips(page) == [], page.url


def reads(page: Page, test_id: str, text: str) -> None:
    page.get_by_test_id(test_id).filter(has_text=text).first.wait_for()


def test_from_the_pin_to_a_roll_of_ones_own(device: Callable[..., Page], table: AskingTable) -> None:
    display, mira, master = device(table.url, PANEL), device(table.far, PHONE), device(table.far, PHONE)
    display.goto("/phones")
    pin = display.get_by_test_id("player-pin").inner_text()
    assert pin.replace(" ", "") == table.app.phones.pairing.pins.player
    display.get_by_test_id("no-phones").wait_for()
    assert display.get_by_test_id("master-pin").count() == 0

    # An unpaired phone is redirected to its own page, which asks for the PIN.
    mira.goto("/phone")
    mira.get_by_test_id("pin").wait_for()
    looks_right(mira)
    mira.get_by_test_id("pin").fill("12345")
    mira.get_by_test_id("pair").click()
    mira.get_by_test_id("refusal").filter(has_text="wrong PIN").wait_for()
    display.get_by_test_id("renew").click()
    display.get_by_test_id("player-pin").filter(has_not_text=pin).wait_for()
    mira.get_by_test_id("pin").focus()
    mira.keyboard.insert_text(f" \u200b{display.get_by_test_id('player-pin').inner_text()}")
    mira.get_by_test_id("pair").click()
    mira.get_by_test_id("my-name").fill("Mira")
    fits(mira)
    mira.get_by_test_id("name-go").click()
    mira.get_by_test_id("new-sheet").click()
    mira.get_by_test_id("sheet").wait_for()
    reads(display, "phone", "Mira")
    (cookie,) = (one for one in mira.context.cookies() if one["name"] == COOKIE)
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")

    # The game master's phone gets its PIN from the code, and requests a roll.
    display.get_by_test_id("show-master").click()
    looks_right(display)
    master_pin = display.get_by_test_id("master-pin").inner_text().replace(" ", "")
    master.goto(f"/phone#pin={master_pin}")
    master.get_by_test_id("my-name").wait_for()
    assert master.url == f"{table.far}/me", "the PIN does not stay in the address"
    master.goto("/gm")
    master.get_by_test_id("ask-player").filter(has_text="Mira").click()
    master.get_by_test_id("ask-label").fill("Notice")
    master.locator("#ask-roll [data-role=base] .step").last.click()
    master.get_by_test_id("ask-go").click()
    reads(master, "now", "Mira: Notice")
    looks_right(master)

    mira.goto("/phone")
    reads(mira, "turn-owner", "Your turn, Mira: Notice")
    reads(mira, "taken", "1 yellow")
    looks_right(mira)
    # She prepares from her own sheet, and there is no other to choose.
    mira.locator("#prepare-button").click()
    assert mira.locator("#prepare select").is_disabled()
    mira.locator("#prepare .key", has_text="Strength").click()
    mira.get_by_test_id("declare").click()
    mira.locator("#prepare").wait_for(state="hidden")
    table.throw((1, "base", 6), (2, "base", 2), (3, "base", 3))
    mira.locator("body[data-state=scored]").wait_for()
    reads(master, "now-result", "1 success")

    # Another player's roll is not hers: the tray refuses, whatever her page shows.
    table.ask("POST", "reset")
    table.ask("POST", "asked", {"owner": "Zo"})
    table.throw((4, "base", 2))
    mira.locator("body[data-state=scored]").wait_for()
    reads(mira, "turn-owner", "Zo")
    mira.locator("#push").click()
    mira.locator("#toast", has_text="only Zo, the game master and the display").wait_for()
    assert table.ask("GET", "state")["state"] == "scored"

    # A hidden result is visible to the game master only, until it is shown there.
    table.ask("POST", "reset")
    master.get_by_test_id("ask-anybody").click()
    master.get_by_test_id("ask-owner").fill("Zo")
    master.get_by_test_id("ask-more").locator("summary").click()
    master.locator("#ask-roll [data-value='\"all\"']").click()
    looks_right(master)
    master.get_by_test_id("ask-go").click()
    has_headline(mira, "Zo")
    reads(master, "now-about", "hidden")
    table.throw((5, "base", 6))
    reads(master, "now-result", "1 success")
    reads(master, "history-row", "Zo · hidden")
    mira.locator("#headline", has_text="Hidden roll").wait_for()
    assert mira.get_by_test_id("show-hidden").count() == 0
    mira.get_by_test_id("ask-button").click()
    assert mira.get_by_test_id("ask-more").is_hidden()
    mira.keyboard.press("Escape")
    master.get_by_test_id("show-hidden").click()
    mira.locator("#successes", has_text="1").wait_for()
    assert master.get_by_test_id("show-hidden").count() == 0

    mira.goto("/me")
    mira.get_by_test_id("my-rolls").locator("summary").click()
    reads(mira, "own-counts", "1")
    assert mira.locator(".faces li").all_inner_texts()[5].split() == ["6", "1", "33%"]
    looks_right(mira)
    for code in [code for code in languages() if code != ENGLISH]:
        for page, path in ((mira, "/me"), (master, "/gm"), (display, "/phones")):
            page.goto(f"{path}?lang={code}")
            page.locator("main .card").first.wait_for()
            fits(page)
    master.goto("/phones")
    master.wait_for_function("() => document.querySelector('[data-testid=code]')?.naturalWidth > 100")

    # A phone that the display removes is asked again.
    display.get_by_test_id("forget").first.click()
    display.get_by_test_id("undo-button").filter(has_text="Mira").click()
    reads(display, "phone", "Mira")
    display.get_by_test_id("forget").first.click()
    mira.goto("/phone")
    mira.get_by_test_id("pin").wait_for()
    assert mira.evaluate("localStorage.getItem('player')") is None


def test_undo_is_shown_to_who_pressed_and_to_the_table(device: Callable[..., Page], table: AskingTable) -> None:
    mira, zo, display = device(table.far, PHONE), device(table.far, PHONE), device(table.url, PANEL)
    for phone, name in ((mira, "Mira"), (zo, "Zo")):
        phone.goto("/me")
        for digit in table.app.phones.pairing.pins.player:
            phone.locator(".pin-pad").get_by_role("button", name=digit, exact=True).click()
        phone.get_by_test_id("pair").click()
        phone.get_by_test_id("my-name").fill(name)
        phone.get_by_test_id("name-go").click()
        phone.get_by_test_id("new-sheet").wait_for()
        phone.goto("/phone")
    display.goto("/")
    table.throw((1, "base", 6), (2, "base", 1))
    mira.locator("body[data-state=scored]").wait_for()
    mira.get_by_test_id("reset-button").click()
    for page in (mira, display):
        page.get_by_test_id("undo-button").wait_for()
    zo.locator("body[data-state=empty]").wait_for()
    zo.wait_for_timeout(500)
    assert zo.get_by_test_id("undo-button").count() == 0
    zo.keyboard.press("u")
    mira.get_by_test_id("undo-button").click()
    for page in (mira, zo, display):
        page.locator("body[data-state=scored]").wait_for()
    display.get_by_test_id("undo-button").wait_for(state="hidden")


def test_undo_stays_while_it_has_the_focus(device: Callable[..., Page], table: AskingTable) -> None:
    display = device(table.url, PANEL)
    display.goto("/")
    table.throw((1, "base", 6), (2, "base", 1))
    display.locator("body[data-state=scored]").wait_for()
    with display.expect_request("**/api/undo/hold") as held:
        display.get_by_test_id("reset-button").click()
        display.get_by_test_id("undo-button").focus()
    assert held.value.response().status == 200  # type: ignore[union-attr]
    with display.expect_request("**/api/undo/hold"):
        pass  # again, for as long as it has the focus


def test_a_device_that_only_looks_has_one_line_and_no_live_button(
    device: Callable[..., Page], table: AskingTable
) -> None:
    guest = device(table.far, PHONE)
    table.throw((1, "base", 6), (2, "base", 1), (3, "skill", None))  # type: ignore[arg-type]
    guest.goto("/")
    guest.get_by_test_id("look-only").get_by_role("link", name="Pair this phone").wait_for()
    for button in ("push-button", "throw-button", "reset-button"):
        guest.get_by_test_id(button).wait_for(state="hidden")
    assert guest.locator("main button:visible:not(.chip), .tools:visible").count() == 0
    guest.locator("[data-die-id='1']").first.click()
    guest.locator("#toast", has_text=translate("page.guest.line")).wait_for()
    looks_right(guest)
    for path in ("/sheets", "/rulings"):
        guest.goto(path)
        guest.get_by_test_id("look-only").wait_for()
        assert guest.locator("main").evaluate("node => node.inert"), path
        looks_right(guest)

    # The game master's page asks for the PIN and then opens.
    guest.goto("/gm")
    guest.get_by_test_id("pin").fill(table.app.phones.pairing.pins.game_master)
    guest.get_by_test_id("pair").click()
    guest.get_by_test_id("ask-anybody").wait_for()
    assert guest.url == f"{table.far}/gm"

    # A phone removed in between is told at the next press, and has no second one.
    guest.goto("/sheets")
    guest.locator("body[data-guest=false]").wait_for()
    for phone in table.app.phones.pairing.phones:
        table.app.phones.pairing.forget(phone.id)
    guest.get_by_label(translate("page.sheets.new_name")).fill("Ann")
    guest.get_by_test_id("new-sheet").click()
    guest.locator("#toast", has_text="not paired").wait_for()
    guest.get_by_test_id("look-only").wait_for()


def test_a_laptop_sets_the_tray_up_once_it_gave_the_game_masters_pin(
    device: Callable[..., Page], table: AskingTable
) -> None:
    laptop = device(table.far, (1280, 800))
    laptop.goto("/start")
    laptop.get_by_test_id("look-only").get_by_role("link").click()
    laptop.get_by_test_id("pin").fill(table.app.phones.pairing.pins.game_master)
    laptop.get_by_test_id("pair").click()
    laptop.wait_for_url(f"{table.far}/start")
    laptop.get_by_test_id("next").wait_for()
    assert not laptop.locator("main").evaluate("node => node.inert")


@pytest.mark.parametrize("size", [(800, 480), (1280, 800)])
def test_the_display_lets_a_phone_in_that_asks(
    device: Callable[..., Page], table: AskingTable, size: tuple[int, int]
) -> None:
    display, phone = device(table.url, size), device(table.far, PHONE)
    display.goto("/")
    phone.goto("/me")
    for answer in ("yes", "no"):
        phone.get_by_test_id("knock").click()
        word = phone.get_by_test_id("knock-word").text_content() or ""
        asking = display.get_by_test_id("knock")
        asking.wait_for()
        assert (asking.locator("b").text_content() or "")[4:8] in word
        fits(display)
        looks_right(phone)
        if answer == "no":
            asking.get_by_test_id("knock-no").click()
            reads(phone, "refusal", translate("web.phone.not_let_in"))
        else:
            asking.get_by_test_id("knock-yes").click()
            phone.get_by_test_id("my-name").wait_for()
            phone.context.clear_cookies()
            phone.goto("/me")
        display.get_by_test_id("knocks").wait_for(state="hidden")


def test_a_phone_without_a_pin_keeps_its_player_itself(device: Callable[..., Page], tmp_path: Path) -> None:
    table = Table(tmp_path, CameraSetup(StillCamera(), None, BlindWatch()))
    try:
        phone = device(table.url, PHONE)
        phone.goto("/me")
        phone.get_by_test_id("my-name").fill("Zo")
        phone.get_by_test_id("name-go").click()
        phone.get_by_test_id("new-sheet").click()
        phone.get_by_test_id("sheet").wait_for()
        for role in ("player", "table", "player"):
            phone.locator(f"html[data-role={role}]").wait_for()
            assert phone.locator(".menu [data-section=settings]").is_visible() == (role == "table")
            phone.get_by_test_id("whole").click()
        phone.get_by_test_id("whole").click()
        phone.reload()
        phone.locator("h1", has_text="Zo").wait_for()
        phone.get_by_test_id("sheet").wait_for()

        # The browser's cached page opens while the tray is away, and reports it.
        phone.goto("/phone")
        phone.evaluate("navigator.serviceWorker.ready.then(() => null)")
        # While the tray is there, its current page is shown, not the cached one.
        phone.goto("/phone?lang=de")
        assert phone.evaluate("navigator.serviceWorker.controller !== null")
        assert phone.evaluate("document.documentElement.lang") == "de"
        table.app.stop()
        for path in ("/phone", "/me", "/gm"):
            phone.goto(path)
            phone.locator("#lost").wait_for()
        phone.goto("/phone")
        assert phone.evaluate("localStorage.getItem('player')") == "Zo"
        fits(phone)
    finally:
        table.app.stop()


def test_the_kiosk_shows_the_secret_automatically(table: AskingTable, chromium: Browser, tmp_path: Path) -> None:
    kiosk = load_script(Path(__file__).parents[2] / "systemd/kiosk.py")
    params = kiosk.KioskParams(url=f"{table.url}/", secret=tmp_path / FILE_NAME)
    context = chromium.new_context(viewport={"width": 800, "height": 480})
    page = context.new_page()
    first = kiosk.Kiosk(params, tmp_path / "profile", tmp_path / "touched")._page()
    page.goto(first)
    page.wait_for_url(f"{table.url}/start?kiosk")
    page.get_by_test_id("next").wait_for()
    table.throw((1, "base", 6))
    until(lambda: bool(table.ask("GET", "rolls")["rolls"]))
    page.goto(first)
    page.wait_for_url(f"{table.url}/?kiosk")
    page.locator("body[data-state=scored]").wait_for()
    me = page.evaluate("() => fetch('/api/phones/me').then((answer) => answer.json())")
    assert (me["asked"], me["role"]) == (True, "table")
    context.close()


def test_ones_own_page_shows_the_sheet_of_the_rules_in_play(table: AskingTable, device: Callable[..., Page]) -> None:
    page = device(table.url, PHONE)
    page.goto("/me")
    page.get_by_test_id("my-name").fill("Mira")
    page.get_by_test_id("name-go").click()
    page.get_by_test_id("new-sheet").click()
    sheet = page.get_by_test_id("sheet")
    sheet.wait_for()
    first = sheet.inner_text()
    table.ask("PUT", "system", {"system": "die-code"})
    title = next(one["title"] for one in table.ask("GET", "state")["systems"] if one["id"] == "die-code")
    page.get_by_text(translate("page.me.no_sheet", rules=title)).wait_for()
    sheet.wait_for(state="hidden")
    page.get_by_test_id("new-sheet").click()
    sheet.wait_for()
    assert sheet.inner_text() != first
    assert len(set(page.locator(".keys-row .key").all_inner_texts())) == 2
    table.ask("PUT", "system", {"system": "push-pool"})
    page.wait_for_function("text => document.querySelector('[data-testid=sheet]')?.innerText === text", arg=first)


FELT = "navigator.vibrate = (ms) => Boolean((window.felt = [...(window.felt ?? []), ms]));"


def with_player(phone: Page, table: AskingTable, name: str) -> int:
    """Pair a phone and return the sheet of its player."""
    phone.goto("/me")
    phone.get_by_test_id("pin").fill(table.app.phones.pairing.pins.player)
    phone.get_by_test_id("pair").click()
    phone.get_by_test_id("my-name").fill(name)
    phone.get_by_test_id("name-go").click()
    phone.get_by_test_id("new-sheet").click()
    phone.get_by_test_id("sheet").wait_for()
    (sheet,) = (one for one in table.ask("GET", "sheets")["sheets"] if one["title"] == name)
    return int(sheet["id"])


def strength(table: AskingTable, sheet: int) -> int:
    return int(table.ask("GET", f"sheets/{sheet}")["counters"][0]["now"])


def test_a_players_phone_wakes_on_whichever_page_and_takes_the_cost(
    device: Callable[..., Page], table: AskingTable
) -> None:
    mira, zo = device(table.far, PHONE), device(table.far, (360, 640))
    mira.add_init_script(FELT)
    zo.add_init_script(FELT)
    sheet = with_player(mira, table, "Mira")
    with_player(zo, table, "Zo")
    zo.goto("/sheets")
    usual = mira.title()
    mira.locator("#title").click()
    request = {"owner": "Mira", "label": "Lift", "tiles": {"attribute": "STR"}, "sheet": sheet}
    table.ask("POST", "asked", request)
    turn = translate("page.turn.yours", roll="Mira: Lift")
    reads(mira, "my-turn-words", turn)
    mira.wait_for_function("title => document.title === title && window.felt?.length === 1", arg=turn)
    assert mira.get_by_test_id("my-turn").evaluate("strip => strip.getBoundingClientRect().top < innerHeight / 3")
    reads(mira, "taken", "3 yellow")
    looks_right(mira)
    # A page that is opened has the turn, and is silent.
    mira.goto("/sheets")
    reads(mira, "my-turn-words", turn)
    looks_right(mira)
    assert mira.evaluate("window.felt") is None
    mira.goto("/me")

    table.throw((1, "base", 3), (2, "base", 4), (3, "base", 2))
    reads(mira, "my-turn-words", "0 successes")
    assert mira.title() == usual
    mira.get_by_test_id("my-turn").get_by_role("link", name=translate("page.turn.to_tray")).click()
    mira.get_by_test_id("push-button").click()
    mira.locator("body[data-state=awaiting_push]").wait_for()
    mira.goto("/me")
    table.throw((1, "base", 1), (2, "base", 3), (3, "base", 4))
    reads(mira, "my-costs", "3")
    looks_right(mira)
    assert strength(table, sheet) == 3
    mira.get_by_test_id("my-costs").get_by_role("button", name=translate("page.carry.own"), exact=True).click()
    mira.locator("[data-testid=my-costs][data-carried=true]").wait_for()
    assert strength(table, sheet) == 2
    assert zo.evaluate("[window.felt, document.querySelector('[data-testid=my-turn]')?.hidden ?? true]") == [None, True]

    table.ask("POST", "reset")
    table.throw()
    mira.get_by_test_id("my-turn").wait_for(state="hidden")
    mira.get_by_test_id("wake-switch").click()
    table.ask("POST", "asked", request)
    reads(mira, "my-turn-words", turn)
    assert mira.evaluate("window.felt") is None
    reads(mira, "wake-notices", "https")


def test_a_players_phone_has_what_is_its_players(device: Callable[..., Page], table: AskingTable) -> None:
    mira = device(table.far, (360, 640))
    with_player(mira, table, "Mira")
    own = [translate("page.menu.roll"), translate("page.me.title"), translate("page.menu.help")]
    for path in ("/me", "/phone"):
        mira.goto(path)
        mira.locator("html[data-role=player]").wait_for()
        if mira.locator("#menu-button").is_visible():
            mira.locator("#menu-button").click()
        mira.locator(".menu").get_by_text(own[-1]).wait_for()
        assert [text.strip() for text in mira.locator(".menu a:visible").all_inner_texts()] == own
        links = mira.locator("a:visible").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
        assert {*links} <= {"/phone", "/me", "/phone#help", "/api/sheets/1/export"}, links
        looks_right(mira)
    table.throw((1, "base", 6), (2, "base", 1))
    mira.locator("body[data-state=scored]").wait_for()
    for hidden in ("#table-button", "#setup-button", "#setup", "#seed", "#hand", ".odds", ".history"):
        assert not mira.locator(hidden).is_visible(), hidden
    for shown in ("#dice", "#push", "#reset", "#successes", "#picture"):
        assert mira.locator(shown).is_visible(), shown


def test_a_requested_roll_is_one_of_the_rules_in_play(device: Callable[..., Page], table: AskingTable) -> None:
    mira, master = device(table.far, PHONE), device(table.far, PHONE)
    with_player(mira, table, "Mira")
    master.goto("/me")
    master.get_by_test_id("pin").fill(table.app.phones.pairing.pins.game_master)
    master.get_by_test_id("pair").click()
    master.get_by_test_id("my-name").wait_for()
    master.goto("/gm")
    master.get_by_test_id("ask-player").filter(has_text="Mira").wait_for()
    table.ask("PUT", "system", {"system": "die-code"})
    # The sheet that Mira holds is for other rules.
    master.get_by_test_id("ask-player").filter(has_text="Mira").click()
    master.get_by_test_id("ask-go").click()
    reads(master, "now", "Mira")


def test_a_hidden_page_shows_a_notification_where_the_browser_allows_it(
    device: Callable[..., Page], tmp_path: Path
) -> None:
    table = Table(tmp_path, CameraSetup(StillCamera(), None, BlindWatch()))
    try:
        phone = device(table.url, PHONE)
        phone.context.grant_permissions(["notifications"], origin=table.url)
        phone.goto("/me")
        phone.get_by_test_id("my-name").fill("Zo")
        phone.get_by_test_id("name-go").click()
        phone.evaluate("navigator.serviceWorker.ready.then(() => null)")
        phone.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
        table.ask("POST", "asked", {"owner": "Zo", "label": "Notice"})
        titles = """async () => {
          const worker = await navigator.serviceWorker.getRegistration();
          return (await worker.getNotifications()).map(({ title }) => title);
        }"""
        turn = translate("page.turn.yours", roll="Zo: Notice")
        phone.wait_for_function(f"async (title) => (await ({titles})()).join() === title", arg=str(turn))
        table.throw((1, "base", 6))
        phone.wait_for_function(f"async () => !(await ({titles})()).length")
    finally:
        table.app.stop()
