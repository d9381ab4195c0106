"""push-pool: base, skill and gear dice of which sixes succeed; a roll may be pushed once, and then the ones cost.

Rule ids in the comments (A1 to F10) are those of the project's own list of this system's rules.
"""

from collections.abc import Mapping
from typing import Final

from rules.asking import Aimed, Compared, Hand, compare_counts
from rules.dice import Die, Role, Roll, lay
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.marks import Mark
from rules.odds import Odds
from rules.outcome import IllegalPlay, Outcome, Ruling
from rules.push import MAX_PUSHES, LockRule, PushCount, count_faces, find_illegal_play, judge_push, success_outcome
from rules.push_pool_odds import OddsPlay, answer_odds
from rules.push_pool_table import (
    BEST,
    ODDS_LINES,
    SHEET,
    SKILL_ATTRIBUTES,
    TOPS,
    TRAUMA_TYPES,
    answer_creation,
    answer_experience,
    answer_load,
    answer_one_shot,
    answer_recovery,
    consequences_of,
    describe,
)
from rules.push_pool_tiles import AIMS, ASKS, ROLL_FACTS, TILES, prepared_roll, read_pool_context
from rules.request import MAX_DICE, Fields, show_value
from rules.rulebook import RuleSystem, without_rulings
from rules.rulings import ActiveRulings, yes_or_no
from rules.tiles import Inputs, Prepared

DIFFICULTIES: Final[Mapping[int, str]] = {
    3: "trivial",
    2: "simple",
    1: "easy",
    0: "normal",
    -1: "demanding",
    -2: "hard",
    -3: "formidable",
}
"""Names of the difficulties, shown if the table wants names (F8)."""

MAX_HELPERS: Final = 3
MAX_SCORE: Final = 20
"""Highest attribute, skill level or gear bonus in a request; the rules stop at 5."""
MAX_MODIFIER: Final = 20

_ROLES: Final = (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE, Role.PLAIN)

RULINGS: Final = (
    yes_or_no("skill_ones_locked"),
    yes_or_no("trauma_gives_point"),
    Ruling(name="full_auto_pushes", default=10, choices=(), low=1, high=10),
    yes_or_no("plain_ones_locked", default=True),
    yes_or_no("broken_may_roll"),
    yes_or_no("unpushed_gear_notice"),
    yes_or_no("difficulty_names"),
    yes_or_no("published_odds"),
    yes_or_no("opposed_rolls"),
)


def build_pool(context: Fields, settled: ActiveRulings) -> Facts:
    """Return which dice to take: base by attribute, skill or negative by level and modifications, gear by one object.

    A game master may ask for a skill alone: `attribute` is then null, and there are no base dice.

    Raises:
        BadRequest: A number is out of range.
    """
    alone = context.is_null("attribute")
    attribute = 0 if alone else context.integer("attribute", 0, MAX_SCORE)
    specialist = context.flag("specialist")
    level = context.integer("skill", 0, MAX_SCORE, default=0)
    modifiers = context.integers("modifiers", -MAX_MODIFIER, MAX_MODIFIER)
    difficulty = context.integer("difficulty", min(DIFFICULTIES), max(DIFFICULTIES), default=0)
    helpers = context.integer("helpers", 0, MAX_DICE, default=0)
    gear = context.integers("gear", 0, MAX_SCORE)

    warnings: list[JsonValue] = []
    if helpers and specialist:  # A8
        warnings.append("help_on_specialist")
        helpers = 0
    if helpers > MAX_HELPERS:  # A7
        warnings.append("too_many_helpers")
        helpers = MAX_HELPERS
    if sum(1 for bonus in gear if bonus > 0) > 1:  # A4
        warnings.append("one_gear_only")

    reason = None
    if attribute == 0 and not alone and settled["broken_may_roll"] is False:  # F5
        reason = "broken"
    elif specialist and level == 0:  # A8
        reason = "specialist_untrained"

    if context.is_null("skill") and not specialist:  # A9: no skill fits, so only the attribute is rolled
        if modifiers or difficulty or helpers or any(gear):
            warnings.append("base_dice_only")
        modifiers, difficulty, helpers, gear = (), 0, 0, ()
    skill_dice = level + sum(modifiers) + difficulty + helpers
    dice = attribute + abs(skill_dice) + max(gear, default=0)
    if dice > MAX_DICE:
        text = f"the pool comes to {dice} dice: give modifiers that leave {MAX_DICE} at most"
        raise BadRequest(text, "too_many_dice", most=MAX_DICE)
    pool: dict[str, JsonValue] = {
        "can_roll": reason is None,
        "reason": reason,
        "base": attribute,
        "skill": max(0, skill_dice),
        "gear": max(gear, default=0),
        "negative": max(0, -skill_dice),  # A6
        "warnings": warnings,
    }
    skill_name = context.optional_word("skill_name", tuple(SKILL_ATTRIBUTES))
    if skill_name is not None:
        pool["attribute_name"] = SKILL_ATTRIBUTES[skill_name]
    if settled["difficulty_names"] is True:
        pool["difficulty"] = DIFFICULTIES[difficulty]
    return pool


