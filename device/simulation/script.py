"""What happens in the simulated tray, one act after another: a hand takes or lays dice, dice fly in. Knows no clock.

Each act begins when the one before has ended, whether or not a picture is taken then: the same orders give the same
dice at the same times for every frame rate.
"""

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from device.errors import DeviceError
from device.simulation.hand import HandParams, HandPath, HandPlace, center_xy, path_over
from device.simulation.laying import lies_flat
from device.simulation.physics import BodyPose, Motion, ThrowParams, TrayBox, settle_dice
from device.simulation.throw_search import ThrowSearch
from vision.rendering.die_patch import value_at
from vision.rendering.scene import DieLook, DiePose

WIND_UP_S = 0.25
"""From the order, or the hand's leaving, to the throw: shaking dice takes time, and so does working their way out."""
WIND_UP_BESIDE_S = 0.6
"""Seconds before a throw where other dice lie there.

As at a table, the tray sees them lie alone for a moment, and knows from then on which were left. At 0.25 s
a machine busy with other work saw them in six pushes of thirteen, and let seven dice left lying pass as thrown.
"""


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedDie:
    number: int
    colour: str
    look: DieLook
    pose: BodyPose | None = None


@dataclass(frozen=True, slots=True)
class Take:
    """A hand comes and takes these dice, by their numbers, out of the tray."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Lay:
    """A hand comes and lays dice of the tray down otherwise: each as it is given here, all with a pose."""

    dice: tuple[SimulatedDie, ...]


@dataclass(frozen=True, slots=True)
class Toss:
    dice: tuple[SimulatedDie, ...]
    seed: tuple[int, ...]
    never: tuple[str, int] | None = None
    mends: bool = False


@dataclass(frozen=True, slots=True)
class _Settle:
    """Dice that lost what they leaned or lay on fall."""


Act: TypeAlias = Take | Lay | Toss


@dataclass(frozen=True, slots=True, eq=False)
class TrayView:
    still: tuple[DiePose, ...]
    moving: tuple[DiePose, ...]
    hand: HandPlace | None


@dataclass(frozen=True, slots=True, eq=False)
class _Handling:
    """The hand is about: once it has been at a die, that is gone from its place, or `laid` otherwise."""

    path: HandPath
    numbers: tuple[int, ...]
    laid: dict[int, SimulatedDie]

    @property
    def duration_s(self) -> float:
        return self.path.duration_s


@dataclass(frozen=True, slots=True, eq=False)
class _Flight:
    dice: tuple[SimulatedDie, ...]
    motion: Motion
    lying_before: int
    wind_up_s: float

    @property
    def duration_s(self) -> float:
        return self.wind_up_s + self.motion.duration_s


class TrayPlay:
    """The simulated tray's dice and hand. One thread at a time."""

    def __init__(self, box: TrayBox, throw_params: ThrowParams, hand_params: HandParams) -> None:
        self._box = box
        self._throw_params = throw_params
        self._hand_params = hand_params
        self._lying: tuple[SimulatedDie, ...] = ()
        self._to_come: deque[Act | _Settle] = deque()
        self._act: _Handling | _Flight | None = None
        self._search: ThrowSearch | None = None
        self._since_s = 0.0

    @property
    def is_busy(self) -> bool:
        return self._act is not None or bool(self._to_come)

    @property
    def lying(self) -> tuple[SimulatedDie, ...]:
        """The dice in the tray, where they lay when the last act ended."""
        return self._lying

    def lay(self, dice: tuple[SimulatedDie, ...]) -> None:
        """Let these dice lie in the tray, all with a place; what goes on or was to come is dropped."""
        self._lying = dice
        self._to_come.clear()
        self._act = self._search = None

    def begin(self, acts: tuple[Act, ...]) -> None:
        """Let these acts follow each other, the first one from the next moment looked at."""
        self._to_come.extend(acts)

    def advance(self, now_s: float) -> None:
        """Carry out everything until `now_s`."""
        try:
            self._carry_on(now_s)
            if self._search is not None:
                # While the hand is about, one look a picture: all at once would make the pictures stutter.
                self._search.look()
        except DeviceError:
            self._to_come.clear()
            self._search = None
            raise

    def _carry_on(self, now_s: float) -> None:
        while True:
            if self._act is None:
                if not self._to_come:
                    self._since_s = now_s
                    return
                self._act = self._started(self._to_come.popleft())
            end_s = self._since_s + self._act.duration_s
            if end_s > now_s:
                return
            self._finish(self._act)
            self._act = None
            self._since_s = end_s

    def view(self, now_s: float, shutter_s: float) -> TrayView:
        """Return the tray at a moment, not before the last `advance`."""
        t_s = now_s - self._since_s
        if isinstance(self._act, _Handling):
            reached_s = dict(zip(self._act.numbers, self._act.path.gone_s, strict=True))
            reached = {number for number, at_s in reached_s.items() if t_s >= at_s}
            still = tuple(_drawn(die) for die in _after_hand(self._lying, reached, self._act.laid))
            return TrayView(still, (), self._act.path.at(t_s))
        if isinstance(self._act, _Flight):
            return _view_of_flight(self._act, t_s - self._act.wind_up_s, shutter_s)
        return TrayView(tuple(_drawn(die) for die in self._lying), (), None)

    def _started(self, act: Act | _Settle) -> _Handling | _Flight:
        if isinstance(act, Toss):
            search, self._search = self._search or self._search_for(act, self._lying), None
            wind_up_s = WIND_UP_BESIDE_S if self._lying and not act.mends else WIND_UP_S
            dice = (*self._lying, *act.dice)
            motion = search.result()
            if act.never is not None:
                motion = _without_face(motion, dice, act.dice, act.never)
            return _Flight(dice, motion, len(self._lying), wind_up_s)
        if isinstance(act, _Settle):
            look = self._lying[0].look
            poses = tuple(die.pose for die in self._lying if die.pose is not None)
            motion = settle_dice(
                self._box, poses, size_mm=look.size_mm, rounding=look.rounding, params=self._throw_params
            )
            return _Flight(self._lying, motion, len(self._lying), wind_up_s=0.0)
        laid = {die.number: die for die in act.dice} if isinstance(act, Lay) else {}
        numbers = act.numbers if isinstance(act, Take) else tuple(laid)
        touched = [die for die in self._lying if die.number in numbers]
        left = _after_hand(self._lying, set(numbers), laid)
        if self._to_come and isinstance(self._to_come[0], Toss):
            self._search = self._search_for(self._to_come[0], left)
        elif any(die.pose is not None and not lies_flat(die.pose, die.look.size_mm) for die in left):
            # Nobody is about to throw at them: what leaned on a die that goes, falls by itself.
            self._to_come.appendleft(_Settle())
        places = tuple(center_xy(die.pose.center_mm) for die in touched if die.pose is not None)
        return _Handling(path_over(places, self._hand_params), tuple(die.number for die in touched), laid)

    def _search_for(self, toss: Toss, left: tuple[SimulatedDie, ...]) -> ThrowSearch:
        look = toss.dice[0].look
        return ThrowSearch(
            self._box,
            tuple(die.pose for die in left if die.pose is not None),
            len(toss.dice),
            size_mm=look.size_mm,
            rounding=look.rounding,
            seed=toss.seed,
            params=self._throw_params,
        )

    def _finish(self, act: _Handling | _Flight) -> None:
        if isinstance(act, _Handling):
            self._lying = _after_hand(self._lying, set(act.numbers), act.laid)
        else:
            end_s = act.motion.duration_s
            self._lying = tuple(replace(die, pose=act.motion.pose_at(k, end_s)) for k, die in enumerate(act.dice))


