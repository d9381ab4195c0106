"""Backup and restore of the roll log: complete, during writes, and never over another kind of file."""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from device.cli.main import main
from device.errors import BadInput
from device.game.machine import step
from device.game.state.effects import Commit
from device.game.state.events import DiceSettled, Event, PushPressed
from device.game.state.states import AwaitingPush, Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.storage.backup import back_up, restore
from device.storage.data_folder import DataFolder
from device.storage.log_file import FILE_NAME
from device.storage.rolls import RollLog
from tests.device.conftest import Dice
from tests.narrowing import there

TABLE = Table("push-pool")


def play(history: RollLog, state: Tray, *events: Event) -> Tray:
    for event in events:
        state, commands = step(state, event)
        for command in commands:
            if isinstance(command, Commit):
                history.write(command.rows, state)
    return state


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def running(folder: Path) -> Iterator[RollLog]:
    """A log that a tray has open, with a push half played."""
    history = RollLog(folder / FILE_NAME)
    play(history, Tray(Empty(), TABLE), *[DiceSettled(Dice.rest(*Dice.FIRST))] * 3, PushPressed())
    yield history
    history.close()


def kinds(path: Path) -> tuple[list[Any], Tray | None]:
    history = RollLog(path)
    try:
        return [row["kind"] for row in history.rolls(100)], history.kept_state()
    finally:
        history.close()


def test_a_copy_made_while_the_tray_runs_is_whole_and_alone(running: RollLog, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "stick" / "tray.sqlite3"
    copy.parent.mkdir()
    assert back_up(folder, copy) == 1
    assert list(copy.parent.iterdir()) == [copy]
    elsewhere = tmp_path / "moved.sqlite3"
    shutil.copy(copy, elsewhere)
    rows, state = kinds(elsewhere)
    assert rows == ["scored"]
    assert state == running.kept_state()
    assert isinstance(there(state).dice, AwaitingPush)


def test_a_copy_may_be_read_where_nothing_may_be_written(running: RollLog, folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "copy")
    with closing(sqlite3.connect(f"file:{tmp_path / 'copy'}?immutable=1", uri=True)) as reading:
        assert reading.execute("SELECT count(*) FROM rolls").fetchone() == (1,)
        assert reading.execute("PRAGMA journal_mode").fetchone() != ("wal",)


def test_copies_made_while_rolls_are_written_hold_what_was_announced_before(folder: Path, tmp_path: Path) -> None:
    history = RollLog(folder / FILE_NAME)
    done = threading.Event()
    written = []

    def write() -> None:
        while not done.is_set():
            play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
            written.append(1)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(15):
            before = len(written)
            assert back_up(folder, tmp_path / "copy") >= before
            assert len(kinds(tmp_path / "copy")[0]) >= min(before, 100)
    finally:
        done.set()
        writer.join()
        history.close()


def test_an_earlier_copy_is_replaced_and_nothing_else(running: RollLog, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    back_up(folder, copy)
    play(running, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    assert back_up(folder, copy) == 2
    diary = tmp_path / "diary.txt"
    diary.write_text("my diary" * 20)
    with closing(sqlite3.connect(tmp_path / "theirs")) as theirs, theirs:
        theirs.execute("CREATE TABLE t (x)")
    other = RollLog(tmp_path / "other" / FILE_NAME)
    refused = {
        diary: "is not a backup: choose another name",
        tmp_path / "theirs": "is not a backup",
        tmp_path: "is a folder: name a file in it",
        folder / FILE_NAME: "is the roll log itself",
        other.path: "is a roll log in use",
        tmp_path / "no" / "copy": "No such file or directory",
    }
    for target, expected in refused.items():
        with pytest.raises(BadInput, match=expected) as caught:
            back_up(folder, target)
        assert "\n" not in str(caught.value)
    other.close()
    assert diary.read_text() == "my diary" * 20
    assert not list(tmp_path.glob(".*.new"))
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / FILE_NAME).touch()
    with pytest.raises(BadInput, match=r"there is no roll log in .*bare: name the folder with --data"):
        back_up(tmp_path / "bare", copy)


def test_a_restored_log_goes_on_where_the_copy_was_made(running: RollLog, folder: Path, tmp_path: Path) -> None:
    state = running.kept_state()
    back_up(folder, tmp_path / "copy")
    play(running, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)), PushPressed())
    running.close()
    done = restore(tmp_path / "copy", folder)
    assert (done.rows, done.old) == (1, folder / f"{FILE_NAME}.old")
    assert kinds(folder / FILE_NAME) == (["scored"], state)
    assert len(kinds(there(done.old))[0]) == 2
    assert restore(tmp_path / "copy", folder).old == folder / f"{FILE_NAME}.old-2"
    assert restore(there(done.old), tmp_path / "new" / "folder").old is None


