"""Messages: which are printed, their form at a terminal and in the journal, and that a bad one stops nothing."""

import io
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import numpy as np
import pytest

from device import console
from device.cli.logs import StderrHandler, logging_to_stderr, set_level
from device.recording.writer import RecordingWriter

LEVELS = ("debug", "info", "warning", "error")
OURS = logging.getLogger("device.ring.wled")
THEIRS = logging.getLogger("uvicorn.error")


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # A server that runs for other tests limits its own library's logging.
    monkeypatch.setattr(THEIRS, "filters", [])
    with logging_to_stderr():
        yield


@pytest.fixture
def journal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[str]]]:
    """Return the lines of some steps, with standard error as a service has it: a socket named by `JOURNAL_STREAM`."""
    ours, journals = socket.socketpair()
    with ours, journals, ours.makefile("w", encoding="utf-8") as stream:
        status = os.fstat(ours.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        journals.settimeout(30)

        def lines_of(*steps: Callable[[], object]) -> list[str]:
            with monkeypatch.context() as patched:
                patched.setattr(sys, "stderr", stream)
                for step in steps:
                    step()
            return journals.recv(100_000).decode().splitlines()

        yield lines_of


def log_all() -> None:
    for logger in (OURS, THEIRS):
        for level in LEVELS:
            getattr(logger, level)("%s: its cure", level)


@pytest.mark.parametrize(
    ("level", "lines"),
    [
        (
            "debug",
            [
                "device.ring.wled: debug: its cure",
                "info: its cure",
                "pushtray: warning: its cure",
                "pushtray: error: its cure",
                "uvicorn.error: info: its cure",
                "uvicorn.error: warning: its cure",
                "uvicorn.error: error: its cure",
            ],
        ),
        (
            "info",
            [
                "info: its cure",
                "pushtray: warning: its cure",
                "pushtray: error: its cure",
                "uvicorn.error: warning: its cure",
                "uvicorn.error: error: its cure",
            ],
        ),
        (
            "warning",
            [
                "pushtray: warning: its cure",
                "pushtray: error: its cure",
                "uvicorn.error: warning: its cure",
                "uvicorn.error: error: its cure",
            ],
        ),
        ("error", ["pushtray: error: its cure", "uvicorn.error: error: its cure"]),
    ],
)
def test_messages_from_the_level_on_are_printed(
    logs: None, capsys: pytest.CaptureFixture[str], level: str, lines: list[str]
) -> None:
    set_level(level)
    log_all()
    out, err = capsys.readouterr()
    assert (out, err.splitlines()) == ("", lines)


def test_nothing_is_left_behind(capsys: pytest.CaptureFixture[str]) -> None:
    root, ours = logging.getLogger(), logging.getLogger("device")
    before = (list(root.handlers), root.level, ours.level, threading.excepthook)
    with logging_to_stderr():
        set_level("debug")
        OURS.debug("heard")
    assert (list(root.handlers), root.level, ours.level, threading.excepthook) == before
    OURS.debug("not heard")
    assert capsys.readouterr().err == "device.ring.wled: heard\n"


def test_a_message_is_one_line_and_its_traceback_follows(logs: None, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        int("no number")
    except ValueError:
        OURS.exception("cannot\nread: %s", "over\ntwo lines")
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert first == "pushtray: cannot read: over two lines"
    assert second == "Traceback (most recent call last):"


def test_each_line_has_its_priority_where_the_journal_reads(logs: None, journal: Callable[..., list[str]]) -> None:
    def break_down() -> None:
        try:
            int("no number")
        except ValueError:
            OURS.exception("broken")

    set_level("debug")
    output = journal(log_all, break_down, lambda: console.print_error("what: its cure"))
    assert output[:4] == [
        "<7>device.ring.wled: debug: its cure",
        "<6>info: its cure",
        "<4>pushtray: warning: its cure",
        "<3>pushtray: error: its cure",
    ]
    assert "<3>ValueError: invalid literal for int() with base 10: 'no number'" in output
    assert "<3>Traceback (most recent call last):" in output
    assert output[-1] == "<3>pushtray: what: its cure"
    assert all(line.startswith("<") for line in output)


@pytest.mark.parametrize("named", [None, "", "1:1", "words"])
def test_another_stream_than_the_journals_has_no_priorities(
    logs: None, journal: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    if named is None:
        monkeypatch.delenv("JOURNAL_STREAM")
    else:
        monkeypatch.setenv("JOURNAL_STREAM", named)
    assert journal(lambda: OURS.warning("hot: let it cool")) == ["pushtray: hot: let it cool"]


@pytest.mark.usefixtures("journal")
def test_a_redirected_stream_has_no_priorities_though_the_variable_is_inherited(
    logs: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "log.txt"
    with path.open("w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        OURS.warning("hot: let it cool")
    assert path.read_text() == "pushtray: hot: let it cool\n"


def no_stream() -> None:
    return None


def closed() -> TextIO:
    with open(os.devnull, "w") as stream:
        return stream


def full() -> TextIO:
    return io.TextIOWrapper(io.FileIO("/dev/full", "w"), write_through=True)


def unencodable() -> TextIO:
    return io.TextIOWrapper(io.BytesIO(), encoding="ascii")


@pytest.mark.parametrize("make", [no_stream, closed, full, unencodable])
def test_a_stream_that_takes_nothing_stops_no_thread(
    logs: None, monkeypatch: pytest.MonkeyPatch, make: Callable[[], TextIO | None]
) -> None:
    stream = make()
    monkeypatch.setenv("JOURNAL_STREAM", "1:1")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", stream)
        OURS.error("d\xe9s: lay it flat")
        console.print_error("d\xe9s: lay it flat")
    if stream is not None:
        with suppress(OSError):
            stream.close()


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(("message", "args"), [("%d dice", ("many",)), ("%s %s", ("one",)), ("%s", (Unprintable(),))])
def test_a_message_that_cannot_be_formatted_is_named_and_stops_no_thread(
    logs: None, capsys: pytest.CaptureFixture[str], message: str, args: tuple[object, ...]
) -> None:
    # Not through the logger: pytest's own handler would raise at such a message and fail the test.
    (handler,) = (one for one in logging.getLogger().handlers if isinstance(one, StderrHandler))
    handler.handle(OURS.makeRecord(OURS.name, logging.WARNING, __file__, 1, message, args, None))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("device.ring.wled: a message that cannot be formatted (")
    assert line.endswith(f": {message!r}")


def test_what_ends_a_thread_is_logged(logs: None, journal: Callable[..., list[str]]) -> None:
    def end() -> None:
        raise ValueError("oh")

    thread = threading.Thread(target=end, name="loop")
    first, *rest = journal(thread.start, thread.join)
    assert first == "<3>pushtray: the thread loop ended with an error"
    assert rest[-1] == "<3>ValueError: oh"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A few pictures, so that it ends soon."""
    writer = RecordingWriter(tmp_path / "empty", 15, "push-pool", {}, {"base": "yellow"})
    for _ in range(3):
        writer.add_frame(np.full((240, 320, 3), 60, np.uint8))
    writer.finish()
    return tmp_path / "empty"


ADDRESS = "PushTray is at http://127.0.0.1:"
END = "pushtray: the recording has ended:"
OPEN = "device.camera.worker: the camera is open"


@pytest.mark.parametrize(
    ("in_file", "args", "printed"),
    [
        ("", ("--log-level", "debug"), {OPEN, ADDRESS, END}),
        ('[log]\nlevel = "warning"\n', (), {END}),
        ('[log]\nlevel = "warning"\n', ("--log-level", "info"), {ADDRESS, END}),
    ],
)
def test_a_run_prints_what_is_asked_for(
    recording: Path, tmp_path: Path, in_file: str, args: tuple[str, ...], printed: set[str]
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(in_file)
    notes = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    # An address chosen by the kernel, without a name in the file system.
    notes.bind("")
    command = (sys.executable, "-m", "device", "run", "--settings", str(settings), "--camera", f"replay:{recording}")
    with (
        notes,
        subprocess.Popen(
            [*command, "--port", "0", "--data", str(tmp_path / "data"), *args],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"NOTIFY_SOCKET": f"@{notes.getsockname()[1:].decode()}", "JOURNAL_STREAM": "1:1"},
        ) as tray,
    ):
        try:
            lines: list[str] = []
            while not (lines and lines[-1].startswith(END)):
                assert tray.stderr is not None
                lines.append(tray.stderr.readline())
                assert lines[-1], lines
            notes.settimeout(60)
            while b"READY=1" not in notes.recv(4096):
                pass
            tray.send_signal(signal.SIGTERM)
            rest = tray.communicate(timeout=30)[1]
        finally:
            tray.kill()
    assert tray.returncode == 0
    output = "".join(lines) + rest
    assert {text for text in (OPEN, ADDRESS, END) if f"\n{text}" in f"\n{output}"} == printed
