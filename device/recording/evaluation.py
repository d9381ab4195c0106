"""Compare the watch with recordings of known truth: rests found, dice read right, ids kept."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Any

from device.camera.worker import TrayWatcher
from device.errors import BadInput
from device.recording.recording import Recording, find_recordings, load_recording
from device.recording.truth import RestDie, TrueRest
from vision.tracking.agree import edge_px
from vision.types.errors import BadProfile
from vision.types.sighting import MotionBegan, Rest, TrackedDie


@dataclass(frozen=True, slots=True)
class RestCriteria:
    found_within_s: float = 0.4
    # number of frames before its true first one at which a rest may be announced: dice may stand a little earlier
    early_frames: int = 1
    unseen_frames: int = 2
    same_place_edges: float = 0.5
    stayed_edges: float = 0.5


@dataclass(frozen=True, slots=True)
class RestScore:
    first_frame: int
    found_frame: int | None
    in_time: bool
    dice_right: bool
    silent_error: bool
    ids_right: bool
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordingScore:
    name: str
    frames: int
    rests: tuple[RestScore, ...]
    false_rests: tuple[int, ...]
    told_twice: tuple[int, ...]
    watch_ms: float  # median milliseconds per frame that was not read
    slowest_ms: float

    @property
    def is_right(self) -> bool:
        return (
            not self.false_rests
            and not self.told_twice
            and all(rest.in_time and rest.dice_right and rest.ids_right for rest in self.rests)
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "recording": self.name,
            "right": self.is_right,
            "frames": self.frames,
            "rests": [
                {
                    "first_frame": rest.first_frame,
                    "found_frame": rest.found_frame,
                    "in_time": rest.in_time,
                    "dice_right": rest.dice_right,
                    "silent_error": rest.silent_error,
                    "ids_right": rest.ids_right,
                    "wrong": list(rest.wrong),
                }
                for rest in self.rests
            ],
            "false_rests": list(self.false_rests),
            "told_twice": list(self.told_twice),
            "watch_ms": round(self.watch_ms, 2),
            "slowest_ms": round(self.slowest_ms, 2),
        }


def evaluate_recordings(
    folder: Path, make_watch: Callable[[Recording], TrayWatcher], criteria: RestCriteria | None = None
) -> tuple[RecordingScore, ...]:
    folders = find_recordings(folder)
    if not folders:
        raise BadInput(f"{folder} holds no recording: name a folder with recording.json in it or in its subfolders")
    recordings = [load_recording(path) for path in folders]
    for recording in recordings:
        if not recording.rests:
            raise BadInput(f"{recording.folder} has no truth.json with rests: write down what lies there and when")
    return tuple(score_recording(recording, make_watch(recording), criteria) for recording in recordings)


def score_recording(recording: Recording, watch: TrayWatcher, criteria: RestCriteria | None = None) -> RecordingScore:
    """Play one recording to a watch and compare its reports with the truth."""
    criteria = criteria or RestCriteria()
    reported: list[Rest] = []
    told_twice: list[int] = []
    times_ms: list[float] = []
    last: Rest | None = None
    for frame in recording.load_frames():
        if any(press.button == "reset" for press in recording.presses_at(frame.sequence)):
            watch.forget()
            last = None
        start = time.perf_counter()
        try:
            sighting = watch.see(frame)
        except BadProfile as error:
            raise BadProfile(f"{recording.folder}: {error}") from error
        times_ms.append((time.perf_counter() - start) * 1e3)
        if isinstance(sighting, MotionBegan):
            last = None
        elif isinstance(sighting, Rest):
            if last is not None and not (sighting.trusted and not last.trusted):
                told_twice.append(sighting.sequence)
            reported.append(sighting)
            last = sighting
    times_ms.sort()
    return RecordingScore(
        name=recording.folder.name,
        frames=len(recording.frames),
        rests=_score_rests(recording, reported, criteria),
        false_rests=tuple(rest.sequence for rest in reported if _is_false(recording, rest.sequence, criteria)),
        told_twice=tuple(told_twice),
        watch_ms=times_ms[len(times_ms) // 2],
        slowest_ms=times_ms[-1],
    )


def _is_false(recording: Recording, frame: int, criteria: RestCriteria) -> bool:
    if frame in recording.hand_frames:
        return True
    return any(first + criteria.unseen_frames <= frame < last for first, last in recording.throws)


def _score_rests(recording: Recording, reported: list[Rest], criteria: RestCriteria) -> tuple[RestScore, ...]:
    scores: list[RestScore] = []
    before: tuple[TrueRest, dict[str, int]] | None = None
    for true in recording.rests:
        seen = [
            rest for rest in reported if true.first_frame - criteria.early_frames <= rest.sequence <= true.last_frame
        ]
        wrong: list[str] = []
        found = seen[0].sequence if seen else None
        in_time = found is not None and found - true.first_frame <= criteria.found_within_s * recording.fps + 1e-6
        ids: dict[str, int] = {}
        silent = False
        for rest in seen:
            ids, differences = _compare(true, rest, criteria)
            silent = silent or (rest.trusted and bool(differences))
            wrong = differences
        if not seen:
            wrong.append("not found")
        ids_wrong = [] if before is None else _lost_ids(recording, before, (true, ids), criteria)
        scores.append(
            RestScore(
                first_frame=true.first_frame,
                found_frame=found,
                in_time=in_time,
                dice_right=bool(seen) and not wrong,
                silent_error=silent,
                ids_right=not ids_wrong,
                wrong=(*wrong, *ids_wrong),
            )
        )
        before = (true, ids)
    return tuple(scores)


def _compare(true: TrueRest, rest: Rest, criteria: RestCriteria) -> tuple[dict[str, int], list[str]]:
    """Match the dice by place; return the watch's id of each true die, and the differences as texts."""
    free: list[TrackedDie] = list(rest.dice)
    ids: dict[str, int] = {}
    wrong: list[str] = []
    for die in true.dice:
        seen = _nearest(die, free, criteria)
        if seen is None:
            wrong.append(f"{die.id} ({die.colour} {die.value}) not seen")
            continue
        free.remove(seen)
        ids[die.id] = seen.id
        reading = seen.reading
        if die.cocked:
            if reading.unread is None:
                wrong.append(f"{die.id} is cocked, was read as {reading.colour} {reading.value}")
        elif (reading.colour, reading.value) != (die.colour, die.value) or reading.unread is not None:
            doubt = f", {reading.unread}" if reading.unread is not None else ""
            wrong.append(f"{die.id} is {die.colour} {die.value}, was read as {reading.colour} {reading.value}{doubt}")
    wrong.extend(
        f"no die at {die.reading.center_px[0]:.0f},{die.reading.center_px[1]:.0f}, was read as "
        f"{die.reading.colour} {die.reading.value}"
        for die in free
    )
    if not rest.trusted and not wrong and not any(die.cocked for die in true.dice):
        wrong.append("not trusted" + "".join(f", {problem}" for problem in rest.problems))
    return ids, wrong


