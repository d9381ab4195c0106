"""A tray with a real camera does not need MuJoCo; a simulated one without it reports in one line how to add it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from device.simulation.mujoco_extra import LOCK

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def without_mujoco(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a process without MuJoCo, with Python's own error."""
    (tmp_path / "mujoco.py").write_text("raise ModuleNotFoundError(\"No module named 'mujoco'\")\n")
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    return os.environ | home | {"PYTHONPATH": f"{tmp_path}:{ROOT}"}


def run_pushtray(*words: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "device", *words], env=environment, capture_output=True, text=True, check=False
    )


def test_simulation_without_mujoco_is_one_line_with_the_command_that_adds_it(
    without_mujoco: dict[str, str], tmp_path: Path
) -> None:
    words = ("record", "--camera", "simulated", "--pool", "base=5", "--seconds", "1", str(tmp_path / "evening"))
    done = run_pushtray(*words, environment=without_mujoco)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.strip().endswith(f": run {sys.executable} -m pip install --no-deps --require-hashes -r {LOCK}")
    assert not (tmp_path / "evening").exists()


def test_doctor_names_the_cure(without_mujoco: dict[str, str], tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    # Port 9 (discard): no tray runs there, whatever runs on this machine.
    settings.write_text("[web]\nport = 9\n")
    done = run_pushtray("doctor", "--camera", "simulated", "--settings", str(settings), environment=without_mujoco)
    (line,) = [line for line in done.stdout.splitlines() if line.split()[1:2] == ["camera"]]
    assert line.startswith("FAIL")
    assert line.endswith(f" -> run {sys.executable} -m pip install --no-deps --require-hashes -r {LOCK}")
    assert done.returncode == 1
