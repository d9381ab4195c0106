"""The whole tray without a web page and without OpenCV's pictures: every part joined, started, stopped."""

import json
import logging
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from device.app import TrayApp
from device.config.settings import RingSettings, Settings, with_overrides
from device.errors import BadInput
from device.game.state.events import (
    CameraConnected,
    CameraFailed,
    ContextSet,
    DiceConfirmed,
    DiceSettled,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    MotionSeen,
    PushPressed,
    ResetPressed,
    SystemChosen,
)
from device.game.throw_orders import HandAction, MendOrder, SimulatedThrow, ThrowRefusal, ThrowRefused
from device.game.throw_orders import HandAction as SimulatedHand
from device.ring.wled import WledParams
from device.runtime.loop import Answer
from device.runtime.part import STOP_S
from device.runtime.signals import signals_set
from device.runtime.source import CameraSetup
from device.storage.log_file import FILE_NAME
from device.storage.rolls import logged_since
from device.web.core.rights import Identity, Role
from device.web.core.tray import WHY_PX, TrayService
from tests.conftest import BlindWatch, StillCamera
from tests.device.conftest import Dice, wait_until
from tests.device.ring.wled_emulator import WledEmulator
from tests.event_loop import run_coroutine
from tests.narrowing import a, english, parts_of, there
from vision.types.frame import Frame
from vision.types.reading import PointPx
from vision.types.sighting import MotionEnded

DISPLAY = Identity(Role.TABLE)


class SimulatedDice:
    """Records its orders."""

    def __init__(self) -> None:
        self.reported: list[tuple[object, ...]] = []
        self.busy = 0

    def throw(self, order: SimulatedThrow) -> None:
        self._wait()
        self.reported.append(("throw", order.base, order.skill, order.gear, order.seed))

    def pick_up_and_rethrow(self, centers_px: tuple[PointPx, ...], hand: SimulatedHand, seed: int | None) -> None:
        self._wait()
        self.reported.append(("rethrow", centers_px, hand, seed))

    def mend(self, order: MendOrder, seed: int | None) -> None:
        self._wait()
        self.reported.append(("mend", order, seed))

    def clear(self) -> None:
        self.reported.append(("clear",))

    def _wait(self) -> None:
        if self.busy:
            self.busy -= 1
            raise ThrowRefused(ThrowRefusal.TRAY_BUSY, "dice still move")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return with_overrides(Settings(), camera="simulated", data=tmp_path, port=0)


@pytest.fixture
def idle_lens() -> Callable[..., CameraSetup]:
    return lambda simulated=None: CameraSetup(StillCamera(), simulated, BlindWatch())


@pytest.fixture
def make_app(settings: Settings, idle_lens: Callable[..., CameraSetup]) -> Iterator[Callable[..., TrayApp]]:
    apps = []

    def make(simulated: SimulatedDice | None = None, changed: Settings | None = None) -> TrayApp:
        lens = idle_lens(simulated)
        app = TrayApp(changed or settings, lens)
        apps.append(app)
        app.start()
        # The arrival of the camera would end a fault that a test reports before it.
        assert a(StillCamera, lens.camera).went_on.wait(30)
        return app

    yield make
    for app in apps:
        app.stop()


def state_of(app: TrayApp) -> str:
    return str(app.tray.snapshot().body["state"])


def reach(app: TrayApp, name: str) -> None:
    app.post(MotionSeen())
    app.post(DiceSettled(Dice.rest(*Dice.FIRST)))
    if name != "scored":
        wait_until(lambda: state_of(app) == "scored")
        assert app.tray.ask(PushPressed()).accepted
        app.post(DiceSettled(Dice.rest(*Dice.LEFT)))
        wait_until(lambda: any(die["picked_up"] for die in parts_of(app.tray.snapshot().body)["dice"]))
    if name == "resolved":
        app.post(DiceSettled(Dice.rest(*Dice.THROWN)))
    wait_until(lambda: state_of(app) == name)


