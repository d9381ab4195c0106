"""The tiles of die-code, its opposed rolls, and what a table asks the rules beside them."""

from collections.abc import Mapping
from typing import Final

from rules.code import BANDS, Code, parse_code
from rules.code_round import DOUBLED_PIPS
from rules.dice import Role
from rules.facts import Facts, JsonValue
from rules.sheet import Consequence, Kind
from rules.tiles import Ask, Prepared, Series, Tapped, Tile, TileKind, choice_tile, flag_tile, number_tile

MAX_DIFFICULTY: Final = 1000
MAX_USES: Final = 20
MAX_STEPS: Final = 30
MAX_PIPS: Final = 180

TILES: Final = (
    Tile(
        "code",
        "Code, or a skill that counts pips (3 to a die)",
        TileKind.COUNTER,
        counter_kinds=(Kind.SKILL, Kind.ATTRIBUTE),
        low=1,
        high=MAX_PIPS,
        optional=False,
    ),
    number_tile("uses", "Skills used this round", 1, MAX_USES, 1),
    number_tile("reactions", "Reactions before it", 0, MAX_USES, 0),
    number_tile("steps", "Steps up or down", -MAX_STEPS, MAX_STEPS, 0),
    flag_tile("prepared", "Prepared a full round"),
    flag_tile("running", "Running"),
    flag_tile("wounded", "Wounded"),
    flag_tile("luck", "Spend a luck point"),
    choice_tile("band", "Difficulty", tuple(BANDS)),
    number_tile("difficulty", "Number to reach", 0, MAX_DIFFICULTY),
)


def _tell_opposed(settings: Facts, answer: Facts) -> str:  # noqa: ARG001
    if answer.get("reroll"):
        return "A tie: both roll again."
    return {"win": "The first side wins.", "lose": "The second side wins.", "tie": "A tie."}[str(answer["result"])]


SERIES: Final = (
    Series(
        op="opposed",
        title="Opposed roll",
        counts="total",
        settings=(flag_tile("defending", "The first side defends"),),
        tell=_tell_opposed,
        pair=("mine", "theirs"),
    ),
)

ASKS: Final = (
    Ask(
        "luck",
        "Spend a luck point",
        (
            number_tile("luck", "Luck now", 0, MAX_USES),
            choice_tile("how", "How", ("unheroic", "heroic", "dramatic")),
        ),
    ),
    Ask(
        "band",
        "Difficulty",
        (choice_tile("band", "Band", tuple(BANDS)), number_tile("value", "Number", 0, MAX_DIFFICULTY)),
    ),
)


def read_code_context(tapped: Tapped) -> dict[str, JsonValue]:
    """Turn tiles into the context of the operation `code`.

    A counter of the sheet counts pips; a code may be typed as well, as in 3d+2.

    Raises:
        BadRequest: The code is none.
    """
    text = tapped.word("code")
    on_sheet = (
        text is not None
        and tapped.sheet is not None
        and any(tapped.sheet.find(kind, text) is not None for kind in (Kind.SKILL, Kind.ATTRIBUTE))
    )
    if text is not None and not on_sheet:
        code = str(parse_code(text, "code"))
    else:
        picked = tapped.counter("code")
        code = str(Code(0, 0 if picked is None else picked.value).normalised())
    wounds = None if tapped.sheet is None else tapped.sheet.find(Kind.RESOURCE, "wounds")
    wounded = tapped.flag("wounded") if tapped.was_tapped("wounded") else wounds is not None and wounds.now > 0
    return {
        "code": code,
        "uses": tapped.number("uses"),
        "reactions": tapped.number("reactions"),
        "steps": tapped.number("steps"),
        "prepared": tapped.flag("prepared"),
        "running": tapped.flag("running"),
        "wounded": wounded,
        "luck": tapped.flag("luck"),
    }


def tell_prepared(tapped: Tapped, answer: Facts, offered: JsonValue) -> Prepared:
    """Turn the answer of the operation `code` into dice to take and the facts of the roll.

    Args:
        tapped: The tiles.
        answer: Of the operation `code`.
        offered: The number that the tapped band of difficulty stands for; None where none was tapped.
    """
    luck = None if tapped.sheet is None else tapped.sheet.find(Kind.LUCK)
    if tapped.flag("luck") and luck is not None and luck.now == 0:
        return Prepared((), {}, answer, "no_luck_left", "There is no luck point left to spend.")
    if answer["code"] is None:
        text = "Less than one die is left of the code: it cannot be rolled and fails."
        return Prepared((), {}, answer, "cannot_roll", text)
    code = parse_code(str(answer["code"]), "code", DOUBLED_PIPS)
    context: dict[str, JsonValue] = {"code": str(answer["code"])}
    difficulty = tapped.optional_number("difficulty")
    if difficulty is not None:
        context["difficulty"] = difficulty
    elif offered is not None:
        context["difficulty"] = offered
    warnings = answer["warnings"] if isinstance(answer["warnings"], list) else []
    return Prepared(
        pool=((Role.WILD, 1), (Role.PLAIN, code.dice - 1)),
        context=context,
        facts=answer,
        warnings=tuple((str(code), "A prepared round has one skill only.") for code in warnings),
        # A luck point holds for the whole round: every roll of this code in it is doubled for the one point (E).
        entry=(Consequence(Kind.LUCK, by=-1),) if tapped.flag("luck") else (),
    )


def pool_odds_request(pool: Mapping[str, int], _levels: tuple[str, ...], context: Facts) -> Facts:
    """Ask for the odds of a declared pool."""
    code = context.get("code")
    request: dict[str, JsonValue] = {"pool": {"code": code or f"{sum(pool.values())}d", "wild": True}}
    if context.get("difficulty") is not None:
        request["difficulty"] = context["difficulty"]
    return request
