"""Sets of dice on disk: complete, exported as one file, and unharmed by damaged or foreign files."""

import json
import logging
import os
import re
import struct
from base64 import b64encode
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.calibration.dice_sets import (
    FOLDER_NAME,
    MAX_BYTES,
    MAX_VIEWS,
    DiceSet,
    DiceSets,
    DieKind,
    NameTaken,
    dice_set_from,
    own_faces,
    view_of,
)
from device.errors import BadInput
from device.texts.catalogue import translate

VIEW = view_of(np.random.default_rng(1).integers(0, 255, (64, 64, 3)).astype(np.uint8))
NIGHT = DiceSet(name="Night, Nacht").with_views(DieKind("base"), 6, [VIEW], shows_pips=False)


def changed(**fields: object) -> bytes:
    return json.dumps(json.loads(NIGHT.to_bytes()) | fields).encode()


def test_a_set_outlives_the_program_and_goes_to_another_tray_as_one_file(tmp_path: Path) -> None:
    DiceSets(tmp_path).put(NIGHT.name, NIGHT)
    (kept,) = DiceSets(tmp_path)
    assert kept == NIGHT
    assert dice_set_from(kept.to_bytes(), "night.json") == NIGHT
    faces = own_faces([kept])
    assert faces is not None
    assert [(face.colour, face.value) for face in faces.of("base")] == [("base", 6)]
    DiceSets(tmp_path).put(NIGHT.name, None)
    assert not list(DiceSets(tmp_path))
    assert own_faces(DiceSets(tmp_path)) is None


def test_a_blank_face_is_none_of_the_numbers_and_views_are_bounded() -> None:
    blank = NIGHT.with_views(DieKind("base"), 0, [VIEW] * (MAX_VIEWS + 3), shows_pips=False)
    assert [len(face.views) for face in blank.faces] == [1, MAX_VIEWS]
    faces = own_faces([blank])
    assert faces is not None
    assert [face.value for face in faces.of("base")] == [6, 0]


def test_dice_of_one_colour_and_several_kinds_share_a_set_and_older_files_hold_six_sided_ones() -> None:
    eight, six = DieKind("base", 8), DieKind("base")
    both = NIGHT.with_views(eight, 6, [VIEW], shows_pips=False)
    assert [(face.kind, face.value) for face in both.faces] == [(six, 6), (eight, 6)]
    assert both.without(six, 6) == both.only(eight).model_copy(update={"name": both.name})
    faces = own_faces([both])
    assert faces is not None
    assert len(faces) == 2
    older = json.loads(NIGHT.to_bytes())
    del older["faces"][0]["sides"]
    assert dice_set_from(json.dumps(older).encode(), "older.json") == NIGHT


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1]",
        b'{"format": "pushtray-phones/1", "name": "x"}',
        NIGHT.to_bytes()[:-40],
        NIGHT.to_bytes().replace(b'"value": 6', b'"value": 13'),
        NIGHT.to_bytes().replace(b'"sides": 6', b'"sides": 7'),
        NIGHT.to_bytes().replace(b'"value": 6', b'"value": 7'),
        changed(faces=[{"colour": "base", "value": 1, "views": ["AAAA"]}]),
        changed(faces=2 * json.loads(NIGHT.to_bytes())["faces"]),
        changed(format="pushtray-dice-set/2"),
        b'{"name": "Night"}',
        NIGHT.to_bytes().replace(b'"base"', b'"\\u001b[31mbase"'),
        NIGHT.to_bytes().replace(b'"sides": 6', b'"sides": 8').replace(b'"value": 6', b'"value": 0'),
        *(changed(name=name) for name in ("", " x", "a/b", "..", "a\nb", "a\x1bb", 41 * "x")),
        NIGHT.to_bytes() + MAX_BYTES * b" ",
    ],
)
def test_a_damaged_or_foreign_file_is_one_clear_line(content: bytes) -> None:
    with pytest.raises(BadInput, match=r"^x\.json .+") as refused:
        dice_set_from(content, "x.json")
    assert "\n" not in str(refused.value)


def test_no_picture_of_another_size_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = VIEW.index(b"\xff\xc0") + 5
    huge = VIEW[:frame] + struct.pack(">HH", 11000, 11000) + VIEW[frame + 4 :]
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it would take 360 MB"))
    with pytest.raises(BadInput, match="a view is not a picture of a face"):
        dice_set_from(changed(faces=[{"colour": "base", "value": 1, "views": [b64encode(huge).decode()]}]), "x.json")


def test_a_damaged_set_is_set_aside_and_the_others_stay(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    sets = DiceSets(tmp_path)
    sets.put(NIGHT.name, NIGHT)
    (tmp_path / FOLDER_NAME / "bad.json").write_bytes(b"{")
    with caplog.at_level(logging.WARNING):
        assert list(DiceSets(tmp_path)) == [NIGHT]
    assert "bad.json.damaged" in caplog.text
    with pytest.raises(BadInput, match=re.escape(translate("taught.unknown", name="Day"))):
        sets.get("Day")


def test_a_copied_file_is_deleted_with_its_set_and_an_unread_one_is_never_replaced(tmp_path: Path) -> None:
    copied = tmp_path / FOLDER_NAME / "night.json"
    copied.parent.mkdir()
    copied.write_bytes(NIGHT.to_bytes())
    sets = DiceSets(tmp_path)
    sets.put(NIGHT.name, None)
    assert not list(DiceSets(tmp_path))
    other = DiceSets(tmp_path)
    sets.put(NIGHT.name, NIGHT)
    other.put(NIGHT.name, NIGHT.without(DieKind("base"), 6))
    kept = [path.read_bytes() for path in copied.parent.iterdir()]
    assert NIGHT.to_bytes() in kept


def test_two_files_of_one_set_are_two_sets(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    DiceSets(tmp_path).put(NIGHT.name, NIGHT)
    other = NIGHT.with_views(DieKind("base"), 5, [VIEW], shows_pips=False)
    copied = tmp_path / FOLDER_NAME / "zz.json"
    copied.write_bytes(other.to_bytes())
    with caplog.at_level(logging.WARNING):
        sets = DiceSets(tmp_path)
    assert [(one.name, len(one.faces)) for one in sets] == [("Night, Nacht", 1), ("Night, Nacht 2", 2)]
    assert "zz.json" in caplog.text
    sets.put("Night, Nacht 2", None)
    assert (list(DiceSets(tmp_path)), copied.exists()) == ([NIGHT], False)


def test_a_free_name_fits_however_long_the_taken_one_is(tmp_path: Path) -> None:
    sets = DiceSets(tmp_path)
    for name in ("x" * 40, "x" * 38 + " 2"):
        sets.put(name, NIGHT.named(name))
    with pytest.raises(NameTaken) as taken:
        sets.check_import(NIGHT.named("x" * 40).only(DieKind("gear")))
    assert taken.value.free == "x" * 38 + " 3"
    sets.check_import(NIGHT.named("x" * 40))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_teaches_belongs_to_the_owner_of_the_data(tmp_path: Path) -> None:
    os.chown(tmp_path, 1, 1)
    DiceSets(tmp_path).put(NIGHT.name, NIGHT)
    folder = tmp_path / FOLDER_NAME
    assert {path.stat().st_uid for path in (folder, *folder.iterdir())} == {1}
