"""Fast odds compared with brute force through the rules themselves up to four dice, with icepool beyond."""

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import comb, prod

import icepool
import pytest

from rules import die_code, highest_die, hits_pool, push_pool, step_dice
from rules.dice import Die, Role, Roll
from rules.errors import BadRequest
from rules.facts import JsonValue
from rules.odds import Chances, fraction_text, parse_fraction
from rules.system import Outcome, RuleSystem, systems
from tests.rules.conftest import roll

FACES = range(1, 7)
ROLES = (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE)
LETTER = {"D": 6, "C": 8, "B": 10, "A": 12}


def number(value: object) -> Fraction:
    assert isinstance(value, str)
    fraction = Fraction(value)
    assert fraction_text(fraction) == value, "not in lowest terms"
    return fraction


@pytest.mark.parametrize(
    "text", ["0e999999999", "1e-9999999", "9" * 501, "1/" + "9" * 501, "1_0/2", "-1/2", "½", "1/2\n", ""]
)
def test_a_fraction_from_outside_is_of_bounded_size(text: str) -> None:
    with pytest.raises(ValueError, match="give num/den"):
        parse_fraction(text)


def column(value: object) -> dict[int, Fraction]:
    assert isinstance(value, Mapping)
    return {int(key): number(item) for key, item in value.items()}


def scored(system: RuleSystem, dice: Roll, context: dict[str, JsonValue], rulings: dict[str, JsonValue]) -> Outcome:
    outcome = system.score(dice, context, rulings)
    assert isinstance(outcome, Outcome)
    return outcome


def count(outcome: Outcome, key: str) -> int:
    value = outcome.facts[key]
    assert isinstance(value, int)
    return value


def throws_again(system: RuleSystem, dice: Roll, rulings: dict[str, JsonValue]) -> Iterator[tuple[Fraction, Outcome]]:
    """Yield every table that a push can lead to, with its chance; the table itself if nothing may be thrown again."""
    first = scored(system, dice, {}, rulings)
    loose = [die for die in dice if die.id in first.must_reroll]
    if not loose:
        yield Fraction(1), first
        return
    chance = Fraction(1, prod(die.sides for die in loose))
    for faces in itertools.product(*(range(1, die.sides + 1) for die in loose)):
        shown = dict(zip((die.id for die in loose), faces, strict=True))
        after = tuple(
            Die(die.id, die.role, shown.get(die.id, die.value), sides=die.sides, level=die.level) for die in dice
        )
        outcome = system.push(dice, after, {"attribute_name": "STR"}, rulings)
        assert isinstance(outcome, Outcome)
        yield chance, outcome


