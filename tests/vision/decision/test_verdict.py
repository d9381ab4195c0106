"""Two witnesses: agreement is trusted, doubt is said, pattern is no die."""

from dataclasses import replace

import numpy as np
import pytest

from vision.decision.verdict import (
    Coloured,
    Evidence,
    Verdict,
    VerdictParams,
    are_dice,
    is_beside,
    is_crowded,
    is_loose,
    judge_die,
    pair_up,
)
from vision.detection.faces import Face
from vision.detection.finder import FaceCandidate
from vision.types.frame import F32
from vision.types.reading import Unread

PARAMS = VerdictParams()
FACE = Face(
    center_xy=np.array([100.0, 100.0]),
    axis_xy=np.array([24.0, 0.0]),
    across_xy=np.array([0.0, 24.0]),
    value=5,
    margin=1.0,
    residual=0.02,
    contrast=150.0,
    body_bgr=np.array([40.0, 200.0, 240.0]),
    pip_bgr=np.zeros(3),
    dark=True,
    rim_bgr=np.array([40.0, 200.0, 240.0]),
    rank=10.0,
)
FOUND = FaceCandidate((101.0, 99.0), 48.0, 0.0, 0.8, (0.0, 0.0))


def shares(value: int, share: float) -> F32:
    row = np.full(8, (1.0 - share) / 7.0, dtype=np.float32)
    row[value - 1] = share
    return row


def test_agreement_is_trusted() -> None:
    verdict = judge_die(Evidence(FACE, FOUND, shares(5, 0.95)), PARAMS)
    assert verdict is not None
    assert (verdict.value, verdict.unread) == (5, None)


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (Evidence(FACE, FOUND, shares(4, 0.95)), Unread.PIPS_UNCLEAR),
        (Evidence(FACE, FOUND, shares(5, 0.25)), Unread.PIPS_UNCLEAR),
        (Evidence(replace(FACE, rank=6.0), FOUND, shares(5, 0.5)), Unread.PIPS_UNCLEAR),
        (Evidence(FACE, FOUND, shares(5, 0.95), standing=Unread.COCKED), Unread.COCKED),
        (Evidence(FACE, FOUND, shares(5, 0.95), standing=Unread.STACKED), Unread.STACKED),
        (Evidence(None, FOUND, shares(5, 0.95), standing=Unread.COCKED), Unread.COCKED),
        (Evidence(None, FOUND, shares(5, 0.6)), Unread.PIPS_UNCLEAR),
        (Evidence(FACE, None, shares(5, 0.6)), Unread.PIPS_UNCLEAR),
        (Evidence(FACE, FOUND, shares(5, 0.95), split=True), Unread.PIPS_UNCLEAR),
        (Evidence(None, FOUND, shares(5, 0.97), split=True), Unread.PIPS_UNCLEAR),
        (Evidence(replace(FACE, value=1), FOUND, shares(5, 0.97), split=True), Unread.PIPS_UNCLEAR),
    ],
)
def test_every_doubt_has_its_reason(evidence: Evidence, reason: Unread) -> None:
    verdict = judge_die(evidence, PARAMS)
    assert verdict is not None
    assert verdict.unread is reason


@pytest.mark.parametrize(
    ("value", "turn_deg", "loose"),
    [(5, 0.0, False), (5, 90.0, False), (5, 45.0, True), (5, -30.0, True), (6, 80.0, False), (1, 45.0, False)],
)
def test_a_lattice_that_is_turned_against_the_die_is_loose(value: int, turn_deg: float, loose: bool) -> None:
    assert is_loose(replace(FACE, value=value), replace(FOUND, angle_deg=turn_deg), PARAMS) is loose


def test_a_lattice_aside_of_the_die_is_loose() -> None:
    assert is_loose(FACE, replace(FOUND, center_px=(106.0, 100.0)), PARAMS)


def test_what_only_a_lattice_sees_and_the_net_denies_is_no_die() -> None:
    pattern = replace(FACE, rank=7.0)
    assert judge_die(Evidence(pattern, None, shares(8, 0.9)), PARAMS) is None
    assert judge_die(Evidence(FACE, None, shares(8, 0.9), crowded=True), PARAMS) is None
    kept = judge_die(Evidence(FACE, None, shares(8, 0.9)), PARAMS)
    assert kept is not None, "so clear a lattice is a die that the finder overlooked"
    assert kept.unread is Unread.PIPS_UNCLEAR


