"""A replay: the same state table, a line for each visible change, presses just before their frames."""

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from device.errors import BadInput
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.recording.recording import RecordedPress, Recording
from device.recording.replay import Change, print_replay, replay, replay_table
from tests.device.conftest import Dice
from tests.narrowing import parts_of
from vision.types.frame import Frame
from vision.types.sighting import MotionBegan, Sighting


class Watch:
    """Reports what is given for each frame."""

    def __init__(self, sightings: Mapping[int, Sighting]) -> None:
        self.sightings = sightings
        self.forgot = 0

    def see(self, frame: Frame) -> Sighting | None:
        return self.sightings.get(frame.sequence)

    def glance(self, frame: Frame) -> None:
        return None

    def forget(self) -> None:
        self.forgot += 1


class Frames:
    """A recording without pictures."""

    class Frame:
        def __init__(self, sequence: int) -> None:
            self.sequence, self.t_s = sequence, sequence / 15

    def __init__(self, count: int, *presses: RecordedPress) -> None:
        self.count = count
        self.presses = presses

    def load_frames(self) -> Iterator[Any]:
        return (self.Frame(number) for number in range(self.count))

    def presses_at(self, number: int) -> tuple[RecordedPress, ...]:
        return tuple(press for press in self.presses if press.frame == number)


def frames_of(count: int, *presses: RecordedPress) -> Recording:
    """The part of a recording that a replay needs."""
    return cast("Recording", Frames(count, *presses))


def test_a_whole_push_is_reported_in_five_lines() -> None:
    watch = Watch(
        {
            3: MotionBegan(0.2, 3),
            10: Dice.rest(*Dice.FIRST),
            14: MotionBegan(0.9, 14),
            18: Dice.rest(*Dice.LEFT),
            20: MotionBegan(1.3, 20),
            25: Dice.rest(*Dice.THROWN),
            30: MotionBegan(2.0, 30),
        }
    )
    frames = frames_of(60, RecordedPress(12, "push"), RecordedPress(40, "push"), RecordedPress(50, "reset"))
    changes = list(replay(frames, watch, Table("push-pool")))
    lines = [parts_of(change.as_json()) for change in changes]
    assert [(line["frame"], line["state"]) for line in lines] == [
        (3, "rolling"),
        (10, "scored"),
        (12, "awaiting_push"),
        (25, "resolved"),
        (50, "empty"),
    ]
    assert lines[1]["t_s"] == pytest.approx(10 / 15, abs=0.001)
    assert lines[1]["push"]["must_reroll"] == [1, 3, 4]
    assert [die["id"] for die in lines[3]["dice"]] == [1, 2, 3, 4]
    assert lines[3]["outcome"]["trauma"] == 1
    assert watch.forgot == 1


def test_a_line_of_json_is_one_on_an_output_that_lacks_its_letters() -> None:
    watch = Watch({1: Dice.rest(Dice.die(1, "gr\xfcn", 5))})
    carried = io.BytesIO()
    out = io.TextIOWrapper(carried, encoding="ascii", errors="backslashreplace")
    print_replay(replay(frames_of(2), watch, Table("push-pool")), out, as_json=True)
    assert json.loads(carried.getvalue())["dice"][0]["colour"] == "gr\xfcn"


def test_a_wrong_push_is_a_line_of_its_own() -> None:
    watch = Watch({1: Dice.rest(*Dice.FIRST), 4: Dice.rest(*Dice.LEFT), 6: Dice.rest(*Dice.THROWN[:3])})
    lines = [
        parts_of(change.as_json())
        for change in replay(frames_of(9, RecordedPress(2, "push")), watch, Table("push-pool"))
    ]
    assert [(line["frame"], line["state"], line["problems"]) for line in lines] == [
        (1, "scored", []),
        (2, "awaiting_push", []),
        (6, "awaiting_push", ["wrong_dice_count"]),
    ]
    assert lines[2]["problem_details"][0]["dice"] == [4]


def test_lines_are_json_or_words(capsys: pytest.CaptureFixture[str]) -> None:
    import sys

    watch = Watch({1: Dice.rest(*Dice.FIRST)})
    print_replay(replay(frames_of(2), watch, Table("push-pool")), sys.stdout, as_json=True)
    assert json.loads(capsys.readouterr().out)["state"] == "scored"
    print_replay(replay(frames_of(2), watch, Table("push-pool")), sys.stdout, as_json=False)
    assert "scored          1 success  1:base=5 2:base=6* 3:skill=1 4:gear=3" in capsys.readouterr().out
    assert "empty" in Change(0, 0.0, Tray(Empty(), Table("push-pool"))).as_text()


def recording(tmp_path: Path, **changed: Any) -> Recording:
    facts = {"system": "push-pool", "pool": {"base": 2}, "colours": {"extra": "white"}, "profile": None} | changed
    return Recording(tmp_path, 15, 640, 480, presses=(), frames=(), **facts)


def test_the_table_is_as_the_recording_says(tmp_path: Path) -> None:
    table = replay_table(recording(tmp_path))
    assert table.pool is not None
    assert table.pool.as_json() == {"base": 2, "skill": 0, "gear": 0, "negative": 0, "plain": 0}
    assert table.colour_classes == ("base", "skill", "gear", "extra")
    assert replay_table(recording(tmp_path, pool={})).pool is None


@pytest.mark.parametrize("changed", [{"system": "chess"}, {"pool": {"wild": 1}}])
def test_a_recording_of_an_impossible_table_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=str(tmp_path)):
        replay_table(recording(tmp_path, **changed))
