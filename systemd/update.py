"""Look for a newer release and install it, as root, for the tray's page of settings (`pushtray-update.service`).

The tray leaves its wish in /run/pushtray/update: "look", or "install" and a version. Where the newest release is
described stands in a file that only root writes (`install.py updates`), so that a tray that was broken into cannot
choose what root installs. Only the standard library.
"""

import hashlib
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

FORMAT = "pushtray-release/1"
MAX_DESCRIPTION, MAX_PACKAGE = 200_000, 400_000_000
"""Bytes."""
_UNREADABLE = (OSError, ValueError, http.client.HTTPException)
_VERSION = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4}){2}")

Run = Callable[..., tuple[int, str]]


class UpdateError(Exception):
    """The update ended here: a code for the page, which has a text for each, and what it says in detail."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.code, self.detail = code, detail[:500]


@dataclass(frozen=True, slots=True)
class Places:
    """Paths, below a root that is `/` except in tests."""

    root: Path

    @property
    def wish(self) -> Path:
        """What the tray wishes."""
        return self.root / "run/pushtray/update"

    @property
    def state(self) -> Path:
        """What the page shows; a folder of root's own."""
        return self.root / "run/pushtray-update/state.json"

    @property
    def source(self) -> Path:
        """The address or path of the newest release's description."""
        return self.root / "etc/pushtray-updates"

    @property
    def current(self) -> Path:
        """The release that runs."""
        return self.root / "opt/pushtray/current"

    @property
    def backups(self) -> Path:
        """Rolls from before each update."""
        return self.root / "var/backups/pushtray"


@dataclass(frozen=True, slots=True)
class Release:
    """A release as described, for this machine."""

    version: str
    changes: dict[str, list[str]]
    package: str  # address or path
    sha256: str


@dataclass(frozen=True, slots=True)
class State:
    """What happens; `state` is looking, newest, found, installing, installed or failed."""

    state: str
    version: str = ""
    changes: dict[str, list[str]] | None = None
    code: str = ""
    detail: str = ""