def repair(context: Fields) -> Facts:
    """Return the effect of a Crafts roll on damaged gear (D7).

    Raises:
        BadRequest: The bonus is above its own maximum, or a value is missing.
    """
    bonus = context.integer("bonus", 0, MAX_SCORE)
    most = context.integer("max", 0, MAX_SCORE)
    if bonus > most:
        text = f"{context.path('bonus')} is {bonus}: give at most the gear's maximum, {most}"
        raise BadRequest(text, "number", name="bonus", value=bonus, low=0, high=most)
    if "crafts_success" not in context:
        text = f"{context.path('crafts_success')} is missing: give true or false"
        raise BadRequest(text, "missing", name="crafts_success")
    if context.flag("crafts_success"):
        return {"bonus": most, "max": most, "destroyed": False}
    return {"bonus": bonus, "max": bonus, "destroyed": bonus == 0}


def _prepare(tapped: Inputs, settled: ActiveRulings) -> Prepared:
    return prepared_roll(tapped, build_pool(Fields(read_pool_context(tapped), "tiles"), settled))


def _aim(tapped: Inputs, hand: Hand, settled: ActiveRulings) -> Aimed:
    """Apply a difficulty: it adds or removes skill dice (A12), or plain dice in a hand of those."""
    difficulty = tapped.number("difficulty")
    if not difficulty or not hand.is_named:
        return Aimed(hand)
    plain = hand.count(Role.PLAIN)
    if plain:
        return Aimed(Hand(((Role.PLAIN, max(1, plain + difficulty)),)))
    pool_context: dict[str, JsonValue] = {
        "attribute": hand.count(Role.BASE),
        "skill": hand.count(Role.SKILL),
        "gear": [hand.count(Role.GEAR)],
        "modifiers": [-hand.count(Role.NEGATIVE)],
        "difficulty": difficulty,
    }
    answer = Fields(build_pool(Fields(pool_context, "aim"), settled), "answer")
    roles = (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE)
    return Aimed(Hand(tuple((role, answer.integer(role.value, 0, MAX_DICE)) for role in roles)))


def _margin(facts: Fields, _context: Fields) -> int | None:
    """Return the successes beyond the required one; None on a failure."""
    return facts.integer("stunts", 0, MAX_DICE) if facts.flag("success") else None


def _sides(first: int, second: int, settled: ActiveRulings) -> Compared | None:
    """Compare two sides, the first active: the other's successes cancel its own, and one must remain (F10)."""
    if settled["opposed_rolls"] is False:
        return None
    compared = compare_counts(first, second)
    return Compared("lose", 0) if compared.result == "draw" else compared


def _odds(request: Facts, context: Fields, settled: ActiveRulings) -> Odds:
    pushes = context.integer("pushes", 0, MAX_PUSHES, default=0)
    play = OddsPlay(
        is_locked=_lock_rule(settled),
        count=PushCount(pushes, _push_limit(context, settled)),
        against=_read_against(context, settled),
        published=settled["published_odds"] is True,
    )
    return answer_odds(request, play)


