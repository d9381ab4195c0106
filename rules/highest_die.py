"""highest-die: a small pool of d6 of which the highest counts; grit buys dice, consequences are resisted.

Rule ids in the comments (A1 to E10) are those of the project's own list of this system's rules.
"""

from collections.abc import Mapping
from typing import Final

from rules.asking import Aimed, Hand
from rules.dice import Role, Roll, lay
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.highest_die_odds import answer_odds
from rules.highest_die_tiles import AIMS, ASKS, TILES, pool_odds_request, prepared_roll, read_pool_context
from rules.highest_harm import DOWN, HARM_RULINGS, LOST_STATES, answer_clock, answer_damage, answer_defence, answer_loss
from rules.marks import Mark
from rules.odds import Odds
from rules.outcome import NO_PUSH, Outcome, Ruling
from rules.report import OddsLine, Tone
from rules.request import MAX_DICE, Fields, show_value
from rules.rulebook import RuleSystem, without_rulings
from rules.rulings import ActiveRulings, yes_or_no
from rules.sheet import Consequence, Counter, Kind
from rules.tiles import Inputs, Prepared

START_GRIT: Final = 6
ACTION_PRICE: Final = 2
RESISTANCE_PRICE: Final = 1
TEAM_PRICE: Final = 1
ZERO_DICE: Final = 2
"""Dice rolled for an attribute of 0; the lowest counts (A3)."""
MAX_ATTRIBUTE: Final = 20
MAX_GRIT: Final = 100
MAX_CONSEQUENCE: Final = 100
FREE_CREATION_POINTS: Final = 3
HP_WITHOUT_ROLL: Final = 2
SLOTS: Final = 5
GOOD_FACE: Final = 4

RISKS: Final[Mapping[str, int]] = {"low": 1, "mixed": 2, "high": 3}
EFFECTS: Final[Mapping[str, int]] = {"failure": 0, "mixed": 1, "full": 2, "critical": 3}
"""Effect of each outcome (A4); on a resistance roll the same numbers reduce the consequence (B1)."""
LOAD_DICE: Final[Mapping[str, int]] = {"light": 1, "normal": 0, "heavy": -1}

RULINGS: Final = (
    yes_or_no("zero_dice_critical"),
    yes_or_no("zero_rule_stays"),
    yes_or_no("zero_rule_on_resistance", default=True),
    Ruling(name="effect_cap", default=3, choices=(3, 4)),
    yes_or_no("assistive_on_failure"),
    yes_or_no("load_changes_dice"),
    Ruling(name="team_payers", default="many", choices=("many", "one")),
    *HARM_RULINGS,
)

SHEET: Final = (
    *(Counter(name, Kind.ATTRIBUTE, now=1, most=1, least=DOWN) for name in LOST_STATES),
    Counter("HP", Kind.HP, now=3, most=3),
    Counter("grit", Kind.GRIT, now=START_GRIT, most=START_GRIT),
    Counter("armour", Kind.EQUIPMENT, now=0, most=0),
)
"""A new character: three points spread evenly, HP of STR plus two, no armour. Armour counts its uses."""


BEST: Final[Mapping[str, Mapping[str, int]]] = {
    "STR": {"STR": 2, "DEX": 1, "WIL": 0, "HP": 4},
    "DEX": {"STR": 1, "DEX": 2, "WIL": 0},
    "WIL": {"STR": 1, "DEX": 0, "WIL": 2},
}
"""Characters with two of their three points in one attribute, and HP of STR plus two."""

RESTS: Final[Mapping[str, tuple[Kind, ...]]] = {
    "short": (Kind.HP, Kind.GRIT),
    "extended": (Kind.HP, Kind.GRIT, Kind.ATTRIBUTE, Kind.EQUIPMENT),
}
"""A short rest takes minutes and may draw attention; an extended one takes a week in a safe place."""


