"""A tray under a camera, watched: reports when dice begin to move and, once everything lies still, what lies there.

settle -> hand? -> read two or three frames -> agree -> track. A frame costs a millisecond or two; only the frames of a
rest just begun are read, and of an unclear rest a few more, ever rarer. Under coloured light nothing is read: its
frames are glanced at.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from vision.imaging.frame_mean import FrameMean
from vision.tracking.agree import AgreeParams, agree, median_edge_px
from vision.tracking.glance import Glance, GlanceParams, Glimpse
from vision.tracking.hand import Hand
from vision.tracking.lifted import LiftedDice, LiftedParams
from vision.tracking.settle import SettleDetector, SettleParams, small_of
from vision.tracking.track import Tracker, TrackParams
from vision.tracking.tray_memory import MemoryParams, TrayMemory
from vision.tray.floor import Floor
from vision.types.frame import Frame, ImageBgr
from vision.types.reading import DieReading, Problem, TrayReading
from vision.types.sighting import DiceLifted, MotionBegan, MotionEnded, Rest, Sighting, TrackedDie


class ReadsTray(Protocol):
    """What the watch needs of a reader."""

    def read(self, image_bgr: ImageBgr, known_floor: Floor | None, /) -> TrayReading:
        """Read one picture, shape (H, W, 3), with the floor where it was known to be where none is found in it."""
        ...


@dataclass(frozen=True, slots=True)
class WatchParams:
    """What the watch trades.

    Attributes:
        settle_s: Stillness before the first frame is read. Dice on edge pause for less.
        agree_s: Stillness before a rest is announced; the frames between are read until enough agree.
        readings: Number of frames of a rest that must be read before it is announced.
        grace_s: Stillness after which a rest is announced although it is unclear.
        again_s: Pause before an unclear rest is read once more; doubles each time.
        again_readings: Number of times that an unclear rest is read once more.
        kept_readings: Number of the newest readings that vote.
        hand_patience_s: Seconds after which a hand, or what looks like one, that lies still is announced as a foreign
            object.
        beside_patience_s: Seconds for which a hand beside the tray, moving or still, is waited for.
        settle: Parameters of stillness, see `SettleParams`.
        glance: Parameters of looking past blinking light, see `GlanceParams`.
        agree: Parameters of merging readings, see `AgreeParams`.
        memory: Parameters of the pictures that are kept, see `MemoryParams`.
        track: Parameters of the dice's ids, see `TrackParams`.
        lifted: Parameters of dice that are picked up, see `LiftedParams`.
    """

    settle_s: float = 0.12
    agree_s: float = 0.19
    readings: int = 2
    grace_s: float = 0.25
    again_s: float = 0.4
    again_readings: int = 6
    kept_readings: int = 5
    hand_patience_s: float = 8.0
    beside_patience_s: float = 1.0
    settle: SettleParams = field(default_factory=SettleParams)
    glance: GlanceParams = field(default_factory=GlanceParams)
    agree: AgreeParams = field(default_factory=AgreeParams)
    memory: MemoryParams = field(default_factory=MemoryParams)
    track: TrackParams = field(default_factory=TrackParams)
    lifted: LiftedParams = field(default_factory=LiftedParams)


class TrayWatch:
    """Turns a stream of frames into sightings. Memory: a few small pictures, the votes of one rest, the dice's ids."""

    def __init__(self, reader: ReadsTray, params: WatchParams | None = None) -> None:
        self._reader = reader
        self._params = params or WatchParams()
        self._settle = SettleDetector(self._params.settle)
        self._glance: Glance | None = None
        self._tracker = Tracker(self._params.track)
        self._memory = TrayMemory(self._params.memory, self._params.settle)
        self._lifted = LiftedDice(self._params.lifted)
        self._votes: deque[TrayReading] = deque(maxlen=self._params.kept_readings)
        self._mean = FrameMean()
        self._moving = False
        self._announced: Rest | None = None
        self._rereads = 0
        self._next_read_s = 0.0
        self._hand = Hand.NONE
        self._size_px: tuple[int, int] | None = None
        self._looks_empty = False
        self._reader_trusts = False

    @property
    def hand_in_view(self) -> bool:
        """Whether a hand, or something as large, was in the picture when it last came to a standstill."""
        return self._hand is not Hand.NONE

    def remember(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading]) -> None:
        """Go on from what an earlier watch announced, so that dice keep their ids when the program starts again.

        Args:
            lying: What lay in the tray at the last rest, by id.
            gone: What had left it, as it was last seen, by id.
        """
        self._tracker.remember(lying, gone)

    def forget(self) -> None:
        """Forget which die is which; the dice that lie there are announced anew as a first rest."""
        self._tracker.forget()
        self._lifted.forget()
        self._clear_votes()
        self._announced = None
        self._rereads = 0

    def see(self, frame: Frame) -> Sighting | None:
        """Look at the next frame.

        Returns:
            `MotionBegan` once when something begins to move; `DiceLifted` when dice are picked up meanwhile; `Rest`
            once when everything lies still and enough frames agree, and once more if an unclear rest became readable;
            None otherwise. While a hand is in view no rest is announced, however still it keeps, until
            `hand_patience_s` have passed.

        Raises:
            ValueError: The picture is smaller than a cell of the settle detector.
        """
        small = self._small_of(frame)
        self._glance = None
        sighting = self._look(frame, small)
        if sighting is None and self._moving:
            lifted = self._lifted.see(small, frame.t_s)
            return None if lifted is None else DiceLifted(frame.t_s, frame.sequence, lifted)
        return sighting

    def _look(self, frame: Frame, small: ImageBgr) -> MotionBegan | Rest | None:
        params = self._params
        stillness = self._settle.see(small, frame.t_s, self._memory.near_floor)
        if stillness.moving:
            return self._see_motion(frame)
        if not stillness.steady or stillness.still_for_s < params.settle_s:
            return None
        if stillness.calm_for_s < params.settle_s and stillness.still_for_s < params.beside_patience_s:
            return None
        if self._announced is not None and not self._worth_reading(frame.t_s):
            return self._go_on(frame, small, stillness.still_for_s)
        if self._announced is None and not self._votes:
            self._hand = self._memory.find_hand(small)
        if stillness.still_for_s < self._patience_s():
            return None
        if len(self._votes) < params.readings or self._announced is not None or not self._votes[-1].trusted:
            self._votes.append(self._read(frame, small))
        if self._announced is not None:
            return self._improve(frame, small)
        return self._settle_down(frame, small, stillness.still_for_s)

    def glance(self, frame: Frame) -> MotionBegan | MotionEnded | None:
        """Look at the next frame, taken under light that blinks or is coloured: for motion alone, nothing is read.

        Returns:
            `MotionBegan` once when something begins to move, `MotionEnded` once when it lies still again; None
            otherwise. What lies there then is reported by `see`, as after any motion.

        Raises:
            ValueError: The picture is smaller than a cell of the settle detector.
        """
        params = self._params
        small = self._small_of(frame)
        if self._glance is None:
            self._glance = Glance(params.glance, params.settle)
        match self._glance.see(small, frame.t_s, self._memory.near_floor):
            case Glimpse.MOTION:
                self._settle.begin_anew()
                return self._see_motion(frame)
            case Glimpse.CALM:
                return MotionEnded(t_s=frame.t_s, sequence=frame.sequence)
            case Glimpse.NOTHING:
                return None

    def _small_of(self, frame: Frame) -> ImageBgr:
        size_px = (frame.width_px, frame.height_px)
        if self._size_px not in (None, size_px):
            self._start_afresh()
        self._size_px = size_px
        return small_of(frame, self._params.settle)

    def _start_afresh(self) -> None:
        """Drop whatever is measured in pixels: the camera's pictures have another size from here on."""
        self.forget()
        self._settle = SettleDetector(self._params.settle)
        self._glance = None
        self._memory = TrayMemory(self._params.memory, self._params.settle)
        self._hand = Hand.NONE

    def _patience_s(self) -> float:
        """How long to wait for a hand to go before it is taken for a thing that lies there."""
        params = self._params
        return {Hand.NONE: 0.0, Hand.BESIDE: params.beside_patience_s, Hand.OVER: params.hand_patience_s}[self._hand]

    def _clear_votes(self) -> None:
        self._votes.clear()
        self._mean.clear()

    def _read(self, frame: Frame, small: ImageBgr) -> TrayReading:
        """Read the mean of a rest's frames, and doubt the reading where the floor holds more than it speaks of."""
        reading = self._reader.read(self._mean.add(frame.image_bgr), self._memory.known_floor(small))
        self._reader_trusts = reading.trusted
        if not reading.trusted or not self._memory.holds_unexplained(
            small, reading.dice, small.shape[1] / frame.width_px
        ):
            return reading
        self._looks_empty = not reading.dice
        return replace(reading, problems=(*reading.problems, Problem.FOREIGN_OBJECT), trusted=False)

    def _see_motion(self, frame: Frame) -> MotionBegan | None:
        self._clear_votes()
        self._announced = None
        self._rereads = 0
        self._looks_empty = False
        if self._moving:
            return None
        self._moving = True
        return MotionBegan(t_s=frame.t_s, sequence=frame.sequence)

    def _worth_reading(self, t_s: float) -> bool:
        rest = self._announced
        return (
            rest is not None
            and not rest.trusted
            and self._rereads < self._params.again_readings
            and t_s >= self._next_read_s
        )

    def _go_on(self, frame: Frame, small: ImageBgr, still_for_s: float) -> Rest | None:
        """Let a rest that was announced go on."""
        if self._looks_empty and still_for_s >= self._params.hand_patience_s:
            # No dice, yet not the empty tray of old: camera or tray was pushed, or something was put there for good.
            self._looks_empty = False
            self._memory.keep(frame, small, as_rest=True, as_empty=True, again=False)
            self._clear_votes()
            self._votes.append(self._read(frame, small))
            return self._improve(frame, small)
        self._memory.refresh(frame, small)
        return None

    def _settle_down(self, frame: Frame, small: ImageBgr, still_for_s: float) -> Rest | None:
        """Announce the rest if enough frames of it have been read."""
        params = self._params
        if len(self._votes) < params.readings or still_for_s < params.agree_s:
            return None
        reading = agree(tuple(self._votes), params.agree)
        if not reading.trusted and still_for_s < params.grace_s:
            return None
        self._next_read_s = frame.t_s + params.again_s
        return self._announce(frame, small, reading)

    def _improve(self, frame: Frame, small: ImageBgr) -> Rest | None:
        """Look whether an unclear rest has become readable: the newest readings must trust it and agree."""
        params = self._params
        self._rereads += 1
        self._next_read_s = frame.t_s + params.again_s * 2.0**self._rereads
        reading = agree(tuple(self._votes)[-params.readings :], params.agree)
        if not reading.trusted or self._hand is Hand.OVER:
            return None
        return self._announce(frame, small, reading)

    def _announce(self, frame: Frame, small: ImageBgr, reading: TrayReading) -> Rest:
        problems = reading.problems
        trusted = reading.trusted
        if self._hand is Hand.OVER:
            trusted = False
            if Problem.FOREIGN_OBJECT not in problems:
                problems = (*problems, Problem.FOREIGN_OBJECT)
        die_edge_px = median_edge_px(reading.dice, 0.0)
        if die_edge_px > 0.0:
            self._memory.measure(die_edge_px * small.shape[1] / frame.width_px)
        if self._hand is Hand.OVER:
            # What lies under it stayed there for all we know: keep the ids as they were.
            dice = self._tracker.lying
            if self._reader_trusts:
                # More likely the tray was pushed aside than that a hand has kept still for so long.
                self._memory.keep(frame, small, as_rest=True, as_empty=False, again=False)
        else:
            dice = self._tracker.rest(reading.dice, self._memory.untouched(frame, reading.dice))
            if self._announced is not None:
                dice = _as_first_reported(dice, self._announced)
            self._memory.keep(
                frame,
                small,
                as_rest=Problem.FOREIGN_OBJECT not in problems and Problem.NO_TRAY not in problems,
                as_empty=trusted and not dice,
                again=self._announced is not None,
            )
            self._lifted.follow(dice, small, self._memory.empty, small.shape[1] / frame.width_px)
        rest = Rest(
            t_s=frame.t_s,
            sequence=frame.sequence,
            width_px=reading.width_px,
            height_px=reading.height_px,
            dice=dice,
            problems=problems,
            trusted=trusted,
        )
        self._announced = rest
        self._moving = False
        return rest


def _as_first_reported(dice: tuple[TrackedDie, ...], before: Rest) -> tuple[TrackedDie, ...]:
    """A rest reported once more is the same rest: what moved before it began did so all the same."""
    moved_before = {die.id: die.moved for die in before.dice}
    return tuple(replace(die, moved=moved_before.get(die.id, die.moved)) for die in dice)
