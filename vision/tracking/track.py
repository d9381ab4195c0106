"""Dice matched from rest to rest: those that stayed keep their ids, thrown ones take the ids of those that left."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import atan2, log1p, pi

import cv2
import numpy as np

from vision.geometry.assignment import cheapest_assignment
from vision.geometry.camera_move import mapped
from vision.tracking.agree import distance_px, median_edge_px
from vision.types.frame import FloatArray
from vision.types.reading import DieReading, PointPx
from vision.types.sighting import TrackedDie

_SAME_PLACE_EDGES, _SAME_TURN_RAD = 0.3, 0.3
"""A die within these of the place of one of its colour and value is that die; lengths are in die edges."""
_STILL_EDGES, _STILL_TURN_RAD = 0.04, 0.05
"""Within these of its former place a die counts as untouched, as far as readings can show."""
_LEFT_PLACE_EDGES, _LEFT_TURN_RAD = 0.2, 0.2
"""Beyond these a die was certainly moved."""
_CARRIED_EDGES = 0.6
"""A die within these of where a moved camera leads to expect one of its colour and value is that die: wide, since the
move is measured on the coarse grid of the picture.
"""
_KNOCK_COST = 1.5
"""Cost of assuming that a die was knocked, times log(1 + distance). Of 157 kept dice in sixty simulated pushes, 36 of
them knocked by two to eleven edges, 2 lost their ids; with a cost proportional to the distance 6 did, and following the
dice by colour from frame to frame lost 7 to 17.
"""
_OTHER_VALUE_COST = 3.0
"""Cost of assuming that a knocked die also turned over; a slide keeps the face up, a throw keeps it once in six."""
_OTHER_SIDES_COST = 8.0
"""Cost of a match of dice with different numbers of faces, one of which was then misread."""
_UNKNOWN_COST = 1.0
"""Cost of a match if one value, or one colour, is unknown."""
_GONE_COST, _GONE_COST_PER_EDGE = 5.0, 0.01
"""Cost of reusing the id of a die that is known to have left, and for each edge from its last place: a cheaper knock is
preferred.
"""
_IMPOSSIBLE = 1e6
_NEW_ID_COST = 1e3


def turn_rad(one: DieReading, other: DieReading) -> float:
    """Return the rotation between two top faces, 0 to pi/4: faces look alike every quarter turn."""
    difference = _heading_rad(one) - _heading_rad(other)
    quarter = pi / 2.0
    return abs((difference + quarter / 2.0) % quarter - quarter / 2.0)


def _heading_rad(die: DieReading) -> float:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = die.top_quad_px
    # The average of opposite sides has half the noise of one side and cancels perspective's convergence.
    return atan2((by - ay) + (cy - dy), (bx - ax) + (cx - dx))


class Tracker:
    """Assigns ids to the dice of each rest. Stores the dice in the tray and those that left it."""

    def __init__(self) -> None:
        self._lying: dict[int, DieReading] = {}
        self._gone: dict[int, DieReading] = {}
        self._next_id = 1

    @property
    def lying(self) -> tuple[TrackedDie, ...]:
        """The dice of the latest rest, in the order of their ids, without whether they moved."""
        return tuple(TrackedDie(id=id_, reading=die, moved=None) for id_, die in sorted(self._lying.items()))

    def remember(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading]) -> None:
        """Restore an earlier tracker's dice: those in the tray, and those that left it."""
        self._lying = dict(lying)
        self._gone = dict(gone)
        self._next_id = max([0, *lying, *gone]) + 1

    def forget(self) -> None:
        """Remove every die; the next rest starts a new count of ids."""
        self._lying.clear()
        self._gone.clear()
        self._next_id = 1

    def carry(self, homography: FloatArray, dice: Sequence[DieReading]) -> tuple[bool, ...]:
        """Carry the dice along with a moved camera, if that makes more of them lie where dice are seen now.

        Args:
            homography: Shape (3, 3), from places of the rest before to places now.
            dice: The dice of the new rest.

        Returns:
            For each die of the new rest whether it is one that was carried there: it has not left its place.
        """
        none_moved = [False] * len(dice)
        edge = median_edge_px([*dice, *self._lying.values()])
        unmoved = self._stayed(dice, none_moved, edge)
        before, gone = self._lying, self._gone
        self._lying = {id_: _carried(die, homography) for id_, die in before.items()}
        pairs = self._stayed(dice, none_moved, edge, _CARRIED_EDGES)
        if len(pairs) <= len(unmoved):
            self._lying = before
            return tuple(none_moved)
        # The dice themselves show the move more exactly than the picture did.
        exact = _fitted([self._lying[id_].center_px for id_, _ in pairs], [dice[index].center_px for _, index in pairs])
        self._lying = {id_: _carried(die, exact) for id_, die in self._lying.items()}
        self._gone = {id_: _carried(die, exact @ homography) for id_, die in gone.items()}
        carried = {index for _, index in self._stayed(dice, none_moved, edge)}
        return tuple(index in carried for index in range(len(dice)))

    def rest(self, dice: Sequence[DieReading], unchanged: Sequence[bool] | None = None) -> tuple[TrackedDie, ...]:
        """Match the dice of a new rest.

        Args:
            unchanged: For each die whether its patch of the picture is the same as at the rest before; omitted if they
                were not compared.

        Returns:
            The dice in the order of their ids. `moved` is None for a die that stayed about its place if it is unknown
            whether it was touched, and for all dice of a first rest.
        """
        edge = median_edge_px([*dice, *self._lying.values()])
        first = not self._lying and not self._gone
        same = list(unchanged) if unchanged is not None else [False] * len(dice)
        lying = dict(self._lying)
        gone = dict(self._gone)
        ids = {index: id_ for id_, index in self._stayed(dice, same, edge)}
        taken = set(ids.values())
        loose = [index for index in range(len(dice)) if index not in ids]
        candidates = [id_ for id_ in lying if id_ not in taken] + list(gone)
        if loose and candidates:
            costs = []
            for index in loose:
                row = [self._cost(dice[index], id_, edge) for id_ in candidates]
                costs.append(row + [_NEW_ID_COST] * len(loose))
            for position, column in enumerate(cheapest_assignment(costs)):
                if column < len(candidates):
                    ids[loose[position]] = candidates[column]
        tracked: list[TrackedDie] = []
        for index, die in enumerate(dice if not first else sorted(dice, key=_reading_order)):
            id_ = ids.get(index, 0)
            moved: bool | None = None
            if id_ == 0:
                id_ = self._next_id
                self._next_id += 1
                moved = None if first else True
            elif id_ in lying:
                moved = self._moved(lying[id_], die, same[index], edge)
            else:
                moved = True
            tracked.append(TrackedDie(id=id_, reading=die, moved=moved))
        self._lying = {die.id: _remembered(die, lying.get(die.id)) for die in tracked}
        self._gone = {id_: die for id_, die in {**gone, **lying}.items() if id_ not in self._lying}
        return tuple(sorted(tracked, key=lambda die: die.id))

    def _stayed(
        self, dice: Sequence[DieReading], same: Sequence[bool], edge: float, limit_edges: float = _SAME_PLACE_EDGES
    ) -> list[tuple[int, int]]:
        """Pair the dice that lie at an earlier die's place, nearest first: (id, index of the reading)."""
        pairs: list[tuple[float, int, int]] = []
        for id_, before in self._lying.items():
            for index, die in enumerate(dice):
                distance = distance_px(before, die)
                if distance > limit_edges * edge:
                    continue
                # An untouched die is the same, whatever its reading.
                if same[index] or (_may_be_one(before, die) and turn_rad(before, die) <= _SAME_TURN_RAD):
                    pairs.append((distance, id_, index))
        chosen: list[tuple[int, int]] = []
        for _, id_, index in sorted(pairs):
            if all(id_ != other and index != taken for other, taken in chosen):
                chosen.append((id_, index))
        return chosen

    def _cost(self, die: DieReading, id_: int, edge: float) -> float:
        before = self._lying.get(id_) or self._gone[id_]
        cost = 0.0
        if before.colour is None or die.colour is None:
            cost += _UNKNOWN_COST
        elif before.colour != die.colour:
            return _IMPOSSIBLE
        if before.shows and die.shows and before.sides != die.sides:
            cost += _OTHER_SIDES_COST
        if id_ in self._gone:
            # A die that was missed or hidden for a rest is back at its place; else take the nearest of those that left.
            apart = distance_px(before, die) / edge
            if apart <= _SAME_PLACE_EDGES and before.shows == die.shows:
                return cost
            return cost + _GONE_COST + _GONE_COST_PER_EDGE * apart
        cost += _KNOCK_COST * log1p(distance_px(before, die) / edge)
        if die.value is None or before.value is None:
            cost += _UNKNOWN_COST
        elif die.value != before.value:
            cost += _OTHER_VALUE_COST
        return cost

    def _moved(self, before: DieReading, die: DieReading, same_picture: bool, edge: float) -> bool | None:
        distance = distance_px(before, die) / edge
        turn = turn_rad(before, die)
        values_differ = before.shows is not None and die.shows is not None and before.shows != die.shows
        if same_picture and distance <= _LEFT_PLACE_EDGES:
            return False
        if distance > _LEFT_PLACE_EDGES or turn > _LEFT_TURN_RAD or values_differ:
            return True
        return False if distance <= _STILL_EDGES and turn <= _STILL_TURN_RAD else None