def test_a_whole_roll_over_the_port(make_app: Callable[..., TrayApp]) -> None:
    app = make_app()
    reach(app, "resolved")
    refused = app.tray.ask(PushPressed())
    assert (refused.accepted, refused.reason) == (False, "already_pushed")
    assert [row["kind"] for row in app.tray.rolls(10, None)] == ["pushed", "scored"]
    assert len(list(app.tray.rolls_csv())) == 3
    assert app.tray.ask(ResetPressed()).accepted
    assert state_of(app) == "empty"
    wait_until(lambda: app.tray.picture() is not None)


def test_the_web_shows_the_state_and_stops_in_time_with_a_page_open(
    make_app: Callable[..., TrayApp], tmp_path: Path
) -> None:
    app = make_app()
    assert (tmp_path / "display-url").read_text() == f"{app.url}\n"
    reach(app, "scored")
    with urllib.request.urlopen(f"{app.url}api/state", timeout=5) as answer:
        assert json.load(answer)["state"] == "scored"
    page = urllib.request.urlopen(f"{app.url}api/events", timeout=5)
    assert page.readline()
    began = time.monotonic()
    app.stop()
    assert time.monotonic() - began < STOP_S
    page.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{app.url}api/state", timeout=1)


@pytest.mark.parametrize("part", ["camera", "profile"])
def test_a_fault_is_named_by_its_part_until_it_is_over(make_app: Callable[..., TrayApp], part: str) -> None:
    app = make_app()
    app.post(CameraFailed("what is wrong: its cure", 0.0, part))
    wait_until(lambda: app.tray.health()["faults"] == {part: "what is wrong: its cure"})
    assert parts_of(app.tray.snapshot().body)["fault"]["part"] == part
    app.post(CameraConnected())
    wait_until(lambda: app.tray.health()["faults"] == {})
    assert state_of(app) == "empty"


def test_a_fault_is_logged_once_until_it_is_another(
    make_app: Callable[..., TrayApp], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "device")
    app = make_app()
    for text in ("gone: plug it in", "gone: plug it in", "in use: stop that program"):
        app.post(CameraFailed(text, 1.0))
    wait_until(lambda: parts_of(app.tray.health())["faults"].get("camera") == "in use: stop that program")
    app.post(CameraConnected())
    app.post(CameraFailed("gone: plug it in", 1.0))
    wait_until(lambda: parts_of(app.tray.health())["faults"].get("camera") == "gone: plug it in")
    app.stop()
    assert [(level, text) for name, level, text in caplog.record_tuples if name == "device.runtime.faults"] == [
        (logging.ERROR, "FAIL camera: gone: plug it in"),
        (logging.ERROR, "FAIL camera: in use: stop that program"),
        (logging.INFO, "camera works again"),
        (logging.ERROR, "FAIL camera: gone: plug it in"),
    ]


def test_a_fault_that_another_part_hides_is_not_over(
    make_app: Callable[..., TrayApp], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "device")
    app = make_app()
    app.post(CameraFailed("gone: plug it in", 1.0))
    app.post(CameraFailed("does not fit: calibrate", 0.0, "profile"))
    wait_until(lambda: app.tray.health()["faults"] == {"profile": "does not fit: calibrate"})
    app.post(CameraConnected())
    wait_until(lambda: app.tray.health()["faults"] == {})
    app.stop()
    lines = [text for name, _, text in caplog.record_tuples if name == "device.runtime.faults"]
    assert lines[:2] == ["FAIL camera: gone: plug it in", "FAIL profile: does not fit: calibrate"]
    assert sorted(lines[2:]) == ["camera works again", "profile works again"]


