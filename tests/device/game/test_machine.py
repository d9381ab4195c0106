"""The state table: whole rolls step by step, then every state times every event."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from device.game.machine import step
from device.game.snapshot import tray_body
from device.game.state.effects import Command, Commit, ForgetDice, LogRow, Refuse, RowKind
from device.game.state.events import (
    CameraConnected,
    CameraFailed,
    ContextSet,
    DiceConfirmed,
    DiceCorrected,
    DicePickedUp,
    DiceSettled,
    DieCorrected,
    DieRestored,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
)
from device.game.state.states import AwaitingPush, Empty, Resolved, Rolling, Scored, Unclear, Unscored
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Fault, Tray
from device.message import message
from device.storage.serialisation import pack_state, unpack_state
from rules.dice import Role
from tests.device.game.sample_states import (
    EVENTS,
    FIRST,
    LEFT,
    TABLE,
    THROWN,
    awaiting,
    die,
    kind_of,
    play,
    rest,
    scored,
    states,
)
from tests.narrowing import a, english, there
from vision.types.reading import Problem, Unread
from vision.types.sighting import TrackedDie


def rows(commands: Iterable[Command]) -> list[LogRow]:
    return [row for command in commands if isinstance(command, Commit) for row in command.rows]


def refusal(commands: Iterable[Command]) -> str:
    return next(command.reason for command in commands if isinstance(command, Refuse))


def test_a_roll_with_its_push_from_the_first_motion_to_the_reset() -> None:
    state, commands = step(Tray(Empty(), TABLE), MotionSeen())
    assert (type(state.dice), commands) == (Rolling, ())
    state, commands = step(state, rest(*FIRST))
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.headline == (1, "success")
    assert state.dice.outcome.must_reroll == ("1", "3", "4")
    assert [row.kind for row in rows(commands)] == [RowKind.SCORED]
    state, commands = step(state, PushPressed())
    assert isinstance(state.dice, AwaitingPush)
    assert commands == (Commit(),)
    state, commands = play(state, MotionSeen(), rest(*LEFT))
    assert isinstance(state.dice, AwaitingPush)
    assert (state.dice.troubles, state.dice.after, rows(commands)) == ((), None, [])
    state, commands = play(state, MotionSeen(), rest(*THROWN))
    assert isinstance(state.dice, Resolved)
    assert (
        state.dice.outcome.headline,
        state.dice.outcome.facts["trauma"],
        state.dice.outcome.facts["gear_damage"],
    ) == (
        (2, "successes"),
        1,
        1,
    )
    assert [(row.kind, row.roll_number) for row in rows(commands)] == [(RowKind.PUSHED, 1)]
    state, commands = step(state, PushPressed())
    assert isinstance(state.dice, Resolved)
    assert refusal(commands) == "already_pushed"
    state, commands = step(state, ResetPressed())
    assert isinstance(state.dice, Empty)
    assert commands == (Commit(), ForgetDice())


def test_a_hand_that_passes_over_a_result_changes_nothing_and_writes_nothing() -> None:
    before = scored()
    assert isinstance(before.dice, Scored)
    state, commands = play(
        before, MotionSeen(), rest(*(die(d.id, d.reading.colour, d.reading.value, moved=False) for d in FIRST))
    )
    assert isinstance(state.dice, Scored)
    assert (state.dice.number, state.dice.outcome) == (before.dice.number, before.dice.outcome)
    assert rows(commands) == []


def test_nudged_dice_are_followed_without_a_new_result() -> None:
    nudged = (die(1, "base", 5, at=(110, 300), moved=True), *FIRST[1:])
    state, commands = play(scored(), MotionSeen(), rest(*nudged))
    assert isinstance(state.dice, Scored)
    assert state.dice.layout.dice[0].reading.center_px == (110, 300)
    assert rows(commands) == []


def test_a_new_throw_without_reset_is_a_new_roll() -> None:
    fresh = tuple(die(d.id, d.reading.colour, 2, at=(50.0 * d.id, 700), moved=True) for d in FIRST)
    state, commands = play(scored(), MotionSeen(), rest(*fresh))
    assert isinstance(state.dice, Scored)
    assert state.dice.number == 2
    assert [row.kind for row in rows(commands)] == [RowKind.SCORED]


def test_dice_picked_up_before_push_was_pressed_may_still_be_pushed() -> None:
    state, commands = play(scored(), MotionSeen(), rest(*LEFT))
    assert isinstance(state.dice, Scored)
    assert rows(commands) == []
    state, _ = play(state, PushPressed(), MotionSeen(), rest(*THROWN))
    assert isinstance(state.dice, Resolved)


def test_dice_thrown_again_without_push_are_no_result_until_push_is_pressed() -> None:
    state, commands = play(scored(), MotionSeen(), rest(*LEFT), MotionSeen(), rest(*THROWN))
    assert isinstance(state.dice, Unclear)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("thrown_without_push", (1, 3, 4))]
    assert rows(commands) == []
    state, commands = step(state, PushPressed())
    assert isinstance(state.dice, Resolved)
    assert [row.kind for row in rows(commands)] == [RowKind.PUSHED]


def test_a_pushed_roll_thrown_once_more_is_named() -> None:
    resolved = play(awaiting(), rest(*LEFT), rest(*THROWN))[0]
    again = (
        die(1, "base", 4, at=(60, 60), moved=True),
        *(die(d.id, d.reading.colour, d.reading.value, d.reading.center_px, False) for d in THROWN[1:]),
    )
    state, _ = play(resolved, MotionSeen(), rest(*again))
    assert isinstance(state.dice, Unclear)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("already_pushed", (1,))]
    assert refusal(step(state, PushPressed())[1]) == "already_pushed"


def test_dice_thrown_again_under_rules_without_a_push_are_named_without_that_word() -> None:
    first = (die(1, "base", 3), die(2, "base", 4), die(3, "base", 5))
    again = (
        die(1, "base", 6, at=(60, 60), moved=True),
        *(die(d.id, "base", d.reading.value, moved=False) for d in first[1:]),
    )
    state, _ = play(Tray(Empty(), Table("hits-pool")), MotionSeen(), rest(*first), MotionSeen(), rest(*again))
    assert isinstance(state.dice, Unclear)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("system_has_no_push", (1,))]
    assert "rerolled" in english(state.dice.troubles[0].text)
    assert "push" not in english(state.dice.troubles[0].text)


def test_a_locked_die_rerolled_is_named_and_mended_by_turning_it_back() -> None:
    wrong = (THROWN[0], die(2, "base", 3, at=(400, 600), moved=True), *THROWN[2:])
    state, commands = play(awaiting(), rest(), rest(*wrong))
    assert isinstance(state.dice, AwaitingPush)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("locked_die_changed", (2,))]
    assert "(base 3 instead of 6)" in english(state.dice.troubles[0].text)
    assert rows(commands) == []
    mended = (THROWN[0], die(2, "base", 6, at=(400, 600), moved=True), *THROWN[2:])
    state, commands = play(state, MotionSeen(), rest(*mended))
    assert isinstance(state.dice, Resolved)
    assert [row.kind for row in rows(commands)] == [RowKind.PUSHED]


def test_a_misread_locked_die_is_mended_by_a_tap() -> None:
    wrong = (THROWN[0], die(2, "base", 5, at=(205, 305), moved=None), *THROWN[2:])
    state, _ = play(awaiting(), rest(*LEFT), rest(*wrong))
    assert isinstance(state.dice, AwaitingPush)
    state, commands = step(state, DieCorrected(2, 6, None))
    assert isinstance(state.dice, Resolved)
    assert [row.kind for row in rows(commands)] == [RowKind.CORRECTED, RowKind.PUSHED]


def test_a_die_left_lying_is_named_even_where_it_was_knocked_a_little() -> None:
    left = (*THROWN[:2], die(3, "skill", 1, at=(308, 300), moved=True), THROWN[3])
    state, _ = play(awaiting(), rest(die(2, "base", 6), die(3, "skill", 1, moved=False)), rest(*left))
    assert isinstance(state.dice, AwaitingPush)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("must_reroll_not_rolled", (3,))]


def test_a_die_left_lying_is_named_however_far_it_was_knocked() -> None:
    seen_left = rest(die(2, "base", 6), die(3, "skill", 1, moved=False))
    knocked = (*THROWN[:2], die(3, "skill", 1, at=(800, 500), moved=True), THROWN[3])
    state, _ = play(awaiting(), seen_left, rest(*knocked))
    assert isinstance(state.dice, AwaitingPush)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("must_reroll_not_rolled", (3,))]
    # It may have been picked up and thrown since: then a person corrects it.
    assert isinstance(step(state, DiceConfirmed())[0].dice, Resolved)
    turned = (*THROWN[:2], die(3, "skill", 4, at=(800, 500), moved=True), THROWN[3])
    assert isinstance(play(awaiting(), seen_left, rest(*turned))[0].dice, Resolved)


@pytest.mark.parametrize("shift_px", [30, 60])
def test_whether_a_die_that_lies_about_where_it_lay_was_thrown_is_asked(shift_px: float) -> None:
    nudged = (*THROWN[:2], die(3, "skill", 1, at=(300 + shift_px, 300), moved=True), THROWN[3])
    state, commands = play(awaiting(), rest(*nudged))
    assert isinstance(state.dice, AwaitingPush)
    assert rows(commands) == []
    ((code, dice, text),) = [(trouble.code, trouble.dice, trouble.text) for trouble in state.dice.troubles]
    assert (code, dice) == ("maybe_not_rolled", (3,))
    assert english(text) == english(message("tray.problem.maybe_not_rolled", named=" (skill 1)", count=1))
    assert tray_body(state)["confirmable"] is True
    state = unpack_state(pack_state(state))
    state, commands = step(state, DiceConfirmed())
    assert isinstance(state.dice, Resolved)
    assert [row.kind for row in rows(commands)] == [RowKind.CORRECTED, RowKind.PUSHED]
    assert there(rows(commands)[0].corrected).word == "thrown"
    turned = (*THROWN[:2], die(3, "skill", 2, at=(300 + shift_px, 300), moved=True), THROWN[3])
    assert isinstance(play(awaiting(), rest(*turned))[0].dice, Resolved)


def test_a_push_whose_dice_all_lie_about_where_they_lay_is_asked_about() -> None:
    alone = (die(1, "base", 3), die(2, "base", 6))
    state, _ = play(Tray(Empty(), TABLE), rest(*alone), PushPressed())
    near = rest(die(1, "base", 3, at=(130, 300), moved=True), alone[1])
    state, _ = step(state, near)
    assert isinstance(state.dice, AwaitingPush)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("maybe_not_rolled", (1,))]
    assert isinstance(step(state, DiceConfirmed())[0].dice, Resolved)
    away, _ = step(state, rest(alone[1]))
    assert isinstance(step(away, near)[0].dice, Resolved)


def test_a_die_that_surely_lies_there_is_named_and_no_word_lets_it_pass() -> None:
    left = (*THROWN[:2], die(3, "skill", 1, moved=False), THROWN[3])
    state, _ = play(awaiting(), rest(*left))
    assert isinstance(state.dice, AwaitingPush)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("must_reroll_not_rolled", (3,))]
    assert step(state, DiceConfirmed())[0] == state


def test_a_missing_die_is_named_once_the_others_were_thrown() -> None:
    state, _ = play(awaiting(), rest(*LEFT), rest(*THROWN[:3]))
    assert isinstance(state.dice, AwaitingPush)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("wrong_dice_count", (4,))]
    state, _ = step(state, rest(*THROWN))
    assert isinstance(state.dice, Resolved)


def test_no_die_is_accused_while_a_die_cannot_be_read() -> None:
    smudge = die(5, None, None, at=(50, 50), unread=Unread.PIPS_UNCLEAR)
    state, _ = play(awaiting(), rest(*LEFT), rest(*THROWN, smudge))
    assert isinstance(state.dice, Unclear)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("pips_unclear", (5,))]
    state, _ = step(state, rest(*THROWN))
    assert isinstance(state.dice, Resolved)
    declared = Pool.from_counts({"base": 2}, (Role.BASE, Role.SKILL, Role.GEAR))
    state, _ = play(Tray(Empty(), TABLE), PoolDeclared(declared), rest(*FIRST[:2], smudge))
    assert isinstance(state.dice, Unclear)
    assert [t.code for t in state.dice.troubles] == ["pips_unclear"]


def test_a_smudge_taken_for_a_die_while_dice_are_in_the_hand_is_no_throw() -> None:
    state, _ = play(awaiting(), rest(*LEFT, die(5, "base", 2, at=(50, 50), moved=True)))
    assert isinstance(state.dice, AwaitingPush)
    assert (state.dice.troubles, state.dice.after) == ((), None)


def test_one_die_too_many_after_a_push_is_named() -> None:
    state, _ = play(awaiting(), rest(*LEFT), rest(*THROWN, die(5, "base", 2, moved=True)))
    assert isinstance(state.dice, AwaitingPush)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("wrong_dice_count", (5,))]


def test_a_die_of_another_kind_after_a_push_is_named() -> None:
    state, _ = play(awaiting(), rest(*LEFT), rest(*THROWN[:3], die(4, "base", 2, at=(900, 500), moved=True)))
    assert isinstance(state.dice, AwaitingPush)
    assert [t.code for t in state.dice.troubles] == ["wrong_role_count"]


def test_a_push_in_two_handfuls_ends_right() -> None:
    half = (THROWN[0], THROWN[1], die(3, "skill", 1, moved=False), die(4, "gear", 3, moved=False))
    state, _ = play(awaiting(), rest(*FIRST[1:]), rest(*half))
    assert isinstance(state.dice, AwaitingPush)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("must_reroll_not_rolled", (3, 4))]
    state, _ = play(state, rest(*THROWN[:2]))
    assert isinstance(state.dice, AwaitingPush)
    state, _ = step(state, rest(*THROWN))
    assert isinstance(state.dice, Resolved)


def test_a_hand_over_an_awaited_push_is_no_play() -> None:
    still = tuple(die(d.id, d.reading.colour, d.reading.value, moved=False) for d in FIRST)
    state, commands = play(awaiting(), MotionSeen(), rest(*still))
    assert isinstance(state.dice, AwaitingPush)
    assert (state.dice.troubles, rows(commands)) == ((), [])


def test_dice_hidden_under_a_resting_hand_were_not_thrown() -> None:
    hidden = rest(*LEFT, problems=[Problem.FOREIGN_OBJECT])
    still = rest(*(die(d.id, d.reading.colour, d.reading.value) for d in FIRST))
    state, _ = play(awaiting(), hidden, still)
    assert isinstance(state.dice, AwaitingPush)
    assert state.dice.troubles == ()
    assert isinstance(play(scored(), rest(problems=[Problem.FOREIGN_OBJECT]))[0].dice, Scored)


def test_unclear_dice_after_a_push_are_settled_by_a_tap() -> None:
    cocked = (*THROWN[:3], die(4, "gear", None, at=(900, 500), moved=True, unread=Unread.COCKED))
    state, commands = play(awaiting(), rest(*LEFT), rest(*cocked))
    assert isinstance(state.dice, Unclear)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("cocked", (4,))]
    assert refusal(step(state, PushPressed())[1]) == "already_pushed"
    state, commands = step(state, DieCorrected(4, 6, None))
    assert isinstance(state.dice, Resolved)
    assert [row.kind for row in rows(commands)] == [RowKind.CORRECTED, RowKind.PUSHED]
    corrected = rows(commands)[0]
    assert corrected.corrected is not None
    assert (corrected.corrected.die_id, there(corrected.layout.die(4)).reading.unread) == (4, Unread.COCKED)


def test_an_unclear_first_throw_is_settled_by_a_tap_and_keeps_its_number_when_taken_back() -> None:
    dice = (*FIRST[:3], die(4, None, None, unread=Unread.PIPS_UNCLEAR))
    state, commands = play(Tray(Empty(), TABLE), MotionSeen(), rest(*dice))
    assert (type(state.dice), rows(commands)) == (Unscored, [])
    state, _ = step(state, DieCorrected(4, 3, None))
    assert isinstance(state.dice, Unclear)
    assert [t.code for t in state.dice.troubles] == ["colour_unclear"]
    state, commands = step(state, DieCorrected(4, None, "gear"))
    assert isinstance(state.dice, Scored)
    assert [row.kind for row in rows(commands)] == [RowKind.CORRECTED, RowKind.SCORED]
    state, commands = step(state, DieRestored(4))
    assert isinstance(state.dice, Unclear)
    assert [(row.kind, row.outcome) for row in rows(commands)] == [(RowKind.CORRECTED, None)]
    state, commands = step(state, DieCorrected(4, 2, "gear"))
    assert isinstance(state.dice, Scored)
    assert (type(state.dice), state.dice.number, state.table.next_roll) == (Scored, 1, 2)
    assert [(row.kind, row.roll_number) for row in rows(commands)] == [(RowKind.CORRECTED, 1), (RowKind.REVISED, 1)]


def test_a_correction_of_a_readable_die_changes_the_result_and_survives_the_next_reading() -> None:
    state, commands = step(scored(), DieCorrected(1, 6, None))
    assert isinstance(state.dice, Scored)
    assert (state.dice.outcome.headline, there(state.dice.layout.die(1)).reading.value) == ((2, "successes"), 5)
    assert [(row.kind, there(row.outcome).headline[0]) for row in rows(commands)] == [(RowKind.CORRECTED, 2)]
    still = tuple(die(d.id, d.reading.colour, d.reading.value, moved=False) for d in FIRST)
    state, commands = play(state, MotionSeen(), rest(*still))
    assert isinstance(state.dice, Scored)
    assert (there(state.dice.layout.die(1)).value, rows(commands)) == (6, [])
    state, _ = step(state, DieRestored(1))
    assert isinstance(state.dice, Scored)
    assert (there(state.dice.layout.die(1)).value, state.dice.outcome.headline[0]) == (5, 1)


def test_a_correction_falls_when_the_die_is_thrown() -> None:
    state = play(scored(), DieCorrected(1, 4, None), PushPressed(), rest(*LEFT), rest(*THROWN))[0]
    assert isinstance(state.dice, Resolved)
    assert (type(state.dice), there(state.dice.layout.die(1)).correction) == (Resolved, None)


def test_a_correction_while_a_push_is_awaited_changes_what_must_go() -> None:
    state, commands = step(awaiting(), DieCorrected(1, 1, None))
    assert isinstance(state.dice, AwaitingPush)
    assert (type(state.dice), state.dice.first.outcome.must_reroll) == (AwaitingPush, ("3", "4"))
    assert [row.kind for row in rows(commands)] == [RowKind.CORRECTED]
    state, _ = play(state, DieCorrected(3, 6, None), DieCorrected(4, 6, None))
    assert isinstance(state.dice, Scored)
    assert (type(state.dice), state.dice.outcome.push.reason.value) == (Scored, "nothing_to_reroll")


def test_a_correction_after_a_push_is_judged_by_the_push() -> None:
    resolved = play(awaiting(), rest(*LEFT), rest(*THROWN))[0]
    state, commands = step(resolved, DieCorrected(2, 5, None))
    assert isinstance(state.dice, AwaitingPush)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("locked_die_changed", (2,))]
    assert [(row.kind, row.outcome) for row in rows(commands)] == [(RowKind.CORRECTED, None)]
    assert isinstance(step(state, DieRestored(2))[0].dice, Resolved)


def test_several_dice_are_corrected_as_one_after_the_other_and_written_at_once() -> None:
    words = (DieCorrected(1, 6, None), DieCorrected(3, 6, None))
    state, commands = step(scored(), DiceCorrected(words))
    assert state == play(scored(), *words)[0]
    assert a(Scored, state.dice).outcome.headline == (3, "successes")
    assert [type(command) for command in commands] == [Commit]
    assert [(row.kind, there(row.outcome).headline[0]) for row in rows(commands)] == [
        (RowKind.CORRECTED, 2),
        (RowKind.CORRECTED, 3),
    ]
    again, commands = step(state, DiceCorrected(words))
    assert (again, commands) == (state, ())


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (DiceCorrected((DieCorrected(1, 3, None), DieCorrected(9, 3, None))), "unknown_die"),
        (DieCorrected(9, 3, None), "unknown_die"),
        (DieCorrected(1, 7, None), "bad_value"),
        (DieCorrected(1, 3, "tin"), "unknown_colour"),
        (DieRestored(9), "unknown_die"),
    ],
)
def test_impossible_corrections_are_refused_and_change_nothing(event: Event, reason: str) -> None:
    before = scored()
    state, commands = step(before, event)
    assert state is before
    assert refusal(commands) == reason


def test_two_readings_of_one_unmoved_die_are_a_doubt_and_no_second_result() -> None:
    other = (die(1, "base", 4, moved=False), *FIRST[1:])
    state, commands = play(scored(), rest(*other))
    assert isinstance(state.dice, Unclear)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [("pips_unclear", (1,))]
    assert rows(commands) == []


@pytest.mark.parametrize(
    ("pool", "code", "accused"),
    [
        ({"base": 2, "skill": 1, "gear": 2}, "wrong_dice_count", ()),
        ({"base": 1, "skill": 1, "gear": 1}, "wrong_dice_count", (1, 2)),
        ({"base": 1, "skill": 2, "gear": 1}, "wrong_role_count", (1, 2)),
    ],
)
def test_dice_other_than_declared_are_named_and_not_scored(
    pool: dict[str, int], code: str, accused: tuple[int, ...]
) -> None:
    declared = Pool.from_counts(pool, (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE))
    state, commands = play(Tray(Empty(), TABLE), PoolDeclared(declared), MotionSeen(), rest(*FIRST))
    assert isinstance(state.dice, Unclear)
    assert [(t.code, t.dice) for t in state.dice.troubles] == [(code, accused)]
    assert rows(commands) == []
    state, commands = step(state, PoolDeclared(None))
    assert isinstance(state.dice, Scored)


def test_dice_taken_out_of_an_unclear_roll_are_no_news_unless_there_were_too_many() -> None:
    four = Pool.from_counts({"base": 2, "skill": 1, "gear": 1}, (Role.BASE, Role.SKILL, Role.GEAR))
    cocked = die(4, "gear", None, unread=Unread.COCKED)
    unclear, _ = play(Tray(Empty(), TABLE), PoolDeclared(four), rest(*FIRST[:3], cocked))
    assert step(unclear, rest(*FIRST[:2])) == (unclear, ())
    assert isinstance(step(unclear, rest())[0].dice, Empty)
    extra = (die(5, "base", 2, at=(50, 50)), die(6, "base", 2, at=(50, 90)))
    many, _ = play(Tray(Empty(), TABLE), PoolDeclared(four), rest(*FIRST, *extra))
    fewer, _ = step(many, rest(*FIRST, extra[0]))
    assert isinstance(fewer.dice, Unclear)
    assert english(fewer.dice.troubles[0].text).startswith("One base die too many.")
    assert isinstance(step(fewer, rest(*FIRST))[0].dice, Scored)


def test_skill_dice_are_negative_where_the_pool_says_so() -> None:
    declared = Pool.from_counts(
        {"base": 2, "gear": 1, "negative": 1}, (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE)
    )
    dice = (*FIRST[:2], die(3, "skill", 6), FIRST[3])
    state, _ = play(Tray(Empty(), TABLE), PoolDeclared(declared), rest(*dice))
    assert isinstance(state.dice, Scored)
    assert (type(state.dice), state.dice.outcome.headline[0]) == (Scored, 0)
    assert state.dice.roll[2].role is Role.NEGATIVE


def test_a_pool_of_skill_and_negative_dice_of_one_colour_is_refused() -> None:
    both = Pool(((Role.SKILL, 1), (Role.NEGATIVE, 1)))
    state, commands = step(Tray(Empty(), TABLE), PoolDeclared(both))
    assert state == Tray(Empty(), TABLE)
    assert isinstance(commands[0], Refuse)
    assert commands[0].text == message("tray.refused.twins")
    red = replace(
        TABLE, colour_classes=("base", "skill", "gear", "red"), colour_roles={TABLE.system: {"red": "negative"}}
    )
    assert step(Tray(Empty(), red), PoolDeclared(both))[0].table.pool == both


def test_a_pool_declared_for_the_next_roll_leaves_the_result_alone() -> None:
    declared = Pool.from_counts({"base": 1}, (Role.BASE,))
    before = scored()
    assert isinstance(before.dice, Scored)
    state, commands = step(before, PoolDeclared(declared))
    assert isinstance(state.dice, Scored)
    assert (type(state.dice), state.dice.outcome, state.dice.pool, state.table.pool) == (
        Scored,
        before.dice.outcome,
        None,
        declared,
    )
    assert rows(commands) == []


def test_dice_that_lie_on_after_a_reset_are_no_new_roll() -> None:
    state, _ = play(scored(), ResetPressed())
    renumbered = tuple(die(d.id + 10, d.reading.colour, d.reading.value, d.reading.center_px) for d in FIRST)
    state, commands = play(state, rest(*renumbered))
    assert (type(state.dice), rows(commands)) == (Empty, [])
    state, commands = play(state, MotionSeen(), rest(*renumbered[:2]))
    assert (type(state.dice), rows(commands)) == (Empty, [])
    state, commands = play(state, MotionSeen(), rest(*THROWN))
    assert (type(state.dice), len(rows(commands))) == (Scored, 1)


def test_dice_that_are_shown_to_be_taught_are_no_roll() -> None:
    shown = replace(rest(*THROWN), shown=True)
    for before in (Tray(Empty(), TABLE), scored()):
        state, commands = play(before, MotionSeen(), shown)
        assert (type(state.dice), rows(commands)) == (Empty, [])
        # They lie there when the lesson ends.
        state, commands = play(state, rest(*THROWN))
        assert (type(state.dice), rows(commands)) == (Empty, [])
        state, commands = play(state, MotionSeen(), rest(*FIRST))
        assert (type(state.dice), len(rows(commands))) == (Scored, 1)
    # A push that is awaited goes on.
    assert isinstance(play(awaiting(), MotionSeen(), rest(*LEFT), shown)[0].dice, Resolved)


def test_a_picture_with_something_foreign_needs_a_tap() -> None:
    state, _ = play(Tray(Empty(), TABLE), rest(*FIRST, problems=[Problem.FOREIGN_OBJECT]))
    assert isinstance(state.dice, Unclear)
    assert [t.code for t in state.dice.troubles] == ["foreign_object"]
    assert isinstance(step(state, DieCorrected(1, 5, None))[0].dice, Scored)
    state, _ = play(Tray(Empty(), TABLE), rest(*FIRST, trusted=False))
    assert isinstance(state.dice, Unclear)
    assert [t.code for t in state.dice.troubles] == ["reading_doubtful"]


def test_fully_automatic_fire_may_be_pushed_again_and_pays_only_new_ones() -> None:
    state, _ = play(
        Tray(Empty(), TABLE), ContextSet({"full_auto": True}), rest(*FIRST), PushPressed(), rest(*LEFT), rest(*THROWN)
    )
    assert isinstance(state.dice, Resolved)
    assert (state.dice.outcome.facts["trauma"], state.dice.outcome.push.eligible) == (1, False)
    going = (*THROWN[:2], die(3, "skill", 2, at=(800, 500), moved=True), THROWN[3])
    state, _ = play(
        Tray(Empty(), TABLE), ContextSet({"full_auto": True}), rest(*FIRST), PushPressed(), rest(*LEFT), rest(*going)
    )
    assert isinstance(state.dice, Resolved)
    assert state.dice.outcome.push.eligible
    state, _ = step(state, PushPressed())
    still = (
        *(die(d.id, d.reading.colour, d.reading.value, d.reading.center_px, False) for d in going[:2]),
        die(3, "skill", 6, (50, 50), True),
        die(4, "gear", 1, (900, 500), False),
    )
    state, commands = step(state, rest(*still))
    assert isinstance(state.dice, Resolved)
    assert (type(state.dice), state.dice.pushes, state.dice.outcome.facts["trauma"]) == (Resolved, 2, 0)
    assert rows(commands)[0].context["pushes"] == 1


def test_a_pool_declared_over_dice_thrown_without_push_outlasts_a_bad_picture() -> None:
    pool = Pool(((Role.BASE, 3),))
    unpushed, _ = play(scored(), rest(*LEFT), rest(*THROWN), PoolDeclared(pool))
    assert isinstance(unpushed.dice, Unclear)
    hidden, commands = step(unpushed, rest(*LEFT, problems=[Problem.FOREIGN_OBJECT]))
    assert (type(hidden.dice), hidden.table.pool, commands) == (Scored, pool, (Commit(),))


def test_a_context_that_the_rules_refuse_is_refused() -> None:
    _, commands = step(scored(), ContextSet({"pushes": -1}))
    assert refusal(commands) == "bad_context"


def test_a_camera_that_fails_and_comes_back_loses_nothing() -> None:
    before = awaiting()
    state, commands = step(before, CameraFailed("camera 0 gone: plug it in", 2.0))
    assert (state, commands) == (replace(before, fault=Fault("camera 0 gone: plug it in", 2.0)), ())
    assert refusal(step(state, PushPressed())[1]) == "fault"
    assert there(step(state, CameraFailed("still gone", 4.0))[0].fault).retry_in_s == 4.0
    assert step(state, CameraConnected())[0] == before
    assert isinstance(step(state, ResetPressed())[0].dice, Empty)


def test_a_push_while_the_profile_does_not_fit_says_so_and_the_cure() -> None:
    failed = CameraFailed("the picture has another shape: run pushtray calibrate", 0.0, part="profile")
    state, _ = step(scored(), failed)
    (refused,) = step(state, PushPressed())[1]
    assert isinstance(refused, Refuse)
    assert (refused.reason, refused.text) == ("fault", message("tray.fault.profile", text=failed.text))
    (refused,) = step(step(state, CameraFailed("camera 0 gone: plug it in", 2.0))[0], PushPressed())[1]
    assert isinstance(refused, Refuse)
    assert refused.text == message("tray.fault.camera", text="camera 0 gone: plug it in")


GRID = """
event           empty   rolling unclear unclear_push unasked  scored       awaiting_push wrong_push resolved     fault
motion          Rolling -       ~       ~            ~        ~            ~             ~          ~            Scored
picked_up       -       -       -       -            -        -            ~             ~          -            Scored
rest_empty      ~       Empty   Empty   AwaitingPush Empty    Empty        ~             ~          Empty        Empty
rest_dice       Scored  Scored  Scored  Resolved     ~        Thrown       Resolved      Resolved   ~            Thrown
throw           Rolling Rolling Rolling -            Rolling  Rolling      -             -          Rolling      -
push            -       -       -       -            Resolved AwaitingPush -             -          -            -
reset           -       Empty   Empty   Empty        Empty    Empty        Empty         Empty      Empty        ~
correct         -       -       ~       ~            ~        ~            ~             ~          ~            ~
correct_several -       -       Scored  Resolved     ~        ~            ~             ~          ~            ~
restore         -       -       -       -            -        -            -             -          -            -
forget          -       -       ~       ~            ~        Unscored     -             -          UnreadPush   ~
dismiss         -       -       ~       ~            ~        ~            ~             ~          AwaitingPush ~
take_back       -       -       -       -            -        -            -             -          -            -
add             -       -       ~       ~            ~        ~            ~             ~          AwaitingPush ~
confirm         -       -       -       -            -        -            -             -          -            -
system          -       -       -       -            -        -            -             -          -            -
pool            ~       ~       ~       ~            ~        ~            ~             ~          ~            ~
context         ~       ~       ~       ~            ~        ~            ~             ~          ~            ~
camera_failed   Faulted Faulted Faulted Faulted      Faulted  Faulted      Faulted       Faulted    Faulted      ~
camera_came     -       -       -       -            -        -            -             -          -            Scored
"""
"""What each state becomes: `-` is an equal value, `~` the same class with another mark, history or table.

