"""`pushtray report`: its contents, and what it leaves out."""

import json
import zipfile
from pathlib import Path

import cv2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.cli import report
from device.cli.main import main
from device.cli.sieve import Kind, Sieve, own_words
from device.simulation.scenery import SceneryParams, scenery
from tests.drawing import draw

WORDS = own_words()
JOURNAL = """2026-01-31T19:00:00+0000 pushtray[7]: PushTray is at http://127.0.0.1:8000/ (Ctrl-C stops it)
2026-01-31T19:00:00+0000 pushtray[7]: Phones give the PIN 482913, the game master's phone 771204
2026-01-31T19:00:01+0000 pushtray[7]: http://10.0.0.7:8000/display?key=KEY
2026-01-31T19:05:00+0000 pushtray[7]: webhook: https://hooks.example/services/T0AB/s3cr3t does not answer
2026-01-31T19:06:00+0000 pushtray[7]: zoe's roll was refused, ZOE MARIA's too, not zoology's
2026-01-31T19:07:00+0000 pushtray[7]: /home/pia/pictures: no space; 9f86d081884c7d659a2feaa0c55ad015a3bf4f1
"""


NAMES = {Kind.PLAYER: {"Zoe", "Zoe Maria", " "}, Kind.EVENING: {"Dragon Night"}}


def test_only_the_programs_own_words_and_short_numbers_pass() -> None:
    text = Sieve(NAMES)(JOURNAL)
    for private in (
        "482913",
        "771204",
        "10.0.0.7",
        "hooks.example",
        "s3cr3t",
        "zoe's",
        "ZOE",
        "MARIA",
        "pia",
        "9f86d0",
    ):
        assert private not in text, text
    for wanted in ("http://127.0.0.1:8000/", "does not answer", "<player-1>'s roll was refused", "no space"):
        assert wanted in text, text


PRIVATE = st.one_of(
    st.ip_addresses().map(str),
    st.ip_addresses(v=4).map(lambda address: f"{address}:8000"),
    st.ip_addresses(v=6).map(lambda address: f"[{address}]:8000"),
    st.from_regex(r"[a-z]{3,8}q[a-z]{1,4}\.(lan|local|example)", fullmatch=True),
    st.from_regex(r"/(home|srv|media)/[a-z]{2,8}(/[a-z]{2,8})?", fullmatch=True),
    st.from_regex(r"(https?|mqtts?)://[a-z]{2,8}(\.[a-z]{2,3})?/[A-Za-z0-9_?=&-]{0,20}", fullmatch=True),
    st.from_regex(r"[a-z]{1,8}@[a-z]{2,8}\.[a-z]{2,3}", fullmatch=True),
    st.from_regex(r"[0-9]{6,12}|[0-9]{3} [0-9]{3}", fullmatch=True),
    st.from_regex(r"[A-Z]q[a-z]{3,8}", fullmatch=True),
    st.sampled_from(["Zoe", "zoe maria", "Dragon Night"]),
).filter(lambda text: not text.startswith(("127.0.0.1", "0.0.0.0", "::", "[::")))


@given(PRIVATE, st.sampled_from(["{} does not answer", "the tray: {}: no space", "({}), as {} was", "PIN {}", '"{}"']))
def test_nothing_private_passes_in_any_place(private: str, line: str) -> None:
    assert private.casefold() not in Sieve(NAMES, WORDS)(line.replace("{}", private)).casefold()


def test_archive_lists_what_it_holds_and_leaves_names_out_unless_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report, "_journal", lambda: JOURNAL)
    monkeypatch.setattr(report, "_names_in", lambda data: NAMES)
    settings = tmp_path / "settings.toml"
    settings.write_text("[web]\nport = 1\n")  # there is no listener
    picture = tmp_path / "tray.png"
    cv2.imwrite(str(picture), draw(scenery(SceneryParams(width_px=640, height_px=480))))
    words = ["--settings", str(settings), "--camera", "simulated", "--data", str(tmp_path / "data")]
    for more, has_names in (([], False), (["--names"], True)):
        path = tmp_path / f"report{len(more)}.zip"
        assert main(["report", str(path), "--picture", str(picture), *words, *more]) == 0
        listed = capsys.readouterr().out
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            held = {name: archive.read(name) for name in names}
        assert {"contents.txt", "picture.jpg", "reading.json", "doctor.txt", "journal.txt", "versions.txt"} <= names
        assert any(name.startswith("stages/") for name in names)
        assert held["contents.txt"].decode() in listed
        assert all(name in listed for name in names - {"contents.txt"})
        assert "trusted" in json.loads(held["reading.json"])
        assert (b"ZOE" in held["journal.txt"]) is has_names
        assert b"482913" not in held["journal.txt"]
    assert main(["report", str(path), "--picture", str(picture), *words]) == 2
    assert "name another file" in capsys.readouterr().err


def test_without_a_picture_or_a_journal_it_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report, "_journal", lambda: "")
    (tmp_path / "settings.toml").write_text("[web]\nport = 1\n")
    words = ["--settings", str(tmp_path / "settings.toml"), "--camera", "simulated", "--data", str(tmp_path / "data")]
    assert main(["report", str(tmp_path / "report.zip"), *words]) == 0
    listed = capsys.readouterr().out
    assert "picture.jpg            left out: no tray is running" in listed
    assert "journal.txt            left out: this machine has no journal" in listed
