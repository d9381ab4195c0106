"""A fake tray for tests of the web, with every state that a page must show."""

import functools
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

from device.camera.live_picture import Picture
from device.game.display import shown_body
from device.game.lamps import LAMP_NAMES
from device.game.machine import push_reason_text
from device.game.result_lines import compared_lines, cost_lines, gain_lines
from device.game.snapshot import Snapshot
from device.game.state.events import (
    ContextSet,
    DiceConfirmed,
    DiceCorrected,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    Event,
    SystemChosen,
)
from device.game.table.odds import shown_odds
from device.game.throw_orders import HandAction
from device.runtime.loop import Answer
from device.runtime.source import CameraSetup
from device.texts.catalogue import translate, word
from device.texts.rule_words import fact_json, system_title
from device.web.app import WebServer
from device.web.core.server import bind_socket
from device.web.core.tray import TrayService
from rules.system import find_system
from tests.conftest import BlindWatch, StillCamera
from tests.web.ports import free_port
from tests.web.pressing import press, with_press
from tests.web.resting import Table
from tests.web.windows import Windows, quiet_place

WIDTH_PX, HEIGHT_PX, DIE_PX = 1280, 960, 74
PAINT_BGR = {"base": (40, 190, 235), "skill": (70, 150, 40), "gear": (45, 42, 40)}
PIPS = {1: [4], 2: [2, 6], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8]}
PLACES = [(330, 300), (470, 420), (640, 290), (800, 400), (930, 290), (400, 620), (620, 560), (860, 620), (1000, 500)]
LOCKED = {"base": {1, 6}, "gear": {1, 6}, "skill": {6}}
ROLL_FACTS = [fact_json("push-pool", tile) for tile in find_system("push-pool").roll_facts]
LAMPS_OF = {
    "empty": {"ready": "steady"},
    "rolling": {"reading": "fast"},
    "unclear": {"reading": "steady", "trouble": "slow"},
    "scored": {"push_allowed": "steady"},
    "awaiting_push": {"push_allowed": "fast"},
    "resolved": {"ready": "slow"},
    "fault": {"trouble": "fast"},
}


def quad(center: tuple[float, float], angle_rad: float) -> list[list[float]]:
    """Return the corners of a die's top face."""
    half = DIE_PX / 2
    turn = np.array([[np.cos(angle_rad), -np.sin(angle_rad)], [np.sin(angle_rad), np.cos(angle_rad)]])
    corners = np.array([[-half, -half], [half, -half], [half, half], [-half, half]]) @ turn.T + np.array(center)
    return [[round(float(x), 1), round(float(y), 1)] for x, y in corners]


def die(number: int, colour: str | None, value: int | None, **more: Any) -> dict[str, Any]:
    """Return one die of a snapshot, at its place."""
    center = PLACES[number % len(PLACES)]
    corners = np.array(quad(center, 0.37 * number))
    low, high = corners.min(axis=0), corners.max(axis=0)
    locked = value in LOCKED.get(colour or "", ())
    return {
        "id": number,
        "colour": colour,
        "role": colour,
        "value": value,
        "confidence": 0.99,
        "unread": None,
        "locked": locked,
        "must_reroll": value is not None and not locked,
        "mark": None if value is None else "counted" if value == 6 else "cost" if locked else "nothing",
        "moved": None,
        "corrected": False,
        "added": False,
        "earlier": [],
        "read_value": value,
        "read_colour": colour,
        "wrong": False,
        "picked_up": False,
        "center_px": list(center),
        "box_px": [*low.tolist(), *(high - low).tolist()],
        "top_quad_px": corners.tolist(),
    } | more


def next_of(state: str, *, is_declared: bool) -> dict[str, Any]:
    """Return the tray's next step in a state."""
    code = {
        "empty": "press_throw" if is_declared else "choose",
        "rolling": "wait",
        "unclear": "settle",
        "scored": "push_or_clear",
        "awaiting_push": "pick_up",
        "resolved": "clear",
        "fault": "fault_camera",
    }[state]
    dice = ["5 base", "2 skill", "1 gear"]
    text = translate(f"tray.next.{code}", dice=dice, count=4 if code == "pick_up" else 2)
    return {"code": code, "text": text, "wrong": state in {"unclear", "fault"}}


