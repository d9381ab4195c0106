"""A set of dice taught in a real browser: thrown, each new face named with one tap, exported, deleted."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, Response

from device.app import TrayApp
from device.config.settings import Settings
from device.texts.catalogue import translate
from tests.web.accessible import trips
from tests.web.playing import WAIT_MS, eager_setup, wait_state
from tests.web.ports import free_port
from tests.web.resting import until
from tests.web.windows import Windows
from vision.pipeline.reader import Reader
from vision.tracking.watch import TrayWatch
from vision.tray.floor import Floor
from vision.types.frame import ImageBgr
from vision.types.reading import TrayReading, Unread

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
THROWS = 8


@pytest.fixture
def played(tmp_path: Path) -> Iterator[TrayApp]:
    plain = Settings()
    tray = replace(plain.tray, camera="simulated", data=tmp_path)
    settings = replace(plain, tray=tray, web=replace(plain.web, port=free_port()))
    app = TrayApp(settings, eager_setup(settings))
    app.start()
    yield app
    app.stop()


@pytest.fixture
def page(windows: Windows, played: TrayApp) -> Page:
    page = windows.lend((800, 480))
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{played.url}dice")
    return page


def throw(api: httpx.Client, **order: int) -> None:
    """Throw once the hand of the throw before is gone: where no roll comes of a throw, nothing else waits for it."""
    until(lambda: api.post("/api/throw", json=order).status_code == 200)


def test_a_set_is_taught_by_throws_and_a_tap_for_each_face(
    page: Page, windows: Windows, played: TrayApp, tmp_path: Path
) -> None:
    taps = 1
    page.get_by_test_id("set-name").fill("Night")
    page.locator("[data-class=base]").click()
    known, throws = dict[int, int](), 0
    shown: list[Response] = []
    page.on("response", lambda answer: shown.append(answer) if answer.url.endswith("/show") else None)
    with httpx.Client(base_url=played.url, verify=False, timeout=60) as api:
        while len(known) < 6 and throws < THROWS:
            throws += 1
            shown.clear()
            throw(api, base=8, seed=40 + throws)
            # The page looks when the hand has cleared the tray, too.
            while not any(answer.json().get("seen") for answer in shown):
                page.wait_for_timeout(50)
            while waiting := api.get("/api/dice-sets").json()["waiting"]:
                face = page.locator(f"[data-testid=new-face][data-key='{waiting[0]['key']}']")
                face.wait_for()
                hinted = face.locator("[data-value][aria-pressed=true]")
                with page.expect_response(lambda answer: answer.url.endswith("/faces") or "/waiting/" in answer.url):
                    (hinted if hinted.count() else page.get_by_test_id("skip-face")).click()
                taps += 1
            held = [face for one in api.get("/api/dice-sets").json()["sets"] for face in one["faces"]]
            known = {face["value"]: face["views"] for face in held}
        assert sorted(known) == [1, 2, 3, 4, 5, 6]
        # Ten seconds for a throw, three for a tap: well under two minutes.
        assert 10 * throws + 3 * taps < 120, (throws, taps)
        assert page.get_by_test_id("progress").inner_text() == "6 of 6 faces"
        assert page.get_by_test_id("known").inner_text() == "6 of 6 faces"
        assert page.locator(".read-picture canvas").get_attribute("data-etag"), "the live picture is shown meanwhile"
        assert page.locator(".read-picture .read").count() == 8, "with an outline of each die"
        assert api.get("/api/rolls").json()["rolls"] == [], "dice that are shown are no rolls"
        page.wait_for_function("() => document.querySelectorAll('.faces img').length === 6")
        assert trips(page) == []
        file = tmp_path / "night.json"
        file.write_bytes(api.get("/api/dice-sets/Night/export").content)
        assert json.loads(file.read_bytes())["name"] == "Night"
        page.get_by_test_id("delete-set").click()
        page.locator("[data-set=Night]").wait_for(state="detached")
        page.get_by_test_id("undo-delete").click()
        page.locator("[data-set=Night]").wait_for()
        # So does the button of every page, and another page's change shows here.
        api.delete("/api/dice-sets/Night").raise_for_status()
        page.get_by_test_id("undo-delete").wait_for()
        page.get_by_test_id("undo-button").click()
        page.locator("[data-set=Night]").wait_for()
        # The second tap of a double tap does nothing to the face that moves up.
        page.get_by_test_id("forget-face").first.dblclick()
        page.get_by_test_id("progress").filter(has_text="5 of 6 faces").wait_for()
        page.get_by_test_id("undo-set").dblclick()
        page.get_by_test_id("progress").filter(has_text="6 of 6 faces").wait_for()
        page.get_by_test_id("delete-set").click()
        page.locator("[data-set=Night]").wait_for(state="detached")
        page.get_by_test_id("import-set").set_input_files(file)
        page.locator("[data-set=Night]").wait_for()
        # Another table's set of that name is added, not put in its place.
        other = json.loads(file.read_bytes())
        file.write_text(json.dumps(other | {"faces": other["faces"][:1]}))
        page.get_by_test_id("import-set").set_input_files(file)
        page.get_by_test_id("import-as").click()
        page.locator("[data-set='Night 2']").get_by_test_id("undo-set").click()
        page.locator("[data-set='Night 2']").wait_for(state="detached")
        bad = tmp_path / "bad.json"
        bad.write_text("{}")
        page.get_by_test_id("import-set").set_input_files(bad)
        page.get_by_text("not a set of dice").wait_for()
        assert api.get("/api/dice-sets").json()["sets"][0]["progress"] == {"known": 6, "of": 6}
        # Faces with pips are read by these, as before; once no dice are shown, a throw is a roll.
        display = windows.lend((800, 480))
        display.goto(played.url)
        display.locator("#headline", has_text=translate("tray.display.lesson.title")).wait_for()
        display.locator("#stop-lesson").click()
        display.locator("#stop-lesson").wait_for(state="detached")
        page.locator("[data-class=base][aria-pressed=false]").wait_for()
        throw(api, base=4, skill=2, seed=77)
        until(lambda: len(api.get("/api/state").json()["dice"]) == 6)
        assert [die["unread"] for die in api.get("/api/state").json()["dice"]] == [None] * 6


class _Numerals(Reader):
    """Reads pips of base dice as if they were numerals that were not taught."""

    def read(self, image_bgr: ImageBgr, known_floor: Floor | None = None) -> TrayReading:
        read = super().read(image_bgr, known_floor)
        unknown = {"unread": Unread.FACE_UNKNOWN, "confidence": 0.8}
        dice = [replace(die, **unknown) if die.colour == "base" else die for die in read.dice]  # type: ignore[arg-type]
        return replace(read, dice=tuple(dice), trusted=False)


def test_numerals_are_confirmed_and_learned_by_one_tap(page: Page, played: TrayApp) -> None:
    played.camera.worker.watch_with(TrayWatch(_Numerals()))
    page.goto(played.url)
    with httpx.Client(base_url=played.url, verify=False, timeout=60) as api:
        api.post("/api/throw", json={"base": 3, "skill": 1, "seed": 77}).raise_for_status()
        wait_state(page, "unclear")
        until(lambda: not api.get("/api/state").json()["hand_in_view"])
        base = [die for die in api.get("/api/state").json()["dice"] if die["colour"] == "base"]
        key = page.get_by_test_id("all-as-read")
        assert key.inner_text().startswith("Remember as ")
        with page.expect_response(lambda answer: answer.url.endswith("/remember")):
            key.click()
        wait_state(page, "scored")
        (own,) = api.get("/api/dice-sets").json()["sets"]
        assert {face["value"] for face in own["faces"]} == {die["read_value"] or die["value"] for die in base}
        page.get_by_text("Remembered in Own dice").wait_for()


def test_a_corrected_face_is_remembered_shown_and_forgotten(page: Page, played: TrayApp) -> None:
    page.goto(played.url)
    with httpx.Client(base_url=played.url, verify=False, timeout=60) as api:
        # The only one of its class: what it teaches says nothing of the others.
        api.post("/api/throw", json={"base": 1, "skill": 3, "seed": 77}).raise_for_status()
        wait_state(page, "scored", "unclear")
        # A hand that is still over the tray hides what is to be remembered.
        until(lambda: not api.get("/api/state").json()["hand_in_view"])
        before = api.get("/api/state").json()
        die = next(die for die in before["dice"] if die["colour"] == "base" and die["value"])
        other = die["value"] % 6 + 1
        # Undo takes back the correction and what was learned from it.
        api.patch(f"/api/dice/{die['id']}", json={"value": other, "colour": "gear"}).raise_for_status()
        learned = api.post("/api/dice-sets/remember", json={"dice": [die["id"]]}).json()
        assert [face["colour"] for face in learned["sets"][0]["faces"]] == ["gear"], "as corrected, not as read"
        offer = api.get("/api/state").json()["undo"]
        assert offer["action"] == "faces"
        api.post("/api/undo", json={"id": offer["id"]}).raise_for_status()
        until(
            lambda: (
                (die["value"], False)
                in [
                    (one["value"], one["corrected"])
                    for one in api.get("/api/state").json()["dice"]
                    if one["id"] == die["id"]
                ]
            )
        )
        assert api.get("/api/dice-sets").json()["sets"] == []
        page.locator(f"[data-testid=die][data-die-id='{die['id']}']").click()
        page.locator("#pad-remember").click()
        with page.expect_response(lambda answer: answer.url.endswith("/remember")):
            page.locator(f"#pad-values [data-value='{other}']").click()
        page.get_by_text("Remembered in Own dice").wait_for()
        chip = page.locator(f"[data-testid=die][data-die-id='{die['id']}']")
        chip.locator("image").wait_for()
        after = api.get("/api/state").json()
        # Dice that are read twice have no number at first; there is no second roll.
        assert after["roll"] in (before["roll"], 1)
        assert chip.get_attribute("data-value") == str(other)
        chip.click()
        page.locator(f"#pad-values [data-value='{other}'] img").wait_for()
        assert not page.locator("#pad-remember-box").is_checked(), "each correction is asked about"
        page.goto(f"{played.url}dice")
        page.get_by_test_id("forget-face").wait_for()
        assert trips(page) == []
        page.get_by_test_id("forget-face").click()
        page.get_by_test_id("progress").get_by_text("0 faces").wait_for()
        page.get_by_test_id("undo-set").click()
        page.get_by_test_id("forget-face").wait_for()


def test_a_face_unlike_its_others_is_asked_shown_and_taken_out(page: Page, played: TrayApp) -> None:
    page.goto(played.url)
    with httpx.Client(base_url=played.url, verify=False, timeout=60) as api:
        api.post("/api/throw", json={"base": 8, "seed": 77}).raise_for_status()
        wait_state(page, "scored", "unclear")
        until(lambda: not api.get("/api/state").json()["hand_in_view"])
        dice = {die["value"]: die["id"] for die in api.get("/api/state").json()["dice"]}
        # 1 and 4, and 1 and 6, look less alike than all others.
        pair = next(pair for pair in ((1, 6), (1, 4), (1, 2)) if set(pair) <= set(dice))
        for value, is_known in zip(pair, (False, True), strict=True):
            page.locator(f"[data-testid=die][data-die-id='{dice[value]}']").click()
            page.locator("#pad-remember").click()
            with page.expect_response(lambda answer: answer.url.endswith("/remember")):
                page.locator("#pad-values [data-value='5']").click()
            if is_known:
                question = page.locator("dialog.small")
                question.locator("figure img").nth(1).wait_for()
                assert trips(page) == []
                question.get_by_test_id("confirm").click()
            page.get_by_text("Remembered in Own dice").wait_for()
        page.goto(f"{played.url}dice")
        page.get_by_test_id("face-views").click()
        page.get_by_test_id("forget-view").nth(1).wait_for()
        page.locator("[data-times='2']").click()
        page.locator("[data-times='2'][aria-pressed=true]").wait_for()
        page.get_by_test_id("forget-view").first.click()
        page.get_by_test_id("forget-view").nth(1).wait_for(state="detached")
        assert trips(page) == []
        (own,) = api.get("/api/dice-sets").json()["sets"]
        assert [(face["value"], face["views"], face["times"]) for face in own["faces"]] == [(5, 1, 2)]


def test_a_blank_face_is_named_and_counts_nothing(page: Page, played: TrayApp) -> None:
    page.goto(played.url)
    with httpx.Client(base_url=played.url, verify=False, timeout=60) as api:
        api.post("/api/throw", json={"base": 2, "skill": 2, "seed": 77}).raise_for_status()
        wait_state(page, "scored", "unclear")
        until(lambda: not api.get("/api/state").json()["hand_in_view"])
        one, other = [die["id"] for die in api.get("/api/state").json()["dice"] if die["colour"] == "base"]
        # The class has a blank face once one was taught; then the pad offers it.
        api.patch(f"/api/dice/{one}", json={"face": "blank"}).raise_for_status()
        api.post("/api/dice-sets/remember", json={"dice": [one]}).raise_for_status()
        chip = page.locator(f"[data-testid=die][data-die-id='{other}']")
        chip.click()
        page.locator("#pad-values [data-value='0']").click()
        page.locator(f"[data-testid=die][data-die-id='{other}'][data-value='0']").wait_for()
        assert "blank" in str(chip.get_attribute("aria-label"))
        dice = {die["id"]: die for die in api.get("/api/state").json()["dice"]}
        assert [(dice[die]["value"], dice[die]["face"]) for die in (one, other)] == [(0, "blank")] * 2
        assert trips(page) == []
        assert "base=blank" in api.get("/api/rolls.csv").text
