"""An exploding wild die: thrown again while it shows 6, each throw added to the same roll."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.effects import Command, Commit, Refuse, RowKind
from device.game.state.events import DiceSettled, DieCorrected, MotionSeen, PushPressed, ResetPressed
from device.game.state.states import Empty, Scored, Unclear
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.storage.rolls import RollLog
from device.storage.serialisation import pack_state, unpack_state
from rules.dice import Role
from tests.device.conftest import Dice
from tests.device.game.sample_states import play
from tests.narrowing import a, parts_of
from vision.types.reading import PointPx, Unread

TABLE = Table("die-code", pool=Pool(((Role.WILD, 1), (Role.PLAIN, 2))), context={"code": "3d+2", "difficulty": 13})


def rows(commands: Iterable[Command]) -> list[RowKind]:
    return [row.kind for command in commands if isinstance(command, Commit) for row in command.rows]


@pytest.fixture
def rolled() -> Tray:
    """Wild 6 (gear's colour) next to 3 and 2."""
    first = (Dice.die(1, "gear", 6), Dice.die(2, "base", 3), Dice.die(3, "skill", 2))
    return play(Tray(Empty(), TABLE), MotionSeen(), DiceSettled(Dice.rest(*first)))[0]


def thrown(
    value: int | None, *, at: PointPx = (700, 600), others: tuple[int, int] = (3, 2), unread: Unread | None = None
) -> DiceSettled:
    """The wild die thrown again, the others unmoved."""
    return DiceSettled(
        Dice.rest(
            Dice.die(1, "gear", value, at, moved=True, unread=unread),
            Dice.die(2, "base", others[0], moved=False),
            Dice.die(3, "skill", others[1], moved=False),
        )
    )


def lying() -> DiceSettled:
    return DiceSettled(Dice.rest(Dice.die(2, "base", 3, moved=False), Dice.die(3, "skill", 2, moved=False)))


def test_the_tray_asks_for_just_that_die(rolled: Tray) -> None:
    assert isinstance(rolled.dice, Scored)
    assert (rolled.dice.outcome.facts["pending"], rolled.dice.outcome.facts["total"]) == ("reroll_wild", None)
    body = parts_of(snapshot_body(1, rolled, TrayMetadata("simulated", None, {})))
    assert body["state"] == "scored"
    assert body["awaiting"]["dice"] == [1]
    assert [die["id"] for die in body["dice"] if die["must_reroll"]] == [1]
    assert body["push"]["eligible"] is False


def test_it_adds_up_over_several_throws_and_keeps_its_number(rolled: Tray) -> None:
    state, commands = play(rolled, MotionSeen(), lying())
    assert isinstance(state.dice, Scored)
    assert rows(commands) == []
    state, commands = play(state, MotionSeen(), thrown(6))
    assert isinstance(state.dice, Scored)
    assert (state.dice.number, rows(commands)) == (1, [RowKind.CONTINUED])
    assert (state.dice.outcome.facts["pending"], state.dice.outcome.facts["total_so_far"]) == (
        "reroll_wild",
        6 + 3 + 2 + 6 + 2,
    )
    state, _ = play(state, MotionSeen(), lying(), MotionSeen(), thrown(4, at=(300, 700)))
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.facts["pending"] is None
    assert (state.dice.outcome.facts["total"], state.dice.outcome.facts["success"]) == (6 + 3 + 2 + 6 + 4 + 2, True)
    body = parts_of(snapshot_body(1, state, TrayMetadata("simulated", None, {})))
    assert body["awaiting"] is None
    assert next(die["earlier"] for die in body["dice"] if die["id"] == 1) == [6, 6]
    assert state.table.next_roll == 2


def test_a_die_knocked_over_the_floor_next_to_it_does_not_matter_while_its_face_stays(rolled: Tray) -> None:
    knocked = Dice.rest(
        Dice.die(1, "gear", 2, (700, 600), moved=True),
        Dice.die(2, "base", 3, (900, 100), moved=True),
        Dice.die(3, "skill", 2, moved=False),
    )
    state, _ = play(rolled, MotionSeen(), DiceSettled(knocked))
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.facts["total"] == 6 + 3 + 2 + 2 + 2


def test_all_dice_thrown_again_are_a_new_roll(rolled: Tray) -> None:
    fresh = (
        Dice.die(1, "gear", 2, (700, 600), moved=True),
        Dice.die(2, "base", 5, (800, 600), moved=True),
        Dice.die(3, "skill", 5, (900, 600), moved=True),
    )
    state, _ = play(rolled, MotionSeen(), DiceSettled(Dice.rest(*fresh)))
    assert isinstance(state.dice, Scored)
    assert (state.dice.number, state.dice.outcome.facts["total"]) == (2, 2 + 5 + 5 + 2)


def test_another_die_thrown_instead_is_no_continuation(rolled: Tray) -> None:
    wrong = Dice.rest(
        Dice.die(1, "gear", 6, moved=False),
        Dice.die(2, "base", 5, (800, 600), moved=True),
        Dice.die(3, "skill", 2, moved=False),
    )
    state, _ = play(rolled, MotionSeen(), DiceSettled(wrong))
    assert isinstance(state.dice, Unclear)


def test_a_cocked_throw_is_settled_by_a_tap_or_by_another_throw(rolled: Tray) -> None:
    cocked, _ = play(rolled, MotionSeen(), thrown(None, unread=Unread.COCKED))
    assert isinstance(cocked.dice, Unclear)
    tapped, commands = step(cocked, DieCorrected(1, 5, None))
    assert isinstance(tapped.dice, Scored)
    assert (tapped.dice.number, tapped.dice.outcome.facts["total"]) == (1, 6 + 3 + 2 + 5 + 2)
    assert rows(commands) == [RowKind.CORRECTED, RowKind.CONTINUED]
    again, _ = play(cocked, MotionSeen(), lying(), MotionSeen(), thrown(3, at=(200, 700)))
    assert isinstance(again.dice, Scored)
    assert (again.dice.number, again.dice.outcome.facts["total"]) == (1, 6 + 3 + 2 + 3 + 2)


def test_correcting_a_throw_of_the_chain_starts_or_ends_it(rolled: Tray) -> None:
    ended, _ = play(rolled, MotionSeen(), thrown(4))
    state, _ = step(ended, DieCorrected(1, 6, None))
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.facts["pending"] == "reroll_wild"
    state, _ = step(rolled, DieCorrected(1, 5, None))
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.facts["total"] == 5 + 3 + 2 + 2


def test_a_single_die_may_be_picked_up_without_the_roll_being_over() -> None:
    table = Table("die-code", pool=Pool(((Role.WILD, 1), (Role.PLAIN, 0))), context={"code": "1d"})
    state, _ = play(Tray(Empty(), table), DiceSettled(Dice.rest(Dice.die(1, "gear", 6))))
    state, _ = play(state, MotionSeen(), DiceSettled(Dice.rest()))
    assert isinstance(state.dice, Scored)
    state, _ = play(state, MotionSeen(), DiceSettled(Dice.rest(Dice.die(1, "gear", 3, (600, 600), moved=True))))
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.facts["total"] == 9


def test_a_reset_ends_it_and_a_push_is_refused(rolled: Tray) -> None:
    refused, commands = step(rolled, PushPressed())
    assert refused == rolled
    assert a(Refuse, commands[0]).reason == "system_has_no_push"
    assert isinstance(step(rolled, ResetPressed())[0].dice, Empty)


def test_a_chain_goes_on_after_the_plug_was_pulled(rolled: Tray, tmp_path: Path) -> None:
    halfway, commands = play(rolled, MotionSeen(), thrown(6))
    history = RollLog(tmp_path / "h.sqlite3")
    history.write(a(Commit, commands[0]).rows, halfway)
    history.close()
    reopened = RollLog(tmp_path / "h.sqlite3")
    kept = reopened.kept_state()
    reopened.close()
    assert kept == unpack_state(pack_state(halfway))
    state, _ = play(kept, MotionSeen(), thrown(1, at=(200, 700)))
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.facts["total"] == 6 + 3 + 2 + 6 + 1 + 2


def test_a_roll_that_an_older_program_kept_goes_on(rolled: Tray) -> None:
    """The file was written by version 0.1.0, before the classes had today's names."""
    text = (Path(__file__).parents[2] / "data" / "kept_state_0.1.0.json").read_text()
    kept = unpack_state(text)
    assert isinstance(kept.dice, Scored)
    now, _ = play(rolled, MotionSeen(), thrown(6))
    outcome = replace(a(Scored, now.dice).outcome, marks={})
    assert kept.dice == replace(a(Scored, now.dice), outcome=outcome), "what its dice did it does not say"
    assert kept.dice.exploding is not None
    assert kept.dice.exploding.earlier == (6,)
    assert unpack_state(pack_state(kept)) == kept
