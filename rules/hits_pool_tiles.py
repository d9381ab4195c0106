"""The tiles of hits-pool, its tests over several rolls, and what a table asks beside them."""

from collections.abc import Mapping
from typing import Final

from rules.dice import Role
from rules.facts import Facts, JsonValue
from rules.hits_checks import CHECKS
from rules.sheet import Kind
from rules.tiles import Ask, Prepared, Series, Tapped, choice_tile, counter_tile, flag_tile, number_tile

MAX_POOL: Final = 100
MAX_THRESHOLD: Final = 60
MAX_TARGET: Final = 1000
MAX_ROLLS: Final = 40
MAX_PEOPLE: Final = 12

TILES: Final = (
    counter_tile(
        "ability", "Ability", (Kind.ATTRIBUTE, Kind.SKILL, Kind.RESOURCE), -MAX_POOL, MAX_POOL, optional=False
    ),
    number_tile("bonus", "Bonus dice", 0, MAX_POOL, 0),
    number_tile("penalty", "Penalty", 0, MAX_POOL, 0),
    choice_tile("roll", "Kind of roll", ("test", "dodge", "dv", "soak"), "test"),
    number_tile("threshold", "Threshold", 0, MAX_THRESHOLD),
    number_tile("parts", "Split into", 1, MAX_ROLLS, 1),
    number_tile("part", "Which part", 1, MAX_ROLLS, 1),
)


def _tell_extended(settings: Facts, answer: Facts) -> str:
    checks = f"{answer['checks']} {'roll' if answer['checks'] == 1 else 'rolls'}"
    stands = f"{answer['total']} of {settings['target']} hits after {checks}"
    if answer["done"]:
        return f"{stands}: done."
    if answer["failed"]:
        return f"{stands}: the time is over."
    left = answer["checks_left"]
    return f"{stands}: roll again." if left is None else f"{stands}: roll again, {left} left."


def _tell_group(settings: Facts, answer: Facts) -> str:
    threshold = settings.get("threshold")
    stands = f"{answer['total']} hits together"
    return f"{stands}." if threshold is None else f"{stands} against {threshold}: {answer['outcome']} as it stands."


def _tell_opposed(settings: Facts, answer: Facts) -> str:  # noqa: ARG001
    words = {"win": "The first side wins", "draw": "A draw, in part for both", "lose": "The second side wins"}
    margin = f" by {answer['margin']}" if answer["margin"] else ""
    return f"{words[str(answer['result'])]}{margin}."


SERIES: Final = (
    Series(
        op="extended",
        title="Extended test",
        counts="hits",
        settings=(
            number_tile("target", "Hits needed", 1, MAX_TARGET, 1),
            number_tile("limit", "Rolls at most", 1, MAX_ROLLS),
            number_tile("people", "People who roll together", 1, MAX_PEOPLE, 1),
        ),
        tell=_tell_extended,
        together="people",
        most="limit",
    ),
    Series(
        op="group",
        title="Group test",
        counts="hits",
        settings=(
            number_tile("people", "People who roll", 1, MAX_ROLLS, 2),
            number_tile("threshold", "Threshold", 0, MAX_TARGET),
        ),
        tell=_tell_group,
        people="people",
    ),
    Series(
        op="opposed",
        title="Opposed test",
        counts="hits",
        settings=(),
        tell=_tell_opposed,
        pair=("side", "other"),
    ),
)

