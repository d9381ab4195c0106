"""What counts as exact, as wrong, and as wrong but trusted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from vision.evaluation.evaluate import Report, compare_text, judge
from vision.evaluation.labels import BadLabels, TrueDie, TruePicture, load_labels
from vision.types.reading import DieReading, TrayReading, Unread

SQUARE = ((80.0, 80.0), (120.0, 80.0), (120.0, 120.0), (80.0, 120.0))
READ = DieReading("base", 5, 0.99, None, (100.0, 100.0), (80.0, 80.0, 40.0, 40.0), SQUARE)
TRUE = TrueDie(5, "base", (102.0, 99.0), 40.0, flagged=False, covered=False)


def reading(*dice: DieReading, trusted: bool = True) -> TrayReading:
    return TrayReading(640, 480, dice, (), trusted, 5.0)


def truth(*dice: TrueDie) -> TruePicture:
    return TruePicture(Path("a.jpg"), ("felt",), dice)


def test_all_right_is_exact() -> None:
    verdict = judge(truth(TRUE), reading(READ))
    assert verdict.exact
    assert not verdict.silent
    assert verdict.read_pairs == ((5, 5),)


@pytest.mark.parametrize(
    ("true", "read", "kind"),
    [
        ((TRUE,), (replace(READ, value=4),), "value"),
        ((TRUE,), (replace(READ, colour="gear"),), "colour"),
        ((TRUE,), (replace(READ, unread=Unread.PIPS_UNCLEAR),), "unread"),
        ((TRUE,), (), "missing"),
        ((), (READ,), "extra"),
        ((TRUE,), (READ, replace(READ, center_px=(300.0, 300.0))), "extra"),
        ((replace(TRUE, flagged=True),), (READ,), "not_flagged"),
    ],
)
def test_what_is_wrong_has_a_name_and_is_silent_if_trusted(
    true: tuple[TrueDie, ...], read: tuple[DieReading, ...], kind: str
) -> None:
    verdict = judge(truth(*true), reading(*read))
    assert [miss.kind for miss in verdict.misses] == [kind]
    assert verdict.silent
    assert not judge(truth(*true), reading(*read, trusted=False)).silent


def test_a_cocked_die_marked_unread_is_right() -> None:
    verdict = judge(truth(replace(TRUE, flagged=True)), reading(replace(READ, unread=Unread.COCKED), trusted=False))
    assert verdict.exact
    assert not verdict.plain
    assert verdict.flagged_dice == (1, 1)


def test_a_die_is_found_within_half_its_edge_however_short_it_shows_one_way(tmp_path: Path) -> None:
    quad = [[90.0, 80.0], [110.0, 80.0], [110.0, 120.0], [90.0, 120.0]]
    die = {"role": "base", "pips": 5, "cocked": True, "center_px": [100.0, 100.0]}
    turned = [quad[1:] + quad[:1], quad]
    entries = [{"image": "a.jpg", "dice": [die | {"top_quad_px": corners}]} for corners in turned]
    (tmp_path / "labels.json").write_text(json.dumps(entries))
    seen = replace(READ, unread=Unread.COCKED, center_px=(100.0, 118.0))
    for true in load_labels(tmp_path):
        assert judge(true, reading(seen, trusted=False)).flagged_dice == (1, 1)
        assert judge(true, reading(replace(seen, center_px=(100.0, 122.0)), trusted=False)).flagged_dice == (1, 0)


def test_a_covered_die_need_not_be_seen() -> None:
    assert judge(truth(TRUE, replace(TRUE, covered=True, value=2)), reading(READ)).exact


def test_labels_without_places_compare_as_a_multiset() -> None:
    true = (replace(TRUE, center_px=None, value=2), replace(TRUE, center_px=None))
    assert judge(truth(*true), reading(READ, replace(READ, value=2))).exact
    assert not judge(truth(*true), reading(READ, READ)).exact


def test_report_counts_and_compares() -> None:
    good, bad = judge(truth(TRUE), reading(READ)), judge(truth(TRUE), reading(replace(READ, value=2)))
    before = Report((bad,)).to_json()
    report = Report((good,))
    assert report.summary["plain_exact"] == 1
    assert Report((bad,)).summary["silent_errors"] == 1
    assert "SILENT ERROR -> exact" in compare_text(json.loads(json.dumps(before)), report)
    assert "silent_errors" in compare_text(before, report)
    with pytest.raises(BadLabels):
        compare_text({}, report)


@pytest.mark.parametrize("text", ["", "{}", "[]", '[{"image": "a"}]', '[{"image": "a", "dice": [{}]}]', "[" * 9999])
def test_unusable_labels_are_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "labels.json").write_text(text)
    with pytest.raises(BadLabels) as caught:
        load_labels(tmp_path)
    assert "\n" not in str(caught.value)


def test_labels_of_both_kinds_are_read(tmp_path: Path) -> None:
    die = {
        "role": "gear",
        "pips": 3,
        "cocked": True,
        "center_px": [5, 6],
        "top_quad_px": [[0, 0], [3, 4], [1, 1], [2, 2]],
    }
    text = json.dumps([{"image": "a.jpg", "tags": ["t"], "dice": [die]}, {"local": "b.jpg", "dice": [{"pips": 6}]}])
    (tmp_path / "labels.json").write_text(text)
    first, second = load_labels(tmp_path)
    assert first.dice == (TrueDie(3, "gear", (5.0, 6.0), 5.0, flagged=True, covered=False),)
    assert not first.plain
    assert second.dice[0].center_px is None
