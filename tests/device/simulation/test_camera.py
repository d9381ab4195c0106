import copy
import functools
import math
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from device.errors import BadInput, DeviceError
from device.game.throw_orders import HandAction, MendOrder, SimulatedThrow, ThrowRefusal, ThrowRefused
from device.message import message
from device.simulation.camera import SimulatedCamera, SimulatedCameraParams, TrueDie
from device.simulation.memory import KeptDie, SimulatedMemory
from device.simulation.scenery import DICE_COLOURS, SceneryParams
from tests.device.simulation.drawn_once import trays_drawn_once
from tests.stepped_clock import SteppedClock
from vision.types.frame import Frame

SMALL = SceneryParams(width_px=320, height_px=240)


@pytest.fixture(scope="module", autouse=True)
def _trays_drawn_once() -> Iterator[None]:
    with trays_drawn_once():
        yield


def camera_of(seed: int = 1, fps: float = 15.0) -> SimulatedCamera:
    camera = SimulatedCamera(SimulatedCameraParams(seed=seed, fps=fps, scenery=SMALL), SteppedClock())
    camera.open()
    return camera


def read(camera: SimulatedCamera) -> Frame:
    frame = camera.read(1.0)
    assert frame is not None
    return frame


def until_still(camera: SimulatedCamera, frames: int = 150) -> list[Frame]:
    """Yield every frame until nothing moves."""
    seen = []
    for _ in range(frames):
        seen.append(read(camera))
        if not camera.is_busy:
            return seen
    raise AssertionError(f"the tray still moves after {frames} frames")


def faces(dice: tuple[TrueDie, ...]) -> dict[int, tuple[str, int]]:
    return {die.number: (die.colour, die.shows.value) for die in dice}


def places(dice: tuple[TrueDie, ...]) -> dict[int, tuple[float, ...]]:
    return {die.number: tuple(die.pose.center_mm) for die in dice}


def moved(before: tuple[TrueDie, ...], after: tuple[TrueDie, ...]) -> set[int]:
    old, new = places(before), places(after)
    return {number for number in old if number not in new or old[number] != new[number]}


def test_frames_have_the_size_the_rate_and_rising_numbers() -> None:
    camera = camera_of(fps=10.0)
    frames = [read(camera) for _ in range(4)]
    assert [frame.sequence for frame in frames] == [0, 1, 2, 3]
    assert np.allclose(np.diff([frame.t_s for frame in frames]), 0.1)
    assert frames[0].image_bgr.shape == (240, 320, 3)
    assert frames[0].image_bgr.dtype == np.uint8


def test_an_empty_tray_is_still_but_for_noise() -> None:
    camera = camera_of()
    first, second = (read(camera).image_bgr.astype(int) for _ in range(2))
    assert not np.array_equal(first, second)
    assert np.abs(first - second).mean() < 4.0


def test_thrown_dice_are_the_ordered_ones_and_show_in_the_picture() -> None:
    camera = camera_of()
    empty = read(camera).image_bgr
    camera.throw(SimulatedThrow(3, 2, 1, seed=5))
    frames = until_still(camera)
    dice = camera.truth()
    assert sorted(die.colour for die in dice) == ["base"] * 3 + ["gear"] + ["skill"] * 2
    assert 1 <= min(die.shows.value for die in dice) <= max(die.shows.value for die in dice) <= 6
    last = read(camera).image_bgr
    for die in dice:
        x, y = (round(v) for v in die.shows.center_px)
        patch = np.s_[y - 5 : y + 6, x - 5 : x + 6]
        assert np.abs(last[patch].astype(int) - empty[patch]).mean() > 20.0
    assert 10 <= len(frames) <= 45


def test_a_seeded_throw_is_the_same_at_any_frame_rate_and_after_any_evening() -> None:
    fast, slow = camera_of(seed=1, fps=30.0), camera_of(seed=2, fps=7.0)
    slow.throw(SimulatedThrow(2, 0, 0))
    until_still(slow)
    slow.clear()
    until_still(slow)
    for camera in (fast, slow):
        camera.throw(SimulatedThrow(4, 1, 1, seed=9))
        until_still(camera)
    assert [die.shows for die in fast.truth()] == [die.shows for die in slow.truth()]


def test_a_seeded_camera_repeats_an_evening_of_unseeded_throws() -> None:
    evenings = []
    for _ in range(2):
        camera = camera_of(seed=4)
        shown = []
        for _ in range(2):
            camera.throw(SimulatedThrow(3, 0, 0))
            until_still(camera)
            shown.append([die.shows for die in camera.truth()])
        assert shown[0] != shown[1]
        evenings.append(shown)
    assert evenings[0] == evenings[1]


