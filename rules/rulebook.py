"""A rule system assembled from its data and functions, with the parts that all systems share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from rules.asking import Aimed, Compared, Hand, Pooled
from rules.dice import Role, Roll
from rules.errors import BadRequest
from rules.facts import Facts
from rules.odds import Odds, as_texts
from rules.outcome import IllegalPlay, Outcome, PushReason, Ruling, as_facts
from rules.report import OddsLine, Report, Reporter
from rules.request import Fields, read_dice, read_facts, show_value
from rules.rulings import ActiveRulings, read_request, resolve_rulings
from rules.sheet import Consequence, Counter, Kind, Sheet
from rules.tiles import ExtendedTest, Inputs, Prepared, Question, Tile

Scorer: TypeAlias = Callable[[Roll, Fields, ActiveRulings], Outcome | IllegalPlay]
"""Scores dice at rest with a context and the active rulings."""
Pusher: TypeAlias = Callable[[Roll, Roll, Fields, ActiveRulings], Outcome | IllegalPlay]
"""Scores the whole table after a push, given the table before it."""
Operation: TypeAlias = Callable[[Fields, ActiveRulings], Facts]
"""Answers a question without dice, from a context and the active rulings."""


def without_rulings(answer: Callable[[Fields], Facts]) -> Operation:
    """Turn a function that needs no rulings into an operation."""
    return lambda context, _settled: answer(context)


def no_aim(_tapped: Inputs, hand: Hand, _settled: ActiveRulings) -> Aimed:
    """Return a hand unchanged: it has no target."""
    return Aimed(hand)


def ask_for_pool(pool: Mapping[str, int], _levels: tuple[str, ...], _context: Facts) -> Facts:
    """Return the request for the odds of a declared pool, unchanged."""
    return {"pool": dict(pool)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RuleSystem:
    """One rule system. Every method is pure; `rulings` overrides defaults by name.

    Attributes:
        id: The system's name in the contract, as in `push-pool`.
        rulings: All house rulings, in display order.
        pool_roles: Roles that a declared pool counts, in display order.
        example: A worked example: dice at rest, and the context to score them with.
        sheet: Counters of a new character, in display order.
        best: Values of ready characters, by the counter that each is best at; other counters are as in `sheet`.
        tops: Highest value of each kind of counter; a kind without one has no limit.
        scale: How values of attributes and skills are written, from 0 on, as in `d10`; empty if as numbers.
        goes_with: Attribute that each skill is rolled with, by their names on a sheet; empty if the table chooses.
        tiles: Choices before a roll, in display order.
        roll_facts: Keys of a roll's context that a table sets by hand if no roll was prepared.
        asks: Questions besides rolls: operations of `answer` whose consequences a sheet may get.
        example_pool: Dice that a simulated hand throws without a chosen pool; if empty, plain dice.
        follow_on: Keys of a push's context, by the facts of the previous push that supply their values.
        aims: Tiles that set a roll's target; the person who requests a roll sets them.
        rests: Rests that restore whole kinds of counters, by name; empty if there are none.
        extended_tests: Tests over several physical rolls; empty if there are none.
        typed_levels: Levels with more than six sides: entered by hand unless the camera reads the die; empty if none.
        base_dice: Usual number of base dice in a roll; 0 if there is none.
        exploding_key: Key of the context for the later throws of an exploding die; None if no die explodes.
        push_dice: Function that scores a push; None if this system has no push.
        effects: Function that returns an answer's consequences for a sheet, from its facts and context.
        sides: Function that compares the counts of two sides; it returns None if the rules have no such roll.
        pooled: Function that adds up several people's counts for a target; it returns None if the rules have no such
            roll.
    """

    id: str
    rulings: tuple[Ruling, ...]
    pool_roles: tuple[Role, ...]
    example: tuple[Roll, Facts]
    sheet: tuple[Counter, ...]
    best: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    tops: Mapping[Kind, int] = field(default_factory=dict)
    scale: tuple[str, ...] = ()
    goes_with: Mapping[str, str] = field(default_factory=dict)
    rests: Mapping[str, tuple[Kind, ...]] = field(default_factory=dict)
    tiles: tuple[Tile, ...] = ()
    roll_facts: tuple[Tile, ...] = ()
    asks: tuple[Question, ...] = ()
    extended_tests: tuple[ExtendedTest, ...] = ()
    typed_levels: tuple[str, ...] = ()
    base_dice: int = 0
    exploding_key: str | None = None
    prepare_tapped: Callable[[Inputs, ActiveRulings], Prepared]
    score_dice: Scorer
    push_dice: Pusher | None = None
    other_rolls: Mapping[str, Scorer] = field(default_factory=dict)
    operations: Mapping[str, Operation] = field(default_factory=dict)
    exact_odds: Callable[[Facts, Fields, ActiveRulings], Odds]
    effects: Callable[[Fields, Fields], tuple[Consequence, ...]]
    reporter: Reporter = lambda _facts, _context: Report()
    odds_lines: tuple[OddsLine, ...] = ()
    example_pool: Mapping[Role, int] = field(default_factory=dict)
    odds_question: Callable[[Mapping[str, int], tuple[str, ...], Facts], Facts] = ask_for_pool
    follow_on: Mapping[str, str] = field(default_factory=dict)
    aims: tuple[Tile, ...] = ()
    aim_tapped: Callable[[Inputs, Hand, ActiveRulings], Aimed] = no_aim
    margin_of: Callable[[Fields, Fields], int | None] = lambda _facts, _context: None
    sides: Callable[[int, int, ActiveRulings], Compared | None] = lambda _first, _second, _settled: None
    pooled: Callable[[tuple[int, ...], Fields, ActiveRulings], Pooled | None] = lambda _counts, _aim, _settled: None

    @property
    def has_push(self) -> bool:
        """Whether any roll of this system may be pushed."""
        return self.push_dice is not None

    @property
    def full_kinds(self) -> frozenset[Kind]:
        """Kinds whose `most` is a character's own full value, which harm takes from; not a limit of the rules."""
        limited = {one.kind for one in self.sheet if one.most is not None and one.most == self.tops.get(one.kind)}
        return frozenset(Kind) - limited

    def new_counters(self, best: str | None) -> tuple[Counter, ...]:
        """Return the counters of a new character.

        Args:
            best: Counter that the character is best at; None for a blank sheet.

        Raises:
            BadRequest: No ready character is best at that.
        """
        if best is None:
            return self.sheet
        if best not in self.best:
            known = ", ".join(self.best)
            raise BadRequest(
                f"best is {show_value(best)}: give one of {known}", "choice", name="best", choices=[*self.best]
            )
        full = self.full_kinds
        return tuple(
            replace(one, now=value, most=value if one.kind in full and one.most is not None else one.most)
            for one in self.sheet
            for value in (self.best[best].get(one.name, one.now),)
        )

    def prepare(self, tiles: Facts, sheet: Sheet | None, rulings: Facts) -> Prepared:
        """Return which dice to take for the chosen tiles.

        Args:
            sheet: Sheet whose counters the tiles may name; None: numbers only.

        Raises:
            BadRequest: A tile is unknown or has an invalid value.
        """
        return self.prepare_tapped(Inputs(tiles, self.tiles, sheet), resolve_rulings(self.rulings, rulings))

    def aim(self, aim: Facts, hand: Hand, rulings: Facts) -> Aimed:
        """Apply a target to a requested roll: return its dice, and the facts that it is scored by.

        Args:
            hand: The dice that were named; if none were, a target in dice changes nothing.

        Raises:
            BadRequest: The target is unknown, has an invalid value, or does not fit these dice.
        """
        return self.aim_tapped(Inputs(aim, self.aims, None), hand, resolve_rulings(self.rulings, rulings))

    def margin(self, facts: Facts, context: Facts) -> int | None:
        """Return by how much a roll reached its target, negative if it missed; None if the rules do not count that."""
        return self.margin_of(Fields(facts, "facts"), Fields(context, "context"))

    def compare(self, first: int, second: int, rulings: Facts) -> Compared | None:
        """Compare the counts of two sides; None if the rules have no such roll."""
        return self.sides(first, second, resolve_rulings(self.rulings, rulings))

    def pool_counts(self, counts: tuple[int, ...], aim: Facts, rulings: Facts) -> Pooled | None:
        """Add up the counts of several people; None if the rules have no such roll."""
        return self.pooled(counts, Fields(aim, "aim"), resolve_rulings(self.rulings, rulings))

    def pool_odds_request(self, pool: Mapping[str, int], levels: tuple[str, ...], context: Facts) -> Facts:
        """Turn a declared pool into a request for its odds, without rulings."""
        return self.odds_question(pool, levels, context)

    def consequences(self, facts: Facts, context: Facts) -> tuple[Consequence, ...]:
        """Return an answer's consequences for a sheet."""
        return self.effects(Fields(facts, "facts"), Fields(context, "context"))

    def report(self, facts: Facts, context: Facts) -> Report:
        """Describe what an outcome means, for a display."""
        return self.reporter(facts, context)

    def score(self, dice: Roll, context: Facts, rulings: Facts) -> Outcome | IllegalPlay:
        """Score dice at rest before any push.

        Raises:
            BadRequest: A die's role or shape does not exist in this system, or context or rulings are wrong.
        """
        return self.score_dice(dice, Fields(context, "context"), resolve_rulings(self.rulings, rulings))

    def push(self, before: Roll, after: Roll, context: Facts, rulings: Facts) -> Outcome | IllegalPlay:
        """Score the whole table after a push, or return how it broke the rules.

        Raises:
            BadRequest: As in `score`.
        """
        if self.push_dice is None:
            return IllegalPlay(reason=PushReason.SYSTEM_HAS_NO_PUSH.value)
        return self.push_dice(before, after, Fields(context, "context"), resolve_rulings(self.rulings, rulings))

    def answer(self, op: str, request: Facts) -> Facts:
        """Answer one request of the contract's section 5 (without its id).

        Raises:
            BadRequest: The request cannot be understood.
        """
        if op == "push" and self.push_dice is None:
            return {"illegal": PushReason.SYSTEM_HAS_NO_PUSH.value}
        context, settled = read_request(self.rulings, request)
        if op == "push" and self.push_dice is not None:
            before, after = read_dice(request, "dice"), read_dice(request, "after_push")
            return as_facts(self.push_dice(before, after, context, settled))
        rolls = {"score": self.score_dice, **self.other_rolls}
        if op in rolls:
            return as_facts(rolls[op](read_dice(request, "dice"), self._with_exploding(context, request), settled))
        if op in self.operations:
            return self.operations[op](context, settled)
        known = [*rolls, *(() if self.push_dice is None else ("push",)), *self.operations]
        raise BadRequest(f"op is {show_value(op)}: {self.id} answers {', '.join(known[:-1])} and {known[-1]}")

    def odds(self, request: Facts) -> Facts:
        """Answer one request of the contract's section 6 exactly, as fractions.

        Raises:
            BadRequest: The request cannot be understood.
        """
        context, settled = read_request(self.rulings, request)
        return as_texts(self.exact_odds(request, context, settled))

    def _with_exploding(self, context: Fields, request: Facts) -> Fields:
        """Move the throws of an exploding die next to the dice, as in the contract."""
        if self.exploding_key is None or request.get(self.exploding_key) is None:
            return context
        facts = read_facts(request.get("context"), "context")
        return Fields({**facts, self.exploding_key: request[self.exploding_key]}, "context")
