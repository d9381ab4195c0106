"""What a round does to a die code: repeated use, reactions, preparation, running, wounds, luck.

Rule ids in the comments (D1 to F6) are those of the project's own list of this system's rules.
"""

from typing import Final

from rules.code import Code, parse_code
from rules.facts import Facts, JsonValue
from rules.outcome import Ruling
from rules.request import Fields
from rules.rulings import ActiveRulings, yes_or_no

MAX_USES: Final = 100
MAX_STEPS: Final = 300
MAX_LUCK: Final = 100
DOUBLED_PIPS: Final = 4
"""Greatest number of pips of a doubled code whose pips are not converted."""
LUCKY_USES: Final = 2
"""Uses without a penalty in a lucky round, if the table plays it so (F5)."""

ROUND_RULINGS: Final = (
    Ruling(name="below_1d", default="cannot_roll", choices=("cannot_roll", "wild_only")),
    yes_or_no("double_literally"),
    Ruling(name="luck_order", default="luck_first", choices=("luck_first", "penalties_first")),
    yes_or_no("luck_doubles_actions"),
    yes_or_no("lone_reaction_free"),
)


def answer_code(context: Fields, settled: ActiveRulings) -> Facts:
    """Return a code as changed by the round; null if it cannot be rolled.

    `uses` are the uses of this round so far, reactions included; or `uses` are the declared ones and `reactions` the
    additional ones.

    Raises:
        BadRequest: The code is not valid, or a number is out of range.
    """
    code = parse_code(context.text("code"), context.path("code"))
    declared = context.integer("uses", 1, MAX_USES, default=1)
    reactions = context.integer("reactions", 0, MAX_USES, default=0)
    lucky, prepared = context.flag("luck"), context.flag("prepared")
    if declared == 1 and settled["lone_reaction_free"] is True:  # F6
        reactions = 0
    free_uses = LUCKY_USES if lucky and settled["luck_doubles_actions"] is True else 1
    dice = -max(0, declared + reactions - free_uses)  # D1, D2
    dice += int(prepared) - int(context.flag("running")) - int(context.flag("wounded"))  # D3, D4
    code = code.stepped(context.integer("steps", -MAX_STEPS, MAX_STEPS, default=0))
    if lucky and settled["luck_order"] == "penalties_first":
        code = _double(code.with_dice(dice), settled)
    elif lucky:
        code = _double(code, settled).with_dice(dice)
    else:
        code = code.with_dice(dice)
    warnings: list[JsonValue] = ["prepared_one_use_only"] if prepared and declared + reactions > 1 else []
    return {"code": _rollable(code, settled), "penalty_dice": dice, "warnings": warnings}


def answer_luck(context: Fields) -> Facts:
    """Return the luck points left after spending one, now and at the adventure's end (section E).

    Raises:
        BadRequest: The way of spending it is unknown, or a number is out of range.
    """
    luck = context.integer("luck", 0, MAX_LUCK, default=1)
    how = context.word("how", ("unheroic", "heroic", "dramatic"))
    if luck == 0:
        return {"illegal": "no_luck_left"}
    left = luck - 1
    return {"now": left, "at_adventure_end": left if how == "unheroic" else luck, "maybe_bonus": int(how == "dramatic")}


def _double(code: Code, settled: ActiveRulings) -> Code:
    doubled = Code(2 * code.dice, 2 * code.pips)
    return doubled if settled["double_literally"] is True else doubled.normalised()


def _rollable(code: Code, settled: ActiveRulings) -> str | None:
    if code.dice >= 1:
        return str(code)
    return str(Code(1, 0)) if settled["below_1d"] == "wild_only" else None
