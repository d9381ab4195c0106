"""die-code: codes such as 3d+2 are rolled and added up against a difficulty; one die is wild and explodes on a 6.

Rule ids in the comments (A1 to F10) are those of the project's own list of this system's rules.
"""

from collections.abc import Mapping
from typing import Final

from rules.asking import Aimed, Compared, Hand
from rules.code import BANDS, PIPS_IN_A_DIE, Code, band_of, parse_code, range_of
from rules.code_round import DOUBLED_PIPS, MAX_LUCK, ROUND_RULINGS, answer_code, answer_luck
from rules.dice import BLANK, Die, Role, Roll, lay
from rules.die_code_odds import answer_odds
from rules.die_code_tiles import AIMS, ASKS, EXTENDED_TESTS, TILES, pool_odds_request, prepared_roll, read_code_context
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.marks import Mark
from rules.odds import Odds
from rules.outcome import NO_PUSH, IllegalPlay, Outcome, Ruling
from rules.report import Line, OddsLine, Report, Tone
from rules.request import MAX_DICE, Fields, show_value
from rules.rulebook import RuleSystem, without_rulings
from rules.rulings import ActiveRulings
from rules.sheet import Consequence, Counter, Kind
from rules.tiles import Inputs, Prepared

MAX_TOTAL: Final = 100_000
MAX_CODE: Final = 20 * PIPS_IN_A_DIE
"""Highest code on a sheet, in pips: as many dice as two hands hold."""

RULINGS: Final = (
    Ruling(name="wild_one", default="nothing", choices=("nothing", "drop_highest", "complication")),
    Ruling(name="opposed_tie", default="tie", choices=("tie", "defender", "reroll")),
    Ruling(name="wild_form", default="table", choices=("table", "chat")),
    Ruling(name="band_number", default="lower", choices=("lower", "middle", "upper")),
    *ROUND_RULINGS,
)


SKILL_STATS: Final[Mapping[str, str]] = {
    "brawling": "STR",
    "melee": "STR",
    "athletics": "STR",
    "dodge": "DEX",
    "shoot": "DEX",
    "stealth": "DEX",
    "lore": "INT",
    "notice": "INT",
    "medic": "INT",
}

_STATS: Final = tuple(dict.fromkeys(SKILL_STATS.values()))
_START: Final = 3 * PIPS_IN_A_DIE

SHEET: Final = (
    *(Counter(name, Kind.ATTRIBUTE, now=_START, most=MAX_CODE) for name in _STATS),
    *(Counter(name, Kind.SKILL, now=_START, most=MAX_CODE) for name in SKILL_STATS),
    Counter("luck", Kind.LUCK, now=1),
    Counter("wounds", Kind.RESOURCE, now=0),
)
"""A new character; stats and skills count pips, and a skill starts at the code of its stat (A3)."""

BEST: Final[Mapping[str, Mapping[str, int]]] = {
    stat: dict.fromkeys((stat, *(skill for skill, its in SKILL_STATS.items() if its == stat)), _START + PIPS_IN_A_DIE)
    for stat in _STATS
}
"""Characters with a die more in one stat and its skills; the rule text has no budget for new ones."""


def follow_wild_die(context: Fields) -> Facts:
    """Add an exploding roll to a total: leading sixes and the first other die count, the rest does not (C2).

    Raises:
        BadRequest: A number is out of range.
    """
    total = context.integer("first_total", 0, MAX_TOTAL)
    used: list[JsonValue] = []
    need_more = True
    for value in context.integers("extra", 1, 6):
        used.append(value)
        total += value
        if value != 6:
            need_more = False
            break
    return {"used": used, "total": total, "need_more": need_more}