def run_program(*words: str) -> tuple[int, str]:
    """Run a program. Returns its exit status and its last line, the installer's if it printed one."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)  # noqa: S603 - fixed words, no shell
    output = done.stdout + done.stderr
    sys.stdout.write(output)
    lines = [line for line in output.splitlines() if line.strip()] or [""]
    return done.returncode, ([line for line in lines if line.startswith("install.py: ")] or lines)[-1]


def update(places: Places, run: Run = run_program) -> State:
    """Do what the tray wishes, telling each step; return the last one."""
    try:
        with os.fdopen(os.open(places.wish, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)) as file:
            what, _, version = file.read(100).strip().partition(" ")
    except (OSError, ValueError):
        what, version = "", ""
    places.wish.unlink(missing_ok=True)
    try:
        state = _install(places, version, run) if what == "install" else _look(places, run)
    except UpdateError as error:
        state = State("failed", version, code=error.code, detail=error.detail)
    except Exception as error:  # noqa: BLE001 - the page must not wait for ever, as on a full disk
        state = State("failed", version, code="not_installed", detail=f"{type(error).__name__}: {error}")
    tell(places, state)
    return state


def tell(places: Places, state: State) -> None:
    """Write what happens where the tray can read it."""
    places.state.parent.mkdir(parents=True, exist_ok=True)
    draft = places.state.with_suffix(".new")
    draft.write_text(json.dumps(asdict(state)))
    draft.chmod(0o644)
    draft.replace(places.state)


def _look(places: Places, run: Run) -> State:
    tell(places, State("looking"))
    release = described(places, run)
    if not _is_newer(release.version, installed_version(places)):
        return State("newest", release.version)
    return State("found", release.version, release.changes)


def _install(places: Places, version: str, run: Run) -> State:
    tell(places, State("installing", version))
    release = described(places, run)
    before = installed_version(places)
    if release.version != version or not _is_newer(version, before):
        raise UpdateError("changed", release.version)
    with tempfile.TemporaryDirectory(dir=places.root / "var/tmp") as folder:
        package = Path(folder) / "pushtray.deb"
        fetch_package(release, package)
        places.backups.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = places.backups / f"before-{version}.sqlite3"
        kept.unlink(missing_ok=True)
        status, line = run(str(places.root / "usr/local/bin/pushtray"), "backup", str(kept))
        if status != 0:
            raise UpdateError("no_backup", line)
        # install.py tries the release, starts it, and goes back if it does not become ready.
        if run("dpkg-query", "--show", "pushtray")[0] == 0:
            status, line = run("apt-get", "install", "--yes", "--no-install-recommends", str(package))
        else:
            status, line = run("dpkg-deb", "--extract", str(package), folder)
            if status == 0:
                status, line = run("python3", f"{folder}/usr/lib/pushtray/systemd/install.py", "upgrade", "--no-apt")
    if status != 0 or installed_version(places) != version:
        raise UpdateError("went_back" if installed_version(places) == before else "not_installed", line)
    return State("installed", version)


def installed_version(places: Places) -> str:
    """Return the version that runs.

    Raises:
        UpdateError: None does.
    """
    try:
        project = tomllib.loads((places.current / "src/pyproject.toml").read_text())
        return str(project["project"]["version"])
    except (OSError, ValueError, KeyError) as error:
        raise UpdateError("not_installed", str(error)) from error


def _is_newer(version: str, than: str) -> bool:
    return [int(part) for part in version.split(".")] > [int(part) for part in than.split(".")]


def described(places: Places, run: Run) -> Release:
    """Return the newest release.

    Raises:
        UpdateError: It cannot be read, or it is not described as agreed.
    """
    try:
        source = places.source.read_text().strip()
    except OSError as error:
        raise UpdateError("not_set", str(error)) from error
    with _Source(source) as file:
        text = file.read(MAX_DESCRIPTION)
    try:
        return _release_of(json.loads(text), source, run("dpkg", "--print-architecture")[1])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UpdateError("no_release", f"{source}: {error}") from error


def _release_of(body: Any, source: str, machine: str) -> Release:
    if body["format"] != FORMAT:
        raise ValueError("it has another format")
    version = str(body["version"])
    if not _VERSION.fullmatch(version):
        raise ValueError("its version is none")
    package = body["packages"].get(machine)
    if package is None:
        raise ValueError(f"it has no package for {machine}")
    name, sha256 = str(package["file"]), str(package["sha256"])
    # A name and no path: the package is next to its description.
    if name != f"pushtray_{version}_{machine}.deb" or not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise ValueError("its package or checksum is none")
    changes = {str(kind): [str(line) for line in lines] for kind, lines in body["changes"].items()}
    location = urllib.parse.urljoin(source, name) if "://" in source else str(Path(source).with_name(name))
    return Release(version, changes, location, sha256)


def fetch_package(release: Release, target: Path) -> None:
    """Copy a release's package.

    Raises:
        UpdateError: It cannot be read, or it is not the one that was described.
    """
    digest, size = hashlib.sha256(), 0
    with _Source(release.package) as file, target.open("wb") as copy:
        while block := file.read(1 << 20):
            size += len(block)
            if size > MAX_PACKAGE:
                break
            digest.update(block)
            copy.write(block)
    if digest.hexdigest() != release.sha256:
        raise UpdateError("other_package", release.package)


class _NoDetour(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any) -> urllib.request.Request | None:
        """Follow a redirect to https only."""
        request = super().redirect_request(*args)
        return request if request is not None and request.full_url.startswith("https://") else None


class _Source:
    """A file or answer whose every failure is an `UpdateError`."""

    def __init__(self, address: str) -> None:
        self._address = address
        try:
            if address.startswith("https://"):
                self._file: IO[bytes] = urllib.request.build_opener(_NoDetour).open(address, timeout=30)
            elif address.startswith("/"):
                self._file = Path(address).open("rb")  # noqa: SIM115 - closed by `__exit__`
            else:
                raise UpdateError("not_set", f"{address} is neither https:// nor a path")
        except _UNREADABLE as error:
            raise UpdateError("unreachable", f"{address}: {error}") from error

    def __enter__(self) -> "_Source":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, count: int) -> bytes:
        try:
            return self._file.read(count)
        except _UNREADABLE as error:
            raise UpdateError("unreachable", f"{self._address}: {error}") from error


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(update(Places(Path("/"))).state == "failed")
