"""Changes that are not in the roll log's rows: stored in it, marked when undone, only the newest, part of a backup."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from device.message import message
from device.storage.backup import back_up, restore
from device.storage.changes import ChangeLog
from device.storage.log_file import FILE_NAME
from device.storage.rolls import RollLog


@pytest.fixture
def path(tmp_path: Path) -> Path:
    RollLog(tmp_path / FILE_NAME).close()
    return tmp_path / FILE_NAME


def texts(log: ChangeLog) -> list[tuple[str, bool]]:
    entries: Any = log.newest_first()
    return [(str(entry["text"]), entry["undone"]) for entry in entries]


def test_changes_outlive_the_program_and_an_undone_one_is_marked(path: Path) -> None:
    log = ChangeLog(path)
    log.note("sheet", message("tray.undo.sheet", what="Bo"), undone=False)
    log.note("phone", message("tray.undo.phone", what=message("tray.undo.a_phone")), undone=False)
    log.note("phone", message("tray.undo.phone", what=message("tray.undo.a_phone")), undone=True)
    log.note("reset", message("tray.undo.reset"), undone=False)
    assert texts(log) == texts(ChangeLog(path)) == [("A phone removed", True), ("Bo deleted", False)]


def test_only_the_newest_are_kept(path: Path) -> None:
    log = ChangeLog(path)
    for number in range(105):
        log.note("clock", message("tray.undo.clock", what=number), undone=False)
    assert len(texts(log)) == 100
    assert texts(log)[0] == ("104 removed", False)


def test_a_backup_has_the_changes_and_a_restored_one_replaces_those_of_the_other_log(
    path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = ChangeLog(path)
    log.note("roll", message("tray.undo.roll"), undone=False)
    back_up(path.parent, tmp_path / "backup.sqlite3")
    log.note("sheet", message("tray.undo.sheet", what="Bo"), undone=False)
    restore(tmp_path / "backup.sqlite3", path.parent)
    RollLog(path).kept_campaign()
    assert texts(log) == [("Roll deleted", False)]
    assert not caplog.records


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[]",
        b"\xff",
        '{"format": "pushtray-changes/1", "changes": [{"at": 1}]}',
        '{"format": "pushtray-changes/1", "changes": [{"at": "2030-01-01", "key": "tray.undo.no_such", "values": {}}]}',
        '{"format": "pushtray-changes/2", "changes": []}',
    ],
)
def test_a_damaged_list_starts_over_and_is_not_restored(path: Path, tmp_path: Path, body: str | bytes) -> None:
    with closing(sqlite3.connect(path)) as log, log:
        log.execute("INSERT INTO book VALUES ('changes', CAST(? AS TEXT))", (body,))
    assert texts(ChangeLog(path)) == []
    (tmp_path / "other").mkdir()
    restore(path, tmp_path / "other")
    with closing(sqlite3.connect(tmp_path / "other" / FILE_NAME)) as log:
        assert log.execute("SELECT count(*) FROM book").fetchone() == (0,)


def test_a_log_that_is_gone_stops_nothing(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.unlink()
    ChangeLog(path).note("sheet", message("tray.undo.sheet", what="Bo"), undone=False)
    assert "a change is missing" in caplog.text