def test_a_folder_in_use_and_a_copy_that_is_none_change_nothing(running: RollLog, folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "copy")
    running.close()
    whole = (folder / FILE_NAME).read_bytes()
    (tmp_path / "text").write_text("my diary")
    (tmp_path / "empty").touch()
    with closing(sqlite3.connect(tmp_path / "theirs")) as theirs, theirs:
        theirs.execute("CREATE TABLE t (x)")
    refused = {
        "text": "is not a roll log: name a file that pushtray backup wrote",
        "empty": "is empty: name a file that pushtray backup wrote",
        "theirs": "belongs to another program: name a file that pushtray backup wrote",
        "missing": "there is no file .*missing",
        f"data/{FILE_NAME}": "is the roll log itself",
    }
    for name, expected in refused.items():
        with pytest.raises(BadInput, match=expected):
            restore(tmp_path / name, folder)
    with closing(DataFolder(folder)), pytest.raises(BadInput, match=r"another pushtray uses .*: stop it"):
        restore(tmp_path / "copy", folder)
    assert (folder / FILE_NAME).read_bytes() == whole
    assert sorted(path.name for path in folder.iterdir()) == [FILE_NAME, "tray.lock"]


def test_a_damaged_log_is_kept_in_all_its_parts(running: RollLog, folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "copy")
    running.close()
    (folder / FILE_NAME).write_bytes(b"\xa5" * 9000)
    (folder / f"{FILE_NAME}-wal").write_bytes(b"\x5a" * 500)
    done = restore(tmp_path / "copy", folder)
    assert done.old is not None
    assert done.old.read_bytes() == b"\xa5" * 9000
    assert done.old is not None
    assert done.old.with_name(f"{done.old.name}-wal").read_bytes() == b"\x5a" * 500
    assert kinds(folder / FILE_NAME)[0] == ["scored"]


def test_what_a_power_cut_left_next_to_the_log_is_kept_too(running: RollLog, folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "copy")
    torn = tmp_path / "torn"
    shutil.copytree(folder, torn)
    assert (torn / f"{FILE_NAME}-wal").stat().st_size > 0
    done = restore(tmp_path / "copy", torn)
    assert kinds(there(done.old))[0] == ["scored"]
    assert kinds(torn / FILE_NAME)[0] == ["scored"]


def test_what_root_restores_belongs_to_the_folders_owner(
    running: RollLog, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(folder, tmp_path / "copy")
    given = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", lambda path, user, group: given.append((path.name, user, group)))
    served = tmp_path / "served"
    served.mkdir()
    restore(tmp_path / "copy", served)
    owner = served.stat()
    assert given == [(name, owner.st_uid, owner.st_gid) for name in (f".{FILE_NAME}.new", "tray.lock")]


def test_the_commands(running: RollLog, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "copy.sqlite3"
    assert main(["backup", str(copy), "--data", str(folder)]) == 0
    assert capsys.readouterr().out == f"{copy}: 1 rows, with sheets and table\n"
    assert main(["restore", str(copy), "--data", str(tmp_path / "other")]) == 0
    assert "1 rows" in capsys.readouterr().out
    assert main(["export", "--format", "jsonl", "--data", str(tmp_path / "other")]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "scored"
    for args in (["backup", str(copy), "--data", "/no/such"], ["restore", "/no/such", "--data", str(folder)]):
        assert main(args) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
