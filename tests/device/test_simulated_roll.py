"""Whole rolls with simulated dice, on a clock that passes only as frames are drawn: from physics to rules."""

from collections import Counter

from device.events import PushPressed
from device.eye import seen_events
from device.session import step
from device.simulated_camera import SimulatedCamera, SimulatedCameraParams, SteppedClock
from device.simulated_memory import SimulatedMemory
from device.simulated_scenery import SceneryParams
from device.states import AwaitingPush, Empty, Resolved, Scored
from device.table import Table
from device.throw import Hand, ThrowOrder
from vision.colour import STANDARD_COLOURS
from vision.reader import Reader
from vision.watch import TrayWatch

LONGEST_FRAMES = 200
"""Thirteen seconds: no act of the simulated hand takes longer."""


SCENERY = SceneryParams()


class Play:
    """A tray without threads, disk and web."""

    def __init__(self, seed, memory=None):
        self.camera = SimulatedCamera(SimulatedCameraParams(seed=seed, scenery=SCENERY), SteppedClock(), memory)
        self.watch = TrayWatch(Reader(None, STANDARD_COLOURS))
        self.state = Empty(Table("push-pool"))
        self.names = []
        self.camera.open()
        self.look(15)

    def look(self, frames):
        for _ in range(frames):
            for event in seen_events(self.watch.see(self.camera.read(1.0))):
                self.state, _ = step(self.state, event)
                self.names.append(type(self.state).__name__)

    def until(self, is_so):
        for _ in range(LONGEST_FRAMES):
            self.look(1)
            if is_so(self.state):
                return self.state
        raise AssertionError(f"after {LONGEST_FRAMES} frames the tray is {self.state}")

    def throw(self, order):
        self.camera.throw(order)
        return self.until(lambda state: isinstance(state, Scored))

    def push(self, hand, seed):
        self.state, _ = step(self.state, PushPressed())
        must_go = {int(die_id) for die_id in self.state.first.outcome.must_reroll}
        places = tuple(die.reading.center_px for die in self.state.first.layout.dice if die.id in must_go)
        self.camera.pick_up_and_rethrow(places, hand, seed)

    def truth(self):
        return Counter((die.colour, die.shows.value) for die in self.camera.truth())


def seen(layout):
    return Counter((die.colour, die.value) for die in layout.dice)


def test_a_roll_whose_push_leaves_a_die_lying_and_is_mended():
    play = Play(seed=5)
    scored = play.throw(ThrowOrder(base=4, skill=2, gear=1, seed=11))
    assert seen(scored.layout) == play.truth()
    assert play.names == ["Empty", "Rolling", "Scored"]
    play.push(Hand.DIE_LEFT_LYING, seed=13)
    wrong = play.until(lambda state: isinstance(state, AwaitingPush) and bool(state.troubles))
    (trouble,) = wrong.troubles
    assert trouble.code == "must_reroll_not_rolled"
    (left_lying,) = trouble.dice
    assert str(left_lying) in scored.outcome.must_reroll
    play.camera.pick_up_and_rethrow((wrong.after.die(left_lying).reading.center_px,), Hand.RIGHT, seed=14)
    resolved = play.until(lambda state: isinstance(state, Resolved))
    assert seen(resolved.layout) == play.truth()
    assert {die.id for die in resolved.layout.dice} == {die.id for die in scored.layout.dice}
    assert set(play.names[3:]) == {"AwaitingPush", "Resolved"}


def test_simulated_dice_lie_there_again_in_the_next_run(tmp_path):
    memory = SimulatedMemory(tmp_path / "dice.json")
    first = Play(seed=5, memory=memory)
    first.throw(ThrowOrder(base=2, skill=1, seed=11))
    again = Play(seed=6, memory=memory)
    assert again.truth() == first.truth()
    assert again.until(lambda state: isinstance(state, Scored)).outcome == first.state.outcome
    (tmp_path / "dice.json").write_text("no dice")
    assert Play(seed=6, memory=memory).truth() == Counter()
