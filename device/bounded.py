"""Work on a file from outside in a child process, with limits on its memory and time.

What the file makes of the child ends with the child: the tray gets plain values, or one line.
"""

import importlib
import json
import logging
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from device.errors import BadInput, PushTrayError, StorageFault

_OUT_OF_MEMORY: Final = 3
_KILLED: Final = (-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGABRT, -signal.SIGSEGV)
"""How a child ends that may not have more: libraries written in C give up in their own ways."""
_LOADER_S: Final = 20
"""Seconds that the slowest machine may need to load the program."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the child may use beyond what loading the program takes.

    Attributes:
        seconds: Of processor time; waiting for a drive may take three times as long.
    """

    seconds: float
    memory_mb: int = 250


class TooMuchWork(BadInput):
    """A file needs more memory or time than it may."""


def in_child(task: Callable[..., Any], *values: Any, bounds: Bounds, what: str, cure: str) -> Any:
    """Return a function's result, computed in a child process.

    Args:
        task: A function of a module; its arguments and its result are JSON values. What it logs is logged here.
        what: The file's name, for the message.

    Raises:
        BadInput: As the task did; `StorageFault` where it raised that.
        TooMuchWork: The child exceeded its bounds.
    """
    order = json.dumps([task.__module__, task.__qualname__, values, bounds.seconds, bounds.memory_mb])
    wait_s = 3 * bounds.seconds + _LOADER_S
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, no shell
            # -P: nothing of the folder that a person happens to be in is imported
            [sys.executable, "-P", "-m", __name__],
            input=order,
            timeout=wait_s,
            capture_output=True,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode in (*_KILLED, _OUT_OF_MEMORY):
        raise TooMuchWork(f"{what} takes more than {bounds.seconds:.0f} s or {bounds.memory_mb} MB to read: {cure}")
    if not done.stdout:
        raise RuntimeError(f"reading {what} ended with status {done.returncode}: {done.stderr[-1000:]}")
    answer = json.loads(done.stdout)
    for name, level, message in answer["logged"]:
        logging.getLogger(name).log(level, "%s", message)
    if "refused" in answer:
        raise (StorageFault if answer["is_fault"] else BadInput)(answer["refused"])
    return answer["result"]


def main() -> int:
    """Do one order from standard input."""
    module, name, values, seconds, memory_mb = json.load(sys.stdin)
    task, logged = getattr(importlib.import_module(module), name), _Logged()
    logging.getLogger().addHandler(logged)
    with suppress(OSError):  # the tray's service may not change priorities (systemd/pushtray.service)
        os.nice(10)
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _limit(resource.RLIMIT_CPU, int(used + seconds) + 1)
    with suppress(FileNotFoundError):  # only Linux has both /proc and this limit
        _limit(resource.RLIMIT_DATA, _data_bytes() + memory_mb * 1_000_000)
    _limit(resource.RLIMIT_CORE, 0)
    try:
        answer = {"result": task(*values)}
    except PushTrayError as error:
        answer = {"refused": str(error), "is_fault": isinstance(error, StorageFault)}
    except MemoryError:
        return _OUT_OF_MEMORY
    json.dump({**answer, "logged": logged.lines}, sys.stdout)
    return 0


class _Logged(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if len(self.lines) < 20:  # a file may have as many bad parts as it likes
            self.lines.append((record.name, record.levelno, record.getMessage()))


def _limit(kind: int, most: int) -> None:
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def _data_bytes() -> int:
    """Return what `RLIMIT_DATA` counts of this process now."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmData"))


if __name__ == "__main__":
    sys.exit(main())
