"""The watch over drawn frames with a reader that knows the truth."""

import tracemalloc
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
import pytest

from vision.geometry.camera_move import UNMOVED, CameraMove
from vision.tracking.settle import small_of
from vision.tracking.watch import TrayWatch
from vision.tray.floor import Floor
from vision.types.frame import Frame, ImageBgr
from vision.types.reading import DieReading, Problem, TrayReading, Unread
from vision.types.sighting import DiceLifted, MotionBegan, Rest, Sighting

FPS = 15.0
DIE_PX = 24
SIZE = (640, 480)
Place = tuple[int, int]
Lying = dict[Place, tuple[str, int]]
"""Dice by their places: colour and value."""


@dataclass
class Table:
    """The dice on the table, and the camera over it; it is also the reader, and counts its calls."""

    dice: Lying = field(default_factory=dict)
    hand: tuple[int, int] | None = None
    near: int = 0
    nudge: int = 0
    knock: CameraMove = UNMOVED
    shade: float = 0.0
    problems: tuple[Problem, ...] = ()
    unread: list[Unread | None] = field(default_factory=list)
    overlooked: set[Place] = field(default_factory=set)
    reads: int = 0
    frames: int = 0
    drawn: dict[tuple[Any, ...], ImageBgr] = field(default_factory=dict)

    def image(self) -> ImageBgr:
        """Draw the table once for each of three noises; a long rest shows them in turn."""
        key = (
            tuple(sorted(self.dice.items())),
            self.hand,
            self.near,
            self.nudge,
            tuple(self.knock.parameters),
            self.frames % 3,
        )
        if key not in self.drawn:
            self.drawn[key] = self.draw(np.random.default_rng(self.frames))
        return self.drawn[key]

    def draw(self, rng: np.random.Generator) -> ImageBgr:
        picture = np.full((480, 640, 3), (70, 85, 90), np.int16)
        # Walls, the lamp's shadow on one of them, and the floor.
        picture[26:454, 46 + self.nudge : 594 + self.nudge] = (40, 66, 104)
        picture[32:40, 52 + self.nudge : 588 + self.nudge] = (20, 33, 52)
        picture[40:440, 60 + self.nudge : 580 + self.nudge] = (80, 120, 60)
        for (x, y), (_, value) in self.dice.items():
            picture[y - 12 : y + 12, x - 12 : x + 12] = (30, 200, 230)
            for pip in range(value):
                picture[y - 9 + 3 * pip : y - 7 + 3 * pip, x - 8 : x + 8] = 20
        picture = np.ascontiguousarray(picture)
        if self.hand is not None:
            x, y = self.hand
            for finger in (-30, -10, 10, 30):
                cv2.line(picture, (x + finger, y), (x + finger, y + 90), (150, 180, 220), 17)
            cv2.ellipse(picture, (x, y + 120), (50, 60), 0, 0, 360, (150, 180, 220), -1)
            cv2.rectangle(picture, (x - 30, y + 150), (x + 30, 479), (150, 180, 220), -1)
        if self.near:
            cv2.rectangle(picture, (612, self.near), (639, self.near + 260), (150, 180, 220), -1)
        picture[:, 400:] = picture[:, 400:] * (1.0 - self.shade)
        if self.knock is not UNMOVED:
            turn = self.knock.homography(SIZE)
            warped = cv2.warpPerspective(picture, turn, SIZE, borderMode=cv2.BORDER_REPLICATE)
            picture = np.asarray(warped, np.int16)
        noisy = picture + rng.integers(-3, 4, picture.shape, dtype=np.int16)
        return np.asarray(np.clip(noisy, 0, 255), np.uint8)

    def frame(self) -> Frame:
        self.frames += 1
        return Frame(image_bgr=self.image(), t_s=self.frames / FPS, sequence=self.frames)

    def read(self, image: ImageBgr, known_floor: Floor | None) -> TrayReading:
        self.reads += 1
        unread = self.unread.pop(0) if self.unread else None
        dice = []
        for (x, y), (colour, value) in self.dice.items():
            if (x, y) in self.overlooked:
                continue
            corners = [(x, y), (x - 12, y - 12), (x + 12, y - 12), (x + 12, y + 12), (x - 12, y + 12)]
            places = self.knock.moved(np.array(corners, np.float64), SIZE).tolist()
            center, *quad = ((float(a), float(b)) for a, b in places)
            box = (quad[0][0], quad[0][1], 24.0, 24.0)
            dice.append(DieReading(colour, value, 0.99, unread, center, box, (quad[0], quad[1], quad[2], quad[3])))
        trusted = unread is None and not self.problems
        return TrayReading(image.shape[1], image.shape[0], tuple(dice), self.problems, trusted, 20.0)


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def watch(table: Table) -> TrayWatch:
    return TrayWatch(table)


