"""The command `pushtray`: imports only the requested subcommand and turns errors into exit statuses.

Exit status: 0 done; 1 done, but the answer is a failure, or a part of the tray failed; 2 bad usage or bad input, with
one line on standard error.
"""

import argparse
import difflib
import errno
import importlib
import io
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from device.cli.logs import logging_to_stderr
from device.console import print_error
from device.errors import BadInput, PushTrayError
from device.texts.catalogue import error_text
from device.version import installed_version
from rules.errors import RulesError
from vision.types.cures import cure_of, why
from vision.types.errors import VisionError


@dataclass(frozen=True, slots=True)
class Subcommand:
    summary: str
    # Module with `add_NAME_arguments(parser)` and `run_NAME(args) -> exit status`. Imported only on use, so that
    # scoring a roll does not load OpenCV.
    module: str
    examples: tuple[str, ...]


SUBCOMMANDS: dict[str, Subcommand] = {
    "run": Subcommand(
        "run the tray with its web display",
        "device.cli.run",
        (
            "pushtray run --camera simulated",
            "pushtray run --camera usb:0 --colours base=yellow,skill=green,gear=black",
            "pushtray run --camera simulated --json > states.jsonl",
        ),
    ),
    "read": Subcommand(
        "read still images",
        "device.cli.read",
        ("pushtray read tray.jpg --colours base=yellow,skill=green", "pushtray read --no-tray --json *.jpg"),
    ),
    "calibrate": Subcommand(
        "make a profile from photographs of one fixed tray",
        "device.cli.read",
        ("pushtray calibrate --empty empty.jpg --dice base=base.jpg --dice skill=skill.jpg --out tray.json",),
    ),
    "teach": Subcommand(
        "teach dice with symbols or numerals from pictures; list, export and import sets",
        "device.cli.teach",
        (
            "pushtray teach Night --class base --face 6=six.jpg --face blank=blank.jpg",
            "pushtray teach Night --export night.json",
            "pushtray teach --import night.json",
            "pushtray teach --list",
        ),
    ),
    "replay": Subcommand(
        "play a recording through the whole tray", "device.cli.recordings", ("pushtray replay evening --json",)
    ),
    "record": Subcommand(
        "make a recording",
        "device.cli.recordings",
        ("pushtray record --camera simulated --pool base=5,skill=2 --seconds 10 evening",),
    ),
    "evaluate": Subcommand(
        "score the reader on labelled images or recordings",
        "device.cli.recordings",
        ("pushtray evaluate pictures --out before.json", "pushtray evaluate pictures --compare before.json"),
    ),
    "score": Subcommand(
        "score rolls without a camera, a JSON request a line",
        "device.cli.requests",
        (
            """echo '{"id": 1, "system": "push-pool", "op": "pool", "context": {"attribute": 4}}' | pushtray score""",
            "pushtray score < requests.jsonl",
        ),
    ),
    "odds": Subcommand(
        "exact probabilities, a JSON request a line",
        "device.cli.requests",
        ("""echo '{"id": 1, "system": "push-pool", "pool": {"base": 5, "skill": 2}}' | pushtray odds""",),
    ),
    "export": Subcommand(
        "print the roll log",
        "device.cli.run",
        (
            "pushtray export --since 2026-01-31 > rolls.csv",
            "pushtray export --format jsonl",
            "pushtray export --story --evening last > evening.csv",
        ),
    ),
    "labelled": Subcommand(
        "copy pictures of corrected readings, for evaluate", "device.cli.story", ("pushtray labelled corrected",)
    ),
    "backup": Subcommand(
        "back up the roll log, even while the tray runs",
        "device.cli.backup",
        ("pushtray backup /media/stick/tray.sqlite3",),
    ),
    "restore": Subcommand(
        "restore a backup; the tray must be stopped",
        "device.cli.backup",
        ("pushtray restore /media/stick/tray.sqlite3",),
    ),
    "club": Subcommand(
        "show every tray of a club's MQTT broker on one page",
        "device.cli.club",
        ("pushtray club --broker broker.lan", "pushtray club --broker broker.lan:1883 --host 0.0.0.0 --port 8010"),
    ),
    "doctor": Subcommand(
        "check every part of the tray, and say what helps",
        "device.cli.run",
        ("pushtray doctor --camera usb:0", "pushtray doctor --camera pi --panel"),
    ),
    "report": Subcommand(
        "collect why a die is read wrong in one archive, nothing private",
        "device.cli.report",
        ("pushtray report --camera usb:0", "pushtray report why.zip --camera pi --picture tray.jpg"),
    ),
    "bench": Subcommand(
        "time each stage of the reader; what a tray at rest takes",
        "device.cli.read",
        ("pushtray bench", "pushtray bench pictures", "pushtray bench --idle"),
    ),
    "settings": Subcommand(
        "print every key of the settings file: what it does, may hold, and its default",
        "device.cli.settings",
        ("pushtray settings", "pushtray settings web"),
    ),
    "first-boot": Subcommand(
        "write the file by which a Raspberry Pi installs the tray when it first starts",
        "device.cli.first_boot",
        (
            "pushtray first-boot --name dice-tray --rules push-pool --language de > user-data",
            "pushtray first-boot --card /media/kim/bootfs --package pushtray_0.1.0_arm64.deb",
        ),
    ),
    "rulings": Subcommand(
        "print every house ruling with its choices", "device.cli.requests", ("pushtray rulings --system push-pool",)
    ),
}

