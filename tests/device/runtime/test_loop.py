"""The loop: one thread owns the state; nothing is announced before it is written."""

import asyncio
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from device.errors import DeviceError
from device.game.snapshot import Snapshot, TrayMetadata
from device.game.state.effects import Commit, GivenRoll, LogRow, ShownRoll
from device.game.state.events import (
    CameraConnected,
    CameraFailed,
    ContextSet,
    DiceSettled,
    DieCorrected,
    DieDismissed,
    Event,
    MotionSeen,
    PushPressed,
    ResetPressed,
    SystemChosen,
    ThrowOrdered,
    UndoPressed,
)
from device.game.state.states import Empty
from device.game.state.table_events import ClockAdded, RollRequested, SheetAdded, SheetRemoved
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.message import message
from device.runtime.loop import MAX_UNDO_S, Answer, LoopBusy, LoopParams, Offer, TrayLoop
from device.texts.catalogue import translate
from rules.sheet_file import new_sheet
from tests.device.conftest import Dice, wait_until
from tests.event_loop import run_coroutine
from tests.narrowing import english, parts_of
from vision.types.reading import DieReading

PARAMS = LoopParams(answer_s=1.0, retry_first_s=0.01, max_retry_s=0.02, pulse_s=0.05)
METADATA = TrayMetadata("simulated", None, {"base": "yellow", "skill": "green", "gear": "black"})


class Log:
    """A roll log in memory whose disk may be full."""

    def __init__(self) -> None:
        self.rows: list[LogRow] = []
        self.full = threading.Event()
        self.tried = threading.Event()
        self.order: list[object] = []

    def write(
        self,
        rows: tuple[LogRow, ...],
        state: Tray,
        shown: tuple[ShownRoll, ...] = (),
        given: GivenRoll | None = None,
    ) -> None:
        if self.full.is_set():
            self.tried.set()
            raise DeviceError("the disk is full: free it")
        self.rows += rows
        self.order.append(("written", [row.kind.value for row in rows]))


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def forgotten() -> list[bool]:
    return []


@contextmanager
def running(log: Log, forgotten: list[bool], params: LoopParams) -> Iterator[TrayLoop]:
    """A loop over an empty tray, until the test is over."""
    loop = TrayLoop(
        Tray(Empty(), Table("push-pool")),
        log,
        METADATA,
        forget=lambda: forgotten.append(True),
        show=lambda state, plan: None,
        params=params,
    )
    loop.start()
    yield loop
    loop.stop()


@pytest.fixture
def loop(log: Log, forgotten: list[bool]) -> Iterator[TrayLoop]:
    with running(log, forgotten, PARAMS) as loop:
        yield loop


def test_a_result_is_written_before_it_is_announced(loop: TrayLoop, log: Log) -> None:
    loop.subscribe(lambda snapshot: log.order.append(("announced", snapshot.body["state"])))
    loop.post(MotionSeen())
    loop.post(DiceSettled(Dice.rest(*Dice.FIRST)))
    wait_until(lambda: loop.newest.body["state"] == "scored")
    assert log.order == [("announced", "rolling"), ("written", ["scored"]), ("announced", "scored")]


def test_versions_rise_and_nothing_is_announced_where_nothing_changed(loop: TrayLoop) -> None:
    seen = []
    loop.subscribe(lambda snapshot: seen.append(snapshot.version))
    loop.ask(DiceSettled(Dice.rest()))
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    assert seen == [2]
    assert loop.newest.body["version"] == 2


def test_an_unseen_change_is_not_announced(loop: TrayLoop) -> None:
    seen: list[Snapshot] = []
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    loop.ask(ResetPressed())
    before = loop.tray
    loop.subscribe(seen.append)
    # The tray itself remembers which dice still lie there from the roll that was reset.
    loop.ask(DiceSettled(Dice.rest()))
    assert loop.tray != before
    assert seen == []


