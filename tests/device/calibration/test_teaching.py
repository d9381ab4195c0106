"""Teaching: a new face needs one name, is learned, questioned if it contradicts, undone and deleted."""

import re
from dataclasses import replace
from math import dist
from pathlib import Path
from typing import Any

import pytest

from device.calibration.dice_sets import DiceSet, DiceSets, DieKind, NameTaken, view_of
from device.calibration.teaching import Contradiction, NamedDie, Teaching
from device.errors import BadInput
from device.texts.catalogue import translate
from tests.narrowing import there
from tests.painted_dice import Wearing, with_symbols
from vision.decision.own_faces import OwnFaces
from vision.pipeline.own_dice import faces_of
from vision.pipeline.reader import Reader
from vision.types.frame import Frame, ImageBgr
from vision.types.reading import TrayReading

BASE = DieKind("base")
SIX, TWO = "d0058.jpg", "d0072.jpg"


class Tray:
    """A tray whose camera shows only dice with symbols."""

    def __init__(self, folder: Path) -> None:
        self.lies: Wearing | None = None
        self.used: list[OwnFaces | None] = []
        self._reader = Reader()
        self.forgot: list[Any] = []
        self.offers: list[Any] = []
        self.lessons: list[bool] = []
        self.teaching: Any = Teaching(
            DiceSets(folder),
            self._frame,
            self._read,
            self.used.append,
            forgot=self.forgot.append,
            offer=lambda *told: self.offers.append(told),
            on_lesson=lambda: self.lessons.append(self.teaching.is_lesson),
        )

    def show(self, name: str, seed: int = 1) -> Any:
        """Return the questions after a throw."""
        self.lies = with_symbols(name, seed)
        return self.teaching.show("Night", BASE)

    def _frame(self) -> Frame | None:
        return None if self.lies is None else Frame(self.lies.image, 0.0, 0)

    def _read(self, image: ImageBgr) -> TrayReading:
        assert self.lies is not None
        reading, places = self._reader.read(image), [place for place, _ in self.lies.dice]
        return replace(
            reading, dice=tuple(die for die in reading.dice if min(dist(die.center_px, at) for at in places) < 12)
        )


@pytest.fixture
def tray(tmp_path: Path) -> Tray:
    return Tray(tmp_path)


def name_all(tray: Tray, state: Any, value: int) -> Any:
    """Name every new face."""
    for face in state["waiting"]:
        state = tray.teaching.name_face("Night", face["key"], value)
    return state


def test_a_new_face_is_asked_for_once_and_known_from_then_on(tray: Tray, tmp_path: Path) -> None:
    shown = tray.show(SIX)
    (waiting,) = shown["waiting"]
    assert waiting["views"] == 2
    assert [(len(die["top_quad_px"]), die["value"], die["unread"]) for die in shown["seen"]] == [
        (4, None, "face_unknown")
    ] * 2
    assert waiting["picture"].startswith("data:image/jpeg;base64,")
    state = tray.teaching.name_face("Night", waiting["key"], 6)
    assert state["waiting"] == []
    assert state["sets"][0]["progress"] == {"known": 1, "of": 6}
    assert len(tray.used[-1] or ()) == 1
    again = tray.show(SIX, 2)
    assert again["waiting"] == []
    assert again["sets"][0]["faces"][0]["views"] == 4, "it is learned better with every throw"
    assert Tray(tmp_path).teaching.state()["sets"][0]["faces"][0]["value"] == 6
    with pytest.raises(BadInput, match=re.escape(translate("taught.no_face"))):
        tray.teaching.name_face("Night", waiting["key"], 6)


def test_one_face_with_two_names_is_shown_side_by_side_and_asked(tray: Tray) -> None:
    waiting = tray.show(SIX)["waiting"]
    tray.teaching.take_in(_other_tray(tray, 6), "six.json")
    with pytest.raises(Contradiction, match=re.escape(translate("taught.contradiction", other="6", one="5"))) as caught:
        tray.teaching.name_face("Night", waiting[0]["key"], 5)
    assert caught.value.body["other"] == 6
    assert caught.value.body["picture"] == waiting[0]["picture"]
    assert len(tray.teaching.state()["waiting"]) == 1
    state = tray.teaching.name_face("Night", waiting[0]["key"], 5, anyway=True)
    assert [face["value"] for face in state["sets"][0]["faces"]] == [5, 6]


def _other_tray(tray: Tray, value: int) -> bytes:
    """Return the set of a tray that learned the same face."""
    assert tray.lies is not None
    reading = tray._read(tray.lies.image)
    views = [view_of(face) for face in faces_of(tray.lies.image, reading.dice)]
    return DiceSet(name="Night").with_views(BASE, value, views, shows_pips=False).to_bytes()


