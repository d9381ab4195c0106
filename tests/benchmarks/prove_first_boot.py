"""Proves the first boot and the Debian package in a Debian root with its own systemd and cloud-init, without internet.

By hand, as root, on a machine with systemd-nspawn; each run unpacks the root again:

    mmdebstrap --variant=minbase \\
        --include=adduser,ca-certificates,cloud-init,dbus,debconf,python3-venv,systemd,systemd-sysv,udev trixie ROOT.tar
    .ci/release OLD --arch amd64 && .ci/release NEW --arch amd64 --version 0.1.2
    python3 tests/benchmarks/prove_first_boot.py ROOT.tar OLD/pushtray_0.1.0_amd64.deb NEW/pushtray_0.1.2_amd64.deb

The root has a network of its own with nothing in it, so what is installed comes from the card alone. It stands for a
card of Raspberry Pi OS Trixie: its cloud-init reads `/boot/firmware`, as that one's does.
"""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.benchmarks.prove_install import Machine, last_line, show, wait_for

SOURCES = Path(__file__).resolve().parents[2]
PROJECT = "usr/lib/pushtray/pyproject.toml"
INSTALLER = ("python3", "/usr/lib/pushtray/systemd/install.py")
OF_IMAGER = """#cloud-config
hostname: of-imager
manage_etc_hosts: true
timezone: Europe/Berlin
users:
- name: kim
  groups: users,sudo
  shell: /bin/bash
  lock_passwd: true
runcmd:
  - [ touch, /root/imager-ran ]
"""
"""What Raspberry Pi Imager 2 writes for a name, a user and a time zone, with a command of its own."""
DESKTOP = """[Unit]
Description=Stands for the desktop: notes whether the tray was there before
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'ls /var/lib/pushtray/display-url > /root/desktop-started 2>&1'
[Install]
WantedBy=multi-user.target
"""
ASK = """
import sys, urllib.request, urllib.error
headers = dict(pair.split("=", 1) for pair in sys.argv[2:])
body = headers.pop("body", None)
headers |= {"Content-Type": "application/json"}
request = urllib.request.Request(sys.argv[1], body and body.encode(), headers)
try:
    answer = urllib.request.urlopen(request, timeout=3)
except urllib.error.HTTPError as error:
    answer = error
print(answer.headers.get("Set-Cookie") or "-")
print(answer.read().decode())
"""


