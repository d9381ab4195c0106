"""The subcommand `report`: everything needed to find out why a die is misread, in one archive without private data."""

import argparse
import importlib.metadata
import io
import json
import platform
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from device.archive.book import read_book
from device.camera.registry import camera_kind, make_camera
from device.cli.caller import give_to_caller
from device.cli.read import reading_json
from device.cli.run import add_settings_arguments, examined, read_settings_arguments
from device.cli.sieve import Kind, Sieve, own_words
from device.config.settings import check_settings
from device.diagnostics.doctor import Examined, examine
from device.diagnostics.doctor import report as print_checks
from device.errors import BadInput, PushTrayError
from device.kept_files import parse_json
from device.storage.evenings import evening_marks
from device.storage.log_file import FILE_NAME, connect_to_read
from device.storage.phones import FILE_NAME as PHONES_NAME
from device.storage.phones import PhoneFile
from device.storage.sheets import SheetStore
from device.web.core.addresses import page_url
from rules.system import JsonValue
from vision.imaging.image_file import load_image
from vision.pipeline.explain import stage_pictures
from vision.pipeline.reader import Reader
from vision.tray.profile import load_profile
from vision.types.cures import cure_of, why
from vision.types.errors import VisionError
from vision.types.frame import ImageBgr

FRAMES = 10
"""Pictures taken for the camera's automatics to settle."""


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    add_settings_arguments(parser)
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the archive (pushtray-report-TIME.zip)")
    parser.add_argument(
        "--picture", type=Path, metavar="IMAGE", help="a picture that is read wrong; otherwise the camera takes one"
    )
    parser.add_argument("--names", action="store_true", help="include people's names")
    parser.add_argument("--yes", action="store_true", help="write it without asking")


def run_report(args: argparse.Namespace) -> int:
    """Collect what shows why a die is misread, list it, and write it to one archive; a person is asked first."""
    settings = read_settings_arguments(args)
    check_settings(settings)
    path: Path = args.file or Path(f"pushtray-report-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip")
    parts = make_report(examined(settings), settings.colours, picture=args.picture, with_names=args.names)
    sys.stdout.write((parts[0].content or b"").decode())
    sys.stdout.flush()
    if (
        sys.stdin.isatty()
        and not args.yes
        and input(f"Write this to {path}? [Y/n] ").strip().lower() not in {"", "y", "yes"}
    ):
        sys.stdout.write("Nothing was written.\n")
        return 0
    try:
        write_report(parts, path)
    except OSError as error:
        cure = cure_of(error.errno, "name another file")
        raise BadInput(f"{path} cannot be written ({why(error)}): {cure}") from error
    give_to_caller(path)
    sys.stdout.write(f"Written: {path}\n")
    return 0


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    what: str
    content: bytes | None = None  # content of the file; None if it is left out


def make_report(
    tray: Examined,
    colours: Mapping[str, str],
    *,
    picture: Path | None = None,
    with_names: bool = False,
    journal: Callable[[], str] | None = None,
) -> list[Part]:
    """Collect the parts; a broken one is left out with a note."""
    parts: list[Part] = []
    sieve: Sieve | None = None
    try:
        names = _names_in(tray.data)
        sieve = Sieve({} if with_names else names, own_words() | (_words_of(names) if with_names else set()))
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the log, names must stay private
        reason = f"left out: the log, which knows whose names to leave out, is not read ({type(error).__name__})"
        parts.append(Part("journal.txt", reason))
    image, packed, why_none = _picture(tray, picture)
    if image is None or packed is None:
        parts.append(Part("picture.jpg", f"left out: {why_none}"))
    else:
        parts += [Part("picture.jpg", "what the camera sees: look whether it shows only the tray", packed)]
        parts += _seen(image, tray.profile, colours)
    if sieve is not None:
        if tray.profile is not None:
            parts.append(_calibration(tray.profile, sieve))
        output = io.StringIO()
        print_checks(examine(tray, watch_panel=False, out=io.StringIO()), as_json=False, out=output)
        parts.append(
            Part("doctor.txt", "every part of the tray, as doctor finds it", sieve(output.getvalue()).encode())
        )
        messages = (journal or _journal)()
        parts.append(
            Part("journal.txt", "what the tray reported since the machine started", sieve(messages).encode())
            if messages
            else Part("journal.txt", "left out: this machine has no journal of a tray, or you may not read it")
        )
    parts.append(Part("versions.txt", "program, Python, libraries, machine", _versions().encode()))
    lines = [f"{part.name:<22} {part.what}" for part in parts]
    if sieve is not None:
        kinds = [kind for kind in Kind if not (with_names and kind in {Kind.PLAYER, Kind.EVENING})]
        lines += [
            "",
            "Its texts hold the program's own words, short numbers and times. Replaced by tokens such as <host-1>:",
        ]
        lines += [f"  {kind.value}{'' if kind in sieve.kinds else ' (none found)'}" for kind in kinds]
        lines += ["Names of players, sheets and evenings are in, as asked for."] if with_names else []
    lines += ["Not in it: rolls, sheets, settings."]
    return [Part("contents.txt", "this list", ("\n".join(lines) + "\n").encode()), *parts]


