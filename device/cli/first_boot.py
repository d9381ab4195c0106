"""The subcommand `first-boot`: the files by which a Raspberry Pi sets itself up when it first starts."""

import argparse
import getpass
import hashlib
import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from device.camera.names import INSTALLED, can_be_installed
from device.errors import BadInput
from device.texts.catalogue import ENGLISH, languages
from rules.system import systems

TEMPLATE: Final = Path(__file__).with_name("user-data")
_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_PACKAGE: Final = re.compile(r"pushtray_[0-9][0-9A-Za-z.+~]*_(arm64|amd64)\.deb")
_COMMENT_OR_BLANK: Final = re.compile(r"\s*(#.*)?")


def add_first_boot_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--card", type=Path, metavar="FOLDER", help="the card's boot partition; without it: print")
    parser.add_argument(
        "--package", type=Path, metavar="FILE", help="copy this pushtray_VERSION_arm64.deb onto the card"
    )
    parser.add_argument("--from", dest="source", metavar="ADDRESS", help="fetch the package from this https address")
    parser.add_argument("--name", help="the Pi's name: its pages are at http://NAME.local:8000")
    parser.add_argument("--rules", metavar="ID", default="push-pool", help=", ".join(system.id for system in systems()))
    parser.add_argument("--language", metavar="CODE", default=ENGLISH, help=", ".join(languages()))
    parser.add_argument("--camera", default="pi", help="pi (default), pi:1, usb:0 or simulated")
    parser.add_argument(
        "--panel", action=argparse.BooleanOptionalAction, help="buttons and lamps (as the camera's kind has)"
    )
    parser.add_argument("--phones", action=argparse.BooleanOptionalAction, default=True, help="let other devices in")
    parser.add_argument("--wifi", metavar="NETWORK", help="write network-config, too; asks for the password")
    parser.add_argument("--country", metavar="CODE", help="country of the Wi-Fi, as DE or GB")


def run_first_boot(args: argparse.Namespace) -> int:
    text = user_data(args)
    if args.card is None:
        for option, value in (("--package", args.package), ("--wifi", args.wifi)):
            if value is not None:
                raise BadInput(f"{option} writes to the card: name its boot partition with --card")
        sys.stdout.write(text)
        return 0
    name = _place_of(args.card, args.name)
    package = None if args.package is None else _checked_package(args.package)
    network = (
        None if args.wifi is None else network_config(args.wifi, args.country, getpass.getpass("Wi-Fi password: "))
    )
    if package is not None:
        shutil.copyfile(package, args.card / package.name)
    if network is not None:
        (args.card / "network-config").write_text(network, encoding="utf-8")
    (args.card / name).write_text(text, encoding="utf-8")
    where = f"http://{args.name or 'NAME'}.local:8001"
    print(f"{args.card / name} is written: start the Pi with this card, then open {where}")  # noqa: T201 - its answer
    return 0


def user_data(args: argparse.Namespace) -> str:
    """Return the file with the choices of the command line."""
    for option, value, known in (
        ("rules", args.rules, [system.id for system in systems()]),
        ("language", args.language, list(languages())),
    ):
        if value not in known:
            raise BadInput(f"--{option} is {value}: choose one of {', '.join(known)}")
    if not can_be_installed(args.camera):
        raise BadInput(f"--camera is {args.camera}: choose {INSTALLED}")
    if args.name is not None and not _NAME.fullmatch(args.name):
        raise BadInput(f"--name is {args.name}: use up to 63 letters a to z, digits and hyphens, as in dice-tray")
    if args.source is not None and not re.fullmatch(r"https://[!-~]+", args.source):
        raise BadInput(f"--from is {args.source}: give an address that begins with https://")
    words = ["--rules", args.rules, "--language", args.language, "--camera", args.camera]
    words += ["--phones"] * args.phones
    words += [] if args.panel is None else ["--panel" if args.panel else "--no-panel"]
    text = TEMPLATE.read_text(encoding="utf-8")
    for key, value in (("options", " ".join(words)), ("from", args.source or "")):
        before, _, rest = text.partition(f"{key}='")
        after = rest.partition("'")[2]
        text = f"{before}{key}={_quoted(value)}{after}"
    if args.name is not None:
        text = text.replace("bootcmd:", f"hostname: {args.name}\nmanage_etc_hosts: true\nbootcmd:", 1)
    return text


def _quoted(value: str) -> str:
    return shlex.quote(value) if "'" in value else f"'{value}'"


def _place_of(card: Path, name: str | None) -> str:
    """Return what the file is called on a card: vendor-data next to a user-data with choices of its own."""
    if not (card / "cmdline.txt").is_file():
        raise BadInput(f"{card} is no card's boot partition (no cmdline.txt): name the folder of bootfs")
    if not (card / "meta-data").is_file():
        cure = "write Raspberry Pi OS Trixie or newer onto it, or follow systemd/README.md"
        raise BadInput(f"{card} takes no first-boot file (no meta-data, as on Bookworm): {cure}")
    try:
        there = (card / "user-data").read_text(encoding="utf-8")
    except FileNotFoundError:
        return "user-data"
    if all(_COMMENT_OR_BLANK.fullmatch(line) for line in there.splitlines()) or "pushtray-first-boot" in there:
        return "user-data"
    if name is not None and (found := re.search(r"(?m)^hostname: *(\S+)", there)):
        raise BadInput(f"--name is {name}, and this card's user-data says {found[1]}: leave --name out")
    return "vendor-data"


def _checked_package(path: Path) -> Path:
    if not _PACKAGE.fullmatch(path.name) or not path.is_file():
        raise BadInput(f"{path} is no package of the tray: name a file such as pushtray_0.1.0_arm64.deb")
    return path


def network_config(network: str, country: str | None, password: str) -> str:
    """Return the card's network-config; a password of 8 to 63 characters is stored as the key made from it."""
    if country is None or not re.fullmatch("[A-Z]{2}", country):
        raise BadInput(f"--country is {country or 'missing'}: give the two letters of the Wi-Fi's country, as DE or GB")
    if not 8 <= len(password) <= 63:
        raise BadInput(f"a Wi-Fi password has 8 to 63 characters, and this one {len(password)}: type it again")
    key = hashlib.pbkdf2_hmac("sha1", password.encode(), network.encode(), 4096, 32).hex()
    return (
        "network:\n  version: 2\n  ethernets:\n    eth0:\n      dhcp4: true\n      optional: true\n"
        "  wifis:\n    wlan0:\n      dhcp4: true\n      optional: true\n"
        f'      regulatory-domain: "{country}"\n      access-points:\n'
        f'        {json.dumps(network)}:\n          password: "{key}"\n'
    )
