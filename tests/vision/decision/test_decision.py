import json
from pathlib import Path

import numpy as np
import pytest

from vision.classification.die_net import NO_DIE, DieSights
from vision.decision.decide import Decision, best_places, load_decision
from vision.decision.features import ANYWHERE, IN_TRAY, InTray, place_features
from vision.decision.model import Logistic
from vision.detection.found import Found, merged
from vision.types.errors import VisionError

FLAT_MODEL = Logistic(ANYWHERE, np.zeros(len(ANYWHERE)), np.ones(len(ANYWHERE)), np.zeros(len(ANYWHERE)), 0.0)


def found(*rows: tuple[float, float, float, float]) -> Found:
    """Return places from rows of x, y, edge, heat."""
    table = np.array(rows).reshape(-1, 4)
    return Found(table[:, :2], table[:, 2], np.zeros(len(table)), table[:, 3])


def sights(*rows: tuple[int, float, float]) -> DieSights:
    """Return sights from rows of value, its share, share of "no die"."""
    shares = np.full((len(rows), 8), 1e-3)
    for row, (value, share, none) in zip(shares, rows, strict=True):
        row[value - 1], row[NO_DIE] = share, none
    shares /= shares.sum(axis=1, keepdims=True)
    agreement = np.array([row[1] for row in rows])
    return DieSights(shares, agreement, np.full(len(rows), 0.95), np.zeros((len(rows), 128), np.float32))


def test_features_have_their_names_and_say_who_is_surer() -> None:
    places = place_features(found((0, 0, 20, 0.9), (60, 0, 20, 0.9)), sights((5, 0.95, 0.01), (2, 0.4, 0.3)))
    assert set(places) == set(ANYWHERE)
    for name in ("die", "value", "margin", "agreement"):
        sure, unsure = places[name]
        assert sure > unsure


def test_a_die_of_another_size_than_the_others_stands_out() -> None:
    rows = [(100.0 * k, 0.0, 20.0, 0.9) for k in range(4)]
    places = place_features(found(*rows, (0.0, 200.0, 50.0, 0.9)), sights(*[(3, 0.95, 0.01)] * 5))
    assert places["larger"] == pytest.approx([0.0] * 4 + [np.log(2.5)])
    assert places["smaller"][4] == 0.0


def in_tray(*, leaning: float, departs: float, known_edge_px: float | None = None) -> InTray:
    """Return one die well inside a tray, with that stance."""
    stances = np.array([[1 - leaning, leaning, 0.0]])
    return InTray(stances, np.array([[departs, 0.0]]), np.array([departs]), np.array([3.0]), known_edge_px)


def test_in_a_tray_it_counts_how_a_die_stands_and_what_size_the_trays_dice_have() -> None:
    one, seen = found((0, 0, 20, 0.9)), sights((5, 0.95, 0.01))
    flat = place_features(one, seen, in_tray(leaning=0.01, departs=0.02, known_edge_px=20.0))
    tipped = place_features(one, seen, in_tray(leaning=0.8, departs=0.4, known_edge_px=25.0))
    assert set(flat) == set(ANYWHERE) | set(IN_TRAY)
    assert (flat["known_smaller"][0], flat["departs_far"][0], flat["inside"][0]) == (0.0, 0.0, 1.0)
    assert tipped["known_smaller"] == pytest.approx([np.log(1.25)])
    assert tipped["flat"] < flat["flat"]
    assert tipped["departs_far"] > 0.3


def test_no_place_has_no_features() -> None:
    nothing = DieSights(np.zeros((0, 8)), np.zeros(0), np.zeros(0), np.zeros((0, 128), np.float32))
    assert all(column.shape == (0,) for column in place_features(Found.nothing(), nothing).values())


def test_a_die_is_doubted_for_how_it_stands_where_that_is_the_reason() -> None:
    count = len(IN_TRAY)
    weights = np.array([1.0 if name == "flat" else 0.1 for name in IN_TRAY])
    model = Logistic(IN_TRAY, np.zeros(count), np.ones(count), weights, 0.0).to_json()
    decision = Decision({"is_die": model, "is_right": model, "shown": 0.3, "trusted": 0.9}, "tray")
    one, seen = found((0, 0, 20, 0.9)), sights((5, 0.95, 0.01))
    assert decision.weigh(one, seen, in_tray(leaning=0.9, departs=0.3)).stands_oddly.tolist() == [True]
    assert decision.weigh(one, seen, in_tray(leaning=0.01, departs=0.0)).stands_oddly.tolist() == [False]


def test_a_model_is_the_same_after_a_file() -> None:
    rng = np.random.default_rng(1)
    model = Logistic(
        ANYWHERE, rng.random(len(ANYWHERE)), rng.random(len(ANYWHERE)) + 1, rng.normal(size=len(ANYWHERE)), 0.3
    )
    again = Logistic.from_json(json.loads(json.dumps(model.to_json())), ANYWHERE)
    columns = rng.normal(size=(5, len(ANYWHERE)))
    assert again.share(columns) == pytest.approx(model.share(columns), abs=1e-3)


def test_a_model_of_other_features_is_refused() -> None:
    with pytest.raises(VisionError, match="fit it again"):
        Logistic.from_json(FLAT_MODEL.to_json(), ("heat",))


def test_a_decision_that_is_missing_names_the_cure(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="install the project again"):
        load_decision("anywhere", tmp_path / "decision.json")
    (tmp_path / "decision.json").write_text("{}")
    with pytest.raises(VisionError, match="'anywhere'"):
        load_decision("anywhere", tmp_path / "decision.json")
    with pytest.raises(VisionError, match="lacks"):
        Decision({"is_die": FLAT_MODEL.to_json()})


def test_of_one_die_seen_at_two_places_the_better_one_stays() -> None:
    kept = best_places(
        found((0, 0, 20, 0.6), (3, 0, 20, 0.9), (90, 0, 20, 0.5)),
        sights((4, 0.9, 0.01), (4, 0.9, 0.01), (1, 0.9, 0.01)),
    )
    assert kept.tolist() == [1, 2]


def test_what_several_scales_found_is_one_place_each_but_for_other_sizes() -> None:
    coarse = found((10, 10, 20, 0.5), (200, 10, 20, 0.9))
    fine = found((12, 10, 21, 0.8), (12, 10, 6, 0.4))
    both = merged([coarse, fine])
    assert both.center_xy.tolist() == [[200.0, 10.0], [12.0, 10.0], [12.0, 10.0]]
    assert both.edge_px.tolist() == [20.0, 21.0, 6.0]