def test_a_ring_that_is_not_there_is_logged_once(
    make_app: Callable[..., TrayApp], settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    port = settings.data_folder / "ring"
    params = WledParams(port=str(port), retry_s=0.01, max_retry_s=0.02)
    app = make_app(changed=replace(settings, ring=RingSettings("wled", port=params)))
    wait_until(lambda: bool(parts_of(app.tray.health())["faults"]))
    ring = there(app.ring.ring)
    turns = ring._retry_at_s
    wait_until(lambda: ring._retry_at_s > turns)
    app.stop()
    ((level, text),) = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert level == "ERROR"
    assert text.startswith(f"FAIL ring: the ring was disconnected ([Errno 2] could not open port {port}")


def test_a_half_played_push_waits_after_a_restart(make_app: Callable[..., TrayApp]) -> None:
    app = make_app()
    reach(app, "awaiting_push")
    before = app.tray.snapshot().body
    app.stop()
    again = make_app()
    after = again.tray.snapshot().body
    assert {key: after[key] for key in ("state", "dice", "outcome", "push", "roll")} == {
        key: before[key] for key in ("state", "dice", "outcome", "push", "roll")
    }
    again.post(DiceSettled(Dice.rest(*Dice.THROWN)))
    wait_until(lambda: state_of(again) == "resolved")
    assert [(row["kind"], row["roll"]) for row in again.tray.rolls(10, None)] == [("pushed", 1), ("scored", 1)]


def test_a_throw_goes_to_the_simulated_hand_in_colour_classes(
    make_app: Callable[..., TrayApp], settings: Settings
) -> None:
    dice_box = SimulatedDice()
    app = make_app(dice_box)
    assert app.tray.throw(None, HandAction.RIGHT, None).reason == "no_pool"
    answer = app.tray.throw({"base": 3, "negative": 2}, HandAction.RIGHT, 7)
    assert (answer.accepted, answer.snapshot.body["state"]) == (True, "rolling")
    run_coroutine(app.tray.declare_pool({"base": 1, "gear": 2}, DISPLAY))
    assert app.tray.throw(None, HandAction.RIGHT, None).accepted
    assert dice_box.reported == [("throw", 3, 2, 0, 7), ("throw", 1, 0, 2, None)]


def test_a_throw_waits_for_a_busy_hand(make_app: Callable[..., TrayApp]) -> None:
    dice_box = SimulatedDice()
    dice_box.busy = 2
    assert make_app(dice_box).tray.throw({"base": 1}, HandAction.RIGHT, 1).accepted
    assert dice_box.reported == [("throw", 1, 0, 0, 1)]


def test_a_throw_that_waits_for_a_busy_hand_does_not_hold_up_a_stop(make_app: Callable[..., TrayApp]) -> None:
    simulated = SimulatedDice()
    simulated.busy = 10**9
    app = make_app(simulated)
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(app.tray.throw({"base": 1}, HandAction.RIGHT, None)))
    waiting.start()
    app.stop()
    waiting.join(timeout=1.0)
    assert [answer.reason for answer in answers] == ["stopping"]
    assert simulated.reported == []


def test_a_rethrow_takes_the_dice_where_the_camera_sees_them(make_app: Callable[..., TrayApp]) -> None:
    dice_box = SimulatedDice()
    app = make_app(dice_box)
    reach(app, "scored")
    app.tray.ask(PushPressed())
    assert app.tray.throw({"base": 1}, HandAction.RIGHT, None).reason == "push_awaited"
    assert app.tray.throw(None, HandAction.DIE_MISSING, 5).accepted
    assert dice_box.reported == [("rethrow", ((100, 300), (300, 300), (400, 300)), SimulatedHand.DIE_MISSING, 5)]


def test_the_hand_mends_what_the_tray_asks_for_and_nothing_else(make_app: Callable[..., TrayApp]) -> None:
    dice_box = SimulatedDice()
    app = make_app(dice_box)
    assert app.tray.throw(None, HandAction.MENDS, None).reason == "nothing_to_mend"
    reach(app, "awaiting_push")
    assert app.tray.snapshot().body["mend"] is None
    assert app.tray.throw(None, HandAction.MENDS, None).reason == "nothing_to_mend"
    app.post(DiceSettled(Dice.rest(*Dice.THROWN[:3])))
    wait_until(lambda: app.tray.snapshot().body["problems"] == ["wrong_dice_count"])
    mend = {"kind": "throw_in", "text": "Throw in the missing die", "dice": []}
    assert english(app.tray.snapshot().body["mend"]) == mend
    assert app.tray.throw(None, HandAction.MENDS, 9).accepted
    assert dice_box.reported == [("mend", MendOrder(thrown_in=("gear",)), 9)]


