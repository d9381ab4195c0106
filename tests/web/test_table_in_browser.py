"""Every rule system from tile to sheet in a real browser, over the whole tray with its simulated camera."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from device.app import Lens, TrayApp
from device.settings import Settings
from device.simulated_camera import SimulatedCamera

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

WAIT_MS = 30_000
SEEDS = range(1, 25)
"""Throws to try in turn: a die that comes to rest leaning asks for a tap, which is right but not these tests' story."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrayApp]:
    """One tray for all of these tests."""
    camera = SimulatedCamera()
    settings = Settings()
    tray = replace(settings.tray, camera="simulated", data=tmp_path_factory.mktemp("data"))
    app = TrayApp(replace(settings, tray=tray, web=replace(settings.web, port=0)), Lens(camera, camera))
    app.start()
    yield app
    app.stop()


@pytest.fixture(scope="module")
def opened(chromium: Any, played: TrayApp) -> Iterator[Any]:
    context = chromium.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme="dark", reduced_motion="reduce", base_url=played.url
    )
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    yield page
    context.close()


@pytest.fixture
def page(opened: Any) -> Iterator[Any]:
    """The one page; whatever a test does on it, no script of ours may fail."""
    wrong: list[str] = []

    def note(error: Any) -> None:
        wrong.append(str(error))

    opened.on("pageerror", note)
    yield opened
    opened.remove_listener("pageerror", note)
    assert wrong == []


@pytest.fixture(scope="module")
def api(played: TrayApp) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=played.url, timeout=30) as client:
        yield client


@pytest.fixture
def begin(page: Any, api: httpx.Client) -> Callable[..., int]:
    """Take up a system with a fresh character in use, on the display; gives the number of its sheet."""

    def start(system: str, title: str, **changes: Any) -> int:
        api.post("/api/reset")
        assert api.put("/api/system", json={"system": system}).is_success
        sheet = int(api.post("/api/sheets", json={"title": title}).json()["id"])
        if changes:
            assert api.patch(f"/api/sheets/{sheet}", json=changes).is_success
        assert api.put("/api/sheets/chosen", json={"sheet": sheet}).is_success
        page.goto("/")
        wait_state(page, "empty")
        return sheet

    return start


def state_of(api: httpx.Client) -> dict[str, Any]:
    body: dict[str, Any] = api.get("/api/state").json()
    return body


def counters(api: httpx.Client, sheet: int) -> dict[tuple[str, str], int]:
    listed = api.get(f"/api/sheets/{sheet}").json()["counters"]
    return {(one["kind"], one["name"]): one["now"] for one in listed}


def wait_state(page: Any, *states: str) -> str:
    page.wait_for_function("states => states.includes(document.body?.dataset.state)", arg=list(states))
    return str(page.evaluate("() => document.body?.dataset.state"))


def tile(page: Any, name: str) -> Any:
    return page.locator(f"#prepare [data-tile='{name}']")


def pick(page: Any, name: str, word: str) -> None:
    tile(page, name).get_by_role("button", name=word).click()


def take(page: Any, said: str) -> None:
    """Take the dice of the prepared roll, once it says which."""
    page.wait_for_function("said => document.querySelector('[data-testid=take]').textContent === said", arg=said)
    page.get_by_test_id("declare").click()
    page.locator("#prepare").wait_for(state="hidden")
    page.wait_for_function(
        "said => document.querySelector('#headline').textContent === said.replace(/[.]$/, '')", arg=said
    )


def throw(page: Any, seed: int) -> None:
    page.locator("#seed").fill(str(seed))
    page.locator("#throw:enabled").click()


def roll_until(
    page: Any,
    api: httpx.Client,
    fits: Callable[[dict[str, Any]], bool],
    prepare: Callable[[], None],
    seeds: Iterable[int] = SEEDS,
) -> dict[str, Any]:
    """Prepare and throw anew until all dice lie flat and the result is one that this test can go on with."""
    for seed in seeds:
        prepare()
        throw(page, seed)
        if wait_state(page, "scored", "unclear") == "scored":
            state = state_of(api)
            if fits(state):
                return state
        page.get_by_test_id("reset-button").click()
        wait_state(page, "empty")
    pytest.fail("no throw gave a result to go on with")


def carried_and_taken_back(page: Any, api: httpx.Client, sheet: int, change: dict[tuple[str, str], int]) -> None:
    """Carry the consequences over with one tap, look at the sheet, take them back with one more."""
    before = counters(api, sheet)
    page.get_by_test_id("carry").click()
    page.locator("[data-testid=carry-strip][data-carried=true]").wait_for()
    assert counters(api, sheet) == before | {key: before[key] + by for key, by in change.items()}
    page.get_by_test_id("undo-carry").click()
    page.locator("[data-testid=carry-strip][data-carried=false]").wait_for()
    assert counters(api, sheet) == before


