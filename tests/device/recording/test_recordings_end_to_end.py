"""Recordings through the watch and the whole tray, compared with the true dice.

The golden one is a rendered push at half the frame rate in which the player forgot to pick up one die; its truth comes
from the renderer's geometry. The others are in a folder `shared` next to the project, if it exists.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from device.recording.evaluation import score_recording
from device.recording.recording import Recording, load_recording
from device.recording.replay import replay, replay_table
from tests.narrowing import parts_of
from vision.pipeline.reader import Reader
from vision.tracking.watch import TrayWatch
from vision.types.sighting import DiceLifted, Rest

GOLDEN = Path(__file__).parents[2] / "golden" / "recordings" / "left_lying"
SHARED = Path(__file__).resolve().parents[4] / "shared" / "fixtures" / "recordings"


def watch_for(recording: Recording) -> TrayWatch:
    return TrayWatch(Reader(None, recording.colours))


def reported(folder: Path) -> list[Mapping[str, Any]]:
    """Return every change of a replay, as its JSON lines."""
    recording = load_recording(folder)
    return [parts_of(change.as_json()) for change in replay(recording, watch_for(recording), replay_table(recording))]


def test_the_golden_recording_is_as_it_was_checked_in() -> None:
    listed = {}
    for line in (GOLDEN / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        listed[name] = digest
    found = {
        path.relative_to(GOLDEN).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in GOLDEN.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }
    assert found == listed


def test_the_golden_recording_is_seen_right() -> None:
    recording = load_recording(GOLDEN)
    score = score_recording(recording, watch_for(recording))
    assert score.is_right, score.to_json()


def test_dice_are_told_as_picked_up_while_the_hand_is_at_work() -> None:
    recording = load_recording(GOLDEN)
    watch = watch_for(recording)
    lay: set[int] = set()
    lifted: set[int] = set()
    told: list[tuple[set[int], set[int]]] = []
    for frame in recording.load_frames():
        match watch.see(frame):
            case DiceLifted(ids=ids):
                lifted |= ids
            case Rest(dice=dice):
                stayed = {die.id for die in dice if not die.moved}
                told.append((lifted, lay - stayed))
                lay, lifted = {die.id for die in dice}, set()
    assert any(seen for seen, _ in told)
    assert all(seen <= gone for seen, gone in told), "each of them has left its place"


def test_the_die_left_lying_is_named() -> None:
    lines = reported(GOLDEN)
    assert [line["state"] for line in lines] == ["rolling", "scored", "awaiting_push", "awaiting_push"]
    scored, wrong = lines[1], lines[-1]
    assert wrong["problems"] == ["must_reroll_not_rolled"]
    left = [die for die in wrong["dice"] if die["wrong"]]
    assert [(die["colour"], die["value"]) for die in left] == [("base", 5)]
    assert left[0]["id"] in scored["push"]["must_reroll"]


@pytest.mark.skipif(not SHARED.exists(), reason="no folder `shared` next to the project")
@pytest.mark.parametrize("name", ["d1_seq03", "dseq01", "dseq02", "dseq03", "dseq04"])
def test_no_rest_is_missed_reported_twice_or_reported_in_motion_and_ids_are_kept(name: str) -> None:
    recording = load_recording(SHARED / name)
    score = score_recording(recording, watch_for(recording))
    assert score.false_rests == ()
    assert score.told_twice == ()
    assert all(rest.in_time and rest.ids_right for rest in score.rests)
