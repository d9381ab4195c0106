"""The roll log: what is written is there, whole, and no foreign file is touched."""

import csv
import ctypes
import errno
import io
import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from device.errors import BadInput, DeviceError
from device.game.machine import step
from device.game.state.effects import Commit
from device.game.state.events import DiceSettled, DieCorrected, Event, MotionSeen, PushPressed, ResetPressed
from device.game.state.linked_rolls import LinkKind
from device.game.state.states import AwaitingPush, Empty, Resolved, Rolling, Scored, ThrownWithoutPush, Unscored
from device.game.state.table_events import HiddenRollShown, LinkedRollsRequested, RollGiven, RollRequested
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Fault, Tray
from device.storage.export import csv_lines, export, parse_since
from device.storage.log_file import FILE_NAME, log_refused
from device.storage.log_rows import COLUMNS, redacted_row
from device.storage.rolls import RollLog
from device.storage.serialisation import UnknownState, pack_state, unpack_state
from rules.dice import Role
from rules.system import JsonValue
from tests.device.conftest import Dice
from tests.narrowing import a, parts_of
from vision.types.reading import Unread

POOL = Pool(((Role.BASE, 2), (Role.SKILL, 1), (Role.GEAR, 1), (Role.NEGATIVE, 0)))
TABLE = Table(
    "push-pool",
    POOL,
    {"attribute": 3, "notes": ["a", None, {"b": 1.5}]},
    rulings={"push-pool": {"skill_ones_locked": False}},
)


def play(history: RollLog, state: Tray, *events: Event) -> Tray:
    for event in events:
        state, commands = step(state, event)
        for command in commands:
            if isinstance(command, Commit):
                history.write(command.rows, state, command.shown, command.given)
    return state


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / FILE_NAME


def test_each_result_and_each_correction_is_one_row_with_both_readings(path: Path) -> None:
    history = RollLog(path)
    state = play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)), DieCorrected(1, 4, None))
    play(history, state, PushPressed(), DiceSettled(Dice.rest(*Dice.LEFT)), DiceSettled(Dice.rest(*Dice.THROWN)))
    rows = history.rolls(10)
    assert [(row["id"], row["kind"], row["roll"]) for row in rows] == [
        (3, "pushed", 1),
        (2, "corrected", 1),
        (1, "scored", 1),
    ]
    assert rows[1]["correction"] == {"die": 1, "value": 4, "colour": None}
    latest, corrected_row, first = map(parts_of, rows)
    corrected = corrected_row["dice"][0]
    assert (corrected["value"], corrected["read_value"], corrected["read_colour"]) == (4, 5, "base")
    assert "read_value" not in first["dice"][0]
    assert latest["outcome"]["headline"] == {"value": 2, "word": "successes"}
    assert latest["outcome"]["trauma"] == 1
    assert [die["mark"] for die in latest["dice"]] == ["cost", "counted", "counted", "cost"]
    assert rows[2]["pool"] == {"base": 2, "skill": 1, "gear": 1, "negative": 0}
    assert [row["id"] for row in history.rolls(1, before=3)] == [2]
    history.close()


def test_times_are_utc_and_since_keeps_what_is_not_older(path: Path) -> None:
    now = datetime(2026, 1, 31, 20, 0, tzinfo=UTC)
    history = RollLog(path, clock=lambda: now)
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    assert history.rolls(1)[0]["at"] == "2026-01-31T20:00:00.000+00:00"
    assert len(list(history.since(now))) == 1
    assert list(history.since(now + timedelta(milliseconds=1))) == []
    assert parse_since("2026-01-31T20:00:00+00:00") == now
    with pytest.raises(BadInput, match="--since is 'soon'"):
        parse_since("soon")
    history.close()


