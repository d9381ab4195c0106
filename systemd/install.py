"""Install the tray on a Raspberry Pi (or any Debian) so that it starts automatically. Safe to run repeatedly.

    sudo python3 systemd/install.py install [--camera pi|pi:1|usb:0|simulated] [--phones] [--no-panel] [--kiosk USER]
                                            [--rules ID] [--language CODE]
    sudo python3 systemd/install.py upgrade        the same; from newer sources it makes a newer release
    sudo python3 systemd/install.py ring [PORT]    the light ring's adapter is /dev/pushtray-ring from now on
    sudo python3 systemd/install.py updates WHERE  the page /settings installs the release described there; "off": none
    sudo python3 systemd/install.py uninstall [--purge]

Every release has its own folder with its own virtual environment, and `current` points to one of them. A new release
is built and tried next to the running one; only then does `current` move. If the service does not come up it moves
back, with the rolls restored if the new release had changed their file. Otherwise rolls (/var/lib/pushtray) and
settings (/etc/pushtray) are changed only by `uninstall --purge`. Only the standard library.
"""

import argparse
import hashlib
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent

# What needs the standard library alone; the package's folder must hold no files but its own.
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCES))

from device.bootstrap import lock_files  # noqa: E402
from device.camera.names import INSTALLED, can_be_installed  # noqa: E402
from device.texts.catalogue import languages  # noqa: E402

WHEELS = SOURCES / "wheels"
"""Packages next to the sources, as in the Debian package: a tray without simulated dice fetches nothing."""

PARTS = ("device", "rules", "vision", "systemd", "pyproject.toml", "README.md", "LICENSE", "requirements.lock")
LEFT_OUT = ("vision/training", "systemd/debian")
"""Parts of the sources that only developers run."""
UNITS = (
    *("pushtray.service", "pushtray-poweroff.path", "pushtray-poweroff.service"),
    *("pushtray-update.path", "pushtray-update.service"),
)
STARTED = ("pushtray.service", "pushtray-poweroff.path", "pushtray-update.path")
COMMAND = "pushtray"
STARTING = "starting the tray"
"""The line after which the tray takes its port: `first_boot.py` leaves the port then."""
PIN_LINE = "it asks for a PIN:"
KEPT_RELEASES = 2
RELEASE_MB = 600
"""Space for building a release: 390 MB for the release, 500 with the simulation, and pip's downloads meanwhile."""
KIOSK_BEGIN, KIOSK_END = "# pushtray kiosk: begin", "# pushtray kiosk: end"

RING_LINK = "/dev/pushtray-ring"

Run = Callable[..., int]
Ask = Callable[..., tuple[int, str, str]]


class InstallError(Exception):
    """The installation cannot continue; the message has the reason and the cure."""


@dataclass(frozen=True, slots=True)
class Places:
    """Paths of everything, below a root that is `/` except in tests."""

    root: Path

    @property
    def home(self) -> Path:
        """Programs."""
        return self.root / "opt/pushtray"

    @property
    def releases(self) -> Path:
        """One folder per release."""
        return self.home / "releases"

    @property
    def current(self) -> Path:
        """Link to the release that runs."""
        return self.home / "current"

    @property
    def settings(self) -> Path:
        """The tray's settings."""
        return self.root / "etc/pushtray/settings.toml"

    @property
    def data(self) -> Path:
        """Rolls."""
        return self.root / "var/lib/pushtray"

    def kept_logs(self) -> set[Path]:
        """Roll logs from before a migration to a newer version (device/storage/schema.py)."""
        return {path for path in self.data.glob("*.version-*") if path.is_file()}

    def system_files(self) -> dict[str, Path]:
        """Each system file in this folder, and its place in the system."""
        etc = self.root / "etc"
        return {unit: etc / "systemd/system" / unit for unit in UNITS} | {
            "sysusers.conf": etc / "sysusers.d/pushtray.conf",
            "tmpfiles.conf": etc / "tmpfiles.d/pushtray.conf",
            "70-pushtray.rules": etc / "udev/rules.d/70-pushtray.rules",
            COMMAND: self.root / "usr/local/bin" / COMMAND,
        }

    @property
    def updates(self) -> Path:
        """Where the newest release is described (`update.py`)."""
        return self.root / "etc/pushtray-updates"

    @property
    def ring_rule(self) -> Path:
        """Device rule of the adapter that is the ring's."""
        return self.root / "etc/udev/rules.d/71-pushtray-ring.rules"

    def outdated_files(self) -> tuple[Path, ...]:
        """System files of an earlier release that no release has now."""
        # Its name sorted before 60-serial.rules, so it never matched.
        return (self.root / "etc/udev/rules.d/60-pushtray.rules",)