def body_of(state: str, dice: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return a whole snapshot around some dice."""
    successes = sum(1 for one in dice if one["value"] == 6)
    movable = [one["id"] for one in dice if one["must_reroll"]]
    scored = state in {"scored", "awaiting_push", "resolved"}
    eligible = state == "scored" and bool(movable)
    reason = "ok" if eligible else "already_pushed" if state != "scored" else "nothing_to_reroll"
    why = "ok" if eligible else "rolling" if state == "rolling" else "fault" if state == "fault" else reason
    nowhere = state in {"rolling", "fault"}
    patterns = LAMPS_OF[state] | ({"success": "steady"} if scored and successes else {})
    return {
        "state": state,
        "system": "push-pool",
        "system_title": system_title("push-pool"),
        "systems": [{"id": system, "title": system_title(system)} for system in ("push-pool", "hits-pool")],
        "camera": "simulated",
        "simulated": True,
        "profile": None,
        "pool_roles": ["base", "skill", "gear", "negative"],
        "example_pool": {"base": 5, "skill": 2, "gear": 1},
        "roll_facts": ROLL_FACTS,
        "pool": {"base": 5, "skill": 2, "gear": 1, "negative": 0},
        "context": {"attribute": 5, "attribute_name": "STR", "gear_bonus": 2},
        "colours": {"base": "yellow", "skill": "green", "gear": "black"},
        "dice": dice,
        "frame": {"width": WIDTH_PX, "height": HEIGHT_PX},
        "outcome": outcome(dice, state) if scored else None,
        "push": {
            "eligible": eligible,
            "reason": reason,
            "reason_text": "",
            "must_reroll": movable,
            "locked": [one["id"] for one in dice if one["locked"]],
        },
        "problems": [],
        "problem_details": [],
        "lamps": {
            name: {"lit": name in patterns, "pattern": patterns.get(name, "steady"), "brightness": 1.0}
            for name in LAMP_NAMES
        },
        "fault": None,
        "hand_in_view": False,
        "next": next_of(state, is_declared=more.get("pool", True) is not None),
        "presses": {
            "push": press(why, push_reason_text(why)),
            "throw": press(state if nowhere else "ok"),
            "reset": press("ok"),
        },
    } | more


def outcome(dice: list[dict[str, Any]], state: str) -> dict[str, Any]:
    """Return the rules' outcome of these dice."""
    successes = sum(1 for one in dice if one["value"] == 6)
    base_ones = sum(1 for one in dice if one["value"] == 1 and one["role"] == "base")
    gear_ones = sum(1 for one in dice if one["value"] == 1 and one["role"] == "gear")
    facts: dict[str, Any] = {
        "headline": {"value": successes, "word": "success" if successes == 1 else "successes"},
        "success": successes > 0,
        "successes": successes,
        "stunts": max(0, successes - 1),
        "base_ones": base_ones,
        "gear_ones": gear_ones,
    }
    if state == "resolved":
        facts |= {
            "trauma": base_ones,
            "trauma_type": "damage",
            "attribute_after": 5 - base_ones,
            "broken": base_ones >= 5,
            "gear_damage": gear_ones,
            "gear_bonus_after": 2 - gear_ones,
            "gear_broken": gear_ones >= 2,
        }
    return facts


def lines_of(body: dict[str, Any]) -> list[Any]:
    """Return the tray's lines on the outcome of a scene."""
    lines = compared_lines(body)
    if not body["outcome"] or body["problems"]:
        return lines
    system = body["system"]
    report = find_system(system).report(body["outcome"], body["context"])
    lines += gain_lines(system, report, is_measured=bool(body.get("measured")))
    return lines + cost_lines(system, report) if body["state"] == "resolved" else lines


FIRST = [(1, "base", 6), (2, "base", 1), (3, "base", 4), (4, "base", 3), (5, "base", 5)]
SECOND = [(1, "base", 6), (2, "base", 1), (3, "base", 2), (4, "base", 6), (5, "base", 1)]
REST = [(6, "skill", 1), (7, "skill", 6), (8, "gear", 2)]


def scenes() -> dict[str, dict[str, Any]]:
    """Return every state that a page must show, by name."""
    first = [die(*one) for one in FIRST + REST]
    second = [die(*one) for one in [*SECOND, (6, "skill", 4), (7, "skill", 6), (8, "gear", 1)]]
    unclear = [*first[:3], die(4, "base", None, unread="cocked", confidence=0.3), *first[4:]]
    unclear[6] = die(7, None, 6, unread="colour_unclear", confidence=0.5)
    wrong = [one | {"wrong": one["id"] == 2, "value": 3 if one["id"] == 2 else one["value"]} for one in second]
    changed = translate("tray.problem.die_was", role=word("base"), value=3, was=1)
    return {
        "empty": body_of("empty", []),
        "undeclared": body_of("empty", [], pool=None, context={}),
        "rolling": body_of("rolling", []),
        "unclear": body_of("unclear", unclear),
        "scored": body_of("scored", first),
        "failed": body_of("scored", [one | {"value": 5} for one in first if one["value"] != 6]),
        "nothing": body_of("scored", [die(1, "base", 6), die(2, "base", 1), die(7, "skill", 6)]),
        "awaiting_push": body_of("awaiting_push", first),
        "half_picked_up": body_of(
            "awaiting_push", [one | {"picked_up": one["id"] in {3, 4, 6}} for one in first], hand_in_view=True
        ),
        "wrong_push": body_of(
            "awaiting_push",
            wrong,
            problems=["locked_die_changed"],
            problem_details=[
                {
                    "code": "locked_die_changed",
                    "text": translate(
                        "tray.problem.locked_die_changed", named=translate("tray.problem.named", dice=changed)
                    ),
                    "dice": [2],
                }
            ],
        ),
        "resolved": body_of("resolved", second),
        "fault": body_of(
            "fault",
            [],
            fault={"part": "camera", "text": "The camera does not answer. Check its cable.", "retry_in_s": 4.0},
        ),
        "real_camera": with_press(
            body_of("scored", first, simulated=False, camera="pi"), "throw", "not_simulated", offered=False
        ),
    }


def draw(dice: list[dict[str, Any]], width_px: int | None = None) -> bytes:
    """Draw a plain picture of these dice, as a JPEG of about this width; the same dice are drawn once."""
    return _draw(json.dumps(dice), width_px)


@functools.lru_cache(maxsize=256)
def _draw(stored: str, width_px: int | None) -> bytes:
    dice: list[dict[str, Any]] = json.loads(stored)
    image = np.full((HEIGHT_PX, WIDTH_PX, 3), (52, 68, 84), np.uint8)
    cv2.rectangle(image, (150, 110), (1130, 850), (38, 30, 92), -1)
    cv2.rectangle(image, (150, 110), (1130, 850), (24, 40, 60), 26)
    for one in dice:
        corners = np.array(one["top_quad_px"])
        colour = PAINT_BGR.get(one["colour"] or "skill", (90, 90, 90))
        cv2.fillPoly(image, [np.round(corners).astype(np.int32)], colour, cv2.LINE_AA)
        across, down = (corners[1] - corners[0]) / 4, (corners[3] - corners[0]) / 4
        pip_bgr = (235, 235, 235) if one["colour"] in {"gear", "skill", None} else (20, 20, 30)
        for place in PIPS.get(one["read_value"] or one["value"] or 4, []):
            spot = corners[0] + across * (place % 3 + 1) + down * (place // 3 + 1)
            cv2.circle(image, (round(spot[0]), round(spot[1])), 7, pip_bgr, -1, cv2.LINE_AA)
    if width_px is not None and width_px < WIDTH_PX:
        smaller_px = (width_px, width_px * HEIGHT_PX // WIDTH_PX)
        image = np.asarray(cv2.resize(image, smaller_px, interpolation=cv2.INTER_AREA), np.uint8)
    done, packed = cv2.imencode(".jpg", image)
    assert done
    return packed.tobytes()


@dataclass
class FakeTray(TrayService):
    """A tray whose state a test sets; it records its calls."""

    body: dict[str, Any] = field(default_factory=lambda: scenes()["empty"])
    version: int = 1
    asked: list[Any] = field(default_factory=list)
    seen: list[int | None] = field(default_factory=list)
    refuse_with: str | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    listeners: list[Callable[[Snapshot], None]] = field(default_factory=list)
    odds_now: dict[str, Any] = field(default_factory=lambda: {"pool": None, "table": None})
    lock: threading.Lock = field(default_factory=threading.Lock)

    def show(self, body: dict[str, Any]) -> None:
        with self.lock:
            self.body, self.version = body, self.version + 1
            for listener in tuple(self.listeners):
                listener(self.snapshot())

    def snapshot(self) -> Snapshot:
        body: dict[str, Any] = {"version": self.version, "lines": lines_of(self.body)}
        body["odds"] = shown_odds(self.odds_now, self.body["system"], "Pick dice.")
        nothing: dict[str, Any] = {"dice": [], "problems": [], "problem_details": [], "fault": None}
        shown = shown_body(nothing | body | self.body)
        return Snapshot(self.version, shown, shown)

    def subscribe(self, listener: Callable[[Snapshot], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener) if listener in self.listeners else None

    def _answer(self, asked: Any) -> Answer:
        self.asked.append(asked)
        return Answer(self.refuse_with is None, self.snapshot(), self.refuse_with)

    async def request(self, event: Event, seen: int | None = None) -> Answer:
        self.seen.append(seen)
        match event:
            case SystemChosen() if event.system not in {system["id"] for system in self.body["systems"]}:
                return Answer(False, self.snapshot(), "unknown_system")
            case ContextSet():
                self.show(self.body | {"context": self.body["context"] | event.facts})
            case DieCorrected() | DieRestored() | DieDismissed():
                if not self._say_of_die(event):
                    return Answer(False, self.snapshot(), "unknown_die")
            case DiceCorrected():
                if not {word.die_id for word in event.dice} <= {one["id"] for one in self.body["dice"]}:
                    return Answer(False, self.snapshot(), "unknown_die")
                for word in () if self.refuse_with else event.dice:
                    self._say_of_die(word)
            case DieAdded():
                new = die(len(self.body["dice"]) + 1, event.colour, event.value, added=True, corrected=True)
                new |= {"read_value": None, "center_px": list(event.center_px), "top_quad_px": quad(event.center_px, 0)}
                self.show(body_of("scored", [*self.body["dice"], new]))
            case DiceConfirmed():
                self.show(body_of("scored", self.body["dice"]))
        return self._answer(event)

    def _say_of_die(self, event: DieCorrected | DieRestored | DieDismissed) -> bool:
        """Apply a correction of a die; return False if it is not there."""
        lying, away = list(self.body["dice"]), list(self.body.get("ignored_dice", []))
        there = away if event == DieDismissed(event.die_id, ignored=False) else lying
        mine = next((one for one in there if one["id"] == event.die_id), None)
        if mine is None:
            return False
        match event:
            case DieCorrected():
                change: dict[str, Any] = {"corrected": True, "unread": None}
                change |= {"value": event.value} if event.value else {}
                change |= {"colour": event.colour, "role": event.colour} if event.colour else {}
            case DieRestored():
                change = {"corrected": False, "value": mine["read_value"], "colour": mine["read_colour"]}
            case DieDismissed():
                there.remove(mine)
                (lying if there is away else away).append(mine)
                self.show(body_of(self.body["state"], lying, ignored_dice=away))
                return True
        self.show(body_of(self.body["state"], [one | change if one is mine else one for one in lying]))
        return True

    def throw(
        self, dice: Mapping[str, int] | None, hand: HandAction, seed: int | None, seen: int | None = None
    ) -> Answer:
        self.seen.append(seen)
        return self._answer(("throw", None if dice is None else dict(dice), hand.value, seed))

    async def declare_pool(self, pool: Mapping[str, int] | None) -> Answer:
        self.show(self.body | {"pool": pool})
        return self._answer(("pool", pool))

    def odds(self) -> Mapping[str, Any]:
        return self.odds_now

    def rolls(self, limit: int, before: int | None) -> list[dict[str, Any]]:
        return [row for row in self.rows if before is None or row["id"] < before][:limit]

    def rolls_of(self, owner: str, limit: int) -> dict[str, Any]:
        return {"rolls": [row for row in self.rows if row["owner"] == owner][:limit], "counts": {}}

    def rolls_csv(self, separator: str | None = None) -> Iterator[str]:
        yield "id,at\r\n"
        for row in self.rows:
            yield f"{row['id']},{row['at']}\r\n"

    def why(self, die_id: int) -> bytes | None:
        dice = [die for die in self.body["dice"] if die["id"] == die_id]
        return draw(dice, 300) if dice else None

    def picture(self, width_px: int | None = None) -> Picture | None:
        return Picture(self.version, draw(self.body["dice"], width_px), self.version, (WIDTH_PX, HEIGHT_PX))

    def health(self) -> dict[str, Any]:
        return {"ok": True}


@pytest.fixture
def tray() -> FakeTray:
    return FakeTray()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A whole tray without a camera, in which dice come to rest as a test says."""
    made = Table(tmp_path, CameraSetup(StillCamera(), None, BlindWatch()))
    yield made
    made.app.stop()


class Relay:
    """Forwards to the running test's fake tray, so that one server serves all tests."""

    tray = FakeTray()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tray, name)


@pytest.fixture(scope="session")
def relayed() -> Iterator[tuple[Relay, str]]:
    relay = Relay()
    with WebServer(cast("TrayService", relay), bind_socket("127.0.0.1", free_port())) as server:
        yield relay, server.url.rstrip("/")


@pytest.fixture
def served(tray: FakeTray, relayed: tuple[Relay, str]) -> str:
    """Serve the web over the fake tray on a free port; return its address without the last slash."""
    relayed[0].tray = tray
    return relayed[1]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium; without one tests that need it are skipped, and fail in CI.

    There is one for all tests of a process: starting it, and Playwright's driver, costs more than most tests.
    Playwright keeps an event loop running in this thread while it is open, so other tests run theirs by
    `run_coroutine`. The headless shell is the same Chromium and opens a page in a third of the time, so it is
    preferred.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        cure = "no Chromium on the PATH: apt install chromium"
        if os.environ.get("CI"):
            pytest.fail(cure)
        pytest.skip(cure)
    flags = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        # No optimising compiler: it helps long-running code only, and costs more here than it saves.
        "--js-flags=--no-opt",
        # The tray by another name than this machine's own, as a phone uses. Any other host is refused, and a page that
        # requests one fails, wherever the tests run.
        "--host-resolver-rules=MAP tray.lan 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
        # Tones are really made: the block before a gesture is faked by the tests themselves.
        "--autoplay-policy=no-user-gesture-required",
    ]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def all_windows(chromium: Browser) -> Iterator[Windows]:
    with quiet_place() as url:
        made = Windows(chromium, url)
        yield made
        made.close()


@pytest.fixture
def windows(all_windows: Windows) -> Iterator[Windows]:
    """Lend windows to a test; no script of ours may fail in them."""
    yield all_windows
    failures = list(all_windows.failures)
    all_windows.take_back()
    assert failures == []


def scene(name: str) -> dict[str, Any]:
    """Return a fresh snapshot of a state by its name."""
    return scenes()[name]