def test_the_csv_has_a_line_for_each_row_and_names_what_was_read(path: Path) -> None:
    history = RollLog(path)
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)), DieCorrected(1, 4, None))
    lines = list(csv_lines(history.since()))
    assert lines[0].startswith("id,at,kind,roll,system,result,word,success,dice,corrected")
    assert "1:base=5 2:base=6 3:skill=1 4:gear=3" in lines[1]
    assert "1:read base=5" in lines[2]
    history.close()
    die: JsonValue = {"id": 7, "role": "base", "colour": None, "value": 11, "level": "A", "sides": 12, "typed": True}
    assert ",7:base-d12=11," in list(csv_lines([{**dict.fromkeys(COLUMNS), "dice": [die]}]))[1]


def test_a_blank_face_is_named_in_log_and_csv_with_how_often_the_die_has_each(path: Path) -> None:
    blank, six = Dice.die(1, "base", 0), Dice.die(2, "base", 6)
    faces = (0, 0, 0, 0, 5, 6)
    dice = [replace(die, reading=replace(die.reading, faces=faces)) for die in (blank, six)]
    history = RollLog(path)
    play(history, Tray(Empty(), Table("push-pool")), DiceSettled(Dice.rest(*dice)), DieCorrected(2, 0, None))
    first, second = map(parts_of, history.since())
    of_each = [(die["value"], die.get("face"), die["faces"]) for die in first["dice"]]
    assert of_each == [(0, "blank", list(faces)), (6, None, list(faces))]
    assert (first["outcome"]["successes"], second["outcome"]["successes"]) == (1, 0)
    lines = list(csv_lines(history.since()))
    assert "1:base=blank 2:base=6" in lines[1]
    assert "1:base=blank 2:base=blank,2:read base=6" in lines[2]
    history.close()


def test_a_spreadsheet_reads_the_csv_as_it_is(path: Path) -> None:
    with closing(RollLog(path)) as history:
        play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
        for separator, between, chance in (("semicolon", ";", "0,517747"), ("tab", "\t", "0.517747")):
            text = "".join(csv_lines(history.since(), separator))
            assert text.startswith("\ufeffid")
            row = next(csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), delimiter=between))
            assert row["chance"] == chance
            assert row["p_success"].startswith("'")


def test_whose_roll_it_was_stands_in_its_rows_and_in_the_csv_where_no_spreadsheet_computes_it(path: Path) -> None:
    history = RollLog(path)
    request = RollRequested("=Ann", "Strength + Fight", {Role.BASE: 2, Role.SKILL: 1, Role.GEAR: 1})
    play(
        history,
        Tray(Empty(), TABLE),
        request,
        DiceSettled(Dice.rest(*Dice.FIRST)),
        DieCorrected(1, 4, None),
        ResetPressed(),
    )
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    rows = history.rolls(9)
    assert [(row["kind"], row["owner"], row["label"]) for row in rows] == [
        ("scored", None, None),
        ("corrected", "=Ann", "Strength + Fight"),
        ("scored", "=Ann", "Strength + Fight"),
    ]
    lines = list(csv.DictReader(csv_lines(history.since())))
    assert [(line["owner"], line["label"]) for line in lines] == [
        ("'=Ann", "Strength + Fight"),
        ("'=Ann", "Strength + Fight"),
        ("", ""),
    ]
    history.close()


def test_a_hidden_roll_is_whole_in_the_log_and_covered_for_who_may_not_see_it_until_it_is_shown(path: Path) -> None:
    history = RollLog(path)
    hidden = RollRequested("Guard", "Notice", aim={"difficulty": -2}, thrower="Ann", hidden=True)
    rest = DiceSettled(Dice.rest(*Dice.FIRST))
    ann = (RollRequested("Ann"), rest, ResetPressed(), DiceSettled(Dice.rest()))
    state = play(history, Tray(Empty(), Table("push-pool")), *ann, hidden, rest)
    row, before = history.rolls(2)
    assert (row["hidden"], before["hidden"]) == (True, False)
    assert parts_of(row)["outcome"]["successes"] == 1
    covered = parts_of(redacted_row(row))
    assert (covered["dice"], covered["outcome"], covered["correction"]) == ([], None, None)
    assert (covered["asked"]["met"], covered["asked"]["aim"]) == (None, {"difficulty": -2})
    assert (covered["owner"], covered["label"], covered["kind"]) == ("Guard", "Notice", "scored")
    assert redacted_row(before) == before
    play(history, state, HiddenRollShown(2), DieCorrected(1, 4, None))
    assert [row["hidden"] for row in history.rolls(9)] == [False, False, False]
    assert redacted_row(history.rolls(1)[0]) == history.rolls(1)[0]
    history.close()


