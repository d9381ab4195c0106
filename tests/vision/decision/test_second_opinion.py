"""The die net's opinion on what the tray reader doubts."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.drawing import draw
from vision.classification.die_net import DieReader
from vision.decision.second_opinion import OPINION_FEATURES, Said, SecondOpinion, ask
from vision.decision.verdict import Verdict
from vision.detection.squares import Squares
from vision.evaluation.bench import drawn_scene
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS
from vision.rendering.synthetic import truth_of
from vision.training.fit_second import Rows, best_denied, best_trusted
from vision.types.errors import VisionError
from vision.types.reading import Unread

SCENE = drawn_scene(1)
TRUTH = truth_of(SCENE)


@pytest.fixture(scope="module")
def picture() -> ImagePyramid:
    return ImagePyramid(draw(SCENE))


@pytest.fixture(scope="module")
def second() -> SecondOpinion:
    return SecondOpinion()


def squares_at(places: list[tuple[float, float]]) -> Squares:
    quad = np.array(TRUTH[0].top_quad_px)
    edge = float(np.hypot(*(quad[1] - quad[0])))
    return Squares(np.array(places, np.float64), np.full(len(places), edge), np.zeros(len(places)))


def on_die(which: int) -> Squares:
    quad = np.array(TRUTH[which].top_quad_px)
    way = quad[1] - quad[0]
    return Squares(quad.mean(axis=0)[None], np.hypot(*way)[None], np.arctan2(way[1], way[0])[None])


def bare_place() -> tuple[float, float]:
    """Somewhere on the floor, far from all dice."""
    middles = np.array([die.center_px for die in TRUTH])
    grid = [(float(x), float(y)) for x in range(340, 960, 20) for y in range(260, 700, 20)]
    return max(grid, key=lambda place: np.hypot(*(middles - place).T).min())


def said(value: int | None, unread: Unread | None) -> Said:
    return Said(Verdict(value, 0.5, unread), flat=0.9, has_lattice=False)


@pytest.mark.parametrize("unread", [Unread.COCKED, Unread.STACKED, Unread.PIPS_UNCLEAR, Unread.OUTSIDE_FLOOR])
def test_what_is_doubted_and_is_no_die_goes(second: SecondOpinion, picture: ImagePyramid, unread: Unread) -> None:
    glimpse = Said(Verdict(3, 0.03, unread), flat=0.2, has_lattice=False)
    assert second.review(picture, squares_at([bare_place()]), [glimpse]) == [None]


@pytest.mark.parametrize("unread", [Unread.COCKED, Unread.STACKED, Unread.OUTSIDE_FLOOR])
def test_how_and_where_a_die_lies_is_not_the_nets_question(
    second: SecondOpinion, picture: ImagePyramid, unread: Unread
) -> None:
    (now,) = second.review(picture, on_die(0), [said(TRUTH[0].value, unread)])
    assert now is not None
    assert (now.value, now.unread) == (TRUTH[0].value, unread)


def test_a_doubtful_die_gets_the_value_that_the_net_reads(second: SecondOpinion, picture: ImagePyramid) -> None:
    for which, die in enumerate(TRUTH):
        (now,) = second.review(picture, on_die(which), [said(None, Unread.PIPS_UNCLEAR)])
        assert now is not None
        assert now.value == die.value


def test_a_value_that_the_net_reads_otherwise_is_not_trusted(second: SecondOpinion, picture: ImagePyramid) -> None:
    for which, die in enumerate(TRUTH):
        wrong = die.value % 6 + 1
        (now,) = second.review(picture, on_die(which), [said(wrong, None)])
        assert now is not None
        assert now.unread is Unread.PIPS_UNCLEAR or now.value == die.value


def test_a_value_that_both_read_is_left_alone(second: SecondOpinion, picture: ImagePyramid) -> None:
    for which, die in enumerate(TRUTH):
        before = said(die.value, None)
        assert second.review(picture, on_die(which), [before]) == [before.verdict]


def test_a_trusted_die_is_never_dropped(second: SecondOpinion, picture: ImagePyramid) -> None:
    (now,) = second.review(picture, squares_at([bare_place()]), [said(3, None)])
    assert now is not None


def test_of_nothing_there_is_no_opinion(second: SecondOpinion, picture: ImagePyramid) -> None:
    assert second.review(picture, squares_at([]), []) == []


@pytest.mark.parametrize("lacking", ["is_die", "is_right", "denied", "trusted", None])
def test_a_decision_that_lacks_something_is_refused_in_one_line(tmp_path: Path, lacking: str | None) -> None:
    models = json.loads((WEIGHTS / "decision.json").read_text())
    if lacking is None:
        del models["second"]
    else:
        del models["second"][lacking]
    path = tmp_path / "decision.json"
    path.write_text(json.dumps(models))
    with pytest.raises(VisionError, match=f"lacks '{lacking or 'second'}'.*install"):
        SecondOpinion(path)


def rows(is_die: list[int], is_right: list[int], *, in_doubt: bool = True) -> Rows:
    count = len(is_die)
    return Rows(
        np.zeros((count, len(OPINION_FEATURES))),
        np.array(is_die),
        np.array(is_right),
        np.full(count, in_doubt),
        np.ones(count, np.bool_),
        np.arange(count),
    )


def test_a_die_passed_over_outweighs_false_places_that_go() -> None:
    false_ones = 9
    is_die = [0] * false_ones + [1]
    beliefs = np.array([0.04] * false_ones + [0.1])
    assert beliefs[:-1].max() < best_denied(rows(is_die, is_die), beliefs) <= beliefs[-1]
    assert best_denied(rows(is_die, is_die), np.full(false_ones + 1, 0.04)) == 0.0
    assert best_denied(rows(is_die, is_die, in_doubt=False), beliefs) == 0.0


def test_a_wrong_value_outweighs_right_ones_that_are_trusted() -> None:
    is_right = [1] * 9 + [0]
    beliefs = np.array([0.96] * 9 + [0.91])
    assert beliefs[-1] < best_trusted(rows(is_right, is_right), beliefs) <= 0.96
    assert best_trusted(rows(is_right, is_right), np.full(10, 0.96)) > 0.96


def test_only_doubts_and_other_values_are_asked_about(picture: ImagePyramid) -> None:
    squares = [on_die(k) for k in range(3)]
    together = Squares(
        *(np.concatenate([getattr(s, n) for s in squares]) for n in ("center_xy", "edge_px", "turn_rad"))
    )
    values = [TRUTH[k].value for k in range(3)]
    verdicts = [said(values[0], None), said(values[1], Unread.COCKED), said(values[2] % 6 + 1, None)]
    opinion = ask(DieReader(), picture, together, verdicts)
    assert opinion.rows.tolist() == [1, 2]
    assert opinion.values.tolist() == values[1:]
    assert opinion.columns.shape == (2, len(OPINION_FEATURES))