def build_pool(context: Fields, settled: ActiveRulings) -> Facts:
    """Return how many dice to take and how much grit remains, or that there is too little grit (A2, A3, A5).

    If the attribute is named, load counts for DEX only.

    `grit_dice` are the bought dice, including a team-mate's, for a table that gives them their own colour.

    Raises:
        BadRequest: A number is out of range.
    """
    attribute = context.integer("attribute", 0, MAX_ATTRIBUTE)
    grit = context.integer("grit", 0, MAX_GRIT, default=START_GRIT)
    own_dice = context.integer("own_dice", 0, MAX_DICE, default=0)
    team_dice = context.integer("team_dice", 0, MAX_DICE, default=0)
    payer_grit = context.optional_integer("payer_grit", 0, MAX_GRIT)
    resisting = context.word("roll", ("action", "resistance"), default="action") == "resistance"
    price = own_dice * (RESISTANCE_PRICE if resisting else ACTION_PRICE)
    team_price = team_dice * TEAM_PRICE
    if price > grit or (payer_grit is not None and team_price > payer_grit):
        return {"illegal": "not_enough_grit"}
    if team_dice > 1 and settled["team_payers"] == "one":
        return {"illegal": "one_team_die_only"}
    bought = own_dice + team_dice
    load_counts = settled["load_changes_dice"] is True and not resisting
    if load_counts and context.optional_text("attribute_name") in (None, "DEX"):
        bought += LOAD_DICE[context.word("load", tuple(LOAD_DICE), default="normal")]
    zero_rule = settled["zero_rule_on_resistance"] is True or not resisting
    dice, zero_dice = attribute + bought, False
    if dice <= 0 and zero_rule:
        dice, zero_dice = ZERO_DICE, True
    elif attribute == 0 and zero_rule and settled["zero_rule_stays"] is True:
        dice, zero_dice = ZERO_DICE + max(0, bought), True
    dice = max(0, dice)
    return {
        "dice": dice,
        "grit_dice": max(0, min(own_dice + team_dice, dice - (ZERO_DICE if zero_dice else 0))),
        "zero_dice": zero_dice,
        "grit_after": grit - price,
        "payer_grit_after": None if payer_grit is None else payer_grit - team_price,
    }


def pay_for_team(context: Fields) -> Facts:
    """Return the grit left after paying for dice of a team-mate's roll (A5).

    Raises:
        BadRequest: A number is out of range.
    """
    grit = context.integer("grit", 0, MAX_GRIT, default=START_GRIT)
    price = TEAM_PRICE * context.integer("dice", 1, MAX_DICE, default=1)
    return {"illegal": "not_enough_grit"} if price > grit else {"grit_after": grit - price}


def read_outcome(values: tuple[int, ...], *, zero_dice: bool, zero_critical: bool) -> str:
    """Return the outcome of the faces rolled (A3, A4): two sixes or more are a critical, else the highest die counts.

    With `zero_dice` the lowest counts, and two sixes are a critical only if the table plays it so.
    """
    counted = min(values) if zero_dice else max(values)
    sixes = sum(1 for value in values if value == 6)
    if counted == 6:
        critical = zero_critical if zero_dice else sixes >= 2
        return "critical" if critical else "full"
    return "mixed" if counted >= GOOD_FACE else "failure"


def create(context: Fields) -> Facts:
    """Count the points of an attribute roll, or the HP of a hero of that STR (section D).

    With `str` the dice are those of the HP roll; without dice HP is STR plus two.

    Raises:
        BadRequest: The number of dice is not the one that is rolled for it.
    """
    dice = context.integers("dice", 1, 6)
    strength = context.optional_integer("str", 0, MAX_ATTRIBUTE)
    if strength is None:
        if len(dice) != ZERO_DICE:
            text = f"{context.path('dice')} has {len(dice)} values: roll 2 dice for an attribute"
            raise BadRequest(text, "dice_count", name="dice", count=2)
        return {
            "points": sum(1 for value in dice if value >= GOOD_FACE),
            "hp": None,
            "free_points": FREE_CREATION_POINTS,
        }
    if not dice:
        return {"points": None, "hp": HP_WITHOUT_ROLL + strength}
    rolled = strength or ZERO_DICE
    if len(dice) != rolled:
        text = f"{context.path('dice')} has {len(dice)} values: roll {rolled} dice for STR {strength}"
        raise BadRequest(text, "dice_count", name="dice", count=rolled)
    return {"points": None, "hp": max(dice) if strength else min(dice)}


