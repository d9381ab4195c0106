import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.training.labelled import labelled_trays, photographs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sources: one of whole pictures in scenes of ten, one of crops."""
    for source, crop in (("board_games", False), ("grey_crops", True)):
        (tmp_path / source / "images").mkdir(parents=True)
        entries = []
        for k in range(100):
            name = f"images/dice_{k:03d}.jpg"
            cv2.imwrite(str(tmp_path / source / name), np.full((40, 40, 3), k, np.uint8))
            entry = {"image": name, "dice": [{"pips": k % 6 + 1, "box_px": [10, 10, 20, 20]}]}
            entries.append(entry | ({"crop_of_one_die": True} if crop else {}))
        (tmp_path / source / "labels.json").write_text(json.dumps(entries))
    return tmp_path


def test_a_fifth_of_each_source_is_set_aside_and_no_scene_is_divided(folder: Path) -> None:
    pictures = photographs(folder)
    for source in ("board_games", "grey_crops"):
        of_source = [p for p in pictures if p.source == source]
        held = {p.scene for p in of_source if p.held}
        assert sum(p.held for p in of_source) == 20
        assert held.isdisjoint({p.scene for p in of_source if not p.held})


def test_boxes_become_middles_and_edges_of_tops(folder: Path) -> None:
    (die,) = photographs(folder)[0].dice
    assert die.center_xy == (19.5, 19.5)
    assert 14.0 < die.edge_px < 18.0
    assert np.isnan(die.turn_rad)
    assert die.is_seen


def test_what_is_no_whole_picture_teaches_no_negatives(folder: Path) -> None:
    for picture in photographs(folder):
        assert picture.is_complete == (picture.source == "board_games")
        assert picture.is_crop == (picture.source == "grey_crops")
        assert picture.load().shape == (40, 40, 3)


def test_a_covered_die_of_a_tray_is_not_seen(tmp_path: Path) -> None:
    quad = [[0, 0], [10, 0], [10, 10], [0, 10]]
    die = {"pips": 3, "center_px": [5, 5], "top_quad_px": quad}
    entry = {"image": "a.jpg", "dice": [die, die | {"covered": True}]}
    (tmp_path / "labels.json").write_text(json.dumps([entry]))
    flat, covered = labelled_trays(tmp_path, "stills")[0].dice
    assert (flat.is_seen, covered.is_seen) == (True, False)
    assert flat.edge_px == pytest.approx(10.0)
    assert np.cos(4 * flat.turn_rad) == pytest.approx(1.0)


def test_of_people_s_corrections_only_what_they_confirmed_is_learned_from(tmp_path: Path) -> None:
    quad = [[10, 10], [20, 10], [20, 20], [10, 20]]
    known = {"confirmed": True, "pips": 4, "role": "base", "center_px": [15, 15], "top_quad_px": quad}
    unconfirmed = {"confirmed": False, "center_px": [30, 15], "top_quad_px": quad}
    leans = known | {"may_be_doubted": True}
    entries = [
        {"image": "a.jpg", "complete": False, "dice": [known, unconfirmed], "not_dice": []},
        {"image": "b.jpg", "complete": True, "dice": [known], "not_dice": []},
        {"image": "c.jpg", "complete": True, "dice": [known, leans], "not_dice": []},
    ]
    (tmp_path / "labels.json").write_text(json.dumps(entries))
    pictures = labelled_trays(tmp_path, "table of ours")
    assert [[die.value for die in picture.dice] for picture in pictures] == [[4], [4], [4]]
    assert [picture.is_complete for picture in pictures] == [False, True, False]
    assert {picture.kind for picture in pictures} == {"photograph"}