def test_how_compared_rolls_came_out_stands_in_the_last_row_and_in_the_csv(path: Path) -> None:
    history = RollLog(path)
    rolls = (RollRequested("=Ann", thrower="Bo"), RollRequested("Zo", hidden=True))
    two = LinkedRollsRequested(LinkKind.OPPOSED, rolls, "Wrestle", {"threshold": 1})
    first, second = (Dice.rest(Dice.die(at, "base", value, (90.0 * at, 200.0))) for at, value in ((1, 5), (2, 3)))
    events = (two, MotionSeen(), DiceSettled(first), ResetPressed(), MotionSeen(), DiceSettled(second))
    state = play(history, Tray(Empty(), Table("hits-pool")), *events)
    covered = list(csv.DictReader(csv_lines(redacted_row(row) for row in history.since())))
    names = ("owner", "thrower", "aim", "met", "by", "compared", "hidden")
    assert [tuple(line[name] for name in names) for line in covered] == [
        ("'=Ann", "Bo", "threshold=1", "true", "0", "", ""),
        ("Zo", "", "threshold=1", "", "", "", "hidden"),
    ]
    play(history, state, HiddenRollShown(2))
    lines = list(csv.DictReader(csv_lines(redacted_row(row) for row in history.since())))
    assert [tuple(line[name] for name in names) for line in lines] == [
        ("'=Ann", "Bo", "threshold=1", "true", "0", "", ""),
        ("Zo", "", "threshold=1", "false", "-1", "'=Ann beats Zo, 1 to 0.", ""),
    ]
    history.close()


def test_a_roll_given_to_another_player_is_that_players_in_all_its_rows_and_comparisons(path: Path) -> None:
    history = RollLog(path)
    two = LinkedRollsRequested(LinkKind.OPPOSED, (RollRequested("Ann"), RollRequested("Zo")))
    first, second = (Dice.rest(Dice.die(at, "base", value, (90.0 * at, 200.0))) for at, value in ((1, 5), (2, 3)))
    events = (two, MotionSeen(), DiceSettled(first), DieCorrected(1, 6, None), ResetPressed(), MotionSeen())
    state = play(history, Tray(Empty(), Table("hits-pool")), *events, DiceSettled(second), ResetPressed())
    with closing(sqlite3.connect(path)) as log, log:
        log.execute(
            "INSERT INTO rolls SELECT NULL, at, kind, roll, system, pool, context, dice, outcome, correction, "
            "owner, label, odds, picture, '{\"roll\": 1, damaged', hidden FROM rolls WHERE id = 1"
        )
    before = history.extent()
    play(history, state, RollGiven(1, "Bo"))
    assert [row["owner"] for row in history.rolls(9)] == ["Zo", "Bo", "Bo"]
    compared = parts_of(history.rolls(9)[0])["asked"]["together"]
    assert [member["owner"] for member in compared["members"]] == ["Bo", "Zo"]
    assert history.extent() != before, "who has read the log reads it again"
    play(history, state, RollGiven(1, None))
    assert [row["owner"] for row in history.rolls(9)] == ["Zo", None, None]
    history.close()