def see(watch: TrayWatch, table: Table, frames: int) -> dict[int, Sighting]:
    """Show so many frames; return what was sighted, by number of the frame since the call."""
    sightings = {}
    for number in range(1, frames + 1):
        sighting = watch.see(table.frame())
        if sighting is not None:
            sightings[number] = sighting
    return sightings


def throw(watch: TrayWatch, table: Table, dice: Lying, keep: Lying | None = None) -> dict[int, Sighting]:
    """Let dice roll in over five frames and come to rest at given places."""
    seen = {}
    for step in range(5):
        table.dice = (keep or {}) | {(x - 20 * (5 - step), y): face for (x, y), face in dice.items()}
        sighting = watch.see(table.frame())
        if sighting is not None:
            seen[step] = sighting
    table.dice = (keep or {}) | dice
    return seen


def first_rest(seen: dict[int, Sighting]) -> Rest:
    """Return the first sighting, which is a rest."""
    first = next(iter(seen.values()))
    assert isinstance(first, Rest)
    return first


def values(rest: Rest) -> dict[tuple[int, int], int | None]:
    return {(int(die.reading.center_px[0]), int(die.reading.center_px[1])): die.reading.value for die in rest.dice}


def test_an_empty_tray_is_a_rest_announced_once_and_read_twice(watch: TrayWatch, table: Table) -> None:
    seen = see(watch, table, 60)
    assert [type(sighting) for sighting in seen.values()] == [Rest]
    rest = first_rest(seen)
    assert isinstance(rest, Rest)
    assert rest.dice == ()
    assert rest.trusted
    assert table.reads == 2