def _remembered(die: TrackedDie, before: DieReading | None) -> DieReading:
    """Return a die's reading for the next match: an untouched die keeps its earlier certain reading."""
    if die.moved is not False or before is None or before.unread is not None:
        return die.reading
    return replace(die.reading, value=before.value, colour=before.colour, sides=before.sides, unread=None)


def _carried(die: DieReading, homography: FloatArray) -> DieReading:
    """Return a die's reading at the place to which a homography maps it."""
    x, y, width, height = die.box_px
    box = np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
    low, high = (end(mapped(homography, box), axis=0) for end in (np.min, np.max))
    points = mapped(homography, np.array([die.center_px, *die.top_quad_px])).tolist()
    center, first, second, third, fourth = ((float(x), float(y)) for x, y in points)
    return replace(
        die,
        center_px=center,
        box_px=(float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])),
        top_quad_px=(first, second, third, fourth),
    )


def _fitted(before: Sequence[PointPx], now: Sequence[PointPx]) -> FloatArray:
    """Return the turn, shift and size, as a homography, that fits pairs of places; of one pair the shift."""
    was, lies = np.array(before), np.array(now)
    found = cv2.estimateAffinePartial2D(was, lies)[0] if len(was) > 1 else None
    if found is None:
        shift = np.median(lies - was, axis=0)
        found = np.array([[1.0, 0.0, shift[0]], [0.0, 1.0, shift[1]]])
    return np.vstack([found, [0.0, 0.0, 1.0]])


def _may_be_one(before: DieReading, die: DieReading) -> bool:
    if before.colour is not None and die.colour is not None and before.colour != die.colour:
        return False
    return before.shows is None or die.shows is None or before.shows == die.shows


def _reading_order(die: DieReading) -> tuple[float, float]:
    return (die.center_px[1], die.center_px[0])
