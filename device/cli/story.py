"""The archive on the command line: `labelled`, and the rolls of `export --story`."""

import argparse
import sys
from datetime import datetime, timedelta
from itertools import dropwhile
from pathlib import Path

from device.archive.book import read_book
from device.archive.search import RollFilter, found
from device.archive.story import story_csv, story_lines
from device.cli.caller import give_to_caller
from device.config.settings import Settings, load_settings, with_overrides
from device.errors import BadInput
from device.storage.export import MARK, SEPARATORS, parse_day
from device.storage.labels import export_labelled
from rules.system import systems

_OF_STORY = ("evening", "until", "player", "label", "text", "system")


def add_story_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--story", action="store_true", help="one line a roll, with its odds, pushes and corrections")
    story = parser.add_argument_group("with --story, only rolls")
    story.add_argument("--evening", metavar="ID", help="of one evening: last, or its id as the lines have it")
    story.add_argument("--until", metavar="DAY", help="up to this day, as in 2026-01-31")
    story.add_argument("--player", metavar="NAME", help="of this player")
    story.add_argument("--label", metavar="TEXT", help="with this in their label")
    story.add_argument("--text", metavar="WORDS", help="with all these words")
    story.add_argument("--system", metavar="ID", help="by these rules: " + ", ".join(system.id for system in systems()))


def wants_story(args: argparse.Namespace) -> bool:
    named = [name for name in _OF_STORY if getattr(args, name) is not None]
    if named and not args.story:
        raise BadInput(f"--{named[0]} chooses rolls, and this prints rows: add --story")
    return bool(args.story)


def export_story(args: argparse.Namespace, settings: Settings, since: datetime | None) -> None:
    edition = read_book(settings.data_folder, timedelta(hours=settings.memory.pause_hours))
    last_day = None if args.until is None else parse_day("--until", args.until)
    wanted = RollFilter(args.player, args.label, args.text, None, last_day, args.system)
    chosen = edition.evenings
    if args.evening == "last":
        chosen = chosen[-1:]
    elif args.evening is not None:
        chosen = tuple(evening for evening in chosen if str(evening.id) == args.evening)
        if not chosen:
            raise BadInput(f"there is no evening {args.evening!r}: give last, or an id from the column evening")
    rolls = [(roll, evening.id) for evening in chosen for roll in found(evening.rolls, wanted)]
    if since is not None:
        # As with rows, everything after the first roll that is late enough is kept, whatever its timestamp.
        rolls = list(dropwhile(lambda one: one[0].moment < since, rolls))
    if args.format == "csv":
        lines = story_csv(rolls, SEPARATORS[args.separator or "comma"])
        sys.stdout.write(MARK if args.separator else "")
    else:
        lines = story_lines(rolls)
    for line in lines:
        sys.stdout.write(line)
    sys.stdout.flush()


def add_labelled_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="OUT_FOLDER", help="a new folder")
    parser.add_argument("--settings", type=Path, metavar="FILE", help="settings file (TOML) instead of the user's own")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the roll log is kept")


def run_labelled(args: argparse.Namespace) -> int:
    """Copy the pictures of corrected readings with their corrections."""
    settings = with_overrides(load_settings(args.settings), data=args.data)
    count = export_labelled(settings.data_folder, args.folder)
    give_to_caller(args.folder)
    sys.stdout.write(f"{args.folder}: labelled pictures: {count}\n")
    return 0
