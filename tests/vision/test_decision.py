"""What is believed of places: named features, fitted models of each kind of picture, confidence."""

import json
from pathlib import Path

import numpy as np
import pytest

from vision.classification.die_net import NO_DIE, DieSights
from vision.classification.standing import STANDING_FEATURES
from vision.decision.decide import KINDS, Decision, best_places, load_decision
from vision.decision.features import FEATURES, TRAY_FEATURES, place_features
from vision.decision.model import Logistic
from vision.detection.found import Found, merged
from vision.errors import VisionError


def indifferent(names: tuple[str, ...], share: float = 0.5) -> dict[str, object]:
    """A model that says so of every place."""
    zero = np.zeros(len(names))
    return Logistic(names, zero, zero + 1, zero, float(np.log(share / (1 - share)))).to_json()


ANYWHERE = {"is_die": indifferent(FEATURES), "is_right": indifferent(FEATURES), "shown": 0.3, "trusted": 0.9}
TRAY = {
    "is_die": indifferent(TRAY_FEATURES, 0.9),
    "is_right": indifferent(TRAY_FEATURES, 0.8),
    "is_flat": indifferent(TRAY_FEATURES, 0.6),
    "shown": 0.1,
    "trusted": 0.8,
    "flat": 0.7,
}


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
        Logistic.from_json(indifferent(FEATURES), ("heat",))


def test_a_decision_that_is_missing_names_the_cure(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="install the project again"):
        load_decision("anywhere", tmp_path / "decision.json")
    (tmp_path / "decision.json").write_text("{}")
    with pytest.raises(VisionError, match="'anywhere'"):
        load_decision("anywhere", tmp_path / "decision.json")


@pytest.mark.parametrize(("kind", "models"), [("anywhere", ANYWHERE), ("tray", TRAY)])
def test_a_decision_that_lacks_a_part_is_refused(kind: str, models: dict[str, object]) -> None:
    Decision(kind, models)
    for name in models:
        less = {key: model for key, model in models.items() if key != name}
        with pytest.raises(VisionError, match=f"the fitted decision lacks '{name}': install the project again"):
            Decision(kind, less)


def test_a_decision_of_another_kind_is_refused() -> None:
    with pytest.raises(VisionError, match="fit it again"):
        Decision("tray", TRAY | {"is_flat": ANYWHERE["is_die"]})
    with pytest.raises(VisionError, match="fit it again"):
        Decision("anywhere", TRAY)


SHORT = indifferent(FEATURES) | {"weights": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("name", "broken"),
    [("shown", "text"), ("shown", None), ("is_die", 3), ("is_die", "text"), ("is_die", [1, 2]), ("is_die", SHORT)],
)
def test_a_damaged_decision_is_one_line(name: str, broken: object) -> None:
    with pytest.raises(VisionError, match="install the project again") as caught:
        Decision("anywhere", ANYWHERE | {name: broken})
    assert "\n" not in str(caught.value)


def test_every_kind_of_decision_is_installed() -> None:
    for kind in KINDS:
        decision = load_decision(kind)
        assert 0 < decision.shown < decision.trusted < 1
    assert 0 < load_decision("tray").flat < 1
    assert load_decision("anywhere").flat == 0.0


def test_one_die_seen_at_two_places_is_weighed_once() -> None:
    believed = Decision("anywhere", ANYWHERE).weigh_anywhere(
        found((0, 0, 20, 0.9), (3, 0, 20, 0.6), (90, 0, 20, 0.5)),
        sights((4, 0.9, 0.01), (4, 0.9, 0.01), (1, 0.9, 0.01)),
    )
    assert believed.found.center_xy.tolist() == [[0.0, 0.0], [90.0, 0.0]]
    assert believed.values.tolist() == [4, 1]
    assert believed.is_die.tolist() == [0.5, 0.5]
    assert believed.is_flat.tolist() == [1.0, 1.0], "nobody knows the camera"
    assert believed.confidence.tolist() == [0.5, 0.5]


def test_the_place_that_is_surer_a_die_stays_though_the_detector_is_hotter_elsewhere() -> None:
    kept = best_places(found((0, 0, 20, 0.9), (3, 0, 20, 0.6)), sights((4, 0.2, 0.7), (4, 0.9, 0.01)))
    assert kept.tolist() == [1]


def test_confidence_in_a_tray_is_that_of_a_flat_die_with_that_value() -> None:
    places = found((0, 0, 20, 0.9), (60, 0, 20, 0.9))
    seen = sights((5, 0.95, 0.01), (2, 0.95, 0.01))
    columns = np.zeros((2, len(TRAY_FEATURES)))
    believed = Decision("tray", TRAY).weigh(places, seen, columns, np.array([5, 2]))
    assert believed.is_die == pytest.approx([0.9, 0.9])
    assert believed.confidence == pytest.approx([0.48, 0.48], abs=1e-5)


def test_a_trays_features_are_those_of_any_place_and_how_a_die_stands() -> None:
    assert (*FEATURES, *STANDING_FEATURES) == TRAY_FEATURES
    assert len(set(TRAY_FEATURES)) == len(TRAY_FEATURES)


def test_one_die_alone_says_so_and_has_no_size_to_compare() -> None:
    alone, larger = FEATURES.index("alone"), FEATURES.index("larger")
    (row,) = place_features(found((0, 0, 50, 0.9)), sights((3, 0.95, 0.01))).columns
    assert (row[alone], row[larger]) == (1.0, 0.0)


def test_a_place_on_a_better_one_is_crowded() -> None:
    rows = found((0, 0, 20, 0.9), (15, 0, 20, 0.6), (200, 0, 20, 0.5))
    crowd = place_features(rows, sights(*[(3, 0.95, 0.01)] * 3)).columns[:, FEATURES.index("crowd")]
    assert crowd == pytest.approx([0.0, 0.25, 0.0])


def test_what_several_scales_found_is_one_place_each_but_for_other_sizes() -> None:
    coarse = found((10, 10, 20, 0.5), (200, 10, 20, 0.9))
    fine = found((12, 10, 21, 0.8), (12, 10, 6, 0.4))
    both = merged([coarse, fine])
    assert both.center_xy.tolist() == [[200.0, 10.0], [12.0, 10.0], [12.0, 10.0]]
    assert both.edge_px.tolist() == [20.0, 21.0, 6.0]
