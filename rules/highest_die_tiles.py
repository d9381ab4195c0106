"""The tiles of highest-die, and its questions besides rolls."""

from collections.abc import Mapping
from typing import Final

from rules.dice import Role
from rules.facts import Facts, JsonValue
from rules.highest_harm import EQUIPMENT_USES, LOST_STATES
from rules.sheet import Consequence, Kind
from rules.tiles import Inputs, Prepared, Question, choice_tile, counter_tile, dice_tile, flag_tile, number_tile

MAX_SCORE: Final = 20
MAX_CONSEQUENCE: Final = 20

TILES: Final = (
    counter_tile("attribute", (Kind.ATTRIBUTE,), 0, MAX_SCORE, optional=False),
    choice_tile("roll", ("action", "resistance"), "action"),
    choice_tile("risk", ("low", "mixed", "high")),
    number_tile("consequence", 0, MAX_CONSEQUENCE, 1),
    number_tile("own_dice", 0, MAX_SCORE, 0),
    number_tile("team_dice", 0, MAX_SCORE, 0),
    flag_tile("assistive"),
    choice_tile("load", ("light", "normal", "heavy"), "normal"),
)

AIMS: Final = tuple(tile for tile in TILES if tile.name == "risk")
"""The price of a failure."""

ASKS: Final = (
    Question("team", (number_tile("dice", 1, MAX_SCORE, 1),)),
    Question(
        "damage",
        (
            number_tile("consequence", 0, MAX_CONSEQUENCE, 1),
            number_tile("hp", 0, MAX_SCORE),
            number_tile("str", -1, MAX_SCORE),
            number_tile("defensive_uses", 0, 2, 0),
            flag_tile("exposed"),
        ),
    ),
    Question(
        "loss",
        (
            choice_tile("attribute_name", tuple(LOST_STATES)),
            number_tile("attribute", -1, MAX_SCORE),
            number_tile("consequence", 0, MAX_CONSEQUENCE, 1),
        ),
    ),
    Question(
        "defend",
        (
            choice_tile("kind", tuple(EQUIPMENT_USES)),
            number_tile("used", 0, 2, 0),
            number_tile("spend", 1, 2, 1),
            number_tile("consequence", 0, MAX_CONSEQUENCE, 1),
        ),
    ),
    Question("load", (number_tile("regular", 0, MAX_SCORE, 0), number_tile("bulky", 0, MAX_SCORE, 0))),
    Question("creation", (dice_tile("dice"), number_tile("str", 0, MAX_SCORE)), from_sheet=False),
    Question("advance", (dice_tile("hp_dice"), dice_tile("attribute_dice"))),
)


def read_pool_context(tapped: Inputs) -> dict[str, JsonValue]:
    """Turn tiles into the context of the operation `pool`."""
    attribute = tapped.counter("attribute")
    context: dict[str, JsonValue] = {
        "attribute": 0 if attribute is None else max(0, attribute.value),
        "roll": tapped.word("roll"),
        "own_dice": tapped.number("own_dice"),
        "team_dice": tapped.number("team_dice"),
        "load": tapped.word("load"),
    }
    if attribute is not None and attribute.name is not None:
        context["attribute_name"] = attribute.name
    grit = None if tapped.sheet is None else tapped.sheet.find(Kind.GRIT)
    if grit is not None:
        context["grit"] = grit.now
    return context


def prepared_roll(tapped: Inputs, pool_context: Facts, answer: Facts) -> Prepared:
    """Turn the answer of the operation `pool` into dice to take and the facts of the roll."""
    attribute = tapped.counter("attribute")
    if attribute is not None and attribute.value < 0:
        state = LOST_STATES.get(attribute.name or "", "out of it")
        return Prepared((), {}, answer, "attribute_lost", {"attribute": attribute.name, "state": state})
    if "illegal" in answer:
        return Prepared((), {}, answer, str(answer["illegal"]))
    count, bought = (_whole(answer[name]) for name in ("dice", "grit_dice"))
    context: dict[str, JsonValue] = {}
    if "attribute_name" in pool_context:
        context["attribute_name"] = pool_context["attribute_name"]
    if answer["zero_dice"]:
        context["zero_dice"] = True
    if tapped.word("roll") == "resistance":
        context["consequence"] = tapped.number("consequence")
    else:
        if tapped.word("risk") is not None:
            context["risk"] = tapped.word("risk")
        if tapped.flag("assistive"):
            context["assistive"] = True
    grit, left = pool_context.get("grit"), answer["grit_after"]
    spent = grit - left if isinstance(grit, int) and isinstance(left, int) else 0
    return Prepared(
        pool=((Role.PLAIN, count - bought), (Role.GRIT, bought)),
        context=context,
        facts=answer,
        reason=None if count else "no_dice",
        warnings=("zero_dice",) if answer["zero_dice"] else (),
        # Grit buys dice for one roll (A5): throwing the same dice again costs again.
        price=(Consequence(Kind.GRIT, by=-spent),) if spent else (),
    )


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0


def pool_odds_request(pool: Mapping[str, int], _levels: tuple[str, ...], context: Facts) -> Facts:
    """Return the request for the odds of a declared pool."""
    return {"pool": {"dice": sum(pool.values()), "zero_dice": context.get("zero_dice") is True}}
