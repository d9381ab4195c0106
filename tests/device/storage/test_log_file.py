"""The roll log's file: it keeps its locks, reappears if it was taken away, and no check changes it."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from device.check import CheckStatus
from device.cli.main import main
from device.diagnostics.probes import CheckParams, check_disk
from device.errors import BadInput
from device.game.machine import step
from device.game.state.effects import Commit
from device.game.state.events import DiceSettled
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.storage.backup import back_up, restore
from device.storage.data_folder import DataFolder
from device.storage.log_file import FILE_NAME
from device.storage.rolls import RollLog, logged_since
from tests.device.conftest import Dice

LOOK = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM rolls').fetchall(); c.close()"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE_NAME


def roll(history: RollLog) -> None:
    state, commands = step(Tray(Empty(), Table("push-pool")), DiceSettled(Dice.rest(*Dice.FIRST)))
    for command in commands:
        if isinstance(command, Commit):
            history.write(command.rows, state)


def copy_with(change: str, path: Path, copy: Path) -> None:
    """Write a log with a roll, and a copy of it that was changed by statements of SQL."""
    with closing(RollLog(path)) as history:
        roll(history)
        back_up(path.parent, copy)
    with closing(sqlite3.connect(copy)) as database, database:
        database.executescript(change)


def look_from_outside(path: Path) -> None:
    subprocess.run([sys.executable, "-c", LOOK, str(path)], check=True)


def killed(path: Path, tmp_path: Path) -> list[object]:
    """Return the ids of the rows that survive a kill: the files as they are now, in another place."""
    left = tmp_path / "killed"
    shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(path.parent, left)
    return [row["id"] for row in logged_since(left / FILE_NAME)]


def test_a_copy_taken_by_the_tray_lets_no_other_program_take_its_log_away(path: Path, tmp_path: Path) -> None:
    with closing(RollLog(path)) as history:
        roll(history)
        back_up(path.parent, tmp_path / "copy")
        locks = Path("/proc/locks").read_text()
        assert f":{path.stat().st_ino} " in locks
        look_from_outside(path)
        roll(history)
        # A copy of the files would drop the locks that this test is about, so it comes last.
        assert killed(path, tmp_path) == [1, 2]


TAKEN: dict[str, Callable[[Path], object]] = {
    "-wal": lambda path: path.with_name(f"{path.name}-wal").unlink(),
    "-shm": lambda path: path.with_name(f"{path.name}-shm").unlink(),
    "the log": lambda path: path.unlink(),
    "log and -wal": lambda path: [
        path.with_name(path.name + end).rename(path.parent / f"gone{end}") for end in ("", "-wal")
    ],
    "the log moved": lambda path: path.rename(path.with_name("elsewhere")),
}


@pytest.mark.parametrize("take", TAKEN.values(), ids=TAKEN)
def test_a_log_that_was_taken_away_is_put_back_whole(
    path: Path, tmp_path: Path, take: Callable[[Path], object], caplog: pytest.LogCaptureFixture
) -> None:
    with closing(RollLog(path)) as history:
        roll(history)
        take(path)
        roll(history)
        assert [row["id"] for row in history.rolls(9)] == [2, 1]
        (warning,) = caplog.messages
        assert "back whole" in warning
        assert killed(path, tmp_path) == [1, 2]


def test_a_lock_that_was_lost_is_taken_again(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with closing(RollLog(path)) as history:
        roll(history)
        path.open("rb").close()
        assert f":{path.stat().st_ino} " not in Path("/proc/locks").read_text()
        history.run_maintenance()
        assert f":{path.stat().st_ino} " in Path("/proc/locks").read_text()
        assert "no longer held by the tray" in caplog.text
        roll(history)
        assert [row["id"] for row in history.rolls(9)] == [2, 1]


def hashes(folder: Path) -> dict[str, str]:
    found = {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in folder.iterdir() if one.is_file()}
    return {name: digest for name, digest in found.items() if not name.endswith(("-shm", "tray.lock"))}


@pytest.fixture
def mixed(path: Path, tmp_path: Path) -> Path:
    """A whole log, next to the remains of a larger log of another shape."""
    with closing(RollLog(path)) as history:
        roll(history)
    other = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(other, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE things (x)")
        database.execute("INSERT INTO things SELECT randomblob(3000) FROM (VALUES (1), (2), (3), (4), (5))")
        shutil.copy(f"{other}-wal", f"{path}-wal")
    return path


def test_no_check_changes_a_whole_log_next_to_another_logs_companion(mixed: Path, tmp_path: Path) -> None:
    before = hashes(mixed.parent)
    with pytest.raises(BadInput, match=f"is whole, but {FILE_NAME}-wal next to it belongs to another log: move"):
        RollLog(mixed)
    for command in (["backup", str(tmp_path / "copy")], ["export"], ["doctor"]):
        main([*command, "--data", str(mixed.parent)])
    with pytest.raises(BadInput):
        restore(mixed, tmp_path / "new")
    assert hashes(mixed.parent) == before
    mixed.with_name(f"{FILE_NAME}-wal").unlink()
    with closing(RollLog(mixed)) as history:
        assert len(history.rolls(9)) == 1


def test_a_log_that_a_power_cut_left_with_its_journal_is_read_and_not_changed(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(RollLog(path)) as history:
        roll(history)
    cut = tmp_path / "cut"
    cut.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("PRAGMA cache_size = 1")
        database.execute("BEGIN")
        database.execute("CREATE TABLE things AS SELECT randomblob(3000) FROM (VALUES (1), (2), (3), (4), (5))")
        for name in (FILE_NAME, f"{FILE_NAME}-journal"):
            shutil.copy(path.with_name(name), cut)
    before = hashes(cut)
    assert main(["export", "--data", str(cut)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2, "the header and the roll"
    assert main(["backup", str(tmp_path / "copy"), "--data", str(cut)]) == 0
    assert hashes(cut) == before


def test_an_empty_log_is_replaced_and_a_line_says_so(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    path.touch()
    path.with_name(f"{FILE_NAME}-wal").write_bytes(b"x" * 5000)
    RollLog(path).close()
    assert "was empty, as after a power cut: a new roll log starts" in caplog.text
    assert path.with_name(f"{FILE_NAME}.damaged-wal").read_bytes() == b"x" * 5000


def test_what_a_kill_left_half_written_is_deleted(path: Path) -> None:
    (path.parent / "pictures").mkdir(parents=True)
    for name in (f".{FILE_NAME}.new", f".{FILE_NAME}.new-journal", "pictures/.a.jpg.new"):
        (path.parent / name).touch()
    DataFolder(path.parent).close()
    assert sorted(one.name for one in path.parent.rglob("*")) == ["pictures", "tray.lock"]


DAMAGE = {
    "no JSON": ("dice", "[{"),
    "deep": ("context", "[" * 200_000),
    "deeper than anybody writes": ("context", '{"a":' * 400 + "1" + "}" * 400),
    "not a number": ("outcome", '{"x": NaN}'),
    "another shape": ("dice", '{"id": 1}'),
    "a die of text": ("dice", '[{"id": 1, "colour": null, "role": null, "value": "5"}]'),
    "no time": ("at", "2026-13-01"),
    "unknown rules": ("system", "push-pooh"),
    "no UTF-8": ("kind", b"\xffcored"),
    "no chance": ("odds", '{"p_success": "1/0"}'),
    "no path": ("picture", "../../phones.json"),
    "no comparison": ("asked", '{"together": {"kind": "opposed", "result": "win"}}'),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_row_hides_no_other_and_is_not_taken_over(
    path: Path, tmp_path: Path, damage: tuple[str, str | bytes], caplog: pytest.LogCaptureFixture
) -> None:
    with closing(RollLog(path)) as history:
        for _ in range(3):
            roll(history)
        with closing(sqlite3.connect(path)) as database, database:
            database.execute(f"UPDATE rolls SET {damage[0]} = CAST(? AS TEXT) WHERE id = 2", damage[1:])
        assert [row["id"] for row in history.rolls(9)] == [3, 1]
        assert [row["id"] for row in history.since()] == [1, 3]
        assert caplog.messages == [f"{path}: row 2 is damaged and is left out (so far: 1)"]
        assert history.left_out == 1
        back_up(path.parent, tmp_path / "copy")
        history.swap(lambda: None)
        assert history.left_out == 0  # of another log, as far as is known yet
    assert restore(tmp_path / "copy", tmp_path / "new").rows == 2


def test_doctor_counts_damaged_rows(path: Path) -> None:
    with closing(RollLog(path)) as history:
        roll(history)
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE rolls SET dice = '['")
    found = check_disk(path.parent, path, CheckParams(free_mb=0))
    assert (found.status, found.text) == (CheckStatus.WARN, f"rows of {path} that are damaged and left out: 1")


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TRIGGER t AFTER INSERT ON rolls BEGIN DELETE FROM rolls; END",
        "CREATE VIEW spare AS SELECT * FROM rolls",
        "CREATE UNIQUE INDEX once ON rolls (system)",
        "ALTER TABLE rolls ADD COLUMN extra TEXT",
        "ALTER TABLE rolls RENAME TO r; CREATE VIEW rolls AS SELECT * FROM r",
        "UPDATE live SET state = '" + "[" * 5000 + "'",
        "INSERT OR REPLACE INTO book VALUES ('sheet x', '{}'), ('table', '[]')",
    ],
)
def test_nothing_of_the_schema_of_a_copy_from_elsewhere_is_taken_over(path: Path, tmp_path: Path, change: str) -> None:
    copy_with(change, path, tmp_path / "copy")
    restore(tmp_path / "copy", path.parent)
    with closing(RollLog(path)) as history, closing(RollLog(tmp_path / "own" / FILE_NAME)) as own:
        roll(history)
        assert len(history.rolls(9)) == 2
        history.kept_state(), history.kept_campaign()
        schemas = []
        for log in (history, own):
            with closing(sqlite3.connect(log.path)) as database:
                schemas.append(database.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall())
    assert schemas[0] == schemas[1]


HOSTILE = {
    "a check that costs gigabytes": ("hidden INTEGER", "hidden INTEGER CHECK (randomblob(2000000000) IS NOT NULL)"),
    "a check that fails": ("hidden INTEGER", "hidden INTEGER CHECK (0)"),
    "a function that is missing": ("hidden INTEGER", "hidden INTEGER CHECK (nosuch(1))"),
    "a collation that is missing": ("owner TEXT", "owner TEXT COLLATE nosuch"),
    "a column called rowid": ("label TEXT", "rowid TEXT"),
    "a computed column": ("label TEXT", "label TEXT, more TEXT AS (randomblob(2000000000))"),
    "another statement": ("CREATE TABLE rolls", "CREATE VIRTUAL TABLE rolls USING nosuch"),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_no_statement_of_a_copy_from_elsewhere_has_an_effect(
    path: Path, tmp_path: Path, change: tuple[str, str]
) -> None:
    edit = f"UPDATE sqlite_master SET sql = replace(sql, '{change[0]}', '{change[1]}') WHERE name = 'rolls'"
    copy_with(f"PRAGMA writable_schema = ON; {edit}", path, tmp_path / "copy")
    whole = [dict(row) for row in logged_since(path)]
    assert restore(tmp_path / "copy", path.parent).rows == 1
    assert [dict(row) for row in logged_since(path)] == whole


def test_pages_that_point_to_each_other_end(path: Path, tmp_path: Path) -> None:
    with closing(RollLog(path)) as history:
        for _ in range(60):
            roll(history)
        back_up(path.parent, tmp_path / "copy")
    content = bytearray((tmp_path / "copy").read_bytes())
    root = 4096  # page 2, whose entries point to the pages of rows: let each point to the first
    entries = [root + int.from_bytes(content[at : at + 2], "big") for at in range(root + 12, root + 12 + 2 * 5, 2)]
    for at in entries:
        content[at : at + 4] = content[entries[0] : entries[0] + 4]
    (tmp_path / "copy").write_bytes(content)
    restored = restore(tmp_path / "copy", tmp_path / "new")
    assert 0 < restored.rows < 60
    assert restored.left_out > 0


@pytest.mark.parametrize("change", ["ALTER TABLE rolls DROP COLUMN asked", "DROP TABLE rolls"])
def test_a_copy_without_rolls_as_the_tray_writes_them_is_refused(path: Path, tmp_path: Path, change: str) -> None:
    copy_with(change, path, tmp_path / "copy")
    before = path.read_bytes()
    with pytest.raises(BadInput, match="has no rolls as the tray writes them: name a file that pushtray backup wrote"):
        restore(tmp_path / "copy", path.parent)
    assert path.read_bytes() == before
    assert os.listdir(path.parent).count(FILE_NAME) == 1