def test_unseeded_cameras_differ() -> None:
    shown = []
    for _ in range(2):
        camera = SimulatedCamera(SimulatedCameraParams(scenery=SMALL), SteppedClock())
        camera.open()
        camera.throw(SimulatedThrow(6, 0, 0))
        until_still(camera)
        shown.append([die.shows.center_px for die in camera.truth()])
    assert shown[0] != shown[1]


def test_a_new_throw_sweeps_the_old_dice_out() -> None:
    camera = camera_of()
    camera.throw(SimulatedThrow(3, 0, 0, seed=1))
    until_still(camera)
    old = set(places(camera.truth()))
    camera.throw(SimulatedThrow(0, 2, 0, seed=2))
    until_still(camera)
    dice = camera.truth()
    assert [die.colour for die in dice] == ["skill", "skill"]
    assert not old & set(places(dice))


Thrown = Callable[[SimulatedThrow], SimulatedCamera]


@pytest.fixture(scope="module")
def thrown() -> Thrown:
    """Return a camera with thrown dice at rest; each call returns another, thrown only once."""

    @functools.cache
    def play(order: SimulatedThrow) -> SimulatedCamera:
        camera = camera_of()
        camera.throw(order)
        until_still(camera)
        return camera

    def copied(order: SimulatedThrow) -> SimulatedCamera:
        camera = play(order)
        return copy.deepcopy(camera, {id(camera._lock): threading.Lock()})

    return copied


Push = Callable[[HandAction], tuple[SimulatedCamera, tuple[TrueDie, ...], set[int]]]


@pytest.fixture(name="pushed")
def pushed_fixture(thrown: Thrown) -> Push:
    """A camera with six dice, three of them picked up and thrown again by this hand; the dice before; the three."""

    def push(hand: HandAction) -> tuple[SimulatedCamera, tuple[TrueDie, ...], set[int]]:
        camera = thrown(SimulatedThrow(4, 1, 1, seed=3))
        before = camera.truth()
        chosen = before[:3]
        camera.pick_up_and_rethrow(tuple(die.shows.center_px for die in chosen), hand, 8)
        until_still(camera)
        return camera, before, {die.number for die in chosen}

    return push


def test_the_right_hand_rethrows_exactly_what_it_should(pushed: Push) -> None:
    camera, before, chosen = pushed(HandAction.RIGHT)
    after = camera.truth()
    assert set(faces(after)) == set(faces(before))
    assert chosen <= moved(before, after)
    assert all(faces(after)[number][0] == colour for number, (colour, _) in faces(before).items())


def test_a_locked_die_rerolled_leaves_its_place_too(pushed: Push) -> None:
    camera, before, chosen = pushed(HandAction.LOCKED_DIE_REROLLED)
    after = camera.truth()
    assert set(faces(after)) == set(faces(before))
    locked = moved(before, after) - chosen
    far_mm = [float(np.hypot(*np.subtract(places(after)[n], places(before)[n])[:2])) for n in locked]
    assert max(far_mm) > 16.0


def test_a_die_left_lying_keeps_its_face_and_all_dice_are_there(pushed: Push) -> None:
    camera, before, chosen = pushed(HandAction.DIE_LEFT_LYING)
    after = camera.truth()
    assert set(faces(after)) == set(faces(before))
    assert len(chosen - moved(before, after)) <= 1
    assert any(faces(after)[number] == faces(before)[number] for number in chosen)


def test_a_missing_die_is_one_of_those_picked_up(pushed: Push) -> None:
    camera, before, chosen = pushed(HandAction.DIE_MISSING)
    gone = set(faces(before)) - set(faces(camera.truth()))
    assert len(gone) == 1
    assert gone <= chosen


def test_one_die_too_many_comes_in_and_all_others_stay(pushed: Push) -> None:
    camera, before, chosen = pushed(HandAction.DIE_ADDED)
    new = set(faces(camera.truth())) - set(faces(before))
    assert len(new) == 1
    assert {faces(camera.truth())[number][0] for number in new} <= {faces(before)[number][0] for number in chosen}
    assert set(faces(before)) < set(faces(camera.truth()))


def test_a_die_exchanged_is_of_another_colour(pushed: Push) -> None:
    camera, before, chosen = pushed(HandAction.DIE_EXCHANGED)
    (gone,) = set(faces(before)) - set(faces(camera.truth()))
    (new,) = set(faces(camera.truth())) - set(faces(before))
    assert gone in chosen
    assert faces(before)[gone][0] != faces(camera.truth())[new][0]