def test_of_an_empty_tray_every_third_picture_is_looked_at_and_a_throw_is_seen_no_later_than_that(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []

    def small_of_noted(frame: Frame) -> ImageBgr:
        looked.append(frame.sequence)
        return small_of(frame)

    monkeypatch.setattr("vision.tracking.watch.small_of", small_of_noted)
    monkeypatch.setattr(f"{__name__}.FPS", 30.0)
    watch = TrayWatch(table)
    see(watch, table, 30)
    looked.clear()
    see(watch, table, 30)
    assert len(looked) == 10
    table.dice = {(200, 200): ("base", 3)}
    ((number, _),) = see(watch, table, 3).items()
    assert number <= 3
    looked.clear()
    assert len(see(watch, table, 10)) == 1, "the rest is announced"
    see(watch, table, 10)
    assert len(looked) == 20, "dice are looked at in every picture"


def test_a_throw_is_motion_once_then_a_rest_within_six_frames(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    dice = {(200, 200): ("base", 3), (300, 260): ("skill", 6)}
    began = throw(watch, table, dice)
    assert [type(sighting) for sighting in began.values()] == [MotionBegan]
    seen = see(watch, table, 40)
    assert [type(sighting) for sighting in seen.values()] == [Rest]
    number, rest = next(iter(seen)), first_rest(seen)
    assert number <= 6
    assert values(rest) == {(200, 200): 3, (300, 260): 6}
    assert (rest.width_px, rest.height_px) == (640, 480)


def test_nothing_is_read_while_dice_roll(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    before = table.reads
    throw(watch, table, {(300, 200): ("base", 3)})
    assert table.reads == before


def test_a_hand_that_keeps_still_is_no_rest_and_is_seen(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    throw(watch, table, {(200, 200): ("base", 3), (300, 260): ("base", 6)})
    see(watch, table, 10)
    assert not watch.hand_in_view
    reads = table.reads
    table.hand = (300, 150)
    seen = see(watch, table, 60)
    assert [type(sighting) for sighting in seen.values()] == [MotionBegan]
    assert watch.hand_in_view
    assert table.reads == reads
    table.hand = None
    seen = see(watch, table, 10)
    assert [type(sighting) for sighting in seen.values()] == [Rest]
    assert not watch.hand_in_view
    assert [die.moved for die in first_rest(seen).dice] == [False, False]


def test_a_hand_that_rests_next_to_the_tray_is_waited_for_a_second(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    table.near = 120
    throw(watch, table, {(200, 200): ("base", 3)})
    seen = see(watch, table, 60)
    ((number, rest),) = seen.items()
    assert isinstance(rest, Rest)
    assert 15 <= number <= 20
    assert rest.trusted
    assert watch.hand_in_view


def test_what_goes_on_moving_next_to_the_tray_holds_nothing_up_for_long(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    table.near = 100
    throw(watch, table, {(200, 200): ("base", 3)})
    seen = {}
    for number in range(40):
        table.near = 100 + 10 * (number % 5)
        sighting = watch.see(table.frame())
        if sighting is not None:
            seen[number] = sighting
    ((number, rest),) = seen.items()
    assert isinstance(rest, Rest)
    assert 12 <= number <= 22
    assert rest.trusted


def test_a_camera_that_was_nudged_is_got_used_to_once_the_tray_is_empty(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    table.nudge = 30
    seen = see(watch, table, 400)
    rests = [sighting for sighting in seen.values() if isinstance(sighting, Rest)]
    assert rests[-1].trusted
    assert rests[-1].problems == ()
    throw(watch, table, {(200, 200): ("base", 3)})
    seen = see(watch, table, 10)
    assert len(seen) == 1
    assert first_rest(seen).trusted


def test_daylight_that_wanders_through_a_long_rest_is_got_used_to(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    seen = []
    for number in range(300):
        table.shade = number / 600
        seen.append(watch.see(Frame(table.draw(np.random.default_rng(number)), 10.0 + 3.0 * number, 100 + number)))
    assert not any(seen)
    table.frames = 20_000
    throw(watch, table, {(200, 200): ("base", 3)})
    rests = [sighting for sighting in see(watch, table, 6).values() if isinstance(sighting, Rest)]
    assert [rest.trusted for rest in rests] == [True]


def test_a_die_that_the_reader_overlooks_makes_the_rest_unclear(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    table.overlooked = {(300, 260)}
    throw(watch, table, {(200, 200): ("base", 3), (300, 260): ("base", 6)})
    rest = first_rest(see(watch, table, 10))
    assert not rest.trusted
    assert rest.problems == (Problem.FOREIGN_OBJECT,)
    assert [die.reading.value for die in rest.dice] == [3]
    table.overlooked = set()
    again = first_rest(see(watch, table, 60))
    assert again.trusted
    assert sorted(die.reading.value or 0 for die in again.dice) == [3, 6]


def test_a_thing_left_lying_over_the_tray_is_reported_in_the_end_and_ids_outlive_it(
    watch: TrayWatch, table: Table
) -> None:
    see(watch, table, 10)
    throw(watch, table, {(200, 200): ("base", 3), (300, 260): ("base", 6)})
    first = first_rest(see(watch, table, 10))
    table.hand = (300, 150)
    seen = [sighting for sighting in see(watch, table, 180).values() if isinstance(sighting, Rest)]
    assert len(seen) == 1
    assert seen[0].problems == (Problem.FOREIGN_OBJECT,)
    assert not seen[0].trusted
    table.hand = None
    after = [sighting for sighting in see(watch, table, 20).values() if isinstance(sighting, Rest)]
    assert len(after) == 1
    assert after[0].trusted
    assert [(die.id, die.reading.value) for die in after[0].dice] == [(die.id, die.reading.value) for die in first.dice]


def test_a_push_keeps_the_ids_of_what_stayed(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    kept = {(200, 200): ("base", 6)}
    throw(watch, table, kept | {(300, 260): ("base", 3), (400, 300): ("skill", 2)})
    first = {values: die for die in first_rest(see(watch, table, 10)).dice for values in [die.reading.value]}
    table.hand = (350, 200)
    see(watch, table, 8)
    table.hand = None
    table.dice = dict(kept)
    between = [sighting for sighting in see(watch, table, 8).values() if isinstance(sighting, Rest)]
    assert [(die.id, die.moved) for rest in between for die in rest.dice] == [(first[6].id, False)]
    throw(watch, table, {(450, 120): ("base", 1), (250, 350): ("skill", 5)}, keep=kept)
    after = {die.reading.value: die for die in first_rest(see(watch, table, 10)).dice}
    assert {value: die.id for value, die in after.items()} == {6: first[6].id, 1: first[3].id, 5: first[2].id}
    assert {value: die.moved for value, die in after.items()} == {6: False, 1: True, 5: True}


def test_dice_are_reported_as_picked_up_while_the_hand_is_still_over_the_tray(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    throw(watch, table, {(200, 200): ("base", 6), (300, 160): ("base", 3), (420, 130): ("skill", 2)})
    ids = {die.reading.value: die.id for die in first_rest(see(watch, table, 10)).dice}
    table.hand = (300, 170)
    assert [type(one) for one in see(watch, table, 8).values()] == [MotionBegan], "a die under the hand is not lifted"
    table.hand = (420, 140)
    del table.dice[300, 160]
    reported = [*see(watch, table, 8).values()]
    assert [one.ids for one in reported if isinstance(one, DiceLifted)] == [{ids[3]}]
    assert not any(isinstance(one, Rest) for one in reported)
    table.dice[300, 160] = ("base", 3)
    (back,) = see(watch, table, 8).values()
    assert isinstance(back, DiceLifted)
    assert back.ids == set(), "put back as it lay"
    table.hand = None
    del table.dice[420, 130]
    away = [one for one in see(watch, table, 10).values() if isinstance(one, Rest)]
    assert [die.id for die in away[0].dice] == sorted((ids[6], ids[3]))


def test_without_an_empty_tray_to_compare_with_no_die_is_reported_as_picked_up(watch: TrayWatch, table: Table) -> None:
    table.dice = {(200, 200): ("base", 6), (300, 160): ("base", 3)}
    see(watch, table, 10)
    table.hand = (420, 140)
    del table.dice[300, 160]
    assert [type(one) for one in see(watch, table, 8).values()] == [MotionBegan]


def test_an_unclear_rest_is_reported_after_a_short_grace_and_once_more_when_it_clears(
    watch: TrayWatch, table: Table
) -> None:
    see(watch, table, 10)
    table.unread = [Unread.BLURRED] * 5
    throw(watch, table, {(300, 200): ("base", 3)})
    seen = see(watch, table, 120)
    rests = [(number, sighting) for number, sighting in seen.items() if isinstance(sighting, Rest)]
    assert [rest.trusted for _, rest in rests] == [False, True]
    assert rests[0][0] <= 6
    assert rests[0][1].dice[0].id == rests[1][1].dice[0].id
    assert [rest.dice[0].moved for _, rest in rests] == [None, None]


def test_a_rest_that_stays_unclear_is_reported_once_and_read_ever_more_rarely(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    reads = table.reads
    table.unread = [Unread.COCKED] * 1000
    throw(watch, table, {(300, 200): ("base", 3)})
    seen = see(watch, table, 900)
    assert len(seen) == 1
    assert not first_rest(seen).trusted
    assert table.reads - reads <= 12


def test_readings_that_disagree_are_not_trusted(
    watch: TrayWatch, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    see(watch, table, 10)
    throw(watch, table, {(300, 200): ("base", 3)})
    honest = table.read
    turns = iter([3, 5] * 100)

    def fickle(image: ImageBgr, known_floor: Floor | None) -> TrayReading:
        reading = honest(image, known_floor)
        return replace(reading, dice=tuple(replace(die, value=next(turns)) for die in reading.dice))

    monkeypatch.setattr(table, "read", fickle)
    rests = [sighting for sighting in see(watch, table, 60).values() if isinstance(sighting, Rest)]
    assert [rest.trusted for rest in rests] == [False]
    assert rests[0].dice[0].reading.unread is Unread.PIPS_UNCLEAR


def test_an_untouched_die_keeps_its_id_and_has_not_moved_though_it_reads_otherwise(
    watch: TrayWatch, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    see(watch, table, 10)
    throw(watch, table, {(300, 200): ("base", 3), (200, 200): ("base", 6)})
    first = first_rest(see(watch, table, 10))
    honest = table.read

    def mistaken(image: ImageBgr, known_floor: Floor | None) -> TrayReading:
        reading = honest(image, known_floor)
        return replace(reading, dice=tuple(replace(die, value=(die.value or 0) - 1) for die in reading.dice))

    monkeypatch.setattr(table, "read", mistaken)
    table.hand = (500, 250)
    see(watch, table, 8)
    table.hand = None
    again = next(sighting for sighting in see(watch, table, 10).values() if isinstance(sighting, Rest))
    assert [die.id for die in again.dice] == [die.id for die in first.dice]
    assert [die.moved for die in again.dice] == [False, False]


def test_the_reader_is_given_where_the_floor_of_the_empty_tray_was(
    watch: TrayWatch, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    floors: list[Floor | None] = []
    honest = table.read

    def noting(image: ImageBgr, known_floor: Floor | None) -> TrayReading:
        floors.append(known_floor)
        return honest(image, known_floor)

    monkeypatch.setattr(table, "read", noting)
    see(watch, table, 10)
    assert floors == [None, None]
    throw(watch, table, {(300, 200): ("base", 3)})
    see(watch, table, 10)
    assert floors[-1] is not None
    assert floors[-1].distance_px(300, 200) > 0


def test_problems_of_the_picture_travel_along(watch: TrayWatch, table: Table) -> None:
    table.problems = (Problem.NO_TRAY,)
    rest = first_rest(see(watch, table, 20))
    assert rest.problems == (Problem.NO_TRAY,)
    assert not rest.trusted


def test_to_forget_announces_what_lies_there_as_a_first_rest(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    throw(watch, table, {(300, 200): ("base", 3)})
    see(watch, table, 10)
    watch.forget()
    seen = see(watch, table, 20)
    assert len(seen) == 1
    assert [die.id for die in first_rest(seen).dice] == [1]
    assert first_rest(seen).dice[0].moved is None


def test_a_camera_that_changes_its_size_starts_afresh(watch: TrayWatch, table: Table) -> None:
    table.dice = {(300, 200): ("base", 3)}
    first = first_rest(see(watch, table, 10))
    half = np.asarray(cv2.resize(table.image(), (320, 240), interpolation=cv2.INTER_AREA), np.uint8)
    table.dice = {}
    seen = [watch.see(Frame(image_bgr=half, t_s=9.0 + number / FPS, sequence=99 + number)) for number in range(10)]
    rests = [sighting for sighting in seen if isinstance(sighting, Rest)]
    assert [(rest.width_px, [die.id for die in rest.dice]) for rest in rests] == [(320, [])]
    assert len(first.dice) == 1


def test_three_thousand_frames_cost_no_memory(table: Table) -> None:
    watch = TrayWatch(table)
    pictures = [np.asarray(cv2.resize(table.frame().image_bgr, (64, 48)), np.uint8) for _ in range(3)]
    table.hand = (300, 150)
    pictures += [np.asarray(cv2.resize(table.frame().image_bgr, (64, 48)), np.uint8) for _ in range(3)]

    def run(first: int, last: int) -> None:
        for number in range(first, last):
            # Fifty frames of rest, fifty of a hand: every path of the watch, repeatedly.
            picture = pictures[number % 3 + 3 * (number // 50 % 2)]
            watch.see(Frame(image_bgr=picture, t_s=number / FPS, sequence=number))

    run(0, 400)
    tracemalloc.start()
    run(400, 800)
    before = tracemalloc.get_traced_memory()[0]
    run(800, 3_000)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 25_000


class Watching:
    """Reads nothing, and stores its pictures."""

    def __init__(self) -> None:
        self.shown: list[ImageBgr] = []

    def read(self, image_bgr: ImageBgr, _known_floor: object) -> TrayReading:
        self.shown.append(image_bgr.copy())
        return TrayReading(image_bgr.shape[1], image_bgr.shape[0], (), (), trusted=True, elapsed_ms=0.0)


def test_the_watch_reads_the_mean_of_a_rest_and_nothing_of_the_rest_before() -> None:
    reader = Watching()
    watch = TrayWatch(reader)
    rng = np.random.default_rng(7)

    def shows(level: int, number: int) -> Frame:
        noisy = np.clip(rng.normal(level, 4, (480, 640, 3)), 0, 255).astype(np.uint8)
        return Frame(image_bgr=noisy, t_s=number * 0.066, sequence=number)

    for number in range(12):
        watch.see(shows(80, number))
    first = len(reader.shown)
    assert first >= 2
    assert reader.shown[1].std() < 0.85 * reader.shown[0].std(), "the second reading is of two frames' mean"
    for number in range(12, 30):
        frame = shows(80, number)
        frame.image_bgr[200:236, 300:336] = 200
        watch.see(frame)
    assert len(reader.shown) > first
    after = reader.shown[first][205:230, 305:330]
    assert (after == 200).all(), "a new rest begins with its own frame"


def test_a_knocked_camera_is_no_hand_and_leaves_the_dice_their_ids(watch: TrayWatch, table: Table) -> None:
    see(watch, table, 10)
    dice = {(200, 200): ("base", 3), (300, 260): ("skill", 6), (420, 150): ("base", 2)}
    throw(watch, table, dice)
    before = first_rest(see(watch, table, 15))
    for share in (0.4, 1.0):
        table.knock = CameraMove(share * np.array([0.04, -0.06, 0.05, 0.0]))
        watch.see(table.frame())
    after = first_rest(see(watch, table, 8))
    assert not watch.hand_in_view
    assert [(die.id, die.reading.value, die.moved) for die in after.dice] == [
        (die.id, die.reading.value, False) for die in before.dice
    ]
    # The picture of the empty tray went along: nothing foreign lies there, and a die taken out is seen to be gone.
    assert after.trusted
    del table.dice[300, 260]
    table.hand = (300, 200)
    see(watch, table, 6)
    table.hand = None
    taken = first_rest({number: one for number, one in see(watch, table, 15).items() if isinstance(one, Rest)})
    assert {die.id for die in taken.dice} < {die.id for die in before.dice}
    assert taken.trusted