def compare_opposed(context: Fields, settled: ActiveRulings) -> Facts:
    """Compare two totals; equal ones are a tie unless the table decides ties (B3, F3).

    Raises:
        BadRequest: A number is out of range.
    """
    mine, theirs = context.integer("mine", 0, MAX_TOTAL), context.integer("theirs", 0, MAX_TOTAL)
    if mine != theirs:
        return {"result": "win" if mine > theirs else "lose", "reroll": False}
    match settled["opposed_tie"]:
        case "defender":
            return {"result": "win" if context.flag("defending") else "lose", "reroll": False}
        case "reroll":
            return {"result": "tie", "reroll": True}
    return {"result": "tie", "reroll": False}


def describe_band(context: Fields, settled: ActiveRulings) -> Facts:
    """Return the band of a number, or a suggested number for a named band (B2, F9, F10).

    Raises:
        BadRequest: The band is unknown, or the number is out of range.
    """
    name = context.optional_word("band", tuple(BANDS))
    if name is None:
        value = context.integer("value", 0, MAX_TOTAL)
        return {"band": band_of(value), "range": range_of(value)}
    low, high = BANDS[name]
    offered = {"lower": low, "middle": (low + (high or low)) // 2, "upper": high or low}
    return {"band": name, "low": low, "high": high, "number": offered[str(settled["band_number"])]}


def _prepare(tapped: Inputs, settled: ActiveRulings) -> Prepared:
    answer = answer_code(Fields(read_code_context(tapped), "tiles"), settled)
    band = tapped.word("band")
    offered = None if band is None else describe_band(Fields({"band": band}, "tiles"), settled)["number"]
    return prepared_roll(tapped, answer, offered)


def _aim(tapped: Inputs, hand: Hand, settled: ActiveRulings) -> Aimed:
    difficulty, band = tapped.optional_number("difficulty"), tapped.word("band")
    if difficulty is not None:
        return Aimed(hand, {"difficulty": difficulty})
    return Aimed(
        hand, {} if band is None else {"difficulty": describe_band(Fields({"band": band}, "aim"), settled)["number"]}
    )


def _margin(facts: Fields, context: Fields) -> int | None:
    total = facts.optional_integer("total", 0, MAX_TOTAL)
    difficulty = context.optional_integer("difficulty", 0, MAX_TOTAL)
    return None if total is None or difficulty is None else total - difficulty


def _sides(first: int, second: int, settled: ActiveRulings) -> Compared:
    """Compare an attacker and a defender; a tie is a draw, or the defender's if the table plays it so."""
    answer = compare_opposed(Fields({"mine": first, "theirs": second}, "context"), settled)
    result = "draw" if answer["result"] == "tie" else str(answer["result"])
    return Compared(result, abs(first - second), again=answer["reroll"] is True)


def _odds(request: Facts, _context: Fields, settled: ActiveRulings) -> Odds:
    drops_highest = settled["wild_one"] == "drop_highest"
    return answer_odds(request, drops_highest=drops_highest, most_pips=_most_pips(settled))


def _most_pips(settled: ActiveRulings) -> int:
    """Return the greatest number of pips: more than two only if luck doubles them unconverted (F4)."""
    return DOUBLED_PIPS if settled["double_literally"] is True else PIPS_IN_A_DIE - 1


def _effects(answer: Fields, _context: Fields) -> tuple[Consequence, ...]:
    """Return the consequence of an answer for a sheet: a luck point spent."""
    return (Consequence(Kind.LUCK, to=answer.optional_integer("now", 0, MAX_LUCK)),)


def _describe(facts: Facts, _context: Facts) -> Report:
    """Describe a roll: whether the wild die must be thrown again."""
    return Report(gains=(Line("reroll_wild", Tone.GOOD),) if facts.get("pending") == "reroll_wild" else ())


def _check_dice(dice: Roll) -> Die:
    """Return the wild die: the one with that role, else the first (C1, C2, F2)."""
    if not dice:
        raise BadRequest(f"there are no dice: give 1 to {MAX_DICE}")
    for die in dice:
        if die.sides != 6:
            text = f"die {show_value(die.id)} has {die.sides} sides: die-code is played with 6"
            raise BadRequest(text, "sides", die=f"d{die.sides}")
    wild = [die for die in dice if die.role is Role.WILD]
    if len(wild) > 1:
        raise BadRequest(f"{len(wild)} dice are wild: give one die the role wild", "wild_dice", count=len(wild))
    return wild[0] if wild else dice[0]


def _total(dice: Roll, context: Fields, settled: ActiveRulings) -> Outcome | IllegalPlay:
    """Add up a roll; the context has later throws of the wild die as `wild_rerolls`.

    Without a `code` in the context, the code is the number of dice on the table, without pips.
    """
    wild = _check_dice(dice)
    code = Code(len(dice), 0)
    if "code" in context:
        code = parse_code(context.text("code"), context.path("code"), _most_pips(settled))
    difficulty = context.optional_integer("difficulty", 0, MAX_TOTAL)
    rerolls = context.integers("wild_rerolls", BLANK, 6)
    if len(dice) != code.dice:
        return IllegalPlay(reason="wrong_dice_count")
    if settled["wild_form"] == "chat" and wild.value == 6:
        ends = next((place for place, value in enumerate(rerolls) if value != 6), len(rerolls))
        rerolls = rerolls[: ends + 1]
    throws = (wild.value, *rerolls)
    if any(value != 6 for value in throws[:-1]):
        return IllegalPlay(reason="wild_reroll_not_earned", dice=(wild.id,))
    pending = throws[-1] == 6
    dropped: tuple[str, ...] = ()
    if wild.value == 1 and settled["wild_one"] == "drop_highest":
        others = [die for die in dice if die is not wild]
        dropped = (wild.id, *(die.id for die in sorted(others, key=lambda die: -die.value)[:1]))
    complication = wild.value == 1 and settled["wild_one"] == "complication"
    total = sum(die.value for die in dice if die.id not in dropped) + sum(rerolls) + code.pips
    success = None if pending or difficulty is None else total >= difficulty
    facts: dict[str, JsonValue] = {
        "total": None if pending else total,
        "success": success,
        "band": None if pending else band_of(total),
        "pending": "reroll_wild" if pending else None,
        "total_so_far": total,
        "wild": wild.id,
        "dropped": list(dropped),
        "complication": complication,
        "push": NO_PUSH.facts(),
    }
    return Outcome(
        facts=facts,
        locked=(),
        must_reroll=(wild.id,) if pending else (),
        push=NO_PUSH,
        headline=(total, "so far" if pending else "total"),
        success=success,
        marks={
            die.id: Mark.DISCARDED
            if die.id in dropped
            else (Mark.COST if complication else Mark.WILD)
            if die is wild
            else Mark.COUNTED
            for die in dice
        },
    )


SYSTEM: Final = RuleSystem(
    id="die-code",
    rulings=RULINGS,
    pool_roles=(Role.WILD, Role.PLAIN),
    example=(lay((Role.PLAIN, 4), (Role.PLAIN, 3), (Role.WILD, 5)), {"code": "3d+2"}),
    sheet=SHEET,
    best=BEST,
    tops={Kind.ATTRIBUTE: MAX_CODE, Kind.SKILL: MAX_CODE},
    scale=tuple(str(Code(0, pips).normalised()) for pips in range(MAX_CODE + 1)),
    tiles=TILES,
    asks=ASKS,
    extended_tests=EXTENDED_TESTS,
    exploding_key="wild_rerolls",
    prepare_tapped=_prepare,
    score_dice=_total,
    other_rolls={"total": _total},
    operations={
        "wild_chain": without_rulings(follow_wild_die),
        "code": answer_code,
        "opposed": compare_opposed,
        "band": describe_band,
        "luck": without_rulings(answer_luck),
    },
    exact_odds=_odds,
    effects=_effects,
    reporter=_describe,
    odds_lines=(OddsLine("p_success"), OddsLine("mean", Tone.MEAN)),
    example_pool={Role.WILD: 1, Role.PLAIN: 3},
    odds_question=pool_odds_request,
    aims=AIMS,
    aim_tapped=_aim,
    margin_of=_margin,
    sides=_sides,
)
