"""What a game master asks of a roll: an aim to reach, another side to beat, others whose results count with it.

The values here are what a rule system answers; where a text says nothing of a case, the answer is None and the table
compares what each roll counts.
"""

from dataclasses import dataclass, field

from rules.dice import Role
from rules.facts import Facts


@dataclass(frozen=True, slots=True)
class Hand:
    """Dice that somebody named for a roll; none where nobody did."""

    pool: tuple[tuple[Role, int], ...] = ()
    typed: tuple[tuple[Role, str], ...] = ()

    @property
    def is_named(self) -> bool:
        """Whether there are any dice."""
        return bool(self.typed) or any(count for _, count in self.pool)

    def count(self, role: Role) -> int:
        """How many dice of this role the camera is to read."""
        return dict(self.pool).get(role, 0)


@dataclass(frozen=True, slots=True)
class Aimed:
    """A hand with what an aim makes of it."""

    hand: Hand
    context: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """How one side of an opposed roll did against the other.

    Attributes:
        again: Whether the rules let both sides roll once more.
    """

    result: str
    margin: int
    again: bool = False


@dataclass(frozen=True, slots=True)
class Pooled:
    """What several people reached together."""

    total: int
    met: bool | None = None
    margin: int | None = None


def compare_counts(first: int, second: int) -> Compared:
    """Hold what two rolls count against each other where no rule says more: the higher wins, equal ones are a draw."""
    result = "draw" if first == second else "win" if first > second else "lose"
    return Compared(result, abs(first - second))
