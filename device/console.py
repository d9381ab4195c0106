"""The only way to standard error, for messages to a person or the journal. Answers go to standard output."""

import logging
import os
import sys
from contextlib import suppress
from typing import TextIO

_PRIORITIES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
"""The journal's priority (crit, err, warning, info) from each level of `logging` up; below them debug, 7.

Source: sd-daemon(3).
"""


def write(text: str, level: int) -> None:
    """Write text to standard error at once; dropped if that is closed or its disk is full.

    Args:
        level: Of `logging`. If the journal reads standard error, each line begins with its priority, as in `<4>`.
    """
    out = sys.stderr
    if out is None:
        return
    with suppress(OSError, ValueError):
        before = f"<{_priority(level)}>" if _is_journal(out) else ""
        out.write("".join(f"{before}{line}\n" for line in text.split("\n")))
        out.flush()


def print_error(error: Exception | str) -> None:
    """Write the error that ends a command as one line on standard error."""
    write(f"pushtray: {one_line(error)}", logging.ERROR)


def one_line(text: object) -> str:
    """Return the text with every run of whitespace, including line ends, replaced by one space."""
    return " ".join(str(text).split())


def _priority(level: int) -> int:
    return next((priority for least, priority in _PRIORITIES if level >= least), 7)


def _is_journal(out: TextIO) -> bool:
    """Return whether the journal reads this stream itself; for a redirected one an inherited variable means nothing.

    Source: JOURNAL_STREAM in systemd.exec(5), the stream's device and inode as decimal numbers.
    """
    named = os.environ.get("JOURNAL_STREAM", "")
    if not named:
        return False
    try:
        status = os.fstat(out.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{status.st_dev}:{status.st_ino}"
