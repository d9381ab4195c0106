"""The tiles of push-pool, and what a table asks the rules beside its rolls."""

from typing import Final

from rules.dice import Role
from rules.facts import Facts, JsonValue
from rules.push_pool_table import MAX_ITEMS, MAX_LEVEL, RECOVERED_BY, TRAUMA_TYPES, XP_QUESTIONS
from rules.sheet import Kind
from rules.tiles import Ask, Prepared, Tapped, Tile, TileKind, choice_tile, counter_tile, flag_tile, number_tile

MAX_SCORE: Final = 20
HIGHEST_SCORE: Final = 12
"""Highest attribute that a display offers: a good deal beyond the rules' 5."""
HIGHEST_BONUS: Final = 5
HARDEST: Final = 3
MAX_MODIFIER: Final = 10

TILES: Final = (
    counter_tile("attribute", "Attribute", (Kind.ATTRIBUTE,), 0, MAX_SCORE, optional=False),
    counter_tile("skill", "Skill", (Kind.SKILL,), 0, MAX_SCORE),
    counter_tile("gear", "Gear", (Kind.GEAR,), 0, MAX_SCORE),
    number_tile("helpers", "Helpers", 0, MAX_SCORE, 0),
    number_tile("difficulty", "Difficulty", -HARDEST, HARDEST, 0),
    number_tile("modifier", "Modifier", -MAX_MODIFIER, MAX_MODIFIER, 0),
    flag_tile("specialist", "Specialist skill"),
    flag_tile("full_auto", "Fully automatic fire"),
    flag_tile("conflict", "In a conflict"),
    flag_tile("plain", "Dice of one colour"),
    Tile("deed", "What is attempted", TileKind.TEXT),
)

ROLL_FACTS: Final = (
    choice_tile("attribute_name", "Attribute", tuple(TRAUMA_TYPES)),
    number_tile("attribute", "Attribute now", 0, HIGHEST_SCORE),
    number_tile("gear_bonus", "Gear bonus", 0, HIGHEST_BONUS),
)
"""What a push takes its price off."""

ASKS: Final = (
    Ask(
        "repair",
        "Repair gear",
        (
            Tile("gear_name", "Gear", TileKind.TEXT),
            number_tile("bonus", "Bonus now", 0, MAX_SCORE),
            number_tile("max", "Bonus at most", 0, MAX_SCORE),
            flag_tile("crafts_success", "The Crafts roll succeeded"),
        ),
    ),
    Ask(
        "recover",
        "Recover an attribute",
        (
            choice_tile("attribute_name", "Attribute", tuple(RECOVERED_BY)),
            number_tile("attribute", "Now", 0, MAX_SCORE),
            number_tile("base", "Base value", 1, MAX_SCORE),
            number_tile("amount", "How much of its resource", 0, MAX_SCORE, 1),
        ),
    ),
    Ask(
        "load",
        "Load",
        (
            number_tile("base", "STR, its base value", 0, MAX_SCORE),
            number_tile("regular", "Regular items", 0, MAX_ITEMS, 0),
            number_tile("light", "Light items", 0, MAX_ITEMS, 0),
            number_tile("heavy", "Heavy items", 0, MAX_ITEMS, 0),
            number_tile("rations", "Rations", 0, MAX_ITEMS, 0),
        ),
    ),
    Ask(
        "experience",
        "Experience",
        (
            number_tile("xp", "Points so far", 0, MAX_ITEMS),
            number_tile("yes", "Questions answered yes", 0, XP_QUESTIONS, 0),
            number_tile("level", "Level of the skill", 0, MAX_LEVEL),
        ),
    ),
)

WARNINGS: Final = {
    "too_many_helpers": "Three helpers at most count.",
    "help_on_specialist": "Nobody can help with a specialist skill: the helpers do not count.",
    "one_gear_only": "Only one object gives its bonus: the best one counts.",
    "helpers_lose_their_action": "In a conflict, who helps gives up an action of the turn; a manoeuvre is left.",
    "base_dice_only": "No skill fits, so that nothing but base dice are rolled.",
    "one_shot_used": "This was tried before: something must have changed, or the game master says no.",
}
REASONS: Final = {
    "broken": "The attribute is at 0: broken, and no roll until it has recovered.",
    "specialist_untrained": "A specialist skill needs at least level 1.",
    "no_dice": "There is no die to roll.",
}


def read_pool_context(tapped: Tapped) -> dict[str, JsonValue]:
    """Turn tiles into the context of the operation `pool`."""
    modifier = tapped.number("modifier")
    attribute, skill, gear = (tapped.counter(name) for name in ("attribute", "skill", "gear"))
    return {
        "attribute": 0 if attribute is None else attribute.value,
        "skill": None if skill is None else skill.value,
        "gear": [] if gear is None else [gear.value],
        "modifiers": [modifier] if modifier else [],
        "difficulty": tapped.number("difficulty"),
        "helpers": tapped.number("helpers"),
        "specialist": tapped.flag("specialist"),
    }


def tell_prepared(tapped: Tapped, answer: Facts) -> Prepared:
    """Turn the answer of the operation `pool` into dice to take and the facts of the roll."""
    attribute, gear = tapped.counter("attribute"), tapped.counter("gear")
    pool = tuple((role, _whole(answer[role.value])) for role in (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE))
    if tapped.flag("plain"):  # B7: one hand of dice; what would be negative dice are so many fewer
        counts = dict(pool)
        hand = sum(counts.values()) - 2 * counts[Role.NEGATIVE]
        pool = ((Role.PLAIN, max(0, hand)),)
    reason = answer["reason"]
    if reason is None and not any(count for _, count in pool):
        reason = "no_dice"
    context: dict[str, JsonValue] = {"attribute": 0 if attribute is None else attribute.value}
    if attribute is not None and attribute.name in TRAUMA_TYPES:
        context["attribute_name"] = attribute.name
    if gear is not None and gear.value > 0:
        context["gear_bonus"] = gear.value
        if gear.name is not None:
            context["gear_name"] = gear.name
    if tapped.flag("full_auto"):
        context["full_auto"] = True
    warnings = list(answer["warnings"]) if isinstance(answer["warnings"], list) else []
    if tapped.flag("conflict") and tapped.number("helpers") > 0 and not tapped.flag("specialist"):  # A7
        warnings.append("helpers_lose_their_action")
    deed = None if tapped.flag("conflict") else tapped.word("deed")
    if deed and tapped.sheet is not None and tapped.sheet.is_marked(deed):
        warnings.append("one_shot_used")
    return Prepared(
        pool=pool,
        context=context,
        facts=answer,
        reason=None if reason is None else str(reason),
        reason_text=None if reason is None else REASONS[str(reason)],
        warnings=tuple((str(code), WARNINGS[str(code)]) for code in warnings),
        marks=(deed,) if deed else (),
    )


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
