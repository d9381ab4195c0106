"""What a run begins with, whatever a worn-out card made of what the last one left."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, take_snapshot
from device.game.state.campaign import Carry
from device.game.state.effects import Commit
from device.game.state.events import PushPressed, TrayRead
from device.game.state.states import Empty, State
from device.game.state.table_state import Table
from device.runtime.startup import starting_state
from device.storage.log_file import FILE_NAME
from device.storage.rolls import History
from tests.device.conftest import Dice

TABLE = Table("push-pool")
METADATA = TrayMetadata("simulated", None, {})


@pytest.fixture
def path(tmp_path: Path, dice: type[Dice]) -> Path:
    path = tmp_path / FILE_NAME
    with closing(History(path)) as history:
        now: State = Empty(TABLE)
        for event in (TrayRead(dice.rest(*dice.FIRST)), PushPressed()):
            now, commands = step(now, event)
            for command in commands:
                if isinstance(command, Commit):
                    history.write(command.rows, now)
    return path


def begun_with(path: Path, text: str | bytes) -> State:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE live SET state = CAST(? AS TEXT)", (text,))
    with closing(History(path)) as history:
        return starting_state(history, TABLE, None, Carry.ASK)


@pytest.mark.parametrize(
    "text", ["[" * 200_000, "{}", "", b"\xff", '{"format": 2, "state": {"kind": "Pool", "fields": {}}}']
)
def test_a_damaged_state_begins_anew(path: Path, text: str | bytes) -> None:
    assert isinstance(begun_with(path, text), Empty)


def test_one_flipped_bit_never_stops_the_tray(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        whole = database.execute("SELECT state FROM live").fetchone()[0].encode()
    chance = random.Random(50)
    for _ in range(300):
        flipped = bytearray(whole)
        flipped[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        state = begun_with(path, bytes(flipped))
        take_snapshot(1, state, METADATA)
