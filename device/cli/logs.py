"""Set up logging once for every subcommand: where messages go, and which ones.

Each module logs to `logging.getLogger(__name__)`:

- debug: for developers;
- info: what happens;
- warning: a person should look at it, but the tray continues as asked;
- error: a part does not work; the message includes the cure.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from device.console import one_line, write

LIBRARIES_LEVEL = logging.WARNING
"""Libraries log their problems; what they do is logged only at level `debug`."""

_OURS = "device"

_log = logging.getLogger(__name__)


class StderrHandler(logging.Handler):
    """Writes records to standard error; a failing record never stops the thread that logged it."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record)
        except Exception as error:  # noqa: BLE001 - a message with the wrong arguments must not stop a roll
            text = f"{record.name}: a message that cannot be formatted ({error}): {record.msg!r}"
        write(text, record.levelno)


class LineFormatter(logging.Formatter):
    """Formats a message as one line, with its traceback below if there is one.

    Our own messages read like the command's output: unchanged, with `pushtray:` before a warning or an error. Messages
    of libraries and debug messages start with the logger's name.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the base class's name
        message = one_line(record.message)
        if not _is_ours(record.name) or record.levelno < logging.INFO:
            return f"{record.name}: {message}"
        return f"pushtray: {message}" if record.levelno >= logging.WARNING else message


@contextmanager
def logging_to_stderr() -> Iterator[None]:
    """Write messages from `info` on to standard error, including Python's warnings and uncaught errors of threads."""
    root, ours = logging.getLogger(), logging.getLogger(_OURS)
    levels_before, hook_before = (root.level, ours.level), threading.excepthook
    handler = StderrHandler()
    handler.setFormatter(LineFormatter())
    root.addHandler(handler)
    threading.excepthook = _log_end_of_thread
    logging.captureWarnings(True)
    set_level("info")
    try:
        yield
    finally:
        logging.captureWarnings(False)
        threading.excepthook = hook_before
        root.removeHandler(handler)
        for logger, level in zip((root, ours), levels_before, strict=True):
            logger.setLevel(level)


def set_level(name: str) -> None:
    level = logging.getLevelNamesMapping()[name.upper()]
    logging.getLogger(_OURS).setLevel(level)
    logging.getLogger().setLevel(logging.INFO if level < logging.INFO else max(level, LIBRARIES_LEVEL))


def _is_ours(name: str) -> bool:
    return name == _OURS or name.startswith(f"{_OURS}.")


def _log_end_of_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_type is SystemExit or ended.exc_value is None:
        return
    name = "?" if ended.thread is None else ended.thread.name
    _log.error("the thread %s ended with an error", name, exc_info=ended.exc_value)
