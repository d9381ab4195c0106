"""hits-pool: a pool of d6 whose fives and sixes are hits, which are compared with a threshold.

Rule ids in the comments (A1 to D13) are those of the project's own list of this system's rules.
"""

from collections.abc import Mapping
from math import floor
from typing import Final

from rules.asking import Aimed, Compared, Hand, Pooled
from rules.dice import Role, Roll, lay
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.hits_checks import (
    CHECK_RULINGS,
    Fatigue,
    answer_check,
    answer_falling,
    answer_level,
    answer_march,
    answer_recovery,
    rest_consequences,
)
from rules.hits_critical import CRITICAL_RULINGS, CriticalRules, read_critical_rules
from rules.hits_pool_odds import answer_odds
from rules.hits_pool_tiles import AIMS, ASKS, EXTENDED_TESTS, TILES, pool_odds_request, prepared_roll, read_pool_context
from rules.marks import Mark
from rules.odds import Odds
from rules.outcome import NO_PUSH, Outcome, Ruling
from rules.report import Line, OddsLine, Report, Tone, amount, counted, flagged
from rules.request import MAX_DICE, Fields, show_value
from rules.rulebook import RuleSystem, without_rulings
from rules.rulings import ActiveRulings, yes_or_no
from rules.sheet import Consequence, Counter, Kind
from rules.tiles import Inputs, Prepared

MAX_ROLLED: Final = 20
"""Greatest number of dice rolled at once (A3)."""
UNCAPPED_ROLLS: Final = ("dv", "soak")
CHANCE_DIE_HITS_ON: Final = 6
MAX_POOL: Final = 1000
MAX_HITS: Final = 1000

RULINGS: Final = (
    Ruling(name="hit_on", default=5, choices=(4, 5, 6)),
    Ruling(name="chance_die", default="at_zero", choices=("at_zero", "below_zero")),
    Ruling(name="dodge_rounding", default="floor", choices=("floor", "nearest", "up")),
    Ruling(name="split_penalties", default="before", choices=("before", "per_part")),
    yes_or_no("draw_meets_threshold", default=True),
    *CRITICAL_RULINGS,
    *CHECK_RULINGS,
)


ATTRIBUTES: Final = ("body", "agility", "savvy", "grit")

SKILL_ATTRIBUTES: Final[Mapping[str, str]] = {
    "athletics": "body",
    "endurance": "body",
    "accuracy": "agility",
    "acrobatics": "agility",
    "sneak": "agility",
    "detection": "savvy",
    "medic": "savvy",
    "security": "savvy",
    "willpower": "grit",
}
"""Skills that the rule text names, as dice added to an attribute (A1)."""

SHEET: Final = (
    *(Counter(name, Kind.ATTRIBUTE, now=3, most=MAX_ROLLED) for name in ATTRIBUTES),
    *(Counter(name, Kind.SKILL, now=0, most=MAX_ROLLED) for name in SKILL_ATTRIBUTES),
    Counter("HP", Kind.HP, now=10, most=10),
    Counter("power", Kind.POWER, now=10, most=10),
    *(Counter(level.value, Kind.FATIGUE, now=0) for level in Fatigue),
    Counter("recovery pool", Kind.RESOURCE, now=3, most=3),
    Counter("XP", Kind.XP, now=0),
    Counter("perk points", Kind.RESOURCE, now=0, most=1),
)
"""A new character; the table sets hit points, power and the recovery pool."""

BEST: Final[Mapping[str, Mapping[str, int]]] = {
    key: {key: 5, **{skill: 3 if goes_with == key else 1 for skill, goes_with in SKILL_ATTRIBUTES.items()}}
    for key in ATTRIBUTES
}
"""Characters with more dice in one attribute and its skills; the rule text has no budget for new ones."""


def build_pool(context: Fields, settled: ActiveRulings) -> Facts:
    """Return how many dice to take after penalties and the cap, and which faces hit.

    Raises:
        BadRequest: There is neither a pool nor an agility to dodge with, or a number is out of range.
    """
    total = _read_pool(context, settled) - sum(context.integers("penalties", 0, MAX_POOL))
    roll = context.raw("roll")
    if roll is not None and not isinstance(roll, str):
        raise BadRequest(f"{context.path('roll')} is {show_value(roll)}: give the roll's name, as in soak")
    uncapped = isinstance(roll, str) and roll.lower() in UNCAPPED_ROLLS
    return {**_take(total, settled, uncapped=uncapped), "total": total}


