"""`pushtray teach`: from named pictures to a set that `read` uses, exported as one file."""

import json
from pathlib import Path

import pytest

from device.calibration.dice_sets import DiceSet
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


def printed(capsys: pytest.CaptureFixture[str], status: int, *args: str) -> str:
    assert main(args) == status, capsys.readouterr().err
    out, err = capsys.readouterr()
    return out or err


def test_a_set_is_taught_listed_handed_on_used_and_deleted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    teach = ("teach", "Night", "--data", "data", "--class", "base")
    assert printed(capsys, 0, *teach, "--face", "6=six.jpg") == "Night: base 6\n"
    assert printed(capsys, 0, "teach", "--list", "--data", "data") == "Night: base 6\n"
    printed(capsys, 0, "teach", "Night", "--export", "night.json", "--data", "data")
    assert printed(capsys, 0, "teach", "--import", "night.json", "--data", "other") == "Night: base 6\n"
    read = json.loads(printed(capsys, 0, "read", "--json", "--dice-set", "night.json", "six.jpg"))
    assert {die["value"] for die in read["dice"] if die["colour"] == "base"} >= {6}
    blank = DiceSet.model_validate_json((here / "night.json").read_bytes())
    faces = tuple(face.model_copy(update={"value": 0}) for face in blank.faces)
    (here / "blank.json").write_bytes(blank.model_copy(update={"faces": faces}).to_bytes())
    dice = json.loads(printed(capsys, 0, "read", "--json", "--dice-set", "blank.json", "six.jpg"))["dice"]
    assert {(die["value"], die["face"]) for die in dice if "face" in die} == {(None, "blank")}
    assert "looks like 6 but is now named 5" in printed(capsys, 2, *teach, "--face", "5=six.jpg")
    write_picture(here / "two.jpg", with_symbols("d0072.jpg", 1).image)
    assert printed(capsys, 0, *teach, "--face", "2=two.jpg") == "Night: base 6, base 2\n"
    # An import replaces no other set.
    assert "a set called Night exists already" in printed(
        capsys, 2, "teach", "--import", "night.json", "--data", "data"
    )
    assert printed(capsys, 0, "teach", "Old", "--import", "night.json", "--data", "data") == "Old: base 6\n"
    printed(capsys, 0, "teach", "Old", "--delete", "--data", "data")
    printed(capsys, 0, "teach", "Night", "--delete", "--data", "data")
    assert printed(capsys, 0, "teach", "--list", "--data", "data") == ""


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["Night", "--class", "base", "--face", "7=six.jpg"], "A d6 cannot show 7: give 1 to 6."),
        (["Night", "--class", "base", "--face", "x=six.jpg"], "'x=six.jpg' names no face: write 1 to 6 or blank"),
        (["Night", "--class", "base", "--face", "blank=six.jpg", "--sides", "8"], "A d8 cannot show blank"),
        (["Night", "--class", "purple", "--face", "6=six.jpg"], "--class is 'purple': use one of base, skill, gear"),
        (["Night", "--class", "skill", "--face", "5=six.jpg"], "its skill dice are read as 3, 4, 5, 6: give a picture"),
        (["a/b", "--class", "base", "--face", "6=six.jpg"], "no set can be called 'a/b'"),
        (["Night", "--list", "--face", "6=six.jpg"], "--face teaches"),
        (["--import", "/dev/zero"], "> 8 MB"),
        (["Night"], "nothing is shown: give --class base"),
        (["--delete"], "no set is named"),
        (["Night", "--delete"], translate("taught.unknown", name="Night")),
        (["--import", "six.jpg"], "six.jpg is not a set of dice"),
        (["--import", "gone.json"], "gone.json cannot be read"),
        (["Night", "--class", "base", "--face", "6=gone.jpg"], "gone.jpg"),
    ],
)
def test_bad_input_is_one_line(here: Path, capsys: pytest.CaptureFixture[str], args: list[str], why: str) -> None:
    line = printed(capsys, 2, "teach", *args, "--data", "data")
    assert why in line
    assert line.count("\n") == 1
