"""The start of a run, whatever a worn-out card made of the last state."""

import json
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from device.config.settings import Settings
from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body, take_snapshot
from device.game.state.campaign import Carry
from device.game.state.effects import Commit
from device.game.state.events import DiceSettled, Event, MotionSeen, PushPressed, ResetPressed, ThrowOrdered
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.states import AwaitingPush, Empty, Resolved, Scored, Unscored
from device.game.state.table_events import ConsequencesCarried, RollPrepared, SheetAdded
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.message import text_from_json
from device.parts.reader import ReaderPart
from device.rule_messages import warning_text
from device.runtime import startup
from device.runtime.shown_metadata import ShownMetadata
from device.runtime.startup import starting_tray
from device.storage.log_file import FILE_NAME
from device.storage.rolls import RollLog
from device.storage.serialisation import pack_state
from device.texts.catalogue import in_language
from rules.dice import Role
from rules.sheet_file import new_sheet
from tests.device.conftest import Dice
from tests.device.game.sample_states import FIRST, LEFT, THROWN, play, rest
from tests.narrowing import english, there
from vision.types.reading import DieReading, Unread
from vision.types.sighting import TrackedDie

TABLE = Table("push-pool")
METADATA = TrayMetadata("simulated", None, {})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / FILE_NAME
    with closing(RollLog(path)) as history:
        now: Tray = Tray(Empty(), TABLE)
        for event in (DiceSettled(Dice.rest(*Dice.FIRST)), PushPressed()):
            now, commands = step(now, event)
            for command in commands:
                if isinstance(command, Commit):
                    history.write(command.rows, now)
    return path


def begun_with(path: Path, text: str | bytes) -> Tray:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE live SET state = CAST(? AS TEXT)", (text,))
    with closing(RollLog(path)) as history:
        return starting_tray(history, TABLE, None, Carry.ASK)


@pytest.mark.parametrize(
    "text", ["[" * 200_000, "{}", "", b"\xff", '{"format": 2, "state": {"kind": "Pool", "fields": {}}}']
)
def test_a_damaged_state_is_replaced_by_an_empty_one(path: Path, text: str | bytes) -> None:
    assert isinstance(begun_with(path, text).dice, Empty)


@pytest.mark.parametrize("field", ["pool_for", "facts_for", "next_roll"])
def test_a_state_without_a_way_out_is_replaced_by_an_empty_one(path: Path, field: str) -> None:
    body = json.loads(pack_state(Tray(Empty(), TABLE)))
    body["table"][field] = None
    state: Tray = begun_with(path, json.dumps(body))
    for event in (PushPressed(), ResetPressed(), DiceSettled(Dice.rest(*Dice.FIRST)), ResetPressed()):
        state, _ = step(state, event)
        take_snapshot(1, state, METADATA)


