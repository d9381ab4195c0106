"""Go from a fresh clone to a running tray in one command, with only Python and git on the machine.

Run as a file, by any Python from 3.11 on: `python3 device/bootstrap.py run --camera simulated`. It makes `.venv` next
to the sources, installs the pinned packages, and runs `pushtray` (or pytest). A later start with the same lock files
skips all that. It imports only the standard library and nothing of this project.
"""

import sys

if __name__ == "__main__":
    # Python puts the folder of a script first in sys.path: our modules would hide those of the standard library.
    sys.path = [entry for entry in sys.path if entry and not entry.endswith("device")]

import hashlib
import importlib.util
import os
import subprocess
import venv
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
OLDEST, NEWEST = (3, 11), (3, 13)

USAGE = """usage: python3 device/bootstrap.py COMMAND [ARGUMENT ...]

  run [...]       prepare, then `pushtray run` with these arguments
  test [...]      prepare with test tools, then pytest with these arguments, on all cores; -n0 for one process
  prepare [--dev] only prepare .venv; --dev with test tools
  ANY [...]       prepare, then `pushtray ANY` with these arguments"""


def stop(line: str) -> NoReturn:
    print(f"pushtray: {line}", file=sys.stderr)  # noqa: T201 - the only output before anything is installed
    raise SystemExit(2)


def on_all_cores() -> tuple[str, ...]:
    """Return the command that starts pytest; later arguments override these.

    One process per core and two more, since many tests wait for a browser or a program, but no more than fit in the
    memory.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ("-n", str(cores + 2), "--maxprocesses", "8", "--dist", "worksteal")


def lock_files(*, dev: bool = False, system: bool = False, simulation: bool = True) -> tuple[str, ...]:
    """Return the lock files that an environment needs, relative to the sources' folder.

    Args:
        dev: With test tools, whose lock file contains everything; such an environment never uses the system's packages.
        system: Whether the environment uses the system's packages, for picamera2. On Bookworm (Python 3.11) picamera2
            was built against numpy 1 and breaks with numpy 2, so there the environment gets the newest packages that
            support numpy 1.
    """
    if dev:
        return ("tests/requirements.lock",)
    base = "systemd/bookworm.lock" if system and sys.version_info[:2] == (3, 11) else "requirements.lock"
    return (base, "device/simulation.lock") if simulation else (base,)


def needs_system_packages(arguments: Sequence[str]) -> bool:
    """Return whether the program needs picamera2, which comes with the system: no package index has it for a Pi.

    Args:
        arguments: The program's arguments. A Pi camera may also be named in the settings, so without a camera here the
            answer is whether this machine has picamera2.
    """
    named = [word.removeprefix("--camera=") for word in arguments if word.startswith("--camera=")]
    named += [camera for word, camera in pairwise(arguments) if word == "--camera"]
    is_pi = any(camera.partition(":")[0] == "pi" for camera in named)
    return is_pi or importlib.util.find_spec("picamera2") is not None


def stamp_of(*, dev: bool, system: bool) -> str:
    """Return a fingerprint of everything that decides what is installed: interpreter, path, project file and pins."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {ROOT} {system}".encode())
    for name in ("pyproject.toml", *lock_files(dev=dev, system=system)):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def stamp_path(*, dev: bool, system: bool) -> Path:
    return VENV / f"pushtray-{'dev' if dev else 'system' if system else 'run'}.stamp"


def is_prepared(*, dev: bool, system: bool) -> bool:
    """Return whether `.venv` is up to date; one with test tools or the system's packages is fine for running too."""
    if not venv_python().exists():
        return False
    kinds = [(dev, system)] if dev or system else [(False, False), (True, False), (False, True)]
    return any(
        path.exists() and path.read_text() == stamp_of(dev=dev_kind, system=system_kind)
        for dev_kind, system_kind in kinds
        for path in [stamp_path(dev=dev_kind, system=system_kind)]
    )


def venv_python() -> Path:
    return VENV / "bin" / "python"


def install(*arguments: str) -> None:
    """Run pip inside the environment, with its progress on standard error."""
    command = [str(venv_python()), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *arguments]
    done = subprocess.run(command, stdout=sys.stderr, check=False, cwd=ROOT)  # noqa: S603 - fixed words, no shell
    if done.returncode != 0:
        stop("installing failed (lines above): check the network and the disk, then run the same command again")


def prepare(*, dev: bool, system: bool = False) -> None:
    """Make `.venv` and install the pinned packages and this project, unless that is already done."""
    if is_prepared(dev=dev, system=system):
        return
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        have = ".".join(map(str, sys.version_info[:2]))
        stop(f"this is Python {have}, PushTray needs 3.11 to 3.13: run the same line with python3.11, 3.12 or 3.13")
    tools = "PushTray with its test tools" if dev else "PushTray"
    print(f"pushtray: installing {tools} into .venv (once, a minute or two) ...", file=sys.stderr)  # noqa: T201
    for stamp in VENV.glob("*.stamp"):
        stamp.unlink()
    try:
        venv.EnvBuilder(with_pip=True, clear=not venv_python().exists(), system_site_packages=system).create(VENV)
    except (subprocess.CalledProcessError, OSError) as error:
        stop(f"no virtual environment could be made in {VENV} ({error}): on Debian, sudo apt install python3-venv")
    locks = [word for name in lock_files(dev=dev, system=system) for word in ("-r", str(ROOT / name))]
    # The locks contain everything. Without --no-deps, pip fails on a dependency on an extra of a pinned package once
    # that package has a newer release (coverage[toml] of pytest-cov, with coverage==7.17.4).
    install("--no-deps", "--require-hashes", *locks)
    install("--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    stamp_path(dev=dev, system=system).write_text(stamp_of(dev=dev, system=system))


def main(arguments: list[str]) -> NoReturn:
    if not arguments or arguments[0] in {"-h", "--help"}:
        print(USAGE)  # noqa: T201
        raise SystemExit(0 if arguments else 2)
    command, *rest = arguments
    if command == "prepare":
        if rest not in ([], ["--dev"]):
            stop(f"prepare does not know {' '.join(rest)}: use prepare or prepare --dev")
        prepare(dev=bool(rest), system=not rest and needs_system_packages(rest))
        raise SystemExit(0)
    prepare(dev=command == "test", system=command != "test" and needs_system_packages(rest))
    python = str(venv_python())
    if command == "test":
        os.chdir(ROOT)
        os.execv(python, [python, "-m", "pytest", *on_all_cores(), *rest])  # noqa: S606 - fixed program, no shell
    os.execv(python, [python, "-m", "device", command, *rest])  # noqa: S606


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        stop("stopped before it was ready: run the same command again, it goes on where it was")