def _score(dice: Roll, context: Fields, settled: ActiveRulings) -> Outcome:
    _check_dice(dice)
    pushes = context.integer("pushes", 0, MAX_PUSHES, default=0)
    return _outcome(dice, context, settled, PushCount(pushes, _push_limit(context, settled)), None)


def _push(before: Roll, after: Roll, context: Fields, settled: ActiveRulings) -> Outcome | IllegalPlay:
    _check_dice(before)
    _check_dice(after)
    made = context.integer("pushes", 0, MAX_PUSHES, default=0)
    limit = _push_limit(context, settled)
    toll = _take_toll(before, after, context, settled, made)
    illegal = find_illegal_play(before, after, _lock_rule(settled), PushCount(made, limit))
    if illegal is not None:
        return illegal
    return _outcome(after, context, settled, PushCount(made + 1, limit), toll)


def _check_dice(dice: Roll) -> None:
    if not dice:
        raise BadRequest(f"there are no dice: give 1 to {MAX_DICE}")
    for die in dice:
        if die.role not in _ROLES:
            raise BadRequest(
                f"die {show_value(die.id)} has role {die.role.value}: push-pool scores {', '.join(_ROLES)} dice"
            )
        if die.sides != 6:
            text = f"die {show_value(die.id)} has {die.sides} sides: push-pool is played with 6"
            raise BadRequest(text, "sides", die=f"d{die.sides}")


def _lock_rule(settled: ActiveRulings) -> LockRule:
    """Return the rule for faces that stay on a push (C2, C3, F1, F4)."""
    ones_stay = [Role.BASE, Role.GEAR]
    if settled["skill_ones_locked"] is True:
        ones_stay.append(Role.SKILL)
    if settled["plain_ones_locked"] is True:
        ones_stay.append(Role.PLAIN)
    return LockRule(frozenset({6}), dict.fromkeys(ones_stay, frozenset({1, 6})))


def _push_limit(context: Fields, settled: ActiveRulings) -> int:
    return int(settled["full_auto_pushes"]) if context.flag("full_auto") else 1  # C5, C6


def _outcome(dice: Roll, context: Fields, settled: ActiveRulings, count: PushCount, toll: Facts | None) -> Outcome:
    is_locked = _lock_rule(settled)
    shown = count_faces(dice)
    negative_sixes = shown[Role.NEGATIVE, 6]
    sixes = sum(1 for die in dice if die.value == 6) - negative_sixes
    successes = max(0, sixes - negative_sixes - _read_against(context, settled))  # B2, F10
    plain_ones = shown[Role.PLAIN, 1]
    botch = plain_ones > 0 and sixes == 0  # B7
    gear_ones = shown[Role.GEAR, 1]
    notices: list[JsonValue] = []
    if toll is None and gear_ones and settled["unpushed_gear_notice"] is True:
        notices.append("gear_one_on_first_throw")
    facts: dict[str, JsonValue] = {
        "sixes": sixes,
        "negative_sixes": negative_sixes,
        "successes": successes,
        "success": successes > 0,
        "stunts": max(0, successes - 1),
        "base_ones": shown[Role.BASE, 1],
        "gear_ones": gear_ones,
        "botch": botch,
        "botch_severity": plain_ones if botch else 0,
        "notices": notices,
        **(toll or {}),
    }
    verdict = judge_push(dice, is_locked, count)
    if verdict.eligible:
        # Its ones stay, whatever is thrown; an earlier push has paid for them.
        due = _take_toll(dice, dice, context, settled, count.made)
        facts["push_costs"] = {name: due[name] if toll is None else 0 for name in ("trauma", "gear_damage")}
    pays = toll is not None or verdict.eligible
    marks = {die.id: _mark(die, pays=pays, botch=botch) for die in dice}
    return success_outcome(facts, dice, is_locked, verdict, successes, marks=marks)


