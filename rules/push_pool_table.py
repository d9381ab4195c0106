"""What a push-pool table tracks between rolls: recovery, load, experience, a new hero's points, the one shot.

Rule ids in the comments (E) are those of the project's own list of this system's rules.
"""

from collections.abc import Mapping
from typing import Final

from rules.facts import Facts, JsonValue
from rules.report import SUCCESS_ODDS, Line, Lines, OddsLine, Report, Tone, amount, counted, flagged, harm
from rules.request import MAX_DICE, Fields, read_facts
from rules.sheet import MAX_VALUE, Consequence, Counter, Kind

TRAUMA_TYPES: Final[Mapping[str, str]] = {"STR": "damage", "AGL": "fatigue", "WIT": "confusion", "EMP": "doubt"}
"""Trauma by the attribute that was rolled (D2)."""

SKILL_ATTRIBUTES: Final[Mapping[str, str]] = {
    "Endure": "STR",
    "Fight": "STR",
    "Athletics": "STR",
    "Acrobatics": "AGL",
    "Stealth": "AGL",
    "Shoot": "AGL",
    "Comprehend": "WIT",
    "Lore": "WIT",
    "Notice": "WIT",
    "Sense": "EMP",
    "Manipulate": "EMP",
    "Coolness": "EMP",
}
"""The attribute of each basic skill, unless the game master allows another."""

RECOVERED_BY: Final[Mapping[str, str]] = {"STR": "grub", "AGL": "water", "WIT": "sleep", "EMP": "sympathy"}
"""The resource that restores a point of each attribute."""

MAX_SCORE: Final = 20
MAX_ITEMS: Final = 1000
ITEMS_FOR_EACH_STR: Final = 2
QUARTERS_OF_A_ROW: Final[Mapping[str, int]] = {"regular": 4, "light": 2, "heavy": 8, "rations": 1}
XP_FOR_A_RISE: Final = 5
MAX_LEVEL: Final = 5
ATTRIBUTE_POINTS: Final = 14
ATTRIBUTE_RANGE: Final = (2, 4)
KEY_ATTRIBUTE_MOST: Final = 5
SKILL_POINTS: Final = 10
SKILL_MOST: Final = 3
XP_QUESTIONS: Final = 7
"""Questions of the debriefing; each yes gives one experience point."""


CARRIED: Final = ("grub", "water")
"""Recovery resources that a hero carries and uses up; sleep and sympathy are not carried."""

SHEET: Final = (
    *(Counter(name, Kind.ATTRIBUTE, now=3, most=3) for name in TRAUMA_TYPES),
    *(Counter(name, Kind.SKILL, now=0, most=5) for name in SKILL_ATTRIBUTES),
    Counter("specialist", Kind.SKILL, now=1, most=5),
    *(Counter(name, Kind.RESOURCE, now=0) for name in (*CARRIED, "bullets", "points")),
    Counter("XP", Kind.XP, now=0),
)
"""A new character before the 14 attribute points and 10 skill points are assigned."""

TOPS: Final[Mapping[Kind, int]] = {Kind.ATTRIBUTE: 5, Kind.SKILL: MAX_LEVEL, Kind.GEAR: 5}

BEST: Final[Mapping[str, Mapping[str, int]]] = {
    key: {
        key: KEY_ATTRIBUTE_MOST,
        **{skill: SKILL_MOST for skill, goes_with in SKILL_ATTRIBUTES.items() if goes_with == key},
    }
    for key in TRAUMA_TYPES
}
"""Characters of 14 attribute points and 10 skill points: one attribute at its height, with its three skills."""


def consequences_of(answer: Fields, context: Fields) -> tuple[Consequence, ...]:
    """Return the consequences of a push, a repair or a recovery for a sheet.

    Raises:
        BadRequest: The facts are not of that kind.
    """
    attribute = context.optional_word("attribute_name", tuple(TRAUMA_TYPES))
    if "recovered" in answer:
        recovered = answer.integer("recovered", 0, MAX_DICE)
        resource = answer.text("resource")
        return (
            Consequence(Kind.ATTRIBUTE, by=recovered, name=attribute),
            *((Consequence(Kind.RESOURCE, by=-recovered, name=resource),) if resource in CARRIED else ()),
        )
    gear = context.optional_text("gear_name")
    if "destroyed" in answer:
        bonus, most = answer.integer("bonus", 0, MAX_SCORE), answer.integer("max", 0, MAX_SCORE)
        return (Consequence(Kind.GEAR, name=gear, to=bonus, most_to=most),)
    return (
        Consequence(Kind.ATTRIBUTE, by=-answer.integer("trauma", 0, MAX_DICE, default=0), name=attribute),
        Consequence(Kind.GEAR, by=-answer.integer("gear_damage", 0, MAX_DICE, default=0), name=gear),
        Consequence(Kind.RESOURCE, by=answer.integer("resource_points", 0, MAX_DICE, default=0), name="points"),
    )


ODDS_LINES: Final = (
    *SUCCESS_ODDS,
    OddsLine("p_trauma_at_least", Tone.BAD, (1,)),
    OddsLine("p_gear_damage_at_least", Tone.BAD, (1,)),
    OddsLine("expected_successes", Tone.MEAN),
    OddsLine("expected_successes_if_always_pushed", Tone.MEAN),
)