def test_what_both_see_and_the_net_surely_denies_is_no_die() -> None:
    assert judge_die(Evidence(FACE, FOUND, shares(8, 0.99)), PARAMS) is None
    leaning = Evidence(FACE, FOUND, shares(8, 0.95), standing=Unread.COCKED)
    assert judge_die(leaning, PARAMS) is not None, "the side of a cocked die is no top face either"


@pytest.mark.parametrize(
    ("on_lattice", "on_candidate", "beside"),
    [
        (shares(8, 0.8), shares(1, 0.97), True),
        (shares(5, 0.8), shares(1, 0.97), True),
        (shares(5, 0.98), shares(1, 0.97), False),
        (shares(5, 0.9), shares(5, 0.97), False),
        (shares(5, 0.8), shares(6, 0.85), False),
        (shares(8, 0.9), shares(8, 0.9), False),
    ],
    ids=["pattern", "a side's pip", "a die", "one die twice", "a die on its edge", "nothing"],
)
def test_a_lattice_off_its_candidate_counts_unless_more_is_read_there(
    on_lattice: np.ndarray, on_candidate: np.ndarray, beside: bool
) -> None:
    assert is_beside(5, on_lattice.tolist(), on_candidate.tolist(), PARAMS) == beside


def test_the_finder_alone_needs_a_sure_net() -> None:
    sure = judge_die(Evidence(None, FOUND, shares(3, 0.97)), PARAMS)
    assert sure is not None
    assert (sure.value, sure.unread) == (3, None)
    assert judge_die(Evidence(None, replace(FOUND, score=0.35), shares(8, 0.9)), PARAMS) is None


def test_pairs_by_place_and_keeps_the_rest() -> None:
    far = replace(FOUND, center_px=(300.0, 300.0))
    lonely = replace(FACE, center_xy=np.array([500.0, 500.0]))
    pairs = pair_up((FACE, lonely), (far, FOUND), PARAMS)
    assert [(p[0] is not None, p[1] is not None) for p in pairs] == [(True, True), (True, False), (False, True)]
    assert pairs[0][1] is FOUND
    assert is_crowded(FACE, (FOUND,), PARAMS)
    assert not is_crowded(FACE, (far,), PARAMS)


def test_the_net_overrules_a_lattice_unless_it_is_clear() -> None:
    open_params = replace(PARAMS, overrule=0.6)
    weak = judge_die(Evidence(replace(FACE, rank=7.0), FOUND, shares(3, 0.8)), open_params)
    clear = judge_die(Evidence(FACE, FOUND, shares(3, 0.8)), open_params)
    assert weak is not None
    assert clear is not None
    assert (weak.value, weak.unread) == (3, None)
    assert clear.unread is Unread.PIPS_UNCLEAR


def test_a_value_that_the_net_thinks_possible_is_not_overruled() -> None:
    torn = shares(3, 0.9)
    torn[FACE.value - 1] = 0.08
    verdict = judge_die(Evidence(replace(FACE, rank=7.0), FOUND, torn), PARAMS)
    assert verdict is not None
    assert (verdict.value, verdict.unread) == (FACE.value, Unread.PIPS_UNCLEAR)


def test_glare_hides_pips_from_the_lattice_that_the_nets_see() -> None:
    seen_as_1 = replace(FACE, value=1, rank=9.5)
    verdict = judge_die(Evidence(seen_as_1, FOUND, shares(3, 0.99)), PARAMS)
    assert verdict is not None
    assert (verdict.value, verdict.unread) == (3, None)
    torn = judge_die(Evidence(seen_as_1, FOUND, shares(3, 0.85)), PARAMS)
    assert torn is not None
    assert torn.unread is Unread.PIPS_UNCLEAR


@pytest.mark.parametrize(("burnt", "share", "sure"), [(0.0, 0.85, True), (0.5, 0.85, False), (0.5, 0.97, True)])
def test_of_a_top_burnt_white_the_nets_must_be_surer(burnt: float, share: float, sure: bool) -> None:
    verdict = judge_die(Evidence(None, FOUND, shares(4, share), burnt=burnt), PARAMS)
    assert verdict is not None
    assert (verdict.unread is None) == sure


