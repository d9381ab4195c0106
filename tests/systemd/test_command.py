"""The installed command: as root it acts for the tray; a copy of the log goes where root may write."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from device.cli.caller import give_to_caller
from device.cli.main import SUBCOMMANDS
from device.storage.data_folder import LOCK_NAME, DataFolder

COMMAND = Path(__file__).parents[2] / "systemd" / "pushtray"


def printed(tmp_path: Path, user: int, *args: str, caller: str | None = None) -> str:
    """Return what the command runs, with the user and the called programs given by the test."""
    tools = tmp_path / "tools"
    tools.mkdir(exist_ok=True)
    for name, body in {
        "id": f'case "$1" in -u) echo {user};; -gn) echo pia;; *) echo pia plugdev;; esac',
        "getent": "echo pia:x:1000:1000::/home/pia:/bin/sh",
        "runuser": 'echo "runuser $*"',
        "program": 'echo "program $* config=$XDG_CONFIG_HOME data=$XDG_DATA_HOME"',
    }.items():
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)
    script = tools / "pushtray"
    script.write_text(COMMAND.read_text().replace("/opt/pushtray/current/venv/bin/pushtray", str(tools / "program")))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    environment["PATH"] = f"{tools}:{os.environ['PATH']}"
    environment.pop("SUDO_USER", None)
    if caller is not None:
        environment["SUDO_USER"] = caller
    done = subprocess.run(["sh", str(script), *args], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("command", ["backup", "labelled", "record", "report", "restore"])
def test_root_carries_the_trays_log_where_root_may_write(tmp_path: Path, command: str) -> None:
    reported = printed(tmp_path, 0, command, "/media/my stick/tray.sqlite3")
    assert reported == f"program {command} /media/my stick/tray.sqlite3 config=/etc data=/var/lib\n"


def test_root_speaks_for_the_tray_as_its_user(tmp_path: Path) -> None:
    reported = printed(tmp_path, 0, "export")
    assert reported.startswith("runuser -u pushtray ")
    assert reported.endswith("program export\n")


@pytest.mark.parametrize("command", ["read", "calibrate", "evaluate", "replay"])
def test_files_of_the_user_who_calls_sudo_are_read_and_written_as_that_user(tmp_path: Path, command: str) -> None:
    reported = printed(tmp_path, 0, command, "my photo.jpg", "--explain", "why", caller="pia")
    assert reported.startswith(
        "runuser -u pia -g pia -G pia -G plugdev -G pushtray -- env HOME=/home/pia XDG_CONFIG_HOME=/etc "
    )
    assert reported.endswith(f"program {command} my photo.jpg --explain why\n")


def test_every_subcommand_was_thought_of() -> None:
    named = set(re.findall(r"[a-z-]+", " ".join(re.findall(r"^    ([a-z |-]+)\)$", COMMAND.read_text(), re.MULTILINE))))
    assert named <= set(SUBCOMMANDS)
    assert set(SUBCOMMANDS) - named == {"run", "export", "doctor", "club", "settings"}, (
        "these write no file where the caller stands"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_makes_belongs_to_the_user_who_called_sudo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evening/frames").mkdir(parents=True)
    (tmp_path / "evening/frames/0.jpg").symlink_to("/etc/passwd")
    give_to_caller(tmp_path / "evening")
    assert (tmp_path / "evening").stat().st_uid == 0
    monkeypatch.setenv("SUDO_UID", "1000")
    monkeypatch.setenv("SUDO_GID", "1001")
    give_to_caller(tmp_path / "evening")
    owners = {
        (one.lstat().st_uid, one.lstat().st_gid) for one in (tmp_path / "evening", *tmp_path.rglob("evening/**/*"))
    }
    assert owners == {(1000, 1001)}
    assert Path("/etc/passwd").stat().st_uid == 0
    os.chown(tmp_path, 1000, 1001)
    DataFolder(tmp_path).close()
    assert (tmp_path / LOCK_NAME).stat().st_uid == 1000, "or the tray's user could not hold its own folder"


def test_anybody_else_has_the_plain_program(tmp_path: Path) -> None:
    assert printed(tmp_path, 1000, "backup", "x") == "program backup x config= data=\n"
