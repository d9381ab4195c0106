"""Dice with 8, 10 or 12 sides that the camera reads: scored, pushed, corrected and counted like any read die."""

from dataclasses import replace

import pytest

from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.effects import Commit
from device.game.state.events import DiceSettled, DieAdded, DieCorrected, MotionSeen, PushPressed
from device.game.state.manual_dice import declared_typed
from device.game.state.problems import WRONG_ROLES
from device.game.state.states import AwaitingPush, Empty, Resolved, Scored, Unclear, Unscored
from device.game.state.table_events import ManualDieEntered
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.message import message
from device.storage.log_rows import values_of
from rules.dice import Role
from tests.device.conftest import Dice
from tests.device.game.sample_states import play
from tests.narrowing import a, english
from vision.types.sighting import TrackedDie

STEP = Table("step-dice", context={"attribute_name": "STR", "hp": 5})
DECLARED = replace(
    STEP, pool=Pool(((Role.BASE, 0), (Role.AMMO, 0))), typed=declared_typed(((Role.BASE, "C"), (Role.BASE, "B")))
)


def step_die(die_id: int, sides: int, value: int | None, moved: bool | None = None) -> TrackedDie:
    die = Dice.die(die_id, "base", value, moved=moved)
    return replace(die, reading=replace(die.reading, sides=sides))


def thrown(table: Table, *dice: TrackedDie) -> Tray:
    return play(Tray(Empty(), table), MotionSeen(), DiceSettled(Dice.rest(*dice)))[0]


def test_read_step_dice_are_scored_pushed_and_their_ones_stay() -> None:
    tray = thrown(STEP, step_die(1, 8, 1), step_die(2, 10, 5))
    first = a(Scored, tray.dice)
    assert [(die.sides, die.level, die.value) for die in first.roll] == [(8, "C", 1), (10, "B", 5)]
    assert (first.outcome.locked, first.outcome.must_reroll) == (("1",), ("2",))
    push, _ = play(tray, PushPressed())
    assert isinstance(push.dice, AwaitingPush)
    done, _ = play(push, MotionSeen(), DiceSettled(Dice.rest(step_die(1, 8, 1, False), step_die(2, 10, 10, True))))
    assert a(Resolved, done.dice).outcome.facts["successes"] == 2


def test_read_dice_of_the_declared_levels_need_not_be_entered() -> None:
    state = a(Scored, thrown(DECLARED, step_die(1, 8, 6), step_die(2, 10, 3)).dice)
    assert [die.sides for die in state.roll] == [8, 10]
    half = thrown(DECLARED, step_die(1, 8, 6))
    assert [issue.text for issue in a(Unscored, half.dice).troubles] == [
        message("tray.problem.no_value", names="d10", count=1)
    ]
    both, _ = play(half, ManualDieEntered("B", 3, Role.BASE))
    assert [die.sides for die in a(Scored, both.dice).roll] == [8, 10]


def test_a_read_die_that_a_push_brings_back_as_another_is_not_entered() -> None:
    push, _ = play(thrown(DECLARED, step_die(1, 8, 2), step_die(2, 10, 1)), PushPressed())
    changed = Dice.rest(step_die(1, 12, 5, True), step_die(2, 10, 1, False))
    body = snapshot_body(1, play(push, MotionSeen(), DiceSettled(changed))[0], TrayMetadata("usb:0", None, {}))
    assert (body["problems"], body["typed_dice"]) == ([WRONG_ROLES], [])


def test_a_die_of_another_level_than_declared_is_too_many() -> None:
    state = a(Unclear, thrown(DECLARED, step_die(1, 8, 6), step_die(2, 12, 3)).dice)
    assert 2 in {die for issue in state.troubles for die in issue.dice}


@pytest.mark.parametrize("system", ["highest-die", "push-pool"])
def test_other_rules_say_that_they_have_no_such_die(system: str) -> None:
    state = a(Unclear, thrown(Table(system), step_die(1, 8, 6), Dice.die(2, "base", 3)).dice)
    assert [issue.dice for issue in state.troubles] == [(1,)]
    assert "d8" in english(state.troubles[0].text)


def test_value_and_kind_are_corrected_within_their_sides() -> None:
    state = thrown(STEP, step_die(1, 8, 6), step_die(2, 10, 3))
    state, _ = play(state, DieCorrected(1, 8, None))
    assert a(Scored, state.dice).roll[0].value == 8
    same, commands = play(state, DieCorrected(1, 9, None))
    assert same == state
    assert commands
    other, _ = play(state, DieCorrected(1, None, None, 12), DieCorrected(1, 11, None))
    assert (a(Scored, other.dice).roll[0].sides, a(Scored, other.dice).roll[0].value) == (12, 11)
    added, _ = play(other, DieAdded((400.0, 300.0), 7, "base", sides=8))
    assert [(die.sides, die.value) for die in a(Scored, added.dice).roll] == [(12, 11), (10, 3), (8, 7)]


def test_which_need_not_be_entered_is_told_until_a_push_waits() -> None:
    taught = frozenset({("base", 8), ("base", 10), ("gear", 12)})

    def told(state: Tray, camera: str = "usb:0") -> object:
        return snapshot_body(1, state, TrayMetadata(camera, None, {}, taught=taught))["read_sides"]

    first = thrown(STEP, step_die(1, 8, 1), step_die(2, 10, 5))
    assert [told(state) for state in (Tray(Empty(), STEP), first, Tray(Empty(), Table("push-pool")))] == [
        [8, 10],
        [8, 10],
        [],
    ]
    assert told(play(first, PushPressed())[0]) == [], "what was entered is entered again"
    assert told(Tray(Empty(), STEP), "simulated") == [], "it draws dice with six sides"


def test_the_log_has_their_sides() -> None:
    _, commands = play(Tray(Empty(), STEP), MotionSeen(), DiceSettled(Dice.rest(step_die(1, 8, 6))))
    (row,) = [row for command in commands if isinstance(command, Commit) for row in command.rows]
    assert '"sides": 8' in str(values_of("2026-11-28T05:00:00Z", row, None, None))
