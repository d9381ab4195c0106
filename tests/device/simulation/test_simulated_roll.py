"""Whole rolls with simulated dice, on a clock that only advances with drawn frames: from physics to rules."""

import copy
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.camera.worker import seen_events
from device.game.machine import step
from device.game.mending import Fix, MendKind, suggest_fix
from device.game.state.events import PoolDeclared, PushPressed
from device.game.state.layout import Layout
from device.game.state.states import AwaitingPush, Empty, Resolved, Scored, Unclear
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.game.throw_orders import HandAction, SimulatedThrow
from device.simulation.camera import SimulatedCamera, SimulatedCameraParams
from device.simulation.memory import KeptDie, SimulatedMemory
from device.simulation.scenery import SceneryParams
from rules.dice import Role
from tests.device.simulation.drawn_once import trays_drawn_once
from tests.narrowing import a, there
from tests.stepped_clock import SteppedClock
from vision.colour.classes import STANDARD_COLOURS
from vision.pipeline.reader import Reader
from vision.tracking.watch import TrayWatch

LONGEST_FRAMES = 200
"""Thirteen seconds: no act of the simulated hand takes longer."""


SCENERY = SceneryParams()


@pytest.fixture(scope="module")
def reader() -> Reader:
    """One for all rolls, as it stores nothing of earlier pictures."""
    return Reader(None, STANDARD_COLOURS)


@pytest.fixture(scope="module", autouse=True)
def _one_tray() -> Iterator[None]:
    with trays_drawn_once():
        yield


class Play:
    """A tray without threads, disk and web."""

    def __init__(self, reader: Reader, seed: int, memory: Any = None) -> None:
        self.camera = SimulatedCamera(SimulatedCameraParams(seed=seed, scenery=SCENERY), SteppedClock(), memory)
        self.reader = reader
        self.watch = TrayWatch(reader)
        self.state: Tray = Tray(Empty(), Table("push-pool"))
        self.names: list[str] = []
        self.camera.open()
        self.look(15)

    def look(self, frames: int) -> None:
        for _ in range(frames):
            for event in seen_events(self.watch.see(there(self.camera.read(1.0)))):
                self.state, _ = step(self.state, event)
                self.names.append(type(self.state.dice).__name__)

    def until(self, is_so: Callable[[Tray], bool]) -> Tray:
        for _ in range(LONGEST_FRAMES):
            self.look(1)
            if is_so(self.state):
                return self.state
        raise AssertionError(f"after {LONGEST_FRAMES} frames the tray is {self.state}")

    def throw(self, order: SimulatedThrow) -> Tray:
        self.camera.throw(order)
        return self.until(lambda state: isinstance(state.dice, Scored))

    def push(self, hand: HandAction, seed: int) -> None:
        self.state, _ = step(self.state, PushPressed())
        assert isinstance(self.state.dice, AwaitingPush)
        must_go = {int(die_id) for die_id in self.state.dice.first.outcome.must_reroll}
        places = tuple(die.reading.center_px for die in self.state.dice.first.layout.dice if die.id in must_go)
        self.camera.pick_up_and_rethrow(places, hand, seed)

    def until_wrong(self) -> Tray:
        return self.until(lambda state: isinstance(state.dice, AwaitingPush | Unclear) and bool(state.dice.troubles))

    def mend(self, seed: int | None = None) -> Fix:
        """Let the hand do what it offers, and wait until the tray has seen it."""
        mend = suggest_fix(self.state)
        assert mend is not None, self.state
        self.camera.mend(mend.order, seed)
        # Nothing is offered while the hand is in the tray.
        self.until(lambda state: suggest_fix(state) is None)
        self.until(lambda state: not self.camera.is_busy and not getattr(state.dice, "moving", True))
        return mend

    def copied(self) -> "Play":
        """Return a copy of the tray at the same moment, independent of it."""
        return copy.deepcopy(self, {id(self.reader): self.reader, id(self.camera._lock): threading.Lock()})

    def truth(self) -> Counter[tuple[str, int | None]]:
        return Counter((die.colour, die.shows.value) for die in self.camera.truth())


def seen(layout: Layout) -> Counter[tuple[str | None, int | None]]:
    return Counter((die.colour, die.value) for die in layout.dice)


def test_a_roll_whose_push_leaves_a_die_lying_and_is_mended(reader: Reader) -> None:
    play = Play(reader, seed=5)
    scored = play.throw(SimulatedThrow(base=4, skill=2, gear=1, seed=11))
    assert isinstance(scored.dice, Scored)
    assert seen(scored.dice.layout) == play.truth()
    assert play.names == ["Empty", "Rolling", "Scored"]
    play.push(HandAction.DIE_LEFT_LYING, seed=13)
    wrong = play.until(lambda state: isinstance(state.dice, AwaitingPush) and bool(state.dice.troubles))
    assert isinstance(wrong.dice, AwaitingPush)
    (trouble,) = wrong.dice.troubles
    assert trouble.code == "must_reroll_not_rolled"
    (left_lying,) = trouble.dice
    assert str(left_lying) in scored.dice.outcome.must_reroll
    assert wrong.dice.after is not None
    play.camera.pick_up_and_rethrow(
        (there(wrong.dice.after.die(left_lying)).reading.center_px,), HandAction.RIGHT, seed=14
    )
    resolved = play.until(lambda state: isinstance(state.dice, Resolved))
    assert isinstance(resolved.dice, Resolved)
    assert seen(resolved.dice.layout) == play.truth()
    assert {die.id for die in resolved.dice.layout.dice} == {die.id for die in scored.dice.layout.dice}
    assert set(play.names[3:]) == {"AwaitingPush", "Resolved"}


