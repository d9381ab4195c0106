"""step-dice: a skill die and an attribute die of 6 to 12 sides, plus ammo dice; one push, for which the ones cost.

Rule ids in the comments (A1 to F7) are those of the project's own list of this system's rules.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rules.asking import Aimed, Hand
from rules.dice import Die, Role, Roll
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.marks import Mark
from rules.odds import Odds
from rules.outcome import IllegalPlay, Outcome, Ruling
from rules.push import MAX_PUSHES, LockRule, PushCount, count_faces, find_illegal_play, judge_push, success_outcome
from rules.report import SUCCESS_ODDS, Line, Lines, OddsLine, Report, Tone, amount, counted, flagged, harm
from rules.request import LEVEL_SIDES, MAX_DICE, Fields, show_value
from rules.rulebook import RuleSystem, without_rulings
from rules.rulings import ActiveRulings, yes_or_no
from rules.sheet import MAX_VALUE, Consequence, Counter, Kind
from rules.step_dice_odds import OddsPlay, answer_odds
from rules.step_dice_tiles import (
    AIMS,
    ASKS,
    READ_LEVEL,
    TILES,
    TYPED_LEVELS,
    pool_odds_request,
    prepared_roll,
    read_pool_context,
    read_task,
)
from rules.step_tasks import answer_task
from rules.tiles import Inputs, Prepared

LEVELS: Final = tuple(LEVEL_SIDES)
"""Levels from the smallest die to the largest: D C B A."""

BODY_ATTRIBUTES: Final = ("STR", "AGL")
MIND_ATTRIBUTES: Final = ("INT", "EMP")

ADVANCE_COSTS: Final = {"D": 5, "C": 10, "B": 15, "A": 20}
"""Experience for reaching a level; D is a new skill. A is missing in the text and taken from public rules."""

SPECIALTY_COST: Final = 10
"""Experience for a specialty, which also needs a teacher's PERSUASION roll."""

MAX_BASE_DICE: Final = 2
MAX_HELPERS: Final = 3
MAX_MODIFIER: Final = 20
MAX_COUNTER: Final = 1000
"""Highest HP, reliability or price in a request."""
MAX_AMMO_SPENT: Final = 6 * MAX_DICE

AMMO: Final = "ammo"
"""The counter that shots are subtracted from: as many as the ammo dice show after the roll, pushed or not."""

RULINGS: Final = (
    yes_or_no("keep_success"),
    Ruling(name="ten_plus", default=2, choices=(2, 1)),
    Ruling(name="max_pushes", default=1, choices=(), low=1, high=10),
    yes_or_no("pay_old_ones", default=True),
    yes_or_no("ammo_sixes_locked", default=True),
    yes_or_no("jam_notice"),
)


SKILL_ATTRIBUTES: Final[Mapping[str, str]] = {
    "close combat": "STR",
    "stamina": "STR",
    "driving": "AGL",
    "ranged combat": "AGL",
    "recon": "INT",
    "survival": "INT",
    "command": "EMP",
    "persuasion": "EMP",
}
"""Skills that the rule text names, with the attribute of each."""

SHEET: Final = (
    *(Counter(name, Kind.ATTRIBUTE, now=1, most=len(LEVELS), least=1) for name in (*BODY_ATTRIBUTES, *MIND_ATTRIBUTES)),
    *(Counter(name, Kind.SKILL, now=0, most=len(LEVELS)) for name in SKILL_ATTRIBUTES),
    Counter("HP", Kind.HP, now=5, most=5),
    Counter("stress", Kind.STRESS, now=0),
    Counter("weapon", Kind.RELIABILITY, now=5, most=5),
    Counter(AMMO, Kind.RESOURCE, now=0),
    Counter("XP", Kind.XP, now=0),
)
"""A new character; attributes and skills count levels, 1 for D to 4 for A. The table sets HP and reliability."""

BEST: Final[Mapping[str, Mapping[str, int]]] = {
    key: {
        **dict.fromkeys((*BODY_ATTRIBUTES, *MIND_ATTRIBUTES), 2),
        key: 3,
        **{skill: 2 if goes_with == key else 1 for skill, goes_with in SKILL_ATTRIBUTES.items()},
    }
    for key in (*BODY_ATTRIBUTES, *MIND_ATTRIBUTES)
}
"""Characters with a d10 in one attribute and a d8 in its skills; the rule text has no budget for new ones."""