def test_an_open_side_says_nothing_of_the_hidden_one_in_the_log_either(path: Path) -> None:
    history = RollLog(path)
    two = LinkedRollsRequested(LinkKind.OPPOSED, (RollRequested("Guard", hidden=True), RollRequested("Ann")))
    first, second = (Dice.rest(Dice.die(at, "base", value, (90.0 * at, 200.0))) for at, value in ((1, 5), (2, 3)))
    events = (two, MotionSeen(), DiceSettled(first), ResetPressed(), MotionSeen(), DiceSettled(second), ResetPressed())
    state = play(history, Tray(Empty(), Table("hits-pool")), *events)
    assert parts_of(redacted_row(history.rolls(1)[0]))["asked"]["together"] is None
    play(history, state, HiddenRollShown(1))
    reported = parts_of(redacted_row(history.rolls(1)[0]))["asked"]["together"]
    assert (reported["text"], reported["hidden"]) == ("Guard beats Ann, 1 to 0.", False)
    history.close()


def test_the_state_of_the_last_write_comes_back(path: Path) -> None:
    history = RollLog(path)
    assert history.kept_state() is None
    state = play(
        history,
        Tray(Empty(), TABLE),
        DiceSettled(Dice.rest(*Dice.FIRST)),
        PushPressed(),
        DiceSettled(Dice.rest(*Dice.LEFT)),
    )
    assert isinstance(state.dice, AwaitingPush)
    history.close()
    again = RollLog(path)
    assert again.kept_state() == state
    assert [row["kind"] for row in again.rolls(10)] == ["scored"]
    again.close()


def test_every_state_is_kept_as_it_is() -> None:
    cocked = (*Dice.FIRST[:3], Dice.die(4, "gear", None, unread=Unread.COCKED))
    scored = step(Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))[0]
    layout = a(Scored, scored.dice).layout
    awaiting = step(scored, PushPressed())[0]
    resolved = step(step(awaiting, DiceSettled(Dice.rest(*Dice.LEFT)))[0], DiceSettled(Dice.rest(*Dice.THROWN)))[0]
    wrong = step(awaiting, DiceSettled(Dice.rest(*Dice.THROWN[:3])))[0]
    unclear = step(Tray(Empty(), TABLE), DiceSettled(Dice.rest(*cocked)))[0]
    unpushed = step(step(scored, DiceSettled(Dice.rest(*Dice.LEFT)))[0], DiceSettled(Dice.rest(*Dice.THROWN)))[0]
    kinds = (Empty, Scored, AwaitingPush, Resolved, AwaitingPush, Unscored, ThrownWithoutPush)
    for state, kind in zip(
        (Tray(Empty(), TABLE), scored, awaiting, resolved, wrong, unclear, unpushed), kinds, strict=True
    ):
        assert type(state.dice) is kind
        assert unpack_state(pack_state(state)) == state
        assert unpack_state(pack_state(replace(state, fault=Fault("gone", 1.0)))) == state
    assert unpack_state(pack_state(replace(scored, dice=Rolling(layout)))) == replace(scored, dice=Empty(layout))
    assert a(Scored, unpack_state(pack_state(step(scored, MotionSeen())[0])).dice).moving is True


@pytest.mark.parametrize(
    "text",
    [
        '{"format": 99, "state": null}',
        "{}",
        '{"format": 1, "state": {"kind": "Gone", "fields": {}}}',
        '{"format": 1, "state": 3}',
        "no json",
    ],
)
def test_a_state_of_another_version_is_distinguished(text: str) -> None:
    with pytest.raises(UnknownState):
        unpack_state(text)


