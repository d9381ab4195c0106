import json
from pathlib import Path

import numpy as np
import pytest

from vision.classification.die_net import NO_DIE, DieSights
from vision.decision.decide import Decision, load_decision
from vision.decision.features import FEATURES, place_features
from vision.decision.model import Logistic
from vision.detection.found import Found, merged
from vision.types.errors import VisionError

FLAT_MODEL = Logistic(FEATURES, np.zeros(len(FEATURES)), np.ones(len(FEATURES)), np.zeros(len(FEATURES)), 0.0)


def found(*rows: tuple[float, float, float, float]) -> Found:
    """Rows of x, y, edge, heat."""
    table = np.array(rows).reshape(-1, 4)
    return Found(table[:, :2], table[:, 2], np.zeros(len(table)), table[:, 3])


def sights(*rows: tuple[int, float, float]) -> DieSights:
    """Rows of value, its share, share of being no die."""
    shares = np.full((len(rows), 8), 1e-3)
    for row, (value, share, none) in zip(shares, rows, strict=True):
        row[value - 1], row[NO_DIE] = share, none
    shares /= shares.sum(axis=1, keepdims=True)
    agreement = np.array([row[1] for row in rows])
    return DieSights(shares, agreement, np.full(len(rows), 0.95), np.zeros((len(rows), 128), np.float32))


def test_features_have_their_names_and_say_who_is_surer() -> None:
    places = place_features(found((0, 0, 20, 0.9), (60, 0, 20, 0.9)), sights((5, 0.95, 0.01), (2, 0.4, 0.3)))
    assert places.values.tolist() == [5, 2]
    assert places.columns.shape == (2, len(FEATURES))
    for name in ("die", "value", "margin", "agreement"):
        sure, unsure = places.columns[:, FEATURES.index(name)]
        assert sure > unsure


def test_a_die_of_another_size_than_the_others_stands_out() -> None:
    rows = [(100.0 * k, 0.0, 20.0, 0.9) for k in range(4)]
    places = place_features(found(*rows, (0.0, 200.0, 50.0, 0.9)), sights(*[(3, 0.95, 0.01)] * 5))
    larger, smaller = FEATURES.index("larger"), FEATURES.index("smaller")
    assert places.columns[4, larger] == pytest.approx(np.log(2.5))
    assert places.columns[:4, larger].tolist() == [0.0] * 4
    assert places.columns[4, smaller] == 0.0


def test_no_place_has_no_features() -> None:
    nothing = DieSights(np.zeros((0, 8)), np.zeros(0), np.zeros(0), np.zeros((0, 128), np.float32))
    assert place_features(Found.nothing(), nothing).columns.shape == (0, len(FEATURES))


def test_a_model_is_the_same_after_a_file() -> None:
    rng = np.random.default_rng(1)
    model = Logistic(
        FEATURES, rng.random(len(FEATURES)), rng.random(len(FEATURES)) + 1, rng.normal(size=len(FEATURES)), 0.3
    )
    again = Logistic.from_json(json.loads(json.dumps(model.to_json())), FEATURES)
    columns = rng.normal(size=(5, len(FEATURES)))
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


def test_one_die_seen_at_two_places_is_weighed_once() -> None:
    models = {"is_die": FLAT_MODEL.to_json(), "is_right": FLAT_MODEL.to_json(), "shown": 0.3, "trusted": 0.9}
    believed = Decision(models).weigh(
        found((0, 0, 20, 0.9), (3, 0, 20, 0.6), (90, 0, 20, 0.5)),
        sights((4, 0.9, 0.01), (4, 0.9, 0.01), (1, 0.9, 0.01)),
    )
    assert believed.found.center_xy.tolist() == [[0.0, 0.0], [90.0, 0.0]]
    assert believed.values.tolist() == [4, 1]
    assert believed.is_die.tolist() == [0.5, 0.5]


def test_what_several_scales_found_is_one_place_each_but_for_other_sizes() -> None:
    coarse = found((10, 10, 20, 0.5), (200, 10, 20, 0.9))
    fine = found((12, 10, 21, 0.8), (12, 10, 6, 0.4))
    both = merged([coarse, fine])
    assert both.center_xy.tolist() == [[200.0, 10.0], [12.0, 10.0], [12.0, 10.0]]
    assert both.edge_px.tolist() == [20.0, 21.0, 6.0]