def test_a_pushed_roll_from_the_sheet_page_to_the_sheet(page: Any, api: httpx.Client) -> None:
    # A new character by hand: two points of a skill, and a rope.
    page.goto("/sheets")
    page.get_by_label("Name of a new character").fill("Ann")
    page.get_by_test_id("new-sheet").click()
    fight = page.locator("[data-counter='Fight']")
    for now in (1, 2):
        fight.get_by_role("button", name="One Fight more").click()
        page.locator(f"[data-counter='Fight'][data-now='{now}']").wait_for()
    page.get_by_test_id("edit-sheet").click()
    page.get_by_label("Kind of the new counter").select_option("gear")
    page.get_by_label("Name of the new counter").fill("rope")
    page.get_by_test_id("add-counter").click()
    page.locator("[data-counter='rope']").wait_for()
    sheet = int(page.get_by_test_id("sheet").get_attribute("data-sheet-id"))
    page.get_by_text("in use", exact=True).wait_for()
    page.get_by_test_id("back").click()
    wait_state(page, "empty")

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "attribute").locator("[aria-pressed=true]").count():
            pick(page, "attribute", "Strength")
            pick(page, "skill", "Fight")
            pick(page, "gear", "Rope")
        take(page, "Take 3 base, 2 skill, 1 gear.")

    def fits(state: dict[str, Any]) -> bool:
        return bool(state["push"]["eligible"] and state["outcome"]["base_ones"])

    seeds = iter(SEEDS)
    while True:
        roll_until(page, api, fits, prepare, seeds)
        page.get_by_test_id("push-button").click()
        wait_state(page, "awaiting_push")
        throw(page, SEEDS[0])
        if wait_state(page, "resolved", "unclear") == "resolved":
            break
        page.get_by_test_id("reset-button").click()
        wait_state(page, "empty")
    lying = state_of(api)["dice"]
    ones = {role: sum(1 for die in lying if die["role"] == role and die["value"] == 1) for role in ("base", "gear")}
    due = {("attribute", "STR"): -ones["base"], ("gear", "rope"): -ones["gear"]}
    carried_and_taken_back(page, api, sheet, {key: by for key, by in due.items() if by})


def test_step_dice_are_tapped_in_and_pushed(page: Any, api: httpx.Client, begin: Callable[..., int]) -> None:
    sheet = begin(
        "step-dice",
        "Bo",
        counters=[{"kind": "attribute", "name": "STR", "now": 4}],
        add=[{"kind": "skill", "name": "Melee", "now": 3}],
    )

    def tap(sides: int, value: int) -> None:
        page.locator(f"#typed-pad[data-sides='{sides}'] [data-value='{value}']").click()

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "attribute").locator("[aria-pressed=true]").count():
            pick(page, "attribute", "Strength")
            pick(page, "skill", "Melee")
            tile(page, "ammo").get_by_role("button", name="One Ammo dice more").click()
        take(page, "Take 1 d12, 1 d10, 1 ammo.")
        page.locator("[data-testid=typed-die][data-level=A]").click()
        tap(12, 7)
        tap(10, 1)
        page.locator("#typed-pad").wait_for(state="hidden")

    seeds = iter(SEEDS)
    while True:
        state = roll_until(page, api, lambda state: bool(state["push"]["eligible"]), prepare, seeds)
        typed = [(die["sides"], die["value"], die["locked"]) for die in state["typed_dice"]]
        assert typed == [(12, 7, False), (10, 1, True)]
        assert state["outcome"]["successes"] >= 1

        # The 1 stays, the other is rolled and tapped in again, and the d6 is thrown where it does not stay.
        page.get_by_test_id("push-button").click()
        wait_state(page, "awaiting_push")
        page.locator("[data-testid=typed-die][data-level=A][data-value='']").click()
        tap(12, 11)
        page.locator("#typed-pad").wait_for(state="hidden")
        if page.locator("#throw:enabled").count():
            throw(page, SEEDS[0])
        if wait_state(page, "resolved", "unclear") == "resolved":
            break
        page.get_by_test_id("reset-button").click()
        wait_state(page, "empty")
    pushed = state_of(api)
    assert [die["value"] for die in pushed["typed_dice"]] == [11, 1]
    assert pushed["outcome"]["damage"] == 1
    carried_and_taken_back(page, api, sheet, {("hp", "HP"): -1})


