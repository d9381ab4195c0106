"""`pushtray teach`: from named pictures to a set that `read` uses, exported as one file."""

import json
from pathlib import Path

import pytest

from device.cli.main import main
from device.texts.catalogue import translate
from tests.painted_dice import with_symbols
from vision.pipeline.explain import write_picture

SIX = "d0058.jpg"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_picture(tmp_path / "six.jpg", with_symbols(SIX, 1).image)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], status: int, *args: str) -> str:
    assert main(args) == status, capsys.readouterr().err
    out, err = capsys.readouterr()
    return out or err


def test_a_set_is_taught_listed_handed_on_used_and_deleted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    teach = ("teach", "Night", "--data", "data", "--class", "base")
    assert said(capsys, 0, *teach, "--face", "6=six.jpg") == "Night: base 6\n"
    assert said(capsys, 0, "teach", "--list", "--data", "data") == "Night: base 6\n"
    said(capsys, 0, "teach", "Night", "--export", "night.json", "--data", "data")
    assert said(capsys, 0, "teach", "--import", "night.json", "--data", "other") == "Night: base 6\n"
    read = json.loads(said(capsys, 0, "read", "--json", "--dice-set", "night.json", "six.jpg"))
    assert {die["value"] for die in read["dice"] if die["colour"] == "base"} >= {6}
    said(capsys, 0, "teach", "Night", "--delete", "--data", "data")
    assert said(capsys, 0, "teach", "--list", "--data", "data") == ""


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["Night", "--class", "base", "--face", "7=six.jpg"], "'7=six.jpg' names no face: write 1 to 6 or blank"),
        (["Night"], "nothing is shown: give --class base"),
        (["--delete"], "no set is named"),
        (["Night", "--delete"], translate("taught.unknown", name="Night")),
        (["--import", "six.jpg"], "six.jpg is not a set of dice"),
        (["--import", "gone.json"], "gone.json cannot be read"),
        (["Night", "--class", "base", "--face", "6=gone.jpg"], "gone.jpg"),
    ],
)
def test_bad_input_is_one_line(here: Path, capsys: pytest.CaptureFixture[str], args: list[str], why: str) -> None:
    line = said(capsys, 2, "teach", *args, "--data", "data")
    assert why in line
    assert line.count("\n") == 1
