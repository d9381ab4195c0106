"""A fake tray for tests of the web, with every state that a page must show."""

import copy
import functools
import json
import os
import shutil
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

from device.camera.live_picture import Picture
from device.game.dice.role_mapping import distinct_roles
from device.game.display import shown_body
from device.game.machine import step
from device.game.snapshot import Snapshot, TrayMetadata, snapshot_body
from device.game.state.effects import Refuse
from device.game.state.events import (
    CameraFailed,
    ContextSet,
    DiceConfirmed,
    DiceCorrected,
    DicePickedUp,
    DiceSettled,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    SystemChosen,
    ThrowOrdered,
)
from device.game.state.states import Empty
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.game.table.odds import shown_odds
from device.game.throw_orders import HandAction
from device.runtime.loop import Answer
from device.runtime.source import CameraSetup
from device.web.app import WebServer
from device.web.core.rights import Identity
from device.web.core.server import bind_socket
from device.web.core.tray import TrayService
from rules.system import find_system
from tests.conftest import BlindWatch, StillCamera
from tests.web.ports import free_port
from tests.web.resting import Table as WholeTray
from tests.web.windows import Windows, quiet_place
from vision.types.reading import DieReading, Problem, Unread
from vision.types.sighting import Rest, TrackedDie

WIDTH_PX, HEIGHT_PX, DIE_PX = 1280, 960, 74
PAINT_BGR = {"base": (40, 190, 235), "skill": (70, 150, 40), "gear": (45, 42, 40)}
PIPS = {1: [4], 2: [2, 6], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8]}
PLACES = [(330, 300), (470, 420), (640, 290), (800, 400), (930, 290), (400, 620), (620, 560), (860, 620), (1000, 500)]
METADATA = TrayMetadata("simulated", None, {"base": "yellow", "skill": "green", "gear": "black"})
UNDECLARED = Table("push-pool", context={"attribute": 5, "attribute_name": "STR", "gear_bonus": 2})
ROLES = distinct_roles(find_system("push-pool"), UNDECLARED)
Face = tuple[int, str | None, int | None]


