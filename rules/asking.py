"""What a game master asks of a roll: a target to reach, an opponent to beat, or a joint result.

A rule system fills in these values. If its rules do not cover a case, it returns None and the table compares counts.
"""

from dataclasses import dataclass, field

from rules.dice import Role
from rules.facts import Facts


@dataclass(frozen=True, slots=True)
class Hand:
    """Dice named for a roll; empty if none were."""

    pool: tuple[tuple[Role, int], ...] = ()
    typed: tuple[tuple[Role, str], ...] = ()

    @property
    def is_named(self) -> bool:
        """Whether there are any dice."""
        return bool(self.typed) or any(count for _, count in self.pool)

    def count(self, role: Role) -> int:
        """Return how many dice of this role the camera must read."""
        return dict(self.pool).get(role, 0)


@dataclass(frozen=True, slots=True)
class Aimed:
    """A hand as changed by a target."""

    hand: Hand
    context: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """One side's result in an opposed roll.

    Attributes:
        again: Whether the rules let both sides roll once more.
    """

    result: str
    margin: int
    again: bool = False


@dataclass(frozen=True, slots=True)
class Pooled:
    """The joint result of several people."""

    total: int
    met: bool | None = None
    margin: int | None = None


def compare_counts(first: int, second: int) -> Compared:
    """Compare the counts of two rolls for which there is no rule: the higher wins, equal counts are a draw."""
    result = "draw" if first == second else "win" if first > second else "lose"
    return Compared(result, abs(first - second))