def test_the_cause_is_logged_where_a_state_cannot_be_played_on(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(startup, "step", lambda *_: dict[str, int]()["gone"])
    with closing(RollLog(path)) as history:
        assert isinstance(starting_tray(history, TABLE, None, Carry.ASK).dice, Empty)
    assert "the stored state is damaged (KeyError: 'gone')" in caplog.text


def test_one_flipped_bit_never_stops_the_tray(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        whole = database.execute("SELECT state FROM live").fetchone()[0].encode()
    chance = random.Random(50)
    for _ in range(300):
        flipped = bytearray(whole)
        flipped[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        state = begun_with(path, bytes(flipped))
        take_snapshot(1, state, METADATA)


def restarted(folder: Path, *events: Event) -> Tray:
    """Return the state after some events and a restart."""
    history = RollLog(folder / "history.sqlite3")
    try:
        state: Tray = Tray(Empty(), TABLE)
        for event in events:
            state, commands = step(state, event)
            for command in commands:
                if isinstance(command, Commit):
                    history.write(command.rows, state)
        return starting_tray(history, TABLE, None, Carry.ASK)
    finally:
        history.close()


PUSHED = (rest(*FIRST), PushPressed(), rest(*LEFT), rest(*THROWN))


@pytest.mark.parametrize("events", [PUSHED[:1], PUSHED])
def test_dice_that_lie_there_after_a_restart_are_the_roll_that_they_were(
    tmp_path: Path, events: tuple[DiceSettled, ...]
) -> None:
    """Whatever the first pictures show: no dice, or one too few."""
    lay = events[-1].rest.dice
    for first in (rest(), rest(*lay[1:])):
        before = restarted(tmp_path / str(len(first.rest.dice)), *events)
        assert isinstance(before.dice, Scored | Resolved)
        found, commands = play(before, MotionSeen(), first, MotionSeen(), rest(*lay))
        assert isinstance(found.dice, Scored | Resolved)
        assert (type(found.dice), found.dice.number, found.dice.outcome) == (type(before.dice), 1, before.dice.outcome)
        assert not [row for command in commands if isinstance(command, Commit) for row in command.rows]
    # Killed after the tray was seen empty; in one run, dice that left and came back are another throw.
    for is_restart in (True, False):
        gone = (*events, rest())
        before = (
            restarted(tmp_path / f"gone {is_restart}", *gone) if is_restart else play(Tray(Empty(), TABLE), *gone)[0]
        )
        after = play(before, rest(*lay))[0]
        assert isinstance(after.dice, Scored | Resolved)
        assert after.dice.number == (1 if is_restart else 2)


def test_dice_of_a_roll_that_was_reset_are_no_new_roll_after_a_restart(tmp_path: Path) -> None:
    before = restarted(tmp_path, rest(*FIRST), ResetPressed())
    assert isinstance(play(before, rest(), MotionSeen(), rest(*FIRST))[0].dice, Empty)
    # Unless they were thrown by an order: the same seed throws the same again.
    for seen in ((rest(), MotionSeen()), (MotionSeen(),)):
        thrown = play(before, rest(*FIRST), ThrowOrdered(), *seen, rest(*FIRST))[0]
        assert isinstance(thrown.dice, Scored)


def test_dice_of_a_push_that_were_out_of_sight_after_a_restart_are_not_thrown(tmp_path: Path) -> None:
    before = restarted(tmp_path, rest(*FIRST), PushPressed())
    after, _ = play(before, rest(*FIRST[1:]), rest(*FIRST))
    assert isinstance(after.dice, AwaitingPush)
    assert after.dice.troubles == ()


class Lying:
    """Untouched dice, a log, and a tray that is restarted over them repeatedly."""

    def __init__(self, path: Path, dice: tuple[TrackedDie, ...], chance: random.Random) -> None:
        self.path, self.chance = path, chance
        self.dice = [die.reading for die in dice]

    def run(self, *events: Event, looks: int, at_end: bool = False) -> Tray:
        """Run events, pictures of nothing, of some dice and of all; the run may be killed in between."""
        with closing(RollLog(self.path)) as history:
            begun = starting_tray(history, TABLE, None, Carry.ASK)
            state: Tray = begun
            tracker = ReaderPart(Settings(), ShownMetadata(Settings()), lambda _: None).watch(begun.dice)._tracker
            misses = self.chance.randint(0, 2) if looks else 0
            seen = [self._missing() for _ in range(misses)] + [self.dice] * (looks + at_end)
            for event in events:
                state = self._step(history, state, event)
            for readings in seen if at_end else seen[: self.chance.randint(0, len(seen))]:
                if self.chance.random() < 0.6:
                    state = self._step(history, state, MotionSeen())
                state = self._step(history, state, rest(*tracker.rest([self._jittered(one) for one in readings])))
            return state

    def rolls(self) -> set[int]:
        """Numbers of the rolls in the log."""
        with closing(RollLog(self.path)) as history:
            return {int(str(row["roll"])) for row in history.rolls(99)}

    def _missing(self) -> list[DieReading]:
        unsure = replace(self.dice[0], value=None, unread=Unread.PIPS_UNCLEAR)
        return self.chance.choice(([], self.dice[1:], self.dice[:1], [unsure, *self.dice[1:]]))

    def _jittered(self, die: DieReading) -> DieReading:
        x, y = (self.chance.uniform(-1.5, 1.5) for _ in "xy")
        quad = tuple((px + x, py + y) for px, py in die.top_quad_px)
        center = (die.center_px[0] + x, die.center_px[1] + y)
        return replace(die, center_px=center, top_quad_px=quad)  # type: ignore[arg-type]

    def _step(self, history: RollLog, state: Tray, event: Event) -> Tray:
        state, commands = step(state, event)
        for command in commands:
            if isinstance(command, Commit):
                history.write(command.rows, state, command.shown)
        return state


@pytest.mark.parametrize("events", [PUSHED[:1], PUSHED])
@pytest.mark.parametrize("seed", range(40))
def test_untouched_dice_are_one_roll_whenever_the_tray_is_started_again(
    tmp_path: Path, events: tuple[DiceSettled, ...], seed: int
) -> None:
    lying = Lying(tmp_path / FILE_NAME, events[-1].rest.dice, random.Random(seed))
    lying.run(*events, looks=0)
    for _ in range(2):
        lying.run(looks=2)
    after = lying.run(looks=1, at_end=True)
    assert lying.rolls() == {1}
    assert isinstance(after.dice, Scored | Resolved), after
    assert after.dice.number == 1


def test_what_was_kept_is_shown_in_the_language_of_a_page(tmp_path: Path) -> None:
    """A wrong count with a list of dice in it, a warning, and what a sheet has paid: all are texts with values."""
    table = Table("push-pool", context={"attribute_name": "STR", "attribute": 3, "gear_bonus": 2})
    paid = play(Tray(Empty(), table), SheetAdded(new_sheet("Ann", "push-pool")), rest(*FIRST), PushPressed(),
                rest(*LEFT), rest(*THROWN), ConsequencesCarried(1), ResetPressed(), rest())[0]  # fmt: skip
    warned = PreparedRoll(0, 1, {}, (("few", warning_text("hits-pool", "chance_die")),), pool=((Role.BASE, 2),))
    tray, _ = play(paid, RollPrepared(warned), MotionSeen(), rest(*(replace(die, moved=True) for die in FIRST)))
    assert isinstance(tray.dice, Unscored)
    path = tmp_path / FILE_NAME
    with closing(RollLog(path)) as history:
        history.write((), tray)
    with closing(RollLog(path)) as history:
        after = starting_tray(history, table, None, Carry.ASK)
    for language in ("en", "de"):
        was, now = (in_language(reported(one), language) for one in (tray, after))
        assert was == now
    assert in_language(reported(after), "en") != in_language(reported(after), "de")
    assert after.campaign.find(1) == tray.campaign.find(1)


def reported(tray: Tray) -> list[Any]:
    """Return the texts of a tray that are stored."""
    body = snapshot_body(1, tray, METADATA)
    history = tray.campaign.find(1).history
    assert body["problem_details"]
    assert there(tray.campaign.prepared).warnings
    assert history
    return [body["problem_details"], body["prepared"], there(tray.campaign.carried).why, [one.why for one in history]]


def test_a_stored_text_that_this_program_lacks_is_shown_as_it_was() -> None:
    assert english(text_from_json({"key": "tray.gone.since", "values": {}, "text": "Gone since"})) == "Gone since"
    with pytest.raises(ValueError, match="not a stored text"):
        text_from_json({"key": 3})
