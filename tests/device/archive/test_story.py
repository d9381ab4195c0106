"""A story on paper, as CSV and as JSON Lines, and the book that they are read from."""

import csv
import gzip
import io
import json
import re
import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import device.web.features.archive.service
from device.archive.book import BRIEF_NAME, RollArchive, read_book
from device.archive.evenings import Evening as Told
from device.archive.roll_summaries import roll_summaries
from device.archive.search import RollFilter, found
from device.archive.statistics import statistics
from device.archive.story import evening_json, story_csv, story_lines
from device.archive.story_page import StoryLook, story_html
from device.archive.zone import tray_zone
from device.cli.main import main
from device.game.state.events import DiceSettled, DieCorrected, Event, MotionSeen, PushPressed, ResetPressed
from device.game.state.linked_rolls import LinkKind
from device.game.state.table_events import HiddenRollShown, LinkedRollsRequested, RollRequested
from device.storage.evenings import end_evening, forget_rows, go_on_with_evening, name_evening, write_rows
from device.storage.log_rows import checked_row
from device.web.features.archive.service import ArchiveService, Search
from rules.dice import Role
from rules.system import JsonValue
from tests.device.archive.conftest import Evening
from tests.device.conftest import Dice

Row = Callable[..., dict[str, Any]]
LOOK = StoryLook("en", {"base": "yellow", "skill": "green", "gear": "black"})


@pytest.fixture
def played(evening: Evening) -> Evening:
    """Two evenings: a roll of Mira's with a correction and a push, then one without a player."""
    evening.play(RollRequested("Mira", "Strength + Fight", {Role.BASE: 2, Role.SKILL: 1, Role.GEAR: 1}))
    evening.play(DiceSettled(Dice.rest(*Dice.FIRST)), DieCorrected(1, 4, None))
    evening.play(PushPressed(), DiceSettled(Dice.rest(*Dice.LEFT)), DiceSettled(Dice.rest(*Dice.THROWN)))
    evening.play(ResetPressed())
    evening.play(DiceSettled(Dice.rest(Dice.die(7, "base", 3))), after=timedelta(hours=20))
    return evening


def test_a_line_a_roll(played: Evening) -> None:
    rolls = [(roll, 1) for roll in roll_summaries(played.history.since())]
    first, second = csv.DictReader(io.StringIO("".join(story_csv(rolls))))
    assert (first["owner"], first["dice"]) == ("Mira", "base=1 base=6 skill=6 gear=1")
    assert (first["result"], first["success"], first["result_after_push"]) == ("1", "true", "2")
    assert (first["pushes"], first["corrected"]) == ("1", "1:5>4")
    assert (second["pushes"], second["p_success"], second["success"]) == ("0", "'1/6", "false")
    assert second["chance"] == "0.166667"
    local = datetime.fromisoformat(second["at"]).astimezone()
    assert (second["at_local"], second["zone"]) == (f"{local:%Y-%m-%d %H:%M:%S}", tray_zone())
    german = [*csv.DictReader(io.StringIO("".join(story_csv(rolls, ";"))), delimiter=";")]
    assert (german[1]["chance"], german[1]["p_success"]) == ("0,166667", "'1/6")
    parsed = [json.loads(line) for line in story_lines(rolls)]
    assert [(one["id"], len(one["throws"])) for one in parsed] == [(1, 2), (4, 1)]
    assert parsed[0]["throws"][1]["thrown"] == [1, 3, 4]


def test_words_of_people_are_no_formulas_and_no_markup(row: Row) -> None:
    (roll,) = roll_summaries([row(1, owner="=1+1", label="<script>alert(1)</script>")])
    assert "'=1+1" in "".join(story_csv([(roll, 1)]))
    html = story_html(Told((roll,), "<b>", is_over=False), LOOK)
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "<h1>&lt;b&gt;</h1>" in html


def test_what_a_log_of_others_holds_is_no_markup(row: Row) -> None:
    die = {"id": 1, "colour": "base", "role": "base", "value": "<i>", "read_value": "<i>", "corrected": True}
    outcome = {"headline": {"value": "<i>", "word": "success"}, "success": True}
    (roll,) = roll_summaries([row(1, dice=[die], outcome=outcome)])
    html = story_html(Told((roll,), "", is_over=False), LOOK)
    assert "<i>" not in html
    assert "<strong>&lt;i&gt; success" in html


