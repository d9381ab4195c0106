"""The subcommands that need the settings of a tray: `run`, `export`, `doctor`."""

import argparse
import sys
from functools import partial
from pathlib import Path

from device.camera.registry import NAMES
from device.cli.logs import set_level
from device.cli.read import add_colours_argument, parse_colours
from device.cli.story import add_story_arguments, export_story, wants_story
from device.config.settings import (
    LOG_LEVELS,
    LogSettings,
    Settings,
    WebSettings,
    check_settings,
    default_settings_file,
    load_settings,
    with_overrides,
)
from device.config.settings_service import SettingsSource
from device.diagnostics.doctor import Examined
from device.diagnostics.doctor import add_arguments as add_doctor_only
from device.diagnostics.doctor import run_doctor as examine_tray
from device.run import run_tray
from device.runtime.tray_profile import own_profile_path
from device.storage.export import SEPARATORS, export, parse_since
from rules.system import systems


def add_settings_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="FILE", help="settings file (TOML) instead of the user's own")
    parser.add_argument("--camera", metavar="NAME", help=NAMES)
    parser.add_argument("--profile", type=Path, metavar="FILE", help="the tray's calibration, from pushtray calibrate")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the roll log is kept")


def add_log_level_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--log-level`, for subcommands that run until they are stopped."""
    parser.add_argument(
        "--log-level", choices=LOG_LEVELS, help=f"print messages from this level on ({LogSettings().level})"
    )


def read_settings_arguments(args: argparse.Namespace) -> Settings:
    return _with_arguments(args, load_settings(args.settings))


def _with_arguments(args: argparse.Namespace, settings: Settings) -> Settings:
    colours = getattr(args, "colours", None)
    return with_overrides(
        settings,
        camera=args.camera,
        system=getattr(args, "system", None),
        profile=args.profile,
        data=args.data,
        host=getattr(args, "host", None),
        port=getattr(args, "port", None),
        log_level=getattr(args, "log_level", None),
        colours=None if colours is None else parse_colours(colours),
    )


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    add_settings_arguments(parser)
    parser.add_argument("--system", metavar="ID", help=", ".join(system.id for system in systems()))
    web = WebSettings()
    parser.add_argument("--host", metavar="H", help=f"address to listen on ({web.host})")
    parser.add_argument("--port", type=int, metavar="P", help=f"port to listen on ({web.port})")
    parser.add_argument(
        "--json",
        action="store_true",
        help="JSON Lines on standard output: the tray as it starts, then one for each change; ends with their reader",
    )
    add_colours_argument(parser)
    add_log_level_argument(parser)


def run_run(args: argparse.Namespace) -> int:
    """Run the tray until it is stopped."""
    settings = read_settings_arguments(args)
    set_level(settings.log.level)
    lines_to = sys.stdout.fileno() if args.json else None
    source = SettingsSource(args.settings or default_settings_file(), partial(_with_arguments, args))
    return run_tray(settings, system_named=args.system is not None, lines_to=lines_to, source=source)


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="FILE", help="settings file (TOML) instead of the user's own")
    parser.add_argument(
        "--since",
        metavar="DATE",
        help="rows from this day or moment on, as in 2026-01-31, in the order they were written",
    )
    parser.add_argument("--format", choices=("csv", "jsonl"), default="csv", help="csv (default) or jsonl")
    parser.add_argument(
        "--separator",
        choices=tuple(SEPARATORS),
        help="write CSV as a spreadsheet reads it, this between columns; with semicolon, decimals have a comma",
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the roll log is kept")
    add_story_arguments(parser)


def run_export(args: argparse.Namespace) -> int:
    settings = with_overrides(load_settings(args.settings), data=args.data)
    since = None if args.since is None else parse_since(args.since)
    if wants_story(args):
        export_story(args, settings, since)
        return 0
    export(settings.data_folder, since, as_csv=args.format == "csv", out=sys.stdout, separator=args.separator)
    return 0


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    add_settings_arguments(parser)
    add_doctor_only(parser)


def run_doctor(args: argparse.Namespace) -> int:
    """Check every part of the tray."""
    settings = read_settings_arguments(args)
    check_settings(settings)
    return examine_tray(examined(settings), args)


def examined(settings: Settings) -> Examined:
    return Examined(
        camera=settings.camera_request,
        data=settings.data_folder,
        pins=settings.pins,
        ring_kind=settings.ring.kind,
        profile=own_profile_path(settings),
        host=settings.web.host,
        port=settings.web.port,
        panel=settings.panel.wiring,
        wled=settings.ring.port,
        ring=settings.ring.shape,
    )