def split_pool(context: Fields, settled: ActiveRulings) -> Facts:
    """Split a pool evenly over several actions, smaller parts first (A2); each part is capped (A3).

    Raises:
        BadRequest: Pool or parts are out of range.
    """
    pool = _read_pool(context, settled)
    count = context.integer("parts", 1, MAX_DICE)
    penalty = sum(context.integers("penalties", 0, MAX_POOL))
    per_part = settled["split_penalties"] == "per_part"
    small, larger = divmod(pool if per_part else pool - penalty, count)
    sizes = [small] * (count - larger) + [small + 1] * larger
    left = [size - (penalty if per_part else 0) for size in sizes]
    taken = [_take(part, settled, uncapped=False) for part in left]
    return {
        "parts": [min(MAX_ROLLED, max(0, part)) for part in left],
        "dice": [part["dice"] for part in taken],
        "chance_dice": [part["chance_die"] for part in taken],
    }


def add_extended(context: Fields) -> Facts:
    """Add up the rolls of an extended test until its target is reached or its time is up (B6).

    A roll may be a list: the hits of a group in one check (B7). Rolls after the end of the test do not count.

    Raises:
        BadRequest: A number is out of range.
    """
    target = context.integer("target", 1, MAX_HITS)
    limit = context.optional_integer("limit", 1, MAX_DICE)
    rolls = Fields({"rolls": context.raw("rolls")}, "context")
    hits: list[int] = []
    for place, value in enumerate(rolls.sequence("rolls")):
        part = Fields({"rolls": value if isinstance(value, list) else [value]}, f"context.rolls[{place}]")
        hits.append(sum(part.integers("rolls", 0, MAX_HITS)))
    total = checks = 0
    while checks < len(hits) and total < target and (limit is None or checks < limit):
        total += hits[checks]
        checks += 1
    done = total >= target
    return {
        "total": total,
        "checks": checks,
        "done": done,
        "failed": not done and limit is not None and checks >= limit,
        "remaining": max(0, target - total),
        "checks_left": None if limit is None else limit - checks,
    }


def add_group(context: Fields, settled: ActiveRulings) -> Facts:
    """Add up the hits of several people in one test (B7).

    Raises:
        BadRequest: A number is out of range.
    """
    total = sum(context.integers("rolls", 0, MAX_HITS))
    threshold = context.optional_integer("threshold", 0, MAX_HITS)
    return {"total": total, **compare_hits(total, threshold, draw_meets=settled["draw_meets_threshold"] is True)}


def compare_opposed(context: Fields) -> Facts:
    """Compare the hits of two sides; a draw is a partial success for both (B4).

    Raises:
        BadRequest: A number is out of range.
    """
    margin = context.integer("side", 0, MAX_HITS) - context.integer("other", 0, MAX_HITS)
    result = "draw" if margin == 0 else "win" if margin > 0 else "lose"
    return {"result": result, "margin": abs(margin), "partial_for_both": margin == 0}


def resolve_attack(context: Fields) -> Facts:
    """Return whether an attack hits and how hard: a draw hits without extra damage, each net hit adds one (B4, B5).

    Raises:
        BadRequest: A number is out of range.
    """
    net = context.integer("hits", 0, MAX_HITS) - context.integer("threshold", 0, MAX_HITS)
    damage = context.integer("dv", 0, MAX_HITS)
    return {"hit": net >= 0, "dv": damage + net if net >= 0 else 0, "net_hits": max(0, net)}


def compare_hits(hits: int, threshold: int | None, *, draw_meets: bool) -> dict[str, JsonValue]:
    """Compare hits with a threshold (B2, B3); without one all facts are null."""
    if threshold is None:
        return {"outcome": None, "meets_threshold": None, "net_hits": None, "net_misses": None}
    outcome = "draw" if hits == threshold else "success" if hits > threshold else "fail"
    return {
        "outcome": outcome,
        "meets_threshold": outcome == "success" or (outcome == "draw" and draw_meets),
        "net_hits": max(0, hits - threshold),
        "net_misses": max(0, threshold - hits),
    }