@pytest.mark.parametrize(("flat", "reason"), [(0.9, None), (0.5, Unread.COCKED)])
def test_a_die_that_may_be_tipped_needs_a_lattice(flat: float, reason: Unread | None) -> None:
    alone = judge_die(Evidence(None, FOUND, shares(5, 0.95), flat=flat), PARAMS)
    assert alone is not None
    assert (alone.value, alone.unread) == (5, reason)
    one = judge_die(Evidence(None, FOUND, shares(1, 0.95), flat=flat), PARAMS)
    assert one is not None
    assert one.unread is None, "of a 1 lattices are rare"
    seconded = judge_die(Evidence(FACE, FOUND, shares(5, 0.95), flat=flat), PARAMS)
    assert seconded is not None
    assert seconded.unread is None


@pytest.mark.parametrize(("no_top", "reported"), [(0.1, True), (0.5, False)])
def test_a_die_that_leans_is_reported_however_faint_unless_it_looks_like_none(no_top: float, reported: bool) -> None:
    row = np.array([0.45, 0.0, 0.55 - no_top, 0.0, 0.0, 0.0, 0.0, no_top], dtype=np.float32)
    faint = Evidence(None, replace(FOUND, score=0.18), row, standing=Unread.COCKED)
    verdict = judge_die(faint, PARAMS)
    assert (verdict is not None) == reported
    if verdict is not None:
        assert (verdict.value, verdict.unread) == (None, Unread.COCKED)


READ = Coloured(Verdict(5, 0.95, None), "base", 0.0, True, (100.0, 100.0), 48.0)
AGAIN = Coloured(Verdict(None, 0.3, Unread.PIPS_UNCLEAR), "base", 0.5, False, (120.0, 100.0), 44.0)


@pytest.mark.parametrize(
    ("place", "die"),
    [
        (AGAIN, False),
        (replace(AGAIN, center_px=(132.0, 100.0)), True),
        (replace(AGAIN, colour="gear"), True),
        (replace(AGAIN, has_lattice=True), True),
        (replace(AGAIN, verdict=Verdict(3, 0.6, Unread.PIPS_UNCLEAR)), True),
        (replace(AGAIN, verdict=Verdict(None, 0.3, Unread.COCKED)), True),
        (replace(AGAIN, verdict=Verdict(None, 0.3, Unread.COCKED), no_top=0.8), False),
        (replace(AGAIN, verdict=Verdict(None, 0.3, Unread.COCKED), center_px=(112.0, 100.0)), False),
        (replace(AGAIN, verdict=Verdict(2, 0.6, Unread.COCKED), center_px=(112.0, 100.0)), True),
    ],
)
def test_what_shows_a_die_that_is_read_once_more_is_no_other(place: Coloured, die: bool) -> None:
    assert are_dice([READ, place], PARAMS) == [True, die]
    doubted = replace(READ, verdict=Verdict(5, 0.95, Unread.STACKED))
    assert are_dice([doubted, place], PARAMS) == [True, True]


@pytest.mark.parametrize(
    ("colour", "no_top", "die"), [(None, 0.7, False), (None, 0.6, True), ("skill", 0.7, True), ("skill", 0.9, True)]
)
def test_what_is_of_no_classs_colour_and_denied_is_no_die(colour: str | None, no_top: float, die: bool) -> None:
    place = replace(AGAIN, colour=colour, no_top=no_top, center_px=(300.0, 100.0))
    assert are_dice([READ, place], PARAMS) == [True, die]


@pytest.mark.parametrize(
    ("place", "die"),
    [
        (replace(AGAIN, verdict=Verdict(1, 0.6, Unread.PIPS_UNCLEAR), edge_px=70.0), False),
        (replace(AGAIN, verdict=Verdict(1, 0.6, Unread.PIPS_UNCLEAR), edge_px=60.0), True),
        (replace(AGAIN, verdict=Verdict(1, 0.9, Unread.COCKED), edge_px=70.0), True),
        (replace(AGAIN, verdict=Verdict(1, 0.9, None), edge_px=70.0), True),
        (replace(AGAIN, has_lattice=True, edge_px=70.0), True),
    ],
)
def test_what_is_much_larger_than_the_dice_that_are_read_is_no_die(place: Coloured, die: bool) -> None:
    place = replace(place, center_px=(300.0, 100.0))
    assert are_dice([READ, READ, place], PARAMS) == [True, True, die]