def advance(context: Fields) -> Facts:
    """Count what an advancement gives: HP for each 4 or more on two dice, attribute points for each 6 on four.

    Raises:
        BadRequest: A roll has the wrong number of dice.
    """
    plus: list[int] = []
    for name, needed, least in (("hp_dice", 2, GOOD_FACE), ("attribute_dice", 4, 6)):
        dice = context.integers(name, 1, 6)
        if name in context and len(dice) != needed:
            text = f"{context.path(name)} has {len(dice)} values: roll {needed} dice"
            raise BadRequest(text, "dice_count", name=name, count=needed)
        plus.append(sum(1 for value in dice if value >= least))
    return {"hp_plus": plus[0], "attribute_plus": plus[1]}


def encumbrance(context: Fields) -> Facts:
    """Return the load of a number of regular and bulky items; the caller bundles small ones.

    Raises:
        BadRequest: A number is out of range.
    """
    slots = context.integer("regular", 0, MAX_DICE, default=0) + 2 * context.integer("bulky", 0, MAX_DICE, default=0)
    load = "light" if slots < SLOTS - 1 else "normal" if slots == SLOTS - 1 else "heavy"
    return {"slots": slots, "load": load, "fits": slots <= SLOTS}


def _prepare(tapped: Inputs, settled: ActiveRulings) -> Prepared:
    context = read_pool_context(tapped)
    return prepared_roll(tapped, context, build_pool(Fields(context, "tiles"), settled))


def _aim(tapped: Inputs, hand: Hand, _settled: ActiveRulings) -> Aimed:
    risk = tapped.word("risk")
    return Aimed(hand, {} if risk is None else {"risk": risk})


def _odds(request: Facts, _context: Fields, settled: ActiveRulings) -> Odds:
    return answer_odds(request, zero_critical=settled["zero_dice_critical"] is True)


def _effects(answer: Fields, context: Fields) -> tuple[Consequence, ...]:
    """Return an answer's consequences for a sheet: grit, HP, STR, uses of armour, an attribute lost, a clock.

    The counter of armour counts the remaining uses.
    """
    used = context.integer("defensive_uses", 0, 2, default=0) if "hp_after" in answer else 0
    if "uses_left" in answer:
        used = context.integer("spend", 1, 2, default=1)
    return (
        Consequence(Kind.GRIT, to=answer.optional_integer("grit_after", 0, MAX_GRIT)),
        Consequence(Kind.HP, to=answer.optional_integer("hp_after", 0, MAX_GRIT)),
        Consequence(Kind.ATTRIBUTE, name="STR", to=answer.optional_integer("str_after", DOWN, MAX_GRIT)),
        Consequence(Kind.EQUIPMENT, by=-used),
        Consequence(
            Kind.ATTRIBUTE,
            name=context.optional_text("attribute_name"),
            to=answer.optional_integer("attribute_after", DOWN, MAX_GRIT),
        ),
        Consequence(
            Kind.CLOCK,
            name=context.optional_text("clock_name"),
            to=answer.optional_integer("filled", 0, MAX_CONSEQUENCE),
        ),
    )


def _score(dice: Roll, context: Fields, settled: ActiveRulings) -> Outcome:
    """Score an action roll or, with `consequence` in the context, a resistance roll."""
    return _resist(dice, context, settled) if "consequence" in context else _act(dice, context, settled)


