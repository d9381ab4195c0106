"""The installed command: as root it speaks for the tray; a copy of the log goes where root may write."""

import os
import subprocess
from pathlib import Path

import pytest

COMMAND = Path(__file__).parents[2] / "systemd" / "pushtray"


def said(tmp_path: Path, user: int, *args: str) -> str:
    """What the command runs, with who asks and the programs that it calls told by the test."""
    tools = tmp_path / "tools"
    tools.mkdir(exist_ok=True)
    for name, body in {
        "id": f"echo {user}",
        "runuser": 'echo "runuser $*"',
        "program": 'echo "program $* config=$XDG_CONFIG_HOME data=$XDG_DATA_HOME"',
    }.items():
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)
    script = tools / "pushtray"
    script.write_text(COMMAND.read_text().replace("/opt/pushtray/current/venv/bin/pushtray", str(tools / "program")))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    environment["PATH"] = f"{tools}:{os.environ['PATH']}"
    done = subprocess.run(["sh", str(script), *args], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_root_carries_the_trays_log_where_root_may_write(tmp_path: Path, command: str) -> None:
    reported = said(tmp_path, 0, command, "/media/my stick/tray.sqlite3")
    assert reported == f"program {command} /media/my stick/tray.sqlite3 config=/etc data=/var/lib\n"


def test_root_speaks_for_the_tray_as_its_user(tmp_path: Path) -> None:
    reported = said(tmp_path, 0, "export")
    assert reported.startswith("runuser -u pushtray ")
    assert reported.endswith("program export\n")


def test_anybody_else_has_the_plain_program(tmp_path: Path) -> None:
    assert said(tmp_path, 1000, "backup", "x") == "program backup x config= data=\n"
