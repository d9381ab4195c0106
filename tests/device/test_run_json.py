"""`pushtray run --json`: a program that follows the tray line by line, and one that stops reading."""

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from device.errors import BadInput
from device.storage.data_folder import DataFolder
from tests.device.running_tray import running
from tests.narrowing import there

RECIPES = Path(__file__).parents[2] / "device" / "RECIPES.md"


@pytest.mark.timeout(180)
def test_a_roll_is_followed_line_by_line(tmp_path: Path) -> None:
    started = datetime.now(UTC) - timedelta(milliseconds=1)  # a line's time is rounded down
    with running(tmp_path, "--json", stdout=subprocess.PIPE) as tray:
        lines = [json.loads(there(tray.process.stdout).readline())]
        tray.ask("throw", {"base": 3, "skill": 1, "seed": 7})
        while lines[-1]["state"] != "scored":
            lines.append(json.loads(there(tray.process.stdout).readline()))
        shown = tray.ask("state")
        tray.process.send_signal(signal.SIGTERM)
        rest = there(tray.process.stdout).read()
        assert tray.process.wait(timeout=30) == 0
        assert there(tray.process.stderr).read() == ""
    assert [line["state"] for line in lines] == ["empty", "rolling", "scored"]
    assert rest == ""
    assert lines[-1].keys() == {"time", "state", "dice", "outcome", "push", "problems", "problem_details"}
    assert {key: lines[-1][key] for key in ("outcome", "push")} == {key: shown[key] for key in ("outcome", "push")}
    assert [(die["id"], die["value"]) for die in lines[-1]["dice"]] == [
        (die["id"], die["value"]) for die in shown["dice"]
    ]
    times = [datetime.fromisoformat(line["time"]) for line in lines]
    assert started <= times[0] < times[1] < times[2] <= datetime.now(UTC)
    assert {time.utcoffset() for time in times} == {timedelta()}


@pytest.mark.timeout(180)
def test_the_tray_ends_well_with_who_reads_its_lines(tmp_path: Path) -> None:
    with running(tmp_path, "--json", stdout=subprocess.PIPE) as tray:
        head = subprocess.run(
            ["head", "-n", "1"], stdin=tray.process.stdout, capture_output=True, text=True, check=True, timeout=60
        )
        there(tray.process.stdout).close()
        assert tray.process.wait(timeout=30) == 0
        assert there(tray.process.stderr).read() == ""
    assert [json.loads(line)["state"] for line in head.stdout.splitlines()] == ["empty"]


@pytest.mark.timeout(180)
def test_who_never_reads_holds_up_neither_rolls_nor_the_end(tmp_path: Path) -> None:
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)  # the minimum: one roll is more
    try:
        with running(tmp_path, "--json", stdout=write) as tray:
            for seed in (7, 8):
                tray.ask("throw", {"base": 5, "skill": 2, "seed": seed})
                tray.wait_for(lambda state: state["state"] == "scored")
                assert tray.ask("reset", {})["state"] == "empty"
            tray.process.send_signal(signal.SIGTERM)
            assert tray.process.wait(timeout=30) == 0
            reported = there(tray.process.stderr).read()
        assert re.fullmatch(r"pushtray: \d lines of --json were dropped: their reader is too slow\n", reported)
    finally:
        os.close(read)
        os.close(write)


@pytest.mark.timeout(180)
def test_the_recipes_program_follows_the_tray_and_the_tray_ends_with_it(tmp_path: Path) -> None:
    scripts = re.findall(r"```python\n(.*?)```", RECIPES.read_text(encoding="utf-8"), re.DOTALL)
    (script,) = (one for one in scripts if "--json" in one)
    installed, own = (
        '".venv/bin/pushtray", "run"',
        [sys.executable, "-m", "device", "run", "--port", "0", "--data", "own"],
    )
    assert installed in script
    command = [sys.executable, "-c", script.replace(installed, str(own)[1:-1])]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment
    ) as follows:
        try:
            assert there(follows.stdout).readline().split()[1:] == ["empty"]
            with pytest.raises(BadInput, match="another pushtray"):
                DataFolder(tmp_path / "own")
        finally:
            follows.kill()
        reported = there(follows.stderr).read()  # the tray has it open as well: it ends with the tray
    assert "Traceback" not in reported
    DataFolder(tmp_path / "own").close()
