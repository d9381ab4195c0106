"""The three bare import names are ours alone, and the wheel carries everything the program needs."""

import importlib.util
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

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
    # A package called `rules` exists on the public index; installing it would overwrite ours in silence.
    owners = {
        distribution.metadata["Name"]
        for distribution in metadata.distributions()
        for file in distribution.files or ()
        if file.parts[0] == name
    }
    assert owners <= {"pushtray"}


def test_wheel_carries_every_file_of_the_packages(tmp_path: Path) -> None:
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
    assert set(tracked.stdout.split()) <= packed
