"""The three top-level import names belong to this project only, and the wheel has everything the program needs."""

import importlib.util
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from tests.git_checkout import needs_git_checkout

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("device", "rules", "vision")


@pytest.mark.parametrize("name", NAMES)
def test_import_name_resolves_to_this_project(name: str) -> None:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).resolve() == ROOT / name / "__init__.py"


@pytest.mark.parametrize("name", NAMES)
def test_import_name_has_no_second_owner(name: str) -> None:
    # A package called `rules` exists on the public index; installing it would silently overwrite ours.
    owners = {
        distribution.metadata["Name"]
        for distribution in metadata.distributions()
        for file in distribution.files or ()
        if file.parts[0] == name
    }
    assert owners <= {"pushtray"}


@needs_git_checkout
def test_wheel_carries_every_file_of_the_packages_but_training(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    tracked = subprocess.run(["git", "ls-files", *NAMES], cwd=ROOT, check=True, capture_output=True, text=True)
    training = {name for name in packed if name.startswith("vision/training/")}
    assert {name for name in tracked.stdout.split() if not name.startswith("vision/training/")} <= packed
    assert not training, "only developers teach nets"


def pins(lock: str) -> set[tuple[str, str]]:
    """Return each package of a lock file with its version and condition."""
    text = (ROOT / lock).read_text()
    pinned = re.findall(r"^\S+==.* \\\n    --hash=sha256:", text, re.MULTILINE)
    assert len(pinned) == len(re.findall(r"^\S", text, re.MULTILINE)), "a package without pin or hash"
    return set(re.findall(r"^([a-z0-9-]+)==(.*) \\$", text, re.MULTILINE))


def test_lock_files_hold_what_the_project_asks_for_and_agree_with_each_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    run, simulation, everything = (
        pins("requirements.lock"),
        pins("device/simulation.lock"),
        pins("tests/requirements.lock"),
    )
    wanted = {re.split(r"[<>=; ]", one)[0] for one in project["dependencies"]}
    extras = project["optional-dependencies"]
    assert wanted <= {name for name, _ in run}
    assert {re.split(r"[<>=; ]", one)[0] for one in extras["simulation"]} <= {name for name, _ in simulation}
    assert {re.split(r"[<>=; ]", one)[0] for one in extras["dev"]} <= {name for name, _ in everything}
    assert run | simulation <= everything
    assert not {name for name, _ in run} & {name for name, _ in simulation}, "the service carries no MuJoCo"


def test_a_package_holds_what_the_lock_pins_for_the_python_it_is_for() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    kept = runpy.run_path(str(ROOT / ".ci/release"))["pins"](lock, "aarch64")
    (numpy,) = re.findall(r"^numpy==\S+", kept, re.MULTILINE)
    assert f"{numpy} ; python_full_version >= '3.12'" in lock
    assert {line.split("==")[0] for line in kept.splitlines() if line[0].isalpha()} >= {"fastapi", "simplejpeg"}
    assert kept.count("--hash=") > kept.count("==")


def test_bookworms_lock_file_differs_by_what_its_picamera2_was_built_against_and_by_nothing_else() -> None:
    run, bookworm = pins("requirements.lock"), pins("systemd/bookworm.lock")
    wanted = dict(line.split("==") for line in (ROOT / "systemd/bookworm.in").read_text().splitlines() if "==" in line)
    assert bookworm - run == set(wanted.items())
    assert {name for name, _ in run - bookworm} == set(wanted)
    assert wanted["numpy"].startswith("1.")
