"""Pictures of rolls: small, bounded, matched to readings; and labels that contain only what people confirmed."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from device.cli.main import main
from device.game.machine import step
from device.game.state.effects import Commit
from device.game.state.events import (
    DiceConfirmed,
    DiceSettled,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    Event,
    ResetPressed,
)
from device.game.state.layout import Correction, Layout, layout_of
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.storage.labels import label_of
from device.storage.log_file import FILE_NAME
from device.storage.pictures import MemorySettings, PictureKeeper, PictureParams, crop_of
from device.storage.read_marks import marks_of, read_svg, with_marks
from device.storage.rolls import RollLog
from tests.device.conftest import Dice
from tests.narrowing import a, parts_of, there
from vision.evaluation.evaluate import judge
from vision.evaluation.labels import load_labels
from vision.types.frame import Frame
from vision.types.reading import Problem, TrayReading, Unread
from vision.types.sighting import Rest

NOISE = np.random.default_rng(5).integers(0, 255, (960, 1280, 3), dtype=np.uint8)
FRAME = Frame(NOISE, 1.0, 15)


class Kept:
    """A log with its pictures, as in a tray."""

    def __init__(self, folder: Path, settings: MemorySettings) -> None:
        self.folder = folder
        self.keeper = PictureKeeper(folder, settings)
        self.history = RollLog(folder / FILE_NAME, pictures=self.keeper)
        self.keeper.start()
        self.state: Tray = Tray(Empty(), Table("push-pool"))

    def see(self, rest: Rest) -> None:
        self.keeper.rest_came(rest, FRAME)
        self.translate(DiceSettled(rest))

    def translate(self, *events: Event) -> None:
        for event in events:
            self.state, commands = step(self.state, event)
            for command in commands:
                if isinstance(command, Commit):
                    self.history.write(command.rows, self.state)

    def kept(self, folder: str) -> list[str]:
        """Return the names of all files, once everything is written."""
        self.keeper.stop()
        return sorted(path.name for path in (self.folder / folder).glob("*"))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., Kept]]:
    made: list[Kept] = []

    def make(**settings: Any) -> Kept:
        made.append(Kept(tmp_path / "data", MemorySettings(**settings)))
        return made[-1]

    yield make
    for one in made:
        one.keeper.stop()
        one.history.close()


def test_a_result_has_a_small_picture_of_its_dice(table: Callable[..., Kept]) -> None:
    one = table()
    one.see(Dice.rest(*Dice.FIRST))
    (name,) = one.kept("pictures")
    (row,) = one.history.since()
    assert (row["picture"], one.history.picture_of(1)) == (name, name)
    crop = cv2.imdecode(np.frombuffer(there(one.keeper.picture(name)), np.uint8), cv2.IMREAD_COLOR)
    # Dice from 100 to 400 px with an edge of 40 and one and a half of it around them.
    assert crop is not None
    assert crop.shape == (160, 460, 3)
    later = PictureKeeper(one.folder, MemorySettings())
    later.start()
    later.forget([name])
    assert later.picture(name) is None
    later.keep_again(name, b"again")
    later.stop()
    assert later.picture(name) == b"again"


def test_a_large_one_is_made_small() -> None:
    layout = layout_of(Dice.rest(Dice.die(1, "base", 2), Dice.die(12, "base", 3, (1200, 900))), None)
    jpeg = there(crop_of(NOISE, layout, PictureParams()))
    assert there(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)).shape[1] == 480
    assert crop_of(NOISE[:480], layout, PictureParams()) is None, "another picture"


def test_a_small_picture_has_what_was_read_in_it() -> None:
    unread = Dice.die(2, "gear", 5, (400, 300), unread=Unread.COCKED)
    layout = layout_of(Dice.rest(Dice.die(1, "base", 3, (200, 300)), unread), None)
    jpeg = there(crop_of(NOISE, layout, PictureParams()))
    # The crop begins one and a half edges of 40 px before the first die.
    assert marks_of(jpeg) == [([60, 60, 100, 60, 100, 100, 60, 100], 3), ([260, 60, 300, 60, 300, 100, 260, 100], None)]
    svg = there(read_svg(jpeg))
    assert svg.count("<polygon") == 2
    assert re.findall(r"<text[^>]*>(.)<", svg) == ["3", "?"]
    bare = b"".join(jpeg.partition(b"\xff\xe0")[1:])
    assert marks_of(b"\xff\xd8" + bare) == [], "one of an earlier version"
    assert "<image" in there(read_svg(b"\xff\xd8" + bare))
    assert marks_of(b"\xff\xd8\xff\xfe\x00\x04[}") == []
    assert read_svg(b"\0") is None
    assert with_marks(jpeg, [([0] * 8, 1)] * 9000) == jpeg, "more than a comment has room for"


@pytest.mark.parametrize("settings", [{"pictures": False}, {"pictures": False, "labelled": True}])
def test_none_is_kept_where_the_settings_say_so(table: Callable[..., Kept], settings: dict[str, bool]) -> None:
    one = table(**settings)
    one.see(Dice.rest(*Dice.FIRST))
    assert (one.kept("pictures"), one.kept("labelled")) == ([], [])


def test_dice_that_the_newest_pictures_do_not_show_get_none(table: Callable[..., Kept]) -> None:
    one = table()
    one.translate(DiceSettled(Dice.rest(*Dice.FIRST)))
    assert one.kept("pictures") == []
    assert [row["picture"] for row in one.history.since()] == [None]


def test_the_oldest_go_where_there_is_no_more_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.storage.pictures._MB", 300_000)
    one = Kept(tmp_path / "data", MemorySettings(pictures_mb=1))
    for number in range(4):
        one.translate(ResetPressed())
        one.see(
            Dice.rest(Dice.die(10 * number + 1, "base", 1 + number), Dice.die(10 * number + 2, "gear", 5, (900, 90)))
        )
    names = one.kept("pictures")
    sizes = [(one.folder / "pictures" / name).stat().st_size for name in names]
    rows = [row["picture"] for row in one.history.since()]
    one.history.close()
    assert len(rows) == 4
    assert 0 < len(names) < 4
    assert sum(sizes) <= 300_000
    assert set(names) == set(rows[-len(names) :]), "the newest stay"


def lying(state: Tray) -> Layout:
    return a(Layout, getattr(state.dice, "layout", None))


def labels_in(one: Kept) -> list[dict[str, Any]]:
    one.keeper.stop()
    return [json.loads(path.read_text()) for path in (one.folder / "labelled").glob("*.json")]


def test_a_correction_labels_the_die_that_it_is_of_and_no_other(table: Callable[..., Kept]) -> None:
    one = table(labelled=True)
    one.see(Dice.rest(*Dice.FIRST))
    one.translate(DieCorrected(1, 4, None))
    (label,) = labels_in(one)
    confirmed = [die for die in label["dice"] if die["confirmed"]]
    assert label["complete"] is False
    assert [(die["pips"], die.get("role")) for die in confirmed] == [(4, None)], "its colour was not confirmed"
    assert len(label["dice"]) == 4
    assert all("pips" not in die for die in label["dice"] if not die["confirmed"])
    picture = cv2.imread(str(one.folder / "labelled" / label["image"]))
    assert picture is not None
    assert picture.shape == NOISE.shape, "the whole picture, for the reader to read"


def test_a_word_that_is_taken_back_takes_its_label_along(table: Callable[..., Kept]) -> None:
    one = table(labelled=True)
    one.see(Dice.rest(*Dice.FIRST))
    one.translate(DieCorrected(1, 4, None), DieRestored(1))
    assert one.kept("labelled") == []


def test_each_way_to_confirm() -> None:
    cocked = Dice.die(2, "base", 6, unread=Unread.COCKED)
    seen = Dice.rest(Dice.die(1, "base", 5), cocked, Dice.die(3, "skill", 1), problems=[Problem.FOREIGN_OBJECT])
    state: Tray = Tray(Empty(), Table("push-pool"))
    for event in (
        DiceSettled(seen),
        DieCorrected(2, 3, "gear"),
        DieDismissed(3, ignored=True),
        DieAdded((700.0, 300.0), 2, "base", 1280, 960),
    ):
        state, _ = step(state, event)
    label = parts_of(there(label_of(lying(state), "x.jpg")))
    reported = [
        (die["confirmed"], die.get("pips"), die.get("role"), die.get("may_be_doubted")) for die in label["dice"]
    ]
    assert reported == [(False, None, None, None), (True, 3, "gear", True), (True, 2, "base", None)]
    assert (label["complete"], label["not_dice"]) == (False, [{"center_px": [300.0, 300.0]}])


def test_who_says_that_all_are_right_confirms_each() -> None:
    rest = Dice.rest(*Dice.FIRST, problems=[Problem.TOO_DARK])
    state, _ = step(Tray(Empty(), Table("push-pool")), DiceSettled(rest))
    state, _ = step(state, DiceConfirmed())
    label = parts_of(there(label_of(lying(state), "x.jpg")))
    assert label["complete"] is True
    reported = [(die["confirmed"], die["pips"], die["role"]) for die in label["dice"]]
    assert reported == [(True, 5, "base"), (True, 6, "base"), (True, 1, "skill"), (True, 3, "gear")]


def test_a_colour_alone_says_no_value() -> None:
    state, _ = step(Tray(Empty(), Table("push-pool")), DiceSettled(Dice.rest(*Dice.FIRST)))
    state, _ = step(state, DieCorrected(1, None, "gear"))
    assert label_of(lying(state), "x.jpg") is None


def reading_of(rest: Rest) -> TrayReading:
    return TrayReading(rest.width_px, rest.height_px, tuple(die.reading for die in rest.dice), (), rest.trusted, 1.0)


def test_what_is_exported_is_what_the_reader_is_judged_by(
    table: Callable[..., Kept], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = table(labelled=True)
    one.see(Dice.rest(*Dice.FIRST))
    one.translate(DieCorrected(1, 4, None), DieDismissed(3, ignored=True))
    one.keeper.stop()
    (one.folder / "labelled" / "half.json").write_text("{")
    out, data = tmp_path / "out", ["--data", str(one.folder)]
    assert main(["labelled", str(out), *data]) == 0
    assert capsys.readouterr().out == f"{out}: labelled pictures: 1\n"
    (truth,) = load_labels(out)
    assert truth.path.is_file()
    as_before = judge(truth, reading_of(Dice.rest(*Dice.FIRST)))
    assert [miss.kind for miss in as_before.misses] == ["value", "extra"]
    assert as_before.silent
    right = [replace(Dice.FIRST[0].reading, value=4), *(die.reading for die in (Dice.FIRST[1], Dice.FIRST[3]))]
    # Another value of an unchecked die, and an unchecked die, make no label.
    right[1] = replace(right[1], value=2)
    elsewhere = Dice.die(9, "gear", 2, (900, 700)).reading
    judged = judge(truth, replace(reading_of(Dice.rest(*Dice.FIRST)), dice=(*right, elsewhere)))
    assert (judged.misses, judged.exact, judged.read_pairs) == ((), True, ((4, 4),))
    assert main(["labelled", str(out), *data]) == 2
    assert "name a new folder" in capsys.readouterr().err
    assert main(["labelled", str(out / "x"), "--data", str(tmp_path)]) == 2
    assert "there is no labelled picture in" in capsys.readouterr().err


def test_of_a_die_whose_lean_was_not_judged_a_doubt_is_right_and_a_wrong_value_is_not(tmp_path: Path) -> None:
    layout = layout_of(Dice.rest(Dice.die(1, "base", 5, unread=Unread.COCKED)), None)
    entry = label_of(layout.with_correction(1, Correction(3, None)), "x.jpg")
    (tmp_path / "labels.json").write_text(json.dumps([entry]))
    (truth,) = load_labels(tmp_path)

    def misses(value: int | None, unread: Unread | None) -> list[str]:
        return [
            miss.kind for miss in judge(truth, reading_of(Dice.rest(Dice.die(1, "base", value, unread=unread)))).misses
        ]

    assert misses(5, Unread.COCKED) == []
    assert misses(3, None) == []
    assert misses(5, None) == ["value"]
