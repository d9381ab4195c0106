"""What every rule system offers, and the registry of them.

A system is one module that ends in `SYSTEM = ...`, an object with the shape of `RuleSystem`. `device` and the web
display speak to systems through this shape alone. A system has names and no words for people: those stand in the
catalogues of texts of `device`.
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
    """Why a roll may be pushed or not; the words of the outside contract."""

    OK = "ok"
    ALREADY_PUSHED = "already_pushed"
    NOTHING_TO_REROLL = "nothing_to_reroll"
    PASSIVE_ROLL = "passive_roll"
    SYSTEM_HAS_NO_PUSH = "system_has_no_push"


@dataclass(frozen=True, slots=True)
class PushVerdict:
    """May this roll be pushed (again)?

    Attributes:
        eligible: Whether the roll may be pushed.
        reason: Why it may be pushed or not.
    """

    eligible: bool
    reason: PushReason

    def facts(self) -> dict[str, JsonValue]:
        """Return the verdict as the outside contract has it."""
        return {"eligible": self.eligible, "reason": self.reason.value}


NO_PUSH: Final = PushVerdict(eligible=False, reason=PushReason.SYSTEM_HAS_NO_PUSH)
"""The verdict of every roll in a system that knows no push."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One house ruling: a place where the rule text leaves a choice. What it changes stands in the catalogues of texts.

    Attributes:
        name: Name of the switch in `rulings` of a request, as in `skill_ones_locked`.
        default: The choice when the table has not chosen.
        choices: Every allowed value; empty means any integer within `low` and `high`.
        low: Smallest allowed integer where `choices` is empty.
        high: Largest allowed integer where `choices` is empty.
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
        facts: Every key of the outside contract's result for this system and operation, ready for JSON.
        locked: Ids of dice that would stay on a push.
        must_reroll: Ids of dice that would have to be thrown again.
        push: Whether the roll may be pushed now.
        headline: The one number a display shows large, and its word: (2, "successes").
        success: Whether the roll reached its aim; None where the system has no such notion.
        marks: What each die did; empty for an outcome that an earlier version kept.
    """

    facts: Facts
    locked: tuple[str, ...]
    must_reroll: tuple[str, ...]
    push: PushVerdict
    headline: tuple[int, str]
    success: bool | None
    marks: Marks = field(default_factory=dict)

    def mark_of(self, die_id: str) -> str | None:
        """What a die did, as a word of `Mark`; None where the outcome does not say so."""
        mark = self.marks.get(die_id)
        return None if mark is None else str(mark)


@dataclass(frozen=True, slots=True)
class IllegalPlay:
    """The rules forbid what was done: the reason in the contract's words, and the dice that show it.

    Attributes:
        reason: The reason, in the contract's words.
        dice: Ids of the dice that show it.
    """

    reason: str
    dice: tuple[str, ...] = ()


def as_facts(answer: Outcome | IllegalPlay) -> Facts:
    """Return what the outside contract answers: the facts of a scored roll, or the rule that was broken."""
    if isinstance(answer, IllegalPlay):
        return {"illegal": answer.reason, "dice": list(answer.dice)}
    return answer.facts


class RuleSystem(Protocol):
    """One rule system. Every method is pure; `rulings` overrides defaults by name."""

    @property
    def id(self) -> str:
        """The system's name in the outside contract, as in `push-pool`."""
        ...

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """Every house ruling, in the order a page would show them."""
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
        """Dice that a simulated hand throws where nobody has chosen any; a pool of plain dice where it is empty."""
        ...

    @property
    def odds_lines(self) -> tuple[OddsLine, ...]:
        """The rows of `odds` that a display shows, in order."""
        ...

    @property
    def example(self) -> tuple[Roll, Facts]:
        """A worked example that shows what the system looks like: dice at rest, and the context to score them with."""
        ...

    @property
    def sheet(self) -> tuple[Counter, ...]:
        """The counters of a new character, in display order."""
        ...

    @property
    def goes_with(self) -> Mapping[str, str]:
        """The attribute that a skill is rolled with, by their names on a sheet; empty where a table chooses."""
        ...

    @property
    def rests(self) -> Mapping[str, tuple[Kind, ...]]:
        """The rests that restore whole kinds of counters, by name; empty where there are none."""
        ...

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """What a table taps together before a roll, in display order."""
        ...

    @property
    def asks(self) -> tuple[Question, ...]:
        """What a table asks beside rolls: operations of `answer` whose consequences a sheet may carry."""
        ...

    @property
    def extended_tests(self) -> tuple[ExtendedTest, ...]:
        """Tests that run over several physical rolls; empty where there are none."""
        ...

    @property
    def typed_levels(self) -> tuple[str, ...]:
        """Levels of dice that no camera reads, so that a person types their faces in; empty where there are none."""
        ...

    @property
    def base_dice(self) -> int:
        """Number of base dice that a roll has as a rule; 0 where there is no such number."""
        ...

    @property
    def exploding_key(self) -> str | None:
        """The context's key for the later throws of a die that goes on, while an outcome's `pending` asks for it."""
        ...

    @property
    def roll_facts(self) -> tuple[Tile, ...]:
        """Keys of a roll's context that a table sets by hand where no roll was prepared, in display order."""
        ...

    @property
    def follow_on(self) -> Mapping[str, str]:
        """Keys of a push's context by the facts of the push before it that they stand at then."""
        ...

    @property
    def aims(self) -> tuple[Tile, ...]:
        """The tiles that say what a roll is measured by, in display order; whoever asks for a roll sets them."""
        ...

    def aim(self, aim: Facts, hand: Hand, rulings: Facts) -> Aimed:
        """Say what an aim makes of a roll that somebody asks for: its dice, and the facts that it is scored by.

        Args:
            aim: Values by the names of `aims`.
            hand: The dice that were named; where none were, an aim that is dice changes nothing.
            rulings: As everywhere.

        Raises:
            BadRequest: The aim is unknown, its value makes no sense, or it does not fit these dice.
        """
        ...

    def margin(self, facts: Facts, context: Facts) -> int | None:
        """By how much a scored roll reached its aim, below zero where it missed it; None where the rules do not count.

        Args:
            facts: The facts of the outcome.
            context: The context that it was scored with.
        """
        ...

    def compare(self, first: int, second: int, rulings: Facts) -> Compared | None:
        """Hold what the two sides of an opposed roll count against each other; None: the rules have no such roll."""
        ...

    def pool_counts(self, counts: tuple[int, ...], aim: Facts, rulings: Facts) -> Pooled | None:
        """Add up what several people count, and hold it against their aim; None: the rules have no such roll."""
        ...

    def prepare(self, tiles: Facts, sheet: Sheet | None, rulings: Facts) -> Prepared:
        """Say which dice to take for what was tapped.

        Args:
            tiles: Values by the names of `tiles`.
            sheet: Whose counters they may name; None: numbers only.
            rulings: As everywhere.

        Raises:
            BadRequest: A tile is unknown, or its value makes no sense.
        """
        ...

    def pool_odds_request(self, pool: Mapping[str, int], levels: tuple[str, ...], context: Facts) -> Facts:
        """Turn a declared pool into a request for its odds, without rulings.

        Args:
            pool: Dice by role, those that the camera reads.
            levels: Levels of the dice that are typed in.
            context: Facts of the roll.
        """
        ...

    def consequences(self, facts: Facts, context: Facts) -> tuple[Consequence, ...]:
        """Say what an answer of this system does to a sheet.

        Args:
            facts: The facts of a scored roll or of any other answer.
            context: The context that it was asked with; `gear_name` names the object that was used.
        """
        ...

    def report(self, facts: Facts, context: Facts) -> Report:
        """Describe what an outcome means, for a display.

        Args:
            facts: Of an outcome, perhaps one that an older version stored.
            context: The context that it was scored with.
        """
        ...

    def score(self, dice: Roll, context: Facts, rulings: Facts) -> Outcome | IllegalPlay:
        """Score dice at rest, before any push.

        Raises:
            BadRequest: Context, rulings or dice make no sense for this system.
        """
        ...

    def push(self, before: Roll, after: Roll, context: Facts, rulings: Facts) -> Outcome | IllegalPlay:
        """Score the whole table after a push, or say how the push broke the rules.

        Raises:
            BadRequest: As in `score`.
        """
        ...

    def answer(self, op: str, request: Facts) -> Facts:
        """Answer one request of the outside contract's section 5 (without its id); `{"illegal": ...}` included.

        Raises:
            BadRequest: The request cannot be understood.
        """
        ...

    def odds(self, request: Facts) -> Facts:
        """Answer one request of the outside contract's section 6, exactly, as fractions.

        Raises:
            BadRequest: The request cannot be understood.
        """
        ...


DEFAULT_SYSTEM_ID: Final = "push-pool"
"""The system of a tray whose settings name none; it also comes first in every list."""


@cache
def systems() -> tuple[RuleSystem, ...]:
    """Return every rule system, the default one first, then by id.

    A module of this package that ends in `SYSTEM = ...` is one: a further system is one further file.
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
        BadRequest: There is none; the message lists those there are.
    """
    for system in systems():
        if system.id == system_id:
            return system
    shown = ascii(system_id) if len(system_id) <= 40 else "a text of " + str(len(system_id)) + " characters"
    raise BadRequest(f"system {shown} is unknown: give one of {', '.join(system.id for system in systems())}")
