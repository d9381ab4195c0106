"""What the close net learns from: places that the reader weighs, with the truth of what lies there."""

from pathlib import Path

import numpy as np

from tests.drawing import draw
from vision.evaluation.bench import drawn_scene
from vision.pipeline.reader import Reader
from vision.training.dataset import FLAT, UNASKED
from vision.training.places import MOST_BESIDE, NO_DIE, PLACE_PX, UNKNOWN, Places, Tops, add_places, tops_of


def test_each_die_of_a_drawn_tray_becomes_a_place(tmp_path: Path) -> None:
    scene = drawn_scene(1)
    places = Places()
    add_places(places, Reader().trace(draw(scene)), tops_of(scene.dice, scene.camera, 1.0))
    path = tmp_path / "places-1-000001.npz"
    places.save(path)
    with np.load(path) as data:
        found = data["labels"] < NO_DIE
        assert found.sum() == len(scene.dice)
        assert (data["kinds"][found] == FLAT).all()
        assert data["crops"].shape[1:] == (PLACE_PX, PLACE_PX, 3)
        assert data["beside"].shape[1:] == (MOST_BESIDE, 8, 2)
        middles = data["beside"][:, :, :4].mean(axis=2)
        away = np.hypot(middles[..., 0], middles[..., 1])
        assert np.nanmin(away) > 0.9, "dice side by side are an edge apart"


def test_a_place_is_the_nearest_dies_or_nobodys() -> None:
    tops = Tops(np.array([[100.0, 100.0]]), np.array([40.0]), np.array([4.0]), np.array([float(FLAT)]))
    assert tops.at(np.array([104.0, 100.0])) == (4, FLAT)
    assert tops.at(np.array([116.0, 100.0])) == (UNKNOWN, UNASKED), "neither on it nor off it"
    assert tops.at(np.array([130.0, 100.0])) == (NO_DIE, UNASKED)
    nobody = Tops(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros(0))
    assert nobody.at(np.array([5.0, 5.0])) == (NO_DIE, UNASKED)
