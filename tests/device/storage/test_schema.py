"""The log's versions: each earlier one is migrated to the newest, completely or not at all, and only by the tray."""

import errno
import io
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from device.check import CheckStatus
from device.cli.main import main
from device.diagnostics.probes import CheckParams, check_disk
from device.errors import BadInput
from device.game.machine import step
from device.game.state.campaign import Carry
from device.game.state.effects import Commit
from device.game.state.events import DiceSettled
from device.game.state.states import Empty, Resolved
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.storage import schema
from device.storage.backup import back_up, restore
from device.storage.data_folder import DataFolder
from device.storage.evenings import SessionMarks, evening_marks
from device.storage.export import export
from device.storage.import_log import import_log
from device.storage.log_file import FILE_NAME, migrate_log
from device.storage.rolls import RollLog
from tests.device.conftest import Dice
from tests.narrowing import a, there

DATA = Path(__file__).parents[1] / "data"
FIRST_DAY, VERSION_1 = "history_2026-11-21_without_book.sql", "history_version_1.sql"
VERSION_2, VERSION_3, NEWEST_LOG = "history_version_2.sql", "history_version_3.sql", "history_version_4.sql"
"""Written by the program of that day, as `sqlite3.Connection.iterdump` prints it, with the two numbers of its
header.
"""
SHEETS: dict[str, list[str]] = {
    FIRST_DAY: [],
    **{one: ["Ann", "Zo"] for one in (VERSION_1, VERSION_2, VERSION_3, NEWEST_LOG)},
}
OWNERS = dict.fromkeys((VERSION_2, VERSION_3, NEWEST_LOG), "Ann")
"""Owners of rolls, in logs that have them."""
_ALONE = ("Zo", "Notice", False, None)
WAITING = {
    VERSION_2: [_ALONE],
    VERSION_3: [_ALONE],
    NEWEST_LOG: [("Zo", "Notice", True, None), ("Ann", "Stealth", False, 3), ("Guard", "Stealth", True, 3)],
}
"""Owner and label of waiting rolls, whether they are hidden, and which rolls they are linked with."""
NEWEST = schema.newest_version()
KINDS = ["scored", "corrected", "pushed"]