ASKS: Final = (
    Ask(
        "check",
        "Named check",
        (
            choice_tile("check", "Check", tuple(CHECKS)),
            number_tile("hits", "Hits", 0, MAX_TARGET),
            number_tile("threshold", "Threshold", 0, MAX_THRESHOLD),
            number_tile("attempt", "Attempt", 1, MAX_ROLLS),
            number_tile("medic_hits", "Hits of whoever cares for the sick", 0, MAX_TARGET),
            choice_tile(
                "case",
                "Case",
                tuple(
                    {
                        c: None
                        for check in CHECKS.values()
                        for c in (*(check.thresholds or ()), *(check.checks_a_day or ()))
                    }
                ),
            ),
        ),
    ),
    Ask(
        "attack",
        "Attack",
        (
            number_tile("hits", "Hits", 0, MAX_TARGET),
            number_tile("threshold", "Threshold", 0, MAX_THRESHOLD),
            number_tile("dv", "Damage value", 0, MAX_POOL),
        ),
    ),
    Ask(
        "falling",
        "Fall",
        (
            number_tile("metres", "Metres", 0, MAX_TARGET),
            number_tile("hits", "Acrobatics hits", 0, MAX_TARGET),
            flag_tile("soft", "Soft ground"),
        ),
    ),
    Ask("march", "Forced march", (number_tile("units", "Units travelled", 0, MAX_POOL),)),
    Ask(
        "level",
        "Experience",
        (
            number_tile("level", "Level", 1, MAX_TARGET, 1),
            number_tile("xp", "Experience points", 0, MAX_TARGET),
            number_tile("banked", "Perk points kept", 0, 1, 0),
        ),
    ),
    Ask(
        "recovery",
        "Rest",
        (
            choice_tile("rest", "Rest", ("breather", "sleep")),
            number_tile("rate", "Recovery rate", 0, MAX_POOL),
            number_tile("pool", "Recovery dice", 0, MAX_ROLLS),
            number_tile("breathers_taken", "Breathers taken today", 0, MAX_ROLLS),
            number_tile("hp_dice", "Dice for HP", 0, MAX_ROLLS),
            number_tile("hp_hits", "Hits for HP", 0, MAX_ROLLS),
            number_tile("power_dice", "Dice for power", 0, MAX_ROLLS),
            number_tile("power_hits", "Hits for power", 0, MAX_ROLLS),
        ),
    ),
)


def read_pool_context(tapped: Tapped) -> dict[str, JsonValue]:
    """Turn tiles into the context of the operation `pool`, or of `split` where there are parts."""
    ability = tapped.counter("ability")
    value = 0 if ability is None else ability.value
    roll = tapped.word("roll")
    context: dict[str, JsonValue] = {"penalties": [tapped.number("penalty")]}
    if roll == "dodge":
        context |= {"agility": max(0, value), "pool": tapped.number("bonus")}
    else:
        context["pool"] = value + tapped.number("bonus")
    if roll in ("dv", "soak"):
        context["roll"] = roll
    return context


def tell_prepared(tapped: Tapped, answer: Facts, part: Facts) -> Prepared:
    """Turn an answer into dice to take and the facts of the roll.

    Args:
        tapped: The tiles.
        answer: Of the operation `pool` or `split`.
        part: Its number of `dice` and whether they are a `chance_die`.
    """
    dice = part["dice"]
    count = dice if isinstance(dice, int) else 0
    context: dict[str, JsonValue] = {}
    threshold = tapped.optional_number("threshold")
    if threshold is not None:
        context["threshold"] = threshold
    chance = part["chance_die"] is True
    if chance:
        context["chance_die"] = True
    return Prepared(
        pool=((Role.PLAIN, count),),
        context=context,
        facts=answer,
        reason=None if count else "no_dice",
        reason_text=None if count else "Nothing is left of the pool: there is no die to roll.",
        warnings=(("chance_die", "Nothing is left of the pool: one die, and only a 6 hits."),) if chance else (),
    )


def pool_odds_request(pool: Mapping[str, int], _levels: tuple[str, ...], context: Facts) -> Facts:
    """Ask for the odds of a declared pool."""
    chance = context.get("chance_die") is True
    request: dict[str, JsonValue] = {"pool": {"dice": sum(pool.values()), "chance_die": chance}}
    if context.get("threshold") is not None:
        request["threshold"] = context["threshold"]
    return request