class TestPushPool:
    @pytest.mark.parametrize("rulings", [{}, {"skill_ones_locked": True}], ids=["by default", "with skill ones locked"])
    @pytest.mark.parametrize("roles", [c for n in (1, 2) for c in itertools.combinations_with_replacement(ROLES, n)])
    def test_pools_of_one_and_two_dice_through_the_rules(
        self, roles: tuple[Role, ...], rulings: dict[str, JsonValue]
    ) -> None:
        success = if_pushed = expected = expected_pushed = Fraction(0)
        trauma: dict[int, Fraction] = {}
        chance = Fraction(1, 6 ** len(roles))
        for faces in itertools.product(FACES, repeat=len(roles)):
            dice = tuple(Die(f"d{n}", role, face) for n, (role, face) in enumerate(zip(roles, faces, strict=True)))
            first = scored(push_pool.SYSTEM, dice, {}, rulings)
            success += chance * bool(first.success)
            if_pushed += chance * bool(first.success)
            expected += chance * count(first, "successes")
            for weight, last in throws_again(push_pool.SYSTEM, dice, rulings):
                expected_pushed += chance * weight * count(last, "successes")
                if not first.success:
                    if_pushed += chance * weight * bool(last.success)
                for least in range(1, count(last, "base_ones") + 1):
                    trauma[least] = trauma.get(least, Fraction(0)) + chance * weight
        pool: dict[str, JsonValue] = {role.value: roles.count(role) for role in ROLES}
        odds = push_pool.SYSTEM.odds({"pool": pool, "rulings": rulings})
        assert number(odds["p_success"]) == success
        assert number(odds["p_success_if_pushed"]) == if_pushed
        assert number(odds["expected_successes"]) == expected
        assert number(odds["expected_successes_if_always_pushed"]) == expected_pushed
        assert column(odds["p_trauma_at_least"]) == trauma

    def test_every_pool_of_up_to_four_dice(self) -> None:
        """Every pool, every result of the dice: a die has a first and a last face, distinguished as 1, 6 or other."""
        ways = {role: list(self.ways(role)) for role in ROLES}
        for size in range(1, 5):
            for roles in itertools.combinations_with_replacement(ROLES, size):
                total = Fraction(1, 36**size)
                success = if_pushed = expected_pushed = Fraction(0)
                ones = {Role.BASE: [Fraction(0)] * 5, Role.GEAR: [Fraction(0)] * 5}
                for fall in itertools.product(*(ways[role] for role in roles)):
                    weight = total * prod(way[2] for way in fall)
                    signs = [-1 if role is Role.NEGATIVE else 1 for role in roles]
                    first = sum(sign for sign, way in zip(signs, fall, strict=True) if way[0] == 6)
                    last = sum(sign for sign, way in zip(signs, fall, strict=True) if way[1] == 6)
                    success += weight * (first > 0)
                    if_pushed += weight * (first > 0 or last > 0)
                    expected_pushed += weight * max(0, last)
                    for role, at_least in ones.items():
                        shown = sum(1 for kind, way in zip(roles, fall, strict=True) if kind is role and way[1] == 1)
                        for least in range(1, shown + 1):
                            at_least[least] += weight
                odds = push_pool.SYSTEM.odds({"pool": {role.value: roles.count(role) for role in ROLES}})
                assert number(odds["p_success"]) == success
                assert number(odds["p_success_if_pushed"]) == if_pushed
                assert number(odds["expected_successes_if_always_pushed"]) == expected_pushed
                for role, key in ((Role.BASE, "p_trauma_at_least"), (Role.GEAR, "p_gear_damage_at_least")):
                    wanted = {least: ones[role][least] for least in range(1, roles.count(role) + 1)}
                    assert column(odds[key]) == wanted

    @staticmethod
    def ways(role: Role) -> Iterator[tuple[int, int, int]]:
        """Yield one die's results: first face, last face, weight of 36; 0 stands for the faces between 1 and 6."""
        faces = ((1, 1), (6, 1), (0, 4))
        for first, weight in faces:
            if first == 6 or (first == 1 and role in (Role.BASE, Role.GEAR)):
                yield first, first, weight * 6
            else:
                for last, again in faces:
                    yield first, last, weight * again

    @pytest.mark.parametrize("text", ["b6 b2 s1 g4", "b1 g1 s6 n6", "b2 b3 n4", "n2 n3 b6 b6", "p1 p2", "g1 g1 g2"])
    def test_a_table_through_the_rules(self, text: str) -> None:
        dice = roll(text)
        success = expected = Fraction(0)
        gear: dict[int, Fraction] = {n: Fraction(0) for n in range(1, text.count("g") + 1)}
        for weight, last in throws_again(push_pool.SYSTEM, dice, {}):
            success += weight * bool(last.success)
            expected += weight * count(last, "successes")
            for least in range(1, count(last, "gear_ones") + 1):
                gear[least] += weight
        odds = push_pool.SYSTEM.odds({"table": [{"role": die.role.value, "value": die.value} for die in dice]})
        assert number(odds["p_success"]) == success
        assert number(odds["expected_successes"]) == expected
        assert column(odds["p_gear_damage_at_least"]) == gear

    @pytest.mark.parametrize(
        ("base", "skill", "gear", "negative"), [(5, 2, 1, 0), (5, 0, 3, 4), (9, 6, 5, 0), (6, 5, 0, 3)]
    )
    def test_larger_pools_against_icepool(self, base: int, skill: int, gear: int, negative: int) -> None:
        again = icepool.d6
        hard = icepool.d6.map(lambda face: face if face in (1, 6) else again)
        soft = icepool.d6.map(lambda face: face if face == 6 else again)
        six = (icepool.d6 == 6).map({True: 1, False: 0})
        first = (base + skill + gear) @ six - negative @ six
        last = (base + gear) @ (hard == 6) + skill @ (soft == 6) - negative @ (soft == 6)
        ones = base @ (hard == 1)
        pool: dict[str, JsonValue] = {"base": base, "skill": skill, "gear": gear, "negative": negative}
        odds = push_pool.SYSTEM.odds({"pool": pool})
        assert number(odds["p_success"]) == (first >= 1).mean()
        assert number(odds["expected_successes"]) == first.map(lambda net: max(0, net)).mean()
        assert number(odds["expected_successes_if_always_pushed"]) == last.map(lambda net: max(0, net)).mean()
        assert column(odds["p_trauma_at_least"]) == {n: (ones >= n).mean() for n in range(1, base + 1)}

    def test_the_printed_column_is_close_to_pools_with_few_skill_dice(self) -> None:
        for dice, printed in enumerate((29, 50, 64, 74, 81, 87, 90, 93, 95, 96), start=1):
            exact = float(number(push_pool.SYSTEM.odds({"pool": {"base": dice}})["p_success_if_pushed"])) * 100
            assert abs(exact - printed) < 3.5

    @pytest.mark.parametrize(
        "request_",
        [
            {},
            {"pool": {}},
            {"pool": {"base": 99}},
            {"pool": {"base": -1}},
            {"table": []},
            {"table": [{"role": "ammo", "value": 2}]},
            {"pool": {"base": 1}, "table": []},
        ],
    )
    def test_nonsense_is_refused(self, request_: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            push_pool.SYSTEM.odds(request_)

    def test_a_further_push_pays_its_new_ones_alone(self) -> None:
        dice = roll("b1 b3 g1 g4")
        context: dict[str, JsonValue] = {"full_auto": True, "pushes": 1}
        trauma, damage = {1: Fraction(0), 2: Fraction(0)}, {1: Fraction(0), 2: Fraction(0)}
        for base, gear in itertools.product(FACES, repeat=2):
            outcome = push_pool.SYSTEM.push(dice, roll(f"b1 b{base} g1 g{gear}"), context, {})
            assert isinstance(outcome, Outcome)
            trauma[1] += Fraction(count(outcome, "trauma"), 36)
            damage[1] += Fraction(count(outcome, "gear_damage"), 36)
        table: list[JsonValue] = [{"role": die.role.value, "value": die.value} for die in dice]
        odds = push_pool.SYSTEM.odds({"table": table, "context": context})
        assert (column(odds["p_trauma_at_least"]), column(odds["p_gear_damage_at_least"])) == (trauma, damage)
        done = push_pool.SYSTEM.odds({"table": table, "context": {"pushes": 1}})
        assert done["push"] == {"eligible": False, "reason": "already_pushed"}

    def test_an_opponent_takes_successes_away_where_the_table_plays_so(self) -> None:
        rulings: dict[str, JsonValue] = {"opposed_rolls": True}
        context: dict[str, JsonValue] = {"opponent_successes": 1}
        request: dict[str, JsonValue] = {"pool": {"base": 2, "negative": 1}, "rulings": rulings, "context": context}
        success = if_pushed = expected = Fraction(0)
        for faces in itertools.product(FACES, repeat=3):
            roles = (Role.BASE, Role.BASE, Role.NEGATIVE)
            dice = tuple(Die(f"d{n}", role, face) for n, (role, face) in enumerate(zip(roles, faces, strict=True)))
            first = scored(push_pool.SYSTEM, dice, context, rulings)
            success += Fraction(bool(first.success), 6**3)
            expected += Fraction(count(first, "successes"), 6**3)
            pushed = bool(first.success)
            if_pushed += Fraction(pushed, 6**3)
            if not pushed:
                loose = [die for die in dice if die.id in first.must_reroll]
                for again in itertools.product(FACES, repeat=len(loose)):
                    shown = dict(zip((die.id for die in loose), again, strict=True))
                    last = tuple(Die(die.id, die.role, shown.get(die.id, die.value)) for die in dice)
                    won = scored(push_pool.SYSTEM, last, context, rulings).success
                    if_pushed += Fraction(bool(won), 6**3 * 6 ** len(loose))
        odds = push_pool.SYSTEM.odds(request)
        assert number(odds["p_success"]) == success == Fraction(1, 36) * Fraction(5, 6)
        assert number(odds["expected_successes"]) == expected
        assert number(odds["p_success_if_pushed"]) == if_pushed
        plain = push_pool.SYSTEM.odds({**request, "rulings": {}})
        assert number(plain["p_success"]) > success


class TestStepDice:
    @pytest.mark.parametrize("rulings", [{}, {"keep_success": True}, {"ten_plus": 1}])
    @pytest.mark.parametrize("levels", [*LETTER, *itertools.combinations_with_replacement(LETTER, 2)])
    def test_every_pool_through_the_rules(self, levels: tuple[str, ...], rulings: dict[str, JsonValue]) -> None:
        success = if_pushed = expected = Fraction(0)
        chance = Fraction(1, prod(LETTER[level] for level in levels))
        pushed: dict[tuple[int, ...], Fraction] = {}
        for_ten = rulings.get("ten_plus", 2)
        assert isinstance(for_ten, int)
        for faces in itertools.product(*(range(1, LETTER[level] + 1) for level in levels)):
            dice = tuple(
                Die(f"d{n}", Role.BASE, face, sides=LETTER[level], level=level)
                for n, (level, face) in enumerate(zip(levels, faces, strict=True))
            )
            successes = sum(for_ten if face >= 10 else 1 for face in faces if face >= 6)
            success += chance * (successes > 0)
            expected += chance * successes
            if successes:
                if_pushed += chance
            else:  # which low face it was does not affect the push, unless it was a 1
                low = tuple(min(face, 2) for face in faces)
                if low not in pushed:
                    falls = throws_again(step_dice.SYSTEM, dice, rulings)
                    pushed[low] = sum((weight for weight, last in falls if last.success), start=Fraction(0))
                if_pushed += chance * pushed[low]
        odds = step_dice.SYSTEM.odds({"pool": {"dice": list(levels)}, "rulings": rulings})
        assert number(odds["p_success"]) == success
        assert number(odds["p_success_if_pushed"]) == if_pushed
        assert number(odds["expected_successes"]) == expected

    @pytest.mark.parametrize("rulings", [{}, {"keep_success": True}, {"ammo_sixes_locked": False}])
    def test_a_table_through_the_rules(self, rulings: dict[str, JsonValue]) -> None:
        dice = roll("B:8 D:3 a1 a6 a2")
        success = Fraction(0)
        ammo = {n: Fraction(0) for n in (1, 2, 3)}
        for weight, last in throws_again(step_dice.SYSTEM, dice, rulings):
            success += weight * bool(last.success)
            for least in range(1, count(last, "ammo_ones") + 1):
                ammo[least] += weight
        table: list[JsonValue] = [{"role": die.role.value, "value": die.value, "sides": die.sides} for die in dice]
        odds = step_dice.SYSTEM.odds({"table": table, "rulings": rulings})
        assert number(odds["p_success"]) == success
        assert column(odds["p_ammo_ones_at_least"]) == ammo

    @pytest.mark.parametrize("made", [0, 1])
    @pytest.mark.parametrize("pays_old_ones", [True, False])
    def test_the_price_of_a_push_through_the_rules(self, made: int, pays_old_ones: bool) -> None:
        rulings: dict[str, JsonValue] = {"pay_old_ones": pays_old_ones, "max_pushes": 2}
        dice = roll("C:1 D:3 a1 a4 a2")
        context: dict[str, JsonValue] = {"attribute_name": "STR", "pushes": made}
        damage, wear = {1: Fraction(0), 2: Fraction(0)}, {n: Fraction(0) for n in (1, 2, 3)}
        for faces in itertools.product(FACES, repeat=3):
            after = roll(f"C:1 D:{faces[0]} a1 a{faces[1]} a{faces[2]}")
            outcome = step_dice.SYSTEM.push(dice, after, context, rulings)
            assert isinstance(outcome, Outcome)
            for paid, key in ((damage, "damage"), (wear, "reliability_loss")):
                for least in range(1, count(outcome, key) + 1):
                    paid[least] += Fraction(1, 6**3)
        table: list[JsonValue] = [{"role": die.role.value, "value": die.value, "sides": die.sides} for die in dice]
        odds = step_dice.SYSTEM.odds({"table": table, "rulings": rulings, "context": context})
        assert column(odds["p_base_ones_at_least"]) == damage
        assert column(odds["p_ammo_ones_at_least"]) == wear

    def test_a_passive_roll_is_not_pushed(self) -> None:
        request: dict[str, JsonValue] = {"pool": {"dice": ["C", "D"]}, "context": {"passive": True}}
        odds = step_dice.SYSTEM.odds(request)
        assert odds["p_success_if_pushed"] == odds["p_success"]
        assert "p_base_ones_at_least" not in odds
        lying = step_dice.SYSTEM.odds({"table": [{"role": "base", "value": 3}], "context": {"passive": True}})
        assert lying["push"] == {"eligible": False, "reason": "passive_roll"}

    def test_ammo_dice_of_a_pool(self) -> None:
        odds = step_dice.SYSTEM.odds({"pool": {"dice": ["D"], "ammo": 1}})
        assert column(odds["p_ammo_ones_at_least"]) == {1: Fraction(1, 6) + Fraction(4, 6) * Fraction(1, 6)}
        assert column(odds["p_base_ones_at_least"]) == {1: Fraction(1, 6) + Fraction(5, 6) * Fraction(1, 6)}

    @pytest.mark.parametrize("dice", [[], ["E"], ["D", "D", "D"], "D", [3]])
    def test_nonsense_is_refused(self, dice: JsonValue) -> None:
        with pytest.raises(BadRequest):
            step_dice.SYSTEM.odds({"pool": {"dice": dice}})


class TestHitsPool:
    @pytest.mark.parametrize(
        "rulings",
        [
            {},
            {"hit_on": 4},
            {"hit_on": 6},
            {"half": "rounded_down", "critical_miss_dice": 2},
            {"both_criticals": "cancel", "critical_hit_on_fail": False},
        ],
    )
    @pytest.mark.parametrize("dice", [1, 2, 3, 4])
    @pytest.mark.parametrize("threshold", [None, 0, 2])
    def test_every_roll_through_the_rules(
        self, dice: int, threshold: int | None, rulings: dict[str, JsonValue]
    ) -> None:
        at_least = [Fraction(0)] * (dice + 1)
        critical_hit = critical_miss = Fraction(0)
        chance = Fraction(1, 6**dice)
        for faces in itertools.product(FACES, repeat=dice):
            rolled = tuple(Die(f"d{n}", Role.PLAIN, face) for n, face in enumerate(faces))
            outcome = scored(hits_pool.SYSTEM, rolled, {"threshold": threshold}, rulings)
            for least in range(count(outcome, "hits") + 1):
                at_least[least] += chance
            critical_hit += chance * count(outcome, "critical_hit")
            critical_miss += chance * count(outcome, "critical_miss")
        odds = hits_pool.SYSTEM.odds({"pool": {"dice": dice}, "threshold": threshold, "rulings": rulings})
        assert column(odds["p_hits_at_least"]) == dict(enumerate(at_least))
        assert number(odds["p_critical_hit"]) == critical_hit
        assert number(odds["p_critical_miss"]) == critical_miss

    def test_the_chance_die(self) -> None:
        odds = hits_pool.SYSTEM.odds({"pool": {"dice": 1, "chance_die": True}, "threshold": 1})
        assert odds["p_hits_at_least"] == {"0": "1/1", "1": "1/6"}
        assert (odds["p_critical_hit"], odds["p_critical_miss"]) == ("0/1", "1/6")

    def test_a_margin_of_six_is_critical(self) -> None:
        odds = hits_pool.SYSTEM.odds({"pool": {"dice": 6}, "threshold": 0})
        half_sixes = (6 @ (icepool.d6 == 6) >= 3).mean()
        all_hit_with_two_sixes_at_most = (2**6 - sum(comb(6, n) for n in range(3, 7))) * Fraction(1, 6**6)
        assert number(odds["p_critical_hit"]) == half_sixes + all_hit_with_two_sixes_at_most

    def test_twenty_dice_against_icepool(self) -> None:
        hits = 20 @ (icepool.d6 >= 5)
        odds = hits_pool.SYSTEM.odds({"pool": {"dice": 20}, "threshold": 7})
        assert column(odds["p_hits_at_least"]) == {n: (hits >= n).mean() for n in range(21)}
        assert number(odds["p_success"]) == (hits > 7).mean()
        assert number(odds["p_draw"]) == (hits == 7).mean()
        assert number(odds["expected_hits"]) == hits.mean()

    @pytest.mark.parametrize(
        "request_",
        [
            {},
            {"pool": {"dice": 0}},
            {"pool": {"dice": 400}},
            {"pool": {"dice": 2, "chance_die": True}},
            {"pool": {"dice": 2}, "threshold": -1},
        ],
    )
    def test_nonsense_is_refused(self, request_: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            hits_pool.SYSTEM.odds(request_)


class TestHighestDie:
    @pytest.mark.parametrize(("dice", "zero"), [(1, False), (2, False), (3, False), (4, False), (2, True), (3, True)])
    @pytest.mark.parametrize("rulings", [{}, {"zero_dice_critical": True}])
    def test_every_roll_through_the_rules(self, dice: int, zero: bool, rulings: dict[str, JsonValue]) -> None:
        chances = dict.fromkeys(("failure", "mixed", "full", "critical"), Fraction(0))
        for faces in itertools.product(FACES, repeat=dice):
            rolled = tuple(Die(f"d{n}", Role.PLAIN, face) for n, face in enumerate(faces))
            outcome = scored(highest_die.SYSTEM, rolled, {"zero_dice": zero, "risk": "low"}, rulings)
            chances[str(outcome.facts["outcome"])] += Fraction(1, 6**dice)
        odds = highest_die.SYSTEM.odds({"pool": {"dice": dice, "zero_dice": zero}, "rulings": rulings})
        assert {name: number(odds[f"p_{name}"]) for name in chances} == chances

    def test_eight_dice_against_icepool(self) -> None:
        odds = highest_die.SYSTEM.odds({"pool": {"dice": 8}})
        highest = icepool.d6.highest(8)
        sixes = 8 @ (icepool.d6 == 6)
        assert number(odds["p_failure"]) == (highest <= 3).mean()
        assert number(odds["p_mixed"]) == ((highest == 4).mean() + (highest == 5).mean())
        assert number(odds["p_full"]) == (sixes == 1).mean()
        assert number(odds["p_critical"]) == (sixes >= 2).mean()

    @pytest.mark.parametrize("pool", [{}, {"dice": 0}, {"dice": 101}, {"dice": 2, "zero_dice": "yes"}])
    def test_nonsense_is_refused(self, pool: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            highest_die.SYSTEM.odds({"pool": pool})


class TestDieCode:
    @pytest.mark.parametrize("code", ["1d", "2d+1", "3d+2", "4d"])
    @pytest.mark.parametrize("rulings", [{}, {"wild_one": "drop_highest"}])
    def test_every_total_through_the_rules(self, code: str, rulings: dict[str, JsonValue]) -> None:
        dice = int(code[0])
        for difficulty in (1, 4, 9, 13, 20):
            reached = sum(self.chances(dice, (), {"code": code, "difficulty": difficulty}, rulings))
            odds = die_code.SYSTEM.odds({"pool": {"code": code}, "difficulty": difficulty, "rulings": rulings})
            assert number(odds["p_success"]) == reached

    def chances(
        self, dice: int, rerolls: tuple[int, ...], context: dict[str, JsonValue], rulings: dict[str, JsonValue]
    ) -> Iterator[Fraction]:
        """Return the chance of each roll that reaches the difficulty; a chain is followed only until it does."""
        difficulty = context["difficulty"]
        assert isinstance(difficulty, int)
        for faces in itertools.product(FACES, repeat=dice):
            rolled = tuple(Die(f"d{n}", Role.PLAIN, face) for n, face in enumerate(faces))
            yield from self.follow(rolled, (), Fraction(1, 6**dice), context, rulings)

    def follow(
        self,
        rolled: Roll,
        rerolls: tuple[int, ...],
        chance: Fraction,
        context: dict[str, JsonValue],
        rulings: dict[str, JsonValue],
    ) -> Iterator[Fraction]:
        difficulty = context["difficulty"]
        assert isinstance(difficulty, int)
        outcome = scored(die_code.SYSTEM, rolled, {**context, "wild_rerolls": list(rerolls)}, rulings)
        if outcome.facts["pending"] is None:
            yield chance * bool(outcome.success)
        elif count(outcome, "total_so_far") >= difficulty:
            yield chance
        else:
            for face in FACES:
                yield from self.follow(rolled, (*rerolls, face), chance / 6, context, rulings)

    @pytest.mark.parametrize(("code", "difficulty"), [("7d+1", 30), ("12d", 45), ("20d+2", 90)])
    def test_larger_codes_against_icepool(self, code: str, difficulty: int) -> None:
        dice, _, pips = code.partition("d")
        wild = icepool.d6.explode(depth=20)
        total = (int(dice) - 1) @ icepool.d6 + wild + int(pips or 0)
        odds = die_code.SYSTEM.odds({"pool": {"code": code, "wild": True}, "difficulty": difficulty})
        assert number(odds["p_success"]) == (total >= difficulty).mean()
        tame = int(dice) @ icepool.d6 + int(pips or 0)
        odds = die_code.SYSTEM.odds({"pool": {"code": code, "wild": False}, "difficulty": difficulty})
        assert (number(odds["p_success"]), number(odds["mean"])) == ((tame >= difficulty).mean(), tame.mean())

    def test_a_code_that_was_doubled_as_it_stands(self) -> None:
        doubled: dict[str, JsonValue] = {
            "pool": {"code": "2d+4"},
            "difficulty": 10,
            "rulings": {"double_literally": True},
        }
        same = die_code.SYSTEM.odds({"pool": {"code": "2d"}, "difficulty": 6})
        assert die_code.SYSTEM.odds(doubled)["p_success"] == same["p_success"]
        with pytest.raises(BadRequest, match="three pips are a die"):
            die_code.SYSTEM.odds({**doubled, "rulings": {}})

    def test_means(self) -> None:
        assert die_code.SYSTEM.odds({"pool": {"code": "1d"}})["mean"] == "21/5"
        assert die_code.SYSTEM.odds({"pool": {"code": "3d+2", "wild": True}, "difficulty": None})["mean"] == "66/5"
        dropped = die_code.SYSTEM.odds({"pool": {"code": "2d"}, "rulings": {"wild_one": "drop_highest"}})["mean"]
        # 7/2 + 21/5, less one roll in six that loses the 1 and the other die, 7/2 in the mean.
        assert number(dropped) == Fraction(77, 10) - Fraction(1, 6) * Fraction(9, 2)

    @pytest.mark.parametrize(
        "request_",
        [
            {},
            {"pool": {}},
            {"pool": {"code": "3x"}},
            {"pool": {"code": "0d"}},
            {"pool": {"code": "3d"}, "difficulty": -1},
        ],
    )
    def test_nonsense_is_refused(self, request_: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            die_code.SYSTEM.odds(request_)


@pytest.mark.parametrize(
    "request_",
    [
        {"system": "push-pool", "pool": {"base": 8, "skill": 6, "gear": 4, "negative": 2}},
        {"system": "hits-pool", "pool": {"dice": 20}, "threshold": 3},
        {"system": "highest-die", "pool": {"dice": 20}},
        {"system": "die-code", "pool": {"code": "20d+2"}, "difficulty": 80},
        {"system": "step-dice", "pool": {"dice": ["A", "A"], "ammo": 18}},
    ],
    ids=lambda request: request["system"],
)
def test_twenty_dice_are_counted_without_ever_being_enumerated(request_: dict[str, JsonValue]) -> None:
    """Enumerating 6 to the power of 20 rolls would take years and exceed the time limit of every test."""
    system = next(system for system in systems() if system.id == request_["system"])
    answer = system.odds(request_)
    assert any(key.startswith("p_") for key in answer)


class TestChances:
    def test_coins(self) -> None:
        coin = Chances({(0,): 1, (1,): 1})
        three = Chances.sum([(coin, 3)], (0,))
        assert (three.above(1), three.above(2), three.mean()) == (Fraction(1, 2), Fraction(1, 8), Fraction(3, 2))
        assert Chances.sum([(coin, 3)], (0,), cap=2).mean() == Fraction(11, 8)
        assert Chances.sum([], (0,)).above(-1) == 1

    def test_misuse(self) -> None:
        with pytest.raises(ValueError, match="weights sum to 0"):
            Chances({(1,): 0})
