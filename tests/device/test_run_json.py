"""`pushtray run --json`: a program that follows the tray line by line, and one that stops reading."""

import json
import signal
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from running_tray import running


@pytest.mark.timeout(180)
def test_a_roll_is_followed_line_by_line(tmp_path):
    started = datetime.now(UTC) - timedelta(milliseconds=1)  # a line's time is rounded down
    with running(tmp_path, "--json", stdout=subprocess.PIPE) as tray:
        lines = [json.loads(tray.process.stdout.readline())]
        tray.ask("throw", {"base": 3, "skill": 1, "seed": 7})
        while lines[-1]["state"] != "scored":
            lines.append(json.loads(tray.process.stdout.readline()))
        shown = tray.ask("state")
        tray.process.send_signal(signal.SIGTERM)
        rest = tray.process.stdout.read()
        assert tray.process.wait(timeout=10) == 0
        assert tray.process.stderr.read() == ""
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
def test_the_tray_ends_well_with_who_reads_its_lines(tmp_path):
    with running(tmp_path, "--json", stdout=subprocess.PIPE) as tray:
        head = subprocess.run(
            ["head", "-n", "1"], stdin=tray.process.stdout, capture_output=True, text=True, check=True, timeout=60
        )
        tray.process.stdout.close()
        assert tray.process.wait(timeout=10) == 0
        assert tray.process.stderr.read() == ""
    assert [json.loads(line)["state"] for line in head.stdout.splitlines()] == ["empty"]
