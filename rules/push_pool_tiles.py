"""The tiles of push-pool, and its questions besides rolls."""

from typing import Final

from rules.dice import Role
from rules.facts import Facts, JsonValue
from rules.push_pool_table import MAX_ITEMS, MAX_LEVEL, RECOVERED_BY, TRAUMA_TYPES, XP_QUESTIONS
from rules.sheet import Kind
from rules.tiles import Inputs, Prepared, Question, Tile, TileKind, choice_tile, counter_tile, flag_tile, number_tile

MAX_SCORE: Final = 20
HIGHEST_SCORE: Final = 12
"""Highest attribute on the display, well above the rules' 5."""
HIGHEST_BONUS: Final = 5
HARDEST: Final = 3
MAX_MODIFIER: Final = 10

TILES: Final = (
    counter_tile("attribute", (Kind.ATTRIBUTE,), 0, MAX_SCORE, optional=False, unless="skill"),
    counter_tile("skill", (Kind.SKILL,), 0, MAX_SCORE),
    counter_tile("gear", (Kind.GEAR,), 0, MAX_SCORE),
    number_tile("helpers", 0, MAX_SCORE, 0),
    number_tile("difficulty", -HARDEST, HARDEST, 0),
    number_tile("modifier", -MAX_MODIFIER, MAX_MODIFIER, 0),
    flag_tile("specialist"),
    flag_tile("full_auto"),
    flag_tile("conflict"),
    flag_tile("plain"),
    Tile("deed", TileKind.TEXT),
)

AIMS: Final = tuple(tile for tile in TILES if tile.name == "difficulty")
"""The difficulty of a roll, as skill dice added or removed."""

ROLL_FACTS: Final = (
    choice_tile("attribute_name", tuple(TRAUMA_TYPES)),
    number_tile("attribute", 0, HIGHEST_SCORE),
    number_tile("gear_bonus", 0, HIGHEST_BONUS),
)
"""The values that a push reduces."""

ASKS: Final = (
    Question(
        "repair",
        (
            Tile("gear_name", TileKind.TEXT),
            number_tile("bonus", 0, MAX_SCORE),
            number_tile("max", 0, MAX_SCORE),
            flag_tile("crafts_success"),
        ),
    ),
    Question(
        "recover",
        (
            choice_tile("attribute_name", tuple(RECOVERED_BY)),
            number_tile("attribute", 0, MAX_SCORE),
            number_tile("base", 1, MAX_SCORE),
            number_tile("amount", 0, MAX_SCORE, 1),
        ),
    ),
    Question(
        "load",
        (
            number_tile("base", 0, MAX_SCORE),
            number_tile("regular", 0, MAX_ITEMS, 0),
            number_tile("light", 0, MAX_ITEMS, 0),
            number_tile("heavy", 0, MAX_ITEMS, 0),
            number_tile("rations", 0, MAX_ITEMS, 0),
        ),
    ),
    Question(
        "experience",
        (number_tile("xp", 0, MAX_ITEMS), number_tile("yes", 0, XP_QUESTIONS, 0), number_tile("level", 0, MAX_LEVEL)),
    ),
)


def read_pool_context(tapped: Inputs) -> dict[str, JsonValue]:
    """Turn tiles into the context of the operation `pool`."""
    modifier = tapped.number("modifier")
    attribute, skill, gear = (tapped.counter(name) for name in ("attribute", "skill", "gear"))
    return {
        "attribute": None if attribute is None else attribute.value,
        "skill": None if skill is None else skill.value,
        "gear": [] if gear is None else [gear.value],
        "modifiers": [modifier] if modifier else [],
        "difficulty": tapped.number("difficulty"),
        "helpers": tapped.number("helpers"),
        "specialist": tapped.flag("specialist"),
    }


def prepared_roll(tapped: Inputs, answer: Facts) -> Prepared:
    """Turn the answer of the operation `pool` into dice to take and the facts of the roll."""
    attribute, gear = tapped.counter("attribute"), tapped.counter("gear")
    pool = tuple((role, _whole(answer[role.value])) for role in (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE))
    if tapped.flag("plain"):  # B7: one hand of dice; negative dice reduce it instead
        counts = dict(pool)
        hand = sum(counts.values()) - 2 * counts[Role.NEGATIVE]
        pool = ((Role.PLAIN, max(0, hand)),)
    reason = answer["reason"]
    if reason is None and not any(count for _, count in pool):
        reason = "no_dice"
    context: dict[str, JsonValue] = {}
    if attribute is not None:
        context["attribute"] = attribute.value
        if attribute.name in TRAUMA_TYPES:
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
        warnings=tuple(str(code) for code in warnings),
        marks=(deed,) if deed else (),
    )


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