def read_levels(fields: Fields, name: str) -> tuple[str, ...]:
    """Read one or two levels, as in `["C", "D"]`.

    Raises:
        BadRequest: There are none or more than two, or one is not a level.
    """
    levels: list[str] = []
    for place, value in enumerate(fields.sequence(name)):
        if not isinstance(value, str) or value not in LEVEL_SIDES:
            raise BadRequest(f"{fields.path(name)}[{place}] is {show_value(value)}: give a level D, C, B or A")
        levels.append(value)
    if not 1 <= len(levels) <= MAX_BASE_DICE:
        raise BadRequest(f"{fields.path(name)} has {len(levels)} levels: give the attribute's, and the skill's if any")
    return tuple(levels)


def step_levels(levels: tuple[str, ...], modifier: int) -> tuple[str, ...]:
    """Step the dice of a pool by a modifier (A4), and return the largest first.

    A plus steps the smaller die up, or adds a d6 to a single die; a minus steps the larger die down and drops it below
    a d6. One d6 and two d12 are the limits.
    """
    ranks = sorted((LEVELS.index(level) for level in levels), reverse=True)
    for _ in range(abs(modifier)):
        if modifier > 0:
            if len(ranks) < MAX_BASE_DICE:
                ranks.append(0)
            else:
                ranks[-1] = min(ranks[-1] + 1, len(LEVELS) - 1)
        elif ranks[0] > 0:
            ranks[0] -= 1
        elif len(ranks) > 1:
            ranks.pop(0)
        ranks.sort(reverse=True)
    return tuple(LEVELS[rank] for rank in ranks)


def build_pool(context: Fields) -> Facts:
    """Return which dice to take for one or two levels, a modifier and helpers.

    Raises:
        BadRequest: A level is unknown, or a number is out of range.
    """
    levels = read_levels(context, "dice")
    modifier = context.integer("modifier", -MAX_MODIFIER, MAX_MODIFIER, default=0)
    helpers = context.integer("helpers", 0, MAX_DICE, default=0)
    warnings: list[JsonValue] = ["too_many_helpers"] if helpers > MAX_HELPERS else []
    stepped = step_levels(levels, modifier + min(helpers, MAX_HELPERS))
    return {
        "dice": list(stepped),
        "sides": [LEVEL_SIDES[level] for level in stepped],
        "ammo": context.integer("ammo", 0, MAX_DICE, default=0),
        "warnings": warnings,
    }


def price_of_advance(context: Fields) -> Facts:
    """Return the cost of rising from one level to another, step by step.

    Rising from nothing is a new skill; `specialty` returns the cost of a specialty instead. `xp` in the context must
    cover the cost.

    Raises:
        BadRequest: A level is unknown, or the goal is not above the start.
    """
    if context.flag("specialty"):
        return _pay(SPECIALTY_COST, {}, context)
    aim = context.word("to", LEVELS)
    start = context.optional_word("from", LEVELS)
    first = 0 if start is None else LEVELS.index(start) + 1
    steps = LEVELS[first : LEVELS.index(aim) + 1]
    if not steps:
        raise BadRequest(f"{context.path('to')} is {aim}: give a level above {start}")
    prices = context.fields("costs")
    paid = {level: prices.integer(level, 0, MAX_COUNTER, default=ADVANCE_COSTS[level]) for level in steps}
    return _pay(sum(paid.values()), {**paid}, context)


def _pay(cost: int, steps: Facts, context: Fields) -> Facts:
    left = context.integer("xp", 0, MAX_VALUE, default=cost) - cost
    return {"illegal": "not_enough_xp", "cost": cost} if left < 0 else {"cost": cost, "steps": dict(steps)}


def _successes(value: int, ten_plus: int) -> int:
    return ten_plus if value >= 10 else int(value >= 6)  # B1, B2