def test_an_order_for_dice_as_they_were_seen_does_not_wait_until_they_lie_elsewhere(
    make_app: Callable[..., TrayApp],
) -> None:
    """The second of two taps, or a tap in the moment before the tray has read the result of the first."""
    dice_box = SimulatedDice()
    app = make_app(dice_box)
    reach(app, "scored")
    app.tray.ask(PushPressed())
    dice_box.busy = 1
    assert app.tray.throw(None, HandAction.RIGHT, None).reason == "tray_busy"
    app.post(MotionSeen())
    wait_until(lambda: parts_of(app.tray.snapshot().body)["hand_in_view"])
    assert app.tray.throw(None, HandAction.RIGHT, None).reason == "tray_busy"
    assert dice_box.reported == []


def test_a_real_camera_offers_no_hand_that_mends(settings: Settings, make_app: Callable[..., TrayApp]) -> None:
    app = make_app(changed=with_overrides(settings, camera="usb:0"))
    reach(app, "awaiting_push")
    app.post(DiceSettled(Dice.rest(*Dice.THROWN[:3])))
    wait_until(lambda: app.tray.snapshot().body["problems"] == ["wrong_dice_count"])
    assert app.tray.snapshot().body["mend"] is None
    assert app.tray.throw(None, HandAction.MENDS, None).reason == "not_simulated"


def test_of_two_pages_that_order_the_same_throw_one_is_carried_out(make_app: Callable[..., TrayApp]) -> None:
    dice_box = SimulatedDice()
    app = make_app(dice_box)
    seen = app.tray.snapshot().version
    assert app.tray.throw({"base": 1}, HandAction.RIGHT, 1, seen).accepted
    assert app.tray.throw({"base": 1}, HandAction.RIGHT, 1, seen).reason == "stale"
    reach(app, "scored")
    app.tray.ask(PushPressed())
    seen = app.tray.snapshot().version
    assert app.tray.throw(None, HandAction.RIGHT, 2, seen).accepted
    assert app.tray.throw(None, HandAction.RIGHT, 2, seen - 1).reason == "stale"
    assert [reported[0] for reported in dice_box.reported] == ["throw", "rethrow"]


def test_a_throw_is_stale_where_other_dice_lie_by_now(make_app: Callable[..., TrayApp]) -> None:
    dice_box = SimulatedDice()
    app = make_app(dice_box)
    seen = app.tray.snapshot().version
    reach(app, "scored")
    assert app.tray.throw({"base": 1}, HandAction.RIGHT, 1, seen).reason == "stale"
    assert app.tray.throw({"base": 1}, HandAction.RIGHT, 1).accepted, "without a version it counts as ordered now"


@pytest.mark.parametrize(
    "order",
    [
        lambda tray, seen: tray.ask(PushPressed(), seen),
        lambda tray, seen: tray.ask(ResetPressed(), seen),
        lambda tray, seen: tray.ask(DieCorrected(1, 3, None), seen),
        lambda tray, seen: tray.ask(DieRestored(1), seen),
        lambda tray, seen: tray.ask(DieDismissed(1, ignored=True), seen),
        lambda tray, seen: tray.ask(DieAdded((900.0, 900.0), 3, "base"), seen),
        lambda tray, seen: tray.ask(DiceConfirmed(), seen),
    ],
)
def test_what_is_reported_of_dice_that_lie_there_no_more_is_stale(
    make_app: Callable[..., TrayApp], order: Callable[[TrayService, int], Answer]
) -> None:
    app = make_app()
    reach(app, "scored")
    seen = app.tray.snapshot().version
    app.tray.ask(DieCorrected(2, 1, None))
    before = app.tray.snapshot()
    assert order(app.tray, seen).reason == "stale"
    assert app.tray.snapshot() == before


