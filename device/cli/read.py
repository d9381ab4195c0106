"""The subcommands for still pictures: `read`, `evaluate`, `bench` and `calibrate`."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from device.calibration.dice_sets import load_dice_set, own_faces
from device.calibration.empty_tray import check_framing
from device.calibration.workflow import floor_from_corners, save_with_backup
from device.check import CheckStatus
from device.cli.idle import idle_text, trays_at_rest
from device.console import print_error
from device.errors import BadInput
from device.standard_tray import DIE_MM, FLOOR_MM
from rules.dice import BLANK, face_name
from vision.colour.classes import COLOUR_NAMES, STANDARD_COLOURS
from vision.evaluation.bench import bench_text, drawn_pictures, load_pictures, time_stages
from vision.evaluation.evaluate import Report, compare_text, judge
from vision.evaluation.labels import load_labels
from vision.imaging.image_file import load_image
from vision.pipeline.calibrate import calibrate
from vision.pipeline.explain import draw_reading, stage_pictures, write_picture
from vision.pipeline.reader import Reader
from vision.tray.profile import SHAPES, Profile, load_profile
from vision.types.cures import cure_of, why
from vision.types.errors import BadProfile, VisionError
from vision.types.reading import TrayReading


def add_colours_argument(parser: argparse.ArgumentParser) -> None:
    standard = ",".join(f"{label}={colour}" for label, colour in STANDARD_COLOURS.items())
    parser.add_argument("--colours", metavar="LABEL=COLOUR,...", help=f"body colour of each class ({standard})")


def parse_colours(text: str) -> dict[str, str]:
    colours: dict[str, str] = {}
    for part in text.split(","):
        label, sign, name = (piece.strip() for piece in part.partition("="))
        if not label or not sign or not name:
            raise BadInput(f"--colours has {part!r}: write label=colour, as in base=yellow,skill=green")
        if name not in COLOUR_NAMES:
            raise BadInput(f"--colours names {name!r}: use one of {', '.join(COLOUR_NAMES)}")
        if label in colours:
            raise BadInput(f"--colours has {label!r} twice: name each class once")
        colours[label] = name
    return colours


def reading_json(image: str, reading: TrayReading) -> dict[str, object]:
    """Return a reading in the contract's form: a blank face has no value but a name."""
    return {
        "image": image,
        "width": reading.width_px,
        "height": reading.height_px,
        "trusted": reading.trusted,
        "elapsed_ms": round(reading.elapsed_ms, 2),
        "dice": [
            {
                "colour": die.colour,
                "value": die.value or None,
                "confidence": round(die.confidence, 3),
                "unread": None if die.unread is None else die.unread.value,
                "center_px": _rounded(die.center_px),
                "box_px": _rounded(die.box_px),
                "top_quad_px": [_rounded(corner) for corner in die.top_quad_px],
            }
            | ({} if die.sides == 6 else {"sides": die.sides})
            | ({} if die.value != BLANK else {"face": face_name(BLANK)})
            for die in reading.dice
        ],
        "problems": [problem.value for problem in reading.problems],
    }


def _rounded(numbers: tuple[float, ...]) -> list[float]:
    return [round(number, 2) for number in numbers]