def write_report(parts: Iterable[Part], path: Path) -> None:
    with path.open("xb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in parts:
            if part.content is not None:
                archive.writestr(part.name, part.content)


def _names_in(data: Path) -> dict[Kind, set[str]]:
    players = {phone.name for phone in PhoneFile(data / PHONES_NAME).load() if phone.name}
    evenings: set[str] = set()
    log = data / FILE_NAME
    if log.exists():
        rolls = read_book(data, timedelta(hours=4)).rolls
        players |= {name for roll in rolls for name in (roll.notes.owner, roll.thrower, roll.notes.label) if name}
        evenings |= set(evening_marks(log).names.values())
        with closing(connect_to_read(log)) as database:
            players |= {filed.sheet.title for filed in SheetStore(database).load().sheets}
    return {Kind.PLAYER: players, Kind.EVENING: evenings}


def _words_of(names: Mapping[Kind, Iterable[str]]) -> set[str]:
    return {word.casefold() for some in names.values() for name in some for word in name.split()}


def _calibration(profile: Path, sieve: Sieve) -> Part:
    try:
        body = _sifted(parse_json(profile.read_bytes()), sieve)
    except (OSError, ValueError) as error:
        return Part("profile.json", f"left out: {why(error)}")
    return Part("profile.json", "the tray's calibration: floor, light, colours", json.dumps(body).encode())


def _sifted(value: JsonValue, sieve: Sieve) -> JsonValue:
    match value:
        case dict():
            return {sieve(key): _sifted(one, sieve) for key, one in value.items()}
        case list():
            return [_sifted(one, sieve) for one in value]
        case str():
            return sieve(value)
        case _:
            return value


def _picture(tray: Examined, named: Path | None) -> tuple[ImageBgr | None, bytes | None, str]:
    if named is not None:
        image = load_image(named)
        return image, _packed(image), ""
    try:
        with urllib.request.urlopen(f"{page_url(tray.host, tray.port)}api/frame.jpg", timeout=10.0) as answer:  # noqa: S310 - http
            packed = answer.read(50_000_000)
    except urllib.error.HTTPError as error:
        return None, None, "the roll there is hidden" if error.code == 403 else f"the tray has none ({error.code})"
    except OSError:
        return _taken(tray)
    decoded: Any = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
    return decoded, packed, "the tray's picture is damaged"


def _taken(tray: Examined) -> tuple[ImageBgr | None, bytes | None, str]:
    if camera_kind(tray.camera.name).driver is None:
        return None, None, "no tray is running: start it, or name a picture with --picture"
    source = make_camera(replace(tray.camera, keep=False))
    try:
        source.open()
        frames = [source.read(5.0) for _ in range(FRAMES)]
    except PushTrayError as error:
        return None, None, str(error)
    finally:
        source.close()
    last = frames[-1]
    return (None, None, "the camera gave none") if last is None else (last.image_bgr, _packed(last.image_bgr), "")


def _seen(image: ImageBgr, profile: Path | None, colours: Mapping[str, str]) -> list[Part]:
    known = None if profile is None else load_profile(profile)
    try:
        trace = Reader(known, None if known is not None and known.palette else dict(colours)).trace(image)
    except VisionError as error:
        return [Part("reading.json", f"left out: {error}")]
    text = json.dumps(reading_json("picture.jpg", trace.reading), indent=1) + "\n"
    stages = [
        Part(f"stages/{stage}.jpg", "a stage of the reader", _packed(picture))
        for stage, picture in stage_pictures(image, trace)
    ]
    return [Part("reading.json", "what is read in that picture", text.encode()), *stages]


def _packed(image: ImageBgr) -> bytes:
    return bytes(cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, 92))[1].tobytes())


def _journal() -> str:
    if shutil.which("journalctl") is None:
        return ""
    words = ["journalctl", "-u", "pushtray", "-b", "-n", "2000", "--no-pager", "--no-hostname", "-q", "-o", "short-iso"]
    journal = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, timeout=60)  # noqa: S603 - fixed
    return journal.stdout


def _versions() -> str:
    model = Path("/proc/device-tree/model")
    lines = [
        f"machine {model.read_text().rstrip(chr(0)) if model.exists() else platform.machine()}",
        f"system {platform.system()} {platform.release()}",
        f"python {platform.python_version()}",
    ]
    lines += sorted(f"{one.name} {one.version}" for one in importlib.metadata.distributions())
    return "\n".join(lines) + "\n"
