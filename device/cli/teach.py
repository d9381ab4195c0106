"""The subcommand `teach`: teach dice from named pictures; list, export, import and delete sets."""

import argparse
import sys
from pathlib import Path

from device.body import face_word
from device.calibration.dice_sets import (
    DiceSet,
    DiceSets,
    DieKind,
    ShownFace,
    check_on_die,
    load_dice_set,
    set_name,
    view_of,
)
from device.calibration.teaching import Contradiction, check_agrees
from device.cli.caller import give_to_caller
from device.cli.read import add_reader_arguments, reader_of
from device.config.settings import load_settings, with_overrides
from device.errors import BadInput
from device.kept_files import write_whole
from device.storage.data_folder import DataFolder
from device.texts.catalogue import localizable, translate
from vision.classification.face_net import FaceReader
from vision.decision.own_faces import CUBE
from vision.imaging.image_file import load_image
from vision.pipeline.own_dice import faces_of, showable

_VALUES = {**{str(value): value for value in range(1, 13)}, "blank": 0}


def add_teach_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="of the set")
    parser.add_argument(
        "--face",
        dest="faces",
        action="append",
        default=[],
        metavar="VALUE=IMAGE",
        help="1 to 12 or blank, and a picture in which all dice of the class show that face; once for each picture",
    )
    parser.add_argument("--class", dest="label", metavar="LABEL", help="colour class of the dice in the pictures")
    parser.add_argument(
        "--sides", type=int, choices=(6, 8, 10, 12), default=6, help="number of sides of these dice (6)"
    )
    parser.add_argument(
        "--anyway", action="store_true", help="take faces that look like another one, or unlike their earlier pictures"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the sets")
    what.add_argument("--delete", action="store_true", help="delete the set")
    what.add_argument("--export", type=Path, metavar="FILE", help="write the set to a file for other trays")
    what.add_argument(
        "--import", dest="take_in", type=Path, metavar="FILE", help="take the set of such a file, under NAME if given"
    )
    add_reader_arguments(parser)
    parser.add_argument("--settings", type=Path, metavar="FILE", help="settings file (TOML) instead of the user's own")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the sets are kept")


def run_teach(args: argparse.Namespace) -> int:
    """Teach a tray that is not running, or copy sets."""
    folder = with_overrides(load_settings(args.settings), data=args.data).data_folder
    if args.faces and (args.list or args.delete or args.export or args.take_in):
        raise BadInput("--face teaches: give it without --list, --delete, --export and --import")
    if not (args.list or args.take_in) and args.name is None:
        raise BadInput("no set is named: give its name first, as in pushtray teach Night --export night.json")
    if args.list or args.export:
        sets = DiceSets(folder)
        if args.export:
            write_whole(args.export, sets.get(args.name).to_bytes())
            give_to_caller(args.export)
        for one in sets if args.list else ():
            sys.stdout.write(_line(one))
        return 0
    held = DataFolder(folder)
    try:
        _change(DiceSets(folder), args)
    finally:
        held.close()
    return 0


def _change(sets: DiceSets, args: argparse.Namespace) -> None:
    if args.delete:
        sets.get(args.name)
        sets.put(args.name, None)
        return
    one = _imported(sets, args) if args.take_in else _taught(sets, args)
    sets.put(one.name, one)
    sys.stdout.write(_line(one))


def _imported(sets: DiceSets, args: argparse.Namespace) -> DiceSet:
    one = load_dice_set(args.take_in)
    if args.name is not None:
        one = one.named(args.name)
    sets.check_import(one)
    return one


def _taught(sets: DiceSets, args: argparse.Namespace) -> DiceSet:
    if not args.faces or args.label is None:
        raise BadInput("nothing is shown: give --class base and faces with pictures, as in --face 6=six.jpg")
    one, reader, net = sets.find(args.name) or DiceSet(name=set_name(args.name)), reader_of(args), FaceReader()
    if args.label not in reader.labels:
        raise BadInput(f"--class is {args.label!r}: use one of {', '.join(reader.labels)}, or name others by --colours")
    kind = DieKind(args.label, args.sides)
    for text in args.faces:
        word, sign, file = text.partition("=")
        if not sign or word not in _VALUES:
            raise BadInput(f"{text!r} names no face: write 1 to {args.sides} or blank and its picture, as in 6=six.jpg")
        image, value = load_image(Path(file)), _VALUES[word]
        check_on_die(value, args.sides)
        dice = showable(reader.read(image).dice, *kind)
        if not dice:
            raise BadInput(f"{file}: {translate('taught.no_dice')}")
        pips = [die.value for die in dice if die.unread is None]
        if args.sides == CUBE and len(set(pips)) > 1:
            different = ", ".join(map(str, sorted(set(filter(None, pips)))))
            cure = "give a picture in which all show the same"
            raise BadInput(f"{file}: its {args.label} dice are read as {different}: {cure}")
        shows_pips = 2 * pips.count(value) > len(dice)
        faces = faces_of(image, dice, args.sides)
        views = list(map(view_of, faces))
        try:
            for shown in zip(views, net.looks_of(faces, args.sides), strict=True) if not args.anyway else ():
                check_agrees(one, (kind, value), shown, pips=value if shows_pips else None)
        except Contradiction as error:
            raise BadInput(f"{file}: {error}, or give --anyway") from error
        one = one.with_views(kind, value, views, shows_pips=shows_pips)
    return one


def _line(one: DiceSet) -> str:
    known = ", ".join(_face_name(face) for face in one.faces)
    return f"{one.name}: {known or 'no faces'}\n"


def _face_name(face: ShownFace) -> str:
    die = "" if face.sides == 6 else f"d{face.sides} "
    return f"{face.colour} {die}{localizable(face_word(face.value))}"