def test_a_file_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(BadInput, match="belongs to another program: move it away"):
        RollLog(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("my diary")
    with pytest.raises(BadInput, match="is not a roll log: move it away"):
        RollLog(path)
    assert path.read_text() == "my diary"


def test_an_empty_file_is_taken_as_new(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    history = RollLog(path)
    assert history.rolls(5) == []
    history.close()


@contextmanager
def bound_by_permissions() -> Iterator[None]:
    """Remove root's power to bypass permissions inside the context.

    It remains the owner of the program, which another user could not read in a clone below a private folder.
    """
    libc = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(0x20080522)  # the form of what follows: effective, permitted, inheritable, twice
    powers = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, powers) == 0
    effective = powers[0]
    powers[0] = effective & ~0b110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    assert libc.capset(header, powers) == 0
    try:
        yield
    finally:
        powers[0] = effective
        assert libc.capset(header, powers) == 0


def exported(path: Path) -> list[Any]:
    out = io.StringIO()
    export(path.parent, None, as_csv=False, out=out)
    return [json.loads(line)["kind"] for line in out.getvalue().splitlines()]


def test_an_export_writes_nothing_and_leaves_nothing_behind(path: Path) -> None:
    history = RollLog(path)
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    assert exported(path) == ["scored"]
    history.close()
    whole = path.read_bytes()
    assert exported(path) == ["scored"]
    assert (path.read_bytes(), list(path.parent.iterdir())) == (whole, [path])
    path.write_bytes(b"")
    assert exported(path) == []


def test_an_export_is_json_on_an_output_that_lacks_its_letters(path: Path) -> None:
    history = RollLog(path)
    table = Table("push-pool", colour_classes=("gr\xfcn",), colour_roles={"push-pool": {"gr\xfcn": "base"}})
    play(history, Tray(Empty(), table), DiceSettled(Dice.rest(Dice.die(1, "gr\xfcn", 6))))
    history.close()
    carried = io.BytesIO()
    out = io.TextIOWrapper(carried, encoding="ascii", errors="backslashreplace")
    export(path.parent, None, as_csv=False, out=out)
    assert json.loads(carried.getvalue())["dice"][0]["colour"] == "gr\xfcn"


def test_a_log_that_may_not_be_written_is_exported_and_not_called_damaged(path: Path) -> None:
    history = RollLog(path)
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    history.close()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        with bound_by_permissions():
            assert exported(path) == ["scored"]
            with pytest.raises(BadInput, match="cannot be used"):
                RollLog(path)
    finally:
        path.parent.chmod(0o755)


def test_a_log_that_somebody_holds_is_not_called_damaged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RollLog(path).close()
    monkeypatch.setattr("device.storage.log_file.WAIT_S", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        for use in (RollLog, exported):
            with pytest.raises(BadInput, match=r"cannot be used.*locked"):
                use(path)


def test_a_folder_in_the_way_is_refused(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(BadInput, match="name a file in it, for it is a folder"):
        RollLog(path)


def test_a_write_that_fails_leaves_nothing_and_says_so(path: Path) -> None:
    history = RollLog(path)
    scored = step(Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    blocker = sqlite3.connect(path, isolation_level=None)
    history._database.execute("PRAGMA busy_timeout = 1")
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(DeviceError, match="cannot be written"):
        history.write(a(Commit, scored[1][0]).rows, scored[0])
    blocker.execute("ROLLBACK")
    blocker.close()
    assert history.rolls(5) == []
    history.write(a(Commit, scored[1][0]).rows, scored[0])
    assert len(history.rolls(5)) == 1
    history.close()


def test_the_file_is_written_through_to_the_disk(path: Path) -> None:
    history = RollLog(path)
    assert history._database.execute("PRAGMA synchronous").fetchone()[0] == 2
    assert history._database.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    history.close()


def copied_alone(path: Path, tmp_path: Path) -> list[Any]:
    """Return what a copy of the file alone contains."""
    alone = tmp_path / "alone" / FILE_NAME
    alone.parent.mkdir(exist_ok=True)
    alone.write_bytes(path.read_bytes())
    return exported(alone)


def test_a_copy_of_the_file_alone_is_whole_once_the_tray_is_idle(path: Path, tmp_path: Path) -> None:
    history = RollLog(path)
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)), DieCorrected(1, 4, None))
    assert copied_alone(path, tmp_path) == []
    assert history.checkpoint()
    assert copied_alone(path, tmp_path) == ["scored", "corrected"]
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    history.close()
    assert copied_alone(path, tmp_path) == ["scored", "corrected", "scored"]


def test_a_reader_does_not_hold_up_what_is_brought_into_the_file(path: Path, tmp_path: Path) -> None:
    history = RollLog(path)
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    assert history.checkpoint()
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM rolls").fetchone() == (1,)
        play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
        play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
        history.checkpoint()
        rows = reader.execute("SELECT count(*) FROM rolls").fetchone()
        assert rows == (1,), "the reader's own moment stays as it was"
    assert history.checkpoint()
    assert copied_alone(path, tmp_path) == ["scored"] * 3
    history.close()


def test_rows_stamped_before_the_clock_was_set_are_not_left_out(path: Path) -> None:
    """A Pi has no battery-backed clock: it starts with the time at which it was switched off, or an older one."""
    times = {
        1: datetime(2026, 1, 30, 21, 0, tzinfo=UTC),
        2: datetime(2026, 1, 31, 20, 0, tzinfo=UTC),
        3: datetime(2026, 1, 30, 21, 1, tzinfo=UTC),
        4: datetime(1970, 1, 1, 0, 0, 20, tzinfo=UTC),
        5: datetime(2026, 1, 31, 21, 0, tzinfo=UTC),
    }
    for at in times.values():
        history = RollLog(path, clock=stopped_at(at))
        play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
        history.close()
    from_day = datetime(2026, 1, 31, tzinfo=UTC)
    history = RollLog(path)
    assert [row["id"] for row in history.since(from_day)] == [2, 3, 4, 5]
    assert [row["id"] for row in history.since(from_day + timedelta(days=1))] == []
    assert [row["id"] for row in history.since()] == [1, 2, 3, 4, 5]
    history.close()
    out = io.StringIO()
    export(path.parent, from_day, as_csv=False, out=out)
    assert [json.loads(line)["id"] for line in out.getvalue().splitlines()] == [2, 3, 4, 5]


REFUSED = {
    (sqlite3.SQLITE_FULL, "database or disk is full"): "make room on its drive",
    (sqlite3.SQLITE_IOERR, "disk I/O error"): "check its drive",
    (sqlite3.SQLITE_IOERR_LOCK, "disk I/O error"): "use a drive of this machine",
    (sqlite3.SQLITE_PROTOCOL, "locking protocol"): "use a drive of this machine",
    (sqlite3.SQLITE_BUSY, "database is locked"): "close the program that uses it",
    (sqlite3.SQLITE_CORRUPT, "database disk image is malformed"): "stop the tray and bring back a copy",
    (sqlite3.SQLITE_READONLY, "attempt to write a readonly database"): r"let user \w+ use it",
}


class RefusingDatabase:
    """A connection that refuses to begin, like SQLite."""

    in_transaction = False

    def __init__(self, code: int, text: str) -> None:
        self.error = sqlite3.OperationalError(text)
        self.error.sqlite_errorcode = code

    def execute(self, *_: object) -> None:
        raise self.error


@pytest.mark.parametrize("refusal", REFUSED, ids=lambda refusal: f"{refusal[1]} {refusal[0]}")
def test_each_refusal_of_the_disk_has_its_own_cure(path: Path, refusal: tuple[int, str]) -> None:
    history = RollLog(path)
    own, history._database = history._database, cast("sqlite3.Connection", RefusingDatabase(*refusal))
    state, commands = step(Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    with pytest.raises(DeviceError, match=f"cannot be written .*: {REFUSED[refusal]}"):
        history.write(a(Commit, commands[0]).rows, state)
    history._database = own
    history.close()


@pytest.mark.parametrize(
    "code", [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN]
)
def test_a_drive_that_turned_read_only_has_one_cure_whatever_sqlite_calls_it(
    path: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path, flags: int, mode: int) -> int:
        assert (folder, flags & os.O_TMPFILE) == (path.parent, os.O_TMPFILE), "nothing is left on the drive"
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(folder))

    monkeypatch.setattr("os.open", refuse)
    refused = log_refused(path, RefusingDatabase(code, "any words").error)
    assert "make its drive writable (a worn-out card turns read-only automatically), or" in str(refused)


def test_a_full_disk_is_distinguished_from_a_damaged_log() -> None:
    """SQLite's own refusal, not a made one: the drive is full."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE_NAME
        history = RollLog(path)
        pages = history._database.execute("PRAGMA page_count").fetchone()[0]
        history._database.execute(f"PRAGMA max_page_count = {pages}")
        rolled = step(Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
        with pytest.raises(DeviceError, match="make room on its drive"):
            history.write(a(Commit, rolled[1][0]).rows * 200, rolled[0])
        history.close()


def stopped_at(at: datetime) -> Callable[[], datetime]:
    """Return a clock that stands still."""
    return lambda: at


class PiClock:
    """The clocks of a computer that starts with the time at which it was switched off."""

    def __init__(self) -> None:
        self.uptime_s = 30.0
        self.behind = timedelta(hours=22)
        self.is_set: bool | None = False

    def now(self) -> datetime:
        return datetime(2026, 1, 31, 19, 0, tzinfo=UTC) + timedelta(seconds=self.uptime_s) - self.behind

    def open(self, path: Path) -> RollLog:
        return RollLog(path, self.now, lambda: self.uptime_s, lambda: self.is_set)

    def set_by_network(self) -> None:
        self.behind, self.is_set = timedelta(), True


@pytest.mark.parametrize("how", ["with the next roll", "in a quiet moment"])
def test_rolls_before_the_clock_was_set_get_their_right_time(path: Path, how: str) -> None:
    pi = PiClock()
    history = pi.open(path)
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    pi.uptime_s += 60
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    history.run_maintenance()
    assert [str(row["at"])[:16] for row in history.since()] == ["2026-01-30T21:00", "2026-01-30T21:01"]
    pi.uptime_s += 60
    pi.set_by_network()
    if how == "with the next roll":
        play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    else:
        history.run_maintenance()
    at = [str(row["at"])[:16] for row in history.since(datetime(2026, 1, 31, tzinfo=UTC))]
    assert at[:2] == ["2026-01-31T19:00", "2026-01-31T19:01"]
    assert at[2:] == (["2026-01-31T19:02"] if how == "with the next roll" else [])
    pi.behind = timedelta(hours=1)
    history.run_maintenance()
    assert [str(row["at"])[:16] for row in history.since()] == at, "a row's time is corrected once"
    history.close()


@pytest.mark.parametrize("is_set", [True, None])
def test_rolls_under_a_clock_that_was_set_keep_their_time(path: Path, is_set: bool | None) -> None:
    """As in a virtual machine that slept: its clock is corrected by hours, and its rows were right all the time."""
    pi = PiClock()
    pi.is_set = is_set
    history = pi.open(path)
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    pi.set_by_network()
    play(history, Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    assert str(history.rolls(2)[1]["at"]).startswith("2026-01-30T21:00")
    history.close()


def test_a_failed_write_corrects_no_time(path: Path) -> None:
    pi = PiClock()
    history = pi.open(path)
    state, commands = step(Tray(Empty(), TABLE), DiceSettled(Dice.rest(*Dice.FIRST)))
    history.write(a(Commit, commands[0]).rows, state)
    pi.set_by_network()
    history._database.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(path, isolation_level=None)) as blocker:
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(DeviceError, match="close the program that uses it"):
            history.write(a(Commit, commands[0]).rows, state)
        history.run_maintenance()
        assert str(history.rolls(1)[0]["at"]).startswith("2026-01-30")
    history.run_maintenance()
    assert str(history.rolls(1)[0]["at"]).startswith("2026-01-31")
    history.close()
