"""The subcommands `backup` and `restore` of the roll log."""

import argparse
import sys
from pathlib import Path

from device.cli.caller import give_to_caller
from device.config.settings import load_settings, with_overrides
from device.storage.backup import back_up, restore


def _add_folder_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="FILE", help="settings file (TOML) instead of the user's own")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the roll log is kept")


def _folder(args: argparse.Namespace) -> Path:
    return with_overrides(load_settings(args.settings), data=args.data).data_folder


def add_backup_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="where the backup goes; an earlier one is replaced")
    _add_folder_arguments(parser)


def run_backup(args: argparse.Namespace) -> int:
    """Back up the roll log, even while the tray runs."""
    rows = back_up(_folder(args), args.file)
    give_to_caller(args.file)
    sys.stdout.write(f"{args.file}: {rows} rows, with sheets and table\n")
    return 0


def add_restore_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="what pushtray backup wrote")
    _add_folder_arguments(parser)


def run_restore(args: argparse.Namespace) -> int:
    folder = _folder(args)
    done = restore(args.file, folder)
    kept = "" if done.old is None else f"; the log before it is kept as {done.old}"
    damaged = f" ({done.left_out} damaged ones left out)" if done.left_out else ""
    sys.stdout.write(f"{folder}: {done.rows} rows from {args.file}{damaged}{kept}\n")
    return 0
