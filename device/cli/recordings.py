"""The subcommands for recordings: `replay`, `record`, and `evaluate`, which also takes labelled stills."""

import argparse
import json
import logging
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from device.camera.base import FrameSource
from device.cli.caller import give_to_caller
from device.cli.logs import set_level
from device.cli.read import add_evaluate_arguments as add_stills_arguments
from device.cli.read import parse_colours
from device.cli.read import run_evaluate as evaluate_stills
from device.cli.run import add_log_level_argument, add_settings_arguments, read_settings_arguments
from device.config.settings import check_settings
from device.errors import BadInput
from device.game.state.table_state import Pool
from device.game.throw_orders import SimulatedThrow
from device.recording.evaluation import RecordingScore, evaluate_recordings
from device.recording.recorder import Presses, RecordParams, record
from device.recording.recording import Recording, find_recordings, load_recording
from device.recording.replay import print_replay, replay, replay_table
from device.recording.writer import RecordingWriter, check_place
from device.runtime.signals import signals_set
from device.runtime.source import camera_data_held, make_camera_setup
from rules.system import find_system
from vision.pipeline.reader import Reader
from vision.tracking.watch import TrayWatch
from vision.tray.profile import load_profile

_log = logging.getLogger(__name__)


def add_replay_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a recording")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="the tray's calibration; else the recording's own")
    parser.add_argument("--colours", metavar="LABEL=COLOUR,...", help="body colours instead of the recording's own")
    parser.add_argument("--json", action="store_true", help="JSON Lines, one for each change of the tray")


def run_replay(args: argparse.Namespace) -> int:
    recording = load_recording(args.folder)
    colours = None if args.colours is None else parse_colours(args.colours)
    watch = _watch(recording, args.profile, colours)
    print_replay(replay(recording, watch, replay_table(recording, colours)), sys.stdout, as_json=args.json)
    return 0


def _watch(recording: Recording, profile: Path | None, colours: Mapping[str, str] | None) -> TrayWatch:
    named = profile or recording.profile
    measured = None if named is None else load_profile(named)
    if colours is None and (measured is None or not measured.palette):
        colours = recording.colours or None
    return TrayWatch(Reader(measured, colours))


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    add_stills_arguments(parser)


def run_evaluate(args: argparse.Namespace) -> int:
    """Evaluate the reader on labelled stills, or the watch on recordings, depending on the folder."""
    if not args.folder.is_dir() or not find_recordings(args.folder):
        return evaluate_stills(args)
    for option in ("out", "misses", "compare"):
        if getattr(args, option, None) is not None:
            raise BadInput(f"--{option} is for labelled stills, {args.folder} has recordings: leave it out")
    colours = None if args.colours is None else parse_colours(args.colours)
    scores = evaluate_recordings(args.folder, lambda recording: _watch(recording, args.profile, colours))
    for score in scores:
        sys.stdout.write((json.dumps(score.to_json()) if args.json else _score_text(score)) + "\n")
    return 0


def _score_text(score: RecordingScore) -> str:
    body = score.to_json()
    lines = [f"{body['recording']}: watch {body['watch_ms']} ms a frame, slowest {body['slowest_ms']} ms"]
    for rest in body["rests"]:
        marks = {"in_time": "found in time", "dice_right": "dice right", "ids_right": "ids right"}
        found = ", ".join(text if rest[key] else f"NOT {text}" for key, text in marks.items())
        silent = ", SILENT ERROR" if rest["silent_error"] else ""
        lines.append(f"  rest from frame {rest['first_frame']}: seen at {rest['found_frame']}: {found}{silent}")
        lines += [f"    {wrong}" for wrong in rest["wrong"]]
    if body["false_rests"]:
        lines.append(f"  rests that were none, at frames {body['false_rests']}")
    if body["told_twice"]:
        lines.append(f"  reported twice, at frames {body['told_twice']}")
    return "\n".join(lines)


def add_record_arguments(parser: argparse.ArgumentParser) -> None:
    add_settings_arguments(parser)
    parser.add_argument("folder", type=Path, metavar="OUT_FOLDER", help="a new folder")
    parser.add_argument("--system", metavar="ID", help="rule system that is played")
    parser.add_argument(
        "--pool", metavar="ROLE=N,...", help="chosen dice, as in base=5,skill=2; the simulated camera throws them"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="stop after this long; otherwise Ctrl-C stops")
    parser.add_argument("--seed", type=int, metavar="N", help="simulated camera: same seed, same throw")
    add_log_level_argument(parser)


def run_record(args: argparse.Namespace) -> int:
    """Make a recording. While it runs, a line with p or r on standard input records a press of push or reset."""
    settings = read_settings_arguments(args)
    set_level(settings.log.level)
    check_settings(settings)
    if args.seconds is not None and not 0.1 <= args.seconds <= 86_400.0:
        raise BadInput(f"--seconds is {args.seconds:g}: give 0.1 to 86400")
    system = find_system(settings.tray.system)
    counts = dict(settings.pool) if args.pool is None else parse_pool(args.pool)
    pool = Pool.from_counts(counts, system.pool_roles)
    if settings.tray.profile is not None:
        load_profile(settings.tray.profile)
    check_place(args.folder)
    names = {} if pool is None else {role.value: count for role, count in pool.counts if count}

    def make_writer(fps: float) -> RecordingWriter:
        return RecordingWriter(args.folder, fps, system.id, names, settings.colours, profile=settings.tray.profile)

    with camera_data_held(settings):
        setup = make_camera_setup(settings, lambda _: None)
        on_start: Callable[[], None] = _nothing
        if setup.simulated is not None and pool is not None:
            base, skill, gear = (counts.get(label, 0) for label in ("base", "skill", "gear"))
            on_start = partial(setup.simulated.throw, SimulatedThrow(base, skill, gear, args.seed))
        made = _record(setup.camera, make_writer, RecordParams(seconds=args.seconds), on_start)
    give_to_caller(args.folder)
    _log.info("%s: %d frames at %g a second", args.folder, len(made.frames), made.fps)
    return 0


def _record(
    camera: FrameSource,
    make_writer: Callable[[float], RecordingWriter],
    params: RecordParams,
    on_start: Callable[[], None],
) -> Recording:
    presses = Presses()
    stopped = threading.Event()
    threading.Thread(target=_note_presses, args=(presses,), name="keys", daemon=True).start()
    _log.info("recording: Ctrl-C ends it; p or r and Enter notes a press of push or reset")
    with signals_set(stopped):
        return record(camera, make_writer, presses, stopped, params=params, on_start=on_start)


def parse_pool(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for part in text.split(","):
        name, _, count = part.partition("=")
        if not count.strip().isdecimal() or name.strip() in counts:
            raise BadInput(f"--pool has {part!r}: write each role once with its number, as in base=5,skill=2")
        counts[name.strip()] = int(count)
    return counts


def _note_presses(presses: Presses) -> None:
    with suppress(OSError, ValueError):
        for line in sys.stdin or ():
            if not presses.note(line):
                _log.warning("%r is not a button: type p or r", line.strip())


def _nothing() -> None:
    pass