def test_an_extended_test_runs_over_three_rolls(page: Any, api: httpx.Client, begin: Callable[..., int]) -> None:
    begin("hits-pool", "Di", add=[{"kind": "skill", "name": "Climb", "now": 4}])
    page.locator("#table-button").click()
    page.locator("[data-tab=series]").click()
    form = page.locator("#table-panel [data-form=extended]")
    for _ in range(5):
        form.get_by_role("button", name="5 Hits needed more").click()
    for _ in range(3):
        form.get_by_role("button", name="One Rolls at most more").click()
    form.get_by_role("button", name="Begin").click()
    page.get_by_test_id("series-strip").wait_for()

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "ability").locator("[aria-pressed=true]").count():
            pick(page, "ability", "Climb")
        take(page, "Take 4 dice.")

    hits = []
    for number in (1, 2, 3):
        state = roll_until(page, api, lambda state: state["outcome"] is not None, prepare)
        hits.append(sum(1 for die in state["dice"] if die["value"] >= 5))
        assert [one["value"] for one in state["series"]["rolls"]] == hits
        page.wait_for_function(
            "count => document.querySelectorAll('.series-rolls li:not(.open)').length === count", arg=number
        )
        page.get_by_test_id("reset-button").click()
        wait_state(page, "empty")
    page.locator("[data-testid=series-strip][data-ended=true]").wait_for()
    assert state_of(api)["series"]["answer"]["total"] == sum(hits)
    assert page.get_by_test_id("series-text").text_content()
    page.get_by_test_id("end-series").click()
    page.get_by_test_id("series-strip").wait_for(state="hidden")


def test_grit_buys_a_die_and_the_sheet_pays_for_it(page: Any, api: httpx.Client, begin: Callable[..., int]) -> None:
    sheet = begin("highest-die", "Ed")

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "attribute").locator("[aria-pressed=true]").count():
            pick(page, "attribute", "Strength")
            pick(page, "risk", "Mixed")
            tile(page, "own_dice").get_by_role("button", name="One Dice from own grit more").click()
        take(page, "Take 2 dice.")

    state = roll_until(page, api, lambda state: state["outcome"] is not None, prepare)
    assert state["outcome"]["headline"]["value"] == max(die["value"] for die in state["dice"])
    carried_and_taken_back(page, api, sheet, {("grit", "grit"): -2})


def test_a_wild_six_is_thrown_again_and_adds_up(page: Any, api: httpx.Client, begin: Callable[..., int]) -> None:
    sheet = begin("die-code", "Cy", add=[{"kind": "skill", "name": "Pilot", "now": 8}])

    def prepare() -> None:
        page.locator("#prepare-button").click()
        if not tile(page, "code").locator("[aria-pressed=true]").count():
            pick(page, "code", "Pilot")
            pick(page, "band", "Moderate")
            pick(page, "luck", "Spend a luck point")
        page.wait_for_function("() => !document.querySelector('[data-testid=declare]').disabled")
        page.get_by_test_id("declare").click()
        page.locator("#prepare").wait_for(state="hidden")

    state = roll_until(page, api, lambda state: state["awaiting"] is not None, prepare)
    wild = state["awaiting"]["dice"][0]
    rest = {die["id"]: die["value"] for die in state["dice"] if die["id"] != wild}
    assert page.locator(".mark.kind-reroll").get_attribute("data-mark-id") == str(wild)
    chain = [6]
    for seed in SEEDS:
        throw(page, seed)
        page.locator(f"[data-die-id='{wild}'][data-earlier='{len(chain)}']").wait_for()
        wait_state(page, "scored", "unclear")
        state = state_of(api)
        if state["state"] == "unclear":
            page.locator(f"[data-die-id='{wild}']").click()
            page.locator("#pad-values [data-value='2']").click()
            state = wait_scored(page, api)
        chain.append(next(die["value"] for die in state["dice"] if die["id"] == wild))
        if state["awaiting"] is None:
            break
    assert {die["id"]: die["value"] for die in state["dice"] if die["id"] != wild} == rest, "the others stay"
    code = state["context"]["code"]
    pips = int(code.partition("+")[2] or 0)
    assert state["outcome"]["total"] == sum(rest.values()) + sum(chain) + pips
    page.wait_for_function(
        "total => document.querySelector('#successes').textContent === total", arg=str(state["outcome"]["total"])
    )
    carried_and_taken_back(page, api, sheet, {("luck", "luck"): -1})


def wait_scored(page: Any, api: httpx.Client) -> dict[str, Any]:
    wait_state(page, "scored")
    return state_of(api)


