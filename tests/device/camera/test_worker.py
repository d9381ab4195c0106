"""The camera thread: frames to the watch, faults with growing pauses, the newest picture encoded once."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
import pytest

from device.camera.base import FrameSource
from device.camera.worker import CameraWorker, CameraWorkerParams, RemembersDice
from device.errors import DeviceError, DriverHangs
from device.game.state.events import CameraConnected, CameraFailed, DicePickedUp, DiceSettled, Event, MotionSeen
from vision.types.errors import BadProfile
from vision.types.frame import Frame
from vision.types.reading import DieReading
from vision.types.sighting import DiceLifted, MotionBegan, MotionEnded, Rest, Sighting

PARAMS = CameraWorkerParams(frame_s=0.1, retry_first_s=0.01, max_retry_s=0.04)


def frame(number: int) -> Frame:
    return Frame(np.full((24, 32, 3), number, np.uint8), number / 15, number)


class Script:
    """A camera that plays a script: frames, faults, or its end (None)."""

    name = "script"

    def __init__(self, *takes: Frame | Exception | None) -> None:
        self.takes = list(takes)
        self.opened = self.closed = 0

    def open(self) -> None:
        self.opened += 1

    def read(self, timeout_s: float) -> Frame | None:
        take = self.takes.pop(0) if self.takes else None
        if isinstance(take, Exception):
            raise take
        return take

    def close(self) -> None:
        self.closed += 1


class Watch:
    def __init__(self, sightings: Mapping[int, Sighting] | None = None) -> None:
        self.sightings = dict(sightings or {})
        self.seen: list[int | str | tuple[str, int]] = []

    def see(self, seen: Frame) -> Sighting | None:
        self.seen.append(seen.sequence)
        return self.sightings.get(seen.sequence)

    def glance(self, seen: Frame) -> MotionBegan | MotionEnded | None:
        self.seen.append(("glanced", seen.sequence))
        sighting = self.sightings.get(seen.sequence)
        assert not isinstance(sighting, Rest | DiceLifted)
        return sighting

    def forget(self) -> None:
        self.seen.append("forgot")

    def remember(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading]) -> None:
        self.seen.append(f"knows {sorted(lying)} and {sorted(gone)}")


def run(camera: FrameSource, watch: RemembersDice, **more: Any) -> tuple[CameraWorker, list[Event]]:
    events: list[Event] = []
    worker = CameraWorker(camera, watch, events.append, params=PARAMS, **more)
    worker.start()
    worker._thread.join(5)
    assert not worker._thread.is_alive()
    return worker, events


def test_sightings_become_events_in_order() -> None:
    lifted, rest = DiceLifted(0.05, 2, frozenset({4})), Rest(0.1, 3, 32, 24, (), (), True)
    camera, watch = Script(frame(1), frame(2), frame(3)), Watch({1: MotionBegan(0.0, 1), 2: lifted, 3: rest})
    _, events = run(camera, watch)
    assert events == [CameraConnected(), MotionSeen(), DicePickedUp(frozenset({4})), DiceSettled(rest)]
    assert watch.seen == [1, 2, 3]
    assert (camera.opened, camera.closed) == (1, 1)


def test_a_camera_that_fails_is_opened_again_after_growing_pauses() -> None:
    gone = DeviceError("unplugged: plug it in")
    camera = Script(frame(1), gone, gone, gone, frame(2))
    _, events = run(camera, Watch())
    pauses = [event.retry_in_s for event in events if isinstance(event, CameraFailed)]
    assert pauses == [0.01, 0.02, 0.04]
    assert events[-1] == CameraConnected()
    assert (camera.opened, camera.closed) == (4, 4)


def test_a_good_frame_resets_the_pauses() -> None:
    gone = DeviceError("unplugged: plug it in")
    _, events = run(Script(frame(1), gone, gone, frame(2), gone), Watch())
    assert [event.retry_in_s for event in events if isinstance(event, CameraFailed)] == [0.01, 0.02, 0.01]


def test_whatever_breaks_in_the_watch_is_a_fault_and_no_silence(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Watch):
        def see(self, seen: Frame) -> Sighting | None:
            if seen.sequence == 1:
                raise ZeroDivisionError("oh")
            return super().see(seen)

    _, events = run(Script(frame(1), frame(2)), Broken())
    assert isinstance(events[1], CameraFailed)
    assert "ZeroDivisionError" in events[1].text
    assert events[-1] == CameraConnected()
    assert "Traceback" in caplog.text


def test_a_profile_that_does_not_fit_is_reported_once_until_there_is_another_watch(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Unfit(Watch):
        def see(self, seen: Frame) -> Sighting | None:
            super().see(seen)
            raise BadProfile("another shape: run pushtray calibrate")

    def on_frame(seen: Frame) -> None:
        if seen.sequence == 4:
            worker.watch_with(better)

    events: list[Event] = []
    unfit, better = Unfit(), Watch({5: MotionBegan(0.1, 5)})
    camera = Script(*map(frame, range(1, 6)))
    worker = CameraWorker(camera, unfit, events.append, on_frame=on_frame, params=PARAMS)
    worker.start()
    worker._thread.join(5)
    refused = CameraFailed("another shape: run pushtray calibrate", 0.0, part="profile")
    assert events == [CameraConnected(), refused, CameraConnected(), MotionSeen()]
    assert (unfit.seen, better.seen) == ([1], [4, 5])
    assert (camera.opened, camera.closed) == (1, 1)
    assert "Traceback" not in caplog.text


def alike(sequence: int, number: int, *, noise: bool = True) -> Frame:
    image = np.full((24, 32, 3), number, np.uint8)
    image[20, 5] += noise
    return Frame(image, sequence / 15, sequence)


class Ticking(Script):
    """A camera that takes a second for each picture."""

    def now_s(self) -> float:
        return 100.0 - len(self.takes)


def test_a_camera_that_freezes_is_a_fault_until_it_gives_another_picture() -> None:
    frozen = [alike(number, 7) for number in range(2, 12)]
    camera, watch = Ticking(alike(1, 6), *frozen, alike(12, 8)), Watch()
    _, events = run(camera, watch, is_live=True, now_s=camera.now_s)
    faults = [event for event in events if isinstance(event, CameraFailed)]
    assert [type(event) for event in events] == [CameraConnected, *[CameraFailed] * 5, CameraConnected]
    assert "same picture" in faults[0].text
    assert [event.retry_in_s for event in faults] == [0.01, 0.02, 0.04, 0.04, 0.04], "no page hears that it is back"
    assert watch.seen == [1, 2, 3, 4, 5, 6, 12]
    assert camera.opened == 6


@pytest.mark.parametrize(
    ("frames", "is_live"),
    [
        ([alike(number, 7) for number in range(20)], False),
        ([alike(number, 0, noise=False) for number in range(20)], True),
        ([alike(number, number // 4) for number in range(20)], True),
    ],
    ids=["a recording", "a lens cap", "each but a short while"],
)
def test_pictures_that_may_be_alike(frames: list[Frame], is_live: bool) -> None:
    camera = Ticking(*frames)
    _, events = run(camera, Watch(), is_live=is_live, now_s=camera.now_s)
    assert events == [CameraConnected()]


def test_a_driver_that_hangs_is_reported_once_and_not_tried_again() -> None:
    reported: list[str] = []
    camera = Script(DriverHangs("the driver hangs"), frame(1))
    run(camera, Watch(), on_hang=reported.append)
    assert (reported, camera.opened) == (["the driver hangs"], 1)


def test_the_end_of_a_recording_is_reported_once_and_a_stop_is_none() -> None:
    ended = []
    run(Script(frame(1)), Watch(), on_end=lambda: ended.append(True))
    assert ended == [True]
    stopped = CameraWorker(Script(frame(1)), Watch(), lambda _: None, on_end=lambda: ended.append(True), params=PARAMS)
    stopped.stop()
    stopped.start()
    stopped._thread.join(5)
    assert ended == [True]


@contextmanager
def forgotten_at_frame_2(watch: Watch) -> Iterator[CameraWorker]:
    """A worker at the second of three frames that has just been told to forget; it continues when left."""
    first_seen, go_on = threading.Event(), threading.Event()

    def on_frame(seen: Frame) -> None:
        if seen.sequence == 2:
            first_seen.set()
            go_on.wait(5)

    worker = CameraWorker(Script(frame(1), frame(2), frame(3)), watch, lambda _: None, on_frame=on_frame, params=PARAMS)
    worker.start()
    first_seen.wait(5)
    worker.forget()
    yield worker
    go_on.set()
    worker._thread.join(5)


def test_forgetting_comes_before_the_next_frame() -> None:
    watch = Watch()
    with forgotten_at_frame_2(watch):
        pass
    assert watch.seen == [1, "forgot", 2, 3]


@pytest.mark.parametrize("report_again", [True, False])
def test_dice_are_known_again_before_the_next_frame(report_again: bool) -> None:
    watch = Watch()
    known: Any = {1: "a die"}
    with forgotten_at_frame_2(watch) as worker:
        assert worker.recall(known, {}, report_again=report_again) == 2, "frame 2 may have been seen without them"
    assert watch.seen == [1, "forgot", *(["forgot"] if report_again else []), "knows [1] and []", 2, 3]


def test_no_order_of_five_threads_is_lost_and_the_cameras_thread_carries_them_all_out() -> None:
    orders_each, last = 2000, -1
    remembered, forgets, threads, at_end = list[int](), [0], set[str](), threading.Event()

    class Endless(Script):
        def read(self, timeout_s: float) -> Frame | None:
            return None if at_end.is_set() else frame(0)

    class Recording(Watch):
        def see(self, seen: Frame) -> Sighting | None:
            return None

        def forget(self) -> None:
            threads.add(threading.current_thread().name)
            forgets[0] += 1

        def remember(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading]) -> None:
            threads.add(threading.current_thread().name)
            remembered.extend(lying)
            if last in lying:
                at_end.set()

    worker = CameraWorker(Endless(), Recording(), lambda _: None, params=PARAMS)

    def order(die: int) -> None:
        known: Any = {die: "a die"}
        worker.recall(known, {}, report_again=False)
        worker.forget()

    def order_all(first: int) -> None:
        for die in range(first, first + orders_each, 2):
            order(die)

    callers = [threading.Thread(target=order_all, args=(orders_each * number,)) for number in range(5)]
    for one in callers:
        one.start()
    worker.start()
    for one in callers:
        one.join()
    order(last)
    at_end.wait(30)
    worker.stop()
    assert sorted(remembered) == [last, *range(0, 5 * orders_each, 2)]
    assert forgets == [5 * orders_each // 2 + 1]
    assert threads == {"camera"}


def test_frames_that_our_own_light_spoils_are_only_glanced_at_and_may_end_that_light() -> None:
    watch = Watch({2: MotionBegan(0.1, 2), 3: MotionEnded(0.2, 3)})
    camera = Script(*map(frame, range(1, 6)))
    calm_at: list[int | str | tuple[str, int]] = []
    worker, events = run(
        camera,
        watch,
        is_coloured_light_on=lambda: not calm_at and len(camera.takes) < 4,
        on_calm=lambda: calm_at.append(watch.seen[-1]),
    )
    assert watch.seen == [1, ("glanced", 2), ("glanced", 3), 4, 5]
    assert events == [CameraConnected(), MotionSeen()]
    assert calm_at == [("glanced", 3)]
    assert worker.newest is not None
    assert worker.newest.sequence == 5


def test_the_newest_picture_is_packed_once() -> None:
    worker, _ = run(Script(frame(7)), Watch())
    picture = worker.picture()
    assert picture is not None
    assert picture.sequence == 7
    assert worker.picture() is picture
    pixels = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    assert pixels.shape == (24, 32, 3)
    assert int(pixels[0, 0, 0]) == pytest.approx(7, abs=2)


def test_the_picture_that_was_read_outlives_later_frames() -> None:
    worker, _ = run(Script(*map(frame, range(1, 4))), Watch({2: Rest(0.2, 2, 32, 24, (), (), trusted=True)}))
    read = worker.read_picture()
    assert read is not None
    assert read.sequence == 2
    assert worker.read_picture() is read
    assert worker.read is not None
    assert worker.read.sequence == 2
    unread, _ = run(Script(frame(7)), Watch())
    assert unread.read_picture() is not None, "before the first reading the newest"


def test_before_the_first_frame_there_is_no_picture() -> None:
    worker, _ = run(Script(), Watch())
    assert worker.picture() is None
    assert worker.read_picture() is None