def _mark(die: Die, *, pays: bool, botch: bool) -> Mark:
    """Return a die's mark; ones cost if a push was made or may be (D1, D2), ones of plain dice if they botch (B7)."""
    if die.value == 6:
        return Mark.COST if die.role is Role.NEGATIVE else Mark.COUNTED
    costs = die.value == 1 and (botch if die.role is Role.PLAIN else pays and die.role in (Role.BASE, Role.GEAR))
    return Mark.COST if costs else Mark.NOTHING


def _read_against(context: Fields, settled: ActiveRulings) -> int:
    """Read the opponent's successes, which cancel one each if the table plays opposed rolls (F10)."""
    against = context.integer("opponent_successes", 0, MAX_DICE, default=0)
    return against if settled["opposed_rolls"] is True else 0


def _take_toll(before: Roll, after: Roll, context: Fields, settled: ActiveRulings, made: int) -> Facts:
    """Count the cost of a push; ones locked in `before` were paid for by an earlier push (D6).

    If the context does not give attribute and gear bonus, the dice do: there are as many base dice as the attribute's
    present value (A2) and as many gear dice as the bonus (A4).
    """
    was, now = count_faces(before if made else ()), count_faces(after)
    trauma_paid = context.integer("trauma_already", 0, MAX_DICE, default=was[Role.BASE, 1])
    gear_paid = context.integer("gear_damage_already", 0, MAX_DICE, default=was[Role.GEAR, 1])
    trauma = max(0, now[Role.BASE, 1] - trauma_paid)
    gear_damage = max(0, now[Role.GEAR, 1] - gear_paid)
    base_dice = sum(1 for die in after if die.role is Role.BASE)
    gear_dice = sum(1 for die in after if die.role is Role.GEAR)
    attribute = context.integer("attribute", 0, MAX_SCORE, default=max(0, base_dice - trauma_paid))
    gear_bonus = context.integer("gear_bonus", 0, MAX_SCORE, default=max(0, gear_dice - gear_paid))
    name = context.optional_word("attribute_name", tuple(TRAUMA_TYPES))
    attribute_after = max(0, attribute - trauma)  # D3
    gear_after = max(0, gear_bonus - gear_damage)  # D4
    facts: dict[str, JsonValue] = {
        "trauma": trauma,
        "trauma_type": None if name is None else TRAUMA_TYPES[name],
        "attribute_after": attribute_after,
        "broken": attribute_after == 0 and (trauma > 0 or "attribute" in context),
        "gear_damage": gear_damage,
        "gear_bonus_after": gear_after,
        "gear_broken": gear_after == 0 and gear_damage > 0,
        "trauma_total": trauma + trauma_paid,
        "gear_damage_total": gear_damage + gear_paid,
    }
    if settled["trauma_gives_point"] is True:
        facts["resource_points"] = trauma
    return facts


SYSTEM: Final = RuleSystem(
    id="push-pool",
    rulings=RULINGS,
    pool_roles=(Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE, Role.PLAIN),
    example=(lay((Role.BASE, 6), (Role.BASE, 3), (Role.BASE, 1), (Role.SKILL, 6), (Role.GEAR, 4)), {}),
    sheet=SHEET,
    best=BEST,
    tops=TOPS,
    goes_with=SKILL_ATTRIBUTES,
    tiles=TILES,
    roll_facts=ROLL_FACTS,
    asks=ASKS,
    prepare_tapped=_prepare,
    score_dice=_score,
    push_dice=_push,
    operations={
        "pool": build_pool,
        "repair": without_rulings(repair),
        "recover": without_rulings(answer_recovery),
        "load": without_rulings(answer_load),
        "experience": without_rulings(answer_experience),
        "creation": without_rulings(answer_creation),
        "one_shot": without_rulings(answer_one_shot),
    },
    exact_odds=_odds,
    effects=consequences_of,
    reporter=describe,
    odds_lines=ODDS_LINES,
    example_pool={Role.BASE: 5, Role.SKILL: 2, Role.GEAR: 1},
    follow_on={"attribute": "attribute_after", "gear_bonus": "gear_bonus_after"},
    aims=AIMS,
    aim_tapped=_aim,
    margin_of=_margin,
    sides=_sides,
)
