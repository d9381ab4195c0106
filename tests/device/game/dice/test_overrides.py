"""What a person corrects besides a die's face: no die there, a missed die, all dice right."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from device.config.settings import Settings
from device.game.machine import step
from device.game.snapshot import tray_body
from device.game.state.effects import Command, Commit, CorrectionKind, Refuse, RowKind
from device.game.state.events import (
    DiceConfirmed,
    DiceSettled,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    Event,
    FacesForgotten,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
)
from device.game.state.known_dice import known_dice
from device.game.state.layout import FIRST_ADDED_ID
from device.game.state.states import AwaitingPush, Empty, Resolved, Rolling, Scored, Unclear
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.parts.reader import ReaderPart
from device.runtime.shown_metadata import ShownMetadata
from device.storage.rolls import RollLog
from device.storage.serialisation import pack_state, unpack_state
from rules.dice import Role
from tests.device.conftest import Dice
from tests.device.game.sample_states import play
from tests.narrowing import a, parts_of, there
from vision.tracking.track import Tracker
from vision.types.reading import Problem, Unread
from vision.types.sighting import TrackedDie

TABLE = Table("push-pool")
PHANTOM_AT = (640.0, 900.0)
MISSED = DieAdded((600.0, 600.0), 4, "base", 1280, 960)


def test_a_die_is_corrected_to_a_blank_face_unless_it_has_more_than_six_sides() -> None:
    state, _ = play(Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)), DieCorrected(2, 0, None))
    scored = a(Scored, state.dice)
    assert scored.outcome.facts["successes"] == 0
    (die,) = [parts_of(one) for one in parts_of(tray_body(state))["dice"] if one["id"] == 2]
    assert (die["value"], die["face"], die["unread"], die["read_value"]) == (0, "blank", None, 6)
    assert unpack_state(pack_state(state)) == state
    _, commands = step(state, DieCorrected(2, 0, None, 8))
    assert [command.reason for command in commands if isinstance(command, Refuse)] == ["bad_value"]


def words(commands: Iterable[Command]) -> list[tuple[RowKind, CorrectionKind | None]]:
    rows = [row for command in commands if isinstance(command, Commit) for row in command.rows]
    return [(row.kind, row.corrected.word if row.corrected else None) for row in rows]


def refusal(commands: Iterable[Command]) -> str:
    return next(command.reason for command in commands if isinstance(command, Refuse))


class Rests:
    """The first throw with its rests, and a phantom die as the reader reports it."""

    FIRST, LEFT, THROWN = Dice.FIRST, Dice.LEFT, Dice.THROWN
    die = staticmethod(Dice.die)
    phantom = Dice.die(7, None, None, PHANTOM_AT, unread=Unread.PIPS_UNCLEAR)
    phantom_stays = Dice.die(7, "gear", 2, PHANTOM_AT, moved=None)
    first = DiceSettled(Dice.rest(*Dice.FIRST))
    left = DiceSettled(Dice.rest(*Dice.LEFT))
    thrown = DiceSettled(Dice.rest(*Dice.THROWN))

    @staticmethod
    def rest(*lying: TrackedDie, problems: Collection[Problem] = (), trusted: bool | None = None) -> DiceSettled:
        return DiceSettled(Dice.rest(*lying, problems=problems, trusted=trusted))

    @staticmethod
    def still(*lying: TrackedDie) -> tuple[TrackedDie, ...]:
        return tuple(replace(die, moved=False) for die in lying)


def test_what_is_no_die_is_dismissed_and_taken_back() -> None:
    unclear, _ = play(Tray(Empty(), TABLE), Rests.rest(*Rests.FIRST, Rests.phantom))
    assert isinstance(unclear.dice, Unclear)
    scored, commands = step(unclear, DieDismissed(7, ignored=True))
    assert isinstance(scored.dice, Scored)
    assert [die.id for die in scored.dice.layout.dice] == [1, 2, 3, 4]
    assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.NO_DIE), (RowKind.SCORED, None)]
    assert step(scored, DieDismissed(7, ignored=True)) == (scored, ())
    back, commands = step(scored, DieDismissed(7, ignored=False))
    assert isinstance(back.dice, Unclear)
    assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.A_DIE)]
    assert step(back, DieDismissed(7, ignored=False)) == (back, ())


def test_the_word_holds_over_new_readings_and_a_restart_until_something_moves_there() -> None:
    scored, _ = play(Tray(Empty(), TABLE), Rests.rest(*Rests.FIRST, Rests.phantom), DieDismissed(7, ignored=True))
    scored = unpack_state(pack_state(scored))
    assert isinstance(scored.dice, Scored)
    same, commands = play(scored, MotionSeen(), Rests.rest(*Rests.still(*Rests.FIRST), Rests.phantom_stays))
    assert isinstance(same.dice, Scored)
    assert (same.dice.number, same.dice.outcome, words(commands)) == (scored.dice.number, scored.dice.outcome, [])
    assert there(same.dice.layout.ignored_die(7)).reading.value == 2
    moved = Rests.die(7, "gear", 2, (300.0, 700.0), moved=True)
    after, _ = play(same, MotionSeen(), Rests.rest(*Rests.still(*Rests.FIRST), moved))
    assert isinstance(after.dice, Scored)
    assert after.dice.layout.die(7) is not None
    assert 7 in scored.dice.layout.tracked()


def test_a_correction_outlives_a_new_watch_that_reads_the_die_otherwise() -> None:
    scored, _ = play(Tray(Empty(), TABLE), Rests.first, DieCorrected(1, 4, None))
    tracker = Tracker()
    tracker.remember(*known_dice(a(Scored, scored.dice)))
    again, _ = play(
        scored, Rests.rest(*tracker.rest([Rests.die(1, "base", 2).reading, *(d.reading for d in Rests.FIRST[1:])]))
    )
    assert isinstance(again.dice, Scored)
    assert there(again.dice.layout.die(1)).value == 4


def test_dice_that_a_new_watch_reads_otherwise_are_asked_about_and_stay_the_same_roll() -> None:
    scored = play(Tray(Empty(), TABLE), Rests.first)[0]
    tracker = (
        ReaderPart(Settings(), ShownMetadata(Settings()), lambda _: None).watch(scored.dice, is_reread=True)._tracker
    )
    other = [Rests.die(1, "base", 2).reading, *(d.reading for d in Rests.FIRST[1:])]
    unclear, _ = step(scored, Rests.rest(*tracker.rest(other)))
    assert there(a(Unclear, unclear.dice).layout.die(1)).value is None
    again, _ = step(unclear, DieCorrected(1, 2, None))
    assert a(Scored, again.dice).number == a(Scored, scored.dice).number


def test_what_a_deleted_face_was_read_as_is_in_doubt_until_it_is_read_again() -> None:
    scored = play(Tray(Empty(), TABLE), Rests.first)[0]
    forgotten = FacesForgotten(frozenset({("base", 6, Rests.FIRST[0].reading.value or 0)}))
    doubted, _ = step(scored, forgotten)
    assert there(a(Unclear, doubted.dice).layout.die(1)).value is None
    again, _ = step(doubted, Rests.rest(*Rests.still(*Rests.FIRST)))
    assert a(Scored, again.dice).number == a(Scored, scored.dice).number
    # A correction stays; what the camera reads without it is unknown.
    corrected, _ = play(scored, DieCorrected(1, 4, None), forgotten)
    assert there(a(Scored, corrected.dice).layout.die(1)).value == 4
    assert isinstance(step(corrected, DieRestored(1))[0].dice, Unclear)


def test_a_readable_die_that_is_none_leaves_the_result() -> None:
    scored, _ = play(Tray(Empty(), TABLE), Rests.first)
    fewer, commands = step(scored, DieDismissed(2, ignored=True))
    assert isinstance(fewer.dice, Scored)
    assert (type(fewer.dice), fewer.dice.outcome.headline[0]) == (Scored, 0)
    assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.NO_DIE)]
    # A rest with the same dice does not mean that the dismissed die was picked up.
    same, commands = step(fewer, Rests.rest(*Rests.still(*Rests.FIRST)))
    assert isinstance(same.dice, Scored)
    assert (type(same.dice), same.dice.outcome, words(commands)) == (Scored, fewer.dice.outcome, [])
    again, _ = step(same, DieDismissed(2, ignored=False))
    assert isinstance(again.dice, Scored)
    assert a(Scored, again.dice).outcome == a(Scored, scored.dice).outcome


def test_where_nothing_but_a_phantom_lies_the_tray_is_empty_and_the_word_can_be_taken_back() -> None:
    empty, commands = play(Tray(Empty(), TABLE), Rests.rest(Rests.phantom), DieDismissed(7, ignored=True))
    assert isinstance(empty.dice, Empty)
    assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.NO_DIE)]
    assert [die["id"] for die in parts_of(tray_body(empty))["ignored_dice"]] == [7]
    assert step(empty, Rests.rest(Rests.phantom_stays))[0] == empty
    assert isinstance(step(empty, DieDismissed(7, ignored=False))[0].dice, Unclear)
    assert isinstance(step(empty, DieDismissed(8, ignored=False))[0].dice, Empty)


def test_a_phantom_among_dice_that_were_reset_begins_no_roll() -> None:
    scored, _ = play(Tray(Empty(), TABLE), Rests.rest(*Rests.FIRST, Rests.phantom), DieDismissed(7, ignored=True))
    empty, _ = step(scored, ResetPressed())
    assert isinstance(step(empty, Rests.rest(*Rests.FIRST, Rests.phantom))[0].dice, Empty)


def test_a_phantom_seen_after_a_push_is_dismissed() -> None:
    wrong, _ = play(
        Tray(Empty(), TABLE), Rests.first, PushPressed(), Rests.left, Rests.rest(*Rests.THROWN, Rests.phantom)
    )
    assert isinstance(wrong.dice, Unclear)
    resolved, commands = step(wrong, DieDismissed(7, ignored=True))
    assert isinstance(resolved.dice, Resolved)
    assert (type(resolved.dice), resolved.dice.outcome.headline[0]) == (Resolved, 2)
    assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.NO_DIE), (RowKind.PUSHED, None)]


def test_a_missed_die_is_added_and_taken_away() -> None:
    scored, _ = play(Tray(Empty(), TABLE), Rests.first)
    more, commands = step(scored, MISSED)
    assert isinstance(more.dice, Scored)
    assert (type(more.dice), more.dice.layout.dice[-1].id, more.dice.layout.dice[-1].value) == (
        Scored,
        FIRST_ADDED_ID,
        4,
    )
    assert str(FIRST_ADDED_ID) in more.dice.outcome.must_reroll
    assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.ADDED)]
    corrected, _ = step(more, DieCorrected(FIRST_ADDED_ID, 6, None))
    assert isinstance(corrected.dice, Scored)
    assert corrected.dice.outcome.headline[0] == 2
    for away in (DieDismissed(FIRST_ADDED_ID, ignored=True), DieRestored(FIRST_ADDED_ID)):
        less, commands = step(more, away)
        assert isinstance(less.dice, Scored)
        assert (less.dice.layout, less.dice.outcome) == (a(Scored, scored.dice).layout, a(Scored, scored.dice).outcome)
        assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.REMOVED)]


def test_a_missed_die_completes_the_declared_pool() -> None:
    pool = Pool.from_counts({"base": 3, "skill": 1, "gear": 1}, (Role.BASE, Role.SKILL, Role.GEAR))
    unclear, _ = play(Tray(Empty(), TABLE), PoolDeclared(pool), Rests.first)
    assert isinstance(unclear.dice, Unclear)
    scored, commands = step(unclear, MISSED)
    assert isinstance(scored.dice, Scored)
    assert (type(scored.dice), len(scored.dice.roll)) == (Scored, 5)
    assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.ADDED), (RowKind.SCORED, None)]


def test_an_added_die_stays_while_others_do_and_goes_with_them() -> None:
    more, _ = play(Tray(Empty(), TABLE), Rests.first, MISSED)
    more = unpack_state(pack_state(more))
    assert isinstance(more.dice, Scored)
    same, commands = play(more, MotionSeen(), Rests.rest(*Rests.still(*Rests.FIRST)))
    assert isinstance(same.dice, Scored)
    assert (same.dice.outcome, words(commands)) == (a(Scored, more.dice).outcome, [])
    assert FIRST_ADDED_ID not in same.dice.layout.tracked()
    fresh = tuple(Rests.die(d.id, d.reading.colour, 2, (50.0 * d.id, 700.0), moved=True) for d in Rests.FIRST)
    rolled, _ = play(same, MotionSeen(), Rests.rest(*fresh))
    assert isinstance(rolled.dice, Scored)
    assert (type(rolled.dice), len(rolled.dice.roll), rolled.dice.number) == (Scored, 4, 2)
    assert isinstance(step(same, Rests.rest())[0].dice, Empty)


def test_a_die_that_the_camera_finds_at_last_keeps_its_name_and_the_persons_word() -> None:
    more, _ = play(Tray(Empty(), TABLE), Rests.first, MISSED)
    found = Rests.die(9, "base", 3, (605.0, 602.0), moved=True)
    same, commands = step(more, Rests.rest(*Rests.still(*Rests.FIRST), found))
    assert isinstance(same.dice, Scored)
    assert (same.dice.outcome, words(commands)) == (a(Scored, more.dice).outcome, [])
    die = same.dice.layout.die(FIRST_ADDED_ID)
    assert die is not None
    assert (die.value, die.reading.value, die.seen_as) == (4, 3, 9)
    assert same.dice.layout.tracked()[9] == found.reading
    again, _ = step(same, Rests.rest(*Rests.still(*Rests.FIRST, found)))
    assert isinstance(again.dice, Scored)
    assert there(again.dice.layout.die(FIRST_ADDED_ID)).value == 4
    thrown = Rests.die(9, "base", 2, (100.0, 800.0), moved=True)
    pushed, _ = play(again, PushPressed(), Rests.left, Rests.rest(*Rests.THROWN, thrown))
    assert isinstance(pushed.dice, Resolved)
    assert (type(pushed.dice), there(pushed.dice.layout.die(FIRST_ADDED_ID)).value) == (Resolved, 2)


def test_an_added_die_is_thrown_in_a_push_and_seen_elsewhere() -> None:
    awaiting, _ = play(Tray(Empty(), TABLE), Rests.first, MISSED, PushPressed())
    assert isinstance(awaiting.dice, AwaitingPush)
    awaiting, _ = step(awaiting, Rests.left)
    seen = Rests.die(5, "base", 6, (300.0, 800.0), moved=True)
    resolved, _ = step(awaiting, Rests.rest(*Rests.THROWN, seen))
    assert isinstance(resolved.dice, Resolved)
    assert (type(resolved.dice), resolved.dice.outcome.headline[0], len(resolved.dice.roll)) == (Resolved, 3, 5)


def test_a_die_missed_again_after_a_push_is_asked_for_and_added() -> None:
    wrong, _ = play(Tray(Empty(), TABLE), Rests.first, MISSED, PushPressed(), Rests.left, Rests.thrown)
    assert isinstance(wrong.dice, AwaitingPush)
    assert [trouble.code for trouble in wrong.dice.troubles] == ["wrong_dice_count"]
    resolved, _ = step(wrong, replace(MISSED, center_px=(300.0, 800.0), value=6))
    assert isinstance(resolved.dice, Resolved)
    assert (type(resolved.dice), resolved.dice.outcome.headline[0]) == (Resolved, 3)


def test_an_unseen_thrown_die_is_added_while_the_push_is_awaited() -> None:
    awaiting, _ = play(Tray(Empty(), TABLE), Rests.first, PushPressed(), Rests.left)
    wrong, _ = step(awaiting, replace(MISSED, center_px=(300.0, 800.0), value=6))
    assert isinstance(wrong.dice, AwaitingPush)
    assert [trouble.code for trouble in wrong.dice.troubles] == ["wrong_dice_count"]
    more, _ = step(wrong, replace(MISSED, center_px=(500.0, 800.0), colour="skill"))
    resolved, _ = step(more, replace(MISSED, center_px=(700.0, 800.0), colour="gear"))
    assert isinstance(resolved.dice, Resolved)
    assert (type(resolved.dice), resolved.dice.outcome.headline[0]) == (Resolved, 2)


def test_a_die_is_added_to_a_tray_that_looks_empty() -> None:
    scored, commands = step(Tray(Empty(), TABLE), MISSED)
    assert isinstance(scored.dice, Scored)
    assert (type(scored.dice), len(scored.dice.roll)) == (Scored, 1)
    assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.ADDED), (RowKind.SCORED, None)]
    assert a(Scored, step(scored, Rests.rest())[0].dice).layout == a(Scored, scored.dice).layout


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (replace(MISSED, center_px=(105.0, 301.0)), "die_there"),
        (replace(MISSED, center_px=(1280.0, 301.0)), "outside_picture"),
        (replace(MISSED, value=7), "bad_value"),
        (replace(MISSED, colour="tin"), "unknown_colour"),
        (DieDismissed(9, ignored=True), "unknown_die"),
        (DieDismissed(9, ignored=False), "unknown_die"),
    ],
)
def test_impossible_words_are_refused_and_change_nothing(event: Event, reason: str) -> None:
    scored, _ = play(Tray(Empty(), TABLE), Rests.first)
    state, commands = step(scored, event)
    assert state is scored
    assert refusal(commands) == reason


def test_no_die_is_added_while_dice_roll_nor_beyond_what_a_tray_holds() -> None:
    assert refusal(step(Tray(Rolling(), TABLE), MISSED)[1]) == "rolling"
    state: Tray = Tray(Empty(), TABLE)
    for place in range(41):
        state, commands = step(
            state, replace(MISSED, center_px=(30.0 + 120 * (place % 10), 30.0 + 150 * (place // 10)))
        )
    assert (len(a(Scored, state.dice).layout.dice), refusal(commands)) == (40, "too_many_dice")


@pytest.mark.parametrize("problem", [*Problem, None])
def test_one_word_settles_whatever_is_wrong_with_the_picture(problem: Problem | None) -> None:
    doubts = [] if problem is None else [problem]
    unclear, _ = play(Tray(Empty(), TABLE), Rests.rest(*Rests.FIRST, problems=doubts, trusted=False))
    assert isinstance(unclear.dice, Unclear)
    assert tray_body(unclear)["confirmable"] is True
    scored, commands = step(unclear, DiceConfirmed())
    assert isinstance(scored.dice, Scored)
    assert words(commands) == [(RowKind.CORRECTED, CorrectionKind.CONFIRMED), (RowKind.SCORED, None)]
    assert tray_body(scored)["confirmable"] is False
    assert step(scored, DiceConfirmed()) == (scored, ())
    same, _ = step(scored, Rests.rest(*Rests.still(*Rests.FIRST), problems=doubts, trusted=False))
    assert isinstance(same.dice, Scored)
    assert (type(same.dice), same.dice.layout.confirmed) == (Scored, True)


def test_a_word_for_all_dice_falls_when_one_of_them_moves() -> None:
    doubt = [Problem.FOREIGN_OBJECT]
    moved = (Rests.die(1, "base", 5, (300.0, 700.0), moved=True), *Rests.still(*Rests.FIRST[1:]))
    scored, _ = play(Tray(Empty(), TABLE), Rests.rest(*Rests.FIRST, problems=doubt), DiceConfirmed())
    after, _ = step(scored, Rests.rest(*moved, problems=doubt))
    assert isinstance(after.dice, Unclear)
    assert after.dice.layout.confirmed is False


def test_a_doubtful_push_is_confirmed() -> None:
    unclear, _ = play(
        Tray(Empty(), TABLE), Rests.first, PushPressed(), Rests.left, Rests.rest(*Rests.THROWN, trusted=False)
    )
    assert isinstance(unclear.dice, Unclear)
    assert isinstance(step(unclear, DiceConfirmed())[0].dice, Resolved)


def test_dice_are_not_confirmed_while_one_is_unread_or_none_lies_there() -> None:
    unread = Rests.die(4, "gear", None, unread=Unread.COCKED)
    unclear, _ = play(Tray(Empty(), TABLE), Rests.rest(*Rests.FIRST[:3], unread, problems=[Problem.FOREIGN_OBJECT]))
    assert tray_body(unclear)["confirmable"] is False
    assert refusal(step(unclear, DiceConfirmed())[1]) == "die_unread"
    assert refusal(step(Tray(Empty(), TABLE), DiceConfirmed())[1]) == "nothing_to_confirm"


def test_the_log_keeps_the_word_and_what_the_camera_made_of_it(tmp_path: Path) -> None:
    history = RollLog(tmp_path / "history.sqlite3")
    state: Tray = Tray(Empty(), TABLE)
    for event in (Rests.first, DieDismissed(2, ignored=True), MISSED):
        state, commands = step(state, event)
        history.write(tuple(row for command in commands for row in a(Commit, command).rows), state)
    added, dismissed, _ = map(parts_of, history.rolls(9))
    assert dismissed["correction"] == {
        "die": 2,
        "value": None,
        "colour": None,
        "word": "no_die",
        "read_value": 6,
        "read_colour": "base",
    }
    assert added["correction"] == {"die": FIRST_ADDED_ID, "value": 4, "colour": "base", "word": "added"}
    assert [die.get("added") for die in added["dice"]] == [None, None, None, True]
    history.close()
