"""The watch under the ring's own light: blinking arcs on a drawn tray, taken line by line by a rolling shutter."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
import pytest

from device.game.lamps import Pattern, PatternParams
from device.ring.plan import RingDie, RingParams, RingPlan, RingView, Stretch, Wanted, led_positions_mm, plan_ring
from device.simulation.hand import HandPainter, HandParams, HandPath, HandPlace, path_over
from device.simulation.scenery import SceneryParams, die_look, scenery
from tests.drawing import draw
from vision.pipeline.reader import Reader
from vision.rendering.optics import project
from vision.rendering.scene import DiePose
from vision.tracking.watch import TrayWatch
from vision.types.frame import Frame
from vision.types.sighting import MotionBegan, MotionEnded, Rest

RING = RingParams(leds=56, size_mm=(268.0, 208.0))
RHYTHM = PatternParams()
LED_MM = 20.0
"""Height of the ring above the floor."""
SHUTTER_S = 0.01
READOUT_S = 0.03
"""From the first line to the last: a sensor of the Raspberry Pi at 30 frames a second takes as long."""
FPS = 15.0
PLACES = ((-80.0, -50.0), (0.0, 40.0), (70.0, -20.0), (-60.0, 55.0), (95.0, 55.0))
MUST_GO = PLACES[:3]


@dataclass(frozen=True)
class Studio:
    """A tray with five dice in the room's light, and the added light of the ring's LEDs."""

    scene: Any
    hand: HandPainter
    reach: Any
    """Shape (LEDs, h / 8, w / 8): light of each LED on the floor; together they are 1 in the middle."""
    shares: dict[tuple[Stretch, ...], dict[Pattern, Any]] = field(default_factory=dict)

    def picture(self, t_s: float, plan: RingPlan, room: float, hand: HandPlace | None = None) -> Any:
        """Shape (H, W, 3), taken from `t_s` on; `room` is the room's share of the light."""
        scene = self.scene.copy()
        if hand is not None:
            self.hand.paint(scene, hand, SHUTTER_S)
        light = np.full(scene.shape, room, np.float32)
        for pattern, share in self._shares(plan).items():
            rows_s = t_s + np.linspace(0.0, READOUT_S, scene.shape[0])[:, None] + np.linspace(0.0, SHUTTER_S, 5)
            rate_hz = RHYTHM.slow_hz if pattern is Pattern.SLOW else RHYTHM.fast_hz
            lit = ((rows_s * rate_hz) % 1.0 < RHYTHM.on_fraction).mean(axis=1).astype(np.float32)
            light += share if pattern is Pattern.STEADY else lit[:, None, None] * share
        noise = np.random.default_rng(int(t_s * 1000)).integers(-3, 4, scene.shape, dtype=np.int8)
        return np.clip(scene * light + noise, 0, 255).astype(np.uint8)

    def _shares(self, plan: RingPlan) -> dict[Pattern, Any]:
        """Return the light of the LEDs of each rhythm, shape (H, W, 3)."""
        if plan.stretches not in self.shares:
            rgb = np.zeros((RING.leds, 3))
            patterns = [Pattern.STEADY] * RING.leds
            for one in plan.stretches:
                rgb[one.start : one.stop] = one.rgb
                patterns[one.start : one.stop] = [one.pattern] * (one.stop - one.start)
            bgr = rgb[:, ::-1] / 255.0
            size = (self.scene.shape[1], self.scene.shape[0])
            self.shares[plan.stretches] = {
                pattern: cv2.resize(
                    np.einsum("lhw,lc->hwc", self.reach, bgr * np.array([[one is pattern] for one in patterns])).astype(
                        np.float32
                    ),
                    size,
                )
                for pattern in set(patterns)
            }
        return self.shares[plan.stretches]


