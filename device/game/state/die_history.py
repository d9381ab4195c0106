"""What happened to each die since a result: left lying, taken out, or thrown again."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum

from device.game.state.layout import SAME_PLACE_EDGES, Layout, LyingDie, shifts

THROWN_EDGES = 1.5
"""A die farther than this from its old place was thrown; nearer, with the same face, it was pushed aside.

Dice knocked by a simulated throw moved up to 1.2 edges; a thrown die lands that near with the same face about once in
150 times.
"""


class Whereabouts(StrEnum):
    LYING = "lying"
    SHIFTED = "shifted"
    GONE = "gone"
    THROWN = "thrown"


@dataclass(frozen=True, slots=True)
class DieHistory:
    steps: tuple[tuple[int, Whereabouts], ...] = ()
    added: tuple[int, ...] = ()
    # ids of dice that lay there while others were in the hand, and show the same face since. Such a die does not count
    # as thrown, however far it was knocked: had it been picked up since, it would show another face five times in six.
    left: tuple[int, ...] = ()

    @classmethod
    def start(cls, layout: Layout) -> "DieHistory":
        return cls(tuple((die.id, Whereabouts.LYING) for die in layout.dice))

    def follow(self, result: Layout, now: Layout) -> "DieHistory":
        hidden = bool(now.problems)
        lay, lies = ({die.id: die for die in layout.dice} for layout in (result, now))
        shifted = shifts(result, now)
        steps = tuple(
            (die_id, _next(where, lay.get(die_id), lies.get(die_id), shifted.get(die_id), hidden=hidden))
            for die_id, where in self.steps
        )
        known = {die_id for die_id, _ in self.steps}
        some_gone = any(where is Whereabouts.GONE for _, where in steps)
        lying = (Whereabouts.LYING, Whereabouts.SHIFTED)
        left = tuple(
            die_id
            for die_id, where in steps
            if (die_id in self.left or (some_gone and where in lying))
            and _shows_the_same(lay.get(die_id), lies.get(die_id))
        )
        return DieHistory(steps, tuple(die.id for die in now.dice if die.id not in known), left)

    def of(self, layout: Layout) -> "DieHistory":
        """Return the history of a result after a person added or dismissed dice."""
        known = dict(self.steps)
        steps = tuple((die.id, known.get(die.id, Whereabouts.LYING)) for die in layout.dice)
        ignored = {die.id for die in layout.ignored}
        return DieHistory(steps, tuple(die_id for die_id in self.added if die_id not in ignored), self.left)

    def only(self, *wanted: Whereabouts) -> tuple[int, ...]:
        return tuple(die_id for die_id, where in self.steps if where in wanted)

    def with_thrown(self, die_ids: Collection[int]) -> "DieHistory":
        """Return the same history after a person confirmed that these dice were thrown."""
        steps = tuple((die_id, Whereabouts.THROWN if die_id in die_ids else where) for die_id, where in self.steps)
        return replace(self, steps=steps, left=tuple(die_id for die_id in self.left if die_id not in die_ids))

    @property
    def moved(self) -> dict[int, bool | None]:
        """Tell the rules for each die whether it left its place; None if unknown. A new die did."""
        answers = {Whereabouts.LYING: False, Whereabouts.SHIFTED: None}
        steps = {die_id: answers.get(where, True) for die_id, where in self.steps}
        return {**steps, **dict.fromkeys(self.left, False)}

    @property
    def unsure(self) -> frozenset[int]:
        """Ids of the dice that were either knocked or thrown, which only a person can tell."""
        knocked = (die_id for die_id in self.left if die_id not in self.only(Whereabouts.LYING))
        return frozenset((*self.only(Whereabouts.SHIFTED), *knocked))

    @property
    def has_throw(self) -> bool:
        """Whether at least one die was thrown (again) since the result.

        A new die does not count while others are in the hand: it may not be a die at all.
        """
        return bool(self.only(Whereabouts.THROWN)) or (bool(self.added) and not self.only(Whereabouts.GONE))


def _next(
    where: Whereabouts, before: LyingDie | None, now: LyingDie | None, shift: float | None, *, hidden: bool
) -> Whereabouts:
    if now is None:
        # In a bad picture, or under a resting hand, a die may be there and not be seen.
        return where if hidden else Whereabouts.GONE
    if where in (Whereabouts.GONE, Whereabouts.THROWN) or before is None or shift is None:
        return Whereabouts.THROWN
    faces = (before.reading.shows, now.reading.shows)
    if None not in faces and faces[0] != faces[1] and now.moved is not False:
        return Whereabouts.THROWN
    if shift <= SAME_PLACE_EDGES:
        return where
    return Whereabouts.SHIFTED if shift <= THROWN_EDGES else Whereabouts.THROWN


def _shows_the_same(before: LyingDie | None, now: LyingDie | None) -> bool:
    # A die that only a person has seen proves nothing.
    if before is None or now is None or (now.added and now.seen_as is None):
        return False
    return before.reading.shows == now.reading.shows
