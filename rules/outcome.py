"""Values of a rule system: a scored roll, whether it may be pushed, a breach of the rules, a house ruling."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from rules.facts import Facts, JsonValue
from rules.marks import Marks


class PushReason(StrEnum):
    """Why a roll may be pushed or not, in the contract's words."""

    OK = "ok"
    ALREADY_PUSHED = "already_pushed"
    NOTHING_TO_REROLL = "nothing_to_reroll"
    PASSIVE_ROLL = "passive_roll"
    SYSTEM_HAS_NO_PUSH = "system_has_no_push"


@dataclass(frozen=True, slots=True)
class PushVerdict:
    """Whether a roll may be pushed (again)."""

    eligible: bool
    reason: PushReason

    def facts(self) -> dict[str, JsonValue]:
        """Return the verdict in the contract's form."""
        return {"eligible": self.eligible, "reason": self.reason.value}


NO_PUSH: Final = PushVerdict(eligible=False, reason=PushReason.SYSTEM_HAS_NO_PUSH)
"""The verdict of every roll in a system without a push."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One house ruling: a choice that the rule text leaves open. The catalogues of texts describe it.

    Attributes:
        name: Name of the switch in `rulings` of a request, as in `skill_ones_locked`.
        default: The choice if the table has made none.
        choices: Every allowed value; empty means any integer from `low` to `high`.
        low: Smallest allowed integer if `choices` is empty.
        high: Largest allowed integer if `choices` is empty.
    """

    name: str
    default: bool | int | str
    choices: tuple[bool | int | str, ...]
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A scored roll.

    Attributes:
        facts: Every key of the contract's result for this system and operation, ready for JSON.
        locked: Ids of dice that would stay on a push.
        must_reroll: Ids of dice that would have to be thrown again.
        headline: The number that a display shows large, and its word: (2, "successes").
        success: Whether the roll reached its target; None if the system has no such notion.
        marks: What each die contributed; empty for an outcome stored by an earlier version.
    """

    facts: Facts
    locked: tuple[str, ...]
    must_reroll: tuple[str, ...]
    push: PushVerdict
    headline: tuple[int, str]
    success: bool | None
    marks: Marks = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IllegalPlay:
    """A breach of the rules.

    Attributes:
        reason: The reason, in the contract's words.
        dice: Ids of the dice that show it.
    """

    reason: str
    dice: tuple[str, ...] = ()


def as_facts(answer: Outcome | IllegalPlay) -> Facts:
    """Return the contract's answer: the facts of a scored roll, or the rule that was broken."""
    if isinstance(answer, IllegalPlay):
        return {"illegal": answer.reason, "dice": list(answer.dice)}
    return answer.facts
