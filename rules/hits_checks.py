"""The named checks of hits-pool: fatigue by success, draw and failure, and the results of a fall or a rest.

Rule ids in the comments (A1 to D13) are those of the project's own list of this system's rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.outcome import Ruling
from rules.request import MAX_DICE, Fields
from rules.rulings import ActiveRulings
from rules.sheet import MAX_VALUE, Consequence, Kind

MAX_HITS: Final = 1000
MAX_RECOVERED: Final = MAX_HITS + MAX_DICE
"""The fixed rate plus one hit on every recovery die."""
MAX_METRES: Final = 100_000
MAX_UNITS: Final = 110
SAFE_METRES: Final = 2
MAX_FALL_DV: Final = 60
MARCH_UNITS: Final = 10
"""Units of a day's travel that need no check."""
BREATHERS_A_DAY: Final = 3
XP_OF_A_LEVEL: Final = 3
MAX_LEVEL: Final = 1000
MAX_RANK: Final = 6


class Fatigue(StrEnum):
    """The depth of a level of fatigue."""

    TEMPORARY = "temporary"
    SHORT = "short"
    LONG = "long"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the rule text.

    Attributes:
        draw: Fatigue on a draw; None if the text gives none.
        rises: Whether the threshold rises by one with every check, starting at 1.
    """

    ability: str
    draw: Fatigue | None
    fail: Fatigue | None
    thresholds: Mapping[str, int] | None = None
    checks_a_day: Mapping[str, int] | None = None
    rises: bool = False
    recovery: str | None = None


_HEAT_AND_COLD: Final = {"hot": 1, "sweltering": 2, "blistering": 3, "cold": 1, "freezing": 2, "sub_zero": 3}
_HEAT_AND_COLD_A_DAY: Final = {"hot": 1, "sweltering": 2, "blistering": 3, "cold": 2, "freezing": 3, "sub_zero": 4}
_WATER_A_DAY: Final = {"normal": 1, "cold": 1, "hot": 2, "sweltering": 3, "blistering": 3}

CHECKS: Final[Mapping[str, Check]] = {
    "forced_march": Check("grit", Fatigue.TEMPORARY, Fatigue.SHORT, rises=True),
    "suffocation": Check("grit", None, Fatigue.SHORT, rises=True),
    "elements": Check(
        "endurance", Fatigue.SHORT, Fatigue.LONG, thresholds=_HEAT_AND_COLD, checks_a_day=_HEAT_AND_COLD_A_DAY
    ),
    "radiation": Check("grit", Fatigue.SHORT, Fatigue.LONG, recovery="no short or long fatigue while irradiated"),
    "starvation": Check("endurance", None, Fatigue.SHORT, rises=True, recovery="none of this while starving"),
    "dehydration": Check(
        "endurance", None, Fatigue.LONG, checks_a_day=_WATER_A_DAY, rises=True, recovery="none of this while thirsty"
    ),
    "sleep_deprivation": Check(
        "endurance", Fatigue.TEMPORARY, Fatigue.SHORT, rises=True, recovery="no short or long fatigue while sleepless"
    ),
    "scrapes": Check("athletics", Fatigue.TEMPORARY, Fatigue.SHORT),
    "pit": Check("acrobatics", Fatigue.SHORT, Fatigue.LONG),
    "strenuous": Check("endurance", None, None),
    "disease_contact": Check("grit", None, None),
    "disease_1": Check("grit", Fatigue.TEMPORARY, Fatigue.SHORT),
    "disease_2": Check("grit", Fatigue.TEMPORARY, Fatigue.SHORT),
    "disease_3": Check("grit", Fatigue.SHORT, Fatigue.LONG),
    "disease_4": Check("grit", Fatigue.SHORT, Fatigue.LONG),
    "fear": Check("willpower", None, None),
    "radiation_damage": Check("endurance", None, None),
}
"""Every check by name. Diseases are numbered by their row of the chart, whatever their current threshold."""

DOUBTFUL_ABILITY: Final = ("elements", "starvation", "dehydration")
DISEASES: Final = ("disease_1", "disease_2", "disease_3", "disease_4")

_MOUNT_HP: Final = {"success": 0, "draw": 1, "fail": 2}

CHECK_RULINGS: Final = (
    Ruling(name="unstated_draw", default="nothing", choices=("nothing", "as_fail")),
    Ruling(name="elements_ability", default="endurance", choices=("endurance", "body", "grit")),
    Ruling(name="disease_cured", default="below_zero", choices=("below_zero", "at_zero")),
    Ruling(name="soft_fall_rounding", default="floor", choices=("floor", "up")),
)


def answer_check(context: Fields, settled: ActiveRulings) -> Facts:
    """Return the result of a named check for the hits rolled.

    A check's own result for a draw overrides the rule that a draw meets its threshold (D8); if the text gives no result
    for a draw, there is none (D11).

    Raises:
        BadRequest: The check or its case is unknown, or the threshold is unknown.
    """
    name = context.word("check", tuple(CHECKS))
    check = CHECKS[name]
    case = _read_case(context, check)
    threshold = _read_threshold(context, name, check, case)
    facts: dict[str, JsonValue] = {
        "check": name,
        "ability": settled["elements_ability"] if name in DOUBTFUL_ABILITY else check.ability,
        "threshold": threshold,
        "checks_a_day": check.checks_a_day[case] if check.checks_a_day is not None and case is not None else None,
        "recovery": check.recovery,
    }
    hits = context.optional_integer("hits", 0, MAX_HITS)
    if hits is None:
        return facts
    if name in DISEASES:  # a carer's hits are added to the sick person's own
        hits += context.integer("medic_hits", 0, MAX_HITS, default=0)
    outcome = "draw" if hits == threshold else "success" if hits > threshold else "fail"
    draw = check.draw
    if draw is None and settled["unstated_draw"] == "as_fail":
        draw = check.fail
    fatigue = {"success": None, "draw": draw, "fail": check.fail}[outcome]
    facts |= {
        "outcome": outcome,
        "fatigue": None if fatigue is None else fatigue.value,
        "threshold_next": threshold + 1 if check.rises else threshold,
        "net_misses": max(0, threshold - hits),
    }
    cured_at = 0 if settled["disease_cured"] == "at_zero" else -1
    return {**facts, **_special(name, outcome, threshold, cured_at)}


def answer_falling(context: Fields, settled: ActiveRulings) -> Facts:
    """Return the damage of a fall: a point a metre, less a point a hit, half on soft ground, at most sixty.

    Raises:
        BadRequest: A number is out of range.
    """
    metres = context.integer("metres", 0, MAX_METRES)
    left = metres - context.integer("hits", 0, MAX_HITS, default=0) if metres > SAFE_METRES else 0
    if context.flag("soft") and left > 0:
        left = -(-left // 2) if settled["soft_fall_rounding"] == "up" else left // 2
    damage = min(MAX_FALL_DV, max(0, left))
    return {"dv": damage, "standing": damage == 0, "resist_with": "fortitude"}


def answer_march(context: Fields) -> Facts:
    """Return the checks of a forced march: one for each unit over ten, each harder by one; a rider's are easier by one.

    Raises:
        BadRequest: The number of units is out of range.
    """
    over = max(0, context.integer("units", 0, MAX_UNITS) - MARCH_UNITS)
    return {"thresholds": list(range(1, over + 1)), "rider_thresholds": list(range(over))}


def answer_recovery(context: Fields) -> Facts:
    """Return what a breather or a night's sleep restores.

    Recovery dice are assigned to hit points or power points before they are rolled, and each hit restores one. Sleep
    restores all power and the whole pool.

    Raises:
        BadRequest: More dice are assigned than the pool has, or a number is out of range.
    """
    rate = context.integer("rate", 0, MAX_HITS, default=0)
    asleep = context.word("rest", ("breather", "sleep")) == "sleep"
    taken = 0 if asleep else context.integer("breathers_taken", 0, MAX_DICE, default=0)
    if taken >= BREATHERS_A_DAY:
        return {"illegal": "no_breather_left"}
    pool = context.integer("pool", 0, MAX_DICE, default=0)
    for_hp = context.integer("hp_dice", 0, MAX_DICE, default=0)
    for_power = context.integer("power_dice", 0, MAX_DICE, default=0)
    if for_hp + for_power > pool:
        text = f"{for_hp + for_power} recovery dice are allocated: the pool holds {pool}"
        raise BadRequest(text, "too_many_dice", most=pool)
    hp = context.integer("hp_hits", 0, for_hp, default=0)
    power = context.integer("power_hits", 0, for_power, default=0)
    if asleep:
        return {"hp": rate + hp, "power": "full", "recovers": {"temporary": "all", "short": 1}, "pool": "full"}
    return {
        "hp": hp,
        "power": rate + power,
        "recovers": {"temporary": 1, "short": 0},
        "pool": pool - for_hp - for_power,
        "breathers_left": BREATHERS_A_DAY - taken - 1,
    }


def answer_level(context: Fields) -> Facts:
    """Turn experience into levels, and return the rank of the level.

    A level takes three points; each gives a perk point, of which one may be saved.

    Raises:
        BadRequest: A number is out of range.
    """
    level = context.integer("level", 1, MAX_LEVEL, default=1)
    gained, left = divmod(context.integer("xp", 0, MAX_HITS, default=0), XP_OF_A_LEVEL)
    reached = level + gained
    perk_points = gained + context.integer("banked", 0, 1, default=0)
    return {
        "level": reached,
        "xp_left": left,
        "perk_points": perk_points,
        "must_spend": max(0, perk_points - 1),
        "rank": min(reached // 10, MAX_RANK - 1) + 1,
    }


def rest_consequences(answer: Fields) -> tuple[Consequence, ...]:
    """Return the consequences of a rest, as answered above, for a sheet.

    Raises:
        BadRequest: The facts are not such an answer.
    """
    asleep = answer.raw("power") == "full"
    gained = answer.integer("hp", 0, MAX_RECOVERED, default=0)
    if asleep:
        return (
            Consequence(Kind.HP, by=gained),
            Consequence(Kind.POWER, by=MAX_VALUE),
            Consequence(Kind.FATIGUE, name=Fatigue.TEMPORARY.value, to=0),
            Consequence(Kind.FATIGUE, name=Fatigue.SHORT.value, by=-1),
            Consequence(Kind.RESOURCE, name="recovery pool", by=MAX_VALUE),
        )
    return (
        Consequence(Kind.HP, by=gained),
        Consequence(Kind.POWER, by=answer.integer("power", 0, MAX_RECOVERED, default=0)),
        Consequence(Kind.FATIGUE, name=Fatigue.TEMPORARY.value, by=-1),
        Consequence(Kind.RESOURCE, name="recovery pool", to=answer.integer("pool", 0, MAX_DICE)),
    )


def _read_case(context: Fields, check: Check) -> str | None:
    cases = check.thresholds or check.checks_a_day
    return None if cases is None else context.optional_word("case", tuple(cases))


def _read_threshold(context: Fields, name: str, check: Check, case: str | None) -> int:
    given = context.optional_integer("threshold", 0, MAX_HITS)
    if given is not None:
        return given
    if check.thresholds is not None and case is not None:
        return check.thresholds[case]
    if check.rises:
        return context.integer("attempt", 1, MAX_HITS, default=1)
    text = f"{context.path('threshold')} is missing: {name} has none of its own, give a whole number"
    raise BadRequest(text, "missing", name="threshold")


def _special(name: str, outcome: str, threshold: int, cured_at: int) -> dict[str, JsonValue]:
    """Return the results of some checks besides fatigue."""
    match name:
        case "forced_march":
            return {"mount_hp_lost": _MOUNT_HP[outcome]}
        case "radiation":
            return {"irradiated": True}
        case "radiation_damage":
            return {"dies": outcome == "fail", "savvy_roll": outcome == "draw"}
        case "disease_contact":
            return {"ill": outcome == "fail", "threshold_next": threshold + 1 if outcome == "draw" else threshold}
    if name in DISEASES:
        left = threshold - 1 if outcome == "success" else threshold
        return {"threshold_next": max(0, left), "cured": left <= cured_at}
    return {}