def test_other_metadata_is_announced_at_once_and_goes_on(loop: TrayLoop) -> None:
    seen = []
    loop.subscribe(lambda snapshot: seen.append((snapshot.version, snapshot.body["profile"], snapshot.body["state"])))
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    loop.update_metadata(TrayMetadata("usb:0", "profile-usb-0", {"base": "red"}))
    wait_until(lambda: len(seen) == 2)
    loop.ask(ResetPressed())
    assert seen == [(2, None, "scored"), (3, "profile-usb-0", "scored"), (4, "profile-usb-0", "empty")]
    assert loop.newest.body["colours"] == {"base": "red"}


def test_a_caller_gets_the_outcome(loop: TrayLoop, forgotten: list[bool]) -> None:
    refused = loop.ask(PushPressed())
    assert (refused.accepted, refused.reason) == (False, "nothing_to_reroll")
    assert refused.text
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    accepted = loop.ask(PushPressed())
    assert (accepted.accepted, accepted.snapshot.body["state"]) == (True, "awaiting_push")
    assert loop.ask(ResetPressed()).accepted
    assert forgotten == [True]


def test_a_press_on_what_a_page_no_longer_shows_right_is_stale(loop: TrayLoop) -> None:
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    seen = loop.newest.version
    loop.ask(ResetPressed())
    again = tuple(Dice.die(one.id, one.reading.colour, one.reading.value, (50.0 * one.id, 700)) for one in Dice.FIRST)
    loop.ask(MotionSeen())
    loop.ask(DiceSettled(Dice.rest(*again)))
    # The same faces, but another roll.
    refused = loop.ask(PushPressed(), seen)
    assert (refused.accepted, refused.reason, refused.snapshot.body["state"]) == (False, "stale", "scored")
    assert refused.text
    assert loop.ask(PushPressed(), loop.newest.version).accepted
    assert loop.ask(ResetPressed()).accepted, "a press without a version counts as made now"


@pytest.mark.parametrize(
    ("event", "is_stale"),
    [
        (ClockAdded("Storm", 4), False),
        (SheetAdded(new_sheet("Ann", "push-pool")), False),
        (RollRequested("Ann"), False),
        (ContextSet({"gear_bonus": 2}), False),
        (MotionSeen(), False),
        ("a die is nudged", False),
        ("a die is picked up", False),
        (DieCorrected(1, 4, None), True),
        (DieCorrected(1, None, "gear"), True),
        (DieDismissed(1, True), True),
        (PushPressed(), True),
        (ThrowOrdered(), True),
        (SystemChosen("hits-pool"), True),
        (CameraFailed("gone: plug it in", 1.0), True),
    ],
    ids=lambda case: case if isinstance(case, str) else type(case).__name__,
)
def test_a_press_is_stale_where_state_dice_or_roll_have_changed_and_nowhere_else(
    loop: TrayLoop, event: Event | str, is_stale: bool
) -> None:
    nudged = Dice.die(1, "base", 5, (110, 310), moved=True)
    rests = {"a die is nudged": (nudged, *Dice.FIRST[1:]), "a die is picked up": Dice.FIRST[1:]}
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    seen = loop.newest.version
    loop.ask(DiceSettled(Dice.rest(*rests[event])) if isinstance(event, str) else event)
    answer = loop.ask(ResetPressed(), seen)
    assert (answer.reason == "stale", answer.accepted) == (is_stale, not is_stale)


def test_of_two_resets_that_end_one_players_turn_the_second_leaves_the_next_players_alone(loop: TrayLoop) -> None:
    def turn(answer: Answer) -> Any:
        current: Any = answer.snapshot.body["asked"]
        return answer.reason, current["owner"]

    loop.ask(RollRequested("Ann"))
    loop.ask(RollRequested("Zo"))
    seen = loop.newest.version
    assert turn(loop.ask(ResetPressed(), seen)) == (None, "Zo")
    assert turn(loop.ask(ResetPressed(), seen)) == ("stale", "Zo")
    assert loop.is_throw_stale(seen), "the dice to throw are another player's"