def _read_pool(context: Fields, settled: ActiveRulings) -> int:
    """Read the pool before penalties; a dodge is a third of agility plus one (A1), plus the pool if given."""
    agility = context.optional_integer("agility", 0, MAX_POOL)
    if agility is None:
        return context.integer("pool", -MAX_POOL, MAX_POOL)
    bonus = context.integer("pool", -MAX_POOL, MAX_POOL, default=0)
    match settled["dodge_rounding"]:
        case "up":
            dodge = -(-(1 + agility) // 3)
        case "nearest":
            dodge = floor((1 + agility) / 3 + 0.5)
        case _:
            dodge = (1 + agility) // 3
    return dodge + bonus


def _take(total: int, settled: ActiveRulings, *, uncapped: bool) -> dict[str, JsonValue]:
    """Turn the remaining pool into dice: one chance die for an empty pool (A4), at most twenty (A3)."""
    if total == 0 and settled["chance_die"] == "below_zero":
        return {"dice": 0, "chance_die": False, "hit_on": int(settled["hit_on"])}
    if total <= 0:
        return {"dice": 1, "chance_die": True, "hit_on": CHANCE_DIE_HITS_ON}
    dice = total if uncapped else min(MAX_ROLLED, total)
    return {"dice": dice, "chance_die": False, "hit_on": int(settled["hit_on"])}


def _check_dice(dice: Roll) -> None:
    if not dice:
        raise BadRequest(f"there are no dice: give 1 to {MAX_DICE}")
    for die in dice:
        if die.sides != 6:
            text = f"die {show_value(die.id)} has {die.sides} sides: hits-pool is played with 6"
            raise BadRequest(text, "sides", die=f"d{die.sides}")


def _prepare(tapped: Inputs, settled: ActiveRulings) -> Prepared:
    context = read_pool_context(tapped)
    parts, place = tapped.number("parts"), tapped.number("part") - 1
    if parts == 1:
        answer = build_pool(Fields(context, "tiles"), settled)
        return prepared_roll(tapped, answer, answer)
    if place >= parts:
        text = f"part is {place + 1}: the pool is split into {parts}"
        raise BadRequest(text, "number", name="part", value=place + 1, low=1, high=parts)
    sizes = {**context, "parts": parts}
    answer = split_pool(Fields(sizes, "tiles"), settled)
    dice, chances = answer["dice"], answer["chance_dice"]
    if not isinstance(dice, list) or not isinstance(chances, list):
        raise TypeError("a split names its dice part by part")
    return prepared_roll(tapped, answer, {"dice": dice[place], "chance_die": chances[place]})


def _aim(tapped: Inputs, hand: Hand, _settled: ActiveRulings) -> Aimed:
    threshold = tapped.optional_number("threshold")
    return Aimed(hand, {} if threshold is None else {"threshold": threshold})


def _margin(facts: Fields, _context: Fields) -> int | None:
    net = facts.optional_integer("net_hits", 0, MAX_HITS)
    return None if net is None else net - facts.integer("net_misses", 0, MAX_HITS)


def _sides(first: int, second: int, _settled: ActiveRulings) -> Compared:
    answer = Fields(compare_opposed(Fields({"side": first, "other": second}, "context")), "answer")
    return Compared(answer.text("result"), answer.integer("margin", 0, MAX_HITS))


def _pooled(counts: tuple[int, ...], aim: Fields, settled: ActiveRulings) -> Pooled:
    answer = add_group(Fields({"rolls": [*counts], "threshold": aim.raw("threshold")}, "context"), settled)
    total, meets = answer["total"], answer["meets_threshold"]
    return Pooled(
        total if isinstance(total, int) else 0,
        meets if isinstance(meets, bool) else None,
        _margin(Fields(answer, "answer"), Fields({}, "context")),
    )


def _odds(request: Facts, _context: Fields, settled: ActiveRulings) -> Odds:
    return answer_odds(request, int(settled["hit_on"]), read_critical_rules(settled))


def _effects(answer: Fields, _context: Fields) -> tuple[Consequence, ...]:
    """Return the consequences of a check or a rest for a sheet: levels of fatigue, hit points, power."""
    fatigue = answer.optional_word("fatigue", [level.value for level in Fatigue])
    if fatigue is not None:
        return (Consequence(Kind.FATIGUE, by=1, name=fatigue),)
    if "recovers" not in answer:
        return ()
    return (*rest_consequences(answer),)


def _describe(facts: Facts, _context: Facts) -> Report:
    """Describe a roll: net hits or misses, criticals."""
    return Report(
        gains=(
            *counted(
                Line("net_hits", Tone.GOOD, amount(facts, "net_hits"), is_margin=True),
                Line("net_misses", Tone.BAD, amount(facts, "net_misses"), is_margin=True),
            ),
            *flagged(facts, "critical_hit", Tone.GOOD),
            *flagged(facts, "critical_miss", Tone.BAD),
        )
    )


def _score(dice: Roll, context: Fields, settled: ActiveRulings) -> Outcome:
    _check_dice(dice)
    chance_die = context.flag("chance_die")
    if chance_die and len(dice) != 1:
        text = f"there are {len(dice)} dice on a chance die: give the one die that is rolled"
        raise BadRequest(text, "chance_die")
    threshold = context.optional_integer("threshold", 0, MAX_HITS)
    hit_on = CHANCE_DIE_HITS_ON if chance_die else int(settled["hit_on"])
    hits = sum(1 for die in dice if die.value >= hit_on)
    rules: CriticalRules = read_critical_rules(settled)
    sixes = sum(1 for die in dice if die.value == 6)
    ones = sum(1 for die in dice if die.value == 1)
    critical_hit, critical_miss = rules.judge(
        dice=len(dice), sixes=sixes, ones=ones, hits=hits, threshold=threshold, chance_die=chance_die
    )
    compared = compare_hits(hits, threshold, draw_meets=settled["draw_meets_threshold"] is True)
    meets = compared["meets_threshold"]
    facts: dict[str, JsonValue] = {
        "hits": hits,
        **compared,
        "critical_hit": critical_hit,
        "critical_miss": critical_miss,
        "sixes": sixes,
        "ones": ones,
        "push": NO_PUSH.facts(),
    }
    return Outcome(
        facts=facts,
        locked=(),
        must_reroll=(),
        push=NO_PUSH,
        headline=(hits, "hit" if hits == 1 else "hits"),
        success=meets if isinstance(meets, bool) else None,
        marks={
            die.id: Mark.COUNTED
            if die.value >= hit_on
            else Mark.COST
            if critical_miss and die.value == 1
            else Mark.NOTHING
            for die in dice
        },
    )


SYSTEM: Final = RuleSystem(
    id="hits-pool",
    rulings=RULINGS,
    pool_roles=(Role.PLAIN,),
    example=(lay((Role.PLAIN, 6), (Role.PLAIN, 5), (Role.PLAIN, 3), (Role.PLAIN, 2)), {"threshold": 2}),
    sheet=SHEET,
    best=BEST,
    tops={Kind.ATTRIBUTE: MAX_ROLLED, Kind.SKILL: MAX_ROLLED},
    goes_with=SKILL_ATTRIBUTES,
    tiles=TILES,
    asks=ASKS,
    extended_tests=EXTENDED_TESTS,
    prepare_tapped=_prepare,
    score_dice=_score,
    operations={
        "pool": build_pool,
        "split": split_pool,
        "extended": without_rulings(add_extended),
        "group": add_group,
        "opposed": without_rulings(compare_opposed),
        "attack": without_rulings(resolve_attack),
        "falling": answer_falling,
        "march": without_rulings(answer_march),
        "check": answer_check,
        "recovery": without_rulings(answer_recovery),
        "level": without_rulings(answer_level),
    },
    exact_odds=_odds,
    effects=_effects,
    reporter=_describe,
    odds_lines=(
        OddsLine("p_success"),
        OddsLine("p_draw"),
        OddsLine("p_critical_hit"),
        OddsLine("p_critical_miss", Tone.BAD),
        OddsLine("p_hits_at_least", counts=(1, 2, 3, 4, 5, 6)),
        OddsLine("expected_hits", Tone.MEAN),
    ),
    odds_question=pool_odds_request,
    aims=AIMS,
    aim_tapped=_aim,
    margin_of=_margin,
    sides=_sides,
    pooled=_pooled,
)
