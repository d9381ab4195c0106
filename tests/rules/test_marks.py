"""The mark of each die of a scored roll, in every system."""

import pytest

from rules.dice import Die, Role, lay
from rules.facts import Facts
from rules.system import Outcome, find_system

B, S, G, N, P, W, A = Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE, Role.PLAIN, Role.WILD, Role.AMMO
THROW = ((B, 6), (B, 1), (S, 1), (G, 1), (N, 6), (B, 4))


def marks(outcome: object) -> str:
    """Return the first letters of the dice's marks, in their order; h is the highest, x a dropped die."""
    assert isinstance(outcome, Outcome)
    letters = {"discarded": "x", "counted": "+", "cost": "-", "nothing": "."}
    return "".join(letters.get(str(mark), str(mark)[0]) for mark in outcome.marks.values())


@pytest.mark.parametrize(
    ("system", "faces", "context", "rulings", "expected"),
    [
        ("push-pool", THROW, {}, {}, "+-.--."),
        ("push-pool", ((B, 6), (B, 1)), {}, {}, "+."),
        ("push-pool", ((P, 1), (P, 3)), {}, {}, "-."),
        ("push-pool", ((P, 1), (P, 6)), {}, {}, ".+"),
        ("step-dice", ((B, 6), (B, 1), (A, 1), (A, 6), (B, 3)), {}, {}, "+--+."),
        ("step-dice", ((B, 6), (B, 1), (B, 3)), {"passive": True}, {}, "+.."),
        ("step-dice", ((B, 6), (B, 1), (B, 3)), {}, {"pay_old_ones": False}, "+.."),
        ("hits-pool", ((P, 6), (P, 5), (P, 1), (P, 4)), {}, {}, "++.."),
        ("hits-pool", ((P, 1), (P, 1), (P, 4)), {}, {}, "--."),
        ("hits-pool", ((P, 5),), {"chance_die": True}, {}, "."),
        ("highest-die", ((P, 5), (P, 3), (P, 5)), {}, {}, "h.h"),
        ("highest-die", ((P, 5), (P, 3)), {"zero_dice": True}, {}, "x+"),
        ("highest-die", ((P, 4), (P, 2)), {"consequence": 2}, {}, "h."),
        ("die-code", ((P, 4), (W, 6), (P, 2)), {}, {}, "+w+"),
        ("die-code", ((P, 4), (W, 1), (P, 2)), {}, {"wild_one": "drop_highest"}, "xx+"),
        ("die-code", ((P, 4), (W, 1), (P, 2)), {}, {"wild_one": "complication"}, "+-+"),
    ],
)
def test_every_die_is_marked(
    system: str, faces: tuple[tuple[Role, int], ...], context: Facts, rulings: Facts, expected: str
) -> None:
    assert marks(find_system(system).score(lay(*faces), context, rulings)) == expected


def test_after_a_push_ones_cost_though_no_other_push_is_possible() -> None:
    before, after = lay((B, 1), (B, 3), (B, 6)), lay((B, 1), (B, 1), (B, 6))
    assert marks(find_system("push-pool").push(before, after, {}, {})) == "--+"


@pytest.mark.parametrize(("pays", "expected"), [(True, "--"), (False, ".-")])
def test_a_one_that_lay_there_costs_where_the_table_pays_for_it(pays: bool, expected: str) -> None:
    before, after = (tuple(Die(str(at), B, value) for at, value in enumerate(roll)) for roll in ((1, 3), (1, 1)))
    assert marks(find_system("step-dice").push(before, after, {}, {"pay_old_ones": pays})) == expected


def test_a_mark_that_an_earlier_version_did_not_keep_is_none() -> None:
    scored = find_system("push-pool").score(lay((B, 6)), {}, {})
    assert isinstance(scored, Outcome)
    assert (scored.marks.get("1"), scored.marks.get("2")) == ("counted", None)