def picture_stems(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return unique names for pictures drawn of others, so that none overwrites another.

    Returns:
        A name for each: its file's name without the extension, with -2, -3 and so on appended if that is taken.
    """
    own = {path.stem for path in paths}
    given: list[str] = []
    taken: set[str] = set()
    for path in paths:
        stem, number = path.stem, 1
        while stem in taken or (number > 1 and stem in own):
            number += 1
            stem = f"{path.stem}-{number}"
        taken.add(stem)
        given.append(stem)
    return tuple(given)


def add_reader_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", type=Path, metavar="FILE", help="the tray's calibration, from pushtray calibrate")
    add_colours_argument(parser)
    parser.add_argument("--no-tray", action="store_true", help="dice lying anywhere: don't look for a tray")
    parser.add_argument(
        "--dice-set",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="own dice, from pushtray teach --export",
    )


def reader_of(args: argparse.Namespace) -> Reader:
    colours: Mapping[str, str] | None = None if args.colours is None else parse_colours(args.colours)
    profile: Profile | None = None if args.profile is None else load_profile(args.profile)
    faces = own_faces([load_dice_set(path) for path in args.dice_set])
    return Reader(profile, colours, tray=not args.no_tray, faces=faces)


def add_read_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "images",
        nargs="+",
        metavar="IMAGE",
        help="JPEG, PNG, BMP or WebP; transparent parts become plain white, black or grey",
    )
    add_reader_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one line of JSON for each picture")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a picture is not trusted")
    parser.add_argument("--explain", type=Path, metavar="FOLDER", help="write a picture of each step into this folder")


def run_read(args: argparse.Namespace) -> int:
    """Read still pictures."""
    try:
        reader = reader_of(args)
    except (BadInput, VisionError) as error:
        return _refuse(error)
    unreadable = untrusted = 0
    stems = picture_stems([Path(name) for name in args.images])
    for name, stem in zip(args.images, stems, strict=True):
        try:
            image = load_image(Path(name))
            trace = reader.trace(image)
            reading = trace.reading
            if args.explain is not None:
                for stage, picture in stage_pictures(image, trace):
                    write_picture(args.explain / f"{stem}-{stage}.png", picture)
        except VisionError as error:
            unreadable += 1
            # A profile that does not fit a picture has no picture's name in its error.
            print_error(f"{name}: {error}" if isinstance(error, BadProfile) else error)
            if args.json:
                _print(json.dumps({"image": name, "error": str(error)}))
            continue
        untrusted += not reading.trusted
        _print(json.dumps(reading_json(name, reading)) if args.json else _reading_text(name, reading))
    if unreadable:
        return 2
    return 1 if args.strict and untrusted else 0


def _reading_text(name: str, reading: TrayReading) -> str:
    dice = " ".join(
        f"{die.colour or '?'}:{die.shown}" + (f"({die.unread.value})" if die.unread else "") for die in reading.dice
    )
    doubts = ", ".join(problem.value for problem in reading.problems)
    state = "trusted" if reading.trusted else "not trusted"
    return f"{name}: {state}: {dice or 'no dice'}" + (f" [{doubts}]" if doubts else "")


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="labelled pictures: labels.json next to them")
    add_reader_arguments(parser)
    parser.add_argument("--json", action="store_true", help="the report as one line of JSON")
    parser.add_argument("--out", type=Path, metavar="FILE", help="save the report, for --compare later")
    parser.add_argument("--misses", type=Path, metavar="FOLDER", help="write an overlay of every miss into this folder")
    parser.add_argument("--compare", type=Path, metavar="OTHER.json", help="a saved report: show what changed")


def run_evaluate(args: argparse.Namespace) -> int:
    """Evaluate the reader on labelled pictures."""
    try:
        reader = reader_of(args)
        pictures = load_labels(args.folder)
        before = None if args.compare is None else _saved(args.compare)
        verdicts = []
        stems = picture_stems([truth.path for truth in pictures])
        for truth, stem in zip(pictures, stems, strict=True):
            image = load_image(truth.path)
            try:
                reading = reader.read(image)
            except BadProfile as error:
                raise BadProfile(f"{truth.path}: {error}") from error
            verdict = judge(truth, reading, with_colour=not args.no_tray)
            verdicts.append(verdict)
            if verdict.misses and args.misses is not None:
                write_picture(args.misses / f"{stem}.png", draw_reading(image, reading))
        report = Report(tuple(verdicts))
        _print(json.dumps(report.to_json()) if args.json else report.to_text())
        if before is not None:
            print(compare_text(before, report), file=sys.stderr if args.json else sys.stdout)
        if args.out is not None:
            _save(args.out, report)
    except (BadInput, VisionError) as error:
        return _refuse(error)
    return 0


def _saved(path: Path) -> dict[str, object]:
    try:
        report = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        cure = cure_of(error.errno, "give a file that evaluate --out wrote")
        raise BadInput(f"{path} cannot be read ({why(error)}): {cure}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not a saved report: use a file from evaluate --out") from error
    if not isinstance(report, dict):
        raise BadInput(f"{path} is not a saved report: use a file from evaluate --out")
    return report


def _save(path: Path, report: Report) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report.to_json(), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        cure = cure_of(error.errno, "choose another file")
        raise BadInput(f"{path} cannot be written ({why(error)}): {cure}") from error


def add_bench_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="pictures; without it, drawn trays")
    add_reader_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one line of JSON for each stage or camera")
    parser.add_argument(
        "--idle", action="store_true", help="instead: memory and processor time of a tray at rest; four minutes"
    )


def run_bench(args: argparse.Namespace) -> int:
    """Time each stage of the reader."""
    if args.idle:
        trays = trays_at_rest()
        _print("\n".join(json.dumps(asdict(tray)) for tray in trays) if args.json else idle_text(trays))
        return 0
    try:
        images = drawn_pictures() if args.folder is None else load_pictures(args.folder)
        times = time_stages(lambda: reader_of(args), images)
    except (BadInput, VisionError) as error:
        return _refuse(error)
    if args.json:
        for stage in times:
            _print(json.dumps({"stage": stage.name, "median_ms": stage.median_ms, "p95_ms": stage.p95_ms}))
    else:
        _print(bench_text(times))
    return 0


def add_calibrate_arguments(parser: argparse.ArgumentParser) -> None:
    floor = "x".join(f"{side:g}" for side in FLOOR_MM)
    parser.add_argument("--empty", required=True, type=Path, metavar="IMAGE", help="the tray without dice")
    parser.add_argument(
        "--dice", action="append", default=[], metavar="LABEL=IMAGE", help="some dice of one class; once for each class"
    )
    parser.add_argument("--die-mm", type=float, default=DIE_MM, metavar="MM", help=f"edge of the dice ({DIE_MM:g})")
    parser.add_argument(
        "--floor-mm", default=floor, metavar="WIDTHxDEPTH", help=f"the floor, or one number across ({floor})"
    )
    parser.add_argument("--floor-shape", choices=SHAPES, help="instead of the shape that is found")
    parser.add_argument(
        "--corners",
        nargs=4,
        metavar="X,Y",
        help="the floor's four corners in the empty picture's pixels, where none is found",
    )
    parser.add_argument("--proof", type=Path, metavar="IMAGE", help="a roll: print what the new profile reads in it")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="PROFILE", help="where the profile goes; an older one is kept"
    )


def run_calibrate(args: argparse.Namespace) -> int:
    """Make a profile from photographs of one fixed tray."""
    try:
        floor_mm, die_mm = parse_floor_mm(args.floor_mm), _die_mm(args.die_mm)
        dice = {label: load_image(path) for label, path in _dice_pictures(args.dice).items()}
        empty = load_image(args.empty)
        floor = None
        if args.corners is not None:
            floor = floor_from_corners(_corners(args.corners), empty.shape[1], empty.shape[0])
        proof = None if args.proof is None else load_image(args.proof)
        profile = calibrate(empty, dice, die_mm, floor_mm, args.floor_shape, floor=floor)
        reading = None if proof is None else Reader(profile).read(proof)
        save_with_backup(args.out, profile)
    except (BadInput, VisionError) as error:
        return _refuse(error)
    colours = ", ".join(colour.label for colour in profile.palette) or "none"
    _print(f"{args.out}: {profile.floor.shape} floor, die edge {profile.edge_px:.1f} px, colours measured: {colours}")
    # Only a warning, not an error as on the page: a photograph cannot be taken again from here.
    for check in check_framing(empty, profile.floor):
        if check.status is CheckStatus.FAIL:
            _print(f"{args.empty}: {check.part} fails: {check.text}: {check.cure}")
    for thing in profile.things:
        x_px, y_px = thing.center_px
        warning = f"what lies at {x_px:.0f}, {y_px:.0f} is taken for the tray's own"
        _print(f"{args.empty}: {warning}: if it is a die, take it out and calibrate again")
    if reading is None:
        return 0
    for die in reading.dice:
        x_px, y_px = die.center_px
        _print(
            f"{args.proof}: {die.colour} {die.value} at {x_px:.0f}, {y_px:.0f}"
            + (f": {die.unread}" if die.unread else "")
        )
    is_proved = reading.trusted and bool(reading.dice)
    if is_proved:
        verdict = "every die is read and trusted"
    elif reading.dice or reading.problems:
        verdict = f"not trusted: {', '.join(reading.problems) or 'a die would stay unread'}"
    else:
        verdict = "no die is seen: give a picture of a roll"
    _print(f"{args.proof}: {verdict}")
    return 0 if is_proved else 1


def _die_mm(number: float) -> float:
    if not 4.0 <= number <= 60.0:
        raise BadInput(f"--die-mm is {number:g}: give the edge of a die in mm, 4 to 60")
    return number


def _corners(given: list[str]) -> list[list[float]]:
    try:
        corners = [[float(part) for part in text.split(",")] for text in given]
    except ValueError:
        corners = []
    if not corners or any(len(corner) != 2 for corner in corners):
        raise BadInput(f"--corners is {' '.join(given)!r}: write four times X,Y, as in 210,180")
    return corners


def _dice_pictures(given: list[str]) -> dict[str, Path]:
    pictures: dict[str, Path] = {}
    for text in given:
        label, sign, name = text.partition("=")
        if not label or not sign or not name or label in pictures:
            raise BadInput(f"--dice has {text!r}: write label=image, each label once, as in base=base.jpg")
        pictures[label] = Path(name)
    return pictures


def parse_floor_mm(text: str) -> tuple[float, float]:
    parts = text.lower().split("x")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not all(20.0 <= number <= 3000.0 for number in numbers):
        raise BadInput(f"--floor-mm is {text!r}: write WIDTHxDEPTH in mm, as in 260x200, or one number across")
    return numbers[0], numbers[-1]


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _refuse(error: Exception) -> int:
    print_error(error)
    return 2