def describe(facts: Facts, context: Facts) -> Report:
    """Describe a roll: stunts, a botch, the cost of the push, and the minimum cost of the next."""
    attribute = context.get("attribute_name") or "attribute"
    botch = flagged(facts, "botch", Tone.BAD, severity=facts.get("botch_severity"))
    costs: Lines | None = None
    if "trauma" in facts:
        broken = flagged(facts, "broken", Tone.BAD, attribute=attribute)
        costs = (*_harms(facts, attribute), *broken, *flagged(facts, "gear_broken", Tone.BAD))
    return Report(
        gains=(*counted(Line("stunts", Tone.GOOD, amount(facts, "stunts"))), *botch),
        costs=costs,
        next_costs=_harms(due, attribute) if isinstance(due := facts.get("push_costs"), Mapping) else None,
    )


def _harms(facts: Facts, attribute: JsonValue) -> Lines:
    kind = facts.get("trauma_type") or "trauma"
    return counted(
        harm(facts, "trauma", "attribute_after", kind=kind, attribute=attribute),
        harm(facts, "gear_damage", "gear_bonus_after"),
    )


def answer_recovery(context: Fields) -> Facts:
    """Return what a number of points of an attribute's resource restores, up to its base value.

    `resources` in the context, by name, limit the carried resources that can be used up.

    Raises:
        BadRequest: The attribute is unknown, or a number is out of range.
    """
    name = context.word("attribute_name", tuple(RECOVERED_BY))
    base = context.integer("base", 1, MAX_SCORE)
    now = context.integer("attribute", 0, base)
    amount = context.integer("amount", 0, MAX_ITEMS, default=1)
    resource = RECOVERED_BY[name]
    if resource in CARRIED:
        there = context.fields("resources").optional_integer(resource, 0, MAX_VALUE)
        if there == 0 and amount > 0:
            return {"illegal": "no_resource_left", "resource": resource}
        amount = amount if there is None else min(amount, there)
    after = min(base, now + amount)
    return {"attribute_after": after, "recovered": after - now, "resource": resource}


def answer_load(context: Fields) -> Facts:
    """Return whether a hero is overloaded and must roll Endure to walk on; light items count half, heavy ones two.

    A ration counts a quarter, so two of them share a row with a light item.

    Raises:
        BadRequest: A number is out of range.
    """
    strength = context.integer("base", 0, MAX_SCORE)
    quarters = sum(
        quarter * context.integer(name, 0, MAX_ITEMS, default=0) for name, quarter in QUARTERS_OF_A_ROW.items()
    )
    rows = -(-quarters // 4)
    most = ITEMS_FOR_EACH_STR * strength
    return {"rows": rows, "most": most, "endure_roll": rows > most}


def answer_experience(context: Fields) -> Facts:
    """Add the points of a debriefing, and return whether a skill may rise or a talent be learned.

    Raises:
        BadRequest: A number is out of range.
    """
    xp = context.integer("xp", 0, MAX_ITEMS, default=0) + context.integer("yes", 0, XP_QUESTIONS, default=0)
    level = context.optional_integer("level", 0, MAX_LEVEL)
    may_rise = xp >= XP_FOR_A_RISE and level != MAX_LEVEL
    return {
        "xp": xp,
        "may_rise": may_rise,
        "xp_after": xp - XP_FOR_A_RISE if may_rise else xp,
        "level_after": level + 1 if may_rise and level is not None else level,
    }


def answer_creation(context: Fields) -> Facts:
    """Check a new hero's points: which remain, and which values are out of range.

    Raises:
        BadRequest: A value is not a whole number, or the key attribute is unknown.
    """
    key = context.word("key_attribute", tuple(RECOVERED_BY))
    given = context.fields("attributes")
    attributes = {name: given.integer(name, 0, MAX_SCORE) for name in RECOVERED_BY}
    skills_given = read_facts(context.raw("skills"), context.path("skills"))
    skills = Fields(skills_given, context.path("skills"))
    levels = {name: skills.integer(name, 0, MAX_SCORE) for name in skills_given}
    least, most = ATTRIBUTE_RANGE
    wrong: list[JsonValue] = [
        name
        for name, value in attributes.items()
        if not least <= value <= (KEY_ATTRIBUTE_MOST if name == key else most)
    ]
    wrong += [name for name, level in levels.items() if level > SKILL_MOST]
    attribute_left = ATTRIBUTE_POINTS - sum(attributes.values())
    skill_left = SKILL_POINTS - sum(levels.values())
    return {
        "attribute_points_left": attribute_left,
        "skill_points_left": skill_left,
        "out_of_range": wrong,
        "complete": attribute_left == 0 and skill_left == 0 and not wrong,
    }


def answer_one_shot(context: Fields) -> Facts:
    """Warn of a repeated attempt in unchanged circumstances; it is never forbidden, and never warned of in a conflict.

    Raises:
        BadRequest: A flag is neither true nor false.
    """
    tried = context.flag("tried_before") and not context.flag("circumstances_changed")
    warnings: list[JsonValue] = ["one_shot_used"] if tried and not context.flag("conflict") else []
    return {"can_roll": True, "warnings": warnings}
