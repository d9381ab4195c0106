"""What systemd's own journal stores of a tray's messages: a separate journal in a mount namespace."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

JOURNALD = "/lib/systemd/systemd-journald"
TOOLS = {JOURNALD: "systemd", "systemd-cat": "systemd", "journalctl": "systemd", "nsenter": "util-linux"}
SPACES = ["--mount"] if os.geteuid() == 0 else ["--user", "--mount", "--preserve-credentials"]
UNSHARE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]

START = f"""
mount -t tmpfs tmpfs /run && mkdir -p /run/log/journal /run/systemd/journald.conf.d &&
printf '[Journal]\\nStorage=volatile\\nAudit=no\\nReadKMsg=no\\nForwardToWall=no\\n' \\
  > /run/systemd/journald.conf.d/test.conf &&
exec {JOURNALD}
"""

SERVICE = 'JOURNAL_STREAM=$(stat --dereference --format=%d:%i /proc/self/fd/2) exec "$@"'
"""What systemd does before it starts a service; the systemd-cat of version 252 does not."""

MESSAGES = """
import logging
from device.cli.logs import logging_to_stderr, set_level
log = logging.getLogger("device.app")
with logging_to_stderr():
    set_level("debug")
    log.debug("opened")
    log.info("PushTray is at http://127.0.0.1:8000/")
    log.warning("hot: let it cool")
    try:
        int("no number")
    except ValueError:
        log.exception("FAIL camera: plug it in")
"""

Stored = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def stored() -> Iterator[Stored]:
    """Run a command as a service and return priority and text of what the journal then has of it."""
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    reason = f"apt install {' '.join(sorted(set(missing)))}" if missing else ""
    if not reason and subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode:
        reason = "no mount namespaces here: run it as root, in a container with --privileged"
    if reason:
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notes:
        notes.bind("")
        notes.settimeout(30)
        environment = os.environ | {"NOTIFY_SOCKET": f"@{notes.getsockname()[1:].decode()}"}
        with subprocess.Popen([*UNSHARE, "sh", "-c", START], env=environment, stderr=subprocess.DEVNULL) as journald:
            try:
                while b"READY=1" not in notes.recv(4096):
                    pass

                def inside(*command: str) -> subprocess.CompletedProcess[str]:
                    return subprocess.run(
                        ["nsenter", f"--target={journald.pid}", *SPACES, f"--wd={Path.cwd()}", *command],
                        capture_output=True,
                        text=True,
                        check=False,
                        timeout=60,
                    )

                def ask(*command: str) -> list[tuple[str, str]]:
                    inside("systemd-cat", "--identifier=pushtray", "sh", "-c", SERVICE, "sh", *command)
                    assert inside("journalctl", "--sync").returncode == 0
                    output = inside("journalctl", "--directory=/run/log/journal", "-o", "json", "-t", "pushtray")
                    lines = [json.loads(line) for line in output.stdout.splitlines()]
                    return [(line["PRIORITY"], line["MESSAGE"]) for line in lines]

                yield ask
            finally:
                journald.terminate()


def test_the_journal_stores_each_lines_level(stored: Stored) -> None:
    lines = stored(sys.executable, "-c", MESSAGES)
    assert lines[:5] == [
        ("7", "device.app: opened"),
        ("6", "PushTray is at http://127.0.0.1:8000/"),
        ("4", "pushtray: hot: let it cool"),
        ("3", "pushtray: FAIL camera: plug it in"),
        ("3", "Traceback (most recent call last):"),
    ]
    assert lines[-1] == ("3", "ValueError: invalid literal for int() with base 10: 'no number'")


def test_the_line_that_ends_the_service_is_an_error(stored: Stored) -> None:
    ((priority, text),) = stored(sys.executable, "-m", "device", "run", "--camera", "webcam")
    assert priority == "3"
    assert text.startswith("pushtray: no camera is called 'webcam'")