def run_program(*words: str) -> int:
    """Run a program with our output. Returns its exit status, 127 if there is no such program."""
    try:
        return subprocess.run(words, check=False).returncode  # noqa: S603 - fixed words, no shell
    except FileNotFoundError:
        return 127


def ask_program(*words: str) -> tuple[int, str, str]:
    """Run a program. Returns its exit status, 127 if there is no such program, its output and its errors."""
    try:
        done = subprocess.run(words, check=False, capture_output=True, text=True)  # noqa: S603 - fixed words, no shell
    except FileNotFoundError as error:
        return 127, "", str(error)
    return done.returncode, done.stdout, done.stderr


def release_name(sources: Path, locks: Sequence[str]) -> str:
    """Return the version with a fingerprint of everything installed: the same sources make the same release."""
    version = re.search(r'^version = "([^"]+)"', (sources / "pyproject.toml").read_text(), re.MULTILINE)
    digest = hashlib.sha256(f"{sys.version_info[:2]} {' '.join(locks)}".encode())
    for path in _files(sources):
        digest.update(str(path.relative_to(sources)).encode() + b"\0" + path.read_bytes())
    return f"{version[1] if version else '0'}-{digest.hexdigest()[:12]}"


def _files(sources: Path) -> list[Path]:
    found = [sources / part for part in PARTS if (sources / part).is_file()]
    for part in PARTS:
        found += [path for path in (sources / part).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return sorted(path for path in found if not str(path.relative_to(sources)).startswith(LEFT_OUT))


def copy_sources(sources: Path, target: Path) -> None:
    """Copy what a release is made of."""
    for path in _files(sources):
        copy = target / path.relative_to(sources)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


@dataclass(frozen=True, slots=True)
class Tray:
    """What the tray has: by its settings if there are any, else by the command line."""

    camera: str = "pi"
    pins: str = "gpio"
    host: str = "127.0.0.1"
    system: str = "push-pool"
    language: str = "en"


def usual_pins(camera: str) -> str:
    """Return the pins of a tray whose settings name none (`CameraKind.pins`)."""
    return {"pi": "gpio", "simulated": "mock"}.get(camera.partition(":")[0], "none")


def tray_of(
    places: Places,
    log: Callable[[str], None] = lambda _: None,
    camera: str | None = None,
    *,
    has_panel: bool | None = None,
    lets_phones_in: bool = False,
    system: str | None = None,
    language: str | None = None,
) -> Tray:
    """Return what the tray has; an option that its settings override is reported.

    Args:
        places: Where its settings are.
        log: Reports.
        camera: The camera asked for, None if none was.
        has_panel: Whether a panel was asked for or refused, None if neither.
        lets_phones_in: Whether phones were asked for.
    """
    usual = usual_pins(camera or "pi")
    pins = usual if has_panel is None else "none" if not has_panel else "mock" if usual == "mock" else "gpio"
    host = "0.0.0.0" if lets_phones_in else "127.0.0.1"  # noqa: S104 - phones come in by it
    usual_tray = Tray()
    chosen = Tray(camera or "pi", pins, host, system or usual_tray.system, language or usual_tray.language)
    try:
        kept = tomllib.loads(places.settings.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return chosen
    except (OSError, ValueError, RecursionError):
        return Tray("", "none", "")  # the tray itself reports errors in its settings

    def of(section: str, key: str) -> str:
        table = kept.get(section)
        return str(table.get(key, "")) if isinstance(table, dict) else ""

    now = Tray(
        of("tray", "camera"),
        of("panel", "pins") or usual_pins(of("tray", "camera")),
        of("web", "host"),
        of("tray", "system") or usual_tray.system,
        of("display", "language") or usual_tray.language,
    )
    for option, wanted, has in (
        (None if camera is None else f"--camera {camera}", chosen.camera, now.camera),
        (None if has_panel is None else "--panel" if has_panel else "--no-panel", chosen.pins, now.pins),
        ("--phones" if lets_phones_in else None, chosen.host, now.host),
        (None if system is None else f"--rules {system}", chosen.system, now.system),
        (None if language is None else f"--language {language}", chosen.language, now.language),
    ):
        if option is not None and wanted != has:
            log(f"{option} changes nothing: {places.settings} says {has or 'nothing'}, change it there or at /settings")
    return now


def check_room(places: Places) -> None:
    """Check that there is space for one more release.

    Raises:
        InstallError: There is not.
    """
    folder = next(one for one in (places.releases, *places.releases.parents) if one.exists())
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    if free_mb < RELEASE_MB:
        raise InstallError(f"a release needs {RELEASE_MB} MB and {folder} has {free_mb} MB free: make room there")


def build_release(sources: Path, release: Path, locks: Sequence[str], run: Run, log: Callable[[str], None]) -> None:
    """Make a release folder, all or nothing.

    Args:
        sources: What to install.
        release: The folder.
        locks: Lock files of the packages that it needs, relative to the sources' folder.
        run: Runs a program.
        log: Reports progress.

    Raises:
        InstallError: A step failed; the folder is removed.
    """
    if (release / "complete").exists():
        log(f"release {release.name} is there already")
        return
    shutil.rmtree(release, ignore_errors=True)
    log(f"building release {release.name} (a few minutes)")
    try:
        copy_sources(sources, release / "src")
        _make_environment(release, locks, run)
        _try_release(release, run)
        os.sync()  # a power cut must not leave a complete release with empty files
        (release / "complete").touch()
    except BaseException:
        shutil.rmtree(release, ignore_errors=True)
        raise


def _make_environment(release: Path, locks: Sequence[str], run: Run) -> None:
    python = release / "venv/bin/python"
    # picamera2 and lgpio come from the system's own packages, hence its site packages.
    if run(sys.executable, "-m", "venv", "--system-site-packages", str(release / "venv")) != 0:
        raise InstallError("no virtual environment could be made: sudo apt install python3-venv")
    # pip's cache is never used and would take a hundred megabytes of the card.
    pip = (str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-cache-dir")
    if WHEELS.is_dir():
        pip += ("--find-links", str(WHEELS))
        if "device/simulation.lock" not in locks:  # MuJoCo is not among them
            pip += ("--no-index",)
    locked = [word for name in locks for word in ("-r", str(release / "src" / name))]
    # The locks contain everything, so pip must not resolve dependencies (`device/bootstrap.py` has the reason).
    alone = (*pip, "--no-deps")
    if run(*alone, "--require-hashes", *locked) or run(*alone, "--no-build-isolation", str(release / "src")):
        raise InstallError("packages could not be installed (lines above): check the network and the disk")


def _try_release(release: Path, run: Run) -> None:
    """Run the new release's program once, before anything depends on it."""
    if run(str(release / "venv/bin/pushtray"), "--help") != 0:
        raise InstallError("the new release does not start (lines above); the old one goes on running")


def switch(places: Places, release: Path) -> Path | None:
    """Point `current` to a release, atomically. Returns its previous target, None if there was none."""
    before = places.current.resolve() if places.current.is_symlink() else None
    draft = places.home / "current.new"
    draft.unlink(missing_ok=True)
    draft.symlink_to(release.relative_to(places.home))
    draft.replace(places.current)
    return before


def write_system_files(places: Places, release: Path) -> None:
    """Install units, users, folders, device rules and the command in the system."""
    for name, target in places.system_files().items():
        if not (release / "src/systemd" / name).exists():
            continue  # the older release of a rollback does not have it
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(target.name + ".new")
        shutil.copyfile(release / "src/systemd" / name, draft)
        draft.chmod(0o755 if name == COMMAND else 0o644)
        draft.replace(target)
    for outdated in places.outdated_files():
        outdated.unlink(missing_ok=True)


def write_settings(places: Places, tray: Tray, log: Callable[[str], None]) -> None:
    """Write settings if there are none; existing ones are never changed."""
    if places.settings.exists():
        log(f"settings stay as they are: {places.settings}")
        return
    text = (SOURCES / "systemd/settings.toml").read_text()
    for name, value in asdict(tray).items():
        text = text.replace(f"@{name.upper()}@", value)
    places.settings.parent.mkdir(parents=True, exist_ok=True)
    places.settings.write_text(text)
    places.settings.chmod(0o644)


def let_settings_be_changed(places: Places, run: Run, log: Callable[[str], None]) -> None:
    """Let the tray write its own settings, for the page that changes them; no other user gains access."""
    where = (str(places.settings.parent), str(places.settings))
    if run("chgrp", "pushtray", *where) != 0 or run("chmod", "g+w", *where) != 0:
        log(f"the page of the settings cannot change {places.settings}: change it in an editor")


def choose_updates(places: Places, where: str | None, log: Callable[[str], None]) -> None:
    """Choose where the newest release is described, in a file that the tray cannot write.

    Raises:
        InstallError: It is neither an address on https nor a path.
    """
    if where == "off":
        places.updates.unlink(missing_ok=True)
        log("the page /settings looks for no releases")
        return
    if where is None or not where.startswith(("https://", "/")):
        raise InstallError("updates: name an address, https://.../release.json, a path, or off")
    places.updates.write_text(f"{where}\n")
    log(f"the page /settings looks for releases at {where}")


def is_booted(root: Path) -> bool:
    """Return whether systemd runs here, unlike in a chroot or an image being built."""
    return (root / "run/systemd/system").is_dir()


def install(places: Places, tray: Tray, run: Run, log: Callable[[str], None], ask: Ask = ask_program) -> None:
    """Install or upgrade.

    Raises:
        InstallError: A step failed; the previous release keeps running.
    """
    locks = lock_files(system=True, simulation=tray.camera == "simulated")
    release = places.releases / release_name(SOURCES, locks)
    if not (release / "complete").exists():
        check_room(places)
    build_release(SOURCES, release, locks, run, log)
    before = places.current.resolve() if places.current.is_symlink() else None
    write_system_files(places, release)
    for words in (("systemd-sysusers",), ("systemd-tmpfiles", "--create", "/etc/tmpfiles.d/pushtray.conf")):
        if run(*words) != 0:
            raise InstallError(f"{words[0]} failed (lines above)")
    write_settings(places, tray, log)
    let_settings_be_changed(places, run, log)
    switch(places, release)
    if is_booted(places.root):
        kept = places.kept_logs()
        if uses_ring_link(places) and not places.ring_rule.exists():
            _choose_ring_automatically(places, run, log, ask)
        log(STARTING)
        if not _start(run):
            _go_back(places, before, kept, run, log)
        name_next_step(places, log)
    else:
        run("systemctl", "enable", *STARTED)
        log("systemd does not run here: the tray starts with the next boot")
    _forget_old(places, keep={release, before})
    log(f"release {release.name} is installed; rolls in {places.data}, settings in {places.settings}")


def _choose_ring_automatically(places: Places, run: Run, log: Callable[[str], None], ask: Ask) -> None:
    """Choose the ring of a tray whose link an earlier release made for any adapter with a usual chip."""
    try:
        choose_ring(places, None, run, log, ask)
    except InstallError as error:
        log(f"the ring: {error}")


def uses_ring_link(places: Places) -> bool:
    """Return whether the settings name the ring by its link."""
    try:
        ring = tomllib.loads(places.settings.read_text()).get("ring", {})
        return bool(ring.get("kind") == "wled" and ring.get("port", {}).get("port") == RING_LINK)
    except (OSError, ValueError, AttributeError):
        return False


def choose_ring(places: Places, port: str | None, run: Run, log: Callable[[str], None], ask: Ask = ask_program) -> None:
    """Give the ring's adapter its link, wherever it is plugged in; one without a serial number in this socket alone.

    Args:
        places: The tray's places.
        port: The adapter's port; None to take the one that answers as WLED.
        run: Runs a program.
        log: Takes lines for the person.
        ask: Runs a program and returns what it printed.

    Raises:
        InstallError: No adapter answers as WLED, or the port is none on USB.
    """
    if port is None:
        # The tray itself may have the port open.
        run("systemctl", "stop", "pushtray.service")
        status, found, why = ask(str(places.current / "venv/bin/python"), "-m", "device.ring.locate")
        run("systemctl", "start", "pushtray.service")
        if status != 0:
            cure = "name its port: sudo python3 systemd/install.py ring /dev/serial/by-id/NAME"
            raise InstallError(f"{why.strip() or 'the tray is not installed'}; or {cure}")
        port = found.strip()
    status, known, why = ask("udevadm", "info", "--query=property", f"--name={port}")
    properties = dict(line.split("=", 1) for line in known.splitlines() if "=" in line)
    if status != 0 or properties.get("ID_BUS") != "usb":
        raise InstallError(
            f"{port} is no serial adapter on USB ({why.strip() or 'udev says so'}): ls /dev/serial/by-id"
        )
    if not properties.get("ID_SERIAL_SHORT") and "ID_PATH" not in properties:
        raise InstallError(f"{port} has neither a serial number nor a known socket: set its path as ring.port.port")
    places.ring_rule.write_text(ring_rule(properties))
    run("udevadm", "control", "--reload")
    run("udevadm", "trigger", "--subsystem-match=tty", "--property-match=ID_BUS=usb")
    name = properties.get("ID_SERIAL", port)
    log(f'{name} is {RING_LINK}; in the settings: [ring] kind = "wled", [ring.port] port = "{RING_LINK}"')


def ring_rule(properties: Mapping[str, str]) -> str:
    """Return the device rule that gives one adapter the ring's link, by what udev knows of it."""
    key = "ID_SERIAL" if properties.get("ID_SERIAL_SHORT") else "ID_PATH"
    match = f'SUBSYSTEM=="tty", ENV{{ID_BUS}}=="usb", ENV{{{key}}}=="{_literal(properties[key])}"'
    return (
        "# The light ring, as chosen with `install.py ring`. Modem software must not talk to it.\n"
        f'{match}, GROUP="dialout", MODE="0660", SYMLINK+="pushtray-ring", ENV{{ID_MM_DEVICE_IGNORE}}="1"\n'
    )


def _literal(value: str) -> str:
    """Return a value as a pattern of udev that matches nothing else."""
    return re.sub(r'([*?\[\]|"\\])', "?", value)


@dataclass(frozen=True, slots=True)
class TrayNow:
    """A tray that answers: its display's address, those for other devices, and the game master's PIN if it asks one."""

    here: str
    addresses: Sequence[str]
    pin: str | None


def tray_now(places: Places) -> TrayNow | None:
    """Return what the running tray says of itself, None if it does not answer."""
    try:
        here = (places.data / "display-url").read_text().strip()
        with urllib.request.urlopen(f"{here}api/phones", timeout=5.0) as answer:  # noqa: S310 - http only
            known = json.load(answer)
        addresses = [known[name].removesuffix("phone") for name in ("address_by_name", "address") if known[name]]
        return TrayNow(here, addresses, known["pins"] and known["pins"]["game_master"])
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None


def name_next_step(places: Places, log: Callable[[str], None]) -> None:
    """Log the address of the page that sets the tray up, and the PIN that a phone or laptop gives there."""
    tray = tray_now(places)
    if tray is None:
        log("next: the tray's page /start; its address and its PINs: journalctl -u pushtray -b")
    elif not tray.addresses:
        log(f"next: open {tray.here}start on this machine; for phones and laptops: --phones, or Players, Phones there")
    else:
        where = " or ".join(f"{address}start" for address in tray.addresses)
        log(f"next: open {where} on a phone or laptop in this network")
        if tray.pin:
            log(f"{PIN_LINE} {tray.pin}")


def _start(run: Run) -> bool:
    """Start everything; return whether the tray itself has reported that it is ready."""
    run("systemctl", "daemon-reload")
    run("udevadm", "control", "--reload")
    run("udevadm", "trigger", "--subsystem-match=tty", "--property-match=ID_BUS=usb")
    run("udevadm", "trigger", "--subsystem-match=gpio")
    run("systemctl", "enable", *STARTED)
    run("systemctl", "reset-failed", "pushtray.service")
    # Type=notify: this returns once the tray has reported that it is ready, or has failed to.
    return run("systemctl", "restart", *STARTED) == 0


def _go_back(places: Places, before: Path | None, kept: set[Path], run: Run, log: Callable[[str], None]) -> None:
    run("journalctl", "--no-pager", "-n", "20", "-u", "pushtray.service")
    if before is None or before == places.current.resolve():
        raise InstallError("the tray does not start (lines above): sudo systemctl status pushtray")
    log(f"the new release does not start: going back to {before.name}")
    switch(places, before)
    write_system_files(places, before)
    # The old release cannot read what the new one has migrated.
    for copy in places.kept_logs() - kept:
        run("systemctl", "stop", "pushtray.service")
        words = ("--settings", str(places.settings), "--data", str(places.data))
        if run(str(before / "venv/bin/pushtray"), "restore", str(copy), *words) == 0:
            log(f"the rolls are those from before the upgrade, {copy}")
    if not _start(run):
        raise InstallError(f"neither the new release nor {before.name} starts: sudo systemctl status pushtray")
    raise InstallError(f"the new release does not start (lines above); {before.name} runs again")


def _forget_old(places: Places, keep: set[Path | None]) -> None:
    others = [one for one in places.releases.iterdir() if one.is_dir() and one not in keep]
    others.sort(key=lambda one: one.stat().st_mtime, reverse=True)
    for release in others[max(0, KEPT_RELEASES - len(keep - {None})) :]:
        shutil.rmtree(release)


def uninstall(places: Places, run: Run, log: Callable[[str], None], *, purge: bool) -> None:
    """Remove everything except rolls and settings; with `purge` those too."""
    if is_booted(places.root):
        run("systemctl", "disable", "--now", *STARTED)
    else:
        run("systemctl", "disable", *STARTED)
    for target in (*places.system_files().values(), *places.outdated_files(), places.ring_rule):
        target.unlink(missing_ok=True)
    shutil.rmtree(places.home, ignore_errors=True)
    forget_kiosk(places, log)
    if is_booted(places.root):
        run("systemctl", "daemon-reload")
        run("udevadm", "control", "--reload")
    if purge:
        shutil.rmtree(places.data, ignore_errors=True)
        shutil.rmtree(places.settings.parent, ignore_errors=True)
        places.updates.unlink(missing_ok=True)
        run("userdel", "pushtray")
        log("rolls, settings and the user pushtray are gone too")
    else:
        log(f"rolls stay in {places.data}, settings in {places.settings.parent}; --purge takes those too")


def install_packages(tray: Tray, run: Run, *, kiosk: bool) -> None:
    """Install the system's own packages that the tray needs.

    Raises:
        InstallError: apt failed.
    """
    words, instead = ["python3-venv"], []
    if tray.camera.partition(":")[0] == "pi":
        words.append("python3-picamera2")
        instead.append("take a USB camera (--camera usb:0)")
    if tray.pins == "gpio":
        words.append("python3-lgpio")
        instead.append("do without buttons and lamps (--no-panel)")
    if kiosk:
        words += ["labwc", "chromium", "wlopm", "wtype", "swayidle"]
        instead.append("show the page on another screen (without --kiosk)")
    if run("apt-get", "install", "-y", "--no-install-recommends", *words) != 0:
        cure = "sudo apt-get update"
        if instead:
            cure += "; Debian's own Bookworm lacks some of these: write Raspberry Pi OS onto the card, or "
            cure += ", or ".join(instead)
        raise InstallError(f"apt-get could not install {' '.join(words)} (lines above): {cure}")


def check_session(root: Path) -> None:
    """Check that the desktop that logs in automatically is labwc, whose session starts the kiosk.

    Raises:
        InstallError: It is another one, such as the wayfire of Raspberry Pi OS before October 2024.
    """
    try:
        lines = (root / "etc/lightdm/lightdm.conf").read_text(errors="replace").splitlines()
    except OSError:
        return
    named = [line.partition("=")[2].strip() for line in lines if line.strip().startswith("autologin-session=")]
    if named and "labwc" not in named[-1]:
        cure = "sudo apt full-upgrade, then sudo raspi-config, Advanced Options, Wayland, Labwc, and restart the Pi"
        raise InstallError(f"the desktop starts {named[-1]}, and the kiosk needs labwc: {cure}")


def install_kiosk(places: Places, user: str, run: Run, log: Callable[[str], None]) -> None:
    """Make a user's labwc session show the tray, with access by a file that only the tray's group may read.

    Raises:
        InstallError: There is no such user.
    """
    try:
        entry = pwd.getpwnam(user)
    except KeyError as error:
        raise InstallError(f"there is no user {user}: name the one who logs in automatically") from error
    config = places.root / entry.pw_dir.lstrip("/") / ".config"
    folder = config / "labwc"
    folder.mkdir(parents=True, exist_ok=True)
    autostart = folder / "autostart"
    known = autostart.read_text() if autostart.exists() else ""
    autostart.write_text(with_kiosk(known))
    if not (folder / "rc.xml").exists():
        shutil.copyfile(SOURCES / "systemd/labwc/rc.xml", folder / "rc.xml")
    else:
        log(f"{folder / 'rc.xml'} stays as it is; systemd/labwc/rc.xml shows the key that hides the pointer")
    for path in (config, folder, *folder.iterdir()):
        os.chown(path, entry.pw_uid, entry.pw_gid)
    if run("usermod", "--append", "--groups", "pushtray", user) != 0:
        log(f"{user} could not be put into the group pushtray: the display then gives a PIN where others may reach it")
    # Raspberry Pi OS's own blanking reacts to touches but not to throws.
    if run("raspi-config", "nonint", "do_blanking", "1") != 0:
        log("if the desktop blanks the screen, switch that off: it sees no throws")
    log(f"the session of {user} shows the tray from its next start: sudo reboot")


def forget_kiosk(places: Places, log: Callable[[str], None]) -> None:
    """Remove the kiosk's lines from every user's labwc session."""
    for home in sorted({entry.pw_dir for entry in pwd.getpwall()}):
        autostart = places.root / home.lstrip("/") / ".config/labwc/autostart"
        try:
            known = autostart.read_text()
            if without_kiosk(known) != known:
                autostart.write_text(without_kiosk(known))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            log(f"{autostart} stays as it is ({error})")


def without_kiosk(autostart: str) -> str:
    """Return labwc's autostart without the kiosk's lines."""
    return re.sub(f"{KIOSK_BEGIN}.*?{KIOSK_END}\n", "", autostart, flags=re.DOTALL)


def with_kiosk(autostart: str) -> str:
    """Return labwc's autostart with the kiosk's lines exactly once."""
    rest = without_kiosk(autostart)
    rest = rest if not rest or rest.endswith("\n") else rest + "\n"
    return f"{rest}{KIOSK_BEGIN}\npython3 /opt/pushtray/current/src/systemd/kiosk.py &\n{KIOSK_END}\n"


def rule_systems() -> list[str]:
    """Return the id of every rule system of the sources, whose modules need more than the standard library."""
    named = (
        re.search(r'^SYSTEM\b.*\(\s*id="([^"]+)"', path.read_text(), re.MULTILINE)
        for path in sorted((SOURCES / "rules").glob("*.py"))
    )
    return [found[1] for found in named if found]


def main(arguments: Sequence[str]) -> int:
    """Run the command line. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="install.py", description="Install the tray as a service. Run it with sudo.")
    parser.add_argument("what", choices=("install", "upgrade", "ring", "updates", "uninstall", "copy"))
    parser.add_argument(
        "port",
        nargs="?",
        metavar="WHERE",
        help="ring: the adapter's port, else the one that answers as WLED; updates: a release.json; copy: a folder",
    )
    parser.add_argument("--camera", help="camera for new settings: pi (default), pi:1, usb:0 or simulated")
    parser.add_argument("--phones", action="store_true", help="new settings let phones and laptops in")
    parser.add_argument("--panel", action=argparse.BooleanOptionalAction, help="new settings have buttons and lamps")
    parser.add_argument("--rules", metavar="ID", help="rule system of new settings: push-pool (default) or another")
    parser.add_argument("--language", metavar="CODE", help="language of new settings' pages: en (default) or de")
    parser.add_argument("--kiosk", metavar="USER", help="show the tray in this user's labwc session")
    parser.add_argument("--no-apt", action="store_true", help="the system's packages are there already")
    parser.add_argument("--purge", action="store_true", help="uninstall: rolls and settings too")
    words = parser.parse_args(arguments)
    if words.camera is not None and not can_be_installed(words.camera):
        print(f"install.py: --camera is {words.camera}: choose {INSTALLED}", file=sys.stderr)  # noqa: T201
        return 2
    for option, value, known in (
        ("rules", words.rules, rule_systems()),
        ("language", words.language, languages()),
    ):
        if value not in (None, *known):
            print(f"install.py: --{option} is {value}: choose one of {', '.join(known)}", file=sys.stderr)  # noqa: T201
            return 2
    if words.what == "copy":
        copy_sources(SOURCES, Path(words.port))
        return 0
    if os.geteuid() != 0:
        print("install.py: this changes the system: run it with sudo", file=sys.stderr)  # noqa: T201
        return 2

    def log(line: str) -> None:
        print(f"install.py: {line}", flush=True)  # noqa: T201 - an installer's output

    os.umask(0o022)  # the tray's own user must be able to read what root installs
    places = Places(Path("/"))
    try:
        if words.what == "uninstall":
            uninstall(places, run_program, log, purge=words.purge)
            return 0
        if words.what == "ring":
            choose_ring(places, words.port, run_program, log)
            return 0
        if words.what == "updates":
            choose_updates(places, words.port, log)
            return 0
        tray = tray_of(
            places,
            log,
            words.camera,
            has_panel=words.panel,
            lets_phones_in=words.phones,
            system=words.rules,
            language=words.language,
        )
        if words.kiosk:
            check_session(places.root)
        if not words.no_apt:
            install_packages(tray, run_program, kiosk=words.kiosk is not None)
        install(places, tray, run_program, log)
        if words.kiosk:
            install_kiosk(places, words.kiosk, run_program, log)
    except InstallError as error:
        print(f"install.py: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
