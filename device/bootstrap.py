"""From a fresh clone to a running tray in one command, with nothing but Python and git on the machine.

Run as a file, by any Python from 3.11 on: `python3 device/bootstrap.py run --camera simulated`. It makes `.venv` beside
the sources, installs what the lock files pin, and hands over to `pushtray` (or to pytest). A second start finds the
stamp of the same lock files and starts at once. It imports the standard library alone and nothing of this project.
"""

import sys

if __name__ == "__main__":
    # Run as a file, Python puts this folder first: our modules would stand before the standard library's.
    sys.path = [entry for entry in sys.path if entry and not entry.endswith("device")]

import hashlib
import os
import subprocess
import venv
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
OLDEST, NEWEST = (3, 11), (3, 13)

USAGE = """usage: python3 device/bootstrap.py COMMAND [ARGUMENT ...]

  run [...]       prepare, then `pushtray run` with these arguments
  test [...]      prepare with test tools, then pytest with these arguments
  prepare [--dev] only prepare .venv; --dev with test tools
  ANY [...]       prepare, then `pushtray ANY` with these arguments"""


def stop(line: str) -> NoReturn:
    """End with one line on standard error and exit status 2."""
    print(f"pushtray: {line}", file=sys.stderr)  # noqa: T201 - the command's only voice before anything is installed
    raise SystemExit(2)


def lock_files(*, dev: bool) -> tuple[Path, ...]:
    """Return the lock files that an environment needs; test tools have their own, which holds the other's pins too."""
    return (ROOT / "tests" / "requirements.lock",) if dev else (ROOT / "requirements.lock",)


def stamp_of(*, dev: bool) -> str:
    """Return a fingerprint of all that decides what is installed: interpreter, place, project file and pins."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {ROOT}".encode())
    for path in (ROOT / "pyproject.toml", *lock_files(dev=dev)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_prepared(*, dev: bool) -> bool:
    """Tell whether `.venv` already holds exactly this; an environment with test tools serves for running too."""
    if not venv_python().exists():
        return False
    stamps = [VENV / "pushtray-dev.stamp"] if dev else [VENV / "pushtray-run.stamp", VENV / "pushtray-dev.stamp"]
    return any(path.exists() and path.read_text() == stamp_of(dev="dev" in path.name) for path in stamps)


def venv_python() -> Path:
    """Return the environment's interpreter."""
    return VENV / "bin" / "python"


def install(*arguments: str) -> None:
    """Run pip inside the environment, its progress on standard error.

    Raises:
        SystemExit: pip failed; its own lines above say why, ours says the cure.
    """
    command = [str(venv_python()), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *arguments]
    done = subprocess.run(command, stdout=sys.stderr, check=False, cwd=ROOT)  # noqa: S603 - fixed words, no shell
    if done.returncode != 0:
        stop("installing failed (lines above): check the network and the disk, then run the same command again")


def prepare(*, dev: bool) -> None:
    """Make `.venv` and install the pinned packages and this project, unless that is already done."""
    if is_prepared(dev=dev):
        return
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        have = ".".join(map(str, sys.version_info[:2]))
        stop(f"this is Python {have}, PushTray needs 3.11 to 3.13: run the same line with python3.11, 3.12 or 3.13")
    tools = "PushTray with its test tools" if dev else "PushTray"
    print(f"pushtray: installing {tools} into .venv (once, a minute or two) ...", file=sys.stderr)  # noqa: T201
    try:
        venv.EnvBuilder(with_pip=True, clear=not venv_python().exists()).create(VENV)
    except (subprocess.CalledProcessError, OSError) as error:
        stop(f"no virtual environment could be made in {VENV} ({error}): on Debian, sudo apt install python3-venv")
    locks = [word for path in lock_files(dev=dev) for word in ("-r", str(path))]
    install("--require-hashes", *locks)
    install("--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    (VENV / f"pushtray-{'dev' if dev else 'run'}.stamp").write_text(stamp_of(dev=dev))


def main(arguments: list[str]) -> NoReturn:
    """Prepare, then become the program asked for."""
    if not arguments or arguments[0] in {"-h", "--help"}:
        print(USAGE)  # noqa: T201
        raise SystemExit(0 if arguments else 2)
    command, *rest = arguments
    if command == "prepare":
        if rest not in ([], ["--dev"]):
            stop(f"prepare does not know {' '.join(rest)}: use prepare or prepare --dev")
        prepare(dev=bool(rest))
        raise SystemExit(0)
    prepare(dev=command == "test")
    python = str(venv_python())
    if command == "test":
        os.chdir(ROOT)
        os.execv(python, [python, "-m", "pytest", *rest])  # noqa: S606 - fixed program, no shell
    os.execv(python, [python, "-m", "device", command, *rest])  # noqa: S606


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        stop("stopped before it was ready: run the same command again, it goes on where it was")
