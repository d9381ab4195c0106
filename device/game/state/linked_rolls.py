"""Rolls that belong together, two sides or a group: asked at once, rolled one after another, compared."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum

from rules.system import Facts


class LinkKind(StrEnum):
    """How results are compared."""

    OPPOSED = "opposed"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Member:
    """One who takes part.

    Attributes:
        asked: Id of the asked roll.
        owner: Name of the player whose roll it is.
        thrower: Name of the player who throws for the owner.
        hidden: Whether the result is not shown yet.
        roll: Number of the roll; None until it is scored.
        count: Count of the roll; None until it is scored.
        word: Name of what is counted, as in hits.
        success: Whether the roll reached what was asked; None where nothing was, or it is not scored.
    """

    asked: int
    owner: str | None = None
    thrower: str | None = None
    hidden: bool = False
    roll: int | None = None
    count: int | None = None
    word: str = ""
    success: bool | None = None


@dataclass(frozen=True, slots=True)
class LinkedRolls:
    """Several rolls and how they are compared.

    Attributes:
        id: Id of the group's first asked roll.
        kind: How the rolls are compared.
        system: Id of the rule system.
        label: What the rolls are for.
        aim: Values that a group has to reach together, where the rules add its rolls up.
        members: Who takes part, in the order of their turns; of an opposed roll the first one acts.
    """

    id: int
    kind: LinkKind
    system: str
    label: str | None = None
    aim: Facts = field(default_factory=dict)
    members: tuple[Member, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether everybody has rolled."""
        return bool(self.members) and all(member.count is not None for member in self.members)

    @property
    def is_hidden(self) -> bool:
        """Whether a part of it is not shown yet."""
        return any(member.hidden for member in self.members)

    def shown(self, ids: Collection[int]) -> "LinkedRolls":
        """The linked rolls with these asked rolls shown."""
        return replace(
            self,
            members=tuple(replace(one, hidden=one.hidden and one.asked not in ids) for one in self.members),
        )
