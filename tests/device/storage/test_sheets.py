"""The campaign in the tray's file: changes survive a power cut, and rows of other versions are not lost."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from device.errors import DeviceError
from device.game.state.campaign import Campaign, Carried, Carry, RunningTest
from device.game.state.linked_rolls import LinkedRolls, LinkKind, Member
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.roll_requests import RollRequest, RollRequests, Unshown
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.storage.rolls import RollLog
from rules.clocks import add_clock, tick
from rules.dice import Role
from rules.sheet import MAX_HISTORY, Consequence, Kind, apply_consequences
from rules.sheet_file import new_sheet

ITEM = Consequence(Kind.ATTRIBUTE, by=-1, name="STR")
SHOTS = Consequence(Kind.RESOURCE, by=-4, name="ammo", whole_roll=True)
FULL = replace(
    Campaign().filed(new_sheet("Ann", "push-pool")).filed(new_sheet("Zo", "highest-die")),
    carry=Carry.ALWAYS,
    carry_chosen=True,
    carried=Carried(3, 1, 1, "Roll 3", (ITEM, SHOTS), (Consequence(Kind.GEAR, to=0, most_to=2),), changed=True, upto=0),
    clocks=tick(add_clock(Campaign().clocks, "Alarm", 6), 1, 2, carries=False),
    running_test=RunningTest("hits-pool", "extended", {"target": 6, "limit": 3}, 4, ((4, 2), (5, 1))),
    prepared=PreparedRoll(4, 1, {"attribute": "STR"}, (("code", "text"),), (ITEM,), (SHOTS,), ("a deed",)),
    rulings={"push-pool": {"skill_ones_locked": True}},
    roles={"die-code": {"base": "wild"}},
    requests=RollRequests(
        RollRequest(4, "Ann", "Strength", ((Role.BASE, 3), (Role.GEAR, 0))),
        7,
        (
            RollRequest(5, label="Notice", typed=((Role.BASE, "B"), (Role.BASE, "A")), thrower="Bo"),
            RollRequest(6, "Zo", aim={"threshold": 2}, context={"threshold": 2}, hidden=True, linked=3),
            RollRequest(
                8,
                "Ann",
                sheet=1,
                prepared=PreparedRoll(0, 1, {"attribute": "STR"}, pool=((Role.BASE, 3),), context={"attribute": 3}),
            ),
        ),
        7,
        (
            LinkedRolls(
                3,
                LinkKind.GROUP,
                "hits-pool",
                "Carry",
                {"threshold": 4},
                (Member(3, "Ann", "Bo", False, 6, 2, "hits", None), Member(6, "Zo", hidden=True)),
            ),
        ),
        (Unshown(2, 5, "Cy", "Stealth"),),
    ),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite3"


def written(path: Path, *campaigns: Campaign) -> None:
    history = RollLog(path)
    history.kept_campaign()
    for campaign in campaigns:
        history.write((), Tray(Empty(), Table("push-pool"), campaign))
    history.close()


def read(path: Path) -> Campaign:
    history = RollLog(path)
    try:
        return history.kept_campaign()
    finally:
        history.close()


def test_a_new_file_has_an_empty_book(path: Path) -> None:
    assert read(path) == Campaign()


def test_everything_comes_back(path: Path) -> None:
    written(path, FULL)
    back = read(path)
    assert replace(back, clocks=FULL.clocks) == FULL
    assert (back.clocks.clocks, back.clocks.history) == (FULL.clocks.clocks, FULL.clocks.history)


def test_requests_and_a_prepared_roll_of_earlier_versions_are_read(path: Path) -> None:
    written(path, FULL)
    with closing(sqlite3.connect(path)) as log, log:
        body = json.loads(log.execute("SELECT body FROM book WHERE name = 'table'").fetchone()[0])
        body["prepared"] = {"roll": 4, "take": "Take 3 base.", "sheet": 1, "tiles": {"attribute": "STR"}}
        for request in (body["asked"]["current"], *body["asked"]["waiting"]):
            del request["sheet"], request["prepared"]
        log.execute("UPDATE book SET body = ? WHERE name = 'table'", (json.dumps(body),))
    back = read(path)
    assert back.prepared == PreparedRoll(4, 1, {"attribute": "STR"})
    assert back.requests.waiting == (
        *FULL.requests.waiting[:2],
        replace(FULL.requests.waiting[2], sheet=None, prepared=None),
    )


def test_the_settings_say_how_consequences_are_carried_until_the_table_does(path: Path) -> None:
    written(path, Campaign(carry=Carry.ALWAYS, revision=1))
    history = RollLog(path)
    assert history.kept_campaign(Carry.ASK).carry is Carry.ASK
    history.close()
    written(path, Campaign(carry=Carry.ASK, carry_chosen=True, revision=2))
    history = RollLog(path)
    assert history.kept_campaign(Carry.ALWAYS).carry is Carry.ASK
    history.close()


def test_a_sheet_with_a_whole_evening_of_changes_comes_back(path: Path) -> None:
    sheet = new_sheet("Ann", "push-pool")
    for number in range(2 * MAX_HISTORY):
        by = -1 if number % 2 else 1
        sheet = apply_consequences(sheet, (Consequence(Kind.RESOURCE, by=by, name="grub"),), f"{number}").sheet
    campaign = Campaign().filed(sheet)
    written(path, campaign)
    assert read(path).sheets == campaign.sheets


def test_only_what_changed_is_written_and_what_was_thrown_away_is_gone(path: Path) -> None:
    written(path, FULL, FULL.without_sheet(2))
    assert [filed.id for filed in read(path).sheets] == [1]
    assert read(path).next_sheet == 3


def test_a_sheet_of_another_version_is_left_as_it_is(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    written(path, FULL)
    stranger = json.dumps({"format": "pushtray-sheet/9", "title": "Ann"})
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE book SET body = ? WHERE name = 'sheet 1'", (stranger,))
    campaign = read(path)
    assert [filed.id for filed in campaign.sheets] == [2]
    assert "kept as it is" in caplog.text
    written(path, campaign.filed(new_sheet("Bo", "push-pool")))
    with closing(sqlite3.connect(path)) as database, database:
        rows = dict(database.execute("SELECT name, body FROM book").fetchall())
    assert rows["sheet 1"] == stranger
    assert "Bo" in rows["sheet 3"]


def test_a_table_of_another_version_starts_empty_and_keeps_its_sheets(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    written(path, FULL)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE book SET body = '{}' WHERE name = 'table'")
    campaign = read(path)
    assert (len(campaign.sheets), campaign.next_sheet, campaign.rulings) == (2, 3, {})
    assert "start over" in caplog.text


def test_a_write_that_fails_is_made_up_for_by_the_next(path: Path) -> None:
    history = RollLog(path)
    state = Tray(Empty(), Table("push-pool"), FULL)
    history._database.execute("PRAGMA query_only = ON")
    with pytest.raises(DeviceError):
        history.write((), state)
    history._database.execute("PRAGMA query_only = OFF")
    history.write((), state)
    history.close()
    assert len(read(path).sheets) == 2


def test_a_process_that_is_killed_leaves_the_whole_book(path: Path) -> None:
    program = """
import os, signal, sys
from pathlib import Path
from device.game.state.campaign import Campaign
from device.storage.rolls import RollLog
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from rules.sheet_file import new_sheet
history = RollLog(Path(sys.argv[1]))
campaign = Campaign()
for number in range(5):
    campaign = campaign.filed(new_sheet(f"hero {number}", "push-pool"))
    history.write((), Tray(Empty(), Table("push-pool"), campaign))
os.kill(os.getpid(), signal.SIGKILL)
"""
    root = Path(__file__).parents[3]
    ended = subprocess.run([sys.executable, "-c", program, str(path)], cwd=root, check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert [filed.sheet.title for filed in read(path).sheets] == [f"hero {number}" for number in range(5)]


def test_a_file_from_before_there_were_books_gets_one(path: Path) -> None:
    dump = Path(__file__).parents[1] / "data" / "history_2026-11-21_without_book.sql"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(dump.read_text(encoding="utf-8"))
    assert read(path) == Campaign()
    written(path, FULL)
    assert len(read(path).sheets) == 2