def _check_dice(dice: Roll) -> None:
    for die in dice:
        if die.role not in (Role.BASE, Role.AMMO):
            raise BadRequest(f"die {show_value(die.id)} has role {die.role.value}: step-dice scores base and ammo dice")
        allowed = (6,) if die.role is Role.AMMO else tuple(LEVEL_SIDES.values())
        if die.sides not in allowed:
            sides = ", ".join(str(number) for number in allowed)
            text = f"die {show_value(die.id)} has {die.sides} sides: a {die.role.value} die has {sides}"
            raise BadRequest(text, "sides", die=f"d{die.sides}")
    if not any(die.role is Role.BASE for die in dice):
        raise BadRequest("there is no base die: give the attribute's die at least", "no_base_die")


def _lock_rule(settled: ActiveRulings) -> LockRule:
    """Return the rule for faces that stay on a push (C2, C3, F1, F3)."""
    ammo = frozenset({1, 6}) if settled["ammo_sixes_locked"] is True else frozenset({1})
    faces = (
        frozenset({1, *range(6, max(LEVEL_SIDES.values()) + 1)}) if settled["keep_success"] is True else frozenset({1})
    )
    return LockRule(faces, {Role.AMMO: ammo})


def _count(context: Fields, settled: ActiveRulings, made: int) -> PushCount:
    return PushCount(made, 0 if context.flag("passive") else int(settled["max_pushes"]))  # C4, C5


def _prepare(tapped: Inputs, _settled: ActiveRulings) -> Prepared:
    task = read_task(tapped)
    answer = build_pool(Fields(read_pool_context(tapped, task), "tiles"))
    return prepared_roll(tapped, task, answer, (*BODY_ATTRIBUTES, *MIND_ATTRIBUTES))


def _aim(tapped: Inputs, hand: Hand, _settled: ActiveRulings) -> Aimed:
    """Apply a target: a modifier steps the dice up or down (A4); a passive roll cannot be pushed (C5)."""
    context: Facts = {"passive": True} if tapped.flag("passive") else {}
    modifier = tapped.number("modifier")
    levels: list[JsonValue] = [level for role, level in hand.typed if role is Role.BASE]
    levels += [READ_LEVEL] * hand.count(Role.BASE)
    if not modifier or not levels:
        return Aimed(hand, context)
    stepped = build_pool(Fields({"dice": levels, "modifier": modifier}, "aim"))["dice"]
    names = [str(level) for level in stepped] if isinstance(stepped, list) else []
    pool = ((Role.BASE, names.count(READ_LEVEL)), (Role.AMMO, hand.count(Role.AMMO)))
    typed = tuple((Role.BASE, level) for level in names if level != READ_LEVEL)
    return Aimed(Hand(pool, typed), context)


def _margin(facts: Fields, _context: Fields) -> int | None:
    """Return the successes beyond the required one; None on a failure."""
    return facts.integer("extra", 0, MAX_VALUE) if facts.flag("success") else None


def _odds(request: Facts, context: Fields, settled: ActiveRulings) -> Odds:
    ten_plus = int(settled["ten_plus"])
    play = OddsPlay(
        is_locked=_lock_rule(settled),
        worth=lambda value: _successes(value, ten_plus),
        count=_count(context, settled, context.integer("pushes", 0, MAX_PUSHES, default=0)),
        pays_old_ones=settled["pay_old_ones"] is True,
    )
    return answer_odds(request, play, read_levels)


def _effects(answer: Fields, context: Fields) -> tuple[Consequence, ...]:
    """Return the consequences of a roll for a sheet: harm, reliability lost, ammunition used, experience spent.

    Ones of an unknown attribute harm body or mind, or the weapon or tool that was used.
    """
    harm, wear = (
        answer.integer(name, 0, MAX_DICE, default=0) for name in ("damage_or_stress", "stress_or_reliability")
    )
    worn = Consequence(Kind.RELIABILITY, by=-(harm or wear), name=context.optional_text("gear_name"))
    strained = Consequence(Kind.STRESS, by=harm or wear)
    hurt = (Consequence(Kind.HP, by=-harm),) if harm else ()
    return (
        Consequence(Kind.STRESS, either=(*hurt, strained, worn) if harm or wear else ()),
        Consequence(Kind.HP, by=-answer.integer("damage", 0, MAX_DICE, default=0)),
        Consequence(Kind.STRESS, by=answer.integer("stress", 0, MAX_DICE, default=0)),
        Consequence(
            Kind.RELIABILITY,
            by=-answer.integer("reliability_loss", 0, MAX_DICE, default=0),
            name=context.optional_text("gear_name"),
        ),
        Consequence(
            Kind.RESOURCE, by=-answer.integer("ammo_spent", 0, MAX_AMMO_SPENT, default=0), name=AMMO, whole_roll=True
        ),
        Consequence(Kind.XP, by=-answer.integer("cost", 0, MAX_VALUE, default=0)),
    )


