"""The interface of every rule system, and their registry.

A system is a module that ends in `SYSTEM = ...`, an object with the shape of `RuleSystem`. `device` and the web display
use systems only through this interface. A system has names but no texts, which are in the catalogues of `device`.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Final, Protocol

import rules
from rules.asking import Aimed, Compared, Hand, Pooled
from rules.dice import Role, Roll
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.marks import Marks
from rules.report import OddsLine, Report
from rules.sheet import Consequence, Counter, Kind, Sheet
from rules.tiles import ExtendedTest, Prepared, Question, Tile

__all__ = [
    "DEFAULT_SYSTEM_ID",
    "NO_PUSH",
    "Facts",
    "IllegalPlay",
    "JsonValue",
    "Outcome",
    "PushReason",
    "PushVerdict",
    "RuleSystem",
    "Ruling",
    "as_facts",
    "find_system",
    "systems",
]


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

    def mark_of(self, die_id: str) -> str | None:
        """Return a die's contribution as a word of `Mark`; None if the outcome has none."""
        mark = self.marks.get(die_id)
        return None if mark is None else str(mark)


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


class RuleSystem(Protocol):
    """One rule system. Every method is pure; `rulings` overrides defaults by name."""

    @property
    def id(self) -> str:
        """The system's name in the contract, as in `push-pool`."""
        ...

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """All house rulings, in display order."""
        ...

    @property
    def has_push(self) -> bool:
        """Whether any roll of this system may be pushed."""
        ...

    @property
    def pool_roles(self) -> tuple[Role, ...]:
        """The roles a declared pool of this system counts, in display order."""
        ...

    @property
    def example_pool(self) -> Mapping[Role, int]:
        """Dice that a simulated hand throws without a chosen pool; if empty, plain dice."""
        ...

    @property
    def odds_lines(self) -> tuple[OddsLine, ...]:
        """The rows of `odds` that a display shows, in order."""
        ...

    @property
    def example(self) -> tuple[Roll, Facts]:
        """A worked example of the system: dice at rest, and the context to score them with."""
        ...

    @property
    def sheet(self) -> tuple[Counter, ...]:
        """The counters of a new character, in display order."""
        ...

    @property
    def goes_with(self) -> Mapping[str, str]:
        """The attribute that each skill is rolled with, by their names on a sheet; empty if the table chooses."""
        ...

    @property
    def rests(self) -> Mapping[str, tuple[Kind, ...]]:
        """The rests that restore whole kinds of counters, by name; empty if there are none."""
        ...

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The choices before a roll, in display order."""
        ...

    @property
    def asks(self) -> tuple[Question, ...]:
        """A table's questions besides rolls: operations of `answer` whose consequences a sheet may get."""
        ...

    @property
    def extended_tests(self) -> tuple[ExtendedTest, ...]:
        """Tests over several physical rolls; empty if there are none."""
        ...

    @property
    def typed_levels(self) -> tuple[str, ...]:
        """Levels of manual dice, whose faces a person enters; empty if there are none."""
        ...

    @property
    def base_dice(self) -> int:
        """Usual number of base dice in a roll; 0 if there is none."""
        ...

    @property
    def exploding_key(self) -> str | None:
        """The context's key for the later throws of an exploding die, while an outcome's `pending` asks for it."""
        ...

    @property
    def roll_facts(self) -> tuple[Tile, ...]:
        """Keys of a roll's context that a table sets by hand if no roll was prepared, in display order."""
        ...

    @property
    def follow_on(self) -> Mapping[str, str]:
        """Keys of a push's context, by the facts of the previous push that supply their values."""
        ...

    @property
    def aims(self) -> tuple[Tile, ...]:
        """The tiles that set a roll's target, in display order; the person who requests a roll sets them."""
        ...

    def aim(self, aim: Facts, hand: Hand, rulings: Facts) -> Aimed:
        """Apply a target to a requested roll: return its dice, and the facts that it is scored by.

        Args:
            aim: Values by the names of `aims`.
            hand: The dice that were named; if none were, a target in dice changes nothing.

        Raises:
            BadRequest: The target is unknown, has an invalid value, or does not fit these dice.
        """
        ...

    def margin(self, facts: Facts, context: Facts) -> int | None:
        """Return by how much a scored roll reached its target, negative if it missed; None if the rules do not count.

        Args:
            facts: The facts of the outcome.
            context: The context that it was scored with.
        """
        ...

    def compare(self, first: int, second: int, rulings: Facts) -> Compared | None:
        """Compare the counts of the two sides of an opposed roll; None if the rules have no such roll."""
        ...

    def pool_counts(self, counts: tuple[int, ...], aim: Facts, rulings: Facts) -> Pooled | None:
        """Add up several people's counts and compare them with their target; None if the rules have no such roll."""
        ...

    def prepare(self, tiles: Facts, sheet: Sheet | None, rulings: Facts) -> Prepared:
        """Return which dice to take for the chosen tiles.

        Args:
            tiles: Values by the names of `tiles`.
            sheet: Sheet whose counters they may name; None: numbers only.

        Raises:
            BadRequest: A tile is unknown or has an invalid value.
        """
        ...

    def pool_odds_request(self, pool: Mapping[str, int], levels: tuple[str, ...], context: Facts) -> Facts:
        """Turn a declared pool into a request for its odds, without rulings.

        Args:
            pool: Dice by role that the camera reads.
            levels: Levels of the manual dice.
            context: Facts of the roll.
        """
        ...

    def consequences(self, facts: Facts, context: Facts) -> tuple[Consequence, ...]:
        """Return an answer's consequences for a sheet.

        Args:
            facts: The facts of a scored roll or of any other answer.
            context: Its context; `gear_name` names the object that was used.
        """
        ...

    def report(self, facts: Facts, context: Facts) -> Report:
        """Describe what an outcome means, for a display.

        Args:
            facts: Of an outcome, perhaps stored by an older version.
            context: The context that it was scored with.
        """
        ...

    def score(self, dice: Roll, context: Facts, rulings: Facts) -> Outcome | IllegalPlay:
        """Score dice at rest before any push.

        Raises:
            BadRequest: Context, rulings or dice are not valid in this system.
        """
        ...

    def push(self, before: Roll, after: Roll, context: Facts, rulings: Facts) -> Outcome | IllegalPlay:
        """Score the whole table after a push, or return how it broke the rules.

        Raises:
            BadRequest: As in `score`.
        """
        ...

    def answer(self, op: str, request: Facts) -> Facts:
        """Answer one request of the contract's section 5 (without its id); `{"illegal": ...}` included.

        Raises:
            BadRequest: The request cannot be understood.
        """
        ...

    def odds(self, request: Facts) -> Facts:
        """Answer one request of the contract's section 6 exactly, as fractions.

        Raises:
            BadRequest: The request cannot be understood.
        """
        ...


DEFAULT_SYSTEM_ID: Final = "push-pool"
"""The system of a tray without one in its settings; also the first in every list."""


@cache
def systems() -> tuple[RuleSystem, ...]:
    """Return every rule system, the default first, then by id.

    Every module of this package that ends in `SYSTEM = ...` is one; a new system is one new file.
    """
    found: list[RuleSystem] = []
    for module in pkgutil.iter_modules(rules.__path__, prefix="rules."):
        system: RuleSystem | None = getattr(importlib.import_module(module.name), "SYSTEM", None)
        if system is not None:
            found.append(system)
    return tuple(sorted(found, key=lambda system: (system.id != DEFAULT_SYSTEM_ID, system.id)))


def find_system(system_id: str) -> RuleSystem:
    """Return the rule system of that id.

    Raises:
        BadRequest: There is none; the message lists the existing ones.
    """
    for system in systems():
        if system.id == system_id:
            return system
    shown = ascii(system_id) if len(system_id) <= 40 else "a text of " + str(len(system_id)) + " characters"
    raise BadRequest(f"system {shown} is unknown: give one of {', '.join(system.id for system in systems())}")