def _nearest(die: RestDie, free: list[TrackedDie], criteria: RestCriteria) -> TrackedDie | None:
    if die.center_px is None:
        return next(
            (seen for seen in free if (seen.reading.colour, seen.reading.value) == (die.colour, die.value)), None
        )
    x, y = die.center_px
    seen = min(free, key=lambda one: hypot(one.reading.center_px[0] - x, one.reading.center_px[1] - y), default=None)
    if seen is None:
        return None
    distance = hypot(seen.reading.center_px[0] - x, seen.reading.center_px[1] - y)
    return seen if distance <= criteria.same_place_edges * edge_px(seen.reading) else None


def _lost_ids(
    recording: Recording,
    before: tuple[TrueRest, dict[str, int]],
    now: tuple[TrueRest, dict[str, int]],
    criteria: RestCriteria,
) -> list[str]:
    then_dice = {die.id: die for die in before[0].dice}
    lost: list[str] = []
    for die in now[0].dice:
        then = then_dice.get(die.id)
        if then is None or not _stayed(recording, then, die, criteria):
            continue
        id_before, id_now = before[1].get(die.id), now[1].get(die.id)
        if id_before is None or id_before != id_now:
            lost.append(f"{die.id} stayed, its id went from {id_before} to {id_now}")
    return lost


def _stayed(recording: Recording, then: RestDie, now: RestDie, criteria: RestCriteria) -> bool:
    if recording.stayed is not None:
        return now.id in recording.stayed
    if then.center_px is None or now.center_px is None or then.value != now.value:
        return False
    shift = hypot(then.center_px[0] - now.center_px[0], then.center_px[1] - now.center_px[1])
    # A die is about a twenty-fifth of the picture's width if it was not measured.
    return shift <= criteria.stayed_edges * recording.width_px / 25.0
