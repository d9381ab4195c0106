"""The push: which dice stay, which must be thrown again, and whether it was played right."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.dice import Die, Role, Roll
from rules.facts import Facts
from rules.marks import Marks
from rules.outcome import IllegalPlay, Outcome, PushReason, PushVerdict

MAX_PUSHES: Final = 1000
"""Greatest number of earlier pushes in a request; each system limits the pushes of a roll."""


@dataclass(frozen=True, slots=True)
class LockRule:
    """Which dice stay on the table when the roll is pushed."""

    faces: frozenset[int]
    by_role: Mapping[Role, frozenset[int]] = field(default_factory=dict)

    def __call__(self, die: Die) -> bool:
        """Return whether this die stays."""
        return die.value in self.by_role.get(die.role, self.faces)


@dataclass(frozen=True, slots=True)
class PushCount:
    """The number of pushes made and allowed.

    Attributes:
        limit: Greatest number of pushes of one roll; 0 if the roll may not be pushed at all.
    """

    made: int
    limit: int


def locked_ids(dice: Roll, is_locked: LockRule) -> tuple[str, ...]:
    """Return the ids of the dice that stay, in the order given."""
    return tuple(die.id for die in dice if is_locked(die))


def reroll_ids(dice: Roll, is_locked: LockRule) -> tuple[str, ...]:
    """Return the ids of the dice that must be thrown again, in the order given."""
    return tuple(die.id for die in dice if not is_locked(die))


def judge_push(dice: Roll, is_locked: LockRule, count: PushCount) -> PushVerdict:
    """Return whether a roll at rest may be pushed now."""
    if count.limit == 0:
        return PushVerdict(eligible=False, reason=PushReason.PASSIVE_ROLL)
    if count.made >= count.limit:
        return PushVerdict(eligible=False, reason=PushReason.ALREADY_PUSHED)
    if all(is_locked(die) for die in dice):
        return PushVerdict(eligible=False, reason=PushReason.NOTHING_TO_REROLL)
    return PushVerdict(eligible=True, reason=PushReason.OK)


def find_illegal_play(before: Roll, after: Roll, is_locked: LockRule, count: PushCount) -> IllegalPlay | None:
    """Check a push against the rules.

    Dice of one role are indistinguishable once they have been knocked about, so the locked ones are compared for each
    role as a multiset of values. The only fact about a single die that counts is a tracker's `moved: false`.

    Returns:
        The first rule broken, with the dice that show it; None if the push was right.
    """
    verdict = judge_push(before, is_locked, count)
    if not verdict.eligible:
        return IllegalPlay(reason=verdict.reason.value)
    return (
        _find_wrong_count(before, after)
        or _find_changed_lock(before, after, is_locked)
        or _find_die_left_lying(before, after, is_locked)
    )


def _find_wrong_count(before: Roll, after: Roll) -> IllegalPlay | None:
    ids_before = {die.id for die in before}
    ids_after = {die.id for die in after}
    if len(before) != len(after):
        gone = [die.id for die in before if die.id not in ids_after]
        new = [die.id for die in after if die.id not in ids_before]
        return IllegalPlay(reason="wrong_dice_count", dice=tuple(gone if len(after) < len(before) else new))
    kinds_before = Counter((die.role, die.sides) for die in before)
    kinds_after = Counter((die.role, die.sides) for die in after)
    if kinds_before == kinds_after:
        return None
    kind_was = {die.id: (die.role, die.sides) for die in before}
    surplus = kinds_after - kinds_before
    turned = tuple(die.id for die in after if die.id in kind_was and kind_was[die.id] != (die.role, die.sides))
    strangers = tuple(die.id for die in after if die.id not in kind_was and (die.role, die.sides) in surplus)
    return IllegalPlay(
        reason="wrong_role_count",
        dice=turned or strangers or tuple(die.id for die in after if (die.role, die.sides) in surplus),
    )


def _find_changed_lock(before: Roll, after: Roll, is_locked: LockRule) -> IllegalPlay | None:
    kept = Counter(_shown(die) for die in before if is_locked(die))
    there = Counter(map(_shown, after))
    missing = kept - there
    if not missing:
        return None
    face_now = {die.id: _shown(die) for die in after}
    suspects: list[str] = []
    for face, lacking in missing.items():
        owners = [die.id for die in before if is_locked(die) and _shown(die) == face]
        changed = [owner for owner in owners if face_now.get(owner) != face]
        suspects.extend(changed if len(changed) >= lacking else owners)
    order = [die.id for die in before]
    return IllegalPlay(reason="locked_die_changed", dice=tuple(sorted(suspects, key=order.index)))


def _shown(die: Die) -> tuple[Role, int, int]:
    return die.role, die.sides, die.value


def _find_die_left_lying(before: Roll, after: Roll, is_locked: LockRule) -> IllegalPlay | None:
    was = {die.id: die for die in before}
    lying: list[str] = []
    for die in after:
        if die.moved is not False:
            continue
        earlier = was.get(die.id)
        # A new id matches no earlier die; a die that never moved still shows the same face.
        if not is_locked(die if earlier is None else earlier):
            lying.append(die.id)
    return IllegalPlay(reason="must_reroll_not_rolled", dice=tuple(lying)) if lying else None


def success_outcome(
    facts: Facts, dice: Roll, is_locked: LockRule, verdict: PushVerdict, successes: int, *, marks: Marks
) -> Outcome:
    """Make the outcome of a roll that counts successes and may be pushed."""
    locked, must_reroll = locked_ids(dice, is_locked), reroll_ids(dice, is_locked)
    return Outcome(
        facts={**facts, "locked": list(locked), "must_reroll": list(must_reroll), "push": verdict.facts()},
        locked=locked,
        must_reroll=must_reroll,
        push=verdict,
        headline=(successes, "success" if successes == 1 else "successes"),
        success=successes > 0,
        marks=marks,
    )


def count_faces(dice: Roll) -> Counter[tuple[Role, int]]:
    """Count the dice by role and value."""
    return Counter((die.role, die.value) for die in dice)
