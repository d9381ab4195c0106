"""Exploding die: thrown again while the rules ask for it; every throw counts towards the same roll."""

from collections import Counter
from dataclasses import dataclass, replace

from device.game.state.die_history import DieHistory, Whereabouts
from device.game.state.layout import Layout
from rules.dice import Roll
from rules.system import Facts, JsonValue, Outcome, RuleSystem


@dataclass(frozen=True, slots=True)
class ExplodingDie:
    die_id: int
    earlier: tuple[int, ...]  # earlier values, oldest first; at least one


def pending_die(outcome: Outcome) -> int | None:
    """Return the die that must be thrown again before the roll is over; None if it is over."""
    if outcome.facts.get("pending") is None or not outcome.must_reroll:
        return None
    return int(outcome.must_reroll[0])


def unrolled(roll: Roll, context: Facts, exploding: ExplodingDie, system: RuleSystem) -> tuple[Roll, Facts]:
    """Return the roll as the rules expect an exploding die: its first face as the die, later ones in the context."""
    if system.exploding_key is None:
        return roll, context
    name = str(exploding.die_id)
    last = next((die.value for die in roll if die.id == name), None)
    later: list[JsonValue] = [*exploding.earlier[1:], *(() if last is None else (last,))]
    first = tuple(replace(die, value=exploding.earlier[0]) if die.id == name else die for die in roll)
    return first, {**context, system.exploding_key: later}


def is_continued(die_id: int, before: Layout, now: Layout, die_history: DieHistory) -> bool:
    """Return whether only this die was thrown again; others may have been knocked but show the same."""
    thrown = die_id in die_history.only(Whereabouts.THROWN)
    return thrown and len(now.dice) == len(before.dice) and shows_same_others(die_id, before, now)


def shows_same_others(die_id: int, before: Layout, now: Layout) -> bool:
    """Return whether the other dice show the same faces in the same colours."""
    return _others(die_id, before) == _others(die_id, now)


def _others(die_id: int, layout: Layout) -> "Counter[tuple[str | None, int | None]]":
    return Counter((face.colour, face.value) for face in layout.faces if face.id != die_id)
