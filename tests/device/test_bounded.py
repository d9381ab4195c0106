"""Work in a child process: what the child is, logs, raises or takes, the caller gets as plain values or in one line."""

import ctypes
import errno
import inspect
import logging
import os
import platform
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from device.bounded import Bounds, TooMuchWork, in_child
from device.errors import BadInput, StorageFault, storage_refused

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def add(one: int, two: int) -> dict[str, int]:
    logging.getLogger("adding").warning("%d and %d", one, two)
    return {"sum": one + two, "process": os.getpid()}


def refuse(number: int) -> None:
    raise storage_refused(number, "this: do that")


def fill(size: int) -> int:
    return len(bytearray(size))


def work() -> None:
    while True:
        pass


def crash() -> None:
    raise KeyError("a fault of the program")


def end() -> None:
    os.abort()


def run(task: object, *values: object, bounds: Bounds | None = None) -> object:
    assert callable(task)
    return in_child(task, *values, bounds=bounds or Bounds(5.0), what="FILE", cure="name another")


def test_the_result_and_the_log_of_a_task_are_as_if_it_ran_here(caplog: pytest.LogCaptureFixture) -> None:
    found = run(add, 2, 3)
    assert isinstance(found, dict)
    assert found["sum"] == 5
    assert found["process"] != os.getpid()
    assert caplog.messages == ["2 and 3"]


@pytest.mark.parametrize(("number", "kind"), [(errno.EACCES, BadInput), (errno.ENOSPC, StorageFault)])
def test_a_refusal_comes_back_as_it_was(number: int, kind: type[BadInput]) -> None:
    with pytest.raises(BadInput) as caught:
        run(refuse, number)
    assert (type(caught.value), str(caught.value)) == (kind, "this: do that")


@pytest.mark.parametrize(
    ("task", "values", "bounds"),
    [
        (fill, (400_000_000,), Bounds(5.0)),
        (work, (), Bounds(1.0)),
        (time.sleep, (1000,), Bounds(0.1)),
        (end, (), Bounds(5.0)),
    ],
)
def test_more_than_its_bounds_is_one_line_with_the_cure(
    task: object, values: tuple[object, ...], bounds: Bounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.bounded._LOADER_S", 3)
    with pytest.raises(TooMuchWork, match=r"\AFILE takes more than \d+ s or 250 MB to read: name another\Z"):
        run(task, *values, bounds=bounds)


def test_what_fits_its_bounds_is_done() -> None:
    assert run(fill, 200_000_000) == 200_000_000


def test_a_fault_of_the_program_is_not_the_files() -> None:
    with pytest.raises(RuntimeError, match="a fault of the program"):
        run(crash)


def test_a_service_that_may_not_change_priorities_works() -> None:
    script = f"{inspect.getsource(refuse_priorities)}\nimport ctypes, platform, struct\nrefuse_priorities()\n"
    script += "from tests.device.test_bounded import fill, run\nprint(run(fill, 3))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3\n", "")


def refuse_priorities() -> None:
    """Let system calls that set a priority fail in this process, as SystemCallFilter of systemd does."""
    number = {"x86_64": 141, "aarch64": 140}[platform.machine()]
    # Classic BPF: load the number; if it is that one, return SECCOMP_RET_ERRNO | EPERM, otherwise SECCOMP_RET_ALLOW.
    steps = ((0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000))
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    table = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, table, 0, 0) == 0, ctypes.get_errno()  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def test_nothing_of_the_folder_one_is_in_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    assert run(fill, 3) == 3