def test_what_an_earlier_run_showed_is_stale_in_this_one(log: Log, forgotten: list[bool]) -> None:
    loop = TrayLoop(
        Tray(Empty(), Table("push-pool")), log, METADATA, forget=lambda: None, show=lambda *_: None, first_version=1000
    )
    loop.start()
    try:
        assert loop.newest.version == 1000
        for seen in (1, 999, 1001, 2**53 - 1):
            assert loop.ask(ResetPressed(), seen).reason == "stale"
        assert loop.ask(ResetPressed(), 1000).accepted
    finally:
        loop.stop()


class Timed:
    """A loop with the clock and watch of the test."""

    def __init__(self, log: Log) -> None:
        self.now_s, self.newest_frame = 100.0, 0
        self.known: list[tuple[list[int], list[int], bool]] = []
        self.loop = TrayLoop(
            Tray(Empty(), Table("push-pool")),
            log,
            METADATA,
            forget=lambda: self.known.append(([], [], True)),
            recall=self.recall,
            show=lambda *_: None,
            now_s=lambda: self.now_s,
            params=PARAMS,
        )
        self.loop.start()

    def recall(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading], *, report_again: bool) -> int:
        self.known.append(([*lying], [*gone], report_again))
        return self.newest_frame

    @property
    def undo(self) -> Any:
        return self.loop.newest.body["undo"]

    def take_back(self) -> Answer:
        return self.loop.ask(UndoPressed(self.undo["id"]))


@pytest.fixture
def tray(log: Log) -> Iterator[Timed]:
    tray = Timed(log)
    yield tray
    tray.loop.stop()


def test_a_press_can_be_taken_back_for_ten_seconds(tray: Timed) -> None:
    before = tray.loop.ask(DiceSettled(Dice.rest(*Dice.FIRST))).snapshot
    assert before.body["undo"] is None
    tray.loop.ask(ResetPressed())
    assert (tray.undo["id"], tray.undo["action"], english(tray.undo["label"]), tray.undo["by"]) == (
        1,
        "reset",
        "Reset",
        None,
    )
    assert tray.loop.ask(UndoPressed(2)).reason == "nothing_to_undo"
    after = tray.take_back().snapshot
    same = dict.fromkeys(("version", "log_revision"))
    assert after.body | same == before.body | same
    assert tray.known == [([], [], True), ([1, 2, 3, 4], [], True)]
    tray.loop.ask(ResetPressed())
    tray.now_s += 9.9
    tray.loop.ask(ClockAdded("Rain", 4))
    assert tray.undo["id"] == 2
    tray.now_s += 0.2
    wait_until(lambda: tray.undo is None)
    assert tray.loop.ask(UndoPressed(2)).reason == "nothing_to_undo"


def test_what_has_the_focus_can_be_undone_for_longer(tray: Timed) -> None:
    tray.loop.update_metadata(replace(METADATA, undo_s=30.0))
    tray.loop.ask(ResetPressed())
    tray.loop.ask(ClockAdded("Rain", 4))
    tray.loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    tray.loop.ask(ResetPressed())
    offered, began_s = tray.undo["id"], tray.now_s
    while tray.now_s < began_s + MAX_UNDO_S - 29.0:
        tray.now_s += 29.0
        tray.loop.hold_undo(offered + 1)  # another one, which is gone
        tray.loop.hold_undo(offered)
        tray.loop.ask(ClockAdded(f"Rain {tray.now_s}", 4))
        assert tray.undo["id"] == offered
    tray.now_s = began_s + MAX_UNDO_S
    wait_until(lambda: tray.undo is None)


