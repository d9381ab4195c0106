"""What became of each die since a result stood: left lying, out of the tray, or thrown again."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum

from device.game.state.layout import SAME_PLACE_EDGES, Layout, LyingDie, shifts

THROWN_EDGES = 1.5
"""A die farther than this from where it lay was thrown; nearer, with the same face, it was pushed aside.

Left dice that a simulated throw knocked lay up to 1.2 edges off; a thrown die lands as near with the same face about
once in 150 times.
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
    # ids of dice that lay there while others were in the hand, and show the same face since. However far such a die was
    # knocked, it is not believed to be thrown: had it been picked up after that rest, it would show another face five
    # times in six.
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
        """Return the history of a result whose dice a person said more or fewer of."""
        known = dict(self.steps)
        steps = tuple((die.id, known.get(die.id, Whereabouts.LYING)) for die in layout.dice)
        ignored = {die.id for die in layout.ignored}
        return DieHistory(steps, tuple(die_id for die_id in self.added if die_id not in ignored), self.left)

    def only(self, *wanted: Whereabouts) -> tuple[int, ...]:
        return tuple(die_id for die_id, where in self.steps if where in wanted)

    def with_thrown(self, die_ids: Collection[int]) -> "DieHistory":
        """Return the same history after a person said that these dice were thrown."""
        steps = tuple((die_id, Whereabouts.THROWN if die_id in die_ids else where) for die_id, where in self.steps)
        return replace(self, steps=steps, left=tuple(die_id for die_id in self.left if die_id not in die_ids))

    @property
    def moved(self) -> dict[int, bool | None]:
        """The rules' question of each die: did it leave its place? None where nobody can know; a new die did."""
        answers = {Whereabouts.LYING: False, Whereabouts.SHIFTED: None}
        steps = {die_id: answers.get(where, True) for die_id, where in self.steps}
        return {**steps, **dict.fromkeys(self.left, False)}

    @property
    def unsure(self) -> frozenset[int]:
        """Ids of the dice that may have been left lying and knocked, or thrown: only a person knows."""
        knocked = (die_id for die_id in self.left if die_id not in self.only(Whereabouts.LYING))
        return frozenset((*self.only(Whereabouts.SHIFTED), *knocked))

    @property
    def has_throw(self) -> bool:
        """At least one die was thrown (again) since the result.

        A die that nobody knows, while others are still in the hand, is none of those: it may be no die at all.
        """
        return bool(self.only(Whereabouts.THROWN)) or (bool(self.added) and not self.only(Whereabouts.GONE))


def _next(
    where: Whereabouts, before: LyingDie | None, now: LyingDie | None, shift: float | None, *, hidden: bool
) -> Whereabouts:
    if now is None:
        # In a bad picture, or under a hand that rests on the floor, a die that is not seen may still lie there.
        return where if hidden else Whereabouts.GONE
    if where in (Whereabouts.GONE, Whereabouts.THROWN) or before is None or shift is None:
        return Whereabouts.THROWN
    faces = (before.reading.value, now.reading.value)
    if None not in faces and faces[0] != faces[1] and now.moved is not False:
        return Whereabouts.THROWN
    if shift <= SAME_PLACE_EDGES:
        return where
    return Whereabouts.SHIFTED if shift <= THROWN_EDGES else Whereabouts.THROWN


def _shows_the_same(before: LyingDie | None, now: LyingDie | None) -> bool:
    # A die that only a person has seen shows nothing.
    if before is None or now is None or (now.added and now.seen_as is None):
        return False
    return before.reading.value == now.reading.value