def test_a_die_with_more_than_six_sides_shows_its_kind(row: Row) -> None:
    dice = [{"id": 1, "colour": "base", "role": "base", "value": 5, "sides": 8, "level": "C"}]
    (roll,) = roll_summaries([row(1, dice=[*dice, {**dice[0], "id": 2, "sides": 6}])])
    (line,) = csv.DictReader(io.StringIO("".join(story_csv([(roll, 1)]))))
    assert line["dice"] == "base-d8=5 base=5"
    html = story_html(Told((roll,), "", is_over=False), LOOK)
    assert re.findall(r'title="([^"]+)">([^/]*)</', html) == [("base d8", "5 <small>d8"), ("base", "5")]


@pytest.mark.usefixtures("in_utc")
def test_the_page_reports_the_evening(played: Evening) -> None:
    name_evening(played.history.path, 1, "The old mill")
    book = RollArchive(played.history, timedelta(hours=4))
    first, second = book.edition().evenings
    first, second = (replace(one, rolls=tuple(book.whole(one.rolls))) for one in (first, second))
    html = story_html(first, LOOK)
    text = re.sub(r"<[^>]+>", " ", html)
    for expected in (
        "The old mill",
        "Mira: Strength + Fight",
        "2 successes",
        "Pushed",
        "1 trauma",
        "read as 5, shows 4",
    ):
        assert expected in text, expected
    assert '<span class="die body-black dark"' in html
    assert "style=" not in html, "the page's policy allows none"
    german = story_html(second, StoryLook("de", LOOK.colours))
    assert "Der Abend vom 31.01.2026" in german
    assert "Erfolgschance 17 %" in german
    assert "<strong>0 Erfolge</strong>" in german


def test_aims_throwers_and_opposed_rolls_are_remembered(evening: Evening) -> None:
    def thrown(first_id: int, *values: int) -> tuple[Event, ...]:
        lying = [
            Dice.die(first_id + place, "base", value, (60.0 + 90 * place, 200.0)) for place, value in enumerate(values)
        ]
        return MotionSeen(), DiceSettled(Dice.rest(*lying)), ResetPressed(), MotionSeen(), DiceSettled(Dice.rest())

    evening.play(RollRequested("Mira", "Climb", thrower="Jonas", aim={"difficulty": -2}), *thrown(1, 6, 6))
    sides = (RollRequested("Mira"), RollRequested("Zo", hidden=True))
    evening.play(LinkedRollsRequested(LinkKind.OPPOSED, sides, "Arm wrestling"), *thrown(11, 6, 6), *thrown(21, 6, 1))
    book = RollArchive(evening.history, timedelta(hours=4))
    assert [roll.compared_text for roll in book.edition().rolls] == [None, None], "Zo's side is still hidden"
    assert statistics(book.edition().rolls, is_part=False)["contests"] == []
    (unshown,) = evening.state.campaign.requests.unshown
    evening.play(HiddenRollShown(unshown.id))

    rolls = climb, first, last = tuple(book.whole(book.edition().rolls))
    assert (climb.whose, climb.aim_text) == ("Jonas for Mira", "Harder: \N{MINUS SIGN}2 dice")
    assert (first.compared_text, last.compared_text) == (None, "Mira beats Zo, 2 to 1.")
    assert statistics(book.edition().rolls, is_part=False)["contests"] == [
        {"player": "Mira", "won": 1, "drawn": 0, "lost": 0},
        {"player": "Zo", "won": 0, "drawn": 0, "lost": 1},
    ]
    text = re.sub(r"<[^>]+>", " ", story_html(Told(rolls, None, is_over=False), StoryLook("de", LOOK.colours)))
    for expected in (
        "Jonas für Mira: Climb",
        "Schwerer: \N{MINUS SIGN}2 Würfel",
        "Geschafft, um 1 besser.",
        "Mira schlägt Zo, 2 zu 1.",
    ):
        assert expected in text, expected
    lines = [*csv.DictReader(io.StringIO("".join(story_csv([(roll, 1) for roll in rolls]))))]
    assert [lines[0][name] for name in ("thrower", "aim", "met", "by")] == ["Jonas", "difficulty=-2", "true", "1"]
    assert [line["compared"] for line in lines] == ["", "", "Mira beats Zo, 2 to 1."]
    parsed = [json.loads(line) for line in story_lines((roll, 1) for roll in rolls)]
    assert parsed[0]["throws"][0]["met_text"] == "Made it by 1."
    assert parsed[2]["compared"]["winner"] == 0


