"""The subcommands of the rules: `score`, `odds`, `rulings`. Loads neither OpenCV nor the web."""

import argparse
import sys
from typing import TextIO

from device.cli import score
from device.errors import BadInput


def add_score_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = f"{parser.description} Requests come on standard input."


def run_score(args: argparse.Namespace) -> int:
    """Score the requests on standard input; return the exit status."""
    del args
    return score.run_score(_requests(), sys.stdout, sys.stderr)


def add_odds_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = f"{parser.description} Requests come on standard input."


def run_odds(args: argparse.Namespace) -> int:
    """Answer the requests on standard input; return the exit status."""
    del args
    return score.run_odds(_requests(), sys.stdout, sys.stderr)


def _requests() -> TextIO:
    if sys.stdin is None:
        raise BadInput("standard input is closed: send requests on it, a line each")
    return sys.stdin


def add_rulings_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--system", metavar="ID", help="only this rule system's")
    parser.add_argument("--json", action="store_true", help="JSON Lines")


def run_rulings(args: argparse.Namespace) -> int:
    """Print every house ruling; return the exit status."""
    return score.run_rulings(sys.stdout, sys.stderr, as_json=args.json, system_id=args.system)