def test_what_was_learned_is_undone_deleted_and_brought_back(tray: Tray) -> None:
    name_all(tray, tray.show(SIX), 6)
    name_all(tray, tray.show(TWO), 2)
    assert [len(faces or ()) for faces in tray.used] == [1, 2]
    kept = tray.teaching.export("Night")
    assert tray.teaching.undo("Night")["sets"][0]["progress"]["known"] == 1
    assert tray.teaching.undo("Night")["sets"] == []
    with pytest.raises(BadInput, match=re.escape(translate("taught.nothing_to_undo"))):
        tray.teaching.undo("Night")
    tray.teaching.take_in(kept, "night.json")
    assert tray.teaching.delete("Night")["sets"] == []
    assert tray.used[-1] is None
    assert tray.teaching.state()["deleted"] == ["Night"]
    assert tray.teaching.undo("Night")["deleted"] == []


def test_an_import_replaces_no_set_and_is_undone(tray: Tray) -> None:
    name_all(tray, tray.show(SIX), 6)
    kept, other = tray.teaching.export("Night"), _other_tray(tray, 5)
    with pytest.raises(NameTaken) as taken:
        tray.teaching.take_in(other, "night.json")
    assert tray.teaching.export("Night") == kept
    state = tray.teaching.take_in(other, "night.json", taken.value.free)
    assert [(one["name"], len(one["faces"])) for one in state["sets"]] == [("Night", 1), ("Night 2", 1)]
    assert tray.teaching.undo("Night 2")["sets"] == state["sets"][:1]
    # A set that was deleted can be restored after another took its name.
    tray.teaching.delete("Night")
    tray.teaching.take_in(other, "night.json")
    tray.teaching.undo("Night")
    tray.teaching.undo("Night")
    assert tray.teaching.export("Night") == kept


def test_a_blank_face_is_no_2_and_a_second_tap_on_delete_does_nothing(tray: Tray) -> None:
    name_all(tray, tray.show(TWO), 2)
    name_all(tray, tray.show(SIX), 0)
    (one,) = tray.show(SIX, 2)["sets"]
    assert {face["value"]: face["views"] for face in one["faces"]} == {0: 4, 2: 1}
    assert one["progress"] == {"known": 2, "of": None}
    tray.teaching.delete("Night")
    tray.teaching.take_in(_other_tray(tray, 0), "blank.json")
    tray.teaching.show("Day", BASE)
    (waiting,) = tray.teaching.state()["waiting"]
    with pytest.raises(Contradiction):
        tray.teaching.name_face("Night", waiting["key"], 2)
    for _ in range(2):
        tray.teaching.forget("Night", BASE, 0)
    assert [face["value"] for face in tray.teaching.undo("Night")["sets"][0]["faces"]] == [0]


def test_a_correction_is_remembered_and_the_face_is_then_read_so(tray: Tray) -> None:
    tray.lies = with_symbols(SIX, 1)
    place, value = tray.lies.dice[0]
    name = tray.teaching.remember_dice([NamedDie(place, BASE, value)])["name"]
    (shown,) = tray.teaching.known()["faces"]
    assert (shown["colour"], shown["value"]) == ("base", value)
    again = with_symbols(SIX, 2)
    read = [die for die in Reader(faces=tray.used[-1]).read(again.image).dice if dist(die.center_px, place) < 12]
    assert [die.value for die in read] == [value]
    assert tray.teaching.forget(name, BASE, value)["sets"][0]["faces"] == []
    assert tray.teaching.undo(name)["sets"][0]["progress"]["known"] == 1
    with pytest.raises(BadInput, match=re.escape(translate("taught.moved"))):
        tray.teaching.remember_dice([NamedDie((place[0] + 20.0, place[1]), BASE, 3)])


def test_a_remembered_face_is_undone_with_its_correction_and_one_of_two_names_is_asked(tray: Tray) -> None:
    tray.lies = with_symbols(SIX, 1)
    place, value = tray.lies.dice[0]
    tray.teaching.remember_dice([NamedDie(place, BASE, value, 7)])
    ((_, dice, undo),) = tray.offers
    assert [die.id for die in dice] == [7]
    undo()
    assert tray.forgot == [frozenset({(*BASE, value)})]
    assert tray.teaching.state()["sets"] == []
    tray.teaching.remember_dice([NamedDie(place, BASE, value, 7)])
    with pytest.raises(Contradiction) as caught:
        tray.teaching.remember_dice([NamedDie(place, BASE, 5, 7)])
    assert (caught.value.body["value"], caught.value.body["other"]) == (5, value)
    assert tray.teaching.remember_dice([NamedDie(place, BASE, 5, 7)], anyway=True)["values"] == [5]
    with pytest.raises(BadInput, match=re.escape(translate("tray.undo.too_late"))):
        tray.offers[1][2]()
    tray.teaching.delete("Own dice")
    name, dice, undo = tray.offers[-1]
    assert (name, dice) == ("Own dice", ())
    undo()
    assert tray.teaching.state()["sets"]