SECOND = """-- A step that fills a new column; its text; has semicolons.
ALTER TABLE rolls ADD COLUMN player TEXT NOT NULL DEFAULT 'a;b';
CREATE TABLE changes (roll INTEGER) STRICT;
CREATE TRIGGER changed AFTER UPDATE ON rolls BEGIN
    INSERT INTO changes VALUES (new.id);
END;
"""
THIRD = "UPDATE rolls SET player = 'Ann' WHERE id = 2;\n"
RENAMED = "UPDATE rolls SET kind = 'shoved' WHERE kind = 'pushed';\n"
NEWER_KINDS = ["scored", "corrected", "shoved"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / FILE_NAME


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Continue as a program with so many more migrations, given as SQL; with none as today's again."""

    def later(*scripts: str) -> None:
        folder = tmp_path / "migrations"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(Path(schema.__file__).parent / "migrations", folder)
        for number, script in enumerate(scripts, NEWEST + 1):
            (folder / f"{number:04}_later.sql").write_text(script)
        monkeypatch.setattr(schema, "MIGRATIONS", folder)
        # A child process would be today's program.
        monkeypatch.setattr("device.storage.backup.in_child", lambda task, *values, **_: task(*values))

    return later


def write_dump(path: Path, dump: str, journal: str = "WAL") -> bytes:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA journal_mode = {journal}")
        database.executescript((DATA / dump).read_text(encoding="utf-8"))
    return path.read_bytes()


def write_newest(path: Path, journal: str = "WAL") -> bytes:
    """Write the newest dump as a log of this program's version."""
    write_dump(path, NEWEST_LOG, journal)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        schema.migrate(database)
    return path.read_bytes()


def header(path: Path) -> int:
    """Return the log's version, over a connection that leaves nothing behind."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def exported(path: Path) -> list[dict[str, Any]]:
    out = io.StringIO()
    export(path.parent, None, as_csv=False, out=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def names(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.iterdir() if one.name != "tray.lock")


def schema_of(path: Path) -> tuple[list[Any], Any]:
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT name, replace(sql, 'IF NOT EXISTS ', '') FROM sqlite_master ORDER BY name"
        return database.execute(query).fetchall(), database.execute("PRAGMA user_version").fetchone()


def refusal(use: Callable[[], object]) -> str:
    with pytest.raises(BadInput) as caught:
        use()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_numbers_of_migrations_are_those_of_the_versions_from_1_on() -> None:
    files = sorted(path.name for path in schema.MIGRATIONS.iterdir())
    assert [int(name[:4]) for name in files] == list(range(1, len(files) + 1))


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
@pytest.mark.parametrize("dump", SHEETS)
def test_all_that_a_log_of_each_schema_holds_is_there_afterwards(
    path: Path, tmp_path: Path, dump: str, journal: str
) -> None:
    write_dump(path, dump, journal)
    before = exported(path)
    history = RollLog(path)
    state, campaign = history.kept_state(), history.kept_campaign(Carry.ASK)
    assert [row["kind"] for row in history.since()] == KINDS
    assert [filed.sheet.title for filed in campaign.sheets] == SHEETS[dump]
    assert [die.value for die in a(Resolved, there(state).dice).layout.dice] == [1, 6, 6, 1]
    if SHEETS[dump]:
        assert campaign.clocks.clocks[0].name == "Alarm"
        assert (campaign.roles, campaign.carry) == ({"die-code": {"base": "wild"}}, Carry.ALWAYS)
    _, commands = step(Tray(Empty(), Table("push-pool")), DiceSettled(Dice.rest(*Dice.FIRST)))
    history.write(a(Commit, commands[0]).rows, Tray(Empty(), Table("push-pool"), campaign))
    history.close()
    assert exported(path)[:3] == before
    assert [row["owner"] for row in before] == 3 * [OWNERS.get(dump)]
    evening = {1: "The old mill"} if dump in (VERSION_3, NEWEST_LOG) else {}
    assert evening_marks(path) == SessionMarks(frozenset({3} if evening else ()), evening)
    waiting = [(request.owner, request.label, request.hidden, request.linked) for request in campaign.requests.waiting]
    assert waiting == WAITING.get(dump, [])
    assert [[member.owner for member in one.members] for one in campaign.requests.linked] == (
        [["Ann", "Guard"]] if dump == NEWEST_LOG else []
    )
    new = tmp_path / "new" / FILE_NAME
    RollLog(new).close()
    assert schema_of(path) == schema_of(new)


def test_a_log_of_the_first_day_is_kept_as_it_was_and_one_line_says_so(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_dump(path, FIRST_DAY)
    RollLog(path).close()
    copy = path.with_name(f"{FILE_NAME}.version-0")
    text = f"{path} was migrated from version 0 to {NEWEST}; the old file is kept as {copy}"
    assert caplog.messages == [text]
    assert names(path) == [FILE_NAME, copy.name]
    with closing(sqlite3.connect(copy)) as old:
        tables = {name for (name,) in old.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables == {"rolls", "live", "sqlite_sequence"}
        assert old.execute("SELECT count(*) FROM rolls").fetchone() == (3,)
        assert old.execute("PRAGMA journal_mode").fetchone() == ("delete",), "the copy needs no companion file"
    RollLog(path).close()
    assert caplog.messages == [text]
    assert names(path) == [FILE_NAME, copy.name]


def test_a_log_of_the_newest_version_and_a_new_one_are_not_copied(
    path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_newest(path)
    RollLog(path).close()
    new = tmp_path / "new" / FILE_NAME
    RollLog(new).close()
    assert (names(path), names(new)) == ([FILE_NAME], [FILE_NAME])
    assert caplog.messages == []


@pytest.mark.parametrize("dump", SHEETS)
def test_steps_run_in_their_order_from_each_version(path: Path, program: Callable[..., None], dump: str) -> None:
    write_dump(path, dump)
    program(SECOND, THIRD)
    RollLog(path).close()
    assert header(path) == NEWEST + 2
    with closing(sqlite3.connect(path)) as database:
        players = database.execute("SELECT player FROM rolls ORDER BY id").fetchall()
        assert players == [("a;b",), ("Ann",), ("a;b",)]
        assert database.execute("SELECT roll FROM changes").fetchall() == [(2,)]
    assert [row["kind"] for row in exported(path)] == KINDS


BROKEN = {
    "wrong SQL": "ALTER TABLE gone ADD COLUMN x;\n",
    "a rule that a row breaks": "CREATE UNIQUE INDEX once ON rolls (roll);\n",
    "a last statement that does not end": "CREATE TABLE half (",
}


@pytest.mark.parametrize("script", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_step_that_fails_leaves_the_file_as_it_was(
    path: Path, program: Callable[..., None], script: str, journal: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = write_newest(path, journal)
    program(SECOND, script)
    text = refusal(lambda: RollLog(path))
    assert f"{path} cannot be migrated from version {NEWEST} to {NEWEST + 2} (" in text
    assert text.endswith("and stays as it is: go back to the program that wrote it")
    assert (path.read_bytes(), names(path), caplog.messages) == (before, [FILE_NAME], [])
    program()
    history = RollLog(path)
    assert [row["kind"] for row in history.since()] == KINDS
    history.close()


def test_a_full_disk_leaves_the_file_as_it_was(path: Path, program: Callable[..., None]) -> None:
    before = write_newest(path, "DELETE")
    program(SECOND, "UPDATE rolls SET outcome = hex(zeroblob(100000));\n")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages + 2}")  # SQLite's own way to make a full drive
        text = refusal(lambda: migrate_log(database, path))
    assert text.endswith("make room on its drive, or go back to the program that wrote it")
    assert (path.read_bytes(), names(path)) == (before, [FILE_NAME])


def test_where_no_copy_can_be_kept_nothing_is_changed(path: Path, program: Callable[..., None]) -> None:
    before = write_newest(path)
    (path.parent / f".{FILE_NAME}.version-{NEWEST}.new").mkdir()
    program(SECOND)
    assert "name a file in it, for it is a folder, or go back to the program" in refusal(lambda: RollLog(path))
    assert (path.read_bytes(), header(path)) == (before, NEWEST)


def test_a_copy_that_the_drive_does_not_take_is_not_left(
    path: Path, program: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = write_newest(path)
    program(SECOND)

    def refuse(folder: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(schema, "sync_folder", refuse)
    assert "(Input/output error) and stays as it is: check its drive" in refusal(lambda: RollLog(path))
    assert (path.read_bytes(), names(path)) == (before, [FILE_NAME])


def test_a_log_that_somebody_writes_to_is_left_alone(
    path: Path, program: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = write_newest(path, "DELETE")
    program(SECOND)
    monkeypatch.setattr("device.storage.log_file.WAIT_S", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        text = refusal(lambda: RollLog(path))
    assert text.endswith("close the program that uses it, or go back to the program that wrote it")
    assert (path.read_bytes(), names(path)) == (before, [FILE_NAME])


def test_each_migration_keeps_a_copy_of_its_own(path: Path, program: Callable[..., None]) -> None:
    write_newest(path)
    copy = path.with_name(f"{FILE_NAME}.version-{NEWEST}")
    copy.write_bytes(b"an earlier one")
    program(SECOND)
    RollLog(path).close()
    assert copy.read_bytes() == b"an earlier one"
    assert header(copy.with_name(f"{copy.name}-2")) == NEWEST


def test_readers_change_nothing_in_a_log_whose_tray_runs(
    path: Path, program: Callable[..., None], tmp_path: Path
) -> None:
    """While an upgrade waits for the tray to restart, the command is newer than the running tray."""
    write_newest(path)
    held = DataFolder(path.parent)
    history = RollLog(path)
    program(SECOND, RENAMED)
    with closing(held):
        assert [row["kind"] for row in exported(path)] == NEWER_KINDS
        assert back_up(path.parent, tmp_path / "copy") == 3
        assert header(tmp_path / "copy") == NEWEST, "a copy is the log as it is"
        assert check_disk(path.parent, path, CheckParams(free_mb=0)).status is CheckStatus.OK
        assert [row["kind"] for row in history.rolls(1)] == ["pushed"]
        assert main(["run", "--camera", "simulated", "--data", str(path.parent)]) == 2
        assert names(path) == [FILE_NAME, f"{FILE_NAME}-shm", f"{FILE_NAME}-wal"]
        state, commands = step(Tray(Empty(), Table("push-pool")), DiceSettled(Dice.rest(*Dice.FIRST)))
        history.write(a(Commit, commands[0]).rows, state)
        history.close()
    assert header(path) == NEWEST
    assert len(exported(path)) == 4


@pytest.mark.parametrize("dump", SHEETS)
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_an_export_of_an_older_log_leaves_it_as_it_is(
    path: Path, program: Callable[..., None], dump: str, journal: str
) -> None:
    before = write_dump(path, dump, journal)
    program(SECOND, RENAMED)
    assert [row["kind"] for row in exported(path)] == NEWER_KINDS
    assert (path.read_bytes(), names(path)) == (before, [FILE_NAME])


@pytest.mark.parametrize("dump", SHEETS)
def test_a_restored_copy_is_of_the_newest_version_and_the_copy_stays_as_it_is(
    path: Path, program: Callable[..., None], tmp_path: Path, dump: str
) -> None:
    copy = tmp_path / "copy"
    before = write_dump(copy, dump, "DELETE")
    program(SECOND, RENAMED)
    assert restore(copy, path.parent).rows == 3
    assert (header(path), copy.read_bytes()) == (NEWEST + 2, before)
    assert names(path) == [FILE_NAME]
    history = RollLog(path)
    assert [row["kind"] for row in history.since()] == NEWER_KINDS
    assert len(history.kept_campaign().sheets) == len(SHEETS[dump])
    history.close()


def test_a_copy_that_cannot_be_migrated_replaces_nothing(
    path: Path, program: Callable[..., None], tmp_path: Path
) -> None:
    write_dump(tmp_path / "copy", FIRST_DAY)
    before = write_newest(path)
    program(BROKEN["wrong SQL"])
    assert "cannot be migrated from version 1" in refusal(lambda: restore(tmp_path / "copy", path.parent))
    assert (path.read_bytes(), names(path)) == (before, [FILE_NAME])


def test_a_program_that_is_rolled_back_refuses_the_newer_log_and_goes_on_from_the_copy(
    path: Path, program: Callable[..., None], tmp_path: Path
) -> None:
    write_newest(path)
    program(SECOND)
    RollLog(path).close()
    newer, copy = path.read_bytes(), path.with_name(f"{FILE_NAME}.version-{NEWEST}")
    program()
    what = f"{path} has version {NEWEST + 1}, this program reads versions up to {NEWEST}"
    cure = f"upgrade the program, or restore an older backup with pushtray restore {copy}"
    uses = (
        lambda: RollLog(path),
        lambda: exported(path),
        lambda: back_up(path.parent, tmp_path / "copy"),
        lambda: restore(path, tmp_path / "other"),
    )
    for use in uses:
        assert refusal(use) == f"{what}: {cure}"
    check = check_disk(path.parent, path, CheckParams(free_mb=0))
    assert (check.status, check.cure) == (CheckStatus.FAIL, cure)
    assert path.read_bytes() == newer
    assert there(restore(copy, path.parent).old).read_bytes() == newer
    history = RollLog(path)
    assert [row["kind"] for row in history.since()] == KINDS
    history.close()


def test_the_copy_that_a_refusal_names_is_the_last_that_can_be_read(path: Path, program: Callable[..., None]) -> None:
    write_newest(path)
    with closing(sqlite3.connect(path)) as newer:
        newer.execute(f"PRAGMA user_version = {NEWEST + 5}")
    for name in (f"{FILE_NAME}.version-{NEWEST + 1}", f"{FILE_NAME}.version-{NEWEST}-wal", "other.version-0"):
        path.with_name(name).touch()
    assert refusal(lambda: RollLog(path)).endswith("restore an older backup with pushtray restore")


def test_a_restore_keeps_and_checks_a_table_that_only_a_migration_names(
    path: Path, tmp_path: Path, program: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    program("CREATE TABLE places (first_row INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;")
    write_newest(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.executemany("INSERT INTO places VALUES (?, ?)", [(1, "The mill"), (2, "x" * 5000), (3, "")])
    import_log(path, copy := tmp_path / "copy.sqlite3")
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT * FROM places").fetchall() == [(1, "The mill"), (3, "")]
    assert "cannot be understood and is left out" in caplog.text