def lying(number: int, colour: str | None, value: int | None, unread: Unread | None = None) -> TrackedDie:
    """Return one die as the camera sees it, at its place."""
    center, half, angle_rad = PLACES[number % len(PLACES)], DIE_PX / 2, 0.37 * number
    turn = np.array([[np.cos(angle_rad), -np.sin(angle_rad)], [np.sin(angle_rad), np.cos(angle_rad)]])
    corners = np.array([[-half, -half], [half, -half], [half, half], [-half, half]]) @ turn.T + np.array(center)
    (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    one, two, three, four = ((float(x), float(y)) for x, y in corners)
    box = (left, top, right - left, bottom - top)
    confidence = 0.99 if unread is None else 0.5
    return TrackedDie(number, DieReading(colour, value, confidence, unread, center, box, (one, two, three, four)), None)


def rest(*dice: TrackedDie, problems: tuple[Problem, ...] = (), still: Iterable[int] | None = None) -> DiceSettled:
    """Return that dice lie still; `still` are those that have not moved, None if there is nothing to compare with."""
    seen = tuple(one if still is None else replace(one, moved=one.id not in still) for one in dice)
    is_clear = not problems and all(one.reading.unread is None for one in dice)
    return DiceSettled(Rest(1.0, 15, WIDTH_PX, HEIGHT_PX, seen, problems, is_clear))


def playing(*events: Event, table: Table = UNDECLARED) -> Tray:
    state: Tray = Tray(Empty(), table)
    for event in events:
        state, _ = step(state, event)
    return state


class Scene(dict[str, Any]):
    """A snapshot without its version; a test may replace parts of it."""

    def __init__(self, state: Tray, metadata: TrayMetadata = METADATA) -> None:
        body = snapshot_body(1, state, metadata)
        # The fake tray serves neither sheets nor tiles.
        del body["version"], body["sheets_revision"]
        super().__init__(body)
        self.state, self.metadata = state, metadata

    def __or__(self, more: Any) -> "Scene":  # type: ignore[override]
        changed = copy.copy(self)
        changed.update(more)
        return changed


def at_rest(*dice: TrackedDie) -> Scene:
    """Return these dice, thrown without a declared pool."""
    return Scene(playing(rest(*dice)))


FIRST: list[Face] = [(1, "base", 6), (2, "base", 1), (3, "base", 4), (4, "base", 3), (5, "base", 5)]
REST: list[Face] = [(6, "skill", 1), (7, "skill", 6), (8, "gear", 2)]
SECOND: list[Face] = [
    (1, "base", 6), (2, "base", 1), (3, "base", 2), (4, "base", 6), (5, "base", 1),
    (6, "skill", 4), (7, "skill", 6), (8, "gear", 1),
]  # fmt: skip
LOCKED = {1, 2, 7}


@functools.cache
def states() -> dict[str, Tray]:
    """Return every state that a page must show, by name."""
    declared = replace(UNDECLARED, pool=Pool.from_counts({"base": 5, "skill": 2, "gear": 1}, ROLES))
    first, second = [lying(*one) for one in FIRST + REST], [lying(*one) for one in SECOND]
    failed = [lying(number, colour, 5 if value == 6 else value) for number, colour, value in FIRST + REST]
    unclear = [*first]
    unclear[3], unclear[6] = lying(4, "base", None, Unread.COCKED), lying(7, None, 6, Unread.COLOUR_UNCLEAR)
    wrong = [*second[:1], lying(2, "base", 3), *second[2:4], lying(5, "base", 5), *second[5:]]
    pushed = (rest(*first), PushPressed())
    thrown = (*pushed, MotionSeen(), rest(*[one for one in first if one.id in LOCKED], still=LOCKED))
    return {
        "empty": Tray(Empty(), declared),
        "undeclared": Tray(Empty(), Table("push-pool")),
        "rolling": playing(ThrowOrdered(), MotionSeen(), table=declared),
        "unclear": playing(rest(*unclear), table=declared),
        "scored": playing(rest(*first), table=declared),
        "failed": playing(rest(*failed), table=declared),
        "nothing": playing(rest(lying(1, "base", 6), lying(2, "base", 1), lying(7, "skill", 6))),
        "awaiting_push": playing(*pushed, table=declared),
        "half_picked_up": playing(*pushed, MotionSeen(), DicePickedUp(frozenset({3, 4, 6})), table=declared),
        "wrong_push": playing(*thrown, rest(*wrong, still=LOCKED - {2}), table=declared),
        "resolved": playing(*thrown, rest(*second, still=LOCKED), table=declared),
        "fault": playing(CameraFailed("The camera does not answer. Check its cable.", 4.0), table=declared),
        "doubtful": playing(rest(*first, problems=(Problem.FOREIGN_OBJECT,)), table=declared),
        "missing": playing(rest(*first[:7]), table=declared),
    }


NO_DISPLAY = ("doubtful", "missing")
"""States for single tests."""


def scenes() -> dict[str, dict[str, Any]]:
    """Return the snapshot of every state that a page must show, by name."""
    names = [name for name in states() if name not in NO_DISPLAY]
    return {name: scene(name) for name in [*names, "real_camera"]}


def scene(name: str) -> Scene:
    """Return a fresh snapshot of a state by its name."""
    if name == "real_camera":
        return Scene(states()["scored"], replace(METADATA, camera="pi"))
    return Scene(states()[name])


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


CARRIED_OUT = (ContextSet, DiceConfirmed, DiceCorrected, DieAdded, DieCorrected, DieDismissed, DieRestored)
"""Events that change the fake tray as they change a tray; others are recorded."""


@dataclass
class FakeTray(TrayService):
    """A tray whose state a test sets; it records its calls."""

    body: dict[str, Any] = field(default_factory=lambda: scene("empty"))
    version: int = 1
    calls: list[Any] = field(default_factory=list)
    seen: list[int | None] = field(default_factory=list)
    refuse_with: str | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    listeners: list[Callable[[Snapshot], None]] = field(default_factory=list)
    odds_now: dict[str, Any] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def show(self, body: dict[str, Any]) -> None:
        with self.lock:
            self.body, self.version = body, self.version + 1
            for listener in tuple(self.listeners):
                listener(self.snapshot())

    def snapshot(self) -> Snapshot:
        body: Any = {**self.body, "version": self.version}
        if self.odds_now is not None:
            body |= {"odds": shown_odds(self.odds_now, body["system"], "Pick dice.")}
        shown = shown_body(body)
        return Snapshot(self.version, shown, shown)

    def subscribe(self, listener: Callable[[Snapshot], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener) if listener in self.listeners else None

    def _answer(self, call: Any) -> Answer:
        self.calls.append(call)
        return Answer(self.refuse_with is None, self.snapshot(), self.refuse_with)

    @property
    def now(self) -> Tray:
        return self.body.state if isinstance(self.body, Scene) else Tray(Empty(), Table(str(self.body["system"])))

    def authorize(self, event: Event, caller: Identity) -> None:
        pass

    async def request(self, event: Event, caller: Identity, seen: int | None = None) -> Answer:
        self.seen.append(seen)
        if isinstance(event, SystemChosen) and event.system not in {one["id"] for one in self.body["systems"]}:
            return Answer(False, self.snapshot(), "unknown_system")
        if self.refuse_with is None and isinstance(event, CARRIED_OUT):
            refused = self._carry_out(event)
            if refused is not None:
                return Answer(False, self.snapshot(), refused)
        return self._answer(event)

    def _carry_out(self, event: Event) -> str | None:
        """Show what the machine makes of an event; return the reason if it refuses."""
        assert isinstance(self.body, Scene), "only a scene has a state"
        state, commands = step(self.body.state, event)
        refused = next((command.reason for command in commands if isinstance(command, Refuse)), None)
        if refused is None:
            self.show(Scene(state, self.body.metadata))
        return refused

    def throw(
        self, dice: Mapping[str, int] | None, hand: HandAction, seed: int | None, seen: int | None = None
    ) -> Answer:
        self.seen.append(seen)
        return self._answer(("throw", None if dice is None else dict(dice), hand.value, seed))

    async def declare_pool(self, pool: Mapping[str, int] | None, caller: Identity) -> Answer:
        declared = None if pool is None else Pool.from_counts(pool, ROLES)
        self._carry_out(PoolDeclared(declared))
        return self._answer(("pool", pool))

    def odds(self) -> Mapping[str, Any]:
        return self.odds_now or {"pool": None, "table": None}

    def rolls(self, limit: int, before: int | None) -> list[dict[str, Any]]:
        return [row for row in self.rows if before is None or row["id"] < before][:limit]

    def rolls_of(self, owner: str, limit: int, viewer: Identity) -> dict[str, Any]:
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

    def read_picture(self) -> Picture | None:
        # The same number for the same picture alone: a window keeps those of earlier tests.
        number = zlib.crc32(json.dumps(self.body["dice"]).encode())
        return Picture(number, draw(self.body["dice"]), number, (WIDTH_PX, HEIGHT_PX))

    def health(self) -> dict[str, Any]:
        return {"ok": True}


@pytest.fixture
def tray() -> FakeTray:
    return FakeTray()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[WholeTray]:
    """A whole tray without a camera, in which dice come to rest as a test says."""
    made = WholeTray(tmp_path, CameraSetup(StillCamera(), None, BlindWatch()))
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
