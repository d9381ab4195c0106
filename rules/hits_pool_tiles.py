"""The tiles of hits-pool, its extended tests, and its questions besides rolls."""

from collections.abc import Mapping
from typing import Final

from rules.dice import Role
from rules.facts import Facts, JsonValue
from rules.hits_checks import CHECKS
from rules.sheet import Kind
from rules.tiles import (
    ExtendedTest,
    Inputs,
    Prepared,
    Question,
    Standing,
    choice_tile,
    counter_tile,
    flag_tile,
    number_tile,
)

MAX_POOL: Final = 100
MAX_THRESHOLD: Final = 60
MAX_TARGET: Final = 1000
MAX_ROLLS: Final = 40
MAX_PEOPLE: Final = 12

TILES: Final = (
    counter_tile(
        "ability", (Kind.ATTRIBUTE, Kind.SKILL, Kind.RESOURCE), -MAX_POOL, MAX_POOL, optional=False, unless="skill"
    ),
    counter_tile("skill", (Kind.SKILL,), 0, MAX_POOL),
    number_tile("bonus", 0, MAX_POOL, 0),
    number_tile("penalty", 0, MAX_POOL, 0),
    choice_tile("roll", ("test", "dodge", "dv", "soak"), "test"),
    number_tile("threshold", 0, MAX_THRESHOLD),
    number_tile("parts", 1, MAX_ROLLS, 1),
    number_tile("part", 1, MAX_ROLLS, 1),
)


AIMS: Final = tuple(tile for tile in TILES if tile.name == "threshold")
"""What a test is compared with."""


def _extended_standing(settings: Facts, answer: Facts) -> Standing:
    left = answer["checks_left"]
    word = "done" if answer["done"] else "failed" if answer["failed"] else "again" if left is None else "again_left"
    values = {"total": answer["total"], "target": settings["target"], "count": answer["checks"], "left": left}
    return Standing(word, values)


def _group_standing(settings: Facts, answer: Facts) -> Standing:
    threshold = settings.get("threshold")
    word = "total" if threshold is None else str(answer["outcome"])
    return Standing(word, {"total": answer["total"], "threshold": threshold})


def _opposed_standing(settings: Facts, answer: Facts) -> Standing:  # noqa: ARG001
    return Standing(str(answer["result"]), {"margin": answer["margin"]})


EXTENDED_TESTS: Final = (
    ExtendedTest(
        op="extended",
        counts="hits",
        settings=(
            number_tile("target", 1, MAX_TARGET, 1),
            number_tile("limit", 1, MAX_ROLLS),
            number_tile("people", 1, MAX_PEOPLE, 1),
        ),
        standing_of=_extended_standing,
        together="people",
        most="limit",
    ),
    ExtendedTest(
        op="group",
        counts="hits",
        settings=(number_tile("people", 1, MAX_ROLLS, 2), number_tile("threshold", 0, MAX_TARGET)),
        standing_of=_group_standing,
        people="people",
    ),
    ExtendedTest(op="opposed", counts="hits", settings=(), standing_of=_opposed_standing, pair=("side", "other")),
)

ASKS: Final = (
    Question(
        "check",
        (
            choice_tile("check", tuple(CHECKS)),
            number_tile("hits", 0, MAX_TARGET),
            number_tile("threshold", 0, MAX_THRESHOLD),
            number_tile("attempt", 1, MAX_ROLLS),
            number_tile("medic_hits", 0, MAX_TARGET),
            choice_tile(
                "case",
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
    Question(
        "attack",
        (
            number_tile("hits", 0, MAX_TARGET),
            number_tile("threshold", 0, MAX_THRESHOLD),
            number_tile("dv", 0, MAX_POOL),
        ),
    ),
    Question("falling", (number_tile("metres", 0, MAX_TARGET), number_tile("hits", 0, MAX_TARGET), flag_tile("soft"))),
    Question("march", (number_tile("units", 0, MAX_POOL),)),
    Question(
        "level",
        (number_tile("level", 1, MAX_TARGET, 1), number_tile("xp", 0, MAX_TARGET), number_tile("banked", 0, 1, 0)),
    ),
    Question(
        "recovery",
        (
            choice_tile("rest", ("breather", "sleep")),
            number_tile("rate", 0, MAX_POOL),
            number_tile("pool", 0, MAX_ROLLS),
            number_tile("breathers_taken", 0, MAX_ROLLS),
            number_tile("hp_dice", 0, MAX_ROLLS),
            number_tile("hp_hits", 0, MAX_ROLLS),
            number_tile("power_dice", 0, MAX_ROLLS),
            number_tile("power_hits", 0, MAX_ROLLS),
        ),
    ),
)


def read_pool_context(tapped: Inputs) -> dict[str, JsonValue]:
    """Turn tiles into the context of the operation `pool`, or of `split` if there are parts."""
    ability = tapped.counter("ability")
    value = 0 if ability is None else ability.value
    skill = tapped.counter("skill")
    added = tapped.number("bonus") + (0 if skill is None else skill.value)
    roll = tapped.word("roll")
    context: dict[str, JsonValue] = {"penalties": [tapped.number("penalty")]}
    if roll == "dodge":
        context |= {"agility": max(0, value), "pool": added}
    else:
        context["pool"] = value + added
    if roll in ("dv", "soak"):
        context["roll"] = roll
    return context


def prepared_roll(tapped: Inputs, answer: Facts, part: Facts) -> Prepared:
    """Turn an answer into dice to take and the facts of the roll."""
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
        warnings=("chance_die",) if chance else (),
    )


def pool_odds_request(pool: Mapping[str, int], _levels: tuple[str, ...], context: Facts) -> Facts:
    """Return the request for the odds of a declared pool."""
    chance = context.get("chance_die") is True
    request: dict[str, JsonValue] = {"pool": {"dice": sum(pool.values()), "chance_die": chance}}
    if context.get("threshold") is not None:
        request["threshold"] = context["threshold"]
    return request