_WRITES_REFUSED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Errors of a write to standard output; unlike those of opening a file, they name no file."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        _prepare_output()
        with logging_to_stderr():
            status = _dispatch(args)
        sys.stdout.flush()
    except (BadInput, VisionError, RulesError) as error:
        print_error(error_text(error))
        return 2
    except PushTrayError as error:
        print_error(error_text(error))
        return 1
    except BrokenPipeError:
        _drop_output()
        return 1
    except OSError as error:
        print_error(_explained(error))
        return 2
    except KeyboardInterrupt:
        return 130
    return status


def command() -> NoReturn:
    leave(main())


def leave(status: int) -> NoReturn:
    """Exit the process.

    A daemon thread that did not stop in time may be inside a net or the physics. The interpreter would unwind it
    through C++, which aborts the process, so the process then exits without the interpreter's shutdown.
    """
    if any(thread.daemon and thread.is_alive() for thread in threading.enumerate()):
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def _prepare_output() -> None:
    if sys.stdout is None:
        raise BadInput("standard output is closed: send it to a file, or to /dev/null")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    with suppress(io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explained(error: OSError) -> BadInput:
    if error.filename is not None:
        return BadInput(f"{error.filename} cannot be used ({why(error)}): {cure_of(error.errno, 'name another')}")
    if error.errno not in _WRITES_REFUSED:
        raise error
    _drop_output()
    return BadInput(f"output cannot be written ({why(error)}): {cure_of(error.errno, 'send it elsewhere')}")


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(_overview())
        return 0
    if args[0] == "--version":
        print(f"pushtray {installed_version() or '(run from its folder, not installed)'}")
        return 0
    name = args[0]
    if name not in SUBCOMMANDS:
        close = difflib.get_close_matches(name, SUBCOMMANDS, n=1)
        cure = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(SUBCOMMANDS)}"
        raise BadInput(f"there is no subcommand {name!r}: {cure}")
    module = importlib.import_module(SUBCOMMANDS[name].module)
    try:
        parsed = make_parser(name).parse_args(args[1:])
    except SystemExit as done:
        return 0 if done.code is None else int(done.code)
    return int(getattr(module, f"run_{_as_word(name)}")(parsed))


def make_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of one of `SUBCOMMANDS`; it raises `BadInput` if the arguments are wrong."""
    subcommand = SUBCOMMANDS[name]
    parser = _Parser(
        prog=f"pushtray {name}",
        description=f"{subcommand.summary[0].upper()}{subcommand.summary[1:]}.",
        epilog="\n".join(("examples:", *(f"  {example}" for example in subcommand.examples))),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    getattr(importlib.import_module(subcommand.module), f"add_{_as_word(name)}_arguments")(parser)
    return parser


def _as_word(name: str) -> str:
    return name.replace("-", "_")


def _overview() -> str:
    lines = [f"  {name:<10} {subcommand.summary}" for name, subcommand in SUBCOMMANDS.items()]
    listed = "\n".join(lines)
    return (
        "usage: pushtray SUBCOMMAND ...\n\nA tray that reads real dice: scores them, marks which to reroll, "
        f"and counts what that cost.\n\n{listed}\n\nEach has --help. Start with: pushtray run --camera simulated"
    )


if __name__ == "__main__":
    sys.exit(main())