def test_dice_are_turned_where_they_lie_with_a_hand_in_view(thrown: Thrown) -> None:
    camera = thrown(SimulatedThrow(3, 1, 0, seed=3))
    before = camera.truth()
    wanted = {die.number: 7 - die.shows.value for die in before[:2]}
    pictures = [read(camera).image_bgr.astype(int)]
    camera.mend(MendOrder(turned=tuple((die.shows.center_px, wanted[die.number]) for die in before[:2])), None)
    pictures += [frame.image_bgr for frame in until_still(camera)]
    assert max(float((np.abs(picture - pictures[0]).max(axis=2) > 30).mean()) for picture in pictures) > 0.1
    after = camera.truth()
    assert {number: value for number, (_, value) in faces(after).items() if number in wanted} == wanted
    assert moved(before, after) == set(wanted)
    for number, place in places(after).items():
        assert np.linalg.norm(np.subtract(place, places(before)[number])) < 16.0


def test_dice_are_taken_out_thrown_again_and_thrown_in(thrown: Thrown) -> None:
    camera = thrown(SimulatedThrow(3, 1, 0, seed=3))
    out, again, *_ = before = camera.truth()
    order = MendOrder(taken=(out.shows.center_px,), rethrown=(again.shows.center_px,), thrown_in=("gear", "gear"))
    camera.mend(order, 4)
    until_still(camera)
    after = faces(camera.truth())
    assert out.number not in after
    assert again.number in moved(before, camera.truth())
    assert sorted(colour for number, (colour, _) in after.items() if number not in faces(before)) == ["gear", "gear"]


def test_a_die_is_laid_flat_and_what_lay_on_it_falls(tmp_path: Path) -> None:
    """A die leans on the left wall, another lies across it and a third."""
    memory = SimulatedMemory(tmp_path / "dice.json")
    tilt = math.radians(35.0)
    leaning = np.array([[math.cos(tilt), 0, math.sin(tilt)], [0, 1, 0], [-math.sin(tilt), 0, math.cos(tilt)]])
    memory.save(
        (
            KeptDie("base", 0, np.array([-118.9, 0.0, 11.1]), leaning),
            KeptDie("skill", 0, np.array([0.0, 0.0, 8.0]), np.eye(3)),
            KeptDie("gear", 0, np.array([5.0, 0.0, 24.0]), np.eye(3)),
        )
    )
    params = SimulatedCameraParams(seed=1, scenery=SMALL)
    camera = SimulatedCamera(params, SteppedClock(), memory)
    camera.open()
    base, skill, gear = camera.truth()
    assert (base.shows.cocked, gear.pose.center_mm[2]) == (True, 24.0)
    camera.mend(MendOrder(taken=(skill.shows.center_px,)), None)
    until_still(camera)
    base, gear = camera.truth()
    assert gear.colour == "gear"
    assert gear.pose.center_mm[2] == pytest.approx(8.0, abs=0.3)
    value = base.shows.value
    camera.mend(MendOrder(flattened=(base.shows.center_px,)), None)
    until_still(camera)
    base = camera.truth()[0]
    assert (base.shows.value, base.shows.cocked) == (value, False)


def test_clear_empties_the_tray_with_a_hand_in_view() -> None:
    camera = camera_of()
    empty = read(camera).image_bgr.astype(int)
    camera.throw(SimulatedThrow(3, 1, 0, seed=3))
    until_still(camera)
    camera.clear()
    frames = until_still(camera)
    assert camera.truth() == ()
    changed = [float((np.abs(frame.image_bgr - empty).max(axis=2) > 30).mean()) for frame in frames]
    assert max(changed) > 0.1
    assert np.abs(read(camera).image_bgr - empty).mean() < 4.0


def test_orders_are_refused_while_something_moves_and_change_nothing() -> None:
    camera = camera_of()
    camera.throw(SimulatedThrow(2, 0, 0, seed=3))
    read(camera)
    orders: list[Callable[[], None]] = [
        lambda: camera.throw(SimulatedThrow(1)),
        lambda: camera.pick_up_and_rethrow(((10.0, 10.0),), HandAction.RIGHT, None),
        lambda: camera.mend(MendOrder(thrown_in=("base",)), None),
        camera.clear,
    ]
    for order in orders:
        with pytest.raises(ThrowRefused) as refused:
            order()
        assert refused.value.reason is ThrowRefusal.TRAY_BUSY
    until_still(camera)
    assert len(camera.truth()) == 2


