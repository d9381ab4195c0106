"""Acts in the simulated tray, one after another: a hand takes or lays dice, dice fly in. Has no clock.

Each act starts when the previous one has ended, whether or not a picture is taken then, so the same orders give the
same dice at the same times at every frame rate.
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
"""Time from the order, or from the hand leaving, to the throw, for shaking the dice. The throw is computed
meanwhile."""
WIND_UP_PAST_S = 0.6
"""Seconds before a throw past dice in the tray.

As at a table, the tray sees the remaining dice alone for a moment, and knows from then on which were left. At 0.25 s a
busy machine saw them in six pushes of thirteen, and let seven dice left lying pass as thrown.
"""


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedDie:
    number: int
    colour: str
    look: DieLook
    pose: BodyPose | None = None


@dataclass(frozen=True, slots=True)
class Take:
    """A hand takes dice out of the tray, by their numbers."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Lay:
    """A hand lays dice in the tray down differently, each with the pose given here."""

    dice: tuple[SimulatedDie, ...]


@dataclass(frozen=True, slots=True)
class Toss:
    dice: tuple[SimulatedDie, ...]
    seed: tuple[int, ...]
    never: tuple[str, int] | None = None
    mends: bool = False


@dataclass(frozen=True, slots=True)
class _Settle:
    """Dice that lost their support fall."""


Act: TypeAlias = Take | Lay | Toss


@dataclass(frozen=True, slots=True, eq=False)
class TrayView:
    still: tuple[DiePose, ...]
    moving: tuple[DiePose, ...]
    hand: HandPlace | None


@dataclass(frozen=True, slots=True, eq=False)
class _Handling:
    """A hand over the tray: each die that it has reached is gone from its place, or `laid` differently."""

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
        """The dice in the tray, at their places when the last act ended."""
        return self._lying

    def lay(self, dice: tuple[SimulatedDie, ...]) -> None:
        """Place these dice in the tray, all with a pose; drop the current act and those to come."""
        self._lying = dice
        self._to_come.clear()
        self._act = self._search = None

    def begin(self, acts: tuple[Act, ...]) -> None:
        """Run these acts one after another, starting at the next `advance`."""
        self._to_come.extend(acts)

    def advance(self, now_s: float) -> None:
        """Run everything until `now_s`."""
        try:
            self._carry_on(now_s)
            if self._search is not None:
                # One search step per picture while the hand moves: all at once would make the pictures stutter.
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
            wind_up_s = WIND_UP_PAST_S if self._lying and not act.mends else WIND_UP_S
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
            # No throw follows: a die that leaned on one that goes falls now.
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
    """Return the dice after the hand has reached some of them: those are as they were laid, or gone."""
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
    """Return the same throw, in which no thrown die of a colour shows a value.

    A cube flies the same however its faces are arranged, so a die that would show the value starts turned differently.
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
    # Before the throw only the dice in the tray are visible.
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
