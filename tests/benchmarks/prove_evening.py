"""Plays a whole evening through the pages: four players on four phones, a game master, every rule system, 40 rolls.

By hand, some ten minutes; drawn dice, the real reader, real Chromium, every press on a page:

    .venv/bin/python tests/benchmarks/prove_evening.py [--rolls 40] [--language de] [--pictures FOLDER]

Half of the rolls are requested by the game master, half by players on their own phones. A third is pushed, and every
second push of these is played wrong first; the tray is restarted while a push waits. What a screen shows is recorded
here and compared at the end with the log, the story as CSV, the statistics, each player's own page and the history
page. Readings are compared with the drawn tray at each result; a die that the reader doubts is settled by a tap, as at
a table. The phone of each roll's player must wake with the request and have the result. At the end of each system's
rolls one is thrown from a player's sheet until it costs something (RISKS): that player takes it on the own phone, and
no other sheet may change. Exit status 1 if anything differs.
"""

import argparse
import csv
import io
import itertools
import json
import shutil
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

import httpx  # noqa: E402
import numpy as np  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402
from playwright.sync_api import Error as PlaywrightError  # noqa: E402

from device.app import TrayApp  # noqa: E402
from device.config.settings import PhoneSettings, Settings, with_overrides  # noqa: E402
from device.game.throw_orders import HandAction  # noqa: E402
from device.runtime.simulated import simulated_camera_setup  # noqa: E402
from device.simulation.camera import SimulatedCamera, TrueDie  # noqa: E402
from device.storage.display_secret import display_secret  # noqa: E402
from device.texts.catalogue import in_language, translate  # noqa: E402
from device.web.core.access import DISPLAY_COOKIE  # noqa: E402
from tests.web.playing import fill_request  # noqa: E402
from vision.types.frame import FloatArray  # noqa: E402

PLAYERS = ("Ann", "Ben", "Mira", "Zo")
PANEL, PHONE = (800, 480), (390, 844)
WAIT_MS = 60_000
WRONG = tuple(hand for hand in HandAction if hand is not HandAction.RIGHT)
JUDGED = """() => document.body.dataset.state !== 'rolling'
  && (document.body.dataset.state !== 'awaiting_push' || document.querySelector('[data-testid=problem]'))"""
THROW = "() => { const key = document.querySelector('#throw'); if (!key.disabled) key.click(); return !key.disabled; }"
MEND = """() => {
  // What is to be thrown once more goes by the Throw button; while the hand is about neither can be pressed.
  if (document.body.dataset.state !== 'awaiting_push') return true;
  const key = [...document.querySelectorAll('#mend, #throw')].find(one => one.offsetParent && !one.disabled);
  key?.click();
  return Boolean(key);
}"""
RISKS: dict[str, dict[str, Any]] = {
    "die-code": {"code": 9, "luck": True},
    "highest-die": {"attribute": "STR", "own_dice": 1},
}
"""Tiles of a roll that costs something where an attribute alone does not; another program sends that request."""
FREE, RISKED = {"hits-pool"}, 8
"""Systems whose rolls cost nothing, and how often a roll is tried until it costs something."""
MOVED_MM = 2.0
"""A die farther than this from its old place was moved."""
PUSHED, CORRECTED = 3, 8
"""Every how many-eth roll is pushed, and corrected after its last result."""