def test_what_was_seen_while_dice_were_forgotten_is_seen_once_more(tray: Timed) -> None:
    """After a reset the watch numbers dice again; until then its sightings would be another roll."""
    tray.loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    tray.loop.ask(ResetPressed())
    tray.newest_frame = 30
    scored = tray.take_back().snapshot
    ids = dict(zip((1, 2, 3, 4), (4, 3, 2, 1), strict=True))
    late = replace(Dice.rest(*(replace(die, id=ids[die.id]) for die in Dice.FIRST)), sequence=30)
    assert tray.loop.ask(DiceSettled(late)).snapshot is scored
    assert tray.known[-1] == ([1, 2, 3, 4], [], True)
    assert tray.loop.ask(DiceSettled(replace(Dice.rest(*Dice.FIRST), sequence=31))).snapshot.body["roll"] == 1
    tray.loop.ask(CameraFailed("gone", 1.0))
    tray.loop.ask(CameraConnected())
    fresh = replace(Dice.rest(*Dice.THROWN), sequence=1)
    assert tray.loop.ask(DiceSettled(fresh)).snapshot.version > scored.version, (
        "a reopened camera counts from the start"
    )


def test_a_change_of_the_table_is_taken_back_by_its_own_function(tray: Timed) -> None:
    done = []
    tray.loop.report(Offer("evening", message("tray.undo.evening"), lambda: done.append("on again"), by=3))
    assert tray.undo == {"id": 1, "action": "evening", "label": message("tray.undo.evening"), "by": 3}
    assert tray.take_back().accepted
    assert (done, tray.undo) == (["on again"], None)

    def fail() -> None:
        raise DeviceError("the disk is full: free it")

    tray.loop.report(Offer("evening", message("tray.undo.evening"), fail))
    answer = tray.take_back()
    assert (answer.reason, answer.text, tray.undo) == ("nothing_to_undo", "the disk is full: free it", None)


def test_an_undo_that_takes_long_holds_up_nothing_else(tray: Timed) -> None:
    begun, goes_on, threads = threading.Event(), threading.Event(), list[str]()

    def take_back() -> None:
        threads.append(threading.current_thread().name)
        begun.set()
        assert goes_on.wait(10)
        # As an undo does that writes the log.
        threads.append(tray.loop.run(lambda: threading.current_thread().name))

    tray.loop.report(Offer("evening", message("tray.undo.evening"), take_back))
    offered, answers = tray.undo["id"], list[Answer]()
    asking = threading.Thread(target=lambda: answers.append(tray.loop.ask(UndoPressed(offered))))
    asking.start()
    assert begun.wait(10)
    assert tray.undo is None
    assert tray.loop.ask(UndoPressed(offered)).reason == "nothing_to_undo", "it is undone once"
    assert tray.loop.ask(DiceSettled(Dice.rest(*Dice.FIRST))).snapshot.body["state"] == "scored"
    before = tray.loop.newest.body["log_revision"]
    goes_on.set()
    asking.join(10)
    assert (answers[0].accepted, threads) == (True, ["undo", "loop"])
    assert tray.loop.newest.body["log_revision"] > before, "pages hear of what the undo wrote"


def test_the_revision_of_the_log_rises_when_it_is_written_and_at_nothing_else(tray: Timed) -> None:
    def rises(do: Callable[[], object]) -> bool:
        before = tray.loop.newest
        do()
        after = tray.loop.newest
        has_risen = after.body["log_revision"] > before.body["log_revision"]
        assert not has_risen or after.version > before.version
        return has_risen

    loop = tray.loop
    assert [
        rises(lambda: loop.ask(MotionSeen())),
        rises(lambda: loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))),
        rises(lambda: loop.run(lambda: None)),
        rises(lambda: loop.ask(UndoPressed(99))),
        rises(lambda: loop.report(Offer("evening", message("tray.undo.evening"), lambda: None))),
    ] == [False, True, True, False, True]