def _read_values(dice: Roll, context: Fields, settled: ActiveRulings) -> tuple[str, int]:
    """Return the outcome of a roll and the face that counted."""
    if not dice:
        raise BadRequest(f"there are no dice: give 1 to {MAX_DICE}")
    for die in dice:
        if die.sides != 6:
            text = f"die {show_value(die.id)} has {die.sides} sides: highest-die is played with 6"
            raise BadRequest(text, "sides", die=f"d{die.sides}")
    zero_dice = context.flag("zero_dice")
    if zero_dice and len(dice) < ZERO_DICE:
        text = f"there is {len(dice)} die with zero_dice: roll 2 and read the lowest"
        raise BadRequest(text, "two_dice")
    values = tuple(die.value for die in dice)
    outcome = read_outcome(values, zero_dice=zero_dice, zero_critical=settled["zero_dice_critical"] is True)
    return outcome, min(values) if zero_dice else max(values)


def _act(dice: Roll, context: Fields, settled: ActiveRulings) -> Outcome:
    outcome, counted = _read_values(dice, context, settled)
    risk = context.optional_word("risk", tuple(RISKS))
    effect = EFFECTS[outcome]
    lifted = effect > 0 or settled["assistive_on_failure"] is True
    if lifted and context.flag("assistive"):  # A6, E4
        effect = min(int(settled["effect_cap"]), effect + 1)
    consequence: int | None = 0
    if outcome in {"failure", "mixed"}:
        consequence = None if risk is None else RISKS[risk]
    facts: dict[str, JsonValue] = {"outcome": outcome, "effect": effect, "consequence": consequence, "counted": counted}
    return _outcome(facts, dice, counted, success=outcome != "failure", zero_dice=context.flag("zero_dice"))


def _resist(dice: Roll, context: Fields, settled: ActiveRulings) -> Outcome:
    outcome, counted = _read_values(dice, context, settled)
    consequence = context.integer("consequence", 0, MAX_CONSEQUENCE)
    reduction = EFFECTS[outcome]
    facts: dict[str, JsonValue] = {
        "reduction": reduction,
        "consequence_after": max(0, consequence - reduction),
        "counted": counted,
    }
    return _outcome(facts, dice, counted, success=reduction > 0, zero_dice=context.flag("zero_dice"))


def _outcome(facts: dict[str, JsonValue], dice: Roll, counted: int, *, success: bool, zero_dice: bool) -> Outcome:
    """Make the outcome; every die with the counting face is marked, since two sixes make a critical together (A4)."""
    best, rest = (Mark.COUNTED, Mark.DISCARDED) if zero_dice else (Mark.HIGHEST, Mark.NOTHING)
    facts["push"] = NO_PUSH.facts()
    return Outcome(
        facts,
        locked=(),
        must_reroll=(),
        push=NO_PUSH,
        headline=(counted, "counts"),
        success=success,
        marks={die.id: best if die.value == counted else rest for die in dice},
    )


SYSTEM: Final = RuleSystem(
    id="highest-die",
    rulings=RULINGS,
    pool_roles=(Role.PLAIN, Role.GRIT),
    example=(lay((Role.PLAIN, 5), (Role.PLAIN, 3), (Role.PLAIN, 2)), {"risk": "mixed"}),
    sheet=SHEET,
    best=BEST,
    tops={Kind.ATTRIBUTE: MAX_ATTRIBUTE},
    rests=RESTS,
    tiles=TILES,
    asks=ASKS,
    prepare_tapped=_prepare,
    score_dice=_score,
    other_rolls={"action": _act, "resist": _resist},
    operations={
        "pool": build_pool,
        "team": without_rulings(pay_for_team),
        "damage": answer_damage,
        "defend": answer_defence,
        "loss": without_rulings(answer_loss),
        "clock": answer_clock,
        "creation": without_rulings(create),
        "advance": without_rulings(advance),
        "load": without_rulings(encumbrance),
    },
    exact_odds=_odds,
    effects=_effects,
    odds_lines=(
        OddsLine("p_success"),
        OddsLine("p_full"),
        OddsLine("p_mixed"),
        OddsLine("p_critical"),
        OddsLine("p_failure", Tone.BAD),
    ),
    odds_question=pool_odds_request,
    aims=AIMS,
    aim_tapped=_aim,
)