ODDS_LINES: Final = (
    *SUCCESS_ODDS,
    OddsLine("p_base_ones_at_least", Tone.BAD, (1,)),
    OddsLine("p_ammo_ones_at_least", Tone.BAD, (1,)),
    OddsLine("expected_successes", Tone.MEAN),
    OddsLine("expected_successes_if_always_pushed", Tone.MEAN),
)


def _describe(facts: Facts, _context: Facts) -> Report:
    """Describe a roll: extra successes, the cost of the push, and the minimum cost of the next."""
    return Report(
        gains=counted(Line("extra", Tone.GOOD, amount(facts, "extra"))),
        costs=(*_harms(facts), *flagged(facts, "incapacitated_after_action", Tone.BAD))
        if "reliability_loss" in facts
        else None,
        next_costs=_harms(due) if isinstance(due := facts.get("push_costs"), Mapping) else None,
    )


def _harms(facts: Facts) -> Lines:
    either = harm(facts, "damage_or_stress")
    if facts.get("damage") is None and "damage_or_stress" not in facts:
        # An early version had no separate count for ones of an unknown attribute.
        either = replace(either, count=amount(facts, "base_ones"))
    return counted(
        harm(facts, "damage", "hp_after"),
        harm(facts, "stress"),
        harm(facts, "reliability_loss", "reliability_after"),
        either,
        harm(facts, "stress_or_reliability"),
    )


def _score(dice: Roll, context: Fields, settled: ActiveRulings) -> Outcome:
    _check_dice(dice)
    made = context.integer("pushes", 0, MAX_PUSHES, default=0)
    return _outcome(dice, context, settled, _count(context, settled, made), None)


def _push(before: Roll, after: Roll, context: Fields, settled: ActiveRulings) -> Outcome | IllegalPlay:
    _check_dice(before)
    made = context.integer("pushes", 0, MAX_PUSHES, default=0)
    toll = _take_toll(before, after, context, settled, made)
    illegal = find_illegal_play(before, after, _lock_rule(settled), _count(context, settled, made))
    if illegal is not None:
        return illegal
    _check_dice(after)
    outcome = _outcome(after, context, settled, _count(context, settled, made + 1), toll)
    if settled["pay_old_ones"] is True:
        return outcome
    free = {die.id: Mark.NOTHING for die in before if die.value == 1 and die.id in outcome.locked}
    return replace(outcome, marks={**outcome.marks, **free})


def _outcome(dice: Roll, context: Fields, settled: ActiveRulings, count: PushCount, toll: Facts | None) -> Outcome:
    is_locked = _lock_rule(settled)
    ten_plus = int(settled["ten_plus"])
    base = [die for die in dice if die.role is Role.BASE]
    ammo = [die for die in dice if die.role is Role.AMMO]
    successes = sum(_successes(die.value, ten_plus) for die in base)
    verdict = judge_push(dice, is_locked, count)
    shown = count_faces(dice)
    base_ones, ammo_ones = shown[Role.BASE, 1], shown[Role.AMMO, 1]
    warnings: list[JsonValue] = []
    if verdict.eligible and all(is_locked(die) for die in base):
        warnings.append("only_ammo_left")  # C6
    notices: list[JsonValue] = []
    if toll is not None and base_ones + ammo_ones >= 2 and settled["jam_notice"] is True:
        notices.append("possible_jam")
    facts: dict[str, JsonValue] = {
        "successes": successes,
        "success": successes > 0,
        "extra": max(0, successes - 1),
        "base_ones": base_ones,
        "ammo_ones": ammo_ones,
        "ammo_sixes": shown[Role.AMMO, 6],
        "ammo_spent": sum(die.value for die in ammo),
        "warnings": warnings,
        "notices": notices,
        **(toll or {}),
    }
    if verdict.eligible:
        # Its ones stay, whatever is thrown.
        facts["push_costs"] = dict(_take_toll(dice, dice, context, settled, count.made))
    pays = toll is not None or (verdict.eligible and settled["pay_old_ones"] is True)
    marks = {die.id: Mark.COUNTED if die.value >= 6 else _mark_of_one(die, pays=pays) for die in dice}
    return success_outcome(facts, dice, is_locked, verdict, successes, marks=marks)