def free_port() -> int:
    """Return a port that the tray keeps after a restart."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Written:
    """What was seen of one roll while it was played.

    Attributes:
        owner: The player.
        label: Its purpose.
        system: Its rule system.
        results: The large number on the display, after the first throw and after the push.
        faces: Colour class and first value of each die that a throw moved.
        is_pushed: Whether it was pushed.
        is_corrected: Whether a person corrected a value.
    """

    owner: str
    label: str
    system: str
    results: list[str] = field(default_factory=list)
    faces: Counter[tuple[str, int]] = field(default_factory=Counter)
    is_pushed: bool = False
    is_corrected: bool = False


class Evening:
    """The tray, its screens, and what was recorded."""

    def __init__(self, folder: Path, browser: Browser, language: str, seed: int, pictures: Path | None) -> None:
        self._language = language
        self._folder, self._browser, self._pictures = folder, browser, pictures
        self._seeds: Iterator[int] = itertools.count(1000 * seed)
        self._port = free_port()
        self.camera: SimulatedCamera
        self.app: TrayApp
        self.start()
        self.url = f"http://127.0.0.1:{self._port}"
        self.far = f"http://tray.lan:{self._port}"
        self.api = httpx.Client(base_url=self.url, timeout=20, cookies={DISPLAY_COOKIE: display_secret(self._folder)})
        self.written: list[Written] = []
        self.taps = self.wrong = self.unseen = self.restarts = self.woken = 0
        self.paid: dict[str, str] = {}
        self.errors: list[str] = []
        self.display = self.opened(self.url, PANEL)
        self.master = self.opened(self.far, PHONE)
        self.phones = {name: self.opened(self.far, PHONE) for name in PLAYERS}

    def start(self) -> None:
        settings = with_overrides(Settings(), camera="simulated", data=self._folder, port=self._port)
        web = replace(settings.web, names=("tray.lan",))
        display = replace(settings.display, language=self._language)
        settings = replace(settings, display=display, web=web, phones=PhoneSettings(pin="on"))
        setup = simulated_camera_setup(settings)
        assert isinstance(setup.camera, SimulatedCamera)
        self.camera = setup.camera
        self.app = TrayApp(settings, setup)
        self.app.start()

    def opened(self, url: str, size: tuple[int, int]) -> Page:
        context = self._browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            base_url=url,
            reduced_motion="reduce",
            locale=self._language,
        )
        if url == self.url:
            secret = display_secret(self._folder)
            context.add_cookies([{"name": DISPLAY_COOKIE, "value": secret, "url": url}])
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: self.errors.append(f"script: {error}"))
        return page

    def state(self) -> dict[str, Any]:
        body: dict[str, Any] = self.api.get("/api/state").json()
        return body

    def picture(self, page: Page, name: str) -> None:
        if self._pictures:
            page.screenshot(path=self._pictures / f"{name}.png")

    def expect(self, is_so: object, what: str) -> None:
        if not is_so:
            self.errors.append(what)
            sys.stderr.write(f"DIFFERS {what}\n")

    # The way in.

    def pair(self) -> None:
        self.display.goto("/phones")
        pin = self.display.get_by_test_id("player-pin").inner_text()
        for name, phone in self.phones.items():
            phone.goto("/phone")
            phone.get_by_test_id("pin").fill(pin)
            phone.get_by_test_id("pair").click()
            phone.get_by_test_id("my-name").fill(name)
            phone.get_by_test_id("name-go").click()
            self.make_sheet(phone)
        self.display.get_by_test_id("show-master").click()
        digits = self.display.get_by_test_id("master-pin").inner_text().replace(" ", "")
        self.master.goto(f"/phone#pin={digits}")
        self.master.get_by_test_id("my-name").wait_for()
        self.picture(self.display, "phones")
        self.display.goto("/")
        self.master.goto("/gm")
        self.shows("empty")

    def make_sheet(self, phone: Page) -> None:
        phone.get_by_test_id("new-sheet").click()
        phone.get_by_test_id("sheet").wait_for()

    def choose(self, system: str) -> None:
        """Choose other rules on the display; each player takes a new sheet."""
        self.display.locator("#system").select_option(system)
        self.display.wait_for_function("id => document.querySelector('#system').value === id", arg=system)
        for phone in self.phones.values():
            phone.goto("/me")
            phone.locator("[data-testid=sheet], [data-testid=new-sheet]").first.wait_for()
            if phone.get_by_test_id("new-sheet").count():
                self.make_sheet(phone)

    def shows(self, *states: str, page: Page | None = None) -> str:
        page = page or self.display
        page.wait_for_function("states => states.includes(document.body?.dataset.state)", arg=list(states))
        return str(page.evaluate("() => document.body?.dataset.state"))

    # One roll.

    def ask_for(self, number: int, owner: str, label: str, dice: dict[str, int]) -> None:
        """Request a roll as the game master, or as the player on the own phone."""
        if number % 2:
            page = self.phones[owner]
            page.goto("/phone")
            page.get_by_test_id("ask-button").click()
        else:
            self.phones[owner].goto("/me")
            self.phones[owner].get_by_test_id("sheet").wait_for()
            page = self.master
            page.get_by_test_id("ask-player").filter(has_text=owner).click()
        fill_request(page, label, dice)
        self.display.locator("#headline", has_text=f"{owner}: {label}").wait_for()
        self.wakes(owner, label)

    def wakes(self, owner: str, label: str) -> None:
        """Wait until the player's phone has the turn in its title, and the others not."""
        turn = in_language(translate("page.turn.yours", roll=f"{owner}: {label}"), self._language)
        self.phones[owner].wait_for_function("turn => document.title === turn", arg=turn)
        self.phones[owner].get_by_text(turn).first.wait_for()
        self.woken += 1
        for name, phone in self.phones.items():
            self.expect(name == owner or phone.title() != turn, f"{label}: the phone of {name} says {turn!r}")

    def has_result(self, entry: Written) -> None:
        """Wait until the player's page has the result that the display shows, whichever page it is."""
        phone = self.phones[entry.owner]
        place = "my-turn-words" if phone.url.endswith("/me") else "successes"
        phone.get_by_test_id(place).filter(has_text=entry.results[-1]).first.wait_for()

    def throw(self) -> None:
        self.display.locator("#seed").fill(str(next(self._seeds)))
        self.display.wait_for_function(THROW)

    def true_of(self, die: dict[str, Any]) -> TrueDie:
        """Return the drawn die that the tray shows there."""
        lying = self.camera.truth()
        apart = [float(np.hypot(*(np.array(one.shows.center_px) - die["center_px"]))) for one in lying]
        return lying[int(np.argmin(apart))]

    def settle(self, entry: Written) -> None:
        """Correct each die in doubt, or confirm all."""
        page = self.display
        for _ in range(12):
            state = self.state()
            if state["state"] != "unclear":
                return
            doubtful = next(
                (die for die in state["dice"] if die.get("unread") or not die["value"] or not die["colour"]), None
            )
            self.taps += 1
            if doubtful is not None:
                truth = self.true_of(doubtful)
                page.locator(f"[data-die-id='{doubtful['id']}']").first.click()
                if doubtful["colour"] != truth.colour:
                    page.locator(f"#pad-colours [data-colour='{truth.colour}']").click()
                if self.display.locator("#pad").evaluate("pad => pad.open"):
                    page.locator(f"#pad-values [data-value='{truth.shows.value}']").click()
                page.wait_for_function("() => !document.querySelector('#pad').open")
                entry.is_corrected = True
            elif state.get("confirmable"):
                page.locator("#confirm").click()
            elif state.get("mend"):
                page.wait_for_function("() => document.body.dataset.mend")
                page.locator("#mend").click()
            else:
                break
            self.display.wait_for_timeout(400)
            self.shows("unclear", "scored", "resolved", "awaiting_push")
        self.expect(self.state()["state"] != "unclear", f"a roll stays unclear: {self.state()['problems']}")

    def note(self, entry: Written, moved: Sequence[int] | None) -> dict[str, Any]:
        """Record a result: what the display shows, and whether it is right."""
        state = self.state()
        lying = Counter((die.colour, die.shows.value) for die in self.camera.truth())
        read = Counter((die["colour"], die["value"]) for die in state["dice"])
        self.expect(read == lying, f"{entry.label}: read {dict(read)}, there lie {dict(lying)}")
        entry.results.append(self.display.locator("#successes").text_content() or "")
        for die in state["dice"]:
            if moved is None or die["id"] in moved:
                entry.faces[die["colour"], die["value"]] += 1
        return state

    def roll(self, number: int, system: str, restart: bool) -> None:
        owner, label = PLAYERS[number % len(PLAYERS)], f"Roll {number}"
        # Negative dice are thrown with those of skill: such a roll has one or the other.
        state = self.state()
        roles = [role for role in state["pool_roles"] if role in state["roles"].values()]
        most = {"wild": 1}
        dice = {
            role: 1 + (number + place) % most.get(role, 3 if len(roles) > 1 else 2) for place, role in enumerate(roles)
        }
        entry = Written(owner, label, system)
        self.ask_for(number, owner, label, dice)
        self.throw()
        if self.shows("scored", "unclear", "resolved") == "unclear":
            self.settle(entry)
        state = self.note(entry, None)
        self.has_result(entry)
        allowed = state["push"]["eligible"]
        if number % PUSHED == 0 and allowed:
            self.push(entry, number, restart)
        if number % CORRECTED == 5:
            self.correct(entry)
        if self._pictures:
            self.picture(self.display, f"{system}-{number}")
            self.picture(self.phones[owner], f"{system}-{number}-phone")
        self.written.append(entry)
        self.display.get_by_test_id("reset-button").click()
        self.shows("empty")

    def risk(self, number: int, system: str) -> None:
        """Roll from a player's sheet until it costs something, and take that on the player's phone."""
        owner = PLAYERS[number % len(PLAYERS)]
        phone = self.phones[owner]
        sheet = next(one for one in self.sheets() if (one["title"], one["system"]) == (owner, system))
        for attempt in range(1 if system in FREE else RISKED):
            entry = Written(owner, f"Risk {number}.{attempt}", system)
            phone.goto("/me")
            phone.get_by_test_id("sheet").wait_for()
            self.ask_risk(owner, entry, sheet["id"])
            self.wakes(owner, entry.label)
            self.throw()
            if self.shows("scored", "unclear", "resolved") == "unclear":
                self.settle(entry)
            if self.note(entry, None)["push"]["eligible"] and not self.state()["consequences"]:
                self.push(entry, 0, restart=False)
                phone.goto("/me")
            self.has_result(entry)
            self.written.append(entry)
            if due := self.state()["consequences"]:
                self.take(entry, sheet["id"], due)
            self.picture(phone, f"{system}-cost-phone")
            self.display.get_by_test_id("reset-button").click()
            self.shows("empty")
            if due:
                return
        self.expect(system in FREE, f"{system}: {RISKED} rolls cost nothing")

    def ask_risk(self, owner: str, entry: Written, sheet: int) -> None:
        """Request the roll of the sheet's first attribute by taps on the game master's phone."""
        if entry.system in RISKS:
            request = {"owner": owner, "label": entry.label, "tiles": RISKS[entry.system], "sheet": sheet}
            answer = self.api.post("/api/asked", json=request)
            self.expect(answer.status_code == 200, f"{entry.label}: {answer.text}")
            return
        self.master.get_by_test_id("ask-player").filter(has_text=owner).click()
        panel = self.master.locator("#ask-roll")
        panel.get_by_test_id("ask-label").fill(entry.label)
        panel.get_by_test_id("ask-attribute").first.click()
        panel.locator(".answer [data-testid=taken]").first.wait_for()
        panel.get_by_test_id("ask-go").click()
        panel.wait_for(state="hidden")

    def take(self, entry: Written, sheet: int, due: dict[str, Any]) -> None:
        """Take a cost on the player's phone, and compare all sheets before and after."""
        before = {one["id"]: one["counters"] for one in self.sheets()}
        costs = self.phones[entry.owner].get_by_test_id("my-costs")
        costs.get_by_test_id("carry").click()
        self.phones[entry.owner].locator("[data-testid=my-costs][data-carried=true]").wait_for()
        after = {one["id"]: one["counters"] for one in self.sheets()}
        changed = [number for number, counters in after.items() if counters != before[number]]
        self.expect(changed == [sheet], f"{entry.label}: {due['effects']} changed the sheets {changed}, not {sheet}")
        self.paid[entry.system] = f"{entry.owner} {', '.join(map(str, due['effects']))}"

    def sheets(self) -> list[dict[str, Any]]:
        sheets: list[dict[str, Any]] = self.api.get("/api/sheets").json()["sheets"]
        return sheets

    def push(self, entry: Written, number: int, restart: bool) -> None:
        """Push on the player's own phone; every second time the hand makes a mistake first."""
        phone = self.phones[entry.owner]
        phone.goto("/phone")
        self.shows("scored", page=phone)
        push = self.state()["push"]
        phone.get_by_test_id("push-button").click()
        self.shows("awaiting_push")
        entry.is_pushed = True
        if restart:
            self.app.stop()
            self.start()
            self.restarts += 1
            # The player sees that the connection was lost and is back before the next press.
            self.display.wait_for_timeout(4000)
            self.display.locator("#lost").wait_for(state="hidden")
            self.shows("awaiting_push")
            self.expect(self.state()["state"] == "awaiting_push", "the push does not wait after the restart")
        if number % (2 * PUSHED):
            # A single die cannot be left out, and if none stays none can be taken by mistake.
            few = {HandAction.DIE_LEFT_LYING, HandAction.DIE_MISSING} if len(push["must_reroll"]) < 2 else set()
            few |= set() if push["locked"] else {HandAction.LOCKED_DIE_REROLLED}
            hands = [hand for hand in WRONG if hand not in few]
            hand = hands[(number // PUSHED) % len(hands)]
            self.display.locator("#hand").select_option(hand.value)
            lay = self.places()
            self.throw()
            self.display.wait_for_function(JUDGED)
            self.picture(self.display, f"{entry.system}-{number}-{hand.value}")
            self.wrong += 1
            if self.shows("awaiting_push", "resolved", "unclear") == "resolved":
                # A die that was left and knocked away by a thrown one looks like a thrown one.
                is_hit = hand is HandAction.DIE_LEFT_LYING and self.moved(lay) >= len(push["must_reroll"])
                self.unseen += is_hit
                self.expect(is_hit, f"{entry.label}: {hand.value} was not noticed")
            self.mend()
        else:
            self.throw()
        if self.shows("resolved", "unclear") == "unclear":
            self.settle(entry)
        self.note(entry, push["must_reroll"])

    def places(self) -> dict[int, FloatArray]:
        """Return the place of each die, in mm, by its number."""
        return {die.number: die.pose.center_mm for die in self.camera.truth()}

    def moved(self, lay: dict[int, FloatArray]) -> int:
        """Return how many dice have moved."""
        return sum(
            number in lay and float(np.linalg.norm(place - lay[number])) > MOVED_MM
            for number, place in self.places().items()
        )

    def mend(self) -> None:
        """Follow the page's instructions until the push is played right."""
        for _ in range(8):
            if self.shows("awaiting_push", "resolved", "unclear") != "awaiting_push":
                return
            self.display.wait_for_function(MEND)
            self.display.wait_for_timeout(1500)
            self.display.wait_for_function("() => document.body.dataset.state !== 'rolling'")
        self.expect(False, f"the push stays as it was: {self.state()['problems']}")

    def correct(self, entry: Written) -> None:
        """Correct a value with a tap."""
        die = self.state()["dice"][0]
        other = die["value"] % 6 + 1
        rows = self.api.get("/api/rolls").json()["rolls"]
        self.display.locator(f"[data-die-id='{die['id']}']").first.click()
        self.display.locator(f"#pad-values [data-value='{other}']").click()
        self.display.wait_for_function("() => !document.querySelector('#pad').open")
        until = time.monotonic() + 20
        while self.api.get("/api/rolls").json()["rolls"][0]["id"] == rows[0]["id"] and time.monotonic() < until:
            time.sleep(0.1)
        entry.is_corrected = True
        # The reading counts as wrong: the die showed the other value from its throw on.
        entry.faces[die["colour"], die["value"]] -= 1
        entry.faces[die["colour"], other] += 1
        entry.results[-1] = self.display.locator("#successes").text_content() or ""

    # The morning after.

    def compare(self) -> None:
        story = list(csv.DictReader(io.StringIO(self.api.get("/api/story.csv").text.removeprefix("\ufeff"))))
        lines = [json.loads(line) for line in self.api.get("/api/story.jsonl").text.splitlines()]
        statistics = self.api.get("/api/statistics").json()
        self.expect(
            len(story) == len(lines) == statistics["rolls"] == len(self.written),
            f"{len(self.written)} rolls were played, the story has {len(story)} and {len(lines)}, "
            f"the statistics {statistics['rolls']}",
        )
        for entry, row in zip(self.written, story, strict=False):
            mine = (entry.owner, entry.label, entry.system, entry.is_pushed, entry.is_corrected, entry.results[0])
            theirs = (
                row["owner"],
                row["label"],
                row["system"],
                int(row["pushes"] or 0) > 0,
                bool(row["corrected"]),
                row["result"],
            )
            self.expect(mine == theirs, f"{entry.label}: {mine} was played, the story has {theirs}")
            last = row["result_after_push"] if entry.is_pushed else row["result"]
            self.expect(
                entry.results[-1] == last,
                f"{entry.label}: the display showed {entry.results[-1]} in the end, the story has {last}",
            )
        faces = sum((entry.faces for entry in self.written), Counter[tuple[str, int]]())
        counted = Counter(
            {
                (one["colour"], value): count
                for one in statistics["faces"]
                for value, count in enumerate(one["counts"], 1)
                if count
            }
        )
        self.expect(
            faces == counted,
            f"faces: {sorted((faces - counted).items())} too few in the statistics, "
            f"{sorted((counted - faces).items())} too many",
        )
        pushes = Counter(entry.owner for entry in self.written if entry.is_pushed)
        counted_pushes = {one["player"]: one["pushes"] for one in statistics["pushes"]}
        self.expect(counted_pushes == pushes, f"pushes {dict(pushes)}, the statistics have {counted_pushes}")
        for name, phone in self.phones.items():
            phone.goto("/me")
            phone.get_by_test_id("my-rolls").locator("summary").click()
            own = sum(1 for entry in self.written if entry.owner == name)
            shown = phone.get_by_test_id("own-counts").inner_text()
            self.expect(str(own) in shown.split(), f"{name} rolled {own} times, the phone says {shown}")
            self.picture(phone, f"me-{name}")
        self.display.goto("/history")
        self.display.get_by_test_id("count").filter(has_text=f"{len(self.written)} ").wait_for()
        self.picture(self.display, "history")
        self.display.goto("/statistics")
        self.display.get_by_test_id("pushes").first.wait_for(state="attached")
        self.picture(self.display, "statistics")

    def close(self) -> None:
        self.app.stop()


def main() -> int:
    """Play and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rolls", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--language", choices=["en", "de"], default="en")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the screens")
    args = parser.parse_args()
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"),
            args=["--no-sandbox", "--host-resolver-rules=MAP tray.lan 127.0.0.1"],
        )
        evening = Evening(Path(folder), browser, args.language, args.seed, args.pictures)
        try:
            evening.pair()
            systems = [one["id"] for one in evening.state()["systems"]]
            for number in range(args.rolls):
                system = systems[number * len(systems) // args.rolls]
                if evening.state()["system"] != system:
                    evening.choose(system)
                evening.roll(number, system, restart=2 * number >= args.rolls and not evening.restarts)
                sys.stderr.write(f"roll {number + 1} of {args.rolls}\n")
                if (number + 1) * len(systems) // args.rolls != number * len(systems) // args.rolls:
                    evening.risk(number, system)
            evening.compare()
        except PlaywrightError:
            evening.picture(evening.display, "failed-display")
            evening.picture(evening.master, "failed-master")
            sys.stderr.write(f"{json.dumps(evening.state())[:3000]}\n")
            raise
        finally:
            evening.close()
    print(
        f"{len(evening.written)} rolls of {len(PLAYERS)} players in {time.monotonic() - began:.0f} s: "
        f"{sum(one.is_pushed for one in evening.written)} pushed, {evening.wrong} of them played wrong first "
        f"({evening.unseen} beyond what anybody can see), "
        f"{sum(one.is_corrected for one in evening.written)} corrected, {evening.taps} taps to settle doubts, "
        f"{evening.restarts} restart; a phone woke {evening.woken} times; {len(evening.errors)} things differ"
    )
    for system in systems:
        print(f"  {system}: {evening.paid.get(system, 'costs nothing')}")
    for one in evening.errors:
        print(f"  {one}")
    return int(bool(evening.errors))


if __name__ == "__main__":
    sys.exit(main())
