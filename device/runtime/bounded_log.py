"""Limits on the log messages that clients can cause."""

import errno
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from device.texts.catalogue import LazyText, translate
from vision.types.cures import cure_of, why

_LOGGERS: Final = (
    "asyncio",
    "uvicorn.error",
    "device.web.core.connections",
    "device.web.core.pairing",
    "device.integrations.mqtt.commands",
)


class OnceAMinute(logging.Filter):
    """Passes one message of each kind per minute and counts the others, so that no client can fill the log."""

    PAUSE_S: Final = 60.0
    _MAX_KINDS: Final = 100

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now_s = now_s
        self._kinds: dict[tuple[str, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            # A traceback adds nothing, and this error comes with each refused connection.
            record.msg, record.args, record.exc_info = out_of_files(error), (), None
        template = record.args[0] if record.msg == "%s" and isinstance(record.args, tuple) else record.msg
        text = template.key if isinstance(template, LazyText) else str(record.msg).partition("\n")[0]
        kind = (record.name, text, type(error).__name__)
        now_s = self._now_s()
        logged_s, more = self._kinds.get(kind, (now_s - self.PAUSE_S, 0))
        if now_s - logged_s < self.PAUSE_S:
            self._kinds[kind] = (logged_s, more + 1)
            return False
        if len(self._kinds) >= self._MAX_KINDS:
            self._kinds.clear()
        self._kinds[kind] = (now_s, 0)
        if more:
            record.msg, record.args = "%s (and %s more like it)", (record.getMessage(), more)
        return True


def out_of_files(error: OSError) -> str:
    """Return one sentence for a request or connection that failed for lack of file descriptors."""
    return translate("web.system_refuses", why=why(error), cure=cure_of(error.errno, "try again"))


@contextmanager
def strangers_logged_seldom() -> Iterator[None]:
    """Limit the messages that strangers can cause to one per minute of each kind."""
    once = OnceAMinute()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(once)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(once)