def test_no_two_runs_count_their_versions_from_the_same_number(make_app: Callable[..., TrayApp]) -> None:
    app = make_app()
    seen = app.tray.snapshot().version
    app.stop()
    assert make_app().tray.ask(ResetPressed(), seen).reason == "stale"


def test_a_reset_sweeps_the_simulated_dice_out(make_app: Callable[..., TrayApp]) -> None:
    dice_box = SimulatedDice()
    make_app(dice_box).tray.ask(ResetPressed())
    assert dice_box.reported == [("clear",)]


def test_real_dice_are_not_thrown_from_a_page(make_app: Callable[..., TrayApp]) -> None:
    assert make_app().tray.throw({"base": 1}, HandAction.RIGHT, None).reason == "not_simulated"


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (lambda tray: run_coroutine(tray.declare_pool({"wild": 1}, DISPLAY)), "unknown_role"),
        (lambda tray: run_coroutine(tray.declare_pool({"base": 21}, DISPLAY)), "unknown_role"),
        (lambda tray: tray.ask(SystemChosen("chess")), "unknown_system"),
        (lambda tray: tray.ask(DieCorrected(1, 3, None)), "unknown_die"),
        (lambda tray: tray.ask(DieRestored(1)), "unknown_die"),
    ],
)
def test_requests_that_cannot_be_are_refused_with_a_reason(
    make_app: Callable[..., TrayApp], order: Callable[[TrayService], Answer], reason: str
) -> None:
    answer = order(make_app().tray)
    assert (answer.accepted, answer.reason) == (False, reason)
    assert answer.text


def test_odds_are_reported_for_the_declared_pool_and_for_a_push(make_app: Callable[..., TrayApp]) -> None:
    app = make_app()
    assert app.tray.odds() == {"pool": None, "table": None}
    run_coroutine(app.tray.declare_pool({"base": 2, "skill": 1, "gear": 1}, DISPLAY))
    assert parts_of(app.tray.odds())["pool"]["p_success"] == "671/1296"
    reach(app, "scored")
    odds = parts_of(app.tray.odds())["table"]
    assert odds["p_success"] == "1/1"
    app.tray.ask(PushPressed())
    assert app.tray.odds() == {"pool": None, "table": odds}
    app.post(DiceSettled(Dice.rest(*Dice.LEFT)))
    app.post(DiceSettled(Dice.rest(Dice.THROWN[0], *Dice.THROWN[2:])))
    wait_until(lambda: app.tray.snapshot().body["problems"] != [])
    assert app.tray.odds() == {"pool": None, "table": None}


def test_context_and_system_reach_the_snapshot(make_app: Callable[..., TrayApp]) -> None:
    tray = make_app().tray
    tray.ask(ContextSet({"attribute": 4, "attribute_name": "AGL"}))
    assert tray.ask(ContextSet({"attribute_name": None})).snapshot.body["context"] == {"attribute": 4}
    assert tray.ask(SystemChosen("hits-pool")).snapshot.body["system"] == "hits-pool"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_loop_that_breaks_ends_the_program(make_app: Callable[..., TrayApp]) -> None:
    app = make_app()
    app.post("no event")  # type: ignore[arg-type]
    stopped = threading.Event()
    late = threading.Timer(5.0, stopped.set)
    late.start()
    app.wait(stopped)
    late.cancel()
    assert app.hang == "the tray's main loop failed: see the error above"


def test_health_is_reported(make_app: Callable[..., TrayApp]) -> None:
    app = make_app()
    wait_until(lambda: app.tray.health()["ok"] is True)


def test_the_end_of_a_recording_leaves_its_result_and_is_reported(settings: Settings) -> None:
    class Recorded(StillCamera):
        is_over = False

        def read(self, timeout_s: float) -> Frame | None:
            return None if self.is_over else super().read(timeout_s)

    camera = Recorded()
    app = TrayApp(settings, CameraSetup(camera, None, BlindWatch()))
    app.start()
    try:
        reach(app, "scored")
        camera.is_over = True
        wait_until(lambda: "recording" in parts_of(app.tray.health())["faults"])
        assert parts_of(app.tray.health())["faults"]["recording"].startswith("the recording has ended: restart")
        assert (state_of(app), app.tray.ask(ResetPressed()).accepted) == ("scored", True)
    finally:
        app.stop()