def test_a_view_unlike_the_others_of_its_value_is_asked_shown_and_taken_out(tray: Tray) -> None:
    name_all(tray, tray.show(SIX), 6)
    tray.lies = with_symbols(TWO, 1)
    (place, _), *_ = tray.lies.dice
    wrong = [NamedDie(place, BASE, 6, 7)]
    with pytest.raises(Contradiction) as caught:
        tray.teaching.remember_dice(wrong)
    assert (caught.value.body["value"], caught.value.body["other"]) == (6, 6)
    assert str(caught.value) == translate("taught.unlike", one="6")
    assert tray.teaching.state()["sets"][0]["faces"][0]["views"] == 2
    tray.teaching.remember_dice(wrong, anyway=True)
    first, *others = tray.teaching.views("Night", BASE, 6)["views"]
    assert (first["picture"], len(others)) == (caught.value.body["picture"], 2)
    assert tray.teaching.forget_view("Night", BASE, 6, first["key"])["sets"][0]["faces"][0]["views"] == 2
    assert tray.teaching.known()["faces"][0]["picture"] != first["picture"]
    assert tray.teaching.undo("Night")["sets"][0]["faces"][0]["views"] == 3
    for one in (first, *others):
        state = tray.teaching.forget_view("Night", BASE, 6, one["key"])
    assert state["sets"][0]["faces"] == []
    assert tray.forgot == [frozenset({(*BASE, 6)})]
    with pytest.raises(BadInput, match=re.escape(translate("taught.no_such_face"))):
        tray.teaching.views("Night", BASE, 6)
    # The same is asked where a new face is named.
    tray.teaching.undo("Night")
    (face,) = tray.show(TWO)["waiting"]
    with pytest.raises(Contradiction):
        tray.teaching.name_face("Night", face["key"], 6)


def test_how_many_faces_show_the_same_is_set_and_a_blank_one_takes_the_rest(tray: Tray) -> None:
    name_all(tray, tray.show(SIX), 6)
    state = name_all(tray, tray.show(TWO), 0)
    assert [(face["value"], face["times"]) for face in state["sets"][0]["faces"]] == [(0, 5), (6, 1)]
    state = tray.teaching.count("Night", BASE, 6, 2)
    assert [(face["value"], face["times"]) for face in state["sets"][0]["faces"]] == [(0, 4), (6, 2)]
    assert there(tray.used[-1]).values_of("base") == (0, 0, 0, 0, 6, 6)
    assert state["sets"][0]["progress"] == {"known": 3, "of": None}
    assert tray.teaching.count("Night", BASE, 0, 4)["sets"][0]["progress"] == {"known": 6, "of": 6}
    with pytest.raises(BadInput, match=re.escape(translate("taught.too_many_faces", sides=6, left=2))):
        tray.teaching.count("Night", BASE, 6, 3)
    assert tray.teaching.undo("Night")["sets"][0]["faces"][0]["times"] == 4


def test_faces_of_another_kind_are_named_one_after_another_and_kept_apart(tray: Tray) -> None:
    name_all(tray, tray.show(SIX), 6)
    eight = DieKind("base", 8)
    tray.show(TWO)
    assert {face["sides"] for face in tray.teaching.show("Night", eight)["waiting"]} == {8}, "shown as a d6 before"
    for name, value in ((SIX, 7), (TWO, 8)):
        tray.lies = with_symbols(name, 1)
        (face, *_) = tray.teaching.show("Night", eight)["waiting"]
        with pytest.raises(BadInput, match=re.escape("A d8 cannot show 9: give 1 to 8.")):
            tray.teaching.name_face("Night", face["key"], 9)
        state = tray.teaching.name_face("Night", face["key"], value)
    assert [(face["sides"], face["value"]) for face in state["sets"][0]["faces"]] == [(6, 6), (8, 7), (8, 8)]
    assert state["sets"][0]["progress"] == {"known": 3, "of": 6 + 8}


def test_screens_are_told_when_a_lesson_begins_and_ends(tray: Tray) -> None:
    tray.teaching.hold_lesson()
    tray.teaching.hold_lesson()
    tray.teaching.end_lesson()
    assert tray.lessons == [True, False]


def test_without_dice_or_picture_it_says_what_to_do(tray: Tray) -> None:
    with pytest.raises(BadInput, match="no picture"):
        tray.teaching.show("Night", BASE)
    tray.lies = Wearing(with_symbols(SIX, 1).image, (((0.0, 0.0), 1),))
    with pytest.raises(BadInput, match="throw them into the tray"):
        tray.teaching.show("Night", BASE)
