"""Changes that are not in the roll log: stored, marked when undone, only the newest."""

from pathlib import Path
from typing import Any

import pytest

from device.storage.changes import ChangeLog
from device.texts.catalogue import translate


def texts(log: ChangeLog) -> list[tuple[str, bool]]:
    entries: Any = log.newest_first()
    return [(str(entry["text"]), entry["undone"]) for entry in entries]


def test_changes_outlive_the_program_and_an_undone_one_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "changes.json"
    log = ChangeLog(path)
    log.note("sheet", translate("tray.undo.sheet", what="Bo"), undone=False)
    log.note("phone", translate("tray.undo.phone", what=translate("tray.undo.a_phone")), undone=False)
    log.note("phone", translate("tray.undo.phone", what=translate("tray.undo.a_phone")), undone=True)
    log.note("reset", translate("tray.undo.reset"), undone=False)
    assert texts(log) == texts(ChangeLog(path)) == [("A phone removed", True), ("Bo deleted", False)]


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    log = ChangeLog(tmp_path / "changes.json")
    for number in range(120):
        log.note("clock", translate("tray.undo.clock", what=number), undone=False)
    assert len(texts(log)) == 100
    assert texts(log)[0] == ("119 removed", False)


@pytest.mark.parametrize("content", ["{", '[{"at": 1}]', '[{"at": "", "key": "no.such", "values": {}}]'])
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: str) -> None:
    path = tmp_path / "changes.json"
    path.write_text(content, encoding="utf-8")
    assert texts(ChangeLog(path)) == []
    assert path.with_name("changes.json.damaged").exists()


def test_a_full_disk_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    log = ChangeLog(tmp_path / "file" / "changes.json")
    log.note("sheet", translate("tray.undo.sheet", what="Bo"), undone=False)
    assert texts(log) == [("Bo deleted", False)]
    assert "cannot be written" in caplog.text