def test_an_open_side_says_nothing_of_the_hidden_one_before_it_is_shown(evening: Evening) -> None:
    sides = (RollRequested("Zo", hidden=True), RollRequested("Mira"))
    evening.play(LinkedRollsRequested(LinkKind.OPPOSED, sides))
    for number, value in ((1, 5), (2, 6)):
        evening.play(MotionSeen(), DiceSettled(Dice.rest(Dice.die(number, "base", value))), ResetPressed())
        evening.play(MotionSeen(), DiceSettled(Dice.rest()))
    book = RollArchive(evening.history, timedelta(hours=4))
    assert [(roll.notes.owner, roll.compared_text) for roll in book.edition().rolls] == [("Mira", None)]
    (unshown,) = evening.state.campaign.requests.unshown
    evening.play(HiddenRollShown(unshown.id))
    assert [roll.compared_text for roll in book.edition().rolls] == [None, "Mira beats Zo, 1 to 0."]


def test_the_book_follows_the_log(played: Evening) -> None:
    book = RollArchive(played.history, timedelta(hours=4))

    def is_as_read_from_the_log() -> bool:
        whole = list(roll_summaries(played.history.since()))
        briefly = list(book.edition().rolls) == [roll.brief() for roll in whole]
        return briefly and list(book.whole(book.edition().rolls)) == whole

    assert [len(evening.rolls) for evening in book.edition().evenings] == [1, 1]
    earlier = book.edition().rolls[-1]
    played.play(DieCorrected(7, 6, None))
    assert is_as_read_from_the_log()
    assert (len(earlier.rows), len(book.edition().rolls[-1].rows)) == (1, 2), "a reader's edition does not change"
    played.play(ResetPressed(), DiceSettled(Dice.rest(Dice.die(8, "skill", 2))))
    assert is_as_read_from_the_log()
    assert end_evening(played.history.path) == 6
    assert book.edition().evenings[-1].is_over
    before = book.edition().rolls
    gone = forget_rows(played.history.path, [4, 5])
    assert is_as_read_from_the_log()
    assert [roll.id for roll in book.edition().rolls] == [1, 6]
    write_rows(played.history.path, gone)
    assert is_as_read_from_the_log()
    assert book.edition().rolls == before
    go_on_with_evening(played.history.path, 6)
    assert not book.edition().evenings[-1].is_over


def test_what_is_counted_and_searched_of_a_roll_is_kept_in_brief(played: Evening) -> None:
    rolls = RollArchive(played.history, timedelta(hours=4)).edition().rolls
    whole = list(roll_summaries(played.history.since()))
    assert statistics(rolls, is_part=False) == statistics(whole, is_part=False)
    for wanted in (
        RollFilter(text="mira strength"),
        RollFilter(text="success"),
        RollFilter(last_day=date(2026, 1, 30)),
    ):
        assert [roll.id for roll in found(rolls, wanted)] == [roll.id for roll in found(whole, wanted)]
    assert [evening_json(one) for one in RollArchive(played.history, timedelta(hours=4)).edition().evenings] == [
        evening_json(one) for one in read_book(played.history.path.parent, timedelta(hours=4)).evenings
    ]


def test_a_long_log_takes_little_memory(evening: Evening) -> None:
    def play(rolls: int) -> None:
        for number in range(rolls):
            lying = [Dice.die(10 * number + place, "base", 1 + (number >> place) % 6) for place in range(8)]
            evening.play(DiceSettled(Dice.rest(*lying)), ResetPressed(), DiceSettled(Dice.rest()))

    book = RollArchive(evening.history, timedelta(hours=4))
    play(10)
    book.edition()
    play(200)
    tracemalloc.start()
    try:
        book.edition()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(book.edition().rolls) == 210
    assert held / 200 < 2500, "bytes a roll"


