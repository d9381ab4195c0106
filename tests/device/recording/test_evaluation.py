import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from device.errors import BadInput
from device.recording.evaluation import RecordingScore, evaluate_recordings
from device.recording.writer import RecordingWriter
from vision.types.frame import Frame
from vision.types.reading import DieReading, Unread
from vision.types.sighting import MotionBegan, Rest, Sighting, TrackedDie

FIRST = {"d1": ("base", 6, (100, 100)), "d2": ("base", 3, (200, 100))}
SECOND = {"d1": ("base", 6, (104, 103)), "d2": ("base", 5, (300, 200))}


class ScriptedWatch:
    """Reports what it was given, whatever it sees."""

    def __init__(self, script: Mapping[int, Sighting | None]) -> None:
        self.script = script
        self.forgotten_at: list[int] = []
        self.seen = 0

    def see(self, frame: Frame) -> Sighting | None:
        self.seen = frame.sequence
        return self.script.get(frame.sequence)

    def glance(self, frame: Frame) -> None:
        return None

    def forget(self) -> None:
        self.forgotten_at.append(self.seen + 1)


def rest(
    frame: int,
    dice: Mapping[str, tuple[str, int, tuple[int, int]]],
    ids: tuple[int, ...] = (1, 2),
    trusted: bool = True,
    unread: Unread | None = None,
) -> Rest:
    tracked = []
    for id_, (colour, value, (x, y)) in zip(ids, dice.values(), strict=True):
        quad = ((x - 12.0, y - 12.0), (x + 12.0, y - 12.0), (x + 12.0, y + 12.0), (x - 12.0, y + 12.0))
        reading = DieReading(colour, value, 0.9, unread, (float(x), float(y)), (x - 12.0, y - 12.0, 24.0, 24.0), quad)
        tracked.append(TrackedDie(id_, reading, None))
    return Rest(frame / 15, frame, 640, 480, tuple(tracked), (), trusted)


def moved(frame: int) -> MotionBegan:
    return MotionBegan(frame / 15, frame)


GOOD: dict[int, Sighting | None] = {7: moved(7), 13: rest(13, FIRST), 21: moved(21), 34: rest(34, SECOND)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    writer = RecordingWriter(tmp_path / "night", 15.0, "push-pool", {"base": 2}, {"base": "yellow"})
    for index in range(45):
        if index == 42:
            writer.add_press("reset")
        writer.add_frame(np.zeros((480, 640, 3), np.uint8))
    writer.finish()
    truth = {
        "rests": [
            {
                "first_frame": first,
                "last_frame": last,
                "dice": [
                    {"id": id_, "colour": colour, "value": value, "center_px": list(center)}
                    for id_, (colour, value, center) in dice.items()
                ],
            }
            for first, last, dice in ((10, 20, FIRST), (30, 40, SECOND))
        ],
        "hand_visible_frames": [21, 22, 23],
        "throws": [[5, 9], [26, 29]],
        "push": {"kept": ["d1"], "left_lying": []},
    }
    (tmp_path / "night" / "truth.json").write_text(json.dumps(truth))
    return tmp_path


def score(folder: Path, changes: Mapping[int, Sighting | None]) -> RecordingScore:
    watch = ScriptedWatch({**GOOD, **changes})
    (result,) = evaluate_recordings(folder, lambda recording: watch)
    assert watch.forgotten_at == [42]
    return result


def test_all_right_is_right(folder: Path) -> None:
    result = score(folder, {})
    assert result.is_right
    assert [one.found_frame for one in result.rests] == [13, 34]
    assert json.loads(json.dumps(result.to_json()))["right"] is True


@pytest.mark.parametrize(("frame", "in_time"), [(9, True), (16, True), (17, False)])
def test_a_rest_must_be_found_within_its_time(folder: Path, frame: int, in_time: bool) -> None:
    changes = {13: None, frame: rest(frame, FIRST)}
    assert score(folder, changes).rests[0].in_time is in_time


def test_a_rest_that_was_missed_is_wrong(folder: Path) -> None:
    result = score(folder, {13: None})
    assert result.rests[0].found_frame is None
    assert result.rests[0].wrong == ("not found",)
    assert not result.is_right


@pytest.mark.parametrize("frame", [7, 22, 28])
def test_a_rest_in_motion_or_under_a_hand_is_false(folder: Path, frame: int) -> None:
    assert score(folder, {frame: rest(frame, FIRST)}).false_rests == (frame,)


def test_the_empty_floor_of_a_throw_not_yet_in_view_is_no_motion(folder: Path) -> None:
    assert score(folder, {6: rest(6, {}, ids=())}).false_rests == ()


def test_a_rest_reported_again_counts_unless_it_became_clear(folder: Path) -> None:
    assert score(folder, {15: rest(15, FIRST)}).told_twice == (15,)
    doubted = rest(13, FIRST, trusted=False, unread=Unread.BLURRED)
    result = score(folder, {13: doubted, 18: rest(18, FIRST)})
    assert result.told_twice == ()
    assert result.is_right


def test_wrong_values_are_silent_errors_only_where_trusted(folder: Path) -> None:
    misread = FIRST | {"d2": ("base", 4, (200, 100))}
    trusted = score(folder, {13: rest(13, misread)}).rests[0]
    assert (trusted.dice_right, trusted.silent_error) == (False, True)
    assert trusted.wrong == ("d2 is base 3, was read as base 4",)
    doubted = score(folder, {13: rest(13, misread, trusted=False)}).rests[0]
    assert (doubted.dice_right, doubted.silent_error) == (False, False)


def test_dice_unseen_and_dice_that_are_none_are_named(folder: Path) -> None:
    one = {"d1": FIRST["d1"], "x": ("gear", 1, (400, 300))}
    assert score(folder, {13: rest(13, one)}).rests[0].wrong == (
        "d2 (base 3) not seen",
        "no die at 400,300, was read as gear 1",
    )


def test_a_die_that_stayed_must_keep_its_id_and_a_thrown_one_need_not(folder: Path) -> None:
    assert score(folder, {34: rest(34, SECOND, ids=(1, 9))}).is_right
    result = score(folder, {34: rest(34, SECOND, ids=(2, 1))})
    assert [one.ids_right for one in result.rests] == [True, False]
    assert result.rests[1].wrong == ("d1 stayed, its id went from 1 to 2",)


def test_without_a_list_of_stayers_the_ones_that_lie_where_they_lay_count(folder: Path) -> None:
    path = folder / "night" / "truth.json"
    truth = json.loads(path.read_text())
    del truth["push"]
    path.write_text(json.dumps(truth))
    assert not score(folder, {34: rest(34, SECOND, ids=(2, 1))}).is_right
    assert score(folder, {}).is_right


def test_a_cocked_die_must_be_doubted(folder: Path) -> None:
    path = folder / "night" / "truth.json"
    truth = json.loads(path.read_text())
    truth["rests"][0]["dice"][1]["cocked"] = True
    path.write_text(json.dumps(truth))
    assert not score(folder, {}).rests[0].dice_right
    doubted = rest(13, FIRST, trusted=False, unread=Unread.COCKED)
    assert score(folder, {13: doubted}).rests[0].wrong == ("d1 is base 6, was read as base 6, cocked",)


def test_nothing_to_score_is_named(tmp_path: Path, folder: Path) -> None:
    (folder / "night" / "truth.json").unlink()
    with pytest.raises(BadInput, match=r"truth\.json"):
        evaluate_recordings(folder, lambda recording: ScriptedWatch({}))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BadInput, match="holds no recording"):
        evaluate_recordings(empty, lambda recording: ScriptedWatch({}))
