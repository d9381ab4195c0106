"""Consequences in highest-die: armour, hit protection and strength, attributes lost, clocks ticked.

Rule ids in the comments (B1 to E7) are those of the project's own list of this system's rules.
"""

from collections.abc import Mapping
from typing import Final

from rules.errors import BadRequest
from rules.facts import Facts
from rules.outcome import Ruling
from rules.request import Fields
from rules.rulings import ActiveRulings, yes_or_no

CLOCK_SIZES: Final = (4, 6, 8)
MAX_SCORE: Final = 100
DOWN: Final = -1
"""Lowest attribute that is shown: anything below 0 means down."""

LOST_STATES: Final[Mapping[str, str]] = {"STR": "dying", "DEX": "paralysed", "WIL": "delirious"}
"""The state of a hero with an attribute below 0 (B5)."""
EQUIPMENT_USES: Final[Mapping[str, int]] = {"regular": 1, "bulky": 2}

HARM_RULINGS: Final = (
    Ruling(name="defence", default="one", choices=("one", "two", "all")),
    yes_or_no("exact_zero_costs_str"),
    Ruling(name="clock_overflow", default="drop", choices=("drop", "carry")),
)


def answer_damage(context: Fields, settled: ActiveRulings) -> Facts:
    """Subtract a consequence from HP; below 0 it costs one point of STR, once, and HP shows 0 (B3, B4, E6).

    `armour` in the context limits the uses that can be spent.

    Raises:
        BadRequest: A number is out of range.
    """
    hp = context.integer("hp", 0, MAX_SCORE)
    strength = context.integer("str", DOWN, MAX_SCORE)
    consequence = context.integer("consequence", 0, MAX_SCORE)
    uses = context.integer("defensive_uses", 0, 2, default=0)
    if uses > context.integer("armour", 0, MAX_SCORE, default=uses):
        return {"illegal": "no_use_left"}
    consequence = _defend(consequence, uses, settled)
    if context.flag("exposed"):
        hp_after, hurt = hp, consequence >= 1
    else:
        hp_after, hurt = max(0, hp - consequence), consequence > hp
        if consequence == hp > 0 and settled["exact_zero_costs_str"] is True:
            hurt = True
    strength_after = max(DOWN, strength - 1) if hurt else strength
    return {
        "hp_after": hp_after,
        "str_after": strength_after,
        "taken_down": strength_after < 0,
        "consequence": consequence,
    }


def answer_defence(context: Fields, settled: ActiveRulings) -> Facts:
    """Return what defensive equipment leaves of a consequence, and its remaining uses (B2).

    Raises:
        BadRequest: The kind is unknown, a number is out of range, or more uses are spent than are left.
    """
    kind = context.word("kind", tuple(EQUIPMENT_USES))
    used = context.integer("used", 0, EQUIPMENT_USES[kind], default=0)
    left = EQUIPMENT_USES[kind] - used
    if left == 0:
        return {"illegal": "no_use_left"}
    spent = context.integer("spend", 1, left, default=1)
    consequence = context.integer("consequence", 0, MAX_SCORE)
    return {"consequence_after": _defend(consequence, spent, settled), "uses_left": left - spent}


def answer_loss(context: Fields) -> Facts:
    """Subtract a consequence from an attribute, and return the hero's resulting state (B5).

    Raises:
        BadRequest: The attribute is unknown, or a number is out of range.
    """
    name = context.word("attribute_name", tuple(LOST_STATES))
    after = max(DOWN, context.integer("attribute", DOWN, MAX_SCORE) - context.integer("consequence", 0, MAX_SCORE))
    return {"attribute_after": after, "state": LOST_STATES[name] if after < 0 else None}


def answer_clock(context: Fields, settled: ActiveRulings) -> Facts:
    """Tick a clock; a negative number takes ticks off, as in a tug-of-war (section C).

    Raises:
        BadRequest: The clock's size is not allowed, or it has too many ticks.
    """
    segments = _read_segments(context, "segments")
    filled = context.integer("filled", 0, segments, default=0)
    ticks = context.integer("ticks", -MAX_SCORE, MAX_SCORE)
    reached = filled + ticks
    overflow = max(0, reached - segments)
    facts: Facts = {
        "filled": min(segments, max(0, reached)),
        "full": reached >= segments,
        "emptied": reached <= 0 < filled,
        "overflow": overflow,
    }
    if "linked_segments" not in context:
        return facts
    linked = _read_segments(context, "linked_segments")
    linked_filled = context.integer("linked_filled", 0, linked, default=0)
    carried = overflow if settled["clock_overflow"] == "carry" else 0
    return {
        **facts,
        "unlocked": reached >= segments,
        "linked_filled": min(linked, linked_filled + carried),
        "overflow": max(0, linked_filled + carried - linked) if carried else overflow,
    }


def _read_segments(context: Fields, name: str) -> int:
    segments = context.integer(name, 1, MAX_SCORE)
    if segments not in CLOCK_SIZES:
        raise BadRequest(f"{context.path(name)} is {segments}: a clock has 4, 6 or 8 segments")
    return segments


def _defend(consequence: int, uses: int, settled: ActiveRulings) -> int:
    if uses == 0:
        return consequence
    match settled["defence"]:
        case "all":
            return 0
        case "two":
            return max(0, consequence - 2 * uses)
    return max(0, consequence - uses)