def test_a_clock_is_ticked_and_the_tick_taken_back(page: Any, api: httpx.Client, begin: Callable[..., int]) -> None:
    begin("highest-die", "Flo")
    page.locator("#table-button").click()
    page.locator("#table-panel [data-tab=clocks]").click()
    page.get_by_label("Name of a new clock").fill("Alarm")
    page.get_by_label("Segments").get_by_role("button", name="6").click()
    page.get_by_test_id("add-clock").click()
    clock = page.get_by_test_id("clock")
    for filled in (1, 2):
        page.get_by_role("button", name=f"Alarm: {filled - 1} of 6. Tick it").click()
        page.locator(f"[data-testid=clock][data-filled='{filled}']").wait_for()
        assert clock.locator(".segment.full").count() == filled
    page.get_by_test_id("undo-clock").click()
    page.locator("[data-testid=clock][data-filled='1']").wait_for()
    assert [one["filled"] for one in api.get("/api/clocks").json()["clocks"]] == [1]
    page.reload()
    page.locator("#table-button").click()
    page.locator("[data-testid=clock][data-filled='1']").wait_for()
    page.get_by_role("button", name="Take Alarm away").click()
    page.get_by_test_id("confirm").click()
    clock.wait_for(state="detached")


def test_what_the_rules_are_asked_goes_to_the_sheet(page: Any, api: httpx.Client, begin: Callable[..., int]) -> None:
    sheet = begin("highest-die", "Gil")
    page.locator("#table-button").click()
    page.locator("[data-tab=asks]").click()
    page.locator("[data-ask=damage]").click()
    form = page.locator("#table-panel [data-form=damage]")
    form.get_by_role("button", name="One Consequence more").click()
    form.get_by_test_id("ask").click()
    page.get_by_test_id("ask-carry").click()
    page.get_by_test_id("ask-carry").wait_for(state="detached")
    assert counters(api, sheet)["hp", "HP"] == 1


def test_a_ruling_and_a_role_are_kept_until_they_go_back(page: Any, api: httpx.Client) -> None:
    page.goto("/rulings")
    page.locator("[data-system=push-pool]").click()
    ruling = page.locator("[data-ruling=skill_ones_locked]")
    ruling.get_by_role("button", name="On").click()
    page.locator("[data-ruling=skill_ones_locked][data-value=true]").wait_for()
    gear = page.locator("[data-class=gear]")
    gear.get_by_role("button", name="Skill").click()
    page.locator("[data-class=gear][data-role=skill]").wait_for()
    page.reload()
    page.locator("[data-system=push-pool]").click()
    assert ruling.get_attribute("data-value") == "true"
    assert gear.get_attribute("data-role") == "skill"
    listed = {system["id"]: system for system in api.get("/api/rulings").json()["systems"]}
    assert [one["name"] for one in listed["push-pool"]["rulings"] if one["value"] != one["default"]] == [
        "skill_ones_locked"
    ]
    assert page.locator(".ruling[data-ruling]").count() == len(listed["push-pool"]["rulings"])
    page.get_by_role("button", name="Skill ones locked: back to the default").click()
    page.get_by_role("button", name="Gear dice: back to the default").click()
    page.locator("[data-ruling=skill_ones_locked][data-chosen=false]").wait_for()
    page.locator("[data-class=gear][data-role=gear]").wait_for()


def test_a_sheet_goes_out_and_in_as_a_file_and_is_thrown_away_only_when_asked_twice(
    page: Any, api: httpx.Client, begin: Callable[..., int]
) -> None:
    sheet = begin("push-pool", "Hal", counters=[{"kind": "skill", "name": "Lore", "now": 3}])
    page.goto("/sheets")
    page.locator(f"[data-sheet-id='{sheet}']").wait_for()
    with page.expect_download() as download:
        page.get_by_test_id("export").click()
    path = download.value.path()
    page.get_by_label("Bring in a sheet from a file").set_input_files(path)
    page.wait_for_function(
        "sheet => document.querySelector('[data-sheet-id]').dataset.sheetId !== sheet", arg=str(sheet)
    )
    copied = int(page.get_by_test_id("sheet").get_attribute("data-sheet-id"))
    assert counters(api, copied) == counters(api, sheet)

    # A file of another version changes nothing, and says so.
    listed = len(api.get("/api/sheets").json()["sheets"])
    other = path.read_text().replace("pushtray-sheet/1", "pushtray-sheet/9")
    page.get_by_label("Bring in a sheet from a file").set_input_files(
        {"name": "other.json", "mimeType": "application/json", "buffer": other.encode()}
    )
    page.locator("#toast").wait_for()
    assert "pushtray-sheet" in page.locator("#toast").text_content()
    assert len(api.get("/api/sheets").json()["sheets"]) == listed

    page.get_by_test_id("edit-sheet").click()
    page.get_by_test_id("delete-sheet").click()
    page.get_by_role("button", name="Keep").click()
    assert len(api.get("/api/sheets").json()["sheets"]) == listed
    page.get_by_test_id("delete-sheet").click()
    page.get_by_test_id("confirm").click()
    page.locator(f"[data-sheet='{copied}']").wait_for(state="detached")
    assert len(api.get("/api/sheets").json()["sheets"]) == listed - 1