`Thrown` is short for `ThrownWithoutPush`.
"""
HEAD, *LINES = (line.split() for line in GRID.strip().splitlines())
ANSWERS = {name: {line[0]: line[place] for line in LINES} for place, name in enumerate(HEAD[1:], 1)}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("name", ANSWERS)
def test_every_state_has_a_stated_answer_to_every_event(name: str, event: str) -> None:
    before = states()[name]
    after, commands = step(before, EVENTS[event])
    answer = ANSWERS[name][event]
    if answer == "-":
        assert after == before
    elif answer == "~":
        assert kind_of(after) == kind_of(before)
    else:
        assert kind_of(after).removesuffix("WithoutPush") == answer
    if event in ("push", "correct", "correct_several") and after == before:
        assert any(isinstance(command, Refuse) for command in commands)
    if any(isinstance(command, Refuse) for command in commands):
        assert after == before


def test_dice_in_a_hand_that_is_still_at_work_are_a_hint_alone() -> None:
    before, _ = step(awaiting(), MotionSeen())
    state, commands = step(before, DicePickedUp(frozenset({3, 2, 99})))
    assert commands == ()
    assert a(AwaitingPush, state.dice).lifted == (2, 3)
    assert a(AwaitingPush, state.dice).die_history == a(AwaitingPush, before.dice).die_history
    # The hand put all of them back: none of it is left.
    lies_again, _ = step(state, rest(*(replace(die, moved=False) for die in FIRST)))
    assert lies_again == awaiting()
    assert unpack_state(pack_state(state)) == before


def test_a_die_that_the_throw_knocks_is_not_called_picked_up() -> None:
    in_hand, _ = play(awaiting(), MotionSeen(), DicePickedUp(frozenset({1, 3, 4})))
    assert a(AwaitingPush, step(in_hand, DicePickedUp(frozenset({1, 2, 3, 4})))[0].dice).lifted == (1, 3, 4)
    assert a(AwaitingPush, step(in_hand, DicePickedUp(frozenset({3, 4})))[0].dice).lifted == (3, 4)
    early, _ = play(awaiting(), MotionSeen(), DicePickedUp(frozenset({1, 2})), DicePickedUp(frozenset({1, 2, 3, 4})))
    assert a(AwaitingPush, early.dice).lifted == (1, 2, 3, 4)


def test_the_table_of_answers_is_complete() -> None:
    assert set(ANSWERS) == set(states())
    assert {kind_of(state) for state in states().values()} == {
        "Empty",
        "Rolling",
        "Unscored",
        "UnreadPush",
        "ThrownWithoutPush",
        "Scored",
        "AwaitingPush",
        "Resolved",
        "Faulted",
    }
    assert all(set(answers) == set(EVENTS) for answers in ANSWERS.values())


def _knocked(*dice: TrackedDie) -> DiceSettled:
    """Return the same dice, untouched, as a camera sees them that was knocked by two edges of a die."""
    elsewhere = ((d, (d.reading.center_px[0] + 80.0, d.reading.center_px[1] + 10.0)) for d in dice)
    moved = (die(d.id, d.reading.colour, d.reading.value, at, moved=False) for d, at in elsewhere)
    return rest(*moved, problems=[Problem.CAMERA_MOVED])


def test_a_knocked_camera_keeps_the_result_moves_its_dice_and_refuses_push_until_it_is_confirmed() -> None:
    state, commands = play(scored(), MotionSeen(), _knocked(*FIRST))
    before, after = a(Scored, scored().dice), a(Scored, state.dice)
    assert (after.number, after.outcome, rows(commands)) == (before.number, before.outcome, [])
    assert [d.reading.center_px for d in after.layout.dice] == [(d.reading.center_px[0] + 80, 310) for d in FIRST]
    assert tray_body(state)["problems"] == ["camera_moved"]
    assert refusal(step(state, PushPressed())[1]) == "camera_moved"
    confirmed, _ = play(state, DiceConfirmed())
    assert tray_body(confirmed)["problems"] == []
    still, _ = play(confirmed, MotionSeen(), _knocked(*FIRST))
    assert isinstance(step(still, PushPressed())[0].dice, AwaitingPush)


def test_a_camera_put_back_or_calibrated_again_allows_push() -> None:
    state, _ = play(scored(), _knocked(*FIRST), rest(*(replace(d, moved=False) for d in FIRST)))
    assert tray_body(state)["problems"] == []
    assert isinstance(step(state, PushPressed())[0].dice, AwaitingPush)


def test_a_camera_knocked_during_a_push_throws_no_dice() -> None:
    state, _ = play(awaiting(), MotionSeen(), _knocked(*FIRST))
    push = a(AwaitingPush, state.dice)
    assert push.die_history.has_throw is False
    assert push.first.layout.dice[0].reading.center_px == (180.0, 310.0)
    assert tray_body(state)["problems"] == ["camera_moved"]
    # Pushed under the moved camera: what lies there counts once a person has confirmed it.
    thrown = (THROWN[0], die(2, "base", 6, at=(280.0, 310.0), moved=False), *THROWN[2:])
    state, _ = play(state, rest(die(2, "base", 6, at=(280.0, 310.0), moved=False), problems=[Problem.CAMERA_MOVED]),
                    rest(*thrown, problems=[Problem.CAMERA_MOVED]))  # fmt: skip
    assert [t.code for t in a(Unclear, state.dice).troubles] == ["camera_moved"]
    assert isinstance(play(state, DiceConfirmed())[0].dice, Resolved)


def test_a_throw_under_a_moved_camera_and_an_empty_tray_are_told() -> None:
    state, _ = play(Tray(Empty(), TABLE), rest(*FIRST, problems=[Problem.CAMERA_MOVED]))
    assert [t.code for t in a(Unclear, state.dice).troubles] == ["camera_moved"]
    assert isinstance(play(state, DiceConfirmed())[0].dice, Scored)
    state, _ = play(Tray(Empty(), TABLE), rest(problems=[Problem.CAMERA_MOVED]))
    assert [t.code for t in a(Empty, state.dice).troubles] == ["camera_moved"]


def test_a_camera_knocked_after_a_reset_makes_no_new_roll_of_the_dice_that_lie_there() -> None:
    state, _ = play(scored(), ResetPressed(), rest(*FIRST), MotionSeen())
    state, commands = play(state, _knocked(*FIRST))
    assert (type(state.dice), rows(commands)) == (Empty, [])