def _mark_of_one(die: Die, *, pays: bool) -> Mark:
    """Return the mark of a one, which costs only if a push was made or may be (D1 to D4)."""
    return Mark.COST if pays and die.value == 1 else Mark.NOTHING


def _take_toll(before: Roll, after: Roll, context: Fields, settled: ActiveRulings, made: int) -> Facts:
    """Count the cost of a push (D1 to D5); ones that an earlier push has paid for do not cost again.

    Without an attribute it is unknown what the base dice's ones harm: damage and stress are then null, and
    `damage_or_stress` counts the ones, or `stress_or_reliability` if gear may suffer instead of the body.
    """
    paid_already = made > 0 or settled["pay_old_ones"] is False
    ones = count_faces(after) - count_faces(before if paid_already else ())
    base_ones, ammo_ones = ones[Role.BASE, 1], ones[Role.AMMO, 1]
    attribute = context.optional_word("attribute_name", (*BODY_ATTRIBUTES, *MIND_ATTRIBUTES))
    with_gear = context.flag("gear")
    gear_suffers = with_gear and attribute in BODY_ATTRIBUTES
    damage = stress = 0
    if attribute in BODY_ATTRIBUTES and not gear_suffers:
        damage = base_ones
    elif attribute in MIND_ATTRIBUTES:
        stress = base_ones
    hp = context.optional_integer("hp", 0, MAX_COUNTER)
    reliability = context.optional_integer("reliability", 0, MAX_COUNTER)
    reliability_loss = ammo_ones + (base_ones if gear_suffers else 0)
    unknown = base_ones if attribute is None else 0
    hp_after = None if hp is None or unknown else max(0, hp - damage)
    may_wear = unknown > 0 and with_gear
    return {
        "damage": None if unknown else damage,
        "stress": None if unknown else stress,
        "hp_after": hp_after,
        "incapacitated_after_action": damage > 0 and hp_after == 0,
        "reliability_loss": reliability_loss,
        "reliability_after": None if reliability is None or may_wear else max(0, reliability - reliability_loss),
        "damage_or_stress": 0 if with_gear else unknown,
        "stress_or_reliability": unknown if with_gear else 0,
    }


SYSTEM: Final = RuleSystem(
    id="step-dice",
    rulings=RULINGS,
    pool_roles=(Role.BASE, Role.AMMO),
    example=((Die("c", Role.BASE, 7, 8, "C"), Die("a", Role.BASE, 11, 12, "A")), {}),
    sheet=SHEET,
    best=BEST,
    tops={Kind.ATTRIBUTE: len(LEVELS), Kind.SKILL: len(LEVELS)},
    scale=("\N{EN DASH}", *(f"d{sides}" for sides in LEVEL_SIDES.values())),
    goes_with=SKILL_ATTRIBUTES,
    tiles=TILES,
    asks=ASKS,
    typed_levels=TYPED_LEVELS,
    base_dice=MAX_BASE_DICE,
    prepare_tapped=_prepare,
    score_dice=_score,
    push_dice=_push,
    operations={
        "pool": without_rulings(build_pool),
        "advance": without_rulings(price_of_advance),
        "task": without_rulings(answer_task),
    },
    exact_odds=_odds,
    effects=_effects,
    reporter=_describe,
    odds_lines=ODDS_LINES,
    example_pool={Role.BASE: MAX_BASE_DICE},
    odds_question=pool_odds_request,
    follow_on={"hp": "hp_after", "reliability": "reliability_after"},
    aims=AIMS,
    aim_tapped=_aim,
    margin_of=_margin,
)