def test_a_throw_ends_what_it_makes_too_late_and_nothing_else(tray: Timed) -> None:
    tray.loop.ask(SheetAdded(new_sheet("Bo", "push-pool")))
    tray.loop.ask(SheetRemoved(1))
    tray.loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    assert (tray.undo["action"], english(tray.undo["label"])) == ("sheet", "Bo deleted")
    assert [sheet["title"] for sheet in parts_of(tray.take_back().snapshot.body)["sheets"]] == ["Bo"]
    tray.loop.ask(ResetPressed())
    tray.loop.ask(DiceSettled(Dice.rest(*Dice.THROWN)))
    assert tray.undo is None


def test_a_hand_over_no_dice_makes_no_throw_stale(loop: TrayLoop) -> None:
    seen = loop.newest.version
    loop.ask(MotionSeen())
    assert not loop.is_throw_stale(seen)
    assert loop.ask(PushPressed(), seen).reason == "stale"
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    assert loop.is_throw_stale(seen)
    assert not loop.is_throw_stale(loop.newest.version)
    assert loop.is_throw_stale(loop.newest.version + 1)


def test_a_result_that_cannot_be_written_is_a_fault_and_announced_when_the_disk_is_back(
    loop: TrayLoop, log: Log
) -> None:
    log.full.set()
    loop.post(DiceSettled(Dice.rest(*Dice.FIRST)))
    log.tried.wait(5)
    wait_until(lambda: loop.newest.body["state"] == "fault")
    assert parts_of(loop.newest.body)["fault"]["part"] == "history"
    assert log.rows == []
    log.full.clear()
    wait_until(lambda: loop.newest.body["state"] == "scored")
    assert [row.kind.value for row in log.rows] == ["scored"]


@pytest.fixture
def impatient(log: Log, forgotten: list[bool]) -> Iterator[TrayLoop]:
    """A loop whose callers time out almost at once."""
    impatient = LoopParams(answer_s=0.01, replace_s=0.01, retry_first_s=0.01, max_retry_s=0.02)
    with running(log, forgotten, impatient) as loop:
        yield loop


@contextmanager
def kept_busy(loop: TrayLoop) -> Iterator[None]:
    """Block the loop inside the context, like a slow screen or drive."""
    is_busy, goes_on = threading.Event(), threading.Event()

    def hold(_: Snapshot) -> None:
        is_busy.set()
        assert goes_on.wait(10)

    end = loop.subscribe(hold)
    loop.post(MotionSeen())
    assert is_busy.wait(5)
    end()
    yield
    goes_on.set()


def ask_async(loop: TrayLoop, event: Event) -> Answer:
    """Run `TrayLoop.ask` on an event loop."""
    return run_coroutine(loop.request(event))


EITHER_WAY = pytest.mark.parametrize("ask", [TrayLoop.ask, ask_async])
Ask = Callable[[TrayLoop, Event], Answer]


@EITHER_WAY
def test_what_was_given_up_is_not_carried_out_later(
    ask: Ask, impatient: TrayLoop, log: Log, forgotten: list[bool]
) -> None:
    with kept_busy(impatient):
        with pytest.raises(LoopBusy, match=re.escape(translate("web.busy"))):
            ask(impatient, SystemChosen("hits-pool"))
        with pytest.raises(LoopBusy, match=re.escape(translate("web.busy"))):
            impatient.replace(lambda: Tray(Empty(), Table("highest-die")))
        impatient.post(ContextSet({"attribute": 4}))
    wait_until(lambda: impatient.newest.body["context"] == {"attribute": 4})
    assert impatient.newest.body["system"] == "push-pool"
    assert forgotten == []
    assert log.rows == []


def test_what_has_happened_already_is_reported_however_late(impatient: TrayLoop) -> None:
    with kept_busy(impatient):
        late = impatient.report(SystemChosen("hits-pool"))
        assert (late.accepted, late.snapshot.body["system"]) == (True, "push-pool")
    wait_until(lambda: impatient.newest.body["system"] == "hits-pool")