def studio_of(width_px: int) -> Studio:
    empty = scenery(SceneryParams(width_px=width_px, height_px=width_px * 3 // 4))
    dice = tuple(
        DiePose(die_look(colour, 16.0, number), np.array([*place, 8.0]), np.eye(3))
        for number, (colour, place) in enumerate(
            zip(("yellow", "yellow", "green", "green", "black"), PLACES, strict=True)
        )
    )
    rows, columns = np.mgrid[4 : empty.camera.height_px : 8, 4 : empty.camera.width_px : 8]
    ends = project(empty.camera, np.array([[-100.0, -100.0, 0.0], [100.0, 100.0, 0.0]]))
    x_mm = -100.0 + 200.0 * (columns - ends[0, 0]) / (ends[1, 0] - ends[0, 0])
    y_mm = -100.0 + 200.0 * (rows - ends[0, 1]) / (ends[1, 1] - ends[0, 1])
    reach = np.stack([1.0 / ((x_mm - x) ** 2 + (y_mm - y) ** 2 + LED_MM**2) for x, y in led_positions_mm(RING)])
    middle = reach[:, reach.shape[1] // 2, reach.shape[2] // 2].sum()
    return Studio(draw(replace(empty, dice=dice)), HandPainter(empty.camera, HandParams()), reach / middle)


@pytest.fixture(scope="module")
def small() -> Studio:
    return studio_of(320)


POINTED = tuple(RingDie(place, Wanted.PICK if place in MUST_GO else Wanted.KEEP) for place in PLACES)
POINTING = plan_ring(RingView("awaiting_push", dice=POINTED), RING)
CHEER = plan_ring(RingView("scored", success=True), RING)
TRAUMA = plan_ring(RingView("resolved", harm=True), RING)
WHITE = plan_ring(RingView("empty"), RING)


class Evening:
    """Sends frames one after another to a watch whose readings are counted."""

    def __init__(self, studio: Studio, begins_s: float = 0.0, room: float = 0.2) -> None:
        self.studio, self.room, self.t_s, self.number = studio, room, begins_s, 0
        self.reads = 0
        self.reader = Reader(None)
        self.watch = TrayWatch(self)

    def read(self, image: Any, known_floor: Any) -> Any:
        self.reads += 1
        return self.reader.read(image, known_floor)

    def go_on(self, seconds: float, plan: RingPlan, hand: HandPath | None = None) -> list[tuple[float, Any]]:
        """Return what is sighted, and when, counted from now; the hand starts at once."""
        look: Callable[[Frame], Any] = self.watch.glance if plan.disturbs_reading else self.watch.see
        begins_s, sighted = self.t_s, []
        while self.t_s - begins_s < seconds:
            place = None if hand is None else hand.at(self.t_s - begins_s)
            self.number += 1
            seen = look(Frame(self.studio.picture(self.t_s, plan, self.room, place), self.t_s, self.number))
            if seen is not None:
                sighted.append((self.t_s - begins_s, seen))
            self.t_s += 1.0 / FPS
        return sighted


@pytest.mark.parametrize("plan", [POINTING, CHEER, TRAUMA], ids=["pointing", "success", "trauma"])
@pytest.mark.parametrize("room", [0.0, 0.3])
def test_light_that_blinks_is_no_motion(small: Studio, plan: RingPlan, room: float) -> None:
    for phase_s in (0.0, 0.25, 0.5):
        evening = Evening(small, phase_s, room)
        evening.watch.glance(Frame(small.picture(phase_s, WHITE, room), phase_s, 0))
        assert evening.go_on(2.0, plan) == []


@pytest.mark.parametrize(
    ("plan", "room"),
    [(POINTING, 0.0), (POINTING, 0.3), (TRAUMA, 0.2), (CHEER, 0.5)],
    ids=["pointing in the dark", "pointing", "trauma", "success"],
)
def test_hand_under_that_light_is_noticed_at_once_and_its_going_too(small: Studio, plan: RingPlan, room: float) -> None:
    path = path_over(MUST_GO, HandParams())
    for phase_s in (0.0, 0.25, 0.5):
        evening = Evening(small, phase_s, room)
        evening.go_on(0.5, plan)
        (began_s, began), (ended_s, ended) = evening.go_on(3.0, plan, path)
        assert isinstance(began, MotionBegan)
        assert began_s < 0.45, "three frames after it came into the picture, which takes it 0.15 s"
        assert isinstance(ended, MotionEnded)
        assert path.times_s[-1] < ended_s < path.times_s[-1] + 0.6
        assert evening.reads == 0


def test_coloured_light_leaves_no_trace_and_a_hand_under_it_is_followed_by_a_rest_in_white() -> None:
    evening = Evening(studio_of(960))
    ((_, first),) = evening.go_on(1.0, WHITE)
    assert isinstance(first, Rest)
    assert len(first.dice) == len(PLACES)
    reads = evening.reads
    assert evening.go_on(1.5, POINTING) == []
    assert evening.go_on(0.5, WHITE) == [], "white again as before: nothing has moved"
    reported = evening.go_on(2.2, POINTING, path_over(MUST_GO, HandParams()))
    assert [type(sighting) for _, sighting in reported] == [MotionBegan, MotionEnded]
    assert evening.reads == reads, "nothing is read in coloured light"
    ((after_s, again),) = evening.go_on(1.0, WHITE)
    assert isinstance(again, Rest)
    assert after_s < 0.4
    assert [(die.id, die.moved) for die in again.dice] == [(die.id, False) for die in first.dice]
