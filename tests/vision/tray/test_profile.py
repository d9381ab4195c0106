"""A profile is restored as it was saved; a damaged one is one line with the cure."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vision.geometry.camera import Held
from vision.tray.floor import Floor
from vision.tray.own_things import PATCH_CELLS, Thing
from vision.tray.profile import PaletteColour, Profile, load_profile, save_profile
from vision.types.errors import BadProfile

PROFILE = Profile(
    1280,
    960,
    Floor("rectangle", np.array([[290.0, 127.0], [1058.0, 162.0], [1036.0, 779.0], [263.0, 751.0]])),
    (260.0, 200.0),
    16.0,
    50.5,
    (PaletteColour("base", (80.0, 2.0, 70.0), 6.0, dark_pips=True),),
    np.full((3, 4, 3), 90.0),
    (Thing((640.5, 480.25), 44.0, np.full((PATCH_CELLS, PATCH_CELLS, 3), 70.0)),),
    Held((-0.05, 0.12), 1.3),
)

COLOUR = {"label": "base", "body_lab": [80.0, 2.0, 70.0], "spread": 6.0, "dark_pips": True}


def test_comes_back_as_saved(tmp_path: Path) -> None:
    save_profile(tmp_path / "p.json", PROFILE)
    back = load_profile(tmp_path / "p.json")
    assert back.palette == PROFILE.palette
    assert back.edge_px == PROFILE.edge_px
    assert np.allclose(back.floor.outline_px, PROFILE.floor.outline_px)
    assert np.array_equal(back.floor_bgr, PROFILE.floor_bgr)
    (thing,), (kept,) = PROFILE.things, back.things
    assert (kept.center_px, kept.edge_px) == (thing.center_px, thing.edge_px)
    assert np.array_equal(kept.patch_bgr, thing.patch_bgr)
    assert back.held == PROFILE.held


def test_a_floor_that_reaches_somewhat_beyond_the_picture_is_read(tmp_path: Path) -> None:
    outline = np.array([[-90.0, -60.0], [1390.0, -40.0], [1380.0, 1010.0], [-70.0, 1040.0]])
    for ring in (outline, outline[::-1]):
        save_profile(tmp_path / "p.json", replace(PROFILE, floor=Floor("rectangle", ring)))
        assert np.allclose(load_profile(tmp_path / "p.json").floor.outline_px, ring)


def test_one_that_knows_of_no_things_and_no_camera_is_read(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    save_profile(file, PROFILE)
    body = json.loads(file.read_text())
    del body["things"], body["camera"]
    file.write_text(json.dumps(body))
    assert load_profile(file).things == ()
    assert load_profile(file).held is None


def test_one_of_too_few_dice_knows_of_no_camera(tmp_path: Path) -> None:
    save_profile(tmp_path / "p.json", replace(PROFILE, held=None))
    assert load_profile(tmp_path / "p.json").held is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"format": "pushtray-profile/9"}, "format"),
        ({"floor_outline_px": [[0, 0], [1, 1], [2, 5]]}, "3 corners"),
        ({"floor_shape": "blob"}, "blob"),
        ({"die_mm": "NaN"}, "die_mm"),
        ({"edge_px": -1}, "edge_px"),
        ({"width": None}, "malformed"),
        ({"palette": [{"label": "base"}]}, "body_lab"),
        ({"floor_bgr": [[1, 2]]}, "floor_bgr"),
        ({"things": {}}, "things"),
        ({"camera": [0.1, 0.2]}, "camera"),
        ({"camera": {"up": [0.1, 2.0], "field": 1.0}}, "length of up is 2"),
        ({"camera": {"up": [0.1, 0.0]}}, "field"),
        ({"floor_outline_px": [[5, 5]] * 4}, "holds 0.0% of the picture"),
        ({"floor_outline_px": [[-600, 100], [-5, 100], [-5, 900], [-600, 900]]}, "holds 0.0% of the picture"),
        ({"floor_outline_px": [[-4800, 100], [-4000, 100], [-4000, 800], [-4800, 800]]}, r"corner at \(-4800, 100\)"),
        ({"floor_outline_px": [[2e5, 1e5], [1e6, 1e5], [1e6, 8e5], [2e5, 8e5]]}, "far outside 1280x960"),
        ({"floor_outline_px": [[200, 100], [900, 800], [1000, 100], [200, 800]]}, "not in order"),
        ({"floor_bgr": [[[1e308, 2, 3]]]}, "floor_bgr is 1e.308, needs 0 to 255"),
        ({"floor_bgr": [[[-1, 2, 3]]]}, "floor_bgr is -1"),
        ({"palette": [{**COLOUR, "label": None}]}, "label is None"),
        ({"palette": [{**COLOUR, "label": 7}]}, "label is 7"),
        ({"palette": [{**COLOUR, "label": ["base"]}]}, "label is .'base'."),
        ({"palette": [{**COLOUR, "dark_pips": "no"}]}, "dark_pips is 'no', needs true or false"),
        ({"palette": [{**COLOUR, "dark_pips": 1}]}, "dark_pips is 1"),
        ({"palette": [{**COLOUR, "body_lab": [80, 2, 1e9]}]}, "b. of body_lab is 1e.09"),
        ({"things": [{"center_px": [5, 5], "edge_px": 40, "patch_bgr": [[[1, 2, 3]]]}]}, "patch_bgr is 1x1"),
    ],
)
def test_a_damaged_profile_says_what_and_the_cure(tmp_path: Path, change: dict[str, object], expected: str) -> None:
    file = tmp_path / "p.json"
    save_profile(file, PROFILE)
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(BadProfile, match=expected) as caught:
        load_profile(file)
    assert "\n" not in str(caught.value)
    assert "pushtray calibrate" in str(caught.value)


def test_missing_and_unreadable_profiles(tmp_path: Path) -> None:
    with pytest.raises(BadProfile, match="does not exist"):
        load_profile(tmp_path / "none.json")
    (tmp_path / "p.json").write_text("{")
    with pytest.raises(BadProfile, match="no JSON"):
        load_profile(tmp_path / "p.json")


def test_a_folder_is_none_and_a_file_of_a_windows_editor_is_one(tmp_path: Path) -> None:
    with pytest.raises(BadProfile, match="is a folder: name a file in it"):
        load_profile(tmp_path)
    save_profile(tmp_path / "p.json", PROFILE)
    (tmp_path / "p.json").write_bytes(b"\xef\xbb\xbf" + (tmp_path / "p.json").read_bytes())
    assert load_profile(tmp_path / "p.json").floor_mm == PROFILE.floor_mm