def test_what_is_carried_out_just_as_its_asker_gives_up_is_answered(
    loop: TrayLoop, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    is_writing, is_given_up = threading.Event(), threading.Event()
    write, result = log.write, Future.result

    def write_slowly(*args: Any) -> None:
        is_writing.set()
        assert is_given_up.wait(5)
        write(*args)

    def give_up(future: Future[Any], timeout: float | None = None) -> Any:
        if timeout is None:
            return result(future, 0)
        assert is_writing.wait(5)
        is_given_up.set()
        raise FutureTimeout

    monkeypatch.setattr(log, "write", write_slowly)
    monkeypatch.setattr(Future, "result", give_up)
    answer = loop.ask(DieCorrected(1, 6, None))
    assert answer.accepted
    assert answer.snapshot == loop.newest
    assert parts_of(loop.newest.body)["dice"][0]["corrected"] is True
    assert len(log.rows) == 2


def test_on_an_event_loop_too_what_is_carried_out_just_then_is_answered(
    loop: TrayLoop, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    is_writing, is_given_up = threading.Event(), threading.Event()
    write, sleep = log.write, asyncio.sleep

    def write_slowly(*args: Any) -> None:
        is_writing.set()
        assert is_given_up.wait(5)
        write(*args)

    async def give_up(_answer: Any, _wait_s: float) -> Any:
        assert is_writing.wait(5)
        raise TimeoutError

    async def look_again(wait_s: float) -> None:
        is_given_up.set()
        await sleep(wait_s)

    monkeypatch.setattr(log, "write", write_slowly)
    monkeypatch.setattr("device.runtime.loop.asyncio.wait_for", give_up)
    monkeypatch.setattr("device.runtime.loop.asyncio.sleep", look_again)
    answer = ask_async(loop, DieCorrected(1, 6, None))
    assert answer.accepted
    assert parts_of(answer.snapshot.body)["dice"][0]["corrected"] is True


@EITHER_WAY
def test_a_correction_that_a_full_disk_held_up_is_given_up_permanently(ask: Ask, log: Log) -> None:
    quick = LoopParams(answer_s=0.05, retry_first_s=0.01, max_retry_s=0.02)
    written: list[Commit] = []
    loop = TrayLoop(
        Tray(Empty(), Table("push-pool")),
        log,
        METADATA,
        forget=lambda: None,
        show=lambda *_: None,
        on_written=written.append,
        params=quick,
    )
    loop.post(DiceSettled(Dice.rest(*Dice.FIRST)))
    loop.start()
    wait_until(lambda: loop.newest.body["state"] == "scored")
    before = loop.tray
    log.full.set()
    with pytest.raises(LoopBusy):
        ask(loop, DieCorrected(1, 6, None))
    assert loop.newest.body["state"] == "fault", "the disk is still full"
    log.full.clear()
    wait_until(lambda: loop.newest.body["state"] == "scored")
    assert loop.tray == before
    assert parts_of(loop.newest.body)["dice"][0]["corrected"] is False
    assert (len(log.rows), len(written)) == (1, 1)
    assert loop.ask(DieCorrected(1, 6, None)).accepted, "asked again, it counts"
    loop.stop()


def test_askers_do_not_wait_for_ever_while_the_disk_is_full(log: Log) -> None:
    quick = LoopParams(answer_s=0.05, retry_first_s=0.01, max_retry_s=0.02)
    loop = TrayLoop(
        Tray(Empty(), Table("push-pool")), log, METADATA, forget=lambda: None, show=lambda *_: None, params=quick
    )
    loop.start()
    log.full.set()
    loop.post(DiceSettled(Dice.rest(*Dice.FIRST)))
    with pytest.raises(LoopBusy):
        loop.ask(ResetPressed())
    loop.stop()
    assert not loop.is_alive
    assert log.rows == []


@EITHER_WAY
def test_askers_are_refused_at_once_when_the_loop_stops(ask: Ask, log: Log) -> None:
    patient = LoopParams(answer_s=60.0, retry_first_s=0.01, max_retry_s=0.02)
    loop = TrayLoop(
        Tray(Empty(), Table("push-pool")), log, METADATA, forget=lambda: None, show=lambda *_: None, params=patient
    )
    loop.start()
    log.full.set()
    answers = []
    asker = threading.Thread(target=lambda: answers.append(ask(loop, ResetPressed())), daemon=True)
    loop.post(DiceSettled(Dice.rest(*Dice.FIRST)))
    assert log.tried.wait(5)
    asker.start()
    loop.stop()
    asker.join(timeout=5)
    answers.append(ask(loop, PushPressed()))
    assert [(answer.accepted, answer.reason) for answer in answers] == [(False, "stopping")] * 2


def test_a_subscription_ends(loop: TrayLoop) -> None:
    seen: list[Snapshot] = []
    end = loop.subscribe(seen.append)
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    end()
    end()
    loop.ask(DieCorrected(1, 6, None))
    assert len(seen) == 1
    assert parts_of(loop.newest.body)["dice"][0]["corrected"] is True


def test_idle_moments_are_announced_and_no_busy_one(log: Log) -> None:
    idle = threading.Event()

    def note_idle() -> None:
        log.order.append("idle")
        idle.set()

    loop = TrayLoop(
        Tray(Empty(), Table("push-pool")),
        log,
        METADATA,
        forget=lambda: None,
        show=lambda state, plan: None,
        on_idle=note_idle,
        params=PARAMS,
    )
    for _ in range(3):
        loop.post(DiceSettled(Dice.rest(*Dice.FIRST)))
    loop.start()
    assert idle.wait(5)
    loop.stop()
    first_idle = log.order.index("idle")
    assert first_idle > 0
    assert all(entry == "idle" for entry in log.order[first_idle:])


def test_another_state_takes_the_place_of_what_was_and_a_failure_leaves_it(
    loop: TrayLoop, forgotten: list[bool]
) -> None:
    loop.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
    before = loop.newest

    def fail() -> Tray:
        raise DeviceError("the disk is gone: plug it in")

    with pytest.raises(DeviceError, match="plug it in"):
        loop.replace(fail)
    assert (loop.newest, forgotten) == (before, [])
    loop.replace(lambda: Tray(Empty(), Table("hits-pool")))
    assert (loop.newest.body["state"], loop.newest.body["system"]) == ("empty", "hits-pool")
    assert forgotten == [True], "dice in the tray are read again"
    loop.ask(CameraFailed("no camera: plug it in", 1.0))
    loop.replace(lambda: Tray(Empty(), Table("highest-die")))
    assert (loop.newest.body["state"], loop.newest.body["system"]) == ("fault", "highest-die")
    loop.stop()
    with pytest.raises(LoopBusy):
        loop.replace(lambda: Tray(Empty(), Table("push-pool")))


def test_short_work_is_done_between_events_on_the_loops_thread(loop: TrayLoop) -> None:
    assert loop.run(lambda: threading.current_thread().name) == "loop"
    with pytest.raises(ZeroDivisionError):
        loop.run(lambda: 1 / 0)
    assert loop.ask(ResetPressed()).accepted


def test_work_is_done_for_its_caller_or_given_up_and_never_both(impatient: TrayLoop) -> None:
    done: list[int] = []
    answered: list[int] = []
    chance = random.Random(7)
    slow = {n for n in range(500) if chance.random() < 0.02}

    def work(number: int) -> None:
        done.append(number)
        if number in slow:
            time.sleep(0.02)  # longer than a caller waits

    def order(first: int) -> None:
        for number in range(first, 500, 5):
            with suppress(LoopBusy):
                impatient.run(partial(work, number))
                answered.append(number)

    callers = [threading.Thread(target=order, args=(first,)) for first in range(5)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    impatient.report(ResetPressed())
    assert sorted(done) == sorted(answered)
