"""Pages of the roll log damaged by a worn-out card: the tray starts with all rows that can still be read."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from device.storage.backup import restore
from device.storage.evenings import evening_marks, name_evening
from device.storage.log_file import FILE_NAME
from device.storage.rolls import RollLog
from tests.device.storage.test_log_file import roll

ROWS, PAGE = 60, 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / FILE_NAME
    with closing(RollLog(path)) as history:
        for _ in range(ROWS):
            roll(history)
    name_evening(path, 1, "First evening")
    return path


@pytest.fixture
def log(whole: Path, tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return Path(shutil.copy(whole, tmp_path / "data" / FILE_NAME))


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import without a child process, whose start would take most of a test with hundreds of files."""
    monkeypatch.setattr("device.storage.backup.in_child", lambda task, *values, **_: task(*values))


def spoil(log: Path, page: int) -> bytes:
    content = bytearray(log.read_bytes())
    content[PAGE * page : PAGE * (page + 1)] = b"\xa5" * PAGE
    if page == 0:
        content[:100] = log.read_bytes()[:100]
    log.write_bytes(content)
    return bytes(content)


@pytest.mark.usefixtures("in_this_process")
def test_any_page_may_be_damaged(whole: Path, log: Path, caplog: pytest.LogCaptureFixture) -> None:
    pages = whole.stat().st_size // PAGE
    counts = []
    for page in range(pages):
        shutil.copy(whole, log)
        damaged = spoil(log, page)
        caplog.clear()
        with closing(RollLog(log)) as history:
            rows = history.rolls(500)
            counts.append(len(rows))
            history.kept_state(), history.kept_campaign()
            roll(history)
            assert len(history.rolls(500)) == len(rows) + 1
        kept = log.with_name(f"{FILE_NAME}.damaged")
        if kept.exists():  # an unused page may be damaged
            assert kept.read_bytes() == damaged
            assert f"{len(rows)} rows, is now the roll log; the damaged one is kept as {kept}" in caplog.text
            kept.unlink()
        with closing(sqlite3.connect(log)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    # Damage to the schema or the root page costs everything, to a page of rows only those rows.
    assert sum(count >= ROWS - 12 for count in counts) >= pages - 4, counts
    assert max(count for count in counts if count < ROWS) > 0


def test_damage_in_a_log_with_pending_rows(log: Path, caplog: pytest.LogCaptureFixture) -> None:
    with closing(sqlite3.connect(log, isolation_level=None)) as writing, closing(sqlite3.connect(log)) as reading:
        reading.execute("BEGIN")
        reading.execute("SELECT * FROM rolls").fetchone()
        writing.execute("UPDATE rolls SET label = 'late' WHERE id = ?", (ROWS,))
        left = {end: Path(f"{log}{end}").read_bytes() for end in ("", "-wal")}
    for end, content in left.items():
        Path(f"{log}{end}").write_bytes(content)
    spoil(log, 12)
    with closing(RollLog(log)) as history:
        newest = history.rolls(500)
    assert newest[0]["label"] == "late"
    assert 0 < len(newest) < ROWS
    assert Path(f"{log}.damaged-wal").read_bytes() == left["-wal"]


def test_a_log_cut_short_gives_what_is_left(log: Path) -> None:
    log.write_bytes(log.read_bytes()[: -4 * PAGE])
    with closing(RollLog(log)) as history:
        assert 0 < len(history.rolls(500)) <= ROWS


@pytest.mark.usefixtures("in_this_process")
def test_damage_to_the_text_of_any_table_costs_no_row(whole: Path, log: Path, tmp_path: Path) -> None:
    for start, table in enumerate(("rolls", "live", "book", "evening_ends", "evening_names")):
        statement = f"CREATE TABLE {table}".encode()
        for place, byte in ((0, 0xC1), (8, 0xC1), (len(statement) - 1, 0x78), (len(statement) + 3, 0x60)):
            shutil.copy(whole, log)
            content = bytearray(log.read_bytes())
            content[content.index(statement) + place] = byte
            log.write_bytes(content)
            assert restore(log, tmp_path / f"new-{start}-{place}").rows == ROWS
            with closing(RollLog(log)) as history:
                assert len(history.rolls(500)) == ROWS
                roll(history)


def test_a_name_that_is_no_longer_utf_8_is_shown_with_a_mark(log: Path) -> None:
    log.write_bytes(log.read_bytes().replace(b"First evening", b"F\xe9rst evening"))
    assert evening_marks(log).names == {1: "F\ufffdrst evening"}


def test_a_flipped_bit_anywhere_hides_no_other_row(whole: Path, log: Path, caplog: pytest.LogCaptureFixture) -> None:
    chance = random.Random(66)
    content = whole.read_bytes()
    for _ in range(60):
        place = chance.randrange(100, len(content))  # of the header SQLite itself depends
        damaged = bytearray(content)
        damaged[place] ^= 1 << chance.randrange(8)
        log.write_bytes(damaged)
        with closing(RollLog(log)) as history:
            assert len(history.rolls(500)) >= ROWS - 12, place
            evening_marks(log)
            history.kept_state(), history.kept_campaign()
            roll(history)
        for kept in log.parent.glob("*.damaged*"):
            kept.unlink()
