"""The tiles of die-code, its opposed rolls, and its questions besides rolls."""

from collections.abc import Mapping
from typing import Final

from rules.code import BANDS, Code, parse_code
from rules.code_round import DOUBLED_PIPS
from rules.dice import Role
from rules.facts import Facts, JsonValue
from rules.sheet import Consequence, Kind
from rules.tiles import (
    ExtendedTest,
    Inputs,
    Prepared,
    Question,
    Standing,
    Tile,
    TileKind,
    choice_tile,
    flag_tile,
    number_tile,
)

MAX_DIFFICULTY: Final = 1000
MAX_USES: Final = 20
MAX_STEPS: Final = 30
MAX_PIPS: Final = 180

TILES: Final = (
    Tile("code", TileKind.COUNTER, counter_kinds=(Kind.SKILL, Kind.ATTRIBUTE), low=1, high=MAX_PIPS, optional=False),
    number_tile("uses", 1, MAX_USES, 1),
    number_tile("reactions", 0, MAX_USES, 0),
    number_tile("steps", -MAX_STEPS, MAX_STEPS, 0),
    flag_tile("prepared"),
    flag_tile("running"),
    flag_tile("wounded"),
    flag_tile("luck"),
    choice_tile("band", tuple(BANDS)),
    number_tile("difficulty", 0, MAX_DIFFICULTY),
)


AIMS: Final = tuple(tile for tile in TILES if tile.name in ("band", "difficulty"))
"""What a total is compared with: a number, or a band for which one is suggested."""


def _opposed_standing(settings: Facts, answer: Facts) -> Standing:  # noqa: ARG001
    return Standing("reroll" if answer.get("reroll") else str(answer["result"]))


EXTENDED_TESTS: Final = (
    ExtendedTest(
        op="opposed",
        counts="total",
        settings=(flag_tile("defending"),),
        standing_of=_opposed_standing,
        pair=("mine", "theirs"),
    ),
)

ASKS: Final = (
    Question("luck", (number_tile("luck", 0, MAX_USES), choice_tile("how", ("unheroic", "heroic", "dramatic")))),
    Question("band", (choice_tile("band", tuple(BANDS)), number_tile("value", 0, MAX_DIFFICULTY))),
)


def read_code_context(tapped: Inputs) -> dict[str, JsonValue]:
    """Turn tiles into the context of the operation `code`.

    A counter of the sheet counts pips; a code may also be typed, as in 3d+2.

    Raises:
        BadRequest: The code is not valid.
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


def prepared_roll(tapped: Inputs, answer: Facts, offered: JsonValue) -> Prepared:
    """Turn the answer of the operation `code` into dice to take and the facts of the roll."""
    luck = None if tapped.sheet is None else tapped.sheet.find(Kind.LUCK)
    if tapped.flag("luck") and luck is not None and luck.now == 0:
        return Prepared((), {}, answer, "no_luck_left")
    if answer["code"] is None:
        return Prepared((), {}, answer, "cannot_roll")
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
        warnings=tuple(str(code) for code in warnings),
        # A luck point lasts the whole round: it doubles every roll of this code in the round (E).
        entry=(Consequence(Kind.LUCK, by=-1),) if tapped.flag("luck") else (),
    )


def pool_odds_request(pool: Mapping[str, int], _levels: tuple[str, ...], context: Facts) -> Facts:
    """Return the request for the odds of a declared pool."""
    code = context.get("code")
    request: dict[str, JsonValue] = {"pool": {"code": code or f"{sum(pool.values())}d", "wild": True}}
    if context.get("difficulty") is not None:
        request["difficulty"] = context["difficulty"]
    return request