class Card(Machine):
    """A Raspberry Pi's card, in place of one."""

    def __init__(self, packed: Path, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        subprocess.run(["tar", "-x", "-f", packed, "-C", folder], check=True)
        super().__init__(folder, "--private-network")
        self.boot_folder = folder / "boot/firmware"
        self.boot_folder.mkdir(parents=True)
        (self.boot_folder / "cmdline.txt").write_text("console=tty1 root=PARTUUID=0-02\n")
        (self.boot_folder / "meta-data").write_text("dsmode: local\ninstance_id: rpios-image\n")
        (folder / "etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg").write_text(
            "datasource_list: [ NoCloud, None ]\ndatasource:\n  NoCloud:\n    seedfrom: file:///boot/firmware\n"
        )
        (folder / "etc/systemd/system/display-manager.service").write_text(DESKTOP)
        wanted = folder / "etc/systemd/system/multi-user.target.wants"
        wanted.mkdir(exist_ok=True)
        (wanted / "display-manager.service").symlink_to("../display-manager.service")

    def write(self, *options: str) -> str:
        """Write the first-boot file by the command; return what the command answered."""
        words = [SOURCES / ".venv/bin/pushtray", "first-boot", "--card", self.boot_folder, *options]
        return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout

    def page(self, address: str, *headers: str) -> tuple[str, str] | None:
        """Return the cookie and the body that a page of this machine answers with; None if there is none."""
        status, output = self.run("python3", "-c", ASK, f"http://127.0.0.1:{address}", *headers)
        return (output.partition("\n")[0], output.partition("\n")[2]) if status == 0 else None

    def note(self) -> str:
        """Return what the card says."""
        path = self.boot_folder / "pushtray.txt"
        return path.read_text() if path.exists() else ""


def prove_power_cut(card: Card, package: Path) -> None:
    """From an empty card with nothing on it, over a damaged package and a power cut, to the tray."""
    output = card.write("--name", "dice-tray", "--rules", "hits-pool", "--language", "de", "--camera", "usb:0")
    show("the command writes user-data", (card.boot_folder / "user-data").exists(), output)
    card.boot()
    wait_for("the note on the card", lambda: "copy pushtray_VERSION" in card.note())
    show("no package on the card", True, last_line(card.note()))
    damaged = card.boot_folder / "pushtray_0.0.9_amd64.deb"
    damaged.write_bytes(package.read_bytes()[:1_000_000])
    wait_for("the note on the card", lambda: "is damaged" in card.note())
    show("a damaged package", True, last_line(card.note()))
    damaged.unlink()
    shutil.copy(package, card.boot_folder)
    first = wait_for("the page", lambda: card.page("8001/", "Host=dice-tray.local"))
    show("the page is there, in German", "PushTray wird installiert" in first[1], "PushTray wird installiert")
    show("the first browser is remembered", "HttpOnly" in first[0], re.sub(r"=[^;]+", "=...", first[0], count=1))
    wait_for("the build", lambda: "'step'>PushTray einrichten" in (card.page("8000/") or ("", ""))[1])
    wait_for(
        "half a release", lambda: any(card.root.glob("opt/pushtray/releases/*/venv/lib/*/site-packages/numpy")), 120.0
    )
    card.cut_power()
    show("power cut", not any(card.root.glob("opt/pushtray/releases/*/complete")), "while packages were installed")
    card.boot()
    _reach_the_tray(card)
    settings = (card.root / "etc/pushtray/settings.toml").read_text()
    is_right = all(word in settings for word in ('"hits-pool"', '"de"', '"usb:0"', '"0.0.0.0"'))
    show("settings", is_right, " ".join(re.findall(r'^\w+ = "[^"]*"', settings, re.MULTILINE)))
    show("name", card.ask("hostname") == "dice-tray", card.ask("hostname"))
    first = card.page("8001/", "Host=dice-tray.local")
    assert first is not None
    show("the first browser gets the PIN", re.search(r"class='pin'>\d{4,}", first[1]) is not None, "PIN shown")
    cookie = first[0].partition(";")[0]
    others = (card.page("8001/"), card.page("8001/", "Host=evil.example", f"Cookie={cookie}"))
    show("no one else does", all(one is not None and "class='pin'" not in one[1] for one in others), "no PIN shown")
    again = card.page("8001/", f"Cookie={cookie}")
    show("it does again", again is not None and "class='pin'" in again[1], "PIN shown")
    releases = sorted(card.root.glob("opt/pushtray/releases/*"))
    card.halt()
    card.boot()
    wait_for("the tray", lambda: card.page("8000/api/health"))
    is_right = sorted(card.root.glob("opt/pushtray/releases/*")) == releases and card.page("8001/") is None
    show("the next start installs nothing", is_right, card.ask("systemctl", "is-active", "pushtray-first-boot"))


def _reach_the_tray(card: Card) -> None:
    answer = wait_for("the tray's health", lambda: card.page("8000/api/health"), 600.0)
    show("/api/health", "camera" in json.loads(answer[1])["parts"] if "parts" in answer[1] else True, answer[1][:120])
    wait_for("the hand-over", (card.root / "var/lib/pushtray-first-boot/done").exists)
    show("the card says where the tray is", "is ready: http://" in card.note(), last_line(card.note()))


def prove_with_imager(card: Card, package: Path) -> None:
    """The same next to Imager's own choices, with the desktop waiting."""
    (card.boot_folder / "user-data").write_text(OF_IMAGER)
    output = card.write("--package", str(package), "--camera", "usb:0")
    show("next to Imager's user-data it is vendor-data", "vendor-data" in output, output)
    card.boot()
    _reach_the_tray(card)
    show(
        "Imager's choices hold",
        card.ask("hostname") == "of-imager" and card.ask("id", "-un", "kim") == "kim",
        "of-imager, kim",
    )
    wait_for("Imager's command", (card.root / "root/imager-ran").exists)
    output = (card.root / "root/desktop-started").read_text()
    show("the desktop starts after the tray", "No such" not in output, output)


def _changed(package: Path, folder: Path, version: str, **files: str) -> Path:
    """Return the package as one of another version, some of its files changed."""
    tree, before = folder / "changed", package.name.split("_")[1]
    made = folder / package.name.replace(f"_{before}_", f"_{version}_")
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
    for name, text in files.items():
        (tree / "usr/lib/pushtray" / name).write_text(text)
    for path, line in ((tree / "DEBIAN/control", "Version: {}"), (tree / PROJECT, 'version = "{}"')):
        path.write_text(path.read_text().replace(line.format(before), line.format(version), 1))
    subprocess.run(["dpkg-deb", "-Znone", "--build", tree, made], check=True, capture_output=True)
    return made


def _describe(package: Path, checksum: str | None = None) -> None:
    """Write a release's description next to its package, as `.ci/release` does."""
    _, version, machine = package.stem.split("_")
    found = {"file": package.name, "sha256": checksum or hashlib.sha256(package.read_bytes()).hexdigest()}
    body = {"format": "pushtray-release/1", "version": version, "changes": {"Fixed": ["A thing."]}}
    package.with_name("release.json").write_text(json.dumps(body | {"packages": {machine: found}}))


def prove_page(card: Card, newer: Path) -> None:
    """The update on the page: off, found, spoiled, one that does not start, one that does."""
    folder = card.root / "root/releases"
    folder.mkdir()

    def now(*wish: str) -> dict[str, Any]:
        answer = wait_for("the tray", lambda: card.page("8000/api/update", *wish))
        return dict(json.loads(answer[1]))

    def ends(version: str | None) -> dict[str, Any]:
        now(f"body={json.dumps({'version': version})}")
        ended = {"found", "newest", "installed", "failed"}
        last = "found" if version else ""

        def done() -> Any:
            answer = card.page("8000/api/update")
            latest = json.loads(answer[1])["latest"] if answer is not None else {"state": last}
            return latest if latest["state"] in ended - {last} else None

        # The state before may still stand there for a moment.
        (card.root / "run/pushtray-update/state.json").unlink(missing_ok=True)
        return dict(wait_for("the update", done, 600.0))

    show("without an address nothing is looked for", not now()["can_look"], now()["version"])
    before = now()["version"]
    card.run(*INSTALLER, "updates", "/root/releases/release.json")
    older = _changed(newer, folder, "0.1.1", **{"device/app.py": "raise SystemExit(7)\n"})
    _describe(older, "0" * 64)
    output = ends(None)
    show("a release is found", (output["state"], output["version"]) == ("found", "0.1.1"), str(output["changes"]))
    output = ends("0.1.1")
    show(
        "a package with another checksum",
        output["code"] == "other_package" and now()["version"] == before,
        output["detail"],
    )
    _describe(older)
    ends(None)
    output = ends("0.1.1")
    is_right = output["code"] == "went_back" and now()["version"] == before
    show("a release whose tray does not start", is_right, f"{now()['version']} runs again: {output['detail']}")
    shutil.copy(newer, folder)
    _describe(folder / newer.name)
    output = ends(None)
    version = output["version"]
    output = ends(version)
    show("update on the page", output["state"] == "installed" and now()["version"] == version, f"{version} runs")
    kept = [path.name for path in (card.root / "var/backups/pushtray").iterdir()]
    show("rolls were backed up", f"before-{version}.sqlite3" in kept, " ".join(sorted(kept)))
    show("then nothing is newer", ends(None)["state"] == "newest", version)


def prove_package(card: Card, older: Path, newer: Path) -> None:
    """Upgrade, downgrade, remove and purge; rolls and settings stay until they are asked for."""
    data, settings = card.root / "var/lib/pushtray", card.root / "etc/pushtray/settings.toml"

    def rows() -> int:
        return len(card.ask("/usr/local/bin/pushtray", "export", "--format", "jsonl").splitlines())

    def has() -> tuple[str, int, str]:
        answer = wait_for("the tray", lambda: card.page("8000/api/health"))
        assert answer is not None
        return (
            card.ask("/usr/local/bin/pushtray", "--version"),
            rows(),
            settings.read_text(),
        )

    settings.write_text(settings.read_text() + "# mine\n")
    newest = max((SOURCES / "tests/device/data").glob("history_version_*.sql"))
    with sqlite3.connect(card.root / "root/rolls.sqlite3") as log:
        log.executescript(newest.read_text())
    card.run("systemctl", "stop", "pushtray")
    card.run("/usr/local/bin/pushtray", "restore", "/root/rolls.sqlite3")
    card.run("systemctl", "start", "pushtray")
    before = has()
    show("rolls", before[1] > 1, f"{before[1]} rows, {before[0]}")
    prove_page(card, newer)

    def install(package: Path) -> tuple[int, str]:
        if package.parent != card.root / "root":
            shutil.copy(package, card.root / "root")
        words = ("apt-get", "-y", "--allow-downgrades", "install", f"/root/{package.name}")
        return card.run("env", "DEBIAN_FRONTEND=noninteractive", *words)

    for name, package in (("downgrade", older), ("upgrade", newer)):
        status, output = install(package)
        now = has()
        version = package.name.split("_")[1]
        show(
            name,
            status == 0 and now == (f"pushtray {version}", *before[1:]),
            f"{now[0]}, {now[1]} rows" if status == 0 else output,
        )
    number = max(int(path.name[:4]) for path in (SOURCES / "device/storage/migrations").glob("*.sql")) + 1
    step = {f"device/storage/migrations/{number:04}_proof.sql": "CREATE TABLE proof (id INTEGER PRIMARY KEY);\n"}
    migrating = _changed(newer, card.root / "root", "0.2.0", **step)
    status, output = install(migrating)
    copies = [path.name for path in data.glob("*.version-*")]
    show("upgrade that migrates the rolls", status == 0 and has()[0].endswith("0.2.0"), " ".join(copies))
    status, output = install(older)
    is_right = status != 0 and has() == ("pushtray 0.2.0", *before[1:])
    show("downgrade over migrated rolls is refused", is_right, f"{has()[0]} runs again, {has()[1]} rows")
    status, output = install(migrating)
    show("the newer package mends the half-installed older one", status == 0, last_line(output))
    status, output = card.run("dpkg", "--remove", "pushtray")
    is_right = status == 0 and card.page("8000/api/health") is None and (data / "history.sqlite3").exists()
    show("remove keeps rolls and settings", is_right and settings.exists(), last_line(output))
    status, output = card.run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--purge", "pushtray")
    show("purge without an answer keeps them", status == 0 and settings.exists(), last_line(output) or "rolls stay")
    status, output = install(migrating)
    show("install over old rolls", status == 0 and has()[1:] == before[1:], last_line(output))
    chosen = "pushtray pushtray/purge-rolls boolean true"
    card.run("sh", "-c", f"echo {chosen} | debconf-set-selections")
    status, output = card.run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--purge", "pushtray")
    show("purge with a yes takes them", status == 0 and not data.exists() and not settings.exists(), last_line(output))


def main(packed: Path, older: Path, newer: Path) -> None:
    """Run everything."""
    with tempfile.TemporaryDirectory() as folder:
        for name, steps in (("cut", (prove_power_cut,)), ("imager", (prove_with_imager, prove_package))):
            card = Card(packed, Path(folder) / name)
            try:
                steps[0](card, older)
                for step in steps[1:]:
                    step(card, older, newer)
            finally:
                if card.is_on():
                    card.halt()


if __name__ == "__main__":
    if len(sys.argv) != 4 or os.geteuid() != 0:
        raise SystemExit("usage, as root: prove_first_boot.py ROOT.tar OLDER.deb NEWER.deb")
    main(*(Path(word).resolve() for word in sys.argv[1:]))