def _after_hand(
    lying: tuple[SimulatedDie, ...], reached: Collection[int], laid: Mapping[int, SimulatedDie]
) -> tuple[SimulatedDie, ...]:
    """Return the dice once the hand has reached some of them: those are as they were laid, or gone."""
    out = []
    for die in lying:
        if die.number not in reached:
            out.append(die)
        elif die.number in laid:
            out.append(laid[die.number])
    return tuple(out)


def _without_face(
    motion: Motion, dice: tuple[SimulatedDie, ...], thrown: tuple[SimulatedDie, ...], never: tuple[str, int]
) -> Motion:
    """Return the same throw, in which no thrown die of a colour comes to show a value.

    A cube flies alike whichever of its faces is where: a die that would show it is held otherwise from the start.
    """
    for row in range(len(dice) - len(thrown), len(dice)):
        end = motion.pose_at(row, motion.duration_s)
        if (dice[row].colour, value_at(dice[row].look, *end.uppermost)) == never:
            motion = motion.rolled_on(row)
    return motion


def _drawn(die: SimulatedDie) -> DiePose:
    assert die.pose is not None  # noqa: S101  a lying die has a place; only dice in a hand have none
    return DiePose(die.look, die.pose.center_mm, die.pose.rotation)


def _view_of_flight(flight: _Flight, t_s: float, shutter_s: float) -> TrayView:
    motion = flight.motion
    # Before the throw only the dice that lie there already are to be seen.
    seen = len(flight.dice) if t_s >= 0 else flight.lying_before
    still: list[DiePose] = []
    moving: list[DiePose] = []
    for k, die in enumerate(flight.dice[:seen]):
        if t_s >= motion.still_from[k] * motion.sample_s:
            pose = motion.pose_at(k, motion.duration_s)
            still.append(DiePose(die.look, pose.center_mm, pose.rotation))
            continue
        pose = motion.pose_at(k, t_s)
        before, after = motion.pose_at(k, t_s - shutter_s / 2), motion.pose_at(k, t_s + shutter_s / 2)
        x, y, z = (float(v) for v in after.center_mm - before.center_mm)
        moving.append(DiePose(die.look, pose.center_mm, pose.rotation, (x, y, z)))
    return TrayView(tuple(still), tuple(moving), None)