def test_what_each_stage_makes_of_a_die_is_drawn_side_by_side(make_app: Callable[..., TrayApp]) -> None:
    app = make_app()
    reach(app, "scored")
    drawn = there(app.tray.why(1))
    sheet: Any = cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_COLOR)
    height, width = sheet.shape[:2]
    assert (width % WHY_PX, height % WHY_PX) == (0, 0)
    assert app.tray.why(99) is None


def test_a_port_in_use_is_refused_before_anything_starts(
    settings: Settings, idle_lens: Callable[..., CameraSetup]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"port {port} on 127.0.0.1 is in use"):
            TrayApp(with_overrides(settings, port=port), idle_lens())
    assert not (settings.data_folder / FILE_NAME).exists()


def test_a_signal_stops_the_tray_even_if_it_interrupts_the_wait_for_it() -> None:
    setters = []

    class Stopped(threading.Event):
        def set(self) -> None:
            setters.append(threading.current_thread())
            super().set()

    with signals_set(stopped := Stopped()):
        signal.raise_signal(signal.SIGTERM)
        assert stopped.wait(10)
    # The main thread may hold the event's lock.
    assert setters != [threading.main_thread()]


def test_one_data_folder_belongs_to_one_tray(
    make_app: Callable[..., TrayApp], settings: Settings, idle_lens: Callable[..., CameraSetup]
) -> None:
    make_app()
    with pytest.raises(BadInput, match="another pushtray uses data folder"):
        TrayApp(settings, idle_lens())


def test_a_foreign_roll_log_stops_the_tray_and_frees_port_and_folder(
    settings: Settings, make_app: Callable[..., TrayApp], idle_lens: Callable[..., CameraSetup]
) -> None:
    log = settings.data_folder / FILE_NAME
    log.write_text("my diary")
    with pytest.raises(BadInput, match="is not a roll log"):
        TrayApp(settings, idle_lens())
    assert log.read_text() == "my diary"
    log.unlink()
    make_app()


def test_a_cheering_ring_gives_way_once_what_moved_lies_still(settings: Settings) -> None:
    class Glancing(BlindWatch):
        def glance(self, frame: Frame) -> MotionEnded | None:
            return MotionEnded(frame.t_s, frame.sequence) if may_end.is_set() else None

    may_end = threading.Event()
    emulator = WledEmulator(settings.data_folder / "ring", settings.ring.shape.leds)
    emulator.plug()
    ring = replace(
        settings.ring,
        kind="wled",
        port=replace(settings.ring.port, port=str(settings.data_folder / "ring")),
        shape=replace(settings.ring.shape, cheer_s=3600.0),
    )
    app = TrayApp(replace(settings, ring=ring), CameraSetup(StillCamera(), None, Glancing()))
    try:
        app.start()
        app.post(MotionSeen())
        app.post(DiceSettled(Dice.rest(*Dice.FIRST)))
        wait_until(lambda: app.tray.snapshot().body["outcome"] is not None)
        assert app.ring.ring is not None
        wait_until(app.ring.ring.disturbs_reading)
        may_end.set()
        still_lit = app.ring.ring
        wait_until(lambda: not still_lit.disturbs_reading())
        assert app.ring.ring is not None
        assert app.ring.ring.fault is None
    finally:
        app.stop()
        emulator.unplug()


def test_the_log_alone_is_whole_soon_after_a_roll(make_app: Callable[..., TrayApp], settings: Settings) -> None:
    app = make_app()
    reach(app, "scored")
    log = settings.data_folder / FILE_NAME

    def alone() -> list[Any] | None:
        copy = settings.data_folder / "alone.sqlite3"
        copy.write_bytes(log.read_bytes())
        # A copy made at that moment may be torn; the next is not.
        with suppress(BadInput):
            return [row["kind"] for row in logged_since(copy)]
        return None

    wait_until(lambda: alone() == ["scored"])