def test_what_was_folded_is_read_from_a_file_after_a_start(played: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.archive.book._WORTH_A_FILE", 1)
    file, pause = played.history.path.with_name(BRIEF_NAME), timedelta(hours=4)
    before = RollArchive(played.history, pause).edition()
    read: list[JsonValue] = []

    def counted(found: tuple[Any, ...]) -> dict[str, JsonValue]:
        read.append(found[0])
        return checked_row(found)

    monkeypatch.setattr("device.storage.log_rows.checked_row", counted)
    assert RollArchive(played.history, pause).edition() == before
    assert read == before.rolls[-1].rows, "only what may still grow"

    kept = file.read_bytes()
    for damaged in (b"", b"nothing", kept[:-9], gzip.compress(b"[]"), gzip.compress(b'{"format": "pushtray-brief/2"}')):
        file.write_bytes(damaged)
        assert RollArchive(played.history, pause).edition() == before
    file.write_bytes(kept)
    forget_rows(played.history.path, before.rolls[0].rows)
    assert [roll.id for roll in RollArchive(played.history, pause).edition().rolls] == [4]
    assert not file.exists(), "it names who rolled what was deleted"


@pytest.mark.usefixtures("in_utc")
def test_the_commands(played: Evening, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", str(played.history.path.parent)]

    def exported(*words: str) -> list[dict[str, Any]]:
        assert main(["export", "--story", "--format", "jsonl", *words, *data]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [(one["id"], one["evening"]) for one in exported()] == [(1, 1), (4, 4)]
    assert [one["id"] for one in exported("--evening", "last")] == [4]
    assert [one["id"] for one in exported("--evening", "1", "--player", "mira")] == [1]
    assert [one["id"] for one in exported("--text", "strength")] == [1]
    assert [one["id"] for one in exported("--until", "2026-01-30")] == [1]
    assert [one["id"] for one in exported("--since", "2026-01-31")] == [4]
    for words, expected in {
        ("--story", "--evening", "7"): "there is no evening '7': give last, or an id from the column evening",
        ("--story", "--until", "soon"): "--until is 'soon': write a day as 2026-01-31",
        ("--player", "Mira"): "--player chooses rolls, and this prints rows: add --story",
    }.items():
        assert main(["export", *words, *data]) == 2
        assert capsys.readouterr().err == f"pushtray: {expected}\n"


def test_each_row_is_read_once(played: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row["id"] for row in reversed(played.history.rolls(99))]
    read: list[JsonValue] = []

    def counted(found: tuple[Any, ...]) -> dict[str, JsonValue]:
        read.append(found[0])
        return checked_row(found)

    monkeypatch.setattr("device.storage.log_rows.checked_row", counted)
    book = RollArchive(played.history, timedelta(hours=4))
    for _ in range(2):
        book.edition()
    assert read == rows


def test_a_log_of_an_older_version_has_evenings_too(tmp_path: Path) -> None:
    dump = Path(__file__).parents[1] / "data" / "history_version_1.sql"
    with closing(sqlite3.connect(tmp_path / "history.sqlite3")) as database:
        database.executescript(dump.read_text(encoding="utf-8"))
    (only,) = read_book(tmp_path, timedelta(hours=4)).evenings
    assert (only.id, len(only.rolls), only.name) == (1, 1, None)


def test_statistics_are_counted_again_only_where_the_log_changed(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    def count(rolls: Any, *, is_part: bool) -> dict[str, Any]:
        counted.append(len(rolls))
        return {"rolls": len(rolls)}

    monkeypatch.setattr(device.web.features.archive.service, "statistics", count)
    evening.play(RollRequested("Mira", None, {}), DiceSettled(Dice.rest(Dice.die(7, "base", 3))), ResetPressed())
    book = RollArchive(evening.history, timedelta(hours=4))
    memory = ArchiveService(book, evening.history, None, None, lambda: None, write=print, forgotten=print, offer=print)  # type: ignore[arg-type]
    every, hers = Search(RollFilter()), Search(RollFilter(player="Mira"))
    for search in (every, hers, every, hers):
        assert memory.statistics(search)["rolls"] == 1
    assert counted == [1, 1]
    evening.play(DiceSettled(Dice.rest(Dice.die(8, "base", 5))), ResetPressed())
    assert [memory.statistics(search)["rolls"] for search in (every, hers)] == [2, 1]
    end_evening(evening.history.path)
    assert memory.statistics(every)["rolls"] == 2
    assert counted == [1, 1, 2, 1, 2]