def test_what_no_hand_can_do_is_refused_with_its_reason() -> None:
    camera = camera_of()
    camera.throw(SimulatedThrow(1, 0, 0, seed=3))
    until_still(camera)
    only = camera.truth()[0].shows.center_px
    cases = [
        (((2.0, 2.0),), HandAction.RIGHT, ThrowRefusal.NO_DIE_THERE),
        ((), HandAction.RIGHT, ThrowRefusal.NO_DIE_THERE),
        ((only,), HandAction.LOCKED_DIE_REROLLED, ThrowRefusal.NO_DIE_TO_SPARE),
        ((only,), HandAction.DIE_LEFT_LYING, ThrowRefusal.NO_DIE_TO_SPARE),
        ((only,), HandAction.DIE_MISSING, ThrowRefusal.NO_DIE_TO_SPARE),
    ]
    for centers, hand, reason in cases:
        with pytest.raises(ThrowRefused) as refused:
            camera.pick_up_and_rethrow(centers, hand, None)
        assert refused.value.reason is reason
    with pytest.raises(ThrowRefused, match=r"no die lies at pixel \(2, 2\)"):
        camera.mend(MendOrder(flattened=(only,), taken=((2.0, 2.0),)), None)
    with pytest.raises(BadInput, match="no colour is given for 'wild' dice"):
        camera.mend(MendOrder(thrown_in=("wild",)), None)
    assert not camera.is_busy


def test_dice_of_one_colour_cannot_be_exchanged() -> None:
    camera = SimulatedCamera(SimulatedCameraParams(seed=1, colours={"base": "yellow"}, scenery=SMALL), SteppedClock())
    camera.open()
    camera.throw(SimulatedThrow(2, seed=3))
    until_still(camera)
    with pytest.raises(ThrowRefused, match="one colour only"):
        camera.pick_up_and_rethrow((camera.truth()[0].shows.center_px,), HandAction.DIE_EXCHANGED, None)


def test_clearing_an_empty_tray_does_nothing() -> None:
    camera = camera_of()
    camera.clear()
    assert not camera.is_busy


def test_bad_orders_and_settings_say_what_and_the_cure() -> None:
    with pytest.raises(BadInput, match="-1 gear dice cannot be thrown: give 0 or more"):
        SimulatedThrow(1, 0, -1)
    for base in (0, 21):
        with pytest.raises(BadInput) as refused:
            SimulatedThrow(base)
        assert refused.value.args[0] == message("tray.refused.throw_number", dice=base, most=20)
    with pytest.raises(BadInput, match="seed -1 is negative"):
        SimulatedThrow(1, seed=-1)
    with pytest.raises(BadInput, match="no die is called 'mauve'"):
        SimulatedCamera(SimulatedCameraParams(colours={"base": "mauve"}))
    with pytest.raises(BadInput, match="0 frames a second"):
        SimulatedCamera(SimulatedCameraParams(fps=0.0))
    with pytest.raises(BadInput, match="choose one of rectangle, round"):
        SimulatedCamera(SimulatedCameraParams(scenery=SceneryParams(shape="heart")))
    with pytest.raises(BadInput, match="no colour is given for 'wild' dice"):
        camera_of().throw(SimulatedThrow(1, others=(("wild", 1),)))


def test_a_closed_camera_gives_no_frames_and_opens_again_with_its_dice() -> None:
    camera = SimulatedCamera(SimulatedCameraParams(seed=1, scenery=SMALL), SteppedClock())
    with pytest.raises(DeviceError, match="open it first"):
        camera.read(1.0)
    camera.open()
    camera.throw(SimulatedThrow(2, 0, 0))
    until_still(camera)
    camera.close()
    camera.close()
    with pytest.raises(DeviceError, match="open it first"):
        camera.read(1.0)
    camera.open()
    assert len(camera.truth()) == 2
    assert read(camera).image_bgr.shape == (240, 320, 3)


def test_another_colour_class_is_thrown_in_its_colour() -> None:
    params = SimulatedCameraParams(seed=1, colours={"base": "white", "wild": "red"}, scenery=SMALL)
    camera = SimulatedCamera(params, SteppedClock())
    camera.open()
    camera.throw(SimulatedThrow(1, others=(("wild", 1),), seed=2))
    until_still(camera)
    assert sorted(die.colour for die in camera.truth()) == ["base", "wild"]
    bodies = {die.colour: die.pose.look.body_bgr for die in camera.truth()}
    assert bodies == {"base": DICE_COLOURS["white"][0], "wild": DICE_COLOURS["red"][0]}


@pytest.mark.parametrize("look_seed", [1, 2])
def test_a_look_seed_gives_another_tray(look_seed: int) -> None:
    plain = camera_of()
    other = SimulatedCamera(
        SimulatedCameraParams(seed=1, scenery=SceneryParams(320, 240, look_seed=look_seed)), SteppedClock()
    )
    other.open()
    assert np.abs(read(plain).image_bgr.astype(int) - read(other).image_bgr).mean() > 8.0


def test_every_die_of_a_throw_lies_in_the_picture() -> None:
    camera = camera_of()
    camera.throw(SimulatedThrow(20, seed=1))
    until_still(camera)
    for die in camera.truth():
        x, y, wide, high = die.shows.box_px
        assert x > 0
        assert y > 0
        assert x + wide < 320
        assert y + high < 240