@pytest.fixture(scope="module")
def five_dice(reader: Reader) -> Play:
    """A roll of five dice that may be pushed, one or more of them locked, to be copied and continued."""
    for seed in range(11, 31):
        play = Play(reader, seed=5)
        scored = play.throw(SimulatedThrow(base=3, skill=2, seed=seed))
        if isinstance(scored.dice, Scored) and scored.dice.outcome.locked and len(scored.dice.outcome.must_reroll) > 1:
            return play
    raise AssertionError("of twenty throws of five dice none has a die that stays and two that go")


WRONG_HANDS = {
    HandAction.LOCKED_DIE_REROLLED: ("locked_die_changed", MendKind.TURN_BACK),
    HandAction.DIE_MISSING: ("wrong_dice_count", MendKind.THROW_IN),
    HandAction.DIE_ADDED: ("wrong_dice_count", MendKind.TAKE_OUT),
}


@pytest.mark.parametrize("hand", WRONG_HANDS)
def test_a_push_played_wrong_is_reported_mended_by_hand_and_resolved(five_dice: Play, hand: HandAction) -> None:
    code, kind = WRONG_HANDS[hand]
    play = five_dice.copied()
    scored = play.state
    assert isinstance(scored.dice, Scored)
    assert suggest_fix(scored) is None
    play.push(hand, seed=13)
    wrong = play.until_wrong()
    assert isinstance(wrong.dice, AwaitingPush)
    assert [trouble.code for trouble in wrong.dice.troubles] == [code]
    locked = Counter(
        (die.colour, die.value) for die in scored.dice.layout.dice if str(die.id) in scored.dice.outcome.locked
    )
    for turn in range(3):
        if isinstance(play.state.dice, Resolved):
            break
        mend = play.mend(seed=14 + turn)
        assert turn or mend.kind is kind
    resolved = play.state
    assert isinstance(resolved.dice, Resolved)
    assert seen(resolved.dice.layout) == play.truth()
    assert Counter(die.colour for die in resolved.dice.layout.dice) == Counter(base=3, skill=2)
    assert locked <= seen(resolved.dice.layout)


def test_dice_other_than_the_declared_ones_are_exchanged_by_hand(reader: Reader) -> None:
    play = Play(reader, seed=5)
    play.state, _ = step(play.state, PoolDeclared(Pool(((Role.BASE, 2), (Role.SKILL, 1)))))
    play.camera.throw(SimulatedThrow(base=1, skill=2, seed=3))
    wrong = play.until_wrong()
    assert isinstance(wrong.dice, Unclear)
    assert [trouble.code for trouble in wrong.dice.troubles] == ["wrong_role_count"]
    assert play.mend(seed=4).kind is MendKind.EXCHANGE
    assert isinstance(play.state.dice, Scored)
    assert Counter(die.colour for die in play.state.dice.layout.dice) == Counter(base=2, skill=1)


def test_a_die_that_leans_is_laid_flat_by_hand_and_the_roll_counts(reader: Reader, tmp_path: Path) -> None:
    memory = SimulatedMemory(tmp_path / "dice.json")
    cos, sin = math.cos(math.radians(35.0)), math.sin(math.radians(35.0))
    on_the_wall = np.array([[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]])
    memory.save(
        (
            KeptDie("base", 0, np.array([-118.9, 20.0, 11.1]), on_the_wall),
            KeptDie("skill", 0, np.array([40.0, -30.0, 8.0]), np.eye(3)),
        )
    )
    play = Play(reader, seed=5, memory=memory)
    wrong = play.until_wrong()
    assert isinstance(wrong.dice, Unclear)
    assert [trouble.code for trouble in wrong.dice.troubles] == ["cocked"]
    assert play.mend().kind is MendKind.LAY_FLAT
    assert isinstance(play.state.dice, Scored)
    assert seen(play.state.dice.layout) == play.truth()


def test_simulated_dice_lie_there_again_in_the_next_run(reader: Reader, tmp_path: Path) -> None:
    memory = SimulatedMemory(tmp_path / "dice.json")
    first = Play(reader, seed=5, memory=memory)
    first.throw(SimulatedThrow(base=2, skill=1, seed=11))
    again = Play(reader, seed=6, memory=memory)
    assert again.truth() == first.truth()
    assert (
        a(Scored, again.until(lambda state: isinstance(state.dice, Scored)).dice).outcome
        == a(Scored, first.state.dice).outcome
    )
    (tmp_path / "dice.json").write_text("no dice")
    assert Play(reader, seed=6, memory=memory).truth() == Counter()
